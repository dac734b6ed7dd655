//! Searches over states.

pub mod breadth_first;
pub mod hot_cycle;
mod store;
pub mod stratified;
