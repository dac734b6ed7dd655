//! What of a test's program was exercised, and what was not.
//!
//! Only what the test can come to by the program's text counts: the machines it may create, its specs, the functions they
//! may call, and the events that any of these mention.

use crate::exercise::Place;
use crate::reach;
use crate::step::Vm;
use fabius_lang::ids::{EventId, FunctionId, MachineId, StateId};
use fabius_lang::ir::{Constant, Handler, Instruction};
use fabius_lang::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What of a test's program was exercised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Machines and specs.
    pub machines: BTreeMap<MachineId, MachineCoverage>,
    /// The events that any of them mentions, except `null` and `halt`.
    pub events: BTreeMap<EventId, EventCoverage>,
}

/// What of a machine or spec was exercised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCoverage {
    /// Of a machine: it was created. Of a spec: it saw an event.
    pub is_exercised: bool,
    /// In order of declaration.
    pub states: Vec<StateCoverage>,
    /// The `goto` statements in its code.
    pub gotos: Vec<GotoCoverage>,
}

/// What of a control state was exercised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCoverage {
    pub state: StateId,
    pub is_entered: bool,
    /// In order of event.
    pub reactions: Vec<ReactionCoverage>,
}

/// Whether a reaction of a state was used: a handler that ran, an event that was deferred or ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReactionCoverage {
    pub event: EventId,
    pub handler: Handler,
    pub span: Span,
    pub is_used: bool,
}

/// Whether a `goto` was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GotoCoverage {
    pub target: StateId,
    pub span: Span,
    /// Whether the function that it is in was called.
    pub is_near: bool,
    pub is_taken: bool,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCoverage {
    /// Whether a machine handles or receives it, or a spec observes it.
    pub has_receiver: bool,
    /// It was sent, announced or raised.
    pub is_sent: bool,
    /// It was taken from a queue, handled after it was raised, or seen by a spec.
    pub is_received: bool,
}

impl Coverage {
    /// Adds what another test of the same program exercised, or could have.
    pub fn merge(&mut self, other: &Self) {
        for (machine, theirs) in &other.machines {
            self.machines.entry(*machine).and_modify(|ours| ours.merge(theirs)).or_insert(theirs.clone());
        }
        for (event, theirs) in &other.events {
            self.events.entry(*event).and_modify(|ours| ours.merge(*theirs)).or_insert(*theirs);
        }
    }
}

impl MachineCoverage {
    fn merge(&mut self, other: &Self) {
        self.is_exercised |= other.is_exercised;
        for (ours, theirs) in self.states.iter_mut().zip(&other.states) {
            ours.is_entered |= theirs.is_entered;
            for (ours, theirs) in ours.reactions.iter_mut().zip(&theirs.reactions) {
                ours.is_used |= theirs.is_used;
            }
        }
        for (ours, theirs) in self.gotos.iter_mut().zip(&other.gotos) {
            ours.is_near |= theirs.is_near;
            ours.is_taken |= theirs.is_taken;
        }
    }
}

impl EventCoverage {
    fn merge(&mut self, other: Self) {
        self.has_receiver |= other.has_receiver;
        self.is_sent |= other.is_sent;
        self.is_received |= other.is_received;
    }
}

impl Vm {
    /// What this program and all that were made from it by [`Vm::fresh`] have exercised so far.
    pub fn coverage(&self) -> Coverage {
        let reach = reach::of_test(&self.linked.program, self.linked.test);
        let machines = reach.functions.iter().map(|(machine, functions)| {
            let is_spec = self.linked.monitors.iter().any(|monitor| monitor.machine == *machine);
            (*machine, self.machine_coverage(*machine, is_spec, functions))
        });
        Coverage { machines: machines.collect(), events: self.event_coverage(&reach.functions) }
    }

    /// The specs of the test that have not seen any event.
    pub fn blind_specs(&self) -> Vec<MachineId> {
        let specs = self.linked.monitors.iter().map(|monitor| monitor.machine);
        specs.filter(|spec| !self.has_come_to(self.linked.places.seen(*spec))).collect()
    }

    fn has_come_to(&self, place: Place) -> bool {
        self.store.exercised.contains(place)
    }

    fn machine_coverage(
        &self,
        id: MachineId,
        is_spec: bool,
        functions: &BTreeSet<FunctionId>,
    ) -> MachineCoverage {
        let (places, program) = (&self.linked.places, &self.linked.program);
        let machine = &program[id];
        let states = (0..machine.states.len() as u32).map(|state| self.state_coverage(id, StateId(state)));
        let gotos = functions.iter().flat_map(|function| {
            let is_near = self.has_come_to(places.called(*function));
            places.gotos(*function).filter_map(move |(at, place)| {
                let Instruction::Goto { state, .. } = program[*function].code[at as usize] else {
                    return None;
                };
                let span = program[*function].spans[at as usize];
                Some(GotoCoverage { target: state, span, is_near, is_taken: self.has_come_to(place) })
            })
        });
        let start = places.state(self.linked.state_index(id, machine.start));
        let first = if is_spec { places.seen(id) } else { start };
        MachineCoverage {
            is_exercised: self.has_come_to(first),
            states: states.collect(),
            gotos: gotos.collect(),
        }
    }

    fn state_coverage(&self, machine: MachineId, id: StateId) -> StateCoverage {
        let (places, index) = (&self.linked.places, self.linked.state_index(machine, id));
        let state = &self.linked.program[machine][id];
        let reactions = state.handlers.iter().enumerate().map(|(position, (event, handler))| {
            let is_used = self.has_come_to(places.reaction(index, position));
            ReactionCoverage { event: *event, handler: *handler, span: state.handler_span(position), is_used }
        });
        StateCoverage {
            state: id,
            is_entered: self.has_come_to(places.state(index)),
            reactions: reactions.collect(),
        }
    }

    pub(crate) fn event_coverage(
        &self,
        functions: &BTreeMap<MachineId, BTreeSet<FunctionId>>,
    ) -> BTreeMap<EventId, EventCoverage> {
        let (places, program) = (&self.linked.places, &self.linked.program);
        let mut events = BTreeMap::new();
        let mut mention = |event: EventId, has_receiver: bool| {
            if event != EventId::NULL && event != EventId::HALT {
                let is_sent = self.has_come_to(places.sent(event));
                let is_received = self.has_come_to(places.received(event));
                let new = EventCoverage { has_receiver, is_sent, is_received };
                events.entry(event).and_modify(|known: &mut EventCoverage| known.merge(new)).or_insert(new);
            }
        };
        for (machine, functions) in functions {
            for (event, handler) in program[*machine].states.iter().flat_map(|state| &state.handlers) {
                mention(*event, matches!(handler, Handler::Do(_) | Handler::Goto { .. }));
            }
            for instruction in functions.iter().flat_map(|function| &program[*function].code) {
                match instruction {
                    Instruction::Const { value: Constant::Event(event), .. } => mention(*event, false),
                    Instruction::Receive { cases } => {
                        cases.iter().flat_map(|case| &case.events).for_each(|event| mention(*event, true));
                    }
                    _ => {}
                }
            }
        }
        events
    }
}
