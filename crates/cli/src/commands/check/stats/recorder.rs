//! What is counted while a search runs, if `--stats` asks for it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use fabius_model::Choice;
use fabius_search::Progress;
use fabius_vm::{Memory, Profile, State, Vm};

use super::series::{Point, Series};

/// Threads count apart, so that they seldom wait for each other.
const STRIPES: usize = 64;

/// What a search goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Over {
    /// States: each is shown to the recorder, and all steps out of it count.
    States,
    /// Runs: each step is shown to the recorder.
    Runs,
}

/// Counts, from any thread, what the searches of one test do, one after the other.
#[derive(Debug)]
pub(in super::super) struct Recorder {
    profiles: Box<[Mutex<Profile>]>,
    counts_steps: AtomicBool,
    /// Of programs that have been dropped.
    memory: Mutex<Memory>,
    series: Mutex<Series>,
}

/// What was counted of one search.
#[derive(Clone, Debug)]
pub(in super::super) struct Measured {
    pub(in super::super) over: Over,
    pub(in super::super) profile: Profile,
    pub(in super::super) memory: Memory,
    /// The last one is the end of the search.
    pub(in super::super) points: Vec<Point>,
}

impl Recorder {
    pub(in super::super) fn new() -> Self {
        Self {
            profiles: (0..STRIPES).map(|_| Mutex::default()).collect(),
            counts_steps: AtomicBool::new(false),
            memory: Mutex::default(),
            series: Mutex::new(Series::new()),
        }
    }

    /// Counts from nothing.
    pub(in super::super) fn begin(&self, over: Over) {
        self.profiles.iter().for_each(|profile| *lock(profile) = Profile::default());
        self.counts_steps.store(over == Over::Runs, Ordering::Relaxed);
        *lock(&self.memory) = Memory::default();
        *lock(&self.series) = Series::new();
    }

    pub(in super::super) fn progress(&self, progress: &Progress) {
        // Whoever comes second leaves it to the first.
        if let Ok(mut series) = self.series.try_lock() {
            series.show(progress);
        }
    }

    /// Counts a state that is visited for the first time.
    pub(in super::super) fn state(&self, vm: &Vm, state: &State) {
        self.profile().add_state(vm, state);
    }

    /// Counts a step, if the search is one over runs.
    pub(in super::super) fn step(&self, vm: &Vm, state: &State, choice: Choice) {
        if self.counts_steps.load(Ordering::Relaxed) {
            self.profile().add_step(vm, state, choice);
        }
    }

    /// Keeps what is known of a program's memory, which is about to be forgotten, and then perhaps used for more.
    pub(in super::super) fn forgetting(&self, memory: Memory) {
        lock(&self.memory).made += memory.made;
    }

    /// Keeps what is known of a program's memory at its end.
    pub(in super::super) fn dropping(&self, memory: Memory) {
        let mut sum = lock(&self.memory);
        sum.made += memory.made;
        sum.remembered += memory.remembered;
        sum.bytes += memory.bytes;
    }

    /// What has been counted of a search over states whose program is still there.
    pub(in super::super) fn end_over_states(&self, vm: &Vm, states: u64, transitions: u64) -> Measured {
        Measured { memory: vm.remembered(), ..self.end(Over::States, states, transitions) }
    }

    /// What has been counted of a search over runs.
    pub(in super::super) fn end_over_runs(&self, steps: u64) -> Measured {
        self.end(Over::Runs, 0, steps)
    }

    fn end(&self, over: Over, states: u64, steps: u64) -> Measured {
        let mut profile = Profile::default();
        self.profiles.iter().for_each(|part| profile.merge(&lock(part)));
        let series = std::mem::replace(&mut *lock(&self.series), Series::new());
        Measured { over, profile, memory: *lock(&self.memory), points: series.finish(states, steps) }
    }

    /// The profile of this thread, and perhaps of a few others.
    fn profile(&self) -> MutexGuard<'_, Profile> {
        let mut hasher = DefaultHasher::new();
        thread::current().id().hash(&mut hasher);
        lock(&self.profiles[hasher.finish() as usize % STRIPES])
    }
}

/// A panic elsewhere leaves counts that are as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
