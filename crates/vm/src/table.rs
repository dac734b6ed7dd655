//! Tables that only grow and are read without locks: the ground on which states are vectors of small integers.
//!
//! A [`Table`] hands out ids and never moves what it holds. An [`Interner`] adds that equal contents get equal
//! ids. A [`Links`] is a small map from number to number, for what is remembered about one object. All are shared
//! by threads through `&self`; which id a content gets may depend on their timing, so nothing that leaves the process may
//! depend on ids.

use crate::index::{Index, tag_of};
use crate::places::OnceBox;
pub(crate) use crate::places::Table;
use fabius_threads::Counter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What an [`Interner`] holds: something with a hash of its content.
pub(crate) trait Interned {
    fn hash(&self) -> u128;
    fn is_same(&self, other: &Self) -> bool;
    /// Roughly the bytes it holds.
    fn bytes(&self) -> usize;
}

/// A table in which equal contents have equal ids.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    table: Table<T>,
    index: Index,
    /// Ids, in the table but not in the index, of objects that another thread has added at the same time.
    spare: Mutex<Vec<u32>>,
    bytes: Counter,
}

impl<T: Interned> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { table: Table::new(), index: Index::new(), spare: Mutex::default(), bytes: Counter::default() }
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        self.table.get(id)
    }

    /// The object of an id that need not exist.
    #[inline]
    pub(crate) fn find(&self, id: u32) -> Option<&T> {
        self.table.find(id)
    }

    /// All objects with their ids, in the order of these. While nobody interns.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spare.sort_unstable();
        let ids = (0..self.table.end()).filter(move |id| spare.binary_search(id).is_err());
        ids.filter_map(|id| Some((id, self.find(id)?)))
    }

    /// Lets this thread go on with an id, if no object has it: see [`Table::skip_to`].
    pub(crate) fn skip_to(&self, id: u32) -> bool {
        self.find(id).is_some() || self.table.skip_to(id)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.sum() + self.index.bytes()
    }

    /// How many bytes more it takes at once when it grows, if that is near.
    pub(crate) fn growth_ahead(&self) -> usize {
        self.table.growth_ahead() + self.index.growth_ahead()
    }

    /// Has memory come that will be needed to intern something with this hash.
    #[inline]
    pub(crate) fn expect(&self, hash: u128) {
        self.index.expect(tag_of(hash));
    }

    pub(crate) fn intern(&self, object: T) -> u32 {
        let hash = object.hash();
        let mut object = Some(object);
        let is_same = |other: &T, object: &Option<T>, made: Option<&T>| {
            object.as_ref().or(made).is_some_and(|new| other.is_same(new))
        };
        // The object is taken only when it is new.
        self.enter(hash, &mut object, is_same, |object| object.take().expect("it is taken once"))
    }

    /// As `intern`, for an object that is made only when it is new, from something like it.
    pub(crate) fn intern_with<L>(
        &self,
        hash: u128,
        like: &L,
        is_same: impl Fn(&T, &L) -> bool,
        make: impl FnOnce(&L) -> T,
    ) -> u32 {
        self.enter(hash, &mut { like }, |other, like, _| is_same(other, like), |like| make(like))
    }

    /// The id of a content. `is_same` is also told what was made of it, if that has been done.
    fn enter<L>(
        &self,
        hash: u128,
        like: &mut L,
        is_same: impl Fn(&T, &L, Option<&T>) -> bool,
        make: impl FnOnce(&mut L) -> T,
    ) -> u32 {
        let tag = tag_of(hash);
        let known = self.index.find(tag, |id| {
            let other = self.table.get(id);
            other.hash() == hash && is_same(other, like, None)
        });
        let place = match known {
            Ok(id) => return id,
            Err(place) => place,
        };
        let object = make(like);
        self.bytes.add(object.bytes() + size_of::<T>());
        let new = self.table.push(object);
        let id = self.index.add(place, tag, new, |id| {
            let other = self.table.get(id);
            other.hash() == hash && is_same(other, like, Some(self.table.get(new)))
        });
        if id != new {
            self.leave_out(new);
        }
        id
    }

    /// Another thread has added the same content while this one made an object of it, to which nothing refers now.
    #[cold]
    fn leave_out(&self, id: u32) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(id);
    }

    /// Forgets everything, and keeps the room for as much again.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.index.clear();
        self.spare.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.bytes = Counter::default();
    }
}

impl<T> Interner<T> {
    /// What `links` of one of the objects remember for `key`, computed at the first time.
    pub(crate) fn remember(&self, links: &Links, key: u32, compute: impl FnOnce() -> u32) -> u32 {
        if let Some(known) = links.get(key) {
            return known;
        }
        let value = compute();
        self.bytes.add(links.insert(key, value).bytes);
        value
    }
}

/// A map from number to number that only grows. Two threads may insert the same key only with the same value.
///
/// A cell holds the key plus one in its upper half and the value in the lower; 0 is empty. The first pair sits in the
/// object itself, some more in a cache line, because each line that is read takes time; the rest in levels of growing size,
/// each probed at a few places.
#[derive(Debug, Default)]
pub(crate) struct Links {
    first: AtomicU64,
    more: OnceBox<Line>,
}

/// Its cells are filled in order.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line {
    cells: [AtomicU64; 7],
    next: OnceBox<Level>,
}

#[derive(Debug)]
struct Level {
    cells: Box<[AtomicU64]>,
    next: OnceBox<Self>,
}

/// What became of a pair that was added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inserted {
    /// Whether it was not there: of several threads that add it at the same time, one is told so.
    pub(crate) is_new: bool,
    /// How many bytes that took beside the object itself.
    pub(crate) bytes: usize,
}

const PROBES: usize = 4;
const FIRST_LEVEL: usize = 64;
const LEVEL_GROWTH: usize = 8;

fn pack(key: u32, value: u32) -> u64 {
    (u64::from(key) + 1) << 32 | u64::from(value)
}

fn key_of(cell: u64) -> Option<u32> {
    ((cell >> 32) as u32).checked_sub(1)
}

impl Links {
    /// Keys must be below this.
    pub(crate) const END: u32 = u32::MAX;

    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let cell = self.first.load(Ordering::Acquire);
        if key_of(cell) == Some(key) { Some(cell as u32) } else { self.get_more(key) }
    }

    fn get_more(&self, key: u32) -> Option<u32> {
        let line = self.more.get()?;
        let mut looked = look(&line.cells, key);
        let mut next = &line.next;
        while let Look::Elsewhere = looked {
            let level = next.get()?;
            looked = look(level.probes(key), key);
            next = &level.next;
        }
        match looked {
            Look::Found(value) => Some(value),
            Look::Elsewhere | Look::Absent => None,
        }
    }

    /// Adds a pair.
    pub(crate) fn insert(&self, key: u32, value: u32) -> Inserted {
        debug_assert!(key < Self::END);
        let mut bytes = 0;
        if let Some(is_new) = claim(&self.first, key, value) {
            return Inserted { is_new, bytes };
        }
        let line = self.more.get_or_init(|| {
            bytes += size_of::<Line>();
            Line::default()
        });
        if let Some(is_new) = line.cells.iter().find_map(|cell| claim(cell, key, value)) {
            return Inserted { is_new, bytes };
        }
        let (mut next, mut size) = (&line.next, FIRST_LEVEL);
        loop {
            let level = next.get_or_init(|| {
                bytes += size * size_of::<AtomicU64>();
                Level::new(size)
            });
            if let Some(is_new) = level.probes(key).find_map(|cell| claim(cell, key, value)) {
                return Inserted { is_new, bytes };
            }
            next = &level.next;
            size *= LEVEL_GROWTH;
        }
    }
}

/// What a look at cells tells of a key.
enum Look {
    Found(u32),
    /// There was no room for it.
    Elsewhere,
    Absent,
}

/// Looks for a key in cells that are filled in order, so that an empty one ends the search.
#[inline]
fn look<'a>(cells: impl IntoIterator<Item = &'a AtomicU64>, key: u32) -> Look {
    for cell in cells {
        let cell = cell.load(Ordering::Acquire);
        match key_of(cell) {
            Some(other) if other == key => return Look::Found(cell as u32),
            Some(_) => {}
            None => return Look::Absent,
        }
    }
    Look::Elsewhere
}

/// Puts a pair into an empty cell, if the key is not there already; whether it was not. `None` if the cell is another's.
fn claim(cell: &AtomicU64, key: u32, value: u32) -> Option<bool> {
    match cell.compare_exchange(0, pack(key, value), Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(true),
        Err(other) => (key_of(other) == Some(key)).then_some(false),
    }
}

impl Level {
    fn new(size: usize) -> Self {
        Self { cells: (0..size).map(|_| AtomicU64::new(0)).collect(), next: OnceBox::default() }
    }

    /// The places where a key may be, which are filled in order.
    fn probes(&self, key: u32) -> impl Iterator<Item = &AtomicU64> {
        let mask = self.cells.len() - 1;
        let start = (u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
        (0..PROBES).map(move |probe| &self.cells[(start + probe) & mask])
    }
}

#[cfg(test)]
mod tests;
