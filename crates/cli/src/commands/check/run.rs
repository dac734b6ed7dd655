//! One test: search, then for each bug a shortened trace in a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use fabius_explore::Strategy;
use fabius_lang::ids::TestId;
use fabius_lang::ir::Program;
use fabius_lang::source::Span;
use fabius_lang::syntax::tree::Temperature;
use fabius_search::sampling::{Report, random};
use fabius_search::{Callbacks, Found, StopReason};
use fabius_trace::{Budget, Run, Trace, VERSION, record, resolve, shorten};
use fabius_vm::{Bug, Vm};

use super::INTERRUPTED;
use super::progress::LiveLine;
use super::watch::{Ends, Watched};
use crate::arguments::{CheckOptions, LimitName, Search, Strength};
use crate::program::{self, summarise};
use crate::project::Project;

/// What a search may do when neither a number of schedules nor a time is given.
const DEFAULT_SCHEDULES: u64 = 10_000;
const DEFAULT_SECONDS: f64 = 60.0;
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
}

/// What became of a test.
pub(super) struct TestResult {
    pub(super) test: String,
    /// Why it could not be run.
    pub(super) refusal: Option<String>,
    pub(super) bugs: Vec<BugResult>,
    pub(super) strategy: String,
    pub(super) report: Option<Report<Box<Bug>>>,
    pub(super) stopped_by: Option<&'static str>,
    pub(super) warnings: Vec<String>,
    pub(super) seconds: f64,
}

/// A bug with its trace.
pub(super) struct BugResult {
    pub(super) bug: Box<Bug>,
    pub(super) span: Span,
    pub(super) trace: Trace,
    pub(super) steps_before: usize,
    /// Where the trace is, or why it could not be written.
    pub(super) file: Result<PathBuf, String>,
}

impl TestResult {
    /// Whether the conclusion is at least this strong. Runs prove nothing.
    pub(super) fn reaches(&self, strength: Strength) -> bool {
        match strength {
            Strength::Verified | Strength::Proved => false,
        }
    }
}

pub(super) fn run_test(context: &Context<'_>, test: TestId) -> TestResult {
    let start = Instant::now();
    let options = context.options;
    let name = &context.program[test].name;
    let strategy = strategy(options);
    let mut result = TestResult {
        test: name.clone(),
        refusal: None,
        bugs: Vec::new(),
        strategy: strategy.to_string(),
        report: None,
        stopped_by: None,
        warnings: Vec::new(),
        seconds: 0.0,
    };
    let vm = match Vm::new(Arc::clone(context.program), test, program::vm_options(&options.program)) {
        Ok(vm) => vm,
        Err(error) => {
            result.refusal = Some(error.to_string());
            return result;
        }
    };
    let ends = Arc::new(Ends::default());
    let (report, stopped_by) = search(&vm, &ends, strategy, options, name);
    for (at, found) in report.bugs.iter().enumerate() {
        result.bugs.push(trace_bug(context, &vm, name, at, found));
    }
    result.warnings = warnings(context.program, test, &strategy, &report, &ends);
    (result.report, result.stopped_by) = (Some(report), stopped_by);
    result.seconds = start.elapsed().as_secs_f64();
    result
}

fn strategy(options: &CheckOptions) -> Strategy {
    let depth = options.depth;
    match options.search {
        Search::Random => Strategy::Random,
        Search::Pct => Strategy::Pct { depth, length: None },
        Search::Fairpct => Strategy::FairPct { depth, length: None, prefix: options.max_steps / 10 },
        Search::Pos => Strategy::Pos,
    }
}

/// Searches; also tells what ended the search, where it was neither a bug nor the number of schedules.
fn search(
    vm: &Vm,
    ends: &Arc<Ends>,
    strategy: Strategy,
    options: &CheckOptions,
    name: &str,
) -> (Report<Box<Bug>>, Option<&'static str>) {
    let jobs = options.jobs.map_or_else(cores, usize::from);
    let limits = random::Limits {
        schedules: options.schedules.unwrap_or(if options.timeout.is_some() {
            u64::MAX
        } else {
            DEFAULT_SCHEDULES
        }),
        max_steps: options.max_steps,
        seed: options.seed,
        jobs,
        bugs: options.bugs.into(),
        ..random::Limits::default()
    };
    let seconds = options.timeout.or(options.schedules.is_none().then_some(DEFAULT_SECONDS));
    let time = seconds.map(Duration::from_secs_f64);
    let start = Instant::now();
    let is_late = || time.is_some_and(|time| start.elapsed() >= time);
    let is_wanted = options.json.as_deref() != Some(Path::new("-"));
    let line = LiveLine::new(name, time, is_wanted);
    let callbacks = Callbacks {
        should_stop: &|| INTERRUPTED.load(Ordering::Relaxed) || is_late(),
        progress: &|progress| line.show(progress),
        same_bug: &|one: &Box<Bug>, other: &Box<Bug>| {
            one.kind == other.kind && one.span == other.span && one.state == other.state
        },
    };
    let new_program = || Watched { vm: vm.fresh(), ends: Arc::clone(ends) };
    let report = random::run(new_program, || strategy.scheduler(), &limits, &callbacks);
    let stopped_by = match report.stop {
        StopReason::Asked if INTERRUPTED.load(Ordering::Relaxed) => Some("interrupted"),
        StopReason::Asked => Some("time limit"),
        _ => None,
    };
    (report, stopped_by)
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Shortens a bug, tells its story and writes it to a file.
fn trace_bug(context: &Context<'_>, vm: &Vm, test: &str, at: usize, found: &Found<Box<Bug>>) -> BugResult {
    let sources = &context.project.sources;
    let vm = vm.fresh();
    let choices = resolve(&vm, &found.positions).expect("a search tells positions of choices that exist");
    let wanted = summarise(&found.bug, sources);
    let is_same = |bug: &Box<Bug>| summarise(bug, sources).is_same(&wanted);
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
        program: program::hash(sources),
        test: test.to_owned(),
        search: context.options.search_name(),
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
    for (name, number) in &options.program.limits {
        put(&format!("limit-{}", name.text()), number.to_string());
    }
    recorded
}

impl CheckOptions {
    fn search_name(&self) -> String {
        strategy(self).to_string()
    }
}

impl LimitName {
    /// As typed.
    pub(crate) fn text(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// What the user should know about the search, beside its verdict.
fn warnings(
    program: &Program,
    test: TestId,
    strategy: &Strategy,
    report: &Report<Box<Bug>>,
    ends: &Ends,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let cut = report.cut_by_steps + report.cut_by_memory;
    if report.runs > 0 && cut * 2 > report.runs {
        let why =
            if report.cut_by_memory > report.cut_by_steps { "for their memory" } else { "by --max-steps" };
        warnings.push(format!("{cut} of {} schedules were cut off {why} before they ended", report.runs));
    }
    let hot = |monitor: &&fabius_lang::ir::MonitorAttachment| {
        program[monitor.monitor].states.iter().any(|state| state.temperature == Temperature::Hot)
    };
    if cut > 0
        && let Some(spec) = program[test].monitors.iter().find(hot)
    {
        let name = program.name(program[spec.monitor].name);
        let fair = if strategy.is_fair() { "" } else { " and the schedules are not fair" };
        warnings.push(format!(
            "`{name}` has hot states, but schedules were cut off{fair}: liveness cannot be judged"
        ));
    }
    for (sentence, runs) in ends.seen().into_iter().take(3) {
        warnings.push(format!("at the end of {runs} schedules, {sentence}"));
    }
    warnings
}
