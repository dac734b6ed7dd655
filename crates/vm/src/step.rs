//! Steps of the whole program.
//!
//! # What a step is
//!
//! P's checker can switch to another machine at certain points only: before a `new`; at a `send`, after monitors have
//! seen the event and before it is enqueued; at every dequeue and `receive`; and, in states that react to `null`, before
//! looking into the queue and again before running the handler. `Granularity::Reference` stops at each of them. A step
//! there begins with what its point delayed (the enqueue, the creation, the dequeued event) and runs on, through
//! announcements, `raise`, `goto` and calls, to the next point. A `choose` is no such point: while a machine stands at
//! one, the only choices are its alternatives.
//!
//! # What the coarse steps leave out, and why nothing is lost
//!
//! `Granularity::Coarse` drops two kinds of points: the one before `new`, and in states that react to `null` the one
//! between the look into the queue and the handler.
//!
//! A machine's move touches others in these ways only: it puts a message into a queue; it shows an event to monitors; it
//! creates a machine, which can move from then on; it finds its own queue without anything to take, which a message
//! could have changed. Call these *visible*. Everything else a move does depends on nothing that others change, and
//! changes nothing that they depend on: even a dequeue, because later messages go behind the one that is taken. (That a
//! machine halts drops its queue; whether a message arrives just before or just after makes no difference.)
//!
//! Let a dropped point lie between `A`, all that the move did before it since the last kept point, and `B`, what it does
//! from there to the next kept point. In P others may run between `A` and `B`.
//! - If nothing in `A` is visible, they may as well run before `A`: the point adds nothing.
//! - If nothing in `B` is visible except creations, they may as well run after `B`: they cannot know the machines that
//!   `B` creates, and those need not run before them. The point adds nothing.
//! - Otherwise the point is kept. If `B` comes to show an event, to a choice (behind which anything may come) or to a bug
//!   (which would keep the others from running at all), the move goes back to the *last* dropped point and stops there.
//!   It is enough to keep the last one: what others do at an earlier one they may also do there, by the second case.
//!
//! No behaviour is added either: a coarse step is a sequence of P's steps in which the scheduler stays with the machine.
//! Enqueues, looks into a queue, dequeues and `receive`s begin a step in both granularities, hence are never in `B`.
//! Monitors that do not observe an event of this sender see nothing, so showing it to them is not visible.
//!
//! Only the limit on machines makes a difference, which P does not have: a step that creates more is not followed as a
//! whole, and keeps no point at which those that it created first could have moved.
//!
//! One more thing differs from P without showing: P takes an event from the queue when the handler before it ends, and
//! then may switch; here it is taken when the machine is scheduled. Later messages go behind it, so it is the same one.

use crate::bug::Bug;
use crate::draft::Draft;
use crate::exercise::Exercised;
use crate::link::{LinkError, Linked};
use crate::monitor;
use crate::options::Options;
use crate::state::{HEADER, State};
use crate::store::{Stance, Store};
use crate::value::Value;
use crate::walk::Walker;
use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_model::{
    ActorId, Choice, Edit, Effect, Happening, Offer, Outcome, Packed, Program, Sketches, Tale, Touched,
};
use std::sync::Arc;

/// One test of a P program as a transition system.
#[derive(Debug)]
pub struct Vm {
    pub(crate) linked: Arc<Linked>,
    pub(crate) store: Store,
}

impl Vm {
    /// Links the test; an error says why it cannot run.
    pub fn new(program: Arc<ir::Program>, test: TestId, options: Options) -> Result<Self, LinkError> {
        let linked = Arc::new(Linked::new(program, test, options)?);
        let exercised = Arc::new(Exercised::new(&linked.places));
        Ok(Self { store: Store::new(exercised), linked })
    }

    /// The same test with nothing remembered; shares the code, and what of it was exercised. For a worker of its own.
    pub fn fresh(&self) -> Self {
        let exercised = Arc::clone(&self.store.exercised);
        Self { store: Store::new(exercised), linked: self.linked.clone() }
    }

    /// The same test for runs that remember nothing.
    pub fn walker(&self) -> Walker {
        Walker::new(self.linked.clone(), Arc::clone(&self.store.exercised))
    }

    pub fn program(&self) -> &ir::Program {
        &self.linked.program
    }

    pub fn test(&self) -> TestId {
        self.linked.test
    }

    pub fn options(&self) -> &Options {
        &self.linked.options
    }

    /// The state before the first step; tells what happens before it when asked to.
    pub(crate) fn start(&self, mut told: Option<&mut Vec<Happening>>) -> Outcome<State, Box<Bug>> {
        let mut monitors = Vec::new();
        for index in 0..self.linked.monitors.len() {
            match monitor::start(&self.linked, &self.store, index as u32, told.as_deref_mut()) {
                Ok(monitor) => monitors.push(monitor),
                Err(bug) => return Outcome::Bug(bug),
            }
        }
        let interface = self.linked.program[self.linked.test].main;
        let machine = self.linked.machine_of(interface);
        let main = self.store.actors.main(interface, machine);
        let local = self.linked.created_local(main, machine, Value::Null);
        let local = self.store.intern_local(&local, &self.linked);
        if let Some(told) = told {
            let machine = self.linked.machine_name(machine).to_owned();
            told.push(Happening::Created { actor: main, machine, payload: None });
        }
        Outcome::State(Draft::first(self, &monitors, main, local))
    }

    /// Takes a step; tells what happens in it when asked to.
    pub(crate) fn advance(
        &self,
        state: &State,
        choice: Choice,
        effects: &mut Vec<Effect>,
        told: Option<&mut Vec<Happening>>,
    ) -> Outcome<State, Box<Bug>> {
        if told.is_none() && !self.linked.options.hints {
            let (mover, alternative) = self.mover(state, choice);
            let mut next = state.clone();
            let told_before = effects.len();
            if self.recall(&mut next, mover, alternative, Some(effects)).is_some() {
                return Outcome::State(next);
            }
            effects.truncate(told_before);
        }
        match Draft::copy(self, state, effects, told).step(choice) {
            Ok(state) => Outcome::State(state),
            Err(bug) => Outcome::Bug(bug),
        }
    }

    /// The slot of the machine that a choice lets move, and the alternative it takes.
    fn mover(&self, state: &State, choice: Choice) -> (usize, Option<u32>) {
        match choice {
            Choice::Data(alternative) => {
                (state.chooser().expect("data choices belong to somebody"), Some(alternative))
            }
            Choice::Schedule(actor) => (self.store.roster(state.roster()).slot(actor), None),
        }
    }

    pub(crate) fn stance(&self, state: &State, slot: usize) -> Stance {
        self.store.local(self.store.part(state.part(slot)).local).stance
    }
}

impl Program for Vm {
    type State = State;
    type Bug = Box<Bug>;

    fn initial(&self) -> Outcome<State, Box<Bug>> {
        self.start(None)
    }

    fn choices(&self, state: &State, choices: &mut Vec<Choice>) {
        choices.clear();
        if let Some(slot) = state.chooser() {
            if let Stance::Choose { alternatives } = self.stance(state, slot) {
                choices.extend((0..alternatives).map(Choice::Data));
            }
            return;
        }
        let actors = &self.store.roster(state.roster()).actors;
        state.for_each_mover(|slot, _| choices.push(Choice::Schedule(actors[slot])));
    }

    fn step(&self, state: &State, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<State, Box<Bug>> {
        self.advance(state, choice, effects, None)
    }

    fn end(&self, state: &State) -> Option<Box<Bug>> {
        self.end_of(state)
    }

    fn fingerprint(&self, state: &State) -> u128 {
        state.fingerprint
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.store.actors.hash(actor)
    }

    fn writes_to(&self, state: &State, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(actor) = choice else { return None };
        let slot = self.store.roster(state.roster()).slot(actor);
        match self.stance(state, slot) {
            Stance::Enqueue { target, .. } => Some(target),
            _ => None,
        }
    }

    fn memory(&self) -> usize {
        self.store.bytes()
    }

    fn growth_ahead(&self) -> usize {
        self.store.growth_ahead()
    }

    fn economise(&self) {
        self.store.economise();
    }

    fn forget(&mut self) {
        self.store.clear();
    }
}

impl Packed for Vm {
    const UNPACKS: bool = true;

    fn words<'a>(&self, state: &'a State, _: &'a mut Vec<u32>) -> &'a [u32] {
        state.words()
    }

    fn unpack(&self, words: &[u32]) -> Option<State> {
        let machines = self.store.rosters().find(*words.first()?)?.actors.len();
        State::of_words(words, machines, self.linked.monitors.len(), &self.store)
    }

    fn sketch(&self, state: &State, sketches: &mut Sketches<State, Box<Bug>>) {
        self.draw(state, sketches, |_| {});
    }

    fn sketch_choice(&self, state: &State, choice: Choice, sketches: &mut Sketches<State, Box<Bug>>) {
        self.draw_choice(state, choice, sketches);
    }

    fn choice(&self, state: &State, position: usize, buffer: &mut Vec<Choice>) -> Choice {
        if state.chooser().is_some() {
            return Choice::Data(position as u32);
        }
        let Some(slot) = state.mover_at(position) else {
            // It is behind the machines that have bits.
            self.choices(state, buffer);
            return buffer[position];
        };
        Choice::Schedule(self.store.roster(state.roster()).actors[slot])
    }

    fn sketch_told(&self, state: &State, sketches: &mut Sketches<State, Box<Bug>>, tales: &mut Vec<Tale>) {
        self.draw_told(state, sketches, tales);
    }

    #[inline]
    fn machines(&self, state: &State) -> u32 {
        state.roster().0
    }

    fn told(&self, state: &State, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        self.tell(state, tale, effects)
    }

    #[inline]
    fn offer(&self, state: &State) -> Option<Offer> {
        // Words of monitors that have bits do not say that anybody can be scheduled.
        let is_told = state.chooser().is_none() && state.words().len() <= HEADER + 64;
        is_told.then(|| Offer { movers: state.movers(), machines: state.roster().0 })
    }

    fn movers(&self, state: &State) -> u64 {
        let machines = self.store.roster(state.roster()).actors.len();
        let has_places = state.chooser().is_none() && machines + self.linked.monitors.len() <= 64;
        if has_places { state.movers() } else { 0 }
    }

    fn sketch_movers(&self, state: &State, movers: u64, sketches: &mut Sketches<State, Box<Bug>>) {
        self.draw_movers(state, movers, sketches);
    }

    fn touched(&self, state: &State, movers: u64, touched: &mut Touched) {
        self.find_touched(state, movers, touched);
    }

    #[inline]
    fn edit(&self, state: &mut State, edits: &[Edit], fingerprint: u128) {
        state.edit(edits, fingerprint);
    }
}
