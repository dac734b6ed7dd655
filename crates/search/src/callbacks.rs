//! What connects a search to the world that it does not see.

use std::fmt;

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Runs that have ended, for a search over runs.
    pub runs: u64,
    /// Steps taken.
    pub steps: u64,
    /// States stored, for a search over states.
    pub states: u64,
    /// States stored and not yet expanded.
    pub frontier: u64,
    /// Runs or steps that ended in a bug.
    pub bugs: u64,
    /// The stratum, for a search that counts delays.
    pub stratum: Option<u64>,
    /// How many bytes more are taken at once when the search's own tables grow that are nearly full.
    pub growth_ahead: usize,
}

/// What a search asks and tells while it works. All may be called from any of its threads.
#[derive(Clone, Copy)]
pub struct Callbacks<'a, Bug> {
    /// Asked every few dozen steps: whether to end the search now.
    pub should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Told every few thousand steps.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
    /// Whether two bugs are the same one, found twice. Must be an equivalence.
    pub same_bug: &'a (dyn Fn(&Bug, &Bug) -> bool + Sync),
    /// Whether this is no bug but a bound: the run could go on, but we do not.
    pub is_bound: &'a (dyn Fn(&Bug) -> bool + Sync),
}

impl<Bug: Eq> Default for Callbacks<'_, Bug> {
    /// Never stops, tells nobody, takes bugs for the same if they are equal, and none for a bound.
    fn default() -> Self {
        Callbacks {
            should_stop: &|| false,
            progress: &|_| {},
            same_bug: &|one, other| one == other,
            is_bound: &|_| false,
        }
    }
}

impl<Bug> fmt::Debug for Callbacks<'_, Bug> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}
