//! The contents of queues, and what a machine takes from them.
//!
//! A queue content is immutable and interned; putting a message in, or taking one out, leads to another content, and is
//! remembered at the content it starts from.
//!
//! Ignored messages. P drops a message that the state ignores when it meets it on the way to the first message that can
//! be taken. While a machine is between two handlers its state stays, and its next look at the queue starts from the
//! head. Thus it drops every ignored message before the first one that can be taken, now or later, whatever else
//! arrives; so we drop those at once ([`Queues::settle`]), and states that differ only in such messages become one.
//! Ignored messages *behind* the first that can be taken must stay: its handler may lead to a state that handles them.

use crate::encode::hash_queue;
use crate::link::StateInfo;
use crate::machine::MessageId;
use crate::mask::Mask;
use crate::table::{Interned, Interner, Links};
use fabius_lang::ids::EventId;
use std::iter;

/// An index into [`Queues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QueueId(pub(crate) u32);

impl QueueId {
    /// The empty queue: the first that is interned.
    pub(crate) const EMPTY: Self = Self(0);
}

/// One content.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) messages: Box<[Queued]>,
    pub(crate) hash: u128,
    /// From a change to the content after it: see [`Changed`].
    links: Links,
}

/// How one content becomes another.
#[derive(Clone, Copy, Debug)]
enum Changed {
    /// The message was added at the end.
    With(MessageId),
    /// The message at the position was taken.
    Without(u32),
    /// What the state of this index drops was dropped.
    Settled(u32),
}

impl Changed {
    /// The three kinds share the numbers: ids, positions and indices are far below these bounds.
    fn key(self) -> u32 {
        match self {
            Self::With(message) => message.0,
            Self::Without(at) => 1 << 31 | at,
            Self::Settled(state) => 3 << 30 | state,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) message: MessageId,
    pub(crate) event: EventId,
}

impl Interned for Queue {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.messages == other.messages
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.messages)
    }
}

/// All contents met so far.
#[derive(Debug)]
pub(crate) struct Queues {
    table: Interner<Queue>,
}

impl Queues {
    pub(crate) fn new() -> Self {
        let queues = Self { table: Interner::new() };
        queues.intern_empty();
        queues
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.intern_empty();
    }

    fn intern_empty(&self) {
        let empty = self.intern(&iter::empty(), |_| 0);
        assert_eq!(empty, QueueId::EMPTY, "it is the first");
    }

    pub(crate) fn table(&self) -> &Interner<Queue> {
        &self.table
    }

    pub(crate) fn get(&self, id: QueueId) -> &Queue {
        self.table.get(id.0)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The content with one message more at its end.
    pub(crate) fn with(&self, id: QueueId, new: Queued, hash: impl Fn(MessageId) -> u128) -> QueueId {
        let queue = self.get(id);
        QueueId(self.table.remember(&queue.links, Changed::With(new.message).key(), || {
            let messages = queue.messages.iter().copied().chain([new]);
            self.intern_hashed(&messages, queue.hash_with(hash(new.message))).0
        }))
    }

    /// The content without the message at a position.
    pub(crate) fn without(&self, id: QueueId, at: usize, hash: impl Fn(MessageId) -> u128) -> QueueId {
        let queue = self.get(id);
        QueueId(self.table.remember(&queue.links, Changed::Without(at as u32).key(), || {
            self.intern_hashed(&queue.without(at), queue.hash_without(at, hash)).0
        }))
    }

    /// The content as a machine between two handlers has it in a state of this index: see the module's documentation.
    pub(crate) fn settle(
        &self,
        id: QueueId,
        index: u32,
        state: &StateInfo,
        hash: impl Fn(MessageId) -> u128,
    ) -> (QueueId, &Queue) {
        let queue = self.get(id);
        if !queue.has_any(&state.ignored) {
            return (id, queue);
        }
        let settled = QueueId(self.table.remember(&queue.links, Changed::Settled(index).key(), || {
            let first = queue.first(&state.taken).unwrap_or(queue.messages.len());
            let (before, rest) = queue.messages.split_at(first);
            let before = before.iter().filter(|queued| !state.ignored.contains(queued.event));
            self.intern(&before.chain(rest).copied(), hash).0
        }));
        (settled, self.get(settled))
    }

    /// The queue with these messages.
    pub(crate) fn intern(
        &self,
        messages: &(impl Iterator<Item = Queued> + Clone),
        hash: impl Fn(MessageId) -> u128,
    ) -> QueueId {
        let hash = hash_messages(messages.clone(), hash);
        self.intern_hashed(messages, hash)
    }

    /// The same, by their hash. They are put together only if the queue is new.
    fn intern_hashed<M: Iterator<Item = Queued> + Clone>(&self, messages: &M, hash: u128) -> QueueId {
        self.table.expect(hash);
        let is_same = |queue: &Queue, messages: &M| queue.messages.iter().copied().eq(messages.clone());
        let make =
            |messages: &M| Queue { messages: messages.clone().collect(), hash, links: Links::default() };
        QueueId(self.table.intern_with(hash, messages, is_same, make))
    }
}

fn hash_messages(messages: impl Iterator<Item = Queued>, hash: impl Fn(MessageId) -> u128) -> u128 {
    messages.fold(0, |sum, queued| hash_queue(sum, hash(queued.message)))
}

impl Queue {
    fn without(&self, at: usize) -> impl Iterator<Item = Queued> + Clone {
        let (before, rest) = self.messages.split_at(at);
        before.iter().chain(&rest[1..]).copied()
    }

    /// The hash of the content with one message more, whose hash this is.
    pub(crate) fn hash_with(&self, message: u128) -> u128 {
        hash_queue(self.hash, message)
    }

    /// The hash of the content without the message at a position.
    pub(crate) fn hash_without(&self, at: usize, hash: impl Fn(MessageId) -> u128) -> u128 {
        hash_messages(self.without(at), hash)
    }

    /// Whether some event in it is in `mask`.
    pub(crate) fn has_any(&self, mask: &Mask) -> bool {
        self.messages.iter().any(|queued| mask.contains(queued.event))
    }

    /// The position of the first message whose event is in `taken`.
    pub(crate) fn first(&self, taken: &Mask) -> Option<usize> {
        self.messages.iter().position(|queued| taken.contains(queued.event))
    }
}
