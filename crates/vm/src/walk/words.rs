//! The words of a member once they have been made; most are few and need no memory of their own.
//!
//! A message that arrives changes only what is behind the configuration, which comes first: that part is kept.
//!
//! Invariants: `length` is 0 as long as the words are not known, and is written after them. The first `kept` bytes of `few`
//! are those of the configuration, and it is 0 as long as they are not; it is written after them too. Threads that make them
//! at the same time write the same ones.

use crate::places::OnceBox;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The words, if they are known.
#[derive(Debug, Default)]
pub(super) struct Words {
    length: AtomicU32,
    kept: AtomicU32,
    /// Two words each.
    few: [AtomicU64; FEW / 2],
    /// Those that are not few.
    many: OnceBox<Box<[u32]>>,
}

/// As many as small machines need, with a message or two.
const FEW: usize = 12;

impl Words {
    /// Those that were made before; the first so many bytes are those of the configuration.
    pub(super) fn known(known: &[u32], kept: usize) -> Self {
        let mut words = Self { length: AtomicU32::new(known.len() as u32), ..Self::default() };
        if known.len() > FEW {
            words.many.get_or_init(|| known.into());
            return words;
        }
        words.kept = AtomicU32::new(kept as u32);
        let word = |at: usize| u64::from(known.get(at).copied().unwrap_or(0));
        words.few = std::array::from_fn(|at| AtomicU64::new(word(2 * at + 1) << 32 | word(2 * at)));
        words
    }

    /// Adds them to others; whether they are known.
    #[inline]
    pub(super) fn add_to(&self, words: &mut Vec<u32>) -> bool {
        let length = self.length.load(Ordering::Acquire) as usize;
        match length {
            0 => return false,
            1..=FEW => {
                add_few(&self.few.each_ref().map(|two| two.load(Ordering::Relaxed)), length, words);
            }
            _ => words.extend_from_slice(self.many.get().map_or(&[], |many| many)),
        }
        true
    }

    /// Takes those that are written, of which there are some, first those of the configuration, unless these are known, and
    /// then the others; adds them to other words too.
    #[inline]
    pub(super) fn set(
        &self,
        write_first: impl FnOnce(&mut Writer),
        write_others: impl FnOnce(&mut Writer),
        words: &mut Vec<u32>,
    ) {
        let mut writer = Writer { few: [0; FEW_BYTES + ROOM], length: 0, before: Vec::new() };
        let mut kept = self.kept.load(Ordering::Acquire);
        if kept > 0 {
            writer.put_first(&self.few, kept as usize);
        } else {
            write_first(&mut writer);
            kept = writer.few().map_or(0, |_| writer.length as u32);
        }
        write_others(&mut writer);
        writer.put(0, 0);
        let Some(few) = writer.few() else { return self.set_many(writer, words) };
        let few: [u64; FEW / 2] = std::array::from_fn(|at| u64::from_le_bytes(few.as_chunks().0[at]));
        self.few.iter().zip(few).for_each(|(to, two)| to.store(two, Ordering::Relaxed));
        self.kept.store(kept, Ordering::Release);
        let length = writer.length.div_ceil(size_of::<u32>());
        add_few(&few, length, words);
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
        self.reset_others();
        *self.kept.get_mut() = 0;
    }

    /// Forgets all but those of the configuration.
    pub(super) fn reset_others(&mut self) {
        *self.length.get_mut() = 0;
        if self.many.get().is_some() {
            self.many = OnceBox::default();
        }
    }
}

impl Clone for Words {
    /// A copy has those of the configuration.
    fn clone(&self) -> Self {
        let kept = AtomicU32::new(self.kept.load(Ordering::Acquire));
        let few = self.few.each_ref().map(|two| AtomicU64::new(two.load(Ordering::Relaxed)));
        Self { kept, few, ..Self::default() }
    }
}

/// Adds the first ones. To copy a fixed number and to drop the rest is faster than to copy just these.
#[inline]
fn add_few(few: &[u64; FEW / 2], length: usize, words: &mut Vec<u32>) {
    let end = words.len() + length;
    let few: [[u32; 2]; FEW / 2] = few.map(|two| [two as u32, (two >> 32) as u32]);
    words.extend_from_slice(few.as_flattened());
    words.truncate(end);
}

/// Bytes that become words, with zeros up to a whole one.
///
/// Each number is written with zeros behind it, and so is the last one of those that make up the words.
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

    /// Begins with bytes that are known, of which there are so many. What is behind them may be anything.
    #[inline]
    fn put_first(&mut self, known: &[AtomicU64; FEW / 2], count: usize) {
        for (to, two) in self.few.as_chunks_mut().0.iter_mut().zip(known) {
            *to = two.load(Ordering::Relaxed).to_le_bytes();
        }
        self.length = count;
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
    use super::{FEW, Words, Writer};

    /// Writes bytes, so many at a time.
    fn write(bytes: &[u8], at_a_time: usize, writer: &mut Writer) {
        for some in bytes.chunks(at_a_time) {
            let mut number = [0; 8];
            number[..some.len()].copy_from_slice(some);
            writer.put(u64::from_le_bytes(number), some.len());
        }
    }

    fn bytes(length: usize, first: u8) -> Vec<u8> {
        (0..length).map(|number| first.wrapping_add(number as u8).max(1)).collect()
    }

    /// Makes words of bytes, and checks that they are known then, and are these.
    fn check(words: &Words, first: &[u8], others: &[u8], at_a_time: usize) {
        let (mut made, mut known) = (vec![7], vec![7]);
        assert!(!words.add_to(&mut known));
        let write_others = |writer: &mut Writer| write(others, at_a_time, writer);
        words.set(|writer| write(first, at_a_time, writer), write_others, &mut made);
        assert!(words.add_to(&mut known));
        let length = first.len() + others.len();
        assert_eq!((made.len(), &made), (1 + length.div_ceil(4), &known));
        let written: Vec<u8> = made[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = first.iter().chain(others).copied().chain([0; 3]).take(written.len());
        assert!(written.iter().copied().eq(expected));
    }

    #[test]
    fn words_of_any_number_are_those_that_were_made() {
        let mut words = Words::default();
        for length in (1..FEW * 9).chain(1..9) {
            for at_a_time in [1, 5, 8] {
                check(&words, &bytes(length, 1), &[], at_a_time);
                words.reset();
            }
        }
    }

    #[test]
    fn the_first_ones_are_kept_when_the_others_change() {
        for first in (1..FEW * 5).map(|length| bytes(length, 1)) {
            let mut words = Words::default();
            for others in [30, 3, 8, 0, 60, 1, 17].map(|length| bytes(length, 100)) {
                check(&words, &first, &others, 5);
                words.reset_others();
                check(&words.clone(), &first, &others[..others.len() / 2], 5);
            }
        }
    }
}
