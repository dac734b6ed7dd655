//! Random search: run after run of a scheduler that draws its choices.
//!
//! Guarantees: every bug found is a run of the program. Run `i` of a seed takes the same choices whatever the number of
//! threads; with `bugs: 1` the reported bug is that of the first buggy run in the order of their numbers; unless
//! `should_stop` interferes, the whole report is the same for any number of threads. Memory does not grow with the
//! number of runs, except by one entry per different bug, and per final state if those are counted.
//! Does not guarantee: that any given bug is found, beyond what the scheduler promises for one run.
//!
//! Runs are done in *rounds* of 1, 1, 2, 4, 8, … runs, each as many as were done before, up to `LONGEST_ROUND`. Within
//! a round the threads take numbers from a counter; between rounds everything is put together in the order of the
//! numbers. What a scheduler may learn from earlier runs (PCT's length of a run) it learns between rounds only, so that
//! it depends on the numbers of the runs and not on who was faster.
//!
//! *Iterative* random search, a baseline of [DQS15], cuts runs off early at first and later and later then: iteration i,
//! from 0, has 100 + 3^i runs of at most (i + 1) times the increment.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fabius_explore::Scheduler;
use fabius_model::Program;

use super::report::{Report, Totals};
use super::worker::{Record, Round, Shared, Worker};
use crate::verdict::Findings;
use crate::{Callbacks, StopReason, threads};

/// The most runs of a round: what is kept per run within a round stays below a few megabytes.
const LONGEST_ROUND: u64 = 1 << 15;

/// The most runs that a thread takes from the counter at once: enough that threads with runs of a few steps do not get
/// into each other's way.
const MOST_RUNS_AT_A_TIME: u64 = 64;

/// What bounds a random search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many runs.
    pub schedules: u64,
    /// After how many steps, schedule and data choices together, a run is cut off.
    pub max_steps: u64,
    /// For an iterative search, by how many steps that grows from iteration to iteration, up to `max_steps`.
    pub increment: Option<u64>,
    /// Where all randomness comes from.
    pub seed: u64,
    /// How many threads; at least one.
    pub jobs: usize,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many bytes each thread's program may hold before it must forget.
    pub memory: usize,
    /// Up to how many different final states are counted; 0 for not at all.
    pub most_ends: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            schedules: 1000,
            max_steps: 10_000,
            increment: None,
            seed: 0,
            jobs: 1,
            bugs: 1,
            memory: 256 << 20,
            most_ends: 0,
        }
    }
}

impl Limits {
    /// After how many steps a run is cut off.
    pub(super) fn steps_of(&self, run: u64) -> u64 {
        let Some(increment) = self.increment else { return self.max_steps };
        let (mut iteration, mut end) = (0u32, 101u64);
        while run >= end && end < u64::MAX {
            iteration += 1;
            end = end.saturating_add(3u64.saturating_pow(iteration)).saturating_add(100);
        }
        increment.saturating_mul(u64::from(iteration) + 1).min(self.max_steps)
    }
}

/// Searches with a program and a scheduler per thread.
pub fn run<P, S>(
    new_program: impl Fn() -> P,
    new_scheduler: impl Fn() -> S,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
) -> Report<P::Bug>
where
    P: Program + Send,
    S: Scheduler<P>,
{
    let shared = Shared {
        limits,
        callbacks,
        findings: Mutex::new(Findings::new(limits.bugs, callbacks)),
        next_run: AtomicU64::new(0),
        last_run: AtomicU64::new(u64::MAX),
        stopped: AtomicBool::new(false),
        runs_told: AtomicU64::new(0),
        steps_told: AtomicU64::new(0),
        bugs_told: AtomicU64::new(0),
    };
    let mut workers: Vec<Worker<P, S>> = Vec::new();
    let mut totals = Totals::default();
    let mut done = 0;
    while done < limits.schedules && !is_over(&shared) {
        let end = done + done.clamp(1, LONGEST_ROUND).min(limits.schedules - done);
        let helpers = (end - done).min(limits.jobs.max(1) as u64) as usize;
        while workers.len() < helpers {
            workers.push(Worker::new(new_program(), new_scheduler()));
        }
        shared.next_run.store(done, Ordering::Relaxed);
        let at_a_time = ((end - done) / (8 * helpers as u64)).clamp(1, MOST_RUNS_AT_A_TIME);
        let round = Round { end, at_a_time, longest: totals.longest_measure };
        work(&mut workers[..helpers], &round, &shared);
        let last = shared.last_run.load(Ordering::Relaxed);
        collect(&mut workers, &mut totals, last, limits.most_ends);
        done = end;
    }
    let stop = stop_reason(&shared);
    let findings = match shared.findings.into_inner() {
        Ok(findings) => findings,
        Err(poisoned) => poisoned.into_inner(),
    };
    totals.into_report(findings, stop, limits.max_steps, limits.most_ends)
}

fn is_over<Bug>(shared: &Shared<'_, Bug>) -> bool {
    shared.stopped.load(Ordering::Relaxed) || shared.last_run.load(Ordering::Relaxed) != u64::MAX
}

fn stop_reason<Bug>(shared: &Shared<'_, Bug>) -> StopReason {
    if shared.stopped.load(Ordering::Relaxed) {
        StopReason::Asked
    } else if shared.last_run.load(Ordering::Relaxed) != u64::MAX {
        StopReason::BugsFound
    } else {
        StopReason::AllSchedules
    }
}

/// Lets the workers do the runs of a round.
fn work<P, S>(workers: &mut [Worker<P, S>], round: &Round, shared: &Shared<'_, P::Bug>)
where
    P: Program + Send,
    S: Scheduler<P>,
{
    let Some((own, others)) = workers.split_first_mut() else { return };
    thread::scope(|scope| {
        for worker in others {
            if threads::start(scope, move || worker.work(round, shared)).is_none() {
                break;
            }
        }
        own.work(round, shared);
    });
}

/// Adds what the workers did up to run `last` to the totals, in the order of the runs, and drops the rest.
fn collect<P, S>(workers: &mut [Worker<P, S>], totals: &mut Totals, last: u64, most_ends: usize)
where
    P: Program,
    S: Scheduler<P>,
{
    let mut records: Vec<Record> = Vec::new();
    for worker in workers {
        records.append(&mut worker.records);
    }
    records.sort_unstable_by_key(|record| record.run);
    for record in records.iter().take_while(|record| record.run <= last) {
        totals.add(record, most_ends);
    }
}
