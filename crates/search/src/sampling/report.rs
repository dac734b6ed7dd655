//! What a search over runs has to tell, and how the parts of several threads are put together.

use std::collections::HashSet;

use super::worker::{Record, RunEnd};
use crate::verdict::Findings;
use crate::{Bounds, Found, StopReason, Verdict};

/// The result of a search over runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<Bug> {
    /// The different bugs, in the order of the runs that found them.
    pub bugs: Vec<Found<Bug>>,
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// Why it ended.
    pub stop: StopReason,
    /// Runs done.
    pub runs: u64,
    /// Steps taken in these runs: schedule choices and data choices.
    pub steps: u64,
    /// Runs that ended in a bug.
    pub buggy: u64,
    /// Runs that were cut off by the bound on steps.
    pub cut_by_steps: u64,
    /// Runs that were cut off because they came to a bound, or one run alone needed more memory than allowed.
    pub cut_by_memory: u64,
    /// Steps of the longest run.
    pub longest: u64,
    /// The bound on the steps of a run.
    pub max_steps: u64,
    /// Different final states, if they were to be counted.
    pub ends: Option<Ends>,
    /// A number that two searches share if, but for chance, they took the same choices in the same runs.
    pub digest: u64,
}

/// A count of different final states of runs that ended without a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// How many.
    pub different: u64,
    /// Whether counting stopped there.
    pub at_least: bool,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match self.bugs.first() {
            Some(first) => Verdict::Bug(first),
            None => {
                let cut = self.cut_by_steps + self.cut_by_memory;
                Verdict::NoBugFound {
                    within: Bounds::Runs { runs: self.runs, cut, max_steps: self.max_steps },
                }
            }
        }
    }
}

/// The sum of the runs so far. It depends on which runs are added, and on nothing else.
#[derive(Debug, Default)]
pub(super) struct Totals {
    runs: u64,
    steps: u64,
    buggy: u64,
    cut_by_steps: u64,
    cut_by_memory: u64,
    longest: u64,
    /// The largest length in the scheduler's own unit.
    pub(super) longest_measure: u64,
    digest: u64,
    ends: HashSet<u128>,
    ends_left_out: bool,
}

impl Totals {
    /// Adds a run. Runs must be added in the order of their numbers if ends are counted.
    pub(super) fn add(&mut self, record: &Record, most_ends: usize) {
        self.runs += 1;
        self.steps += record.steps;
        self.longest = self.longest.max(record.steps);
        self.longest_measure = self.longest_measure.max(record.measure);
        self.digest = self.digest.wrapping_add(record.digest);
        match record.end {
            RunEnd::Bug => self.buggy += 1,
            RunEnd::CutBySteps => self.cut_by_steps += 1,
            RunEnd::CutByMemory => self.cut_by_memory += 1,
            RunEnd::Ended(fingerprint) => {
                if self.ends.len() < most_ends {
                    self.ends.insert(fingerprint);
                } else if most_ends > 0 && !self.ends.contains(&fingerprint) {
                    self.ends_left_out = true;
                }
            }
        }
    }

    pub(super) fn into_report<Bug>(
        self,
        findings: Findings<'_, Bug>,
        stop: StopReason,
        max_steps: u64,
        most_ends: usize,
    ) -> Report<Bug> {
        let ends = Ends { different: self.ends.len() as u64, at_least: self.ends_left_out };
        let (bugs, bound_met) = findings.into_found();
        Report {
            bugs,
            bound_met,
            stop,
            runs: self.runs,
            steps: self.steps,
            buggy: self.buggy,
            cut_by_steps: self.cut_by_steps,
            cut_by_memory: self.cut_by_memory,
            longest: self.longest,
            max_steps,
            ends: (most_ends > 0).then_some(ends),
            digest: self.digest,
        }
    }
}
