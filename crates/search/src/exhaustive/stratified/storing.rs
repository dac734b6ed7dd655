//! What a round has come to, stored in the order of its items: each state that is new becomes a node and an item.
//!
//! Each state goes to the first item that leads to it. Nodes, and explorers that have not been met before, get their numbers
//! in the same order.

use std::sync::{RwLock, RwLockWriteGuard};

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_store::{Key, Keyed};

use super::later::Due;
use super::nodes::{ANY_EXPLORER, Keys, Known, Node, Nodes, Way};
use super::part::{Part, Work};
use super::queue::Item;
use super::shared::write;
use super::survey::{Setting, Survey};

/// What was stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// New nodes.
    pub(super) nodes: u64,
    /// States that no node had before.
    pub(super) states: u64,
    pub(super) depth: u32,
}

/// Puts the keys of all steps into a set, and tells for each whether its state is new there.
pub(super) fn insert<P: Packed, E: Explorer>(set: &Keyed, surveys: &[RwLock<Survey<P, E>>]) {
    for survey in surveys {
        let Survey { keys, is_new, .. } = &mut *write(survey);
        set.insert_keys(keys, is_new);
    }
}

fn insert_some(set: &Keyed, keys: &[Key]) -> Vec<bool> {
    let mut is_new = Vec::new();
    set.insert_keys(keys, &mut is_new);
    is_new
}

/// All that a search knows, while one thread changes it.
pub(super) struct Everything<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: RwLockWriteGuard<'a, Known<P::State, E>>,
    pub(super) nodes: RwLockWriteGuard<'a, Nodes<P::State>>,
    pub(super) tally: Tally,
}

impl<P: Packed, E: Explorer> Everything<'_, P, E> {
    /// Stores the initial state; gives its item.
    pub(super) fn begin(&mut self, state: &P::State, explorer: &E) -> Item<P::State> {
        let program = self.setting.program;
        let number = self.known.explorers.intern(explorer);
        let key = if self.setting.limits.strict { number } else { ANY_EXPLORER };
        // The key of the state is the last one.
        let (mut keys, mut found, mut is_new) = (Keys::default(), vec![Key::NONE], Vec::new());
        for (set, key) in [(&self.known.set, key), (&self.known.all_states, ANY_EXPLORER)] {
            if let Some(set) = set {
                keys.clear();
                keys.push(set, program, state, key);
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
        Item { state: state.clone(), node, explorer: number, delays: 0, depth: 0 }
    }

    /// In strict mode, gives numbers to explorers that have none.
    pub(super) fn name_explorers(&mut self, survey: &mut Survey<P, E>) {
        for (place, explorer) in survey.unnumbered.drain(..) {
            survey.learnt[place].1 = self.known.explorers.intern(&explorer);
        }
    }

    /// In strict mode, lets pairs that are new arrive; those of them whose states are, are shown.
    pub(super) fn arrive_strictly(&mut self, survey: &mut Survey<P, E>) {
        survey.arrivals = self.setting.item_chunks.take(survey.thread);
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
            survey.arrive(&step, (state, survey.state_keys[at]), number, &self.nodes);
        }
    }

    /// With a bounded cache, lets states arrive that neither it nor the way to them has.
    pub(super) fn arrive_in_cache(&mut self, survey: &mut Survey<P, E>, part: &mut Part<P, E>) {
        survey.arrivals = self.setting.item_chunks.take(survey.thread);
        let nothing = Due::default();
        for at in 0..survey.steps.len() {
            let step = survey.steps[at];
            let work = Work::alone(self.setting, &self.known, &self.nodes, &nothing);
            let (state, number) = part.learn(work, survey.item(&step), &step);
            let number = number.unwrap_or_else(|explorer| self.known.explorers.intern(explorer));
            let key = if self.setting.limits.strict { number } else { ANY_EXPLORER };
            let fingerprint = self.setting.program.fingerprint(&state);
            let way = Way { before: survey.item(&step).node, position: step.position };
            if !self.known.holds(&state, fingerprint, key) && !self.nodes.is_on_way(&state, key, way) {
                self.known.keep(&state, fingerprint, key);
                self.tally.states += 1;
                (self.setting.visit)(&state);
                survey.arrive(&step, (state, Key::NONE), number, &self.nodes);
            }
        }
    }

    /// Gives numbers to explorers that have none, and to nodes, unless these are known already.
    pub(super) fn number(&mut self, survey: &mut Survey<P, E>) {
        for (place, explorer) in survey.unnumbered.drain(..) {
            let number = self.known.explorers.intern(&explorer);
            survey.arrivals[place].explorer = number;
            match survey.first.map(|first| first.after(place)) {
                Some(node) => self.nodes.put(node, Node { explorer: number, ..self.nodes.get(node) }),
                None => survey.nodes[place].explorer = number,
            }
        }
        if survey.first.is_some() {
            self.nodes.keep(&survey.arrivals);
        } else {
            for (item, node) in survey.arrivals.iter_mut().zip(survey.nodes.drain(..)) {
                item.node = self.nodes.add(node, &item.state);
            }
        }
        self.tally.depth = self.tally.depth.max(survey.depth);
        self.tally.nodes += survey.arrivals.len() as u64;
    }
}
