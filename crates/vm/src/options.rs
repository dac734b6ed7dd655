//! What a user can set about running a program: how fine its steps are, and how much it may use.

use crate::foreign::Foreign;
use std::sync::Arc;

/// How much one step does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// As few scheduling points as give the same behaviours; `step.rs` has the argument.
    #[default]
    Coarse,
    /// Exactly P's scheduling points.
    Reference,
}

/// What a program under test may use. Going beyond a limit is a bug that names the limit, because nothing else keeps
/// such a program from using up the machine it is tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of one machine between two scheduling points or choices, and of one monitor for one event. Work on
    /// large values counts for more than one. Default: 10,000,000.
    pub instructions: u64,
    /// Calls that have not returned. Default: 10,000.
    pub call_depth: u32,
    /// Messages in one queue. Default: 10,000.
    pub queue_length: u32,
    /// The size of one value, counting 16 bytes for each part and one for each byte of text. Default: 1 MiB.
    pub value_bytes: usize,
    /// How deeply one value may nest. Default: 100.
    pub value_depth: u32,
    /// Machines created in one run. Default: 10,000.
    pub machines: u32,
    /// Transitions of machines that are remembered; further ones are computed each time. Default: 20,000,000.
    pub remembered: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            instructions: 10_000_000,
            call_depth: 10_000,
            queue_length: 10_000,
            value_bytes: 1 << 20,
            value_depth: 100,
            machines: 10_000,
            remembered: 20_000_000,
        }
    }
}

/// How to run a test.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub granularity: Granularity,
    pub limits: Limits,
    /// Bodies for foreign functions.
    pub foreign: Option<Arc<dyn Foreign>>,
    /// Whether steps tell hints: machine types, states entered, events taken, sent and announced. States and bugs are the
    /// same with and without.
    pub hints: bool,
}
