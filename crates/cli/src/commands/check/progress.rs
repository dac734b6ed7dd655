//! The live line on a terminal: what is being done, how far it is and how fast it goes.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fabius_lang::source::separated;
use fabius_search::Progress;

/// How often the line is drawn anew.
const INTERVAL: Duration = Duration::from_millis(100);

/// The test that the line tells of, and what is being done.
#[derive(Clone, Copy)]
pub(super) struct Doing<'a> {
    pub(super) test: &'a str,
    /// In words, where a search has several parts; otherwise empty.
    pub(super) part: &'a str,
    /// When the test began, and how long it may take with all its parts.
    pub(super) start: Instant,
    pub(super) time: Option<Duration>,
}

/// A line that is drawn over and over, or nothing if nobody watches.
pub(super) struct LiveLine<'a> {
    doing: Doing<'a>,
    /// When this part began.
    start: Instant,
    /// When it was last drawn; `None` where there is no terminal.
    drawn: Option<Mutex<Instant>>,
}

impl<'a> LiveLine<'a> {
    pub(super) fn new(doing: Doing<'a>, is_wanted: bool) -> Self {
        let start = Instant::now();
        let is_watched = is_wanted && io::stderr().is_terminal();
        Self { doing, start, drawn: is_watched.then(|| Mutex::new(start)) }
    }

    pub(super) fn show(&self, progress: &Progress) {
        let Some(drawn) = &self.drawn else { return };
        // Whoever comes second leaves it to the first.
        let Ok(mut drawn) = drawn.try_lock() else { return };
        if drawn.elapsed() < INTERVAL {
            return;
        }
        *drawn = Instant::now();
        let line = text(&self.doing, progress, self.start.elapsed(), self.doing.start.elapsed());
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

/// The line, some time after this part and the whole test have begun.
fn text(doing: &Doing<'_>, progress: &Progress, in_part: Duration, in_test: Duration) -> String {
    let rate = progress.steps as f64 / in_part.as_secs_f64().max(1e-9) / 1e6;
    let left = doing.time.map_or(String::new(), |time| {
        format!(", at most {:.0} s left", time.saturating_sub(in_test).as_secs_f64())
    });
    let found = match progress.stratum {
        Some(stratum) => {
            let (states, frontier) = (separated(progress.states), separated(progress.frontier));
            format!("stratum {stratum}, {states} states, {frontier} waiting")
        }
        None if progress.states > 0 => format!("{} states", separated(progress.states)),
        None => format!("{} schedules", separated(progress.runs)),
    };
    let part = if doing.part.is_empty() { String::new() } else { format!("{}: ", doing.part) };
    let seconds = in_test.as_secs_f64();
    format!("  {}  {part}{found}, {rate:.1} M steps/s, {seconds:.0} s{left}", doing.test)
}

impl Drop for LiveLine<'_> {
    fn drop(&mut self) {
        if let Some(drawn) = &self.drawn {
            let _drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use fabius_search::Progress;

    use super::{Doing, text};

    #[test]
    fn it_says_what_is_being_done_and_counts_the_time_of_the_whole_test() {
        let time = Some(Duration::from_secs(60));
        let doing = Doing { test: "tcOne", part: "a first look with rr", start: Instant::now(), time };
        let progress = Progress {
            steps: 3_000_000,
            states: 12_000,
            frontier: 70,
            stratum: Some(2),
            ..Progress::default()
        };
        assert_eq!(
            text(&doing, &progress, Duration::from_secs(2), Duration::from_secs(9)),
            "  tcOne  a first look with rr: stratum 2, 12,000 states, 70 waiting, 1.5 M steps/s, 9 s, at most 51 s left"
        );
        let doing = Doing { part: "", time: None, ..doing };
        let progress = Progress { runs: 1_234, steps: 1_000_000, ..Progress::default() };
        assert_eq!(
            text(&doing, &progress, Duration::from_secs(1), Duration::from_secs(1)),
            "  tcOne  1,234 schedules, 1.0 M steps/s, 1 s"
        );
    }
}
