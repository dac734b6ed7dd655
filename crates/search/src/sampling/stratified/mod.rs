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
//! Samples can also begin at the *frontier* of an exhaustive search: then each begins with one of its F states, drawn with
//! equal probability, and a run that leaves the frontier there and needs k delays after it has probability at least
//! 1/(F L^k).
//! Does not guarantee: anything about runs longer than `max_steps`, or with more positions than any that were met.
//!
//! Differences from the paper: a position counts only if it can still be delayed, that is at most n-1 times at a state
//! with n choices, so that no sample is wasted on a delay that changes nothing; position 0, the state of the last delay
//! itself, counts too.

mod worker;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fabius_explore::Explorer;
use fabius_model::Program;

use self::worker::{Shared, Worker};
use crate::exhaustive::stratified::Frontier;
use crate::verdict::Findings;
use crate::{Callbacks, Found, StopReason, threads};

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
    /// How many samples to draw in all; at least one.
    pub samples: u64,
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
            samples: u64::MAX,
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
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// Why it ended; [`StopReason::Exhausted`] if no sample of the last stratum could be delayed so often.
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

/// Where samples begin.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// At the initial state.
    Initial,
    /// At what an exhaustive search with the same explorer left. It must not be empty.
    Frontier(&'a Frontier),
}

/// Samples with a program per thread, stratum after stratum.
pub fn run<P, E>(
    new_program: impl Fn() -> P,
    explorer: &E,
    start: Start<'_>,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
) -> Report<P::Bug>
where
    P: Program + Send,
    E: Explorer,
{
    let mut sampler = Sampler::new(new_program, explorer, start, limits, callbacks);
    while sampler.sample_stratum() {}
    sampler.report()
}

/// A search that can rest between two strata.
pub struct Sampler<'a, P: Program, E> {
    shared: Shared<'a, P::Bug, E>,
    workers: Vec<Worker<P>>,
    delays: u32,
    stop: Option<StopReason>,
    strata: Vec<Stratum>,
    samples: u64,
    steps: u64,
    longest: u64,
}

impl<Bug> Report<Bug> {
    /// The most delays that a sample has had, unless no stratum was sampled to its end.
    pub fn delays(&self) -> Option<u64> {
        let without = if self.stop == StopReason::Exhausted { 2 } else { 1 };
        (self.strata.len() as u64).checked_sub(without)
    }
}

impl<'a, P: Program + Send, E: Explorer> Sampler<'a, P, E> {
    /// A search that has sampled nothing yet.
    pub fn new(
        new_program: impl Fn() -> P,
        explorer: &'a E,
        start: Start<'a>,
        limits: &'a Limits,
        callbacks: &'a Callbacks<'a, P::Bug>,
    ) -> Self {
        let shared = Shared {
            limits,
            callbacks,
            explorer,
            start,
            findings: Mutex::new(Findings::new(limits.bugs, callbacks)),
            next: AtomicU64::new(0),
            last: AtomicU64::new(u64::MAX),
            stopped: AtomicBool::new(false),
            steps: AtomicU64::new(0),
        };
        let workers = (0..limits.jobs.max(1)).map(|_| Worker::new(new_program())).collect();
        Sampler {
            shared,
            workers,
            delays: 0,
            stop: None,
            strata: Vec::new(),
            samples: 0,
            steps: 0,
            longest: 0,
        }
    }

    /// Samples the next stratum; whether there is another one after it.
    pub fn sample_stratum(&mut self) -> bool {
        let limits = self.shared.limits;
        let count = self.samples_of_stratum();
        let end = self.samples + count;
        self.shared.next.store(self.samples, Ordering::Relaxed);
        work(&mut self.workers, &self.shared, self.delays, self.samples, end);
        let mut stratum = self.collect();
        let last = self.shared.last.load(Ordering::Relaxed);
        if self.shared.stopped.load(Ordering::Relaxed) {
            self.samples = self.shared.next.load(Ordering::Relaxed).min(end);
            self.stop = Some(StopReason::Asked);
            return false;
        }
        stratum.samples = count.min(last.saturating_sub(self.samples).saturating_add(1));
        self.samples += stratum.samples;
        stratum.miss = self.miss(&stratum);
        self.strata.push(stratum);
        if last != u64::MAX {
            self.stop = Some(StopReason::BugsFound);
        } else if self.delays > 0 && stratum.short == count {
            // A stratum in which no run can be delayed any more is the last one.
            self.stop = Some(StopReason::Exhausted);
        } else if self.samples >= limits.samples {
            self.stop = Some(StopReason::AllSchedules);
        } else if self.delays >= limits.delays {
            self.stop = Some(StopReason::DelayLimit);
        }
        self.delays += 1;
        self.stop.is_none()
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether it has ended with as many bugs as were asked for.
    pub fn has_bug(&self) -> bool {
        self.stop == Some(StopReason::BugsFound)
    }

    /// What it has brought.
    pub fn report(self) -> Report<P::Bug> {
        let findings = self.shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (bugs, bound_met) = findings.into_found();
        Report {
            bugs,
            bound_met,
            stop: self.stop.unwrap_or(StopReason::Asked),
            strata: self.strata,
            samples: self.samples,
            steps: self.steps,
            longest: self.longest,
        }
    }

    fn samples_of_stratum(&self) -> u64 {
        let limits = self.shared.limits;
        let count = match (self.delays, self.shared.start) {
            (0, Start::Initial) => 1,
            (delays, _) => limits.base.saturating_add(limits.growth.saturating_pow(delays)),
        };
        count.min(limits.samples.saturating_sub(self.samples)).max(1)
    }

    /// Adds up what the samples brought. Samples after the last that matters may or may not have been drawn: they do not
    /// count.
    fn collect(&mut self) -> Stratum {
        let last = self.shared.last.load(Ordering::Relaxed);
        let mut stratum = Stratum::default();
        for record in self.workers.iter_mut().flat_map(|worker| worker.records.drain(..)) {
            if record.sample <= last {
                stratum.short += record.counted.short;
                stratum.cut += record.counted.cut;
                stratum.positions = stratum.positions.max(record.counted.positions);
                self.steps += record.steps;
                self.longest = self.longest.max(record.longest);
            }
        }
        stratum
    }

    /// The probability that a given run of the stratum is in none of the samples.
    fn miss(&self, stratum: &Stratum) -> f64 {
        let starts = match self.shared.start {
            Start::Initial if self.delays == 0 => return 0.0,
            Start::Initial => 1.0,
            Start::Frontier(frontier) => frontier.len() as f64,
        };
        let delays = i32::try_from(self.delays).unwrap_or(i32::MAX);
        let likely = (stratum.positions.max(1) as f64).powi(-delays) / starts;
        let samples = stratum.samples.saturating_sub(stratum.short);
        (samples as f64 * (-likely).ln_1p()).exp()
    }
}

impl<P: Program, E> fmt::Debug for Sampler<'_, P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler").field("delays", &self.delays).finish_non_exhaustive()
    }
}

/// Lets the threads draw the samples of a stratum.
fn work<P, E>(workers: &mut [Worker<P>], shared: &Shared<'_, P::Bug, E>, delays: u32, first: u64, end: u64)
where
    P: Program + Send,
    E: Explorer,
{
    let Some((own, others)) = workers.split_first_mut() else { return };
    thread::scope(|scope| {
        for worker in others {
            if threads::start(scope, move || worker.work(shared, delays, first, end)).is_none() {
                break;
            }
        }
        own.work(shared, delays, first, end);
    });
}
