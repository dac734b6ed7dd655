//! A sum to which threads add all the time, and which is seldom asked for.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::per_thread::PerThread;

/// What a thread has added is told to all when it is more than this part of the sum.
const UNTOLD: usize = 64;

/// The sum.
#[derive(Debug, Default)]
pub struct Counter {
    told: AtomicUsize,
    untold: PerThread<AtomicUsize>,
}

impl Counter {
    /// Adds to it.
    #[inline]
    pub fn add(&self, more: usize) {
        let own = self.untold.own();
        if own.fetch_add(more, Ordering::Relaxed) + more > self.told.load(Ordering::Relaxed) / UNTOLD {
            self.told.fetch_add(own.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// The sum, of which what each thread has added lately may be missing: up to a 64th.
    #[inline]
    pub fn about(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }

    /// The sum; while others add to it, something between before and after that.
    pub fn sum(&self) -> usize {
        let untold = self.untold.all().map(|untold| untold.load(Ordering::Relaxed));
        self.about() + untold.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn nothing_that_was_added_is_lost_and_little_is_untold() {
        let counter = Counter::default();
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| (0..1000).for_each(|number| counter.add(number % 3)));
            }
        });
        assert_eq!(counter.sum(), 20 * 999);
        let alone = Counter::default();
        for sum in 1..10_000 {
            alone.add(1);
            assert_eq!(alone.sum(), sum);
            assert!(sum - alone.about() <= sum / UNTOLD, "{} of {sum}", alone.about());
        }
    }
}
