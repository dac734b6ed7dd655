//! The words of a member once they have been made; most are few and need no memory of their own.
//!
//! Invariant: `length` is 0 as long as the words are not known, and is written after them. Threads that make them at the
//! same time write the same ones.

use crate::encode::with_buffer;
use crate::places::OnceBox;
use std::sync::atomic::{AtomicU32, Ordering};

/// The words, if they are known.
#[derive(Debug, Default)]
pub(super) struct Words {
    length: AtomicU32,
    few: [AtomicU32; FEW],
    /// Those that are not few.
    many: OnceBox<Box<[u32]>>,
}

/// As many as small machines need, with a message or two.
const FEW: usize = 11;

impl Words {
    /// Adds them to others; whether they are known.
    #[inline]
    pub(super) fn add_to(&self, words: &mut Vec<u32>) -> bool {
        let length = self.length.load(Ordering::Acquire) as usize;
        match self.few.get(..length) {
            Some(few) => words.extend(few.iter().map(|word| word.load(Ordering::Relaxed))),
            None => words.extend_from_slice(self.many.get().map_or(&[], |many| many)),
        }
        length > 0
    }

    /// Makes them of bytes, of which there are some, with zeros up to a whole word; adds them to others too.
    pub(super) fn set(&self, make: impl FnOnce(&mut Vec<u8>), words: &mut Vec<u32>) {
        let start = words.len();
        with_buffer(|bytes| {
            make(bytes);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
        });
        let new = &words[start..];
        match self.few.get(..new.len()) {
            Some(few) => few.iter().zip(new).for_each(|(word, new)| word.store(*new, Ordering::Relaxed)),
            None => _ = self.many.get_or_init(|| new.into()),
        }
        self.length.store(new.len() as u32, Ordering::Release);
    }

    /// Forgets them.
    pub(super) fn reset(&mut self) {
        *self.length.get_mut() = 0;
        if self.many.get().is_some() {
            self.many = OnceBox::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Words};

    #[test]
    fn words_of_any_number_are_those_that_were_made() {
        let mut words = Words::default();
        for length in (1..FEW * 5).chain(1..9) {
            let bytes: Vec<u8> = (0..length).map(|number| number as u8 + 1).collect();
            let (mut made, mut known) = (vec![7], vec![7]);
            assert!(!words.add_to(&mut known));
            words.set(|to| to.extend_from_slice(&bytes), &mut made);
            assert!(words.add_to(&mut known));
            assert_eq!((made.len(), &made), (1 + length.div_ceil(4), &known));
            words.reset();
        }
    }
}
