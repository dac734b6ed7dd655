//! `fabius replay`: follows a trace on the program as it is now.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use fabius_explore::RunToCompletion;
use fabius_lang::ids::TestId;
use fabius_lang::source::{SourceMap, counted};
use fabius_trace::{
    BugSummary, ChartOptions, Explanation, Replay, ReplayOutcome, Trace, chart, explain, log, replay,
};
use fabius_vm::Vm;

use crate::Exit;
use crate::arguments::{LimitName, ProgramOptions, ReplayOptions, Show};
use crate::commands::check::report::{LEAST_CHART_WIDTH, explained};
use crate::files;
use crate::foreign::{self, Bodies};
use crate::output;
use crate::program::{self, Compiled, FoundBug, summarise};

/// How many differences between a trace and the program are told.
const TOLD_DIFFERENCES: usize = 5;

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
    /// What the program was read from.
    paths: Vec<PathBuf>,
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
    Ok(Prepared { trace, vm, sources: project.sources, bodies, paths })
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
    let Prepared { trace, vm, sources, bodies, paths } = prepared;
    let summary = |bug: &FoundBug| summarise(bug, sources);
    let hash = program::hash(sources, bodies);
    let result = replay(vm, &hash, trace, &summary);
    let explanation = explanation(trace, vm, &result);
    let mut text = String::new();
    match options.show {
        Show::Chart => {
            let renderer = output::result_renderer(options.diagnostics.color);
            let how =
                ChartOptions { width: renderer.width.max(LEAST_CHART_WIDTH), max_rows: None, unicode: true };
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
    let ending = Ending { trace, result: &result, is_edited: hash != trace.program, paths };
    ending.tell(&mut text);
    ending.exit().worse(output::print(&text))
}

/// The recorded explanation as long as the run is the recorded one; else how it differs from the natural run of rtc.
fn explanation(trace: &Trace, vm: &Vm, result: &Replay) -> Option<Explanation> {
    let is_recorded = trace.run.choices == result.run.choices;
    let recorded = trace.explanation.clone().filter(|_| is_recorded);
    recorded.or_else(|| explain(vm, "rtc", &RunToCompletion::new(), &result.run))
}

/// What came of a replay.
struct Ending<'a> {
    trace: &'a Trace,
    result: &'a Replay,
    /// Whether the program is another one than that of the trace.
    is_edited: bool,
    paths: &'a [PathBuf],
}

impl Ending<'_> {
    /// As for `fabius check`: whether there is a bug. That a trace does not fit is an error only if the program is still
    /// the one that it was made of.
    fn exit(&self) -> Exit {
        match self.result.outcome {
            ReplayOutcome::Reproduced | ReplayOutcome::DifferentBug => Exit::Bug,
            ReplayOutcome::EndedWithout | ReplayOutcome::Diverged { .. } if self.is_edited => Exit::Success,
            ReplayOutcome::EndedWithout | ReplayOutcome::Diverged { .. } => Exit::Error,
        }
    }

    fn tell(&self, text: &mut String) {
        self.tell_differences(text);
        let steps = counted(self.result.run.choices.len() as u64, "step");
        let _ = match (&self.result.outcome, &self.result.bug) {
            (ReplayOutcome::Reproduced, Some(bug)) => {
                writeln!(text, "reproduced in {steps}: {}", with_place(bug))
            }
            (ReplayOutcome::DifferentBug, Some(bug)) => {
                let before = with_place(&self.trace.bug);
                writeln!(text, "another bug after {steps}: {}\nthe trace is of: {before}", with_place(bug))
            }
            _ if !self.is_edited => writeln!(
                text,
                "the trace does not fit, though the program is the one that it was made of: perhaps it was edited, or \
                 made by another version of Fabius; `{}` looks for the bug again",
                self.check()
            ),
            (ReplayOutcome::Diverged { step }, _) => {
                let since =
                    if *step == 0 { "from the start".to_owned() } else { format!("from step {step}") };
                writeln!(
                    text,
                    "the bug no longer happens on this schedule: the program has changed, and {since} on it goes another \
                     way\n{}",
                    self.next()
                )
            }
            _ => writeln!(
                text,
                "the bug no longer happens on this schedule: every step is as before, and none of them fails\n{}",
                self.next()
            ),
        };
    }

    /// What is no longer as it was. After the first differences the others mostly follow from them.
    fn tell_differences(&self, text: &mut String) {
        for mismatch in self.result.mismatches.iter().take(TOLD_DIFFERENCES) {
            let _ = writeln!(text, "{mismatch}");
        }
        let more = self.result.mismatch_count.saturating_sub(TOLD_DIFFERENCES);
        if more > 0 {
            let _ =
                writeln!(text, "… and {} where the trace does not fit", counted(more as u64, "more place"));
        }
    }

    fn next(&self) -> String {
        let bug = &self.trace.bug.message;
        format!("next: `{}` looks whether another schedule leads to it ({bug})", self.check())
    }

    /// The command that searches the test again.
    fn check(&self) -> String {
        let paths = self.paths.iter().map(|path| format!(" {}", path.display()));
        format!("fabius check{} --test {}", paths.collect::<String>(), self.trace.test)
    }
}

fn with_place(bug: &BugSummary) -> String {
    match (&bug.file, bug.line) {
        (Some(file), Some(line)) => format!("{} ({file}:{line})", bug.message),
        _ => bug.message.clone(),
    }
}
