//! How much memory the process has, so that a search ends before the system ends it.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// How often the system is asked, in milliseconds.
const INTERVAL: u64 = 50;

/// The memory of this process, against half of what the machine has. Where the system does not tell, it is never short.
pub(super) struct Memory {
    start: Instant,
    asked: AtomicU64,
    limit: Option<u64>,
    was_short: AtomicBool,
}

impl Default for Memory {
    fn default() -> Self {
        let limit = kilobytes("/proc/meminfo", "MemTotal:").map(|total| total / 2);
        Self { start: Instant::now(), asked: AtomicU64::new(0), limit, was_short: AtomicBool::new(false) }
    }
}

impl Memory {
    /// Whether the process has come near what the machine can give.
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

/// A number of kilobytes that the system tells in one of its files.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
