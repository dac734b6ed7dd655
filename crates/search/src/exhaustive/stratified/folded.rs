//! Items that wait for a later stratum, in little memory: there are about as many of them as states.
//!
//! Items that lie together have been met together, and their states differ in a few words. So a state is kept as what
//! differs from the one before it, where the program can make states of that, and as it is otherwise.

use fabius_model::{Edit, Packed};

use super::nodes::NodeId;
use super::queue::{Item, Open};

/// Some items, in their order.
#[derive(Debug)]
pub(super) struct Folded<S> {
    /// All but their states.
    rests: Vec<Rest>,
    /// For each, how many words differ from those of the item before, or [`WHOLE`]; and those words.
    counts: Vec<u8>,
    edits: Vec<Edit>,
    /// The states of those that are whole. The first one is: so items can be put behind others.
    whole: Vec<S>,
    /// The steps that are open at those that have been probed.
    open: Vec<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    /// Of the state, if it is not whole.
    fingerprint: u128,
    node: NodeId,
    explorer: u32,
    delays: u32,
    depth: u32,
    open: u32,
}

/// More words than can be counted differ, or the states have not as many.
const WHOLE: u8 = u8::MAX;

/// What folding needs, and keeps for the next time.
#[derive(Debug, Default)]
pub(super) struct Folding {
    /// The words of the last item's state, and of the next one's.
    before: Vec<u32>,
    buffer: Vec<u32>,
}

impl<S> Folded<S> {
    pub(super) fn new() -> Self {
        Self { rests: Vec::new(), counts: Vec::new(), edits: Vec::new(), whole: Vec::new(), open: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.rests.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rests.is_empty()
    }

    /// The nodes of all items, and the delays to spend there.
    pub(super) fn places(&self) -> impl Iterator<Item = (NodeId, u32)> {
        self.rests.iter().map(|rest| (rest.node, rest.delays))
    }

    /// Adds an item behind the others, without the steps that are open at it. `of` was used for all items before it.
    pub(super) fn push<P>(&mut self, program: &P, item: &Item<S>, of: &mut Folding)
    where
        P: Packed<State = S>,
        S: Clone,
    {
        let Item { state, node, explorer, delays, depth, open } = item;
        let count = self.push_edits(program, state, of);
        if count == WHOLE {
            self.whole.push(state.clone());
        }
        self.counts.push(count);
        let fingerprint = program.fingerprint(state);
        let (node, explorer, delays, depth, open) = (*node, *explorer, *delays, *depth, *open);
        self.rests.push(Rest { fingerprint, node, explorer, delays, depth, open });
    }

    /// Adds a step that is open at the last item.
    pub(super) fn push_open(&mut self, open: Open) {
        self.open.push(open);
    }

    fn push_edits<P: Packed<State = S>>(&mut self, program: &P, state: &S, of: &mut Folding) -> u8 {
        if !P::MAKES_EDITED {
            return WHOLE;
        }
        let words = program.words(state, &mut of.buffer);
        let start = self.edits.len();
        let is_like = !self.is_empty() && words.len() == of.before.len();
        if is_like {
            let places = (0..).zip(of.before.iter().zip(words));
            self.edits.extend(places.filter(|(_, (old, new))| old != new).map(|(at, (_, new))| (at, *new)));
        }
        of.before.clear();
        of.before.extend_from_slice(words);
        match u8::try_from(self.edits.len() - start) {
            Ok(count) if is_like && count < WHOLE => count,
            _ => {
                self.edits.truncate(start);
                WHOLE
            }
        }
    }

    /// Adds other items behind these.
    pub(super) fn append(&mut self, mut other: Self) {
        self.rests.append(&mut other.rests);
        self.counts.append(&mut other.counts);
        self.edits.append(&mut other.edits);
        self.whole.append(&mut other.whole);
        self.open.append(&mut other.open);
    }

    /// The items again, behind others of which nothing is needed, and the steps that are open at them.
    pub(super) fn unfold<P: Packed<State = S>>(self, program: &P, items: &mut Vec<Item<S>>) -> Vec<Open> {
        let (mut edits, mut whole) = (self.edits.as_slice(), self.whole.into_iter());
        for (rest, count) in self.rests.into_iter().zip(self.counts) {
            let state = match items.last() {
                Some(before) if count != WHOLE => {
                    let (mine, others) = edits.split_at(usize::from(count));
                    edits = others;
                    program.edited(&before.state, mine, rest.fingerprint)
                }
                _ => whole.next().expect("there is a state for each item that is whole"),
            };
            let Rest { node, explorer, delays, depth, open, .. } = rest;
            items.push(Item { state, node, explorer, delays, depth, open });
        }
        self.open
    }
}
