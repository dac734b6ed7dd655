//! States that are looked up together, so that the memory can be asked for all of them at once.
//!
//! Where a step leads differs from where it comes from in a few words only. So a batch holds states as *edits* of *bases*: a
//! base is words that are written once for all states after it which are made from them. Sets that are not exact need
//! fingerprints only, and one that keeps vectors as they are needs no more than these and their keys.
//!
//! Invariant: as long as there are vectors, there is nothing else; whoever adds anything else spells them out.

use std::ops::Range;

use crate::Key;

/// Some states. The buffers are kept when it is cleared.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    fingerprints: Vec<u128>,
    /// By which a set that was asked to expect them knows the states, if it needs nothing else; then there is nothing else.
    keys: Vec<u64>,
    /// How states are made; as many as there are fingerprints, unless sets need nothing else.
    states: Vec<State>,
    /// The words of all bases, where those of each end, and its key, if that is known.
    words: Vec<u32>,
    ends: Vec<u32>,
    known: Vec<Key>,
    edits: Vec<Edit>,
    /// Whole states of which nothing else is known, for a set that was asked to expect them.
    vectors: Vec<Vector>,
    /// The base of the next edited state, counted from 1.
    base: u32,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Its base, counted from 1; 0 if it has none.
    base: u32,
    /// Where its edits end; those of the state before end where they begin.
    edits: u32,
}

/// A state that is a vector of words: where these end, and by which key its set knows it. Those of the first begin with the
/// words of all bases, those of any other where the one before ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector {
    pub(crate) key: u64,
    pub(crate) end: u32,
}

/// A word of the base, and what the state has instead.
pub(crate) type Edit = (u32, u32);

impl Batch {
    /// A batch without states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes out all states.
    pub fn clear(&mut self) {
        self.fingerprints.clear();
        self.keys.clear();
        self.states.clear();
        self.words.clear();
        self.ends.clear();
        self.known.clear();
        self.edits.clear();
        self.vectors.clear();
    }

    /// Adds a state. Exact sets use the words, all others the fingerprint.
    pub fn push(&mut self, fingerprint: u128, words: &[u32]) {
        self.push_with(fingerprint, |all| all.extend_from_slice(words));
    }

    /// The same for a state that adds its words itself.
    #[inline]
    pub fn push_with(&mut self, fingerprint: u128, add_words: impl FnOnce(&mut Vec<u32>)) {
        self.spell_out();
        add_words(&mut self.words);
        let base = self.end_base(Key::NONE);
        self.fingerprints.push(fingerprint);
        self.states.push(State { base, edits: self.edits.len() as u32 });
    }

    /// Adds states by nothing but the keys by which a set knows them; gives these keys.
    #[inline]
    pub(crate) fn push_keys(&mut self, keys: impl Iterator<Item = u64>) -> &[u64] {
        let from = self.keys.len();
        self.keys.extend(keys);
        &self.keys[from..]
    }

    /// Adds states by their fingerprints alone, for a set that knows them by these.
    #[inline]
    pub(crate) fn push_fingerprints(&mut self, fingerprints: &[u128]) {
        self.fingerprints.extend_from_slice(fingerprints);
    }

    /// Adds a state that adds its words itself, and by nothing but these and the key that its set makes of them; gives this key.
    /// `None`, and nothing is added: there are states of another kind.
    #[inline]
    pub(crate) fn push_vector(
        &mut self,
        add_words: &mut dyn FnMut(&mut Vec<u32>),
        key_of: impl FnOnce(&[u32]) -> u64,
    ) -> Option<u64> {
        if !self.fingerprints.is_empty() || !self.ends.is_empty() {
            return None;
        }
        let start = self.words.len();
        add_words(&mut self.words);
        let key = key_of(&self.words[start..]);
        self.vectors.push(Vector { key, end: self.words.len() as u32 });
        Some(key)
    }

    /// Makes vectors states as any other.
    #[inline]
    fn spell_out(&mut self) {
        if !self.vectors.is_empty() {
            self.spell_out_some();
        }
    }

    #[cold]
    fn spell_out_some(&mut self) {
        for Vector { end, .. } in self.vectors.drain(..) {
            self.ends.push(end);
            self.known.push(Key::NONE);
            self.fingerprints.push(0);
            self.states.push(State { base: self.ends.len() as u32, edits: 0 });
        }
    }

    /// Words from which the next edited states are made.
    #[inline]
    pub fn push_base(&mut self, words: &[u32]) {
        self.push_known_base(words, Key::NONE);
    }

    /// The same, if the exact set that the batch is for has given this key for the words.
    #[inline]
    pub fn push_known_base(&mut self, words: &[u32], key: Key) {
        self.spell_out();
        self.words.extend_from_slice(words);
        self.base = self.end_base(key);
    }

    /// Makes the words since the last base into one; gives its number.
    #[inline]
    fn end_base(&mut self, key: Key) -> u32 {
        self.ends.push(self.words.len() as u32);
        self.known.push(key);
        self.ends.len() as u32
    }

    /// Adds a state that has others instead of some words of the last base. None is given twice.
    #[inline]
    pub fn push_edited(&mut self, fingerprint: u128, edits: &[(u32, u32)]) {
        self.spell_out();
        self.edits.extend_from_slice(edits);
        self.fingerprints.push(fingerprint);
        self.states.push(State { base: self.base, edits: self.edits.len() as u32 });
    }

    /// The same for several states: all their edits, and where those of each end, where `from` is the beginning of the first
    /// ones.
    #[inline]
    pub fn push_all_edited(
        &mut self,
        fingerprints: &[u128],
        (edits, from, ends): (&[(u32, u32)], u32, &[u32]),
    ) {
        self.spell_out();
        let offset = (self.edits.len() as u32).wrapping_sub(from);
        self.edits.extend_from_slice(edits);
        self.fingerprints.extend_from_slice(fingerprints);
        let base = self.base;
        self.states.extend(ends.iter().map(|end| State { base, edits: end.wrapping_add(offset) }));
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.fingerprints.len() + self.keys.len() + self.vectors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fingerprint of a state.
    #[inline]
    pub fn fingerprint(&self, index: usize) -> u128 {
        self.fingerprints[index]
    }

    /// The keys of all states, if the set was asked to expect them and needs nothing else.
    pub(crate) fn keys(&self) -> Option<&[u64]> {
        (!self.keys.is_empty()).then_some(&self.keys)
    }

    /// All states as vectors, if the set was asked to expect them.
    #[inline]
    pub(crate) fn vectors(&self) -> Option<&[Vector]> {
        (!self.vectors.is_empty()).then_some(&self.vectors)
    }

    /// Which base a state has.
    #[inline]
    pub(crate) fn base(&self, index: usize) -> u32 {
        self.states[index].base
    }

    #[inline]
    pub(crate) fn words_of_base(&self, base: u32) -> &[u32] {
        &self.words[self.range_of_base(base)]
    }

    /// Where the words of a base are among those of all.
    #[inline]
    pub(crate) fn range_of_base(&self, base: u32) -> Range<usize> {
        let Some(at) = (base as usize).checked_sub(1) else { return 0..0 };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start as usize..self.ends[at] as usize
    }

    /// The words of a base, and of all that were added after it.
    #[inline]
    pub(crate) fn words_from(&self, base: u32) -> &[u32] {
        let start = if base < 2 { 0 } else { self.ends[base as usize - 2] };
        &self.words[start as usize..]
    }

    /// The key of a base, if it is known.
    #[inline]
    pub(crate) fn key_of_base(&self, base: u32) -> Key {
        (base as usize).checked_sub(1).map_or(Key::NONE, |at| self.known[at])
    }

    /// What a state has instead of words of its base.
    #[inline]
    pub fn edits(&self, index: usize) -> &[Edit] {
        let start = if index == 0 { 0 } else { self.states[index - 1].edits };
        &self.edits[start as usize..self.states[index].edits as usize]
    }

    /// Writes the words of a state down.
    pub fn write_words(&self, index: usize, into: &mut Vec<u32>) {
        into.clear();
        self.add_words(index, into);
    }

    /// Adds the words of a state to others.
    pub(crate) fn add_words(&self, index: usize, to: &mut Vec<u32>) {
        let start = to.len();
        to.extend_from_slice(self.words_of_base(self.base(index)));
        self.edits(index).iter().for_each(|&(at, word)| to[start + at as usize] = word);
    }

    /// The words of all bases.
    pub(crate) fn words_of_bases(&self) -> &[u32] {
        &self.words
    }

    /// Whether all states have as many words as the first.
    pub(crate) fn is_even(&self) -> bool {
        let length = self.ends.first().copied().unwrap_or(0);
        self.ends.windows(2).all(|ends| ends[1] - ends[0] == length)
    }

    /// How many words a state has.
    pub(crate) fn width(&self, index: usize) -> usize {
        self.words_of_base(self.base(index)).len()
    }
}
