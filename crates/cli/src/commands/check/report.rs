//! The result for people: a table of tests, then each bug with its place and its story.

use std::fmt::Write;

use fabius_lang::ids::MachineId;
use fabius_lang::source::{counted, separated};
use fabius_trace::{ChartOptions, chart};

use super::run::{BugResult, Context, TestResult};
use crate::output;

/// The most rows of a chart; `fabius replay` shows all.
const CHART_ROWS: usize = 40;

pub(super) fn text(
    context: &Context<'_>,
    overview: &str,
    results: &[TestResult],
    unattached: &[MachineId],
) -> String {
    let mut text = format!("{overview}\n");
    table(&mut text, results);
    for result in results {
        for bug in &result.bugs {
            text.push('\n');
            text.push_str(&story(context, &result.test, bug));
        }
    }
    notes(&mut text, context, results, unattached);
    let _ = writeln!(text, "\n{}", closing(results));
    text
}

fn table(text: &mut String, results: &[TestResult]) {
    let width = results.iter().map(|result| result.test.chars().count()).max().unwrap_or(0);
    let conclusions: Vec<(&str, String)> = results.iter().map(conclusion).collect();
    let said = conclusions.iter().map(|(_, what)| what.chars().count()).max().unwrap_or(0);
    for (result, (verdict, what)) in results.iter().zip(&conclusions) {
        let time = format!("{:.1} s", result.seconds);
        let _ = writeln!(text, "  {:width$}  {verdict:8}  {what:said$}  {time:>7}", result.test);
    }
}

/// The verdict and what it covers.
fn conclusion(result: &TestResult) -> (&'static str, String) {
    if result.refusal.is_some() {
        return ("refused", "not run; see below".into());
    }
    match result.bugs.as_slice() {
        [] if result.conclusion.is_verified => ("verified", result.conclusion.guarantee.clone()),
        [] => ("no bug", result.conclusion.guarantee.clone()),
        [bug] => ("bug", bug.bug.kind.code().replace('-', " ")),
        bugs => ("bug", format!("{} different bugs", bugs.len())),
    }
}

fn story(context: &Context<'_>, test: &str, result: &BugResult) -> String {
    let bug = &result.bug;
    let renderer = output::result_renderer(context.options.diagnostics.color);
    let kind = format!("bug in {test}");
    let mut text = renderer.render_place(&kind, &bug.message, (result.span, None), &context.project.sources);
    text.push_str("\n\n");
    let options =
        ChartOptions { width: renderer.width.clamp(60, 140), max_rows: Some(CHART_ROWS), unicode: true };
    for line in chart(&result.trace.run, Some(&result.trace.bug), &options).lines() {
        let _ = writeln!(text, "  {line}");
    }
    let steps = result.trace.run.choices.len();
    let shortened = match result.steps_before {
        before if before > steps => format!(", shortened from {}", separated(before as u64)),
        _ => String::new(),
    };
    let _ = writeln!(text, "\n  {}{shortened}", counted(steps as u64, "step"));
    match &result.file {
        Ok(path) => {
            let _ = writeln!(text, "  replay  fabius replay {}", path.display());
        }
        Err(message) => {
            let _ = writeln!(text, "  no trace: {message}");
        }
    }
    text
}

fn notes(text: &mut String, context: &Context<'_>, results: &[TestResult], unattached: &[MachineId]) {
    let mut notes = Vec::new();
    for result in results {
        if let Some(refusal) = &result.refusal {
            notes.push(format!("error: {}: {refusal}", result.test));
        }
        notes.extend(result.warnings.iter().map(|warning| format!("warning: {}: {warning}", result.test)));
    }
    for spec in unattached {
        let name = context.program.name(context.program[*spec].name);
        notes.push(format!("warning: spec `{name}` watches no test (--attach-specs to let it)"));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "\n{}", notes.join("\n"));
    }
}

fn closing(results: &[TestResult]) -> String {
    if results.is_empty() {
        return "there is no test to run".into();
    }
    let count = |is: fn(&TestResult) -> bool| results.iter().filter(|result| is(result)).count() as u64;
    let failed = count(|result| !result.bugs.is_empty());
    let refused = count(|result| result.refusal.is_some());
    let verified = count(|result| result.conclusion.is_verified);
    let clean = results.len() as u64 - failed - refused - verified;
    let mut parts = Vec::new();
    let mut add = |number: u64, part: String| {
        if number > 0 {
            parts.push(part);
        }
    };
    add(failed, format!("{} failed", counted(failed, "test")));
    add(refused, format!("{} not run", counted(refused, "test")));
    add(verified, format!("{} verified", counted(verified, "test")));
    add(clean, format!("no bug found in {}", counted(clean, "test")));
    parts.join(", ")
}
