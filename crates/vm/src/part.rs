//! A machine's part of a state: its configuration and its queue, as one object.
//!
//! Invariant: the queue is in its normal form, without messages that cannot matter (see `queue.rs`); so whether the
//! machine can be scheduled, and what it does when it is, follow from the part alone. A part remembers both: where its own
//! move leads, and what it becomes when a message arrives.

use crate::encode::mix;
use crate::link::Linked;
use crate::machine::MessageId;
use crate::queue::{Queue, QueueId};
use crate::state::part_word;
use crate::store::{LocalId, Roster, Stance, Store};
use crate::table::{Inserted, Interned, Links};
use fabius_model::{ActorId, Ending};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

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
    /// Whether its move may be another one when a message has arrived.
    pub(crate) heeds_arrivals: bool,
    /// Whether no message can arrive.
    pub(crate) is_full: bool,
    /// Whether its move begins with enqueueing a message; then the message, and for whom it is.
    pub(crate) is_sending: bool,
    pub(crate) message: MessageId,
    pub(crate) target: ActorId,
    /// The slot in which that machine was last.
    target_slot: AtomicU32,
    /// The machine's own move, as [`Recalled::code`]; 0 if it is not known. The others were written before it.
    next: AtomicU32,
    /// The word of the part after it, and what the move adds to the fingerprint of a state.
    next_word: AtomicU32,
    change: [AtomicU64; 2],
    /// What becomes of the machine, as [`Ending`], with `CHOOSES` if it then stands at a choice.
    next_end: AtomicU8,
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
const CHOOSES: u8 = 1 << 7;

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
    /// The slot of the machine for which its message is.
    #[inline]
    pub(crate) fn target_slot(&self, roster: &Roster) -> usize {
        let last = self.target_slot.load(Ordering::Relaxed) as usize;
        if roster.actors.get(last) == Some(&self.target) {
            return last;
        }
        let slot = roster.slot(self.target);
        self.target_slot.store(slot as u32, Ordering::Relaxed);
        slot
    }

    pub(crate) fn recalled(&self) -> Option<Recalled> {
        Recalled::of_code(self.next.load(Ordering::Acquire))
    }

    /// Its own move as a change of a state: the word of the part after it, what is added to the fingerprint, and whether the
    /// machine then stands at a choice. Only if it has [`recalled`](Self::recalled) one.
    #[inline]
    pub(crate) fn change(&self) -> (u32, u128, bool) {
        let low = u128::from(self.change[0].load(Ordering::Relaxed));
        let high = u128::from(self.change[1].load(Ordering::Relaxed));
        let word = self.next_word.load(Ordering::Relaxed);
        (word, high << 64 | low, self.next_end.load(Ordering::Relaxed) & CHOOSES != 0)
    }

    /// What its own move makes of the machine. Only if it has recalled one.
    #[inline]
    pub(crate) fn end_of_change(&self) -> Ending {
        match self.next_end.load(Ordering::Relaxed) & !CHOOSES {
            0 => Ending::Enabled,
            1 => Ending::Blocked,
            _ => Ending::Halted,
        }
    }

    /// What has become of a machine that has this part.
    #[inline]
    pub(crate) fn end(&self) -> Ending {
        match (self.is_enabled, self.is_halted) {
            (true, _) => Ending::Enabled,
            (false, false) => Ending::Blocked,
            (false, true) => Ending::Halted,
        }
    }

    /// Racing threads may remember different indices of equal moves; all else that they write is equal.
    pub(crate) fn remember(&self, recalled: Recalled, next: PartId, after: &Self) -> Inserted {
        let change = after.hash.wrapping_sub(self.hash);
        self.change[0].store(change as u64, Ordering::Relaxed);
        self.change[1].store((change >> 64) as u64, Ordering::Relaxed);
        self.next_word.store(part_word(next, after), Ordering::Relaxed);
        let choice = if after.is_choosing { CHOOSES } else { 0 };
        self.next_end.store(after.end() as u8 | choice, Ordering::Relaxed);
        let is_new = self.next.swap(recalled.code(), Ordering::AcqRel) == 0;
        Inserted { is_new, bytes: 0 }
    }
}

impl Store {
    #[inline]
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
        let make = |_: &()| {
            self.exercise_passed_over(linked, entry, content);
            let (is_sending, target, message) = match entry.stance {
                Stance::Enqueue { target, message } => (true, target, message),
                _ => (false, ActorId(0), MessageId(0)),
            };
            Part {
                hash,
                local,
                queue,
                is_enabled,
                is_choosing: matches!(entry.stance, Stance::Choose { .. }),
                is_halted: entry.stance == Stance::Halted,
                heeds_arrivals: matches!(entry.stance, Stance::CheckNull { .. }),
                is_full: content.messages.len() >= linked.options.limits.queue_length as usize,
                is_sending,
                message,
                target,
                target_slot: AtomicU32::new(0),
                next: AtomicU32::new(0),
                next_word: AtomicU32::new(0),
                change: Default::default(),
                next_end: AtomicU8::new(0),
                links: Links::default(),
            }
        };
        let is_same = |part: &Part, _: &()| part.local == local && part.queue == queue;
        PartId(self.parts.intern_with(hash, &(), is_same, make))
    }

    /// Has memory come that will be needed to intern the part with this configuration and a queue of this hash, if that is in
    /// its normal form.
    pub(crate) fn expect_part(&self, local: LocalId, queue: u128) {
        self.parts.expect(mix(self.local(local).hash, queue));
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
