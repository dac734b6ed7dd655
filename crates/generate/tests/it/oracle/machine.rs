//! Handlers: what a machine or monitor does with an event, through transitions and raised events, until it rests.

use super::code::{Identity, Leave, Run, Step, Stop};
use super::value::Value;
use super::world::Message;
use fabius_lang::ids::{EventId, StateId};
use fabius_lang::ir::Handler;
use fabius_lang::syntax::tree::FunctionId;
use fabius_vm::BugKind;

/// How a handler begins.
#[derive(Clone, Debug)]
pub(crate) enum Trigger {
    /// The entry of the start state.
    Start(Value),
    Event(Message),
}

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Idle,
    Halted,
}

impl Run<'_> {
    /// The reaction of the current state.
    pub(crate) fn reaction(&self, event: EventId) -> Option<Handler> {
        let state = &self.source.checked.machines[self.machine.index()].states[self.state.index()];
        state.handlers.iter().find(|(known, ..)| *known == event).map(|(_, handler, _)| *handler)
    }

    pub(crate) fn handle(&mut self, trigger: Trigger, is_monitor: bool) -> Step<Rest> {
        let mut next = match trigger {
            Trigger::Start(payload) => {
                self.tell_entered();
                self.enter(payload)?
            }
            Trigger::Event(message) => {
                if message.event != EventId::NULL {
                    self.tell_event("received", message.event);
                }
                Some(Leave::Raise(message))
            }
        };
        while let Some(leave) = next {
            self.statements += 1;
            next = match leave {
                Leave::Goto(target, payload) => self.transition(None, target, payload)?,
                Leave::Raise(message) => match self.reaction(message.event) {
                    // What is raised and ignored vanishes; what is raised and deferred is lost, too.
                    Some(Handler::Ignore | Handler::Defer) => None,
                    Some(Handler::Do(function)) => self.run(FunctionId(function.0), message.payload)?,
                    Some(Handler::Goto { target, with }) => {
                        self.transition(with.map(|with| FunctionId(with.0)), target, message.payload)?
                    }
                    None if is_monitor => {
                        return Err(self.fault_about(BugKind::UnhandledObservation, Some(message.event)));
                    }
                    None => {
                        self.exit()?;
                        if message.event == EventId::HALT {
                            self.told.push("halted".into());
                            return Ok(Rest::Halted);
                        }
                        return Err(self.fault_about(BugKind::UnhandledEvent, Some(message.event)));
                    }
                },
            };
        }
        Ok(Rest::Idle)
    }

    /// Exit, the transition's function, then the entry of the new state; all get the payload that want it.
    fn transition(
        &mut self,
        with: Option<FunctionId>,
        target: StateId,
        payload: Value,
    ) -> Step<Option<Leave>> {
        self.exit()?;
        if let Some(with) = with {
            let left = self.run(with, payload.clone())?;
            self.must_not_leave(left.as_ref())?;
        }
        self.state = target;
        self.tell_entered();
        self.enter(payload)
    }

    fn tell_entered(&mut self) {
        let state = self.source.state(self.machine, self.state);
        self.told.push(match self.identity {
            Identity::Machine { .. } => format!("entered {state}"),
            Identity::Monitor => format!("{} entered {state}", self.source.machine(self.machine)),
        });
    }

    fn enter(&mut self, payload: Value) -> Step<Option<Leave>> {
        let state = &self.source.checked.machines[self.machine.index()].states[self.state.index()];
        state.entry.map_or(Ok(None), |entry| self.run(entry, payload))
    }

    fn exit(&mut self) -> Step<()> {
        let state = &self.source.checked.machines[self.machine.index()].states[self.state.index()];
        let Some(exit) = state.exit else { return Ok(()) };
        let left = self.run(exit, Value::Null)?;
        self.must_not_leave(left.as_ref())
    }

    /// Only a `halt` that arrives in a `receive` can make a state be left while it is being left.
    fn must_not_leave(&self, leave: Option<&Leave>) -> Step<()> {
        match leave {
            None => Ok(()),
            Some(_) => Err(self.fault(BugKind::TransitionInExit)),
        }
    }

    /// Runs a handler function, which gets the payload if it has a parameter.
    fn run(&mut self, function: FunctionId, payload: Value) -> Step<Option<Leave>> {
        let source = self.source;
        let info = &source.checked.functions[function.0 as usize];
        if info.parameters > 0 {
            // No statement runs yet: what goes wrong here is found in the state.
            self.at = source.checked.machines[self.machine.index()].states[self.state.index()].name.span;
            self.bind(&payload, info.locals[0].ty)?;
        }
        match self.call(function, vec![payload]) {
            Ok(_) => Ok(None),
            Err(Stop::Leave(leave)) => {
                self.depth = 0;
                Ok(Some(leave))
            }
            Err(stop) => Err(stop),
        }
    }
}
