//! The commands, one file or folder each.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod replay;
