//! What a round has come to, stored in the order of its items: each state that is new becomes a node and an item.
//!
//! Threads share the work of a round, and each state goes to the first item that leads to it, as if there were one
//! thread: to which *shard* a state belongs follows from its key, and each shard takes in what belongs to it in the order
//! of the items. Nodes, and explorers that have not been met before, get their numbers in the same order.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_store::{Exact, Key};
use rayon::prelude::*;

use super::nodes::{ANY_EXPLORER, Keys, Known, Node, Nodes, Way};
use super::part::{Part, Work};
use super::queue::{Item, Queue};
use super::survey::{Setting, Survey};

/// How many shards there are.
const SHARDS: usize = 8;

/// What was stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// New nodes.
    pub(super) nodes: u64,
    /// States that no node had before.
    pub(super) states: u64,
    pub(super) depth: u32,
}

/// The threads of a search, and what each keeps for the next chunk.
pub(super) struct Team<P: Packed, E> {
    parts: Mutex<Vec<Part<P, E>>>,
}

impl<P: Packed, E: Explorer> Team<P, E> {
    pub(super) fn new() -> Self {
        Team { parts: Mutex::new(Vec::new()) }
    }

    /// What a thread needs.
    pub(super) fn take_part(&self) -> Part<P, E> {
        let idle = self.parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(Part::new)
    }

    pub(super) fn give_back(&self, part: Part<P, E>) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }

    /// Works on chunks, side by side if they are to be shared.
    pub(super) fn work(
        &self,
        surveys: &mut [Survey<P, E>],
        is_shared: bool,
        work: impl Fn(&mut Part<P, E>, &mut Survey<P, E>) + Sync,
    ) {
        let work = |survey: &mut Survey<P, E>| {
            let mut part = self.take_part();
            work(&mut part, survey);
            self.give_back(part);
        };
        if is_shared {
            // What there is to do for a chunk differs much from one to another.
            surveys.par_iter_mut().with_max_len(1).for_each(work);
        } else {
            surveys.iter_mut().for_each(work);
        }
    }
}

/// Keys and their places, those of one shard behind those of another.
#[derive(Debug, Default)]
pub(super) struct ByShard {
    keys: Vec<Key>,
    places: Vec<u32>,
    /// Where each shard ends.
    ends: [usize; SHARDS],
}

impl ByShard {
    pub(super) fn sort(&mut self, keys: &[Key]) {
        let mut counts = [0; SHARDS];
        keys.iter().for_each(|key| counts[shard_of(key)] += 1);
        let mut next = [0; SHARDS];
        for shard in 1..SHARDS {
            next[shard] = next[shard - 1] + counts[shard - 1];
        }
        self.places.clear();
        self.places.resize(keys.len(), 0);
        self.keys.clear();
        self.keys.resize(keys.len(), Key::NONE);
        for (place, key) in (0..).zip(keys) {
            let next = &mut next[shard_of(key)];
            self.places[*next] = place;
            self.keys[*next] = *key;
            *next += 1;
        }
        self.ends = next;
    }

    fn range(&self, shard: usize) -> Range<usize> {
        let start = if shard == 0 { 0 } else { self.ends[shard - 1] };
        start..self.ends[shard]
    }
}

fn shard_of(key: &Key) -> usize {
    key.bits() as usize % SHARDS
}

/// Puts the keys of all steps into a set, and tells for each whether its state is new there. If threads share the work, the
/// keys have been sorted by shard.
pub(super) fn insert<P: Packed, E: Explorer>(set: &Exact, surveys: &mut [Survey<P, E>], is_sharded: bool) {
    if !is_sharded {
        surveys.iter_mut().for_each(|survey| set.insert_keys(&survey.keys, &mut survey.is_new));
        return;
    }
    let fill = |shard: usize| -> Vec<bool> {
        let ranges = surveys.iter().map(|survey| &survey.by_shard.keys[survey.by_shard.range(shard)]);
        let mut keys = Vec::with_capacity(ranges.clone().map(<[Key]>::len).sum());
        ranges.for_each(|some| keys.extend_from_slice(some));
        insert_some(set, &keys)
    };
    let filled: Vec<Vec<bool>> = (0..SHARDS).into_par_iter().with_max_len(1).map(fill).collect();
    // Where the answers for each survey begin in each shard.
    let mut next = [0; SHARDS];
    for Survey { by_shard, is_new, keys, .. } in surveys {
        is_new.resize(keys.len(), false);
        for (shard, answers) in filled.iter().enumerate() {
            let places = &by_shard.places[by_shard.range(shard)];
            let answers = &answers[next[shard]..];
            next[shard] += places.len();
            places.iter().zip(answers).for_each(|(place, answer)| is_new[*place as usize] = *answer);
        }
    }
}

fn insert_some(set: &Exact, keys: &[Key]) -> Vec<bool> {
    let mut is_new = Vec::new();
    set.insert_keys(keys, &mut is_new);
    is_new
}

/// All that a search knows, while one thread changes it.
pub(super) struct Everything<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a mut Known<P::State, E>,
    pub(super) nodes: &'a mut Nodes<P::State>,
    /// Where new items go.
    pub(super) new: &'a mut Queue<Item<P::State>>,
    pub(super) tally: Tally,
}

impl<P: Packed, E: Explorer> Everything<'_, P, E> {
    /// Stores the initial state.
    pub(super) fn begin(&mut self, state: &P::State, explorer: &E) {
        let program = self.setting.program;
        let number = self.known.explorers.intern(explorer);
        let key = if self.setting.limits.strict { number } else { ANY_EXPLORER };
        // The key of the state is the last one.
        let (mut keys, mut found, mut is_new) = (Keys::default(), vec![Key::NONE], Vec::new());
        for (set, key) in [(&self.known.set, key), (&self.known.all_states, ANY_EXPLORER)] {
            if let Some(set) = set {
                keys.clear();
                keys.push(program, state, key);
                set.keys(&keys.batch, &mut found);
                set.insert_keys(&found, &mut is_new);
            }
        }
        self.known.keep(state, program.fingerprint(state), key);
        (self.setting.visit)(state);
        self.tally.states += 1;
        self.tally.nodes += 1;
        let node = Node { way: Way::START, explorer: number, depth: 0, key: found[0] };
        let node = self.nodes.add(node, state);
        let item = Item { state: state.clone(), node, explorer: number, delays: 0, depth: 0 };
        self.new.push(item, &self.setting.item_chunks);
    }

    /// In strict mode, gives numbers to explorers that have none.
    pub(super) fn name_explorers(&mut self, survey: &mut Survey<P, E>) {
        for (place, explorer) in survey.unnumbered.drain(..) {
            survey.learnt[place].1 = self.known.explorers.intern(&explorer);
        }
    }

    /// In strict mode, lets pairs that are new arrive; those of them whose states are, are shown.
    pub(super) fn arrive_strictly(&mut self, survey: &mut Survey<P, E>) {
        survey.arrivals = self.setting.item_chunks.take();
        let keys = survey.state_keys.iter().zip(&survey.is_new).filter(|(_, is_new)| **is_new);
        let keys: Vec<Key> = keys.map(|(key, _)| *key).collect();
        let is_new_state = self.known.all_states.as_ref().map(|states| insert_some(states, &keys));
        let mut is_new_state = is_new_state.into_iter().flatten();
        let learnt = std::mem::take(&mut survey.learnt);
        for (at, (state, number)) in learnt.into_iter().enumerate() {
            if !survey.is_new[at] {
                continue;
            }
            if is_new_state.next() == Some(true) {
                self.tally.states += 1;
                (self.setting.visit)(&state);
            }
            let step = survey.steps[at];
            survey.arrive(&step, (state, survey.state_keys[at]), number);
        }
    }

    /// With a bounded cache, lets states arrive that neither it nor the way to them has.
    pub(super) fn arrive_in_cache(&mut self, survey: &mut Survey<P, E>, part: &mut Part<P, E>) {
        survey.arrivals = self.setting.item_chunks.take();
        for at in 0..survey.steps.len() {
            let step = survey.steps[at];
            let work = Work::alone(self.setting, self.known, self.nodes);
            let (state, number) = part.learn(work, survey.item(&step), &step);
            let number = number.unwrap_or_else(|explorer| self.known.explorers.intern(explorer));
            let key = if self.setting.limits.strict { number } else { ANY_EXPLORER };
            let fingerprint = self.setting.program.fingerprint(&state);
            let way = Way { before: survey.item(&step).node, position: step.position };
            if !self.known.holds(&state, fingerprint, key) && !self.nodes.is_on_way(&state, key, way) {
                self.known.keep(&state, fingerprint, key);
                self.tally.states += 1;
                (self.setting.visit)(&state);
                survey.arrive(&step, (state, Key::NONE), number);
            }
        }
    }

    /// Makes nodes of what has arrived.
    pub(super) fn number(&mut self, survey: &mut Survey<P, E>) {
        for (place, explorer) in survey.unnumbered.drain(..) {
            let number = self.known.explorers.intern(&explorer);
            survey.arrivals[place].explorer = number;
            survey.nodes[place].explorer = number;
        }
        if survey.first.is_some() {
            self.nodes.append(&mut survey.nodes, &survey.arrivals);
        } else {
            for (item, node) in survey.arrivals.iter_mut().zip(survey.nodes.drain(..)) {
                item.node = self.nodes.add(node, &item.state);
            }
        }
        self.tally.depth = self.tally.depth.max(survey.depth);
        self.tally.nodes += survey.arrivals.len() as u64;
        self.new.push_chunk(std::mem::take(&mut survey.arrivals), &self.setting.item_chunks);
    }
}
