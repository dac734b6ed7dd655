//! The result for people: a line per test as soon as it has ended, then each bug with its place and its story.

use std::fmt::Write;

use fabius_lang::ids::MachineId;
use fabius_lang::source::{counted, separated};
use fabius_trace::{ChartOptions, Choice, Deviation, Explanation, Run, Trace, chart};

use super::run::{BugResult, Context, TestResult, price};
use super::stats::{self, CoverageEntry};
use crate::arguments::{CheckOptions, CostName};
use crate::output;

/// The most rows of a chart; `fabius replay` shows all.
const CHART_ROWS: usize = 40;

/// What a chart takes even where the terminal has less.
pub(crate) const LEAST_CHART_WIDTH: usize = 60;

/// How many tests a message that concerns several names.
const NAMED_TESTS: usize = 3;

/// What comes after the lines of the tests.
pub(super) fn text(
    context: &Context<'_>,
    results: &[TestResult],
    coverage: Option<&CoverageEntry>,
    unattached: &[MachineId],
) -> String {
    let mut text = String::new();
    for result in results {
        for bug in &result.bugs {
            text.push('\n');
            text.push_str(&story(context, &result.test, bug));
        }
    }
    let tests = results.iter().filter(|result| result.coverage.is_some()).count();
    // One test has told it already.
    if let (Some(coverage), 2..) = (coverage, tests) {
        text.push_str(&stats::never_exercised(coverage, tests));
    }
    notes(&mut text, context, results, unattached);
    let _ = writeln!(text, "\n{}", closing(results));
    text
}

/// What became of a test; `width` is that of the longest name.
pub(super) fn line(options: &CheckOptions, result: &TestResult, width: usize) -> String {
    let (verdict, what) = conclusion(options, result);
    // With a space before it, however long it is.
    let time = format!(" {:.1} s", result.seconds);
    format!("  {:width$}  {verdict:10}{time:>7}  {what}\n", result.test)
}

/// The verdict and what it covers.
fn conclusion(options: &CheckOptions, result: &TestResult) -> (&'static str, String) {
    if result.refusal.is_some() {
        return ("refused", "the reason is below".into());
    }
    match result.bugs.as_slice() {
        [] if result.conclusion.is_verified => ("verified", result.conclusion.guarantee.clone()),
        [] if result.conclusion.is_incomplete => ("incomplete", result.conclusion.guarantee.clone()),
        [] => ("no bug", result.conclusion.guarantee.clone()),
        [bug] => ("bug", kind_and_distance(options, bug)),
        bugs => ("bug", format!("{} different bugs", bugs.len())),
    }
}

/// What kind of bug it is, and how far from the natural run.
fn kind_and_distance(options: &CheckOptions, bug: &BugResult) -> String {
    let kind = bug.bug.kind.code().replace('-', " ");
    match &bug.trace.explanation {
        Some(explanation) => {
            let distance = distance(options, explanation, &bug.trace.run);
            format!("{kind}, {distance} the natural run ({})", explanation.explorer)
        }
        None => kind,
    }
}

/// How far a run is from the natural one.
fn distance(options: &CheckOptions, explanation: &Explanation, run: &Run) -> String {
    let price = price(options);
    let unit = if price.is_flat { CostName::Deviations } else { CostName::Delays };
    let is_free = |deviation: &&Deviation| {
        let is_data = matches!(run.choices.get(deviation.step - 1), Some(Choice::Data { .. }));
        price.is_data_free && is_data
    };
    let (free, paid): (Vec<&Deviation>, Vec<&Deviation>) = explanation.deviations.iter().partition(is_free);
    let cost = match unit {
        CostName::Delays => paid.iter().map(|deviation| u64::from(deviation.delays)).sum(),
        CostName::Deviations => paid.len() as u64,
    };
    let paid = (cost > 0).then(|| counted(cost, unit.singular()));
    let free = (!free.is_empty()).then(|| format!("{} of data", counted(free.len() as u64, "free choice")));
    match (paid, free) {
        (None, None) => "in".into(),
        (Some(one), None) | (None, Some(one)) => format!("{one} from"),
        (Some(paid), Some(free)) => format!("{paid} and {free} from"),
    }
}

fn story(context: &Context<'_>, test: &str, result: &BugResult) -> String {
    let bug = &result.bug;
    let renderer = output::result_renderer(context.options.diagnostics.color);
    let kind = format!("bug in {test}");
    let mut text = renderer.render_place(&kind, &bug.message, (result.span, None), &context.project.sources);
    text.push_str("\n\n");
    // Charts are moved to the right by two.
    let width = renderer.width.max(LEAST_CHART_WIDTH) - 2;
    let options = ChartOptions { width, max_rows: Some(CHART_ROWS), unicode: true };
    let Trace { run, explanation, bug, .. } = &result.trace;
    let explanation = explanation.as_ref();
    for line in chart(run, explanation, Some(bug), &options).lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    if let Some(explanation) = explanation {
        let _ = writeln!(text, "  {}", explained(explanation));
    }
    let told = result.trace.run.choices.len();
    let steps = if told == 0 { result.steps_before } else { told };
    let shortened = match result.steps_before {
        before if before > steps => format!(", shortened from {}", separated(before as u64)),
        _ => String::new(),
    };
    let _ = writeln!(text, "  {}{shortened}", counted(steps as u64, "step"));
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

/// One line: `the natural run of rtc, with 2 deviations (▲)`.
pub(crate) fn explained(explanation: &Explanation) -> String {
    let mark = if explanation.deviations.is_empty() { "" } else { ", marked ▲" };
    format!("{explanation}{mark}")
}

fn notes(text: &mut String, context: &Context<'_>, results: &[TestResult], unattached: &[MachineId]) {
    let refusals =
        results.iter().filter_map(|result| Some((result.test.as_str(), result.refusal.as_deref()?)));
    let mut notes = once("error", refusals);
    let warnings = results
        .iter()
        .flat_map(|result| result.warnings.iter().map(|warning| (result.test.as_str(), warning.as_str())));
    notes.extend(once("warning", warnings));
    for spec in unattached {
        let name = context.program.name(context.program[*spec].name);
        notes.push(format!("warning: spec `{name}` watches no test (--attach-specs to let it)"));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "\n{}", notes.join("\n"));
    }
}

/// Messages about tests, the same one for several of them only once.
fn once<'a>(severity: &str, messages: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for (test, message) in messages {
        match told.iter_mut().find(|(other, _)| *other == message) {
            Some((_, tests)) => tests.push(test),
            None => told.push((message, vec![test])),
        }
    }
    let line = |(message, tests): (&str, Vec<&str>)| match tests.as_slice() {
        [test] => format!("{severity}: {test}: {message}"),
        tests => {
            let more = if tests.len() > NAMED_TESTS { ", …" } else { "" };
            let named = tests[..tests.len().min(NAMED_TESTS)].join(", ");
            format!("{severity}: {} ({named}{more}): {message}", counted(tests.len() as u64, "test"))
        }
    };
    told.into_iter().map(line).collect()
}

fn closing(results: &[TestResult]) -> String {
    if results.is_empty() {
        return "there is no test to run".into();
    }
    let count = |is: fn(&TestResult) -> bool| results.iter().filter(|result| is(result)).count() as u64;
    let failed = count(|result| !result.bugs.is_empty());
    let refused = count(|result| result.refusal.is_some());
    let verified = count(|result| result.conclusion.is_verified);
    let unfinished = count(|result| result.conclusion.is_incomplete);
    let clean = results.len() as u64 - failed - refused - verified - unfinished;
    let mut parts = Vec::new();
    let mut add = |number: u64, part: String| {
        if number > 0 {
            parts.push(part);
        }
    };
    add(failed, format!("{} failed", counted(failed, "test")));
    add(refused, format!("{} refused", counted(refused, "test")));
    add(verified, format!("{} verified", counted(verified, "test")));
    add(clean, format!("no bug found in {}", counted(clean, "test")));
    add(unfinished, format!("no bug found in {} that came to no end", counted(unfinished, "test")));
    parts.join(", ")
}
