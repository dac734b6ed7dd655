//! The stored states of a search, in shards that threads can fill side by side.
//!
//! A node is a stored state, in strict mode with the explorer's state, and the way by which it was first reached. Which
//! shard a state belongs to is a function of its content, so each shard alone decides what is new.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// How many shards. Fixed, because the order of work depends on it.
pub(super) const SHARDS: usize = 64;

/// A stored state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u64);

impl NodeId {
    fn new(shard: usize, index: usize) -> NodeId {
        NodeId((index * SHARDS + shard) as u64)
    }

    pub(super) fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    fn index(self) -> usize {
        self.0 as usize / SHARDS
    }
}

/// How a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Start,
    /// From this state, by the choice at this position.
    From(NodeId, u32),
}

/// Some of the stored states.
pub(super) struct Shard<S, C> {
    /// The states, in strict mode with the explorers' states that each was stored with.
    states: HashMap<S, HashSet<C>>,
    ways: Vec<Way>,
}

impl<S: Clone + Eq + Hash, C: Clone + Eq + Hash> Shard<S, C> {
    pub(super) fn new() -> Self {
        Self { states: HashMap::new(), ways: Vec::new() }
    }

    /// Stores a state that is new; without a cursor, whatever the explorer. Tells its id and whether the state itself is
    /// new.
    pub(super) fn insert(
        &mut self,
        shard: usize,
        state: &S,
        cursor: Option<&C>,
        way: Way,
    ) -> Option<(NodeId, bool)> {
        let (is_new_state, cursors) = match self.states.entry(state.clone()) {
            Entry::Vacant(entry) => (true, entry.insert(HashSet::new())),
            Entry::Occupied(entry) => (false, entry.into_mut()),
        };
        let is_new = match cursor {
            Some(cursor) => cursors.insert(cursor.clone()),
            None => is_new_state,
        };
        if !is_new {
            return None;
        }
        self.ways.push(way);
        Some((NodeId::new(shard, self.ways.len() - 1), is_new_state))
    }

    pub(super) fn way(&self, node: NodeId) -> Way {
        self.ways[node.index()]
    }
}
