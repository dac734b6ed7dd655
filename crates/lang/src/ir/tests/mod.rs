//! Tests of the text form, the verifier and the liveness analysis on whole programs, written and random.

mod generate;
mod generate_code;
mod moves;
mod mutations;
mod paths;
mod programs;
mod random;
mod structure;

/// Every declaration, type and instruction.
const EVERYTHING: &str = include_str!("everything.ir");
