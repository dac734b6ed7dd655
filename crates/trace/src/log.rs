//! A run as text for people: a line per happening.

use std::fmt::Write;

use crate::explain::Explanation;
use crate::trace::{BugSummary, Happening, Machine, Run};

/// The whole run, its deviations, and the bug it ends in.
///
/// A line has the number of the step, the machine that moved, and what it did; the number stands on the first line of a
/// step only. Before a step that is not the natural one comes a line that says so.
pub fn log(run: &Run, explanation: Option<&Explanation>, bug: Option<&BugSummary>) -> String {
    let number_width = run.choices.len().to_string().len().max("start".len());
    let name_width =
        run.machines.iter().map(|machine| machine.to_string().chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut line = |number: &str, machine: &str, what: &str| {
        let line = format!("{number:>number_width$}  {machine:<name_width$}  {what}");
        text.push_str(line.trim_end());
        text.push('\n');
    };
    let mut number = "start".to_owned();
    for happening in &run.start {
        line(&number, "", &at_start(happening));
        number.clear();
    }
    for (index, step) in run.steps.iter().enumerate() {
        let mut number = (index + 1).to_string();
        let machine = step.by.as_ref().map(Machine::to_string).unwrap_or_default();
        if let Some(deviation) = explanation.and_then(|explanation| explanation.at(index + 1)) {
            line("▲", "", &deviation.phrase(run));
        }
        for happening in &step.happenings {
            line(&number, &machine, &phrase(happening));
            number.clear();
        }
        if step.happenings.is_empty() {
            line(&number, &machine, "moves");
        }
    }
    if let Some(bug) = bug {
        line("bug", "", &printable(&bug.message));
    }
    text
}

fn at_start(happening: &Happening) -> String {
    match happening {
        Happening::Created { machine, payload } => format!("{machine} is created{}", with(payload.as_ref())),
        _ => phrase(happening),
    }
}

/// What the moving machine does, to be read after its name.
pub(crate) fn phrase(happening: &Happening) -> String {
    match happening {
        Happening::Created { machine, payload } => format!("creates {machine}{}", with(payload.as_ref())),
        Happening::Received { event, payload } => format!("receives {event}{}", with(payload.as_ref())),
        Happening::Sent { to, event, payload, dropped } => {
            let dropped = if *dropped { ", which has halted" } else { "" };
            format!("sends {event} to {to}{}{dropped}", with(payload.as_ref()))
        }
        Happening::Sending { to, event, payload } => {
            format!("is about to send {event} to {to}{}", with(payload.as_ref()))
        }
        Happening::Announced { event, payload } => format!("announces {event}{}", with(payload.as_ref())),
        Happening::Raised { event, payload } => format!("raises {event}{}", with(payload.as_ref())),
        Happening::Entered { from, to } => moved(from.as_ref(), to),
        Happening::MonitorEntered { monitor, from, to } => {
            format!("spec {monitor} {}", moved(from.as_ref(), to))
        }
        Happening::Chose { value } => format!("chooses {}", printable(value)),
        Happening::Printed { text } => format!("prints {}", printable(text)),
        Happening::Waiting { events } => format!("waits for {}", events.join(", ")),
        Happening::Halted => "halts".to_owned(),
        Happening::Other => "does something that this version does not know".to_owned(),
    }
}

fn moved(from: Option<&String>, to: &str) -> String {
    match from {
        None => format!("enters {to}"),
        Some(from) if from == to => format!("re-enters {to}"),
        Some(from) => format!("goes from {from} to {to}"),
    }
}

fn with(payload: Option<&String>) -> String {
    payload.map_or(String::new(), |payload| format!(" with {}", printable(payload)))
}

/// The text on one line and without characters that a terminal takes for commands.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            let _ = write!(printable, "{}", character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}
