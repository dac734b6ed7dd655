//! `fabius check`: runs the tests of a project under many schedules.

mod checkpoint;
mod explorers;
mod junit;
pub(crate) mod measure;
pub(crate) mod memory;
mod progress;
pub(crate) mod report;
mod result;
mod run;
mod search;
mod select;
mod stats;
mod unused;
mod watch;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_lang::ids::TestId;
use fabius_lang::source::{Code, Diagnostic, counted};

use crate::Exit;
use crate::arguments::{CheckOptions, Search, Warnings};
use crate::commands::compile::overview;
use crate::files;
use crate::foreign::Bodies;
use crate::output;
use crate::program::{self, Compiled};

use result::CheckResult;
use run::{Context, TestResult};
use stats::CoverageEntry;

/// Set by Ctrl-C: searches end, and what was found so far is told.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(options: &CheckOptions) -> Exit {
    let is_stdout = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if is_stdout(&options.json) && is_stdout(&options.junit) {
        return output::complain("--json - and --junit -: only one of them can go to the standard output");
    }
    if !options.list_tests && check_places(options) == Exit::Error {
        return Exit::Error;
    }
    if let Some(message) = cannot_resume(options) {
        return output::complain(&message);
    }
    let _claim = match checkpoint::claim(options) {
        Ok(claim) => claim,
        Err(message) => return output::complain(&message),
    };
    if options.diagnostics.warnings == Warnings::All {
        unused::warnings(options).iter().for_each(|warning| output::warn(warning));
    }
    let Compiled { project, program, diagnostics } = program::compile(&options.paths);
    // With --test, only what is named has to reach a strength.
    let is_refinement = |diagnostic: &&Diagnostic| diagnostic.code == Code::RefinementNotRun;
    let all = if options.tests.is_empty() { diagnostics.as_slice() } else { &[] };
    let refinements = all.iter().filter(is_refinement).count();
    let shown = output::wanted(diagnostics, &options.diagnostics);
    // JSON has the diagnostics in it, JUnit's XML has not.
    let to_stdout = is_stdout(&options.json) || is_stdout(&options.junit);
    if !is_stdout(&options.json) {
        output::show(&shown, &project.sources, &options.diagnostics, "; no test was run");
    }
    let Some(mut program) = program else {
        let rejected = CheckResult::rejected(options, &shown, &project.sources);
        return Exit::Error.worse(write_results(options, &project.name, &rejected, &[]));
    };
    let chosen = match select::tests(&program, &options.tests) {
        Ok(chosen) => chosen,
        Err(message) => return output::complain(&message),
    };
    if options.list_tests {
        let names: String = chosen.iter().map(|id| format!("{}\n", program[*id].name)).collect();
        return output::print(&names);
    }
    let unattached: Vec<_> = program.unattached_specs();
    if options.program.attach_specs {
        program.attach_specs();
    }
    let bodies = match Bodies::load(&program, &options.program.foreign) {
        Ok(bodies) => bodies,
        Err(message) => return output::complain(&message),
    };
    let program = Arc::new(program);
    if let Some(message) = memory::too_little(options.memory) {
        return output::complain(&message);
    }
    let names = run::names_of_tests(options, &program, &bodies, &chosen);
    let context = Context { options, program: &program, project: &project, bodies: &bodies, names: &names };
    let mut exit = Exit::Success;
    let mut tell = |text: &str| {
        if !to_stdout {
            exit = exit.worse(output::print(text));
        }
    };
    tell(&format!("{}\n", overview(&project.name, &program)));
    let results = run_tests(&context, &chosen, &mut tell);
    let not_run: Vec<&str> = chosen[results.len()..].iter().map(|id| program[*id].name.as_str()).collect();

    let has_bug = results.iter().any(|result| !result.bugs.is_empty());
    let is_cut = !not_run.is_empty() || is_interrupted() && !has_bug;
    let verdict = if is_cut { Exit::Error } else { exit_code(options, &results, refinements) };
    let exit = verdict.worse(exit);
    let coverage = coverage_of_all(&context, &results);
    let result = CheckResult::new(options, &results, coverage.as_ref(), &shown, &project.sources);
    let exit = exit.worse(write_results(options, &project.name, &result, &results));
    if to_stdout {
        return exit;
    }
    let are_told = !options.program.attach_specs && options.diagnostics.warnings == Warnings::All;
    let unattached = if are_told { unattached } else { Vec::new() };
    let mut text = report::text(&context, &results, coverage.as_ref(), &unattached);
    if !not_run.is_empty() {
        text.push_str(&format!("interrupted: {} not run\n", counted(not_run.len() as u64, "test")));
    } else if exit == Exit::TooWeak {
        text.push_str(&too_weak(options, &results, refinements));
    }
    exit.worse(output::print(&text))
}

/// Which tests do not reach the strength that was asked for.
fn too_weak(options: &CheckOptions, results: &[TestResult], refinements: usize) -> String {
    let is_weak = |result: &&TestResult| options.require.is_some_and(|strength| !result.reaches(strength));
    let mut weak: Vec<String> = results.iter().filter(is_weak).map(|result| result.test.clone()).collect();
    if refinements > 0 {
        weak.push(format!("{}, which nothing runs", counted(refinements as u64, "refinement test")));
    }
    format!("not as strong as --require asks for: {}\n", weak.join(", "))
}

/// Says which results will have no place, before any time is spent on a search.
fn check_places(options: &CheckOptions) -> Exit {
    let is_file = |path: &&PathBuf| path.as_os_str() != "-";
    let results = [&options.json, &options.junit].into_iter().flatten().filter(is_file);
    let mut problems: Vec<String> = results.filter_map(|path| files::check_file(path).err()).collect();
    if let Err(problem) = files::check_folder(&options.out) {
        if options.given.iter().any(|option| option == "out") {
            problems.push(problem);
        } else if options.diagnostics.warnings == Warnings::All {
            // Nobody asked for the folder, and perhaps there is no bug.
            output::warn(&format!("{problem}; traces will be lost (--out names another folder)"));
        }
    }
    problems.iter().fold(Exit::Success, |exit, problem| exit.worse(output::complain(problem)))
}

/// Why there can be no checkpoints as the options ask for them.
fn cannot_resume(options: &CheckOptions) -> Option<String> {
    options.checkpoint_folder()?;
    if options.search != Search::Dfs {
        let name = search::value_name(&options.search);
        return Some(format!("--search {name} has no checkpoints; only --search dfs can be resumed"));
    }
    match (&options.checkpoint, &options.resume) {
        (Some(one), Some(other)) if one != other => {
            Some("--checkpoint and --resume: checkpoints are written where the search is resumed from".into())
        }
        _ => None,
    }
}

/// From now on Ctrl-C ends the search that is under way, not the process.
pub(crate) fn stop_on_interrupt() {
    // Without the handler Ctrl-C ends the process at once, which is no worse than before.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
}

/// Whether somebody has pressed Ctrl-C.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs the tests one after the other, and tells of each in a line when it has ended.
fn run_tests(context: &Context<'_>, chosen: &[TestId], tell: &mut dyn FnMut(&str)) -> Vec<TestResult> {
    stop_on_interrupt();
    let width = chosen.iter().map(|id| context.program[*id].name.chars().count()).max().unwrap_or(0);
    let mut results = Vec::new();
    for (at, test) in chosen.iter().enumerate() {
        if is_interrupted() {
            break;
        }
        let result = run::run_test(context, *test, at + 1 == chosen.len());
        if context.options.stats && !results.is_empty() {
            tell("\n");
        }
        tell(&report::line(context.options, &result, width));
        if let Some(stats) = &result.stats {
            tell(&stats::report(stats));
        }
        results.push(result);
    }
    results
}

/// What any of the tests has exercised, if that is asked for.
fn coverage_of_all(context: &Context<'_>, results: &[TestResult]) -> Option<CoverageEntry> {
    let mut tests = results.iter().filter_map(|result| result.coverage.as_ref());
    let mut sum = tests.next()?.clone();
    tests.for_each(|other| sum.merge(other));
    Some(CoverageEntry::new(&sum, context.program, &context.project.sources))
}

fn exit_code(options: &CheckOptions, results: &[TestResult], refinements: usize) -> Exit {
    let is_weak = |result: &TestResult| match options.require {
        None => false,
        Some(strength) => !result.reaches(strength),
    };
    if results.is_empty() || results.iter().any(|result| result.refusal.is_some()) {
        Exit::Error
    } else if results.iter().any(|result| !result.bugs.is_empty()) {
        Exit::Bug
    } else if results.iter().any(is_weak) || (options.require.is_some() && refinements > 0) {
        Exit::TooWeak
    } else {
        Exit::Success
    }
}

fn write_results(
    options: &CheckOptions,
    project: &str,
    result: &CheckResult<'_>,
    tests: &[TestResult],
) -> Exit {
    let json = options.json.as_deref().map_or(Exit::Success, |path| output::write(path, &result.to_json()));
    let junit = |path: &Path| output::write(path, &junit::to_xml(project, tests, options.require));
    json.worse(options.junit.as_deref().map_or(Exit::Success, junit))
}
