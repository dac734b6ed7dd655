//! Chance, drawn from a seed.

use fabius_explore::Rng;

#[derive(Debug)]
pub(crate) struct Dice {
    rng: Rng,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::from_seed(seed) }
    }

    /// A number below `bound`, which is positive.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.rng.position(bound)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.max(low) - low + 1)
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// An element of a list that is not empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// An element, each as often as its weight says; some weight is positive.
    pub(crate) fn weighted<T: Copy>(&mut self, list: &[(usize, T)]) -> T {
        let total = list.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, item) in list {
            if left < *weight {
                return *item;
            }
            left -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}
