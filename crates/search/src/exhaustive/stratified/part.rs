//! Items in the hands of one thread: where their choices lead.
//!
//! A round has two halves. In the first, nothing is stored: threads *survey* chunks of items, each sketches the steps that
//! are due and finds the keys of the states that they lead to. Once it is settled which of these are new, and who was the
//! first to reach each, the second half lets those arrive. In strict mode the explorer is part of what is known, and all
//! steps are taken first.
//!
//! When an item is taken, all choices at its state are sketched and *probed*: those that lead to known states need not be
//! taken at all, because what is known stays known. They count as taken in the stratum that they belong to. The others are
//! left to their strata with the keys of where they lead; when one is due, only its key is looked up, and nothing is
//! sketched again. Only with an unbounded cache, where that holds, not in strict mode, where the key is not that of the
//! state, and not in the last stratum, after which nothing is taken. What was not probed is left as one step with a delay
//! more.
//!
//! Where sketches tell what explorers learn (`Tale`), no step is taken after that: one that is due is made of its sketch, and
//! one that was deferred of its own key, while its tale leads the explorer on.

use std::borrow::Cow;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed, Sketch, Sketches, Tale};
use fabius_store::{Key, Keyed};

use super::deferred;
use super::later::{Due, Later};
use super::nodes::{ANY_EXPLORER, Keys, Known, Node, NodeId, Nodes};
use super::queue::{Deferred, Item};
use super::recent::{Recent, Told};
use super::survey::{Setting, Step, Survey};
use super::{Cache, Cost, Limits};

/// How many states are looked up together, at least.
const BATCH: usize = 1024;
/// So many items before it is needed, the memory of what explorers did last is asked for.
const SOON: usize = 2;
/// The items that are taken between two questions whether to go on.
const ITEMS_BETWEEN_QUESTIONS: usize = 32;
/// Where so many steps of a survey are due, its other items wait: where each leads to hundreds of states, a round would take more
/// memory than is left when it is asked for. Usually an item has one such step.
const MOST_STEPS: usize = 1 << 10;
/// States with more choices are not probed: too much would be kept of each.
const MOST_PROBED: usize = 64;

/// What one thread needs, and keeps for the next chunk.
pub(super) struct Part<P: Packed, E> {
    /// Which thread that is.
    pub(super) thread: usize,
    sketches: Sketches<P::State, P::Bug>,
    effects: Vec<Effect>,
    choices: Vec<Choice>,
    /// States to be looked up, why they are, their keys, and which are known.
    keys: Keys,
    probed: Vec<Probed>,
    /// States to which due steps of these lead, if they were made.
    made: Vec<Option<P::State>>,
    wanted: Vec<Wanted>,
    found: Vec<Key>,
    is_known: Vec<bool>,
    /// The positions that explorers name at the states of `probed`, after 0 delays, 1 and so on.
    positions: Vec<usize>,
    /// What is told of the steps of these states, in the order of their positions.
    tales: Vec<Tale>,
    /// The positions at one state.
    order: Vec<usize>,
    /// Of steps that were deferred and lead to new states, their places and the nodes at which they begin.
    pub(super) new: Vec<usize>,
    pub(super) before: Vec<Node>,
    pub(super) recent: Recent,
    /// What this thread leaves to later strata, and how much that was before a survey.
    pub(super) later: Later,
    ends: Vec<usize>,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
}

/// An item all of whose steps lead to states that are looked up. No delays were spent there: the first step is due, and the
/// strata that the others belong to are as far as their delays.
struct Probed {
    /// The place of the item, and that of the first of its states among those that are looked up.
    item: usize,
    first: usize,
    /// Where its positions and tales end; those of the item before end where they begin.
    end: usize,
    /// Whether its due step leads to the next one of the states that were made.
    is_made: bool,
}

/// One step that leads to a state that is looked up.
struct Wanted {
    /// The place of the item at which it begins, and that of the state among those that are looked up.
    item: usize,
    place: usize,
    delays: u32,
    position: u32,
    /// How many strata further it belongs; 0 if it is due.
    distance: u32,
}

/// What all threads know.
pub(super) struct Work<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a Known<P::State, E>,
    pub(super) nodes: &'a Nodes<P::State>,
    /// Whether what is left to later strata will not be taken.
    pub(super) is_last: bool,
    /// What was deferred to this stratum.
    pub(super) due: &'a Due,
}

impl<'a, P: Packed, E> Work<'a, P, E> {
    /// For one thread that takes steps.
    pub(super) fn alone(
        setting: &'a Setting<'a, P>,
        known: &'a Known<P::State, E>,
        nodes: &'a Nodes<P::State>,
        due: &'a Due,
    ) -> Self {
        Work { setting, known, nodes, is_last: false, due }
    }

    /// The explorer of an item.
    #[inline]
    fn explorer(&self, item: &Item<P::State>) -> Cow<'a, E>
    where
        E: Explorer,
    {
        self.known.explorers.at(item.explorer, || self.setting.program.fingerprint(&item.state))
    }

    /// Whether what is left to later strata is worth a look.
    fn probes(&self) -> bool {
        let limits = self.setting.limits;
        let is_possible = limits.cache == Cache::Unlimited && !limits.strict && limits.cost == Cost::Delays;
        is_possible && !self.is_last
    }
}

impl<P: Packed, E> Clone for Work<'_, P, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Packed, E> Copy for Work<'_, P, E> {}

impl<P: Packed, E: Explorer> Part<P, E> {
    pub(super) fn new(thread: usize) -> Self {
        Part {
            thread,
            sketches: Sketches::default(),
            effects: Vec::new(),
            choices: Vec::new(),
            keys: Keys::default(),
            probed: Vec::new(),
            made: Vec::new(),
            wanted: Vec::new(),
            found: Vec::new(),
            is_known: Vec::new(),
            positions: Vec::new(),
            tales: Vec::new(),
            order: Vec::new(),
            new: Vec::new(),
            before: Vec::new(),
            recent: Recent::new(),
            later: Later::default(),
            ends: Vec::new(),
            spare: None,
        }
    }

    /// The first half: finds out which steps are due at some items, and where they lead.
    pub(super) fn survey(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        survey.thread = self.thread;
        self.later.mark(&mut self.ends);
        deferred::open(work, survey);
        if work.probes() {
            survey.arrivals = work.setting.item_chunks.take(self.thread);
        }
        while survey.taken < survey.items.len() {
            let is_asked = survey.taken.is_multiple_of(ITEMS_BETWEEN_QUESTIONS);
            if survey.steps.len() >= MOST_STEPS || is_asked && work.setting.is_stopped() {
                survey.left = survey.items.split_off(survey.taken);
                break;
            }
            self.take(work, survey);
            survey.taken += 1;
            if self.keys.batch.len() >= BATCH {
                self.look_up(work, survey);
            }
        }
        self.look_up(work, survey);
        survey.harvest.deferred.extend(self.later.since(&self.ends));
    }

    /// Finds the step that is due at the next item, and those after it that cost nothing more; leaves the others to later
    /// strata.
    fn take(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let item = &survey.items[survey.taken];
        let (node, delays) = (item.node, item.delays);
        let probes = delays == 0 && work.probes();
        let remembers = probes && work.known.explorers.only().is_none();
        let offer = if remembers { work.setting.program.offer(&item.state) } else { None };
        if remembers
            && let Some(soon) = survey.items.get(survey.taken + SOON)
            && let Some(offer) = work.setting.program.offer(&soon.state)
        {
            self.recent.expect_order(soon.explorer, offer);
        }
        if offer.is_some_and(|offer| self.recent.add_order(item.explorer, offer, &mut self.positions)) {
            self.probe(work, survey);
            return;
        }
        work.setting.program.choices(&item.state, &mut self.choices);
        if self.choices.is_empty() {
            let bug = work.setting.program.end(&item.state);
            survey.harvest.bugs.extend(bug.map(|bug| (node, None, bug)));
            self.leave(work, node, None, survey);
            return;
        }
        let explorer = work.explorer(item);
        let limits = work.setting.limits;
        if probes && self.add_order(limits, &explorer) {
            if let Some(offer) = offer {
                self.recent.remember_order(item.explorer, offer, &self.order);
            }
            self.probe(work, survey);
            return;
        }
        let is_alone = self.choices.len() == 1;
        if delays == 0 && (is_alone || !probes && !self.is_free(limits, &explorer, 0)) {
            // Nothing has to be copied.
            self.take_due(work, 0, Cursor::first(&*explorer, &self.choices), survey);
            self.leave(work, node, (!is_alone).then_some(1), survey);
            return;
        }
        let mut cursor = self.cursor(work, item, delays);
        let next = self.take_free(work, &mut cursor, survey);
        self.leave(work, node, next, survey);
        self.spare = Some(cursor);
    }

    /// Takes the step that is due, and those after it that cost nothing more. Gives the delays before the next one, if there
    /// is one.
    fn take_free(
        &mut self,
        work: Work<'_, P, E>,
        cursor: &mut Cursor<E>,
        survey: &mut Survey<P, E>,
    ) -> Option<u32> {
        loop {
            let is_free = self.is_free(work.setting.limits, cursor.explorer(), cursor.delays());
            self.take_due(work, cursor.delays(), cursor.next(&self.choices), survey);
            if !cursor.can_delay(&self.choices) {
                return None;
            }
            if !is_free {
                return Some(cursor.delays() + 1);
            }
            cursor.delay(&self.choices);
        }
    }

    /// Whether one delay more than these costs nothing more.
    fn is_free(&self, limits: &Limits, explorer: &E, delays: u32) -> bool {
        let is_free = match self.choices.first() {
            Some(Choice::Data(_)) => limits.free_data,
            _ => explorer.delays_freely(&self.choices),
        };
        is_free || limits.cost == Cost::Deviations && delays > 0
    }

    /// Whether all choices are worth a look together. Then their positions are added.
    fn add_order(&mut self, limits: &Limits, explorer: &E) -> bool {
        let is_free = limits.free_data && matches!(self.choices[0], Choice::Data(_));
        let is_told = self.choices.len() <= MOST_PROBED
            && !is_free
            && Cursor::order(explorer, &self.choices, &mut self.order);
        if is_told {
            self.positions.extend_from_slice(&self.order);
        }
        is_told
    }

    /// Sketches all choices of the next item, whose positions are the last ones: the first is due, the others are probed.
    fn probe(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let (program, at) = (work.setting.program, survey.taken);
        let set = work.known.set.as_ref().expect("without one, nothing is probed");
        let Item { state, node, .. } = &survey.items[at];
        self.sketches.clear();
        program.sketch_told(state, &mut self.sketches, &mut self.tales);
        if self.sketches.are_changes() {
            let key = work.nodes.get(*node).key;
            let first = self.keys.push_changes(program, (state, key), &self.sketches);
            self.probed.push(Probed { item: at, first, end: self.positions.len(), is_made: false });
            return;
        }
        let start = self.probed.last().map_or(0, |probed| probed.end);
        if self.sketches.are_states() {
            let first = self.keys.push_made(set, program, &self.sketches);
            self.probed.push(Probed { item: at, first, end: self.positions.len(), is_made: true });
            self.made.push(match self.sketches.take_made(self.positions[start]) {
                Some(Outcome::State(state)) => Some(state),
                _ => None,
            });
            return;
        }
        self.tales.truncate(start);
        for (delays, position) in (0..).zip(self.positions.drain(start..)) {
            let sketch = self.sketches.get(position);
            if let Sketch::Made(Outcome::Bug(bug)) = sketch {
                if delays == 0 {
                    survey.harvest.transitions += 1;
                    survey.harvest.bugs.push((*node, Some(position as u32), bug.clone()));
                } else {
                    let at = (delays, position as u32);
                    let step = Deferred::probed(*node, Key::NONE, at, Tale::UNTOLD);
                    let chunks = &work.setting.deferred_chunks;
                    self.later.at(delays).push(step, chunks, self.thread);
                }
                continue;
            }
            let place = self.keys.push_sketch(set, program, (at, state), &sketch);
            let position = position as u32;
            self.wanted.push(Wanted { item: at, place, delays, position, distance: delays });
        }
    }

    /// Sketches the choice at a position, which comes after so many delays and is due.
    fn take_due(&mut self, work: Work<'_, P, E>, delays: u32, position: usize, survey: &mut Survey<P, E>) {
        let at = survey.taken;
        let Item { state, node, .. } = &survey.items[at];
        let choice = self.choices[position];
        self.sketches.clear();
        work.setting.program.sketch_choice(state, choice, &mut self.sketches);
        let sketch = self.sketches.get(0);
        let position = position as u32;
        if let Sketch::Made(Outcome::Bug(bug)) = sketch {
            survey.harvest.transitions += 1;
            survey.harvest.bugs.push((*node, Some(position), bug.clone()));
        } else if let Some(set) = &work.known.set
            && !work.setting.limits.strict
        {
            let place = self.keys.push_sketch(set, work.setting.program, (at, state), &sketch);
            self.wanted.push(Wanted { item: at, place, delays, position, distance: 0 });
        } else {
            survey.harvest.transitions += 1;
            survey.add_step(at, (delays, position), Some(choice), Tale::UNTOLD);
        }
    }

    /// Finds the keys of states, and leaves to later strata what is not known and not due.
    fn look_up(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let Some(set) = &work.known.set else { return };
        set.probe(&self.keys.batch, &mut self.found, &mut self.is_known);
        self.settle_probed(work, survey);
        self.keys.clear();
        for Wanted { item, place, delays, position, distance } in self.wanted.drain(..) {
            match (distance, self.is_known[place]) {
                (0, is_known) => {
                    survey.harvest.transitions += 1;
                    if !is_known {
                        survey.add_due(item, (delays, position), self.found[place]);
                    }
                }
                (_, true) => self.later.at(distance).skipped += 1,
                (_, false) => {
                    let node = survey.items[item].node;
                    let at = (delays, position);
                    let step = Deferred::probed(node, self.found[place], at, Tale::UNTOLD);
                    let chunks = &work.setting.deferred_chunks;
                    self.later.at(distance).push(step, chunks, self.thread);
                }
            }
        }
    }

    /// The same for items all of whose steps were looked up. What is due and not known is nearly always new: it is made at
    /// once.
    fn settle_probed(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let (mut next, mut next_made) = (0, 0);
        for at in 0..self.probed.len() {
            let Probed { item, first, end, is_made } = self.probed[at];
            let start = std::mem::replace(&mut next, end);
            if let Some(soon) = self.probed.get(at + 1 + SOON) {
                let start = self.probed[at + SOON].end;
                let due = self.tales[start + self.positions[start]];
                self.recent.expect_step(survey.items[soon.item].explorer, 0, due);
            }
            survey.harvest.transitions += 1;
            let due = self.positions[start];
            let made = if is_made { self.made.get_mut(next_made).and_then(Option::take) } else { None };
            next_made += usize::from(is_made);
            if !self.is_known[first + due] {
                self.make_due(work, survey, (item, made), (due, self.tales[start + due]), first + due);
            }
            let node = survey.items[item].node;
            let others = &self.positions[start + 1..end];
            let piles = self.later.reach(others.len()).iter_mut();
            for ((delays, position), pile) in (1..).zip(others).zip(piles) {
                if self.is_known[first + position] {
                    pile.skipped += 1;
                } else {
                    let (key, tale) = (self.found[first + position], self.tales[start + position]);
                    let step = Deferred::probed(node, key, (delays, *position as u32), tale);
                    pile.push(step, &work.setting.deferred_chunks, self.thread);
                }
            }
        }
        self.positions.clear();
        self.tales.clear();
        self.probed.clear();
        self.made.clear();
    }

    /// Makes a step of an item that is due, by its position, of which this is told, and which leads to the state in a place
    /// among those that were looked up; that state may have been made.
    #[inline]
    fn make_due(
        &mut self,
        work: Work<'_, P, E>,
        survey: &mut Survey<P, E>,
        (item, state): (usize, Option<P::State>),
        (position, tale): (usize, Tale),
        place: usize,
    ) {
        let (program, key, position) = (work.setting.program, self.found[place], position as u32);
        if tale != Tale::UNTOLD {
            let (from, made) = match state {
                Some(state) => survey.make_with(item, state),
                None => {
                    let (from, made) = survey.make(item);
                    let batch = &self.keys.batch;
                    program.edit(&mut made.state, batch.edits(place), batch.fingerprint(place));
                    (from, made)
                }
            };
            let told = Told::new(from.explorer, 0, tale, program.machines(&made.state));
            let number = match self.known_number(work, &told) {
                Some(number) => Some(number),
                None => self.number_told(work, from, told, &made.state).ok(),
            };
            if let Some(number) = number {
                made.explorer = number;
                survey.add_made(item, (position, tale), key);
                return;
            }
            survey.arrivals.pop();
        }
        survey.add_due(item, (0, position), key);
    }

    /// Leaves what comes after so many delays at a node to the next stratum; `None` if nothing does.
    fn leave(&mut self, work: Work<'_, P, E>, node: NodeId, delays: Option<u32>, survey: &mut Survey<P, E>) {
        if let Some(delays) = delays {
            let step = Deferred::unprobed(node, delays);
            self.later.at(1).push(step, &work.setting.deferred_chunks, self.thread);
        } else if work.setting.limits.cache != Cache::Unlimited {
            survey.harvest.done.push(node);
        }
    }

    /// The number of an explorer after what it was told, if it need not be told for that.
    #[inline]
    pub(super) fn known_number(&self, work: Work<'_, P, E>, told: &Told) -> Option<u32> {
        work.known.explorers.only().or_else(|| self.recent.after(told))
    }

    /// The number of an item's explorer after what it was told, by which it is led to a state; if it has none yet, the explorer
    /// itself.
    pub(super) fn number_told(
        &mut self,
        work: Work<'_, P, E>,
        item: &Item<P::State>,
        told: Told,
        state: &P::State,
    ) -> Result<u32, &E> {
        let program = work.setting.program;
        self.effects.clear();
        let choice = program.told(state, told.tale(), &mut self.effects);
        let cursor = self.after(work, item, (told.delays(), choice), program.fingerprint(state));
        let number = work.known.explorers.find(cursor.explorer());
        if let Some(number) = number.filter(|_| cursor.explorer().keeps_to_itself()) {
            self.recent.remember(told, number);
        }
        number.ok_or(self.spare.insert(cursor).explorer())
    }

    /// The item's explorer after some delays at its state, whose choices are in `choices` if there are any.
    fn cursor(&mut self, work: Work<'_, P, E>, item: &Item<P::State>, delays: u32) -> Cursor<E> {
        let explorer = work.explorer(item);
        let mut cursor = match self.spare.take() {
            None => Cursor::at(explorer.into_owned()),
            Some(mut spare) => {
                spare.restart(&explorer);
                spare
            }
        };
        for _ in 0..delays {
            cursor.delay(&self.choices);
        }
        cursor
    }

    /// The second half: takes the steps into new states. The items are done with: this thread drops them, in whose cache they
    /// are.
    pub(super) fn take_new(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        if survey.deferred.is_empty() && survey.arrivals.len() == survey.steps.len() {
            survey.keep_new(work.setting.visit, work.nodes);
        } else {
            self.take_steps(work, survey);
        }
        work.setting.item_chunks.give_back(std::mem::take(&mut survey.items), self.thread);
    }

    fn take_steps(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let mut made = std::mem::replace(&mut survey.arrivals, work.setting.item_chunks.take(self.thread));
        let first = survey.deferred.len();
        self.take_deferred(work, survey);
        let mut made_before = made.drain(..);
        for at in 0..survey.steps.len() {
            let (step, key) = (survey.steps[at], survey.keys[first + at]);
            let made = if step.tale == Tale::UNTOLD { None } else { made_before.next() };
            if !survey.is_new[first + at] {
                continue;
            }
            if let Some(Item { state, explorer, .. }) = made {
                (work.setting.visit)(&state);
                survey.arrive(&step, (state, key), explorer, work.nodes);
            } else {
                let (state, number) = self.learn(work, survey.item(&step), &step);
                let number = number_or_note(number, survey.arrivals.len(), &mut survey.unnumbered);
                (work.setting.visit)(&state);
                survey.arrive(&step, (state, key), number, work.nodes);
            }
        }
        drop(made_before);
        work.setting.item_chunks.give_back(made, self.thread);
    }

    /// Takes all steps, in strict mode.
    pub(super) fn take_all(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        for at in 0..survey.steps.len() {
            let step = survey.steps[at];
            let (state, number) = self.learn(work, survey.item(&step), &step);
            let number = number_or_note(number, survey.learnt.len(), &mut survey.unnumbered);
            survey.learnt.push((state, number));
        }
    }

    /// Finds the keys of all that was learnt, in strict mode: of pairs with explorers, and of states.
    pub(super) fn find_pairs(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let Survey { learnt, keys, state_keys, .. } = survey;
        let mut find = |set: &Option<Keyed>, key: &dyn Fn(u32) -> u32, found: &mut Vec<Key>| {
            self.keys.clear();
            if let Some(set) = set {
                for (state, number) in &*learnt {
                    self.keys.push(set, work.setting.program, state, key(*number));
                }
                set.keys(&self.keys.batch, found);
            }
        };
        find(&work.known.set, &|number| number, keys);
        find(&work.known.all_states, &|_| ANY_EXPLORER, state_keys);
        self.keys.clear();
    }

    /// Takes a step from an item: the state that it leads to, and the number of the explorer there, or, if it has none yet,
    /// the explorer itself.
    pub(super) fn learn(
        &mut self,
        work: Work<'_, P, E>,
        item: &Item<P::State>,
        step: &Step,
    ) -> (P::State, Result<u32, &E>) {
        let program = work.setting.program;
        self.effects.clear();
        let choice = match step.choice {
            Some(choice) => choice,
            None => program.choice(&item.state, step.position as usize, &mut self.choices),
        };
        let Outcome::State(state) = program.step(&item.state, choice, &mut self.effects) else {
            unreachable!("a step that was sketched as one into a state leads to it")
        };
        if let Some(only) = work.known.explorers.only() {
            return (state, Ok(only));
        }
        let fingerprint = program.fingerprint(&state);
        let cursor = self.after(work, item, (step.delays, choice), fingerprint);
        let explorer = self.spare.insert(cursor).explorer();
        (state, work.known.explorers.find(explorer).ok_or(explorer))
    }

    /// An item's explorer after some delays and a step that has the effects in `effects` and leads to a state with this
    /// fingerprint.
    fn after(
        &mut self,
        work: Work<'_, P, E>,
        item: &Item<P::State>,
        (delays, choice): (u32, Choice),
        fingerprint: u128,
    ) -> Cursor<E> {
        if delays > 0 {
            work.setting.program.choices(&item.state, &mut self.choices);
        }
        let mut cursor = self.cursor(work, item, delays);
        cursor.step(&Taken { choice, effects: &self.effects, fingerprint: fingerprint as u64 });
        cursor
    }
}

/// The number of an explorer. One that has none yet is noted down with its place.
pub(super) fn number_or_note<E: Explorer>(
    number: Result<u32, &E>,
    place: usize,
    unnumbered: &mut Vec<(usize, E)>,
) -> u32 {
    number.unwrap_or_else(|explorer| {
        unnumbered.push((place, explorer.clone()));
        ANY_EXPLORER
    })
}
