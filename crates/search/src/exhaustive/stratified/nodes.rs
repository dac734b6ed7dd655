//! What a search keeps of the states it has met.
//!
//! A *node* is a state that was new when a step led to it: the way by which it was reached. The state itself is not kept
//! with it but with the items that wait for it. What is *known* decides what is new: a visited set of all states or, when
//! the cache is bounded, some of those met so far.
//!
//! With an unbounded cache nodes stay for ever. With a bounded one they keep their states and are counted like references:
//! a node goes when it has no choices left to take and no node was reached from it, so that what is held is the cache and
//! the frontier.

use fabius_explore::Explorer;
use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_store::{Batch, Exact, VisitedSet};

use super::Cache;
use super::bounded::{Sets, tag};
use super::explorers::Explorers;

/// A node, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Of an item that has none yet.
    pub(super) const NONE: NodeId = NodeId(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a state was reached: from this node, by the choice at this position. The initial state is reached from none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) before: NodeId,
    pub(super) position: u32,
}

impl Way {
    pub(super) const START: Way = Way { before: NodeId::NONE, position: 0 };
}

/// How nodes were reached.
#[derive(Debug, Default)]
pub(super) struct Ways(Vec<Way>);

impl Ways {
    pub(super) fn get(&self, node: NodeId) -> Way {
        self.0[node.index()]
    }

    /// The positions of the choices on a way, from the initial state.
    pub(super) fn positions(&self, mut way: Way) -> Vec<u32> {
        let mut positions = Vec::new();
        while way != Way::START {
            positions.push(way.position);
            way = self.get(way.before);
        }
        positions.reverse();
        positions
    }

    fn push(&mut self, way: Way) -> NodeId {
        let index = u32::try_from(self.0.len()).ok().filter(|index| *index < u32::MAX);
        self.0.push(way);
        NodeId(index.expect("memory ends before the numbers of nodes"))
    }
}

/// All nodes.
#[derive(Debug)]
pub(super) struct Nodes<S> {
    ways: Ways,
    /// With a bounded cache: the states of nodes, beside their ways, and the places of nodes that are gone.
    kept: Option<(Vec<Kept<S>>, Vec<NodeId>)>,
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

impl<S: Clone + Eq> Nodes<S> {
    pub(super) fn new(cache: Cache) -> Self {
        let is_bounded = cache != Cache::Unlimited;
        Self { ways: Ways::default(), kept: is_bounded.then(|| (Vec::new(), Vec::new())) }
    }

    pub(super) fn ways(&self) -> &Ways {
        &self.ways
    }

    pub(super) fn into_ways(self) -> Ways {
        self.ways
    }

    /// A new node.
    pub(super) fn add(&mut self, way: Way, state: &S, explorer: u32) -> NodeId {
        let Some((kept, free)) = &mut self.kept else { return self.ways.push(way) };
        let new = Kept { state: state.clone(), explorer, references: 1 };
        if way != Way::START {
            kept[way.before.index()].references += 1;
        }
        match free.pop() {
            Some(node) => {
                self.ways.0[node.index()] = way;
                kept[node.index()] = new;
                node
            }
            None => {
                kept.push(new);
                self.ways.push(way)
            }
        }
    }

    /// Whether the state, or the state with this explorer, is on the way; only with a bounded cache.
    pub(super) fn is_on_way(&self, state: &S, explorer: u32, mut way: Way) -> bool {
        let Some((kept, _)) = &self.kept else { return false };
        while way != Way::START {
            let node = &kept[way.before.index()];
            if node.state == *state && (explorer == ANY_EXPLORER || explorer == node.explorer) {
                return true;
            }
            way = self.ways.get(way.before);
        }
        false
    }

    /// The node has no choices left. With the last reference it goes, and so on; only with a bounded cache.
    pub(super) fn release(&mut self, mut node: NodeId) {
        let Some((kept, free)) = &mut self.kept else { return };
        while node != NodeId::NONE {
            let references = &mut kept[node.index()].references;
            *references -= 1;
            if *references > 0 {
                return;
            }
            free.push(node);
            node = self.ways.get(node).before;
        }
    }
}

/// What is known of states: which are not new, and the explorers with which they wait.
#[derive(Debug)]
pub(super) struct Known<S, E> {
    /// Unless the cache is bounded: all states; in strict mode, with explorers.
    pub(super) set: Option<Exact>,
    /// In strict mode with an unbounded cache, all states.
    pub(super) states: Option<Exact>,
    pub(super) cache: Option<Sets<S>>,
    pub(super) explorers: Explorers<E>,
}

impl<S: Clone + Eq, E: Explorer> Known<S, E> {
    pub(super) fn new(cache: Cache, strict: bool) -> Self {
        let is_unlimited = cache == Cache::Unlimited;
        Self {
            set: is_unlimited.then(Exact::new),
            states: (is_unlimited && strict).then(Exact::new),
            cache: match cache {
                Cache::Unlimited => None,
                Cache::Keep { states } => Some(Sets::new(states, false)),
                Cache::Replace { states } => Some(Sets::new(states, true)),
            },
            explorers: Explorers::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        [&self.set, &self.states].into_iter().flatten().any(VisitedSet::is_full)
    }

    /// Whether a bounded cache holds the state with this key.
    pub(super) fn holds(&self, state: &S, fingerprint: u128, key: u32) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.holds(tag(fingerprint, key), state, key))
    }

    /// Lets a bounded cache take the state in.
    pub(super) fn keep(&mut self, state: &S, fingerprint: u128, key: u32) {
        if let Some(cache) = &mut self.cache {
            cache.add(tag(fingerprint, key), state, key);
        }
    }
}

/// What stands for states in a visited set, to be looked up together.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) batch: Batch,
    /// The item whose state is the base of the latest edits.
    base: Option<usize>,
    words: Vec<u32>,
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.batch.clear();
        self.base = None;
    }

    /// Adds a state; `key` is the explorer's number where that matters.
    pub(super) fn push<P: Packed>(&mut self, program: &P, state: &P::State, key: u32) {
        let words = program.words(state, &mut self.words);
        if key == ANY_EXPLORER {
            self.batch.push(0, words);
        } else {
            self.batch.push(0, &[words, &[key]].concat());
        }
    }

    /// Adds where a step of the item at a place leads, unless that is a bug; gives its own place.
    pub(super) fn push_sketch<P: Packed>(
        &mut self,
        program: &P,
        item: (usize, &P::State),
        sketch: &Sketch<'_, P::State, P::Bug>,
    ) -> usize {
        match sketch {
            Sketch::Made(Outcome::State(state)) => self.push(program, state, ANY_EXPLORER),
            Sketch::Made(Outcome::Bug(_)) => {}
            Sketch::Changed { edits, .. } => {
                self.push_base(program, item);
                self.batch.push_edited(0, edits);
            }
        }
        self.batch.len() - 1
    }

    /// Adds where all steps of the item at a place lead, which are changes of words; gives the place of the first.
    pub(super) fn push_changes<P: Packed>(
        &mut self,
        program: &P,
        item: (usize, &P::State),
        sketches: &Sketches<P::State, P::Bug>,
    ) -> usize {
        let first = self.batch.len();
        self.push_base(program, item);
        let (edits, from, ends) = sketches.edits(0);
        self.batch.push_all_edited(edits, from, ends);
        first
    }

    fn push_base<P: Packed>(&mut self, program: &P, (at, state): (usize, &P::State)) {
        if self.base != Some(at) {
            self.base = Some(at);
            self.batch.push_base(program.words(state, &mut self.words));
        }
    }
}
