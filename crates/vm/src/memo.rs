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
use fabius_model::{ActorId, Effect, Happening};
use std::sync::atomic::Ordering;

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
#[derive(Debug)]
pub(crate) struct Transition {
    /// In the order in which they happen.
    pub(crate) actions: Box<[Action]>,
    /// How it ends, once the actions have gone well.
    pub(crate) end: Result<LocalId, Box<Bug>>,
}

/// What a move does beside changing the machine itself.
#[derive(Debug)]
pub(crate) enum Action {
    /// A machine comes into being.
    Create { actor: ActorId, local: LocalId },
    /// The message is shown to the monitors that see it.
    Observe { message: MessageId },
    /// A hint for strategies; only if they were asked for.
    Hint(Effect),
    /// Something to tell; only in narrated moves.
    Say(Box<Happening>),
}

/// A move that was looked up or just made.
#[derive(Debug)]
pub(crate) enum Move<'a> {
    /// Nothing happens beside the change of the machine itself.
    Plain(LocalId),
    /// With its index.
    Known(u32, &'a Transition),
    Made(Transition),
}

/// Marks the links that lead to a configuration and not to a transition.
const PLAIN: u32 = 1 << 31;

/// Looks a move up, or makes it.
pub(crate) fn transition<'a>(linked: &Linked, store: &'a Store, from: LocalId, input: Input) -> Move<'a> {
    let entry = store.local(from);
    match entry.links.get(input.key()) {
        Some(link) if link & PLAIN != 0 => return Move::Plain(LocalId(link & !PLAIN)),
        Some(link) => return Move::Known(link, store.transitions.get(link)),
        None => {}
    }
    store.made.fetch_add(1, Ordering::Relaxed);
    let transition = Run::new(linked, store, &entry.local, false).finish(input);
    if store.remembers_no_more(linked) {
        return Move::Made(transition);
    }
    if let (Ok(next), true) = (&transition.end, transition.actions.is_empty()) {
        store.count_remembered(entry.links.insert(input.key(), next.0 | PLAIN));
        return Move::Plain(*next);
    }
    let bytes = size_of::<Transition>() + size_of_val(&*transition.actions);
    let id = store.transitions.push(transition);
    store.count_remembered(bytes + entry.links.insert(input.key(), id));
    Move::Known(id, store.transitions.get(id))
}

/// Makes a move and tells what happens in it.
pub(crate) fn narrated<'a>(linked: &Linked, store: &Store, from: LocalId, input: Input) -> Move<'a> {
    Move::Made(Run::new(linked, store, &store.local(from).local, true).finish(input))
}
