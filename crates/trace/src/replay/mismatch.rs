//! What no longer fits when a trace is replayed, in words.

use std::fmt;

use crate::trace::Machine;

/// A place where a trace no longer fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The step of the trace, from 1; 0 for what happens before the first.
    pub step: usize,
    /// What does not fit.
    pub unmatched: Unmatched,
}

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// There is no such machine (yet).
    NoSuchMachine {
        /// As it is called in the trace.
        machine: Machine,
    },
    /// The machine that moves in the trace cannot.
    CannotMove {
        /// As it is called in the trace.
        machine: Machine,
        /// Where it stands now.
        description: String,
    },
    /// A data choice is wanted that the trace does not have. The first alternative was taken.
    NewChoice {
        /// Who wants it.
        by: Option<Machine>,
    },
    /// A data choice of the trace is not wanted.
    NoLongerChosen {
        /// What was chosen.
        value: String,
    },
    /// A data choice of the trace is wanted, but none of its alternatives is the recorded one.
    ValueGone {
        /// What was chosen.
        value: String,
        /// What was chosen instead.
        now: String,
    },
    /// The run ends before the trace does.
    EndsEarly {
        /// How many choices of the trace are left.
        left: usize,
    },
    /// The choice fits, but does something else.
    Differs {
        /// Who moves.
        by: Option<Machine>,
        /// What happened in the trace, if anything.
        before: Option<String>,
        /// What happens now, if anything.
        now: Option<String>,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            0 => write!(f, "before the first step: {}", self.unmatched),
            step => write!(f, "step {step}: {}", self.unmatched),
        }
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmatched::NoSuchMachine { machine } => write!(f, "there is no `{machine}`"),
            Unmatched::CannotMove { machine, description } => {
                match description.split_once(" in ").map(|(_, state)| state) {
                    Some(state) => {
                        write!(f, "`{machine}` cannot move: it is in `{state}` and has nothing to do")
                    }
                    None => write!(f, "`{machine}` cannot move: {description}"),
                }
            }
            Unmatched::NewChoice { by } => {
                write!(f, "{} makes a choice that the trace does not have", Who(by.as_ref()))
            }
            Unmatched::NoLongerChosen { value } => write!(f, "the choice of `{value}` is no longer made"),
            Unmatched::ValueGone { value, now } => {
                write!(f, "`{value}` can no longer be chosen; `{now}` is, instead")
            }
            Unmatched::EndsEarly { left: 1 } => f.write_str("the run ends, one step before the trace does"),
            Unmatched::EndsEarly { left } => write!(f, "the run ends, {left} steps before the trace does"),
            Unmatched::Differs { by, before, now } => {
                differs(f, Who(by.as_ref()), before.as_ref(), now.as_ref())
            }
        }
    }
}

fn differs(
    f: &mut fmt::Formatter<'_>,
    who: Who<'_>,
    before: Option<&String>,
    now: Option<&String>,
) -> fmt::Result {
    match (before, now) {
        (Some(before), Some(now)) => write!(f, "in the trace {who} {before}; now it {now}"),
        (Some(before), None) => write!(f, "in the trace {who} {before}; now it does not"),
        (None, Some(now)) => write!(f, "{who} now also {now}"),
        (None, None) => write!(f, "{who} does the same"),
    }
}

/// A machine, or the program when nobody in particular moves.
#[derive(Clone, Copy)]
struct Who<'a>(Option<&'a Machine>);

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(machine) => write!(f, "`{machine}`"),
            None => f.write_str("the program"),
        }
    }
}
