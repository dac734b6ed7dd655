//! Searches over runs.

pub mod random;
mod report;
mod worker;

pub use report::{Ends, Report};
