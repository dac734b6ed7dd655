//! P's run-time behaviour as a transition system.
//!
//! [`Vm`] is one test of a checked program. A machine's *configuration* (control state, variables, calls, what it is about
//! to do) and its queue are interned, and a [`State`] is a vector of their ids. What a machine does next is a function of
//! its configuration and one input, so it is computed once and then looked up.
//!
//! In reading order: `value`, `collections`, `operators`, `place`, `cast` and `text` are P's values; `actor`, `machine`
//! and `queue` are what a state consists of; `link` prepares a test; `run`, `execute` and `actions` make one machine move;
//! `memo` remembers moves; `monitor`, `draft` and `step` put them together to steps of the whole program; `durable` writes
//! down what states refer to. `walk` is the same program for runs that remember nothing.

mod actions;
mod actor;
mod bounds;
mod bug;
mod cast;
mod collections;
mod coverage;
mod deeds;
mod draft;
mod durable;
mod encode;
mod ends;
mod execute;
mod exercise;
mod foreign;
mod frames;
mod fused;
mod hints;
mod index;
mod inlined;
mod link;
mod liveness;
mod machine;
mod mask;
mod memo;
mod monitor;
mod narrate;
mod operators;
mod options;
mod packed;
mod part;
mod place;
mod places;
mod plain;
mod profile;
mod queue;
mod reach;
mod recall;
mod run;
mod scratch;
mod shapes;
mod sketch;
mod state;
mod step;
mod store;
mod table;
mod term;
mod text;
mod value;
mod view;
mod walk;
mod words;

pub use bug::{Bug, BugKind};
pub use collections::{Map, Set};
pub use coverage::{Coverage, EventCoverage, GotoCoverage, MachineCoverage, ReactionCoverage, StateCoverage};
pub use foreign::{Foreign, ForeignCall};
pub use link::LinkError;
pub use options::{Granularity, Limits, Options};
pub use profile::{Lengths, Profile, Reaction, ReactionSteps};
pub use state::State;
pub use step::Vm;
pub use store::Memory;
pub use value::{FieldNames, ForeignValue, Permission, Reference, Seq, Text, Tuple, Value};
pub use view::{MachineView, MonitorView, Standing, StuckMail};
pub use walk::{Walk, Walker};
