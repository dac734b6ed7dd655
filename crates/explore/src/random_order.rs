//! Random order: at every state a fresh order of the choices, drawn from the seed and the state's content.
//!
//! Because the order is a function of the state, a search that comes to a state again, or executes its choices again,
//! meets the same order. A delay moves on in it.

use fabius_model::{ActorId, Choice};

use crate::explorer::{Explorer, Taken};
use crate::rng::Rng;

/// The random explorer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RandomOrder {
    seed: u64,
    fingerprint: u64,
    skipped: usize,
}

impl RandomOrder {
    /// An explorer whose orders come from a seed.
    pub fn new(seed: u64) -> RandomOrder {
        RandomOrder { seed, fingerprint: 0, skipped: 0 }
    }
}

impl Explorer for RandomOrder {
    fn begin(&mut self, _enabled: &[ActorId], fingerprint: u64) {
        (self.fingerprint, self.skipped) = (fingerprint, 0);
    }

    fn next(&self, choices: &[Choice]) -> usize {
        if choices.len() < 2 {
            return 0;
        }
        // The first `skipped + 1` draws of a random order.
        let mut rng = Rng::from_seed(self.seed ^ self.fingerprint);
        let mut positions: Vec<usize> = (0..choices.len()).collect();
        let last = self.skipped.min(choices.len() - 1);
        for at in 0..=last {
            let other = at + rng.position(choices.len() - at);
            positions.swap(at, other);
        }
        positions[last]
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.skipped += 1;
    }

    fn step(&mut self, taken: &Taken<'_>) {
        (self.fingerprint, self.skipped) = (taken.fingerprint, 0);
    }
}
