//! The states that wait to be expanded, with the ways to them.

use std::io::{self, Read, Write};

use fabius_model::wire::{damaged, get, get_number, get_words, put_number, put_words};
use fabius_model::{Durable, Packed};

use super::paths::{PathId, Paths, START};

/// Some states that wait to be expanded; the latest is the last.
pub(super) struct Stack<S> {
    pub(super) waiting: Vec<Waiting<S>>,
    // Invariant: each waiting state holds the path before it.
    pub(super) paths: Paths,
}

/// A state that waits to be expanded.
pub(super) struct Waiting<S> {
    pub(super) state: S,
    /// The way to the state before it.
    pub(super) before: PathId,
    /// The position of the choice taken there.
    pub(super) position: u32,
    /// The places of the machines whose steps need not be looked at; that is never written down.
    pub(super) asleep: u64,
}

/// A state given away, with all positions on the way to it, [`START`] first.
#[derive(Clone)]
pub(super) struct Gift<S> {
    state: S,
    positions: Vec<u32>,
    asleep: u64,
}

impl<S> Gift<S> {
    /// The initial state.
    pub(super) fn initial(state: S) -> Self {
        Gift { state, positions: vec![START], asleep: 0 }
    }
}

impl<S> Default for Stack<S> {
    fn default() -> Self {
        Stack { waiting: Vec::new(), paths: Paths::default() }
    }
}

impl<S> Stack<S> {
    /// Takes in what was given away.
    pub(super) fn accept(&mut self, gifts: Vec<Gift<S>>) {
        for Gift { state, positions, asleep } in gifts {
            let Some((position, before)) = positions.split_last() else { continue };
            let before = self.paths.begin(before);
            self.waiting.push(Waiting { state, before, position: *position, asleep });
        }
    }

    /// Gives so many states away, the oldest.
    pub(super) fn give(&mut self, count: usize) -> Vec<Gift<S>> {
        let gone: Vec<_> = self.waiting.drain(..count).collect();
        let gifts = gone.into_iter().map(|waiting| {
            let mut positions = self.paths.positions(waiting.before);
            positions.push(waiting.position);
            self.paths.release(waiting.before);
            Gift { state: waiting.state, positions, asleep: waiting.asleep }
        });
        gifts.collect()
    }

    pub(super) fn write_to<P: Packed<State = S>>(&self, program: &P, to: &mut dyn Write) -> io::Result<()> {
        let numbers = self.paths.write_to(to)?;
        put_number(to, self.waiting.len() as u64)?;
        let mut buffer = Vec::new();
        self.waiting.iter().try_for_each(|waiting| {
            put_words(to, program.words(&waiting.state, &mut buffer))?;
            put_number(to, numbers.of(waiting.before))?;
            put_number(to, u64::from(waiting.position))
        })
    }

    pub(super) fn read_from<P: Durable<State = S>>(program: &P, from: &mut dyn Read) -> io::Result<Self> {
        let mut paths = Paths::read_from(from)?;
        let length = get_number(from)?;
        let mut waiting = Vec::new();
        for _ in 0..length {
            let state = program.unpack(&get_words(from)?).ok_or_else(damaged)?;
            let before = paths.path(get_number(from)?)?;
            paths.hold(before);
            waiting.push(Waiting { state, before, position: get(from)?, asleep: 0 });
        }
        Ok(Stack { waiting, paths })
    }
}
