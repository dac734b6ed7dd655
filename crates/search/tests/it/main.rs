//! Tests of the searches on toys whose states, runs and bugs are known.

mod breadth_first;
mod counts;
mod depth_first;
mod graph;
mod hot_cycle;
mod letters;
mod mailboxes;
mod random;
mod random_graphs;
mod resuming;
mod stratified;
mod stratified_sampling;
