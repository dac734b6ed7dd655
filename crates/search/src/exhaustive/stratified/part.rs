//! Items in the hands of one thread: what their choices lead to.
//!
//! Steps are sketched first and looked up together afterwards, because a lookup waits for memory. Only those into states
//! that are not known are really taken, and only of these does the explorer learn; except in strict mode, where it is part
//! of what is known, and with a bounded cache.
//!
//! Before an item is taken for the second time, all choices left at its state are *probed*: those that lead to known states
//! need not be taken at all, because what is known stays known. They count as taken in the stratum that they belong to.
//! Only with an unbounded cache, where that holds, not in strict mode, and where each delay has its own stratum. The
//! items of a round are probed before any of them is taken, so that all threads see the same.

use std::sync::atomic::{AtomicBool, Ordering};

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed, Sketch, Sketches};
use fabius_store::VisitedSet;

use super::nodes::{Keys, Known, NodeId, Way};
use super::queue::{ALL_OPEN, Chunks, Item, Queue};
use super::{Cache, Cost, Limits};

/// How many states are looked up together, at least.
const BATCH: usize = 64;
/// States with more choices are not probed: an item has a bit for each, and one that tells that it was probed.
const MOST_PROBED: usize = 63;

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
    pub(super) later: Vec<Later<P::State>>,
    /// Nodes all of whose choices were taken; only with a bounded cache.
    pub(super) done: Vec<NodeId>,
    pub(super) transitions: u64,
}

/// What is to be done in a later stratum.
pub(super) struct Later<S> {
    pub(super) items: Queue<Item<S>>,
    /// Choices that need not be taken, because they lead to known states.
    pub(super) skipped: u64,
}

impl<S> Later<S> {
    pub(super) fn new() -> Self {
        Self { items: Queue::new(), skipped: 0 }
    }
}

impl<P: Packed> Harvest<P> {
    pub(super) fn new() -> Self {
        Harvest { bugs: Vec::new(), later: Vec::new(), done: Vec::new(), transitions: 0 }
    }

    /// What is to be done so many strata further.
    fn later(&mut self, distance: u32) -> &mut Later<P::State> {
        let distance = distance as usize;
        if self.later.len() < distance {
            self.later.resize_with(distance, Later::new);
        }
        &mut self.later[distance - 1]
    }
}

/// What is left to do at an item.
struct Rest {
    /// After how many strata; 0 if nothing is left.
    distance: u32,
    delays: u32,
    open: u64,
}

impl Rest {
    const NOTHING: Rest = Rest { distance: 0, delays: 0, open: 0 };
}

/// Takes items, and keeps its memory for the next ones.
pub(super) struct Part<P: Packed, E> {
    /// Steps to be looked up, and where each leads.
    pub(super) candidates: Vec<Candidate>,
    pub(super) sketches: Sketches<P::State, P::Bug>,
    effects: Vec<Effect>,
    choices: Vec<Choice>,
    /// What is left to do at each item taken.
    rests: Vec<Rest>,
    /// What is being probed, and the states to look up.
    probes: Vec<Probe>,
    probed: Sketches<P::State, P::Bug>,
    keys: Keys,
    is_known: Vec<bool>,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
}

/// What a number of delays at an item leads to: the state at the same place in the batch.
struct Probe {
    item: usize,
    delays: u32,
}

/// A step into a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The item it begins at, the delays spent there, and the choice taken.
    pub(super) item: usize,
    delays: u32,
    pub(super) position: u32,
    choice: Choice,
}

impl Candidate {
    pub(super) fn way<S>(&self, items: &[Item<S>]) -> Way {
        Way { before: items[self.item].node, position: self.position }
    }
}

/// What a part works on.
pub(super) struct Work<'a, P: Packed, E> {
    pub(super) setting: &'a Setting<'a, P>,
    pub(super) known: &'a Known<P::State, E>,
    pub(super) items: &'a [Item<P::State>],
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
            candidates: Vec::new(),
            sketches: Sketches::default(),
            effects: Vec::new(),
            choices: Vec::new(),
            rests: Vec::new(),
            probes: Vec::new(),
            probed: Sketches::default(),
            keys: Keys::default(),
            is_known: Vec::new(),
            spare: None,
        }
    }

    /// Whether there is enough to look up.
    pub(super) fn is_full(&self) -> bool {
        self.candidates.len() >= BATCH
    }

    /// Takes the choice that the cursor names, and those after it that cost nothing more.
    pub(super) fn take(&mut self, work: Work<'_, P, E>, at: usize, harvest: &mut Harvest<P>) {
        let Work { setting, items, .. } = work;
        let item = &items[at];
        setting.program.choices(&item.state, &mut self.choices);
        if self.choices.is_empty() {
            let bug = setting.program.end(&item.state);
            harvest.bugs.extend(bug.map(|bug| (item.node, None, bug)));
            self.rests.push(Rest::NOTHING);
            return;
        }
        let mut cursor = self.cursor(work, item, item.delays);
        let rest = if item.open == ALL_OPEN {
            self.take_free(work, at, &mut cursor, harvest)
        } else {
            self.step(work, at, &cursor, harvest);
            match item.open & !(1 << item.delays) {
                0 => Rest::NOTHING,
                open => {
                    let delays = open.trailing_zeros();
                    Rest { distance: delays - item.delays, delays, open }
                }
            }
        };
        self.rests.push(rest);
        self.spare = Some(cursor);
    }

    fn take_free(
        &mut self,
        work: Work<'_, P, E>,
        at: usize,
        cursor: &mut Cursor<E>,
        harvest: &mut Harvest<P>,
    ) -> Rest {
        loop {
            let is_free = self.is_free(work.setting.limits, cursor);
            self.step(work, at, cursor, harvest);
            if !cursor.can_delay(&self.choices) {
                return Rest::NOTHING;
            }
            if !is_free {
                return Rest { distance: 1, delays: cursor.delays() + 1, open: ALL_OPEN };
            }
            cursor.delay(&self.choices);
        }
    }

    /// Leaves what is left to do at the items taken to later strata. Most of it is for the next one: that stays where it is.
    pub(super) fn leave(
        &mut self,
        setting: &Setting<'_, P>,
        mut items: Vec<Item<P::State>>,
        harvest: &mut Harvest<P>,
    ) {
        let mut rests = self.rests.drain(..);
        items.retain_mut(|item| {
            let rest = rests.next().unwrap_or(Rest::NOTHING);
            (item.delays, item.open) = (rest.delays, rest.open);
            match rest.distance {
                0 => {
                    if setting.limits.cache != Cache::Unlimited {
                        harvest.done.push(item.node);
                    }
                    false
                }
                1 => true,
                distance => {
                    harvest.later(distance).items.push(item.clone(), &setting.chunks);
                    false
                }
            }
        });
        match items.is_empty() {
            true => setting.chunks.give_back(items),
            false => harvest.later(1).items.push_chunk(items, &setting.chunks),
        }
    }

    /// Whether one delay more costs nothing more.
    fn is_free(&self, limits: &Limits, cursor: &Cursor<E>) -> bool {
        let is_free = match self.choices.first() {
            Some(Choice::Data(_)) => limits.free_data,
            _ => cursor.explorer().delays_freely(&self.choices),
        };
        is_free || limits.cost == Cost::Deviations && cursor.delays() > 0
    }

    /// Finds out which choices of items are worth taking.
    pub(super) fn probe(
        &mut self,
        setting: &Setting<'_, P>,
        known: &Known<P::State, E>,
        items: &mut [Item<P::State>],
        harvest: &mut Harvest<P>,
    ) {
        let limits = setting.limits;
        if limits.cache != Cache::Unlimited || limits.strict || limits.cost != Cost::Delays {
            return;
        }
        for at in 0..items.len() {
            if items[at].delays > 0 && items[at].open == ALL_OPEN {
                items[at].open = self.probe_item(Work { setting, known, items }, at);
            }
            if self.probes.len() >= BATCH {
                self.look_up_probes(known, items, harvest);
            }
        }
        self.look_up_probes(known, items, harvest);
    }

    /// Steps to what the choices after the cursor's lead to; gives the bits of all that are left.
    fn probe_item(&mut self, work: Work<'_, P, E>, at: usize) -> u64 {
        let (program, item) = (work.setting.program, &work.items[at]);
        program.choices(&item.state, &mut self.choices);
        if self.choices.len() < item.delays as usize + 2 || self.choices.len() > MOST_PROBED {
            return ALL_OPEN;
        }
        let mut open = ALL_OPEN;
        let mut cursor = self.cursor(work, item, item.delays);
        if !self.is_free(work.setting.limits, &cursor) {
            open = ((1 << self.choices.len()) - 1) & !((1 << item.delays) - 1);
            self.probed.clear();
            program.sketch(&item.state, &mut self.probed);
            while cursor.delay(&self.choices) {
                let sketch = self.probed.get(cursor.next(&self.choices));
                // What leads to a bug is worth taking.
                if !matches!(sketch, Sketch::Made(Outcome::Bug(_))) {
                    self.keys.push_sketch(program, (at, &item.state), sketch);
                    self.probes.push(Probe { item: at, delays: cursor.delays() });
                }
            }
        }
        self.spare = Some(cursor);
        open
    }

    fn look_up_probes(
        &mut self,
        known: &Known<P::State, E>,
        items: &mut [Item<P::State>],
        harvest: &mut Harvest<P>,
    ) {
        if let Some(set) = &known.set {
            set.contains(&self.keys.batch, &mut self.is_known);
        }
        for (Probe { item, delays }, is_known) in self.probes.drain(..).zip(&self.is_known) {
            if *is_known {
                let item = &mut items[item];
                item.open &= !(1 << delays);
                harvest.later(delays - item.delays).skipped += 1;
            }
        }
        self.keys.clear();
    }

    /// The item's explorer after some delays at its state, whose choices are in `choices` if there are any.
    fn cursor(&mut self, work: Work<'_, P, E>, item: &Item<P::State>, delays: u32) -> Cursor<E> {
        let explorer = work.known.explorer(work.setting.program.fingerprint(&item.state), item.explorer);
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

    /// Sketches the choice that the cursor names.
    fn step(&mut self, work: Work<'_, P, E>, at: usize, cursor: &Cursor<E>, harvest: &mut Harvest<P>) {
        let item = &work.items[at];
        let position = cursor.next(&self.choices);
        let choice = self.choices[position];
        harvest.transitions += 1;
        let index = self.sketches.len();
        work.setting.program.sketch_choice(&item.state, choice, &mut self.sketches);
        if let Sketch::Made(Outcome::Bug(bug)) = self.sketches.get(index) {
            harvest.bugs.push((item.node, Some(position as u32), bug.clone()));
            self.sketches.pop();
            return;
        }
        self.candidates.push(Candidate { item: at, delays: cursor.delays(), position: position as u32, choice });
    }

    /// Takes the step of a candidate: the state that it leads to, and the explorer there.
    pub(super) fn learn(&mut self, work: Work<'_, P, E>, candidate: &Candidate) -> (P::State, &E) {
        let (program, item) = (work.setting.program, &work.items[candidate.item]);
        self.effects.clear();
        let Outcome::State(state) = program.step(&item.state, candidate.choice, &mut self.effects) else {
            unreachable!("a candidate's step leads to a state")
        };
        if candidate.delays > 0 {
            program.choices(&item.state, &mut self.choices);
        }
        let mut cursor = self.cursor(work, item, candidate.delays);
        cursor.step(&Taken {
            choice: candidate.choice,
            effects: &self.effects,
            fingerprint: program.fingerprint(&state) as u64,
        });
        (state, self.spare.insert(cursor).explorer())
    }

    /// Lets go of the candidates, which have been dealt with.
    pub(super) fn clear(&mut self, candidates: Vec<Candidate>) {
        self.candidates = candidates;
        self.candidates.clear();
        self.sketches.clear();
    }

    /// Adds where the candidates lead.
    pub(super) fn push_keys(&self, work: Work<'_, P, E>, candidates: &[Candidate], keys: &mut Keys) {
        keys.clear();
        for (index, candidate) in candidates.iter().enumerate() {
            let state = &work.items[candidate.item].state;
            keys.push_sketch(work.setting.program, (candidate.item, state), self.sketches.get(index));
        }
    }
}
