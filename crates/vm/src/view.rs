//! Looking into states: how they end, and what machines and monitors they hold.

use crate::bug::Bug;
use crate::ends;
use crate::frames::Frame;
use crate::link::{Linked, MonitorInfo};
use crate::machine::{Owner, Pending};
use crate::queue::QueueId;
use crate::run::Names;
use crate::state::State;
use crate::step::Vm;
use crate::store::LocalId;
use crate::text::{Naming, text};
use crate::value::Value;
use fabius_lang::ids::{EventId, FunctionId, MachineId, StateId};
use fabius_lang::syntax::tree::Temperature;
use fabius_model::ActorId;

/// A machine in a state.
#[derive(Clone, Debug)]
pub struct MachineView<'a> {
    pub actor: ActorId,
    pub machine: MachineId,
    /// The control state; meaningless when the machine has halted.
    pub state: StateId,
    pub standing: Standing,
    pub fields: &'a [Value],
    /// The events and payloads in its queue.
    pub queue: Vec<(EventId, &'a Value)>,
    /// The innermost call's function and position, if it is in one.
    pub(crate) at: Option<(FunctionId, u32)>,
}

impl<'a> MachineView<'a> {
    pub(crate) fn new(
        actor: ActorId,
        machine: MachineId,
        state: StateId,
        pending: &Pending,
        fields: &'a [Value],
        frame: Option<&Frame>,
        queue: Vec<(EventId, &'a Value)>,
    ) -> Self {
        let at = frame.map(|frame| (frame.function, frame.at));
        Self { actor, machine, state, standing: standing(pending), fields, queue, at }
    }
}

/// Where a machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// Created, not started.
    New,
    /// Between two handlers.
    Idle,
    /// Before an enqueue.
    Sending,
    /// In `receive`.
    Receiving,
    /// At a `choose`.
    Choosing,
    /// At a scheduling point that the coarse granularity can do without.
    Between,
    Halted,
}

/// A monitor in a state.
#[derive(Clone, Debug)]
pub struct MonitorView<'a> {
    pub machine: MachineId,
    pub state: StateId,
    pub temperature: Temperature,
    pub is_scenario: bool,
    pub fields: &'a [Value],
}

impl<'a> MonitorView<'a> {
    pub(crate) fn new(linked: &Linked, info: &MonitorInfo, state: StateId, fields: &'a [Value]) -> Self {
        let temperature = linked.temperature(info.machine, state);
        Self { machine: info.machine, state, temperature, is_scenario: info.is_scenario, fields }
    }
}

/// Mail that nobody will read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckMail {
    /// The machine as people see it: `Server(2)`.
    pub machine: String,
    pub state: String,
    pub events: Vec<String>,
}

impl Vm {
    /// The machines of a state, in the order of their identities.
    pub fn machines(&self, state: &State) -> Vec<MachineView<'_>> {
        let actors = &self.store.roster(state.roster()).actors;
        let view = |(slot, actor): (usize, &ActorId)| {
            let part = self.store.part(state.part(slot));
            let machine = self.store.actors.get(*actor).machine;
            let entry = self.store.local(part.local);
            let (shape, fields) = (self.store.shape(entry), self.store.fields(entry));
            let queue = self.queue(part.queue);
            MachineView::new(*actor, machine, shape.state, &shape.pending, fields, shape.frame(), queue)
        };
        actors.iter().enumerate().map(view).collect()
    }

    fn queue(&self, queue: QueueId) -> Vec<(EventId, &Value)> {
        let messages = self.store.queues.get(queue).messages.iter();
        messages.map(|queued| (queued.event, &self.store.message(queued.message).payload)).collect()
    }

    /// The monitors of a state, in the order of the test's list.
    pub fn monitors(&self, state: &State) -> Vec<MonitorView<'_>> {
        let machines = self.store.roster(state.roster()).actors.len();
        let view = |(index, info): (usize, &MonitorInfo)| {
            let entry = self.store.local(state.monitor(machines, index));
            MonitorView::new(&self.linked, info, self.store.shape(entry).state, self.store.fields(entry))
        };
        self.linked.monitors.iter().enumerate().map(view).collect()
    }

    /// The temperature of the state that a monitor is in, by its position.
    pub fn temperature(&self, state: &State, index: usize) -> Temperature {
        let machines = self.store.roster(state.roster()).actors.len();
        self.temperature_of(state.monitor(machines, index), &self.linked.monitors[index])
    }

    fn temperature_of(&self, monitor: LocalId, info: &MonitorInfo) -> Temperature {
        let state = self.store.shape(self.store.local(monitor)).state;
        self.linked.temperature(info.machine, state)
    }

    /// Whether some spec has a hot state.
    pub fn can_be_hot(&self) -> bool {
        let is_hot = |info: &MonitorInfo| {
            let states = &self.linked.program[info.machine].states;
            !info.is_scenario && states.iter().any(|state| state.temperature == Temperature::Hot)
        };
        self.linked.monitors.iter().any(is_hot)
    }

    /// The positions of the specs that are in a hot state.
    pub fn hot_monitors(&self, state: &State) -> impl Iterator<Item = usize> {
        let monitors = self.linked.monitors.iter().enumerate();
        let machines = if monitors.len() == 0 { 0 } else { self.store.roster(state.roster()).actors.len() };
        let is_hot = move |(index, info): &(usize, &MonitorInfo)| {
            let temperature = self.temperature_of(state.monitor(machines, *index), info);
            !info.is_scenario && temperature == Temperature::Hot
        };
        monitors.filter(is_hot).map(|(index, _)| index)
    }

    /// A value as `print` shows it.
    pub fn text(&self, value: &Value) -> String {
        text(value, &self.names())
    }

    /// A machine's name and number as `print` shows them.
    pub fn actor_text(&self, actor: ActorId) -> String {
        self.names().machine(actor)
    }

    /// Machines between two handlers whose queues hold only what they defer. When nothing can move any more, this mail
    /// stays for ever; that is no bug in P, but often a mistake.
    pub fn stuck_mail(&self, state: &State) -> Vec<StuckMail> {
        ends::stuck_mail(self.names(), &self.machines(state))
    }

    /// What is wrong with ending here.
    pub(crate) fn end_of(&self, state: &State) -> Option<Box<Bug>> {
        ends::bug_of(self.names(), &self.machines(state), &self.monitors(state))
    }

    /// The name of the control state of a machine's configuration.
    pub(crate) fn local_state(&self, local: LocalId) -> &str {
        let shape = self.store.shape(self.store.local(local));
        let Owner::Actor(actor) = shape.owner else { return "" };
        self.linked.state_name(self.store.actors.get(actor).machine, shape.state)
    }

    pub(crate) fn names(&self) -> Names<'_> {
        Names { linked: &self.linked, actors: &self.store.actors }
    }
}

fn standing(pending: &Pending) -> Standing {
    match pending {
        Pending::Start(_) => Standing::New,
        Pending::Idle => Standing::Idle,
        Pending::Enqueue { .. } => Standing::Sending,
        Pending::Receive => Standing::Receiving,
        Pending::Choose { .. } | Pending::ForeignChoose { .. } => Standing::Choosing,
        Pending::Create | Pending::FireNull | Pending::Handle(_) => Standing::Between,
        Pending::Halted => Standing::Halted,
    }
}
