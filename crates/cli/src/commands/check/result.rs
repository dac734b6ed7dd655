//! The result for machines: one JSON object.

use fabius_lang::source::{Diagnostic, SourceMap};
use serde::Serialize;

use super::run::{BugResult, TestResult};
use crate::result::DiagnosticResult;

#[derive(Debug, Serialize)]
pub(super) struct CheckResult<'a> {
    /// The worst of all tests.
    verdict: &'static str,
    tests: Vec<TestEntry<'a>>,
    diagnostics: Vec<DiagnosticResult<'a>>,
}

#[derive(Debug, Serialize)]
struct TestEntry<'a> {
    test: &'a str,
    verdict: &'static str,
    guarantee: &'a str,
    /// The first bug.
    bug: Option<BugEntry<'a>>,
    /// All different bugs.
    bugs: Vec<BugEntry<'a>>,
    states: Option<u64>,
    transitions: Option<u64>,
    schedules: u64,
    steps: u64,
    delays: Option<u64>,
    /// The steps of the longest schedule.
    depth: u64,
    seconds: f64,
    peak_bytes: Option<u64>,
    trace: Option<String>,
    warnings: &'a [String],
    /// Why it was not run.
    refusal: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct BugEntry<'a> {
    kind: &'a str,
    machine: Option<&'a str>,
    state: Option<&'a str>,
    event: Option<&'a str>,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    steps: usize,
    trace: Option<String>,
}

impl<'a> CheckResult<'a> {
    pub(super) fn new(tests: &'a [TestResult], diagnostics: &'a [Diagnostic], sources: &SourceMap) -> Self {
        let entries: Vec<TestEntry<'a>> = tests.iter().map(TestEntry::new).collect();
        let worst = ["bug", "rejected", "no-bug", "verified"].into_iter();
        let verdict = worst.into_iter().find(|verdict| entries.iter().any(|entry| entry.verdict == *verdict));
        Self {
            verdict: verdict.unwrap_or("incomplete"),
            tests: entries,
            diagnostics: diagnostics.iter().map(|each| DiagnosticResult::new(each, sources)).collect(),
        }
    }

    pub(super) fn rejected(diagnostics: &'a [Diagnostic], sources: &SourceMap) -> Self {
        Self { verdict: "rejected", ..Self::new(&[], diagnostics, sources) }
    }

    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data has a JSON form");
        text.push('\n');
        text
    }
}

impl<'a> TestEntry<'a> {
    fn new(result: &'a TestResult) -> Self {
        let bugs: Vec<BugEntry<'a>> = result.bugs.iter().map(BugEntry::new).collect();
        let first = result.bugs.first();
        let conclusion = &result.conclusion;
        let verdict = match (&result.refusal, first) {
            (Some(_), _) => "rejected",
            (None, Some(_)) => "bug",
            (None, None) if conclusion.is_verified => "verified",
            (None, None) => "no-bug",
        };
        Self {
            test: &result.test,
            verdict,
            guarantee: &conclusion.guarantee,
            bug: first.map(BugEntry::new),
            bugs,
            states: conclusion.states,
            transitions: conclusion.transitions,
            schedules: conclusion.schedules,
            steps: conclusion.steps,
            delays: conclusion.delays,
            depth: conclusion.depth,
            seconds: result.seconds,
            peak_bytes: None,
            trace: first.and_then(BugResult::path),
            warnings: &result.warnings,
            refusal: result.refusal.as_deref(),
        }
    }
}

impl<'a> BugEntry<'a> {
    fn new(result: &'a BugResult) -> Self {
        let bug = &result.trace.bug;
        Self {
            kind: &bug.kind,
            machine: bug.machine.as_deref(),
            state: bug.state.as_deref(),
            event: bug.event.as_deref(),
            message: &bug.message,
            file: bug.file.as_deref(),
            line: bug.line,
            steps: result.trace.run.choices.len(),
            trace: result.path(),
        }
    }
}

impl BugResult {
    fn path(&self) -> Option<String> {
        self.file.as_ref().ok().map(|path| path.display().to_string())
    }
}
