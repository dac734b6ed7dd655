//! A set of registers, as bits.

use super::Register;

/// A set of the registers of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSet {
    words: Vec<u64>,
}

impl RegisterSet {
    /// The empty set of registers below `count`.
    pub fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)] }
    }

    /// Whether the register was not in the set before.
    pub fn insert(&mut self, register: Register) -> bool {
        let (word, bit) = (register.index() / 64, 1 << (register.index() % 64));
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub fn remove(&mut self, register: Register) {
        self.words[register.index() / 64] &= !(1 << (register.index() % 64));
    }

    /// Adds the other set's registers; whether there were new ones.
    pub fn extend(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            grew |= other & !*word != 0;
            *word |= other;
        }
        grew
    }

    pub fn contains(&self, register: Register) -> bool {
        self.words[register.index() / 64] >> (register.index() % 64) & 1 == 1
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// 64 registers each, the first ones first.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The registers in order.
    pub fn iter(&self) -> impl Iterator<Item = Register> {
        self.words.iter().enumerate().flat_map(|(at, word)| ones(*word).map(move |bit| register(at, bit)))
    }
}

fn register(word: usize, bit: u32) -> Register {
    Register(word as u32 * 64 + bit)
}

/// The positions of the ones in a word, lowest first.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        // Clears the lowest one; of no effect when there is none left.
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
