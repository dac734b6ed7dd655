//! Where the steps of a search go: how many belong to each reaction of each machine type, and how long queues are.
//!
//! A step belongs to what its machine is about when it begins: the event that it takes and reacts to or, in the middle of a
//! function, the reaction that called it. All of it follows from the state before the step, so nothing is counted where
//! steps are made; who wants a profile shows it the states. Events that one state treats alike, `on eA, eB do f`, are
//! one reaction.

use crate::machine::{Owner, Pending, Then};
use crate::packed::Shape;
use crate::part::Part;
use crate::state::State;
use crate::step::Vm;
use crate::store::{LocalEntry, Memory, Stance};
use fabius_lang::ids::{EventId, FunctionId, MachineId, StateId};
use fabius_lang::ir;
use fabius_lang::ir::Handler;
use fabius_model::Choice;

/// Counts of steps and of lengths of queues. A program's profiles can be added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By index of a state, then by [`slot`].
    steps: Vec<Vec<u64>>,
    /// By machine.
    queues: Vec<Lengths>,
    /// By index of a spec's state: the states of the whole program in which it is in it.
    specs: Vec<u64>,
}

/// How many steps belong to a reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReactionSteps {
    pub machine: MachineId,
    pub state: StateId,
    pub reaction: Reaction,
    pub steps: u64,
}

/// What a machine is about in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reaction {
    /// Entering it.
    Entry,
    /// Leaving it.
    Exit,
    /// Ending, at a `halt` that it has no handler for.
    Halt,
    /// An event that it cannot handle.
    Unhandled,
    /// Handling one of these events; `null` is one of them.
    Events(Vec<EventId>),
}

/// Where the reactions to events begin among the slots of a state.
const EVENTS: usize = 4;

/// The place of a reaction among those of its state. Events that are treated alike share the first one's.
fn slot(state: &ir::State, reaction: Slot) -> usize {
    let alike = |handler: Handler| state.handlers.iter().position(|(_, other)| *other == handler);
    let slot = match reaction {
        Slot::Entry => Some(0),
        Slot::Exit => Some(1),
        Slot::Event(event) => match state.handler(event) {
            Some(handler) => alike(*handler).map(|at| EVENTS + at),
            None if event == EventId::HALT => Some(2),
            None => Some(3),
        },
        Slot::Do(function) if state.entry == Some(function) => Some(0),
        Slot::Do(function) => alike(Handler::Do(function)).map(|at| EVENTS + at),
        Slot::With(target, function) => {
            alike(Handler::Goto { target, with: Some(function) }).map(|at| EVENTS + at)
        }
    };
    // Entering is all that is left: what a `goto` or a start leads to.
    slot.unwrap_or(0)
}

/// What a step begins with.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Entry,
    Exit,
    Event(EventId),
    /// In the middle of an entry function or of a handler.
    Do(FunctionId),
    /// In the middle of what a transition runs on its way.
    With(StateId, FunctionId),
}

/// How often queues had which length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Of lengths 0, 1, 2 to 3, 4 to 7, and so on.
    pub counts: Vec<u64>,
    pub largest: u64,
    sum: u64,
}

impl Lengths {
    fn add(&mut self, length: u64) {
        let bucket = (u64::BITS - length.leading_zeros()) as usize;
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.largest = self.largest.max(length);
        self.sum += length;
    }

    fn merge(&mut self, other: &Self) {
        add_up(&mut self.counts, &other.counts);
        self.largest = self.largest.max(other.largest);
        self.sum += other.sum;
    }

    /// How many queues were looked at.
    pub fn queues(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.queues().max(1) as f64
    }
}

fn add_up(sums: &mut Vec<u64>, others: &[u64]) {
    if sums.len() < others.len() {
        sums.resize(others.len(), 0);
    }
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

impl Profile {
    /// Counts all steps that lead out of a state.
    pub fn add_state(&mut self, vm: &Vm, state: &State) {
        self.add_queues_and_specs(vm, state);
        match state.chooser() {
            Some(slot) => {
                if let Stance::Choose { alternatives } = vm.stance(state, slot) {
                    self.add_steps(vm, state, slot, u64::from(alternatives));
                }
            }
            None => state.for_each_mover(|slot, _| self.add_steps(vm, state, slot, 1)),
        }
    }

    /// Counts one step.
    pub fn add_step(&mut self, vm: &Vm, state: &State, choice: Choice) {
        self.add_queues_and_specs(vm, state);
        let slot = match choice {
            Choice::Schedule(actor) => vm.store.roster(state.roster()).slot(actor),
            Choice::Data(_) => state.chooser().expect("data choices belong to somebody"),
        };
        self.add_steps(vm, state, slot, 1);
    }

    /// Adds what another profile of the same program has counted.
    pub fn merge(&mut self, other: &Self) {
        grow(&mut self.steps, other.steps.len());
        self.steps.iter_mut().zip(&other.steps).for_each(|(ours, theirs)| add_up(ours, theirs));
        grow(&mut self.queues, other.queues.len());
        self.queues.iter_mut().zip(&other.queues).for_each(|(ours, theirs)| ours.merge(theirs));
        add_up(&mut self.specs, &other.specs);
    }

    /// All reactions that steps belong to, in order of declaration.
    pub fn steps(&self, vm: &Vm) -> Vec<ReactionSteps> {
        let mut all = Vec::new();
        for (machine, state) in states(vm.program()) {
            let slots = self.steps.get(vm.linked.state_index(machine, state) as usize);
            for (at, steps) in slots.into_iter().flatten().enumerate().filter(|(_, steps)| **steps > 0) {
                let reaction = reaction(&vm.program()[machine][state], at);
                all.push(ReactionSteps { machine, state, reaction, steps: *steps });
            }
        }
        all
    }

    /// The lengths of the queues of all machines of a type.
    pub fn queues(&self, machine: MachineId) -> Option<&Lengths> {
        self.queues.get(machine.index()).filter(|lengths| lengths.queues() > 0)
    }

    /// In how many of the states that were counted a spec was in a state of its own.
    pub fn states_of_spec(&self, vm: &Vm, spec: MachineId, state: StateId) -> u64 {
        self.specs.get(vm.linked.state_index(spec, state) as usize).copied().unwrap_or(0)
    }

    fn add_queues_and_specs(&mut self, vm: &Vm, state: &State) {
        let actors = &vm.store.roster(state.roster()).actors;
        grow(&mut self.queues, vm.linked.program.machines.len());
        for (slot, actor) in actors.iter().enumerate() {
            let part = vm.store.part(state.part(slot));
            let machine = vm.store.actors.get(*actor).machine;
            if !part.is_halted {
                let length = vm.store.queues.get(part.queue).messages.len();
                self.queues[machine.index()].add(length as u64);
            }
        }
        grow(&mut self.specs, vm.linked.state_count() as usize);
        for (index, monitor) in vm.linked.monitors.iter().enumerate() {
            let shape = vm.store.shape(vm.store.local(state.monitor(actors.len(), index)));
            self.specs[vm.linked.state_index(monitor.machine, shape.state) as usize] += 1;
        }
    }

    fn add_steps(&mut self, vm: &Vm, state: &State, mover: usize, steps: u64) {
        let part = vm.store.part(state.part(mover));
        let entry = vm.store.local(part.local);
        let shape = vm.store.shape(entry);
        let Owner::Actor(actor) = shape.owner else { return };
        let machine = vm.store.actors.get(actor).machine;
        let declared = &vm.linked.program[machine][shape.state];
        let at = slot(declared, beginning(vm, part, entry));
        let index = vm.linked.state_index(machine, shape.state) as usize;
        grow(&mut self.steps, vm.linked.state_count() as usize);
        let slots = &mut self.steps[index];
        grow(slots, EVENTS + declared.handlers.len());
        slots[at] += steps;
    }
}

impl Vm {
    /// What it remembers of moves.
    pub fn remembered(&self) -> Memory {
        self.store.memory()
    }

    /// Whether it surely remembers all moves that it has made. Its answer, like the numbers of moves while it is yes, depends
    /// on the moves alone and not on who made which of them when.
    pub fn remembers_all(&self) -> bool {
        self.store.remembers_all(&self.linked)
    }
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, length: usize) {
    if list.len() < length {
        list.resize(length, T::default());
    }
}

/// What a machine that can move begins with.
fn beginning(vm: &Vm, part: &Part, entry: &LocalEntry) -> Slot {
    if let Stance::Idle { state } | Stance::CheckNull { state } = entry.stance {
        let content = vm.store.queues.get(part.queue);
        let first = content.first(&vm.linked.state(state).taken);
        return Slot::Event(first.map_or(EventId::NULL, |at| content.messages[at].event));
    }
    let shape = vm.store.shape(entry);
    match &shape.pending {
        Pending::Start(_) => Slot::Entry,
        Pending::FireNull => Slot::Event(EventId::NULL),
        Pending::Handle(message) => Slot::Event(message.event),
        _ => in_function(shape),
    }
}

/// What the function belongs to in whose middle a machine is.
fn in_function(shape: &Shape) -> Slot {
    match (&shape.then, shape.outermost()) {
        (Then::Leave { .. } | Then::Unhandled { .. }, _) => Slot::Exit,
        (Then::Enter { target, .. }, Some(frame)) => Slot::With(*target, frame.function),
        (Then::Settle, Some(frame)) => Slot::Do(frame.function),
        (_, None) => Slot::Entry,
    }
}

/// What a slot of a state stands for.
fn reaction(state: &ir::State, slot: usize) -> Reaction {
    match slot {
        0 => Reaction::Entry,
        1 => Reaction::Exit,
        2 => Reaction::Halt,
        3 => Reaction::Unhandled,
        slot => {
            let handler = state.handlers[slot - EVENTS].1;
            let alike = state.handlers.iter().filter(|(_, other)| *other == handler);
            Reaction::Events(alike.map(|(event, _)| *event).collect())
        }
    }
}

fn states(program: &ir::Program) -> impl Iterator<Item = (MachineId, StateId)> {
    let machines = (0..program.machines.len() as u32).map(MachineId);
    machines.flat_map(|machine| {
        let states = 0..program[machine].states.len() as u32;
        states.map(move |state| (machine, StateId(state)))
    })
}
