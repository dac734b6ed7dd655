//! One thread's part of the search.

use std::sync::atomic::Ordering;

use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_store::Batch;

use super::paths::PathId;
use super::sleep::{Movers, Sleep};
use super::stack::{Stack, Waiting};
use super::{Counts, Shared};
use crate::{Progress, StopReason};

/// How many successors are looked up at once, at least; with fewer, memory would be waited for.
const BATCH: usize = 96;
/// With fewer states than these a worker gives none away.
const SHARED_FROM: usize = 4;

/// After so many batches a worker tells the others what it has counted, if there are others: each time, the processors would
/// wait for each other's counters.
const UNTOLD: u64 = 16;
/// Nobody has more new states to tell of, as far as can be foreseen.
const MOST_UNTOLD: u64 = UNTOLD << 12;

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
    sleep: Sleep,
    /// Steps of this batch that need not be looked at.
    slept: u64,
    /// What the others do not know of yet, and after how many batches they are told.
    untold: Untold,
    patience: u64,
    /// The length of the stack that the others know of.
    told_frontier: u64,
}

/// What was counted since it was told last.
#[derive(Default)]
struct Untold {
    batches: u64,
    states: u64,
    transitions: u64,
}

/// A state that has been expanded.
struct Expanded<S> {
    /// `None` once one of its successors was made of it.
    state: Option<S>,
    path: PathId,
    movers: Movers,
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
            sleep: Sleep::new(),
            slept: 0,
            untold: Untold::default(),
            patience: 1,
            told_frontier: 0,
        }
    }

    /// Works until nothing is left or the search is stopped; then this is what waits.
    pub(super) fn work(mut self) -> Stack<P::State> {
        let shared = self.shared;
        'search: while shared.pool.take(&mut self.stack) {
            self.stack.waiting.iter_mut().for_each(|waiting| shared.program.detach(&mut waiting.state));
            while !self.stack.waiting.is_empty() {
                if shared.is_stopped.load(Ordering::Relaxed) {
                    // The pool may not be closed yet. Who asked it for another stack would lose this one.
                    break 'search;
                }
                self.work_batch();
                self.share();
                if shared.pool.is_pausing() {
                    self.pause();
                }
            }
        }
        self.tell();
        self.stack
    }

    /// Lets what waits be written down, with what the others have.
    #[cold]
    fn pause(&mut self) {
        self.tell();
        let stack = std::mem::take(&mut self.stack);
        self.stack = self.shared.pool.park(stack, |everything| self.shared.keep(everything, None));
    }

    /// Expands the latest states and stores what they lead to.
    fn work_batch(&mut self) {
        self.batch.clear();
        self.sleep.clear();
        let is_exact = self.shared.set.is_exact();
        while self.sketches.len() < BATCH
            && let Some(Waiting { state, before, position, asleep }) = self.stack.waiting.pop()
        {
            // The state's hold on the way before it goes over to its own.
            let path = self.stack.paths.step(before, position);
            let movers = if self.shared.sleeps { self.shared.program.movers(&state) } else { 0 };
            let movers = Movers::new(movers, asleep);
            self.expanded.push(Expanded { state: Some(state), path, movers, end: 0 });
            let start = self.expand();
            if is_exact {
                self.push_exact(start);
            } else {
                self.push_fingerprints(start);
            }
        }
        self.shared.set.insert(&self.batch, &mut self.is_new);
        let transitions = self.sketches.len() as u64 + std::mem::take(&mut self.slept);
        let states = self.keep_new();
        self.count(states, transitions);
    }

    /// Finds the successors of the last state; gives the number of the first.
    fn expand(&mut self) -> usize {
        let start = self.sketches.len();
        let Some(Expanded { state, path, movers, end }) = self.expanded.last_mut() else { return start };
        let slept = movers.count_asleep();
        self.slept += u64::from(slept);
        if P::MAKES_LAST_OF_STATE {
            let (program, sketches) = (self.shared.program, &mut self.sketches);
            *state = state.take().and_then(|state| {
                if slept > 0 || movers.are_several() {
                    self.sleep.sketch_last(program, state, *movers, sketches)
                } else {
                    program.sketch_last(state, sketches)
                }
            });
        } else if let Some(state) = state {
            if slept > 0 {
                self.shared.program.sketch_movers(state, movers.awake(), &mut self.sketches);
            } else {
                self.shared.program.sketch(state, &mut self.sketches);
            }
        }
        *end = self.sketches.len();
        if *end == start
            && slept == 0
            && let Some(state) = state
            && let Some(bug) = self.shared.program.end(state)
        {
            self.shared.found(bug, &self.stack.paths.way(*path));
        }
        start
    }

    /// What an exact set needs of the last state's successors.
    fn push_exact(&mut self, start: usize) {
        let Self { shared, expanded, sketches, batch, words, .. } = self;
        // A base that nothing is made from would only keep vectors out of the batch.
        if start == sketches.len() {
            return;
        }
        let state = expanded.last().and_then(|expanded| expanded.state.as_ref());
        if sketches.are_changes() {
            if let Some(state) = state {
                batch.push_base(shared.program.words(state, words));
            }
            batch.push_all_edited(sketches.fingerprints(start), sketches.edits(start));
            return;
        }
        if let Some(state) = state
            && (start..sketches.len()).any(|index| matches!(sketches.get(index), Sketch::Changed { .. }))
        {
            batch.push_base(shared.program.words(state, words));
        }
        for index in start..sketches.len() {
            match sketches.get(index) {
                Sketch::Changed { edits, .. } => batch.push_edited(0, edits),
                Sketch::Made(Outcome::State(state)) => {
                    let mut add_words = |all: &mut Vec<u32>| shared.program.add_words(state, words, all);
                    shared.set.expect_words(&mut add_words, batch);
                }
                Sketch::Made(Outcome::Bug(_)) => {}
            }
        }
    }

    /// What other sets need of the last state's successors. Their memory is asked for at once: it comes while other states
    /// are expanded.
    fn push_fingerprints(&mut self, start: usize) {
        let Self { shared, sketches, batch, .. } = self;
        if sketches.are_changes() {
            shared.set.expect(sketches.fingerprints(start), batch);
            return;
        }
        for index in start..sketches.len() {
            match sketches.get(index) {
                Sketch::Changed { fingerprint, .. } => shared.set.expect(&[fingerprint], batch),
                Sketch::Made(Outcome::State(state)) => {
                    shared.set.expect(&[shared.program.fingerprint(state)], batch);
                }
                Sketch::Made(Outcome::Bug(_)) => {}
            }
        }
    }

    /// Puts the new ones among the successors onto the stack; returns how many there are.
    fn keep_new(&mut self) -> u64 {
        let before = self.stack.waiting.len();
        let mut expanded = std::mem::take(&mut self.expanded);
        if self.sketches.are_changes() {
            self.keep_changed(&expanded);
        } else if self.sketches.are_made() {
            self.keep_all_made(&expanded);
        } else {
            self.keep_made(&expanded);
        }
        expanded.drain(..).for_each(|expanded| self.stack.paths.release(expanded.path));
        self.expanded = expanded;
        self.sketches.clear();
        (self.stack.waiting.len() - before) as u64
    }

    /// The same where each successor is a state, and a change of words.
    fn keep_changed(&mut self, expanded: &[Expanded<P::State>]) {
        let Self { shared, stack, sketches, is_new, sleep, .. } = self;
        let mut start = 0;
        for Expanded { state, path, movers, end } in expanded {
            let is_new = &is_new[start..*end];
            let first = std::mem::replace(&mut start, *end);
            let Some(before) = state else { continue };
            for (index, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
                let step = (first + index, index);
                stack.paths.hold(*path);
                let position = movers.position(index);
                let asleep = sleep.after(shared.program, Some(before), *movers, step);
                let waiting = Waiting { state: before.clone(), before: *path, position, asleep };
                let Waiting { state, .. } = stack.waiting.push_mut(waiting);
                sketches.edit_state(first + index, shared.program, state);
                (shared.visit)(state);
            }
        }
    }

    /// The same where each successor is made already. Those that are bugs were not looked up.
    fn keep_all_made(&mut self, expanded: &[Expanded<P::State>]) {
        let Self { shared, stack, sketches, is_new, sleep, .. } = self;
        let mut is_new = is_new.iter();
        let mut made = sketches.take_all_made();
        let mut start = 0;
        for Expanded { state: before, path, movers, end } in expanded {
            for (index, outcome) in (0..*end - start).zip(&mut made) {
                match outcome {
                    Outcome::State(state) => {
                        if is_new.next() == Some(&true) {
                            (shared.visit)(&state);
                            stack.paths.hold(*path);
                            let position = movers.position(index);
                            let step = (start + index, index);
                            let asleep = sleep.after(shared.program, before.as_ref(), *movers, step);
                            stack.waiting.push(Waiting { state, before: *path, position, asleep });
                        }
                    }
                    Outcome::Bug(bug) => {
                        let mut way = stack.paths.way(*path);
                        way.push(movers.position(index));
                        shared.found(bug, &way);
                    }
                }
            }
            start = *end;
        }
    }

    /// The same where some may be bugs, which were not looked up.
    fn keep_made(&mut self, expanded: &[Expanded<P::State>]) {
        let (mut start, mut looked_up) = (0, 0);
        for Expanded { state, path, movers, end } in expanded {
            for index in start..*end {
                let is_bug = matches!(self.sketches.get(index), Sketch::Made(Outcome::Bug(_)));
                if is_bug || self.is_new[looked_up] {
                    let (program, at) = (self.shared.program, index - start);
                    let asleep = self.sleep.after(program, state.as_ref(), *movers, (index, at));
                    self.keep(index, (movers.position(at), asleep), state.as_ref(), *path);
                }
                looked_up += usize::from(!is_bug);
            }
            start = *end;
        }
    }

    /// Keeps a successor of a state: the position of its choice, and who is asleep there.
    #[inline]
    fn keep(
        &mut self,
        index: usize,
        (position, asleep): (u32, u64),
        before: Option<&P::State>,
        path: PathId,
    ) {
        let outcome = match before {
            Some(before) => self.sketches.take(index, self.shared.program, before),
            None => self.sketches.take_made(index).expect("only states of which others are made are gone"),
        };
        match outcome {
            Outcome::State(state) => {
                (self.shared.visit)(&state);
                self.stack.paths.hold(path);
                self.stack.waiting.push(Waiting { state, before: path, position, asleep });
            }
            Outcome::Bug(bug) => {
                let mut way = self.stack.paths.way(path);
                way.push(position);
                self.shared.found(bug, &way);
            }
        }
    }

    fn count(&mut self, states: u64, transitions: u64) {
        let shared = self.shared;
        self.untold.batches += 1;
        self.untold.states += states;
        self.untold.transitions += transitions;
        if self.untold.batches >= self.patience || self.stack.waiting.is_empty() {
            self.tell_and_ask();
        }
        // A reason that was there before stays.
        if (shared.callbacks.should_stop)() {
            shared.stop(StopReason::Asked);
        } else if shared.keeping.is_some_and(|keeping| (keeping.is_due)()) {
            shared.pool.ask_for_pause();
        }
    }

    /// Tells what was counted, and asks whether the search is to end for it.
    fn tell_and_ask(&mut self) {
        let shared = self.shared;
        let (states, steps) = self.tell();
        if shared.set.is_full() {
            shared.stop(StopReason::SetFull);
        } else if states >= shared.limits.states && !self.stack.waiting.is_empty() {
            shared.stop(StopReason::StateLimit);
        }
        let is_near = shared.limits.states.saturating_sub(states) / MOST_UNTOLD < shared.limits.jobs as u64;
        self.patience = if shared.limits.jobs == 1 || is_near { 1 } else { UNTOLD };
        let frontier = shared.counts.frontier.load(Ordering::Relaxed);
        (shared.callbacks.progress)(&Progress { steps, states, frontier, ..Progress::default() });
    }

    /// Tells what was counted; gives the states and transitions of all.
    fn tell(&mut self) -> (u64, u64) {
        let Counts { states, transitions, depth, frontier } = &self.shared.counts;
        let untold = std::mem::take(&mut self.untold);
        let waiting = self.stack.waiting.len() as u64;
        let more_waiting = waiting.wrapping_sub(std::mem::replace(&mut self.told_frontier, waiting));
        frontier.fetch_add(more_waiting, Ordering::Relaxed);
        depth.fetch_max(self.stack.paths.take_depth(), Ordering::Relaxed);
        (
            states.fetch_add(untold.states, Ordering::Relaxed) + untold.states,
            transitions.fetch_add(untold.transitions, Ordering::Relaxed) + untold.transitions,
        )
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
