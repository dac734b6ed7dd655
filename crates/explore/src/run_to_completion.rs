//! Run to completion: the receiver of the latest message runs first, and until it blocks.
//!
//! A stack of the actors that can move [DQS15, section 4]. Whoever gets a message, or is created, goes on top, also if it
//! was further down; whoever blocks or halts leaves; a delay moves the top to the bottom. The natural run follows
//! causality like a chain of calls, so it goes deep with few delays.

use fabius_model::{ActorId, Choice, Effect};

use crate::explorer::{Explorer, Taken, order_by_delays, position_of};

/// The run-to-completion explorer.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct RunToCompletion {
    // Invariant: each actor that can move, once; the top is last.
    stack: Vec<ActorId>,
}

impl Clone for RunToCompletion {
    fn clone(&self) -> Self {
        Self { stack: self.stack.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.stack.clone_from(&source.stack);
    }
}

impl RunToCompletion {
    /// An explorer that has seen nothing yet.
    pub fn new() -> RunToCompletion {
        RunToCompletion::default()
    }

    fn remove(&mut self, actor: ActorId) -> bool {
        let at = self.stack.iter().rposition(|other| *other == actor);
        at.map(|at| self.stack.remove(at)).is_some()
    }

    /// Puts an actor on top, if it can move.
    fn raise(&mut self, actor: ActorId) {
        if self.remove(actor) {
            self.stack.push(actor);
        }
    }
}

impl Explorer for RunToCompletion {
    fn begin(&mut self, enabled: &[ActorId], _fingerprint: u64) {
        self.stack = enabled.iter().rev().copied().collect();
    }

    fn next(&self, choices: &[Choice]) -> usize {
        position_of(self.stack.last().copied(), choices)
    }

    fn order(&self, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        if self.stack.len() != choices.len() {
            return order_by_delays(self, choices, positions);
        }
        positions.clear();
        positions.extend(self.stack.iter().rev().map(|actor| position_of(Some(*actor), choices)));
        true
    }

    fn delay(&mut self, _choices: &[Choice]) {
        if let Some(top) = self.stack.pop() {
            self.stack.insert(0, top);
        }
    }

    fn keeps_to_itself(&self) -> bool {
        true
    }

    fn step(&mut self, taken: &Taken<'_>) {
        for effect in taken.effects {
            match *effect {
                Effect::SentTo(actor) => self.raise(actor),
                Effect::Created(actor) | Effect::Enabled(actor) => {
                    self.remove(actor);
                    self.stack.push(actor);
                }
                Effect::Blocked(actor) | Effect::Halted(actor) => {
                    self.remove(actor);
                }
                _ => {}
            }
        }
    }
}
