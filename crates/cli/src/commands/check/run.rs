//! One test: search, then for each bug a shortened trace in a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fabius_lang::ids::TestId;
use fabius_lang::ir::{MonitorAttachment, Program};
use fabius_lang::source::{Span, counted, separated};
use fabius_lang::syntax::tree::Temperature;
use fabius_search::Found;
use fabius_trace::{Budget, Run, Trace, VERSION, record, resolve, shorten};
use fabius_vm::Vm;

use super::INTERRUPTED;
use super::explorers::{self, Guidance};
use super::search::{self, Conclusion, Searching};
use super::watch::Ends;
use crate::arguments::{CheckOptions, LimitName, Strength};
use crate::foreign::{self, Bodies};
use crate::program::{self, FoundBug, summarise};
use crate::project::Project;

/// What may be spent on shortening one bug. Steps come first, so that the result is the same on every machine; the time
/// is for programs whose steps are very slow.
const SHORTENING_STEPS: u64 = 3_000_000;
const SHORTENING_TIME: Duration = Duration::from_secs(20);

/// What all tests share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) options: &'a CheckOptions,
    pub(super) program: &'a Arc<Program>,
    pub(super) project: &'a Project,
    pub(super) bodies: &'a Bodies,
}

/// What became of a test.
pub(super) struct TestResult {
    pub(super) test: String,
    /// Why it could not be run.
    pub(super) refusal: Option<String>,
    pub(super) bugs: Vec<BugResult>,
    pub(super) conclusion: Conclusion,
    pub(super) warnings: Vec<String>,
    pub(super) seconds: f64,
}

/// A bug with its trace.
pub(super) struct BugResult {
    pub(super) bug: FoundBug,
    pub(super) span: Span,
    pub(super) trace: Trace,
    pub(super) steps_before: usize,
    /// Where the trace is, or why it could not be written.
    pub(super) file: Result<PathBuf, String>,
}

impl TestResult {
    /// Whether the conclusion is at least this strong. Visiting every state proves nothing about unbounded queues.
    pub(super) fn reaches(&self, strength: Strength) -> bool {
        match strength {
            Strength::Verified => self.conclusion.is_verified,
            Strength::Proved => false,
        }
    }
}

pub(super) fn run_test(context: &Context<'_>, test: TestId) -> TestResult {
    let start = Instant::now();
    let options = context.options;
    let name = &context.program[test].name;
    let mut result = TestResult {
        test: name.clone(),
        refusal: None,
        bugs: Vec::new(),
        conclusion: Conclusion::default(),
        warnings: Vec::new(),
        seconds: 0.0,
    };
    let mut vm_options = program::vm_options(&options.program, context.bodies);
    vm_options.hints = explorers::need_hints(options);
    let vm = match Vm::new(Arc::clone(context.program), test, vm_options) {
        Ok(vm) => vm,
        Err(error) => {
            result.refusal = Some(foreign::refusal(context.program, &error));
            return result;
        }
    };
    let ends = Arc::new(Ends::default());
    let guidance = match Guidance::new(options, &vm) {
        Ok(guidance) => guidance,
        Err(message) => {
            result.refusal = Some(message);
            return result;
        }
    };
    let conclusion = Searching { vm: &vm, ends: &ends, options, guidance: &guidance, test: name }.run();
    if let Some(failure) = guidance.failure() {
        result.refusal = Some(failure.to_owned());
        return result;
    }
    for (at, found) in conclusion.bugs.iter().enumerate() {
        result.bugs.push(trace_bug(context, &vm, name, at, found));
    }
    result.warnings = warnings(context.program, test, &conclusion, &ends);
    result.conclusion = conclusion;
    result.seconds = start.elapsed().as_secs_f64();
    result
}

/// Shortens a bug, tells its story and writes it to a file.
fn trace_bug(context: &Context<'_>, vm: &Vm, test: &str, at: usize, found: &Found<FoundBug>) -> BugResult {
    let sources = &context.project.sources;
    let vm = vm.fresh();
    let choices = resolve(&vm, &found.positions).expect("a search tells positions of choices that exist");
    let wanted = summarise(&found.bug, sources);
    let is_same = |bug: &FoundBug| summarise(bug, sources).is_same(&wanted);
    let start = Instant::now();
    let should_stop = || start.elapsed() >= SHORTENING_TIME || INTERRUPTED.load(Ordering::Relaxed);
    let budget = Budget { steps: SHORTENING_STEPS, should_stop: &should_stop };
    let shortened =
        shorten(&vm, &choices, &is_same, budget).expect("a search tells runs that end in their bug");
    let recording = record(&vm, &shortened.choices).expect("shortening gives choices that exist");
    let bug = match recording.ending {
        fabius_trace::Ending::Bug(bug) => bug,
        _ => unreachable!("shortening keeps the bug"),
    };
    let is_shorter = shortened.choices != choices;
    let original = is_shorter.then(|| record(&vm, &choices).ok()).flatten();
    let trace = Trace {
        version: VERSION,
        program: program::hash(sources, context.bodies),
        test: test.to_owned(),
        search: search::name(context.options),
        seed: context.options.seed,
        options: recorded_options(context.options),
        bug: summarise(&bug, sources),
        run: recording.run,
        original: original.map(|recording| Run::without_steps(&recording.run)),
    };
    let file = write_trace(&context.options.out, test, at, &trace);
    BugResult { span: bug.span, bug, trace, steps_before: choices.len(), file }
}

fn write_trace(folder: &Path, test: &str, at: usize, trace: &Trace) -> Result<PathBuf, String> {
    let name = if at == 0 { format!("{test}.trace.json") } else { format!("{test}.{}.trace.json", at + 1) };
    let path = folder.join(name);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, trace.to_json()));
    written
        .map(|()| path.clone())
        .map_err(|error| format!("cannot write `{}`: {}", path.display(), error.kind()))
}

/// What a replay needs to know, beside what a person may want to.
fn recorded_options(options: &CheckOptions) -> BTreeMap<String, String> {
    let mut recorded = BTreeMap::new();
    let mut put = |name: &str, value: String| recorded.insert(name.to_owned(), value);
    let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
    put("paths", paths.join("\n"));
    put("max-steps", options.max_steps.to_string());
    if options.program.attach_specs {
        put("attach-specs", "true".into());
    }
    if options.program.p_points {
        put("p-points", "true".into());
    }
    if !options.program.foreign.is_empty() {
        let files = options.program.foreign.iter().map(|path| path.display().to_string());
        put("foreign", files.collect::<Vec<_>>().join("\n"));
    }
    for (name, number) in &options.program.limits {
        put(&format!("limit-{}", name.text()), number.to_string());
    }
    recorded
}

impl LimitName {
    /// As typed.
    pub(crate) fn text(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// What the user should know about the search, beside its verdict.
fn warnings(program: &Program, test: TestId, conclusion: &Conclusion, ends: &Ends) -> Vec<String> {
    let mut warnings = Vec::new();
    let (cut, schedules) = (conclusion.cut, conclusion.schedules);
    if schedules > 0 && cut * 2 > schedules {
        let (cut, schedules) = (separated(cut), separated(schedules));
        warnings
            .push(format!("{cut} of {schedules} schedules were cut off before they ended; see --max-steps"));
    }
    let hot = |monitor: &&MonitorAttachment| {
        program[monitor.monitor].states.iter().any(|state| state.temperature == Temperature::Hot)
    };
    if cut > 0
        && let Some(spec) = program[test].monitors.iter().find(hot)
    {
        let name = program.name(program[spec.monitor].name);
        let fair = if conclusion.is_fair { "" } else { " and are not fair" };
        warnings.push(format!(
            "`{name}` has hot states, but schedules were cut off{fair}: liveness cannot be judged"
        ));
    }
    for (sentence, runs) in ends.seen().into_iter().take(3) {
        warnings.push(format!("at the end of {}, {sentence}", counted(runs, "run")));
    }
    warnings
}
