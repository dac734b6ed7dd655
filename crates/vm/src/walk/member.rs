//! A machine with its queue, or a monitor, shared by the states that have the same.
//!
//! Machines move independently of each other, so a search comes to the same move of the same member in many states that differ
//! in other members. A member knows where its own move has led, as long as some state has what it led to, and what the move
//! does beside that.
//!
//! Invariant: what is cached about a member is about what it is now; whoever changes it goes through [`Shared::change`] or
//! [`Shared::change_queue`].
//! What it led to is held weakly: members do not keep each other alive.

use super::mailbox::Mailbox;
use super::words::{Words, Writer};
use crate::actor::Actors;
use crate::encode::{hash_local, hash_message, hash_queue, mix};
use crate::link::Linked;
use crate::machine::{Local, Message, Pending};
use crate::packed::pending_message;
use crate::places::OnceBox;
use crate::value::{Cached, Value};
use fabius_lang::ids::{EventId, MachineId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What of a member can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) local: Local,
    pub(super) machine: MachineId,
    /// Always empty for monitors.
    pub(super) queue: Mailbox,
    /// Whether the queue holds something that the machine takes where it stands.
    pub(super) has_mail: bool,
}

/// A member in one or several states.
#[derive(Clone, Debug)]
pub(super) struct Shared(Arc<Known>);

/// A member and what is known about it.
#[derive(Debug)]
struct Known {
    member: Member,
    hash: Cached,
    /// That of the configuration.
    local_hash: Cached,
    words: Words,
    /// Which monitors see something of its own move, as bits; all bits if that is not known.
    observers: AtomicU64,
    /// Nothing as long as there is nothing to remember.
    moves: OnceBox<Mutex<Moves>>,
}

const UNKNOWN: u64 = u64::MAX;

/// Where a member's own move has led, by alternatives if it stands at a choice; more than these are not remembered.
#[derive(Debug, Default)]
struct Moves([Weak<Known>; 2]);

impl Known {
    fn new(member: Member) -> Self {
        Self {
            member,
            hash: Cached::default(),
            local_hash: Cached::default(),
            words: Words::default(),
            observers: AtomicU64::new(UNKNOWN),
            moves: OnceBox::default(),
        }
    }
}

impl Known {
    /// Forgets what depends on all of the member.
    fn reset(&mut self) -> &mut Member {
        self.hash.reset();
        if self.moves.get().is_some() {
            self.moves = OnceBox::default();
        }
        &mut self.member
    }
}

impl Clone for Known {
    /// A copy to be changed, with what is known about the configuration and the move.
    fn clone(&self) -> Self {
        Self {
            member: self.member.clone(),
            hash: Cached::default(),
            local_hash: self.local_hash.copy(),
            words: self.words.clone(),
            observers: AtomicU64::new(self.observers.load(Ordering::Relaxed)),
            moves: OnceBox::default(),
        }
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.member == other.0.member
    }
}

impl Eq for Shared {}

impl Shared {
    /// A machine whose queue is empty, or a monitor.
    pub(super) fn new(local: Local, machine: MachineId) -> Self {
        let member = Member { local, machine, queue: Mailbox::default(), has_mail: false };
        Self(Arc::new(Known::new(member)))
    }

    pub(super) fn member(&self) -> &Member {
        &self.0.member
    }

    pub(super) fn local(&self) -> &Local {
        &self.0.member.local
    }

    pub(super) fn machine(&self) -> MachineId {
        self.0.member.machine
    }

    /// The messages in its queue.
    pub(super) fn queue(&self) -> &[Message] {
        self.0.member.queue.as_slice()
    }

    /// The member to change; a copy if another state has it too.
    #[inline]
    pub(super) fn change(&mut self) -> &mut Member {
        let known = Arc::make_mut(&mut self.0);
        known.local_hash.reset();
        known.words.reset();
        *known.observers.get_mut() = UNKNOWN;
        known.reset()
    }

    /// The same for one whose configuration stays as it is, and to whose queue something is added.
    #[inline]
    pub(super) fn change_queue(&mut self) -> &mut Member {
        let known = Arc::make_mut(&mut self.0);
        known.words.reset_others();
        known.reset()
    }

    /// The message that it sends; it does not look at it again.
    pub(super) fn take_message(&mut self) -> Message {
        let Pending::Enqueue { message, .. } = &mut self.change().local.pending else {
            unreachable!("only machines at a `send` are asked")
        };
        std::mem::replace(message, Message::new(EventId::NULL, Value::Null))
    }

    /// Whether another state has it too.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// What its own move, by an alternative if it stands at a choice, has led to, if a state still has that.
    pub(super) fn after_move(&self, alternative: Option<u32>) -> Option<Self> {
        let moves = self.0.moves.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        moves.0.get(alternative.unwrap_or(0) as usize)?.upgrade().map(Self)
    }

    /// Remembers what its own move has led to.
    pub(super) fn remember_move(&self, alternative: Option<u32>, after: &Self) {
        let moves = self.0.moves.get_or_init(Mutex::default);
        let mut moves = moves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = moves.0.get_mut(alternative.unwrap_or(0) as usize) {
            *known = Arc::downgrade(&after.0);
        }
    }

    /// Which monitors see something of its own move, as bits, if that was noted.
    pub(super) fn observers(&self) -> Option<u64> {
        Some(self.0.observers.load(Ordering::Relaxed)).filter(|observers| *observers != UNKNOWN)
    }

    /// Notes that for a move that is the same after any arrival.
    pub(super) fn note_observers(&self, observers: u64) {
        self.0.observers.store(observers, Ordering::Relaxed);
    }

    /// What it adds to the fingerprint of a state.
    pub(super) fn hash(&self, linked: &Linked, actors: &Actors) -> u128 {
        self.0.hash.get().unwrap_or_else(|| {
            let Member { local, queue, .. } = &self.0.member;
            let local = self.0.local_hash.get().unwrap_or_else(|| {
                let message = pending_message(local).map(|message| hash_message(message, actors));
                let hash = hash_local(local, message, linked, actors);
                self.0.local_hash.set(hash);
                hash
            });
            let messages = queue.as_slice().iter().map(|message| hash_message(message, actors));
            let hash = mix(local, messages.fold(0, hash_queue));
            self.0.hash.set(hash);
            hash
        })
    }

    /// Adds its words, which are written at the first time.
    #[inline]
    pub(super) fn add_words(
        &self,
        words: &mut Vec<u32>,
        encode_local: impl FnOnce(&Member, &mut Writer),
        encode_queue: impl FnOnce(&Member, &mut Writer),
    ) {
        let Known { member, words: known, .. } = &*self.0;
        if !known.add_to(words) {
            known.set(|writer| encode_local(member, writer), |writer| encode_queue(member, writer), words);
        }
    }

    /// Roughly the bytes it holds, divided by how many states share it.
    pub(super) fn bytes(&self) -> usize {
        let Member { local, queue, .. } = &self.0.member;
        let queued = queue.as_slice().iter().map(|message| size_of::<Message>() + message.payload.share());
        (size_of::<Known>() + local.share() + queued.sum::<usize>()) / Arc::strong_count(&self.0)
    }
}
