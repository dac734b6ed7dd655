//! Memory that is shared without locks: objects by id and single boxes, which are filled once, words in cache lines, and objects
//! that several hold.
//!
//! The tables of states hold very many small objects. A lock or a flag beside each would take as much memory as some
//! objects do, and setting it as much time as making them; so what is filled is told by one bit apart. Memory is asked for
//! in large pieces that nothing writes to before they are needed.
//!
//! Invariants: a place is written only by whoever drew its number from `numbers`, which gives each number once; its bit is
//! set after that, and nobody reads a place before they have seen its bit, or a front that was moved past it by somebody who
//! had. Words in lines are atomics. A box's pointer is null or owned by it. What several hold lives as long as its counter,
//! which is that of its holders, is not 0, and is changed only by one who alone holds it.
#![allow(unsafe_code)]

use fabius_threads::Numbers;
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

/// Objects by id. Nothing that a table holds ever moves. A thread gets ids in order, and when there are many in runs of its own:
/// some are left out then.
pub(crate) struct Table<T> {
    /// Chunk `k` holds `FIRST << k` objects.
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
    numbers: Numbers,
    /// All places of the first chunk below this one are filled: the shortest answer, for most ids.
    front: AtomicU32,
}

struct Chunk<T> {
    places: Box<[MaybeUninit<UnsafeCell<T>>]>,
    /// One bit for each place, set when it has been filled.
    filled: Box<[AtomicU64]>,
}

// SAFETY: as for a `OnceLock`: threads share what is in the places, and one may drop what another has put there.
unsafe impl<T: Send + Sync> Sync for Chunk<T> {}

/// Most ids are in the first chunk; what is not used of it takes no memory.
const FIRST_BITS: u32 = 12;
const FIRST: u32 = 1 << FIRST_BITS;
const CHUNKS: usize = 19;
/// So many places have a cache line of bits. Small tables have no gaps, so that their front reaches their end.
const RUN: u64 = 512;
const RUNS_FROM: u64 = FIRST as u64 / 2;
const WORD: usize = u64::BITS as usize;

/// All ids.
fn ids() -> Numbers {
    Numbers::new(0, 1 << u32::BITS, RUN, RUNS_FROM)
}

/// The chunk of an id and its place there.
fn locate(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + u64::from(FIRST);
    let bits = shifted.ilog2();
    ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
}

impl<T> Chunk<T> {
    /// The number of places is a multiple of the bits in a word.
    fn new(size: usize) -> Self {
        let filled = (0..size / WORD).map(|_| AtomicU64::new(0)).collect();
        Self { places: Box::new_uninit_slice(size), filled }
    }

    /// The object in a place, if there is one.
    ///
    /// # Safety
    ///
    /// The chunk has such a place.
    unsafe fn get(&self, place: usize) -> Option<&T> {
        // SAFETY: by assumption. A place has a bit.
        let (filled, place_of) =
            unsafe { (self.filled.get_unchecked(place / WORD), self.places.get_unchecked(place)) };
        let is_filled = filled.load(Ordering::Acquire) >> (place % WORD) & 1 == 1;
        // SAFETY: the place was filled before its bit was seen, and is never written again.
        is_filled.then(|| unsafe { &*UnsafeCell::raw_get(place_of.as_ptr()) })
    }

    /// Drops all objects.
    fn clear(&mut self) {
        for (word, filled) in self.filled.iter_mut().enumerate() {
            let mut bits = std::mem::take(filled.get_mut());
            while bits != 0 {
                let place = word * WORD + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // SAFETY: the bit says that there is an object; as it is gone, nobody reads or drops it again.
                unsafe { self.places[place].assume_init_drop() };
            }
        }
    }
}

impl<T> Drop for Chunk<T> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<T> Table<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS], numbers: ids(), front: AtomicU32::new(0) }
    }

    /// All ids are below it.
    pub(crate) fn end(&self) -> u32 {
        self.numbers.next() as u32
    }

    /// The object of an id, if it has one.
    #[inline]
    pub(crate) fn find(&self, id: u32) -> Option<&T> {
        if id < self.front.load(Ordering::Acquire) {
            return Some(self.get(id));
        }
        self.find_behind(id)
    }

    fn find_behind(&self, id: u32) -> Option<&T> {
        let (chunk, place) = locate(id);
        // SAFETY: `locate` gives a place below `FIRST << chunk`, and so many does each chunk have.
        self.chunks.get(chunk)?.get().and_then(|chunk| unsafe { chunk.get(place) })
    }

    /// Lets this thread go on with an id, and leaves out those before it; false if that has been given. Only while no other
    /// thread adds anything.
    pub(crate) fn skip_to(&self, id: u32) -> bool {
        self.numbers.skip_to(id.into())
    }

    /// The object of an id that `push` returned.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        if id < self.front.load(Ordering::Acquire) {
            // SAFETY: what is in front is in the first chunk, which was made when the first place was filled; the place was
            // filled before it was in front, and is never written again.
            return unsafe {
                let chunk = self.chunks[0].get().unwrap_unchecked();
                &*UnsafeCell::raw_get(chunk.places.get_unchecked(id as usize).as_ptr())
            };
        }
        self.get_behind(id)
    }

    fn get_behind(&self, id: u32) -> &T {
        self.find_behind(id).expect("ids come from `push`")
    }

    pub(crate) fn push(&self, object: T) -> u32 {
        let (id, chunk, place) = self.reserve(1);
        Filling { places: chunk.places[place..=place].iter() }.push(object);
        chunk.filled[place / WORD].fetch_or(1 << (place % WORD), Ordering::Release);
        self.move_front(id, chunk);
        id
    }

    /// Moves the front past places that are filled, if this id, the last that was filled, is in the first chunk.
    fn move_front(&self, id: u32, chunk: &Chunk<T>) {
        if id >= FIRST {
            return;
        }
        let mut front = self.front.load(Ordering::Acquire);
        // SAFETY: the first chunk has places up to `FIRST`.
        while front < FIRST && unsafe { chunk.get(front as usize) }.is_some() {
            front += 1;
        }
        self.front.fetch_max(front, Ordering::AcqRel);
    }

    /// Adds as many objects as `count` says, one behind the other; returns the id of the first.
    pub(crate) fn push_all(&self, count: usize, fill: impl FnOnce(&mut Filling<'_, T>)) -> u32 {
        if count == 0 {
            return 0;
        }
        let (id, chunk, place) = self.reserve(count);
        let mut filling = Filling { places: chunk.places[place..place + count].iter() };
        fill(&mut filling);
        assert!(filling.places.len() == 0, "as many objects are added as were announced");
        for (word, bits) in words(place, count) {
            chunk.filled[word].fetch_or(bits, Ordering::Release);
        }
        self.move_front(id, chunk);
        id
    }

    /// Objects that were added together: the id of the first, and how many they are.
    pub(crate) fn slice(&self, id: u32, count: usize) -> &[T] {
        if count == 0 {
            return &[];
        }
        let (chunk, place) = locate(id);
        let chunk = self.chunks[chunk].get().expect("ids come from `push_all`");
        let places = &chunk.places[place..place + count];
        let are_filled =
            |(word, bits): (usize, u64)| chunk.filled[word].load(Ordering::Acquire) & bits == bits;
        assert!(words(place, count).all(are_filled), "ids come from `push_all`");
        // SAFETY: as in `Chunk::get`, for each of them. The wrappers have the layout of what they wrap.
        unsafe { std::slice::from_raw_parts(places.as_ptr().cast(), count) }
    }

    /// Draws ids for `count` objects in one chunk. Ids at the end of a chunk may be left out.
    fn reserve(&self, count: usize) -> (u32, &Chunk<T>, usize) {
        loop {
            let id = u32::try_from(self.numbers.give(count as u64)).expect("memory ends before ids do");
            let (chunk, place) = locate(id);
            let size = (FIRST as usize) << chunk;
            if place + count <= size {
                return (id, self.chunks[chunk].get_or_init(|| Chunk::new(size)), place);
            }
        }
    }

    /// How many bytes the next chunk takes, if the last one is nearly full.
    pub(crate) fn growth_ahead(&self) -> usize {
        let (chunk, place) = locate(self.end());
        let size = (FIRST as usize) << chunk;
        if place < size / 8 * 7 { 0 } else { 2 * size * size_of::<T>() }
    }

    /// Forgets everything, and keeps the room for as much again.
    pub(crate) fn clear(&mut self) {
        self.front = AtomicU32::new(0);
        self.chunks.iter_mut().filter_map(OnceLock::get_mut).for_each(Chunk::clear);
        self.numbers = ids();
    }
}

/// Places that only their owner knows, to be filled in order.
///
/// Invariant: their ids were drawn by whoever made this; ids do not recur, for there is no chunk for those from 2^31 on.
pub(crate) struct Filling<'a, T> {
    places: std::slice::Iter<'a, MaybeUninit<UnsafeCell<T>>>,
}

impl<T> Filling<'_, T> {
    pub(crate) fn push(&mut self, object: T) {
        let place = self.places.next().expect("no more objects are added than were announced");
        // SAFETY: by the invariant nobody else writes here, and nobody reads before the bit is set.
        unsafe { UnsafeCell::raw_get(place.as_ptr()).write(object) };
    }
}

/// The words of bits that belong to some places of a chunk, with those bits.
fn words(place: usize, count: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = place + count;
    (place / WORD..end.div_ceil(WORD)).map(move |word| {
        let from = place.saturating_sub(word * WORD);
        let to = (end - word * WORD).min(WORD);
        (word, u64::MAX >> (WORD - (to - from)) << from)
    })
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("end", &self.end()).finish_non_exhaustive()
    }
}

/// Words of one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [AtomicU64; LINE]);

const LINE: usize = 8;

impl Line {
    /// Asks the processor to fetch it to be written to: no other processor keeps it.
    #[inline]
    pub(crate) fn expect(&self) {
        prefetch_to_write(self);
    }
}

/// Asks the processor to fetch the cache line of an address to be written to; it need not be anybody's.
#[inline]
fn prefetch_to_write<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program could see, and does nothing where there is no memory; processors
    // that do not know the instruction do nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Lines of words that are 0 at first. What is not used of them takes no memory.
#[derive(Debug)]
pub(crate) struct Lines(Box<[Line]>);

impl Lines {
    pub(crate) fn zeroed(count: usize) -> Self {
        // SAFETY: a word whose bytes are 0 is one.
        Self(unsafe { Box::new_zeroed_slice(count).assume_init() })
    }

    /// Lets the first ones be 0 again.
    pub(crate) fn clear(&mut self, count: usize) {
        self.0[..count].iter_mut().flat_map(|line| &mut line.0).for_each(|word| *word.get_mut() = 0);
    }
}

impl Deref for Lines {
    type Target = [Line];

    #[inline]
    fn deref(&self) -> &[Line] {
        &self.0
    }
}

/// A box that is filled at most once; no larger than a pointer.
pub(crate) struct OnceBox<T> {
    pointer: AtomicPtr<T>,
    owns: PhantomData<T>,
}

// SAFETY: as for a `OnceLock` with a box in it.
unsafe impl<T: Send + Sync> Sync for OnceBox<T> {}

impl<T> OnceBox<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: a pointer that is not null comes from `Box::into_raw`, and its box lives as long as this one.
        unsafe { self.pointer.load(Ordering::Acquire).as_ref() }
    }

    /// What it holds, made at the first time. Threads may make it at the same time; one of them prevails.
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(known) = self.get() {
            return known;
        }
        let new = Box::into_raw(Box::new(make()));
        let order = (Ordering::AcqRel, Ordering::Acquire);
        match self.pointer.compare_exchange(ptr::null_mut(), new, order.0, order.1) {
            // SAFETY: it is owned from now on, and was made above.
            Ok(_) => unsafe { &*new },
            Err(other) => {
                // SAFETY: nobody else has seen the new one; the other is owned.
                unsafe {
                    drop(Box::from_raw(new));
                    &*other
                }
            }
        }
    }
}

impl<T> Default for OnceBox<T> {
    fn default() -> Self {
        Self { pointer: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }
}

impl<T> Drop for OnceBox<T> {
    fn drop(&mut self) {
        let pointer = *self.pointer.get_mut();
        if !pointer.is_null() {
            // SAFETY: it comes from `Box::into_raw`, and is owned.
            drop(unsafe { Box::from_raw(pointer) });
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An object that several hold: an `Arc` that nobody holds weakly. Whoever alone holds it, as is usual for what is just being
/// changed, sees that by reading the counter, and changes or drops it without writing there.
pub(crate) struct Counted<T> {
    pointer: NonNull<Holders<T>>,
    owns: PhantomData<Holders<T>>,
}

struct Holders<T> {
    count: AtomicUsize,
    object: T,
}

// SAFETY: as for an `Arc`: threads share the object, and one may drop what another has put there.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    pub(crate) fn new(object: T) -> Self {
        let holders = Box::new(Holders { count: AtomicUsize::new(1), object });
        Self { pointer: NonNull::from(Box::leak(holders)), owns: PhantomData }
    }

    fn holders(&self) -> &Holders<T> {
        // SAFETY: this is one of the holders, so the object lives; who changes it has the only one, exclusively.
        unsafe { self.pointer.as_ref() }
    }

    /// How many hold it.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        // What the others did before they let go of it has happened.
        self.holders().count.load(Ordering::Acquire)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.pointer == other.pointer
    }
}

impl<T: Clone> Counted<T> {
    /// The object to change; a copy if somebody else holds it too.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        if self.count() != 1 {
            // The copy is made where it belongs.
            let room = Box::new_uninit();
            let count = AtomicUsize::new(1);
            let holders = Box::write(room, Holders { count, object: T::clone(self) });
            *self = Self { pointer: NonNull::from(Box::leak(holders)), owns: PhantomData };
        }
        // SAFETY: this is the only holder, and nobody else has a reference to it, from which others could come.
        unsafe { &mut self.pointer.as_mut().object }
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.holders().object
    }
}

impl<T> Clone for Counted<T> {
    #[inline]
    fn clone(&self) -> Self {
        let before = self.holders().count.fetch_add(1, Ordering::Relaxed);
        // So many are there only if most were forgotten; beyond that the counter would begin anew.
        assert!(before < usize::MAX / 2, "nobody holds an object so many times");
        Self { pointer: self.pointer, owns: PhantomData }
    }
}

impl<T> Drop for Counted<T> {
    #[inline]
    fn drop(&mut self) {
        if self.count() != 1 {
            if self.holders().count.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: the last holder lets go of it; it was made by `Box::leak`.
        drop(unsafe { Box::from_raw(self.pointer.as_ptr()) });
    }
}

impl<T: fmt::Debug> fmt::Debug for Counted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests;
