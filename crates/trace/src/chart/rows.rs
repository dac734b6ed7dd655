//! What is drawn, line by line, before it is known where.

use crate::explain::Explanation;
use crate::log::printable;
use crate::trace::{BugSummary, Happening, Machine, Run};

use super::canvas::Glyphs;

/// A line of a chart.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The number of the step, on its first line.
    pub(super) step: Option<usize>,
    /// What is not natural about the step, on its first line.
    pub(super) deviation: Option<String>,
    pub(super) kind: RowKind,
}

impl Row {
    /// The same without what happens.
    pub(super) fn bare(&self) -> Row {
        let kind = match &self.kind {
            RowKind::Arrow { from: at, .. } | RowKind::Note { at, .. } => note(at, "", ""),
            cut @ RowKind::Cut { .. } => cut.clone(),
        };
        Row { kind, ..self.clone() }
    }
}

#[derive(Clone, Debug)]
pub(super) enum RowKind {
    /// From one machine to another.
    Arrow { from: Machine, to: Machine, label: String, creates: bool, lost: bool },
    /// At one machine. A long note may be written over the lines of others; `ends` ends the machine's line.
    Note { at: Machine, mark: &'static str, text: String, is_long: bool, ends: bool },
    /// In place of lines that are left out: which steps have no line, and the machines that begin and end there.
    Cut { steps: usize, created: Vec<Machine>, ended: Vec<Machine> },
}

/// All lines of a run.
pub(super) fn rows(
    run: &Run,
    explanation: Option<&Explanation>,
    bug: Option<&BugSummary>,
    glyphs: &Glyphs,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, step) in run.steps.iter().enumerate() {
        let Some(by) = step.by.as_ref() else { continue };
        let mut number = Some(index + 1);
        let deviation = explanation.and_then(|explanation| explanation.at(index + 1));
        let mut deviation = deviation.map(|deviation| deviation.phrase(run));
        let mut kinds = rows_of_step(run, index, by, glyphs);
        if kinds.is_empty() && deviation.is_some() {
            kinds.push(note(by, glyphs.line, ""));
        }
        for kind in kinds {
            rows.push(Row { step: number.take(), deviation: deviation.take(), kind });
        }
    }
    if let Some(bug) = bug
        && let Some(at) = place_of_bug(run, bug)
    {
        let text = printable(&bug.message);
        let kind = RowKind::Note { at: at.clone(), mark: glyphs.bug, text, is_long: true, ends: false };
        rows.push(Row { step: None, deviation: None, kind });
    }
    rows
}

/// The machine that a bug is about: the one that moved last, unless it is of another type. A machine that waits is one
/// that has received nothing since.
fn place_of_bug<'a>(run: &'a Run, bug: &BugSummary) -> Option<&'a Machine> {
    let is_concerned = |machine: &&Machine| Some(&machine.name) == bug.machine.as_ref();
    let movers = run.steps.iter().rev().filter_map(|step| step.by.as_ref());
    let last_mover = movers.clone().next().or(run.machines.first());
    let concerned: Vec<&Machine> = run.machines.iter().filter(is_concerned).collect();
    if bug.kind == "deadlock"
        && let Some(waiting) = concerned.iter().find(|machine| is_waiting(run, machine))
    {
        return Some(waiting);
    }
    match last_mover {
        Some(mover) if is_concerned(&mover) => Some(mover),
        _ => movers.clone().find(is_concerned).or(concerned.last().copied()).or(last_mover),
    }
}

/// Whether the last thing a machine did was to wait in `receive`.
fn is_waiting(run: &Run, machine: &Machine) -> bool {
    let last = run.steps.iter().rfind(|step| step.by.as_ref() == Some(machine));
    last.is_some_and(|step| matches!(step.happenings.last(), Some(Happening::Waiting { .. })))
}

fn rows_of_step(run: &Run, index: usize, by: &Machine, glyphs: &Glyphs) -> Vec<RowKind> {
    let mut rows = Vec::new();
    let step = &run.steps[index];
    for (place, happening) in step.happenings.iter().enumerate() {
        match happening {
            Happening::Created { machine, .. } => rows.push(arrow(by, machine, "new", true, false)),
            Happening::Sent { to, event, .. } if to == by => rows.push(note(by, glyphs.to_itself, event)),
            Happening::Sent { to, event, dropped, .. } => rows.push(arrow(by, to, event, false, *dropped)),
            Happening::Received { event, .. } => rows.push(note(by, glyphs.received, event)),
            Happening::Entered { to, .. } => match rows.last_mut() {
                // A message and the state it leads to go on one line.
                Some(RowKind::Note { mark, text, .. }) if *mark == glyphs.received => {
                    text.push_str(&format!(" {} {to}", glyphs.becomes));
                }
                _ => rows.push(note(by, glyphs.entered, to)),
            },
            Happening::Chose { value } => rows.push(note(by, glyphs.chose, &printable(value))),
            Happening::Halted => {
                let (at, text) = (by.clone(), "halts".to_owned());
                rows.push(RowKind::Note { at, mark: glyphs.halted, text, is_long: false, ends: true });
            }
            Happening::MonitorEntered { monitor, from, to } => {
                let from = from.as_ref().map_or(String::new(), |from| format!("{from} "));
                let text = format!("{monitor}: {from}{} {to}", glyphs.becomes);
                let at = by.clone();
                rows.push(RowKind::Note { at, mark: glyphs.monitor, text, is_long: true, ends: false });
            }
            // Where the run ends before the message is in the queue, nothing else would tell of it.
            Happening::Sending { to, event, .. } if !is_sent_later(run, index, place) => {
                rows.push(match to == by {
                    true => note(by, glyphs.to_itself, event),
                    false => arrow(by, to, event, false, false),
                });
            }
            Happening::Announced { event, .. } => rows.push(note(by, glyphs.announced, event)),
            // For the log: a chart of everything shows nothing.
            Happening::Sending { .. }
            | Happening::Raised { .. }
            | Happening::Printed { .. }
            | Happening::Waiting { .. }
            | Happening::Other => {}
        }
    }
    rows
}

/// Whether a message that specs see comes into its queue, so that an arrow follows: the next that its sender sends.
fn is_sent_later(run: &Run, index: usize, place: usize) -> bool {
    let by = &run.steps[index].by;
    let rest = run.steps[index].happenings[place + 1..].iter();
    let later = run.steps[index + 1..].iter().filter(|step| step.by == *by).flat_map(|step| &step.happenings);
    rest.chain(later).any(|next| matches!(next, Happening::Sent { .. }))
}

fn arrow(from: &Machine, to: &Machine, label: &str, creates: bool, lost: bool) -> RowKind {
    RowKind::Arrow { from: from.clone(), to: to.clone(), label: label.to_owned(), creates, lost }
}

fn note(at: &Machine, mark: &'static str, text: &str) -> RowKind {
    RowKind::Note { at: at.clone(), mark, text: text.to_owned(), is_long: false, ends: false }
}

/// Whether a machine comes into being in a step, not before the first.
pub(super) fn creates(run: &Run, machine: &Machine) -> bool {
    let happenings = run.steps.iter().flat_map(|step| &step.happenings);
    let mut created = happenings.filter_map(|happening| match happening {
        Happening::Created { machine, .. } => Some(machine),
        _ => None,
    });
    created.any(|created| created == machine)
}

/// The rows, or if they are too many, a third from the beginning and the rest from the end, in whole steps. Between them
/// stay the steps that deviate from the natural run, however many there are: they are why the run ends as it does.
pub(super) fn without_middle(rows: Vec<Row>, most: Option<usize>) -> Vec<Row> {
    let Some(most) = most.filter(|most| rows.len() > *most) else { return rows };
    let most = most.max(3);
    let begins_step = |place: &usize| rows[*place].step.is_some();
    let head = (0..=most / 3).rev().find(begins_step).unwrap_or(0);
    let last_rows = most - most / 3 - 1;
    let tail = (rows.len() - last_rows..rows.len()).find(begins_step).unwrap_or(rows.len() - last_rows);
    let mut kept = rows[..head].to_vec();
    let mut from = head;
    while from < tail {
        let shown = (from..tail).find(|place| rows[*place].deviation.is_some()).unwrap_or(tail);
        match shown - from {
            0 => {}
            // In place of one line there is room for it.
            1 => kept.push(rows[from].clone()),
            _ => kept.push(Row { step: None, deviation: None, kind: cut(&rows, from, shown) }),
        }
        let end = (shown + 1..tail).find(begins_step).unwrap_or(tail);
        kept.extend_from_slice(&rows[shown..end]);
        from = end;
    }
    kept.extend_from_slice(&rows[tail..]);
    kept
}

/// What stands for the rows from one place to another.
fn cut(rows: &[Row], head: usize, tail: usize) -> RowKind {
    // Steps that have no line at all are not shown either.
    let last_before = rows[..head].iter().rev().find_map(|row| row.step).unwrap_or(0);
    let last_within = rows[head..tail].iter().rev().find_map(|row| row.step).unwrap_or(last_before);
    let first_after = rows[tail..].iter().find_map(|row| row.step).unwrap_or(last_within + 1);
    let (mut created, mut ended) = (Vec::new(), Vec::new());
    for row in &rows[head..tail] {
        match &row.kind {
            RowKind::Arrow { to, creates: true, .. } => created.push(to.clone()),
            RowKind::Note { at, ends: true, .. } => ended.push(at.clone()),
            _ => {}
        }
    }
    RowKind::Cut { steps: first_after - last_before - 1, created, ended }
}
