//! Exact sets that know states by short keys, and give back their words.
//!
//! A search that goes on with a state much later keeps its key instead. A state gets one before it is known whether it is to be
//! in the set: what is *kept* and what is *in the set* are two things.

use crate::exact::TreeReader;
use crate::whole::VectorReader;
use crate::{Batch, Exact, VisitedSet, Whole};

/// What a state is known by in one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// In this order a copy of its first eight bytes is one of the bits, which are what is read next.
#[repr(C, packed(4))]
pub struct Key {
    bits: u64,
    /// The length of the state's vector, if that and the bits make the key.
    width: u32,
}

impl Key {
    /// Of a state that the set has refused, or that has not been looked up.
    pub const NONE: Key = Key { bits: 0, width: u32::MAX };

    /// Most of it; equal keys have equal ones. The upper half is as good as random.
    #[inline]
    pub fn bits(self) -> u64 {
        self.bits
    }

    #[inline]
    pub(crate) fn width(self) -> u32 {
        self.width
    }

    /// All of it, as numbers.
    #[inline]
    pub fn parts(self) -> (u64, u32) {
        (self.bits, self.width)
    }

    /// The key that these are the parts of.
    #[inline]
    pub fn of_parts(bits: u64, width: u32) -> Self {
        Self { bits, width }
    }
}

/// The set.
#[derive(Debug)]
pub enum Keyed {
    /// For states whose parts repeat.
    Trees(Box<Exact>),
    /// For others.
    Vectors(Box<Whole>),
}

impl Keyed {
    /// An empty set, for states whose parts repeat or for others.
    pub fn new(parts_repeat: bool) -> Self {
        if parts_repeat { Self::Trees(Box::default()) } else { Self::Vectors(Box::default()) }
    }

    /// The same set, still empty, which gives back the words of a state for its key.
    #[must_use]
    pub fn readable(self) -> Self {
        match self {
            Self::Trees(set) => Self::Trees(Box::new(set.readable())),
            Self::Vectors(set) => Self::Vectors(set),
        }
    }

    /// Adds a state to a batch for this set: the words that it adds itself. The memory that will be looked at is asked for, where
    /// that is easily said.
    #[inline]
    pub fn expect_words(&self, add_words: &mut dyn FnMut(&mut Vec<u32>), batch: &mut Batch) {
        match self {
            Self::Trees(set) => set.expect_words(add_words, batch),
            Self::Vectors(set) => set.expect_words(add_words, batch),
        }
    }

    /// The keys of states, which need not be in the set. Their words are kept from now on.
    pub fn keys(&self, states: &Batch, keys: &mut Vec<Key>) {
        match self {
            Self::Trees(set) => set.keys(states, keys),
            Self::Vectors(set) => set.keys(states, keys),
        }
    }

    /// The same, and whether the states are in the set.
    pub fn probe(&self, states: &Batch, keys: &mut Vec<Key>, is_known: &mut Vec<bool>) {
        match self {
            Self::Trees(set) => set.probe(states, keys, is_known),
            Self::Vectors(set) => {
                set.keys(states, keys);
                is_known.clear();
                set.are_marked(keys, is_known);
            }
        }
    }

    /// Adds states whose keys were asked for. `is_new[i]`: it was not there. Otherwise as [`VisitedSet::insert`].
    pub fn insert_keys(&self, keys: &[Key], is_new: &mut Vec<bool>) {
        match self {
            Self::Trees(set) => set.insert_keys(keys, is_new),
            Self::Vectors(set) => {
                is_new.clear();
                set.mark(keys, is_new);
            }
        }
    }

    /// Whether each state is in the set. Their keys were asked for.
    pub fn contains_keys(&self, keys: &[Key], is_known: &mut Vec<bool>) {
        match self {
            Self::Trees(set) => set.contains_keys(keys, is_known),
            Self::Vectors(set) => {
                is_known.clear();
                set.are_marked(keys, is_known);
            }
        }
    }

    /// The words of states by their keys; only a readable set can tell them. Keys are those that this thread has asked for, or
    /// others that it has waited for since.
    pub fn reader(&self) -> KeyReader<'_> {
        KeyReader(match self {
            Self::Trees(set) => Reader::Trees(set.reader()),
            Self::Vectors(set) => Reader::Vectors(set.reader()),
        })
    }

    /// How many bytes more it takes at once when it grows, as [`VisitedSet::growth_ahead`].
    pub fn growth_ahead(&self) -> usize {
        match self {
            Self::Trees(set) => set.growth_ahead(),
            Self::Vectors(set) => set.growth_ahead(),
        }
    }

    /// Whether states were refused, as [`VisitedSet::is_full`].
    pub fn is_full(&self) -> bool {
        match self {
            Self::Trees(set) => set.is_full(),
            Self::Vectors(set) => set.is_full(),
        }
    }
}

/// Gives the words of states back. While there is one, others may have to wait with new words; so its owner must not add any.
#[derive(Debug)]
pub struct KeyReader<'a>(Reader<'a>);

#[derive(Debug)]
enum Reader<'a> {
    Trees(TreeReader<'a>),
    Vectors(VectorReader<'a>),
}

impl KeyReader<'_> {
    /// Asks for the memory in which the words of a state are, or what leads to them.
    #[inline]
    pub fn expect(&self, key: Key) {
        match &self.0 {
            Reader::Trees(reader) => reader.expect(key),
            Reader::Vectors(reader) => reader.expect(key),
        }
    }

    /// The words of a state that has this key; `None` if it has none, or if the set is not readable.
    pub fn words(&mut self, key: Key, words: &mut Vec<u32>) -> Option<()> {
        match &mut self.0 {
            Reader::Trees(reader) => reader.words(key, words),
            Reader::Vectors(reader) => reader.words(key, words),
        }
    }
}
