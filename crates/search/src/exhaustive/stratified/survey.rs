//! A chunk of items or of steps on its way through a round, and what was found out about it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_model::{Choice, Packed, Tale};
use fabius_store::{Key, expect_to_write};

use super::Limits;
use super::crew::LEADER;
use super::later::Stretch;
use super::nodes::{Node, NodeId, Nodes, Way};
use super::queue::{Chunks, Deferred, Item};

/// So many items before one arrives, its memory is asked for.
const ARRIVALS_AHEAD: usize = 4;

/// What all parts of a search share.
pub(super) struct Setting<'a, P: Packed> {
    pub(super) program: &'a P,
    pub(super) limits: &'a Limits,
    pub(super) visit: &'a (dyn Fn(&P::State) + Sync),
    pub(super) should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether it was answered with yes.
    pub(super) stopped: AtomicBool,
    pub(super) item_chunks: Chunks<Item<P::State>>,
    pub(super) deferred_chunks: Chunks<Deferred>,
}

impl<P: Packed> Setting<'_, P> {
    pub(super) fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && (self.should_stop)() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}

/// What taking items brings, beside the states they lead to.
pub(super) struct Harvest<P: Packed> {
    /// Bugs, where they were met, and the position of the choice that led to them; none if the run ends there.
    pub(super) bugs: Vec<(NodeId, Option<u32>, P::Bug)>,
    /// What the thread has left to later strata, as ranges of its piles: to the next one, and so on.
    pub(super) deferred: Vec<Range<usize>>,
    /// Nodes all of whose choices were taken; only with a bounded cache.
    pub(super) done: Vec<NodeId>,
    pub(super) transitions: u64,
}

/// A chunk that a thread works on.
pub(super) struct Survey<P: Packed, E> {
    /// Its place in the round.
    pub(super) place: usize,
    /// Which thread that is: its cache has the memory of all this.
    pub(super) thread: usize,
    /// Items, among them those that deferred steps begin at which were not probed.
    pub(super) items: Vec<Item<P::State>>,
    /// Steps that were deferred and are due, and those of them of which it is known to which states they lead, once somebody
    /// has begun to work on them.
    pub(super) due: Vec<Stretch>,
    pub(super) deferred: Vec<Deferred>,
    /// How many items were taken, and those that were not, because the search is to stop or there are many steps already.
    pub(super) taken: usize,
    pub(super) left: Vec<Item<P::State>>,
    /// Steps of items into states; where those that were deferred and these lead, unless the cache is bounded, and which of
    /// them are to be taken.
    pub(super) steps: Vec<Step>,
    pub(super) keys: Vec<Key>,
    pub(super) is_new: Vec<bool>,
    /// In strict mode: where all of them lead, with the explorer's number there, and the keys of the states alone.
    pub(super) learnt: Vec<(P::State, u32)>,
    pub(super) state_keys: Vec<Key>,
    pub(super) harvest: Harvest<P>,
    /// What is new: until that is settled, the items to which steps lead that have been made. The number of the first node, if
    /// that is known before; otherwise the nodes, which get numbers later. And the greatest depth.
    pub(super) arrivals: Vec<Item<P::State>>,
    pub(super) first: Option<NodeId>,
    pub(super) nodes: Vec<Node>,
    pub(super) depth: u32,
    /// Explorers that have no number yet, of arrivals or, in strict mode, of what was learnt.
    pub(super) unnumbered: Vec<(usize, E)>,
}

/// A step into a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The place of the item at which it begins, and its node.
    pub(super) item: u32,
    pub(super) node: NodeId,
    /// The delays spent there, and the choice taken.
    pub(super) delays: u32,
    pub(super) position: u32,
    /// If it has been looked up.
    pub(super) choice: Option<Choice>,
    /// What is told of it, if it has been made.
    pub(super) tale: Tale,
}

impl<P: Packed, E> Survey<P, E> {
    pub(super) fn new() -> Self {
        Survey {
            place: 0,
            thread: LEADER,
            items: Vec::new(),
            due: Vec::new(),
            deferred: Vec::new(),
            taken: 0,
            left: Vec::new(),
            steps: Vec::new(),
            keys: Vec::new(),
            is_new: Vec::new(),
            learnt: Vec::new(),
            state_keys: Vec::new(),
            harvest: Harvest { bugs: Vec::new(), deferred: Vec::new(), done: Vec::new(), transitions: 0 },
            arrivals: Vec::new(),
            first: None,
            nodes: Vec::new(),
            depth: 0,
            unnumbered: Vec::new(),
        }
    }

    /// Begins anew in some place of a round, for the thread that has most of it in its cache, with other items or steps: its
    /// memory is used again.
    pub(super) fn begin(
        &mut self,
        (place, thread): (usize, usize),
        items: Vec<Item<P::State>>,
        due: Vec<Stretch>,
    ) {
        (self.place, self.thread, self.items, self.due, self.taken) = (place, thread, items, due, 0);
        self.deferred.clear();
        self.steps.clear();
        self.keys.clear();
        self.is_new.clear();
        self.learnt.clear();
        self.state_keys.clear();
        self.nodes.clear();
        self.harvest.transitions = 0;
        (self.first, self.depth) = (None, 0);
    }

    /// How many steps lead to something new.
    pub(super) fn count_new(&self) -> usize {
        self.is_new.iter().filter(|is_new| **is_new).count()
    }

    /// The item at which a step begins.
    pub(super) fn item(&self, step: &Step) -> &Item<P::State> {
        &self.items[step.item as usize]
    }

    /// Adds a step of an item, by the delays and the position of its choice, which may have been looked up; something may be told
    /// of it.
    #[inline]
    pub(super) fn add_step(
        &mut self,
        item: usize,
        (delays, position): (u32, u32),
        choice: Option<Choice>,
        tale: Tale,
    ) {
        let node = self.items[item].node;
        self.steps.push(Step { item: item as u32, node, delays, position, choice, tale });
    }

    /// Adds a step of an item that is due, by the delays and the position of its choice, and where it leads.
    pub(super) fn add_due(&mut self, item: usize, (delays, position): (u32, u32), key: Key) {
        self.add_step(item, (delays, position), None, Tale::UNTOLD);
        self.keys.push(key);
    }

    /// Begins to make the item after a step of this one, as the last arrival: a copy that has to be changed. Gives both.
    #[inline]
    pub(super) fn make(&mut self, item: usize) -> (&Item<P::State>, &mut Item<P::State>) {
        self.expect_arrivals();
        let from = &self.items[item];
        let Item { ref state, explorer, depth, .. } = *from;
        let made = Item { state: state.clone(), node: NodeId::NONE, explorer, delays: 0, depth: depth + 1 };
        (from, self.arrivals.push_mut(made))
    }

    /// The same with the state to which the step leads.
    #[inline]
    pub(super) fn make_with(
        &mut self,
        item: usize,
        state: P::State,
    ) -> (&Item<P::State>, &mut Item<P::State>) {
        self.expect_arrivals();
        let from = &self.items[item];
        let Item { explorer, depth, .. } = *from;
        let made = Item { state, node: NodeId::NONE, explorer, delays: 0, depth: depth + 1 };
        (from, self.arrivals.push_mut(made))
    }

    /// Asks for the memory of an item that arrives soon. Another thread may have used it last, and what is written to a cache
    /// line that is far away keeps all that is written after it waiting.
    #[inline]
    fn expect_arrivals(&mut self) {
        if let Some(place) = self.arrivals.spare_capacity_mut().get_mut(ARRIVALS_AHEAD) {
            expect_to_write(place);
        }
    }

    /// Adds a step of an item without delays, of which something is told, and which has been made.
    #[inline]
    pub(super) fn add_made(&mut self, item: usize, (position, tale): (u32, Tale), key: Key) {
        self.add_step(item, (0, position), None, tale);
        self.keys.push(key);
    }

    /// Of steps all of which have been made, keeps those into new states.
    pub(super) fn keep_new(&mut self, visit: &dyn Fn(&P::State), nodes: &Nodes<P::State>) {
        let mut kept = 0;
        for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| self.is_new[*at]) {
            let way = Way { before: step.node, position: step.position };
            if kept != at {
                self.arrivals.swap(kept, at);
            }
            let Item { state, node, explorer, depth, .. } = &mut self.arrivals[kept];
            visit(state);
            *node = self.first.map_or(NodeId::NONE, |first| first.after(kept));
            self.depth = self.depth.max(*depth);
            let new = Node { way, explorer: *explorer, depth: *depth, key: self.keys[at] };
            put(nodes, *node, new, &mut self.nodes);
            kept += 1;
        }
        self.arrivals.truncate(kept);
    }

    /// Adds a state that is new, and its key, to which a step leads.
    pub(super) fn arrive(
        &mut self,
        step: &Step,
        state: (P::State, Key),
        explorer: u32,
        nodes: &Nodes<P::State>,
    ) {
        let Item { node, depth, .. } = *self.item(step);
        self.arrive_from((node, depth), step.position, state, explorer, nodes);
    }

    /// The same from a node at some depth.
    #[inline]
    pub(super) fn arrive_from(
        &mut self,
        (before, depth): (NodeId, u32),
        position: u32,
        (state, key): (P::State, Key),
        explorer: u32,
        nodes: &Nodes<P::State>,
    ) {
        let (way, depth) = (Way { before, position }, depth + 1);
        let node = self.first.map_or(NodeId::NONE, |first| first.after(self.arrivals.len()));
        self.depth = self.depth.max(depth);
        put(nodes, node, Node { way, explorer, depth, key }, &mut self.nodes);
        self.expect_arrivals();
        self.arrivals.push(Item { state, node, explorer, delays: 0, depth });
    }
}

/// Puts a node into its place or, if that is not known yet, behind others.
#[inline]
fn put<S: Clone + Eq>(nodes: &Nodes<S>, place: NodeId, node: Node, others: &mut Vec<Node>) {
    if place == NodeId::NONE {
        others.push(node);
    } else {
        nodes.put(place, node);
    }
}
