//! Ids of contents by their hashes, shared by threads without locks: what makes a table one in which equal contents have equal
//! ids.
//!
//! A cell holds 32 bits of a hash, its *tag*, and an id. Cells lie in lines, lines in *segments* of a page each. The first bits
//! of a tag say which segment it belongs to, as many as the segment is deep; a *directory* has the segments by these bits.
//! The last bits say in which line of the segment the search begins. It ends at the first empty cell, and there a new id is
//! put, in one atomic step: so of two threads that add the same content one finds the other's. A segment that becomes crowded
//! is split: what has a 1 in the next bit goes to a new segment. Others go on meanwhile, but for those that come to this one.
//! (Extendible hashing: Fagin, Nievergelt, Pippenger, Strong, "Extendible Hashing", TODS 1979.)
//!
//! Invariants: a tag is in no other segment than that of its first bits, and no cell before it in its order of search is empty.
//! An empty cell holds the depth of its segment, which only ever grows: whoever adds a tag to an empty cell of a depth has
//! found it where it belongs, because before anything moves, all empty cells of a segment are closed. Who splits has
//! the lock. Directories that are no longer in use lead to segments as they were: with another depth in empty cells.

use crate::places::{Line, Lines};
use std::array;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Ids by tags.
#[derive(Debug)]
pub(crate) struct Index {
    /// Chunk `k` has `FIRST << k` segments; chunks are made when they are needed.
    chunks: [OnceLock<Lines>; CHUNKS],
    /// Segments in use.
    used: AtomicU32,
    /// For each depth one, made when it is needed.
    directories: [OnceLock<Box<[AtomicU32]>>; DEPTHS],
    /// That of the directory in use.
    depth: AtomicU32,
    splitting: Mutex<()>,
}

/// The lines of a segment.
const LINES: usize = 64;
const LINE: usize = size_of::<Line>() / size_of::<u64>();
const CELLS: usize = LINES * LINE;
const SEGMENT_BYTES: usize = size_of::<Line>() * LINES;
/// A tag so many lines from where its search began says that a segment may be crowded.
const FAR: usize = 6;
/// A segment is crowded if so many cells are taken.
const CROWD: usize = CELLS / 2;

const FIRST_BITS: u32 = 2;
const CHUNKS: usize = 24;
/// The bits of a tag that do not say which line it is.
const MOST_DEPTH: u32 = u32::BITS - LINES.ilog2();
const DEPTHS: usize = MOST_DEPTH as usize + 1;

/// An empty cell that stays so until its segment has been split.
const CLOSED: u64 = u32::MAX as u64;

fn empty(depth: u32) -> u64 {
    u64::from(depth)
}

fn pack(tag: u32, id: u32) -> u64 {
    u64::from(tag) << u32::BITS | u64::from(id)
}

/// 0 for an empty cell.
fn tag_in(cell: u64) -> u32 {
    (cell >> u32::BITS) as u32
}

/// The tag of a hash, which may be a poor one.
#[inline]
pub(crate) fn tag_of(hash: u128) -> u32 {
    let folded = hash as u64 ^ ((hash >> 64) as u64).rotate_left(32);
    ((folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32).max(1)
}

/// A segment as a directory has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    number: u32,
    depth: u32,
    lines: &'a [Line; LINES],
}

/// What came of a search in a segment.
enum Sought {
    Known(u32),
    Absent,
    Crowded,
    /// The segment has been split, or is just being.
    Changed,
}

impl Index {
    pub(crate) fn new() -> Self {
        let index = Self {
            chunks: array::from_fn(|_| OnceLock::new()),
            used: AtomicU32::new(1),
            directories: array::from_fn(|_| OnceLock::new()),
            depth: AtomicU32::new(0),
            splitting: Mutex::default(),
        };
        index.directory(0);
        index.lines(0);
        index
    }

    /// The id with this tag for which `is_same` holds; if there is none, where one can be added.
    #[inline]
    pub(crate) fn find(&self, tag: u32, is_same: impl Fn(u32) -> bool) -> Result<u32, Segment<'_>> {
        self.seek(self.segment(tag), tag, None, is_same)
    }

    /// Adds a new id where none was found, unless there is one by now; gives that which is there. What has the new id must be
    /// there before.
    #[inline]
    pub(crate) fn add(&self, at: Segment<'_>, tag: u32, new: u32, is_same: impl Fn(u32) -> bool) -> u32 {
        self.seek(at, tag, Some(new), is_same).expect("one of them is there now")
    }

    #[inline]
    fn seek<'a>(
        &'a self,
        mut segment: Segment<'a>,
        tag: u32,
        new: Option<u32>,
        is_same: impl Fn(u32) -> bool,
    ) -> Result<u32, Segment<'a>> {
        loop {
            match segment.seek(tag, new, &is_same) {
                Sought::Known(id) => return Ok(id),
                Sought::Absent => return Err(segment),
                Sought::Crowded => self.split(tag, segment),
                // Once nobody splits, the directory tells where to look.
                Sought::Changed => drop(self.lock()),
            }
            segment = self.segment(tag);
        }
    }

    /// Asks for the memory in which a search for a tag begins, to write to it.
    #[inline]
    pub(crate) fn expect(&self, tag: u32) {
        self.segment(tag).lines[tag as usize % LINES].expect();
    }

    /// The bytes of all segments in use.
    pub(crate) fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed) as usize * SEGMENT_BYTES
    }

    /// How many bytes more the next segments take at once, if that is near.
    pub(crate) fn growth_ahead(&self) -> usize {
        let (chunk, place) = locate(self.used.load(Ordering::Relaxed));
        let size = 1 << FIRST_BITS << chunk;
        if place < size / 8 * 7 { 0 } else { 2 * size * SEGMENT_BYTES }
    }

    /// Forgets all ids, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        if let Some(lines) = self.chunks[0].get_mut() {
            lines.clear(LINES);
        }
        if let Some(directory) = self.directories[0].get_mut() {
            *directory[0].get_mut() = 0;
        }
        *self.used.get_mut() = 1;
        *self.depth.get_mut() = 0;
    }

    /// Where a tag is, if it is anywhere.
    #[inline]
    fn segment(&self, tag: u32) -> Segment<'_> {
        let depth = self.depth.load(Ordering::Acquire);
        let directory =
            self.directories[depth as usize].get().expect("it was made before its depth was told");
        let entry = directory[place_of(tag, depth)].load(Ordering::Acquire);
        let number = entry & ((1 << MOST_DEPTH) - 1);
        Segment { number, depth: entry >> MOST_DEPTH, lines: self.lines(number) }
    }

    #[inline]
    fn lines(&self, number: u32) -> &[Line; LINES] {
        let (chunk, place) = locate(number);
        let lines = self.chunks[chunk].get_or_init(|| Lines::zeroed(LINES << FIRST_BITS << chunk));
        &lines.as_chunks().0[place]
    }

    fn directory(&self, depth: u32) -> &[AtomicU32] {
        self.directories[depth as usize]
            .get_or_init(|| (0..1_usize << depth).map(|_| AtomicU32::new(0)).collect())
    }

    /// A panic elsewhere leaves everything as it was before or after a split.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.splitting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Splits the segment of a tag, unless somebody else has been faster.
    #[cold]
    fn split(&self, tag: u32, old: Segment<'_>) {
        let _guard = self.lock();
        let now = self.segment(tag);
        if (now.number, now.depth) != (old.number, old.depth) {
            return;
        }
        assert!(old.depth < MOST_DEPTH && old.is_crowded(), "hashes of different contents differ");
        let number = self.used.fetch_add(1, Ordering::Relaxed);
        let depth = old.depth + 1;
        let is_upper = |cell: &u64| tag_in(*cell) >> (u32::BITS - depth) & 1 == 1;
        let (upper, lower): (Vec<u64>, Vec<u64>) = old.close().into_iter().partition(is_upper);
        Segment { number, depth, lines: self.lines(number) }.fill(&upper);
        Segment { depth, ..old }.fill(&lower);
        self.publish(tag, depth, [old.number, number]);
    }

    /// Enters the two halves of the segment of a tag into the directory.
    fn publish(&self, tag: u32, depth: u32, halves: [u32; 2]) {
        if depth > self.depth.load(Ordering::Relaxed) {
            self.deepen();
        }
        let in_use = self.depth.load(Ordering::Relaxed);
        let directory = self.directory(in_use);
        let each = 1 << (in_use - depth);
        let first = place_of(tag, in_use) & !(2 * each - 1);
        for (at, entry) in directory[first..first + 2 * each].iter().enumerate() {
            entry.store(halves[usize::from(at >= each)] | depth << MOST_DEPTH, Ordering::Release);
        }
    }

    /// Goes over to a directory of twice the size.
    fn deepen(&self) {
        let depth = self.depth.load(Ordering::Relaxed);
        let (old, new) = (self.directory(depth), self.directory(depth + 1));
        for (at, entry) in new.iter().enumerate() {
            entry.store(old[at / 2].load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.depth.store(depth + 1, Ordering::Release);
    }
}

/// The place of a tag in the directory of a depth.
fn place_of(tag: u32, depth: u32) -> usize {
    (u64::from(tag) >> (u32::BITS - depth)) as usize
}

/// The chunk of a segment and its place there.
#[inline]
fn locate(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + (1 << FIRST_BITS);
    let bits = shifted.ilog2();
    ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
}

impl Segment<'_> {
    /// Looks for a tag in its order of search, and puts the new id, if there is one, into the first empty cell.
    #[inline]
    fn seek(&self, tag: u32, new: Option<u32>, is_same: impl Fn(u32) -> bool) -> Sought {
        let home = tag as usize;
        for distance in 0..LINES {
            for cell in &self.lines[(home + distance) % LINES].0 {
                let mut held = cell.load(Ordering::Acquire);
                if held == empty(self.depth) {
                    let Some(new) = new else { return Sought::Absent };
                    if distance >= FAR && self.is_crowded() {
                        return Sought::Crowded;
                    }
                    let order = (Ordering::AcqRel, Ordering::Acquire);
                    match cell.compare_exchange(held, pack(tag, new), order.0, order.1) {
                        Ok(_) => return Sought::Known(new),
                        Err(now) => held = now,
                    }
                }
                match tag_in(held) {
                    0 => return Sought::Changed,
                    other if other == tag && is_same(held as u32) => return Sought::Known(held as u32),
                    _ => {}
                }
            }
        }
        if new.is_some() { Sought::Crowded } else { Sought::Absent }
    }

    fn cells(&self) -> impl Iterator<Item = &AtomicU64> {
        self.lines.iter().flat_map(|line| &line.0)
    }

    /// Whether a split is worth it: many cells are taken, and not all by one tag.
    #[cold]
    fn is_crowded(&self) -> bool {
        let held = self.cells().map(|cell| cell.load(Ordering::Relaxed));
        let mut tags = held.map(tag_in).filter(|tag| *tag != 0);
        let Some(first) = tags.next() else { return false };
        let (count, differ) =
            tags.fold((1, false), |(count, differ), tag| (count + 1, differ || tag != first));
        count >= CROWD && differ
    }

    /// Closes all empty cells, after which nobody writes to any; gives the others.
    fn close(&self) -> Vec<u64> {
        let close = |cell: &AtomicU64| {
            let order = (Ordering::AcqRel, Ordering::Acquire);
            cell.compare_exchange(empty(self.depth), CLOSED, order.0, order.1).err()
        };
        self.cells().filter_map(close).collect()
    }

    /// Lets it have these cells and no others. Whoever still looks for something here finds it, or a cell that is closed or
    /// has another depth.
    fn fill(&self, taken: &[u64]) {
        let mut cells = [empty(self.depth); CELLS];
        for cell in taken {
            let home = tag_in(*cell) as usize % LINES * LINE;
            let places = (home..home + CELLS).map(|place| place % CELLS);
            let place = { places }.find(|place| cells[*place] == empty(self.depth));
            cells[place.expect("they had room before")] = *cell;
        }
        self.cells().zip(cells).for_each(|(cell, held)| cell.store(held, Ordering::Release));
    }
}

#[cfg(test)]
mod tests;
