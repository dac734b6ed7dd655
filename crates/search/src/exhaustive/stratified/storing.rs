//! What one thread's steps have led to, stored at once: each state that is new becomes a node and an item.
//!
//! Whoever comes first is stored. Several threads come to the same result, in the same order, by `sharing.rs`.

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_store::{Exact, VisitedSet};

use super::nodes::{ANY_EXPLORER, Keys, Known, Nodes, Way, shard_of};
use super::part::{Candidate, Harvest, Part, Setting, Work};
use super::queue::{ALL_OPEN, Item, Queue};

/// What was stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// New nodes.
    pub(super) nodes: u64,
    /// States that no node had before.
    pub(super) states: u64,
    pub(super) depth: u32,
}

/// One thread that takes items and stores what they lead to.
pub(super) struct Storing<P: Packed, E> {
    part: Part<P, E>,
    keys: Keys,
    is_new: Vec<bool>,
    is_new_state: Vec<bool>,
}

/// All that a search knows, in the hands of one thread.
pub(super) struct Everything<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a mut Known<P::State, E>,
    pub(super) nodes: &'a mut Nodes<P::State>,
    /// Where new items go.
    pub(super) new: &'a mut Queue<Item<P::State>>,
    pub(super) tally: &'a mut Tally,
}

impl<P: Packed, E: Explorer> Everything<'_, P, E> {
    fn work<'b>(&'b self, items: &'b [Item<P::State>]) -> Work<'b, P, E> {
        Work { setting: self.setting, known: self.known, items }
    }

    /// Stores the initial state.
    pub(super) fn begin(&mut self, state: &P::State, explorer: &E) {
        let program = self.setting.program;
        let fingerprint = program.fingerprint(state);
        let number = self.known.shards[shard_of(fingerprint)].explorers.intern(explorer);
        let key = if self.setting.limits.strict { number } else { ANY_EXPLORER };
        let mut keys = Keys::default();
        for (set, key) in [(&self.known.set, key), (&self.known.states, ANY_EXPLORER)] {
            if let Some(set) = set {
                keys.clear();
                keys.push(program, state, key);
                set.insert(&keys.batch, &mut Vec::new());
            }
        }
        self.known.shards[shard_of(fingerprint)].keep(state, fingerprint, key);
        self.add(Way::START, state.clone(), number, 0, true);
    }

    /// Makes a node and an item of a state.
    fn add(&mut self, way: Way, state: P::State, explorer: u32, depth: u32, is_new_state: bool) {
        let node = self.nodes.add(way, &state, explorer);
        self.tally.nodes += 1;
        self.tally.depth = self.tally.depth.max(depth);
        if is_new_state {
            self.tally.states += 1;
            (self.setting.visit)(&state);
        }
        let item = Item { state, node, explorer, delays: 0, depth, open: ALL_OPEN };
        self.new.push(item, &self.setting.chunks);
    }
}

impl<P: Packed, E: Explorer> Storing<P, E> {
    pub(super) fn new() -> Self {
        Storing {
            part: Part::new(),
            keys: Keys::default(),
            is_new: Vec::new(),
            is_new_state: Vec::new(),
        }
    }

    /// Finds out which choices of items are worth taking.
    pub(super) fn probe(
        &mut self,
        everything: &Everything<'_, P, E>,
        items: &mut [Item<P::State>],
        harvest: &mut Harvest<P>,
    ) {
        self.part.probe(everything.setting, everything.known, items, harvest);
    }

    /// Takes items; gives back those that were not taken because the search is to stop.
    pub(super) fn take(
        &mut self,
        everything: &mut Everything<'_, P, E>,
        mut items: Vec<Item<P::State>>,
        harvest: &mut Harvest<P>,
    ) -> Vec<Item<P::State>> {
        let mut taken = 0;
        while taken < items.len() {
            if taken % ITEMS_BETWEEN_QUESTIONS == 0 && everything.setting.is_stopped() {
                break;
            }
            self.part.take(everything.work(&items), taken, harvest);
            taken += 1;
            if self.part.is_full() {
                self.settle(everything, &items);
            }
        }
        self.settle(everything, &items);
        let left = items.split_off(taken);
        self.part.leave(everything.setting, items, harvest);
        left
    }

    /// Stores what steps have led to.
    fn settle(&mut self, everything: &mut Everything<'_, P, E>, items: &[Item<P::State>]) {
        let candidates = std::mem::take(&mut self.part.candidates);
        if everything.known.set.is_none() {
            for candidate in &candidates {
                self.store_in_cache(everything, items, candidate);
            }
        } else if everything.setting.limits.strict {
            self.store_strictly(everything, items, &candidates);
        } else {
            self.store(everything, items, &candidates);
        }
        self.part.clear(candidates);
    }

    fn store(
        &mut self,
        everything: &mut Everything<'_, P, E>,
        items: &[Item<P::State>],
        candidates: &[Candidate],
    ) {
        self.part.push_keys(everything.work(items), candidates, &mut self.keys);
        insert(&everything.known.set, &self.keys, &mut self.is_new);
        for (candidate, is_new) in candidates.iter().zip(&self.is_new) {
            if *is_new {
                let (state, explorer) = self.part.learn(everything.work(items), candidate);
                let shard = shard_of(everything.setting.program.fingerprint(&state));
                let number = everything.known.shards[shard].explorers.intern(explorer);
                let (way, depth) = (candidate.way(items), items[candidate.item].depth + 1);
                everything.add(way, state, number, depth, true);
            }
        }
    }

    fn store_strictly(
        &mut self,
        everything: &mut Everything<'_, P, E>,
        items: &[Item<P::State>],
        candidates: &[Candidate],
    ) {
        let program = everything.setting.program;
        self.keys.clear();
        let mut learnt = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let (state, explorer) = self.part.learn(everything.work(items), candidate);
            let shard = &mut everything.known.shards[shard_of(program.fingerprint(&state))];
            let number = shard.explorers.intern(explorer);
            self.keys.push(program, &state, number);
            learnt.push((state, number));
        }
        insert(&everything.known.set, &self.keys, &mut self.is_new);
        self.keys.clear();
        learnt.iter().for_each(|(state, _)| self.keys.push(program, state, ANY_EXPLORER));
        insert(&everything.known.states, &self.keys, &mut self.is_new_state);
        for (at, (candidate, (state, number))) in candidates.iter().zip(learnt).enumerate() {
            if self.is_new[at] {
                let (way, depth) = (candidate.way(items), items[candidate.item].depth + 1);
                everything.add(way, state, number, depth, self.is_new_state[at]);
            }
        }
    }

    /// Stores a state unless a bounded cache or the way to it has it.
    fn store_in_cache(
        &mut self,
        everything: &mut Everything<'_, P, E>,
        items: &[Item<P::State>],
        candidate: &Candidate,
    ) {
        let (state, explorer) = self.part.learn(everything.work(items), candidate);
        let fingerprint = everything.setting.program.fingerprint(&state);
        let shard = &mut everything.known.shards[shard_of(fingerprint)];
        let number = shard.explorers.intern(explorer);
        let key = if everything.setting.limits.strict { number } else { ANY_EXPLORER };
        let way = candidate.way(items);
        if !shard.holds(&state, fingerprint, key) && !everything.nodes.is_on_way(&state, key, way) {
            shard.keep(&state, fingerprint, key);
            everything.add(way, state, number, items[candidate.item].depth + 1, true);
        }
    }
}

fn insert(set: &Option<Exact>, keys: &Keys, is_new: &mut Vec<bool>) {
    if let Some(set) = set {
        set.insert(&keys.batch, is_new);
    }
}

/// The items that are taken between two questions whether to go on.
pub(super) const ITEMS_BETWEEN_QUESTIONS: usize = 32;
