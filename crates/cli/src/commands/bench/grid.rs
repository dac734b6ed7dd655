//! Tables for people (Markdown) and for spreadsheets (CSV).

use std::collections::BTreeSet;
use std::fmt::Write;

use fabius_lang::source::separated;

use super::cells::{Cells, Record, Summary};
use super::claims;
use super::machine::Machine;
use super::tables::{Column, Figure, Goal, Measure, Row, Table};
use crate::arguments::BenchOptions;

/// The page of a table.
pub(super) fn markdown(table: &Table, cells: &Cells, machine: &Machine, options: &BenchOptions) -> String {
    let mut text = format!("# Table {}: {}\n\n{}\n\n", table.name, table.title, table.about);
    text.push_str(&match table.goal {
        Goal::AllStates => overheads(table, cells),
        Goal::Bug => costs(table, cells),
    });
    let _ = write!(text, "\n![the same as a chart]({}.svg)\n\n## What it shows\n\n", table.name);
    for claim in claims::of(table, cells) {
        let _ = writeln!(text, "- {claim}");
    }
    let _ = write!(text, "\n## How it was made\n\n{}\n", method(table, cells, machine, options));
    text
}

fn method(table: &Table, cells: &Cells, machine: &Machine, options: &BenchOptions) -> String {
    let searches = table.columns.iter().map(|column| {
        let seeds = if column.is_random { format!(", {} seeds", options.seeds) } else { String::new() };
        format!("- {}: `fabius check {}`{seeds}\n", column.name, command_line(column.arguments))
    });
    let rows = table.rows.iter().map(|row| {
        format!("- {}: [{}](../../corpus/{}), `{}`\n", row.label, row.program, row.program, row.test)
    });
    format!(
        "`fabius bench {}`: Fabius {} {}, on one thread. Seeds begin at {}. {}.\n\n{}\nThe rows are these tests:\n\n{}",
        table.name,
        env!("CARGO_PKG_VERSION"),
        provenance(&cells.of(table)),
        options.seed,
        machine.described(),
        searches.collect::<String>(),
        rows.collect::<String>(),
    )
}

/// Of what commits cells are, and what each was given. They may be from earlier runs of this command.
pub(super) fn provenance(records: &[&Record]) -> String {
    let commits: BTreeSet<&str> = records.iter().map(|record| record.commit.as_str()).collect();
    let timeout = records.iter().map(|record| record.timeout).fold(0.0, f64::max);
    let memory = records.iter().map(|record| record.memory).max().unwrap_or(0);
    let commits = commits.into_iter().collect::<Vec<_>>().join(" and ");
    format!("at {commits}, with at most {timeout} s and {} MiB for each cell", memory >> 20)
}

/// Arguments as one types them.
pub(super) fn command_line(arguments: &[&str]) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=,+@%".contains(character);
    let typed =
        arguments.iter().map(|argument| match !argument.is_empty() && argument.chars().all(is_plain) {
            true => (*argument).to_owned(),
            false => format!("'{}'", argument.replace('\'', "'\\''")),
        });
    typed.collect::<Vec<_>>().join(" ")
}

/// Two numbers and their quotient, beside the paper's.
fn overheads(table: &Table, cells: &Cells) -> String {
    let mut text = String::from(
        "| program, p | cache (s) | cache (s,d) | overhead | paper: (s) | (s,d) | overhead |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in table.rows {
        let ours: Vec<Option<Summary>> =
            table.columns.iter().map(|column| cells.summary(table, row, column)).collect();
        let costs: Vec<Option<u64>> =
            ours.iter().map(|summary| summary.and_then(|summary| summary.cost)).collect();
        let shown: Vec<String> = ours.iter().map(|summary| cost(*summary)).collect();
        let paper: Vec<Option<u64>> =
            row.paper.iter().map(|figure| figure.map(|(_, states)| states)).collect();
        let shown_paper: Vec<String> =
            paper.iter().map(|states| states.map_or("not found".into(), separated)).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            row.label,
            shown.join(" | "),
            quotient(&costs),
            shown_paper.join(" | "),
            quotient(&paper)
        );
    }
    text
}

fn quotient(costs: &[Option<u64>]) -> String {
    match costs {
        [Some(one), Some(other)] if *one > 0 => format!("{:.2}", *other as f64 / *one as f64),
        _ => "?".into(),
    }
}

/// What each search needed; under it what the paper has, where that is known.
fn costs(table: &Table, cells: &Cells) -> String {
    let has_bounds = table.columns.iter().any(|column| column.measure == Measure::StatesByDepth);
    let has_paper = table.rows.iter().any(|row| !row.paper.is_empty());
    let mut heads = vec!["row".to_owned()];
    heads.extend(has_paper.then(|| "by".to_owned()));
    for column in table.columns {
        heads.extend(has_bounds.then(|| bound_head(column)));
        heads.push(column.name.to_owned());
    }
    let mut text = format!("| {} |\n|---{}|\n", heads.join(" | "), "|--:".repeat(heads.len() - 1));
    for row in table.rows {
        let summaries: Vec<Option<Summary>> =
            table.columns.iter().map(|column| cells.summary(table, row, column)).collect();
        let mut fields = vec![row.label.to_owned()];
        fields.extend(has_paper.then(|| "Fabius".to_owned()));
        for summary in &summaries {
            fields.extend(has_bounds.then(|| number(summary.and_then(|summary| summary.bound))));
            fields.push(cost(*summary));
        }
        let _ = writeln!(text, "| {} |", fields.join(" | "));
        if !row.paper.is_empty() {
            let _ = writeln!(text, "| | *paper* | {} |", paper_fields(row).join(" | "));
        }
    }
    text.push_str("\n`>` means that nothing was found in so many within the limits of the cell");
    text.push_str("; in brackets, how many of the seeds found the bug, if not all did. Numbers are medians over the seeds.\n");
    text
}

fn bound_head(column: &Column) -> String {
    if column.measure == Measure::StatesByDepth { "steps".into() } else { "delays".into() }
}

fn paper_fields(row: &Row) -> Vec<String> {
    let fields = |figure: &Figure| match figure {
        Some((bound, states)) => [format!("*{bound}*"), format!("*{}*", separated(*states))],
        None => ["*–*".to_owned(), "*not found*".to_owned()],
    };
    row.paper.iter().flat_map(fields).collect()
}

fn number(number: Option<u64>) -> String {
    number.map_or("–".into(), separated)
}

/// What a cell shows as its cost.
fn cost(summary: Option<Summary>) -> String {
    let Some(Summary { runs, found, cost, most, .. }) = summary else { return String::new() };
    let value = cost.map_or_else(|| format!("> {}", separated(most)), separated);
    if found == runs || found == 0 { value } else { format!("{value} ({found}/{runs})") }
}

/// All cells, a line each.
pub(super) fn csv(table: &Table, cells: &Cells) -> String {
    let mut text = String::from(
        "table,row,program,test,column,unit,runs,found,median,bound,most,paper_bound,paper_median\n",
    );
    for (row, column) in table.cells() {
        let Some(summary) = cells.summary(table, row, column) else { continue };
        let at = table.columns.iter().position(|other| other.name == column.name).unwrap_or(0);
        let paper = row.paper.get(at).copied().flatten();
        let unit = if column.measure == Measure::Schedules { "schedules" } else { "states" };
        let plain = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        let fields = [
            table.name.to_owned(),
            quoted(row.label),
            row.program.to_owned(),
            row.test.to_owned(),
            quoted(column.name),
            unit.to_owned(),
            summary.runs.to_string(),
            summary.found.to_string(),
            plain(summary.cost),
            plain(summary.bound),
            summary.most.to_string(),
            plain(paper.map(|(bound, _)| bound)),
            plain(paper.map(|(_, states)| states)),
        ];
        let _ = writeln!(text, "{}", fields.join(","));
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}
