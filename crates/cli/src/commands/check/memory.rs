//! How much memory the process has, so that a search ends before the system ends it.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// How often the system is asked, in milliseconds.
const INTERVAL: u64 = 50;

/// The memory of this process, against what it may have. Where the system does not tell, it is never short.
pub(super) struct Memory {
    start: Instant,
    asked: AtomicU64,
    /// In kilobytes.
    limit: Option<u64>,
    was_short: AtomicBool,
}

impl Memory {
    /// With a limit in bytes; half of what the machine has unless given.
    pub(super) fn new(bytes: Option<u64>) -> Self {
        let limit = bytes.map(|bytes| bytes >> 10).or_else(by_default);
        Self { start: Instant::now(), asked: AtomicU64::new(0), limit, was_short: AtomicBool::new(false) }
    }

    /// Whether the process has come near what it may have.
    pub(super) fn is_short(&self) -> bool {
        let now = self.start.elapsed().as_millis() as u64;
        let asked = self.asked.load(Ordering::Relaxed);
        if now >= asked + INTERVAL
            && let (Some(limit), Some(used)) = (self.limit, kilobytes("/proc/self/status", "VmRSS:"))
        {
            self.asked.store(now, Ordering::Relaxed);
            self.was_short.fetch_or(used >= limit, Ordering::Relaxed);
        }
        self.was_short()
    }

    pub(super) fn was_short(&self) -> bool {
        self.was_short.load(Ordering::Relaxed)
    }
}

/// What the process may have unless told otherwise, in kilobytes: half of what the machine has.
fn by_default() -> Option<u64> {
    of_machine().map(|total| total / 2)
}

/// What the process may have, in bytes; a gigabyte where nobody knows.
pub(super) fn limit(given: Option<u64>) -> usize {
    let bytes = given.or_else(|| by_default().map(|kilobytes| kilobytes << 10));
    usize::try_from(bytes.unwrap_or(1 << 30)).unwrap_or(usize::MAX)
}

/// What the machine has, in kilobytes.
pub(crate) fn of_machine() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemTotal:")
}

/// A number of kilobytes that the system tells in one of its files.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
