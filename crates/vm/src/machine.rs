//! The local configuration of a machine: all that its own next moves depend on, its queue apart.
//!
//! Configurations are taken only where a machine stops, so no half-done work is part of them: between two handlers there
//! are no frames, and a raised event never waits. A frame stands *at* the instruction that stopped it. Registers whose
//! value is not needed from there on are emptied by whoever makes the configuration (`run.rs`), so that configurations
//! that cannot be told apart are equal.
//!
//! This is the form in which a machine moves; `packed.rs` has the one in which very many are kept.

use crate::frames::Frames;
use crate::value::{Cached, Value};
use fabius_lang::ids::{EventId, FunctionId, StateId};
use fabius_model::ActorId;
use std::sync::Arc;

/// An index into the store's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MessageId(pub(crate) u32);

/// An event with its payload.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) event: EventId,
    pub(crate) payload: Value,
    /// Messages do not change, so copies keep it.
    pub(crate) hash: Cached,
}

impl Clone for Message {
    fn clone(&self) -> Self {
        Self { event: self.event, payload: self.payload.clone(), hash: self.hash.copy() }
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.event == other.event && self.payload == other.payload
    }
}

impl Eq for Message {}

impl Message {
    pub(crate) fn new(event: EventId, payload: Value) -> Self {
        Self { event, payload, hash: Cached::default() }
    }
}

/// A machine's or monitor's local configuration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) owner: Owner,
    pub(crate) state: StateId,
    /// How many variables it has; none when it has halted.
    pub(crate) fields: u32,
    /// Those of its variables, then the registers of each frame.
    pub(crate) values: Vec<Value>,
    /// Calls that have not returned.
    pub(crate) frames: Frames,
    /// What to do when the frames are gone.
    pub(crate) then: Then,
    pub(crate) pending: Pending,
    /// How many machines it has created.
    pub(crate) children: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Actor(ActorId),
    /// A position in the test's list of monitors.
    Monitor(u32),
}

/// What follows when a state's function has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The event is handled.
    Settle,
    /// The exit function has returned: `with` is next, then `target` is entered.
    Leave { target: StateId, with: Option<FunctionId>, payload: Value },
    /// The `with` function has returned: `target` is entered.
    Enter { target: StateId, payload: Value },
    /// The exit function has returned after an event that the state cannot handle.
    Unhandled { event: EventId },
}

/// Where a machine stands and what its next step begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// It has been created; the entry function of the start state comes next.
    Start(Value),
    /// It is between two handlers and looks into its queue next.
    Idle,
    /// At a `send`: monitors have seen the message, the target has not got it yet.
    Enqueue {
        target: ActorId,
        message: Message,
    },
    /// At a `receive`.
    Receive,
    /// At a `choose` with two alternatives or more. `visible` is part of how the step goes on: see `step.rs`.
    Choose {
        alternatives: u32,
        visible: bool,
    },
    /// At a call of a foreign function with two possible results or more.
    ForeignChoose {
        results: Arc<[Value]>,
        visible: bool,
    },
    /// At a `new`, which P may delay.
    Create,
    /// The queue was found to hold nothing to dequeue, and `on null` comes next.
    FireNull,
    /// The message was found by a machine that would have taken `null`; its handler comes next.
    Handle(Message),
    Halted,
}

/// Values, with room for the registers of a call or two. An odd number of them never has exactly one of the sizes in which
/// the allocator has memory: for these it goes the long way.
fn with_room(values: &[Value]) -> Vec<Value> {
    let mut copy = Vec::with_capacity((values.len() + 24) | 1);
    copy.extend_from_slice(values);
    copy
}

impl Clone for Local {
    fn clone(&self) -> Self {
        Self {
            owner: self.owner,
            state: self.state,
            fields: self.fields,
            values: with_room(&self.values),
            frames: self.frames.clone(),
            then: self.then.clone(),
            pending: self.pending.clone(),
            children: self.children,
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.owner = other.owner;
        self.state = other.state;
        self.fields = other.fields;
        self.values.clone_from(&other.values);
        self.frames.clone_from(&other.frames);
        self.then.clone_from(&other.then);
        self.pending.clone_from(&other.pending);
        self.children = other.children;
    }
}

impl Local {
    /// A machine that has just been created, or a monitor before its start.
    pub(crate) fn new(owner: Owner, state: StateId, fields: &[Value], payload: Value) -> Self {
        Self {
            owner,
            state,
            fields: fields.len() as u32,
            values: with_room(fields),
            frames: Frames::new(),
            then: Then::Settle,
            pending: Pending::Start(payload),
            children: 0,
        }
    }

    /// Roughly the bytes that its values hold, each counted by its share.
    pub(crate) fn share(&self) -> usize {
        self.values.iter().map(|value| size_of::<Value>() + value.share()).sum()
    }

    /// Ends the machine: nothing of what it held matters any more.
    pub(crate) fn halt(&mut self) {
        self.state = StateId(0);
        self.fields = 0;
        self.unwind();
        self.then = Then::Settle;
        self.pending = Pending::Halted;
        self.children = 0;
    }

    /// Ends all calls.
    pub(crate) fn unwind(&mut self) {
        self.frames.clear();
        self.shrink(self.fields as usize);
    }

    /// Drops the values from a position on.
    pub(crate) fn shrink(&mut self, length: usize) {
        while self.values.len() > length {
            if self.values.last().is_some_and(Value::is_scalar) {
                // There is nothing to drop, and nothing to call.
                std::mem::forget(self.values.pop());
            } else {
                drop(self.values.pop());
            }
        }
    }

    /// The values of its variables.
    pub(crate) fn fields(&self) -> &[Value] {
        &self.values[..self.fields as usize]
    }
}
