//! Schedulers: who runs next.
//!
//! A [`Scheduler`] picks one of the choices that a program offers, step after step, run after run. Each is one file that
//! opens with what it does and where it comes from. All randomness comes from one number: run `i` of seed `s` has a
//! stream of its own, so a run can be repeated without the runs before it, by any thread, on any machine.
//!
//! Delaying explorers, which are deterministic strategies with a `delay` operation, are another trait; they share
//! [`Rng`] and [`PerActor`] with what is here.

#![warn(missing_docs)]

mod per_actor;
mod rng;
mod scheduler;

mod fair_pct;
mod pct;
mod pos;
mod random;

pub use fair_pct::FairPct;
pub use pct::Pct;
pub use per_actor::PerActor;
pub use pos::Pos;
pub use random::Random;
pub use rng::{Rng, run_seed, split_mix};
pub use scheduler::{RunStart, Scheduler, Strategy};
