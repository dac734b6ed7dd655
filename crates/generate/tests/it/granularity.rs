//! Coarse steps show what P's own steps show.
//!
//! Both granularities are explored exhaustively. Call a state *settled* when no machine stands at a scheduling point that
//! the coarse steps may leave out (before a creation, and around the look into the queue in states that react to
//! `null`). What is checked:
//! - the same settled states are reachable;
//! - machines and monitors have the same local states at the points where both stop, also while another machine stands
//!   at a point that only P has. That holds where there is no bug: one that lies behind such a point ends the coarse
//!   step, and with it the run, before others have moved;
//! - the same bugs are found: kind, machine, state, event, place and message, where a run ends at its first bug. Deadlocks
//!   and specs that are hot at the end are among them;
//! - coarse steps have no more states.

use crate::support::{compile, fail, seeds, tests, text, vm};
use fabius_model::Program;
use fabius_search::exhaustive::breadth_first::{self, Limits, Order};
use fabius_search::{Callbacks, StopReason};
use fabius_vm::{Bug, Granularity, MachineView, MonitorView, Standing, Value, Vm};
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

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
    assert!(totals.clean * 4 > totals.tests, "too few programs without bugs: {totals:?}");
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
    /// Tests without bugs, whose local states are compared.
    clean: u64,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.skipped += other.skipped;
        self.states += other.states;
        self.saved_states += other.saved_states;
        self.bugs += other.bugs;
        self.clean += other.clean;
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
        totals.clean += u64::from(reference.bugs.is_empty());
    }
    Ok(totals)
}

/// What there is in a program.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Explored {
    states: u64,
    /// By fingerprint.
    settled: HashSet<u128>,
    /// What machines and monitors can be seen to be, by hash.
    locals: HashSet<u64>,
    bugs: HashSet<Bug>,
}

/// Everything there is, unless there is too much of it.
pub(crate) fn explore(vm: &Vm) -> Option<Explored> {
    let mut explored = Explored::default();
    let limits = Limits { states: MOST_STATES, bugs: usize::MAX, ..Limits::default() };
    let report = breadth_first::run(vm, Order::BreadthFirst, &limits, &Callbacks::default(), &mut |state| {
        let machines = vm.machines(state);
        let (between, seen): (Vec<_>, Vec<_>) =
            machines.into_iter().partition(|machine| machine.standing == Standing::Between);
        if between.is_empty() {
            explored.settled.insert(vm.fingerprint(state));
        }
        explored.locals.extend(seen.iter().map(|machine| local_of_machine(vm, machine)));
        explored.locals.extend(vm.monitors(state).iter().map(|monitor| local_of_monitor(vm, monitor)));
    });
    explored.states = report.states;
    explored.bugs = report.bugs.into_iter().map(|found| *found.bug).collect();
    (report.stop == StopReason::Exhausted).then_some(explored)
}

fn local_of_machine(vm: &Vm, machine: &MachineView<'_>) -> u64 {
    // A machine that has halted is in no state.
    let state = (machine.standing != Standing::Halted).then_some(machine.state);
    hash((vm.actor_text(machine.actor), state, machine.standing, texts(vm, machine.fields)))
}

fn local_of_monitor(vm: &Vm, monitor: &MonitorView<'_>) -> u64 {
    hash((monitor.machine, monitor.state, texts(vm, monitor.fields)))
}

/// Values as both granularities write them: the numbers by which a `Vm` knows machines are its own.
fn texts(vm: &Vm, values: &[Value]) -> Vec<String> {
    values.iter().map(|value| vm.text(value)).collect()
}

fn hash(what: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(what)
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
    if reference.bugs.is_empty() && coarse.locals != reference.locals {
        let differing = coarse.locals.symmetric_difference(&reference.locals).count();
        return Err(format!("local states that only one granularity shows: {differing}"));
    }
    if coarse.states > reference.states {
        return Err(format!("more states with coarse steps: {} and {}", coarse.states, reference.states));
    }
    Ok(())
}
