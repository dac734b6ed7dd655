//! Where and when something was measured.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::commands::check::memory;

/// A machine at a time, with the version of Fabius on it.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    processor: String,
    cores: usize,
    gigabytes: Option<f64>,
    date: String,
    pub(super) commit: String,
}

impl Machine {
    pub(super) fn here() -> Self {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self {
            processor: model.map_or("unknown processor".to_owned(), |(_, name)| name.trim().to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            gigabytes: memory::of_machine().map(|kilobytes| kilobytes as f64 / f64::from(1 << 20)),
            date: date(now),
            commit: commit().unwrap_or_else(|| "unknown".into()),
        }
    }

    /// In a sentence.
    pub(super) fn described(&self) -> String {
        let memory = self.gigabytes.map_or(String::new(), |gigabytes| format!(", {gigabytes:.0} GiB"));
        format!("{}, {} cores{memory}; {}", self.processor, self.cores, self.date)
    }
}

/// The commit of the current folder, if it is in a repository; `+` if there are changes beyond it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no", "--", "crates", "corpus"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}+") })
}

/// The day of a time in seconds since 1970, in UTC.
pub(super) fn date(seconds: u64) -> String {
    // Years begin in March here, so that the day that some years lack comes last.
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
