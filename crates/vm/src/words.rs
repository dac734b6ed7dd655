//! A short vector of words that is copied without asking for memory.

use std::ops::{Deref, DerefMut};

/// Up to this length no memory of its own is needed. A whole state then takes 128 bytes.
const INLINE: usize = 24;

#[derive(Clone, Debug)]
pub(crate) enum Words {
    /// What is behind the length is 0.
    Inline {
        length: u32,
        words: [u32; INLINE],
    },
    Boxed(Box<[u32]>),
}

impl Words {
    pub(crate) fn insert(&mut self, at: usize, word: u32) {
        match self {
            Self::Inline { length, words } if (*length as usize) < INLINE => {
                words.copy_within(at..*length as usize, at + 1);
                words[at] = word;
                *length += 1;
            }
            longer => {
                let (before, after) = longer.split_at(at);
                *longer = before.iter().copied().chain([word]).chain(after.iter().copied()).collect();
            }
        }
    }
}

impl From<&[u32]> for Words {
    fn from(given: &[u32]) -> Self {
        let mut words = [0; INLINE];
        match words.get_mut(..given.len()) {
            Some(place) => {
                place.copy_from_slice(given);
                Self::Inline { length: given.len() as u32, words }
            }
            None => Self::Boxed(given.into()),
        }
    }
}

impl FromIterator<u32> for Words {
    fn from_iter<I: IntoIterator<Item = u32>>(iterator: I) -> Self {
        let (mut length, mut words) = (0, [0; INLINE]);
        let mut rest = iterator.into_iter();
        while let Some(word) = rest.next() {
            if length == INLINE {
                return Self::Boxed(words.into_iter().chain([word]).chain(rest).collect());
            }
            words[length] = word;
            length += 1;
        }
        Self::Inline { length: length as u32, words }
    }
}

impl Deref for Words {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::Inline { length, words } => &words[..*length as usize],
            Self::Boxed(words) => words,
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u32] {
        match self {
            Self::Inline { length, words } => &mut words[..*length as usize],
            Self::Boxed(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_of_any_length_behave_like_a_vector() {
        for length in 0..60 {
            let plain: Vec<u32> = (0..length).collect();
            let words: Words = plain.iter().copied().collect();
            assert_eq!(*words, *plain);
            for at in 0..=plain.len() {
                let (mut longer, mut expected) = (words.clone(), plain.clone());
                longer.insert(at, 1000);
                expected.insert(at, 1000);
                assert_eq!(*longer, *expected, "{length} words, one more at {at}");
            }
        }
    }

    #[test]
    fn a_state_takes_two_cache_lines() {
        assert_eq!(size_of::<crate::State>(), 128);
    }
}
