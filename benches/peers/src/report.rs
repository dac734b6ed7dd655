//! The results as Markdown: ratios first, then what they were computed from.

use std::fmt::Write;

use crate::measurement::{Group, Measurement};

/// Everything that was measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) setting: String,
    /// How often everything was measured; the best counts.
    pub(crate) rounds: usize,
    pub(crate) twins: Vec<Group>,
    pub(crate) models: Vec<Group>,
    pub(crate) instructions: Vec<Instructions>,
    /// What was left out, and why.
    pub(crate) skipped: Vec<String>,
}

/// Instructions per transition of one tool on one program.
#[derive(Debug)]
pub(crate) struct Instructions {
    pub(crate) title: String,
    pub(crate) tool: String,
    pub(crate) per_transition: f64,
}

impl Report {
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from("# Fabius and its peers\n\n");
        let _ = writeln!(text, "{}. The best of {}.\n", self.setting, rounds(self.rounds));
        for skipped in &self.skipped {
            let _ = writeln!(text, "Left out: {skipped}.\n");
        }
        text.push_str("All tools visit all states of the same graph: their counts of states and transitions are equal. What is ");
        text.push_str("compared, and why it is fair: `benches/peers/README.md`.\n\n## Ratios\n");
        self.twin_ratios(&mut text);
        self.model_ratios(&mut text);
        self.thread_ratios(&mut text);
        text.push_str("\n## Measurements\n");
        self.twin_table(&mut text);
        self.model_table(&mut text);
        self.instruction_table(&mut text);
        text
    }

    /// Against the peer as usual, and against its best variant: the fastest, or the smallest.
    fn twin_ratios(&self, text: &mut String) {
        let mut rows = Vec::new();
        for group in &self.twins {
            let peers: Vec<&Measurement> = group.measurements.iter().filter(|one| !one.is_ours()).collect();
            let Some(usual) = peers.first() else { continue };
            let speeds = peers.iter().map(|peer| peer.transitions_per_cpu_second());
            let fastest = speeds.fold(0.0, f64::max);
            let smallest = peers.iter().map(|peer| peer.bytes_per_state()).fold(f64::INFINITY, f64::min);
            for ours in group.measurements.iter().filter(|one| one.is_ours() && one.threads == 1) {
                let (speed, bytes) = (ours.transitions_per_cpu_second(), ours.bytes_per_state());
                rows.push(format!(
                    "{} | {} | {:.2} | {:.2} | {:.2} | {:.2}",
                    group.title,
                    ours.tool,
                    speed / usual.transitions_per_cpu_second(),
                    speed / fastest,
                    usual.bytes_per_state() / bytes,
                    smallest / bytes
                ));
            }
        }
        let head = "P program | tool | transitions per CPU second, times SPIN's | times the fastest SPIN's \
                    | less memory than SPIN, times | than the smallest SPIN";
        table(text, head, "--|--|--:|--:|--:|--:", &rows);
    }

    fn model_ratios(&self, text: &mut String) {
        let mut rows = Vec::new();
        for group in &self.models {
            for (ours, peer) in pairs(group) {
                let speed = ours.states_per_second() / peer.states_per_second();
                let memory = peer.bytes_per_state() / ours.bytes_per_state();
                rows.push(format!(
                    "{} | {} | {} | {} | {speed:.2} | {memory:.2}",
                    group.title, ours.threads, ours.tool, peer.tool
                ));
            }
        }
        let head = "Rust model | threads | Fabius | its peer | states per second, times the peer's | less memory, times";
        table(text, head, "--|--:|--|--|--:|--:", &rows);
    }

    fn thread_ratios(&self, text: &mut String) {
        let mut rows = Vec::new();
        for group in self.twins.iter().chain(&self.models) {
            for many in group.measurements.iter().filter(|measurement| measurement.threads > 1) {
                let is_one = |one: &&Measurement| one.tool == many.tool && one.threads == 1;
                if let Some(one) = group.measurements.iter().find(is_one) {
                    let speed = many.states_per_second() / one.states_per_second();
                    rows.push(format!("{} | {} | {} | {speed:.2}", group.title, many.tool, many.threads));
                }
            }
        }
        table(
            text,
            "program | tool | threads | states per second, times one thread's",
            "--|--|--:|--:",
            &rows,
        );
    }

    fn twin_table(&self, text: &mut String) {
        let row = |group: &Group, one: &Measurement| {
            format!(
                "{} | {} | {} | {} | {} | {:.2} | {:.2} | {:.1}",
                group.title,
                grouped(one.counts.states),
                grouped(one.counts.transitions),
                one.tool,
                one.threads,
                one.cost.cpu.as_secs_f64(),
                one.transitions_per_cpu_second() / 1e6,
                one.bytes_per_state()
            )
        };
        let head =
            "P program | states | transitions | tool | threads | CPU s | M transitions/CPU s | bytes/state";
        table(text, head, "--|--:|--:|--|--:|--:|--:|--:", &rows(&self.twins, row));
    }

    fn model_table(&self, text: &mut String) {
        let row = |group: &Group, one: &Measurement| {
            format!(
                "{} | {} | {} | {} | {} | {:.2} | {:.2} | {:.0} | {:.1}",
                group.title,
                grouped(one.counts.states),
                grouped(one.counts.transitions),
                one.tool,
                one.threads,
                one.cost.elapsed.as_secs_f64(),
                one.cost.cpu.as_secs_f64(),
                one.states_per_second() / 1e3,
                one.bytes_per_state()
            )
        };
        let head =
            "Rust model | states | transitions | tool | threads | s | CPU s | k states/s | bytes/state";
        table(text, head, "--|--:|--:|--|--:|--:|--:|--:|--:", &rows(&self.models, row));
    }

    fn instruction_table(&self, text: &mut String) {
        let row = |one: &Instructions| format!("{} | {} | {:.0}", one.title, one.tool, one.per_transition);
        let rows: Vec<String> = self.instructions.iter().map(row).collect();
        table(text, "P program | tool | instructions per transition", "--|--|--:", &rows);
    }
}

/// Each of our measurements with each of a peer's on as many threads.
fn pairs(group: &Group) -> impl Iterator<Item = (&Measurement, &Measurement)> {
    group.measurements.iter().filter(|one| one.is_ours()).flat_map(move |ours| {
        let is_match = move |peer: &&Measurement| !peer.is_ours() && peer.threads == ours.threads;
        group.measurements.iter().filter(is_match).map(move |peer| (ours, peer))
    })
}

fn rows(groups: &[Group], row: impl Fn(&Group, &Measurement) -> String) -> Vec<String> {
    let mut rows = Vec::new();
    for group in groups {
        rows.extend(group.measurements.iter().map(|one| row(group, one)));
    }
    rows
}

/// Nothing if there are no rows.
fn table(text: &mut String, head: &str, alignment: &str, rows: &[String]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n| {head} |\n|{alignment}|");
    for row in rows {
        let _ = writeln!(text, "| {row} |");
    }
}

fn rounds(number: usize) -> String {
    if number == 1 { "one measurement".into() } else { format!("{number} measurements") }
}

/// A number as people read it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
