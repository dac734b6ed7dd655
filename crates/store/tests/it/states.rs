//! Random states, equal in every run, and the sets they are tried on.

use fabius_store::{
    Batch, Bitstate, Bounded, Exact, Fingerprints64, Fingerprints128, Keyed, VisitedSet, WhenFull, Whole,
};

/// SplitMix64.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A vector of words below `alphabet`.
    pub(crate) fn words(&mut self, length: usize, alphabet: u64) -> Vec<u32> {
        (0..length).map(|_| self.below(alphabet) as u32).collect()
    }
}

fn scramble(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A fingerprint as good as any.
pub(crate) fn fingerprint(words: &[u32]) -> u128 {
    let half = |seed: u64| {
        words.iter().fold(seed, |hash, &word| scramble(hash ^ u64::from(word)).wrapping_add(seed))
    };
    u128::from(half(0x3c6e_f372_fe94_f82b)) << 64 | u128::from(half(0x510e_527f_ade6_82d1))
}

pub(crate) fn push(batch: &mut Batch, words: &[u32]) {
    batch.push(fingerprint(words), words);
}

pub(crate) fn batch(vectors: &[Vec<u32>]) -> Batch {
    let mut batch = Batch::new();
    vectors.iter().for_each(|words| push(&mut batch, words));
    batch
}

pub(crate) fn insert(set: &dyn VisitedSet, vectors: &[Vec<u32>]) -> Vec<bool> {
    let mut is_new = vec![true; 3];
    set.insert(&batch(vectors), &mut is_new);
    is_new
}

pub(crate) fn contains(set: &dyn VisitedSet, vectors: &[Vec<u32>]) -> Vec<bool> {
    let mut is_known = vec![true; 3];
    set.contains(&batch(vectors), &mut is_known);
    is_known
}

/// Sets that know every state again. (A large table of ten bits for each of few states misses none in these tests.)
pub(crate) fn faithful_sets() -> Vec<Box<dyn VisitedSet>> {
    vec![
        Box::new(Exact::new()),
        Box::new(Fingerprints64::new()),
        Box::new(Fingerprints128::new()),
        Box::new(Bounded::new(1 << 30, WhenFull::Keep)),
        Box::new(Bounded::new(1 << 30, WhenFull::Replace)),
        Box::new(Bitstate::new(64 << 20, 10).expect("there is memory for a small table")),
        Box::new(Whole::new()),
    ]
}

/// Sets that give back the words of states, for states whose parts repeat and for others.
pub(crate) fn readable_sets() -> [Keyed; 2] {
    [true, false].map(|parts_repeat| Keyed::new(parts_repeat).readable())
}
