//! Numbers for pairs of 32-bit numbers: the inner nodes of the trees in which exact sets keep vectors.
//!
//! Each pair gets a number of its own the first time it is asked for. A thread claims the cell of a pair and then
//! publishes the number in it; others that meet the pair in between wait for these few instructions, or, seldom, until the
//! array of pairs by number has got longer.
//!
//! Pairs can be kept by number as well, for sets that give back what is in them.
//!
//! When the numbers have run out, further pairs have none (`MISSING`), and `is_exhausted` says so.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{Growing, Visit, is_near};
use crate::table::{Layout, Line, Place, Table, mix, unmix};
use fabius_threads::Numbers;

/// Stands for a pair that has no number; greater than all numbers.
pub(crate) const MISSING: u64 = 1 << 32;
/// The number of the pair whose key would be 0.
const NUMBER_OF_LAST: u64 = 1;
const FIRST_NUMBER: u64 = 2;
/// How many numbers a thread gets at a time.
const RUN: u64 = 16;
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
            let number = line[word].load(Ordering::Acquire) >> shift & u64::from(u32::MAX);
            if number != 0 {
                return number;
            }
            std::hint::spin_loop();
        }
    }
}

impl Layout for Numbered {
    const CELLS: usize = 5;
    const LOAD: (u64, u64) = (2, 3);
    type Beside = u64;

    #[inline]
    fn take(line: &Line, cell: usize) -> u64 {
        let (word, shift) = Self::word_and_shift(cell);
        line[word].load(Ordering::Acquire) >> shift & u64::from(u32::MAX)
    }

    /// Also while other threads write the neighbour's number. Who reads it finds the pair by it, too.
    fn put(line: &Line, cell: usize, number: u64) {
        let (word, shift) = Self::word_and_shift(cell);
        line[word].fetch_or(number << shift, Ordering::Release);
    }

    fn is_sound(line: &Line, cell: usize) -> bool {
        Self::take(line, cell) >= FIRST_NUMBER
    }
}

/// A pair whose number is asked for, as its key, and the place for the answer in an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: u64,
    pub(crate) into: u32,
}

/// The pairs with their numbers.
#[derive(Debug)]
pub(crate) struct Pairs {
    growing: Growing<Numbered>,
    numbers: Numbers,
    /// All pairs by number, if they are to be found by it.
    by_number: Option<ByNumber>,
}

impl Pairs {
    /// No pairs, and numbers for so many.
    pub(crate) fn new(most: u32) -> Self {
        let end = (FIRST_NUMBER + u64::from(most)).min(REFUSED);
        let numbers = Numbers::new(FIRST_NUMBER, end, RUN, 0);
        Self { growing: Growing::new(usize::MAX), numbers, by_number: None }
    }

    /// The same, for pairs that can also be found by number.
    pub(crate) fn readable(self) -> Self {
        Self { by_number: Some(ByNumber::default()), ..self }
    }

    /// The pair with a number that was given to it, if pairs can be found by number.
    #[inline]
    pub(crate) fn sides(&self, number: u64) -> Option<(u64, u64)> {
        let sides = !unmix(self.by_number.as_ref()?.get(number)?);
        Some((sides >> 32, sides & u64::from(u32::MAX)))
    }

    /// Numbers pairs. The answer for those that get none is left as it is.
    #[inline(never)]
    pub(crate) fn number(&self, requests: &[Request], answers: &mut [u64]) {
        self.growing.insert(
            requests.len(),
            |index| requests[index].key,
            |table, index, key| {
                let answer = &mut answers[requests[index].into as usize];
                // Nearly all pairs have numbers already, and are in their home line.
                match table.find_at_home(key).map(|(line, cell)| Numbered::take(line, cell)) {
                    Some(number) if number != 0 && number != REFUSED => {
                        *answer = number;
                        Visit::Known
                    }
                    _ => self.number_new(table, key, answer),
                }
            },
        );
    }

    /// Numbers a pair that was not easily found.
    #[inline(never)]
    fn number_new(&self, table: &Table<Numbered>, key: u64, answer: &mut u64) -> Visit {
        if key == 0 {
            *answer = NUMBER_OF_LAST;
            return Visit::Known;
        }
        if self.is_exhausted() {
            *answer = number_at(&table.probe::<false>(key, |_, _| true));
            return Visit::Known;
        }
        match table.probe::<true>(key, |_, _| true) {
            Place::Claimed(line, cell) => {
                *answer = self.publish(line, cell, key);
                Visit::Added
            }
            Place::Full | Place::Absent => Visit::NoPlace,
            found @ Place::Found(..) => {
                *answer = number_at(&found);
                Visit::Known
            }
        }
    }

    /// Gives the numbers of pairs, as far as they have any.
    pub(crate) fn find(&self, requests: &[Request], answers: &mut [u64]) {
        self.growing.look(
            requests.len(),
            |index| requests[index].key,
            |table, index, key| {
                let number = if key == 0 {
                    NUMBER_OF_LAST
                } else {
                    number_at(&table.probe::<false>(key, |_, _| true))
                };
                answers[requests[index].into as usize] = number;
            },
        );
    }

    /// Gives a claimed cell its number.
    fn publish(&self, line: &Line, cell: usize, key: u64) -> u64 {
        let number = self.numbers.give(1);
        if number >= self.numbers.end() {
            Numbered::put(line, cell, REFUSED);
            return MISSING;
        }
        if let Some(by_number) = &self.by_number {
            by_number.put(number, key);
        }
        Numbered::put(line, cell, number);
        number
    }

    /// Whether pairs were refused, because there are no more numbers or no more memory.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.numbers.is_exhausted() || self.growing.cannot_grow()
    }

    pub(crate) fn fill(&self) -> (u64, u64) {
        self.growing.fill()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.growing.bytes() + self.by_number.as_ref().map_or(0, ByNumber::bytes)
    }

    pub(crate) fn growth_ahead(&self) -> usize {
        let next = self.numbers.next();
        let of_numbers = self.by_number.as_ref().map_or(0, |by_number| by_number.growth_ahead(next));
        self.growing.growth_ahead() + of_numbers
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn parameters(&self) -> [u64; 5] {
        let [lines, tail, len] = self.growing.parameters();
        [lines, tail, len, self.numbers.next(), self.numbers.end()]
    }

    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.growing.write_to(to)
    }

    pub(crate) fn read_from(
        [lines, tail, len, next, end]: [u64; 5],
        from: &mut Reader<'_>,
    ) -> io::Result<Self> {
        from.require(next >= FIRST_NUMBER + len && (FIRST_NUMBER..=REFUSED).contains(&end))?;
        let growing = Growing::read_from([lines, tail, len], usize::MAX, from)?;
        Ok(Self { growing, numbers: Numbers::new(next, end, RUN, 0), by_number: None })
    }
}

/// The keys of pairs by number. Piece `k` has room for `FIRST_PIECE << k` of them, so that nothing ever moves.
#[derive(Debug, Default)]
struct ByNumber([OnceLock<Box<[AtomicU64]>>; PIECES]);

const FIRST_PIECE: u64 = 1 << 12;
/// Enough for all numbers.
const PIECES: usize = 21;

impl ByNumber {
    /// The piece of a number, and its place there.
    #[inline]
    fn locate(number: u64) -> (usize, usize) {
        let shifted = number + FIRST_PIECE;
        let piece = shifted.ilog2() - FIRST_PIECE.ilog2();
        (piece as usize, (shifted - (FIRST_PIECE << piece)) as usize)
    }

    fn put(&self, number: u64, key: u64) {
        let (piece, place) = Self::locate(number);
        let fresh = || (0..FIRST_PIECE << piece).map(|_| AtomicU64::new(0)).collect();
        self.0[piece].get_or_init(fresh)[place].store(key, Ordering::Relaxed);
    }

    #[inline]
    fn get(&self, number: u64) -> Option<u64> {
        if number == NUMBER_OF_LAST {
            return Some(0);
        }
        let (piece, place) = Self::locate(number);
        Some(self.0[piece].get()?[place].load(Ordering::Relaxed))
    }

    fn room(&self) -> u64 {
        self.0.iter().flat_map(OnceLock::get).map(|piece| piece.len() as u64).sum()
    }

    fn bytes(&self) -> usize {
        self.room() as usize * size_of::<u64>()
    }

    /// What the next piece will take, if it is near.
    fn growth_ahead(&self, next: u64) -> usize {
        let room = self.room();
        if is_near(next, room) { (room + FIRST_PIECE) as usize * size_of::<u64>() } else { 0 }
    }
}

/// The key of a pair of numbers below 2^32: a bijection, so that the table holds the pair itself. Only the last pair
/// has key 0.
#[inline]
pub(crate) fn key_of(left: u64, right: u64) -> u64 {
    mix(!(left << 32 | right))
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
