//! The trait of schedulers, and the list of those that are built in.

use std::fmt;

use fabius_model::{Choice, Effect, Program};

use crate::{FairPct, Pct, Pos, Random, Rng};

/// What a scheduler is told before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStart {
    /// The seed of this run; see [`run_seed`](crate::run_seed).
    pub seed: u64,
    /// The largest answer of [`Scheduler::end_run`] in the earlier runs that count, or 0 before there is one. Which runs
    /// count is decided by their numbers alone, so that the answer does not depend on the number of threads.
    pub longest: u64,
}

/// A strategy that picks one choice after the other.
///
/// What it picks must be a function of the run's [`RunStart`] and of what it was shown since, so that a run can be
/// repeated. It may keep nothing else from earlier runs.
pub trait Scheduler<P: Program>: Send {
    /// Begins a run.
    fn begin_run(&mut self, start: RunStart);

    /// The position, in `choices`, of the choice to take in `state`. There is at least one.
    fn pick(&mut self, program: &P, state: &P::State, choices: &[Choice]) -> usize;

    /// Learns what the step of the picked choice did.
    fn observe(&mut self, taken: Choice, effects: &[Effect]);

    /// The numbers that it draws from, if it does nothing but draw: every position with the same probability, whatever the
    /// choices and their effects are. Whoever has them need not list the choices for `pick` to see, nor call `observe`.
    fn draws(&mut self) -> Option<&mut Rng> {
        None
    }

    /// Ends a run, and tells how long it was in the unit that this scheduler adapts to.
    fn end_run(&mut self) -> u64 {
        0
    }
}

impl<P: Program> Scheduler<P> for Box<dyn Scheduler<P>> {
    fn begin_run(&mut self, start: RunStart) {
        (**self).begin_run(start);
    }

    fn pick(&mut self, program: &P, state: &P::State, choices: &[Choice]) -> usize {
        (**self).pick(program, state, choices)
    }

    fn observe(&mut self, taken: Choice, effects: &[Effect]) {
        (**self).observe(taken, effects);
    }

    fn draws(&mut self) -> Option<&mut Rng> {
        (**self).draws()
    }

    fn end_run(&mut self) -> u64 {
        (**self).end_run()
    }
}

/// The built-in schedulers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// [`Random`].
    Random,
    /// [`Pct`].
    Pct {
        /// The number of ordering constraints to aim at; one more than the number of priority changes.
        depth: u32,
        /// The assumed number of steps with a choice; adapted to the longest run if `None`.
        length: Option<u64>,
    },
    /// [`FairPct`].
    FairPct {
        /// As in [`Strategy::Pct`].
        depth: u32,
        /// As in [`Strategy::Pct`].
        length: Option<u64>,
        /// After how many steps it goes on at random.
        prefix: u64,
    },
    /// [`Pos`].
    Pos,
}

impl Strategy {
    /// A new scheduler of this kind.
    pub fn scheduler<P: Program>(&self) -> Box<dyn Scheduler<P>> {
        match *self {
            Strategy::Random => Box::new(Random::new()),
            Strategy::Pct { depth, length } => Box::new(Pct::new(depth, length)),
            Strategy::FairPct { depth, length, prefix } => Box::new(FairPct::new(depth, length, prefix)),
            Strategy::Pos => Box::new(Pos::new()),
        }
    }

    /// Whether, in a run without end, a machine that can move for ever moves again with probability 1. Only runs of
    /// such schedulers say anything about liveness.
    pub fn is_fair(&self) -> bool {
        matches!(self, Strategy::Random | Strategy::FairPct { .. })
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Random => f.write_str("random"),
            Strategy::Pct { depth, .. } => write!(f, "pct({depth})"),
            Strategy::FairPct { depth, prefix, .. } => write!(f, "fairpct({depth}, {prefix})"),
            Strategy::Pos => f.write_str("pos"),
        }
    }
}
