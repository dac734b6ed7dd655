//! Searches over states.

pub mod breadth_first;
mod store;
pub mod stratified;
