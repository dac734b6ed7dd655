//! Which machines of a state can be scheduled, as bits.

/// A set of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Enabled {
    low: u64,
    /// The slots from 64 on; there are hardly ever so many.
    high: Vec<u64>,
}

const WORD: usize = u64::BITS as usize;

impl Enabled {
    #[inline]
    pub(super) fn contains(&self, slot: usize) -> bool {
        let word = match (slot / WORD).checked_sub(1) {
            None => self.low,
            Some(word) => self.high.get(word).copied().unwrap_or(0),
        };
        word >> (slot % WORD) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, slot: usize, is_enabled: bool) {
        let word = match (slot / WORD).checked_sub(1) {
            None => &mut self.low,
            Some(word) => {
                if self.high.len() <= word {
                    self.high.resize(word + 1, 0);
                }
                &mut self.high[word]
            }
        };
        *word = *word & !(1 << (slot % WORD)) | u64::from(is_enabled) << (slot % WORD);
    }

    /// The first 64 slots, as bits.
    pub(super) fn first(&self) -> u64 {
        self.low
    }

    /// Whether there are two or more.
    pub(super) fn has_several(&self) -> bool {
        self.low & self.low.wrapping_sub(1) != 0 || !self.high.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        let words = self.high.iter().chain([&self.low]);
        words.map(|word| word.count_ones() as usize).sum()
    }

    /// The slot at a position, in order.
    #[inline]
    pub(super) fn nth(&self, position: usize) -> Option<usize> {
        if self.high.is_empty() {
            let rest = (0..position).fold(self.low, |rest, _| rest & rest.wrapping_sub(1));
            return (rest != 0).then(|| rest.trailing_zeros() as usize);
        }
        self.nth_of_many(position)
    }

    #[inline(never)]
    fn nth_of_many(&self, position: usize) -> Option<usize> {
        let mut slots = Vec::with_capacity(self.len());
        self.for_each(|slot| slots.push(slot));
        slots.get(position).copied()
    }

    /// The first slot from this one on.
    #[inline]
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        if from < WORD && self.high.is_empty() {
            let rest = self.low & u64::MAX << from;
            return (rest != 0).then(|| rest.trailing_zeros() as usize);
        }
        self.next_of_many(from)
    }

    fn next_of_many(&self, from: usize) -> Option<usize> {
        let at = from / WORD;
        let words = std::iter::once(&self.low).chain(&self.high).enumerate().skip(at);
        let mut mask = u64::MAX << (from % WORD);
        for (at, word) in words {
            let rest = *word & mask;
            if rest != 0 {
                return Some(at * WORD + rest.trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    /// Makes room for one more among `count` slots.
    pub(super) fn insert(&mut self, slot: usize, count: usize, is_enabled: bool) {
        if count < WORD {
            let before = self.low & !(u64::MAX << slot);
            self.low = before | (self.low ^ before) << 1;
        } else {
            for other in (slot..count).rev() {
                self.set(other + 1, self.contains(other));
            }
        }
        self.set(slot, is_enabled);
    }

    /// Visits the slots in order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (at, word) in std::iter::once(&self.low).chain(&self.high).enumerate() {
            let mut rest = *word;
            while rest != 0 {
                visit(at * WORD + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Enabled;

    #[test]
    fn slots_of_any_number_behave_like_a_list() {
        let (mut enabled, mut plain) = (Enabled::default(), Vec::new());
        for number in 0..200_usize {
            let (slot, is_enabled) = (number * 7 % (plain.len() + 1), number % 3 == 0);
            enabled.insert(slot, plain.len(), is_enabled);
            plain.insert(slot, is_enabled);
            let mut visited = Vec::new();
            enabled.for_each(|slot| visited.push(slot));
            let next = |from: usize| (from..plain.len()).find(|slot| plain[*slot]);
            assert!((0..=plain.len()).all(|from| enabled.next(from) == next(from)), "{number}");
            assert_eq!(enabled.len(), visited.len(), "{number}");
            let nth = |position| enabled.nth(position) == visited.get(position).copied();
            assert!((0..=visited.len()).all(nth), "{number}");
            let expected = plain.iter().enumerate().filter(|(_, is_enabled)| **is_enabled);
            assert!(visited.into_iter().eq(expected.map(|(slot, _)| slot)), "{number}");
        }
        enabled.set(150, true);
        assert!(enabled.contains(150) && !enabled.contains(5000));
        enabled.set(150, false);
        assert!(!enabled.contains(150));
    }
}
