//! One thread's samples.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fabius_explore::{Cursor, Explorer, Rng, Taken, run_seed};
use fabius_model::{Choice, Effect, Outcome, Program};

use super::{Limits, Start, Stratum};
use crate::verdict::Findings;
use crate::{Callbacks, Progress};

/// After how many steps a thread asks whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 16;

/// What the threads share.
pub(super) struct Shared<'a, Bug, E> {
    pub(super) limits: &'a Limits,
    pub(super) callbacks: &'a Callbacks<'a, Bug>,
    pub(super) explorer: &'a E,
    pub(super) start: Start<'a>,
    pub(super) findings: Mutex<Findings<'a, Bug>>,
    pub(super) next: AtomicU64,
    /// Samples after this one cannot change what is found.
    pub(super) last: AtomicU64,
    pub(super) stopped: AtomicBool,
    pub(super) steps: AtomicU64,
}

/// One thread's program and what it counted since it was asked.
pub(super) struct Worker<P> {
    program: P,
    counted: Stratum,
    longest: u64,
    steps: u64,
    /// Whether the sample at hand was cut off at any time.
    is_cut: bool,
    pub(super) records: Vec<Record>,
    effects: Vec<Effect>,
}

/// What one sample brought.
pub(super) struct Record {
    pub(super) sample: u64,
    pub(super) counted: Stratum,
    pub(super) steps: u64,
    pub(super) longest: u64,
}

/// A state of the run that is being followed.
struct Place<S, E> {
    state: S,
    cursor: Cursor<E>,
    choices: Vec<Choice>,
    /// The position of the choice that was taken here.
    taken: u32,
}

impl<P: Program> Worker<P> {
    pub(super) fn new(program: P) -> Worker<P> {
        Worker {
            program,
            counted: Stratum::default(),
            longest: 0,
            steps: 0,
            is_cut: false,
            records: Vec::new(),
            effects: Vec::new(),
        }
    }

    pub(super) fn work<E: Explorer>(
        &mut self,
        shared: &Shared<'_, P::Bug, E>,
        delays: u32,
        first: u64,
        end: u64,
    ) {
        loop {
            let sample = shared.next.fetch_add(1, Ordering::Relaxed);
            let is_over =
                sample > shared.last.load(Ordering::Relaxed) || shared.stopped.load(Ordering::Relaxed);
            if sample >= end || is_over {
                return;
            }
            if self.program.memory() > shared.limits.memory {
                self.program.forget();
            }
            let seed = run_seed(run_seed(shared.limits.seed, u64::from(delays)), sample - first);
            (self.is_cut, self.steps, self.longest) = (false, 0, 0);
            self.sample(shared, delays, sample, &mut Rng::from_seed(seed));
            let mut counted = std::mem::take(&mut self.counted);
            counted.cut = u64::from(self.is_cut);
            self.records.push(Record { sample, counted, steps: self.steps, longest: self.longest });
        }
    }

    /// One sample: a natural run, delayed so many times at drawn positions.
    fn sample<E: Explorer>(
        &mut self,
        shared: &Shared<'_, P::Bug, E>,
        delays: u32,
        sample: u64,
        rng: &mut Rng,
    ) {
        let mut way: Vec<Place<P::State, E>> = Vec::new();
        let Some(mut here) = self.begin(shared, sample, &mut way, rng) else { return };
        let mut segment = way.len();
        for done in 0..=delays {
            if !self.follow(shared, sample, &mut way, here) || done == delays {
                return;
            }
            let can_delay = |place: &&Place<P::State, E>| place.cursor.can_delay(&place.choices);
            let positions = way[segment..].iter().filter(can_delay).count();
            if positions == 0 {
                self.counted.short += 1;
                return;
            }
            self.counted.positions = self.counted.positions.max(positions as u64);
            let drawn = rng.position(positions);
            let at = way[segment..].iter().enumerate().filter(|(_, place)| can_delay(place)).nth(drawn);
            segment += at.map_or(0, |(at, _)| at);
            way.truncate(segment + 1);
            let mut place = way.pop().expect("it holds the position that was drawn");
            place.cursor.delay(&place.choices);
            here = (place.state, place.cursor);
        }
    }

    /// Where the sample begins, with the way to it; `None` if a bug comes first.
    fn begin<E: Explorer>(
        &mut self,
        shared: &Shared<'_, P::Bug, E>,
        sample: u64,
        way: &mut Vec<Place<P::State, E>>,
        rng: &mut Rng,
    ) -> Option<(P::State, Cursor<E>)> {
        let state = match self.program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => {
                offer(shared, sample, bug, way);
                return None;
            }
        };
        let mut choices = Vec::new();
        self.program.choices(&state, &mut choices);
        let fingerprint = self.program.fingerprint(&state) as u64;
        let mut here = (state, Cursor::begin(shared.explorer.clone(), &choices, fingerprint));
        let Start::Frontier(frontier) = shared.start else { return Some(here) };
        let (positions, delays) = frontier.get(rng.position(frontier.len()));
        for position in positions {
            self.program.choices(&here.0, &mut choices);
            while here.1.next(&choices) != position as usize && here.1.delay(&choices) {}
            // No bug lies on the way to a stored state.
            here = self.step(way, here, &choices).ok()?;
        }
        self.program.choices(&here.0, &mut choices);
        for _ in 0..delays {
            here.1.delay(&choices);
        }
        Some(here)
    }

    /// Takes the step that the cursor names.
    fn step<E: Explorer>(
        &mut self,
        way: &mut Vec<Place<P::State, E>>,
        (state, cursor): (P::State, Cursor<E>),
        choices: &[Choice],
    ) -> Result<(P::State, Cursor<E>), P::Bug> {
        let position = cursor.next(choices);
        let choice = choices[position];
        self.effects.clear();
        self.steps += 1;
        let outcome = self.program.step(&state, choice, &mut self.effects);
        let mut after = cursor.clone();
        way.push(Place { state, cursor, choices: choices.to_vec(), taken: position as u32 });
        match outcome {
            Outcome::Bug(bug) => Err(bug),
            Outcome::State(next) => {
                let fingerprint = self.program.fingerprint(&next) as u64;
                after.step(&Taken { choice, effects: &self.effects, fingerprint });
                Ok((next, after))
            }
        }
    }

    /// Follows the natural run from a state to its end, unless a bug or the search ends it: then false.
    fn follow<E: Explorer>(
        &mut self,
        shared: &Shared<'_, P::Bug, E>,
        sample: u64,
        way: &mut Vec<Place<P::State, E>>,
        mut here: (P::State, Cursor<E>),
    ) -> bool {
        let mut choices = Vec::new();
        let before = self.steps;
        loop {
            self.program.choices(&here.0, &mut choices);
            if choices.is_empty() {
                if let Some(bug) = self.program.end(&here.0) {
                    offer(shared, sample, bug, way);
                    return false;
                }
                break;
            }
            if way.len() >= shared.limits.max_steps {
                self.is_cut = true;
                break;
            }
            here = match self.step(way, here, &choices) {
                Ok(next) => next,
                Err(bug) => {
                    let is_bound = (shared.callbacks.is_bound)(&bug);
                    offer(shared, sample, bug, way);
                    if !is_bound {
                        return false;
                    }
                    // Cut off here, it can still be delayed before.
                    self.is_cut = true;
                    break;
                }
            };
            if self.steps.is_multiple_of(STEPS_BETWEEN_QUESTIONS) && should_stop(shared) {
                return false;
            }
        }
        let steps = self.steps - before;
        self.longest = self.longest.max(way.len() as u64);
        let steps = shared.steps.fetch_add(steps, Ordering::Relaxed) + steps;
        (shared.callbacks.progress)(&Progress { runs: sample, steps, ..Progress::default() });
        !should_stop(shared)
    }
}

fn should_stop<Bug, E>(shared: &Shared<'_, Bug, E>) -> bool {
    if (shared.callbacks.should_stop)() {
        shared.stopped.store(true, Ordering::Relaxed);
    }
    shared.stopped.load(Ordering::Relaxed)
}

fn offer<S, E, Bug>(shared: &Shared<'_, Bug, E>, sample: u64, bug: Bug, way: &[Place<S, E>]) {
    let positions: Vec<u32> = way.iter().map(|place| place.taken).collect();
    let mut findings = shared.findings.lock().unwrap_or_else(PoisonError::into_inner);
    findings.offer(sample, bug, &positions);
    if let Some(last) = findings.last_run() {
        shared.last.store(last, Ordering::Relaxed);
    }
}
