//! The searches by name: what each does within the limits, and what it then may claim.

mod auto;
mod depth_first;
mod hot;
mod novelty;
mod runs;
mod states;
mod visited;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fabius_explore::{Explorer, Sealed, Strategy};
use fabius_lang::syntax::tree::Temperature;
use fabius_search::exhaustive::hot_cycle;
use fabius_search::{Callbacks, Found, Progress};
use fabius_vm::{State, Vm};

use self::hot::HotStates;
use super::checkpoint::{Checkpoints, Cost, Resumed};
use super::explorers::{AnyExplorer, Guidance, SealedParts, Strategist};
use super::is_interrupted;
use super::memory::{self, Appetite, Memory};
use super::progress::{Doing, LiveLine};
use super::stats::{Estimate, Measured, Over, Recorder};
use super::watch::{Checked, Ends, Watched};
use crate::arguments::{CheckOptions, SealFlavour, Search};
use crate::program::FoundBug;

/// What a search may do when neither a number of schedules nor a time is given.
const DEFAULT_SCHEDULES: u64 = 10_000;
const DEFAULT_SECONDS: f64 = 60.0;

/// What a search came to.
#[derive(Default)]
pub(super) struct Conclusion {
    pub(super) bugs: Vec<Found<FoundBug>>,
    /// Every reachable state was visited.
    pub(super) is_exhausted: bool,
    /// That, and nothing is left open.
    pub(super) is_verified: bool,
    /// A limit ended it before it came to an end of its own.
    pub(super) is_incomplete: bool,
    /// A spec has hot states, and that it cannot stay in them for ever is not known; what is told of it comes last.
    pub(super) is_heat_open: bool,
    /// How likely it is, at most, that a state was missed because another one looked the same.
    pub(super) omission: f64,
    /// What the visited set takes.
    pub(super) store: Option<StoreUse>,
    /// What was covered, in one line.
    pub(super) guarantee: String,
    pub(super) schedules: u64,
    pub(super) steps: u64,
    pub(super) states: Option<u64>,
    /// What was stored: as many as states, or more where explorers' states are stored with them.
    pub(super) stored: Option<u64>,
    pub(super) transitions: Option<u64>,
    pub(super) delays: Option<u64>,
    pub(super) depth: u64,
    /// Schedules that were cut off before they ended.
    pub(super) cut: u64,
    /// Whether machines that can always move always move again.
    pub(super) is_fair: bool,
    /// The strategy that the bugs are best explained by, if it is not the one that was asked for.
    pub(super) explained_by: Option<Strategist>,
    /// New states by stratum, depth or bound.
    pub(super) levels: Option<Levels>,
    /// What is left of a search over states that did not finish.
    pub(super) estimate: Option<Estimate>,
    /// What was counted, if anybody asked.
    pub(super) measured: Vec<Measured>,
    /// Why nothing was searched after all.
    pub(super) refusal: Option<String>,
    pub(super) checkpoints: Option<Kept>,
}

/// What became of the checkpoints of a search.
pub(super) struct Kept {
    pub(super) cost: Cost,
    pub(super) resumed: Option<Resumed>,
    /// What the user should know of them.
    pub(super) notes: Vec<String>,
}

/// What a visited set takes.
#[derive(Clone, Debug)]
pub(super) struct StoreUse {
    /// As in `--store`.
    pub(super) kind: String,
    pub(super) bytes: u64,
    /// Which part of its places is taken.
    pub(super) load: f64,
}

/// How many states each level brought.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// What a level is: `stratum`, `depth` or `bound`.
    pub(super) by: &'static str,
    pub(super) states: Vec<u64>,
    /// How many of them are finished, if they say something about what is left.
    pub(super) finished: Option<usize>,
}

/// One search of one test.
pub(super) struct Searching<'a> {
    pub(super) vm: &'a Vm,
    pub(super) ends: &'a Arc<Ends>,
    pub(super) options: &'a CheckOptions,
    pub(super) guidance: &'a Guidance,
    pub(super) test: &'a str,
    pub(super) start: Instant,
    pub(super) checkpoints: Option<&'a Checkpoints<'a>>,
    /// Who counts, if anybody asked.
    pub(super) recorder: Option<&'a Arc<Recorder>>,
    /// What is being done at the moment, in words, by a search that has several parts.
    pub(super) part: Mutex<String>,
    /// Whether the process ends soon after it.
    pub(super) is_last: bool,
}

/// The name of the search, as traces remember it.
pub(super) fn name(options: &CheckOptions) -> String {
    match options.search {
        Search::Auto | Search::Ses | Search::Ss => {
            format!("{}({})", value_name(&options.search), options.explorer)
        }
        Search::Pb | Search::Depth | Search::Bfs | Search::Dfs | Search::Irs => value_name(&options.search),
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

/// How long a test may take. A number of schedules takes the place of the default only where there is nothing but schedules.
pub(super) fn time(options: &CheckOptions) -> Option<Duration> {
    let default = (options.schedules.is_none() || !options.search.is_over_runs()).then_some(DEFAULT_SECONDS);
    options.timeout.or(default).map(Duration::from_secs_f64)
}

impl Searching<'_> {
    pub(super) fn run(&self) -> Conclusion {
        let mut conclusion = self.conclude();
        if conclusion.is_heat_open && conclusion.bugs.is_empty() {
            conclusion.guarantee.push_str("; whether a spec can stay hot for ever was not judged");
        }
        conclusion
    }

    fn conclude(&self) -> Conclusion {
        if let Some(parts) = &self.guidance.sealing {
            return self.sealed(parts);
        }
        let new_program = || self.watched();
        let is_delaying = matches!(self.options.search, Search::Auto | Search::Ses | Search::Ss);
        match &self.guidance.explorer {
            // These two are worth code of their own.
            AnyExplorer::RunToCompletion(explorer) if is_delaying => self.run_on(&new_program, explorer),
            AnyExplorer::RoundRobin(explorer) if is_delaying => self.run_on(&new_program, explorer),
            explorer => self.run_on(&new_program, explorer),
        }
    }

    fn watched(&self) -> Watched {
        Watched { vm: self.vm.fresh(), ends: Arc::clone(self.ends), recorder: self.recorder.cloned() }
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
            // Handlers without interruption is what one thinks of first; the other way leaves out more.
            let how = if self.options.seal_as == SealFlavour::Rtc {
                " (--seal-as rtc: sends wait for what they cause)"
            } else {
                ""
            };
            conclusion.guarantee.push_str(&format!(", with {sealed} sealed{how}"));
        } else {
            conclusion.guarantee.push_str(&format!("; sealing {sealed} left nothing out"));
        }
        conclusion
    }

    fn run_on<P: Checked, E: Explorer>(&self, new_program: &dyn Fn() -> P, explorer: &E) -> Conclusion {
        let over_states = |search: &dyn Fn(&P) -> Conclusion| {
            let program = new_program();
            let conclusion = search(&program);
            if self.is_last {
                // The system takes memory back much faster than it is freed piece by piece.
                std::mem::forget(program);
            }
            conclusion
        };
        match self.options.search {
            Search::Auto => self.auto(new_program, explorer),
            Search::Ses => over_states(&|program| {
                self.exhaustive(program, explorer, &self.strata(), self.whole_allowance()).conclusion
            }),
            Search::Ss => self.sampling(new_program, explorer),
            Search::Pb => over_states(&|program| self.preemption_bounded(program)),
            Search::Depth => over_states(&|program| self.depth_bounded(program)),
            Search::Bfs => over_states(&|program| self.breadth_first(program)),
            Search::Dfs => over_states(&|program| self.depth_first(program)),
            Search::Random | Search::Irs | Search::Pct | Search::Fairpct | Search::Pos => {
                self.random(new_program)
            }
        }
    }

    /// How long the search may take.
    fn time(&self) -> Option<Duration> {
        time(self.options)
    }

    /// Says what is done from now on.
    fn begin(&self, part: &str) {
        part.clone_into(&mut self.part.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// How many threads: as many as the user wants, or else as there are cores; but no more than have room.
    fn jobs(&self) -> usize {
        self.options.jobs.map_or_else(cores, usize::from).min(memory::most_threads(self.options.memory))
    }

    /// Calls a search with callbacks that watch the clock and draw the live line.
    fn with_callbacks<T>(
        &self,
        over: Over,
        time: Option<Duration>,
        search: impl FnOnce(&Callbacks<'_, FoundBug>) -> T,
    ) -> (T, Option<&'static str>) {
        let memory = Memory::new(self.options.memory, Appetite::UNKNOWN, false);
        self.with_memory(over, time, &memory, search)
    }

    /// The same, with a memory that knows more of the search.
    fn with_memory<T>(
        &self,
        over: Over,
        time: Option<Duration>,
        memory: &Memory<'_>,
        search: impl FnOnce(&Callbacks<'_, FoundBug>) -> T,
    ) -> (T, Option<&'static str>) {
        let start = Instant::now();
        let is_late = || time.is_some_and(|time| start.elapsed() >= time);
        let is_wanted = self.options.json.as_deref() != Some(Path::new("-"));
        let part = self.part.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let doing = Doing { test: self.test, part: &part, start: self.start, time: self.time() };
        let line = LiveLine::new(doing, is_wanted);
        if let Some(recorder) = self.recorder {
            recorder.begin(over);
        }
        let result = search(&Callbacks {
            should_stop: &|| {
                is_interrupted() || is_late() || memory.is_short() || self.guidance.failure().is_some()
            },
            progress: &|progress: &Progress| {
                line.show(progress);
                memory.expect(progress.growth_ahead);
                if let Some(recorder) = self.recorder {
                    recorder.progress(progress);
                }
            },
            same_bug: &is_same_bug,
            is_bound: &|bug: &FoundBug| bug.kind.is_bound(),
        });
        let stopped = match (is_interrupted(), memory.was_short()) {
            (true, _) => Some("interrupted"),
            (_, true) => Some(MEMORY_LIMIT),
            _ => is_late().then_some("time limit"),
        };
        (result, stopped)
    }
}

impl Searching<'_> {
    /// Whether some spec may never cool down again in a cycle of states.
    fn heat(&self, vm: &Vm, hot: &HotStates) -> Heat {
        let monitors = vm.program()[vm.test()].monitors.len();
        // Where paths are long each thread holds much, and more threads than cores bring nothing.
        let jobs = self.jobs().min(cores());
        let judge = |monitor| match self.heat_of(monitor, vm, hot, jobs) {
            Heat::Unknown(MEMORY_LIMIT) if jobs > 1 => self.heat_of(monitor, vm, hot, 1),
            heat => heat,
        };
        (0..monitors).map(judge).find(|heat| !matches!(heat, Heat::Passes)).unwrap_or(Heat::Passes)
    }

    /// The same of one spec, with so many threads.
    fn heat_of(&self, monitor: usize, vm: &Vm, hot: &HotStates, jobs: usize) -> Heat {
        let time = self.time().unwrap_or(Duration::from_secs_f64(DEFAULT_SECONDS));
        let memory = Memory::new(self.options.memory, Appetite::UNKNOWN, false);
        let should_stop = || is_interrupted() || self.start.elapsed() >= time || memory.is_short();
        let is_hot = |state: &State| vm.hot_monitors(state).any(|other| other == monitor);
        let is_warm = |state: &State| vm.temperature(state, monitor) != Temperature::Cold;
        let piece = |piece| hot.piece(piece, vm).filter(is_hot).collect();
        let roots = hot_cycle::Pieces { pieces: hot.pieces(), piece: &piece };
        match hot_cycle::exists(vm, roots, &is_warm, jobs, &should_stop) {
            Some(false) => Heat::Passes,
            Some(true) => Heat::MayStay,
            None if is_interrupted() => Heat::Unknown("interrupted"),
            None if memory.was_short() => Heat::Unknown(MEMORY_LIMIT),
            None if self.start.elapsed() < time => Heat::Unknown("no more states can be told apart"),
            None => Heat::Unknown("time limit"),
        }
    }
}

/// How many threads can run at a time.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

const MEMORY_LIMIT: &str = "memory limit";

/// What is known of hot states once every state was visited.
enum Heat {
    /// Each is followed by a cold one.
    Passes,
    /// There is a cycle in which a spec stays hot.
    MayStay,
    /// This ended the looking for such a cycle.
    Unknown(&'static str),
}

/// What was not looked at, because a run came to a bound.
fn beyond(bound_met: Option<&Found<FoundBug>>) -> String {
    bound_met.map_or(String::new(), |bound| format!("; not followed where {}", bound.bug.message))
}

fn reason(stopped: Option<&str>) -> String {
    stopped.map_or(String::new(), |stopped| format!("; {stopped}"))
}

/// Whether two bugs are one, found twice.
fn is_same_bug(one: &FoundBug, other: &FoundBug) -> bool {
    one.kind == other.kind && one.span == other.span && one.state == other.state
}
