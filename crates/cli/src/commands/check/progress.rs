//! The live line on a terminal: what is being done, how far it is and how fast it goes.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fabius_lang::source::separated;
use fabius_search::Progress;

/// How often the line is drawn anew.
const INTERVAL: Duration = Duration::from_millis(100);

/// A line that is drawn over and over, or nothing if nobody watches.
pub(super) struct LiveLine<'a> {
    test: &'a str,
    start: Instant,
    deadline: Option<Duration>,
    /// When it was last drawn; `None` where there is no terminal.
    drawn: Option<Mutex<Instant>>,
}

impl<'a> LiveLine<'a> {
    pub(super) fn new(test: &'a str, deadline: Option<Duration>, is_wanted: bool) -> Self {
        let start = Instant::now();
        let is_watched = is_wanted && io::stderr().is_terminal();
        Self { test, start, deadline, drawn: is_watched.then(|| Mutex::new(start)) }
    }

    pub(super) fn show(&self, progress: &Progress) {
        let Some(drawn) = &self.drawn else { return };
        // Whoever comes second leaves it to the first.
        let Ok(mut drawn) = drawn.try_lock() else { return };
        if drawn.elapsed() < INTERVAL {
            return;
        }
        *drawn = Instant::now();
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = progress.steps as f64 / seconds.max(1e-9) / 1e6;
        let left = self.deadline.map_or(String::new(), |deadline| {
            format!(", {:.0} s left", deadline.saturating_sub(self.start.elapsed()).as_secs_f64())
        });
        let what = match progress.stratum {
            Some(stratum) => {
                let (states, frontier) = (separated(progress.states), separated(progress.frontier));
                format!("stratum {stratum}, {states} states, {frontier} waiting")
            }
            None if progress.states > 0 => format!("{} states", separated(progress.states)),
            None => format!("{} schedules", separated(progress.runs)),
        };
        let line = format!("  {}  {what}, {rate:.1} M steps/s, {seconds:.0} s{left}", self.test);
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

impl Drop for LiveLine<'_> {
    fn drop(&mut self) {
        if let Some(drawn) = &self.drawn {
            let _drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
