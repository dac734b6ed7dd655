//! Miniature programs with counts that can be worked out by hand, for the tests of searches.

use crate::{ActorId, Choice, Effect, Outcome, Packed, Program};
use std::collections::BTreeSet;

/// A clock with one hand that goes from 0 to 1 and back, for ever: two states, two transitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct BinaryClock;

impl Program for BinaryClock {
    type State = bool;
    type Bug = std::convert::Infallible;

    fn initial(&self) -> Outcome<bool, Self::Bug> {
        Outcome::State(false)
    }

    fn choices(&self, _: &bool, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.push(Choice::Schedule(ActorId(0)));
    }

    fn step(&self, state: &bool, _: Choice, _: &mut Vec<Effect>) -> Outcome<bool, Self::Bug> {
        Outcome::State(!state)
    }

    fn end(&self, _: &bool) -> Option<Self::Bug> {
        None
    }

    fn fingerprint(&self, state: &bool) -> u128 {
        u128::from(*state)
    }
}

/// A graph as a program: nodes are states, and actor `k` follows the `k`-th edge that leaves a node. Runs begin at node
/// 0.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes that each node's edges lead to.
    edges: Vec<Vec<u32>>,
    bugs: BTreeSet<u32>,
    bad_ends: BTreeSet<u32>,
}

impl Graph {
    /// The graph with these edges, each from a node to a node; edges that leave one node keep their order.
    pub fn from_edges(edges: &[(u32, u32)]) -> Self {
        let nodes = edges.iter().map(|(from, to)| *from.max(to) as usize + 1).max().unwrap_or(1);
        let mut lists = vec![Vec::new(); nodes];
        for (from, to) in edges {
            lists[*from as usize].push(*to);
        }
        Self { edges: lists, ..Self::default() }
    }

    /// Makes it a bug to step to any of these nodes.
    #[must_use]
    pub fn with_bugs(mut self, nodes: &[u32]) -> Self {
        self.bugs.extend(nodes);
        self
    }

    /// Makes it a bug to end in any of these nodes.
    #[must_use]
    pub fn with_bad_ends(mut self, nodes: &[u32]) -> Self {
        self.bad_ends.extend(nodes);
        self
    }

    fn degree(&self, node: u32) -> u32 {
        self.edges[node as usize].len() as u32
    }
}

impl Program for Graph {
    type State = u32;
    /// The node.
    type Bug = u32;

    fn initial(&self) -> Outcome<u32, u32> {
        if self.bugs.contains(&0) { Outcome::Bug(0) } else { Outcome::State(0) }
    }

    fn choices(&self, state: &u32, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.extend((0..self.degree(*state)).map(|actor| Choice::Schedule(ActorId(actor))));
    }

    fn step(&self, state: &u32, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<u32, u32> {
        let (Choice::Schedule(ActorId(number)) | Choice::Data(number)) = choice;
        let next = self.edges[*state as usize][number as usize];
        let (before, after) = (self.degree(*state), self.degree(next));
        effects.extend((before..after).map(|actor| Effect::Enabled(ActorId(actor))));
        effects.extend((after..before).map(|actor| Effect::Blocked(ActorId(actor))));
        if self.bugs.contains(&next) { Outcome::Bug(next) } else { Outcome::State(next) }
    }

    fn end(&self, state: &u32) -> Option<u32> {
        self.bad_ends.contains(state).then_some(*state)
    }

    fn fingerprint(&self, state: &u32) -> u128 {
        // A product with an odd number, so that the upper bits vary too.
        u128::from(*state).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
    }
}

impl Packed for Graph {
    fn words<'a>(&self, state: &'a u32, _: &'a mut Vec<u32>) -> &'a [u32] {
        std::slice::from_ref(state)
    }
}
