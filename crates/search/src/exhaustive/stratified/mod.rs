//! Stratified exhaustive search: every reachable state, those that need few delays first.
//!
//! Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015 [DQS15], on top of the
//! iterative delay bounding of the same authors' technical report on cycle detection.
//!
//! Work is an *item*: a stored state and the number of delays to spend there. Taking an item performs the choice that the
//! explorer names after them and stores the state it leads to, if it is new, as a new item of the same stratum. The choices
//! that it names after more delays are *deferred* to later strata. A stratum is finished when it has nothing left to do;
//! what is deferred is the frontier, and no work is ever done again.
//!
//! Guarantees: `Exhausted` means that every reachable state was visited, because each stored state has had each of its
//! choices taken, whatever the explorer. In *strict* mode, where states are stored together with the explorer's state,
//! finishing stratum k means that every run with at most k delays was covered. Counts, bugs and traces are the same for any
//! number of threads. All this holds for every [`Cache`]: what a bounded one does not know is explored once more.
//! Does not guarantee: without strict mode, that finishing stratum k covers every run with at most k delays: a state is
//! explored with the explorer's state and the delays with which it was first reached, and what another way would have
//! reached cheaply may come in a later stratum. Nor shortest ways. With a bounded cache, that the number of visits is
//! the number of states, or that the time is bounded by anything but the number of paths.
//!
//! Differences from the paper: strata are worked through in rounds of the latest items instead of one after the other, so
//! that several threads can share a round and still agree on who stored a state first; the frontier keeps how many
//! delays are to be spent, and the bound begins at 0 (the paper's printed figures disagree on both).

mod bounded;
mod crew;
mod deferred;
mod explorers;
mod later;
mod nodes;
mod part;
mod queue;
mod recent;
mod search;
mod shards;
mod shared;
mod storing;
mod survey;

use fabius_explore::Explorer;
use fabius_model::Packed;

use self::nodes::{Known, Ways};
use self::queue::{Deferred, What};
use crate::{Bounds, Callbacks, Found, StopReason, Verdict};

/// What a delay costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Each delay is one: the papers' measure.
    #[default]
    Delays,
    /// Any number of delays at one state is one: what Zing counted.
    Deviations,
}

/// Which states are remembered, so that they are not explored again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// All.
    #[default]
    Unlimited,
    /// The first ones, about so many.
    Keep {
        /// How many.
        states: u64,
    },
    /// About so many of the latest ones.
    Replace {
        /// How many.
        states: u64,
    },
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last stratum to work through.
    pub delays: u64,
    /// How many states may be stored.
    pub states: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many threads; at least one.
    pub jobs: usize,
    /// Whether states are stored together with the explorer's state.
    pub strict: bool,
    /// What a delay costs.
    pub cost: Cost,
    /// Whether data choices cost nothing.
    pub free_data: bool,
    /// Which states are remembered.
    pub cache: Cache,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            delays: u64::MAX,
            states: u64::MAX,
            bugs: 1,
            jobs: 1,
            strict: false,
            cost: Cost::Delays,
            free_data: false,
            cache: Cache::Unlimited,
        }
    }
}

/// What one stratum brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// States stored in it; in strict mode, pairs with the explorer's state.
    pub states: u64,
    /// Steps taken in it.
    pub transitions: u64,
}

/// The result of a stratified search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<Bug> {
    /// The different bugs, in the order in which they were found.
    pub bugs: Vec<Found<Bug>>,
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// The stratum of the first bug.
    pub bug_delays: Option<u64>,
    /// Why it ended.
    pub stop: StopReason,
    /// Different states visited; with a bounded cache, visits.
    pub states: u64,
    /// Steps taken, those into bugs included.
    pub transitions: u64,
    /// The strata begun; the last one is finished only if the search ended with it.
    pub strata: Vec<Stratum>,
    /// How many strata, from 0, are finished.
    pub finished: u64,
    /// Whether states were stored together with the explorer's state.
    pub strict: bool,
    /// States with choices that were not taken.
    pub frontier: u64,
    /// Steps on the way by which the deepest stored state was found.
    pub depth: u64,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match (self.bugs.first(), self.stop) {
            (Some(first), _) => Verdict::Bug(first),
            (None, StopReason::Exhausted) if self.bound_met.is_none() => Verdict::Verified,
            (None, _) if self.strict && self.finished > 0 && self.bound_met.is_none() => {
                Verdict::NoBugFound { within: Bounds::Delays { delays: self.finished - 1 } }
            }
            (None, _) => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states in the order of strata, and shows each of them to `visit` once, from any thread; with a
/// bounded cache, at least once. Also gives what is left to do.
pub fn run<P, E>(
    program: &P,
    explorer: &E,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
) -> (Report<P::Bug>, Frontier)
where
    P: Packed,
    E: Explorer,
{
    let known = Known::new(limits.cache, limits.strict, P::PARTS_REPEAT);
    search::run(known, program, explorer, limits, callbacks, visit)
}

/// What a search left to later strata.
#[derive(Debug)]
pub struct Frontier {
    /// Steps that were not taken: of each state one, with the fewest delays. No chunk is empty.
    chunks: Vec<Vec<Deferred>>,
    /// How many there are up to the end of each chunk.
    ends: Vec<usize>,
    ways: Ways,
}

impl Frontier {
    fn new(chunks: Vec<Vec<Deferred>>, ways: Ways) -> Self {
        let mut end = 0;
        let ends = chunks.iter().map(|chunk| {
            end += chunk.len();
            end
        });
        Self { ends: ends.collect(), chunks, ways }
    }

    /// How many states have choices that were not taken.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The positions of the choices on the way to a state, and the delays to spend there.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn get(&self, index: usize) -> (Vec<u32>, u32) {
        let chunk = self.ends.partition_point(|end| *end <= index);
        let step = &self.chunks[chunk][index + self.chunks[chunk].len() - self.ends[chunk]];
        let (What::Probed { delays, .. } | What::Unprobed { delays }) = step.what();
        (self.ways.positions(step.node), delays)
    }
}

#[cfg(test)]
mod tests;
