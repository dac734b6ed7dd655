//! Runs that remember nothing: a state as the plain values of its machines, changed in place.
//!
//! A random run meets ever new configurations. To intern each one, and to remember where it leads, then costs several
//! times what the step itself does, and what is remembered is hardly ever asked for again. So a [`Walker`] keeps no
//! tables but that of identities: a step takes a machine's configuration, runs it on, and leaves it where it was.
//!
//! It is the same program as a [`Vm`](crate::Vm): the same choices in the same order, the same effects, bugs and
//! fingerprints. Queues are in the same normal form (see `queue.rs`).
//!
//! States share the machines in which they do not differ (`member.rs`), so a search can branch too; where local states
//! hardly ever repeat, it is faster this way and needs no memory but for the visited set. `encoding.rs` has what an exact
//! set keeps of a state, `decoding.rs` makes the state of it again; `tales.rs` tells explorers of steps, and `touch.rs` says which
//! moves commute.

mod decoding;
mod enabled;
mod encoding;
mod mailbox;
mod member;
mod roster;
mod tales;
mod touch;
mod words;

use self::enabled::Enabled;
use self::mailbox::Mailbox;
use self::member::{Member, Shared};
use self::roster::{Roster, Rosters};
use self::tales::Told;
use crate::actor::Actors;
use crate::bounds;
use crate::bug::Bug;
use crate::deeds::{Deed, Deeds};
use crate::ends;
use crate::exercise::Exercised;
use crate::link::{Linked, StateInfo};
use crate::machine::{Local, Message, Pending};
use crate::mask::Mask;
use crate::monitor;
use crate::run::{Given, Names, Run};
use crate::shapes::Shapes;
use crate::value::Value;
use crate::view::{MachineView, MonitorView, StuckMail};
use fabius_model::{ActorId, Choice, Effect, Outcome, Program};
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// One test of a P program, for runs that remember nothing.
#[derive(Debug)]
pub struct Walker {
    linked: Arc<Linked>,
    actors: Actors,
    /// What configurations are without their values, for encoding them.
    shapes: Shapes,
    rosters: Rosters,
    /// Where it is noted which specs see something. Of machines nothing is noted.
    exercised: Arc<Exercised>,
}

/// A state of a [`Walker`]. Searches move states about, so it is small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk(Box<Content>);

/// What a state is.
#[derive(Clone, Debug)]
pub struct Content {
    roster: Roster,
    /// The roster's number, if somebody has asked for it.
    machines: u32,
    /// Those that can be scheduled.
    enabled: Enabled,
    /// The machines in the same order, then the monitors.
    members: Vec<Shared>,
    /// The slot of the machine that stands at a choice.
    chooser: Option<usize>,
}

/// Of a roster for whose number nobody has asked.
const UNNUMBERED: u32 = u32::MAX;

/// How a machine stands after its move.
struct Rest {
    is_enabled: bool,
    /// Whether it stands at a choice.
    is_choosing: bool,
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

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        (&self.roster, &self.enabled, self.chooser) == (&other.roster, &other.enabled, other.chooser)
            && self.members == other.members
    }
}

impl Eq for Content {}

impl Deref for Walk {
    type Target = Content;

    fn deref(&self) -> &Content {
        &self.0
    }
}

impl DerefMut for Walk {
    fn deref_mut(&mut self) -> &mut Content {
        &mut self.0
    }
}

impl Hash for Walk {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.roster.hash(state);
        for member in &self.members {
            (member.local().state, member.local().children, member.queue().len()).hash(state);
        }
    }
}

impl Walker {
    pub(crate) fn new(linked: Arc<Linked>, exercised: Arc<Exercised>) -> Self {
        let (actors, shapes, rosters) = (Actors::new(), Shapes::new(), Rosters::new());
        Self { linked, actors, shapes, rosters, exercised }
    }

    /// As [`Vm::stuck_mail`](crate::Vm::stuck_mail).
    pub fn stuck_mail(&self, walk: &Walk) -> Vec<StuckMail> {
        if walk.members.iter().all(|member| member.queue().is_empty()) {
            return Vec::new();
        }
        ends::stuck_mail(self.names(), &walk.machines())
    }

    fn names(&self) -> Names<'_> {
        Names { linked: &self.linked, actors: &self.actors }
    }

    fn start(&self) -> Result<Walk, Box<Bug>> {
        let mut members = Vec::new();
        for (index, info) in self.linked.monitors.iter().enumerate() {
            let mut monitor = monitor::unstarted(&self.linked, index as u32);
            self.run(&mut monitor, &mut Deeds::default()).finish(Given::Go)?;
            members.push(Shared::new(monitor, info.machine));
        }
        let interface = self.linked.program[self.linked.test].main;
        let machine = self.linked.machine_of(interface);
        let main = self.actors.main(interface, machine);
        let mut walk = Walk(Box::new(Content::empty(members)));
        self.insert(&mut walk, main, Value::Null);
        Ok(walk)
    }

    /// Takes a step.
    fn take_choice(
        &self,
        walk: &mut Content,
        choice: Choice,
        effects: &mut Told<'_>,
    ) -> Result<(), Box<Bug>> {
        match choice {
            Choice::Data(alternative) => {
                let chooser = walk.chooser.take().expect("data choices belong to somebody");
                self.go(walk, chooser, Some(alternative), effects)?;
            }
            Choice::Schedule(actor) => _ = self.go(walk, walk.slot(actor), None, effects)?,
        }
        Ok(())
    }

    /// As `go`, in a state without its choice. What other states with the same machine have found out about its move is used
    /// again. Of hints not all are told.
    fn branch(
        &self,
        walk: &mut Content,
        mover: usize,
        alternative: Option<u32>,
        effects: &mut Told<'_>,
    ) -> Result<Option<u64>, Box<Bug>> {
        // Where only one can move, hardly any other state has the same machine.
        if !walk.enabled.has_several() || !walk.members[mover].is_shared() {
            return self.go(walk, mover, alternative, effects);
        }
        let Some(after) = walk.members[mover].after_move(alternative) else {
            let before = walk.members[mover].to_remember();
            let observers = self.go(walk, mover, alternative, effects)?;
            if let (Some(before), Some(0)) = (before, observers) {
                before.remember_move(alternative, &walk.members[mover]);
            }
            return Ok(observers);
        };
        if let Pending::Enqueue { target, message } = &walk.members[mover].local().pending {
            let target = *target;
            if target == walk.roster[mover] {
                // That it has got the message is part of where it was led.
                effects.push(Effect::SentTo(target));
            } else {
                let message = message.clone();
                self.enqueue(walk, mover, target, message, effects)?;
            }
        }
        let is_enabled = self.is_enabled(after.member());
        walk.enabled.set(mover, is_enabled);
        if matches!(after.local().pending, Pending::Halted) {
            effects.push(Effect::Halted(walk.roster[mover]));
        } else if !is_enabled {
            effects.push(Effect::Blocked(walk.roster[mover]));
        }
        if matches!(after.local().pending, Pending::Choose { .. } | Pending::ForeignChoose { .. }) {
            walk.chooser = Some(mover);
        }
        walk.members[mover] = after;
        Ok(Some(0))
    }

    /// Lets the machine in slot `mover` move; if it stands at a choice, by an alternative. Beside changing that machine and
    /// delivering its message, the move did nothing but show something to these monitors, as bits; `None` if there are too many
    /// for that, or if it created machines.
    fn go(
        &self,
        walk: &mut Content,
        mut mover: usize,
        alternative: Option<u32>,
        effects: &mut Told<'_>,
    ) -> Result<Option<u64>, Box<Bug>> {
        if let Pending::Enqueue { target, message } = &walk.members[mover].local().pending {
            let target = *target;
            let message = if message.payload.is_scalar() {
                message.clone()
            } else {
                walk.members[mover].take_message()
            };
            self.enqueue(walk, mover, target, message, effects)?;
        }
        let member = walk.members[mover].change();
        let given = alternative.map_or_else(|| self.take(member), Given::Data);
        let mut deeds = Deeds::default();
        let end = self.run(&mut member.local, &mut deeds).finish(given);
        let mut observers = Some(0);
        let rest = if deeds.is_empty() {
            end?;
            self.rest(member, walk.roster[mover], effects)
        } else {
            observers = self.perform(walk, &mut mover, deeds, effects)?;
            end?;
            self.rest(walk.members[mover].change(), walk.roster[mover], effects)
        };
        walk.enabled.set(mover, rest.is_enabled);
        if rest.is_choosing {
            walk.chooser = Some(mover);
        }
        Ok(observers)
    }

    /// A move of a machine or monitor. Nobody is told of it, and it is not noted which places it comes to.
    #[inline]
    fn run<'a>(&'a self, local: &'a mut Local, deeds: &'a mut Deeds) -> Run<'a> {
        Run::new(&self.linked, &self.actors, None, local, deeds, false)
    }

    /// What a move does beside changing the machine in slot `mover`. Gives what `go` does.
    #[inline(never)]
    fn perform(
        &self,
        walk: &mut Content,
        mover: &mut usize,
        deeds: Deeds,
        effects: &mut Told<'_>,
    ) -> Result<Option<u64>, Box<Bug>> {
        let mut observers = Some(0);
        for deed in deeds {
            match deed {
                Deed::Create { actor, payload } => {
                    self.create(walk, mover, actor, payload, effects)?;
                    observers = None;
                }
                Deed::Observe(message) => {
                    let seen = self.observe(walk, *mover, message)?;
                    observers = observers.zip(seen).map(|(observers, seen)| observers | seen);
                }
                Deed::Hint(effect) => effects.push(effect),
                Deed::Say(_) => unreachable!("these moves are not narrated"),
            }
        }
        Ok(observers)
    }

    /// What a machine that is scheduled goes on with.
    fn take(&self, member: &mut Member) -> Given {
        let taken = match self.waiting(member) {
            Waiting::Idle(info) => &info.taken,
            Waiting::Receive(taken) => taken,
            Waiting::No => return Given::Go,
        };
        let at = member.queue.as_slice().iter().position(|message| taken.contains(message.event));
        at.map_or(Given::Null, |at| Given::Message(member.queue.remove(at)))
    }

    /// Puts a message into a queue.
    fn enqueue(
        &self,
        walk: &mut Content,
        mover: usize,
        target: ActorId,
        message: Message,
        effects: &mut Told<'_>,
    ) -> Result<(), Box<Bug>> {
        let slot = walk.slot(target);
        if self.linked.options.hints {
            effects.push(Effect::Sent(target, self.linked.hint_event(message.event)));
        }
        if matches!(walk.members[slot].local().pending, Pending::Halted) {
            return Ok(());
        }
        let member = walk.members[slot].change_queue();
        if member.queue.len() >= self.linked.options.limits.queue_length as usize {
            return Err(bounds::queue_too_long(self.names(), target));
        }
        self.accept(member, message);
        effects.push(Effect::SentTo(target));
        if slot != mover && member.has_mail && !walk.enabled.contains(slot) {
            walk.enabled.set(slot, true);
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
        member.queue.push(message);
    }

    /// Whether it can be scheduled.
    fn is_enabled(&self, member: &Member) -> bool {
        match self.waiting(member) {
            Waiting::Idle(info) => member.has_mail || info.has_null,
            Waiting::Receive(_) => member.has_mail,
            Waiting::No => !matches!(member.local.pending, Pending::Halted),
        }
    }

    #[inline]
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
        walk: &mut Content,
        mover: &mut usize,
        actor: ActorId,
        payload: Value,
        effects: &mut Told<'_>,
    ) -> Result<(), Box<Bug>> {
        let creator = walk.roster[*mover];
        if walk.roster.len() >= self.linked.options.limits.machines as usize {
            return Err(bounds::too_many_machines(self.names(), creator));
        }
        let slot = self.insert(walk, actor, payload);
        *mover += usize::from(slot <= *mover);
        effects.push(Effect::Created(actor));
        if self.linked.options.hints {
            let machine = self.linked.hint_machine(self.actors.get(actor).machine);
            effects.push(Effect::Is { actor, machine, creator });
        }
        Ok(())
    }

    /// Adds a new machine; returns its slot.
    fn insert(&self, walk: &mut Content, actor: ActorId, payload: Value) -> usize {
        let is_before = |other: &ActorId| self.actors.compare(*other, actor).is_lt();
        // Most machines are created in their order.
        let is_last = walk.roster.last().is_none_or(is_before);
        let slot = if is_last { walk.roster.len() } else { walk.roster.partition_point(is_before) };
        walk.enabled.insert(slot, walk.roster.len(), true);
        let (before, after) = walk.roster.split_at(slot);
        walk.roster = before.iter().chain([&actor]).chain(after).copied().collect();
        walk.machines = UNNUMBERED;
        let machine = self.actors.get(actor).machine;
        let local = self.linked.created_local(actor, machine, payload);
        walk.members.insert(slot, Shared::new(local, machine));
        slot
    }

    /// Shows a message to the monitors that see it; these as bits, if they can be told so.
    fn observe(&self, walk: &mut Content, mover: usize, message: Message) -> Result<Option<u64>, Box<Bug>> {
        let interface = self.actors.get(walk.roster[mover]).interface;
        let monitors = self.linked.observers(interface, message.event);
        if let Some((last, others)) = monitors.split_last() {
            for index in others {
                self.show(walk, *index, message.clone())?;
            }
            self.show(walk, *last, message)?;
        }
        Ok(monitors.iter().try_fold(0, |bits, index| Some(bits | 1_u64.checked_shl(*index)?)))
    }

    fn show(&self, walk: &mut Content, index: u32, message: Message) -> Result<(), Box<Bug>> {
        self.exercised.note(self.linked.places.seen(self.linked.monitors[index as usize].machine));
        let monitor = &mut walk.members[walk.roster.len() + index as usize].change().local;
        self.run(monitor, &mut Deeds::default()).finish(Given::Message(message))
    }

    /// Leaves the mover where its move has led it.
    fn rest(&self, member: &mut Member, actor: ActorId, effects: &mut Told<'_>) -> Rest {
        let is_enabled;
        (member.has_mail, is_enabled) = match self.waiting(member) {
            Waiting::Idle(info) => {
                if self.linked.options.hints {
                    effects.push(Effect::Settled(actor));
                }
                let has_mail = settle(&mut member.queue, info);
                (has_mail, has_mail || info.has_null)
            }
            Waiting::Receive(taken) => {
                let has_mail = member.queue.as_slice().iter().any(|message| taken.contains(message.event));
                (has_mail, has_mail)
            }
            Waiting::No => (false, !matches!(member.local.pending, Pending::Halted)),
        };
        match member.local.pending {
            Pending::Choose { .. } | Pending::ForeignChoose { .. } => {
                return Rest { is_enabled, is_choosing: true };
            }
            Pending::Halted => {
                member.queue.clear();
                effects.push(Effect::Halted(actor));
            }
            _ if !is_enabled => effects.push(Effect::Blocked(actor)),
            _ => {}
        }
        Rest { is_enabled, is_choosing: false }
    }
}

/// Drops the messages that a machine between two handlers ignores before the first that it takes; whether there is one.
fn settle(queue: &mut Mailbox, info: &StateInfo) -> bool {
    let mut at = 0;
    while let Some(message) = queue.as_slice().get(at) {
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

impl Content {
    /// No machines yet.
    fn empty(members: Vec<Shared>) -> Self {
        let (roster, enabled) = (Roster::default(), Enabled::default());
        Self { roster, machines: UNNUMBERED, enabled, members, chooser: None }
    }

    /// The position of a machine.
    fn slot(&self, actor: ActorId) -> usize {
        let slot = self.roster.iter().position(|other| *other == actor);
        slot.expect("only machines that exist are referred to")
    }

    fn machines(&self) -> Vec<MachineView<'_>> {
        let members = self.members.iter().zip(&*self.roster);
        members
            .map(|(member, actor)| {
                let queue = member.queue().iter().map(|message| (message.event, &message.payload)).collect();
                let local = member.local();
                let (pending, frame) = (&local.pending, local.frames.last());
                let machine = member.machine();
                MachineView::new(*actor, machine, local.state, pending, local.fields(), frame, queue)
            })
            .collect()
    }

    fn alternatives(&self, chooser: usize) -> u32 {
        match &self.members[chooser].local().pending {
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
            None => walk.enabled.for_each(|slot| choices.push(Choice::Schedule(walk.roster[slot]))),
        }
    }

    fn step(&self, walk: &Walk, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Walk, Box<Bug>> {
        let mut next = walk.clone();
        match self.take_choice(&mut next, choice, &mut Told::All(effects)) {
            Ok(()) => Outcome::State(next),
            Err(bug) => Outcome::Bug(bug),
        }
    }

    fn proceed(&self, walk: &mut Walk, choice: Choice, effects: &mut Vec<Effect>) -> Result<(), Box<Bug>> {
        self.take_choice(walk, choice, &mut Told::All(effects))
    }

    #[inline]
    fn count_choices(&self, walk: &Walk) -> Option<usize> {
        Some(match walk.chooser {
            Some(chooser) => walk.alternatives(chooser) as usize,
            None => walk.enabled.len(),
        })
    }

    fn proceed_at(&self, walk: &mut Walk, position: usize) -> Result<(), Box<Bug>> {
        let (mover, alternative) = match walk.chooser.take() {
            Some(chooser) => (chooser, Some(position as u32)),
            None => {
                (walk.enabled.nth(position).expect("the position is one of those that were counted"), None)
            }
        };
        self.go(walk, mover, alternative, &mut Told::Nobody).map(drop)
    }

    fn end(&self, walk: &Walk) -> Option<Box<Bug>> {
        let waits = |member: &Shared| matches!(member.local().pending, Pending::Receive);
        if self.linked.monitors.is_empty() && !walk.members.iter().any(waits) {
            return None;
        }
        let monitors = self.linked.monitors.iter().zip(&walk.members[walk.roster.len()..]);
        let monitors: Vec<MonitorView<'_>> = monitors
            .map(|(info, monitor)| {
                let local = monitor.local();
                MonitorView::new(&self.linked, info, local.state, local.fields())
            })
            .collect();
        ends::bug_of(self.names(), &walk.machines(), &monitors)
    }

    fn fingerprint(&self, walk: &Walk) -> u128 {
        let parts = walk.members.iter().map(|member| member.hash(&self.linked, &self.actors));
        parts.fold(0, u128::wrapping_add)
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.actors.hash(actor)
    }

    fn writes_to(&self, walk: &Walk, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(actor) = choice else { return None };
        match &walk.members[walk.slot(actor)].local().pending {
            Pending::Enqueue { target, .. } => Some(*target),
            _ => None,
        }
    }

    fn memory(&self) -> usize {
        self.actors.bytes() + self.shapes.bytes() + self.rosters.bytes()
    }

    fn held_by(&self, walk: &Walk) -> usize {
        walk.members.iter().map(Shared::bytes).sum()
    }

    fn forget(&mut self) {
        self.actors.clear();
        self.shapes.clear();
        self.rosters.clear();
    }
}
