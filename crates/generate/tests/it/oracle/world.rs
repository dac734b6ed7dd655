//! The world of a run: machines with their queues, monitors, and the points where the scheduler decides.

use super::Source;
use super::code::{Answer, Identity, Request, Run, Stop};
use super::machine::{Rest, Trigger};
use super::value::Value;
use fabius_lang::ids::{EventId, InterfaceId, MachineId, StateId};
use fabius_lang::ir::{self, Handler};
use fabius_lang::source::Span;
use fabius_lang::syntax::tree::{MachineKind, Temperature};
use fabius_vm::BugKind;

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) event: EventId,
    pub(crate) payload: Value,
}

/// A bug.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: BugKind,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Machines are called by the interface they were created through; monitors have none.
    pub(crate) interface: Option<InterfaceId>,
    pub(crate) machine: MachineId,
    pub(crate) state: StateId,
    pub(crate) event: Option<EventId>,
    pub(crate) line: Option<usize>,
}

/// Where a machine waits for the scheduler. All can be scheduled, except `Idle`, `Waiting`, `Choosing` and `Halted`.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// Created, not started.
    New(Value),
    /// Nothing to handle.
    Idle,
    /// Was idle, and there is something now.
    Woken,
    /// Took an event, and is about to handle it.
    Dequeued(Message),
    /// In a state that reacts to `null`: about to look into the queue.
    Looking,
    /// Found nothing: about to react to `null`.
    Firing,
    /// The monitors have seen the message; about to put it into the queue.
    Sending {
        target: usize,
        message: Message,
    },
    /// About to create a machine.
    Creating {
        interface: InterfaceId,
        payload: Value,
    },
    /// In `receive`, without an event yet.
    Waiting(Vec<EventId>),
    /// In `receive`, with an event.
    Received(Message),
    /// The alternatives of a nondeterministic expression.
    Choosing(Vec<Value>),
    Halted,
}

pub(crate) struct Machine {
    pub(crate) interface: InterfaceId,
    pub(crate) machine: MachineId,
    pub(crate) standing: Standing,
    /// As of now.
    pub(crate) state: StateId,
    pub(crate) fields: Vec<Value>,
    pub(crate) queue: Vec<Message>,
    /// Where the current handler began, and what it was told since.
    began: (StateId, Vec<Value>, Trigger),
    answers: Vec<Answer>,
    /// How much of what happened in the handler was told already.
    told: usize,
}

pub(crate) struct Monitor {
    pub(crate) machine: MachineId,
    pub(crate) state: StateId,
    pub(crate) fields: Vec<Value>,
    observed: Vec<InterfaceId>,
}

pub(crate) struct World<'s> {
    source: &'s Source,
    test: &'s ir::Test,
    /// In the order of creation.
    pub(crate) machines: Vec<Machine>,
    pub(crate) monitors: Vec<Monitor>,
    /// What happened since somebody last looked, in words.
    pub(crate) told: Vec<String>,
}

impl<'s> World<'s> {
    /// The world before the first step.
    pub(crate) fn new(source: &'s Source, test: usize) -> Result<Self, Fault> {
        let test = &source.checked.tests[test];
        let mut world = Self { source, test, machines: Vec::new(), monitors: Vec::new(), told: Vec::new() };
        for attachment in &test.monitors {
            let machine = attachment.monitor;
            let info = &source.checked.machines[machine.index()];
            let state = info.start.expect("every spec has a start state");
            let fields = world.default_fields(machine);
            world.monitors.push(Monitor { machine, state, fields, observed: attachment.observed.clone() });
            world.tell(world.monitors.len() - 1, Trigger::Start(Value::Null))?;
        }
        world.create(test.main, Value::Null);
        Ok(world)
    }

    /// The machines that can be scheduled, in the order of creation.
    pub(crate) fn enabled(&self) -> Vec<usize> {
        let is_enabled = |machine: &Machine| {
            !matches!(
                machine.standing,
                Standing::Idle | Standing::Waiting(_) | Standing::Choosing(_) | Standing::Halted
            )
        };
        (0..self.machines.len()).filter(|number| is_enabled(&self.machines[*number])).collect()
    }

    /// The machine at a choice, and how many alternatives it has.
    pub(crate) fn chooser(&self) -> Option<(usize, usize)> {
        self.machines.iter().enumerate().find_map(|(number, machine)| match &machine.standing {
            Standing::Choosing(alternatives) => Some((number, alternatives.len())),
            _ => None,
        })
    }

    /// Makes the choice that a machine stands at.
    pub(crate) fn choose(&mut self, number: usize, alternative: usize) -> Result<(), Fault> {
        let Standing::Choosing(alternatives) = &self.machines[number].standing else {
            unreachable!("only a machine at a choice chooses")
        };
        let value = alternatives[alternative].clone();
        self.go_on(number, Answer::Value(value))
    }

    /// Lets a machine that can be scheduled move.
    pub(crate) fn schedule(&mut self, number: usize) -> Result<(), Fault> {
        match self.machines[number].standing.clone() {
            Standing::New(payload) => self.begin(number, Trigger::Start(payload)),
            Standing::Woken => match self.dequeue(number) {
                Some(message) => self.begin(number, Trigger::Event(message)),
                None => unreachable!("a machine is woken for a message"),
            },
            Standing::Dequeued(message) => self.begin(number, Trigger::Event(message)),
            Standing::Looking => {
                let found = self.dequeue(number);
                self.machines[number].standing = found.map_or(Standing::Firing, Standing::Dequeued);
                Ok(())
            }
            Standing::Firing => {
                self.begin(number, Trigger::Event(Message { event: EventId::NULL, payload: Value::Null }))
            }
            Standing::Sending { target, message } => {
                self.enqueue(target, message);
                self.go_on(number, Answer::Done)
            }
            Standing::Creating { interface, payload } => {
                let created = self.create(interface, payload);
                let may = self.source.checked.interfaces[interface.index()].receives.clone();
                self.go_on(number, Answer::Value(Value::Machine { number: created, may }))
            }
            Standing::Received(message) => self.go_on(number, Answer::Received(message)),
            Standing::Idle | Standing::Waiting(_) | Standing::Choosing(_) | Standing::Halted => {
                unreachable!("machine {number} cannot be scheduled")
            }
        }
    }

    /// What is wrong with ending now. A deadlock is reported in preference to a hot spec.
    pub(crate) fn end(&self) -> Option<Fault> {
        let waits = |machine: &&Machine| matches!(machine.standing, Standing::Waiting(_));
        if let Some(machine) = self.machines.iter().find(waits) {
            let place = Place {
                interface: Some(machine.interface),
                machine: machine.machine,
                state: machine.state,
                event: None,
                line: None,
            };
            return Some(Fault { kind: BugKind::Deadlock, place });
        }
        let is_hot = |monitor: &&Monitor| {
            let info = &self.source.checked.machines[monitor.machine.index()];
            info.kind == MachineKind::Spec
                && info.states[monitor.state.index()].temperature == Temperature::Hot
        };
        let monitor = self.monitors.iter().find(is_hot)?;
        let place = Place {
            interface: None,
            machine: monitor.machine,
            state: monitor.state,
            event: None,
            line: None,
        };
        Some(Fault { kind: BugKind::HotAtEnd, place })
    }

    fn default_fields(&self, machine: MachineId) -> Vec<Value> {
        let fields = &self.source.checked.machines[machine.index()].fields;
        fields.iter().map(|(_, ty)| self.source.default(*ty)).collect()
    }

    fn run<'r>(
        &'r self,
        identity: Identity,
        machine: MachineId,
        state: StateId,
        fields: Vec<Value>,
        answers: &'r [Answer],
    ) -> Run<'r> {
        let (source, test, at) = (self.source, self.test, Span::default());
        Run {
            source,
            test,
            identity,
            machine,
            state,
            fields,
            answers,
            used: 0,
            at,
            depth: 0,
            statements: 0,
            told: Vec::new(),
        }
    }

    fn create(&mut self, interface: InterfaceId, payload: Value) -> usize {
        let machine = self.test.bindings[interface.index()].expect("tests are closed");
        let state = self.source.checked.machines[machine.index()].start.expect("there is a start state");
        let fields = self.default_fields(machine);
        let began = (state, fields.clone(), Trigger::Start(Value::Null));
        let (standing, queue, answers) = (Standing::New(payload), Vec::new(), Vec::new());
        let number = self.machines.len();
        self.told.push(format!("created {} as #{number}", self.source.machine(machine)));
        self.machines.push(Machine {
            interface,
            machine,
            standing,
            state,
            fields,
            queue,
            began,
            answers,
            told: 0,
        });
        number
    }

    /// The reaction of a machine's current state.
    pub(crate) fn reaction(&self, number: usize, event: EventId) -> Option<Handler> {
        let machine = &self.machines[number];
        let state = &self.source.checked.machines[machine.machine.index()].states[machine.state.index()];
        state.handlers.iter().find(|(known, ..)| *known == event).map(|(_, handler, _)| *handler)
    }

    /// Takes the first event that is neither ignored nor deferred; drops the ignored ones before it.
    fn dequeue(&mut self, number: usize) -> Option<Message> {
        let mut at = 0;
        while at < self.machines[number].queue.len() {
            match self.reaction(number, self.machines[number].queue[at].event) {
                Some(Handler::Ignore) => _ = self.machines[number].queue.remove(at),
                Some(Handler::Defer) => at += 1,
                _ => return Some(self.machines[number].queue.remove(at)),
            }
        }
        None
    }

    fn enqueue(&mut self, target: usize, message: Message) {
        let dropped = if let Standing::Halted = self.machines[target].standing { " in vain" } else { "" };
        self.told.push(format!("sent {} to #{target}{dropped}", self.source.event(message.event)));
        match &self.machines[target].standing {
            Standing::Halted => {}
            Standing::Waiting(events) if events.contains(&message.event) => {
                self.machines[target].standing = Standing::Received(message);
            }
            Standing::Idle => {
                self.machines[target].queue.push(message);
                let takes = |message: &Message| {
                    !matches!(self.reaction(target, message.event), Some(Handler::Ignore | Handler::Defer))
                };
                if self.machines[target].queue.iter().any(takes) {
                    self.machines[target].standing = Standing::Woken;
                }
            }
            _ => self.machines[target].queue.push(message),
        }
    }

    fn begin(&mut self, number: usize, trigger: Trigger) -> Result<(), Fault> {
        let machine = &mut self.machines[number];
        machine.began = (machine.state, machine.fields.clone(), trigger);
        machine.answers.clear();
        machine.told = 0;
        self.advance(number)
    }

    fn go_on(&mut self, number: usize, answer: Answer) -> Result<(), Fault> {
        self.machines[number].answers.push(answer);
        self.advance(number)
    }

    /// Runs the handler from its beginning up to the first request without an answer, and settles what needs no
    /// scheduler.
    fn advance(&mut self, number: usize) -> Result<(), Fault> {
        loop {
            let machine = &self.machines[number];
            let (state, fields, trigger) = machine.began.clone();
            let identity = Identity::Machine { number, interface: machine.interface };
            let mut run = self.run(identity, machine.machine, state, fields, &machine.answers);
            let result = run.handle(trigger, false);
            assert!(result.is_err() || run.used == run.answers.len(), "all answers are used");
            let (state, fields, told) =
                (run.state, std::mem::take(&mut run.fields), std::mem::take(&mut run.told));
            self.told.extend_from_slice(&told[self.machines[number].told..]);
            let machine = &mut self.machines[number];
            (machine.state, machine.fields, machine.told) = (state, fields, told.len());
            let standing = match result {
                Ok(Rest::Halted) => {
                    self.machines[number].queue.clear();
                    Standing::Halted
                }
                Ok(Rest::Idle) => self.rest(number),
                Err(Stop::Fault(fault)) => return Err(fault),
                Err(Stop::Leave(_)) => unreachable!("a handler ends where its functions were left"),
                Err(Stop::Ask(Request::Announce(message))) => {
                    self.tell_announced(number, &message, true);
                    self.announce(number, &message)?;
                    self.machines[number].answers.push(Answer::Done);
                    continue;
                }
                Err(Stop::Ask(Request::Send { target, message })) => {
                    self.tell_announced(number, &message, false);
                    self.announce(number, &message)?;
                    Standing::Sending { target, message }
                }
                Err(Stop::Ask(Request::Create { interface, payload })) => {
                    Standing::Creating { interface, payload }
                }
                Err(Stop::Ask(Request::Choose(mut alternatives))) if alternatives.len() == 1 => {
                    self.machines[number].answers.push(Answer::Value(alternatives.remove(0)));
                    continue;
                }
                Err(Stop::Ask(Request::Choose(alternatives))) => Standing::Choosing(alternatives),
                Err(Stop::Ask(Request::Receive(events))) => self.receive(number, events),
            };
            self.machines[number].standing = standing;
            return Ok(());
        }
    }

    /// After a handler, P takes the next event at once, and only then can another machine run.
    fn rest(&mut self, number: usize) -> Standing {
        if self.reaction(number, EventId::NULL).is_some() {
            return Standing::Looking;
        }
        self.dequeue(number).map_or(Standing::Idle, Standing::Dequeued)
    }

    fn receive(&mut self, number: usize, events: Vec<EventId>) -> Standing {
        let queue = &mut self.machines[number].queue;
        match queue.iter().position(|message| events.contains(&message.event)) {
            Some(at) => Standing::Received(queue.remove(at)),
            None => Standing::Waiting(events),
        }
    }

    /// Shows an event to the monitors that observe this sender.
    fn announce(&mut self, number: usize, message: &Message) -> Result<(), Fault> {
        for at in self.observers(number, message.event) {
            self.tell(at, Trigger::Event(message.clone()))?;
        }
        Ok(())
    }

    fn observers(&self, number: usize, event: EventId) -> Vec<usize> {
        let interface = self.machines[number].interface;
        let observes = |monitor: &Monitor| {
            let observes = &self.source.checked.machines[monitor.machine.index()].observes;
            monitor.observed.contains(&interface) && observes.contains(event)
        };
        (0..self.monitors.len()).filter(|at| observes(&self.monitors[*at])).collect()
    }

    /// An announcement is always told, a send only if somebody observes it.
    fn tell_announced(&mut self, number: usize, message: &Message, always: bool) {
        if always || !self.observers(number, message.event).is_empty() {
            self.told.push(format!("announced {}", self.source.event(message.event)));
        }
    }

    fn tell(&mut self, at: usize, trigger: Trigger) -> Result<(), Fault> {
        let monitor = &self.monitors[at];
        let mut run =
            self.run(Identity::Monitor, monitor.machine, monitor.state, monitor.fields.clone(), &[]);
        let result = run.handle(trigger, true);
        let (state, fields, told) =
            (run.state, std::mem::take(&mut run.fields), std::mem::take(&mut run.told));
        (self.monitors[at].state, self.monitors[at].fields) = (state, fields);
        // What a monitor prints is told like everything else.
        self.told.extend(told);
        match result {
            Ok(_) => Ok(()),
            Err(Stop::Fault(fault)) => Err(fault),
            Err(Stop::Ask(_) | Stop::Leave(_)) => unreachable!("a monitor does not ask"),
        }
    }
}
