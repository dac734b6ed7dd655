//! Round robin: actors take turns in the order of their creation, each running until it blocks.
//!
//! A list of all actors that have not halted, whose head runs [DQS15, section 4]. Who blocks goes to the tail; who is
//! created is appended, or, in the *probabilistic* variant, put at a random place behind the head; a delay moves the one
//! that would run to the tail. Those that cannot move are passed over and keep their places.

use fabius_model::{ActorId, Choice, Effect};

use crate::explorer::{Explorer, Taken, order_by_delays, position_of};
use crate::rng::split_mix;

/// The round-robin explorer.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RoundRobin {
    // Each actor that has not halted, once, and whether it can move.
    order: Vec<(ActorId, bool)>,
    /// What places of new actors are drawn from; `None` appends them.
    draws: Option<u64>,
}

impl Clone for RoundRobin {
    fn clone(&self) -> Self {
        Self { order: self.order.clone(), draws: self.draws }
    }

    fn clone_from(&mut self, source: &Self) {
        self.order.clone_from(&source.order);
        self.draws = source.draws;
    }
}

impl RoundRobin {
    /// An explorer that appends new actors.
    pub fn new() -> RoundRobin {
        RoundRobin { order: Vec::new(), draws: None }
    }

    /// The probabilistic variant: new actors go to random places.
    pub fn probabilistic(seed: u64) -> RoundRobin {
        RoundRobin { order: Vec::new(), draws: Some(seed) }
    }

    fn position(&self, actor: ActorId) -> Option<usize> {
        self.order.iter().position(|(other, _)| *other == actor)
    }

    fn add(&mut self, actor: ActorId) {
        let places = self.order.len().max(1) as u64;
        let at = match &mut self.draws {
            Some(draws) => 1 + (split_mix(draws) % places) as usize,
            None => self.order.len(),
        };
        self.order.insert(at.min(self.order.len()), (actor, true));
    }

    fn move_to_tail(&mut self, at: usize) {
        let entry = self.order.remove(at);
        self.order.push(entry);
    }
}

impl Default for RoundRobin {
    fn default() -> RoundRobin {
        RoundRobin::new()
    }
}

impl Explorer for RoundRobin {
    fn begin(&mut self, enabled: &[ActorId], _fingerprint: u64) {
        self.order = enabled.iter().map(|actor| (*actor, true)).collect();
    }

    fn next(&self, choices: &[Choice]) -> usize {
        let first = self.order.iter().find(|(_, can_move)| *can_move);
        position_of(first.map(|(actor, _)| *actor), choices)
    }

    fn order(&self, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        positions.clear();
        let movers = self.order.iter().filter(|(_, can_move)| *can_move);
        positions.extend(movers.map(|(actor, _)| position_of(Some(*actor), choices)));
        positions.len() == choices.len() || order_by_delays(self, choices, positions)
    }

    fn delay(&mut self, _choices: &[Choice]) {
        if let Some(at) = self.order.iter().position(|(_, can_move)| *can_move) {
            self.move_to_tail(at);
        }
    }

    fn keeps_to_itself(&self) -> bool {
        true
    }

    fn step(&mut self, taken: &Taken<'_>) {
        // Who runs is the head.
        if let Choice::Schedule(actor) = taken.choice
            && let Some(at) = self.position(actor)
        {
            self.order.rotate_left(at);
        }
        for effect in taken.effects {
            match *effect {
                Effect::Created(actor) if self.position(actor).is_none() => self.add(actor),
                Effect::Enabled(actor) => match self.position(actor) {
                    Some(at) => self.order[at].1 = true,
                    None => self.add(actor),
                },
                Effect::Blocked(actor) => {
                    if let Some(at) = self.position(actor) {
                        self.order[at].1 = false;
                        self.move_to_tail(at);
                    }
                }
                Effect::Halted(actor) => {
                    if let Some(at) = self.position(actor) {
                        self.order.remove(at);
                    }
                }
                _ => {}
            }
        }
    }
}
