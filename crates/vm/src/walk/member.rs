//! A machine with its queue, or a monitor, shared by the states that have the same.
//!
//! Machines move independently of each other, so a search comes to the same move of the same member in many states that differ
//! in other members. A member knows where its own move has led, and what the move does beside that.
//!
//! Invariant: what is cached about a member is about what it is now; whoever changes it goes through [`Shared::change`] or
//! [`Shared::change_queue`].
//! Members hold what they led to: in a search the state before a move waits while everything behind the move is looked at, and
//! then the same move is made again beside that of another machine. But no more than [`MOST_HELD`] hold the next one in a
//! row, so that what is held stays in proportion to the states that wait.

use super::mailbox::Mailbox;
use super::words::{Words, Writer};
use crate::actor::Actors;
use crate::encode::{hash_local, hash_message, hash_queue, mix};
use crate::link::Linked;
use crate::machine::{Local, Message, Pending};
use crate::packed::pending_message;
use crate::places::{Counted, OnceBox};
use crate::value::{Cached, Value};
use fabius_lang::ids::{EventId, MachineId};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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

impl Member {
    fn detach(&mut self) {
        self.local.values.iter_mut().for_each(Value::detach);
        if let Pending::Enqueue { message, .. } = &mut self.local.pending {
            message.payload.detach();
        }
        self.queue.as_mut_slice().iter_mut().for_each(|message| message.payload.detach());
    }
}

/// A member in one or several states.
#[derive(Clone, Debug)]
pub(super) struct Shared(Counted<Known>);

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
    moves: OnceBox<Moves>,
    /// How many members before this one hold the next one in a row.
    held: AtomicU32,
}

const UNKNOWN: u64 = u64::MAX;

/// Where a member's own move has led, by alternatives if it stands at a choice; more than these are not remembered.
#[derive(Debug, Default)]
struct Moves([OnceLock<Shared>; 2]);

const MOST_HELD: u32 = 2;

impl Known {
    fn new(member: Member) -> Self {
        Self {
            member,
            hash: Cached::default(),
            local_hash: Cached::default(),
            words: Words::default(),
            observers: AtomicU64::new(UNKNOWN),
            moves: OnceBox::default(),
            held: AtomicU32::new(0),
        }
    }
}

impl Known {
    /// Forgets what depends on all of the member.
    fn reset(&mut self) -> &mut Member {
        self.hash.reset();
        *self.held.get_mut() = 0;
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
            held: AtomicU32::new(0),
        }
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&other.0) || self.0.member == other.0.member
    }
}

impl Eq for Shared {}

impl Shared {
    /// A machine whose queue is empty, or a monitor.
    pub(super) fn new(local: Local, machine: MachineId) -> Self {
        let member = Member { local, machine, queue: Mailbox::default(), has_mail: false };
        Self(Counted::new(Known::new(member)))
    }

    /// A member that was made of its words.
    pub(super) fn of_words(member: Member, words: Words) -> Self {
        Self(Counted::new(Known { words, ..Known::new(member) }))
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
        let known = self.0.make_mut();
        known.local_hash.reset();
        known.words.reset();
        *known.observers.get_mut() = UNKNOWN;
        known.reset()
    }

    /// The same for one whose configuration stays as it is, and to whose queue something is added.
    #[inline]
    pub(super) fn change_queue(&mut self) -> &mut Member {
        let known = self.0.make_mut();
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
        self.0.count() > 1
    }

    /// What its own move, by an alternative if it stands at a choice, has led to, if it is remembered.
    pub(super) fn after_move(&self, alternative: Option<u32>) -> Option<Self> {
        self.0.moves.get()?.0.get(alternative.unwrap_or(0) as usize)?.get().cloned()
    }

    /// The member before a move that it is to remember, if it may hold another one.
    pub(super) fn to_remember(&self) -> Option<Self> {
        (self.0.held.load(Ordering::Relaxed) < MOST_HELD).then(|| self.clone())
    }

    /// Remembers what its own move has led to, which was made just now.
    pub(super) fn remember_move(&self, alternative: Option<u32>, after: &Self) {
        let alternative = alternative.unwrap_or(0) as usize;
        if let Some(known) = self.0.moves.get_or_init(Moves::default).0.get(alternative) {
            after.0.held.store(self.0.held.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            // Another thread may have made the same move.
            _ = known.set(after.clone());
        }
    }

    /// Makes it a copy of its own, which counts nothing together with others.
    pub(super) fn detach(&mut self) {
        let mut known = Known::clone(&self.0);
        known.member.detach();
        self.0 = Counted::new(known);
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
        (size_of::<Known>() + local.share() + queued.sum::<usize>()) / self.0.count()
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_HELD, Shared};
    use crate::machine::{Local, Owner};
    use crate::value::Value;
    use fabius_lang::ids::{MachineId, StateId};

    fn member() -> Shared {
        Shared::new(Local::new(Owner::Monitor(0), StateId(0), &[], Value::Null), MachineId(0))
    }

    #[test]
    fn few_members_hold_the_next_one_in_a_row() {
        let row: Vec<Shared> = (0..8).map(|_| member()).collect();
        for two in row.windows(2) {
            let before = two[0].to_remember();
            before.into_iter().for_each(|before| before.remember_move(Some(1), &two[1]));
        }
        for (at, two) in row.windows(2).enumerate() {
            let after = two[0].after_move(Some(1));
            assert_eq!(after.is_some(), at as u32 % (MOST_HELD + 1) < MOST_HELD, "{at}");
            assert!(after.is_none_or(|after| after.0.is_same(&two[1].0)));
            assert!(two[0].after_move(None).is_none() && two[0].after_move(Some(2)).is_none());
        }
    }

    #[test]
    fn a_member_that_changes_holds_nothing() {
        let changes: [fn(&mut Shared); 2] =
            [|member| _ = member.change(), |member| _ = member.change_queue()];
        for change in changes {
            for is_shared in [false, true] {
                let mut before = member();
                before.remember_move(None, &member());
                let other = is_shared.then(|| before.clone());
                change(&mut before);
                assert!(before.after_move(None).is_none());
                assert!(other.is_none_or(|other| other.after_move(None).is_some()));
            }
        }
    }
}
