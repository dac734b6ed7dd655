//! Items in the hands of one thread: where their choices lead.
//!
//! A round has two halves. In the first, nothing is stored: threads *survey* chunks of items, each sketches the steps that
//! are due and finds the keys of the states that they lead to. Once it is settled which of these are new, and who was the
//! first to reach each, the second half takes the steps into those: only of these does the explorer learn. In strict mode
//! the explorer is part of what is known, and all steps are taken first.
//!
//! When an item is taken for the second time, all choices left at its state are *probed*: those that lead to known states
//! need not be taken at all, because what is known stays known. They count as taken in the stratum that they belong to.
//! Only with an unbounded cache, where that holds, not in strict mode, and where each delay has its own stratum.

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed, Sketch, Sketches};
use fabius_store::{Exact, Key};

use super::folded::Folding;
use super::nodes::{ANY_EXPLORER, Keys, Known};
use super::queue::{ALL_OPEN, Item};
use super::survey::{Rest, Setting, Step, Survey};
use super::{Cache, Cost, Limits};

/// How many states are looked up together, at least.
const BATCH: usize = 128;
/// The items that are taken between two questions whether to go on.
const ITEMS_BETWEEN_QUESTIONS: usize = 32;
/// States with more choices are not probed: an item has a bit for each, and one that tells that it was probed.
const MOST_PROBED: usize = 63;

/// What one thread needs, and keeps for the next chunk.
pub(super) struct Part<P: Packed, E> {
    sketches: Sketches<P::State, P::Bug>,
    effects: Vec<Effect>,
    choices: Vec<Choice>,
    /// States to be looked up, and why each is.
    keys: Keys,
    purposes: Vec<Purpose>,
    found: Vec<Key>,
    /// Those of them that are probed, and which are known.
    probed: Vec<Key>,
    is_known: Vec<bool>,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
    /// For each of the next strata.
    pub(super) folding: Vec<Folding>,
}

/// Why a state is looked up.
enum Purpose {
    /// A step that is due leads to it.
    Due,
    /// So many delays at this item lead to it.
    Probe { item: usize, delays: u32 },
}

/// What all threads know.
pub(super) struct Work<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a Known<P::State, E>,
}

impl<P: Packed, E> Clone for Work<'_, P, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Packed, E> Copy for Work<'_, P, E> {}

impl<P: Packed, E: Explorer> Part<P, E> {
    pub(super) fn new() -> Self {
        Part {
            sketches: Sketches::default(),
            effects: Vec::new(),
            choices: Vec::new(),
            keys: Keys::default(),
            purposes: Vec::new(),
            found: Vec::new(),
            probed: Vec::new(),
            is_known: Vec::new(),
            spare: None,
            folding: Vec::new(),
        }
    }

    /// The first half: finds out which steps are due at some items, and where they lead.
    pub(super) fn survey(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        survey.open(work.setting);
        while survey.taken < survey.items.len() {
            if survey.taken.is_multiple_of(ITEMS_BETWEEN_QUESTIONS) && work.setting.is_stopped() {
                break;
            }
            let rest = self.take(work, survey);
            survey.rests.push(rest);
            survey.taken += 1;
            if self.purposes.len() >= BATCH {
                self.look_up(work, survey);
            }
        }
        self.look_up(work, survey);
    }

    /// Sketches the step that is due at the next item, and those after it that cost nothing more.
    fn take(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) -> Rest {
        let item = &survey.items[survey.taken];
        work.setting.program.choices(&item.state, &mut self.choices);
        if self.choices.is_empty() {
            let bug = work.setting.program.end(&item.state);
            survey.harvest.bugs.extend(bug.map(|bug| (item.node, None, bug)));
            return Rest::Nothing;
        }
        let explorer = work.known.explorers.get(item.explorer);
        if item.delays == 0 && !self.is_free(work.setting.limits, explorer, 0) {
            // Nothing has to be copied.
            self.take_due(work, 0, Cursor::first(explorer, &self.choices), survey);
            return if self.choices.len() > 1 { Rest::Next { delays: 1 } } else { Rest::Nothing };
        }
        let mut cursor = self.cursor(work, item, item.delays);
        let rest = if item.open != ALL_OPEN {
            self.take_due(work, cursor.delays(), cursor.next(&self.choices), survey);
            survey.items[survey.taken].open &= !(1 << cursor.delays());
            Rest::Open
        } else if self.is_to_be_probed(work.setting.limits, &cursor) {
            self.probe(work, &mut cursor, survey);
            Rest::Open
        } else {
            self.take_free(work, &mut cursor, survey)
        };
        self.spare = Some(cursor);
        rest
    }

    fn take_free(&mut self, work: Work<'_, P, E>, cursor: &mut Cursor<E>, survey: &mut Survey<P, E>) -> Rest {
        loop {
            let is_free = self.is_free(work.setting.limits, cursor.explorer(), cursor.delays());
            self.take_due(work, cursor.delays(), cursor.next(&self.choices), survey);
            if !cursor.can_delay(&self.choices) {
                return Rest::Nothing;
            }
            if !is_free {
                return Rest::Next { delays: cursor.delays() + 1 };
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

    /// Whether the choices after the cursor's are worth a look together.
    fn is_to_be_probed(&self, limits: &Limits, cursor: &Cursor<E>) -> bool {
        let is_possible = limits.cache == Cache::Unlimited && !limits.strict && limits.cost == Cost::Delays;
        let is_useful =
            cursor.delays() > 0 && cursor.can_delay(&self.choices) && self.choices.len() <= MOST_PROBED;
        is_possible && is_useful && !self.is_free(limits, cursor.explorer(), cursor.delays())
    }

    /// Sketches all choices of the next item: the cursor's is due, those after it are probed.
    fn probe(&mut self, work: Work<'_, P, E>, cursor: &mut Cursor<E>, survey: &mut Survey<P, E>) {
        let (program, at) = (work.setting.program, survey.taken);
        self.sketches.clear();
        program.sketch(&survey.items[at].state, &mut self.sketches);
        let position = cursor.next(&self.choices);
        self.add_due(work, cursor.delays(), position, position, survey);
        let mut open = 0;
        while cursor.delay(&self.choices) {
            open |= 1 << cursor.delays();
            let sketch = self.sketches.get(cursor.next(&self.choices));
            // What leads to a bug is worth taking.
            if !matches!(sketch, Sketch::Made(Outcome::Bug(_))) {
                self.keys.push_sketch(program, (at, &survey.items[at].state), &sketch);
                self.purposes.push(Purpose::Probe { item: at, delays: cursor.delays() });
            }
        }
        survey.items[at].open = open;
    }

    /// Sketches the choice at a position, which comes after so many delays.
    fn take_due(&mut self, work: Work<'_, P, E>, delays: u32, position: usize, survey: &mut Survey<P, E>) {
        self.sketches.clear();
        let state = &survey.items[survey.taken].state;
        work.setting.program.sketch_choice(state, self.choices[position], &mut self.sketches);
        self.add_due(work, delays, position, 0, survey);
    }

    /// Adds the step that a sketch is of, which is due at the next item.
    fn add_due(
        &mut self,
        work: Work<'_, P, E>,
        delays: u32,
        position: usize,
        sketch: usize,
        survey: &mut Survey<P, E>,
    ) {
        let at = survey.taken;
        let item = &survey.items[at];
        survey.harvest.transitions += 1;
        let sketch = self.sketches.get(sketch);
        if let Sketch::Made(Outcome::Bug(bug)) = sketch {
            survey.harvest.bugs.push((item.node, Some(position as u32), bug.clone()));
            return;
        }
        if work.known.set.is_some() && !work.setting.limits.strict {
            self.keys.push_sketch(work.setting.program, (at, &item.state), &sketch);
            self.purposes.push(Purpose::Due);
        }
        let choice = self.choices[position];
        survey.steps.push(Step { item: at, delays, position: position as u32, choice });
    }

    /// Finds the keys of states, and which of those that are probed are known.
    fn look_up(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let Some(set) = &work.known.set else { return };
        set.keys(&self.keys.batch, &mut self.found);
        self.keys.clear();
        self.probed.clear();
        for (purpose, key) in self.purposes.iter().zip(&self.found) {
            match purpose {
                Purpose::Due => survey.keys.push(*key),
                Purpose::Probe { .. } => self.probed.push(*key),
            }
        }
        set.contains_keys(&self.probed, &mut self.is_known);
        let mut is_known = self.is_known.iter();
        for purpose in self.purposes.drain(..) {
            if let Purpose::Probe { item, delays } = purpose
                && is_known.next() == Some(&true)
            {
                let item = &mut survey.items[item];
                item.open &= !(1 << delays);
                survey.harvest.later(delays - item.delays).1 += 1;
            }
        }
    }

    /// The item's explorer after some delays at its state, whose choices are in `choices` if there are any.
    fn cursor(&mut self, work: Work<'_, P, E>, item: &Item<P::State>, delays: u32) -> Cursor<E> {
        let explorer = work.known.explorers.get(item.explorer);
        let mut cursor = match self.spare.take() {
            None => Cursor::at(explorer.clone()),
            Some(mut spare) => {
                spare.restart(explorer);
                spare
            }
        };
        for _ in 0..delays {
            cursor.delay(&self.choices);
        }
        cursor
    }

    /// The second half: takes the steps into new states.
    pub(super) fn take_new(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        survey.arrivals = work.setting.chunks.take();
        for at in 0..survey.steps.len() {
            if !survey.is_new[at] {
                continue;
            }
            let step = survey.steps[at];
            let (state, explorer) = self.learn(work, &survey.items, &step);
            (work.setting.visit)(&state);
            let number = number_of(work.known, explorer, survey.arrivals.len(), &mut survey.unnumbered);
            survey.arrive(&step, state, number);
        }
        survey.leave(work.setting, &mut self.folding);
    }

    /// Takes all steps, in strict mode.
    pub(super) fn take_all(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        for step in &survey.steps {
            let (state, explorer) = self.learn(work, &survey.items, step);
            let number = number_of(work.known, explorer, survey.learnt.len(), &mut survey.unnumbered);
            survey.learnt.push((state, number));
        }
    }

    /// Finds the keys of all that was learnt, in strict mode: of pairs with explorers, and of states.
    pub(super) fn find_pairs(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let Survey { learnt, keys, state_keys, .. } = survey;
        let mut find = |set: &Option<Exact>, key: &dyn Fn(u32) -> u32, found: &mut Vec<Key>| {
            self.keys.clear();
            for (state, number) in &*learnt {
                self.keys.push(work.setting.program, state, key(*number));
            }
            if let Some(set) = set {
                set.keys(&self.keys.batch, found);
            }
        };
        find(&work.known.set, &|number| number, keys);
        find(&work.known.states, &|_| ANY_EXPLORER, state_keys);
        self.keys.clear();
    }

    /// Takes a step: the state that it leads to, and the explorer there.
    pub(super) fn learn(
        &mut self,
        work: Work<'_, P, E>,
        items: &[Item<P::State>],
        step: &Step,
    ) -> (P::State, &E) {
        let (program, item) = (work.setting.program, &items[step.item]);
        self.effects.clear();
        let Outcome::State(state) = program.step(&item.state, step.choice, &mut self.effects) else {
            unreachable!("a step that was sketched as one into a state leads to it")
        };
        if step.delays > 0 {
            program.choices(&item.state, &mut self.choices);
        }
        let mut cursor = self.cursor(work, item, step.delays);
        let fingerprint = program.fingerprint(&state) as u64;
        cursor.step(&Taken { choice: step.choice, effects: &self.effects, fingerprint });
        (state, self.spare.insert(cursor).explorer())
    }
}

/// The number of an explorer. One that has none yet is noted down with its place.
fn number_of<S, E: Explorer>(
    known: &Known<S, E>,
    explorer: &E,
    place: usize,
    unnumbered: &mut Vec<(usize, E)>,
) -> u32 {
    known.explorers.find(explorer).unwrap_or_else(|| {
        unnumbered.push((place, explorer.clone()));
        ANY_EXPLORER
    })
}
