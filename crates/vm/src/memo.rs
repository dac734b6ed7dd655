//! Remembered moves: (configuration, input) to (next configuration, what others notice).
//!
//! How a machine goes on is a function of its configuration and of what it is given ([`Input`]): neither queues nor
//! other machines nor monitors have a say. So it is computed once, and looked up ever after. Narrated moves are always
//! computed, because they also tell what is not part of the result.

use crate::bug::Bug;
use crate::deeds::{Deed, Deeds};
use crate::link::Linked;
use crate::machine::{Local, MessageId};
use crate::run::{Given, Run};
use crate::scratch;
use crate::store::{LocalId, Store};
use fabius_model::{ActorId, Effect, Happening};

/// What a machine is given to go on with; see [`Given`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Go,
    Message(MessageId),
    Data(u32),
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

/// What a move does beside changing the machine itself; see [`Deed`].
#[derive(Debug)]
pub(crate) enum Action {
    Create { actor: ActorId, local: LocalId },
    Observe { message: MessageId },
    Hint(Effect),
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
    let transition = make(linked, store, store.unpack(entry, linked), input, false);
    if store.remembers_no_more(linked) {
        store.made.add(1);
        return Move::Made(transition);
    }
    if let (Ok(next), true) = (&transition.end, transition.actions.is_empty()) {
        let link = entry.links.insert(input.key(), next.0 | PLAIN);
        store.count_made(link);
        return Move::Plain(*next);
    }
    store.count_bytes(size_of::<Transition>() + size_of_val(&*transition.actions));
    let id = store.transitions.push(transition);
    store.count_made(entry.links.insert(input.key(), id));
    Move::Known(id, store.transitions.get(id))
}

/// Makes a move and tells what happens in it.
pub(crate) fn narrated<'a>(linked: &Linked, store: &Store, from: LocalId, input: Input) -> Move<'a> {
    Move::Made(make(linked, store, store.unpack(store.local(from), linked), input, true))
}

/// Makes a move, and interns what it leads to.
pub(crate) fn make(
    linked: &Linked,
    store: &Store,
    mut local: Local,
    input: Input,
    is_narrated: bool,
) -> Transition {
    let given = match input {
        Input::Go => Given::Go,
        Input::Message(message) => Given::Message(store.message(message).clone()),
        Input::Data(alternative) => Given::Data(alternative),
        Input::Null => Given::Null,
    };
    let mut deeds = Deeds::default();
    let exercised = Some(&*store.exercised);
    let run = Run::new(linked, &store.actors, exercised, &mut local, &mut deeds, is_narrated);
    let end = run.finish(given).map(|()| store.intern_local(&local, linked));
    scratch::give_back(local);
    let intern = |deed| match deed {
        Deed::Create { actor, payload } => {
            let local = linked.created_local(actor, store.actors.get(actor).machine, payload);
            Action::Create { actor, local: store.intern_local(&local, linked) }
        }
        Deed::Observe(message) => Action::Observe { message: store.intern_message(&message) },
        Deed::Hint(effect) => Action::Hint(effect),
        Deed::Say(happening) => Action::Say(happening),
    };
    Transition { actions: deeds.into_iter().map(intern).collect(), end }
}
