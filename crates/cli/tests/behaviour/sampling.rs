//! What `fabius check` finds by sampling runs.

use std::collections::BTreeMap;
use std::fs;

use fabius_trace::{BugSummary, Trace};
use fabius_vm::Granularity;
use serde_json::Value;

use crate::fixture::{Fixture, Section};
use crate::program::{self, FILE, Program};
use crate::replay;
use crate::scratch::Scratch;

const SEARCHES: [&str; 4] = ["random", "pct", "fairpct", "pos"];
const GRANULARITIES: [Granularity; 2] = [Granularity::Coarse, Granularity::Reference];
const SEED: &str = "7";

/// What one call of `fabius check` has left.
#[derive(PartialEq)]
struct Checked {
    code: Option<i32>,
    /// Without times.
    json: Value,
    /// By name.
    traces: BTreeMap<String, Vec<u8>>,
}

/// Runs all sampling searches; gives one of the traces found.
pub(crate) fn check(
    fixture: &Fixture,
    section: &Section,
    program: &Program,
) -> Result<Option<Trace>, String> {
    let mut some_trace = None;
    for search in SEARCHES {
        for granularity in GRANULARITIES {
            let place = format!("{search}, {granularity:?}");
            let trace = check_one(fixture, section, program, search, granularity)
                .map_err(|error| format!("{place}: {error}"))?;
            some_trace = trace.or(some_trace);
        }
    }
    Ok(some_trace)
}

fn check_one(
    fixture: &Fixture,
    section: &Section,
    program: &Program,
    search: &str,
    granularity: Granularity,
) -> Result<Option<Trace>, String> {
    let run = |purpose: &str, jobs: &str| {
        let scratch = Scratch::new(fixture, &format!("{search}-{granularity:?}-{purpose}"));
        let arguments = arguments(fixture, section, search, granularity, jobs);
        call(&scratch, &arguments).map(|result| (scratch, result))
    };
    let (scratch, first) = run("first", "1")?;
    judge(section, &first)?;
    let mut some_trace = None;
    for (name, bytes) in &first.traces {
        let trace = Trace::from_json(bytes).map_err(|error| format!("{name}: {error}"))?;
        let vm = program.vm(fixture, section, granularity);
        replay::check(&vm, program, &trace)?;
        replay::in_new_process(&scratch, &format!("fabius-out/{name}"))?;
        some_trace = Some(trace);
    }
    scratch.remove();
    let (again, second) = run("again", "1")?;
    if second != first {
        return Err("the same seed gave something else the second time".into());
    }
    again.remove();
    let (threads, third) = run("threads", "2")?;
    if third != first {
        return Err("two threads gave something else than one".into());
    }
    threads.remove();
    Ok(some_trace)
}

fn arguments(
    fixture: &Fixture,
    section: &Section,
    search: &str,
    granularity: Granularity,
    jobs: &str,
) -> Vec<String> {
    let (schedules, steps) = (fixture.schedules.to_string(), fixture.steps.to_string());
    let bugs = section.bugs().len().max(1).to_string();
    let mut arguments: Vec<String> = [
        ["check", FILE],
        ["--json", "-"],
        ["--search", search],
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
    if granularity == Granularity::Reference {
        arguments.push("--p-points".into());
    }
    arguments
}

fn call(scratch: &Scratch, arguments: &[String]) -> Result<Checked, String> {
    let ended = scratch.run(arguments);
    let mut json: Value = serde_json::from_str(&ended.output)
        .map_err(|error| format!("no JSON ({error}): {}{}", ended.output, ended.errors))?;
    forget_times(&mut json);
    let mut traces = BTreeMap::new();
    for entry in fs::read_dir(scratch.folder.join("fabius-out")).into_iter().flatten() {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        traces.insert(name, fs::read(&path).map_err(|error| error.to_string())?);
    }
    Ok(Checked { code: ended.code, json, traces })
}

fn forget_times(json: &mut Value) {
    for test in json["tests"].as_array_mut().into_iter().flatten() {
        test["seconds"] = Value::Null;
    }
}

/// Whether the result is what the header says.
fn judge(section: &Section, result: &Checked) -> Result<(), String> {
    let [test] = result.json["tests"].as_array().map_or(&[][..], Vec::as_slice) else {
        return Err(format!("not one test: {}", result.json));
    };
    let bugs: Vec<BugSummary> =
        serde_json::from_value(test["bugs"].clone()).map_err(|error| error.to_string())?;
    program::compare(section, &bugs)?;
    let (verdict, code) = if section.bugs().is_empty() { ("no-bug", 0) } else { ("bug", 1) };
    if test["verdict"] != verdict || result.json["verdict"] != verdict || result.code != Some(code) {
        return Err(format!("expected {verdict} and exit code {code}: {:?}, {test}", result.code));
    }
    if result.traces.len() != bugs.len() {
        return Err(format!("{} bugs and {} traces", bugs.len(), result.traces.len()));
    }
    let warnings = test["warnings"].to_string();
    match section.warnings.iter().find(|warning| !warnings.contains(warning.as_str())) {
        Some(warning) => Err(format!("no warning says `{warning}`: {warnings}")),
        None => Ok(()),
    }
}

pub(crate) fn check_refused(fixture: &Fixture, section: &Section, message: &str) -> Result<(), String> {
    let scratch = Scratch::new(fixture, "refused");
    let arguments = arguments(fixture, section, "random", Granularity::Coarse, "1");
    let result = call(&scratch, &arguments)?;
    let refusal = result.json["tests"][0]["refusal"].as_str().unwrap_or_default();
    if !refusal.contains(message) || result.code != Some(2) {
        return Err(format!("not refused for `{message}`: {:?}, {}", result.code, result.json));
    }
    scratch.remove();
    Ok(())
}
