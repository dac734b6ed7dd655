//! A set of 64-bit fingerprints that keeps to a number of bytes and forgets.
//!
//! It grows like other sets until its budget is used, and then takes in no more states, or lets each new one take the place
//! of an old one. A state it does not know may have been there before: it is told to be new and visited again. That
//! costs time but loses nothing; a search that must end needs another bound.
//!
//! Guarantees: never more bytes than the budget. A state that was never inserted is known only by accident, if one of at
//! most `c` stored fingerprints equals its own: for `n` visits the probability of any omission is at most `n c / 2^64`.
//! Does not guarantee that a state is told to be new only once, not even within a batch.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Kind, Reader, Writer};
use crate::fingerprint::{birthday, short_key};
use crate::keys::{KeySet, KeysOnly};
use crate::table::{Layout, Line};
use crate::{Batch, VisitedSet};

/// What a bounded set does with new states when its budget is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It keeps what it has, and does not take them in.
    Keep,
    /// Each takes the place of an older one.
    Replace,
}

/// The set.
#[derive(Debug)]
pub struct Bounded {
    keys: KeySet,
    budget: usize,
    when_full: WhenFull,
    visits: AtomicU64,
    forgotten: AtomicU64,
}

impl Bounded {
    /// An empty set that never takes more than so many bytes.
    pub fn new(budget: usize, when_full: WhenFull) -> Self {
        let (visits, forgotten) = Default::default();
        Self { keys: KeySet::new(budget), budget, when_full, visits, forgotten }
    }

    /// Deals with one state when no more can be added.
    fn insert_when_full(&self, line: Option<&Line>, key: u64) {
        self.forgotten.fetch_add(1, Ordering::Relaxed);
        let (WhenFull::Replace, Some(line)) = (self.when_full, line) else { return };
        let used = line.iter().take_while(|cell| cell.load(Ordering::Relaxed) != 0).count();
        // An empty line stays empty: the table must not become fuller.
        if let Some(cell) = (key as usize % KeysOnly::CELLS).checked_rem(used) {
            line[cell].store(key, Ordering::Relaxed);
        }
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        let [budget, replaces, visits, forgotten, lines, tail, len, has_zero] = from.expect(Kind::Bounded)?;
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        let when_full = if replaces == 0 { WhenFull::Keep } else { WhenFull::Replace };
        let keys = KeySet::read_from([lines, tail, len, has_zero], budget, &mut from)?;
        from.require(keys.growing.bytes() <= budget)?;
        from.finish()?;
        let (visits, forgotten) = (AtomicU64::new(visits), AtomicU64::new(forgotten));
        Ok(Self { keys, budget, when_full, visits, forgotten })
    }
}

impl VisitedSet for Bounded {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        is_new.clear();
        let key = |index| short_key(states.fingerprint(index));
        if !self.keys.growing.cannot_grow() {
            self.keys.insert(states.len(), key, is_new);
        }
        let rest = is_new.len();
        self.keys.growing.look(
            states.len() - rest,
            |index| key(rest + index),
            |table, _, key| {
                let new = if key == 0 { self.keys.insert_zero() } else { !self.keys.has(table, key) };
                if new && key != 0 {
                    self.insert_when_full(table.home_line(key), key);
                }
                is_new.push(new);
            },
        );
        let visits = is_new.iter().filter(|&&new| new).count();
        self.visits.fetch_add(visits as u64, Ordering::Relaxed);
    }

    fn is_exact(&self) -> bool {
        false
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

    fn omission(&self) -> f64 {
        let (visits, kept) = (self.visits.load(Ordering::Relaxed), self.len());
        if visits == kept {
            return birthday(visits, 64);
        }
        (visits as f64 * kept as f64 * 2f64.powi(-64)).min(1.0)
    }

    fn forgets(&self) -> bool {
        true
    }

    fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::Relaxed)
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let replaces = u64::from(self.when_full == WhenFull::Replace);
        let visits = self.visits.load(Ordering::Relaxed);
        let mut parameters = vec![self.budget as u64, replaces, visits, self.forgotten()];
        parameters.extend(self.keys.parameters());
        let mut to = Writer::new(to, Kind::Bounded, &parameters)?;
        self.keys.write_to(&mut to)?;
        to.finish()
    }
}
