//! The local configuration of a machine: all that its own next moves depend on, its queue apart.
//!
//! Configurations are taken only where a machine stops, so no half-done work is part of them: between two handlers there
//! are no frames, and a raised event never waits. A frame stands *at* the instruction that stopped it. Registers whose
//! value is not needed from there on are emptied by whoever makes the configuration (`run.rs`), so that configurations
//! that cannot be told apart are equal.
//!
//! This is the form in which a machine moves; `packed.rs` has the one in which very many are kept.

use crate::value::Value;
use fabius_lang::ids::{EventId, FunctionId, StateId};
use fabius_model::ActorId;
use std::sync::Arc;

/// An index into the store's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MessageId(pub(crate) u32);

/// An event with its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) event: EventId,
    pub(crate) payload: Value,
}

/// A machine's or monitor's local configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) owner: Owner,
    pub(crate) state: StateId,
    /// The values of its variables; empty when the machine has halted.
    pub(crate) fields: Vec<Value>,
    /// Calls that have not returned, the innermost last.
    pub(crate) frames: Vec<Frame>,
    /// Those of all frames, one frame's behind the other's.
    pub(crate) registers: Vec<Value>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// A position in the function's code.
    pub(crate) at: u32,
    /// Where its registers begin.
    pub(crate) base: u32,
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

impl Local {
    /// A machine that has just been created, or a monitor before its start.
    pub(crate) fn new(owner: Owner, state: StateId, fields: &[Value], payload: Value) -> Self {
        Self {
            owner,
            state,
            fields: fields.to_vec(),
            frames: Vec::new(),
            registers: Vec::new(),
            then: Then::Settle,
            pending: Pending::Start(payload),
            children: 0,
        }
    }

    /// Roughly the bytes that its values hold, each counted by its share.
    pub(crate) fn share(&self) -> usize {
        self.fields.iter().chain(&self.registers).map(|value| size_of::<Value>() + value.share()).sum()
    }

    /// Ends the machine: nothing of what it held matters any more.
    pub(crate) fn halt(&mut self) {
        self.state = StateId(0);
        self.fields.clear();
        self.unwind();
        self.then = Then::Settle;
        self.pending = Pending::Halted;
        self.children = 0;
    }

    /// Ends all calls.
    pub(crate) fn unwind(&mut self) {
        self.frames.clear();
        self.registers.clear();
    }
}
