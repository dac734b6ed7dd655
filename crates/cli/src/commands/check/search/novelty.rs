//! Whether a search goes on making moves that it has never made before.
//!
//! A virtual machine that remembers is about ten times as fast as one that does not where local states repeat, and half as
//! fast, with very much more memory, where they do not. In the beginning everything is new to both. So the search starts
//! with memory, and is begun anew without it when novelty lasts: when in two windows of steps, the second as long as all
//! before it, a good part of the moves was new, and in the second hardly less than in the first. What was done until then
//! is little. Protocols make less than a tenth of new moves after some thousand steps; programs that count without bound
//! make half of them and more, for ever.
//!
//! Moves that were forgotten are new again, and then it depends on threads how many are. A search that is to give the same
//! result with any number of threads, but not quite the same without memory, is begun anew only as long as all moves are
//! remembered.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_search::{Callbacks, Progress};
use fabius_vm::Vm;

use crate::program::FoundBug;

/// The end of the first window, in steps; each ends after twice as many as the one before.
const FIRST_WINDOW: u64 = 1 << 13;
/// How much of a window must be new.
const GOOD_PART: f64 = 0.3;
/// How much of that must be left in the next window.
const HARDLY_LESS: f64 = 0.9;

/// When a search may be begun anew.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anew {
    Never,
    Always,
    /// As long as all moves are remembered.
    Predictably,
}

/// What is known of the novelty of a search's moves.
pub(super) struct Novelty {
    is_lasting: AtomicBool,
    anew: Anew,
    windows: Mutex<Windows>,
}

struct Windows {
    /// Steps and moves that had to be made, at the end of the last window.
    steps: u64,
    made: u64,
    /// The share of new moves in it.
    share: f64,
    /// Where the next one ends.
    end: u64,
}

impl Novelty {
    /// Nothing known yet; unless the search may be begun anew, novelty never counts as lasting.
    pub(super) fn new(anew: Anew) -> Self {
        let windows = Windows { steps: 0, made: 0, share: 0.0, end: FIRST_WINDOW };
        Self { is_lasting: AtomicBool::new(false), anew, windows: Mutex::new(windows) }
    }

    pub(super) fn is_lasting(&self) -> bool {
        self.is_lasting.load(Ordering::Relaxed)
    }

    /// Searches, and stops when novelty is lasting.
    pub(super) fn watch<T>(
        &self,
        vm: &Vm,
        callbacks: &Callbacks<'_, FoundBug>,
        search: impl FnOnce(&Callbacks<'_, FoundBug>) -> T,
    ) -> T {
        search(&Callbacks {
            should_stop: &|| self.is_lasting() || (callbacks.should_stop)(),
            progress: &|progress: &Progress| {
                let may_last = match self.anew {
                    Anew::Never => false,
                    Anew::Always => true,
                    Anew::Predictably => vm.remembers_all(),
                };
                if may_last {
                    self.note(progress.steps, vm.remembered().made);
                }
                (callbacks.progress)(progress);
            },
            same_bug: callbacks.same_bug,
            is_bound: callbacks.is_bound,
        })
    }

    fn note(&self, steps: u64, made: u64) {
        // Whoever comes while another one is busy here need not wait.
        let Ok(mut windows) = self.windows.try_lock() else { return };
        if steps >= windows.end {
            let is_lasting = windows.close(steps, made);
            self.is_lasting.fetch_or(is_lasting, Ordering::Relaxed);
        }
    }
}

impl Windows {
    /// Ends a window; whether novelty is lasting.
    fn close(&mut self, steps: u64, made: u64) -> bool {
        let share = made.saturating_sub(self.made) as f64 / (steps - self.steps).max(1) as f64;
        let before = std::mem::replace(&mut self.share, share);
        (self.steps, self.made, self.end) = (steps, made, steps * 2);
        before >= GOOD_PART && share >= GOOD_PART && share >= before * HARDLY_LESS
    }
}

#[cfg(test)]
mod tests {
    use super::{Anew, FIRST_WINDOW, Novelty};

    /// After how many windows novelty counts as lasting, if the share of new moves is that.
    fn windows_until_lasting(share_of: impl Fn(i32) -> f64) -> Option<i32> {
        let novelty = Novelty::new(Anew::Always);
        let (mut steps, mut made) = (0, 0);
        (0..12).find(|&window| {
            let end = FIRST_WINDOW << window;
            made += ((end - steps) as f64 * share_of(window)) as u64;
            steps = end;
            novelty.note(steps, made);
            novelty.is_lasting()
        })
    }

    #[test]
    fn only_novelty_that_does_not_wear_off_is_lasting() {
        assert_eq!(windows_until_lasting(|_| 1.0), Some(1));
        assert_eq!(windows_until_lasting(|window| if window < 3 { 0.2 } else { 0.5 }), Some(4));
        assert_eq!(windows_until_lasting(|_| 0.2), None);
        assert_eq!(windows_until_lasting(|window| 0.8_f64.powi(window)), None);
    }
}
