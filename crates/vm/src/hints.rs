//! What strategies can be told by name: the vocabulary of a test, and the hints of a move.
//!
//! Hints are made only if [`Options::hints`](crate::Options) asks for them. They are part of a remembered move, so a
//! program that was asked pays for its hints once, and one that was not never does.

use crate::deeds::Deed;
use crate::link::Linked;
use crate::machine::Owner;
use crate::reach;
use crate::run::{MOST_SAID, Run};
use crate::step::Vm;
use fabius_lang::ids::{EventId, MachineId, StateId};
use fabius_model::{ActorId, Effect, Name, Vocabulary};
use std::collections::BTreeSet;

impl Vm {
    /// The names that hints speak of. They are the same for every test of a program.
    pub fn vocabulary(&self) -> Vocabulary {
        let program = &self.linked.program;
        let states = |machine: &fabius_lang::ir::Machine| {
            machine.states.iter().map(|state| program.name(state.name).to_owned()).collect()
        };
        let machines: Vec<(String, Vec<String>)> = (program.machines.iter())
            .map(|machine| (program.name(machine.name).to_owned(), states(machine)))
            .collect();
        let events: Vec<String> =
            program.events.iter().map(|event| program.name(event.name).to_owned()).collect();
        let main = self.linked.machine_of(program[self.linked.test].main);
        Vocabulary::new(&machines, &events, Some(main.index()))
    }

    /// Which of these names the test can come to by the program's text: the machines that it may create, their states, and
    /// the events that they or its specs mention. Hints never speak of the others.
    pub fn names_of_test(&self) -> BTreeSet<Name> {
        let Linked { program, test, monitors, .. } = &*self.linked;
        let functions = reach::of_test(program, *test).functions;
        let events = self.event_coverage(&functions).into_keys().chain([EventId::NULL, EventId::HALT]);
        let mut names: BTreeSet<Name> = events.map(|event| self.linked.hint_event(event)).collect();
        let is_spec = |machine: &MachineId| monitors.iter().any(|monitor| monitor.machine == *machine);
        for machine in functions.into_keys().filter(|machine| !is_spec(machine)) {
            names.insert(self.linked.hint_machine(machine));
            let states = (0..program[machine].states.len() as u32).map(StateId);
            names.extend(states.map(|state| self.linked.hint_state(machine, state)));
        }
        names
    }
}

impl Linked {
    // The order of a vocabulary: machine types, control states, events.

    pub(crate) fn hint_machine(&self, machine: MachineId) -> Name {
        Name(machine.0)
    }

    pub(crate) fn hint_state(&self, machine: MachineId, state: StateId) -> Name {
        Name(self.program.machines.len() as u32 + self.state_index(machine, state))
    }

    pub(crate) fn hint_event(&self, event: EventId) -> Name {
        Name(self.program.machines.len() as u32 + self.state_count() + event.0)
    }
}

impl Run<'_> {
    /// Gives a hint about the moving machine, up to a number: see [`MOST_SAID`].
    pub(crate) fn hint(&mut self, effect: impl FnOnce(&Self, ActorId) -> Effect) {
        if self.linked.options.hints
            && self.deeds.len() < MOST_SAID
            && let Owner::Actor(actor) = self.local.owner
        {
            let effect = effect(self, actor);
            self.deeds.push(Deed::Hint(effect));
        }
    }

    pub(crate) fn hint_entered(&mut self) {
        self.hint(|run, actor| Effect::Entered(actor, run.linked.hint_state(run.machine, run.local.state)));
    }

    pub(crate) fn hint_received(&mut self, event: EventId) {
        self.hint(|run, actor| Effect::Received {
            actor,
            state: run.linked.hint_state(run.machine, run.local.state),
            event: run.linked.hint_event(event),
        });
    }
}
