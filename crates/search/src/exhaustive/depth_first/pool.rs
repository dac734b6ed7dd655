//! What workers give to those that have nothing to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Work that any of the workers may take.
pub(super) struct Pool<T> {
    workers: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
    /// Whether somebody waits and nothing is there; read without the lock.
    is_wanted: AtomicBool,
}

struct State<T> {
    gifts: Vec<T>,
    waiting: usize,
    is_closed: bool,
}

impl<T> Pool<T> {
    pub(super) fn new(workers: usize) -> Pool<T> {
        let state = State { gifts: Vec::new(), waiting: 0, is_closed: false };
        Pool { workers, state: Mutex::new(state), changed: Condvar::new(), is_wanted: AtomicBool::new(false) }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    pub(super) fn give(&self, gifts: Vec<T>) {
        let mut state = self.lock();
        state.gifts.extend(gifts);
        self.is_wanted.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// A part of what is there, waiting for it if need be; `None` when all workers wait, or the pool is closed.
    pub(super) fn take(&self) -> Option<Vec<T>> {
        let mut state = self.lock();
        state.waiting += 1;
        while state.gifts.is_empty() && !state.is_closed {
            if state.waiting == self.workers {
                state.is_closed = true;
                self.changed.notify_all();
                break;
            }
            self.is_wanted.store(true, Ordering::Relaxed);
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return None;
        }
        state.waiting -= 1;
        let left = state.gifts.len() / 2;
        let taken = state.gifts.split_off(left);
        self.is_wanted.store(state.waiting > 0 && state.gifts.is_empty(), Ordering::Relaxed);
        Some(taken)
    }

    /// Lets everybody go home.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
