//! Who is who in a run: machines numbered in the order of their creation.

use std::collections::HashMap;

use fabius_model::{self as model, ActorId, Narrate};

use crate::texts::Names;
use crate::trace::{Happening, Machine};

/// The machines met so far in one run of a program.
#[derive(Debug)]
pub(crate) struct Machines<'p, P> {
    program: &'p P,
    // Invariant: `numbers[actors[i]] == i + 1`, and `met[i].number == i + 1`.
    numbers: HashMap<ActorId, u32>,
    actors: Vec<ActorId>,
    met: Vec<Machine>,
    pub(crate) names: Names,
}

impl<'p, P: Narrate> Machines<'p, P> {
    pub(crate) fn new(program: &'p P) -> Machines<'p, P> {
        Machines {
            program,
            numbers: HashMap::new(),
            actors: Vec::new(),
            met: Vec::new(),
            names: Names::default(),
        }
    }

    /// The machine that an actor is. One whose creation was not told is numbered when it is first met.
    pub(crate) fn meet(&mut self, actor: ActorId) -> Machine {
        if let Some(number) = self.numbers.get(&actor) {
            return self.met[*number as usize - 1].clone();
        }
        self.actors.push(actor);
        let number = self.actors.len() as u32;
        self.numbers.insert(actor, number);
        let machine = Machine { name: self.program.machine_name(actor), number };
        if let Some(name) = self.program.name_in_texts(actor) {
            self.names.insert(name, machine.clone());
        }
        self.met.push(machine.clone());
        machine
    }

    /// Meets those that can move. A program that tells of every creation has no new ones among them.
    pub(crate) fn meet_offered(&mut self, offered: &[model::Choice]) {
        for choice in offered {
            if let model::Choice::Schedule(actor) = choice {
                self.meet(*actor);
            }
        }
    }

    /// All machines met so far.
    pub(crate) fn met(&self) -> &[Machine] {
        &self.met
    }

    /// The actor with a number, if it is of this type.
    pub(crate) fn numbered(&self, machine: &Machine) -> Option<ActorId> {
        let index = (machine.number as usize).checked_sub(1)?;
        (self.met.get(index)? == machine).then(|| self.actors[index])
    }

    /// The actor that is the `ordinal`-th of its type, from 0.
    pub(crate) fn nth_of_type(&self, name: &str, ordinal: usize) -> Option<ActorId> {
        let index = (0..self.met.len()).filter(|index| self.met[*index].name == name).nth(ordinal)?;
        Some(self.actors[index])
    }

    /// The same with machines called by their names.
    pub(crate) fn tell_all(&mut self, happenings: Vec<model::Happening>) -> Vec<Happening> {
        happenings.into_iter().map(|happening| self.tell(happening)).collect()
    }

    fn tell(&mut self, happening: model::Happening) -> Happening {
        match happening {
            model::Happening::Created { actor, machine: _, payload } => {
                let machine = self.meet(actor);
                Happening::Created { machine, payload: self.payload(payload) }
            }
            model::Happening::Received { event, payload } => {
                Happening::Received { event, payload: self.payload(payload) }
            }
            model::Happening::Sent { to, event, payload, dropped } => {
                let to = self.meet(to);
                Happening::Sent { to, event, payload: self.payload(payload), dropped }
            }
            model::Happening::Sending { to, event, payload } => {
                let to = self.meet(to);
                Happening::Sending { to, event, payload: self.payload(payload) }
            }
            model::Happening::Announced { event, payload } => {
                Happening::Announced { event, payload: self.payload(payload) }
            }
            model::Happening::Raised { event, payload } => {
                Happening::Raised { event, payload: self.payload(payload) }
            }
            model::Happening::Entered { from, to } => Happening::Entered { from, to },
            model::Happening::MonitorEntered { monitor, from, to } => {
                Happening::MonitorEntered { monitor, from, to }
            }
            model::Happening::Chose { value } => Happening::Chose { value: self.names.retold(&value) },
            model::Happening::Printed { text } => Happening::Printed { text: self.names.retold(&text) },
            model::Happening::Waiting { events } => Happening::Waiting { events },
            model::Happening::Halted => Happening::Halted,
        }
    }

    fn payload(&self, payload: Option<String>) -> Option<String> {
        payload.map(|payload| self.names.retold(&payload))
    }
}

/// Which of the machines of its type a machine is, from 0.
pub(crate) fn ordinal(machines: &[Machine], machine: &Machine) -> usize {
    machines.iter().filter(|other| other.name == machine.name && other.number < machine.number).count()
}
