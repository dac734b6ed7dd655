//! What a search keeps of the states it has met, in shards that threads can fill side by side.
//!
//! A *node* is a state that was new when a step led to it: the way by which it was reached. The state itself is not kept
//! with it but with the items that wait for it, so that items are read one after the other. What is *known* decides what
//! is new: a visited set of all states or, when the cache is bounded, some of those met so far. Which shard a state
//! belongs to is a function of its content, so each shard alone decides.
//!
//! With an unbounded cache nodes stay for ever. With a bounded one they keep their states and are counted like references:
//! a node goes when it has no choices left to take and no node was reached from it, so that what is held is the cache and
//! the frontier.

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_store::{Batch, Exact};

use super::Cache;
use super::bounded::{Sets, tag};
use super::explorers::Explorers;

/// How many shards. Fixed, because the order of work depends on it.
pub(super) const SHARDS: usize = 16;

/// A node: its place in its shard, and the shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u64);

impl NodeId {
    pub(super) fn new(shard: usize, index: usize) -> NodeId {
        NodeId((index * SHARDS + shard) as u64)
    }

    pub(super) fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize / SHARDS
    }
}

/// How a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Start,
    /// From this node, by the choice at this position.
    From(NodeId, u32),
}

/// Where a state goes: a function of its content, because the order of items depends on it.
pub(super) fn shard_of(fingerprint: u128) -> usize {
    // Tables use the lower bits.
    (fingerprint >> 64) as usize % SHARDS
}

/// A state to be stored, and how it was reached.
#[derive(Debug)]
pub(super) struct Arrival<S, E> {
    pub(super) way: Way,
    pub(super) state: S,
    pub(super) fingerprint: u128,
    pub(super) explorer: Arriving<E>,
    pub(super) depth: u32,
}

/// The explorer's state at a state to be stored.
#[derive(Debug)]
pub(super) enum Arriving<E> {
    /// Its number in the shard's explorers.
    Known(u32),
    /// It was not there.
    New(E),
}

/// All that is kept of the states met.
#[derive(Debug)]
pub(super) struct Nodes<S, E> {
    /// What is known, unless the cache is bounded; in strict mode, states with explorers.
    pub(super) known: Option<Exact>,
    /// In strict mode with an unbounded cache, all states.
    pub(super) states: Option<Exact>,
    pub(super) shards: Vec<Shard<S, E>>,
}

/// Some of the nodes.
#[derive(Debug)]
pub(super) struct Shard<S, E> {
    ways: Vec<Way>,
    pub(super) explorers: Explorers<E>,
    pub(super) bounded: Option<Bounded<S>>,
}

/// What a bounded cache needs beside the ways.
#[derive(Debug)]
pub(super) struct Bounded<S> {
    cache: Sets<S>,
    /// Beside the ways.
    kept: Vec<Kept<S>>,
    /// Places of nodes that are gone.
    free: Vec<u32>,
}

#[derive(Debug)]
struct Kept<S> {
    state: S,
    explorer: u32,
    /// Nodes reached from here, and one while there are choices left.
    references: u32,
}

/// Stands for the explorer's state where it does not matter.
pub(super) const ANY_EXPLORER: u32 = u32::MAX;

impl<S: Clone + Eq, E: Explorer> Nodes<S, E> {
    pub(super) fn new(cache: Cache, strict: bool) -> Self {
        let is_unlimited = cache == Cache::Unlimited;
        Self {
            known: is_unlimited.then(Exact::new),
            states: (is_unlimited && strict).then(Exact::new),
            shards: (0..SHARDS).map(|_| Shard::new(cache)).collect(),
        }
    }

    pub(super) fn way(&self, node: NodeId) -> Way {
        self.shards[node.shard()].ways[node.index()]
    }

    /// Whether the state, or the state with this explorer, is on the way; only with a bounded cache.
    pub(super) fn is_on_way(&self, state: &S, explorer: u32, mut way: Way) -> bool {
        while let Way::From(id, _) = way {
            let shard = &self.shards[id.shard()];
            if let Some(bounded) = &shard.bounded {
                let kept = &bounded.kept[id.index()];
                let is_same = || explorer == ANY_EXPLORER || explorer == kept.explorer;
                if kept.state == *state && is_same() {
                    return true;
                }
            }
            way = shard.ways[id.index()];
        }
        false
    }

    pub(super) fn refer(&mut self, node: NodeId) {
        if let Some(bounded) = &mut self.shards[node.shard()].bounded {
            bounded.kept[node.index()].references += 1;
        }
    }

    /// A reference is gone, and with the last one the node, and so on.
    pub(super) fn release(&mut self, mut node: NodeId) {
        loop {
            let shard = &mut self.shards[node.shard()];
            let Some(bounded) = &mut shard.bounded else { return };
            let kept = &mut bounded.kept[node.index()];
            kept.references -= 1;
            if kept.references > 0 {
                return;
            }
            bounded.free.push(node.index() as u32);
            let Way::From(before, _) = shard.ways[node.index()] else { return };
            node = before;
        }
    }

    /// How the nodes were reached, by shard and index.
    pub(super) fn into_ways(self) -> Vec<Vec<Way>> {
        self.shards.into_iter().map(|shard| shard.ways).collect()
    }
}

impl<S: Clone + Eq, E: Explorer> Shard<S, E> {
    fn new(cache: Cache) -> Self {
        let sets = match cache {
            Cache::Unlimited => None,
            Cache::Keep { states } => Some(Sets::new(states, false)),
            Cache::Replace { states } => Some(Sets::new(states, true)),
        };
        let bounded = sets.map(|cache| Bounded { cache, kept: Vec::new(), free: Vec::new() });
        Self { ways: Vec::new(), explorers: Explorers::new(), bounded }
    }

    /// Makes a node of a state that is new; tells its index.
    pub(super) fn add(&mut self, way: Way, state: &S, fingerprint: u128, explorer: u32, key: u32) -> usize {
        let Some(bounded) = &mut self.bounded else {
            self.ways.push(way);
            return self.ways.len() - 1;
        };
        bounded.cache.add(tag(fingerprint, key), state, key);
        let kept = Kept { state: state.clone(), explorer, references: 1 };
        match bounded.free.pop() {
            Some(index) => {
                let index = index as usize;
                self.ways[index] = way;
                bounded.kept[index] = kept;
                index
            }
            None => {
                self.ways.push(way);
                bounded.kept.push(kept);
                self.ways.len() - 1
            }
        }
    }
}

impl<S: Eq + Clone> Bounded<S> {
    /// Whether the cache holds the state, or the state with this explorer.
    pub(super) fn holds(&self, state: &S, fingerprint: u128, key: u32) -> bool {
        self.cache.holds(tag(fingerprint, key), state, key)
    }
}

/// Adds what stands for a state in a visited set; `key` is the explorer's number where that matters.
pub(super) fn push_key<P: Packed>(
    program: &P,
    state: &P::State,
    fingerprint: u128,
    key: u32,
    buffer: &mut Vec<u32>,
    batch: &mut Batch,
) {
    let words = program.words(state, buffer);
    if key == ANY_EXPLORER {
        batch.push(fingerprint, words);
        return;
    }
    let mut longer = words.to_vec();
    longer.push(key);
    batch.push(fingerprint ^ u128::from(key).wrapping_mul(KEY_MIX), &longer);
}

const KEY_MIX: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
