//! Exact set for states of which hardly any part repeats: every vector is kept as a whole.
//!
//! [`Exact`](crate::Exact) shares equal parts of vectors, and looks several of them up for each. Where nearly every part is
//! new that is in vain. Here the words are kept as they are, and one lookup finds them: a cell of the table is half a hash
//! and the place of the vector in an array beside the table, which is compared. A thread writes a new vector to a place
//! of its own and then publishes the cell.
//!
//! A batch is looked up in three rounds. The first looks at the home lines of all vectors: most are seen to be new, and of
//! those that may be known the memory is asked for. The second puts the new ones where the first has seen an empty cell;
//! they get their places together. The third compares the others. Threads get places in large pieces, and fill them one
//! after the other: memory into which two threads write in turn has to move between them, and so has what the system
//! has just emptied for the other one. What is left of a piece and too small for the next vectors is wasted.
//!
//! Guarantees: as [`Exact`](crate::Exact). Places are numbered by 32 bits, eight bytes each: beyond 32 GiB, or without
//! memory, vectors are refused, and `is_full` says so.
//!
//! It also knows vectors by keys, which are their cells: `keyed.rs` says what for. Then the table has all vectors that have a
//! key, and a bit beside the length of each says whether it is in the set: *marked*.
//!
//! Invariant: all places in the table are below `next_place`, and were written before. The array is as long as `next_place`
//! and `promised` together while any thread adds vectors: `promise` sees to it.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::batch::Vector;
use crate::blocks::{Tagged, fold, number_in};
use crate::checkpoint::{Kind, Reader, Writer};
use crate::growing::{Growing, Visit, is_near};
use crate::pages::Pages;
use crate::table::{Glance, Line, Place, Table};
use crate::{Batch, Key, VisitedSet};
use fabius_threads::{Reading, Shared};

/// The set.
#[derive(Debug)]
pub struct Whole {
    growing: Growing<Tagged>,
    contents: Shared<Pages>,
    contents_bytes: AtomicUsize,
    next_place: AtomicU64,
    promised: AtomicU64,
    is_exhausted: AtomicBool,
    rooms: [Room; ROOMS],
}

/// Places that nobody else has, and that are not used yet. Each thread has one of these, as long as there are enough.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Room(Mutex<Range<u64>>);

const ROOMS: usize = 16;
/// So many places a thread gets at once, or the sixteenth part of all as long as there are not so many.
const PIECE: u64 = 1 << 13;

/// No place is as large as this.
const MOST_PLACES: u64 = 1 << 32;

/// Beside the length of a vector, which is less than this.
const MARK: u64 = 1 << 31;

/// What is known of the vectors of a batch; the memory is used again for the next one.
#[derive(Debug, Default)]
struct Looked {
    /// What the table has told of each at first sight.
    glances: Vec<Glance>,
    /// Those that have to be compared, by their numbers.
    unclear: Vec<u32>,
    /// The vectors and their words, of a batch that has states of another form.
    vectors: Vec<Vector>,
    words: Vec<u32>,
}

/// Where a thread writes new vectors.
struct Space<'a> {
    contents: Reading<'a, Pages>,
    room: MutexGuard<'a, Range<u64>>,
    /// How many places it gets at once; no more than were promised.
    piece: u64,
}

/// Vectors on their way into the set.
struct Vectors<'a> {
    vectors: &'a [Vector],
    words: &'a [u32],
}

thread_local! {
    static LOOKED: RefCell<Looked> = RefCell::default();
    /// The room in which the thread has been last.
    static ROOM: Cell<usize> = const { Cell::new(0) };
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
            contents: Shared::new(contents),
            next_place: AtomicU64::new(next_place),
            promised: AtomicU64::new(0),
            is_exhausted: AtomicBool::new(false),
            rooms: Default::default(),
        }
    }

    /// A room for the thread: if possible that in which it has been last.
    fn room(&self) -> MutexGuard<'_, Range<u64>> {
        let last = ROOM.get();
        for number in (0..ROOMS).map(|more| (last + more) % ROOMS) {
            if let Ok(room) = self.rooms[number].0.try_lock() {
                ROOM.set(number);
                return room;
            }
        }
        self.rooms[last].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many places a thread gets at once.
    fn piece(&self) -> u64 {
        PIECE.min(self.next_place.load(Ordering::Relaxed) / 16)
    }

    fn contents(&self) -> Reading<'_, Pages> {
        self.contents.read()
    }

    /// The contents, with place for so many words more; for twice as many, because places are wasted when a table must
    /// grow in between.
    fn promise(&self, words: u64) -> Reading<'_, Pages> {
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
        let mut contents = self.contents.change();
        if contents.len() < needed {
            let wanted = needed.max(contents.len() + contents.len() / 4);
            if !contents.grow(wanted) {
                self.is_exhausted.store(true, Ordering::Relaxed);
            }
            self.contents_bytes.store(contents.bytes(), Ordering::Relaxed);
        }
    }

    /// Puts the vectors of a batch into the set, and tells of each its position, its cell, and whether it is new. Nothing is told of
    /// those that are refused.
    #[inline]
    fn enter(&self, states: &Batch, mut tell: impl FnMut(usize, u64, bool)) {
        let mut looked = LOOKED.take();
        looked.fill(states, |key| self.growing.expect(&[key]));
        let Looked { glances, unclear, vectors, words } = &mut looked;
        let vectors = vectors_in(states, vectors, words);
        // Twice of both is promised: each piece but the last is filled, or wastes less than the next vector needs.
        let piece = self.piece();
        let length = vectors.most_places() + piece;
        let mut space = Space { contents: self.promise(length), room: self.room(), piece };
        unclear.clear();
        let (mut has_glanced, mut next) = (false, 0);
        self.growing.insert_some(|table| {
            let mut added = 0;
            if !std::mem::replace(&mut has_glanced, true) {
                added = self.add_absent(table, &mut space, &vectors, glances, unclear, &mut tell);
            }
            while let Some(&index) = unclear.get(next) {
                let index = index as usize;
                let visit = self.add(table, &mut space, vectors.get(index), |cell, is_new| {
                    tell(index, cell, is_new);
                });
                match visit {
                    Visit::Known => {}
                    Visit::Added => added += 1,
                    Visit::NoPlace => return (false, added),
                }
                next += 1;
            }
            (true, added)
        });
        drop(space);
        self.promised.fetch_sub(length, Ordering::SeqCst);
        LOOKED.set(looked);
    }

    /// Puts those vectors into the set that a glance at this very table tells to be new; notes the others in `unclear`. Gives
    /// how many it has put there.
    #[inline]
    fn add_absent(
        &self,
        table: &Table<Tagged>,
        Space { contents, room, piece }: &mut Space<'_>,
        vectors: &Vectors<'_>,
        glances: &mut Vec<Glance>,
        unclear: &mut Vec<u32>,
        tell: &mut impl FnMut(usize, u64, bool),
    ) -> u64 {
        let length = glance_at_all(table, contents, vectors, glances);
        if !self.furnish(room, length, *piece, contents) {
            return 0;
        }
        let mut added = 0;
        for (index, glance) in glances.iter().enumerate() {
            let Glance::Absent { empty } = *glance else {
                unclear.push(index as u32);
                continue;
            };
            let (key, vector) = vectors.get(index);
            let place = room.start;
            let next = place + joined_length(vector.len()) as u64;
            write(&contents[place as usize..next as usize], vector);
            let is_same = |line: &Line, cell: usize| is_content(contents, number_in(line, cell), vector);
            match table.put_absent(key | place, empty, is_same) {
                Place::Claimed(..) => {
                    tell(index, key | place, true);
                    added += 1;
                    room.start = next;
                }
                // It is in this batch twice, or another thread was faster.
                Place::Found(line, cell) => tell(index, key | number_in(line, cell), false),
                Place::Absent | Place::Full => unclear.push(index as u32),
            }
        }
        added
    }

    /// Puts a vector into the set, and tells its cell and whether it is new.
    #[inline]
    fn add(
        &self,
        table: &Table<Tagged>,
        Space { contents, room, piece }: &mut Space<'_>,
        (key, vector): (u64, &[u32]),
        tell: impl FnOnce(u64, bool),
    ) -> Visit {
        let is_same = |line: &Line, cell: usize| is_content(contents, number_in(line, cell), vector);
        if let Place::Found(line, cell) = table.probe::<false>(key, is_same) {
            tell(key | number_in(line, cell), false);
            return Visit::Known;
        }
        let length = joined_length(vector.len()) as u64;
        if !self.furnish(room, length, *piece, contents) {
            return Visit::Known;
        }
        let (place, next) = (room.start, room.start + length);
        write(&contents[place as usize..next as usize], vector);
        match table.probe::<true>(key | place, is_same) {
            Place::Claimed(..) => {
                room.start = next;
                tell(key | place, true);
                Visit::Added
            }
            Place::Found(line, cell) => {
                tell(key | number_in(line, cell), false);
                Visit::Known
            }
            Place::Absent | Place::Full => Visit::NoPlace,
        }
    }

    /// Sees to it that so many places are left in a room. `false`: there are not so many, and vectors are refused from now on.
    fn furnish(&self, room: &mut Range<u64>, length: u64, piece: u64, contents: &Pages) -> bool {
        if room.end - room.start >= length {
            return true;
        }
        if self.is_exhausted.load(Ordering::Relaxed) {
            return false;
        }
        let piece = piece.max(length);
        let place = self.next_place.fetch_add(piece, Ordering::SeqCst);
        let is_there = place + piece <= MOST_PLACES.min(contents.len() as u64);
        if is_there {
            // What comes right behind the rest of the last piece is added to it.
            let start = if room.end == place { room.start } else { place };
            *room = start..place + piece;
        } else {
            self.is_exhausted.store(true, Ordering::Relaxed);
        }
        is_there
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

/// What is known by keys.
impl Whole {
    /// The keys of vectors, which are kept from now on. Those that are refused have none.
    pub(crate) fn keys(&self, states: &Batch, keys: &mut Vec<Key>) {
        keys.clear();
        keys.resize(states.len(), Key::NONE);
        self.enter(states, |index, cell, _| keys[index] = Key::of_parts(cell, 0));
    }

    /// For each key whether its vector is marked.
    pub(crate) fn are_marked(&self, keys: &[Key], is_marked: &mut Vec<bool>) {
        self.for_each_head(keys, |head| {
            is_marked.push(head.is_some_and(|head| head.load(Ordering::Relaxed) & MARK != 0));
        });
    }

    /// Marks vectors, and tells for each whether that is new.
    pub(crate) fn mark(&self, keys: &[Key], is_new: &mut Vec<bool>) {
        self.for_each_head(keys, |head| {
            is_new.push(head.is_some_and(|head| head.fetch_or(MARK, Ordering::Relaxed) & MARK == 0));
        });
    }

    /// Visits the first places of vectors by their keys.
    fn for_each_head(&self, keys: &[Key], mut visit: impl FnMut(Option<&AtomicU64>)) {
        let contents = self.contents();
        for (at, key) in keys.iter().enumerate() {
            if let Some(ahead) = keys.get(at + HEADS_AHEAD) {
                contents.prefetch(place_of(*ahead));
            }
            visit(if *key == Key::NONE { None } else { contents.get(place_of(*key)) });
        }
    }

    /// Gives vectors back for their keys.
    pub(crate) fn reader(&self) -> VectorReader<'_> {
        VectorReader(self.contents())
    }
}

/// Gives vectors back. While there is one, others may have to wait with new ones; so its owner must not add any.
#[derive(Debug)]
pub(crate) struct VectorReader<'a>(Reading<'a, Pages>);

impl VectorReader<'_> {
    #[inline]
    pub(crate) fn expect(&self, key: Key) {
        self.0.prefetch(place_of(key));
    }

    pub(crate) fn words(&self, key: Key, words: &mut Vec<u32>) -> Option<()> {
        words.clear();
        if key == Key::NONE {
            return None;
        }
        let (head, places) = self.0.get(place_of(key)..)?.split_first()?;
        let head = head.load(Ordering::Relaxed);
        let length = (head & (MARK - 1)) as usize;
        words.reserve(length + 2);
        words.push((head >> 32) as u32);
        for place in places.get(..joined_length(length) - 1)? {
            let joined = place.load(Ordering::Relaxed);
            words.extend([joined as u32, (joined >> 32) as u32]);
        }
        words.truncate(length);
        Some(())
    }
}

/// So many keys before one is looked at, the memory of its vector is asked for.
const HEADS_AHEAD: usize = 12;

/// Where a vector with this key begins.
#[inline]
fn place_of(key: Key) -> usize {
    key.bits() as u32 as usize
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
        self.enter(states, |index, _, is_new_now| is_new[index] |= is_new_now);
    }

    fn expect_words(&self, add_words: &mut dyn FnMut(&mut Vec<u32>), batch: &mut Batch) {
        match batch.push_vector(add_words, key_of) {
            Some(key) => self.growing.expect(&[key]),
            None => batch.push_with(0, add_words),
        }
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        is_known.clear();
        let mut looked = LOOKED.take();
        looked.fill(states, |key| self.growing.expect(&[key]));
        let vectors = vectors_in(states, &looked.vectors, &looked.words);
        let contents = self.contents();
        let key = |index: usize| vectors.vectors[index].key;
        self.growing.look(states.len(), key, |table, index, key| {
            let (_, vector) = vectors.get(index);
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
    /// Writes the states of a batch down that have not come as vectors, and asks for the memory in which each will be looked
    /// for.
    fn fill(&mut self, states: &Batch, expect: impl Fn(u64)) {
        if states.vectors().is_some() {
            return;
        }
        self.words.clear();
        self.vectors.clear();
        for index in 0..states.len() {
            let start = self.words.len();
            states.add_words(index, &mut self.words);
            let key = key_of(&self.words[start..]);
            expect(key);
            self.vectors.push(Vector { key, end: self.words.len() as u32 });
        }
    }
}

impl<'a> Vectors<'a> {
    /// A vector, and its key.
    #[inline]
    fn get(&self, index: usize) -> (u64, &'a [u32]) {
        let start = index.checked_sub(1).map_or(0, |before| self.vectors[before].end);
        let Vector { key, end } = self.vectors[index];
        (key, &self.words[start as usize..end as usize])
    }

    /// They need no more places than these.
    fn most_places(&self) -> u64 {
        (self.words.len() / 2 + self.vectors.len()) as u64
    }
}

/// The vectors of a batch, given those that had to be written down.
fn vectors_in<'a>(states: &'a Batch, vectors: &'a [Vector], words: &'a [u32]) -> Vectors<'a> {
    match states.vectors() {
        Some(vectors) => Vectors { vectors, words: states.words_of_bases() },
        None => Vectors { vectors, words },
    }
}

/// Looks for all vectors in their home lines, and asks for the memory of what may be the same. Gives how many places those
/// need that are new.
#[inline]
fn glance_at_all(
    table: &Table<Tagged>,
    contents: &Pages,
    vectors: &Vectors<'_>,
    glances: &mut Vec<Glance>,
) -> u64 {
    let (mut start, mut length) = (0, 0);
    glances.clear();
    glances.extend(vectors.vectors.iter().map(|&Vector { key, end }| {
        let words = end - std::mem::replace(&mut start, end);
        let glance = table.glance(key);
        match glance {
            Glance::Absent { .. } => {
                table.prefetch_line_to_write(table.home(key));
                length += joined_length(words as usize);
            }
            Glance::Unclear => {
                if let Some((line, cell)) = table.find_at_home(key) {
                    contents.prefetch(number_in(line, cell) as usize);
                }
            }
        }
        glance
    }));
    length as u64
}

/// Writes a vector to its places.
#[inline]
fn write(places: &[AtomicU64], vector: &[u32]) {
    let put = |place: &AtomicU64, joined| {
        place.store(joined, Ordering::Relaxed);
        true
    };
    all_joined(places, vector, put, put);
}

/// Visits the places of a vector with what is kept there, as long as `visit` says so; whether it did for all. Two words are
/// kept at a time, the length before all others: so none is the beginning of another. With the length lies the mark.
#[inline]
fn all_joined(
    places: &[AtomicU64],
    vector: &[u32],
    visit_head: impl Fn(&AtomicU64, u64) -> bool,
    visit: impl Fn(&AtomicU64, u64) -> bool,
) -> bool {
    let (first, rest) = vector.split_first().map_or((0, vector), |(first, rest)| (*first, rest));
    let (pairs, last) = rest.as_chunks();
    let Some((head, places)) = places.split_first() else { return false };
    visit_head(head, join(vector.len() as u32, first))
        && places.iter().zip(pairs).all(|(place, &[low, high])| visit(place, join(low, high)))
        && last.iter().zip(&places[pairs.len()..]).all(|(last, place)| visit(place, join(*last, 0)))
}

#[inline]
fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// How many places a vector of so many words needs.
#[inline]
fn joined_length(words: usize) -> usize {
    words / 2 + 1
}

/// The key of a vector, without a place: half a hash, which is never 0.
#[inline]
fn key_of(vector: &[u32]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15 ^ vector.len() as u64;
    let mut add = |[a, b, c, d]: [u32; 4]| {
        hash = fold(hash ^ join(a, b), join(c, d) ^ 0xa076_1d64_78bd_642f);
    };
    let (fours, last) = vector.as_chunks();
    fours.iter().for_each(|four| add(*four));
    match *last {
        [a] => add([a, 0, 0, 0]),
        [a, b] => add([a, b, 0, 0]),
        [a, b, c] => add([a, b, c, 0]),
        _ => {}
    }
    (fold(hash, 0xd1b5_4a32_d192_ed03) >> 32).max(1) << 32
}

/// Whether this is the vector at a place.
#[inline]
fn is_content(contents: &Pages, place: u64, vector: &[u32]) -> bool {
    // The words were written before the cell in which the place was found.
    fence(Ordering::Acquire);
    let words = contents.get(place as usize..place as usize + joined_length(vector.len()));
    let is = |word: &AtomicU64, joined| word.load(Ordering::Relaxed) == joined;
    let is_but_for_mark = |word: &AtomicU64, joined| word.load(Ordering::Relaxed) & !MARK == joined;
    words.is_some_and(|words| all_joined(words, vector, is_but_for_mark, is))
}

#[cfg(test)]
mod tests {
    use super::{ROOM, ROOMS, Whole, is_content, joined_length, key_of, write};
    use crate::VisitedSet;
    use crate::pages::Pages;
    use std::collections::HashSet;

    fn vector(length: u32) -> Vec<u32> {
        (1..=length).map(|number| number.wrapping_mul(0x9E37_79B9)).collect()
    }

    #[test]
    fn only_the_vector_itself_is_what_is_kept() {
        let pages = Pages::zeroed(64).expect("this is little memory");
        for length in 0..40 {
            let kept = vector(length);
            write(&pages[3..3 + joined_length(kept.len())], &kept);
            assert!(is_content(&pages, 3, &kept));
            let other_lengths = (0..=length + 1).filter(|other| *other != length);
            assert!(other_lengths.into_iter().all(|other| !is_content(&pages, 3, &vector(other))));
            for at in 0..kept.len() {
                let mut other = kept.clone();
                other[at] ^= 1 << (at % 32);
                assert!(!is_content(&pages, 3, &other));
            }
            // A zero more at the end, where one is kept that belongs to no vector.
            assert!(!is_content(&pages, 3, &[&*kept, &[0]].concat()));
        }
        assert!(!is_content(&pages, 64, &[]));
    }

    #[test]
    fn threads_at_the_same_time_are_in_different_rooms() {
        let set = Whole::new();
        let rooms: Vec<_> = (0..ROOMS).map(|_| set.room()).collect();
        assert!(set.rooms.iter().all(|room| room.0.try_lock().is_err()));
        drop(rooms);
        let last = ROOM.get();
        drop(set.room());
        assert_eq!(ROOM.get(), last);
    }

    #[test]
    fn pieces_of_rooms_do_not_overlap_and_rests_are_joined() {
        let set = Whole::new();
        let contents = Pages::zeroed(1 << 16).expect("this is little memory");
        let (mut one, mut other) = (0..0, 0..0);
        assert!(set.furnish(&mut one, 100, 0, &contents));
        assert_eq!(one, 0..100);
        one.start = 90;
        assert!(set.furnish(&mut one, 20, 0, &contents), "what is behind belongs to nobody else");
        assert_eq!(one, 90..120);
        assert!(set.furnish(&mut other, 30, 0, &contents));
        assert_eq!(other, 120..150);
        assert!(set.furnish(&mut one, 40, 0, &contents));
        assert_eq!(one, 150..190);
        assert!(!set.furnish(&mut one, 1 << 16, 0, &contents) && set.is_full());
    }

    #[test]
    fn every_word_and_the_length_have_a_say_in_the_key() {
        let mut keys = HashSet::new();
        for length in 0..20 {
            assert!(keys.insert(key_of(&vec![0; length as usize])));
            for at in 0..length as usize {
                let mut other = vec![0; length as usize];
                other[at] = u32::MAX;
                assert!(keys.insert(key_of(&other)));
            }
        }
        assert!(keys.iter().all(|key| *key != 0 && *key as u32 == 0));
    }
}
