//! Searches over states.

pub mod breadth_first;
pub mod depth_bounded;
pub mod hot_cycle;
pub mod stratified;
