//! Remembered moves: (configuration, input) to (next configuration, what others notice).
//!
//! How a machine goes on is a function of its configuration and of what it is given ([`Input`]): neither queues nor
//! other machines nor monitors have a say. So it is computed once, and looked up ever after. Narrated moves are always
//! computed, because they also tell what is not part of the result.

use crate::bug::Bug;
use crate::link::Linked;
use crate::machine::MessageId;
use crate::run::Run;
use crate::store::{LocalId, Store};
use fabius_model::{ActorId, Happening};
use std::borrow::Cow;

/// What a machine is given to go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Nothing: it goes on by itself.
    Go,
    /// A message from its queue.
    Message(MessageId),
    /// The alternative of a choice.
    Data(u32),
    /// That its queue holds nothing to dequeue.
    Null,
}

impl Input {
    /// No configuration can be given two kinds of input with the same key: data choices exclude everything else, and
    /// message ids are small.
    fn key(self) -> u32 {
        match self {
            Self::Go => 0,
            Self::Message(message) => message.0,
            Self::Data(alternative) => alternative,
            Self::Null => 1 << 31,
        }
    }
}

/// One move of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    /// In the order in which they happen.
    pub(crate) actions: Box<[Action]>,
    /// How it ends, once the actions have gone well.
    pub(crate) end: Result<LocalId, Box<Bug>>,
}

/// What a move does beside changing the machine itself.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A machine comes into being.
    Create { actor: ActorId, local: LocalId },
    /// The message is shown to the monitors that see it.
    Observe { message: MessageId },
    /// Something to tell; only in narrated moves.
    Say(Box<Happening>),
}

/// Looks a move up, or makes it.
pub(crate) fn transition<'a>(
    linked: &Linked,
    store: &'a Store,
    from: LocalId,
    input: Input,
) -> Cow<'a, Transition> {
    let entry = store.local(from);
    if let Some(known) = entry.links.get(input.key()) {
        return Cow::Borrowed(store.transitions.get(known));
    }
    let transition = Run::new(linked, store, &entry.local, false).finish(input);
    if store.transitions.len() >= linked.options.limits.remembered as usize {
        return Cow::Owned(transition);
    }
    let bytes = size_of::<Transition>() + size_of_val(&*transition.actions);
    let id = store.transitions.push(transition);
    store.count_remembered(bytes + entry.links.insert(input.key(), id));
    Cow::Borrowed(store.transitions.get(id))
}

/// Makes a move and tells what happens in it.
pub(crate) fn narrated(linked: &Linked, store: &Store, from: LocalId, input: Input) -> Transition {
    Run::new(linked, store, &store.local(from).local, true).finish(input)
}
