//! What breadth-first and depth-first search find: every bug that the program can show, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use fabius_model::conformance::Budget;
use fabius_model::{Program as _, check_conformance, check_sketches};
use fabius_search::exhaustive::breadth_first::{self, Limits, Order};
use fabius_search::{Callbacks, Found, StopReason};
use fabius_trace::{BugSummary, Ending, Trace, record, resolve};
use fabius_vm::{Bug, Granularity, MachineView, MonitorView, Standing, State, Value, Vm};

use crate::command::{Findings, GRANULARITIES};
use crate::fixture::{Fixture, Section, States};
use crate::program::{self, Program};
use crate::replay;
use crate::scratch::Scratch;

/// The most states that a fixture may have.
const MOST_STATES: u64 = 20_000;
/// How many states to visit where there is no end of them.
const SOME_STATES: u64 = 2_000;
/// How many bugs of one search are replayed.
const REPLAYED: usize = 4;

/// What one search has shown.
struct Explored {
    states: u64,
    is_complete: bool,
    /// Some runs were not followed.
    is_bounded: bool,
    bugs: Vec<Found<Box<Bug>>>,
    /// The states in which no machine stands at a scheduling point that only one granularity has, by fingerprint.
    settled: BTreeSet<u128>,
    /// Where machines and monitors were seen.
    locals: BTreeSet<String>,
}

pub(crate) fn check(
    fixture: &Fixture,
    section: &Section,
    program: &Program,
    findings: &Findings,
) -> Result<(), String> {
    let example = findings.trace.as_ref();
    let [coarse, reference] =
        GRANULARITIES.map(|granularity| check_granularity(fixture, section, program, granularity, example));
    let (coarse, reference) = (coarse?, reference?);
    let is_whole = |explored: &Explored| explored.is_complete && !explored.is_bounded;
    if !is_whole(&coarse) || !is_whole(&reference) {
        return Ok(());
    }
    let bugs = |explored: &Explored| summaries(program, &explored.bugs);
    if bugs(&coarse) != bugs(&reference) {
        let (coarse, reference) = (bugs(&coarse), bugs(&reference));
        return Err(format!("the granularities differ in bugs: {coarse:?} and {reference:?}"));
    }
    if coarse.settled != reference.settled {
        return Err("the granularities differ in states".into());
    }
    // A bug behind a point that only P has ends a coarse step, and with it the run, before others have moved.
    let differing = coarse.locals.symmetric_difference(&reference.locals).next();
    if let Some(local) = differing.filter(|_| reference.bugs.is_empty()) {
        return Err(format!("only one granularity shows `{local}`"));
    }
    for (explored, counts) in [&coarse, &reference].into_iter().zip(&findings.states) {
        if let Some(count) = counts.iter().find(|count| **count != explored.states) {
            return Err(format!("one search counts {count} states, another {}", explored.states));
        }
    }
    if coarse.states > reference.states {
        return Err(format!("{} coarse states, only {} fine ones", coarse.states, reference.states));
    }
    match section.states {
        States::Exactly(states) if states != coarse.states => {
            Err(format!("there are {} states, not {states}", coarse.states))
        }
        _ => Ok(()),
    }
}

/// Both orders; gives what they agree on.
fn check_granularity(
    fixture: &Fixture,
    section: &Section,
    program: &Program,
    granularity: Granularity,
    example: Option<&Trace>,
) -> Result<Explored, String> {
    let vm = program.vm(fixture, section, granularity);
    let budget = Budget { states: 500, runs: 5, steps: 60, seed: 3 };
    check_conformance(&vm, budget).map_err(|violation| format!("{granularity:?}: {violation}"))?;
    check_sketches(&vm, budget.states).map_err(|violation| format!("{granularity:?}: {violation}"))?;
    let explore = |order: Order| {
        let explored = explore(&vm.fresh(), section, order);
        judge(section, program, &explored)
            .and_then(|()| replay_bugs(fixture, section, program, granularity, &explored, example))
            .map_err(|error| format!("{order:?}, {granularity:?}: {error}"))
            .map(|()| explored)
    };
    let (breadth, depth) = (explore(Order::BreadthFirst)?, explore(Order::DepthFirst)?);
    let is_same = breadth.states == depth.states
        && breadth.settled == depth.settled
        && breadth.locals == depth.locals
        && summaries(program, &breadth.bugs) == summaries(program, &depth.bugs);
    if breadth.is_complete && !is_same {
        return Err(format!("{granularity:?}: breadth-first and depth-first search differ"));
    }
    Ok(breadth)
}

fn explore(vm: &Vm, section: &Section, order: Order) -> Explored {
    let states = if section.states == States::Unbounded { SOME_STATES } else { MOST_STATES };
    let limits = Limits { states, depth: u64::MAX, bugs: usize::MAX };
    let (mut settled, mut locals) = (BTreeSet::new(), BTreeSet::new());
    let mut visit = |state: &State| {
        if vm.machines(state).iter().all(|machine| machine.standing != Standing::Between) {
            settled.insert(vm.fingerprint(state));
        }
        locals.extend(seen(vm, state));
    };
    let callbacks = Callbacks { is_bound: &is_bound, ..Callbacks::default() };
    let report = breadth_first::run(vm, order, &limits, &callbacks, &mut visit);
    let is_complete = report.stop == StopReason::Exhausted;
    let is_bounded = report.bound_met.is_some();
    Explored { states: report.states, is_complete, is_bounded, bugs: report.bugs, settled, locals }
}

fn is_bound(bug: &<Vm as fabius_model::Program>::Bug) -> bool {
    bug.kind.is_bound()
}

fn judge(section: &Section, program: &Program, explored: &Explored) -> Result<(), String> {
    let bugs: Vec<BugSummary> = explored.bugs.iter().map(|found| program.summarise(&found.bug)).collect();
    match (section.states, explored.is_complete) {
        (States::Unbounded, true) => Err(format!("there are only {} states", explored.states)),
        (States::Unbounded, false) if bugs.is_empty() => Ok(()),
        (_, false) if section.states != States::Unbounded => {
            Err(format!("more than {MOST_STATES} states: give it fewer, or say `states: unbounded`"))
        }
        _ => program::compare(section, &bugs),
    }
}

fn summaries(program: &Program, bugs: &[Found<Box<Bug>>]) -> BTreeMap<String, String> {
    let summary = |found: &Found<Box<Bug>>| program.summarise(&found.bug);
    bugs.iter().map(summary).map(|bug| (format!("{bug:?}"), bug.message)).collect()
}

/// Writes traces of the bugs, as `fabius check` would, and has them replayed.
fn replay_bugs(
    fixture: &Fixture,
    section: &Section,
    program: &Program,
    granularity: Granularity,
    explored: &Explored,
    example: Option<&Trace>,
) -> Result<(), String> {
    let Some(example) = example else { return Ok(()) };
    let scratch = Scratch::new(fixture, "exhaustive");
    for found in explored.bugs.iter().take(REPLAYED) {
        let vm = program.vm(fixture, section, granularity);
        let choices = resolve(&vm, &found.positions).map_err(|error| error.to_string())?;
        let recording = record(&vm, &choices).map_err(|error| error.to_string())?;
        if recording.ending != Ending::Bug(found.bug.clone()) {
            return Err(format!("the way to {:?} leads to {:?}", found.bug, recording.ending));
        }
        let mut options = example.options.clone();
        match granularity {
            Granularity::Reference => options.insert("p-points".into(), "true".into()),
            Granularity::Coarse => options.remove("p-points"),
        };
        let trace = Trace {
            search: "exhaustive".into(),
            options,
            bug: program.summarise(&found.bug).retold(&recording.names),
            run: recording.run,
            explanation: None,
            original: None,
            ..example.clone()
        };
        replay::check(&vm, program, &trace)?;
        fs::write(scratch.folder.join("bug.trace.json"), trace.to_json())
            .map_err(|error| error.to_string())?;
        replay::in_new_process(&scratch, "bug.trace.json")?;
    }
    scratch.remove();
    Ok(())
}

/// Where machines and monitors are, and what their variables hold. Scheduling points that only one granularity has are
/// left out.
fn seen(vm: &Vm, state: &State) -> Vec<String> {
    let machines = vm.machines(state).into_iter();
    let machines = machines.filter(|machine| machine.standing != Standing::Between);
    let monitors = vm.monitors(state).into_iter();
    machines
        .map(|machine| show_machine(vm, &machine))
        .chain(monitors.map(|each| show_monitor(vm, &each)))
        .collect()
}

fn show_machine(vm: &Vm, machine: &MachineView<'_>) -> String {
    let (program, name, standing) = (vm.program(), vm.actor_text(machine.actor), machine.standing);
    let state = match standing {
        Standing::Halted => "",
        _ => program.name(program[machine.machine][machine.state].name),
    };
    format!("{name}.{state} {standing:?} {}", show_all(vm, machine.fields))
}

fn show_monitor(vm: &Vm, monitor: &MonitorView<'_>) -> String {
    let (program, machine) = (vm.program(), monitor.machine);
    let (name, state) = (program.name(program[machine].name), program[machine][monitor.state].name);
    format!("{name}.{} {}", program.name(state), show_all(vm, monitor.fields))
}

fn show_all<'a>(vm: &Vm, values: impl IntoIterator<Item = &'a Value>) -> String {
    let texts: Vec<String> = values.into_iter().map(|value| show(vm, value)).collect();
    format!("[{}]", texts.join(" "))
}

/// A value with sets and maps in their order, which their texts do not show.
fn show(vm: &Vm, value: &Value) -> String {
    match value {
        Value::Tuple(tuple) => show_all(vm, tuple.items()),
        Value::Seq(seq) => show_all(vm, seq.items()),
        Value::Set(set) => show_all(vm, set.items()),
        Value::Map(map) => show_all(vm, map.entries().flat_map(|(key, value)| [key, value])),
        Value::Null => "null".into(),
        value => vm.text(value),
    }
}
