//! Which places of a program were come to: a bit for each.
//!
//! A place is a control state that is entered, a reaction of a state, a function that is called, a `goto`, an event that is
//! sent or received, a spec that sees an event. Places are noted where a move is made and where a part is, which happens
//! once for each; so what is remembered costs nothing more, and yet no place that a search came to is missing. A move
//! that a bug or a bound cuts short counts as a whole.

use crate::link::Linked;
use crate::machine::Owner;
use crate::queue::Queue;
use crate::run::Run;
use crate::store::{LocalEntry, Stance, Store};
use fabius_lang::ids::{EventId, FunctionId, MachineId};
use fabius_lang::ir::{Instruction, Program};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// The numbers of all places of a program.
///
/// Control states come first, in the order of their indices; then the reactions of each, functions, `goto`s, events
/// sent, events received, and machines that, being specs, see an event.
#[derive(Debug)]
pub(crate) struct Places {
    /// By index of a state: the place of its first reaction.
    reactions: Vec<u32>,
    functions: u32,
    /// By function: the place of its first `goto`, and their positions in the code.
    gotos: Vec<(u32, Vec<u32>)>,
    sent: u32,
    received: u32,
    seen: u32,
    count: u32,
}

impl Places {
    pub(crate) fn new(program: &Program) -> Self {
        let states = program.machines.iter().flat_map(|machine| &machine.states);
        let mut next = states.clone().count() as u32;
        let mut take = |count: usize| {
            let first = next;
            next += count as u32;
            first
        };
        let reactions = states.map(|state| take(state.handlers.len())).collect();
        let functions = take(program.functions.len());
        let gotos = program.functions.iter().map(|function| {
            let is_goto = |at: &u32| matches!(function.code[*at as usize], Instruction::Goto { .. });
            let gotos: Vec<u32> = (0..function.code.len() as u32).filter(is_goto).collect();
            (take(gotos.len()), gotos)
        });
        let gotos = gotos.collect();
        let (sent, received) = (take(program.events.len()), take(program.events.len()));
        let seen = take(program.machines.len());
        Self { reactions, functions, gotos, sent, received, seen, count: take(0) }
    }

    /// A state, by its index, is entered.
    pub(crate) fn state(&self, index: u32) -> Place {
        Place(index)
    }

    /// The reaction at a position of a state's is used.
    pub(crate) fn reaction(&self, state: u32, position: usize) -> Place {
        Place(self.reactions[state as usize] + position as u32)
    }

    pub(crate) fn called(&self, function: FunctionId) -> Place {
        Place(self.functions + function.0)
    }

    /// The `goto`s of a function, by their positions in the code.
    pub(crate) fn gotos(&self, function: FunctionId) -> impl Iterator<Item = (u32, Place)> {
        let (first, positions) = &self.gotos[function.index()];
        positions.iter().enumerate().map(move |(nth, at)| (*at, Place(first + nth as u32)))
    }

    fn goto(&self, function: FunctionId, at: u32) -> Option<Place> {
        self.gotos(function).find(|(position, _)| *position == at).map(|(_, place)| place)
    }

    /// The event is sent, announced or raised.
    pub(crate) fn sent(&self, event: EventId) -> Place {
        Place(self.sent + event.0)
    }

    /// The event is taken from a queue, handled after it was raised, or seen by a spec.
    pub(crate) fn received(&self, event: EventId) -> Place {
        Place(self.received + event.0)
    }

    /// The spec sees an event.
    pub(crate) fn seen(&self, spec: MachineId) -> Place {
        Place(self.seen + spec.0)
    }
}

/// The places that were come to, by all threads.
#[derive(Debug)]
pub(crate) struct Exercised(Box<[AtomicU64]>);

impl Exercised {
    pub(crate) fn new(places: &Places) -> Self {
        Self((0..=places.count / 64).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn contains(&self, place: Place) -> bool {
        self.0[place.0 as usize / 64].load(Ordering::Relaxed) >> (place.0 % 64) & 1 == 1
    }

    /// The bits, 64 at a time.
    pub(crate) fn bits(&self) -> impl ExactSizeIterator<Item = u64> {
        self.0.iter().map(|bits| bits.load(Ordering::Relaxed))
    }

    /// Notes the places of 64 bits at a time; `false` if there are not as many places.
    pub(crate) fn add_bits(&self, nth: usize, bits: u64) -> bool {
        self.0.get(nth).inspect(|known| _ = known.fetch_or(bits, Ordering::Relaxed)).is_some()
    }

    pub(crate) fn note(&self, place: Place) {
        // Nearly always it is there already, and threads do not get into each other's way by reading.
        if !self.contains(place) {
            self.0[place.0 as usize / 64].fetch_or(1 << (place.0 % 64), Ordering::Relaxed);
        }
    }

    /// Notes places or, as long as the move may go back behind them, puts them among those that are uncertain.
    pub(crate) fn note_all(&self, places: impl Iterator<Item = Place>, uncertain: Option<&mut Vec<Place>>) {
        match uncertain {
            Some(uncertain) => uncertain.extend(places),
            None => places.for_each(|place| self.note(place)),
        }
    }
}

impl Run<'_> {
    /// Notes a place, as soon as it is certain that the move does not go back behind it.
    #[inline]
    fn exercise(&mut self, place: impl FnOnce(&Self) -> Place) {
        if self.is_watched {
            let place = place(self);
            self.note(place);
        }
    }

    #[inline(never)]
    fn note(&mut self, place: Place) {
        let Some(exercised) = self.exercised else { return };
        let has_passed_point = self.has_passed_point();
        exercised.note_all(std::iter::once(place), has_passed_point.then_some(&mut self.uncertain));
    }

    /// The move does not go back behind what it has come to.
    pub(crate) fn exercise_uncertain(&mut self) {
        if let Some(exercised) = self.exercised {
            self.uncertain.drain(..).for_each(|place| exercised.note(place));
        }
    }

    fn state_index(&self) -> u32 {
        self.linked.state_index(self.machine, self.local.state)
    }

    pub(crate) fn exercise_state(&mut self) {
        self.exercise(|run| run.linked.places.state(run.state_index()));
    }

    /// Notes that the state reacts to an event.
    #[inline]
    pub(crate) fn exercise_reaction(&mut self, event: EventId) {
        if self.is_watched {
            self.note_reaction(event);
        }
    }

    #[inline(never)]
    fn note_reaction(&mut self, event: EventId) {
        self.exercise_received(event);
        let state = &self.linked.program[self.machine][self.local.state];
        if let Some(position) = state.handler_position(event) {
            self.note(self.linked.places.reaction(self.state_index(), position));
        }
    }

    pub(crate) fn exercise_received(&mut self, event: EventId) {
        self.exercise(|run| run.linked.places.received(event));
    }

    /// Notes that a spec sees something; of other machines nothing is noted.
    pub(crate) fn exercise_seen(&mut self) {
        if self.interface.is_none() {
            self.exercise(|run| run.linked.places.seen(run.machine));
        }
    }

    pub(crate) fn exercise_sent(&mut self, event: EventId) {
        self.exercise(|run| run.linked.places.sent(event));
    }

    pub(crate) fn exercise_call(&mut self, function: FunctionId) {
        self.exercise(|run| run.linked.places.called(function));
    }

    /// Notes the `goto` that the innermost function stands at.
    pub(crate) fn exercise_goto(&mut self) {
        if !self.is_watched {
            return;
        }
        let frame = self.frame();
        if let Some(place) = self.linked.places.goto(frame.function, frame.at) {
            self.note(place);
        }
    }
}

impl Store {
    /// Notes what a machine between two handlers passes over in its queue, because its state defers or ignores it.
    pub(crate) fn exercise_passed_over(&self, linked: &Linked, entry: &LocalEntry, queue: &Queue) {
        let (Stance::Idle { state } | Stance::CheckNull { state }, Owner::Actor(actor)) =
            (entry.stance, self.shape(entry).owner)
        else {
            return;
        };
        let taken = &linked.state(state).taken;
        let reactions = &linked.program[self.actors.get(actor).machine][self.shape(entry).state];
        for queued in queue.messages.iter().take_while(|queued| !taken.contains(queued.event)) {
            if let Some(position) = reactions.handler_position(queued.event) {
                self.exercised.note(linked.places.reaction(state, position));
            }
        }
    }
}
