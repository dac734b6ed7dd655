//! Count tests of the schedulers: how often each schedule of a known program comes up. Explorers: their law, the orders
//! they follow, and what sealing leaves out.

mod chi_square;
mod custom_order;
mod law;
mod machines;
mod own_explorer;
mod pct;
mod per_actor;
mod pos;
mod random;
mod rng;
mod sealing;
mod strata;
mod threads;
