//! What workers give to those that have nothing to do, and where all of them stand still for a moment.
//!
//! A worker is at work, waits for something to do, or is parked: it has left its stack here and wants it looked at. When
//! nobody is at work and somebody is parked, one of the parked looks at everything; then all take a stack back and go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::stack::{Gift, Stack};

/// Work that any of the workers may take.
pub(super) struct Pool<S> {
    state: Mutex<State<S>>,
    changed: Condvar,
    /// Whether somebody waits and nothing is there; read without the lock.
    is_wanted: AtomicBool,
    /// Whether all are to park; read without the lock.
    is_pausing: AtomicBool,
}

struct State<S> {
    /// How many workers there are.
    workers: usize,
    gifts: Vec<Gift<S>>,
    /// Whole stacks that nobody has taken yet.
    left: Vec<Stack<S>>,
    /// Those of the parked workers.
    parked: Vec<Stack<S>>,
    waiting: usize,
    /// How often everything has been looked at.
    pauses: u64,
    is_closed: bool,
}

/// Everything that waits to be expanded, while nobody is at work.
pub(super) struct Everything<'a, S> {
    pub(super) stacks: Vec<&'a Stack<S>>,
    pub(super) gifts: &'a [Gift<S>],
}

impl<S> Pool<S> {
    /// A pool with stacks for those who come first.
    pub(super) fn new(workers: usize, left: Vec<Stack<S>>) -> Pool<S> {
        let state = State {
            workers,
            gifts: Vec::new(),
            left,
            parked: Vec::new(),
            waiting: 0,
            pauses: 0,
            is_closed: false,
        };
        Pool {
            state: Mutex::new(state),
            changed: Condvar::new(),
            is_wanted: AtomicBool::new(false),
            is_pausing: AtomicBool::new(false),
        }
    }

    /// Says how many workers came after all: nobody must wait for the others.
    pub(super) fn have_workers(&self, workers: usize) {
        self.lock().workers = workers;
        self.changed.notify_all();
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    pub(super) fn is_pausing(&self) -> bool {
        self.is_pausing.load(Ordering::Relaxed)
    }

    /// Asks all workers to park.
    pub(super) fn ask_for_pause(&self) {
        self.is_pausing.store(true, Ordering::Relaxed);
    }

    pub(super) fn give(&self, gifts: Vec<Gift<S>>) {
        let mut state = self.lock();
        state.gifts.extend(gifts);
        self.is_wanted.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Adds to an empty stack a part of what is there, waiting for it if need be; `false` when all workers wait, or the
    /// pool is closed.
    pub(super) fn take(&self, stack: &mut Stack<S>) -> bool {
        debug_assert!(stack.waiting.is_empty(), "what waits there would be lost");
        let mut state = self.lock();
        state.waiting += 1;
        if self.is_pausing() {
            self.changed.notify_all();
        }
        while state.gifts.is_empty() && state.left.is_empty() && !state.is_closed {
            if state.waiting == state.workers {
                state.is_closed = true;
                self.changed.notify_all();
                break;
            }
            self.is_wanted.store(true, Ordering::Relaxed);
            state = self.wait(state);
        }
        if state.is_closed {
            return false;
        }
        state.waiting -= 1;
        if let Some(whole) = state.left.pop() {
            *stack = whole;
            return true;
        }
        let left = state.gifts.len() / 2;
        stack.accept(state.gifts.split_off(left));
        self.is_wanted.store(state.waiting > 0 && state.gifts.is_empty(), Ordering::Relaxed);
        true
    }

    /// Parks until somebody has looked at everything, or the pool is closed. The stack that comes back may be another one.
    pub(super) fn park(&self, stack: Stack<S>, look: impl FnOnce(&Everything<'_, S>)) -> Stack<S> {
        let mut state = self.lock();
        state.parked.push(stack);
        let pauses = state.pauses;
        while state.pauses == pauses && !state.is_closed {
            if state.parked.len() + state.waiting < state.workers {
                state = self.wait(state);
                continue;
            }
            look(&state.everything());
            self.is_pausing.store(false, Ordering::Relaxed);
            state.pauses += 1;
            self.changed.notify_all();
            break;
        }
        state.parked.pop().expect("each parked worker has left a stack")
    }

    /// Lets everybody go home.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Looks at everything once all workers have gone home and left their stacks here.
    pub(super) fn look_at_end(&self, stacks: Vec<Stack<S>>, look: impl FnOnce(&Everything<'_, S>)) {
        let mut state = self.lock();
        state.parked = stacks;
        look(&state.everything());
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State<S>>) -> MutexGuard<'g, State<S>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> State<S> {
    fn everything(&self) -> Everything<'_, S> {
        Everything { stacks: self.left.iter().chain(&self.parked).collect(), gifts: &self.gifts }
    }
}
