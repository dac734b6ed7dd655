//! One move of a machine or monitor, from one stop to the next.
//!
//! A move is a function of the configuration and of what it is given; it knows nothing of how states are kept. This file
//! has what surrounds code: which handler an event
//! gets, the order exit, `with`, entry, what `raise`, `goto` and `halt` do, and where a move stops; `execute.rs` runs the
//! code itself.
//!
//! *Points that may be dropped.* P may switch to another machine before a `new`, and between finding the queue empty and
//! running the handler of `null`. `step.rs` says why that is not needed when nothing observable follows. Whether it
//! does is known only later, so a move goes on past such a point and remembers it ([`Checkpoint`]); when it then comes to
//! something that makes the point matter, it goes back and stops there.

use crate::actor::Actors;
use crate::bug::{Bug, BugKind, Fallible, Fault};
use crate::cast::fits;
use crate::deeds::{Deed, Deeds};
use crate::exercise::{Exercised, Place};
use crate::frames::Frame;
use crate::link::Linked;
use crate::machine::{Local, Message, Owner, Pending, Then};
use crate::options::Granularity;
use crate::text::{Naming, text, typed_text};
use crate::value::{Reference, Value};
use fabius_lang::ids::{EnumId, EventId, FunctionId, InterfaceId, MachineId, StateId};
use fabius_lang::ir::Handler;
use fabius_lang::source::{Span, counted};
use fabius_lang::types::{Type, TypeId};
use fabius_model::{ActorId, Happening};

/// How many things one move may tell of itself before it falls silent.
pub(crate) const MOST_SAID: usize = 10_000;

/// What a machine is given to go on with.
#[derive(Debug)]
pub(crate) enum Given {
    /// Nothing: it goes on by itself.
    Go,
    /// A message from its queue.
    Message(Message),
    /// The alternative of a choice.
    Data(u32),
    /// That its queue holds nothing to dequeue.
    Null,
}

/// A move in progress.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) linked: &'a Linked,
    pub(crate) actors: &'a Actors,
    /// Where it is noted which places the move comes to, if that is wanted.
    pub(crate) exercised: Option<&'a Exercised>,
    pub(crate) local: &'a mut Local,
    pub(crate) machine: MachineId,
    /// The interface that the machine was created through; `None` for monitors.
    pub(crate) interface: Option<InterfaceId>,
    /// What `this` is; `None` in monitors.
    pub(crate) this: Option<Reference>,
    /// What it does beside changing the machine.
    pub(crate) deeds: &'a mut Deeds,
    /// What is left of the instruction limit.
    pub(crate) fuel: u64,
    /// Whether this move did something that others may notice before the next point.
    pub(crate) visible: bool,
    checkpoint: Option<Box<Checkpoint>>,
    /// Places that were come to behind the checkpoint.
    pub(crate) uncertain: Vec<Place>,
    pub(crate) is_narrated: bool,
    /// Whether anybody is told of it, or notes where it comes to.
    pub(crate) is_watched: bool,
}

/// The last dropped point after something visible.
#[derive(Debug)]
struct Checkpoint {
    local: Local,
    deeds: usize,
}

/// How a move goes on.
#[derive(Debug)]
pub(crate) enum Flow {
    /// By running the innermost function.
    Execute,
    /// It stops here; `pending` says where that is.
    Stop,
    /// It goes back to the checkpoint and stops there.
    Back,
    /// The outermost function has returned.
    Done,
    Raise(EventId, Value),
    Goto(StateId, Value),
}

impl<'a> Run<'a> {
    /// A move that changes a configuration into the next one.
    #[inline]
    pub(crate) fn new(
        linked: &'a Linked,
        actors: &'a Actors,
        exercised: Option<&'a Exercised>,
        local: &'a mut Local,
        deeds: &'a mut Deeds,
        is_narrated: bool,
    ) -> Self {
        let (machine, interface, this) = match local.owner {
            Owner::Actor(actor) => {
                let info = actors.get(actor);
                let permission = linked.permission_of_machine(info.machine);
                (info.machine, Some(info.interface), Some(Reference { actor, permission }))
            }
            Owner::Monitor(index) => (linked.monitors[index as usize].machine, None, None),
        };
        Self {
            linked,
            actors,
            exercised,
            local,
            machine,
            interface,
            this,
            deeds,
            fuel: linked.options.limits.instructions,
            visible: false,
            checkpoint: None,
            uncertain: Vec::new(),
            is_narrated,
            is_watched: is_narrated || exercised.is_some() || linked.options.hints,
        }
    }

    /// Makes the move. What goes wrong does so once the deeds have gone well; the configuration is then of no use.
    pub(crate) fn finish(mut self, given: Given) -> Result<(), Box<Bug>> {
        let goes_back = match self.advance(given) {
            Ok(goes_back) => goes_back,
            // Others may move before this bug: the dropped point matters.
            Err(_) if self.checkpoint.is_some() => true,
            Err(fault) => return Err(self.bug(*fault)),
        };
        if goes_back && let Some(checkpoint) = self.checkpoint.take() {
            *self.local = checkpoint.local;
            self.deeds.truncate(checkpoint.deeds);
            self.uncertain.clear();
        }
        self.exercise_uncertain();
        self.linked.empty_dead(self.local);
        Ok(())
    }

    /// Goes on to the next stop; whether it has to go back to the checkpoint.
    fn advance(&mut self, given: Given) -> Fallible<bool> {
        let mut flow = self.begin(given)?;
        loop {
            flow = match flow {
                Flow::Stop => return Ok(false),
                Flow::Back => return Ok(true),
                Flow::Execute => self.execute()?,
                Flow::Done => self.follow()?,
                Flow::Raise(event, payload) => {
                    self.unwind("raise")?;
                    self.react(event, payload)?
                }
                Flow::Goto(state, payload) => {
                    self.unwind("goto")?;
                    self.leave(state, None, payload)?
                }
            }
        }
    }

    /// Takes up where the machine stands.
    #[inline]
    fn begin(&mut self, given: Given) -> Fallible<Flow> {
        // Most moves begin with a message or behind a `send`.
        let is_reference = self.is_reference();
        match (&mut self.local.pending, given) {
            (Pending::Idle, Given::Message(message)) if !is_reference => self.take(message),
            (Pending::Enqueue { message, .. }, _) => {
                std::mem::replace(&mut message.payload, Value::Null).discard();
                // What is left of it holds nothing to drop.
                std::mem::forget(std::mem::replace(&mut self.local.pending, Pending::Idle));
                self.visible = true;
                self.next_instruction();
                Ok(Flow::Execute)
            }
            (_, given) => self.begin_with(given),
        }
    }

    #[inline(never)]
    fn begin_with(&mut self, given: Given) -> Fallible<Flow> {
        let pending = std::mem::replace(&mut self.local.pending, Pending::Idle);
        match (pending, given) {
            (Pending::Start(payload), _) => {
                self.say_entered(None);
                self.enter(self.local.state, payload)
            }
            (Pending::Idle, Given::Null) if self.is_reference() => Ok(self.stop(Pending::FireNull)),
            (Pending::Idle, Given::Null) => {
                self.visible = true;
                self.pass_point(Pending::FireNull);
                self.take_null()
            }
            (Pending::Idle, Given::Message(message)) if self.is_reference() && self.reacts_to_null() => {
                Ok(self.stop(Pending::Handle(message)))
            }
            (Pending::Idle, Given::Message(message)) => self.take(message),
            (Pending::FireNull, _) => self.take_null(),
            (Pending::Handle(message), _) => self.take(message),
            (Pending::Receive, Given::Message(message)) => self.receive(message),
            (Pending::Choose { visible, .. }, Given::Data(alternative)) => {
                self.visible = visible;
                self.chosen(alternative)
            }
            (Pending::ForeignChoose { results, visible }, Given::Data(alternative)) => {
                self.visible = visible;
                self.foreign_chosen(&results[alternative as usize])
            }
            (Pending::Create, _) => self.create(),
            (pending, given) => unreachable!("{given:?} does not fit {pending:?}"),
        }
    }

    /// Handles a message from the queue.
    fn take(&mut self, message: Message) -> Fallible<Flow> {
        self.exercise_seen();
        self.say_received(message.event, &message.payload);
        self.react(message.event, message.payload)
    }

    /// Reacts to a queue that holds nothing to take.
    fn take_null(&mut self) -> Fallible<Flow> {
        self.hint_received(EventId::NULL);
        self.react(EventId::NULL, Value::Null)
    }

    /// Lets the state react to an event. There are no frames.
    fn react(&mut self, event: EventId, payload: Value) -> Fallible<Flow> {
        self.charge(1)?;
        self.exercise_reaction(event);
        let state = &self.linked.program[self.machine][self.local.state];
        match state.handler(event) {
            // Only a raised event comes here although it is deferred or ignored: it is lost.
            Some(Handler::Defer | Handler::Ignore) => Ok(self.settle()),
            Some(Handler::Do(function)) => {
                self.local.then = Then::Settle;
                self.call_with(*function, payload)
            }
            Some(Handler::Goto { target, with }) => self.leave(*target, *with, payload),
            None if self.interface.is_none() => Err(self.unhandled(event)),
            None => {
                self.local.then = Then::Unhandled { event };
                match state.exit {
                    Some(exit) => self.call_with(exit, payload),
                    None => self.follow(),
                }
            }
        }
    }

    /// Leaves the state for another one, or for itself.
    fn leave(&mut self, target: StateId, with: Option<FunctionId>, payload: Value) -> Fallible<Flow> {
        self.charge(1)?;
        let exit = self.linked.program[self.machine][self.local.state].exit;
        match exit {
            Some(exit) => {
                self.local.then = Then::Leave { target, with, payload: payload.clone() };
                self.call_with(exit, payload)
            }
            None => self.transfer(target, with, payload),
        }
    }

    /// What follows the exit function.
    fn transfer(&mut self, target: StateId, with: Option<FunctionId>, payload: Value) -> Fallible<Flow> {
        match with {
            Some(with) => {
                self.local.then = Then::Enter { target, payload: payload.clone() };
                self.call_with(with, payload)
            }
            None => self.arrive(target, payload),
        }
    }

    fn arrive(&mut self, target: StateId, payload: Value) -> Fallible<Flow> {
        let from = std::mem::replace(&mut self.local.state, target);
        self.say_entered(Some(from));
        self.enter(target, payload)
    }

    fn enter(&mut self, state: StateId, payload: Value) -> Fallible<Flow> {
        self.local.then = Then::Settle;
        match self.linked.program[self.machine][state].entry {
            Some(entry) => self.call_with(entry, payload),
            None => {
                payload.discard();
                Ok(self.settle())
            }
        }
    }

    /// What follows when the outermost function has returned.
    fn follow(&mut self) -> Fallible<Flow> {
        match std::mem::replace(&mut self.local.then, Then::Settle) {
            Then::Settle => Ok(self.settle()),
            Then::Leave { target, with, payload } => self.transfer(target, with, payload),
            Then::Enter { target, payload } => self.arrive(target, payload),
            Then::Unhandled { event: EventId::HALT } => {
                self.local.halt();
                self.say(|_| Happening::Halted);
                Ok(Flow::Stop)
            }
            Then::Unhandled { event } => Err(self.unhandled(event)),
        }
    }

    fn settle(&mut self) -> Flow {
        self.stop(Pending::Idle)
    }

    pub(crate) fn stop(&mut self, pending: Pending) -> Flow {
        self.local.pending = pending;
        Flow::Stop
    }

    fn reacts_to_null(&self) -> bool {
        self.linked.state(self.linked.state_index(self.machine, self.local.state)).has_null
    }

    /// Ends all calls, for `raise` and `goto`.
    fn unwind(&mut self, what: &str) -> Fallible<()> {
        if self.local.then != Then::Settle {
            let message = format!("`{what}` while a state is being left");
            return Err(Fault::new(BugKind::TransitionInExit, message));
        }
        self.local.unwind();
        Ok(())
    }

    /// Begins a call of a state's function; the payload goes to its parameter, if it has one.
    fn call_with(&mut self, function: FunctionId, payload: Value) -> Fallible<Flow> {
        let base = self.local.values.len();
        match self.linked.function(function).payloads {
            Some(payloads) => {
                if !payloads.has(&payload) {
                    self.check_payload(&payload, self.linked.program[function].registers[0].ty)?;
                }
                self.local.values.push(payload);
            }
            None => payload.discard(),
        }
        self.begin_call(function, base)
    }

    /// Whether a payload can be bound to a parameter: P does not check that where it is sent.
    pub(crate) fn check_payload(&self, payload: &Value, ty: TypeId) -> Fallible<()> {
        if fits(payload, ty, &self.linked.program) {
            return Ok(());
        }
        let expected = self.linked.program.display_type(ty);
        let message = format!("the payload is {} where the handler expects `{expected}`", payload.kind());
        Err(Fault::new(BugKind::BadCast, message))
    }

    /// Begins a call whose arguments lie behind all other values, from `base` on.
    pub(crate) fn begin_call(&mut self, function: FunctionId, base: usize) -> Fallible<Flow> {
        let limit = self.linked.options.limits.call_depth;
        if self.local.frames.len() >= limit as usize {
            let message = format!("more than {} have not returned", counted(u64::from(limit), "call"));
            return Err(Fault::new(BugKind::StackOverflow, message));
        }
        self.exercise_call(function);
        let values = &mut self.local.values;
        let info = self.linked.function(function);
        values.extend((values.len()..base + info.registers).map(|_| Value::Null));
        for (index, default) in &info.defaults {
            values[base + *index as usize].put(default.clone());
        }
        self.local.frames.push(Frame { function, at: 0, base: base as u32 });
        Ok(Flow::Execute)
    }

    pub(crate) fn charge(&mut self, work: u64) -> Fallible<()> {
        match self.fuel.checked_sub(work) {
            Some(fuel) => {
                self.fuel = fuel;
                Ok(())
            }
            None => Err(out_of_fuel(self.linked)),
        }
    }

    // ---- points ----

    pub(crate) fn is_reference(&self) -> bool {
        self.linked.options.granularity == Granularity::Reference
    }

    /// Goes past a point where P may switch, remembering it if something visible came before.
    pub(crate) fn pass_point(&mut self, pending: Pending) {
        if self.visible {
            self.exercise_uncertain();
            let deeds = self.deeds.len();
            match &mut self.checkpoint {
                Some(checkpoint) => {
                    checkpoint.local.clone_from(self.local);
                    checkpoint.local.pending = pending;
                    checkpoint.deeds = deeds;
                }
                none => {
                    let local = Local { pending, ..self.local.clone() };
                    *none = Some(Box::new(Checkpoint { local, deeds }));
                }
            }
        }
    }

    /// Whether a point was passed that matters if something visible, a choice or a bug comes now.
    pub(crate) fn has_passed_point(&self) -> bool {
        self.checkpoint.is_some()
    }

    // ---- words ----

    /// Tells what happens, up to a number: a loop that never ends could tell for ever.
    pub(crate) fn say(&mut self, happening: impl FnOnce(&Self) -> Happening) {
        if self.is_narrated && self.deeds.len() < MOST_SAID {
            let happening = happening(self);
            self.deeds.push(Deed::Say(Box::new(happening)));
        }
    }

    #[inline]
    fn say_entered(&mut self, from: Option<StateId>) {
        if self.is_watched {
            self.tell_entered(from);
        }
    }

    #[inline(never)]
    fn tell_entered(&mut self, from: Option<StateId>) {
        self.exercise_state();
        self.hint_entered();
        self.say(|run| {
            let name = |state| run.linked.state_name(run.machine, state).to_owned();
            let (from, to) = (from.map(name), name(run.local.state));
            match run.interface {
                Some(_) => Happening::Entered { from, to },
                None => {
                    let monitor = run.linked.machine_name(run.machine).to_owned();
                    Happening::MonitorEntered { monitor, from, to }
                }
            }
        });
    }

    #[inline]
    pub(crate) fn say_received(&mut self, event: EventId, payload: &Value) {
        if self.is_watched {
            self.tell_received(event, payload);
        }
    }

    #[inline(never)]
    fn tell_received(&mut self, event: EventId, payload: &Value) {
        self.hint_received(event);
        if self.interface.is_some() {
            self.say(|run| Happening::Received {
                event: run.linked.event_name(event).to_owned(),
                payload: run.payload_text(event, payload),
            });
        }
    }

    pub(crate) fn payload_text(&self, event: EventId, payload: &Value) -> Option<String> {
        self.names().payload_text(payload, self.linked.program[event].payload)
    }

    pub(crate) fn text(&self, value: &Value) -> String {
        text(value, &self.names())
    }

    pub(crate) fn names(&self) -> Names<'a> {
        Names { linked: self.linked, actors: self.actors }
    }

    // ---- bugs ----

    fn unhandled(&self, event: EventId) -> Box<Fault> {
        let event = self.linked.event_name(event);
        let machine = self.linked.machine_name(self.machine);
        let state = self.linked.state_name(self.machine, self.local.state);
        let (kind, what) = match self.interface {
            Some(_) => (BugKind::UnhandledEvent, "machine"),
            None => (BugKind::UnhandledObservation, "spec"),
        };
        Fault::about(kind, format!("{what} `{machine}` cannot handle `{event}` in state `{state}`"), event)
    }

    fn bug(&self, fault: Fault) -> Box<Bug> {
        Box::new(Bug {
            kind: fault.kind,
            machine: self.name(),
            state: Some(self.linked.state_name(self.machine, self.local.state).to_owned()),
            event: fault.event,
            message: fault.message,
            span: self.span(),
        })
    }

    fn name(&self) -> String {
        match self.local.owner {
            Owner::Actor(actor) => self.names().machine(actor),
            Owner::Monitor(_) => self.linked.machine_name(self.machine).to_owned(),
        }
    }

    /// The instruction being executed or, between functions, the state.
    fn span(&self) -> Span {
        let program = &self.linked.program;
        match self.local.frames.last() {
            Some(frame) => {
                let function = &program[frame.function];
                function.spans.get(frame.at as usize).copied().unwrap_or(function.span)
            }
            None => program[self.machine][self.local.state].span,
        }
    }
}

#[cold]
pub(crate) fn out_of_fuel(linked: &Linked) -> Box<Fault> {
    let limit = counted(linked.options.limits.instructions, "instruction");
    let message = format!("no scheduling point within {limit}, work on large values included");
    Fault::new(BugKind::EndlessLoop, message)
}

/// The names in texts of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    pub(crate) linked: &'a Linked,
    pub(crate) actors: &'a Actors,
}

impl Names<'_> {
    /// The text of a payload, if there is one.
    pub(crate) fn payload_text(&self, payload: &Value, ty: TypeId) -> Option<String> {
        (*payload != Value::Null).then(|| typed_text(payload, ty, self))
    }
}

impl Naming for Names<'_> {
    fn machine(&self, actor: ActorId) -> String {
        let interface = &self.linked.program[self.actors.get(actor).interface];
        format!("{}({})", self.linked.program.name(interface.name), self.actors.number(actor))
    }

    fn event(&self, event: EventId) -> &str {
        self.linked.event_name(event)
    }

    fn shape(&self, ty: TypeId) -> &Type {
        self.linked.program.types.get(ty)
    }

    fn element(&self, of: EnumId, number: i64) -> Option<&str> {
        let program = &self.linked.program;
        let element = program[of].elements.iter().find(|element| element.value == number)?;
        Some(program.name(element.name))
    }
}
