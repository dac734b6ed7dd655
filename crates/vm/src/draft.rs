//! The next state in the making: what a machine's move does to the others.

use crate::bounds;
use crate::bug::Bug;
use crate::machine::MessageId;
use crate::memo::{self, Action, Input, Move, Transition};
use crate::monitor;
use crate::part::Part;
use crate::queue::{QueueId, Queued};
use crate::state::State;
use crate::step::Vm;
use crate::store::{LocalId, Roster, Stance};
use fabius_model::{ActorId, Choice, Effect, Happening};

/// The next state in the making.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    vm: &'a Vm,
    state: State,
    /// The mover's queue without the message that it took.
    rest: Option<QueueId>,
    effects: &'a mut Vec<Effect>,
    told: Option<&'a mut Vec<Happening>>,
}

impl<'a> Draft<'a> {
    /// The state with the monitors and the main machine.
    pub(crate) fn first(vm: &'a Vm, monitors: &[LocalId], main: ActorId, local: LocalId) -> State {
        let hashes = monitors.iter().map(|monitor| vm.store.local(*monitor).hash);
        let mut draft = Draft {
            vm,
            state: State::new(
                vm.store.intern_roster(Box::default()),
                monitors,
                hashes.fold(0, u128::wrapping_add),
            ),
            rest: None,
            effects: &mut Vec::new(),
            told: None,
        };
        draft.insert(main, local);
        draft.state
    }

    pub(crate) fn copy(
        vm: &'a Vm,
        state: &State,
        effects: &'a mut Vec<Effect>,
        told: Option<&'a mut Vec<Happening>>,
    ) -> Self {
        Self { vm, state: state.clone(), rest: None, effects, told }
    }

    /// Takes a step.
    pub(crate) fn step(mut self, choice: Choice) -> Result<State, Box<Bug>> {
        let (mut mover, input) = match choice {
            Choice::Data(alternative) => {
                let slot = self.state.chooser().expect("data choices belong to somebody");
                (slot, Input::Data(alternative))
            }
            Choice::Schedule(actor) => {
                let slot = self.roster().slot(actor);
                (slot, self.wake(slot)?)
            }
        };
        let local = self.part(mover).local;
        let next = match self.transition(local, input) {
            Move::Plain(next) => next,
            Move::Known(_, transition) => self.act(&mut mover, transition)?,
            Move::Made(transition) => self.act(&mut mover, &transition)?,
        };
        self.rest(mover, next);
        Ok(self.state)
    }

    /// Does what a move does beside changing the mover; returns the mover's next configuration.
    fn act(&mut self, mover: &mut usize, transition: &Transition) -> Result<LocalId, Box<Bug>> {
        for action in &transition.actions {
            match action {
                Action::Create { actor, local } => {
                    self.check_machines(*mover)?;
                    let slot = self.insert(*actor, *local);
                    *mover += usize::from(slot <= *mover);
                    self.effects.push(Effect::Created(*actor));
                    let creator = self.roster().actors[*mover];
                    self.hint(|vm| {
                        let machine = vm.linked.hint_machine(vm.store.actors.get(*actor).machine);
                        Effect::Is { actor: *actor, machine, creator }
                    });
                }
                Action::Observe { message } => self.observe(*mover, *message)?,
                Action::Hint(effect) => self.effects.push(*effect),
                Action::Say(happening) => self.tell(|_| (**happening).clone()),
            }
        }
        transition.end.clone()
    }

    /// Does what the machine's step begins with, and finds what it goes on with.
    fn wake(&mut self, slot: usize) -> Result<Input, Box<Bug>> {
        let before = self.part(slot);
        let linked = &self.vm.linked;
        let taken = match self.vm.store.local(before.local).stance {
            Stance::Enqueue { target, message } => {
                self.enqueue(slot, target, message)?;
                return Ok(Input::Go);
            }
            Stance::Idle { state } | Stance::CheckNull { state } => &linked.state(state).taken,
            Stance::Receive { receive } => linked.receive(receive),
            _ => return Ok(Input::Go),
        };
        let content = self.vm.store.queues.get(before.queue);
        let Some(at) = content.first(taken) else { return Ok(Input::Null) };
        let hash = |message| self.vm.store.message_hash(message);
        // Its normal form depends on where the move leads.
        self.rest = Some(self.vm.store.queues.without(before.queue, at, hash));
        Ok(Input::Message(content.messages[at].message))
    }

    fn transition(&self, local: LocalId, input: Input) -> Move<'a> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        match self.told {
            None => memo::transition(linked, store, local, input),
            Some(_) => memo::narrated(linked, store, local, input),
        }
    }

    /// Puts a message into a queue.
    fn enqueue(&mut self, mover: usize, target: ActorId, message: MessageId) -> Result<(), Box<Bug>> {
        let store = &self.vm.store;
        let slot = self.roster().slot(target);
        let before = self.part(slot);
        let is_halted = before.is_halted;
        self.tell_sent(target, message, is_halted);
        self.hint(|vm| Effect::Sent(target, vm.linked.hint_event(vm.store.message(message).event)));
        if is_halted {
            return Ok(());
        }
        if store.queues.get(before.queue).messages.len()
            >= self.vm.linked.options.limits.queue_length as usize
        {
            return Err(bounds::queue_too_long(self.vm.names(), target));
        }
        let queued = Queued { message, event: store.message(message).event };
        let queue = store.queues.with(before.queue, queued, |message| store.message_hash(message));
        let after = self.replace(slot, before.local, queue);
        self.effects.push(Effect::SentTo(target));
        if slot != mover && after.is_enabled && !before.is_enabled {
            self.effects.push(Effect::Enabled(target));
        }
        Ok(())
    }

    /// Shows a message to the monitors that see it.
    fn observe(&mut self, mover: usize, message: MessageId) -> Result<(), Box<Bug>> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        let roster = self.roster();
        let interface = store.actors.get(roster.actors[mover]).interface;
        for index in linked.observers(interface, store.message(message).event) {
            let (machines, index) = (roster.actors.len(), *index as usize);
            let before = self.state.monitor(machines, index);
            let after = monitor::observe(linked, store, before, message, self.told.as_deref_mut())?;
            self.state.replace_monitor(machines, index, after, store);
        }
        Ok(())
    }

    /// Leaves the mover where its move has led it.
    fn rest(&mut self, mover: usize, next: LocalId) {
        let before = self.part(mover);
        let after = self.replace(mover, next, self.rest.unwrap_or(before.queue));
        let stance = self.vm.store.local(next).stance;
        self.state.set_chooser(after.is_choosing.then_some(mover));
        if matches!(stance, Stance::Idle { .. } | Stance::CheckNull { .. }) {
            let roster = self.roster();
            self.hint(|_| Effect::Settled(roster.actors[mover]));
        }
        if !after.is_enabled {
            let actor = self.roster().actors[mover];
            let effect = if after.is_halted { Effect::Halted(actor) } else { Effect::Blocked(actor) };
            self.effects.push(effect);
        }
    }

    // ---- parts ----

    fn roster(&self) -> &'a Roster {
        self.vm.store.roster(self.state.roster())
    }

    fn part(&self, slot: usize) -> &'a Part {
        self.vm.store.part(self.state.part(slot))
    }

    /// Adds a new machine; returns its slot.
    fn insert(&mut self, actor: ActorId, local: LocalId) -> usize {
        let (roster, slot) = self.vm.store.enrol(self.state.roster(), actor);
        let part = self.vm.store.intern_part(&self.vm.linked, local, QueueId::EMPTY);
        self.state.insert_part(roster, slot, part, self.vm.store.part(part));
        slot
    }

    /// Changes a machine's part; the queue is brought into its normal form.
    fn replace(&mut self, slot: usize, local: LocalId, queue: QueueId) -> &'a Part {
        let store = &self.vm.store;
        let after = store.intern_part(&self.vm.linked, local, queue);
        self.state.replace_part(slot, self.part(slot), after, store.part(after));
        store.part(after)
    }

    fn check_machines(&self, mover: usize) -> Result<(), Box<Bug>> {
        let roster = self.roster();
        if roster.actors.len() < self.vm.linked.options.limits.machines as usize {
            return Ok(());
        }
        Err(bounds::too_many_machines(self.vm.names(), roster.actors[mover]))
    }

    // ---- words ----

    fn hint(&mut self, effect: impl FnOnce(&Vm) -> Effect) {
        if self.vm.linked.options.hints {
            self.effects.push(effect(self.vm));
        }
    }

    fn tell(&mut self, happening: impl FnOnce(&Vm) -> Happening) {
        if let Some(told) = &mut self.told {
            told.push(happening(self.vm));
        }
    }

    fn tell_sent(&mut self, to: ActorId, message: MessageId, dropped: bool) {
        self.tell(|vm| {
            let message = vm.store.message(message);
            let event = vm.linked.event_name(message.event).to_owned();
            let ty = vm.linked.program[message.event].payload;
            Happening::Sent { to, event, payload: vm.names().payload_text(&message.payload, ty), dropped }
        });
    }
}
