//! The searches by name: what each does within the limits, and what it then may claim.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fabius_explore::{Explorer, Sealed, Strategy};
use fabius_lang::source::{counted, separated};
use fabius_lang::syntax::tree::Temperature;
use fabius_search::exhaustive::{breadth_first, hot_cycle, stratified};
use fabius_search::sampling::{random, stratified as sampling};
use fabius_search::{Callbacks, Found, Progress, StopReason};
use fabius_vm::{State, Vm};

use super::INTERRUPTED;
use super::explorers::{AnyExplorer, Guidance, SealedParts};
use super::memory::Memory;
use super::progress::LiveLine;
use super::watch::{Checked, Ends, Watched};
use crate::arguments::{CheckOptions, CostName, DataChoices, Search};
use crate::program::FoundBug;

/// What a search may do when neither a number of schedules nor a time is given.
const DEFAULT_SCHEDULES: u64 = 10_000;
const DEFAULT_SECONDS: f64 = 60.0;

/// Why a test whose every state was visited is still not verified.
const NOT_JUDGED: &str = "; not verified: a spec could stay hot for ever in a cycle, and whether a fair scheduler would leave it is not judged";

/// What a search came to.
#[derive(Default)]
pub(super) struct Conclusion {
    pub(super) bugs: Vec<Found<FoundBug>>,
    /// Every reachable state was visited.
    pub(super) is_exhausted: bool,
    /// That, and nothing is left open.
    pub(super) is_verified: bool,
    /// What was covered, in one line.
    pub(super) guarantee: String,
    pub(super) schedules: u64,
    pub(super) steps: u64,
    pub(super) states: Option<u64>,
    pub(super) transitions: Option<u64>,
    pub(super) delays: Option<u64>,
    pub(super) depth: u64,
    /// Schedules that were cut off before they ended.
    pub(super) cut: u64,
    /// Whether machines that can always move always move again.
    pub(super) is_fair: bool,
}

/// One search of one test.
pub(super) struct Searching<'a> {
    pub(super) vm: &'a Vm,
    pub(super) ends: &'a Arc<Ends>,
    pub(super) options: &'a CheckOptions,
    pub(super) guidance: &'a Guidance,
    pub(super) test: &'a str,
}

/// The name of the search, as traces remember it.
pub(super) fn name(options: &CheckOptions) -> String {
    match options.search {
        Search::Auto | Search::Ses | Search::Ss => {
            format!("{}({})", value_name(&options.search), options.explorer)
        }
        Search::Bfs | Search::Dfs => value_name(&options.search),
        _ => strategy(options).to_string(),
    }
}

/// A value of an option, as typed.
pub(super) fn value_name<V: ValueEnum>(value: &V) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

fn strategy(options: &CheckOptions) -> Strategy {
    let depth = options.depth;
    match options.search {
        Search::Pct => Strategy::Pct { depth, length: None },
        Search::Fairpct => Strategy::FairPct { depth, length: None, prefix: options.max_steps / 10 },
        Search::Pos => Strategy::Pos,
        _ => Strategy::Random,
    }
}

/// How long a test may take.
pub(super) fn time(options: &CheckOptions) -> Option<Duration> {
    let default = options.schedules.is_none().then_some(DEFAULT_SECONDS);
    options.timeout.or(default).map(Duration::from_secs_f64)
}

impl Searching<'_> {
    pub(super) fn run(&self) -> Conclusion {
        if let Some(parts) = &self.guidance.sealing {
            return self.sealed(parts);
        }
        let new_program = || self.watched();
        let is_delaying = matches!(self.options.search, Search::Auto | Search::Ses | Search::Ss);
        match &self.guidance.explorer {
            // These two are worth code of their own.
            AnyExplorer::RunToCompletion(explorer) if is_delaying => self.delaying(&new_program, explorer),
            AnyExplorer::RoundRobin(explorer) if is_delaying => self.delaying(&new_program, explorer),
            explorer => self.run_on(&new_program, explorer),
        }
    }

    fn watched(&self) -> Watched {
        Watched { vm: self.vm.fresh(), ends: Arc::clone(self.ends) }
    }

    /// Searches with some parts sealed, and claims no more than that.
    fn sealed(&self, parts: &SealedParts) -> Conclusion {
        let new_program =
            || Sealed::new(self.watched(), Arc::clone(&parts.sealing), Arc::clone(&parts.has_pruned));
        let mut conclusion = self.run_on(&new_program, &self.guidance.explorer);
        let program = new_program();
        for found in &mut conclusion.bugs {
            found.positions = program.unsealed_positions(&found.positions);
        }
        let sealed = self.options.seals.join(", ");
        if parts.has_pruned() {
            conclusion.is_verified = false;
            conclusion.guarantee.push_str(&format!(", with {sealed} sealed"));
        } else {
            conclusion.guarantee.push_str(&format!("; sealing {sealed} left nothing out"));
        }
        conclusion
    }

    fn run_on<P: Checked, E: Explorer>(&self, new_program: &dyn Fn() -> P, explorer: &E) -> Conclusion {
        match self.options.search {
            Search::Auto | Search::Ses | Search::Ss => self.delaying(new_program, explorer),
            Search::Bfs => self.plain(&new_program(), breadth_first::Order::BreadthFirst),
            Search::Dfs => self.plain(&new_program(), breadth_first::Order::DepthFirst),
            Search::Random | Search::Pct | Search::Fairpct | Search::Pos => self.random(new_program),
        }
    }

    fn delaying<P: Checked, E: Explorer>(&self, new_program: &dyn Fn() -> P, explorer: &E) -> Conclusion {
        let time = self.time();
        let start = Instant::now();
        match self.options.search {
            Search::Ses => self.exhaustive(&new_program(), explorer, time),
            Search::Ss => self.sampling(new_program, explorer, time),
            _ => {
                let exhaustive = self.exhaustive(&new_program(), explorer, time.map(|time| time / 2));
                let is_done = exhaustive.is_exhausted || !exhaustive.bugs.is_empty() || is_interrupted();
                if is_done {
                    return exhaustive;
                }
                let left = time.map(|time| time.saturating_sub(start.elapsed()));
                let sampled = self.sampling(new_program, explorer, left);
                Conclusion {
                    guarantee: format!("{}; then {}", exhaustive.guarantee, sampled.guarantee),
                    states: exhaustive.states,
                    transitions: exhaustive.transitions,
                    delays: sampled.delays.max(exhaustive.delays),
                    depth: sampled.depth.max(exhaustive.depth),
                    ..sampled
                }
            }
        }
    }

    /// How long the search may take.
    fn time(&self) -> Option<Duration> {
        time(self.options)
    }

    fn jobs(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.options.jobs.map_or_else(cores, usize::from)
    }

    /// Calls a search with callbacks that watch the clock and draw the live line.
    fn with_callbacks<T>(
        &self,
        time: Option<Duration>,
        search: impl FnOnce(&Callbacks<'_, FoundBug>) -> T,
    ) -> (T, Option<&'static str>) {
        let start = Instant::now();
        let is_late = || time.is_some_and(|time| start.elapsed() >= time);
        let memory = Memory::default();
        let is_wanted = self.options.json.as_deref() != Some(Path::new("-"));
        let line = LiveLine::new(self.test, time, is_wanted);
        let result = search(&Callbacks {
            should_stop: &|| {
                is_interrupted() || is_late() || memory.is_short() || self.guidance.failure().is_some()
            },
            progress: &|progress: &Progress| line.show(progress),
            same_bug: &is_same_bug,
        });
        let stopped = match (is_interrupted(), memory.was_short()) {
            (true, _) => Some("interrupted"),
            (_, true) => Some("memory limit"),
            _ => is_late().then_some("time limit"),
        };
        (result, stopped)
    }

    fn random<P: Checked>(&self, new_program: &dyn Fn() -> P) -> Conclusion {
        let options = self.options;
        let strategy = strategy(options);
        let default = if options.timeout.is_some() { u64::MAX } else { DEFAULT_SCHEDULES };
        let limits = random::Limits {
            schedules: options.schedules.unwrap_or(default),
            max_steps: options.max_steps,
            seed: options.seed,
            jobs: self.jobs(),
            bugs: options.bugs.into(),
            ..random::Limits::default()
        };
        let (report, stopped) = self.with_callbacks(self.time(), |callbacks| {
            random::run(new_program, || strategy.scheduler(), &limits, callbacks)
        });
        let cut = report.cut_by_steps + report.cut_by_memory;
        let bound = match (cut, report.cut_by_memory) {
            _ if report.runs == 0 => "the first did not end in time".to_owned(),
            (0, _) => "each to its end".to_owned(),
            (cut, 0) => format!("{} cut off at {} steps", separated(cut), separated(report.max_steps)),
            (cut, memory) => {
                format!("{} cut off, {} of them for their memory", separated(cut), separated(memory))
            }
        };
        let stopped = stopped.filter(|_| report.stop == StopReason::Asked);
        Conclusion {
            guarantee: format!(
                "{} ({strategy}), {bound}{}",
                counted(report.runs, "schedule"),
                reason(stopped)
            ),
            schedules: report.runs,
            steps: report.steps,
            depth: report.longest,
            cut,
            is_fair: strategy.is_fair(),
            bugs: report.bugs,
            ..Conclusion::default()
        }
    }

    fn exhaustive<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        time: Option<Duration>,
    ) -> Conclusion {
        let options = self.options;
        let limits = stratified::Limits {
            delays: options.delays.map_or(u64::MAX, u64::from),
            states: options.states,
            bugs: options.bugs.into(),
            jobs: self.jobs(),
            strict: options.strict,
            cost: match options.cost {
                CostName::Delays => stratified::Cost::Delays,
                CostName::Deviations => stratified::Cost::Deviations,
            },
            free_data: options.data_choices == DataChoices::Free,
            cache: stratified::Cache::Unlimited,
        };
        let mut hot = Vec::new();
        let mut visit = |state: &P::State| {
            let state = P::plain(state);
            if program.vm().hot_monitors(state).next().is_some() {
                hot.push(state.clone());
            }
        };
        let ((report, _), stopped) = self.with_callbacks(time, |callbacks| {
            stratified::run(program, explorer, &limits, callbacks, &mut visit)
        });
        let is_exhausted = report.stop == StopReason::Exhausted && report.bugs.is_empty();
        let may_stay_hot = is_exhausted && self.may_stay_hot(program.vm(), &hot);
        let open = if may_stay_hot { NOT_JUDGED } else { "" };
        Conclusion {
            is_exhausted,
            is_verified: is_exhausted && !may_stay_hot,
            guarantee: format!("{}{open}", self.strata_covered(&report, stopped)),
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            delays: report.bug_delays.or(report.finished.checked_sub(1)),
            depth: report.depth,
            bugs: report.bugs,
            ..Conclusion::default()
        }
    }

    fn strata_covered(&self, report: &stratified::Report<FoundBug>, stopped: Option<&'static str>) -> String {
        let states = counted(report.states, "state");
        let who = &self.options.explorer;
        let unit = value_name(&self.options.cost);
        if report.stop == StopReason::Exhausted {
            return format!("{states}, every schedule and choice");
        }
        let stopped = match report.stop {
            StopReason::StateLimit => Some("limit on states"),
            StopReason::Asked => stopped,
            _ => None,
        };
        let covered = match report.finished {
            0 => format!("{states} visited, no stratum finished ({who})"),
            finished if report.strict => {
                format!("all runs with at most {} {unit} (strict, {who}); {states}", finished - 1)
            }
            finished => format!("{states} visited, strata 0 to {} finished ({who})", finished - 1),
        };
        format!("{covered}{}", reason(stopped))
    }

    fn sampling<P: Checked, E: Explorer>(
        &self,
        new_program: &dyn Fn() -> P,
        explorer: &E,
        time: Option<Duration>,
    ) -> Conclusion {
        let options = self.options;
        let limits = sampling::Limits {
            delays: options.delays.unwrap_or(u32::MAX),
            max_steps: usize::try_from(options.max_steps).unwrap_or(usize::MAX),
            seed: options.seed,
            jobs: self.jobs(),
            bugs: options.bugs.into(),
            ..sampling::Limits::default()
        };
        let (report, stopped) = self.with_callbacks(time, |callbacks| {
            sampling::run(new_program, explorer, sampling::Start::Initial, &limits, callbacks)
        });
        let who = &options.explorer;
        let samples = counted(report.samples, "sampled run");
        let missed = match report.strata.iter().enumerate().skip(1).rfind(|(_, stratum)| stratum.miss <= 0.5)
        {
            Some((delays, stratum)) => format!(
                ", a given one with {} (and at most {} positions) missed with probability at most {:.2} %",
                counted(delays as u64, "delay"),
                separated(stratum.positions),
                (stratum.miss * 100.0).max(0.01)
            ),
            None => String::new(),
        };
        let stopped = stopped.filter(|_| report.stop == StopReason::Asked);
        Conclusion {
            guarantee: format!("{samples} ({who}){missed}{}", reason(stopped)),
            schedules: report.samples,
            steps: report.steps,
            delays: (report.strata.len() as u64).checked_sub(1),
            depth: report.longest,
            cut: report.strata.iter().map(|stratum| stratum.cut).sum(),
            bugs: report.bugs,
            ..Conclusion::default()
        }
    }

    fn plain<P: Checked>(&self, program: &P, order: breadth_first::Order) -> Conclusion {
        let options = self.options;
        let limits =
            breadth_first::Limits { states: options.states, depth: u64::MAX, bugs: options.bugs.into() };
        let mut hot = Vec::new();
        let mut visit = |state: &P::State| {
            let state = P::plain(state);
            if program.vm().hot_monitors(state).next().is_some() {
                hot.push(state.clone());
            }
        };
        let (report, stopped) = self.with_callbacks(self.time(), |callbacks| {
            breadth_first::run(program, order, &limits, callbacks, &mut visit)
        });
        let states = counted(report.states, "state");
        let stopped = if report.stop == StopReason::StateLimit { Some("limit on states") } else { stopped };
        let is_exhausted = report.stop == StopReason::Exhausted && report.bugs.is_empty();
        let may_stay_hot = is_exhausted && self.may_stay_hot(program.vm(), &hot);
        let open = if may_stay_hot { NOT_JUDGED } else { "" };
        Conclusion {
            is_exhausted,
            is_verified: is_exhausted && !may_stay_hot,
            guarantee: match report.stop {
                StopReason::Exhausted => format!("{states}, every schedule and choice{open}"),
                _ => format!("{states} visited{}", reason(stopped)),
            },
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            depth: report.depth,
            bugs: report.bugs,
            ..Conclusion::default()
        }
    }
}

impl Searching<'_> {
    /// Whether some spec may never cool down again in a cycle of states; also when there was no time to find out.
    fn may_stay_hot(&self, vm: &Vm, hot: &[State]) -> bool {
        let start = Instant::now();
        let time = self.time().unwrap_or(Duration::from_secs_f64(DEFAULT_SECONDS)) / 2;
        let should_stop = || is_interrupted() || start.elapsed() >= time;
        let monitors = vm.program()[vm.test()].monitors.len();
        (0..monitors).any(|monitor| {
            let is_hot = |state: &&State| vm.hot_monitors(state).any(|other| other == monitor);
            let hot: Vec<State> = hot.iter().filter(is_hot).cloned().collect();
            let is_warm = |state: &State| vm.monitors(state)[monitor].temperature != Temperature::Cold;
            hot_cycle::exists(vm, &hot, &is_warm, &should_stop) != Some(false)
        })
    }
}

fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

fn reason(stopped: Option<&str>) -> String {
    stopped.map_or(String::new(), |stopped| format!("; {stopped}"))
}

/// Whether two bugs are one, found twice.
fn is_same_bug(one: &FoundBug, other: &FoundBug) -> bool {
    one.kind == other.kind && one.span == other.span && one.state == other.state
}
