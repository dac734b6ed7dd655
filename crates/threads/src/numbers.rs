//! Numbers for what is new, each given once.
//!
//! What has a number lies in an array at that place, and neighbours there share cache lines. So a thread gets numbers in
//! *runs*, whose places nobody else writes to. What is left of a run when nobody asks any more is wasted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::per_thread::PerThread;

/// The numbers that were not given yet.
#[derive(Debug)]
pub struct Numbers {
    /// All in runs are below it.
    next: AtomicU64,
    /// No number that counts is as large as this.
    end: u64,
    /// Runs end at multiples of this, and those below `runs_from` have one number.
    run: u64,
    runs_from: u64,
    runs: PerThread<Run>,
}

/// The numbers of a run that are left: the first in the upper half, and how many.
#[derive(Debug, Default)]
struct Run(AtomicU64);

const COUNT_BITS: u32 = 16;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

impl Numbers {
    /// Those from `next` to before `end`, in runs of so many at most; the first ones, below `runs_from`, without runs.
    ///
    /// # Panics
    ///
    /// If runs are longer than some thousands, or numbers larger than 2^48.
    pub fn new(next: u64, end: u64, run: u64, runs_from: u64) -> Self {
        assert!(run < COUNT && end < 1 << (u64::BITS - COUNT_BITS), "a run fits into a word");
        Self { next: AtomicU64::new(next), end, run, runs_from, runs: PerThread::default() }
    }

    /// The first of so many numbers in a row. When there are no more, one that is not below the end.
    #[inline]
    pub fn give(&self, count: u64) -> u64 {
        let Run(run) = self.runs.own();
        let mut left = run.load(Ordering::Relaxed);
        // Threads may share a place.
        while left & COUNT >= count {
            let after = left + (count << COUNT_BITS) - count;
            match run.compare_exchange_weak(left, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return left >> COUNT_BITS,
                Err(now) => left = now,
            }
        }
        let (first, after) = self.begin_run(count);
        if let Some(rest) = after.checked_sub(first + count).filter(|rest| *rest > 0) {
            run.store((first + count) << COUNT_BITS | rest, Ordering::Relaxed);
        }
        first
    }

    /// Takes a run of at least so many numbers: the first, and the one after the last.
    fn begin_run(&self, count: u64) -> (u64, u64) {
        let end_of_run = |next: u64| {
            let end = (next + 1).next_multiple_of(self.run);
            let is_run = next >= self.runs_from && end <= self.end;
            if is_run { end.max(next + count) } else { next + count }
        };
        let mut next = self.next.load(Ordering::SeqCst);
        loop {
            let after = end_of_run(next);
            match self.next.compare_exchange_weak(next, after, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(first) => return (first, after),
                Err(now) => next = now,
            }
        }
    }

    /// All that were given are below it.
    pub fn next(&self) -> u64 {
        self.next.load(Ordering::SeqCst)
    }

    /// No number that counts is as large as this.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether one was asked for when there were no more.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) > self.end
    }

    /// Leaves out those before a number, which comes next for this thread. Only while no other thread has asked; false if the
    /// number was given before.
    pub fn skip_to(&self, number: u64) -> bool {
        let next = self.next();
        let Run(run) = self.runs.own();
        let left = run.load(Ordering::Relaxed);
        let (first, count) = if left & COUNT == 0 { (next, 0) } else { (left >> COUNT_BITS, left & COUNT) };
        if number < first || (first + count..next).contains(&number) {
            return false;
        }
        let rest = (first + count).saturating_sub(number);
        run.store(number << COUNT_BITS | rest, Ordering::Relaxed);
        self.next.store(next.max(number), Ordering::SeqCst);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const RUN: u64 = 16;

    #[test]
    fn each_number_is_given_once_and_to_the_last_one() {
        // More threads than places: some share one.
        for (end, count) in [(0, 1), (1, 1), (RUN - 1, 1), (RUN, 1), (10 * RUN + 3, 1), (20 * RUN, 3)] {
            let numbers = Numbers::new(0, end, RUN, RUN);
            let ask = || {
                let given = (0..100).map(|_| numbers.give(count));
                given.filter(|first| first + count <= end).collect::<Vec<_>>()
            };
            let mut given: Vec<u64> = thread::scope(|scope| {
                let threads: Vec<_> = (0..40).map(|_| scope.spawn(ask)).collect();
                threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            given.sort_unstable();
            assert!(given.windows(2).all(|two| two[0] + count <= two[1]), "a number was given twice");
            assert!(numbers.is_exhausted(), "4,000 were asked for, and {end} were there");
        }
    }

    #[test]
    fn one_thread_gets_them_in_order() {
        let numbers = Numbers::new(5, 2 * RUN, RUN, 7);
        assert!((5..2 * RUN).all(|number| numbers.give(1) == number));
        assert!(!numbers.is_exhausted() && numbers.give(1) >= 2 * RUN && numbers.is_exhausted());
        let numbers = Numbers::new(0, 1000, RUN, 0);
        // What a run has not room for begins another.
        let given: Vec<u64> = [10, 5, 2, 40, 1].into_iter().map(|count| numbers.give(count)).collect();
        assert_eq!(given, [0, 10, 16, 32, 18]);
    }

    #[test]
    fn numbers_can_be_left_out() {
        let numbers = Numbers::new(0, 1000, RUN, 0);
        for number in [0, 1, 3, 15, 16, 40, 41, 99] {
            assert!(numbers.skip_to(number), "{number}");
            assert_eq!(numbers.give(1), number);
        }
        assert!(!numbers.skip_to(99) && !numbers.skip_to(50));
        assert_eq!(numbers.give(1), 100);
    }
}
