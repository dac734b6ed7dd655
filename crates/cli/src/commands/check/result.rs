//! The result for machines: one JSON object.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fabius_lang::source::{Diagnostic, SourceMap};
use serde::Serialize;

use super::checkpoint::{Cost, Resumed};
use super::run::{BugResult, TestResult};
use super::search::{self, Kept};
use super::stats::{CoverageEntry, StatsEntry};
use crate::arguments::CheckOptions;
use crate::result::DiagnosticResult;

#[derive(Debug, Serialize)]
pub(super) struct CheckResult<'a> {
    /// The worst of all tests.
    verdict: &'static str,
    /// That of Fabius.
    version: &'static str,
    /// What was asked for, by the names of the command line; what is missing was left to Fabius.
    options: BTreeMap<&'static str, String>,
    seed: u64,
    /// The strength that every test must reach.
    required: Option<String>,
    tests: Vec<TestEntry<'a>>,
    /// What no test exercised; only with `--stats`.
    coverage: Option<CoverageEntry>,
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
    /// The most memory that the process has had so far.
    peak_bytes: Option<u64>,
    trace: Option<String>,
    warnings: &'a [String],
    checkpoints: Option<CheckpointEntry<'a>>,
    /// Why it was refused.
    refusal: Option<&'a str>,
    /// Only with `--stats`.
    stats: Option<&'a StatsEntry>,
}

#[derive(Debug, Serialize)]
struct CheckpointEntry<'a> {
    #[serde(flatten)]
    cost: Cost,
    /// What the search went on from.
    resumed: Option<&'a Resumed>,
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
    /// How far the run is from the natural run of which explorer.
    explorer: Option<&'a str>,
    delays: Option<u64>,
    deviations: Option<usize>,
    trace: Option<String>,
}

impl<'a> CheckResult<'a> {
    pub(super) fn new(
        options: &CheckOptions,
        tests: &'a [TestResult],
        coverage: Option<&CoverageEntry>,
        diagnostics: &'a [Diagnostic],
        sources: &SourceMap,
    ) -> Self {
        let entries: Vec<TestEntry<'a>> = tests.iter().map(TestEntry::new).collect();
        let worst = ["bug", "rejected", "incomplete", "no-bug", "verified"].into_iter();
        let verdict = worst.into_iter().find(|verdict| entries.iter().any(|entry| entry.verdict == *verdict));
        Self {
            verdict: verdict.unwrap_or("incomplete"),
            version: env!("CARGO_PKG_VERSION"),
            options: recorded(options),
            seed: options.seed,
            required: options.require.as_ref().map(search::value_name),
            tests: entries,
            coverage: coverage.cloned(),
            diagnostics: diagnostics.iter().map(|each| DiagnosticResult::new(each, sources)).collect(),
        }
    }

    pub(super) fn rejected(
        options: &CheckOptions,
        diagnostics: &'a [Diagnostic],
        sources: &SourceMap,
    ) -> Self {
        Self { verdict: "rejected", ..Self::new(options, &[], None, diagnostics, sources) }
    }

    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data has a JSON form");
        text.push('\n');
        text
    }
}

/// The options that decide what is found; the number of threads is none of them.
fn recorded(options: &CheckOptions) -> BTreeMap<&'static str, String> {
    let mut recorded = BTreeMap::from([
        ("search", search::value_name(&options.search)),
        ("explorer", options.explorer.to_string()),
        ("cost", search::value_name(&options.cost)),
        ("data-choices", search::value_name(&options.data_choices)),
        ("strict", options.strict.to_string()),
        ("cache-full", search::value_name(&options.cache_full)),
        ("store", search::value_name(&options.store)),
        ("seal-as", search::value_name(&options.seal_as)),
        ("max-steps", options.max_steps.to_string()),
        ("depth", options.depth.to_string()),
        ("bugs", options.bugs.to_string()),
        ("attach-specs", options.program.attach_specs.to_string()),
        ("p-points", options.program.p_points.to_string()),
    ]);
    let given = [
        ("delays", options.delays.map(|delays| delays.to_string())),
        ("states", options.states.map(|states| states.to_string())),
        ("cache", options.cache.map(|states| states.to_string())),
        ("increment", options.increment.map(|steps| steps.to_string())),
        ("schedules", options.schedules.map(|schedules| schedules.to_string())),
        ("timeout", options.timeout.map(|timeout| timeout.to_string())),
        ("memory", options.memory.map(|bytes| bytes.to_string())),
    ];
    recorded.extend(given.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let files = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let lists = [
        ("paths", files(&options.paths)),
        ("foreign", files(&options.program.foreign)),
        ("seal", options.seals.clone()),
    ];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    recorded.extend(lists.map(|(name, list)| (name, list.join(" "))));
    let limits = options.program.limits.iter().map(|(name, number)| format!("{}={number}", name.text()));
    let limits: Vec<String> = limits.collect();
    if !limits.is_empty() {
        recorded.insert("limit", limits.join(" "));
    }
    recorded
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
            (None, None) if conclusion.is_incomplete => "incomplete",
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
            peak_bytes: result.peak_bytes,
            trace: first.and_then(BugResult::path),
            warnings: &result.warnings,
            checkpoints: conclusion.checkpoints.as_ref().map(CheckpointEntry::new),
            refusal: result.refusal.as_deref(),
            stats: result.stats.as_ref(),
        }
    }
}

impl<'a> CheckpointEntry<'a> {
    fn new(kept: &'a Kept) -> Self {
        Self { cost: kept.cost, resumed: kept.resumed.as_ref() }
    }
}

impl<'a> BugEntry<'a> {
    fn new(result: &'a BugResult) -> Self {
        let bug = &result.trace.bug;
        let explanation = result.trace.explanation.as_ref();
        Self {
            kind: &bug.kind,
            machine: bug.machine.as_deref(),
            state: bug.state.as_deref(),
            event: bug.event.as_deref(),
            message: &bug.message,
            file: bug.file.as_deref(),
            line: bug.line,
            steps: result.trace.run.choices.len(),
            explorer: explanation.map(|explanation| explanation.explorer.as_str()),
            delays: explanation.map(|explanation| explanation.delays),
            deviations: explanation.map(|explanation| explanation.deviations.len()),
            trace: result.path(),
        }
    }
}

impl BugResult {
    fn path(&self) -> Option<String> {
        self.file.as_ref().ok().map(|path| path.display().to_string())
    }
}
