//! Cycles of hot states, on random graphs against the closure of the hot edges.

use fabius_explore::Rng;
use fabius_search::exhaustive::hot_cycle::{self, Pieces};

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
        // Any states may be given, in any pieces.
        let pieces = 1 + rng.position(4);
        let piece = |piece: usize| (0..states).skip(piece).step_by(pieces).collect();
        for jobs in [1, 2, 5] {
            let roots = Pieces { pieces, piece: &piece };
            let answer = hot_cycle::exists(&graph, roots, &|state| hot[*state], jobs, &|| false);
            assert_eq!(answer, Some(expected), "seed {seed}, {jobs} threads");
        }
        found += u32::from(expected);
    }
    assert!((500..2500).contains(&found), "{found} of 3000 graphs have a hot cycle");
    let ring = Graph::from_edges(2, &[(0, 1), (1, 0)]);
    let roots = Pieces { pieces: 1, piece: &|_| vec![0] };
    assert_eq!(hot_cycle::exists(&ring, roots, &|_| true, 1, &|| false), Some(true));
}

/// Rows of states, each with edges to the next one in its row and in the next row: there are many more ways than states.
fn grid(rows: usize) -> Graph {
    let mut graph = Graph::from_edges(rows * rows, &[]);
    for state in 0..rows * rows {
        let to_right = (state % rows + 1 < rows).then_some(state + 1);
        let down = (state / rows + 1 < rows).then_some(state + rows);
        graph.edges[state].extend(to_right.into_iter().chain(down).map(Target::To));
    }
    graph
}

#[test]
fn threads_share_a_graph_with_many_ways() {
    const ROWS: usize = 200;
    let mut graph = grid(ROWS);
    let last = ROWS * ROWS - 1;
    let piece = |piece: usize| (0..=last).skip(piece * 1000).take(1000).collect();
    let roots = Pieces { pieces: ROWS * ROWS / 1000, piece: &piece };
    let stopped = hot_cycle::exists(&graph, roots, &|_| true, 3, &|| true);
    assert_eq!(stopped, None, "it was told to end");
    for jobs in [1, 2, 3, 8] {
        assert_eq!(hot_cycle::exists(&graph, roots, &|_| true, jobs, &|| false), Some(false), "{jobs}");
    }
    // A way back from the last state to one in the middle, which all ways from the first to the last may pass or not.
    graph.edges[last].push(Target::To(last / 2));
    for jobs in [1, 2, 3, 8] {
        assert_eq!(hot_cycle::exists(&graph, roots, &|_| true, jobs, &|| false), Some(true), "{jobs}");
        // It is no cycle of warm states when one that every cycle goes through is cold.
        let is_warm = |state: &usize| *state != last;
        assert_eq!(hot_cycle::exists(&graph, roots, &is_warm, jobs, &|| false), Some(false), "{jobs}");
    }
}
