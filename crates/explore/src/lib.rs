//! Schedulers and delaying explorers: who runs next.
//!
//! A [`Scheduler`] picks one of the choices that a program offers, step after step, run after run. Each is one file that
//! opens with what it does and where it comes from. All randomness comes from one number: run `i` of seed `s` has a
//! stream of its own, so a run can be repeated without the runs before it, by any thread, on any machine.
//!
//! An [`Explorer`] is a deterministic strategy with a `delay` operation: exhaustive searches order all runs by how often
//! they delay it. [`Cursor`] is one at a state.

#![warn(missing_docs)]

mod explorer;
mod fixed;
mod per_actor;
mod rng;
mod rules;
mod scheduler;

mod custom_order;
mod fair_pct;
mod pct;
mod pos;
mod preemption;
mod random;
mod random_order;
mod round_robin;
mod run_to_completion;
mod sealing;

pub use custom_order::{CustomOrder, Orders};
pub use explorer::{Cursor, Explorer, Taken, unsound_at};
pub use fair_pct::FairPct;
pub use fixed::Fixed;
pub use pct::Pct;
pub use per_actor::PerActor;
pub use pos::Pos;
pub use preemption::Preemption;
pub use random::Random;
pub use random_order::RandomOrder;
pub use rng::{Rng, run_seed, split_mix};
pub use round_robin::RoundRobin;
pub use rules::RuleError;
pub use run_to_completion::RunToCompletion;
pub use scheduler::{RunStart, Scheduler, Strategy};
pub use sealing::{Flavour, Seal, Sealed, SealedState, Sealing};
