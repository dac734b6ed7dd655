//! Sets of events as machine words, for questions that every step asks.

use fabius_lang::ids::{EventId, EventSet};

/// A set of events. All masks of one program have the same width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mask {
    low: u64,
    /// The events from 64 on; empty for programs with fewer.
    high: Box<[u64]>,
}

impl Mask {
    /// The empty set in a program with `events` events.
    pub(crate) fn new(events: usize) -> Self {
        Self { low: 0, high: vec![0; events.div_ceil(64).saturating_sub(1)].into() }
    }

    pub(crate) fn of(events: &EventSet, count: usize) -> Self {
        let mut mask = Self::new(count);
        for event in events.iter() {
            mask.insert(event);
        }
        mask
    }

    pub(crate) fn insert(&mut self, event: EventId) {
        match (event.index() / 64).checked_sub(1) {
            None => self.low |= 1 << event.index(),
            Some(word) => self.high[word] |= 1 << (event.index() % 64),
        }
    }

    pub(crate) fn remove(&mut self, event: EventId) {
        match (event.index() / 64).checked_sub(1) {
            None => self.low &= !(1 << event.index()),
            Some(word) => self.high[word] &= !(1 << (event.index() % 64)),
        }
    }

    pub(crate) fn contains(&self, event: EventId) -> bool {
        let word = match (event.index() / 64).checked_sub(1) {
            None => self.low,
            Some(word) => self.high[word],
        };
        word >> (event.index() % 64) & 1 == 1
    }

    /// Whether every event is in `other` too.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.low & !other.low == 0 && self.high.iter().zip(&other.high).all(|(a, b)| a & !b == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Mask;
    use fabius_lang::ids::EventId;

    fn mask(count: usize, events: &[u32]) -> Mask {
        let mut mask = Mask::new(count);
        events.iter().for_each(|event| mask.insert(EventId(*event)));
        mask
    }

    #[test]
    fn events_beyond_the_first_word_are_kept_apart() {
        for event in [0, 1, 63, 64, 127, 128, 199] {
            let one = mask(200, &[event]);
            assert!((0..200).all(|other| one.contains(EventId(other)) == (other == event)));
            assert!(one.is_within(&mask(200, &[3, event])));
            assert!(!mask(200, &[3, event]).is_within(&one));
        }
    }
}
