//! One test: search, then for each bug a shortened trace in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fabius_explore::{Explorer, RunToCompletion};
use fabius_lang::ids::{MachineId, TestId};
use fabius_lang::ir::{MonitorAttachment, Program};
use fabius_lang::source::{Span, counted};
use fabius_lang::syntax::tree::Temperature;
use fabius_model::{Choice, Name, Outcome, Program as _};
use fabius_search::Found;
use fabius_trace::{Budget, Price, Run, Trace, VERSION, explain, record, resolve, shorten};
use fabius_vm::{Coverage, Options, Vm};

use super::checkpoint::{Checkpoints, RealDisk};
use super::explorers::{self, Guidance, Strategist};
use super::search::{self, Conclusion, Searching};
use super::stats::{Recorder, StatsEntry};
use super::watch::Ends;
use super::{is_interrupted, memory};
use crate::arguments::{CheckOptions, CostName, DataChoices, LimitName, Search, Strength, Warnings};
use crate::files;
use crate::foreign::{self, Bodies};
use crate::output;
use crate::program::{self, FoundBug, summarise};
use crate::project::Project;

/// What may be spent on shortening one bug. Steps come first, so that the result is the same on every machine; the time
/// is for programs whose steps are very slow.
const SHORTENING_STEPS: u64 = 3_000_000;
const SHORTENING_TIME: Duration = Duration::from_secs(20);
/// How long a test may go on after its time: a tenth of it, and this, with some room for writing things down.
const GRACE: Duration = Duration::from_millis(700);

/// How long a queue may be in searches over states.
const QUEUE_OF_STATES: u32 = 1000;

/// How many machines that are left with mail a test tells of.
const MOST_LEFT: usize = 5;

/// What all tests share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) options: &'a CheckOptions,
    pub(super) program: &'a Arc<Program>,
    pub(super) project: &'a Project,
    pub(super) bodies: &'a Bodies,
    /// What any of the tests that are run can come to.
    pub(super) names: &'a BTreeSet<Name>,
}

/// What any of some tests can come to, if an option speaks of names. A test that cannot be run says so in its turn.
pub(super) fn names_of_tests(
    options: &CheckOptions,
    program: &Arc<Program>,
    bodies: &Bodies,
    tests: &[TestId],
) -> BTreeSet<Name> {
    let tests = if explorers::need_hints(options) { tests } else { &[] };
    let vms = tests.iter().flat_map(|test| Vm::new(Arc::clone(program), *test, vm_options(options, bodies)));
    vms.flat_map(|vm| vm.names_of_test()).collect()
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
    /// The most memory that the process has had so far.
    pub(super) peak_bytes: Option<u64>,
    /// If anybody asked.
    pub(super) stats: Option<StatsEntry>,
    pub(super) coverage: Option<Coverage>,
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

/// Runs a test, after which the process ends soon if it is the last one.
pub(super) fn run_test(context: &Context<'_>, test: TestId, is_last: bool) -> TestResult {
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
        peak_bytes: None,
        stats: None,
        coverage: None,
    };
    let vm_options = vm_options(options, context.bodies);
    let vm = match Vm::new(Arc::clone(context.program), test, vm_options) {
        Ok(vm) => vm,
        Err(error) => {
            result.refusal = Some(foreign::refusal(context.program, context.bodies, &error));
            return result;
        }
    };
    let ends = Arc::new(Ends::default());
    let guidance = match Guidance::new(options, &vm, context.names) {
        Ok(guidance) => guidance,
        Err(message) => {
            result.refusal = Some(message);
            return result;
        }
    };
    let checkpoints = match checkpoints(context, &vm, name) {
        Ok(checkpoints) => checkpoints,
        Err(message) => {
            result.refusal = Some(message);
            return result;
        }
    };
    let recorder = options.stats.then(|| Arc::new(Recorder::new()));
    let conclusion = Searching {
        vm: &vm,
        ends: &ends,
        options,
        guidance: &guidance,
        test: name,
        start,
        checkpoints: checkpoints.as_ref(),
        recorder: recorder.as_ref(),
        part: Mutex::default(),
        is_last,
    }
    .run();
    if let Some(failure) = guidance.failure().or(conclusion.refusal.as_deref()) {
        result.refusal = Some(failure.to_owned());
        return result;
    }
    // Before shortening, which exercises the program as well.
    if options.stats {
        let coverage = vm.coverage();
        result.stats = Some(StatsEntry::new(&vm, &conclusion, &coverage, &context.project.sources));
        result.coverage = Some(coverage);
    }
    let end = search::time(options).map(|time| start + time + time / 10 + GRACE);
    for (at, found) in conclusion.bugs.iter().enumerate() {
        let now = Instant::now();
        let left = end.map_or(SHORTENING_TIME, |end| end.saturating_duration_since(now));
        let bugs_left = (conclusion.bugs.len() - at) as u32;
        let deadline = now + (left / bugs_left).min(SHORTENING_TIME);
        let explained_by = conclusion.explained_by.as_ref();
        let telling =
            Telling { context, vm: &vm, test: name, at, found, guidance: &guidance, explained_by, deadline };
        result.bugs.push(telling.with_explorer());
    }
    let cut_by = if options.search == Search::Irs { "--increment" } else { "--max-steps and --limit" };
    result.warnings = guidance.idle.clone();
    result.warnings.extend(warnings(context.program, test, &conclusion, &ends, cut_by));
    result.warnings.extend(conclusion.checkpoints.iter().flat_map(|kept| kept.notes.clone()));
    if conclusion.is_verified {
        result.warnings.extend(vm.blind_specs().iter().map(|spec| blind(context.program, *spec)));
    }
    result.conclusion = conclusion;
    result.warnings.extend(old_traces(context, &result));
    if options.diagnostics.warnings == Warnings::None {
        result.warnings.clear();
    }
    result.seconds = start.elapsed().as_secs_f64();
    result.peak_bytes = memory::peak();
    result
}

/// The checkpoints of a test, if any are asked for; or why it must not be run.
fn checkpoints<'a>(context: &Context<'_>, vm: &Vm, test: &str) -> Result<Option<Checkpoints<'a>>, String> {
    let Context { options, project, bodies, .. } = *context;
    if options.checkpoint_folder().is_none() {
        return Ok(None);
    }
    let program = program::hash(&project.sources, bodies);
    let limits = &vm.options().limits;
    Checkpoints::new(&RealDisk, options, (program, test), limits, &output::warn).map(Some)
}

/// As the options say. Searches over states follow queues less far than runs do, unless told otherwise: each length of a
/// queue is a state of its own, and one that grows for ever would keep them busy with nothing else.
pub(super) fn vm_options(options: &CheckOptions, bodies: &Bodies) -> Options {
    let mut vm_options = program::vm_options(&options.program, bodies);
    vm_options.hints = explorers::need_hints(options);
    let is_told = options.program.limits.iter().any(|(name, _)| *name == LimitName::Queue);
    if !is_told && !options.search.is_over_runs() {
        vm_options.limits.queue_length = QUEUE_OF_STATES;
    }
    vm_options
}

/// Shortens a bug, tells its story and writes it to a file.
struct Telling<'a> {
    context: &'a Context<'a>,
    vm: &'a Vm,
    guidance: &'a Guidance,
    test: &'a str,
    /// Which bug of the test it is, from 0.
    at: usize,
    found: &'a Found<FoundBug>,
    /// Who found it, if not the explorer that was asked for.
    explained_by: Option<&'a Strategist>,
    /// When all of it must be done.
    deadline: Instant,
}

impl Telling<'_> {
    /// By the explorer that found it; searches that have none are explained by rtc.
    fn with_explorer(&self) -> BugResult {
        let CheckOptions { search, explorer, .. } = self.context.options;
        if let Some(who) = self.explained_by {
            return self.with(&who.explorer, &who.name);
        }
        if matches!(search, Search::Auto | Search::Ses | Search::Ss) {
            let told = self.with(&self.guidance.explorer, &explorer.to_string());
            // Shortening meets states that the search has not met, at which a script may fail.
            if self.guidance.failure().is_none() {
                return told;
            }
        }
        self.with(&RunToCompletion::new(), "rtc")
    }

    fn with<E: Explorer>(&self, explorer: &E, name: &str) -> BugResult {
        let Context { options, project, bodies, .. } = *self.context;
        let sources = &project.sources;
        let vm = self.vm.fresh();
        let start = Instant::now();
        let (most, before) = (most_held(options), memory::resident().unwrap_or(0));
        let holds_much = || {
            vm.memory() as u64 >= most
                || memory::resident().is_some_and(|now| now.saturating_sub(before) >= most)
        };
        let is_short = || Instant::now() >= self.deadline || is_interrupted() || holds_much();
        if !can_be_taken(&vm, &self.found.positions, &is_short) {
            return self.untold();
        }
        let choices =
            resolve(&vm, &self.found.positions).expect("a search tells positions of choices that exist");
        // Telling a run takes some times as long as taking it, and comes after shortening.
        let deadline = self.deadline.checked_sub(start.elapsed() * 6).unwrap_or(start);
        let shortened = self.shortened(&vm, explorer, &choices, deadline);
        let recording = record(&vm, &shortened).expect("shortening gives choices that exist");
        let mut bug = match recording.ending {
            fabius_trace::Ending::Bug(bug) => bug,
            _ => unreachable!("shortening keeps the bug"),
        };
        bug.message = recording.names.retold(&bug.message);
        let original = (shortened != choices).then(|| record(&vm, &choices).ok()).flatten();
        let trace = Trace {
            version: VERSION,
            program: program::hash(sources, bodies),
            test: self.test.to_owned(),
            search: search::name(options),
            seed: options.seed,
            options: recorded_options(options),
            bug: summarise(&bug, sources),
            explanation: explain(&vm, name, explorer, &recording.run),
            run: recording.run,
            original: original.map(|recording| Run::without_steps(&recording.run)),
        };
        let path = trace_path(self.context, self.test, self.at);
        let file = write_trace(path, &trace);
        BugResult { span: bug.span, bug, trace, steps_before: choices.len(), file }
    }

    /// A bug whose run takes too much time or memory to be told.
    fn untold(&self) -> BugResult {
        let Context { options, project, bodies, .. } = *self.context;
        let bug = self.found.bug.clone();
        let steps = self.found.positions.len();
        let trace = Trace {
            version: VERSION,
            program: program::hash(&project.sources, bodies),
            test: self.test.to_owned(),
            search: search::name(options),
            seed: options.seed,
            options: recorded_options(options),
            bug: summarise(&bug, &project.sources),
            explanation: None,
            run: Run::default(),
            original: None,
        };
        let why = "there was not enough time or memory left to tell the run; the same seed with a larger --timeout \
                   and --memory finds it again";
        BugResult { span: bug.span, bug, trace, steps_before: steps, file: Err(why.into()) }
    }

    fn shortened<E: Explorer>(
        &self,
        vm: &Vm,
        explorer: &E,
        choices: &[Choice],
        deadline: Instant,
    ) -> Vec<Choice> {
        let sources = &self.context.project.sources;
        let wanted = summarise(&self.found.bug, sources);
        // On one line there may be several bugs of one kind.
        let span = self.found.bug.span;
        let is_same = |bug: &FoundBug| bug.span == span && summarise(bug, sources).is_same(&wanted);
        let most = most_held(self.context.options);
        let should_stop = || Instant::now() >= deadline || is_interrupted() || vm.memory() as u64 >= most;
        let budget = Budget { steps: SHORTENING_STEPS, should_stop: &should_stop };
        let guide = Some((explorer, price(self.context.options)));
        let shortened = shorten(vm, guide, choices, &is_same, budget);
        shortened.expect("a search tells runs that end in their bug").choices
    }
}

/// What deviations from the natural run cost: what the strata of the search are counted in, or else delays.
pub(super) fn price(options: &CheckOptions) -> Price {
    match options.search {
        Search::Auto | Search::Ses => Price {
            is_flat: options.cost == CostName::Deviations,
            is_data_free: options.data_choices == DataChoices::Free,
        },
        _ => Price::default(),
    }
}

/// What telling a run may hold, in bytes: a quarter of what the process may have, and always a little.
fn most_held(options: &CheckOptions) -> u64 {
    const ALWAYS: u64 = 64 << 20;
    memory::allowed(options.memory).map_or(u64::MAX, |limit| (limit / 4).max(ALWAYS))
}

/// Whether the steps of a run can be taken once more before time or memory is short.
fn can_be_taken(vm: &Vm, positions: &[u32], is_short: &dyn Fn() -> bool) -> bool {
    let Outcome::State(mut state) = vm.initial() else { return true };
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    for (nth, position) in positions.iter().enumerate() {
        vm.choices(&state, &mut choices);
        let Some(choice) = choices.get(*position as usize) else { return true };
        effects.clear();
        match vm.step(&state, *choice, &mut effects) {
            Outcome::State(next) => state = next,
            Outcome::Bug(_) => return true,
        }
        if nth % STEPS_BETWEEN_QUESTIONS == 0 && is_short() {
            return false;
        }
    }
    true
}

const STEPS_BETWEEN_QUESTIONS: usize = 16;

/// Where the trace of a test's bug goes. Projects that are checked in one folder do not overwrite each other's.
fn trace_path(context: &Context<'_>, test: &str, at: usize) -> PathBuf {
    let plain = |character: char| if character.is_alphanumeric() { character } else { '-' };
    let project: String = context.project.name.chars().map(plain).collect();
    let which = if at == 0 { String::new() } else { format!(".{}", at + 1) };
    context.options.out.join(format!("{project}-{test}{which}.trace.json"))
}

fn write_trace(path: PathBuf, trace: &Trace) -> Result<PathBuf, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    match fs::create_dir_all(folder).and_then(|()| fs::write(&path, trace.to_json())) {
        Ok(()) => Ok(path),
        Err(error) => Err(files::cannot_write(&path, &error)),
    }
}

/// Deals with the traces of an earlier check that are of no bug of this one: where there is none, they go; where one may
/// only have been missed, they stay.
fn old_traces(context: &Context<'_>, result: &TestResult) -> Vec<String> {
    let old = (result.bugs.len()..).map(|at| trace_path(context, &result.test, at));
    let old: Vec<PathBuf> = old.take_while(|path| path.exists()).collect();
    let paths = recorded_options(context.options).remove("paths");
    let is_of_these = |path: &&PathBuf| {
        let trace = fs::read(path).ok().and_then(|bytes| Trace::from_json(&bytes).ok());
        trace.is_none_or(|trace| trace.options.get("paths") == paths.as_ref())
    };
    // Another copy of the project may still have its bug.
    let old: Vec<&PathBuf> = old.iter().filter(is_of_these).collect();
    if result.conclusion.is_verified {
        // One that cannot be removed is as harmless as one that nobody has removed.
        old.iter().for_each(|path| drop(fs::remove_file(path)));
        return Vec::new();
    }
    let told = |path: &&PathBuf| {
        format!("an earlier check found a bug that this one did not: fabius replay {}", path.display())
    };
    old.iter().map(told).collect()
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

/// That a spec makes no difference to a test.
fn blind(program: &Program, spec: MachineId) -> String {
    let name = program.name(program[spec].name);
    format!("no event that `{name}` observes happens in any run: it checks nothing in this test")
}

/// What the user should know about the search, beside its verdict; `cut_by` is what bounds schedules.
fn warnings(
    program: &Program,
    test: TestId,
    conclusion: &Conclusion,
    ends: &Ends,
    cut_by: &str,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let (cut, schedules) = (conclusion.cut, conclusion.schedules);
    if schedules > 0 && cut * 2 > schedules {
        // Without numbers, so that it is the same for many tests and told once.
        warnings.push(format!("most schedules were cut off before they ended; see {cut_by}"));
    }
    let hot = |monitor: &&MonitorAttachment| {
        program[monitor.monitor].states.iter().any(|state| state.temperature == Temperature::Hot)
    };
    if cut > 0 {
        let fair = if conclusion.is_fair { "" } else { " and are not fair" };
        warnings.extend(program[test].monitors.iter().filter(hot).map(|spec| {
            let name = program.name(program[spec.monitor].name);
            format!("`{name}` has hot states, but schedules were cut off{fair}: liveness cannot be judged")
        }));
    }
    let mut left = ends.seen();
    let hidden = left.len().saturating_sub(MOST_LEFT);
    left.truncate(MOST_LEFT);
    warnings.extend(left);
    if hidden > 0 {
        warnings.push(format!("mail is left deferred in {} as well", counted(hidden as u64, "other state")));
    }
    warnings
}
