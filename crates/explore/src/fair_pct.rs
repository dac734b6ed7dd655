//! Fair PCT: priorities for a prefix of the run, then at random.
//!
//! Under PCT a machine of high priority that waits by moving (polls, retries) keeps all others from ever moving, and
//! the run says nothing about what happens in the long run. After the prefix every machine moves again and again with
//! probability 1. P's checker has the same strategy under the same name.

use fabius_model::{Choice, Effect, Program};

use crate::{Pct, RunStart, Scheduler};

/// The fair PCT scheduler.
#[derive(Clone, Debug)]
pub struct FairPct {
    pct: Pct,
    prefix: u64,
    steps: u64,
}

impl FairPct {
    /// [`Pct::new`] for the first `prefix` steps, data choices included; then random.
    pub fn new(depth: u32, length: Option<u64>, prefix: u64) -> FairPct {
        FairPct { pct: Pct::new(depth, length), prefix, steps: 0 }
    }
}

impl<P: Program> Scheduler<P> for FairPct {
    fn begin_run(&mut self, start: RunStart) {
        self.pct.begin(start);
        self.steps = 0;
    }

    fn pick(&mut self, _program: &P, _state: &P::State, choices: &[Choice]) -> usize {
        self.steps += 1;
        if self.steps <= self.prefix {
            self.pct.pick_position(choices)
        } else {
            self.pct.random_position(choices)
        }
    }

    fn observe(&mut self, _taken: Choice, _effects: &[Effect]) {}

    fn end_run(&mut self) -> u64 {
        self.pct.contested()
    }
}
