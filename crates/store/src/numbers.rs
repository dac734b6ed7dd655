//! Numbers for what is new, each given once.
//!
//! What has a number lies in an array at that place, and neighbours there share cache lines. So a thread gets numbers in
//! *runs*, whose places nobody else writes to. The rest of a run is wasted when a set is written down.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::per_thread::PerThread;

/// How many numbers a run has.
pub(crate) const RUN: u64 = 1 << LENGTH_BITS;
const LENGTH_BITS: u32 = 4;

/// The numbers that were not given yet.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// All in runs are below it.
    next: AtomicU64,
    /// No number that counts is as large as this.
    end: u64,
    runs: PerThread<Run>,
}

/// The next number of a run and, in the lowest bits, how many come after the last that was given.
#[derive(Debug, Default)]
struct Run(AtomicU64);

impl Numbers {
    /// Those from `next` to before `end`.
    pub(crate) fn new(next: u64, end: u64) -> Self {
        Self { next: AtomicU64::new(next), end, runs: PerThread::default() }
    }

    /// A number, or, when there are no more, something that is not below the end.
    #[inline]
    pub(crate) fn give(&self) -> u64 {
        let Run(run) = self.runs.own();
        let mut left = run.load(Ordering::Relaxed);
        // Threads may share a place.
        while left % RUN != 0 {
            let after = left + RUN - 1;
            match run.compare_exchange_weak(left, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return left / RUN,
                Err(now) => left = now,
            }
        }
        let first = self.begin_run();
        let count = if first + RUN <= self.end { RUN - 1 } else { 0 };
        run.store((first + 1) * RUN + count, Ordering::Relaxed);
        first
    }

    /// Near the end, numbers are given one by one.
    fn begin_run(&self) -> u64 {
        let after = |next| if next + RUN <= self.end { next + RUN } else { next + 1 };
        let mut next = self.next.load(Ordering::SeqCst);
        loop {
            match self.next.compare_exchange_weak(next, after(next), Ordering::SeqCst, Ordering::SeqCst) {
                Ok(first) => return first,
                Err(now) => next = now,
            }
        }
    }

    /// All that were given are below it.
    pub(crate) fn next(&self) -> u64 {
        self.next.load(Ordering::SeqCst)
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Whether one was asked for when there were no more.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) > self.end
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn each_number_is_given_once_and_none_is_left_out_at_the_end() {
        // More threads than places: some share one.
        for end in [0, 1, RUN - 1, RUN, 10 * RUN + 3] {
            let numbers = Numbers::new(0, end);
            let ask = || (0..100).map(|_| numbers.give()).filter(|number| *number < end).collect::<Vec<_>>();
            let mut given: Vec<u64> = thread::scope(|scope| {
                let threads: Vec<_> = (0..40).map(|_| scope.spawn(ask)).collect();
                threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            let count = given.len();
            given.sort_unstable();
            given.dedup();
            assert_eq!(given.len(), count, "a number was given twice");
            assert!(numbers.is_exhausted(), "4,000 were asked for, and {end} were there");
        }
        let numbers = Numbers::new(5, 2 * RUN);
        assert!((5..2 * RUN).all(|number| numbers.give() == number), "one thread gets them in order");
        assert!(!numbers.is_exhausted() && numbers.give() >= 2 * RUN && numbers.is_exhausted());
    }
}
