//! An open-addressing hash table of non-zero keys in cache lines, which threads fill without locks and which grows in place.
//!
//! A line is eight words, one cache line: first the keys of its cells, then what the layout keeps beside them. A key
//! belongs into its home line, `key * lines / 2^64`, or, where that is full, into the next lines. Cells of a line are
//! claimed from the first on, by a compare-and-swap of the key, and never become empty again; so a key that is not met
//! before the first empty cell is not there. Some lines more (the tail) stand behind the last home line, instead of
//! going round to the first one.
//!
//! The home line depends on nothing but the key, and grows with the key and with the number of lines. So the table can
//! be made longer in place, in one pass from its end (`spread.rs`): every key moves up, and what is above the line in work
//! is already the new table. Both sides of the pass are read and written in order, which is several times faster than inserting
//! all keys again, and it needs no memory beyond the new length.
//!
//! Invariants: within a line, no empty cell is before a used one; between the home line of a key and the line it is in
//! there is no empty cell. `spread` restores both; `probe` relies on them.

use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::pages::Pages;
use crate::spread::{Piece, Spread};

pub(crate) const LINE: usize = 8;
const MOST_TAIL: usize = 16;
/// A new table has so many lines: 2 KiB.
const FIRST_LINES: usize = 32;
/// Up to this size (in lines) a table is doubled; then it grows by a half, by a quarter and, when it is large, by an eighth.
const DOUBLED_LINES: usize = (8 << 20) / (LINE * 8);
const MIDDLING_LINES: usize = (32 << 20) / (LINE * 8);
const LARGE_LINES: usize = (512 << 20) / (LINE * 8);

pub(crate) type Line = [AtomicU64; LINE];

/// What a line holds beside its keys.
pub(crate) trait Layout {
    /// Keys in a line; they are its first words.
    const CELLS: usize;
    /// How full a table may become before it grows.
    const LOAD: (u64, u64);
    /// What belongs to a key.
    type Beside: Copy + Send + Debug;
    /// What is beside this key; only when no other thread writes.
    fn take(line: &Line, cell: usize) -> Self::Beside;
    /// Puts it beside this key; only when no other thread writes.
    fn put(line: &Line, cell: usize, beside: Self::Beside);
    /// Whether a cell that was read from a file may be as it is.
    fn is_sound(line: &Line, cell: usize) -> bool;

    /// The part of a key that decides where it belongs.
    #[inline]
    fn place_of(key: u64) -> u64 {
        key
    }

    /// Whether a used cell may have this key.
    #[inline]
    fn is_equal(cell: u64, key: u64) -> bool {
        cell == key
    }
}

/// Where a key was found.
#[derive(Debug)]
pub(crate) enum Place<'a> {
    /// It was there.
    Found(&'a Line, usize),
    /// It was not there, and has been put there.
    Claimed(&'a Line, usize),
    /// It was not there, and was not to be put there.
    Absent,
    /// It was not there, and there is no place for it.
    Full,
}

/// What a look at the home line of a key tells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Glance {
    /// It was nowhere: this is the first cell of the line that was empty, and those before it are of others.
    Absent { empty: u8 },
    /// It may be there, or in the next lines.
    Unclear,
}

/// The table. What its keys mean, and the counting of them, are matters of its users.
#[derive(Debug)]
pub(crate) struct Table<L: Layout> {
    cells: Pages,
    /// Home lines.
    lines: usize,
    /// All other lines of `cells`.
    tail: usize,
    /// How far it is spread, if it has grown.
    spread: Spread<L::Beside>,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> Table<L> {
    /// A small table, or a smaller one if it must not be larger than this.
    pub(crate) fn new(most_bytes: usize) -> Self {
        let most_lines = Pages::length_within(most_bytes) / LINE;
        Self::with_lines(FIRST_LINES.min(most_lines)).unwrap_or_else(Self::nothing)
    }

    fn with_lines(total: usize) -> Option<Self> {
        let cells = Pages::zeroed(total.checked_mul(LINE)?)?;
        let lines = home_lines(cells.len() / LINE);
        let tail = cells.len() / LINE - lines;
        Some(Self { cells, lines, tail, spread: Spread::over(), layout: PhantomData })
    }

    /// A table without places.
    fn nothing() -> Self {
        let cells = Pages::zeroed(0).expect("an array of no words takes no memory");
        Self { cells, lines: 0, tail: 0, spread: Spread::over(), layout: PhantomData }
    }

    /// Home lines; a number that grows whenever the table does.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// All memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.bytes()
    }

    /// How many keys there are places for.
    pub(crate) fn places(&self) -> u64 {
        (self.lines * L::CELLS) as u64
    }

    /// More keys than this make it slow.
    pub(crate) fn load_limit(&self) -> u64 {
        self.places() * L::LOAD.0 / L::LOAD.1
    }

    /// Its size after it has grown the next time, if it may be so large.
    pub(crate) fn next_bytes(&self, most_bytes: usize) -> Option<usize> {
        self.next_lines(most_bytes).map(|lines| lines * LINE * 8)
    }

    fn next_lines(&self, most_bytes: usize) -> Option<usize> {
        let total = self.lines + self.tail;
        let more = match total {
            ..DOUBLED_LINES => total,
            DOUBLED_LINES..MIDDLING_LINES => total / 2,
            MIDDLING_LINES..LARGE_LINES => total / 4,
            _ => total / 8,
        };
        let wanted = total + more;
        let wanted = Pages::rounded(wanted.max(FIRST_LINES) * LINE)? / LINE;
        let most = Pages::length_within(most_bytes) / LINE;
        Some(wanted.min(most)).filter(|&lines| lines > total)
    }

    #[inline]
    pub(crate) fn home(&self, key: u64) -> usize {
        home::<L>(key, self.lines)
    }

    /// Where its first line is.
    pub(crate) fn address(&self) -> usize {
        self.cells.as_ptr().addr()
    }

    #[inline]
    fn line(&self, index: usize) -> Option<&Line> {
        self.cells.as_chunks::<LINE>().0.get(index)
    }

    /// Asks for the memory in which a key will be looked for.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        self.cells.prefetch(self.home(key) * LINE);
    }

    /// The line in which a key belongs, if the table has any.
    #[inline]
    pub(crate) fn home_line(&self, key: u64) -> Option<&Line> {
        self.line(self.home(key))
    }

    /// Looks for a key in its home line. (Key 0 is in every line that has an empty cell.)
    #[inline]
    pub(crate) fn find_at_home(&self, key: u64) -> Option<(&Line, usize)> {
        let line = self.home_line(key)?;
        equal_cell::<L>(line, key).map(|cell| (line, cell))
    }

    /// Looks for a key, and claims a cell for it if `CLAIM`. `is_same` decides for a cell with this very key
    /// whether it is the one that is meant.
    #[inline]
    pub(crate) fn probe<const CLAIM: bool>(
        &self,
        key: u64,
        is_same: impl Fn(&Line, usize) -> bool,
    ) -> Place<'_> {
        self.probe_from::<CLAIM>(self.home(key), key, is_same)
    }

    /// The same for a key of which it is known that it is in no line before this one, which is not before its home.
    #[inline]
    pub(crate) fn probe_from<const CLAIM: bool>(
        &self,
        mut index: usize,
        key: u64,
        is_same: impl Fn(&Line, usize) -> bool,
    ) -> Place<'_> {
        debug_assert!(key != 0, "0 stands for an empty cell");
        while let Some(line) = self.line(index) {
            let (mut equal, empty) = compare::<L>(line, key);
            while equal != 0 {
                let cell = equal.trailing_zeros() as usize;
                if is_same(line, cell) {
                    return Place::Found(line, cell);
                }
                equal &= equal - 1;
            }
            if empty != 0 {
                if !CLAIM {
                    return Place::Absent;
                }
                if let Some(place) = claim::<L>(line, empty.trailing_zeros() as usize, key, &is_same) {
                    return place;
                }
            }
            index += 1;
        }
        Place::Full
    }

    /// What a look at the home line of a key tells.
    #[inline]
    pub(crate) fn glance(&self, key: u64) -> Glance {
        let Some(line) = self.home_line(key) else { return Glance::Unclear };
        let (mut is_there, mut empty) = (false, L::CELLS);
        for (cell, word) in line.iter().enumerate().take(L::CELLS).rev() {
            let found = word.load(Ordering::Relaxed);
            is_there |= L::is_equal(found, key);
            // The last one that is looked at, and so the first of the line.
            empty = if found == 0 { cell } else { empty };
        }
        if is_there || empty == L::CELLS { Glance::Unclear } else { Glance::Absent { empty: empty as u8 } }
    }

    /// Puts a key into its place, which a glance at this very table has told to be absent; another one may have put it there
    /// since.
    #[inline]
    pub(crate) fn put_absent(
        &self,
        key: u64,
        empty: u8,
        is_same: impl Fn(&Line, usize) -> bool,
    ) -> Place<'_> {
        let index = self.home(key);
        let at_home = self.line(index).and_then(|line| claim::<L>(line, usize::from(empty), key, &is_same));
        at_home.unwrap_or_else(|| self.probe_from::<true>(index + 1, key, is_same))
    }

    /// Looks for a key whose cells mean nothing else in its home line; says whether it is there. If not, it can only be from
    /// this line on: its home, or, if all cells of that are taken, the next.
    #[inline]
    pub(crate) fn look_at_home(&self, key: u64) -> (usize, bool) {
        let index = self.home(key);
        let Some(line) = self.line(index) else { return (index, false) };
        // Cells are filled in order. When the last one was taken before the others are read, they stay as they are read.
        let is_full = line[L::CELLS - 1].load(Ordering::Acquire) != 0;
        let is_there = line
            .iter()
            .take(L::CELLS)
            .fold(false, |is_there, cell| is_there | L::is_equal(cell.load(Ordering::Relaxed), key));
        (index + usize::from(is_full && !is_there), is_there)
    }

    /// Asks for the memory of a line.
    #[inline]
    pub(crate) fn prefetch_line(&self, index: usize) {
        self.cells.prefetch(index * LINE);
    }

    /// The same for a line that will be written.
    #[inline]
    pub(crate) fn prefetch_line_to_write(&self, index: usize) {
        self.cells.prefetch_to_write(index * LINE);
    }

    /// Makes it longer, to at most so many bytes; `spread` has to follow. `false`: it may not be, or the system refused.
    ///
    /// Keys that the tail could not take when it grew before, and that it cannot grow for once more, are forgotten: that many
    /// lines in a row are all but never full, and what is forgotten is only visited again.
    pub(crate) fn lengthen(&mut self, most_bytes: usize) -> bool {
        let total = self.next_lines(most_bytes).filter(|&total| self.cells.grow(total * LINE));
        let Some(total) = total else {
            self.spread = Spread::over();
            return false;
        };
        let homeless = self.spread.take_homeless();
        self.spread = Spread::new(self.lines + self.tail, self.lines, homeless);
        self.lines = home_lines(total);
        self.tail = total - self.lines;
        true
    }

    /// Whether all keys are where they belong.
    #[inline]
    pub(crate) fn is_spread(&self) -> bool {
        self.spread.is_over()
    }

    /// Moves all keys to where they belong, together with other threads that do so, while nobody does anything else. Then the
    /// table is spread, or has to be lengthened again.
    pub(crate) fn spread(&self) {
        let total = self.lines + self.tail;
        let mut left = Vec::new();
        while let Some(piece) = self.spread.take(self.lines, total) {
            self.move_piece(&piece, &mut left);
            self.spread.put_back(&piece, &left, |key, beside| self.place(key, beside, total));
            left.clear();
        }
        self.spread.wait();
    }

    /// Moves the keys of a piece to where they belong, but for some.
    fn move_piece(&self, piece: &Piece, left: &mut Vec<(u64, L::Beside)>) {
        for index in piece.lines.clone().rev() {
            // The lines below have not been emptied yet.
            let first = index.max(piece.stretch.start);
            let (keys, beside) = self.empty_line(index);
            for (key, beside) in keys.into_iter().zip(beside).take_while(|&(key, _)| key != 0) {
                if self.home(key) < first || !self.place(key, beside, piece.stretch.end) {
                    left.push((key, beside));
                }
            }
        }
    }

    /// Takes all out of a line. Behind the last key come zeros.
    #[inline]
    fn empty_line(&self, index: usize) -> ([u64; LINE], [L::Beside; LINE]) {
        let line = &self.cells.as_chunks::<LINE>().0[index];
        let keys =
            std::array::from_fn(|cell| if cell < L::CELLS { line[cell].load(Ordering::Relaxed) } else { 0 });
        let beside = std::array::from_fn(|cell| L::take(line, cell.min(L::CELLS - 1)));
        line.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        (keys, beside)
    }

    /// Puts a key that is not there into its place before some line, which no other thread writes to. `false`: all is full
    /// there, from its home on.
    #[inline]
    fn place(&self, key: u64, beside: L::Beside, end: usize) -> bool {
        let mut index = self.home(key);
        while index < end
            && let Some(line) = self.line(index)
        {
            if let Some(cell) = (0..L::CELLS).find(|cell| line[*cell].load(Ordering::Relaxed) == 0) {
                line[cell].store(key, Ordering::Relaxed);
                L::put(line, cell, beside);
                return true;
            }
            index += 1;
        }
        false
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn shape(&self) -> [u64; 2] {
        [self.lines as u64, self.tail as u64]
    }

    /// Writes all lines; only when no other thread writes.
    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.cells(&self.cells)
    }

    /// A table from its lines, and how many keys it has.
    pub(crate) fn read_from(shape: [u64; 2], from: &mut Reader<'_>) -> io::Result<(Self, u64)> {
        let (lines, tail) = (usize::try_from(shape[0]).ok(), usize::try_from(shape[1]).ok());
        let total = lines.and_then(|lines| lines.checked_add(tail?));
        let out_of_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let mut table = total.and_then(Self::with_lines).ok_or_else(out_of_memory)?;
        // The arrays of another system may be rounded in another way: what is more belongs to the tail.
        let (lines, total) = (lines.unwrap_or(0), total.unwrap_or(0));
        (table.lines, table.tail) = (lines, table.cells.len() / LINE - lines);
        from.cells(&table.cells[..total * LINE])?;
        let mut keys = 0;
        for line in table.cells.as_chunks::<LINE>().0 {
            for (cell, word) in line.iter().enumerate().take(L::CELLS) {
                if word.load(Ordering::Relaxed) != 0 {
                    from.require(L::is_sound(line, cell))?;
                    keys += 1;
                }
            }
        }
        Ok((table, keys))
    }
}

/// The home line of a key in a table that has so many.
#[inline]
pub(crate) fn home<L: Layout>(key: u64, lines: usize) -> usize {
    ((u128::from(L::place_of(key)) * lines as u128) >> 64) as usize
}

/// How many of so many lines are home lines.
fn home_lines(total: usize) -> usize {
    total - MOST_TAIL.min(total / 2)
}

/// The first cell that has the key.
#[inline]
fn equal_cell<L: Layout>(line: &Line, key: u64) -> Option<usize> {
    let mut equal = 0u32;
    for (cell, word) in line.iter().enumerate().take(L::CELLS) {
        equal |= u32::from(L::is_equal(word.load(Ordering::Relaxed), key)) << cell;
    }
    (equal != 0).then(|| equal.trailing_zeros() as usize)
}

/// Claims a cell of a line, from this one on, for a key that is in none before it. Cells may have been filled since the line
/// was looked at: each is looked at again.
#[inline]
fn claim<'a, L: Layout>(
    line: &'a Line,
    from: usize,
    key: u64,
    is_same: &impl Fn(&Line, usize) -> bool,
) -> Option<Place<'a>> {
    for cell in from..L::CELLS {
        match line[cell].compare_exchange(0, key, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return Some(Place::Claimed(line, cell)),
            Err(other) if L::is_equal(other, key) && is_same(line, cell) => {
                return Some(Place::Found(line, cell));
            }
            Err(_) => {}
        }
    }
    None
}

/// Which cells have the key, and which are empty, as bits.
#[inline]
fn compare<L: Layout>(line: &Line, key: u64) -> (u32, u32) {
    let (mut equal, mut empty) = (0, 0);
    for (cell, word) in line.iter().enumerate().take(L::CELLS) {
        let found = word.load(Ordering::Relaxed);
        equal |= u32::from(L::is_equal(found, key)) << cell;
        empty |= u32::from(found == 0) << cell;
    }
    (equal, empty)
}

/// A bijection of 64 bits after which similar keys lie far apart; 0 stays 0. (The finaliser of MurmurHash3.)
#[inline]
pub(crate) fn mix(key: u64) -> u64 {
    let mut key = key ^ (key >> 33);
    key = key.wrapping_mul(0xff51_afd7_ed55_8ccd);
    key ^= key >> 33;
    key = key.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ (key >> 33)
}

/// The key that `mix` makes into this.
#[inline]
pub(crate) fn unmix(mixed: u64) -> u64 {
    let mut key = mixed ^ (mixed >> 33);
    key = key.wrapping_mul(0x9cb4_b2f8_1293_37db);
    key ^= key >> 33;
    key = key.wrapping_mul(0x4f74_430c_22a5_4005);
    key ^ (key >> 33)
}
