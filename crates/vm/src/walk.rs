//! Runs that remember nothing: a state as the plain values of its machines, changed in place.
//!
//! A random run meets ever new configurations. To intern each one, and to remember where it leads, then costs several
//! times what the step itself does, and what is remembered is hardly ever asked for again. So a [`Walker`] keeps no
//! tables but that of identities: a step takes a machine's configuration, runs it on, and leaves it where it was.
//!
//! It is the same program as a [`Vm`](crate::Vm): the same choices in the same order, the same effects, bugs and
//! fingerprints. Queues are in the same normal form (see `queue.rs`). Only stepping from one state several times is dearer.

use crate::actor::Actors;
use crate::bounds;
use crate::bug::Bug;
use crate::encode::{hash_local, hash_message, hash_queue, hash_shape, mix};
use crate::ends;
use crate::link::{Linked, StateInfo};
use crate::machine::{Local, Message, Owner, Pending};
use crate::mask::Mask;
use crate::monitor;
use crate::packed::pending_message;
use crate::run::{Deed, Given, Names, Run};
use crate::value::Value;
use crate::view::{MachineView, MonitorView, StuckMail};
use fabius_lang::ids::{EventId, MachineId};
use fabius_model::{ActorId, Choice, Effect, Outcome, Program};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One test of a P program, for runs that remember nothing.
#[derive(Debug)]
pub struct Walker {
    linked: Arc<Linked>,
    actors: Actors,
}

/// A state of a [`Walker`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The machines in the order of their identities, and whether each can be scheduled.
    roster: Vec<(ActorId, bool)>,
    /// In the same order.
    members: Vec<Member>,
    monitors: Vec<Local>,
    /// The slot of the machine that stands at a choice.
    chooser: Option<usize>,
}

/// A machine with its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    local: Local,
    machine: MachineId,
    queue: VecDeque<Message>,
    /// Whether the queue holds something that the machine takes where it stands.
    has_mail: bool,
}

/// What a machine waits for.
enum Waiting<'a> {
    /// What its state takes.
    Idle(&'a StateInfo),
    /// What its `receive` takes.
    Receive(&'a Mask),
    /// Nothing.
    No,
}

impl Hash for Walk {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.roster.hash(state);
        for member in &self.members {
            (member.local.state, member.local.children, member.queue.len()).hash(state);
        }
    }
}

impl Walker {
    pub(crate) fn new(linked: Arc<Linked>) -> Self {
        Self { linked, actors: Actors::new() }
    }

    /// As [`Vm::stuck_mail`](crate::Vm::stuck_mail).
    pub fn stuck_mail(&self, walk: &Walk) -> Vec<StuckMail> {
        ends::stuck_mail(self.names(), &walk.machines())
    }

    fn names(&self) -> Names<'_> {
        Names { linked: &self.linked, actors: &self.actors }
    }

    fn start(&self) -> Result<Walk, Box<Bug>> {
        let mut monitors = Vec::new();
        for index in 0..self.linked.monitors.len() {
            let mut monitor = monitor::unstarted(&self.linked, index as u32);
            Run::new(&self.linked, &self.actors, None, &mut monitor, false).finish(Given::Go).end?;
            monitors.push(monitor);
        }
        let interface = self.linked.program[self.linked.test].main;
        let machine = self.linked.machine_of(interface);
        let main = self.actors.main(interface, machine);
        let start = self.linked.program[machine].start;
        let local = Local::new(Owner::Actor(main), start, self.linked.fields(machine), Value::Null);
        let mut walk = Walk { roster: Vec::new(), members: Vec::new(), monitors, chooser: None };
        self.insert(&mut walk, main, local);
        Ok(walk)
    }

    /// Lets the machine of a choice move.
    fn go(&self, walk: &mut Walk, choice: Choice, effects: &mut Vec<Effect>) -> Result<(), Box<Bug>> {
        let (mut mover, given) = match choice {
            Choice::Data(alternative) => {
                let slot = walk.chooser.take().expect("data choices belong to somebody");
                (slot, Given::Data(alternative))
            }
            Choice::Schedule(actor) => {
                let slot = walk.slot(actor);
                (slot, self.wake(walk, slot, effects)?)
            }
        };
        let local = &mut walk.members[mover].local;
        let made = Run::new(&self.linked, &self.actors, None, local, false).finish(given);
        for deed in made.deeds {
            match deed {
                Deed::Create { actor, local } => self.create(walk, &mut mover, actor, *local, effects)?,
                Deed::Observe(message) => self.observe(walk, mover, &message)?,
                Deed::Hint(effect) => effects.push(effect),
                Deed::Say(_) => unreachable!("these moves are not narrated"),
            }
        }
        made.end?;
        self.rest(walk, mover, effects);
        Ok(())
    }

    /// Does what the machine's step begins with, and finds what it goes on with.
    fn wake(&self, walk: &mut Walk, slot: usize, effects: &mut Vec<Effect>) -> Result<Given, Box<Bug>> {
        let member = &mut walk.members[slot];
        if let Pending::Enqueue { target, message } = &mut member.local.pending {
            let nothing = Message { event: EventId::NULL, payload: Value::Null };
            let (target, message) = (*target, std::mem::replace(message, nothing));
            self.enqueue(walk, slot, target, message, effects)?;
            return Ok(Given::Go);
        }
        let taken = match self.waiting(member) {
            Waiting::Idle(info) => &info.taken,
            Waiting::Receive(taken) => taken,
            Waiting::No => return Ok(Given::Go),
        };
        let at = member.queue.iter().position(|message| taken.contains(message.event));
        Ok(at.and_then(|at| member.queue.remove(at)).map_or(Given::Null, Given::Message))
    }

    /// Puts a message into a queue.
    fn enqueue(
        &self,
        walk: &mut Walk,
        mover: usize,
        target: ActorId,
        message: Message,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Box<Bug>> {
        let slot = walk.slot(target);
        let member = &mut walk.members[slot];
        if self.linked.options.hints {
            effects.push(Effect::Sent(target, self.linked.hint_event(message.event)));
        }
        if member.local.pending == Pending::Halted {
            return Ok(());
        }
        if member.queue.len() >= self.linked.options.limits.queue_length as usize {
            return Err(bounds::queue_too_long(self.names(), target));
        }
        self.accept(member, message);
        effects.push(Effect::SentTo(target));
        if slot != mover && member.has_mail && !walk.roster[slot].1 {
            walk.roster[slot].1 = true;
            effects.push(Effect::Enabled(target));
        }
        Ok(())
    }

    /// Adds a message to a queue in its normal form.
    fn accept(&self, member: &mut Member, message: Message) {
        // What comes behind something that can be taken changes nothing yet.
        if !member.has_mail {
            match self.waiting(member) {
                Waiting::Idle(info) if info.ignored.contains(message.event) => return,
                Waiting::Idle(StateInfo { taken, .. }) | Waiting::Receive(taken) => {
                    member.has_mail = taken.contains(message.event);
                }
                Waiting::No => {}
            }
        }
        member.queue.push_back(message);
    }

    fn waiting(&self, member: &Member) -> Waiting<'_> {
        match member.local.pending {
            Pending::Idle => {
                Waiting::Idle(self.linked.state(self.linked.state_index(member.machine, member.local.state)))
            }
            Pending::Receive => {
                let frame = member.local.frames.last().expect("a machine in `receive` is in a call");
                Waiting::Receive(self.linked.receive(self.linked.receive_index(frame.function, frame.at)))
            }
            _ => Waiting::No,
        }
    }

    /// Adds the machine that the one in slot `mover` creates.
    fn create(
        &self,
        walk: &mut Walk,
        mover: &mut usize,
        actor: ActorId,
        local: Local,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Box<Bug>> {
        let creator = walk.roster[*mover].0;
        if walk.roster.len() >= self.linked.options.limits.machines as usize {
            return Err(bounds::too_many_machines(self.names(), creator));
        }
        let slot = self.insert(walk, actor, local);
        *mover += usize::from(slot <= *mover);
        effects.push(Effect::Created(actor));
        if self.linked.options.hints {
            let machine = self.linked.hint_machine(self.actors.get(actor).machine);
            effects.push(Effect::Is { actor, machine, creator });
        }
        Ok(())
    }

    /// Adds a new machine; returns its slot.
    fn insert(&self, walk: &mut Walk, actor: ActorId, local: Local) -> usize {
        let slot = walk.roster.partition_point(|(other, _)| self.actors.compare(*other, actor).is_lt());
        let machine = self.actors.get(actor).machine;
        walk.roster.insert(slot, (actor, true));
        walk.members.insert(slot, Member { local, machine, queue: VecDeque::new(), has_mail: false });
        slot
    }

    /// Shows a message to the monitors that see it.
    fn observe(&self, walk: &mut Walk, mover: usize, message: &Message) -> Result<(), Box<Bug>> {
        let interface = self.actors.get(walk.roster[mover].0).interface;
        for index in self.linked.observers(interface, message.event) {
            let monitor = &mut walk.monitors[*index as usize];
            let given = Given::Message(message.clone());
            Run::new(&self.linked, &self.actors, None, monitor, false).finish(given).end?;
        }
        Ok(())
    }

    /// Leaves the mover where its move has led it.
    fn rest(&self, walk: &mut Walk, mover: usize, effects: &mut Vec<Effect>) {
        let actor = walk.roster[mover].0;
        let member = &mut walk.members[mover];
        let is_enabled = match self.waiting(member) {
            Waiting::Idle(info) => {
                if self.linked.options.hints {
                    effects.push(Effect::Settled(actor));
                }
                member.has_mail = settle(&mut member.queue, info);
                member.has_mail || info.has_null
            }
            Waiting::Receive(taken) => {
                member.has_mail = member.queue.iter().any(|message| taken.contains(message.event));
                member.has_mail
            }
            Waiting::No => {
                member.has_mail = false;
                member.local.pending != Pending::Halted
            }
        };
        match member.local.pending {
            Pending::Choose { .. } | Pending::ForeignChoose { .. } => walk.chooser = Some(mover),
            Pending::Halted => {
                member.queue.clear();
                effects.push(Effect::Halted(actor));
            }
            _ if !is_enabled => effects.push(Effect::Blocked(actor)),
            _ => {}
        }
        walk.roster[mover].1 = is_enabled;
    }
}

/// Drops the messages that a machine between two handlers ignores before the first that it takes; whether there is one.
fn settle(queue: &mut VecDeque<Message>, info: &StateInfo) -> bool {
    let mut at = 0;
    while let Some(message) = queue.get(at) {
        if info.taken.contains(message.event) {
            return true;
        }
        if info.ignored.contains(message.event) {
            queue.remove(at);
        } else {
            at += 1;
        }
    }
    false
}

impl Walk {
    /// The position of a machine.
    fn slot(&self, actor: ActorId) -> usize {
        let slot = self.roster.iter().position(|(other, _)| *other == actor);
        slot.expect("only machines that exist are referred to")
    }

    fn machines(&self) -> Vec<MachineView<'_>> {
        let members = self.members.iter().zip(&self.roster);
        members
            .map(|(member, (actor, _))| {
                let queue = member.queue.iter().map(|message| (message.event, &message.payload)).collect();
                let Local { state, pending, fields, frames, .. } = &member.local;
                MachineView::new(*actor, member.machine, *state, pending, fields, frames.last(), queue)
            })
            .collect()
    }

    fn alternatives(&self, chooser: usize) -> u32 {
        match &self.members[chooser].local.pending {
            Pending::Choose { alternatives, .. } => *alternatives,
            Pending::ForeignChoose { results, .. } => results.len() as u32,
            pending => unreachable!("the chooser stands at {pending:?}"),
        }
    }
}

impl Program for Walker {
    type State = Walk;
    type Bug = Box<Bug>;

    fn initial(&self) -> Outcome<Walk, Box<Bug>> {
        match self.start() {
            Ok(walk) => Outcome::State(walk),
            Err(bug) => Outcome::Bug(bug),
        }
    }

    fn choices(&self, walk: &Walk, choices: &mut Vec<Choice>) {
        choices.clear();
        match walk.chooser {
            Some(chooser) => choices.extend((0..walk.alternatives(chooser)).map(Choice::Data)),
            None => {
                let enabled = walk.roster.iter().filter(|(_, is_enabled)| *is_enabled);
                choices.extend(enabled.map(|(actor, _)| Choice::Schedule(*actor)));
            }
        }
    }

    fn step(&self, walk: &Walk, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Walk, Box<Bug>> {
        let mut next = walk.clone();
        match self.go(&mut next, choice, effects) {
            Ok(()) => Outcome::State(next),
            Err(bug) => Outcome::Bug(bug),
        }
    }

    fn proceed(&self, walk: &mut Walk, choice: Choice, effects: &mut Vec<Effect>) -> Result<(), Box<Bug>> {
        self.go(walk, choice, effects)
    }

    fn end(&self, walk: &Walk) -> Option<Box<Bug>> {
        let monitors = self.linked.monitors.iter().zip(&walk.monitors);
        let monitors: Vec<MonitorView<'_>> = monitors
            .map(|(info, local)| MonitorView::new(&self.linked, info, local.state, &local.fields))
            .collect();
        ends::bug_of(self.names(), &walk.machines(), &monitors)
    }

    fn fingerprint(&self, walk: &Walk) -> u128 {
        let (linked, actors) = (&self.linked, &self.actors);
        let hash_of = |local: &Local| {
            let message = pending_message(local).map(|message| hash_message(message, actors));
            hash_local(local, hash_shape(local, actors), message, linked, actors)
        };
        let part = |member: &Member| {
            let messages = member.queue.iter().map(|message| hash_message(message, actors));
            mix(hash_of(&member.local), messages.fold(0, hash_queue))
        };
        let parts = walk.members.iter().map(part);
        parts.chain(walk.monitors.iter().map(hash_of)).fold(0, u128::wrapping_add)
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.actors.hash(actor)
    }

    fn writes_to(&self, walk: &Walk, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(actor) = choice else { return None };
        match &walk.members[walk.slot(actor)].local.pending {
            Pending::Enqueue { target, .. } => Some(*target),
            _ => None,
        }
    }

    fn memory(&self) -> usize {
        self.actors.bytes()
    }

    fn held_by(&self, walk: &Walk) -> usize {
        let queued = |message: &Message| size_of::<Message>() + message.payload.share();
        let member = |member: &Member| {
            size_of::<Member>() + member.local.share() + member.queue.iter().map(queued).sum::<usize>()
        };
        let monitors = walk.monitors.iter().map(|monitor| size_of::<Local>() + monitor.share());
        walk.members.iter().map(member).sum::<usize>() + monitors.sum::<usize>()
    }

    fn forget(&mut self) {
        self.actors.clear();
    }
}
