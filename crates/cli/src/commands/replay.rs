//! `fabius replay`: follows a trace on the program as it is now.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use fabius_explore::RunToCompletion;
use fabius_lang::ids::TestId;
use fabius_lang::source::{SourceMap, counted};
use fabius_trace::{ChartOptions, Explanation, Replay, ReplayOutcome, Trace, chart, explain, log, replay};
use fabius_vm::Vm;

use crate::Exit;
use crate::arguments::{LimitName, ProgramOptions, ReplayOptions, Show};
use crate::commands::check::report::explained;
use crate::files;
use crate::foreign::{self, Bodies};
use crate::output;
use crate::program::{self, Compiled, FoundBug, summarise};

pub(crate) fn run(options: &ReplayOptions) -> Exit {
    match prepare(options) {
        Ok(prepared) => follow(options, &prepared),
        Err(exit) => exit,
    }
}

/// A trace and the program to follow it on.
struct Prepared {
    trace: Trace,
    vm: Vm,
    sources: SourceMap,
    bodies: Bodies,
}

/// Reads the trace and makes its program ready; whatever is wrong has been told.
fn prepare(options: &ReplayOptions) -> Result<Prepared, Exit> {
    let shown = options.trace.display();
    let bytes = fs::read(&options.trace)
        .map_err(|error| output::complain(&files::cannot_read(&options.trace, "trace", &error)))?;
    let mut trace = Trace::from_json(&bytes).map_err(|error| {
        output::complain(&format!("`{shown}` is not a trace that Fabius can read: {error}"))
    })?;
    if options.original
        && let Some(original) = trace.original.take()
    {
        trace.run = original;
        trace.explanation = None;
    }
    let given_or_recorded = |given: &[PathBuf], name: &str| {
        if given.is_empty() { recorded_paths(&trace, name, &options.trace) } else { given.to_vec() }
    };
    let paths = given_or_recorded(&options.paths, "paths");
    let scripts = given_or_recorded(&options.foreign, "foreign");
    let Compiled { project, program, diagnostics } = program::compile(&paths);
    let diagnostics = output::wanted(diagnostics, &options.diagnostics);
    output::show(&diagnostics, &project.sources, &options.diagnostics, "; nothing was replayed");
    let mut program = program.ok_or(Exit::Error)?;
    let how = program_options(&trace);
    if how.attach_specs {
        program.attach_specs();
    }
    let test = program.tests.iter().position(|test| test.name == trace.test).ok_or_else(|| {
        output::complain(&format!(
            "the trace is of the test `{}`, which the project does not have",
            trace.test
        ))
    })?;
    let bodies = Bodies::load(&program, &scripts).map_err(|message| output::complain(&message))?;
    let program = Arc::new(program);
    let vm = Vm::new(Arc::clone(&program), TestId(test as u32), program::vm_options(&how, &bodies))
        .map_err(|error| output::complain(&foreign::refusal(&program, &bodies, &error)))?;
    Ok(Prepared { trace, vm, sources: project.sources, bodies })
}

/// What the trace was found in or with: as typed then, from here or from beside the trace.
fn recorded_paths(trace: &Trace, name: &str, file: &Path) -> Vec<PathBuf> {
    let recorded = trace.options.get(name).map_or("", String::as_str);
    let paths: Vec<PathBuf> = recorded.lines().map(PathBuf::from).collect();
    // The folder of traces usually lies in the folder where the search was started.
    let beside = file.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    if name == "paths" && paths.is_empty() && is_project(beside) {
        return vec![beside.to_owned()];
    }
    if paths.iter().all(|path| path.exists()) {
        return paths;
    }
    let moved: Vec<PathBuf> = paths.iter().map(|path| beside.join(path)).collect();
    if moved.iter().all(|path| path.exists()) { moved } else { paths }
}

/// Whether a folder looks like one that `fabius check` is started in without naming anything.
fn is_project(folder: &Path) -> bool {
    let is_program = |entry: fs::DirEntry| {
        let path = entry.path();
        path.is_dir() && entry.file_name() == "PSrc"
            || path.extension().is_some_and(|extension| extension == "p" || extension == "pproj")
    };
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_program))
}

/// How the program was run then.
fn program_options(trace: &Trace) -> ProgramOptions {
    let has = |name: &str| trace.options.get(name).is_some_and(|value| value == "true");
    let limits = LimitName::value_variants().iter().filter_map(|name| {
        let value = trace.options.get(&format!("limit-{}", name.text()))?;
        Some((*name, value.parse().ok()?))
    });
    ProgramOptions {
        attach_specs: has("attach-specs"),
        p_points: has("p-points"),
        foreign: Vec::new(),
        limits: limits.collect(),
    }
}

fn follow(options: &ReplayOptions, prepared: &Prepared) -> Exit {
    let Prepared { trace, vm, sources, bodies } = prepared;
    let summary = |bug: &FoundBug| summarise(bug, sources);
    let result = replay(vm, &program::hash(sources, bodies), trace, &summary);
    let explanation = explanation(trace, vm, &result);
    let mut text = String::new();
    match options.show {
        Show::Chart => {
            let renderer = output::result_renderer(options.diagnostics.color);
            let how = ChartOptions { width: renderer.width.clamp(60, 200), max_rows: None, unicode: true };
            text.push_str(&chart(&result.run, explanation.as_ref(), result.bug.as_ref(), &how));
        }
        Show::Log => text.push_str(&log(&result.run, explanation.as_ref(), result.bug.as_ref())),
        Show::Nothing => {}
    }
    if !text.is_empty() {
        text.push('\n');
    }
    if let Some(explanation) = explanation.filter(|_| options.show != Show::Nothing) {
        let _ = writeln!(text, "{}", explained(&explanation));
    }
    conclude(&mut text, trace, &result);
    let exit = match result.outcome {
        ReplayOutcome::Reproduced => Exit::Bug,
        ReplayOutcome::EndedWithout => Exit::Success,
        ReplayOutcome::DifferentBug | ReplayOutcome::Diverged { .. } => Exit::Error,
    };
    exit.worse(output::print(&text))
}

/// The recorded explanation as long as the run is the recorded one; else how it differs from the natural run of rtc.
fn explanation(trace: &Trace, vm: &Vm, result: &Replay) -> Option<Explanation> {
    let is_recorded = trace.run.choices == result.run.choices;
    let recorded = trace.explanation.clone().filter(|_| is_recorded);
    recorded.or_else(|| explain(vm, "rtc", &RunToCompletion::new(), &result.run))
}

fn conclude(text: &mut String, trace: &Trace, result: &Replay) {
    for mismatch in &result.mismatches {
        let _ = writeln!(text, "{mismatch}");
    }
    let more = result.mismatch_count - result.mismatches.len();
    if more > 0 {
        let _ = writeln!(text, "… and {} where the trace does not fit", counted(more as u64, "more place"));
    }
    let steps = counted(result.run.choices.len() as u64, "step");
    let place = |bug: &fabius_trace::BugSummary| match (&bug.file, bug.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        _ => String::new(),
    };
    let _ = match (&result.outcome, &result.bug) {
        (ReplayOutcome::Reproduced, Some(bug)) => {
            writeln!(text, "reproduced in {steps}: {}{}", bug.message, place(bug))
        }
        (ReplayOutcome::DifferentBug, Some(bug)) => writeln!(
            text,
            "another bug after {steps}: {}{}\nthe trace is of: {}{}",
            bug.message,
            place(bug),
            trace.bug.message,
            place(&trace.bug)
        ),
        (ReplayOutcome::Diverged { step }, _) => {
            let before = step.saturating_sub(1);
            writeln!(
                text,
                "not reproduced: the trace fits the program only up to step {before}; `fabius check` looks for other \
                 ways to the bug"
            )
        }
        _ => writeln!(text, "not reproduced: every step fits, and the run ends without the bug"),
    };
}
