//! Bounds on whole states: bugs that no instruction is to blame for.

use crate::bug::{self, Bug, BugKind};
use crate::run::Names;
use crate::text::Naming;
use fabius_lang::source::counted;
use fabius_model::ActorId;

/// A message more than the queue of `target` may hold.
pub(crate) fn queue_too_long(names: Names<'_>, target: ActorId) -> Box<Bug> {
    let limit = names.linked.options.limits.queue_length;
    let machine = names.linked.machine_name(names.actors.get(target).machine);
    let messages = counted(u64::from(limit), "message");
    let message = format!("the queue of a `{machine}` holds more than {messages}");
    of(names, BugKind::QueueTooLong, target, message)
}

/// A machine more than a run may create.
pub(crate) fn too_many_machines(names: Names<'_>, creator: ActorId) -> Box<Bug> {
    let message = bug::too_many_machines(names.linked.options.limits.machines);
    of(names, BugKind::TooManyMachines, creator, message)
}

fn of(names: Names<'_>, kind: BugKind, actor: ActorId, message: String) -> Box<Bug> {
    let machine = names.actors.get(actor).machine;
    let span = names.linked.program[machine].span;
    Box::new(Bug { kind, machine: names.machine(actor), state: None, event: None, message, span })
}
