//! Numbers for pairs of 32-bit numbers: the inner nodes of the trees in which exact sets keep vectors.
//!
//! Each pair gets a number of its own the first time it is asked for. A thread claims the cell of a pair and then
//! publishes the number in it; others that meet the pair in between wait for these few instructions.
//!
//! When the numbers have run out, further pairs have none (`MISSING`), and `is_exhausted` says so.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{Growing, Visit};
use crate::table::{Layout, Line, Place, mix};

/// Stands for a pair that has no number; greater than all numbers.
pub(crate) const MISSING: u64 = 1 << 32;
/// The number of the pair whose key would be 0.
const NUMBER_OF_LAST: u64 = 1;
const FIRST_NUMBER: u64 = 2;
/// In a cell: the pair came when there were no numbers any more.
const REFUSED: u64 = u32::MAX as u64;

/// Lines of five keys and, in the three words behind them, their numbers, two in a word. 0: about to be written.
#[derive(Debug)]
struct Numbered;

impl Numbered {
    #[inline]
    fn word_and_shift(cell: usize) -> (usize, u32) {
        (Self::CELLS + cell / 2, (cell % 2) as u32 * 32)
    }

    /// The number of a cell. The thread that has claimed it writes it at once.
    #[inline]
    fn wait_for(line: &Line, cell: usize) -> u64 {
        let (word, shift) = Self::word_and_shift(cell);
        loop {
            let number = line[word].load(Ordering::Relaxed) >> shift & u64::from(u32::MAX);
            if number != 0 {
                return number;
            }
            std::hint::spin_loop();
        }
    }
}

impl Layout for Numbered {
    const CELLS: usize = 5;
    type Beside = u64;

    fn take(line: &Line, cell: usize) -> u64 {
        let (word, shift) = Self::word_and_shift(cell);
        line[word].load(Ordering::Relaxed) >> shift & u64::from(u32::MAX)
    }

    /// Also while other threads write the neighbour's number.
    fn put(line: &Line, cell: usize, number: u64) {
        let (word, shift) = Self::word_and_shift(cell);
        line[word].fetch_or(number << shift, Ordering::Relaxed);
    }

    fn is_sound(line: &Line, cell: usize) -> bool {
        Self::take(line, cell) >= FIRST_NUMBER
    }
}

/// A pair whose number is asked for: places in an array of numbers, and the place for the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) into: u32,
}

/// The pairs with their numbers.
#[derive(Debug)]
pub(crate) struct Pairs {
    growing: Growing<Numbered>,
    next_number: AtomicU64,
    /// No number is as large as this.
    end: u64,
}

impl Pairs {
    /// No pairs, and numbers for so many.
    pub(crate) fn new(most: u32) -> Self {
        let end = (FIRST_NUMBER + u64::from(most)).min(REFUSED);
        Self { growing: Growing::new(usize::MAX), next_number: AtomicU64::new(FIRST_NUMBER), end }
    }

    /// Numbers pairs, none of which uses the answer of another one.
    pub(crate) fn number(&self, items: &[Item], values: &mut [u64]) {
        let values = Cell::from_mut(values).as_slice_of_cells();
        let key = |index: usize| key_of(items[index], values);
        let done = self.growing.insert(items.len(), key, |table, index, key| {
            let (number, visit) = match number_without_table(items[index], key, values) {
                Some(number) => (number, Visit::Known),
                None if self.is_exhausted() => {
                    (number_at(&table.probe::<false>(key, |_, _| true)), Visit::Known)
                }
                None => match table.probe::<true>(key, |_, _| true) {
                    Place::Claimed(line, cell) => (self.publish(line, cell), Visit::Added),
                    Place::Full | Place::Absent => return Visit::NoPlace,
                    found @ Place::Found(..) => (number_at(&found), Visit::Known),
                },
            };
            values[items[index].into as usize].set(number);
            visit
        });
        items[done..].iter().for_each(|item| values[item.into as usize].set(MISSING));
    }

    /// Gives the numbers of pairs, none of which uses the answer of another one, as far as they have any.
    pub(crate) fn find(&self, items: &[Item], values: &mut [u64]) {
        let values = Cell::from_mut(values).as_slice_of_cells();
        let key = |index: usize| key_of(items[index], values);
        self.growing.look(items.len(), key, |table, index, key| {
            let number = number_without_table(items[index], key, values)
                .unwrap_or_else(|| number_at(&table.probe::<false>(key, |_, _| true)));
            values[items[index].into as usize].set(number);
        });
    }

    /// Gives a claimed cell its number.
    #[cold]
    fn publish(&self, line: &Line, cell: usize) -> u64 {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        if number >= self.end {
            Numbered::put(line, cell, REFUSED);
            return MISSING;
        }
        Numbered::put(line, cell, number);
        number
    }

    /// Whether pairs were refused, because there are no more numbers or no more memory.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.next_number.load(Ordering::Relaxed) > self.end || self.growing.cannot_grow()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.growing.bytes()
    }

    pub(crate) fn bytes_after_growth(&self) -> usize {
        self.growing.bytes_after_growth()
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn parameters(&self) -> [u64; 5] {
        let [lines, tail, len] = self.growing.parameters();
        [lines, tail, len, self.next_number.load(Ordering::Relaxed), self.end]
    }

    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.growing.write_to(to)
    }

    pub(crate) fn read_from(
        [lines, tail, len, next, end]: [u64; 5],
        from: &mut Reader<'_>,
    ) -> io::Result<Self> {
        from.require(next == FIRST_NUMBER + len && (FIRST_NUMBER..=REFUSED).contains(&end))?;
        let growing = Growing::read_from([lines, tail, len], usize::MAX, from)?;
        Ok(Self { growing, next_number: AtomicU64::new(next), end })
    }
}

/// The key of a pair: a bijection, so that the table holds the pair itself. Only the last pair has key 0.
#[inline]
fn key_of(item: Item, values: &[Cell<u64>]) -> u64 {
    let (left, right) = (values[item.left as usize].get(), values[item.right as usize].get());
    mix(!(left << 32 | right))
}

/// The number of a pair that is not in the table: a half of it has none, or it is the last one.
#[inline]
fn number_without_table(item: Item, key: u64, values: &[Cell<u64>]) -> Option<u64> {
    if values[item.left as usize].get().max(values[item.right as usize].get()) >= MISSING {
        return Some(MISSING);
    }
    (key == 0).then_some(NUMBER_OF_LAST)
}

/// The number in this place.
#[inline]
fn number_at(place: &Place<'_>) -> u64 {
    match place {
        Place::Found(line, cell) => match Numbered::wait_for(line, *cell) {
            REFUSED => MISSING,
            number => number,
        },
        _ => MISSING,
    }
}
