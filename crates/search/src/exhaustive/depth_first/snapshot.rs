//! A search as it stands between two batches, to be written down and taken up again.
//!
//! Bugs are written as the ways to them; whoever takes the search up follows them again. So nothing about bugs has a form
//! in files, and a file whose ways lead elsewhere is refused.

use std::fmt;
use std::io::{self, Read, Write};

use fabius_model::wire::{damaged, get, get_number, get_words, put_number, put_words};
use fabius_model::{Durable, Outcome, Packed, Program};

use super::pool::Everything;
use super::stack::Stack;
use crate::verdict::Findings;
use crate::{Found, StopReason};

/// What a search knows while all its workers stand still. The visited set and what states refer to are not in it.
pub struct Snapshot<'a, P: Packed> {
    pub(super) program: &'a P,
    pub(super) everything: &'a Everything<'a, P::State>,
    pub(super) findings: &'a Findings<'a, P::Bug>,
    /// The number of bugs met.
    pub(super) met: u64,
    /// States stored so far.
    pub states: u64,
    pub(super) transitions: u64,
    pub(super) depth: u64,
    pub(super) omission: f64,
    /// Why the search has ended; `None` while it goes on.
    pub stop: Option<StopReason>,
}

impl<P: Packed> fmt::Debug for Snapshot<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("states", &self.states).finish_non_exhaustive()
    }
}

impl<P: Packed> Snapshot<'_, P> {
    /// Whether the search has come to its own end, and not to a limit. Then nothing waits that anybody would go on from, and
    /// the set is needed no more.
    pub fn is_finished(&self) -> bool {
        matches!(self.stop, Some(StopReason::Exhausted | StopReason::BugsFound))
    }

    /// Writes everything.
    pub fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        for number in [self.states, self.transitions, self.depth, self.omission.to_bits(), self.met] {
            put_number(to, number)?;
        }
        let found: Vec<_> = self.findings.all().collect();
        put_number(to, found.len() as u64)?;
        for found in found {
            put_number(to, found.run)?;
            put_words(to, &found.positions)?;
        }
        if self.is_finished() {
            return put_number(to, 0);
        }
        let mut given = Stack::default();
        given.accept(self.everything.gifts.to_vec());
        let mut stacks = self.everything.stacks.clone();
        stacks.insert(0, &given);
        stacks.retain(|stack| !stack.waiting.is_empty());
        put_number(to, stacks.len() as u64)?;
        stacks.iter().try_for_each(|stack| stack.write_to(self.program, to))
    }
}

/// What a search that was written down has left to do, and what it had found.
pub struct Left<P: Packed> {
    pub(super) stacks: Vec<Stack<P::State>>,
    pub(super) found: Vec<Found<P::Bug>>,
    pub(super) met: u64,
    /// States stored before.
    pub states: u64,
    pub(super) transitions: u64,
    pub(super) depth: u64,
    pub(super) omission: f64,
}

impl<P: Packed> Default for Left<P> {
    fn default() -> Self {
        Left {
            stacks: Vec::new(),
            found: Vec::new(),
            met: 0,
            states: 0,
            transitions: 0,
            depth: 0,
            omission: 0.0,
        }
    }
}

impl<P: Packed> fmt::Debug for Left<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Left").field("states", &self.states).finish_non_exhaustive()
    }
}

impl<P: Durable> Left<P> {
    /// Reads what [`Snapshot::write_to`] has written. The program must have been restored before.
    pub fn read_from(program: &P, from: &mut dyn Read) -> io::Result<Self> {
        let (states, transitions, depth) = (get_number(from)?, get_number(from)?, get_number(from)?);
        let omission = f64::from_bits(get_number(from)?);
        let met = get_number(from)?;
        let count = get_number(from)?;
        let found = (0..count).map(|_| {
            let (run, positions) = (get(from)?, get_words(from)?);
            let bug = bug_at(program, &positions).ok_or_else(damaged)?;
            Ok(Found { run, bug, positions })
        });
        let found = found.collect::<io::Result<_>>()?;
        let count = get_number(from)?;
        let stacks = (0..count).map(|_| Stack::read_from(program, from)).collect::<io::Result<_>>()?;
        Ok(Left { stacks, found, met, states, transitions, depth, omission })
    }
}

/// The bug that a run ends in.
fn bug_at<P: Program>(program: &P, positions: &[u32]) -> Option<P::Bug> {
    let mut outcome = program.initial();
    let mut choices = Vec::new();
    for position in positions {
        let Outcome::State(state) = outcome else { return None };
        program.choices(&state, &mut choices);
        outcome = program.step(&state, *choices.get(*position as usize)?, &mut Vec::new());
    }
    match outcome {
        Outcome::Bug(bug) => Some(bug),
        Outcome::State(state) => {
            program.choices(&state, &mut choices);
            if choices.is_empty() { program.end(&state) } else { None }
        }
    }
}
