//! One thread's share of a search over runs: its own program, its own scheduler, run after run.
//!
//! After the first runs nothing here allocates: all buffers are kept from run to run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fabius_explore::{Rng, RunStart, Scheduler, run_seed, split_mix};
use fabius_model::{Choice, Effect, Outcome, Program};

use super::random::Limits;
use crate::verdict::Findings;
use crate::{Callbacks, Progress};

/// A power of two: after how many steps a run asks whether it should go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 64;
/// A power of two: after how many steps a run looks at its memory.
const STEPS_BETWEEN_MEMORY_CHECKS: u64 = 1024;
/// After how many steps a worker tells its progress.
const STEPS_BETWEEN_REPORTS: u64 = 1 << 14;

/// How a finished run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// No choices were left, and nothing is wrong with that. Holds the state's fingerprint if ends are counted.
    Ended(u128),
    Bug,
    CutBySteps,
    CutByMemory,
}

/// What is kept of a finished run until it is known whether it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) run: u64,
    pub(super) end: RunEnd,
    pub(super) steps: u64,
    pub(super) measure: u64,
    pub(super) digest: u64,
}

/// What a worker is told about the round that it works in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// The first run after it.
    pub(super) end: u64,
    /// How many runs a worker takes at a time.
    pub(super) at_a_time: u64,
    /// The length that schedulers are told; see [`RunStart::longest`].
    pub(super) longest: u64,
}

/// What the workers share.
pub(super) struct Shared<'a, Bug> {
    pub(super) limits: &'a Limits,
    pub(super) callbacks: &'a Callbacks<'a, Bug>,
    pub(super) findings: Mutex<Findings<'a, Bug>>,
    /// The next run that nobody has taken.
    pub(super) next_run: AtomicU64,
    /// The last run that matters; it only decreases.
    pub(super) last_run: AtomicU64,
    /// Set when `should_stop` said so and a run that matters was left out.
    pub(super) stopped: AtomicBool,
    pub(super) runs_told: AtomicU64,
    pub(super) steps_told: AtomicU64,
    pub(super) bugs_told: AtomicU64,
}

impl<Bug> Shared<'_, Bug> {
    fn matters(&self, run: u64) -> bool {
        run <= self.last_run.load(Ordering::Relaxed)
    }

    fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && (self.callbacks.should_stop)() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    fn found(&self, run: u64, bug: Bug, positions: &[u32]) {
        let mut findings = match self.findings.lock() {
            Ok(findings) => findings,
            Err(poisoned) => poisoned.into_inner(),
        };
        findings.offer(run, bug, positions);
        if let Some(last) = findings.last_run() {
            self.last_run.fetch_min(last, Ordering::Relaxed);
        }
    }
}

/// Why [`Worker::run_to_end`] returned.
enum Stepped<Bug> {
    Ended(u128),
    Bug(Bug),
    CutBySteps,
    OutOfMemory,
    /// The run no longer matters, or the search is to stop.
    Abandoned,
}

pub(super) struct Worker<P: Program, S> {
    program: P,
    scheduler: S,
    initial: Option<Outcome<P::State, P::Bug>>,
    choices: Vec<Choice>,
    effects: Vec<Effect>,
    positions: Vec<u32>,
    /// The finished runs since they were last taken.
    pub(super) records: Vec<Record>,
    untold_steps: u64,
    untold_runs: u64,
    untold_bugs: u64,
}

impl<P: Program, S: Scheduler<P>> Worker<P, S> {
    pub(super) fn new(program: P, scheduler: S) -> Worker<P, S> {
        Worker {
            program,
            scheduler,
            initial: None,
            choices: Vec::new(),
            effects: Vec::new(),
            positions: Vec::new(),
            records: Vec::new(),
            untold_steps: 0,
            untold_runs: 0,
            untold_bugs: 0,
        }
    }

    /// Takes runs of a round, a few at a time, until there are no more that matter.
    pub(super) fn work(&mut self, round: &Round, shared: &Shared<'_, P::Bug>) {
        loop {
            let first = shared.next_run.fetch_add(round.at_a_time, Ordering::Relaxed);
            let mut runs = first..round.end.min(first + round.at_a_time);
            let is_over = runs.is_empty();
            let goes_on =
                |run| shared.matters(run) && !shared.is_stopped() && self.perform(run, round.longest, shared);
            if is_over || !runs.all(goes_on) {
                break;
            }
        }
        self.tell(shared);
    }

    /// Does one run and keeps its record. Says whether it came to its end.
    fn perform(&mut self, run: u64, longest: u64, shared: &Shared<'_, P::Bug>) -> bool {
        if self.program.memory() > shared.limits.memory {
            self.forget();
        }
        let start = RunStart { seed: run_seed(shared.limits.seed, run), longest };
        let mut stepped = self.run_to_end(run, start, shared);
        if matches!(stepped, Stepped::OutOfMemory) {
            // Perhaps earlier runs are to blame. Whether this one alone needs too much must not depend on them.
            self.forget();
            stepped = self.run_to_end(run, start, shared);
        }
        let measure = self.scheduler.end_run();
        let end = match stepped {
            Stepped::Abandoned => return false,
            Stepped::Ended(fingerprint) => RunEnd::Ended(fingerprint),
            Stepped::CutBySteps => RunEnd::CutBySteps,
            Stepped::OutOfMemory => {
                self.forget();
                RunEnd::CutByMemory
            }
            Stepped::Bug(bug) => {
                let is_bound = (shared.callbacks.is_bound)(&bug);
                shared.found(run, bug, &self.positions);
                self.untold_bugs += u64::from(!is_bound);
                if is_bound { RunEnd::CutByMemory } else { RunEnd::Bug }
            }
        };
        let steps = self.positions.len() as u64;
        self.records.push(Record { run, end, steps, measure, digest: digest(start.seed, &self.positions) });
        self.untold_runs += 1;
        self.untold_steps += steps;
        if self.untold_steps >= STEPS_BETWEEN_REPORTS {
            self.tell(shared);
        }
        true
    }

    fn run_to_end(&mut self, run: u64, start: RunStart, shared: &Shared<'_, P::Bug>) -> Stepped<P::Bug> {
        self.scheduler.begin_run(start);
        self.positions.clear();
        let mut state = match self.initial.get_or_insert_with(|| self.program.initial()) {
            Outcome::State(state) => state.clone(),
            Outcome::Bug(bug) => return Stepped::Bug(bug.clone()),
        };
        let mut asked = Questions { run, shared, max_steps: shared.limits.steps_of(run), steps: 0 };
        if let Some(rng) = self.scheduler.draws()
            && self.program.count_choices(&state).is_some()
        {
            return draw_to_end(&self.program, rng, state, &mut self.positions, &mut asked);
        }
        loop {
            self.program.choices(&state, &mut self.choices);
            if self.choices.is_empty() {
                return ended(&self.program, &state, shared.limits);
            }
            if let Some(cut) = asked.before_step(&self.program, &state) {
                return cut;
            }
            let position = self.scheduler.pick(&self.program, &state, &self.choices);
            let choice = self.choices[position];
            self.positions.push(position as u32);
            self.effects.clear();
            if let Err(bug) = self.program.proceed(&mut state, choice, &mut self.effects) {
                return Stepped::Bug(bug);
            }
            self.scheduler.observe(choice, &self.effects);
        }
    }

    fn forget(&mut self) {
        self.initial = None;
        self.program.forget();
    }

    fn tell(&mut self, shared: &Shared<'_, P::Bug>) {
        let add = |total: &AtomicU64, part: &mut u64| {
            let part = std::mem::take(part);
            total.fetch_add(part, Ordering::Relaxed) + part
        };
        (shared.callbacks.progress)(&Progress {
            runs: add(&shared.runs_told, &mut self.untold_runs),
            steps: add(&shared.steps_told, &mut self.untold_steps),
            bugs: add(&shared.bugs_told, &mut self.untold_bugs),
            ..Progress::default()
        });
    }
}

/// As [`Worker::run_to_end`] for a scheduler that only draws: the choices need not be listed, nor their effects told.
fn draw_to_end<P: Program>(
    program: &P,
    rng: &mut Rng,
    mut state: P::State,
    positions: &mut Vec<u32>,
    asked: &mut Questions<'_, '_, P::Bug>,
) -> Stepped<P::Bug> {
    loop {
        let count = program.count_choices(&state).expect("a program that counts choices always does");
        if count == 0 {
            return ended(program, &state, asked.shared.limits);
        }
        if let Some(cut) = asked.before_step(program, &state) {
            return cut;
        }
        let position = rng.position(count);
        positions.push(position as u32);
        if let Err(bug) = program.proceed_at(&mut state, position) {
            return Stepped::Bug(bug);
        }
    }
}

fn ended<P: Program>(program: &P, state: &P::State, limits: &Limits) -> Stepped<P::Bug> {
    match program.end(state) {
        Some(bug) => Stepped::Bug(bug),
        None => Stepped::Ended(if limits.most_ends > 0 { program.fingerprint(state) } else { 0 }),
    }
}

/// What a run asks itself before a step.
struct Questions<'a, 's, Bug> {
    run: u64,
    shared: &'s Shared<'a, Bug>,
    max_steps: u64,
    steps: u64,
}

impl<Bug> Questions<'_, '_, Bug> {
    /// Counts a step that is about to be taken, unless the run is not to go on.
    #[inline]
    fn before_step<P: Program<Bug = Bug>>(&mut self, program: &P, state: &P::State) -> Option<Stepped<Bug>> {
        if self.steps == self.max_steps {
            return Some(Stepped::CutBySteps);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN_QUESTIONS) {
            self.now_and_then(program, state)
        } else {
            None
        }
    }

    #[inline(never)]
    fn now_and_then<P: Program<Bug = Bug>>(&self, program: &P, state: &P::State) -> Option<Stepped<Bug>> {
        if !self.shared.matters(self.run) || self.shared.is_stopped() {
            return Some(Stepped::Abandoned);
        }
        let is_too_large = || program.memory() + program.held_by(state) > self.shared.limits.memory;
        (self.steps.is_multiple_of(STEPS_BETWEEN_MEMORY_CHECKS) && is_too_large())
            .then_some(Stepped::OutOfMemory)
    }
}

/// A number that stands for this run having taken these positions.
fn digest(seed: u64, positions: &[u32]) -> u64 {
    const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;
    let mut sum = seed;
    for position in positions {
        sum = (sum.rotate_left(5) ^ u64::from(*position)).wrapping_mul(MULTIPLIER);
    }
    split_mix(&mut sum)
}
