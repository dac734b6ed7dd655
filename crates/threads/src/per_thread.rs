//! What threads have for themselves of something that they share.
//!
//! A cache line that several processors write to goes from one to the other each time, which takes as long as a hundred
//! instructions and more. So whatever is written with every batch exists several times, and a thread uses its own. Where there
//! are more threads than places, some of them share one: all that is in there must allow it.
//!
//! `Shared` is a lock for what is all but never changed: who reads it locks its own place only, who changes it all of them.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const PLACES: usize = 16;

thread_local! {
    /// The place of the thread, in everything.
    static PLACE: usize = {
        // Neighbours in time are neighbours here, so that the threads of a search have different ones.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % PLACES
    };
}

/// Something that is there for each thread.
#[derive(Debug, Default)]
pub struct PerThread<T>([Apart<T>; PLACES]);

/// Something in cache lines of its own. Processors fetch two at a time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

impl<T> Deref for Apart<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> PerThread<T> {
    /// That of this thread.
    #[inline]
    pub fn own(&self) -> &T {
        &self.0[PLACE.with(|place| *place)]
    }

    /// Those of all threads.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(Deref::deref)
    }
}

/// A value that many threads read, and hardly ever one changes.
///
/// Invariant: while it is not locked to be changed, each place has the value; while it is, only the first has.
#[derive(Debug)]
pub struct Shared<T>(PerThread<RwLock<Option<Arc<T>>>>);

/// The value, which does not change meanwhile.
#[derive(Debug)]
pub struct Reading<'a, T>(RwLockReadGuard<'a, Option<Arc<T>>>);

/// The value, which nobody else reads meanwhile.
#[derive(Debug)]
pub struct Changing<'a, T>(Vec<RwLockWriteGuard<'a, Option<Arc<T>>>>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        let shared = Self(PerThread(Default::default()));
        let mut places: Vec<_> = shared.write_all().collect();
        *places[0] = Some(Arc::new(value));
        drop(Changing(places));
        shared
    }

    fn write_all(&self) -> impl Iterator<Item = RwLockWriteGuard<'_, Option<Arc<T>>>> {
        self.0.all().map(|place| place.write().unwrap_or_else(PoisonError::into_inner))
    }

    #[inline]
    pub fn read(&self) -> Reading<'_, T> {
        Reading(self.0.own().read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until nobody reads it. All places are locked in one order; so threads do not wait for each other in a circle.
    pub fn change(&self) -> Changing<'_, T> {
        let mut places: Vec<_> = self.write_all().collect();
        places.iter_mut().skip(1).for_each(|place| **place = None);
        Changing(places)
    }
}

impl<T> Deref for Reading<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_ref().expect("each place has the value")
    }
}

impl<T> Deref for Changing<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0[0].as_ref().expect("the first place has the value")
    }
}

impl<T> DerefMut for Changing<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let value = self.0[0].as_mut().and_then(Arc::get_mut);
        value.expect("only the first place has the value")
    }
}

impl<T> Drop for Changing<'_, T> {
    fn drop(&mut self) {
        if let Some((first, others)) = self.0.split_first_mut() {
            others.iter_mut().for_each(|place| place.clone_from(first));
        }
    }
}
