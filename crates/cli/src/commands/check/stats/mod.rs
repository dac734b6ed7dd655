//! `--stats`: what a search did, in numbers, and what of the program it never came to.
//!
//! [`Recorder`] counts while a search runs, and is there only if somebody asked; [`Measured`] is what it has counted.
//! Together with the conclusion and with what the virtual machine knows of its coverage that becomes a [`StatsEntry`]: the
//! JSON, from which the text is made as well, so that the two cannot differ. docs/statistics.md explains it to users.

mod coverage;
mod entry;
mod estimate;
mod recorder;
mod series;
mod text;

pub(super) use coverage::CoverageEntry;
pub(super) use entry::StatsEntry;
pub(super) use estimate::{Estimate, estimate};
pub(super) use recorder::{Measured, Over, Recorder};
pub(super) use text::{never_exercised, report};
