//! A state of the whole program: a short vector of ids.
//!
//! Word 0 is the roster; word 1 tells who stands at a choice, as the slot's number plus one, or is 0. Then follow two words
//! for each machine in the roster's order, its configuration (with a bit that says whether it can be scheduled) and its
//! queue, and one word for each monitor. The ids mean something only to the `Vm` that made the state; since equal
//! contents have equal ids there, equal words mean equal states.

use crate::queue::QueueId;
use crate::store::{LocalId, RosterId};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A state of the whole program.
#[derive(Clone, Debug)]
pub struct State {
    /// The sum of the parts' content hashes: see `Draft`.
    pub(crate) fingerprint: u128,
    pub(crate) words: Arc<[u32]>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.words == other.words
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint as u64);
    }
}

const HEADER: usize = 2;
const ENABLED: u32 = 1 << 31;

impl State {
    pub(crate) fn roster(&self) -> RosterId {
        roster(&self.words)
    }

    pub(crate) fn chooser(&self) -> Option<usize> {
        (self.words[1] as usize).checked_sub(1)
    }

    pub(crate) fn slot(&self, slot: usize) -> Slot {
        slot_of(&self.words, slot)
    }

    /// Whether each machine can be scheduled. What follows the machines' words is to be passed over.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = bool> {
        self.words[HEADER..].chunks_exact(2).map(|words| words[0] & ENABLED != 0)
    }

    /// The configuration of a monitor, in a state with `machines` machines.
    pub(crate) fn monitor(&self, machines: usize, index: usize) -> LocalId {
        LocalId(self.words[HEADER + 2 * machines + index])
    }
}

/// A machine's part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) local: LocalId,
    pub(crate) is_enabled: bool,
    pub(crate) queue: QueueId,
}

fn roster(words: &[u32]) -> RosterId {
    RosterId(words[0])
}

fn slot_of(words: &[u32], slot: usize) -> Slot {
    let at = HEADER + 2 * slot;
    let (local, queue) = (words[at], words[at + 1]);
    Slot { local: LocalId(local & !ENABLED), is_enabled: local & ENABLED != 0, queue: QueueId(queue) }
}

fn slot_words(slot: Slot) -> [u32; 2] {
    [slot.local.0 | if slot.is_enabled { ENABLED } else { 0 }, slot.queue.0]
}

/// A state in the making. Whoever changes a part also changes the fingerprint by the difference of the part's hashes.
#[derive(Debug)]
pub(crate) struct Words {
    words: Arc<[u32]>,
}

impl Words {
    /// A state without machines.
    pub(crate) fn new(roster: RosterId, monitors: &[LocalId]) -> Self {
        let header = [roster.0, 0].into_iter();
        Self { words: header.chain(monitors.iter().map(|monitor| monitor.0)).collect() }
    }

    pub(crate) fn copy(state: &State) -> Self {
        Self { words: Arc::from(&*state.words) }
    }

    pub(crate) fn finish(self, fingerprint: u128) -> State {
        State { fingerprint, words: self.words }
    }

    pub(crate) fn roster(&self) -> RosterId {
        roster(&self.words)
    }

    pub(crate) fn chooser(&self) -> Option<usize> {
        (self.words[1] as usize).checked_sub(1)
    }

    pub(crate) fn slot(&self, slot: usize) -> Slot {
        slot_of(&self.words, slot)
    }

    pub(crate) fn monitor(&self, machines: usize, index: usize) -> LocalId {
        LocalId(self.words[HEADER + 2 * machines + index])
    }

    fn words_mut(&mut self) -> &mut [u32] {
        Arc::get_mut(&mut self.words).expect("a state in the making is not shared")
    }

    pub(crate) fn set_slot(&mut self, slot: usize, content: Slot) {
        let at = HEADER + 2 * slot;
        self.words_mut()[at..at + 2].copy_from_slice(&slot_words(content));
    }

    pub(crate) fn set_monitor(&mut self, machines: usize, index: usize, local: LocalId) {
        self.words_mut()[HEADER + 2 * machines + index] = local.0;
    }

    pub(crate) fn set_chooser(&mut self, slot: Option<usize>) {
        self.words_mut()[1] = slot.map_or(0, |slot| slot as u32 + 1);
    }

    /// Makes room for a machine at `slot`.
    pub(crate) fn insert_slot(&mut self, roster: RosterId, slot: usize, content: Slot) {
        let (before, after) = self.words.split_at(HEADER + 2 * slot);
        let words = before.iter().copied().chain(slot_words(content)).chain(after.iter().copied());
        self.words = words.collect();
        self.words_mut()[0] = roster.0;
    }
}
