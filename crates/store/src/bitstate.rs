//! A set with a few bits for each state in a table of bits that never grows (bitstate hashing).
//!
//! Holzmann, "An Analysis of Bitstate Hashing", Formal Methods in System Design 1998. [H98]
//!
//! A state chooses a word of the table and `k` bits of it; it is known if all of them are set. Differences from the paper:
//! the bits lie in one word instead of anywhere, so that a state costs one cache miss and one atomic operation, and
//! exactly one thread sets the last of them. That makes words unevenly full; the bound below takes it into account.
//!
//! Guarantees: a fixed number of bytes, however many states there are. Does not guarantee that states are not missed: a state
//! finds its `k` bits set by others with the probability `p`, the mean of `fill^k` over all words, where `fill` is the part
//! of a word's bits that are set. As words only become fuller, of `n` visited states and `m` missed ones at most
//! `(n + m) p` are missed on average, that is, `m <= n p / (1 - p)`; this also bounds the probability that any is.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Kind, Reader, Writer};
use crate::pages::Pages;
use crate::table::mix;
use crate::{Batch, VisitedSet};

/// Six bits of a fingerprint's upper half choose a bit.
const MOST_BITS: u32 = 10;
const AHEAD: usize = 24;

/// The set.
#[derive(Debug)]
pub struct Bitstate {
    words: Pages,
    bits_per_state: u32,
    len: AtomicU64,
}

impl Bitstate {
    /// An empty set of at most so many bytes (and at least 64), with 1 to 10 bits for each state; 3 is usual. `None`: the
    /// system refuses the memory.
    pub fn new(bytes: usize, bits_per_state: u32) -> Option<Self> {
        let words = Pages::zeroed(Pages::length_within(bytes).max(8))?;
        Some(Self { words, bits_per_state: bits_per_state.clamp(1, MOST_BITS), len: AtomicU64::new(0) })
    }

    #[inline]
    fn place(&self, fingerprint: u128) -> usize {
        ((u128::from(mix(fingerprint as u64)) * self.words.len() as u128) >> 64) as usize
    }

    #[inline]
    fn bits(&self, fingerprint: u128) -> u64 {
        let upper = (fingerprint >> 64) as u64;
        (0..self.bits_per_state).fold(0, |bits, number| bits | 1 << (upper >> (6 * number) & 63))
    }

    /// Looks at each state, while the memory of the next ones is on its way.
    fn for_each(&self, states: &Batch, mut visit: impl FnMut(&AtomicU64, u64)) {
        for index in 0..states.len() + AHEAD {
            if index < states.len() {
                self.words.prefetch(self.place(states.fingerprint(index)));
            }
            if let Some(index) = index.checked_sub(AHEAD) {
                let fingerprint = states.fingerprint(index);
                visit(&self.words[self.place(fingerprint)], self.bits(fingerprint));
            }
        }
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        let [words, bits_per_state, len] = from.expect(Kind::Bitstate)?;
        let bits_per_state = u32::try_from(bits_per_state).unwrap_or(0);
        from.require((1..=MOST_BITS).contains(&bits_per_state))?;
        let count = usize::try_from(words).unwrap_or(usize::MAX);
        let words = Pages::zeroed(count).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // Places depend on the number of words: a table that is rounded in another way here cannot be used.
        from.require(count > 0 && words.len() == count)?;
        from.cells(&words)?;
        from.finish()?;
        Ok(Self { words, bits_per_state, len: AtomicU64::new(len) })
    }
}

impl VisitedSet for Bitstate {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        is_new.clear();
        let mut added = 0;
        self.for_each(states, |word, bits| {
            let is_set = |word: u64| word & bits == bits;
            // Most states are known, and reading is cheaper than writing.
            let new =
                !is_set(word.load(Ordering::Relaxed)) && !is_set(word.fetch_or(bits, Ordering::Relaxed));
            added += u64::from(new);
            is_new.push(new);
        });
        self.len.fetch_add(added, Ordering::Relaxed);
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        self.for_each(states, |word, bits| is_known.push(word.load(Ordering::Relaxed) & bits == bits));
    }

    /// How many states were told to be new.
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
    }

    /// Which part of the bits is set. Reads the whole table.
    fn load(&self) -> f64 {
        let bits: u64 =
            self.words.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum();
        bits as f64 / (self.words.len() as f64 * 64.0)
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn merges(&self) -> bool {
        true
    }

    /// Reads the whole table: for each gigabyte about a tenth of a second.
    fn omission(&self) -> f64 {
        let mut words_with = [0u64; 65];
        self.words
            .iter()
            .for_each(|word| words_with[word.load(Ordering::Relaxed).count_ones() as usize] += 1);
        let meeting = |bits: usize| (bits as f64 / 64.0).powi(self.bits_per_state as i32);
        let sum: f64 = words_with.iter().enumerate().map(|(bits, &words)| words as f64 * meeting(bits)).sum();
        let meets_others = sum / self.words.len() as f64;
        (self.len() as f64 * meets_others / (1.0 - meets_others)).min(1.0)
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let parameters = [self.words.len() as u64, u64::from(self.bits_per_state), self.len()];
        let mut to = Writer::new(to, Kind::Bitstate, &parameters)?;
        to.cells(&self.words)?;
        to.finish()
    }
}
