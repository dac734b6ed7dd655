//! Exhaustive search for speed: every reachable state once, latest first, on all cores, in any visited set.
//!
//! A worker takes the latest states from its stack, expands them, and asks the visited set about their successors at once,
//! but for those that other steps lead to as well (`sleep.rs`); the new ones go onto its stack. A worker with nothing to do
//! gets some of the oldest states of another. Invariant: every state in the set has been expanded or stands on some stack,
//! and only the worker that put it into the set holds it; hence empty stacks mean that all were visited.
//!
//! Guarantees: with an exact set, `Exhausted` means that every reachable state was visited, and the counts are those of the
//! graph, for any number of threads. With fingerprints the same holds but for the set's stated probability of having
//! missed states. With one thread everything is a function of the program.
//! Does not guarantee: short ways to bugs; with several threads, the same bug in every run; with a set that forgets, that
//! visits are states or that the search ends.
//!
//! A way is not stored with each state, only with those on the stacks: see `paths.rs`.
//!
//! A search can be written down while it goes on, and taken up by another process: [`run_kept`]. All workers then stand
//! still between two batches (`pool.rs`), where the invariant holds; what waits, with the set, is all that the rest of the
//! search depends on. Hence an interrupted search that was taken up any number of times counts what an uninterrupted
//! one counts.

mod paths;
mod pool;
mod sleep;
mod snapshot;
mod stack;
mod worker;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fabius_model::{Outcome, Packed};
use fabius_store::{Batch, VisitedSet};

pub use self::snapshot::{Left, Snapshot};

use self::pool::{Everything, Pool};
use self::stack::{Gift, Stack};
use self::worker::Worker;
use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, StopReason, Verdict, threads};

/// What bounds the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many states may be stored; with each thread's last batch perhaps a few more are.
    pub states: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many threads; at least one.
    pub jobs: usize,
    /// Whether steps may be left out of which it is certain that they lead to visited states (`sleep.rs`). They count as
    /// taken.
    pub sleeps: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: u64::MAX, bugs: 1, jobs: 1, sleeps: true }
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

/// How a search is written down while it goes on.
pub struct Keeping<'a, P: Packed> {
    /// Asked after every batch: whether to write now.
    pub is_due: &'a (dyn Fn() -> bool + Sync),
    /// Told what there is to write while nothing changes: whenever it was due, and at the end of the search, unless the set
    /// has refused states: then they are lost, and only what was written before can be gone on from.
    pub keep: &'a (dyn Fn(&Snapshot<'_, P>) + Sync),
}

impl<P: Packed> fmt::Debug for Keeping<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeping").finish_non_exhaustive()
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
    search(program, set, limits, callbacks, visit, None, None)
}

/// The same, written down while it goes on. With `left` it goes on where an earlier search was written down, of the same
/// program and with the set as it was then; states shown then are not shown again.
pub fn run_kept<P: Packed>(
    program: &P,
    set: &dyn VisitedSet,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
    left: Option<Left<P>>,
    keeping: &Keeping<'_, P>,
) -> Report<P::Bug> {
    search(program, set, limits, callbacks, visit, left, Some(keeping))
}

fn search<P: Packed>(
    program: &P,
    set: &dyn VisitedSet,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
    left: Option<Left<P>>,
    keeping: Option<&Keeping<'_, P>>,
) -> Report<P::Bug> {
    let is_new = left.is_none();
    let left = left.unwrap_or_default();
    let mut findings = Findings::new(limits.bugs, callbacks);
    left.found.into_iter().for_each(|found| findings.offer(found.run, found.bug, &found.positions));
    let shared = Shared {
        program,
        set,
        limits,
        sleeps: limits.sleeps && !set.forgets() && !set.merges(),
        callbacks,
        visit,
        keeping,
        pool: Pool::new(limits.jobs.max(1), left.stacks),
        findings: Mutex::new((left.met, findings)),
        counts: Counts {
            states: AtomicU64::new(left.states),
            transitions: AtomicU64::new(left.transitions),
            depth: AtomicU64::new(left.depth),
            frontier: AtomicU64::new(0),
        },
        omission_before: left.omission,
        stop: Mutex::new(None),
        is_stopped: AtomicBool::new(false),
    };
    if is_new {
        shared.start();
    }
    shared.stop_if_found();
    let stacks = thread::scope(|scope| {
        let start = |_| threads::start(scope, || Worker::new(&shared).work());
        let others: Vec<_> = (1..limits.jobs).map_while(start).collect();
        shared.pool.have_workers(1 + others.len());
        let own = Worker::new(&shared).work();
        let others = others.into_iter().map(|other| other.join().expect("a panic ends the process"));
        others.chain([own]).collect()
    });
    shared.end(stacks);
    shared.report()
}

struct Shared<'a, P: Packed> {
    program: &'a P,
    set: &'a dyn VisitedSet,
    limits: &'a Limits,
    /// Whether machines may be asleep.
    sleeps: bool,
    callbacks: &'a Callbacks<'a, P::Bug>,
    visit: &'a (dyn Fn(&P::State) + Sync),
    keeping: Option<&'a Keeping<'a, P>>,
    pool: Pool<P::State>,
    /// The number of bugs met, and the different ones.
    findings: Mutex<(u64, Findings<'a, P::Bug>)>,
    counts: Counts,
    /// What the search that was taken up said of it; its set may not be there any more.
    omission_before: f64,
    stop: Mutex<Option<StopReason>>,
    is_stopped: AtomicBool,
}

/// What workers count together, in a cache line of its own: the others are only read.
#[repr(align(128))]
struct Counts {
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
    /// States that wait on stacks, as of each worker's last batch.
    frontier: AtomicU64,
}

impl<P: Packed> Shared<'_, P> {
    fn start(&self) {
        match self.program.initial() {
            Outcome::Bug(bug) => self.found(bug, &[]),
            Outcome::State(state) => {
                let mut batch = Batch::new();
                if self.set.is_exact() {
                    batch.push(0, self.program.words(&state, &mut Vec::new()));
                } else {
                    batch.push(self.program.fingerprint(&state), &[]);
                }
                self.set.insert(&batch, &mut Vec::new());
                self.counts.states.store(1, Ordering::Relaxed);
                (self.visit)(&state);
                self.pool.give(vec![Gift::initial(state)]);
            }
        }
    }

    fn found(&self, bug: P::Bug, way: &[u32]) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let number = findings.0;
        findings.0 += 1;
        findings.1.offer(number, bug, way);
        drop(findings);
        self.stop_if_found();
    }

    /// Ends the search when it has found what was asked for.
    fn stop_if_found(&self) {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let is_enough = findings.1.last_run().is_some();
        drop(findings);
        if is_enough {
            self.stop(StopReason::BugsFound);
        }
    }

    fn stop(&self, reason: StopReason) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_stopped.store(true, Ordering::Relaxed);
        self.pool.close();
    }

    /// Lets everything be written down; all workers stand still.
    fn keep(&self, everything: &Everything<'_, P::State>, stop: Option<StopReason>) {
        // What a full set has refused is neither in it nor on a stack.
        let Some(keeping) = self.keeping.filter(|_| !self.set.is_full()) else { return };
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        (keeping.keep)(&Snapshot {
            program: self.program,
            everything,
            findings: &findings.1,
            met: findings.0,
            states: self.counts.states.load(Ordering::Relaxed),
            transitions: self.counts.transitions.load(Ordering::Relaxed),
            depth: self.counts.depth.load(Ordering::Relaxed),
            omission: self.omission(),
            stop,
        });
    }

    /// Lets the end be written down, when all workers have gone home.
    fn end(&self, stacks: Vec<Stack<P::State>>) {
        let stop = *self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = stop.unwrap_or(StopReason::Exhausted);
        self.pool.look_at_end(stacks, |everything| self.keep(everything, Some(stop)));
    }

    fn omission(&self) -> f64 {
        self.set.omission().max(self.omission_before)
    }

    fn report(self) -> Report<P::Bug> {
        let omission = self.omission();
        let findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (bugs, bound_met) = findings.1.into_found();
        let stop = self.stop.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report {
            bugs,
            bound_met,
            stop: stop.unwrap_or(StopReason::Exhausted),
            states: self.counts.states.into_inner(),
            transitions: self.counts.transitions.into_inner(),
            depth: self.counts.depth.into_inner(),
            frontier: self.counts.frontier.into_inner(),
            omission,
        }
    }
}

#[cfg(test)]
mod tests;
