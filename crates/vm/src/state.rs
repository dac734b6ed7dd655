//! A state of the whole program: a short vector of ids.
//!
//! Word 0 is the roster; word 1 tells who stands at a choice, as the slot's number plus one, or is 0. Then follow one word
//! for each machine in the roster's order, its part (with a bit that says whether it can be scheduled), and one word for
//! each monitor. The ids mean something only to the `Vm` that made the state; since equal contents have equal ids there,
//! equal words mean equal states.

use crate::part::{Part, PartId};
use crate::store::{LocalId, RosterId, Store};
use crate::words::Words;
use fabius_model::Edit;
use std::hash::{Hash, Hasher};

/// A state of the whole program.
///
/// Whoever changes a part or a monitor also changes the fingerprint by the difference of the hashes.
#[derive(Clone, Debug)]
pub struct State {
    /// The sum of the hashes of the parts and of the monitors' configurations.
    pub(crate) fingerprint: u128,
    /// Which of the first machines can be scheduled, as bits: what their words say.
    movers: u64,
    words: Words,
}

/// The word of the first machine.
pub(crate) const HEADER: usize = 2;
/// The word that tells who stands at a choice.
pub(crate) const CHOOSER: usize = 1;
/// In the word of a machine: it can be scheduled.
pub(crate) const ENABLED: u32 = 1 << 31;
const BITS: usize = u64::BITS as usize;

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && *self.words == *other.words
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint as u64);
    }
}

impl State {
    /// A state without machines.
    pub(crate) fn new(roster: RosterId, monitors: &[LocalId], fingerprint: u128) -> Self {
        let header = [roster.0, 0].into_iter();
        let words = header.chain(monitors.iter().map(|monitor| monitor.0)).collect();
        Self { fingerprint, movers: 0, words }
    }

    /// The state with these words, which has so many machines and monitors; `None` if they refer to nothing.
    pub(crate) fn of_words(words: &[u32], machines: usize, monitors: usize, store: &Store) -> Option<Self> {
        let (header, rest) = words.split_first_chunk::<HEADER>()?;
        if rest.len() != machines + monitors || header[1] as usize > machines {
            return None;
        }
        let (parts, monitors) = rest.split_at(machines);
        let (mut fingerprint, mut movers) = (0_u128, 0);
        // Words were written one by one just now: whoever reads several at once waits until all that is to be written has been,
        // which may be far away.
        for (slot, word) in parts.iter().enumerate() {
            let id = part_of(*word);
            let part = store.parts.find(id.0)?;
            if part_word(id, part) != *word {
                return None;
            }
            fingerprint = fingerprint.wrapping_add(part.hash);
            movers |= if slot < BITS { u64::from(part.is_enabled) << slot } else { 0 };
        }
        for monitor in monitors {
            fingerprint = fingerprint.wrapping_add(store.locals().find(*monitor)?.hash);
        }
        Some(Self { fingerprint, movers, words: words.iter().copied().collect() })
    }

    /// Changes some words, after which it has this fingerprint.
    #[inline]
    pub(crate) fn edit(&mut self, edits: &[Edit], fingerprint: u128) {
        self.fingerprint = fingerprint;
        edits.iter().for_each(|&(at, word)| self.set(at as usize, word));
    }

    /// Changes a word.
    #[inline]
    fn set(&mut self, at: usize, word: u32) {
        self.words[at] = word;
        // Words that are no machine's do not say that anybody can be scheduled.
        if let Some(bit) = at.checked_sub(HEADER).filter(|slot| *slot < BITS).map(|slot| 1 << slot) {
            self.movers = if word & ENABLED != 0 { self.movers | bit } else { self.movers & !bit };
        }
    }

    /// The words; equal ones mean equal states of one `Vm`.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    pub(crate) fn roster(&self) -> RosterId {
        RosterId(self.words[0])
    }

    pub(crate) fn chooser(&self) -> Option<usize> {
        (self.words[CHOOSER] as usize).checked_sub(1)
    }

    pub(crate) fn part(&self, slot: usize) -> PartId {
        part_of(self.words[HEADER + slot])
    }

    /// Calls `with` for each machine that can be scheduled, with its slot and its part. Who can move is as good as random:
    /// going through bits mispredicts one branch instead of one for each machine.
    #[inline(always)]
    pub(crate) fn for_each_mover(&self, mut with: impl FnMut(usize, PartId)) {
        let machines = &self.words[HEADER..];
        for_each_bit(self.movers, |slot| with(slot, part_of(machines[slot])));
        if machines.len() > BITS {
            for (slot, word) in
                machines.iter().enumerate().skip(BITS).filter(|(_, word)| *word & ENABLED != 0)
            {
                with(slot, part_of(*word));
            }
        }
    }

    /// Which of the first machines can be scheduled, as bits.
    #[inline]
    pub(crate) fn movers(&self) -> u64 {
        self.movers
    }

    /// The slot of a machine by its position among those that can be scheduled, if it has a bit.
    #[inline]
    pub(crate) fn mover_at(&self, position: usize) -> Option<usize> {
        let movers = (0..position).fold(self.movers, |movers, _| movers & movers.wrapping_sub(1));
        (movers != 0).then(|| movers.trailing_zeros() as usize)
    }

    /// The configuration of a monitor, in a state with `machines` machines.
    pub(crate) fn monitor(&self, machines: usize, index: usize) -> LocalId {
        LocalId(self.words[HEADER + machines + index])
    }

    /// Changes the part of a machine from one to another.
    pub(crate) fn replace_part(&mut self, slot: usize, before: &Part, id: PartId, after: &Part) {
        self.set(HEADER + slot, part_word(id, after));
        self.fingerprint = self.fingerprint.wrapping_sub(before.hash).wrapping_add(after.hash);
    }

    pub(crate) fn replace_monitor(&mut self, machines: usize, index: usize, after: LocalId, store: &Store) {
        let before = self.monitor(machines, index);
        self.words[HEADER + machines + index] = after.0;
        self.fingerprint =
            self.fingerprint.wrapping_sub(store.local(before).hash).wrapping_add(store.local(after).hash);
    }

    pub(crate) fn set_chooser(&mut self, slot: Option<usize>) {
        self.words[CHOOSER] = slot.map_or(0, |slot| slot as u32 + 1);
    }

    /// Adds a machine at `slot`.
    pub(crate) fn insert_part(&mut self, roster: RosterId, slot: usize, id: PartId, part: &Part) {
        self.words[0] = roster.0;
        self.words.insert(HEADER + slot, part_word(id, part));
        self.movers = enabled_bits(&self.words[HEADER..]);
        self.fingerprint = self.fingerprint.wrapping_add(part.hash);
    }
}

/// Which of the first machines' words say that they can be scheduled.
fn enabled_bits(words: &[u32]) -> u64 {
    (0..BITS).zip(words).fold(0, |bits, (at, word)| bits | u64::from(word & ENABLED != 0) << at)
}

/// Calls `with` for each bit that is set.
#[inline(always)]
pub(crate) fn for_each_bit(mut bits: u64, mut with: impl FnMut(usize)) {
    while bits != 0 {
        with(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

pub(crate) fn part_word(id: PartId, part: &Part) -> u32 {
    id.0 | if part.is_enabled { ENABLED } else { 0 }
}

/// The part in the word of a machine.
pub(crate) fn part_of(word: u32) -> PartId {
    PartId(word & !ENABLED)
}

/// Which word is that of a machine, by its slot; those of monitors follow.
pub(crate) fn place(slot: usize) -> u32 {
    (HEADER + slot) as u32
}
