//! Specs and scenarios: machines that react at once to what they see, inside the step of whoever shows it to them.

use crate::bug::Bug;
use crate::link::Linked;
use crate::machine::{Local, MessageId, Owner};
use crate::memo::{self, Action, Input};
use crate::store::{LocalId, Store};
use crate::value::Value;
use fabius_model::Happening;

/// A monitor after the entry function of its start state.
pub(crate) fn start(
    linked: &Linked,
    store: &Store,
    index: u32,
    told: Option<&mut Vec<Happening>>,
) -> Result<LocalId, Box<Bug>> {
    go(linked, store, unstarted(linked, index), Input::Go, told)
}

/// A monitor before its start.
pub(crate) fn unstarted(linked: &Linked, index: u32) -> Local {
    let machine = linked.monitors[index as usize].machine;
    let start = linked.program[machine].start;
    Local::new(Owner::Monitor(index), start, linked.fields(machine), Value::Null)
}

/// A monitor after it has seen a message.
pub(crate) fn observe(
    linked: &Linked,
    store: &Store,
    before: LocalId,
    message: MessageId,
    told: Option<&mut Vec<Happening>>,
) -> Result<LocalId, Box<Bug>> {
    let entry = store.local(before);
    if told.is_none()
        && let Some(known) = entry.links.get(message.0)
    {
        return Ok(LocalId(known));
    }
    let after = go(linked, store, store.unpack(entry, linked), Input::Message(message), told)?;
    if !store.remembers_no_more(linked) {
        store.count_remembered(entry.links.insert(message.0, after.0));
    }
    Ok(after)
}

fn go(
    linked: &Linked,
    store: &Store,
    local: Local,
    input: Input,
    told: Option<&mut Vec<Happening>>,
) -> Result<LocalId, Box<Bug>> {
    let transition = memo::make(linked, store, local, input, told.is_some());
    if let Some(told) = told {
        let happenings = transition.actions.into_iter().filter_map(|action| match action {
            Action::Say(happening) => Some(*happening),
            Action::Create { .. } | Action::Observe { .. } | Action::Hint(_) => None,
        });
        told.extend(happenings);
    }
    transition.end
}
