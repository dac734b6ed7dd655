//! A machine with its queue, or a monitor, shared by the states that have the same.
//!
//! Invariant: what is cached about a member is about what it is now; whoever changes it goes through [`Shared::change`].

use super::mailbox::Mailbox;
use crate::actor::Actors;
use crate::encode::{hash_local, hash_message, hash_queue, mix};
use crate::link::Linked;
use crate::machine::{Local, Message};
use crate::packed::pending_message;
use crate::value::Cached;
use fabius_lang::ids::MachineId;
use std::sync::{Arc, OnceLock};

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
    words: OnceLock<Box<[u32]>>,
}

impl Clone for Known {
    fn clone(&self) -> Self {
        Self { member: self.member.clone(), hash: Cached::default(), words: OnceLock::new() }
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
        Self(Arc::new(Known { member, hash: Cached::default(), words: OnceLock::new() }))
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
    pub(super) fn change(&mut self) -> &mut Member {
        let known = Arc::make_mut(&mut self.0);
        known.hash.reset();
        known.words.take();
        &mut known.member
    }

    /// What it adds to the fingerprint of a state.
    pub(super) fn hash(&self, linked: &Linked, actors: &Actors) -> u128 {
        self.0.hash.get().unwrap_or_else(|| {
            let Member { local, queue, .. } = &self.0.member;
            let message = pending_message(local).map(|message| hash_message(message, actors));
            let local = hash_local(local, message, linked, actors);
            let messages = queue.as_slice().iter().map(|message| hash_message(message, actors));
            let hash = mix(local, messages.fold(0, hash_queue));
            self.0.hash.set(hash);
            hash
        })
    }

    /// Its words, encoded at the first time.
    pub(super) fn words(&self, encode: impl FnOnce(&Member) -> Box<[u32]>) -> &[u32] {
        self.0.words.get_or_init(|| encode(&self.0.member))
    }

    /// Roughly the bytes it holds, divided by how many states share it.
    pub(super) fn bytes(&self) -> usize {
        let Member { local, queue, .. } = &self.0.member;
        let queued = queue.as_slice().iter().map(|message| size_of::<Message>() + message.payload.share());
        (size_of::<Known>() + local.share() + queued.sum::<usize>()) / Arc::strong_count(&self.0)
    }
}
