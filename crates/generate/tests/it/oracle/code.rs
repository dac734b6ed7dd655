//! Functions and statements, run with the answers that the outside has given so far.

use super::Source;
use super::value::Value;
use super::world::{Fault, Message, Place};
use fabius_lang::check::Resolution;
use fabius_lang::ids::{EventId, InterfaceId, MachineId, StateId};
use fabius_lang::ir;
use fabius_lang::source::Span;
use fabius_lang::syntax::tree::{Body, ExprId, FunctionId, ReceiveCase, StmtId, StmtKind};
use fabius_lang::types::TypeId;
use fabius_vm::BugKind;

/// What running code needs from the outside before it can go on.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Announce(Message),
    Send { target: usize, message: Message },
    Create { interface: InterfaceId, payload: Value },
    Choose(Vec<Value>),
    Receive(Vec<EventId>),
}

/// What the outside gave.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Done,
    Value(Value),
    Received(Message),
}

/// Why running code does not go on.
pub(crate) enum Stop {
    Ask(Request),
    Fault(Fault),
    /// All functions are left.
    Leave(Leave),
}

pub(crate) type Step<T> = Result<T, Stop>;

/// How a statement ends.
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

/// Where to go instead.
pub(crate) enum Leave {
    Raise(Message),
    Goto(StateId, Value),
}

/// Who runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Identity {
    Machine { number: usize, interface: InterfaceId },
    Monitor,
}

/// Code being run, from the beginning of a handler.
pub(crate) struct Run<'s> {
    pub(crate) source: &'s Source,
    pub(crate) test: &'s ir::Test,
    pub(crate) identity: Identity,
    pub(crate) machine: MachineId,
    pub(crate) state: StateId,
    pub(crate) fields: Vec<Value>,
    /// Answers to the first requests; the next request stops.
    pub(crate) answers: &'s [Answer],
    pub(crate) used: usize,
    /// The statement being run.
    pub(crate) at: Span,
    /// Calls that have not returned.
    pub(crate) depth: usize,
    /// Statements run.
    pub(crate) statements: usize,
    /// What happened, in words.
    pub(crate) told: Vec<String>,
}

/// Programs that go beyond these are not worth comparing: only shrinking makes them.
const MOST_CALLS: usize = 50;
const MOST_STATEMENTS: usize = 10_000;

/// The variables of one call.
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    pub(crate) locals: Vec<Value>,
}

impl Run<'_> {
    pub(crate) fn ask(&mut self, request: Request) -> Step<Answer> {
        match self.answers.get(self.used) {
            Some(answer) => {
                self.used += 1;
                Ok(answer.clone())
            }
            None => Err(Stop::Ask(request)),
        }
    }

    /// Notes what a machine does with an event; what monitors do with theirs is not told.
    pub(crate) fn tell_event(&mut self, what: &str, event: EventId) {
        if let Identity::Machine { .. } = self.identity {
            self.told.push(format!("{what} {}", self.source.event(event)));
        }
    }

    pub(crate) fn fault(&self, kind: BugKind) -> Stop {
        self.fault_about(kind, None)
    }

    pub(crate) fn fault_about(&self, kind: BugKind, event: Option<EventId>) -> Stop {
        let interface = match self.identity {
            Identity::Machine { interface, .. } => Some(interface),
            Identity::Monitor => None,
        };
        let line = self.source.line(self.at);
        let place = Place { interface, machine: self.machine, state: self.state, event, line };
        Stop::Fault(Fault { kind, place })
    }

    /// Calls a function.
    pub(crate) fn call(&mut self, function: FunctionId, arguments: Vec<Value>) -> Step<Value> {
        let source = self.source;
        let info = &source.checked.functions[function.0 as usize];
        let parameters = info.parameters as usize;
        let mut locals: Vec<Value> = info.locals.iter().map(|local| source.default(local.ty)).collect();
        for (at, argument) in arguments.into_iter().enumerate().take(parameters) {
            locals[at] = argument;
        }
        let mut frame = Frame { function, locals };
        if self.depth >= MOST_CALLS {
            return Err(self.fault(BugKind::StackOverflow));
        }
        self.depth += 1;
        let body = source.tree[function].body.as_ref().expect("generated functions have bodies");
        let caller = self.at;
        let flow = self.sequence(&mut frame, &body.statements)?;
        (self.at, self.depth) = (caller, self.depth - 1);
        Ok(match flow {
            Flow::Return(value) => value,
            Flow::Next | Flow::Break | Flow::Continue => Value::Null,
        })
    }

    fn sequence(&mut self, frame: &mut Frame, statements: &[StmtId]) -> Step<Flow> {
        for statement in statements {
            match self.statement(frame, *statement)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, frame: &mut Frame, id: StmtId) -> Step<Flow> {
        let source = self.source;
        let statement = &source.tree[id];
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            return Err(self.fault(BugKind::EndlessLoop));
        }
        if !matches!(statement.kind, StmtKind::Block(_)) {
            self.at = statement.span;
        }
        match &statement.kind {
            StmtKind::Block(statements) => self.sequence(frame, statements),
            StmtKind::Return(value) => {
                let value = value.map(|value| self.value(frame, value)).transpose()?;
                Ok(Flow::Return(value.unwrap_or(Value::Null)))
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::While { condition, body } => self.while_loop(frame, id, *condition, *body),
            StmtKind::Foreach { collection, body, .. } => self.foreach(frame, id, *collection, *body),
            StmtKind::If { condition, then, otherwise } => {
                let branch = if self.condition(frame, *condition)? { Some(*then) } else { *otherwise };
                branch.map_or(Ok(Flow::Next), |branch| self.statement(frame, branch))
            }
            StmtKind::Receive(cases) => self.receive(frame, cases),
            _ => {
                self.plain_statement(frame, id)?;
                Ok(Flow::Next)
            }
        }
    }

    /// A statement that the next one follows, unless all functions are left.
    fn plain_statement(&mut self, frame: &mut Frame, id: StmtId) -> Step<()> {
        let source = self.source;
        let resolution = source.checked.stmt_resolutions[id.0 as usize];
        match &source.tree[id].kind {
            StmtKind::Empty => {}
            StmtKind::Assert { condition, .. } => {
                if !self.condition(frame, *condition)? {
                    return Err(self.fault(BugKind::Assertion));
                }
            }
            StmtKind::Print(text) => {
                let Value::Text(text) = self.value(frame, *text)? else { unreachable!("text is printed") };
                self.told.push(format!("printed {text}"));
            }
            StmtKind::New { arguments, .. } => {
                self.create(frame, self.interface(resolution), arguments)?;
            }
            StmtKind::Call { arguments, .. } => {
                let arguments = self.values(frame, arguments)?;
                self.call(self.function(resolution), arguments)?;
            }
            StmtKind::Raise { event, arguments } => {
                let message = self.message(frame, *event, arguments)?;
                self.tell_event("raised", message.event);
                return Err(Stop::Leave(Leave::Raise(message)));
            }
            StmtKind::Send { machine, event, arguments } => self.send(frame, *machine, *event, arguments)?,
            StmtKind::Announce { event, arguments } => {
                let message = self.message(frame, *event, arguments)?;
                self.ask(Request::Announce(message))?;
            }
            StmtKind::Goto { arguments, .. } => {
                let Resolution::State(state) = resolution else { unreachable!("goto leads to a state") };
                let payload = arguments.first().map(|payload| self.value(frame, *payload)).transpose()?;
                return Err(Stop::Leave(Leave::Goto(state, payload.unwrap_or(Value::Null))));
            }
            change => self.change(frame, change)?,
        }
        Ok(())
    }

    fn while_loop(&mut self, frame: &mut Frame, id: StmtId, condition: ExprId, body: StmtId) -> Step<Flow> {
        loop {
            self.at = self.source.tree[id].span;
            if !self.condition(frame, condition)? {
                return Ok(Flow::Next);
            }
            match self.statement(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
    }

    /// Walks over what the collection was before the first round.
    fn foreach(&mut self, frame: &mut Frame, id: StmtId, collection: ExprId, body: StmtId) -> Step<Flow> {
        let items = match self.value(frame, collection)? {
            Value::Seq(items) | Value::Set(items) => items,
            _ => return Err(self.fault(BugKind::NullDereference)),
        };
        for item in items {
            let variable = self.source.checked.stmt_resolutions[id.0 as usize];
            *self.variable(frame, variable) = item;
            match self.statement(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn receive(&mut self, frame: &mut Frame, cases: &[ReceiveCase]) -> Step<Flow> {
        let checked = &self.source.checked;
        let events = |case: &ReceiveCase| -> Vec<EventId> {
            case.events.iter().map(|event| checked.event_ids[&event.name]).collect()
        };
        let mut wanted: Vec<EventId> = cases.iter().flat_map(events).collect();
        let is_halt_listed = wanted.contains(&EventId::HALT);
        if !is_halt_listed {
            wanted.push(EventId::HALT);
        }
        let Answer::Received(message) = self.ask(Request::Receive(wanted))? else {
            unreachable!("a receive gets an event")
        };
        self.tell_event("received", message.event);
        if message.event == EventId::HALT && !is_halt_listed {
            self.tell_event("raised", message.event);
            return Err(Stop::Leave(Leave::Raise(message)));
        }
        let case =
            cases.iter().find(|case| events(case).contains(&message.event)).expect("it was waited for");
        self.case(frame, case, message)
    }

    /// The variables of a case are new each time.
    fn case(&mut self, frame: &mut Frame, case: &ReceiveCase, message: Message) -> Step<Flow> {
        let info = &self.source.checked.functions[frame.function.0 as usize];
        let local = |span: Span| info.locals.iter().position(|local| local.name.span == span);
        let Body { locals, statements, .. } = &case.body;
        for name in locals.iter().flat_map(|variables| &variables.names) {
            let at = local(name.span).expect("every variable is listed");
            frame.locals[at] = self.source.default(info.locals[at].ty);
        }
        if let Some(parameter) = &case.parameter {
            let at = local(parameter.name.span).expect("every parameter is listed");
            self.bind(&message.payload, info.locals[at].ty)?;
            frame.locals[at] = message.payload;
        }
        self.sequence(frame, statements)
    }

    /// P casts a payload to the type of the parameter that gets it: null is no number, bool or string.
    pub(crate) fn bind(&self, payload: &Value, ty: TypeId) -> Step<()> {
        match payload.has_shape(self.source.checked.types.get(ty)) {
            true => Ok(()),
            false => Err(self.fault(BugKind::BadCast)),
        }
    }

    fn send(&mut self, frame: &mut Frame, target: ExprId, event: ExprId, arguments: &[ExprId]) -> Step<()> {
        let target = self.value(frame, target)?;
        let event = self.value(frame, event)?;
        let payload = self.payload(frame, arguments)?;
        let Value::Event(event) = event else { return Err(self.fault(BugKind::NullEvent)) };
        let message = Message { event, payload };
        let Value::Machine { number, may } = target else {
            return Err(self.fault_about(BugKind::NullTarget, Some(message.event)));
        };
        let sends = &self.source.checked.machines[self.machine.index()].sends;
        if !sends.contains(message.event) || !may.contains(message.event) {
            return Err(self.fault_about(BugKind::NotPermitted, Some(message.event)));
        }
        self.ask(Request::Send { target: number, message })?;
        Ok(())
    }

    /// An event with its payload, which is evaluated before an event variable is read.
    fn message(&mut self, frame: &mut Frame, event: ExprId, arguments: &[ExprId]) -> Step<Message> {
        let event = self.term(frame, event)?;
        let payload = self.payload(frame, arguments)?;
        match self.read(frame, event) {
            Value::Event(event) => Ok(Message { event, payload }),
            _ => Err(self.fault(BugKind::NullEvent)),
        }
    }

    /// Several values are packed into a tuple.
    pub(crate) fn payload(&mut self, frame: &mut Frame, arguments: &[ExprId]) -> Step<Value> {
        let mut values = self.values(frame, arguments)?;
        Ok(match values.len() {
            0 => Value::Null,
            1 => values.remove(0),
            _ => Value::Tuple(values),
        })
    }

    pub(crate) fn create(
        &mut self,
        frame: &mut Frame,
        requested: InterfaceId,
        arguments: &[ExprId],
    ) -> Step<Value> {
        let payload = self.payload(frame, arguments)?;
        let Identity::Machine { interface: creator, .. } = self.identity else {
            unreachable!("monitors create nothing")
        };
        let is_meant = |link: &&ir::Link| link.creator == creator && link.requested == requested;
        let interface = self.test.links.iter().find(is_meant).map_or(requested, |link| link.created);
        match self.ask(Request::Create { interface, payload })? {
            Answer::Value(machine) => Ok(machine),
            _ => unreachable!("a creation gives a machine"),
        }
    }
}
