//! Stratified exhaustive search against plain search and against the enumeration of all runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use fabius_explore::{
    Cursor, Explorer, Preemption, RandomOrder, RoundRobin, RunToCompletion, Taken, unsound_at,
};
use fabius_model::{Choice, Outcome, Program};
use fabius_search::exhaustive::breadth_first;
use fabius_search::exhaustive::stratified::{Cache, Cost, Limits, Report, run};
use fabius_search::{Callbacks, StopReason};

use crate::graph::Graph;
use crate::mailboxes::{Machines, Mailboxes, Op, Opaque};

const PROGRAMS: u64 = 400;

fn all_bugs() -> Limits {
    Limits { bugs: usize::MAX, ..Limits::default() }
}

fn search<E: Explorer>(
    program: &Mailboxes,
    explorer: &E,
    limits: &Limits,
) -> (Report<String>, HashSet<Machines>) {
    let mut states = HashSet::new();
    let shown = Mutex::new(&mut states);
    let visit = |state: &Machines| {
        let is_new = shown.lock().expect("nobody panics").insert(state.clone());
        assert!(is_new, "each state is shown once");
    };
    let (report, _) = run(program, explorer, limits, &Callbacks::default(), &visit);
    (report, states)
}

fn plain(program: &Mailboxes) -> (breadth_first::Report<String>, HashSet<Machines>) {
    let mut states = HashSet::new();
    let limits = breadth_first::Limits { bugs: usize::MAX, ..breadth_first::Limits::default() };
    let order = breadth_first::Order::BreadthFirst;
    let report =
        breadth_first::run(program, order, &limits, &Callbacks::default(), &mut |state: &Machines| {
            states.insert(state.clone());
        });
    (report, states)
}

fn sorted(bugs: &[fabius_search::Found<String>]) -> Vec<&str> {
    let mut bugs: Vec<&str> = bugs.iter().map(|found| found.bug.as_str()).collect();
    bugs.sort_unstable();
    bugs
}

/// Runs a check with every explorer.
macro_rules! with_every_explorer {
    ($seed:expr, |$explorer:ident| $check:expr) => {{
        {
            let $explorer = RunToCompletion::new();
            $check
        }
        {
            let $explorer = RoundRobin::new();
            $check
        }
        {
            let $explorer = RoundRobin::probabilistic($seed);
            $check
        }
        {
            let $explorer = RandomOrder::new($seed);
            $check
        }
        {
            let $explorer = Preemption::new();
            $check
        }
    }};
}

#[test]
fn every_explorer_cost_and_mode_visits_exactly_the_reachable_states() {
    for seed in 0..PROGRAMS {
        let program = Mailboxes::random(seed);
        let (reference, reachable) = plain(&program);
        for (strict, cost, free_data) in [
            (false, Cost::Delays, false),
            (false, Cost::Deviations, true),
            (true, Cost::Delays, true),
            (true, Cost::Deviations, false),
        ] {
            let limits = Limits { strict, cost, free_data, ..all_bugs() };
            with_every_explorer!(seed, |explorer| {
                let (report, states) = search(&program, &explorer, &limits);
                assert_eq!(report.stop, StopReason::Exhausted);
                assert_eq!(report.states, reachable.len() as u64, "seed {seed}, {explorer:?}, {limits:?}");
                assert_eq!(states, reachable, "seed {seed}, {explorer:?}, {limits:?}");
                assert_eq!(sorted(&report.bugs), sorted(&reference.bugs));
                if !strict {
                    assert_eq!(report.transitions, reference.transitions, "each choice is taken once");
                }
            });
        }
    }
}

#[test]
fn states_that_are_kept_come_to_the_same_as_those_that_are_made_again() {
    for seed in 0..PROGRAMS / 4 {
        let program = Mailboxes::random(seed);
        for (strict, delays) in [(false, u64::MAX), (false, 2), (true, 3)] {
            let limits = Limits { strict, delays, ..all_bugs() };
            with_every_explorer!(seed, |explorer| {
                let (report, _) = search(&program, &explorer, &limits);
                let program = Opaque(program.clone());
                let (kept, _) = run(&program, &explorer, &limits, &Callbacks::default(), &|_| {});
                assert_eq!(kept, report, "seed {seed}, {explorer:?}, {limits:?}");
            });
        }
    }
}

#[test]
fn a_bounded_cache_changes_neither_the_states_nor_the_bugs() {
    for seed in 0..PROGRAMS / 4 {
        let program = Mailboxes::random(seed);
        let (reference, reachable) = plain(&program);
        // Without a cache the search takes every path: only where there are few.
        if reachable.len() > 60 {
            continue;
        }
        for cache in [
            Cache::Keep { states: 0 },
            Cache::Keep { states: 200 },
            Cache::Replace { states: 40 },
            Cache::Replace { states: 1 << 20 },
        ] {
            for (strict, jobs) in [(false, 1), (true, 2)] {
                let limits = Limits { cache, strict, jobs, ..all_bugs() };
                with_every_explorer!(seed, |explorer| {
                    let mut states = HashSet::new();
                    let shown = Mutex::new(&mut states);
                    let visit =
                        |state: &Machines| _ = shown.lock().expect("nobody panics").insert(state.clone());
                    let (report, frontier) = run(&program, &explorer, &limits, &Callbacks::default(), &visit);
                    assert_eq!(report.stop, StopReason::Exhausted);
                    assert!(frontier.is_empty());
                    assert_eq!(states, reachable, "seed {seed}, {explorer:?}, {limits:?}");
                    assert_eq!(sorted(&report.bugs), sorted(&reference.bugs));
                });
            }
        }
    }
}

#[test]
fn a_bounded_cache_comes_to_an_end_on_cycles() {
    // Two machines that send each other one message for ever.
    let ping = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]);
    for cache in [Cache::Keep { states: 0 }, Cache::Replace { states: 16 }] {
        let mut states = HashSet::new();
        let shown = Mutex::new(&mut states);
        let visit =
            |state: &<Graph as Program>::State| _ = shown.lock().expect("nobody panics").insert(*state);
        let limits = Limits { cache, bugs: usize::MAX, ..Limits::default() };
        let (report, _) = run(&ping, &RunToCompletion::new(), &limits, &Callbacks::default(), &visit);
        assert_eq!((report.stop, states.len()), (StopReason::Exhausted, 4));
    }
}

#[test]
fn the_frontier_leads_to_where_the_search_ended() {
    for seed in 0..PROGRAMS / 4 {
        let program = Mailboxes::random(seed);
        let limits = Limits { delays: 1, ..all_bugs() };
        let mut visited = HashSet::new();
        let shown = Mutex::new(&mut visited);
        let visit = |state: &Machines| _ = shown.lock().expect("nobody panics").insert(state.clone());
        let explorer = RoundRobin::new();
        let (report, frontier) = run(&program, &explorer, &limits, &Callbacks::default(), &visit);
        assert_eq!(report.frontier, frontier.len() as u64);
        for index in 0..frontier.len() {
            let (positions, delays) = frontier.get(index);
            let (state, choices) = arrive(&program, &positions).expect("stored states have ways");
            assert!(visited.contains(&state));
            assert!(0 < delays && (delays as usize) < choices, "a choice is left");
        }
    }
}

/// The state at the end of a way, and how many choices it has.
fn arrive(program: &Mailboxes, positions: &[u32]) -> Option<(Machines, usize)> {
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    let Outcome::State(mut state) = program.initial() else { return None };
    for position in positions {
        program.choices(&state, &mut choices);
        effects.clear();
        let choice = *choices.get(*position as usize)?;
        let Outcome::State(next) = program.step(&state, choice, &mut effects) else { return None };
        state = next;
    }
    program.choices(&state, &mut choices);
    Some((state, choices.len()))
}

#[test]
fn bugs_are_runs_of_the_program() {
    for seed in 0..PROGRAMS {
        let program = Mailboxes::random(seed);
        let (report, _) = search(&program, &RunToCompletion::new(), &all_bugs());
        for found in &report.bugs {
            assert_eq!(follow(&program, &found.positions).as_ref(), Some(&found.bug), "seed {seed}");
        }
    }
}

fn follow(program: &Mailboxes, positions: &[u32]) -> Option<String> {
    let mut outcome = program.initial();
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    for position in positions {
        let Outcome::State(state) = &outcome else { return None };
        program.choices(state, &mut choices);
        effects.clear();
        outcome = program.step(state, choices[*position as usize], &mut effects);
    }
    match outcome {
        Outcome::Bug(bug) => Some(bug),
        Outcome::State(state) => program.end(&state),
    }
}

/// The fewest delays with which each state can be reached, by enumerating all runs with at most `bound` delays.
fn fewest_delays<E: Explorer>(program: &Mailboxes, explorer: &E, bound: u64) -> HashMap<Machines, u64> {
    let mut fewest: HashMap<Machines, u64> = HashMap::new();
    let Outcome::State(state) = program.initial() else { return fewest };
    let mut choices = Vec::new();
    program.choices(&state, &mut choices);
    let cursor = Cursor::begin(explorer.clone(), &choices, program.fingerprint(&state) as u64);
    enumerate(program, &state, cursor, 0, bound, &mut fewest);
    fewest
}

fn enumerate<E: Explorer>(
    program: &Mailboxes,
    state: &Machines,
    mut cursor: Cursor<E>,
    mut delays: u64,
    bound: u64,
    fewest: &mut HashMap<Machines, u64>,
) {
    let known = fewest.entry(state.clone()).or_insert(delays);
    *known = delays.min(*known);
    let mut choices = Vec::new();
    program.choices(state, &mut choices);
    if choices.is_empty() {
        return;
    }
    assert_eq!(unsound_at(&cursor, &choices), None, "{cursor:?} at {choices:?}");
    loop {
        let choice = choices[cursor.next(&choices)];
        let mut effects = Vec::new();
        if let Outcome::State(next) = program.step(state, choice, &mut effects) {
            let mut after = cursor.clone();
            after.step(&Taken { choice, effects: &effects, fingerprint: program.fingerprint(&next) as u64 });
            enumerate(program, &next, after, delays, bound, fewest);
        }
        let is_free = matches!(choice, Choice::Schedule(_)) && cursor.explorer().delays_freely(&choices);
        delays += u64::from(!is_free);
        if delays > bound || !cursor.delay(&choices) {
            return;
        }
    }
}

#[test]
fn strict_strata_are_those_of_the_enumeration_of_all_runs() {
    const BOUND: u64 = 2;
    let mut compared = 0;
    for seed in 0..PROGRAMS / 4 {
        let program = Mailboxes::random(seed);
        with_every_explorer!(seed, |explorer| {
            let fewest = fewest_delays(&program, &explorer, BOUND);
            for bound in 0..=BOUND {
                let limits = Limits { strict: true, delays: bound, ..all_bugs() };
                let (_, states) = search(&program, &explorer, &limits);
                let expected: HashSet<Machines> = fewest
                    .iter()
                    .filter(|(_, delays)| **delays <= bound)
                    .map(|(state, _)| state.clone())
                    .collect();
                assert_eq!(states, expected, "seed {seed}, bound {bound}, {explorer:?}");
                compared += 1;
            }
        });
    }
    assert!(compared > 1000);
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    // Large enough that rounds are shared: independent machines that choose.
    let choosing = vec![Op::Choose(3), Op::Send(0), Op::Choose(2), Op::Send(1), Op::Send(0)];
    let mut scripts = vec![choosing; 5];
    scripts[0].splice(0..0, (1..5).map(Op::New));
    scripts[0].extend([Op::Receive, Op::Receive, Op::Fail(9)]);
    let program = Mailboxes { scripts, is_endless: false };
    for strict in [false, true] {
        let limits = |jobs| Limits { jobs, strict, delays: 6, ..all_bugs() };
        let (one, states) = search(&program, &RoundRobin::new(), &limits(1));
        assert!(one.strata.iter().any(|stratum| stratum.transitions > 2000), "{:?}", one.strata);
        for jobs in [2, 3] {
            let (several, others) = search(&program, &RoundRobin::new(), &limits(jobs));
            assert_eq!(several, one, "{jobs} threads");
            assert_eq!(others, states);
        }
    }
}

/// Machine 0 creates machine 1; then both send two messages to themselves.
fn two_independent_machines() -> Mailboxes {
    Mailboxes {
        is_endless: false,
        scripts: vec![vec![Op::New(1), Op::Send(0), Op::Send(0)], vec![Op::Send(1), Op::Send(1)]],
    }
}

#[test]
fn a_search_that_is_stopped_says_so_and_keeps_its_counts() {
    let program = two_independent_machines();
    let (whole, _) = search(&program, &RunToCompletion::new(), &all_bugs());
    let (none, _) = search(&program, &RunToCompletion::new(), &Limits { states: 2, ..all_bugs() });
    assert_eq!(none.stop, StopReason::StateLimit);
    assert!(none.states < whole.states && none.frontier > 0);
    for states in 1..whole.states {
        let (some, _) = search(&program, &RunToCompletion::new(), &Limits { states, ..all_bugs() });
        assert_eq!((some.stop, some.states), (StopReason::StateLimit, states));
    }
    let (bounded, _) = search(&program, &RunToCompletion::new(), &Limits { delays: 0, ..all_bugs() });
    assert_eq!((bounded.stop, bounded.finished), (StopReason::DelayLimit, 1));
    assert!(bounded.states < whole.states);
}

#[test]
fn a_limit_beyond_which_only_known_states_lie_is_no_limit() {
    let program = two_independent_machines();
    let (whole, _) = search(&program, &RunToCompletion::new(), &all_bugs());
    let reports = (0..whole.finished + 2).map(|delays| {
        let (report, _) = search(&program, &RunToCompletion::new(), &Limits { delays, ..all_bugs() });
        assert_eq!(report.stop == StopReason::Exhausted, report == whole, "{delays} delays: {report:?}");
        assert!(report.stop == StopReason::Exhausted || report.frontier > 0, "{delays} delays: {report:?}");
        report
    });
    let reports: Vec<_> = reports.collect();
    // The last state is found with one delay. With a limit of two, all else is probed, and known.
    let stops: Vec<_> = reports.iter().take(3).map(|report| report.stop).collect();
    assert_eq!(stops, [StopReason::DelayLimit, StopReason::DelayLimit, StopReason::Exhausted]);
}

/// Two machines that send each other nothing: the numbers of states per stratum can be counted by hand.
#[test]
fn strata_of_two_independent_machines_are_as_counted_by_hand() {
    // A state is how far each has come: 1 before the creation, then 3 x 3.
    let program = two_independent_machines();
    let limits = Limits { strict: true, ..all_bugs() };
    let (report, states) = search(&program, &RunToCompletion::new(), &limits);
    assert_eq!(states.len(), 10);
    // Run to completion: the created machine first, (0,0) (0,1) (0,2), then the creator, (1,2) (2,2).
    assert_eq!(report.strata[0].states, 6);
    let mut by_delays: BTreeMap<u64, usize> = BTreeMap::new();
    for delays in fewest_delays(&program, &RunToCompletion::new(), 4).values() {
        *by_delays.entry(*delays).or_default() += 1;
    }
    // One delay reaches (1,0) (2,0) (2,1) and, after (0,1), (1,1); none needs two.
    assert_eq!(by_delays, BTreeMap::from([(0, 6), (1, 4)]));
}
