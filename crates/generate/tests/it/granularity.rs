//! Coarse steps show what P's own steps show.
//!
//! Both granularities are explored exhaustively. Call a state *settled* when no machine stands at a scheduling point that
//! the coarse steps may leave out (before a creation, and around the look into the queue in states that react to
//! `null`). What is checked:
//! - the same settled states are reachable. This is more than the same local states of machines at the points where
//!   both stop, and implies it;
//! - the same bugs are found: kind, machine, state, event, place and message, where a run ends at its first bug. Deadlocks
//!   and specs that are hot at the end are among them;
//! - coarse steps have no more states.

use crate::support::{compile, fail, seeds, tests, text, vm};
use fabius_model::Program;
use fabius_search::exhaustive::breadth_first::{self, Limits, Order};
use fabius_search::{Callbacks, StopReason};
use fabius_vm::{Bug, Granularity, Standing, Vm};
use std::collections::HashSet;

const MOST_STATES: u64 = 3_000;

#[test]
fn coarse_steps_reach_the_same_settled_states_and_bugs_as_those_of_p() {
    let mut totals = Totals::default();
    for seed in seeds(2500) {
        let text = text(seed);
        let found = check(&text).unwrap_or_else(|what| fail(seed, &text, &what, &check));
        totals.add(&found);
    }
    println!("{totals:?}");
    assert!(totals.skipped * 10 < totals.tests, "too many programs are too large: {totals:?}");
    assert!(totals.saved_states * 20 > totals.states, "coarse steps save little: {totals:?}");
}

#[derive(Debug, Default)]
struct Totals {
    tests: u64,
    skipped: u64,
    /// Of the reference granularity.
    states: u64,
    saved_states: u64,
    bugs: u64,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.skipped += other.skipped;
        self.states += other.states;
        self.saved_states += other.saved_states;
        self.bugs += other.bugs;
    }
}

fn check(text: &str) -> Result<Totals, String> {
    let program = compile(text).ok_or("does not compile")?;
    let mut totals = Totals::default();
    for test in tests(&program) {
        totals.tests += 1;
        let coarse = explore(&vm(&program, test, Granularity::Coarse));
        let reference = explore(&vm(&program, test, Granularity::Reference));
        let (Some(coarse), Some(reference)) = (coarse, reference) else {
            totals.skipped += 1;
            continue;
        };
        compare(&coarse, &reference)?;
        totals.states += reference.states;
        totals.saved_states += reference.states - coarse.states;
        totals.bugs += reference.bugs.len() as u64;
    }
    Ok(totals)
}

/// What there is in a program.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Explored {
    states: u64,
    /// By fingerprint.
    settled: HashSet<u128>,
    bugs: HashSet<Bug>,
}

/// Everything there is, unless there is too much of it.
pub(crate) fn explore(vm: &Vm) -> Option<Explored> {
    let mut explored = Explored::default();
    let limits = Limits { states: MOST_STATES, bugs: usize::MAX, ..Limits::default() };
    let report = breadth_first::run(vm, Order::BreadthFirst, &limits, &Callbacks::default(), &mut |state| {
        if vm.machines(state).iter().all(|machine| machine.standing != Standing::Between) {
            explored.settled.insert(vm.fingerprint(state));
        }
    });
    explored.states = report.states;
    explored.bugs = report.bugs.into_iter().map(|found| *found.bug).collect();
    (report.stop == StopReason::Exhausted).then_some(explored)
}

fn compare(coarse: &Explored, reference: &Explored) -> Result<(), String> {
    if let Some(bug) = reference.bugs.difference(&coarse.bugs).next() {
        return Err(format!("a bug that only P's steps show: {bug:?}"));
    }
    if let Some(bug) = coarse.bugs.difference(&reference.bugs).next() {
        return Err(format!("a bug that only coarse steps show: {bug:?}"));
    }
    let missed = reference.settled.difference(&coarse.settled).count();
    if missed > 0 {
        return Err(format!("states that only P's steps reach: {missed}"));
    }
    let invented = coarse.settled.difference(&reference.settled).count();
    if invented > 0 {
        return Err(format!("states that only coarse steps reach: {invented}"));
    }
    if coarse.states > reference.states {
        return Err(format!("more states with coarse steps: {} and {}", coarse.states, reference.states));
    }
    Ok(())
}
