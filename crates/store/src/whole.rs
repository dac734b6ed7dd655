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
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::blocks::{Tagged, fold, number_in};
use crate::checkpoint::{Kind, Reader, Writer};
use crate::growing::{Growing, Visit, is_near};
use crate::pages::Pages;
use crate::table::{Glance, Line, Place, Table};
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

/// What is known of the vectors of a batch; the memory is used again for the next one.
#[derive(Debug, Default)]
struct Looked {
    vectors: Vec<Vector>,
    /// What the table tells at first sight of those that are still to be put into it.
    glances: Vec<Glance>,
    /// The words of all vectors, if some states of the batch are edited.
    words: Vec<u32>,
}

/// The key of a vector, and where its words are.
#[derive(Debug)]
struct Vector {
    key: u64,
    words: Range<u32>,
}

thread_local! {
    static LOOKED: RefCell<Looked> = RefCell::default();
}

impl Whole {
    /// An empty set.
    pub fn new() -> Self {
        let contents = Pages::zeroed_in_order(0).expect("an array of no words takes no memory");
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

    /// Puts a vector into the set, of which a glance at this very table has told something.
    fn add(
        &self,
        table: &Table<Tagged>,
        contents: &Pages,
        key: u64,
        vector: &[u32],
        glance: Glance,
    ) -> Visit {
        let is_same = |line: &Line, cell: usize| is_content(contents, number_in(line, cell), vector);
        let may_be_known = matches!(glance, Glance::Unclear);
        if may_be_known && matches!(table.probe::<false>(key, is_same), Place::Found(..)) {
            return Visit::Known;
        }
        if self.is_exhausted.load(Ordering::Relaxed) {
            return Visit::Known;
        }
        let length = joined_length(vector) as u64;
        let place = self.next_place.fetch_add(length, Ordering::SeqCst);
        let end = place + length;
        let (true, Some(words)) = (end <= MOST_PLACES, contents.get(place as usize..end as usize)) else {
            self.is_exhausted.store(true, Ordering::Relaxed);
            return Visit::Known;
        };
        all_joined(words, vector, |word, joined| {
            word.store(joined, Ordering::Relaxed);
            true
        });
        let placed = match glance {
            Glance::Absent { empty } => table.put_absent(key | place, empty, is_same),
            Glance::Unclear => table.probe::<true>(key | place, is_same),
        };
        match placed {
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
        let contents =
            Pages::zeroed_in_order(words).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
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
        let mut looked = LOOKED.take();
        let length = looked.fill(states, |key| self.growing.expect(&[key]));
        let Looked { vectors, glances, words } = &mut looked;
        let words = words_in(states, words);
        let contents = self.promise(length);
        let mut next = 0;
        self.growing.insert_some(|table| {
            let (mut added, first) = (0, next);
            glances.clear();
            glances.extend(vectors[first..].iter().map(|vector| glance(table, &contents, vector.key)));
            for (vector, glance) in vectors[first..].iter().zip(&*glances) {
                let content = &words[vector.words.start as usize..vector.words.end as usize];
                match self.add(table, &contents, vector.key, content, *glance) {
                    Visit::Known => {}
                    Visit::Added => {
                        is_new[next] = true;
                        added += 1;
                    }
                    Visit::NoPlace => return (false, added),
                }
                next += 1;
            }
            (true, added)
        });
        drop(contents);
        self.promised.fetch_sub(length, Ordering::SeqCst);
        LOOKED.set(looked);
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        let mut looked = LOOKED.take();
        looked.fill(states, |key| self.growing.expect(&[key]));
        let words = words_in(states, &looked.words);
        let contents = self.contents();
        let key = |index: usize| looked.vectors[index].key;
        self.growing.look(states.len(), key, |table, index, key| {
            let Range { start, end } = looked.vectors[index].words;
            let vector = &words[start as usize..end as usize];
            let is_same = |line: &Line, cell: usize| is_content(&contents, number_in(line, cell), vector);
            is_known.push(matches!(table.probe::<false>(key, is_same), Place::Found(..)));
        });
        LOOKED.set(looked);
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

impl Looked {
    /// Takes the vectors of a batch, and asks for the memory in which each will be looked for. Gives how many places they
    /// need.
    fn fill(&mut self, states: &Batch, expect: impl Fn(u64)) -> u64 {
        self.words.clear();
        self.vectors.clear();
        let mut length = 0;
        for index in 0..states.len() {
            let (all, range) = if states.is_edited() {
                let start = self.words.len();
                states.add_words(index, &mut self.words);
                (&*self.words, start..self.words.len())
            } else {
                (states.words_of_bases(), states.range_of_base(states.base(index)))
            };
            let vector = &all[range.clone()];
            let key = key_of(vector);
            expect(key);
            length += joined_length(vector) as u64;
            self.vectors.push(Vector { key, words: range.start as u32..range.end as u32 });
        }
        length
    }
}

/// Where the words of a batch's vectors are, given those that had to be written down.
fn words_in<'a>(states: &'a Batch, written: &'a [u32]) -> &'a [u32] {
    if states.is_edited() { written } else { states.words_of_bases() }
}

/// Looks for a key, and asks for the memory of the vector that has it.
#[inline]
fn glance(table: &Table<Tagged>, contents: &Pages, key: u64) -> Glance {
    let glance = table.glance(key);
    if matches!(glance, Glance::Unclear)
        && let Some((line, cell)) = table.find_at_home(key)
    {
        contents.prefetch(number_in(line, cell) as usize);
    }
    glance
}

/// Visits the places of a vector with what is kept there, as long as `visit` says so; whether it did for all. Two words are
/// kept at a time, the length before all others: so none is the beginning of another.
#[inline]
fn all_joined(places: &[AtomicU64], vector: &[u32], visit: impl Fn(&AtomicU64, u64) -> bool) -> bool {
    let (first, rest) = vector.split_first().map_or((0, vector), |(first, rest)| (*first, rest));
    let (pairs, last) = rest.as_chunks();
    let Some((head, places)) = places.split_first() else { return false };
    visit(head, join(vector.len() as u32, first))
        && places.iter().zip(pairs).all(|(place, &[low, high])| visit(place, join(low, high)))
        && last.iter().zip(&places[pairs.len()..]).all(|(last, place)| visit(place, join(*last, 0)))
}

#[inline]
fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// How many places a vector needs.
#[inline]
fn joined_length(vector: &[u32]) -> usize {
    vector.len() / 2 + 1
}

/// The key of a vector, without a place: half a hash, which is never 0.
#[inline]
fn key_of(vector: &[u32]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15 ^ joined_length(vector) as u64;
    let mut add = |first: u64, second: u64| hash = fold(hash ^ first, second ^ 0xa076_1d64_78bd_642f);
    let word = |at: usize| vector.get(at).copied().unwrap_or_default();
    add(join(vector.len() as u32, word(0)), join(word(1), word(2)));
    let (fours, last) = vector.get(3..).unwrap_or_default().as_chunks();
    fours.iter().for_each(|&[a, b, c, d]| add(join(a, b), join(c, d)));
    if !last.is_empty() {
        let word = |at: usize| last.get(at).copied().unwrap_or_default();
        add(join(word(0), word(1)), join(word(2), 0));
    }
    (fold(hash, 0xd1b5_4a32_d192_ed03) >> 32).max(1) << 32
}

/// Whether this is the vector at a place.
#[inline]
fn is_content(contents: &Pages, place: u64, vector: &[u32]) -> bool {
    // The words were written before the cell in which the place was found.
    fence(Ordering::Acquire);
    let words = contents.get(place as usize..place as usize + joined_length(vector));
    words
        .is_some_and(|words| all_joined(words, vector, |word, joined| word.load(Ordering::Relaxed) == joined))
}

#[cfg(test)]
mod tests {
    use super::{all_joined, fold, joined_length, key_of};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_key_is_a_hash_of_what_is_kept() {
        for length in 0..40 {
            let vector: Vec<u32> = (1..=length).map(|number: u32| number.wrapping_mul(0x9E37_79B9)).collect();
            let places: Vec<AtomicU64> = (0..joined_length(&vector)).map(|_| AtomicU64::new(7)).collect();
            let keep = |place: &AtomicU64, joined| place.swap(joined, Ordering::Relaxed) == 7;
            assert!(all_joined(&places, &vector, keep));
            let kept: Vec<u64> = places.into_iter().map(AtomicU64::into_inner).collect();
            let words = kept.iter().flat_map(|two| [*two as u32, (two >> 32) as u32]);
            let expected = [length].into_iter().chain(vector.iter().copied()).chain([0]);
            assert!(words.eq(expected.take(kept.len() * 2)));

            let mut hash = 0x9e37_79b9_7f4a_7c15 ^ kept.len() as u64;
            for pair in kept.chunks(2) {
                let second = pair.get(1).copied().unwrap_or_default();
                hash = fold(hash ^ pair[0], second ^ 0xa076_1d64_78bd_642f);
            }
            let key = (fold(hash, 0xd1b5_4a32_d192_ed03) >> 32).max(1) << 32;
            assert_eq!(key_of(&vector), key);
        }
    }
}
