//! States that are looked up together, so that the memory can be asked for all of them at once.

/// Some states, each with its fingerprint and its words. The buffers are kept when it is cleared.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    fingerprints: Vec<u128>,
    words: Vec<u32>,
    // Invariant: as long as `fingerprints`, ascending; where the words of each state end.
    ends: Vec<usize>,
}

impl Batch {
    /// A batch without states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes out all states.
    pub fn clear(&mut self) {
        self.fingerprints.clear();
        self.words.clear();
        self.ends.clear();
    }

    /// Adds a state. Exact sets use the words, all others the fingerprint.
    pub fn push(&mut self, fingerprint: u128, words: &[u32]) {
        self.fingerprints.push(fingerprint);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// The fingerprint of a state.
    pub fn fingerprint(&self, index: usize) -> u128 {
        self.fingerprints[index]
    }

    /// The words of a state.
    pub fn words(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.words[start..self.ends[index]]
    }
}
