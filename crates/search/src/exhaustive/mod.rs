//! Searches over states.

pub mod breadth_first;
pub mod depth_bounded;
pub mod depth_first;
pub mod hot_cycle;
pub mod stratified;
