//! What `fabius check` finds, with each of its searches.

use std::collections::BTreeMap;
use std::fs;

use fabius_trace::{BugSummary, Trace};
use fabius_vm::Granularity;
use serde_json::Value;

use crate::fixture::{Fixture, Section, States};
use crate::program::{self, FILE, Program};
use crate::replay;
use crate::scratch::Scratch;

pub(crate) const GRANULARITIES: [Granularity; 2] = [Granularity::Coarse, Granularity::Reference];
const SEED: &str = "7";

/// A search and what may be asked of it.
struct Search {
    name: &'static str,
    options: &'static str,
    claim: Claim,
}

/// What a search says about bugs that it does not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// It looked at as many runs as it was given, which suffice to find all that a fixture has.
    Sampled,
    /// It looked at runs that are near to the natural one, where not every bug is.
    SampledNearby,
    /// There are none. With several threads it may find another way to a bug, or others first.
    Exhausted,
}

const SEARCHES: &[Search] = &[
    Search { name: "random", options: "", claim: Claim::Sampled },
    Search { name: "pct", options: "", claim: Claim::Sampled },
    Search { name: "fairpct", options: "", claim: Claim::Sampled },
    Search { name: "pos", options: "", claim: Claim::Sampled },
    Search { name: "ss", options: "--explorer rtc --delays 3", claim: Claim::SampledNearby },
    Search { name: "ses", options: "--explorer rtc --states 20000", claim: Claim::Exhausted },
    Search { name: "ses", options: "--explorer rr --states 20000", claim: Claim::Exhausted },
    Search { name: "bfs", options: "--states 20000", claim: Claim::Exhausted },
    Search { name: "dfs", options: "--states 20000", claim: Claim::Exhausted },
];

/// What one call of `fabius check` has left.
#[derive(PartialEq)]
struct Checked {
    code: Option<i32>,
    /// Without times and the number of threads.
    json: Value,
    /// By name.
    traces: BTreeMap<String, Vec<u8>>,
}

/// What the searches have found together.
#[derive(Default)]
pub(crate) struct Findings {
    /// One of the traces.
    pub(crate) trace: Option<Trace>,
    /// How many states were counted, in coarse steps and in fine ones.
    pub(crate) states: [Vec<u64>; 2],
}

/// One fixture's test under one search.
struct Case<'a> {
    fixture: &'a Fixture,
    section: &'a Section,
    program: &'a Program,
    search: &'a Search,
    granularity: Granularity,
}

/// Runs all searches.
pub(crate) fn check(fixture: &Fixture, section: &Section, program: &Program) -> Result<Findings, String> {
    let mut findings = Findings::default();
    for search in SEARCHES.iter().filter(|search| search.is_entitled(section)) {
        for (at, granularity) in GRANULARITIES.into_iter().enumerate() {
            let case = Case { fixture, section, program, search, granularity };
            let (trace, states) = case
                .check()
                .map_err(|error| format!("{} {}, {granularity:?}: {error}", search.name, search.options))?;
            findings.trace = trace.or(findings.trace);
            findings.states[at].extend(states);
        }
    }
    Ok(findings)
}

impl Search {
    /// Whether it can have an opinion.
    fn is_entitled(&self, section: &Section) -> bool {
        self.claim != Claim::Exhausted || section.states != States::Unbounded
    }
}

impl Case<'_> {
    /// Gives a trace and the number of states, if there are such.
    fn check(&self) -> Result<(Option<Trace>, Option<u64>), String> {
        let (scratch, first) = self.run("first", "1")?;
        self.judge(&first)?;
        let mut some_trace = None;
        for (name, bytes) in &first.traces {
            let trace = Trace::from_json(bytes).map_err(|error| format!("{name}: {error}"))?;
            let vm = self.program.vm(self.fixture, self.section, self.granularity);
            replay::check(&vm, self.program, &trace)?;
            replay::in_new_process(&scratch, &format!("fabius-out/{name}"))?;
            some_trace = Some(trace);
        }
        scratch.remove();
        let (again, second) = self.run("again", "1")?;
        if second != first {
            return Err("the same seed gave something else the second time".into());
        }
        again.remove();
        let (threads, third) = self.run("threads", "2")?;
        self.compare_threads(&first, &third)?;
        threads.remove();
        let is_complete = self.search.claim == Claim::Exhausted && first.traces.is_empty();
        Ok((some_trace, first.json["tests"][0]["states"].as_u64().filter(|_| is_complete)))
    }

    fn run(&self, purpose: &str, jobs: &str) -> Result<(Scratch, Checked), String> {
        let scratch = Scratch::new(self.fixture, purpose);
        let search = ["--search", self.search.name].into_iter().chain(self.search.options.split_whitespace());
        let mut arguments = arguments(self.fixture, self.section, jobs);
        arguments.extend(search.map(str::to_owned));
        if self.granularity == Granularity::Reference {
            arguments.push("--p-points".into());
        }
        call(&scratch, &arguments).map(|result| (scratch, result))
    }

    /// Whether the result is what the header says.
    fn judge(&self, result: &Checked) -> Result<(), String> {
        let [test] = result.json["tests"].as_array().map_or(&[][..], Vec::as_slice) else {
            return Err(format!("not one test: {}", result.json));
        };
        let bugs: Vec<BugSummary> =
            serde_json::from_value(test["bugs"].clone()).map_err(|error| error.to_string())?;
        match self.search.claim {
            Claim::SampledNearby => program::compare_found(self.section, &bugs)?,
            Claim::Sampled | Claim::Exhausted => program::compare(self.section, &bugs)?,
        }
        let (verdict, code) = match (bugs.len(), self.search.claim) {
            (1.., _) => ("bug", 1),
            (0, Claim::Exhausted) if !is_open(&test["guarantee"].to_string()) => ("verified", 0),
            (0, Claim::Exhausted) if is_cut(&test["guarantee"].to_string()) => ("incomplete", 0),
            (0, _) => ("no-bug", 0),
        };
        if test["verdict"] != verdict || result.json["verdict"] != verdict || result.code != Some(code) {
            return Err(format!("expected {verdict} and exit code {code}: {:?}, {test}", result.code));
        }
        if result.traces.len() != bugs.len() {
            return Err(format!("{} bugs and {} traces", bugs.len(), result.traces.len()));
        }
        self.judge_warnings(&format!("{} {}", test["warnings"], test["guarantee"]))
    }

    fn judge_warnings(&self, warnings: &str) -> Result<(), String> {
        let expected = self.section.warnings.iter().filter(|_| self.search.claim == Claim::Sampled);
        match expected.into_iter().find(|warning| !warnings.contains(warning.as_str())) {
            Some(warning) => Err(format!("no warning says `{warning}`: {warnings}")),
            None => Ok(()),
        }
    }

    fn compare_threads(&self, one: &Checked, two: &Checked) -> Result<(), String> {
        self.judge(two)?;
        let is_free = self.search.claim == Claim::Exhausted && !one.traces.is_empty();
        if is_free || one == two { Ok(()) } else { Err("two threads gave something else than one".into()) }
    }
}

/// Whether an exhaustive search leaves something open: cycles are for searches to come, and what lies behind a bound is
/// not looked at.
fn is_open(guarantee: &str) -> bool {
    guarantee.contains("stay hot for ever") || is_cut(guarantee)
}

/// Whether an exhaustive search came to a bound.
fn is_cut(guarantee: &str) -> bool {
    guarantee.contains("not followed where")
}

/// What every call of `fabius check` has in common.
fn arguments(fixture: &Fixture, section: &Section, jobs: &str) -> Vec<String> {
    let (schedules, steps) = (fixture.schedules.to_string(), fixture.steps.to_string());
    let bugs = section.bugs().len().max(1).to_string();
    let mut arguments: Vec<String> = [
        ["check", FILE],
        ["--json", "-"],
        ["--schedules", &schedules],
        ["--max-steps", &steps],
        ["--bugs", &bugs],
        ["--seed", SEED],
        ["--jobs", jobs],
    ]
    .concat()
    .into_iter()
    .map(str::to_owned)
    .collect();
    let mut add = |option: &str, value: &str| arguments.extend([option.to_owned(), value.to_owned()]);
    if let Some(test) = &section.test {
        add("--test", test);
    }
    for (name, number) in &fixture.limits {
        add("--limit", &format!("{name}={number}"));
    }
    for script in &fixture.foreign {
        add("--foreign", script);
    }
    if fixture.attaches_specs {
        arguments.push("--attach-specs".into());
    }
    arguments
}

fn call(scratch: &Scratch, arguments: &[String]) -> Result<Checked, String> {
    let ended = scratch.run(arguments);
    let mut json: Value = serde_json::from_str(&ended.output)
        .map_err(|error| format!("no JSON ({error}): {}{}", ended.output, ended.errors))?;
    forget_circumstances(&mut json);
    let mut traces = BTreeMap::new();
    for entry in fs::read_dir(scratch.folder.join("fabius-out")).into_iter().flatten() {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        traces.insert(name, fs::read(&path).map_err(|error| error.to_string())?);
    }
    Ok(Checked { code: ended.code, json, traces })
}

/// How long it took, in how much memory and with how many threads is no part of a result.
fn forget_circumstances(json: &mut Value) {
    json["options"]["jobs"] = Value::Null;
    for test in json["tests"].as_array_mut().into_iter().flatten() {
        test["seconds"] = Value::Null;
        test["peak_bytes"] = Value::Null;
    }
}

pub(crate) fn check_refused(fixture: &Fixture, section: &Section, message: &str) -> Result<(), String> {
    let scratch = Scratch::new(fixture, "refused");
    let result = call(&scratch, &arguments(fixture, section, "1"))?;
    let refusal = result.json["tests"][0]["refusal"].as_str().unwrap_or_default();
    if !refusal.contains(message) || result.code != Some(2) {
        return Err(format!("not refused for `{message}`: {:?}, {}", result.code, result.json));
    }
    scratch.remove();
    Ok(())
}
