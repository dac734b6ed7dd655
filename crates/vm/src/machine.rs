//! The local configuration of a machine: all that its own next moves depend on, its queue apart.
//!
//! Configurations are taken only where a machine stops, so no half-done work is part of them: between two handlers there
//! are no frames, and a raised event never waits. A frame stands *at* the instruction that stopped it. Registers whose
//! value is not needed from there on are emptied by whoever makes the configuration (`run.rs`), so that configurations
//! that cannot be told apart are equal.

use crate::value::{Cached, Value};
use fabius_lang::ids::{EventId, FieldId, FunctionId, StateId};
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
    /// Empty when the machine has halted.
    pub(crate) fields: Fields,
    /// Calls that have not returned, the innermost last.
    pub(crate) frames: Vec<Frame>,
    /// What to do when the frames are gone.
    pub(crate) then: Then,
    pub(crate) pending: Pending,
    /// How many machines it has created.
    pub(crate) children: u32,
}

/// The values of a machine's variables; shared by the configurations that have the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Arc<FieldValues>);

#[derive(Clone, Debug, Default)]
struct FieldValues {
    values: Vec<Value>,
    hash: Cached,
}

impl Fields {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self(Arc::new(FieldValues { values, hash: Cached::default() }))
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.0.values
    }

    pub(crate) fn hash(&self) -> &Cached {
        &self.0.hash
    }

    /// A variable to change.
    pub(crate) fn get_mut(&mut self, field: FieldId) -> &mut Value {
        let fields = Arc::make_mut(&mut self.0);
        fields.hash.reset();
        &mut fields.values[field.index()]
    }

    /// Whether another configuration holds the same.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.values() == other.values()
    }
}

impl Eq for Fields {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Actor(ActorId),
    /// A position in the test's list of monitors.
    Monitor(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// A position in the function's code.
    pub(crate) at: u32,
    /// Empty registers at the end are left out where a machine stands still.
    pub(crate) registers: Vec<Value>,
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
    pub(crate) fn new(owner: Owner, state: StateId, fields: Fields, payload: Value) -> Self {
        Self {
            owner,
            state,
            fields,
            frames: Vec::new(),
            then: Then::Settle,
            pending: Pending::Start(payload),
            children: 0,
        }
    }

    /// Roughly the bytes that its values hold, each counted by its share.
    pub(crate) fn share(&self) -> usize {
        let registers = self.frames.iter().flat_map(|frame| &frame.registers);
        self.fields.values().iter().chain(registers).map(|value| size_of::<Value>() + value.share()).sum()
    }

    /// Ends the machine: nothing of what it held matters any more.
    pub(crate) fn halt(&mut self) {
        self.state = StateId(0);
        self.fields = Fields::default();
        self.frames.clear();
        self.then = Then::Settle;
        self.pending = Pending::Halted;
        self.children = 0;
    }
}
