//! Searches over runs.

pub mod random;
mod report;
pub mod stratified;
mod worker;

pub use report::{Ends, Report};
