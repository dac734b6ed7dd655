//! Numbers for blocks of two to eight words: the lowest nodes of the trees in which exact sets keep vectors.
//!
//! A cell of the table is half a hash of the block and its number; the number says where the words are, in an array beside
//! the table, which are compared. A thread writes the words of a new block under a number of its own and then publishes
//! the cell. If another thread was faster, that number is wasted; a few are.
//!
//! When the numbers or the memory have run out, further blocks have none, and `is_exhausted` says so.
//!
//! Invariant: all numbers in the table are below `numbers.next()`, and their words were written before. The array has place
//! for so many and for `promised` blocks more while any thread adds some: `promise` sees to it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{Growing, Visit, is_near};
use crate::pages::Pages;
use crate::pairs::MISSING;
use crate::table::{Layout, Line, Place, Table};
use fabius_threads::{Numbers, Reading, Shared};

/// The longest block.
pub(crate) const MOST_WORDS: usize = 8;
/// The words of a block, and zeros.
pub(crate) type Content = [u32; MOST_WORDS];
/// How many cells hold the words of a block, two in one.
const STRIDE: usize = MOST_WORDS / 2;
const NUMBER_BITS: u32 = 32;
/// How many numbers a thread gets at a time: those of blocks in some lines.
const RUN: u64 = 16;
/// How many blocks are looked through at a time for those that are new.
const TOGETHER: usize = 64;

/// Lines of eight cells, of which the upper half is a hash and the lower one a number.
#[derive(Debug)]
pub(crate) struct Tagged;

impl Layout for Tagged {
    const CELLS: usize = 8;
    const LOAD: (u64, u64) = (3, 4);
    type Beside = ();

    fn take(_: &Line, _: usize) {}

    fn put(_: &Line, _: usize, (): ()) {}

    fn is_sound(_: &Line, _: usize) -> bool {
        true
    }

    #[inline]
    fn place_of(key: u64) -> u64 {
        key >> NUMBER_BITS << NUMBER_BITS
    }

    #[inline]
    fn is_equal(cell: u64, key: u64) -> bool {
        (cell ^ key) >> NUMBER_BITS == 0
    }
}

/// A block: its words, and what its hash is made from, a sum of the words, each with a factor of its own. So the hash of a
/// block with another word needs only that word. (Multilinear hashing.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) content: Content,
    sum: u64,
}

impl Block {
    #[inline]
    pub(crate) fn new(content: Content) -> Self {
        let products =
            content.iter().zip(FACTORS).map(|(word, factor)| u64::from(*word).wrapping_mul(factor));
        Self { content, sum: products.fold(0x9e37_79b9_7f4a_7c15, u64::wrapping_add) }
    }

    /// Puts another word into a place.
    #[inline]
    pub(crate) fn edit(&mut self, place: usize, word: u32) {
        let old = std::mem::replace(&mut self.content[place], word);
        let more = u64::from(word).wrapping_sub(u64::from(old));
        self.sum = self.sum.wrapping_add(more.wrapping_mul(FACTORS[place]));
    }

    /// Half a hash, which is never 0, and no number.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        (fold(self.sum, 0x8ebc_6af0_9c88_c6e3) >> NUMBER_BITS).max(1) << NUMBER_BITS
    }
}

/// A block whose number is asked for, and the place for the answer in an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockRequest {
    pub(crate) block: Block,
    pub(crate) into: u32,
}

const FACTORS: [u64; MOST_WORDS] = [
    0xd1b5_4a32_d192_ed03,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x8cb9_2ba7_2f3d_8dd7,
    0xaef1_7502_108e_f2d9,
    0xf135_7aea_2e62_a9c5,
    0xbea2_25f9_eb34_556d,
    0xc2b2_ae3d_27d4_eb4f,
];

/// The blocks with their numbers.
#[derive(Debug)]
pub(crate) struct Blocks {
    growing: Growing<Tagged>,
    contents: Shared<Pages>,
    contents_bytes: AtomicUsize,
    numbers: Numbers,
    promised: AtomicU64,
    cannot_grow: AtomicBool,
}

impl Blocks {
    /// No blocks, and numbers for so many.
    pub(crate) fn new(most: u32) -> Self {
        let contents = Pages::zeroed(0).expect("an array of no words takes no memory");
        Self::from_parts(Growing::new(usize::MAX), contents, 0, u64::from(most))
    }

    fn from_parts(growing: Growing<Tagged>, contents: Pages, next_number: u64, end: u64) -> Self {
        Self {
            growing,
            contents_bytes: AtomicUsize::new(contents.bytes()),
            contents: Shared::new(contents),
            numbers: Numbers::new(next_number, end, RUN, 0),
            promised: AtomicU64::new(0),
            cannot_grow: AtomicBool::new(false),
        }
    }

    /// Numbers blocks, whose answers are `MISSING`, and remain so for those that get none.
    ///
    /// What has the same half of a hash is nearly always the block: its words are asked for, and compared when they have
    /// come for all. New blocks come last: until then their lines are on their way from whoever has written to them.
    pub(crate) fn number(&self, requests: &[BlockRequest], answers: &mut [u64]) {
        if requests.is_empty() {
            return;
        }
        // In the worst case a run is begun for the last of them.
        let promised = requests.len() as u64 + RUN;
        let contents = self.promise(promised);
        self.growing.look(
            requests.len(),
            |index| requests[index].block.key(),
            |table, index, key| {
                // Nearly all blocks have numbers already, and are in their home line.
                match table.find_at_home(key).map(|(line, cell)| number_in(line, cell)) {
                    Some(number) => {
                        Self::expect(&contents, number);
                        answers[requests[index].into as usize] = number;
                    }
                    None => table.prefetch_line_to_write(table.home(key)),
                }
            },
        );
        for some in requests.chunks(TOGETHER) {
            self.number_missing(&contents, some, answers);
        }
        let is_another = |request: &BlockRequest, answer| {
            answer != MISSING && !is_content(&contents, answer, &request.block.content)
        };
        for request in requests {
            if is_another(request, answers[request.into as usize]) {
                answers[request.into as usize] = MISSING;
                self.number_after_all(&contents, request, &mut answers[request.into as usize]);
            }
        }
        self.promised.fetch_sub(promised, Ordering::SeqCst);
    }

    /// Numbers those blocks that have none, of not too many.
    fn number_missing(&self, contents: &Pages, requests: &[BlockRequest], answers: &mut [u64]) {
        let mut missing = [0; TOGETHER];
        let mut count = 0;
        for (index, request) in requests.iter().enumerate() {
            missing[count % TOGETHER] = index;
            count += usize::from(answers[request.into as usize] == MISSING);
        }
        if count > 0 {
            self.growing.insert(
                count,
                |at| requests[missing[at]].block.key(),
                |table, at, key| {
                    let request = &requests[missing[at]];
                    self.number_new(table, contents, (request, key), &mut answers[request.into as usize])
                },
            );
        }
    }

    /// Numbers a block with the same half of a hash as another one.
    #[cold]
    fn number_after_all(&self, contents: &Pages, request: &BlockRequest, answer: &mut u64) {
        let number = |table: &_, _, key| self.number_new(table, contents, (request, key), answer);
        self.growing.insert(1, |_| request.block.key(), number);
    }

    /// Numbers a block that was not easily found.
    #[inline(never)]
    fn number_new(
        &self,
        table: &Table<Tagged>,
        contents: &Pages,
        (request, key): (&BlockRequest, u64),
        answer: &mut u64,
    ) -> Visit {
        let is_same =
            |line: &Line, cell: usize| is_content(contents, number_in(line, cell), &request.block.content);
        if let Place::Found(line, cell) = table.probe::<false>(key, is_same) {
            *answer = number_in(line, cell);
            return Visit::Known;
        }
        if self.is_exhausted() {
            return Visit::Known;
        }
        let number = self.numbers.give(1);
        let place = contents.get(number as usize * STRIDE..(number as usize + 1) * STRIDE);
        let (true, Some(place)) = (number < self.numbers.end(), place) else {
            // Without a place, although it was promised: no verdict may rest on this set.
            self.cannot_grow.fetch_or(number < self.numbers.end(), Ordering::Relaxed);
            return Visit::Known;
        };
        place
            .iter()
            .zip(cells(&request.block.content))
            .for_each(|(cell, two)| cell.store(two, Ordering::Relaxed));
        match table.probe::<true>(key | number, is_same) {
            Place::Claimed(..) => {
                *answer = number;
                Visit::Added
            }
            Place::Found(line, cell) => {
                *answer = number_in(line, cell);
                Visit::Known
            }
            Place::Absent | Place::Full => Visit::NoPlace,
        }
    }

    /// Gives the numbers of blocks, as far as they have any.
    pub(crate) fn find(&self, requests: &[BlockRequest], answers: &mut [u64]) {
        let contents = self.contents();
        self.growing.look(
            requests.len(),
            |index| requests[index].block.key(),
            |table, index, key| {
                let request = &requests[index];
                let is_same = |line: &Line, cell: usize| {
                    is_content(&contents, number_in(line, cell), &request.block.content)
                };
                if let Place::Found(line, cell) = table.probe::<false>(key, is_same) {
                    answers[request.into as usize] = number_in(line, cell);
                }
            },
        );
    }

    /// The words of a block, by a number that was given to it, and zeros.
    #[inline]
    pub(crate) fn content(contents: &Pages, number: u64) -> Option<Content> {
        let kept = contents.as_chunks::<STRIDE>().0.get(number as usize)?;
        Some(std::array::from_fn(|at| (kept[at / 2].load(Ordering::Relaxed) >> (at % 2 * 32)) as u32))
    }

    /// Asks for the memory of the words of a block.
    #[inline]
    pub(crate) fn expect(contents: &Pages, number: u64) {
        contents.prefetch(number as usize * STRIDE);
    }

    /// The words of all blocks.
    pub(crate) fn contents(&self) -> Reading<'_, Pages> {
        self.contents.read()
    }

    /// The words, with place for so many blocks more; for twice as many, because numbers are wasted when a table must
    /// grow in between.
    fn promise(&self, count: u64) -> Reading<'_, Pages> {
        self.promised.fetch_add(count, Ordering::SeqCst);
        loop {
            let contents = self.contents();
            let capacity = (contents.len() / STRIDE) as u64;
            let needed = self.numbers.next() + 2 * self.promised.load(Ordering::SeqCst);
            if needed <= capacity || self.is_exhausted() {
                return contents;
            }
            drop(contents);
            self.grow_contents(needed);
        }
    }

    #[cold]
    fn grow_contents(&self, needed: u64) {
        let mut contents = self.contents.change();
        let needed = needed as usize * STRIDE;
        if contents.len() < needed {
            let wanted = needed.max(grown(contents.len()));
            if !contents.grow(wanted) {
                self.cannot_grow.store(true, Ordering::Relaxed);
            }
            self.contents_bytes.store(contents.bytes(), Ordering::Relaxed);
        }
    }

    /// Whether blocks were refused, because there are no more numbers or no more memory.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.numbers.is_exhausted() || self.cannot_grow.load(Ordering::Relaxed) || self.growing.cannot_grow()
    }

    pub(crate) fn fill(&self) -> (u64, u64) {
        self.growing.fill()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.growing.bytes() + self.contents_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn growth_ahead(&self) -> usize {
        let words = self.contents_bytes.load(Ordering::Relaxed) / size_of::<u64>();
        let more = if is_near(self.numbers.next(), (words / STRIDE) as u64) {
            Pages::rounded(grown(words)).map_or(0, |grown| grown - words)
        } else {
            0
        };
        self.growing.growth_ahead() + more * size_of::<u64>()
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn parameters(&self) -> [u64; 6] {
        let [lines, tail, len] = self.growing.parameters();
        let (next, end) = (self.numbers.next(), self.numbers.end());
        [lines, tail, len, next, end, self.contents().len() as u64]
    }

    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.growing.write_to(to)?;
        to.cells(&self.contents())
    }

    pub(crate) fn read_from(
        [lines, tail, len, next, end, words]: [u64; 6],
        from: &mut Reader<'_>,
    ) -> io::Result<Self> {
        from.require(len <= next && end <= MISSING)?;
        let growing = Growing::read_from([lines, tail, len], usize::MAX, from)?;
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        let contents = Pages::zeroed(words).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        from.cells(&contents[..words])?;
        Ok(Self::from_parts(growing, contents, next, end))
    }
}

/// How many words there are after so many.
fn grown(words: usize) -> usize {
    words + words / 4
}

#[inline]
pub(crate) fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

#[inline]
pub(crate) fn number_in(line: &Line, cell: usize) -> u64 {
    line[cell].load(Ordering::Relaxed) & (MISSING - 1)
}

/// The words, two in one.
#[inline]
fn cells(content: &Content) -> [u64; STRIDE] {
    let two = |at: usize| u64::from(content[at + 1]) << 32 | u64::from(content[at]);
    [two(0), two(2), two(4), two(6)]
}

/// Whether these are the words of the block with this number.
#[inline]
fn is_content(contents: &Pages, number: u64, content: &Content) -> bool {
    // The words were written before the cell in which the number was found.
    fence(Ordering::Acquire);
    let Some(kept) = contents.as_chunks::<STRIDE>().0.get(number as usize) else { return false };
    let cells = cells(content);
    let differ = |at: usize| kept[at].load(Ordering::Relaxed) ^ cells[at];
    differ(0) | differ(1) | differ(2) | differ(3) == 0
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn blocks_with_the_same_half_of_a_hash_have_numbers_of_their_own() {
        let mut met = HashMap::new();
        let twins = (0..1 << 20).find_map(|word: u32| {
            let block = Block::new([word, word.wrapping_mul(0x9e37_79b9), 1, 0, 0, 0, 0, 0]);
            met.insert(block.key(), block).map(|other| [other, block])
        });
        let twins = twins.expect("a million blocks have twins");
        let blocks = Blocks::new(u32::MAX);
        let number = |order: [usize; 3]| {
            let requests =
                [0, 1, 2].map(|at| BlockRequest { block: twins[order[at] % 2], into: order[at] as u32 });
            let mut answers = [MISSING; 3];
            blocks.number(&requests, &mut answers);
            answers
        };
        let first = number([0, 1, 2]);
        assert!(first[0] != first[1] && first[0] == first[2] && !first.contains(&MISSING), "{first:?}");
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
            assert_eq!(number(order), first);
        }
    }
}
