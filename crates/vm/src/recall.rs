//! Steps from memory: what a machine's part remembers of its moves is enough to make the next state.
//!
//! A step that cannot be made this way (it leads to a bug or a bound, or nothing more may be remembered) is left to
//! [`Draft`](crate::draft::Draft), which makes any step from the ground up, and says the same about every step that can.

use crate::machine::{MessageId, Owner};
use crate::memo::{self, Action, Input};
use crate::monitor;
use crate::part::{Part, PartId, Recalled};
use crate::queue::{QueueId, Queued};
use crate::state::State;
use crate::step::Vm;
use crate::store::{LocalId, Stance};
use fabius_model::{ActorId, Effect};

/// A machine's own move that does more than lead to another part.
#[derive(Debug)]
pub(crate) struct Move {
    /// The transition whose actions are done.
    pub(crate) transition: u32,
    /// The mover's part after it.
    pub(crate) next: PartId,
    /// Which monitors see something of it, as bits; `None` if that cannot be said so, or if it creates machines.
    pub(crate) observers: Option<u64>,
    /// What they see, if it is one message.
    pub(crate) message: Option<MessageId>,
}

/// What is told to monitors, if it is one message.
fn only_message(actions: &[Action]) -> Option<MessageId> {
    let mut messages = actions.iter().filter_map(|action| match action {
        Action::Observe { message } => Some(*message),
        _ => None,
    });
    messages.next().filter(|_| messages.next().is_none())
}

/// What is left of a machine's queue when it moves.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Known(QueueId),
    /// All but the message at this position.
    Without(usize),
}

/// A state on its way to the next one.
struct Recall<'a, 'e> {
    vm: &'a Vm,
    state: &'a mut State,
    /// Who moves.
    mover: usize,
    effects: Option<&'e mut Vec<Effect>>,
}

impl Vm {
    /// Makes `state` the state after a move of the machine in slot `mover`, and tells the effects to whom they matter.
    /// `None` if that cannot be done; `state` and `effects` are then of no use.
    pub(crate) fn recall(
        &self,
        state: &mut State,
        mover: usize,
        alternative: Option<u32>,
        effects: Option<&mut Vec<Effect>>,
    ) -> Option<()> {
        let part = self.store.part(state.part(mover));
        let recalled = self.recalled(part, alternative)?;
        let mut recall = Recall { vm: self, state, mover, effects };
        if part.is_sending {
            recall.enqueue(part)?;
        }
        let next = match recalled {
            Recalled::Plain(next) => next,
            Recalled::Move(index) => {
                let known = self.store.moves.get(index);
                for action in &self.store.transitions.get(known.transition).actions {
                    recall.act(action)?;
                }
                known.next
            }
        };
        recall.rest(part, next);
        Some(())
    }

    /// How a machine moves, if that is known or can be found out.
    #[inline]
    pub(crate) fn recalled(&self, part: &Part, alternative: Option<u32>) -> Option<Recalled> {
        let known = match alternative {
            None => part.recalled(),
            Some(alternative) => part.links.get(alternative).and_then(Recalled::of_code),
        };
        known.or_else(|| self.learn(part, alternative))
    }

    /// Finds out how a machine moves, and remembers it.
    #[cold]
    fn learn(&self, part: &Part, alternative: Option<u32>) -> Option<Recalled> {
        let (linked, store) = (&self.linked, &self.store);
        if store.remembers_no_more(linked) {
            return None;
        }
        let (input, rest) = match alternative {
            Some(alternative) => (Input::Data(alternative), Rest::Known(part.queue)),
            None => self.wake(part)?,
        };
        let (next, transition) = match memo::transition(linked, store, part.local, input) {
            memo::Move::Plain(next) => (next, None),
            memo::Move::Known(index, known) => {
                (*known.end.as_ref().ok()?, (!known.actions.is_empty()).then_some(index))
            }
            memo::Move::Made(_) => return None,
        };
        let next = self.intern_rest(part, next, rest);
        let recalled = match transition {
            None => Recalled::Plain(next),
            Some(transition) => {
                store.count_bytes(size_of::<Move>());
                let observers = self.observers(part, transition);
                let message = only_message(&store.transitions.get(transition).actions);
                Recalled::Move(store.moves.push(Move { transition, next, observers, message }))
            }
        };
        store.count_remembered(match alternative {
            None => part.remember(recalled, next, store.part(next)),
            Some(alternative) => part.links.insert(alternative, recalled.code()),
        });
        Some(recalled)
    }

    /// The monitors that see what a transition of a machine does; see [`Move`].
    fn observers(&self, part: &Part, transition: u32) -> Option<u64> {
        let store = &self.store;
        let Owner::Actor(actor) = store.shape(store.local(part.local)).owner else { return None };
        let interface = store.actors.get(actor).interface;
        let mut observers = 0;
        for action in &store.transitions.get(transition).actions {
            match action {
                Action::Observe { message } => {
                    for index in self.linked.observers(interface, store.message(*message).event) {
                        observers |= 1_u64.checked_shl(*index)?;
                    }
                }
                Action::Hint(_) => {}
                Action::Create { .. } | Action::Say(_) => return None,
            }
        }
        Some(observers)
    }

    /// What a machine goes on with when it is scheduled, and its queue then.
    fn wake(&self, part: &Part) -> Option<(Input, Rest)> {
        let (linked, store) = (&self.linked, &self.store);
        let entry = store.local(part.local);
        let taken = match entry.stance {
            Stance::Enqueue { target, message } if store.shape(entry).owner == Owner::Actor(target) => {
                return Some((Input::Go, Rest::Known(self.enqueued(part, message)?)));
            }
            Stance::Idle { state } | Stance::CheckNull { state } => &linked.state(state).taken,
            Stance::Receive { receive } => linked.receive(receive),
            _ => return Some((Input::Go, Rest::Known(part.queue))),
        };
        let content = store.queues.get(part.queue);
        let Some(at) = content.first(taken) else { return Some((Input::Null, Rest::Known(part.queue))) };
        Some((Input::Message(content.messages[at].message), Rest::Without(at)))
    }

    /// The part with this configuration and what is left of the queue of one before.
    fn intern_rest(&self, before: &Part, local: LocalId, rest: Rest) -> PartId {
        let store = &self.store;
        let queue = match rest {
            Rest::Known(queue) => queue,
            Rest::Without(at) => {
                let hash = |message| store.message_hash(message);
                store.expect_part(local, store.queues.get(before.queue).hash_without(at, hash));
                store.queues.without(before.queue, at, hash)
            }
        };
        store.intern_part(&self.linked, local, queue)
    }

    /// The queue with one message more, unless it is full.
    fn enqueued(&self, part: &Part, message: MessageId) -> Option<QueueId> {
        let store = &self.store;
        if store.queues.get(part.queue).messages.len() >= self.linked.options.limits.queue_length as usize {
            return None;
        }
        let queued = Queued { message, event: store.message(message).event };
        Some(store.queues.with(part.queue, queued, |message| store.message_hash(message)))
    }

    /// The part that a message's arrival makes of one that has not halted.
    #[inline]
    pub(crate) fn arrival(&self, part: &Part, message: MessageId) -> Option<PartId> {
        match part.links.get(message.0) {
            Some(known) => Some(PartId(known)),
            None => self.learn_arrival(part, message),
        }
    }

    #[cold]
    fn learn_arrival(&self, part: &Part, message: MessageId) -> Option<PartId> {
        let longer = self.store.queues.get(part.queue).hash_with(self.store.message_hash(message));
        self.store.expect_part(part.local, longer);
        let next = self.store.intern_part(&self.linked, part.local, self.enqueued(part, message)?);
        if !self.store.remembers_no_more(&self.linked) {
            self.store.count_remembered(part.links.insert(message.0, next.0));
        }
        Some(next)
    }
}

impl Recall<'_, '_> {
    /// Leaves the mover, whose part was `before`, where its move has led it.
    fn rest(&mut self, before: &Part, next: PartId) {
        let after = self.vm.store.part(next);
        self.state.replace_part(self.mover, before, next, after);
        self.state.set_chooser(after.is_choosing.then_some(self.mover));
        if !after.is_enabled && self.effects.is_some() {
            let actor = self.vm.store.roster(self.state.roster()).actors[self.mover];
            self.tell(if after.is_halted { Effect::Halted(actor) } else { Effect::Blocked(actor) });
        }
    }

    /// Puts the message that the mover's part begins with into its target's queue.
    fn enqueue(&mut self, part: &Part) -> Option<()> {
        let (store, target) = (&self.vm.store, part.target);
        let slot = part.target_slot(store.roster(self.state.roster()));
        // The move itself has accounted for what the mover sends to itself.
        if slot == self.mover {
            self.tell(Effect::SentTo(target));
            return Some(());
        }
        let before = store.part(self.state.part(slot));
        if before.is_halted {
            return Some(());
        }
        let next = self.vm.arrival(before, part.message)?;
        let after = store.part(next);
        self.state.replace_part(slot, before, next, after);
        self.tell(Effect::SentTo(target));
        if after.is_enabled && !before.is_enabled {
            self.tell(Effect::Enabled(target));
        }
        Some(())
    }

    fn act(&mut self, action: &Action) -> Option<()> {
        match action {
            Action::Create { actor, local } => self.create(*actor, *local),
            Action::Observe { message } => self.observe(*message),
            Action::Hint(effect) => {
                self.tell(*effect);
                Some(())
            }
            Action::Say(_) => unreachable!("remembered moves are not narrated"),
        }
    }

    fn create(&mut self, actor: ActorId, local: LocalId) -> Option<()> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        if store.roster(self.state.roster()).actors.len() >= linked.options.limits.machines as usize {
            return None;
        }
        let (roster, slot) = store.enrol(self.state.roster(), actor);
        let part = store.intern_part(linked, local, QueueId::EMPTY);
        self.state.insert_part(roster, slot, part, store.part(part));
        self.mover += usize::from(slot <= self.mover);
        self.tell(Effect::Created(actor));
        Some(())
    }

    fn observe(&mut self, message: MessageId) -> Option<()> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        let roster = store.roster(self.state.roster());
        let interface = store.actors.get(roster.actors[self.mover]).interface;
        for index in linked.observers(interface, store.message(message).event) {
            let (machines, index) = (roster.actors.len(), *index as usize);
            let before = self.state.monitor(machines, index);
            let after = monitor::observe(linked, store, before, message, None).ok()?;
            self.state.replace_monitor(machines, index, after, store);
        }
        Some(())
    }

    fn tell(&mut self, effect: Effect) {
        if let Some(effects) = &mut self.effects {
            effects.push(effect);
        }
    }
}
