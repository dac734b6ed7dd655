//! Exhaustive search for speed: every reachable state once, latest first, on all cores, in any visited set.
//!
//! A worker takes the latest states from its stack, expands them, and asks the visited set about all their successors at
//! once; the new ones go onto its stack. A worker with nothing to do gets some of the oldest states of another. Invariant:
//! every state in the set has been expanded or stands on some stack, and only the worker that put it into the set holds
//! it; hence empty stacks mean that all were visited.
//!
//! Guarantees: with an exact set, `Exhausted` means that every reachable state was visited, and the counts are those of the
//! graph, for any number of threads. With fingerprints the same holds but for the set's stated probability of having
//! missed states. With one thread everything is a function of the program.
//! Does not guarantee: short ways to bugs; with several threads, the same bug in every run; with a set that forgets, that
//! visits are states or that the search ends.
//!
//! A way is not stored with each state, only with those on the stacks: see `paths.rs`.

mod paths;
mod pool;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fabius_model::{Expansion, Outcome, Packed};
use fabius_store::{Batch, VisitedSet};

use self::paths::{PathId, Paths, START};
use self::pool::Pool;
use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// How many successors are looked up at once, at least; with fewer, memory would be waited for.
const BATCH: usize = 64;
/// With fewer states than these a worker gives none away.
const SHARED_FROM: usize = 4;

/// What bounds the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many states may be stored; with each thread's last batch perhaps a few more are.
    pub states: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many threads; at least one.
    pub jobs: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: u64::MAX, bugs: 1, jobs: 1 }
    }
}

/// The result of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<Bug> {
    /// The different bugs, in the order in which they were found.
    pub bugs: Vec<Found<Bug>>,
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// Why it ended.
    pub stop: StopReason,
    /// States that the set did not know; with one that forgets, visits.
    pub states: u64,
    /// Steps taken, those into bugs included.
    pub transitions: u64,
    /// Steps on the longest way by which a state was found.
    pub depth: u64,
    /// States stored but not expanded.
    pub frontier: u64,
    /// How likely it is, at most, that some state was missed.
    pub omission: f64,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match (self.bugs.first(), self.stop) {
            (Some(first), _) => Verdict::Bug(first),
            (None, StopReason::Exhausted) if self.bound_met.is_none() && self.omission == 0.0 => {
                Verdict::Verified
            }
            _ => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states, and shows each of them to `visit` once, from any thread.
pub fn run<P: Packed>(
    program: &P,
    set: &dyn VisitedSet,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
) -> Report<P::Bug> {
    let shared = Shared {
        program,
        set,
        limits,
        callbacks,
        visit,
        pool: Pool::new(limits.jobs.max(1)),
        findings: Mutex::new((0, Findings::new(limits.bugs, callbacks))),
        states: AtomicU64::new(0),
        transitions: AtomicU64::new(0),
        depth: AtomicU64::new(0),
        frontier: AtomicU64::new(0),
        stop: Mutex::new(None),
        is_stopped: AtomicBool::new(false),
    };
    shared.start();
    thread::scope(|scope| {
        for _ in 1..limits.jobs {
            scope.spawn(|| Worker::new(&shared).work());
        }
        Worker::new(&shared).work();
    });
    shared.report()
}

/// A state that waits to be expanded.
struct Waiting<S> {
    state: S,
    /// The way to the state before it.
    before: PathId,
    /// The position of the choice taken there.
    position: u32,
}

/// A state given away, with all positions on the way to it, [`START`] first.
struct Gift<S> {
    state: S,
    positions: Vec<u32>,
}

struct Shared<'a, P: Packed> {
    program: &'a P,
    set: &'a dyn VisitedSet,
    limits: &'a Limits,
    callbacks: &'a Callbacks<'a, P::Bug>,
    visit: &'a (dyn Fn(&P::State) + Sync),
    pool: Pool<Gift<P::State>>,
    /// The number of bugs met, and the different ones.
    findings: Mutex<(u64, Findings<'a, P::Bug>)>,
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
    /// States that wait on stacks, as of each worker's last batch.
    frontier: AtomicU64,
    stop: Mutex<Option<StopReason>>,
    is_stopped: AtomicBool,
}

impl<P: Packed> Shared<'_, P> {
    fn start(&self) {
        match self.program.initial() {
            Outcome::Bug(bug) => self.found(bug, &[]),
            Outcome::State(state) => {
                let mut batch = Batch::new();
                self.add(&state, &mut batch, &mut Vec::new());
                self.set.insert(&batch, &mut Vec::new());
                self.states.store(1, Ordering::Relaxed);
                (self.visit)(&state);
                self.pool.give(vec![Gift { state, positions: vec![START] }]);
            }
        }
    }

    /// Adds to a batch what the set needs of a state.
    fn add(&self, state: &P::State, batch: &mut Batch, buffer: &mut Vec<u32>) {
        if self.set.is_exact() {
            batch.push(0, self.program.words(state, buffer));
        } else {
            batch.push(self.program.fingerprint(state), &[]);
        }
    }

    fn found(&self, bug: P::Bug, way: &[u32]) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let number = findings.0;
        findings.0 += 1;
        findings.1.offer(number, bug, way);
        if findings.1.last_run().is_some() {
            self.stop(StopReason::BugsFound);
        }
    }

    fn stop(&self, reason: StopReason) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_stopped.store(true, Ordering::Relaxed);
        self.pool.close();
    }

    fn report(self) -> Report<P::Bug> {
        let findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (bugs, bound_met) = findings.1.into_found();
        let stop = self.stop.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report {
            bugs,
            bound_met,
            stop: stop.unwrap_or(StopReason::Exhausted),
            states: self.states.into_inner(),
            transitions: self.transitions.into_inner(),
            depth: self.depth.into_inner(),
            frontier: self.frontier.into_inner(),
            omission: self.set.omission(),
        }
    }
}

/// One thread's part.
struct Worker<'w, 'a, P: Packed> {
    shared: &'w Shared<'a, P>,
    stack: Vec<Waiting<P::State>>,
    paths: Paths,
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
    fn new(shared: &'w Shared<'a, P>) -> Self {
        Worker {
            shared,
            stack: Vec::new(),
            paths: Paths::default(),
            expanded: Vec::new(),
            expansion: Expansion::default(),
            batch: Batch::new(),
            is_new: Vec::new(),
            words: Vec::new(),
            told_frontier: 0,
        }
    }

    fn work(mut self) {
        while let Some(gifts) = self.shared.pool.take() {
            for gift in gifts {
                let Some((position, before)) = gift.positions.split_last() else { continue };
                let before = self.paths.begin(before);
                self.stack.push(Waiting { state: gift.state, before, position: *position });
            }
            while !self.stack.is_empty() && !self.shared.is_stopped.load(Ordering::Relaxed) {
                self.work_batch();
                self.share();
            }
        }
        self.tell_frontier();
    }

    /// Expands the latest states and stores what they lead to.
    fn work_batch(&mut self) {
        while self.expansion.outcomes.len() < BATCH
            && let Some(waiting) = self.stack.pop()
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
        let path = self.paths.step(waiting.before, waiting.position);
        let before = self.expansion.outcomes.len();
        program.expand(&waiting.state, &mut self.expansion);
        let outcomes = self.expansion.outcomes.len();
        self.expanded.push((path, outcomes));
        if outcomes == before
            && let Some(bug) = program.end(&waiting.state)
        {
            self.shared.found(bug, &self.paths.way(path));
        }
    }

    /// Puts the new ones among the outcomes onto the stack; returns how many there are.
    fn keep_new(&mut self) -> u64 {
        let before = self.stack.len();
        let mut is_new = self.is_new.iter();
        let mut outcomes = self.expansion.outcomes.drain(..);
        let mut taken = 0;
        for (path, end) in self.expanded.drain(..) {
            for (position, outcome) in outcomes.by_ref().take(end - taken).enumerate() {
                let position = position as u32;
                match outcome {
                    Outcome::State(state) if is_new.next() == Some(&true) => {
                        (self.shared.visit)(&state);
                        self.paths.hold(path);
                        self.stack.push(Waiting { state, before: path, position });
                    }
                    Outcome::State(_) => {}
                    Outcome::Bug(bug) => {
                        let mut way = self.paths.way(path);
                        way.push(position);
                        self.shared.found(bug, &way);
                    }
                }
            }
            taken = end;
            self.paths.release(path);
        }
        (self.stack.len() - before) as u64
    }

    fn count(&mut self, states: u64, transitions: u64) {
        let shared = self.shared;
        let states = shared.states.fetch_add(states, Ordering::Relaxed) + states;
        let steps = shared.transitions.fetch_add(transitions, Ordering::Relaxed) + transitions;
        shared.depth.fetch_max(self.paths.take_depth(), Ordering::Relaxed);
        self.tell_frontier();
        if shared.set.is_full() {
            shared.stop(StopReason::SetFull);
        } else if states >= shared.limits.states && !self.stack.is_empty() {
            shared.stop(StopReason::StateLimit);
        } else if (shared.callbacks.should_stop)() {
            shared.stop(StopReason::Asked);
        }
        let frontier = shared.frontier.load(Ordering::Relaxed);
        (shared.callbacks.progress)(&Progress { steps, states, frontier, ..Progress::default() });
    }

    fn tell_frontier(&mut self) {
        let now = self.stack.len() as u64;
        self.shared.frontier.fetch_add(now.wrapping_sub(self.told_frontier), Ordering::Relaxed);
        self.told_frontier = now;
    }

    /// Gives half of the states away, the oldest, if somebody has nothing to do.
    fn share(&mut self) {
        if self.stack.len() < SHARED_FROM || !self.shared.pool.is_wanted() {
            return;
        }
        let half = self.stack.len() / 2;
        let gifts: Vec<_> = self.stack.drain(..half).collect();
        let gifts = gifts.into_iter().map(|waiting| {
            let mut positions = self.paths.positions(waiting.before);
            positions.push(waiting.position);
            self.paths.release(waiting.before);
            Gift { state: waiting.state, positions }
        });
        self.shared.pool.give(gifts.collect());
    }
}
