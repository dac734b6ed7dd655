//! Stratified sampling: runs with exactly k delays, for k = 0, 1, 2, …, drawn so that each is likely enough.
//!
//! Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015 [DQS15]. A sample of
//! stratum k is made by k insertions: the explorer's natural run is followed to its end, one of its positions is drawn,
//! the run is taken back to there and delayed once, and from there its natural run is followed again; the next position is
//! drawn among those from that one on. States are kept, so going back costs nothing.
//!
//! Guarantees: a run with exactly k delays in which at most L positions can be delayed has probability at least 1/L^k in
//! each sample of stratum k, so n samples miss it with probability at most (1 - 1/L^k)^n; [`Stratum::miss`] is that number
//! for the largest L met. Every bug found is a run of the program. The report is the same for any number of threads,
//! unless `should_stop` interferes.
//! Does not guarantee: anything about runs longer than `max_steps`, or with more positions than any that were met.
//!
//! Differences from the paper: a position counts only if it can still be delayed, that is at most n-1 times at a state
//! with n choices, so that no sample is wasted on a delay that changes nothing; position 0, the state of the last delay
//! itself, counts too.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fabius_explore::{Cursor, Explorer, Rng, Taken, run_seed};
use fabius_model::{Choice, Effect, Outcome, Program};

use crate::verdict::Findings;
use crate::{Callbacks, Found, Progress, StopReason};

/// After how many steps a thread asks whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 1 << 12;

/// What bounds a sampling search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last stratum to sample.
    pub delays: u32,
    /// Samples of stratum k: `base + growth^k`, except for stratum 0, which has one run only.
    pub base: u64,
    /// See `base`.
    pub growth: u64,
    /// After how many steps a run is cut off.
    pub max_steps: usize,
    /// Where all randomness comes from.
    pub seed: u64,
    /// How many threads; at least one.
    pub jobs: usize,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many bytes each thread's program may hold before it must forget.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            delays: u32::MAX,
            base: 100,
            growth: 3,
            max_steps: 10_000,
            seed: 0,
            jobs: 1,
            bugs: 1,
            memory: 256 << 20,
        }
    }
}

/// What the samples of one stratum brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stratum {
    /// Samples drawn.
    pub samples: u64,
    /// Those that could not be delayed often enough.
    pub short: u64,
    /// Those cut off by the bound on steps.
    pub cut: u64,
    /// The most positions from which one was drawn.
    pub positions: u64,
    /// At most this probability of having missed a given run of the stratum, if it has no more positions than those met.
    pub miss: f64,
}

/// The result of stratified sampling.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<Bug> {
    /// The different bugs, in the order of the samples that found them.
    pub bugs: Vec<Found<Bug>>,
    /// Why it ended.
    pub stop: StopReason,
    /// The strata sampled to their end.
    pub strata: Vec<Stratum>,
    /// Samples drawn in all.
    pub samples: u64,
    /// Steps taken in all.
    pub steps: u64,
    /// Steps of the longest run.
    pub longest: u64,
}

/// Samples with a program per thread.
pub fn run<P, E>(
    new_program: impl Fn() -> P,
    explorer: &E,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
) -> Report<P::Bug>
where
    P: Program + Send,
    E: Explorer,
{
    let shared = Shared {
        limits,
        callbacks,
        explorer,
        findings: Mutex::new(Findings::new(limits.bugs, callbacks.same_bug)),
        next: AtomicU64::new(0),
        last: AtomicU64::new(u64::MAX),
        stopped: AtomicBool::new(false),
        steps: AtomicU64::new(0),
    };
    let mut workers: Vec<Worker<P>> = (0..limits.jobs.max(1)).map(|_| Worker::new(new_program())).collect();
    let (mut strata, mut samples, mut stop) = (Vec::new(), 0, StopReason::AllSchedules);
    let (mut steps, mut longest) = (0, 0);
    let mut delays = 0;
    loop {
        let count = samples_of(delays, limits);
        shared.next.store(samples, Ordering::Relaxed);
        work(&mut workers, &shared, delays, samples, samples.saturating_add(count));
        let mut stratum = Stratum { samples: count, ..Stratum::default() };
        // Samples after the last that matters may or may not have been drawn: they do not count.
        let last = shared.last.load(Ordering::Relaxed);
        for record in workers.iter_mut().flat_map(|worker| worker.records.drain(..)) {
            if record.sample <= last {
                stratum.short += record.counted.short;
                stratum.cut += record.counted.cut;
                stratum.positions = stratum.positions.max(record.counted.positions);
                steps += record.steps;
                longest = longest.max(record.longest);
            }
        }
        if shared.stopped.load(Ordering::Relaxed) {
            stop = StopReason::Asked;
            samples = shared.next.load(Ordering::Relaxed).min(samples + count);
            break;
        }
        stratum.samples = count.min(last.saturating_sub(samples).saturating_add(1));
        samples += stratum.samples;
        stratum.miss = miss(stratum.positions, delays, stratum.samples.saturating_sub(stratum.short));
        strata.push(stratum);
        if shared.last.load(Ordering::Relaxed) != u64::MAX {
            stop = StopReason::BugsFound;
            break;
        }
        // A stratum in which no run can be delayed any more is the last one.
        if delays >= limits.delays || (delays > 0 && stratum.short == count) {
            break;
        }
        delays += 1;
    }
    let findings = match shared.findings.into_inner() {
        Ok(findings) => findings,
        Err(poisoned) => poisoned.into_inner(),
    };
    Report { bugs: findings.into_found(), stop, strata, samples, steps, longest }
}

fn samples_of(delays: u32, limits: &Limits) -> u64 {
    match delays {
        0 => 1,
        _ => limits.base.saturating_add(limits.growth.saturating_pow(delays)),
    }
}

/// The probability that a run of probability at least 1/positions^delays is in none of the samples.
fn miss(positions: u64, delays: u32, samples: u64) -> f64 {
    if delays == 0 {
        return 0.0;
    }
    let likely = (positions.max(1) as f64).powi(-i32::try_from(delays).unwrap_or(i32::MAX));
    (samples as f64 * (-likely).ln_1p()).exp()
}

fn work<P, E>(workers: &mut [Worker<P>], shared: &Shared<'_, P::Bug, E>, delays: u32, first: u64, end: u64)
where
    P: Program + Send,
    E: Explorer,
{
    if let [worker] = workers {
        return worker.work(shared, delays, first, end);
    }
    thread::scope(|scope| {
        for worker in workers {
            scope.spawn(move || worker.work(shared, delays, first, end));
        }
    });
}

/// What the threads share.
struct Shared<'a, Bug, E> {
    limits: &'a Limits,
    callbacks: &'a Callbacks<'a, Bug>,
    explorer: &'a E,
    findings: Mutex<Findings<'a, Bug>>,
    next: AtomicU64,
    /// Samples after this one cannot change what is found.
    last: AtomicU64,
    stopped: AtomicBool,
    steps: AtomicU64,
}

/// One thread's program and what it counted since it was asked.
struct Worker<P> {
    program: P,
    counted: Stratum,
    longest: u64,
    steps: u64,
    /// Whether the sample at hand was cut off at any time.
    is_cut: bool,
    records: Vec<Record>,
}

/// What one sample brought.
struct Record {
    sample: u64,
    counted: Stratum,
    steps: u64,
    longest: u64,
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
    fn new(program: P) -> Worker<P> {
        Worker {
            program,
            counted: Stratum::default(),
            longest: 0,
            steps: 0,
            is_cut: false,
            records: Vec::new(),
        }
    }

    fn work<E: Explorer>(&mut self, shared: &Shared<'_, P::Bug, E>, delays: u32, first: u64, end: u64) {
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
        let start = match self.program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => return offer(shared, sample, bug, &way),
        };
        let mut choices = Vec::new();
        self.program.choices(&start, &mut choices);
        let cursor =
            Cursor::begin(shared.explorer.clone(), &choices, self.program.fingerprint(&start) as u64);
        let mut here = Some((start, cursor));
        let mut segment = 0;
        for done in 0..=delays {
            if !self.follow(shared, sample, &mut way, here.take()) || done == delays {
                return;
            }
            let can_delay =
                |place: &&Place<P::State, E>| place.cursor.can_delay(&place.choices);
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
            if let Some(mut place) = way.pop() {
                place.cursor.delay(&place.choices);
                here = Some((place.state, place.cursor));
            }
        }
    }

    /// Follows the natural run from a state to its end, unless a bug or the search ends it: then false.
    fn follow<E: Explorer>(
        &mut self,
        shared: &Shared<'_, P::Bug, E>,
        sample: u64,
        way: &mut Vec<Place<P::State, E>>,
        mut here: Option<(P::State, Cursor<E>)>,
    ) -> bool {
        let mut effects: Vec<Effect> = Vec::new();
        let mut steps = 0u64;
        while let Some((state, cursor)) = here.take() {
            let mut choices = Vec::new();
            self.program.choices(&state, &mut choices);
            if choices.is_empty() {
                if let Some(bug) = self.program.end(&state) {
                    offer(shared, sample, bug, way);
                    return false;
                }
                break;
            }
            if way.len() >= shared.limits.max_steps {
                self.is_cut = true;
                break;
            }
            let position = cursor.next(&choices);
            let choice = choices[position];
            effects.clear();
            let outcome = self.program.step(&state, choice, &mut effects);
            steps += 1;
            self.steps += 1;
            let mut after = cursor.clone();
            way.push(Place { state, cursor, choices, taken: position as u32 });
            match outcome {
                Outcome::Bug(bug) => {
                    offer(shared, sample, bug, way);
                    return false;
                }
                Outcome::State(next) => {
                    let fingerprint = self.program.fingerprint(&next) as u64;
                    after.step(&Taken { choice, effects: &effects, fingerprint });
                    here = Some((next, after));
                }
            }
            if steps.is_multiple_of(STEPS_BETWEEN_QUESTIONS) && should_stop(shared) {
                return false;
            }
        }
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
    let mut findings = shared.findings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    findings.offer(sample, bug, &positions);
    if let Some(last) = findings.last_run() {
        shared.last.store(last, Ordering::Relaxed);
    }
}
