//! The commands, one file each.

pub(crate) mod compile;
pub(crate) mod explain;
