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

    /// Draws the first positions of a random order, so many of so many.
    fn draw(&self, drawn: usize, all: usize, positions: &mut Vec<usize>) {
        let mut rng = Rng::from_seed(self.seed ^ self.fingerprint);
        positions.clear();
        positions.extend(0..all);
        for at in 0..drawn {
            positions.swap(at, at + rng.position(all - at));
        }
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
        let last = self.skipped.min(choices.len() - 1);
        let mut positions = Vec::new();
        self.draw(last + 1, choices.len(), &mut positions);
        positions[last]
    }

    fn order(&self, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        self.draw(choices.len(), choices.len(), positions);
        true
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.skipped += 1;
    }

    fn afresh(&self, fingerprint: u64) -> Option<Self> {
        Some(Self { seed: self.seed, fingerprint, skipped: 0 })
    }

    fn step(&mut self, taken: &Taken<'_>) {
        (self.fingerprint, self.skipped) = (taken.fingerprint, 0);
    }
}
