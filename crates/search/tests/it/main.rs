//! Tests of the searches on toys whose states, runs and bugs are known.

mod breadth_first;
mod graph;
mod letters;
mod random;
mod random_graphs;
