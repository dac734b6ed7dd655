//! One thread's part of the search.

use std::sync::atomic::Ordering;

use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_store::Batch;

use super::Shared;
use super::paths::PathId;
use super::stack::{Stack, Waiting};
use crate::{Progress, StopReason};

/// How many successors are looked up at once, at least; with fewer, memory would be waited for.
const BATCH: usize = 64;
/// With fewer states than these a worker gives none away.
const SHARED_FROM: usize = 4;

/// One thread's part.
pub(super) struct Worker<'w, 'a, P: Packed> {
    shared: &'w Shared<'a, P>,
    stack: Stack<P::State>,
    /// The states expanded in this batch.
    expanded: Vec<Expanded<P::State>>,
    /// Where they lead, and those of these that are states, to be looked up.
    sketches: Sketches<P::State, P::Bug>,
    batch: Batch,
    is_new: Vec<bool>,
    words: Vec<u32>,
    /// The length of the stack that the others know of.
    told_frontier: u64,
}

/// A state that has been expanded.
struct Expanded<S> {
    state: S,
    path: PathId,
    /// How many sketches there were after it.
    end: usize,
}

impl<'w, 'a, P: Packed> Worker<'w, 'a, P> {
    pub(super) fn new(shared: &'w Shared<'a, P>) -> Self {
        Worker {
            shared,
            stack: Stack::default(),
            expanded: Vec::new(),
            sketches: Sketches::default(),
            batch: Batch::new(),
            is_new: Vec::new(),
            words: Vec::new(),
            told_frontier: 0,
        }
    }

    /// Works until nothing is left or the search is stopped; then this is what waits.
    pub(super) fn work(mut self) -> Stack<P::State> {
        let shared = self.shared;
        while shared.pool.take(&mut self.stack) {
            while !self.stack.waiting.is_empty() && !shared.is_stopped.load(Ordering::Relaxed) {
                self.work_batch();
                self.share();
                if shared.pool.is_pausing() {
                    self.pause();
                }
            }
        }
        self.tell_frontier();
        self.stack
    }

    /// Lets what waits be written down, with what the others have.
    #[cold]
    fn pause(&mut self) {
        let stack = std::mem::take(&mut self.stack);
        self.stack = self.shared.pool.park(stack, |everything| self.shared.keep(everything, None));
    }

    /// Expands the latest states and stores what they lead to.
    fn work_batch(&mut self) {
        while self.sketches.len() < BATCH
            && let Some(waiting) = self.stack.waiting.pop()
        {
            self.expand(waiting);
        }
        self.look_up();
        let transitions = self.sketches.len() as u64;
        let states = self.keep_new();
        self.count(states, transitions);
    }

    /// Finds the successors of a state.
    fn expand(&mut self, waiting: Waiting<P::State>) {
        let program = self.shared.program;
        // The state's hold on the way before it goes over to its own.
        let path = self.stack.paths.step(waiting.before, waiting.position);
        let before = self.sketches.len();
        program.sketch(&waiting.state, &mut self.sketches);
        let end = self.sketches.len();
        if end == before
            && let Some(bug) = program.end(&waiting.state)
        {
            self.shared.found(bug, &self.stack.paths.way(path));
        }
        self.expanded.push(Expanded { state: waiting.state, path, end });
    }

    /// Asks the visited set which successors are new.
    fn look_up(&mut self) {
        let Self { shared, expanded, sketches, batch, words, .. } = self;
        batch.clear();
        if shared.set.is_exact() {
            let mut start = 0;
            for Expanded { state, end, .. } in expanded {
                batch.push_base(shared.program.words(state, words));
                for index in start..*end {
                    push_exact(shared.program, sketches.get(index), words, batch);
                }
                start = *end;
            }
        } else {
            for index in 0..sketches.len() {
                match sketches.get(index) {
                    Sketch::Changed { fingerprint, .. } => batch.push_fingerprint(fingerprint),
                    Sketch::Made(Outcome::State(state)) => {
                        batch.push_fingerprint(shared.program.fingerprint(state));
                    }
                    Sketch::Made(Outcome::Bug(_)) => {}
                }
            }
        }
        shared.set.insert(batch, &mut self.is_new);
    }

    /// Puts the new ones among the successors onto the stack; returns how many there are.
    fn keep_new(&mut self) -> u64 {
        let before = self.stack.waiting.len();
        let mut is_new = self.is_new.iter();
        let mut start = 0;
        for Expanded { state, path, end } in self.expanded.drain(..) {
            for index in start..end {
                let position = (index - start) as u32;
                let is_bug = matches!(self.sketches.get(index), Sketch::Made(Outcome::Bug(_)));
                if !is_bug && is_new.next() != Some(&true) {
                    continue;
                }
                match self.sketches.take(index, self.shared.program, &state) {
                    Outcome::State(state) => {
                        (self.shared.visit)(&state);
                        self.stack.paths.hold(path);
                        self.stack.waiting.push(Waiting { state, before: path, position });
                    }
                    Outcome::Bug(bug) => {
                        let mut way = self.stack.paths.way(path);
                        way.push(position);
                        self.shared.found(bug, &way);
                    }
                }
            }
            start = end;
            self.stack.paths.release(path);
        }
        self.sketches.clear();
        (self.stack.waiting.len() - before) as u64
    }

    fn count(&mut self, states: u64, transitions: u64) {
        let shared = self.shared;
        let states = shared.states.fetch_add(states, Ordering::Relaxed) + states;
        let steps = shared.transitions.fetch_add(transitions, Ordering::Relaxed) + transitions;
        shared.depth.fetch_max(self.stack.paths.take_depth(), Ordering::Relaxed);
        self.tell_frontier();
        if shared.set.is_full() {
            shared.stop(StopReason::SetFull);
        } else if states >= shared.limits.states && !self.stack.waiting.is_empty() {
            shared.stop(StopReason::StateLimit);
        } else if (shared.callbacks.should_stop)() {
            shared.stop(StopReason::Asked);
        } else if shared.keeping.is_some_and(|keeping| (keeping.is_due)()) {
            shared.pool.ask_for_pause();
        }
        let frontier = shared.frontier.load(Ordering::Relaxed);
        (shared.callbacks.progress)(&Progress { steps, states, frontier, ..Progress::default() });
    }

    fn tell_frontier(&mut self) {
        let now = self.stack.waiting.len() as u64;
        self.shared.frontier.fetch_add(now.wrapping_sub(self.told_frontier), Ordering::Relaxed);
        self.told_frontier = now;
    }

    /// Gives half of the states away, the oldest, if somebody has nothing to do.
    fn share(&mut self) {
        if self.stack.waiting.len() < SHARED_FROM || !self.shared.pool.is_wanted() {
            return;
        }
        let half = self.stack.waiting.len() / 2;
        self.shared.pool.give(self.stack.give(half));
    }
}

/// Adds a successor of the last base to a batch for an exact set.
#[inline]
fn push_exact<P: Packed>(
    program: &P,
    sketch: Sketch<'_, P::State, P::Bug>,
    words: &mut Vec<u32>,
    batch: &mut Batch,
) {
    match sketch {
        Sketch::Changed { fingerprint, edits } => {
            batch.push_edited(fingerprint, edits.iter().map(|edit| (edit.at, edit.word)));
        }
        Sketch::Made(Outcome::State(state)) => batch.push(0, program.words(state, words)),
        Sketch::Made(Outcome::Bug(_)) => {}
    }
}
