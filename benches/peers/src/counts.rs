//! How many states and transitions a graph has: what all tools must agree on.

use serde::{Deserialize, Serialize};

/// The size of a graph of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
}
