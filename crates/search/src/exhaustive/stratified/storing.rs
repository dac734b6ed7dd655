//! What arrived at one shard, being stored there.

use fabius_explore::Explorer;
use fabius_model::{Choice, Packed};
use fabius_store::{Batch, Exact, VisitedSet};

use super::nodes::{ANY_EXPLORER, Arrival, Arriving, NodeId, Shard, Way, push_key};
use super::{ALL_OPEN, Cache, Item, Limits};

/// How many states are looked up together.
const BATCH: usize = 64;

/// What one shard took in.
pub(super) struct Stored<P: Packed> {
    pub(super) items: Vec<Item<P::State>>,
    pub(super) bugs: Vec<(Way, P::Bug)>,
    /// Nodes without choices.
    pub(super) ends: Vec<NodeId>,
    /// How the new nodes were reached; only with a bounded cache.
    pub(super) ways: Vec<Way>,
    /// How many states no node had before.
    pub(super) states: u64,
    pub(super) depth: u32,
}

/// A shard that takes arrivals in.
pub(super) struct Storing<'a, P: Packed, E> {
    program: &'a P,
    limits: &'a Limits,
    known: Option<&'a Exact>,
    states: Option<&'a Exact>,
    shard: &'a mut Shard<P::State, E>,
    at: usize,
    stored: Stored<P>,
    batch: Batch,
    is_new: Vec<bool>,
    is_new_state: Vec<bool>,
    words: Vec<u32>,
    choices: Vec<Choice>,
}

impl<'a, P: Packed, E: Explorer> Storing<'a, P, E> {
    pub(super) fn new(
        program: &'a P,
        limits: &'a Limits,
        known: Option<&'a Exact>,
        states: Option<&'a Exact>,
        shard: &'a mut Shard<P::State, E>,
        at: usize,
    ) -> Self {
        let stored = Stored {
            items: Vec::new(),
            bugs: Vec::new(),
            ends: Vec::new(),
            ways: Vec::new(),
            states: 0,
            depth: 0,
        };
        Storing {
            program,
            limits,
            known,
            states,
            shard,
            at,
            stored,
            batch: Batch::new(),
            is_new: Vec::new(),
            is_new_state: Vec::new(),
            words: Vec::new(),
            choices: Vec::new(),
        }
    }

    pub(super) fn store(
        mut self,
        arrivals: Vec<Vec<Arrival<P::State, E>>>,
        visit: &(dyn Fn(&P::State) + Sync),
    ) -> Stored<P> {
        let mut some = Vec::with_capacity(BATCH);
        for arrival in arrivals.into_iter().flatten() {
            some.push(arrival);
            if some.len() == BATCH {
                self.store_some(&mut some, visit);
            }
        }
        self.store_some(&mut some, visit);
        self.stored
    }

    fn store_some(&mut self, arrivals: &mut Vec<Arrival<P::State, E>>, visit: &(dyn Fn(&P::State) + Sync)) {
        match self.known {
            Some(known) => {
                self.insert(known, arrivals);
                let is_new = std::mem::take(&mut self.is_new);
                let is_new_state = std::mem::take(&mut self.is_new_state);
                for (at, arrival) in arrivals.drain(..).enumerate() {
                    if is_new[at] {
                        self.add(arrival, is_new_state.get(at) != Some(&false), visit);
                    }
                }
                (self.is_new, self.is_new_state) = (is_new, is_new_state);
            }
            // What comes first may be known to what comes next.
            None => arrivals.drain(..).for_each(|arrival| self.add_to_cache(arrival, visit)),
        }
    }

    /// Puts arrivals into the visited sets.
    fn insert(&mut self, known: &Exact, arrivals: &mut [Arrival<P::State, E>]) {
        self.batch.clear();
        for arrival in arrivals.iter_mut() {
            let key = if self.limits.strict { self.number(arrival) } else { ANY_EXPLORER };
            let Arrival { state, fingerprint, .. } = arrival;
            push_key(self.program, state, *fingerprint, key, &mut self.words, &mut self.batch);
        }
        known.insert(&self.batch, &mut self.is_new);
        let Some(states) = self.states else { return };
        self.batch.clear();
        for Arrival { state, fingerprint, .. } in arrivals {
            push_key(self.program, state, *fingerprint, ANY_EXPLORER, &mut self.words, &mut self.batch);
        }
        states.insert(&self.batch, &mut self.is_new_state);
    }

    /// The number of an arrival's explorer.
    fn number(&mut self, arrival: &mut Arrival<P::State, E>) -> u32 {
        match &arrival.explorer {
            Arriving::Known(number) => *number,
            Arriving::New(explorer) => {
                let number = self.shard.explorers.intern(explorer.clone());
                arrival.explorer = Arriving::Known(number);
                number
            }
        }
    }

    fn add_to_cache(&mut self, mut arrival: Arrival<P::State, E>, visit: &(dyn Fn(&P::State) + Sync)) {
        let explorer = self.number(&mut arrival);
        let key = if self.limits.strict { explorer } else { ANY_EXPLORER };
        let cache = self.shard.bounded.as_ref();
        if !cache.is_some_and(|cache| cache.holds(&arrival.state, arrival.fingerprint, key)) {
            self.add(arrival, true, visit);
        }
    }

    /// Makes a node of a new state, and an item if it has choices.
    fn add(
        &mut self,
        mut arrival: Arrival<P::State, E>,
        is_new_state: bool,
        visit: &(dyn Fn(&P::State) + Sync),
    ) {
        let explorer = self.number(&mut arrival);
        let key = if self.limits.strict { explorer } else { ANY_EXPLORER };
        let Arrival { way, state, fingerprint, depth, .. } = arrival;
        let index = self.shard.add(way, &state, fingerprint, explorer, key);
        let node = NodeId::new(self.at, index);
        if is_new_state {
            self.stored.states += 1;
            visit(&state);
        }
        if self.limits.cache != Cache::Unlimited {
            self.stored.ways.push(way);
        }
        self.stored.depth = self.stored.depth.max(depth);
        self.program.choices(&state, &mut self.choices);
        if self.choices.is_empty() {
            self.stored.ends.push(node);
            self.stored.bugs.extend(self.program.end(&state).map(|bug| (way, bug)));
        } else {
            self.stored.items.push(Item { state, node, explorer, delays: 0, open: ALL_OPEN, depth });
        }
    }
}
