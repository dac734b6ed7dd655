//! What threads have for themselves of what they share, so that they do not write to the same cache lines: places, runs of
//! numbers, and counters.

mod counter;
mod numbers;
mod per_thread;

pub use counter::Counter;
pub use numbers::Numbers;
pub use per_thread::{Apart, Changing, PerThread, Reading, Shared};
