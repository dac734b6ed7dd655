//! The instructions that others can notice, or that wait for what others do: sends, creations, choices, calls.

use crate::bug::{BugKind, Fallible, Fault, too_many_machines};
use crate::cast::fits;
use crate::deeds::Deed;
use crate::foreign::ForeignCall;
use crate::machine::{Local, Message, Owner, Pending};
use crate::operators::misfit;
use crate::run::{Flow, Run};
use crate::text::typed_text;
use crate::value::{Reference, Value};
use fabius_lang::ids::{EventId, FunctionId, InterfaceId};
use fabius_lang::ir::{ChooseFrom, Instruction, Operand, ReceiveCase, Register};
use fabius_model::{Effect, Happening};

/// The most alternatives of one `choose`.
const MAX_ALTERNATIVES: usize = 10_000;

pub(crate) fn not_in_monitor(what: &str) -> Box<Fault> {
    Fault::new(BugKind::NotInMonitor, format!("a spec cannot {what}"))
}

impl<'a> Run<'a> {
    fn current(&self) -> &'a Instruction {
        let frame = self.frame();
        &self.linked.program[frame.function].code[frame.at as usize]
    }

    // ---- events ----

    pub(crate) fn send(
        &mut self,
        target: Operand,
        event: Operand,
        payload: Option<Operand>,
    ) -> Fallible<Flow> {
        if self.interface.is_none() {
            return Err(not_in_monitor("send"));
        }
        let event_id = self.event(event, "send")?;
        let target_reference = self.target(target, event_id)?;
        let value = payload.map_or(Value::Null, |payload| self.read(payload).clone());
        self.release(&[target, event]);
        self.release(payload.as_slice());
        self.send_message(target_reference, event_id, value)
    }

    /// Comes to a `send` with its operands.
    pub(crate) fn send_message(
        &mut self,
        target: Reference,
        event: EventId,
        payload: Value,
    ) -> Fallible<Flow> {
        self.check_permission(event, target)?;
        let message = Message::new(event, payload);
        if self.interface.is_some_and(|interface| self.is_observed(interface, event)) {
            if self.has_passed_point() {
                return Ok(Flow::Back);
            }
            self.say(|run| Happening::Sending {
                to: target.actor,
                event: run.linked.event_name(event).to_owned(),
                payload: run.payload_text(event, &message.payload),
            });
            self.observe(message.clone());
        }
        self.exercise_sent(event);
        Ok(self.stop(Pending::Enqueue { target: target.actor, message }))
    }

    fn event(&self, event: Operand, verb: &str) -> Fallible<EventId> {
        match self.read(event) {
            Value::Null | Value::Event(EventId::NULL) => {
                Err(Fault::new(BugKind::NullEvent, format!("cannot {verb} a null event")))
            }
            Value::Event(event) => Ok(*event),
            other => Err(misfit(other, "an event")),
        }
    }

    fn target(&self, target: Operand, event: EventId) -> Fallible<Reference> {
        match self.read(target) {
            Value::Machine(reference) => Ok(*reference),
            Value::Null => {
                let event = self.linked.event_name(event);
                let message = format!("`{event}` is sent to a null machine");
                Err(Fault::about(BugKind::NullTarget, message, event))
            }
            other => Err(misfit(other, "a machine")),
        }
    }

    fn check_permission(&self, event: EventId, target: Reference) -> Fallible<()> {
        if self.linked.sends(self.machine).contains(event)
            && self.linked.permitted(target.permission).contains(event)
        {
            return Ok(());
        }
        let name = self.linked.event_name(event);
        let machine = self.linked.machine_name(self.machine);
        let message = if self.linked.sends(self.machine).contains(event) {
            let target = self.text(&Value::Machine(target));
            format!("`{target}` may not be sent `{name}` through this reference")
        } else {
            format!("machine `{machine}` may not send `{name}`: it is not in its sends set")
        };
        Err(Fault::about(BugKind::NotPermitted, message, name))
    }

    fn is_observed(&self, interface: InterfaceId, event: EventId) -> bool {
        !self.linked.observers(interface, event).is_empty()
    }

    /// Shows a message to the monitors that see it.
    fn observe(&mut self, message: Message) {
        self.deeds.push(Deed::Observe(message));
        self.visible = true;
    }

    pub(crate) fn announce(&mut self, event: Operand, payload: Option<Operand>) -> Fallible<Flow> {
        let Some(interface) = self.interface else { return Err(not_in_monitor("announce")) };
        let event_id = self.event(event, "announce")?;
        let value = payload.map_or(Value::Null, |payload| self.read(payload).clone());
        let is_observed = self.is_observed(interface, event_id);
        if is_observed && self.has_passed_point() {
            return Ok(Flow::Back);
        }
        self.release(&[event]);
        self.release(payload.as_slice());
        self.exercise_sent(event_id);
        self.hint(|run, _| Effect::Announced(run.linked.hint_event(event_id)));
        let message = Message::new(event_id, value);
        self.say(|run| Happening::Announced {
            event: run.linked.event_name(event_id).to_owned(),
            payload: run.payload_text(event_id, &message.payload),
        });
        if is_observed {
            self.observe(message);
        }
        self.next()
    }

    pub(crate) fn raise(&mut self, event: Operand, payload: Option<Operand>) -> Fallible<Flow> {
        let event = self.event(event, "raise")?;
        let payload = payload.map_or(Value::Null, |payload| self.take_operand(payload));
        self.exercise_sent(event);
        self.say_raised(event, &payload);
        Ok(Flow::Raise(event, payload))
    }

    pub(crate) fn say_raised(&mut self, event: EventId, payload: &Value) {
        if self.interface.is_some() {
            self.say(|run| Happening::Raised {
                event: run.linked.event_name(event).to_owned(),
                payload: run.payload_text(event, payload),
            });
        }
    }

    /// Stops at a `receive`.
    pub(crate) fn wait(&mut self, cases: &[ReceiveCase]) -> Fallible<Flow> {
        if self.interface.is_none() {
            return Err(not_in_monitor("receive"));
        }
        self.say(|run| {
            let events = cases.iter().flat_map(|case| &case.events);
            Happening::Waiting {
                events: events.map(|event| run.linked.event_name(*event).to_owned()).collect(),
            }
        });
        Ok(self.stop(Pending::Receive))
    }

    /// Goes on from a `receive` with the message it waited for.
    pub(crate) fn receive(&mut self, message: Message) -> Fallible<Flow> {
        self.exercise_received(message.event);
        self.say_received(message.event, &message.payload);
        let Instruction::Receive { cases } = self.current() else {
            unreachable!("a machine in `receive` stands at one")
        };
        let Some(case) = cases.iter().find(|case| case.events.contains(&message.event)) else {
            // The case that every `receive` has.
            self.say_raised(EventId::HALT, &Value::Null);
            return Ok(Flow::Raise(EventId::HALT, Value::Null));
        };
        if let Some(register) = case.payload {
            let ty = self.linked.program[self.frame().function].register_type(register);
            self.check_payload(&message.payload, ty)?;
            self.register_mut(register).put(message.payload);
        }
        self.jump(case.target.0)
    }

    // ---- creation ----

    /// Comes to a `new`, before which P may switch to another machine.
    pub(crate) fn new_machine(&mut self) -> Fallible<Flow> {
        if self.is_reference() {
            return Ok(self.stop(Pending::Create));
        }
        self.pass_point(Pending::Create);
        self.create()
    }

    pub(crate) fn create(&mut self) -> Fallible<Flow> {
        let Instruction::New { to, interface: requested, payload } = self.current() else {
            unreachable!("a machine that creates another stands at a `new`")
        };
        let (Some(interface), Owner::Actor(creator)) = (self.interface, self.local.owner) else {
            return Err(not_in_monitor("create machines"));
        };
        self.check_creation(*requested)?;
        self.check_children()?;
        let created = self.linked.created(interface, *requested);
        let machine = self.linked.machine_of(created);
        let child = self.actors.child(creator, self.local.children, created, machine);
        self.local.children += 1;
        self.visible = true;
        let payload = payload.map_or(Value::Null, |payload| self.take_operand(payload));
        self.say(|run| Happening::Created {
            actor: child,
            machine: run.linked.machine_name(machine).to_owned(),
            payload: run.names().payload_text(&payload, run.linked.program[created].payload),
        });
        self.deeds.push(Deed::Create { actor: child, payload });
        let permission = self.linked.permission_of_interface(created);
        self.define_optional(*to, Value::Machine(Reference { actor: child, permission }))
    }

    fn check_creation(&self, interface: InterfaceId) -> Fallible<()> {
        let program = &self.linked.program;
        if program[self.machine].creates.binary_search(&interface).is_ok() {
            return Ok(());
        }
        let (machine, name) = (self.linked.machine_name(self.machine), program.name(program[interface].name));
        let message = format!("machine `{machine}` may not create `{name}`: it is not in its creates set");
        Err(Fault::new(BugKind::NotPermitted, message))
    }

    /// The limit on machines is checked where they are added to the state; but one move could create any number before
    /// that, so those of one creator are counted here too.
    fn check_children(&self) -> Fallible<()> {
        let limit = self.linked.options.limits.machines;
        if self.local.children < limit {
            return Ok(());
        }
        Err(Fault::new(BugKind::TooManyMachines, too_many_machines(limit)))
    }

    fn define_optional(&mut self, to: Option<Register>, value: Value) -> Fallible<Flow> {
        match to {
            Some(to) => self.define(to, value),
            None => self.next(),
        }
    }

    // ---- choices ----

    pub(crate) fn choose(&mut self, from: ChooseFrom) -> Fallible<Flow> {
        if self.interface.is_none() {
            return Err(not_in_monitor("choose"));
        }
        let alternatives = self.alternatives(from)?;
        if alternatives < 2 {
            return self.chosen(0);
        }
        if self.has_passed_point() {
            return Ok(Flow::Back);
        }
        let (alternatives, visible) = (alternatives as u32, self.visible);
        Ok(self.stop(Pending::Choose { alternatives, visible }))
    }

    /// How many alternatives there are; `choose(0)` yields 0 and counts as one.
    fn alternatives(&self, from: ChooseFrom) -> Fallible<usize> {
        let count = match from {
            ChooseFrom::Bool { .. } => 2,
            ChooseFrom::Below(operand) => match self.read(operand) {
                Value::Int(number) if *number < 0 => {
                    let message = format!("cannot choose a number below {number}: the bound is negative");
                    return Err(Fault::new(BugKind::ChooseNegative, message));
                }
                Value::Int(number) => usize::try_from(*number).unwrap_or(usize::MAX).max(1),
                other => return Err(misfit(other, "an int")),
            },
            ChooseFrom::Elements(operand) => match self.read(operand) {
                Value::Seq(seq) => seq.items().len(),
                Value::Set(set) => set.len(),
                Value::Map(map) => map.len(),
                other => return Err(misfit(other, "a collection")),
            },
        };
        match count {
            0 => Err(Fault::new(BugKind::ChooseEmpty, "cannot choose from an empty collection")),
            count if count > MAX_ALTERNATIVES => Err(too_many(count)),
            count => Ok(count),
        }
    }

    /// Goes on from a `choose` with one of its alternatives.
    pub(crate) fn chosen(&mut self, alternative: u32) -> Fallible<Flow> {
        let Instruction::Choose { to, from } = self.current() else {
            unreachable!("a machine that chooses stands at a `choose`")
        };
        let at = alternative as usize;
        let (value, operand) = match from {
            ChooseFrom::Bool { .. } => (Some(Value::Bool(alternative == 1)), None),
            ChooseFrom::Below(operand) => (Some(Value::Int(i64::from(alternative))), Some(*operand)),
            ChooseFrom::Elements(operand) => {
                let element = match self.read(*operand) {
                    Value::Seq(seq) => seq.items().get(at),
                    Value::Set(set) => set.get(at),
                    Value::Map(map) => map.key(at),
                    _ => None,
                };
                (element.cloned(), Some(*operand))
            }
        };
        let value = value.expect("the alternative is one of those that were counted");
        self.release(operand.as_slice());
        let ty = self.linked.program[self.frame().function].register_type(*to);
        self.say(|run| Happening::Chose { value: typed_text(&value, ty, &run.names()) });
        self.define(*to, value)
    }

    // ---- calls ----

    pub(crate) fn call(&mut self, function: FunctionId, operands: &[Operand]) -> Fallible<Flow> {
        let Local { frames, values, .. } = &mut *self.local;
        let registers = frames.last().expect("code runs in a call").base as usize;
        let base = values.len();
        for operand in operands {
            let register = &mut values[registers + operand.register.index()];
            let argument =
                if operand.is_move { std::mem::replace(register, Value::Null) } else { register.clone() };
            values.push(argument);
        }
        if self.linked.program[function].is_foreign {
            let arguments: Vec<Value> = self.local.values.drain(base..).collect();
            return self.call_foreign(function, &arguments);
        }
        self.begin_call(function, base)
    }

    pub(crate) fn return_value(&mut self, value: Value) -> Fallible<Flow> {
        if let Some(frame) = self.local.frames.pop() {
            self.local.shrink(frame.base as usize);
        }
        if self.local.frames.is_empty() {
            value.discard();
            return Ok(Flow::Done);
        }
        self.returned(value)
    }

    /// Goes on behind a call.
    fn returned(&mut self, value: Value) -> Fallible<Flow> {
        let Local { frames, values, .. } = &mut *self.local;
        let frame = frames.last_mut().expect("code runs in a call");
        let Instruction::Call { to, .. } = &self.linked.program[frame.function].code[frame.at as usize]
        else {
            unreachable!("a frame that waits for another stands at a call")
        };
        frame.at += 1;
        if let Some(to) = to {
            values[frame.base as usize + to.index()].put(value);
        } else {
            value.discard();
        }
        Ok(Flow::Execute)
    }

    fn call_foreign(&mut self, function: FunctionId, arguments: &[Value]) -> Fallible<Flow> {
        let mut results = self.foreign_results(function, arguments)?;
        if results.len() == 1 {
            return self.returned(results.remove(0));
        }
        if self.interface.is_none() {
            return Err(not_in_monitor("call a foreign function with more than one result"));
        }
        if self.has_passed_point() {
            return Ok(Flow::Back);
        }
        let (results, visible) = (results.into(), self.visible);
        Ok(self.stop(Pending::ForeignChoose { results, visible }))
    }

    fn foreign_results(&self, function: FunctionId, arguments: &[Value]) -> Fallible<Vec<Value>> {
        let program = &self.linked.program;
        let name = program.name(program[function].name);
        let fault =
            |message: &str| Fault::new(BugKind::Foreign, format!("foreign function `{name}` {message}"));
        let Some(foreign) = &self.linked.options.foreign else { return Err(fault("has no body")) };
        let results = foreign
            .call(&ForeignCall { program, function, arguments })
            .map_err(|message| fault(&format!("failed: {message}")))?;
        if results.is_empty() {
            return Err(fault("returned nothing"));
        }
        if results.len() > MAX_ALTERNATIVES {
            return Err(too_many(results.len()));
        }
        for result in &results {
            if !fits(result, program[function].result, program) {
                return Err(fault(&format!("returned {}", result.kind())));
            }
            self.check_extent(result.extent())?;
        }
        Ok(results)
    }

    pub(crate) fn foreign_chosen(&mut self, result: &Value) -> Fallible<Flow> {
        self.say(|run| Happening::Chose { value: run.text(result) });
        self.returned(result.clone())
    }

    pub(crate) fn assert(&mut self, condition: Operand, message: Option<Operand>) -> Fallible<Flow> {
        match self.read(condition) {
            Value::Bool(true) => self.next(),
            Value::Bool(false) => {
                let message = message.map_or(String::new(), |message| self.text(self.read(message)));
                let message = if message.is_empty() { "assertion failed".to_owned() } else { message };
                Err(Fault::new(BugKind::Assertion, message))
            }
            other => Err(misfit(other, "a bool")),
        }
    }
}

fn too_many(count: usize) -> Box<Fault> {
    let message = format!("cannot choose among {count} alternatives: at most {MAX_ALTERNATIVES} are allowed");
    Fault::new(BugKind::ChooseTooMany, message)
}
