//! Indices of a program's declarations, and sets of events.

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(pub u32);

            impl $id {
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    EventId;
    EnumId;
    InterfaceId;
    /// A machine, spec or scenario.
    MachineId;
    /// A state within its machine.
    StateId;
    /// A variable of a machine.
    FieldId;
    FunctionId;
    /// A global test parameter.
    ParameterId;
    TestId;
}

impl EventId {
    /// The event of `on null`; never sent.
    pub const NULL: Self = Self(0);
    pub const HALT: Self = Self(1);
}

/// A set of events, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventSet {
    // Invariant: the last word is not zero, so that equal sets are equal values.
    words: Vec<u64>,
}

impl EventSet {
    /// Every event below `count`, except `null`.
    pub fn all(count: usize) -> Self {
        (1..count).map(|event| EventId(event as u32)).collect()
    }

    pub fn insert(&mut self, event: EventId) {
        let (word, bit) = (event.index() / 64, event.index() % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    pub fn remove(&mut self, event: EventId) {
        if let Some(word) = self.words.get_mut(event.index() / 64) {
            *word &= !(1 << (event.index() % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    pub fn contains(&self, event: EventId) -> bool {
        self.words.get(event.index() / 64).is_some_and(|word| word >> (event.index() % 64) & 1 == 1)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let lowest = lowest(at, rest)?;
                rest &= rest - 1;
                Some(lowest)
            })
        })
    }

    pub fn extend(&mut self, other: &Self) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// The first event that is not in `other`.
    pub fn first_outside(&self, other: &Self) -> Option<EventId> {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        let mut differences = self.words.iter().zip(others).map(|(word, other)| word & !other).enumerate();
        differences.find_map(|(at, word)| lowest(at, word))
    }

    /// The first event that is in `other` too.
    pub fn first_inside(&self, other: &Self) -> Option<EventId> {
        let mut shared = self.words.iter().zip(&other.words).map(|(word, other)| word & other).enumerate();
        shared.find_map(|(at, word)| lowest(at, word))
    }
}

/// The first event of a word, `at` being the word's position.
fn lowest(at: usize, word: u64) -> Option<EventId> {
    (word != 0).then(|| EventId(at as u32 * 64 + word.trailing_zeros()))
}

impl FromIterator<EventId> for EventSet {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Self {
        let mut set = Self::default();
        for event in events {
            set.insert(event);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::{EventId, EventSet};

    fn set(events: &[u32]) -> EventSet {
        events.iter().map(|event| EventId(*event)).collect()
    }

    #[test]
    fn sets_are_equal_when_their_events_are() {
        let mut grown = set(&[3, 200]);
        grown.remove(EventId(200));
        assert_eq!(grown, set(&[3]));
        grown.extend(&set(&[1, 130]));
        assert_eq!(grown, set(&[1, 3, 130]));
        assert_eq!(grown.iter().map(|event| event.0).collect::<Vec<_>>(), [1, 3, 130]);
        assert_eq!(grown.len(), 3);
    }

    #[test]
    fn differences_and_overlaps_are_found_across_words() {
        assert_eq!(set(&[1, 130]).first_outside(&set(&[1])), Some(EventId(130)));
        assert_eq!(set(&[1, 130]).first_outside(&set(&[1, 2, 130, 900])), None);
        assert_eq!(set(&[5, 130]).first_inside(&set(&[4, 130])), Some(EventId(130)));
        assert_eq!(set(&[5, 130]).first_inside(&set(&[4])), None);
    }

    #[test]
    fn all_leaves_out_null() {
        assert_eq!(EventSet::all(4), set(&[1, 2, 3]));
    }
}
