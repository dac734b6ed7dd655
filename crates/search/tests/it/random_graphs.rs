//! Random graphs, searched and compared with the naive closure of their edges.

use fabius_explore::Rng;
use fabius_search::exhaustive::breadth_first::{Limits, Order, run};
use fabius_search::exhaustive::depth_bounded;
use fabius_search::{Callbacks, StopReason};

use crate::graph::{Graph, Target, follow};

fn random_graph(seed: u64) -> Graph {
    let mut rng = Rng::from_seed(seed);
    let states = 1 + rng.position(12);
    let mut graph = Graph::from_edges(states, &[]);
    for state in 0..states {
        for _ in 0..rng.position(4) {
            let target = match rng.below(20) {
                0 => Target::Bug(rng.below(3) as u32),
                _ => Target::To(rng.position(states)),
            };
            graph.edges[state].push(target);
        }
        if graph.edges[state].is_empty() && rng.below(4) == 0 {
            graph.ends[state] = Some(10);
        }
    }
    graph
}

/// What can be read off a graph without any frontier: `steps[s]` is the least number of steps to `s`, found by
/// relaxing all edges until nothing changes.
struct Closure {
    steps: Vec<Option<u64>>,
    transitions: u64,
    shortest_bug: Option<u64>,
    bugs: Vec<u32>,
}

fn closure(graph: &Graph) -> Closure {
    let mut steps = vec![None; graph.edges.len()];
    steps[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..graph.edges.len() {
            let Some(before) = steps[from] else { continue };
            for edge in &graph.edges[from] {
                let Target::To(to) = *edge else { continue };
                if steps[to].is_none_or(|known| known > before + 1) {
                    steps[to] = Some(before + 1);
                    changed = true;
                }
            }
        }
    }
    let reached = |state: usize| steps[state].map(|distance| (state, distance));
    let mut bugs = Vec::new();
    for (state, distance) in (0..graph.edges.len()).filter_map(reached) {
        bugs.extend(graph.ends[state].map(|bug| (distance, bug)));
        for edge in &graph.edges[state] {
            if let Target::Bug(bug) = *edge {
                bugs.push((distance + 1, bug));
            }
        }
    }
    let mut kinds: Vec<u32> = bugs.iter().map(|(_, bug)| *bug).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Closure {
        transitions: (0..graph.edges.len())
            .filter_map(reached)
            .map(|(state, _)| graph.edges[state].len() as u64)
            .sum(),
        shortest_bug: bugs.iter().map(|(distance, _)| *distance).min(),
        bugs: kinds,
        steps,
    }
}

#[test]
fn breadth_and_depth_first_agree_with_the_closure() {
    let mut buggy = 0;
    for seed in 0..3000 {
        let graph = random_graph(seed);
        let expected = closure(&graph);
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let mut visited = vec![false; graph.edges.len()];
            let limits = Limits { bugs: usize::MAX, ..Limits::default() };
            let report = run(&graph, order, &limits, &Callbacks::default(), &mut |state: &usize| {
                assert!(!visited[*state], "seed {seed}: state {state} was visited twice");
                visited[*state] = true;
            });
            let reached: Vec<bool> = expected.steps.iter().map(Option::is_some).collect();
            assert_eq!(visited, reached, "seed {seed}");
            assert_eq!(report.states, reached.iter().filter(|reached| **reached).count() as u64);
            assert_eq!(report.transitions, expected.transitions, "seed {seed}");
            assert_eq!(report.stop, StopReason::Exhausted);
            let mut bugs: Vec<u32> = report.bugs.iter().map(|found| found.bug).collect();
            bugs.sort_unstable();
            assert_eq!(bugs, expected.bugs, "seed {seed}");
            for found in &report.bugs {
                assert_eq!(follow(&graph, &found.positions), Some(found.bug), "seed {seed}");
            }
            if order == Order::BreadthFirst {
                let deepest = expected.steps.iter().flatten().max().copied();
                assert_eq!(Some(report.depth), deepest, "seed {seed}");
            }
        }
        let report = run(&graph, Order::BreadthFirst, &Limits::default(), &Callbacks::default(), &mut |_| {});
        let length = report.bugs.first().map(|found| found.positions.len() as u64);
        assert_eq!(length, expected.shortest_bug, "seed {seed}");
        buggy += u32::from(length.is_some());
    }
    assert!((500..2500).contains(&buggy), "the generator should give both kinds of graphs: {buggy} of 3000");
}

#[test]
fn iterative_depth_bounding_agrees_with_the_closure() {
    for seed in 0..1000 {
        let graph = random_graph(seed);
        let expected = closure(&graph);
        let limits = depth_bounded::Limits {
            increment: 1 + seed % 5,
            bugs: usize::MAX,
            seed,
            ..depth_bounded::Limits::default()
        };
        let mut visited = vec![false; graph.edges.len()];
        let report = depth_bounded::run(&graph, &limits, &Callbacks::default(), &mut |state: &usize| {
            assert!(!visited[*state], "seed {seed}: state {state} was visited twice");
            visited[*state] = true;
        });
        let reached: Vec<bool> = expected.steps.iter().map(Option::is_some).collect();
        assert_eq!(visited, reached, "seed {seed}");
        assert_eq!((report.stop, report.frontier), (StopReason::Exhausted, 0));
        assert_eq!(report.transitions, expected.transitions, "seed {seed}");
        let mut bugs: Vec<u32> = report.bugs.iter().map(|found| found.bug).collect();
        bugs.sort_unstable();
        assert_eq!(bugs, expected.bugs, "seed {seed}");
        for found in &report.bugs {
            assert_eq!(follow(&graph, &found.positions), Some(found.bug), "seed {seed}");
        }
    }
}

#[test]
fn a_depth_limit_sees_what_lies_within_it() {
    for seed in 0..500 {
        let graph = random_graph(seed);
        let expected = closure(&graph);
        for depth in 0..6 {
            let limits = Limits { depth, bugs: usize::MAX, ..Limits::default() };
            let report = run(&graph, Order::BreadthFirst, &limits, &Callbacks::default(), &mut |_| {});
            let within = expected.steps.iter().flatten().filter(|steps| **steps <= depth).count();
            assert_eq!(report.states, within as u64, "seed {seed}, depth {depth}");
            let nearest = report.bugs.iter().map(|found| found.positions.len() as u64).min();
            assert_eq!(nearest, expected.shortest_bug.filter(|steps| *steps <= depth), "seed {seed}");
        }
    }
}
