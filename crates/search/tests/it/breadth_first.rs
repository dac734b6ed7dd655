use std::sync::atomic::{AtomicUsize, Ordering};

use fabius_model::{ActorId, Choice, Effect, Outcome, Program};
use fabius_search::exhaustive::breadth_first::{Limits, Order, Report, run};
use fabius_search::{Bounds, Callbacks, StopReason, Verdict};

use crate::graph::{Graph, Target, follow};

const ORDERS: [Order; 2] = [Order::BreadthFirst, Order::DepthFirst];

/// Machines that each count from 0 to `most`.
#[derive(Debug)]
struct Counters {
    machines: usize,
    most: u8,
}

impl Program for Counters {
    type State = Vec<u8>;
    type Bug = ();

    fn initial(&self) -> Outcome<Vec<u8>, ()> {
        Outcome::State(vec![0; self.machines])
    }

    fn choices(&self, state: &Vec<u8>, choices: &mut Vec<Choice>) {
        choices.clear();
        let movers = (0..self.machines).filter(|machine| state[*machine] < self.most);
        choices.extend(movers.map(|machine| Choice::Schedule(ActorId(machine as u32))));
    }

    fn step(&self, state: &Vec<u8>, choice: Choice, _effects: &mut Vec<Effect>) -> Outcome<Vec<u8>, ()> {
        let Choice::Schedule(ActorId(machine)) = choice else { panic!("counters have no data choices") };
        let mut next = state.clone();
        next[machine as usize] += 1;
        Outcome::State(next)
    }

    fn end(&self, _state: &Vec<u8>) -> Option<()> {
        None
    }

    /// Always the same: states are compared in full.
    fn fingerprint(&self, _state: &Vec<u8>) -> u128 {
        7
    }
}

fn search<P: Program>(program: &P, order: Order, limits: &Limits) -> Report<P::Bug> {
    run(program, order, limits, &Callbacks::default(), &mut |_| {})
}

#[test]
fn counts_of_independent_counters_are_those_of_a_grid() {
    for (machines, most) in [(1, 5), (2, 3), (3, 4), (4, 2)] {
        for order in ORDERS {
            let report = search(&Counters { machines, most }, order, &Limits::default());
            let (side, dimensions) = (u64::from(most) + 1, machines as u32);
            assert_eq!(report.states, side.pow(dimensions));
            let along_one = u64::from(most) * side.pow(dimensions - 1);
            assert_eq!(report.transitions, machines as u64 * along_one);
            assert_eq!(report.depth, machines as u64 * u64::from(most));
            assert_eq!((report.stop, report.frontier), (StopReason::Exhausted, 0));
            assert_eq!(report.verdict(), Verdict::Verified);
        }
    }
}

#[test]
fn every_state_is_visited_once_nearest_first() {
    // 0 -> 1 -> 3 -> 0 and 0 -> 2 -> 3; 4 is out of reach.
    let graph = Graph::from_edges(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (4, 0)]);
    let mut visited = Vec::new();
    let limits = Limits::default();
    let callbacks = Callbacks::default();
    let report =
        run(&graph, Order::BreadthFirst, &limits, &callbacks, &mut |state: &usize| visited.push(*state));
    assert_eq!(visited, [0, 1, 2, 3]);
    assert_eq!((report.states, report.transitions, report.depth), (4, 5, 2));
}

#[test]
fn breadth_first_finds_a_shortest_way_and_depth_first_some_way() {
    // A long way 0 1 2 3 4 to the bug, and a short one 0 5 4. Depth-first expands the last edge first.
    let mut graph = Graph::from_edges(6, &[(0, 5), (0, 1), (1, 2), (2, 3), (3, 4), (5, 4)]);
    graph.edges[4].push(Target::Bug(7));
    let report = search(&graph, Order::BreadthFirst, &Limits::default());
    assert_eq!(report.bugs[0].positions, [0, 0, 0]);
    assert_eq!(report.stop, StopReason::BugsFound);
    assert_eq!(report.verdict(), Verdict::Bug(&report.bugs[0]));
    let report = search(&graph, Order::DepthFirst, &Limits::default());
    assert_eq!(report.bugs[0].positions, [1, 0, 0, 0, 0]);
    assert_eq!(follow(&graph, &report.bugs[0].positions), Some(7));
}

#[test]
fn a_bug_of_ending_is_as_near_as_its_state() {
    // State 1 has a bug two steps away; state 2, expanded after it, is itself one step away.
    let mut graph = Graph::from_edges(3, &[(0, 1), (0, 2)]);
    graph.edges[1].push(Target::Bug(1));
    graph.ends[2] = Some(2);
    let report = search(&graph, Order::BreadthFirst, &Limits::default());
    assert_eq!((report.bugs[0].bug, report.bugs[0].positions.as_slice()), (2, &[1][..]));
}

#[test]
fn all_different_bugs_are_collected_when_asked_for() {
    let mut graph = Graph::from_edges(4, &[(0, 1), (0, 2), (0, 3)]);
    graph.edges[1] = vec![Target::Bug(5), Target::Bug(6)];
    graph.edges[2] = vec![Target::Bug(6)];
    graph.ends[3] = Some(9);
    let report = search(&graph, Order::BreadthFirst, &Limits { bugs: 10, ..Limits::default() });
    let found: Vec<_> = report.bugs.iter().map(|found| (found.bug, found.positions.clone())).collect();
    assert_eq!(found, [(9, vec![2]), (5, vec![0, 0]), (6, vec![0, 1])]);
    assert_eq!((report.stop, report.transitions), (StopReason::Exhausted, 6));
    let report = search(&graph, Order::BreadthFirst, &Limits { bugs: 2, ..Limits::default() });
    assert_eq!((report.bugs.len(), report.stop), (2, StopReason::BugsFound));
}

#[test]
fn a_bug_of_the_start_has_an_empty_way() {
    #[derive(Debug)]
    struct Stillborn;
    impl Program for Stillborn {
        type State = ();
        type Bug = &'static str;
        fn initial(&self) -> Outcome<(), &'static str> {
            Outcome::Bug("at once")
        }
        fn choices(&self, _state: &(), _choices: &mut Vec<Choice>) {
            unreachable!()
        }
        fn step(&self, _: &(), _: Choice, _: &mut Vec<Effect>) -> Outcome<(), &'static str> {
            unreachable!()
        }
        fn end(&self, _state: &()) -> Option<&'static str> {
            unreachable!()
        }
        fn fingerprint(&self, _state: &()) -> u128 {
            unreachable!()
        }
    }
    for bugs in [1, 2] {
        let report = search(&Stillborn, Order::BreadthFirst, &Limits { bugs, ..Limits::default() });
        assert_eq!((report.bugs[0].bug, report.bugs[0].positions.len()), ("at once", 0));
    }
}

#[test]
fn a_limit_on_states_is_kept_and_told() {
    let counters = Counters { machines: 3, most: 9 };
    for order in ORDERS {
        let report = search(&counters, order, &Limits { states: 100, ..Limits::default() });
        assert_eq!((report.states, report.stop), (100, StopReason::StateLimit));
        assert!(report.frontier > 0);
        assert_eq!(report.verdict(), Verdict::NoBugFound { within: Bounds::States { states: 100 } });
        // Exactly as many states as there are is no limit.
        let report = search(&counters, order, &Limits { states: 1000, ..Limits::default() });
        assert_eq!(report.stop, StopReason::Exhausted);
    }
}

#[test]
fn a_limit_on_depth_is_kept_and_told() {
    let counters = Counters { machines: 2, most: 9 };
    let limits = Limits { depth: 3, ..Limits::default() };
    let report = search(&counters, Order::BreadthFirst, &limits);
    // 1 + 2 + 3 + 4 states with a sum of at most 3; the last 4 are not expanded.
    assert_eq!((report.states, report.depth, report.frontier), (10, 3, 4));
    assert_eq!(report.stop, StopReason::DepthLimit);
    assert_eq!(report.verdict(), Verdict::NoBugFound { within: Bounds::Depth { depth: 3 } });
    let report = search(&counters, Order::DepthFirst, &limits);
    assert_eq!(report.verdict(), Verdict::NoBugFound { within: Bounds::States { states: 10 } });
    // A depth that nothing exceeds is no limit.
    let report = search(&counters, Order::BreadthFirst, &Limits { depth: 18, ..Limits::default() });
    assert_eq!(report.stop, StopReason::Exhausted);
}

#[test]
fn it_stops_when_asked_and_says_so() {
    let questions = AtomicUsize::new(0);
    let told = AtomicUsize::new(0);
    let callbacks = Callbacks {
        should_stop: &|| questions.fetch_add(1, Ordering::Relaxed) == 3,
        progress: &|progress| {
            told.fetch_max(progress.states as usize, Ordering::Relaxed);
        },
        ..Callbacks::default()
    };
    let counters = Counters { machines: 4, most: 9 };
    let report = run(&counters, Order::BreadthFirst, &Limits::default(), &callbacks, &mut |_| {});
    assert_eq!(report.stop, StopReason::Asked);
    assert!(report.states < 10_000 && report.frontier > 0);
    assert!(matches!(report.verdict(), Verdict::NoBugFound { .. }));
    assert_eq!(told.load(Ordering::Relaxed) as u64, report.states);
}
