//! The numbers of a test, for people.

use std::fmt::Write;

use fabius_lang::source::{counted, separated};

use super::coverage::{CoverageEntry, Share, Unexercised};
use super::entry::{HandlerEntry, LevelsEntry, MachineEntry, PhaseEntry, StatsEntry};

/// How many reactions of a machine are shown; the JSON has all.
const MOST_HANDLERS: usize = 6;
/// How many levels are shown.
const MOST_LEVELS: usize = 30;
/// How many things are shown that were never exercised.
const MOST_UNEXERCISED: usize = 20;

/// What comes below the line of a test.
pub(in super::super) fn report(stats: &StatsEntry) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    for phase in &stats.phases {
        rows.push(("speed", speed(phase)));
        rows.extend(over_time(phase).map(|text| ("over time", text)));
    }
    rows.extend(stats.levels.as_ref().map(|levels| (title(levels), new_states(levels))));
    rows.extend(stats.machines.iter().map(|machine| (machine.machine.as_str(), of_machine(machine))));
    for spec in &stats.specs {
        let states = spec.states.iter().map(|of| format!("{} {}", of.state, separated(of.count)));
        rows.push((&spec.spec, format!("states in {}", states.collect::<Vec<_>>().join(", "))));
    }
    rows.extend(stats.store.as_ref().map(|store| {
        let (bytes, each, load) = (bytes(store.bytes), store.bytes_per_state, store.load * 100.0);
        ("store", format!("{}, {bytes}, {each:.1} bytes/state, {load:.0} % full", store.kind))
    }));
    let memo = stats.memo;
    rows.push((
        "memo",
        format!(
            "{} remembered, {}; {:.1} % of {} from memory",
            counted(memo.moves, "move"),
            bytes(memo.bytes),
            memo.hit_rate * 100.0,
            separated(memo.lookups)
        ),
    ));
    rows.extend(stats.estimate.map(|estimate| {
        let states = rounded(estimate.states_left);
        (
            "left",
            format!("about {states} states: an estimate, as if new states went on in the shape of a bell"),
        )
    }));
    rows.push(("coverage", shares(&stats.coverage)));
    let width = rows.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, row) in rows {
        let _ = writeln!(text, "    {title:width$}  {row}");
    }
    let list = list(&stats.coverage, "      ", MOST_UNEXERCISED);
    if !list.is_empty() {
        let _ = write!(text, "    never exercised\n{list}");
    }
    text
}

/// What no test exercised, for the end of all.
pub(in super::super) fn never_exercised(coverage: &CoverageEntry, tests: usize) -> String {
    let list = list(coverage, "  ", usize::MAX);
    let tests = counted(tests as u64, "test");
    let never = if list.is_empty() { "" } else { "; never exercised by any of them:" };
    format!("\n{tests} exercised {}{never}\n{list}", shares(coverage))
}

fn speed(phase: &PhaseEntry) -> String {
    let seconds = phase.seconds;
    let steps_rate = rounded(phase.steps_per_second as u64);
    match (phase.states, phase.states_per_second) {
        (Some(states), Some(rate)) => format!(
            "{}, {} in {seconds:.2} s: {} states/s, {steps_rate} transitions/s",
            counted(states, "state"),
            counted(phase.steps, "transition"),
            rounded(rate as u64)
        ),
        _ => format!("{} in {seconds:.2} s: {steps_rate} steps/s", counted(phase.steps, "step")),
    }
}

/// The speed from point to point, if there are several.
fn over_time(phase: &PhaseEntry) -> Option<String> {
    if phase.series.len() < 2 {
        return None;
    }
    let rates = phase.series.iter().map(|point| point.states_per_second.unwrap_or(point.steps_per_second));
    let highest = rates.clone().fold(0.0, f64::max);
    let (unit, word) = if highest >= 1e6 { (1e6, "million") } else { (1e3, "thousand") };
    let rates: Vec<String> = rates.map(|rate| format!("{:.2}", rate / unit)).collect();
    let what = if phase.states.is_some() { "states/s" } else { "steps/s" };
    Some(format!("{} {word} {what}", rates.join(" ")))
}

fn title(levels: &LevelsEntry) -> &'static str {
    match levels.by {
        "stratum" => "strata",
        "depth" => "depths",
        _ => "bounds",
    }
}

fn new_states(levels: &LevelsEntry) -> String {
    let shown: Vec<String> =
        levels.states.iter().take(MOST_LEVELS).map(|states| separated(*states)).collect();
    let more = levels.states.len().saturating_sub(MOST_LEVELS);
    let more = if more > 0 { format!(" and {more} more levels") } else { String::new() };
    format!("new states: {}{more}", shown.join(", "))
}

fn of_machine(machine: &MachineEntry) -> String {
    let count = |transitions: u64, steps: u64| match (transitions, steps) {
        (transitions, 0) => counted(transitions, "transition"),
        (0, steps) => counted(steps, "step"),
        (transitions, steps) => format!("{}, {}", counted(transitions, "transition"), counted(steps, "step")),
    };
    let mut text = count(machine.transitions, machine.steps);
    if let Some(queue) = &machine.queue {
        let _ = write!(text, "; queue {:.1} on average, {} at most", queue.mean, separated(queue.largest));
    }
    // The largest are what people look for.
    let mut handlers: Vec<&HandlerEntry> = machine.handlers.iter().collect();
    handlers.sort_by_key(|handler| std::cmp::Reverse(handler.transitions.max(handler.steps)));
    let shown = handlers.iter().take(MOST_HANDLERS).map(|handler| {
        let number = if handler.transitions > 0 { handler.transitions } else { handler.steps };
        format!("{} {} {}", handler.state, handler.handler, separated(number))
    });
    let shown: Vec<String> = shown.collect();
    if !shown.is_empty() {
        let more = if handlers.len() > MOST_HANDLERS { "; …" } else { "" };
        let _ = write!(text, "; {}{more}", shown.join("; "));
    }
    text
}

fn shares(coverage: &CoverageEntry) -> String {
    let share = |share: Share, noun: &str| format!("{} of {}", share.exercised, counted(share.of, noun));
    let CoverageEntry { states, handlers, gotos, events, .. } = *coverage;
    let all = [(states, "state"), (handlers, "handler"), (gotos, "goto"), (events, "event")];
    let some = all.into_iter().filter(|(share, _)| share.of > 0);
    some.map(|(of, noun)| share(of, noun)).collect::<Vec<_>>().join(", ")
}

/// A line for each thing, with its place.
fn list(coverage: &CoverageEntry, indent: &str, most: usize) -> String {
    let items = coverage.unexercised.iter().take(most);
    let places: Vec<String> = items.clone().map(place).collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (item, place) in items.zip(places) {
        let _ = writeln!(text, "{indent}{place:width$}  {}", what(item));
    }
    let more = coverage.unexercised.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(text, "{indent}and {more} more; --json has all");
    }
    for (title, events) in [
        ("events never sent", &coverage.events_never_sent),
        ("events sent and never received", &coverage.events_never_received),
    ] {
        if !events.is_empty() {
            let _ = writeln!(text, "{indent}{title}: {}", events.join(", "));
        }
    }
    text
}

fn place(item: &Unexercised) -> String {
    match (&item.file, item.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => String::new(),
    }
}

fn what(item: &Unexercised) -> String {
    let Unexercised { kind, machine, .. } = item;
    let (state, event) =
        (item.state.as_deref().unwrap_or_default(), item.event.as_deref().unwrap_or_default());
    match *kind {
        "state" => format!("state {machine}.{state}"),
        "handler" => format!("{machine}.{state} {} {event}", item.reaction.unwrap_or_default()),
        "goto" => format!("{machine} goto {state}"),
        _ => format!("{kind} {machine}"),
    }
}

/// A number of bytes as people read it.
fn bytes(number: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, shift)| number >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", number as f64 / (1u64 << shift) as f64),
        None => counted(number, "byte"),
    }
}

/// Three digits are all that such a number means.
fn rounded(number: u64) -> String {
    let mut unit = 1;
    while number / unit >= 1000 {
        unit *= 10;
    }
    separated((number + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::{bytes, rounded};

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0, 7, 999, 1000, 1234, 1_235_999, 999_999].map(rounded).to_vec();
        assert_eq!(shown, ["0", "7", "999", "1,000", "1,230", "1,240,000", "1,000,000"]);
        let sizes: Vec<String> = [0, 1, 1023, 1024, 1536, 5 << 20, 3 << 30].map(bytes).to_vec();
        assert_eq!(sizes, ["no bytes", "1 byte", "1,023 bytes", "1.0 KiB", "1.5 KiB", "5.0 MiB", "3.0 GiB"]);
    }
}
