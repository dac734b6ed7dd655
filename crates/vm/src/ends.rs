//! How runs end: what is wrong with a state in which nothing can move any more.

use crate::bug::{Bug, BugKind};
use crate::run::Names;
use crate::text::Naming;
use crate::view::{MachineView, MonitorView, Standing, StuckMail};
use fabius_lang::source::Span;
use fabius_lang::syntax::tree::Temperature;

/// What is wrong with ending here. P reports a deadlock in preference to a hot spec.
pub(crate) fn bug_of(
    names: Names<'_>,
    machines: &[MachineView<'_>],
    monitors: &[MonitorView<'_>],
) -> Option<Box<Bug>> {
    deadlock(names, machines).or_else(|| hot_spec(names, monitors))
}

/// Machines between two handlers whose queues hold only what they defer.
pub(crate) fn stuck_mail(names: Names<'_>, machines: &[MachineView<'_>]) -> Vec<StuckMail> {
    let is_stuck =
        |machine: &&MachineView<'_>| machine.standing == Standing::Idle && !machine.queue.is_empty();
    let report = |machine: &MachineView<'_>| StuckMail {
        machine: names.machine(machine.actor),
        state: names.linked.state_name(machine.machine, machine.state).to_owned(),
        events: machine.queue.iter().map(|(event, _)| names.event(*event).to_owned()).collect(),
    };
    machines.iter().filter(is_stuck).map(report).collect()
}

fn deadlock(names: Names<'_>, machines: &[MachineView<'_>]) -> Option<Box<Bug>> {
    let waits = |machine: &&MachineView<'_>| machine.standing == Standing::Receiving;
    let first = machines.iter().find(waits)?;
    let waiting: Vec<String> = (machines.iter().filter(waits))
        .map(|machine| format!("`{}`", names.machine(machine.actor)))
        .collect();
    let verb = if waiting.len() == 1 { "waits" } else { "wait" };
    Some(Box::new(Bug {
        kind: BugKind::Deadlock,
        machine: names.machine(first.actor),
        state: Some(names.linked.state_name(first.machine, first.state).to_owned()),
        event: None,
        message: format!("nothing can move, and {} {verb} in `receive`", waiting.join(", ")),
        span: span(names, first),
    }))
}

/// The instruction a machine stands at.
fn span(names: Names<'_>, machine: &MachineView<'_>) -> Span {
    let Some((function, at)) = machine.at else { return Span::default() };
    names.linked.program[function].spans.get(at as usize).copied().unwrap_or_default()
}

fn hot_spec(names: Names<'_>, monitors: &[MonitorView<'_>]) -> Option<Box<Bug>> {
    let is_hot = |monitor: &&MonitorView<'_>| !monitor.is_scenario && monitor.temperature == Temperature::Hot;
    let monitor = monitors.iter().find(is_hot)?;
    let name = names.linked.machine_name(monitor.machine);
    let at = names.linked.state_name(monitor.machine, monitor.state);
    Some(Box::new(Bug {
        kind: BugKind::HotAtEnd,
        machine: name.to_owned(),
        state: Some(at.to_owned()),
        event: None,
        message: format!("spec `{name}` is in hot state `{at}` when nothing can move any more"),
        span: names.linked.program[monitor.machine][monitor.state].span,
    }))
}
