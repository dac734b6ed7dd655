//! The kinds of bugs: each is shown by a fixture.

use fabius_vm::BugKind;

use crate::fixture::{Fixture, Section};

/// The front end refuses all programs that would show the first; the VM's own tests reach it. The others are bounds, which
/// searches do not take for bugs.
const NEVER_SEEN: &[BugKind] = &[BugKind::NotInMonitor, BugKind::QueueTooLong, BugKind::TooManyMachines];

pub(crate) fn every_one_has_a_fixture(fixtures: &[Fixture]) -> Result<(), String> {
    let bugs = fixtures.iter().flat_map(|fixture| &fixture.sections).flat_map(Section::bugs);
    let shown: Vec<&str> = bugs.map(|bug| bug.kind.as_str()).collect();
    let known = |kind: &&str| BugKind::ALL.iter().any(|known| known.code() == *kind);
    if let Some(unknown) = shown.iter().find(|kind| !known(kind)) {
        return Err(format!("there is no kind of bug called {unknown}"));
    }
    let is_missing = |kind: &&BugKind| shown.contains(&kind.code()) == NEVER_SEEN.contains(kind);
    let wrong: Vec<&str> = BugKind::ALL.iter().filter(is_missing).map(|kind| kind.code()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("without fixture, or wrongly listed: {wrong:?}")) }
}
