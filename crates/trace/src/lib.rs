//! Traces of bugs: recorded choices, and what can be done with them.
//!
//! A [`Trace`] is the way to a bug in a form that any process can read: machines are called `Server(3)`, as P does,
//! counted in the order of their creation in that run. [`record`] makes one from choices, [`replay`] follows one as far
//! as a perhaps edited program lets it, [`shorten`] looks for a shorter one to the same bug, [`explain`] tells it as an
//! explorer's natural run with deviations, [`check`] believes nothing and repeats everything, [`log`] and [`chart`] show
//! one to people. The format is described in `docs/trace-format.md`.
//!
//! From what a search found to a file: [`resolve`] its positions, [`shorten`] the choices, [`record`] both, [`explain`] the
//! shorter one, put them into a [`Trace`] and write [`Trace::to_json`].
//!
//! Nothing here knows a search: whoever doubts a search can have its claims checked by code that shares none with it.

#![warn(missing_docs)]

mod json;
mod machines;
mod texts;
mod trace;

mod chart;
mod check;
mod explain;
mod log;
mod record;
mod replay;
mod shorten;

pub use chart::{ChartOptions, chart};
pub use check::{Refusal, check};
pub use explain::{Deviation, Explanation, explain};
pub use json::ReadError;
pub use log::log;
pub use record::{Ending, Impossible, Recording, record, resolve};
pub use replay::{Mismatch, Replay, ReplayOutcome, Unmatched, replay};
pub use shorten::{Budget, NotThatBug, Price, Shortened, shorten};
pub use texts::Names;
pub use trace::{BugSummary, Choice, Happening, Machine, Run, Step, Trace, VERSION};
