//! Count tests of the schedulers: how often each schedule of a known program comes up.

mod chi_square;
mod pct;
mod per_actor;
mod pos;
mod random;
mod rng;
mod threads;
