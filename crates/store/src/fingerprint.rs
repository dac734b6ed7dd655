//! Sets that keep 64 or 128 bits of a state's fingerprint instead of the state (hash compaction).
//!
//! Two states with the same bits are taken for one, and the second is never visited. If fingerprints are as good as
//! random, the `n`th state meets an equal one with a probability of at most `n / 2^64` (`2^128`); so the probability that any
//! of `n` states was missed is at most `n (n + 1) / 2 / 2^64`: one in 370,000 for 10 million states, one in 37 for a
//! milliard. With 128 bits it is never noticeable. The place in the table adds no bits: it is made from those that
//! are stored, so that the table can grow without the states.

use std::io;
use std::sync::atomic::Ordering;

use crate::checkpoint::{Kind, Reader, Writer};
use crate::growing::{Growing, Visit};
use crate::keys::KeySet;
use crate::table::{Layout, Line, Place};
use crate::{Batch, VisitedSet};

/// Eight bytes for each state, and the free places of the table.
#[derive(Debug)]
pub struct Fingerprints64 {
    keys: KeySet,
}

impl Fingerprints64 {
    /// An empty set.
    pub fn new() -> Self {
        Self { keys: KeySet::new(usize::MAX) }
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        let parameters = from.expect(Kind::Fingerprints64)?;
        let keys = KeySet::read_from(parameters, usize::MAX, &mut from)?;
        from.finish()?;
        Ok(Self { keys })
    }
}

impl Default for Fingerprints64 {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitedSet for Fingerprints64 {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        is_new.clear();
        match states.keys() {
            Some(keys) => self.keys.insert_all::<true>(keys, is_new),
            None => self.keys.insert(states.len(), |index| short_key(states.fingerprint(index)), is_new),
        }
        is_new.resize(states.len(), false);
    }

    fn expect(&self, fingerprints: &[u128], batch: &mut Batch) {
        let keys = fingerprints.iter().map(|fingerprint| short_key(*fingerprint));
        self.keys.growing.expect(batch.push_keys(keys));
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        self.keys.contains(states.len(), |index| short_key(states.fingerprint(index)), is_known);
    }

    fn len(&self) -> u64 {
        self.keys.len()
    }

    fn bytes(&self) -> usize {
        self.keys.growing.bytes()
    }

    fn load(&self) -> f64 {
        self.keys.growing.load()
    }

    fn growth_ahead(&self) -> usize {
        self.keys.growing.growth_ahead()
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn omission(&self) -> f64 {
        birthday(self.len(), 64)
    }

    fn is_full(&self) -> bool {
        self.keys.growing.cannot_grow()
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let mut to = Writer::new(to, Kind::Fingerprints64, &self.keys.parameters())?;
        self.keys.write_to(&mut to)?;
        to.finish()
    }
}

/// The 64 bits of a fingerprint that are kept: a bijection of its lower half that brings all its bits to bear upon the
/// highest ones, from which the place is made.
#[inline]
pub(crate) fn short_key(fingerprint: u128) -> u64 {
    (fingerprint as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// An upper bound for the probability that two of so many random numbers of so many bits are equal.
pub(crate) fn birthday(count: u64, bits: i32) -> f64 {
    let count = count as f64;
    (count * (count + 1.0) / 2.0 * 2f64.powi(-bits)).min(1.0)
}

/// Lines of four keys and, behind them, the other halves of the fingerprints. 0: it is about to be written.
#[derive(Debug)]
struct Halves;

impl Halves {
    /// The other half. The thread that has claimed the cell writes it at once.
    #[inline]
    fn wait_for(line: &Line, cell: usize) -> u64 {
        loop {
            let half = line[Self::CELLS + cell].load(Ordering::Relaxed);
            if half != 0 {
                return half;
            }
            std::hint::spin_loop();
        }
    }
}

impl Layout for Halves {
    const CELLS: usize = 4;
    const LOAD: (u64, u64) = (7, 8);
    type Beside = u64;

    fn take(line: &Line, cell: usize) -> u64 {
        line[Self::CELLS + cell].load(Ordering::Relaxed)
    }

    fn put(line: &Line, cell: usize, half: u64) {
        line[Self::CELLS + cell].store(half, Ordering::Relaxed);
    }

    fn is_sound(line: &Line, cell: usize) -> bool {
        Self::take(line, cell) != 0
    }
}

/// Sixteen bytes for each state, and the free places of the table.
#[derive(Debug)]
pub struct Fingerprints128 {
    growing: Growing<Halves>,
}

impl Fingerprints128 {
    /// An empty set.
    pub fn new() -> Self {
        Self { growing: Growing::new(usize::MAX) }
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        let parameters = from.expect(Kind::Fingerprints128)?;
        let growing = Growing::read_from(parameters, usize::MAX, &mut from)?;
        from.finish()?;
        Ok(Self { growing })
    }
}

impl Default for Fingerprints128 {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitedSet for Fingerprints128 {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        is_new.clear();
        is_new.reserve(states.len());
        let key = |index| long_key(states.fingerprint(index));
        self.growing.insert(states.len(), key, |table, index, key| {
            let half = other_half(states.fingerprint(index));
            match table.probe::<true>(key, |line, cell| Halves::wait_for(line, cell) == half) {
                Place::Found(..) => {
                    is_new.push(false);
                    Visit::Known
                }
                Place::Claimed(line, cell) => {
                    Halves::put(line, cell, half);
                    is_new.push(true);
                    Visit::Added
                }
                Place::Absent | Place::Full => Visit::NoPlace,
            }
        });
        is_new.resize(states.len(), false);
    }

    fn expect(&self, fingerprints: &[u128], batch: &mut Batch) {
        batch.push_fingerprints(fingerprints);
        fingerprints.iter().for_each(|fingerprint| self.growing.expect(&[long_key(*fingerprint)]));
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        let key = |index| long_key(states.fingerprint(index));
        self.growing.look(states.len(), key, |table, index, key| {
            let half = other_half(states.fingerprint(index));
            let place = table.probe::<false>(key, |line, cell| Halves::wait_for(line, cell) == half);
            is_known.push(matches!(place, Place::Found(..)));
        });
    }

    fn len(&self) -> u64 {
        self.growing.len()
    }

    fn bytes(&self) -> usize {
        self.growing.bytes()
    }

    fn load(&self) -> f64 {
        self.growing.load()
    }

    fn growth_ahead(&self) -> usize {
        self.growing.growth_ahead()
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn omission(&self) -> f64 {
        birthday(self.len(), 128)
    }

    fn is_full(&self) -> bool {
        self.growing.cannot_grow()
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let mut to = Writer::new(to, Kind::Fingerprints128, &self.growing.parameters())?;
        self.growing.write_to(&mut to)?;
        to.finish()
    }
}

/// The half of a fingerprint by which it is found. Neither half may be 0; that two numbers become one does not
/// change the bound noticeably.
#[inline]
fn long_key(fingerprint: u128) -> u64 {
    short_key(fingerprint).max(1)
}

#[inline]
fn other_half(fingerprint: u128) -> u64 {
    ((fingerprint >> 64) as u64).max(1)
}
