//! Searches over states.

pub mod breadth_first;
