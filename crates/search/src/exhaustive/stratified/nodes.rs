//! What a search keeps of the states it has met.
//!
//! A *node* is a state that was new when a step led to it: the way by which it was reached, and what is needed to go on
//! from there. The state itself is not kept but found again from its key, if the program can make states of words. What is
//! *known* decides what is new: a visited set of all states or, when the cache is bounded, some of those met so far.
//!
//! With an unbounded cache nodes stay for ever. With a bounded one they keep their states and are counted like references:
//! a node goes when it has no choices left to take and no node was reached from it, so that what is held is the cache and
//! the frontier.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fabius_explore::Explorer;
use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_store::{Batch, Key, KeyReader, Keyed, Pages};

use super::Cache;
use super::bounded::{Sets, tag};
use super::explorers::Explorers;
use super::queue::Item;
use super::shared::lock;

/// A node, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Of an item that has none yet.
    pub(super) const NONE: NodeId = NodeId(u32::MAX);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The one so many places further, of those that are added in a row.
    #[inline]
    pub(super) fn after(self, count: usize) -> NodeId {
        NodeId(self.0.wrapping_add(count as u32))
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

/// A state that was new when a step led to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) way: Way,
    /// The explorer's number.
    pub(super) explorer: u32,
    /// Steps on the way.
    pub(super) depth: u32,
    /// Of the state, if it is not kept.
    pub(super) key: Key,
}

/// How nodes were reached, in pieces, so that nothing moves when there are more.
///
/// A node is four words. Threads write nodes at the same time, each into places that were given to it; nobody reads one before
/// they have met after that.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pieces: Vec<Pages>,
    /// The next piece, if somebody had time to get it before it is needed.
    spare: Mutex<Option<Pages>>,
    len: usize,
}

/// How many words a node has.
const WORDS: usize = 4;

impl Ways {
    fn words(&self, node: NodeId) -> &[AtomicU64; WORDS] {
        &self.pieces[node.index() / PIECE].as_chunks().0[node.index() % PIECE]
    }

    pub(super) fn get(&self, node: NodeId) -> Node {
        let [root, from, by, depth] = self.words(node).each_ref().map(|word| word.load(Ordering::Relaxed));
        let (halves, depth) = (|word: u64| (word as u32, (word >> 32) as u32), depth as u32);
        let ((width, before), (position, explorer)) = (halves(from), halves(by));
        let way = Way { before: NodeId(before), position };
        Node { way, explorer, depth, key: Key::of_parts(root, width) }
    }

    fn put(&self, place: NodeId, node: Node) {
        let Node { way: Way { before, position }, explorer, depth, key } = node;
        let (root, width) = key.parts();
        let halves = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let words = [root, halves(width, before.0), halves(position, explorer), depth.into()];
        self.words(place).iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    }

    /// Makes room for so many more; gives the place of the first.
    fn reserve(&mut self, count: usize) -> NodeId {
        let first = self.len;
        self.len += count;
        assert!(self.len < u32::MAX as usize, "memory ends before the numbers of nodes");
        while self.pieces.len() * PIECE < self.len {
            let spare = self.spare.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            let piece = spare.or_else(new_piece);
            self.pieces.push(piece.expect("there is memory for some thousand nodes"));
        }
        NodeId(first as u32)
    }

    /// Gets the next piece if it may be needed soon: the system takes a while for it.
    fn prepare(&self) {
        let room = self.pieces.len() * PIECE - self.len;
        if self.len >= PIECE / 2 && room < PIECE {
            let mut spare = lock(&self.spare);
            *spare = spare.take().or_else(new_piece);
        }
    }

    /// The positions of the choices on the way to a node, from the initial state.
    pub(super) fn positions(&self, node: NodeId) -> Vec<u32> {
        let mut positions = Vec::new();
        let mut way = self.get(node).way;
        while way != Way::START {
            positions.push(way.position);
            way = self.get(way.before).way;
        }
        positions.reverse();
        positions
    }
}

/// Memory for more nodes.
fn new_piece() -> Option<Pages> {
    Pages::provided(PIECE * WORDS)
}

/// All nodes.
#[derive(Debug)]
pub(super) struct Nodes<S> {
    ways: Ways,
    /// The states of nodes, if they cannot be made again or may not be known any more.
    kept: Option<Kept<S>>,
}

#[derive(Debug)]
struct Kept<S> {
    states: Vec<S>,
    /// For each node, how many were reached from it, and one while there are choices left; and the places of nodes that are
    /// gone, which they are only with a bounded cache.
    references: Vec<u32>,
    free: Vec<NodeId>,
}

/// How many nodes a piece has.
const PIECE: usize = 1 << 14;

/// Stands for the explorer's state where it does not matter.
pub(super) const ANY_EXPLORER: u32 = u32::MAX;

impl<S: Clone + Eq> Nodes<S> {
    /// No nodes. Their states are kept unless `unpacks`.
    pub(super) fn new(cache: Cache, unpacks: bool) -> Self {
        let is_bounded = cache != Cache::Unlimited;
        let kept = Kept { states: Vec::new(), references: Vec::new(), free: Vec::new() };
        Self { ways: Ways::default(), kept: (is_bounded || !unpacks).then_some(kept) }
    }

    /// How many there are, and have been: all places are below it.
    pub(super) fn len(&self) -> usize {
        self.ways.len
    }

    pub(super) fn get(&self, node: NodeId) -> Node {
        self.ways.get(node)
    }

    /// Asks for the memory of a node.
    #[inline]
    pub(super) fn expect(&self, node: NodeId) {
        fabius_store::expect(self.ways.words(node));
    }

    /// Makes room for so many nodes in a row, which others put there; gives the place of the first. Only with an unbounded
    /// cache.
    pub(super) fn reserve(&mut self, count: usize) -> NodeId {
        self.ways.reserve(count)
    }

    /// Gets memory for some nodes more, so that nobody has to wait for it when they come.
    pub(super) fn prepare(&self) {
        self.ways.prepare();
    }

    /// Puts a node into a place that there is.
    #[inline]
    pub(super) fn put(&self, place: NodeId, node: Node) {
        self.ways.put(place, node);
    }

    pub(super) fn ways(&self) -> &Ways {
        &self.ways
    }

    pub(super) fn into_ways(self) -> Ways {
        self.ways
    }

    /// What to go on from at a node.
    pub(super) fn item<P>(
        &self,
        (id, node): (NodeId, &Node),
        delays: u32,
        program: &P,
        states: &mut Option<States<'_>>,
    ) -> Item<S>
    where
        P: Packed<State = S>,
    {
        let state = match (&self.kept, states) {
            (Some(kept), _) => kept.states[id.index()].clone(),
            (None, Some(states)) => states.make(node.key, program),
            (None, None) => unreachable!("without a set, states are kept"),
        };
        Item { delays, ..Item::at_node(id, node, state) }
    }

    /// Adds a node.
    pub(super) fn add(&mut self, node: Node, state: &S) -> NodeId {
        if let Some(kept) = &mut self.kept {
            if node.way != Way::START {
                kept.references[node.way.before.index()] += 1;
            }
            if let Some(id) = kept.free.pop() {
                self.ways.put(id, node);
                kept.states[id.index()] = state.clone();
                kept.references[id.index()] = 1;
                return id;
            }
            kept.states.push(state.clone());
            kept.references.push(1);
        }
        let place = self.ways.reserve(1);
        self.ways.put(place, node);
        place
    }

    /// Keeps the states of items whose nodes others have put there, if states are kept: in the order of their places.
    pub(super) fn keep(&mut self, items: &[Item<S>]) {
        if let Some(kept) = &mut self.kept {
            kept.states.extend(items.iter().map(|item| item.state.clone()));
            kept.references.resize(kept.states.len(), 1);
        }
    }

    /// Whether the state, or the state with this explorer, is on the way; only with a bounded cache.
    pub(super) fn is_on_way(&self, state: &S, explorer: u32, mut way: Way) -> bool {
        let Some(kept) = &self.kept else { return false };
        while way != Way::START {
            let node = self.get(way.before);
            if kept.states[way.before.index()] == *state
                && (explorer == ANY_EXPLORER || explorer == node.explorer)
            {
                return true;
            }
            way = node.way;
        }
        false
    }

    /// The node has no choices left. With the last reference it goes, and so on; only with a bounded cache.
    pub(super) fn release(&mut self, mut node: NodeId) {
        while node != NodeId::NONE {
            let before = self.get(node).way.before;
            let Some(kept) = &mut self.kept else { return };
            let references = &mut kept.references[node.index()];
            *references -= 1;
            if *references > 0 {
                return;
            }
            kept.free.push(node);
            node = before;
        }
    }
}

/// Makes states again.
#[derive(Debug)]
pub(super) struct States<'a> {
    reader: KeyReader<'a>,
    words: Vec<u32>,
}

impl States<'_> {
    /// The state with a key that the set has given.
    pub(super) fn make<P: Packed>(&mut self, key: Key, program: &P) -> P::State {
        let Self { reader, words } = self;
        let read = reader.words(key, words).and_then(|()| program.unpack(words));
        read.expect("the set gives back the words of a state that it has, and these make it")
    }

    /// Asks for the memory in which the words of a state are.
    pub(super) fn expect(&self, key: Key) {
        self.reader.expect(key);
    }
}

/// What is known of states: which are not new, and the explorers with which they wait.
#[derive(Debug)]
pub(super) struct Known<S, E> {
    /// Unless the cache is bounded: all states; in strict mode, with explorers.
    pub(super) set: Option<Keyed>,
    /// In strict mode with an unbounded cache, all states.
    pub(super) all_states: Option<Keyed>,
    pub(super) cache: Option<Sets<S>>,
    pub(super) explorers: Explorers<E>,
}

impl<S: Clone + Eq, E: Explorer> Known<S, E> {
    /// Nothing, of states whose parts repeat or of others.
    pub(super) fn new(cache: Cache, strict: bool, parts_repeat: bool) -> Self {
        let is_unlimited = cache == Cache::Unlimited;
        let new = || Keyed::new(parts_repeat);
        Self {
            set: is_unlimited.then(|| if strict { new() } else { new().readable() }),
            all_states: (is_unlimited && strict).then(|| new().readable()),
            cache: match cache {
                Cache::Unlimited => None,
                Cache::Keep { states } => Some(Sets::new(states, false)),
                Cache::Replace { states } => Some(Sets::new(states, true)),
            },
            explorers: Explorers::new(),
        }
    }

    fn sets(&self) -> impl Iterator<Item = &Keyed> {
        [&self.set, &self.all_states].into_iter().flatten()
    }

    pub(super) fn is_full(&self) -> bool {
        self.sets().any(Keyed::is_full)
    }

    /// How many bytes more are taken at once when sets grow that are nearly full.
    pub(super) fn growth_ahead(&self) -> usize {
        self.sets().map(Keyed::growth_ahead).sum()
    }

    /// What makes the states of nodes again, if the cache is unbounded. Whoever has it must not store anything, or wait for
    /// somebody who does.
    pub(super) fn states(&self) -> Option<States<'_>> {
        let set = self.all_states.as_ref().or(self.set.as_ref());
        set.map(|set| States { reader: set.reader(), words: Vec::new() })
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

    /// Adds a state that is looked up in a set; `key` is the explorer's number where that matters.
    pub(super) fn push<P: Packed>(&mut self, set: &Keyed, program: &P, state: &P::State, key: u32) {
        let Self { batch, words, .. } = self;
        let mut add_words = |all: &mut Vec<u32>| {
            program.add_words(state, words, all);
            all.extend((key != ANY_EXPLORER).then_some(key));
        };
        set.expect_words(&mut add_words, batch);
    }

    /// Adds where a step of the item at a place leads, unless that is a bug; gives its own place.
    pub(super) fn push_sketch<P: Packed>(
        &mut self,
        set: &Keyed,
        program: &P,
        item: (usize, &P::State),
        sketch: &Sketch<'_, P::State, P::Bug>,
    ) -> usize {
        match sketch {
            Sketch::Made(Outcome::State(state)) => self.push(set, program, state, ANY_EXPLORER),
            Sketch::Made(Outcome::Bug(_)) => {}
            Sketch::Changed { edits, .. } => {
                self.push_base(program, item);
                self.batch.push_edited(0, edits);
            }
        }
        self.batch.len() - 1
    }

    /// Adds where all steps of an item lead, which are states that were made; gives the place of the first.
    pub(super) fn push_made<P: Packed>(
        &mut self,
        set: &Keyed,
        program: &P,
        sketches: &Sketches<P::State, P::Bug>,
    ) -> usize {
        let first = self.batch.len();
        for at in 0..sketches.len() {
            if let Sketch::Made(Outcome::State(state)) = sketches.get(at) {
                self.push(set, program, state, ANY_EXPLORER);
            }
        }
        first
    }

    /// Adds where all steps of an item lead, which are changes of words; gives the place of the first. The item's state has
    /// this key.
    pub(super) fn push_changes<P: Packed>(
        &mut self,
        program: &P,
        (state, key): (&P::State, Key),
        sketches: &Sketches<P::State, P::Bug>,
    ) -> usize {
        let first = self.batch.len();
        self.base = None;
        self.batch.push_known_base(program.words(state, &mut self.words), key);
        self.batch.push_all_edited(sketches.fingerprints(0), sketches.edits(0));
        first
    }

    fn push_base<P: Packed>(&mut self, program: &P, (at, state): (usize, &P::State)) {
        if self.base != Some(at) {
            self.base = Some(at);
            self.batch.push_base(program.words(state, &mut self.words));
        }
    }
}
