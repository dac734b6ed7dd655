//! The fast depth-first search, against the plain one.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fabius_model::{Choice, Effect, Outcome, Packed, Program, Sketches, Touched, check_sketches};
use fabius_search::exhaustive::breadth_first::{self, Order};
use fabius_search::exhaustive::depth_first::{Limits, Report, run};
use fabius_search::{Callbacks, StopReason, Verdict};
use fabius_store::{Bounded, Exact, Fingerprints64, Fingerprints128, VisitedSet, WhenFull};

use crate::graph::{Graph, Target};
use crate::letters::Letters;
use crate::mailboxes::{Machines, Mailboxes, Op};

const PROGRAMS: u64 = 60;

fn all_bugs(jobs: usize) -> Limits {
    Limits { bugs: usize::MAX, jobs, ..Limits::default() }
}

/// The report, and each state that was shown.
fn search(program: &Mailboxes, set: &dyn VisitedSet, jobs: usize) -> (Report<String>, Vec<Machines>) {
    let shown = Mutex::new(Vec::new());
    let visit = |state: &Machines| shown.lock().expect("nobody panics").push(state.clone());
    let report = run(program, set, &all_bugs(jobs), &Callbacks::default(), &visit);
    (report, shown.into_inner().expect("nobody panics"))
}

fn names(bugs: &[fabius_search::Found<String>]) -> Vec<&str> {
    let mut names: Vec<&str> = bugs.iter().map(|found| found.bug.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn what_is_said_of_movers_holds() {
    for seed in 0..PROGRAMS {
        for program in [Mailboxes::random(seed), Mailboxes::random_endless(seed)] {
            let checked = check_sketches(&program, 300);
            checked.unwrap_or_else(|violation| panic!("{violation}\n{program:?}"));
        }
    }
}

#[test]
fn it_visits_what_the_plain_search_visits_on_any_number_of_threads_and_in_any_set() {
    for program in (0..PROGRAMS).flat_map(|seed| [Mailboxes::random(seed), Mailboxes::random_endless(seed)]) {
        let mut reachable = HashSet::new();
        let limits = breadth_first::Limits { bugs: usize::MAX, ..breadth_first::Limits::default() };
        let calls = Callbacks::default();
        let plain = breadth_first::run(&program, Order::BreadthFirst, &limits, &calls, &mut |state| {
            reachable.insert(state.clone());
        });
        for jobs in [1, 2, 3] {
            let sets: [Box<dyn VisitedSet>; 3] =
                [Box::new(Exact::new()), Box::new(Fingerprints64::new()), Box::new(Fingerprints128::new())];
            for set in sets {
                let (report, shown) = search(&program, &*set, jobs);
                let context = format!("{program:?}, {jobs} threads, {set:?}");
                assert_eq!(report.stop, StopReason::Exhausted, "{context}");
                assert_eq!(report.states, reachable.len() as u64, "{context}");
                assert_eq!(shown.len(), reachable.len(), "each state is shown once: {context}");
                assert!(shown.into_iter().all(|state| reachable.contains(&state)), "{context}");
                assert_eq!(report.transitions, plain.transitions, "{context}");
                assert_eq!(names(&report.bugs), names(&plain.bugs), "{context}");
                assert_eq!(report.frontier, 0, "{context}");
            }
        }
    }
}

#[test]
fn machines_fall_asleep_and_nothing_gets_lost() {
    // Three machines that mind their own business: a cube, into whose states up to three steps lead. (Creations touch all.)
    let mut program = Mailboxes { scripts: vec![vec![Op::Fail(9); 3]; 3], is_endless: false };
    program.scripts[0].splice(0..0, [Op::New(1), Op::New(2)]);
    let steps = |sleeps| {
        let sketched = AtomicU64::new(0);
        let counting = Counting { program: &program, sketched: &sketched };
        let limits = Limits { sleeps, ..all_bugs(1) };
        let report = run(&counting, &Exact::new(), &limits, &Callbacks::default(), &|_| {});
        (report.states, report.transitions, sketched.into_inner())
    };
    let (all, some) = (steps(false), steps(true));
    assert_eq!((all.0, all.1), (some.0, some.1), "what is counted does not change");
    assert_eq!(all.2, all.1, "awake, all steps are looked at");
    assert!(some.2 * 5 < all.2 * 3, "asleep, hardly more than one for each state: {some:?}, {all:?}");
}

#[test]
fn every_bug_is_where_its_way_leads() {
    let mut followed = 0;
    for seed in 0..PROGRAMS {
        let program = Mailboxes::random(seed);
        for jobs in [1, 2] {
            for found in search(&program, &Exact::new(), jobs).0.bugs {
                assert_eq!(end_of(&program, &found.positions), Some(found.bug), "seed {seed}");
                followed += 1;
            }
        }
    }
    assert!(followed > 20, "{followed}");
}

/// The bug that a run ends in.
fn end_of(program: &Mailboxes, positions: &[u32]) -> Option<String> {
    let Outcome::State(mut state) = program.initial() else { return None };
    let mut choices = Vec::new();
    for (at, position) in positions.iter().enumerate() {
        program.choices(&state, &mut choices);
        match program.step(&state, choices[*position as usize], &mut Vec::new()) {
            Outcome::State(next) => state = next,
            Outcome::Bug(bug) => return (at + 1 == positions.len()).then_some(bug),
        }
    }
    program.choices(&state, &mut choices);
    if choices.is_empty() { program.end(&state) } else { None }
}

/// Counts the steps that are looked at.
struct Counting<'a> {
    program: &'a Mailboxes,
    sketched: &'a AtomicU64,
}

impl Program for Counting<'_> {
    type State = Machines;
    type Bug = String;

    fn initial(&self) -> Outcome<Machines, String> {
        self.program.initial()
    }

    fn choices(&self, state: &Machines, choices: &mut Vec<Choice>) {
        self.program.choices(state, choices);
    }

    fn step(&self, state: &Machines, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Machines, String> {
        self.sketched.fetch_add(1, Ordering::Relaxed);
        self.program.step(state, choice, effects)
    }

    fn end(&self, state: &Machines) -> Option<String> {
        self.program.end(state)
    }

    fn fingerprint(&self, state: &Machines) -> u128 {
        self.program.fingerprint(state)
    }
}

impl Packed for Counting<'_> {
    fn words<'a>(&self, state: &'a Machines, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        self.program.words(state, buffer)
    }

    fn movers(&self, state: &Machines) -> u64 {
        self.program.movers(state)
    }

    fn sketch_movers(&self, state: &Machines, movers: u64, sketches: &mut Sketches<Machines, String>) {
        self.sketched.fetch_add(movers.count_ones().into(), Ordering::Relaxed);
        self.program.sketch_movers(state, movers, sketches);
    }

    fn touched(&self, state: &Machines, movers: u64, touched: &mut Touched) {
        self.program.touched(state, movers, touched);
    }
}

#[test]
fn the_depth_is_that_of_the_longest_way() {
    let line: Vec<(usize, usize)> = (0..500).map(|state| (state, state + 1)).collect();
    let graph = Graph::from_edges(501, &line);
    let report = run(&graph, &Exact::new(), &Limits::default(), &Callbacks::default(), &|_| {});
    assert_eq!((report.states, report.transitions, report.depth), (501, 500, 500));
    assert_eq!(report.verdict(), Verdict::Verified);
}

#[test]
fn a_set_that_may_have_missed_states_verifies_nothing() {
    let graph = Graph::from_edges(3, &[(0, 1), (1, 2), (2, 0)]);
    let report = run(&graph, &Fingerprints64::new(), &Limits::default(), &Callbacks::default(), &|_| {});
    assert_eq!((report.stop, report.states), (StopReason::Exhausted, 3));
    assert_ne!(report.verdict(), Verdict::Verified);
}

#[test]
fn a_limit_on_states_and_a_wish_to_stop_leave_a_frontier() {
    let program = Letters::new(4, 4);
    for jobs in [1, 2] {
        let limits = Limits { states: 1000, ..all_bugs(jobs) };
        let report = run(&program, &Exact::new(), &limits, &Callbacks::default(), &|_| {});
        assert_eq!(report.stop, StopReason::StateLimit);
        assert!(report.states >= 1000 && report.states < 2000, "{}", report.states);
        assert!(report.frontier > 0);
        let calls = Callbacks { should_stop: &|| true, ..Callbacks::default() };
        let report = run(&program, &Exact::new(), &all_bugs(jobs), &calls, &|_| {});
        assert_eq!(report.stop, StopReason::Asked);
        assert!(report.frontier > 0);
    }
}

#[test]
fn the_first_bugs_end_it() {
    let mut graph = Graph::from_edges(4, &[(0, 1), (1, 2)]);
    graph.edges[2].extend([Target::Bug(1), Target::Bug(2), Target::To(3)]);
    let report = run(&graph, &Exact::new(), &Limits::default(), &Callbacks::default(), &|_| {});
    assert_eq!(report.stop, StopReason::BugsFound);
    assert_eq!(report.bugs.len(), 1);
    assert_eq!((report.bugs[0].bug, report.bugs[0].positions.as_slice()), (1, [0, 0, 0].as_slice()));
}

#[test]
fn a_bounded_set_shows_every_state_at_least_once() {
    for seed in 0..20 {
        let program = Mailboxes::random(seed);
        let reachable: HashSet<Machines> = search(&program, &Exact::new(), 1).1.into_iter().collect();
        let set = Bounded::new(64 << 10, WhenFull::Replace);
        let (report, shown) = search(&program, &set, 1);
        assert_eq!(report.stop, StopReason::Exhausted);
        assert_eq!(shown.into_iter().collect::<HashSet<_>>(), reachable, "seed {seed}");
    }
}
