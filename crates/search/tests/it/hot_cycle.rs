//! Cycles of hot states, on random graphs against the closure of the hot edges.

use fabius_explore::Rng;
use fabius_search::exhaustive::hot_cycle;

use crate::graph::{Graph, Target};

/// By closing the edges between hot states until nothing changes: whether one of them reaches itself.
fn reaches_itself(graph: &Graph, hot: &[bool]) -> bool {
    let states = graph.edges.len();
    let mut reaches = vec![vec![false; states]; states];
    for (from, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            if let Target::To(to) = *edge {
                reaches[from][to] |= hot[from] && hot[to];
            }
        }
    }
    for via in 0..states {
        for from in 0..states {
            for to in 0..states {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    (0..states).any(|state| reaches[state][state])
}

#[test]
fn a_cycle_is_found_exactly_where_the_closure_has_one() {
    let mut found = 0;
    for seed in 0..3000 {
        let mut rng = Rng::from_seed(seed);
        let states = 1 + rng.position(10);
        let mut graph = Graph::from_edges(states, &[]);
        for state in 0..states {
            for _ in 0..rng.position(3) {
                graph.edges[state].push(Target::To(rng.position(states)));
            }
        }
        let hot: Vec<bool> = (0..states).map(|_| rng.below(3) > 0).collect();
        let expected = reaches_itself(&graph, &hot);
        let answer = hot_cycle::exists(&graph, 0..states, &|state| hot[*state], &|| false);
        assert_eq!(answer, Some(expected), "seed {seed}");
        found += u32::from(expected);
    }
    assert!((500..2500).contains(&found), "{found} of 3000 graphs have a hot cycle");
    let ring = Graph::from_edges(2, &[(0, 1), (1, 0)]);
    assert_eq!(hot_cycle::exists(&ring, [0], &|_| true, &|| true), None, "stopped");
}
