//! Whether a search goes on making moves that it has never made before.
//!
//! A virtual machine that remembers is many times faster than one that does not where local states repeat, and about half as
//! fast, with very much more memory, where they do not. In the beginning everything is new to both. So the search starts
//! with memory, and is begun anew without it when novelty lasts: when in two windows of steps, the second twice as
//! long as the first, nearly all moves were new, and in the second hardly fewer than in the first. What was done until then is little.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_search::{Callbacks, Progress};
use fabius_vm::Vm;

use crate::program::FoundBug;

/// The end of the first window, in steps; each is twice as long as the one before.
const FIRST_WINDOW: u64 = 1 << 14;
/// How much of a window must be new.
const NEARLY_ALL: f64 = 0.8;
/// How much of that must be left in the next window.
const HARDLY_FEWER: f64 = 0.95;

/// What is known of the novelty of a search's moves.
pub(super) struct Novelty {
    is_lasting: AtomicBool,
    /// `None` if nobody wants to know.
    windows: Mutex<Option<Windows>>,
}

struct Windows {
    /// Steps and new moves at the end of the last window.
    steps: u64,
    learned: u64,
    /// The share of new moves in it.
    share: f64,
    /// Where the next one ends.
    end: u64,
}

impl Novelty {
    /// Nothing known yet; if it is not wanted, novelty never counts as lasting.
    pub(super) fn new(is_wanted: bool) -> Self {
        let windows = Windows { steps: 0, learned: 0, share: 0.0, end: FIRST_WINDOW };
        Self { is_lasting: AtomicBool::new(false), windows: Mutex::new(is_wanted.then_some(windows)) }
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
                self.note(progress.steps, vm.remembered().made);
                (callbacks.progress)(progress);
            },
            same_bug: callbacks.same_bug,
            is_bound: callbacks.is_bound,
        })
    }

    fn note(&self, steps: u64, learned: u64) {
        // Whoever comes while another one is busy here need not wait.
        let Ok(mut windows) = self.windows.try_lock() else { return };
        if let Some(windows) = &mut *windows
            && steps >= windows.end
        {
            let is_lasting = windows.close(steps, learned);
            self.is_lasting.fetch_or(is_lasting, Ordering::Relaxed);
        }
    }
}

impl Windows {
    /// Ends a window; whether novelty is lasting.
    fn close(&mut self, steps: u64, learned: u64) -> bool {
        let share = learned.saturating_sub(self.learned) as f64 / (steps - self.steps).max(1) as f64;
        let before = std::mem::replace(&mut self.share, share);
        (self.steps, self.learned, self.end) = (steps, learned, steps * 2);
        before >= NEARLY_ALL && share >= NEARLY_ALL && share >= before * HARDLY_FEWER
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_WINDOW, Novelty};

    /// After how many windows novelty counts as lasting, if the share of new moves is that.
    fn windows_until_lasting(share_of: impl Fn(i32) -> f64) -> Option<i32> {
        let novelty = Novelty::new(true);
        let (mut steps, mut learned) = (0, 0);
        (0..12).find(|&window| {
            let end = FIRST_WINDOW << window;
            learned += ((end - steps) as f64 * share_of(window)) as u64;
            steps = end;
            novelty.note(steps, learned);
            novelty.is_lasting()
        })
    }

    #[test]
    fn only_novelty_that_does_not_wear_off_is_lasting() {
        assert_eq!(windows_until_lasting(|_| 1.0), Some(1));
        assert_eq!(windows_until_lasting(|window| if window < 3 { 0.5 } else { 0.9 }), Some(4));
        assert_eq!(windows_until_lasting(|_| 0.7), None);
        assert_eq!(windows_until_lasting(|window| 0.9_f64.powi(window)), None);
        assert!(!Novelty::new(false).is_lasting());
    }
}
