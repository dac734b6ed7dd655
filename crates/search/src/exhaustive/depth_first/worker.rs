//! One thread's part of the search.

use std::sync::atomic::Ordering;

use fabius_model::{Expansion, Outcome, Packed};
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
    /// The ways to the states expanded in this batch, and how many outcomes there were after each.
    expanded: Vec<(PathId, usize)>,
    /// Their outcomes, and those of them that are states, to be looked up.
    expansion: Expansion<P::State, P::Bug>,
    batch: Batch,
    is_new: Vec<bool>,
    words: Vec<u32>,
    /// The length of the stack that the others know of.
    told_frontier: u64,
}

impl<'w, 'a, P: Packed> Worker<'w, 'a, P> {
    pub(super) fn new(shared: &'w Shared<'a, P>) -> Self {
        Worker {
            shared,
            stack: Stack::default(),
            expanded: Vec::new(),
            expansion: Expansion::default(),
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
        while self.expansion.outcomes.len() < BATCH
            && let Some(waiting) = self.stack.waiting.pop()
        {
            self.expand(&waiting);
        }
        for outcome in &self.expansion.outcomes {
            if let Outcome::State(state) = outcome {
                self.shared.add(state, &mut self.batch, &mut self.words);
            }
        }
        self.shared.set.insert(&self.batch, &mut self.is_new);
        self.batch.clear();
        let transitions = self.expansion.outcomes.len() as u64;
        let states = self.keep_new();
        self.count(states, transitions);
    }

    /// Finds the successors of a state.
    fn expand(&mut self, waiting: &Waiting<P::State>) {
        let program = self.shared.program;
        // The state's hold on the way before it goes over to its own.
        let path = self.stack.paths.step(waiting.before, waiting.position);
        let before = self.expansion.outcomes.len();
        program.expand(&waiting.state, &mut self.expansion);
        let outcomes = self.expansion.outcomes.len();
        self.expanded.push((path, outcomes));
        if outcomes == before
            && let Some(bug) = program.end(&waiting.state)
        {
            self.shared.found(bug, &self.stack.paths.way(path));
        }
    }

    /// Puts the new ones among the outcomes onto the stack; returns how many there are.
    fn keep_new(&mut self) -> u64 {
        let before = self.stack.waiting.len();
        let mut is_new = self.is_new.iter();
        let mut outcomes = self.expansion.outcomes.drain(..);
        let mut taken = 0;
        for (path, end) in self.expanded.drain(..) {
            for (position, outcome) in outcomes.by_ref().take(end - taken).enumerate() {
                let position = position as u32;
                match outcome {
                    Outcome::State(state) if is_new.next() == Some(&true) => {
                        (self.shared.visit)(&state);
                        self.stack.paths.hold(path);
                        self.stack.waiting.push(Waiting { state, before: path, position });
                    }
                    Outcome::State(_) => {}
                    Outcome::Bug(bug) => {
                        let mut way = self.stack.paths.way(path);
                        way.push(position);
                        self.shared.found(bug, &way);
                    }
                }
            }
            taken = end;
            self.stack.paths.release(path);
        }
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
