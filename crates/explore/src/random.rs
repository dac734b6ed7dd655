//! Random scheduling: every choice of a state with the same probability.
//!
//! The baseline of all others. A schedule with `c` choices at each of `s` steps has probability 1 / c^s, so that orders
//! in which one machine must wait for long are hardly ever seen: see [`Pct`](crate::Pct) and [`Pos`](crate::Pos).

use fabius_model::{Choice, Effect, Program};

use crate::{Rng, RunStart, Scheduler};

/// The random scheduler.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A random scheduler; its numbers come with each run.
    pub fn new() -> Random {
        Random { rng: Rng::from_seed(0) }
    }
}

impl Default for Random {
    fn default() -> Random {
        Random::new()
    }
}

impl<P: Program> Scheduler<P> for Random {
    fn begin_run(&mut self, start: RunStart) {
        self.rng = Rng::from_seed(start.seed);
    }

    #[inline]
    fn pick(&mut self, _program: &P, _state: &P::State, choices: &[Choice]) -> usize {
        self.rng.position(choices.len())
    }

    fn observe(&mut self, _taken: Choice, _effects: &[Effect]) {}

    fn draws(&mut self) -> Option<&mut Rng> {
        Some(&mut self.rng)
    }
}
