//! A machine's part of a state: its configuration and its queue, as one object.
//!
//! Invariant: the queue is in its normal form, without messages that cannot matter (see `queue.rs`); so whether the
//! machine can be scheduled, and what it does when it is, follow from the part alone. A part remembers both: where its own
//! move leads, and what it becomes when a message arrives.

use crate::encode::mix;
use crate::link::Linked;
use crate::machine::MessageId;
use crate::queue::{Queue, QueueId};
use crate::store::{LocalId, Stance, Store};
use crate::table::{Interned, Links};
use fabius_model::ActorId;
use std::sync::atomic::{AtomicU32, Ordering};

/// An index into the store's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartId(pub(crate) u32);

#[derive(Debug)]
pub(crate) struct Part {
    /// What it adds to the fingerprint of a state.
    pub(crate) hash: u128,
    pub(crate) local: LocalId,
    pub(crate) queue: QueueId,
    pub(crate) is_enabled: bool,
    pub(crate) is_choosing: bool,
    pub(crate) is_halted: bool,
    /// Whether its move begins with enqueueing a message: `message` for `target`.
    pub(crate) is_sending: bool,
    pub(crate) target: ActorId,
    pub(crate) message: MessageId,
    /// The machine's own move, as [`Recalled::code`]; 0 if it is not known.
    next: AtomicU32,
    /// From a message to the part after its arrival; of a machine at a choice, from an alternative to its move.
    pub(crate) links: Links,
}

impl Interned for Part {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.local == other.local && self.queue == other.queue
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// What is remembered of a machine's own move, beside the message that it may begin with enqueueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recalled {
    /// It only leads to another part.
    Plain(PartId),
    /// It does more: the index of a move in the store.
    Move(u32),
}

const PLAIN: u32 = 1 << 31;

impl Recalled {
    /// Never 0.
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::Plain(part) => part.0 | PLAIN,
            Self::Move(index) => index + 1,
        }
    }

    pub(crate) fn of_code(code: u32) -> Option<Self> {
        match code {
            0 => None,
            code if code & PLAIN != 0 => Some(Self::Plain(PartId(code & !PLAIN))),
            code => Some(Self::Move(code - 1)),
        }
    }
}

impl Part {
    pub(crate) fn recalled(&self) -> Option<Recalled> {
        Recalled::of_code(self.next.load(Ordering::Acquire))
    }

    /// Racing threads may remember different indices of equal moves.
    pub(crate) fn remember(&self, recalled: Recalled) {
        self.next.store(recalled.code(), Ordering::Release);
    }
}

impl Store {
    pub(crate) fn part(&self, id: PartId) -> &Part {
        self.parts.get(id.0)
    }

    /// The part of a machine with this configuration and this queue, which need not be in its normal form.
    pub(crate) fn intern_part(&self, linked: &Linked, local: LocalId, queue: QueueId) -> PartId {
        let entry = self.local(local);
        let given = queue;
        let (queue, content, is_enabled) = self.normal(linked, entry.stance, queue);
        if queue != given {
            self.exercise_passed_over(linked, entry, self.queues.get(given));
        }
        let hash = mix(entry.hash, content.hash);
        let sent = match entry.stance {
            Stance::Enqueue { target, message } => Some((target, message)),
            _ => None,
        };
        let (target, message) = sent.unwrap_or((ActorId(0), MessageId(0)));
        let make = |_: &mut ()| {
            self.exercise_passed_over(linked, entry, content);
            Part {
                hash,
                local,
                queue,
                is_enabled,
                is_choosing: matches!(entry.stance, Stance::Choose { .. }),
                is_halted: entry.stance == Stance::Halted,
                is_sending: sent.is_some(),
                target,
                message,
                next: AtomicU32::new(0),
                links: Links::default(),
            }
        };
        let is_same = |part: &Part, _: &()| part.local == local && part.queue == queue;
        PartId(self.parts.intern_with(hash, &mut (), is_same, make))
    }

    /// A queue as every state has it, its content, and whether the machine can move.
    fn normal(&self, linked: &Linked, stance: Stance, queue: QueueId) -> (QueueId, &Queue, bool) {
        let hash = |message| self.message_hash(message);
        match stance {
            Stance::Idle { state } | Stance::CheckNull { state } => {
                let info = linked.state(state);
                let (queue, content) = self.queues.settle(queue, state, info, hash);
                let checks_null = matches!(stance, Stance::CheckNull { .. });
                (queue, content, checks_null || content.has_any(&info.taken))
            }
            Stance::Receive { receive } => {
                let content = self.queues.get(queue);
                (queue, content, content.has_any(linked.receive(receive)))
            }
            Stance::Halted => (QueueId::EMPTY, self.queues.get(QueueId::EMPTY), false),
            Stance::Run | Stance::Enqueue { .. } | Stance::Choose { .. } | Stance::Monitor => {
                (queue, self.queues.get(queue), true)
            }
        }
    }
}
