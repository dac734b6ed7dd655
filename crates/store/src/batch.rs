//! States that are looked up together, so that the memory can be asked for all of them at once.
//!
//! Where a step leads differs from where it comes from in a few words only. So a batch holds states as *edits* of *bases*: a
//! base is words that are written once for all states after it which are made from them. Sets that are not exact need
//! fingerprints only.

/// Some states. The buffers are kept when it is cleared.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    states: Vec<State>,
    /// The words of all bases, and where those of each end.
    words: Vec<u32>,
    ends: Vec<u32>,
    edits: Vec<Edit>,
    /// The base of the next edited state, counted from 1.
    base: u32,
}

#[derive(Clone, Copy, Debug)]
struct State {
    fingerprint: u128,
    /// Its base, counted from 1; 0 if it has none.
    base: u32,
    /// Where its edits end; those of the state before end where they begin.
    edits: u32,
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
        self.states.clear();
        self.words.clear();
        self.ends.clear();
        self.edits.clear();
    }

    /// Adds a state. Exact sets use the words, all others the fingerprint.
    pub fn push(&mut self, fingerprint: u128, words: &[u32]) {
        let base = self.push_words(words);
        self.states.push(State { fingerprint, base, edits: self.edits.len() as u32 });
    }

    /// Adds a state for a set that needs no words.
    #[inline]
    pub fn push_fingerprint(&mut self, fingerprint: u128) {
        let edits = self.edits.len() as u32;
        self.states.push(State { fingerprint, base: 0, edits });
    }

    /// Words from which the next edited states are made.
    #[inline]
    pub fn push_base(&mut self, words: &[u32]) {
        self.base = self.push_words(words);
    }

    fn push_words(&mut self, words: &[u32]) -> u32 {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        self.ends.len() as u32
    }

    /// Adds a state that has others instead of some words of the last base. None is given twice.
    #[inline]
    pub fn push_edited(&mut self, fingerprint: u128, edits: impl IntoIterator<Item = (u32, u32)>) {
        self.edits.extend(edits);
        self.states.push(State { fingerprint, base: self.base, edits: self.edits.len() as u32 });
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The fingerprint of a state.
    #[inline]
    pub fn fingerprint(&self, index: usize) -> u128 {
        self.states[index].fingerprint
    }

    /// Which base a state has.
    #[inline]
    pub(crate) fn base(&self, index: usize) -> u32 {
        self.states[index].base
    }

    #[inline]
    pub(crate) fn words_of_base(&self, base: u32) -> &[u32] {
        let Some(at) = (base as usize).checked_sub(1) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start as usize..self.ends[at] as usize]
    }

    /// What a state has instead of words of its base.
    #[inline]
    pub(crate) fn edits(&self, index: usize) -> &[Edit] {
        let start = if index == 0 { 0 } else { self.states[index - 1].edits };
        &self.edits[start as usize..self.states[index].edits as usize]
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
