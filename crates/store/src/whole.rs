//! Exact set for states of which hardly any part repeats: every vector is kept as a whole.
//!
//! [`Exact`](crate::Exact) shares equal parts of vectors, and looks several of them up for each. Where nearly every part is
//! new that is in vain. Here the words are kept as they are, and one lookup finds them: a cell of the table is half a hash
//! and the place of the vector in an array beside the table, which is compared. A batch is looked up in two rounds: the
//! first asks for the memory of vectors that may be the same, the second compares. A thread writes a new vector to a place
//! of its own and then publishes the cell. If another thread was faster, that place may be wasted; a few are.
//!
//! Guarantees: as [`Exact`](crate::Exact). Places are numbered by 32 bits, eight bytes each: beyond 32 GiB, or without
//! memory, vectors are refused, and `is_full` says so.
//!
//! Invariant: all places in the table are below `next_place`, and were written before. The array is as long as `next_place`
//! and `promised` together while any thread adds vectors: `promise` sees to it.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::blocks::{Tagged, fold, number_in};
use crate::checkpoint::{Kind, Reader, Writer};
use crate::growing::{Growing, Visit, is_near};
use crate::pages::Pages;
use crate::table::{Line, Place, Table};
use crate::{Batch, VisitedSet};

/// The set.
#[derive(Debug)]
pub struct Whole {
    growing: Growing<Tagged>,
    contents: RwLock<Pages>,
    contents_bytes: AtomicUsize,
    next_place: AtomicU64,
    promised: AtomicU64,
    is_exhausted: AtomicBool,
}

/// No place is as large as this.
const MOST_PLACES: u64 = 1 << 32;

/// The vectors of a batch as they are kept; the memory is used again for the next one.
#[derive(Debug, Default)]
struct Joined {
    words: Vec<u64>,
    /// Keys, and where the words of each end.
    vectors: Vec<(u64, usize)>,
    /// Whether each may be in the set already.
    may_be_known: Vec<bool>,
    /// The words of an edited state.
    vector: Vec<u32>,
}

thread_local! {
    static JOINED: RefCell<Joined> = RefCell::default();
}

impl Whole {
    /// An empty set.
    pub fn new() -> Self {
        let contents = Pages::zeroed(0).expect("an array of no words takes no memory");
        Self::from_parts(Growing::new(usize::MAX), contents, 0)
    }

    fn from_parts(growing: Growing<Tagged>, contents: Pages, next_place: u64) -> Self {
        Self {
            growing,
            contents_bytes: AtomicUsize::new(contents.bytes()),
            contents: RwLock::new(contents),
            next_place: AtomicU64::new(next_place),
            promised: AtomicU64::new(0),
            is_exhausted: AtomicBool::new(false),
        }
    }

    fn contents(&self) -> RwLockReadGuard<'_, Pages> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The contents, with place for so many words more; for twice as many, because places are wasted when a table must
    /// grow in between.
    fn promise(&self, words: u64) -> RwLockReadGuard<'_, Pages> {
        self.promised.fetch_add(words, Ordering::SeqCst);
        loop {
            let contents = self.contents();
            let needed = self.next_place.load(Ordering::SeqCst) + 2 * self.promised.load(Ordering::SeqCst);
            if needed <= contents.len() as u64 || self.is_exhausted.load(Ordering::Relaxed) {
                return contents;
            }
            drop(contents);
            self.grow_contents(needed as usize);
        }
    }

    #[cold]
    fn grow_contents(&self, needed: usize) {
        let mut contents = self.contents.write().unwrap_or_else(PoisonError::into_inner);
        if contents.len() < needed {
            let wanted = needed.max(contents.len() + contents.len() / 4);
            if !contents.grow(wanted) {
                self.is_exhausted.store(true, Ordering::Relaxed);
            }
            self.contents_bytes.store(contents.bytes(), Ordering::Relaxed);
        }
    }

    /// Puts a vector that was not easily found into the set.
    fn add(
        &self,
        table: &Table<Tagged>,
        contents: &Pages,
        key: u64,
        content: &[u64],
        may_be_known: bool,
    ) -> Visit {
        let is_same = |line: &Line, cell: usize| is_content(contents, number_in(line, cell), content);
        if may_be_known && matches!(table.probe::<false>(key, is_same), Place::Found(..)) {
            return Visit::Known;
        }
        if self.is_exhausted.load(Ordering::Relaxed) {
            return Visit::Known;
        }
        let place = self.next_place.fetch_add(content.len() as u64, Ordering::SeqCst);
        let end = place + content.len() as u64;
        let (true, Some(words)) = (end <= MOST_PLACES, contents.get(place as usize..end as usize)) else {
            self.is_exhausted.store(true, Ordering::Relaxed);
            return Visit::Known;
        };
        words.iter().zip(content).for_each(|(word, content)| word.store(*content, Ordering::Relaxed));
        match table.probe::<true>(key | place, is_same) {
            Place::Claimed(..) => Visit::Added,
            Place::Found(..) => {
                // It is in this batch twice, or another thread was faster.
                let order = (Ordering::SeqCst, Ordering::Relaxed);
                _ = self.next_place.compare_exchange(end, place, order.0, order.1);
                Visit::Known
            }
            Place::Absent | Place::Full => Visit::NoPlace,
        }
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        from.expect_kind(Kind::Whole)?;
        let parameters = std::mem::take(&mut from.parameters);
        let Ok([lines, tail, len, next, words]) = <[u64; 5]>::try_from(parameters) else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        from.require(next <= words && next <= MOST_PLACES)?;
        let growing = Growing::read_from([lines, tail, len], usize::MAX, &mut from)?;
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        let contents = Pages::zeroed(words).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        from.cells(&contents[..words])?;
        from.finish()?;
        Ok(Self::from_parts(growing, contents, next))
    }
}

impl Default for Whole {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitedSet for Whole {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        is_new.clear();
        is_new.resize(states.len(), false);
        let mut joined = JOINED.take();
        joined.fill(states, |key| self.growing.expect(&[key]));
        let words = joined.words.len() as u64;
        let contents = self.promise(words);
        let mut may_be_known = std::mem::take(&mut joined.may_be_known);
        may_be_known.clear();
        let key = |index: usize| joined.vectors[index].0;
        let table = self.growing.table();
        may_be_known.extend(joined.vectors.iter().map(|&(key, _)| match table.find_at_home(key) {
            Some((line, cell)) => {
                contents.prefetch(number_in(line, cell) as usize);
                true
            }
            // Only what has no place at home can be elsewhere.
            None => table.is_full_at_home(key),
        }));
        drop(table);
        self.growing.insert(states.len(), key, |table, index, key| {
            let visit = self.add(table, &contents, key, joined.content(index), may_be_known[index]);
            is_new[index] = matches!(visit, Visit::Added);
            visit
        });
        drop(contents);
        self.promised.fetch_sub(words, Ordering::SeqCst);
        joined.may_be_known = may_be_known;
        JOINED.set(joined);
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        let mut joined = JOINED.take();
        joined.fill(states, |key| self.growing.expect(&[key]));
        let contents = self.contents();
        let key = |index: usize| joined.vectors[index].0;
        self.growing.look(states.len(), key, |table, index, key| {
            let content = joined.content(index);
            let is_same = |line: &Line, cell: usize| is_content(&contents, number_in(line, cell), content);
            is_known.push(matches!(table.probe::<false>(key, is_same), Place::Found(..)));
        });
        JOINED.set(joined);
    }

    fn len(&self) -> u64 {
        self.growing.len()
    }

    fn bytes(&self) -> usize {
        self.growing.bytes() + self.contents_bytes.load(Ordering::Relaxed)
    }

    fn load(&self) -> f64 {
        self.growing.load()
    }

    fn growth_ahead(&self) -> usize {
        let places = self.contents_bytes.load(Ordering::Relaxed) / size_of::<u64>();
        let next = Pages::rounded(places + places / 4)
            .filter(|_| is_near(self.next_place.load(Ordering::Relaxed), places as u64));
        let of_contents = next.map_or(0, |next| (next - places) * size_of::<u64>());
        self.growing.growth_ahead() + of_contents
    }

    fn omission(&self) -> f64 {
        0.0
    }

    fn is_full(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed) || self.growing.cannot_grow()
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let contents = self.contents();
        let [lines, tail, len] = self.growing.parameters();
        let next = self.next_place.load(Ordering::Relaxed);
        let mut to = Writer::new(to, Kind::Whole, &[lines, tail, len, next, contents.len() as u64])?;
        self.growing.write_to(&mut to)?;
        to.cells(&contents)?;
        to.finish()
    }
}

impl Joined {
    /// Takes the vectors of a batch, and asks for the memory in which each will be looked for.
    fn fill(&mut self, states: &Batch, expect: impl Fn(u64)) {
        self.words.clear();
        self.vectors.clear();
        for index in 0..states.len() {
            let start = self.words.len();
            if states.edits(index).is_empty() {
                join(states.words_of_base(states.base(index)), &mut self.words);
            } else {
                states.write_words(index, &mut self.vector);
                join(&self.vector, &mut self.words);
            }
            let key = key_of(&self.words[start..]);
            expect(key);
            self.vectors.push((key, self.words.len()));
        }
    }

    fn content(&self, index: usize) -> &[u64] {
        let start = if index == 0 { 0 } else { self.vectors[index - 1].1 };
        &self.words[start..self.vectors[index].1]
    }
}

/// Adds a vector two words at a time, its length before all others: so none is the beginning of another.
fn join(vector: &[u32], words: &mut Vec<u64>) {
    let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let Some((first, rest)) = vector.split_first() else { return words.push(0) };
    words.push(join(vector.len() as u32, *first));
    let (pairs, last) = rest.as_chunks();
    words.extend(pairs.iter().map(|&[low, high]| join(low, high)));
    words.extend(last.iter().map(|last| join(*last, 0)));
}

/// The key of a vector, without a place: half a hash, which is never 0.
fn key_of(content: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15 ^ content.len() as u64;
    for pair in content.chunks(2) {
        let second = pair.get(1).copied().unwrap_or_default();
        hash = fold(hash ^ pair[0], second ^ 0xa076_1d64_78bd_642f);
    }
    (fold(hash, 0xd1b5_4a32_d192_ed03) >> 32).max(1) << 32
}

/// Whether this is the vector at a place.
fn is_content(contents: &Pages, place: u64, content: &[u64]) -> bool {
    // The words were written before the cell in which the place was found.
    fence(Ordering::Acquire);
    let words = contents.get(place as usize..place as usize + content.len());
    words.is_some_and(|words| {
        words.iter().zip(content).all(|(word, content)| word.load(Ordering::Relaxed) == *content)
    })
}
