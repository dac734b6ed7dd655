//! Conclusions, named by their strength, and the bugs they rest on.

use crate::Callbacks;

/// What a search concludes. The order of the variants is not that of their strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a, Bug> {
    /// There is a bug; this is the first.
    Bug(&'a Found<Bug>),
    /// Nothing was found in what was looked at, which is not all there is.
    NoBugFound {
        /// What was looked at.
        within: Bounds,
    },
    /// Every reachable state was visited, and none has a bug.
    Verified,
}

/// What a search without a finding has covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// So many runs, some of which were cut off before their end.
    Runs {
        /// How many runs.
        runs: u64,
        /// How many of them had not ended when a bound cut them off.
        cut: u64,
        /// The bound on the steps of a run.
        max_steps: u64,
    },
    /// Every run of at most so many steps.
    Depth {
        /// The number of steps.
        depth: u64,
    },
    /// Every run with at most so many delays.
    Delays {
        /// The number of delays.
        delays: u64,
    },
    /// So many states.
    States {
        /// How many states.
        states: u64,
    },
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// As many different bugs were found as were asked for.
    BugsFound,
    /// There is nothing left to search.
    Exhausted,
    /// As many schedules were run as were asked for.
    AllSchedules,
    /// No more states may be stored.
    StateLimit,
    /// The visited set can take no more states.
    SetFull,
    /// What is left lies deeper than allowed.
    DepthLimit,
    /// What is left needs more delays than allowed.
    DelayLimit,
    /// The `should_stop` callback said so.
    Asked,
}

/// A bug and the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<Bug> {
    /// The number of the run that found it, from 0; or the order in which an exhaustive search found it.
    pub run: u64,
    /// What is wrong.
    pub bug: Bug,
    /// The way: at each state from the initial one, the position of the choice taken in the list of choices. The order
    /// of that list is a function of the state's content, so this means the same in every process.
    pub positions: Vec<u32>,
}

/// The different bugs found so far: of those that are the same, the one with the smallest run; of all these, the
/// `wanted` ones with the smallest runs. What it holds does not depend on the order in which they are offered.
///
/// Bounds that runs came to are no bugs; of those the one with the smallest run is kept.
pub(crate) struct Findings<'a, Bug> {
    callbacks: &'a Callbacks<'a, Bug>,
    wanted: usize,
    // Invariant: sorted by run; no two are the same bug; at most `wanted`.
    found: Vec<Found<Bug>>,
    bound: Option<Found<Bug>>,
}

impl<'a, Bug> Findings<'a, Bug> {
    pub(crate) fn new(wanted: usize, callbacks: &'a Callbacks<'a, Bug>) -> Findings<'a, Bug> {
        Findings { callbacks, wanted: wanted.max(1), found: Vec::new(), bound: None }
    }

    pub(crate) fn offer(&mut self, run: u64, bug: Bug, positions: &[u32]) {
        if (self.callbacks.is_bound)(&bug) {
            if self.bound.as_ref().is_none_or(|known| run < known.run) {
                self.bound = Some(Found { run, bug, positions: positions.to_vec() });
            }
            return;
        }
        let same_bug = self.callbacks.same_bug;
        if let Some(index) = self.found.iter().position(|known| same_bug(&known.bug, &bug)) {
            if self.found[index].run <= run {
                return;
            }
            self.found.remove(index);
        }
        let place = self.found.partition_point(|known| known.run < run);
        if place < self.wanted {
            self.found.insert(place, Found { run, bug, positions: positions.to_vec() });
            self.found.truncate(self.wanted);
        }
    }

    /// The last run that matters: runs after it cannot change what is held.
    pub(crate) fn last_run(&self) -> Option<u64> {
        if self.found.len() == self.wanted { self.found.last().map(|last| last.run) } else { None }
    }

    /// Whether it can make a difference, apart from its run: one bound is as good as another.
    pub(crate) fn is_news(&self, bug: &Bug) -> bool {
        self.bound.is_none() || !(self.callbacks.is_bound)(bug)
    }

    pub(crate) fn has_bugs(&self) -> bool {
        !self.found.is_empty()
    }

    /// The bugs, and the bound. Offered to others, they are what is held.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Found<Bug>> {
        self.found.iter().chain(&self.bound)
    }

    /// The bugs, and the bound.
    pub(crate) fn into_found(self) -> (Vec<Found<Bug>>, Option<Found<Bug>>) {
        (self.found, self.bound)
    }
}
