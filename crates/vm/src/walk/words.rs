//! The words of a member once they have been made; most are few and need no memory of their own.
//!
//! Invariant: `length` is 0 as long as the words are not known, and is written after them. Threads that make them at the
//! same time write the same ones.

use crate::places::OnceBox;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The words, if they are known.
#[derive(Debug, Default)]
pub(super) struct Words {
    length: AtomicU32,
    /// Two words each.
    few: [AtomicU64; FEW / 2],
    /// Those that are not few.
    many: OnceBox<Box<[u32]>>,
}

/// As many as small machines need, with a message or two.
const FEW: usize = 12;

impl Words {
    /// Adds them to others; whether they are known.
    #[inline]
    pub(super) fn add_to(&self, words: &mut Vec<u32>) -> bool {
        let length = self.length.load(Ordering::Acquire) as usize;
        match length {
            0 => return false,
            1..=FEW => {
                let mut few = [0; FEW];
                for (two, pair) in few.as_chunks_mut().0.iter_mut().zip(&self.few) {
                    let pair = pair.load(Ordering::Relaxed);
                    *two = [pair as u32, (pair >> 32) as u32];
                }
                add_few(&few, length, words);
            }
            _ => words.extend_from_slice(self.many.get().map_or(&[], |many| many)),
        }
        true
    }

    /// Takes those that are written, of which there are some; adds them to others too.
    #[inline]
    pub(super) fn set(&self, write: impl FnOnce(&mut Writer), words: &mut Vec<u32>) {
        let mut writer = Writer { few: [0; FEW_BYTES + ROOM], length: 0, before: Vec::new() };
        write(&mut writer);
        let Some(few) = writer.few() else { return self.set_many(writer, words) };
        let pairs = few.as_chunks().0;
        self.few
            .iter()
            .zip(pairs)
            .for_each(|(to, two)| to.store(u64::from_le_bytes(*two), Ordering::Relaxed));
        let length = writer.length.div_ceil(4);
        add_few(&std::array::from_fn(|at| u32::from_le_bytes(few.as_chunks().0[at])), length, words);
        self.length.store(length as u32, Ordering::Release);
    }

    #[inline(never)]
    fn set_many(&self, writer: Writer, words: &mut Vec<u32>) {
        let many = self.many.get_or_init(|| writer.into_words());
        words.extend_from_slice(many);
        self.length.store(many.len() as u32, Ordering::Release);
    }

    /// Forgets them.
    pub(super) fn reset(&mut self) {
        *self.length.get_mut() = 0;
        if self.many.get().is_some() {
            self.many = OnceBox::default();
        }
    }
}

/// Adds the first ones. To copy a fixed number and to drop the rest is faster than to copy just these.
#[inline]
fn add_few(few: &[u32; FEW], length: usize, words: &mut Vec<u32>) {
    let end = words.len() + length;
    words.extend_from_slice(few);
    words.truncate(end);
}

/// Bytes that become words, with zeros up to a whole one.
///
/// Invariant: all of `few` from `length` on are zeros as long as there are none before.
#[derive(Debug)]
pub(super) struct Writer {
    few: [u8; FEW_BYTES + ROOM],
    /// How many of them there are.
    length: usize,
    /// Those that had to make room.
    before: Vec<u8>,
}

const FEW_BYTES: usize = FEW * size_of::<u32>();
/// So many are written at a time.
const ROOM: usize = size_of::<u64>();

impl Writer {
    /// Adds the lowest bytes of a number, the lowest first; the others are zeros.
    #[inline]
    pub(super) fn put(&mut self, bytes: u64, count: usize) {
        let length = self.length;
        match self.few.get_mut(length..).and_then(|rest| rest.first_chunk_mut()) {
            Some(place) => {
                *place = bytes.to_le_bytes();
                self.length = length + count;
            }
            None => self.make_room(bytes, count),
        }
    }

    pub(super) fn put_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.put(u64::from(*byte), 1));
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, bytes: u64, count: usize) {
        self.before.extend_from_slice(&self.few[..self.length]);
        self.few[..ROOM].copy_from_slice(&bytes.to_le_bytes());
        self.length = count;
    }

    /// All bytes and zeros, if they are few.
    #[inline]
    fn few(&self) -> Option<&[u8; FEW_BYTES]> {
        let are_few = self.before.is_empty() && self.length <= FEW_BYTES;
        self.few.first_chunk().filter(|_| are_few)
    }

    fn into_words(self) -> Box<[u32]> {
        let mut bytes = self.before;
        bytes.extend_from_slice(&self.few[..self.length]);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Words};

    #[test]
    fn words_of_any_number_are_those_that_were_made() {
        let mut words = Words::default();
        for (length, at_a_time) in
            (1..FEW * 9).chain(1..9).flat_map(|length| [(length, 1), (length, 5), (length, 8)])
        {
            let bytes: Vec<u8> = (0..length).map(|number| number as u8 + 1).collect();
            let (mut made, mut known) = (vec![7], vec![7]);
            assert!(!words.add_to(&mut known));
            let write = |some: &[u8]| {
                let mut number = [0; 8];
                number[..some.len()].copy_from_slice(some);
                (u64::from_le_bytes(number), some.len())
            };
            words.set(
                |writer| {
                    bytes.chunks(at_a_time).map(write).for_each(|(number, count)| writer.put(number, count))
                },
                &mut made,
            );
            assert!(words.add_to(&mut known));
            assert_eq!((made.len(), &made), (1 + length.div_ceil(4), &known));
            let written: Vec<u8> = made[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
            assert!(written.iter().copied().eq(bytes.into_iter().chain([0; 3]).take(written.len())));
            words.reset();
        }
    }
}
