//! A chunk of items on its way through a round: what was found out about it, and what is left.

use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_model::{Choice, Packed};
use fabius_store::Key;

use super::folded::{Folded, Folding};
use super::nodes::{NodeId, Way};
use super::queue::{Chunk, Chunks, Item, Items, NOT_PROBED, Open};
use super::{Cache, Limits};

/// What all parts of a search share.
pub(super) struct Setting<'a, P: Packed> {
    pub(super) program: &'a P,
    pub(super) limits: &'a Limits,
    pub(super) visit: &'a (dyn Fn(&P::State) + Sync),
    pub(super) should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether it was answered with yes.
    pub(super) stopped: AtomicBool,
    pub(super) chunks: Chunks<Item<P::State>>,
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
    /// What is left to later strata, the next one first.
    pub(super) later: Vec<Later<Folded<P::State>>>,
    /// Nodes all of whose choices were taken; only with a bounded cache.
    pub(super) done: Vec<NodeId>,
    pub(super) transitions: u64,
}

/// What is to be done in a later stratum.
pub(super) struct Later<Items> {
    pub(super) items: Items,
    /// Choices that need not be taken, because they lead to known states.
    pub(super) skipped: u64,
}

impl<P: Packed> Harvest<P> {
    pub(super) fn new() -> Self {
        Harvest { bugs: Vec::new(), later: Vec::new(), done: Vec::new(), transitions: 0 }
    }

    /// What is to be done so many strata further.
    pub(super) fn later(&mut self, distance: u32) -> &mut Later<Folded<P::State>> {
        let distance = distance as usize;
        if self.later.len() < distance {
            self.later.resize_with(distance, || Later { items: Folded::new(), skipped: 0 });
        }
        &mut self.later[distance - 1]
    }
}

/// What is left to do at an item.
#[derive(Clone, Copy)]
pub(super) enum Rest {
    Nothing,
    /// In the next stratum, with so many delays.
    Next {
        delays: u32,
    },
    /// What was open before this, and still is.
    Open,
    /// What is open, now that it has been probed.
    Opened,
}

/// A chunk of items that a thread works on.
pub(super) struct Survey<P: Packed, E> {
    /// The chunk, until somebody begins to work on it; then its items, and the steps that were open at those that have been
    /// probed, as long as they are.
    chunk: Option<Chunk<P::State>>,
    pub(super) items: Vec<Item<P::State>>,
    pub(super) open: Vec<Option<Open>>,
    /// The steps that are open at items that were probed in this round, with the places of the items.
    pub(super) opened: Vec<(usize, Open)>,
    /// Where the steps begin that were open at the next item to be taken.
    pub(super) next_open: usize,
    /// How many of them were taken; the search is to stop if not all were.
    pub(super) taken: usize,
    /// What is left to do at each of those.
    pub(super) rests: Vec<Rest>,
    /// Steps into states, where those lead, unless the cache is bounded, and which of them are to be taken.
    pub(super) steps: Vec<Step>,
    pub(super) keys: Vec<Key>,
    pub(super) is_new: Vec<bool>,
    /// In strict mode: where all of them lead, with the explorer's number there, and the keys of the states alone.
    pub(super) learnt: Vec<(P::State, u32)>,
    pub(super) state_keys: Vec<Key>,
    pub(super) harvest: Harvest<P>,
    /// Items that were not taken, at the end.
    pub(super) left: Option<Items<P::State>>,
    /// The states of the new ones, and the ways to them.
    pub(super) arrivals: Vec<Item<P::State>>,
    pub(super) ways: Vec<Way>,
    /// Explorers that have no number yet, of arrivals or, in strict mode, of what was learnt.
    pub(super) unnumbered: Vec<(usize, E)>,
}

/// A step into a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The item it begins at, the delays spent there, and the choice taken.
    pub(super) item: usize,
    pub(super) delays: u32,
    pub(super) position: u32,
    /// If it has been looked up.
    pub(super) choice: Option<Choice>,
}

impl<P: Packed, E> Survey<P, E> {
    pub(super) fn new(chunk: Chunk<P::State>) -> Self {
        let count = chunk.len();
        Survey {
            chunk: Some(chunk),
            items: Vec::new(),
            open: Vec::new(),
            opened: Vec::new(),
            next_open: 0,
            taken: 0,
            rests: Vec::with_capacity(count),
            steps: Vec::with_capacity(count),
            keys: Vec::with_capacity(count),
            is_new: Vec::new(),
            learnt: Vec::new(),
            state_keys: Vec::new(),
            harvest: Harvest::new(),
            left: None,
            arrivals: Vec::new(),
            ways: Vec::with_capacity(count),
            unnumbered: Vec::new(),
        }
    }

    /// Gets at the items.
    pub(super) fn open(&mut self, setting: &Setting<'_, P>) {
        if let Some(chunk) = self.chunk.take() {
            let items = chunk.into_items(setting.program, &setting.chunks);
            self.items = items.all;
            self.open = items.open.into_iter().map(Some).collect();
        }
    }

    pub(super) fn way(&self, step: &Step) -> Way {
        Way { before: self.items[step.item].node, position: step.position }
    }

    /// Adds a state that a step leads to, as an item.
    pub(super) fn arrive(&mut self, step: &Step, state: P::State, explorer: u32) {
        self.ways.push(self.way(step));
        let depth = self.items[step.item].depth + 1;
        let node = NodeId::NONE;
        self.arrivals.push(Item { state, node, explorer, delays: 0, depth, open: NOT_PROBED });
    }

    /// Leaves what is left to do at the items taken to later strata.
    pub(super) fn leave(&mut self, setting: &Setting<'_, P>, folding: &mut Vec<Folding>) {
        let Survey { items, open, opened, taken, rests, harvest, left, .. } = self;
        let mut opened = opened.drain(..).peekable();
        let mut still: Vec<Open> = Vec::new();
        // Where the steps begin that were open at the next item.
        let mut first = 0;
        for (at, (item, rest)) in items[..*taken].iter_mut().zip(rests.drain(..)).enumerate() {
            let mine = first..first + if item.open == NOT_PROBED { 0 } else { item.open as usize };
            first = mine.end;
            still.clear();
            match rest {
                // The first of them was due.
                Rest::Open => still.extend(open[mine].iter().skip(1).flatten()),
                Rest::Opened => {
                    still.extend(iter::from_fn(|| opened.next_if(|(of, _)| *of == at)).map(|(_, open)| open));
                }
                Rest::Nothing | Rest::Next { .. } => {}
            }
            let distance = match (rest, still.first()) {
                (Rest::Next { delays }, _) => {
                    (item.delays, item.open) = (delays, NOT_PROBED);
                    1
                }
                (_, Some(next)) => {
                    let distance = next.delays - item.delays;
                    (item.delays, item.open) = (next.delays, still.len() as u32);
                    distance
                }
                (_, None) => {
                    if setting.limits.cache != Cache::Unlimited {
                        harvest.done.push(item.node);
                    }
                    continue;
                }
            };
            let of = distance as usize - 1;
            folding.resize_with(folding.len().max(of + 1), Folding::default);
            let folded = &mut harvest.later(distance).items;
            folded.push(setting.program, item, &mut folding[of]);
            still.iter().for_each(|open| folded.push_open(*open));
        }
        if *taken < items.len() {
            let open = open[first..].iter().flatten().copied().collect();
            *left = Some(Items { all: items.split_off(*taken), open });
        }
        setting.chunks.give_back(std::mem::take(items));
    }
}
