//! Searches: what to conclude about a program.
//!
//! A search looks at runs or states of a [`Program`](fabius_model::Program) and reports what it found and what it
//! covered. Each is one file that opens with what it guarantees and what it does not. None of them prints, or looks at
//! clocks, files or the environment: limits come as values, and [`Callbacks`] connect a search to the world.

#![warn(missing_docs)]

mod callbacks;
mod threads;
mod verdict;

pub mod exhaustive;
pub mod sampling;

pub use callbacks::{Callbacks, Progress};
pub use verdict::{Bounds, Found, StopReason, Verdict};
