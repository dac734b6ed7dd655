//! The states that a search holds, in shards that threads can fill side by side.
//!
//! A *node* is a state that was new when a step led to it, with the way by which it was reached and the explorer's state
//! there. What is *known* decides what is new: all nodes or, when the cache is bounded, some of the states met so far.
//! Which shard a state belongs to is a function of its content, so each shard alone decides.
//!
//! With an unbounded cache nodes stay for ever. With a bounded one they are counted like references: a node goes when it
//! has no choices left to take and no node was reached from it, so that what is held is the cache and the frontier.

use std::hash::BuildHasher;

use fabius_explore::Explorer;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::Cache;

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
    // Tables inside the shards use the lower bits.
    (fingerprint >> 64) as usize % SHARDS
}

#[derive(Debug)]
pub(super) struct Node<S> {
    pub(super) state: S,
    pub(super) way: Way,
    pub(super) depth: u32,
    /// An index into the shard's explorers.
    explorer: u32,
    /// Nodes reached from here, and one while there are choices left; only with a bounded cache.
    references: u32,
}

/// A state to be stored, and how it was reached.
#[derive(Debug)]
pub(super) struct Arrival<S, E> {
    pub(super) way: Way,
    pub(super) state: S,
    pub(super) fingerprint: u128,
    pub(super) explorer: E,
    pub(super) depth: u32,
}

/// Some of the nodes, and what is known of the states that belong here.
#[derive(Debug)]
pub(super) struct Shard<S, E> {
    nodes: Vec<Node<S>>,
    /// Places of nodes that are gone.
    free: Vec<u32>,
    explorers: Pool<E>,
    known: Known<S>,
    /// In strict mode with an unbounded cache, one node for each state.
    states: HashTable<(u32, u32)>,
    strict: bool,
}

impl<S: Clone + Eq, E: Explorer> Shard<S, E> {
    pub(super) fn new(cache: Cache, strict: bool) -> Self {
        Self {
            nodes: Vec::new(),
            free: Vec::new(),
            explorers: Pool::new(),
            known: Known::new(cache),
            states: HashTable::new(),
            strict,
        }
    }

    pub(super) fn node(&self, index: usize) -> &Node<S> {
        &self.nodes[index]
    }

    pub(super) fn explorer(&self, node: &Node<S>) -> &E {
        self.explorers.get(node.explorer)
    }

    /// Whether the state is known; in strict mode, with this state of the explorer.
    pub(super) fn is_known(&self, state: &S, fingerprint: u128, explorer: Option<&E>) -> bool {
        let explorer = match explorer {
            Some(explorer) if self.strict => match self.explorers.find(explorer) {
                Some(explorer) => explorer,
                None => return false,
            },
            _ => ANY_EXPLORER,
        };
        self.known.holds(&self.nodes, state, fingerprint, explorer)
    }

    /// Makes a node of a state unless it is known. Tells its index and whether the state itself is new.
    pub(super) fn insert(&mut self, arrival: Arrival<S, E>) -> Option<(usize, bool)> {
        let Arrival { way, state, fingerprint, explorer, depth } = arrival;
        let explorer = self.explorers.intern(explorer);
        let key = if self.strict { explorer } else { ANY_EXPLORER };
        if self.known.holds(&self.nodes, &state, fingerprint, key) {
            return None;
        }
        let node = Node { state, way, depth, explorer, references: 1 };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("memory ends before the numbers of nodes")
            }
        };
        self.known.add(&self.nodes, index, fingerprint, key);
        let is_new_state = !self.strict || self.is_new_state(index, fingerprint);
        Some((index as usize, is_new_state))
    }

    /// Whether no other node has the state of this one; a bounded cache cannot tell.
    fn is_new_state(&mut self, index: u32, fingerprint: u128) -> bool {
        if let Known::Some(_) = self.known {
            return true;
        }
        let nodes = &self.nodes;
        let new = &nodes[index as usize];
        let tag = tag(fingerprint, ANY_EXPLORER);
        let is_same = |(other, node): &(u32, u32)| *other == tag && nodes[*node as usize].state == new.state;
        let is_new = self.states.find(spread(tag), is_same).is_none();
        if is_new {
            self.states.insert_unique(spread(tag), (tag, index), |(tag, _)| spread(*tag));
        }
        is_new
    }

    /// Another node was reached from this one.
    pub(super) fn refer(&mut self, index: usize) {
        self.nodes[index].references += 1;
    }

    /// A reference is gone. If it was the last, so is the node: tells how it was reached.
    pub(super) fn release(&mut self, index: usize) -> Option<Way> {
        let node = &mut self.nodes[index];
        node.references -= 1;
        (node.references == 0).then(|| {
            self.free.push(index as u32);
            node.way
        })
    }

    /// How the nodes were reached, by index.
    pub(super) fn into_ways(self) -> Vec<Way> {
        let mut ways: Vec<Way> = self.nodes.into_iter().map(|node| node.way).collect();
        // The ways would live in the nodes' memory.
        ways.shrink_to_fit();
        ways
    }
}

/// Stands for the explorer's state where it does not matter.
const ANY_EXPLORER: u32 = u32::MAX;

/// What is compared before states are.
fn tag(fingerprint: u128, explorer: u32) -> u32 {
    fingerprint as u32 ^ explorer.wrapping_mul(0x9e37_79b9)
}

/// A hash made of a tag.
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[derive(Debug)]
enum Known<S> {
    /// Every node, by tag.
    All(HashTable<(u32, u32)>),
    Some(Sets<S>),
}

impl<S: Clone + Eq> Known<S> {
    fn new(cache: Cache) -> Self {
        match cache {
            Cache::Unlimited => Self::All(HashTable::new()),
            Cache::Keep { states } => Self::Some(Sets::new(states, false)),
            Cache::Replace { states } => Self::Some(Sets::new(states, true)),
        }
    }

    fn holds(&self, nodes: &[Node<S>], state: &S, fingerprint: u128, explorer: u32) -> bool {
        let tag = tag(fingerprint, explorer);
        match self {
            Self::All(table) => {
                let is_same = |(other, node): &(u32, u32)| {
                    *other == tag && {
                        let node = &nodes[*node as usize];
                        (explorer == ANY_EXPLORER || node.explorer == explorer) && node.state == *state
                    }
                };
                table.find(spread(tag), is_same).is_some()
            }
            Self::Some(sets) => sets.holds(tag, state, explorer),
        }
    }

    fn add(&mut self, nodes: &[Node<S>], index: u32, fingerprint: u128, explorer: u32) {
        let tag = tag(fingerprint, explorer);
        match self {
            Self::All(table) => {
                table.insert_unique(spread(tag), (tag, index), |(tag, _)| spread(*tag));
            }
            Self::Some(sets) => sets.add(tag, &nodes[index as usize].state, explorer),
        }
    }
}

/// A bounded cache: small sets, in one of which each state has its place.
#[derive(Debug)]
struct Sets<S> {
    sets: Vec<Vec<(S, u32)>>,
    /// How many states a set holds.
    size: usize,
    /// Which one goes next when a set is full; `None` if none ever goes.
    next: Option<Vec<u8>>,
}

const SET: usize = 8;

impl<S: Clone + Eq> Sets<S> {
    /// Room for a shard's part of so many states.
    fn new(states: u64, replaces: bool) -> Self {
        let states = usize::try_from(states).unwrap_or(usize::MAX) / SHARDS;
        let sets = (states / SET).max(1);
        let size = if states < SET { states } else { SET };
        Self { sets: vec![Vec::new(); sets], size, next: replaces.then(|| vec![0; sets]) }
    }

    fn set_of(&self, tag: u32) -> usize {
        (spread(tag) >> 32) as usize % self.sets.len()
    }

    fn holds(&self, tag: u32, state: &S, explorer: u32) -> bool {
        self.sets[self.set_of(tag)].iter().any(|(other, with)| *with == explorer && other == state)
    }

    fn add(&mut self, tag: u32, state: &S, explorer: u32) {
        let at = self.set_of(tag);
        let set = &mut self.sets[at];
        let entry = (state.clone(), explorer);
        if set.len() < self.size {
            set.push(entry);
        } else if let Some(next) = &mut self.next
            && self.size > 0
        {
            let oldest = usize::from(next[at]) % self.size;
            set[oldest] = entry;
            next[at] = next[at].wrapping_add(1) % SET as u8;
        }
    }
}

/// Explorers' states by number: many nodes share one.
#[derive(Debug)]
struct Pool<E> {
    all: Vec<E>,
    table: HashTable<(u32, u32)>,
    hasher: DefaultHashBuilder,
}

impl<E: Explorer> Pool<E> {
    fn new() -> Self {
        Self { all: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }

    fn get(&self, index: u32) -> &E {
        &self.all[index as usize]
    }

    fn find(&self, explorer: &E) -> Option<u32> {
        let tag = self.hasher.hash_one(explorer) as u32;
        let is_same = |(other, index): &(u32, u32)| *other == tag && self.all[*index as usize] == *explorer;
        self.table.find(spread(tag), is_same).map(|(_, index)| *index)
    }

    fn intern(&mut self, explorer: E) -> u32 {
        if let Some(index) = self.find(&explorer) {
            return index;
        }
        let tag = self.hasher.hash_one(&explorer) as u32;
        let index = u32::try_from(self.all.len()).expect("memory ends before the numbers of explorers");
        self.all.push(explorer);
        self.table.insert_unique(spread(tag), (tag, index), |(tag, _)| spread(*tag));
        index
    }
}
