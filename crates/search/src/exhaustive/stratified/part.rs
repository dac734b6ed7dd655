//! Items in the hands of one thread: where their choices lead.
//!
//! A round has two halves. In the first, nothing is stored: threads *survey* chunks of items, each sketches the steps that
//! are due and finds the keys of the states that they lead to. Once it is settled which of these are new, and who was the
//! first to reach each, the second half takes the steps into those: only of these does the explorer learn. In strict mode
//! the explorer is part of what is known, and all steps are taken first.
//!
//! When an item is taken for the first time, all choices at its state are sketched and *probed*: those that lead to known
//! states need not be taken at all, because what is known stays known. They count as taken in the stratum that they belong
//! to. Of the others the keys are kept; when one is due, or those after it are probed once more, nothing is sketched again.
//! Only with an unbounded cache, where that holds, not in strict mode, where each delay has its own stratum, and not in the
//! last stratum, after which nothing is taken.

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed, Sketch, Sketches};
use fabius_store::{Exact, Key};

use super::folded::Folding;
use super::nodes::{ANY_EXPLORER, Keys, Known};
use super::queue::{Item, NOT_PROBED, Open};
use super::survey::{Rest, Setting, Step, Survey};
use super::{Cache, Cost, Limits};

/// How many states are looked up together, at least.
const BATCH: usize = 128;
/// The items that are taken between two questions whether to go on.
const ITEMS_BETWEEN_QUESTIONS: usize = 32;
/// States with more choices are not probed: too much would be kept of each.
const MOST_PROBED: usize = 64;

/// What one thread needs, and keeps for the next chunk.
pub(super) struct Part<P: Packed, E> {
    sketches: Sketches<P::State, P::Bug>,
    effects: Vec<Effect>,
    choices: Vec<Choice>,
    /// States to be looked up, and why each is.
    keys: Keys,
    purposes: Vec<Purpose>,
    found: Vec<Key>,
    /// Those of them that are probed, with steps that were open before and are probed once more; and which are known.
    probed: Vec<Key>,
    reprobed: Vec<Reprobed>,
    is_known: Vec<bool>,
    /// The positions that the explorer names at a state, after 0 delays, 1 and so on.
    positions: Vec<usize>,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
    /// For each of the next strata.
    pub(super) folding: Vec<Folding>,
}

/// Why a state is looked up.
enum Purpose {
    /// The step with this number, which is due, leads to it. States have places among those that are looked up.
    Due { step: usize, place: usize },
    /// This step of an item leads to it.
    Probe { item: usize, open: Open, place: usize },
    /// It is not: this step of an item leads to a bug.
    Bug { item: usize, open: Open },
}

/// A step that was open before: its place among those of the survey, and how many strata away it is.
struct Reprobed {
    place: usize,
    distance: u32,
}

/// What all threads know.
pub(super) struct Work<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a Known<P::State, E>,
    /// Whether what is left to later strata will not be taken.
    pub(super) is_last: bool,
}

impl<P: Packed, E> Work<'_, P, E> {
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
    pub(super) fn new() -> Self {
        Part {
            sketches: Sketches::default(),
            effects: Vec::new(),
            choices: Vec::new(),
            keys: Keys::default(),
            purposes: Vec::new(),
            found: Vec::new(),
            probed: Vec::new(),
            reprobed: Vec::new(),
            positions: Vec::new(),
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
            if self.purposes.len() + self.reprobed.len() >= BATCH {
                self.look_up(work, survey);
            }
        }
        self.look_up(work, survey);
    }

    /// Finds the step that is due at the next item, and those after it that cost nothing more.
    fn take(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) -> Rest {
        let item = &survey.items[survey.taken];
        if item.open != NOT_PROBED {
            return self.take_open(work, survey);
        }
        work.setting.program.choices(&item.state, &mut self.choices);
        if self.choices.is_empty() {
            let bug = work.setting.program.end(&item.state);
            survey.harvest.bugs.extend(bug.map(|bug| (item.node, None, bug)));
            return Rest::Nothing;
        }
        let explorer = work.known.explorers.get(item.explorer);
        let limits = work.setting.limits;
        let is_alone = self.choices.len() == 1;
        if item.delays == 0 && (is_alone || !work.probes() && !self.is_free(limits, explorer, 0)) {
            // Nothing has to be copied.
            self.take_due(work, 0, Cursor::first(explorer, &self.choices), survey);
            return if is_alone { Rest::Nothing } else { Rest::Next { delays: 1 } };
        }
        let mut cursor = self.cursor(work, item, item.delays);
        let rest = if work.probes() && self.is_to_be_probed(limits, &mut cursor) {
            self.probe(work, survey);
            Rest::Opened
        } else {
            if cursor.delays() > item.delays {
                self.spare = Some(cursor);
                cursor = self.cursor(work, item, item.delays);
            }
            self.take_free(work, &mut cursor, survey)
        };
        self.spare = Some(cursor);
        rest
    }

    /// Finds the step that is due at the next item, at which steps are open.
    fn take_open(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) -> Rest {
        let at = survey.taken;
        let Item { open, delays, state, .. } = &survey.items[at];
        let first = survey.next_open;
        survey.next_open += *open as usize;
        let later = if work.probes() { first + 1..survey.next_open } else { 0..0 };
        for place in later {
            if let Some(Open { key: Some(key), delays: later, .. }) = survey.open[place] {
                self.probed.push(key);
                self.reprobed.push(Reprobed { place, distance: later - delays });
            }
        }
        let Some(Open { key, delays, position }) = survey.open[first] else { return Rest::Open };
        match key {
            Some(key) => {
                survey.harvest.transitions += 1;
                survey.steps.push(Step { item: at, delays, position, choice: None });
                survey.keys.push(key);
            }
            None => {
                work.setting.program.choices(state, &mut self.choices);
                self.take_due(work, delays, position as usize, survey);
            }
        }
        Rest::Open
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

    /// Whether all choices from the cursor's on are worth a look together. Then their positions are known, and the cursor is
    /// behind the last.
    fn is_to_be_probed(&mut self, limits: &Limits, cursor: &mut Cursor<E>) -> bool {
        if self.choices.len() > MOST_PROBED || !cursor.can_delay(&self.choices) {
            return false;
        }
        self.positions.clear();
        loop {
            if self.is_free(limits, cursor.explorer(), cursor.delays()) {
                return false;
            }
            self.positions.push(cursor.next(&self.choices));
            if !cursor.delay(&self.choices) {
                return true;
            }
        }
    }

    /// Sketches all choices of the next item: the one at the first position is due, the others are probed.
    fn probe(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let (program, at) = (work.setting.program, survey.taken);
        self.sketches.clear();
        program.sketch(&survey.items[at].state, &mut self.sketches);
        let delays = survey.items[at].delays;
        if self.sketches.are_changes() {
            let first = self.keys.push_changes(program, (at, &survey.items[at].state), &self.sketches);
            self.add_step(delays, self.positions[0], Some(first + self.positions[0]), survey);
            self.purposes.extend((delays + 1..).zip(&self.positions[1..]).map(|(delays, &position)| {
                let open = Open { key: None, delays, position: position as u32 };
                Purpose::Probe { item: at, open, place: first + position }
            }));
            return;
        }
        self.add_due(work, delays, self.positions[0], self.positions[0], survey);
        let item = &survey.items[at];
        for (delays, &position) in (delays + 1..).zip(&self.positions[1..]) {
            let open = Open { key: None, delays, position: position as u32 };
            let sketch = self.sketches.get(position);
            self.purposes.push(if matches!(sketch, Sketch::Made(Outcome::Bug(_))) {
                Purpose::Bug { item: at, open }
            } else {
                let place = self.keys.push_sketch(program, (at, &item.state), &sketch);
                Purpose::Probe { item: at, open, place }
            });
        }
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
        let sketch = self.sketches.get(sketch);
        if let Sketch::Made(Outcome::Bug(bug)) = sketch {
            survey.harvest.transitions += 1;
            survey.harvest.bugs.push((item.node, Some(position as u32), bug.clone()));
            return;
        }
        let is_looked_up = work.known.set.is_some() && !work.setting.limits.strict;
        let place =
            is_looked_up.then(|| self.keys.push_sketch(work.setting.program, (at, &item.state), &sketch));
        self.add_step(delays, position, place, survey);
    }

    /// Adds a step of the next item into a state, which has this place among those that are looked up, if it is.
    fn add_step(&mut self, delays: u32, position: usize, place: Option<usize>, survey: &mut Survey<P, E>) {
        survey.harvest.transitions += 1;
        if let Some(place) = place {
            self.purposes.push(Purpose::Due { step: survey.steps.len(), place });
            survey.keys.push(Key::NONE);
        }
        let choice = Some(self.choices[position]);
        survey.steps.push(Step { item: survey.taken, delays, position: position as u32, choice });
    }

    /// Finds the keys of states, and which of those that are probed are known.
    fn look_up(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        let Some(set) = &work.known.set else { return };
        set.keys(&self.keys.batch, &mut self.found);
        self.keys.clear();
        for purpose in &mut self.purposes {
            match purpose {
                Purpose::Due { step, place } => survey.keys[*step] = self.found[*place],
                Purpose::Probe { open, place, .. } => {
                    let key = self.found[*place];
                    open.key = Some(key);
                    self.probed.push(key);
                }
                Purpose::Bug { .. } => {}
            }
        }
        set.contains_keys(&self.probed, &mut self.is_known);
        self.probed.clear();
        let mut is_known = self.is_known.iter().copied();
        for Reprobed { place, distance } in self.reprobed.drain(..) {
            if is_known.next() == Some(true) {
                survey.open[place] = None;
                survey.harvest.later(distance).skipped += 1;
            }
        }
        for purpose in self.purposes.drain(..) {
            match purpose {
                Purpose::Due { .. } => {}
                Purpose::Bug { item, open } => survey.opened.push((item, open)),
                Purpose::Probe { item, open, .. } => {
                    if is_known.next() == Some(true) {
                        let distance = open.delays - survey.items[item].delays;
                        survey.harvest.later(distance).skipped += 1;
                    } else {
                        survey.opened.push((item, open));
                    }
                }
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
        let choice = match step.choice {
            Some(choice) if step.delays == 0 => choice,
            _ => {
                program.choices(&item.state, &mut self.choices);
                self.choices[step.position as usize]
            }
        };
        let Outcome::State(state) = program.step(&item.state, choice, &mut self.effects) else {
            unreachable!("a step that was sketched as one into a state leads to it")
        };
        let mut cursor = self.cursor(work, item, step.delays);
        let fingerprint = program.fingerprint(&state) as u64;
        cursor.step(&Taken { choice, effects: &self.effects, fingerprint });
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
