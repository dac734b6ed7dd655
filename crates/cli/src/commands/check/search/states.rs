//! Searches over states.

use std::num::NonZero;
use std::time::{Duration, Instant};

use fabius_explore::{Explorer, Preemption};
use fabius_lang::source::{counted, separated};
use fabius_search::exhaustive::stratified::{self, Cache, Cost, Frontier, Limits, Report};
use fabius_search::exhaustive::{breadth_first, depth_bounded};
use fabius_search::{Found, StopReason};
use fabius_vm::Vm;

use super::super::memory::{Appetite, Memory};
use super::super::stats::{Estimate, Over, estimate};
use super::super::watch::Checked;
use super::hot::HotStates;
use super::novelty::{Anew, Novelty};
use super::{Conclusion, Heat, Levels, Searching, beyond, reason};
use crate::arguments::{CostName, DataChoices, WhenFull};
use crate::program::FoundBug;

/// Why a test whose every state was visited is still not verified.
const NOT_JUDGED: &str = "; not verified: a spec could stay hot for ever in a cycle, and whether a fair scheduler would leave it is not judged";

/// A search for so many states ends before it pays to begin it anew without memory.
const FEW_STATES: u64 = 1 << 16;

/// By how many steps iterations of depth bounding go deeper.
const DEPTH_INCREMENT: u64 = 10;

/// What an exhaustive search came to, and what it left.
pub(super) struct Exhaustive {
    pub(super) conclusion: Conclusion,
    pub(super) frontier: Frontier,
}

/// What a search may have.
#[derive(Clone, Copy)]
pub(super) struct Allowance {
    pub(super) time: Option<Duration>,
    /// Whether something comes after it that needs memory, too.
    pub(super) leaves_memory: bool,
}

/// The names of strata in sentences.
struct Words<'a> {
    explorer: &'a str,
    /// What they are counted in.
    unit: &'a str,
    /// What is not counted, if anything.
    free: &'a str,
}

impl Searching<'_> {
    /// How strata are searched.
    pub(super) fn strata(&self) -> Limits {
        let options = self.options;
        Limits {
            delays: options.delays.map_or(u64::MAX, u64::from),
            states: options.states.unwrap_or(u64::MAX),
            bugs: options.bugs.into(),
            jobs: self.jobs(),
            strict: options.strict,
            cost: match options.cost {
                CostName::Delays => Cost::Delays,
                CostName::Deviations => Cost::Deviations,
            },
            free_data: options.data_choices == DataChoices::Free,
            cache: match (options.cache, options.cache_full) {
                (None, _) => Cache::Unlimited,
                (Some(states), WhenFull::Keep) => Cache::Keep { states },
                (Some(states), WhenFull::Replace) => Cache::Replace { states },
            },
        }
    }

    /// All that the user allows.
    pub(super) fn whole_allowance(&self) -> Allowance {
        Allowance { time: self.time(), leaves_memory: false }
    }

    pub(super) fn exhaustive<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        limits: &Limits,
        allowance: Allowance,
    ) -> Exhaustive {
        let explorer_name = self.options.explorer.to_string();
        let unit = self.options.cost.singular();
        let free = if limits.free_data { " and any choices of data" } else { "" };
        let words = Words { explorer: &explorer_name, unit, free };
        self.stratified(program, explorer, limits, allowance, &words)
    }

    pub(super) fn preemption_bounded<P: Checked>(&self, program: &P) -> Conclusion {
        let limits = Limits { cost: Cost::Deviations, free_data: true, ..self.strata() };
        let words = Words { explorer: "pb", unit: "preemption", free: "" };
        self.stratified(program, &Preemption::new(), &limits, self.whole_allowance(), &words).conclusion
    }

    fn stratified<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        limits: &Limits,
        allowance: Allowance,
        words: &Words<'_>,
    ) -> Exhaustive {
        let start = Instant::now();
        let may_walk = self.may_walk_strata(program.vm(), limits);
        let novelty = Novelty::new(if may_walk { Anew::Predictably } else { Anew::Never });
        let hot = self.hot();
        let growth_ahead = || program.growth_ahead();
        let memory = Memory::new(
            self.options.memory,
            Appetite { growth_ahead: &growth_ahead, economise: None },
            allowance.leaves_memory,
        );
        let ((report, frontier), stopped) =
            self.with_memory(Over::States, allowance.time, &memory, |callbacks| {
                novelty.watch(program.vm(), callbacks, |callbacks| {
                    stratified::run(program, explorer, limits, callbacks, &|state| hot.keep(program, state))
                })
            });
        if novelty.is_lasting() && report.stop == StopReason::Asked && stopped.is_none() {
            drop(frontier);
            let time = allowance.time.map(|time| time.saturating_sub(start.elapsed()));
            return self.walk_strata(program, explorer, limits, Allowance { time, ..allowance }, words);
        }
        let conclusion = strata_conclusion(&report, limits, words, stopped);
        self.conclude_strata(program, (report, conclusion, frontier), &hot.into_states())
    }

    /// Whether a search of strata may go on with a program that remembers no moves. A first look ends before that pays, and
    /// where explorers' states are stored too, or few states, nothing is gained.
    fn may_walk_strata(&self, vm: &Vm, limits: &Limits) -> bool {
        let stores_states = !limits.strict && limits.cache == Cache::Unlimited;
        self.may_walk(vm) && stores_states && limits.states > FEW_STATES
    }

    /// The search from its beginning, with a program that remembers no moves.
    fn walk_strata<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        limits: &Limits,
        allowance: Allowance,
        words: &Words<'_>,
    ) -> Exhaustive {
        self.ends.clear();
        let walked = program.walked();
        let memory = Memory::new(self.options.memory, Appetite::UNKNOWN, allowance.leaves_memory);
        let ((report, frontier), stopped) =
            self.with_memory(Over::States, allowance.time, &memory, |callbacks| {
                stratified::run(&walked, explorer, limits, callbacks, &|_| {})
            });
        let conclusion = strata_conclusion(&report, limits, words, stopped);
        self.conclude_strata(program, (report, conclusion, frontier), &HotStates::default())
    }

    fn conclude_strata<P: Checked>(
        &self,
        program: &P,
        (report, conclusion, frontier): (Report<FoundBug>, Conclusion, Frontier),
        hot: &HotStates,
    ) -> Exhaustive {
        let conclusion = Conclusion { bugs: report.bugs, ..conclusion };
        let conclusion = self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), hot);
        Exhaustive { conclusion, frontier }
    }

    /// A search that has ended because nothing is left has verified the program, unless it has found a bug, did not follow
    /// all runs, or a spec could stay hot for ever.
    pub(super) fn judge<P: Checked>(
        &self,
        program: &P,
        mut conclusion: Conclusion,
        stop: StopReason,
        bound_met: Option<&Found<FoundBug>>,
        hot: &HotStates,
    ) -> Conclusion {
        if let (Some(recorder), Some(states)) = (self.recorder, conclusion.states) {
            conclusion.measured = vec![recorder.end_over_states(program.vm(), states, conclusion.steps)];
        }
        if !matches!(stop, StopReason::Exhausted | StopReason::BugsFound) {
            conclusion.estimate = conclusion.levels.as_ref().and_then(Levels::estimate);
        }
        conclusion.guarantee.push_str(&beyond(bound_met));
        let is_all = stop == StopReason::Exhausted && bound_met.is_none();
        let is_cut = matches!(stop, StopReason::Asked | StopReason::StateLimit | StopReason::SetFull);
        conclusion.is_incomplete = conclusion.bugs.is_empty() && (is_cut || bound_met.is_some());
        conclusion.is_exhausted = is_all && conclusion.bugs.is_empty();
        let is_sure = conclusion.is_exhausted && conclusion.omission == 0.0;
        if is_sure {
            match self.heat(program.vm(), hot) {
                Heat::Passes => conclusion.is_verified = true,
                Heat::MayStay => conclusion.guarantee.push_str(NOT_JUDGED),
                Heat::Unknown(limit) => {
                    conclusion.is_incomplete = true;
                    let left = format!("; {limit} before it was known whether a spec can stay hot for ever");
                    conclusion.guarantee.push_str(&left);
                }
            }
        }
        conclusion.is_heat_open = !is_sure && program.vm().can_be_hot();
        conclusion
    }

    pub(super) fn depth_bounded<P: Checked>(&self, program: &P) -> Conclusion {
        let options = self.options;
        let limits = depth_bounded::Limits {
            increment: options.increment.map_or(DEPTH_INCREMENT, NonZero::get),
            states: options.states.unwrap_or(u64::MAX),
            bugs: options.bugs.into(),
            seed: options.seed,
            ..depth_bounded::Limits::default()
        };
        let hot = self.hot();
        let (report, stopped) = self.with_callbacks(Over::States, self.time(), |callbacks| {
            depth_bounded::run(program, &limits, callbacks, &mut |state| hot.keep(program, state))
        });
        let states = counted(report.states, "state");
        let bound = separated(report.bound);
        let conclusion = Conclusion {
            guarantee: match report.stop {
                StopReason::Exhausted if report.bound_met.is_none() => {
                    format!("{states}, every schedule and choice")
                }
                stop => format!("{states} visited, to a depth of {bound}{}", reason(why(stop, stopped))),
            },
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            depth: report.bound,
            levels: Some(Levels::but_the_last("bound", report.iterations)),
            bugs: report.bugs,
            ..Conclusion::default()
        };
        self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), &hot.into_states())
    }

    pub(super) fn breadth_first<P: Checked>(&self, program: &P) -> Conclusion {
        let options = self.options;
        let limits = breadth_first::Limits {
            states: options.states.unwrap_or(u64::MAX),
            depth: u64::MAX,
            bugs: options.bugs.into(),
        };
        let hot = self.hot();
        let order = breadth_first::Order::BreadthFirst;
        let (report, stopped) = self.with_callbacks(Over::States, self.time(), |callbacks| {
            breadth_first::run(program, order, &limits, callbacks, &mut |state| hot.keep(program, state))
        });
        let conclusion = Conclusion {
            guarantee: visited(report.states, report.stop, report.bound_met.as_ref(), stopped),
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            depth: report.depth,
            // What follows the last level that was expanded is not complete either.
            levels: Some(Levels::but_the_last("depth", report.levels)),
            bugs: report.bugs,
            ..Conclusion::default()
        };
        self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), &hot.into_states())
    }
}

impl Levels {
    /// Levels of which the last is not finished.
    fn but_the_last(by: &'static str, states: Vec<u64>) -> Self {
        Self { by, finished: Some(states.len().saturating_sub(1)), states }
    }

    fn estimate(&self) -> Option<Estimate> {
        let (finished, begun) = self.states.split_at_checked(self.finished?)?;
        estimate(finished, begun.iter().sum())
    }
}

/// What a search of strata came to, but for its bugs.
fn strata_conclusion(
    report: &Report<FoundBug>,
    limits: &Limits,
    words: &Words<'_>,
    stopped: Option<&'static str>,
) -> Conclusion {
    Conclusion {
        guarantee: covered(report, limits, words, stopped),
        steps: report.transitions,
        states: Some(report.states),
        stored: Some(report.strata.iter().map(|stratum| stratum.states).sum()),
        transitions: Some(report.transitions),
        delays: report.bug_delays.or(report.finished.checked_sub(1)),
        depth: report.depth,
        levels: Some(Levels {
            by: "stratum",
            states: report.strata.iter().map(|stratum| stratum.states).collect(),
            // Pairs with explorers' states, or visits, are not states.
            finished: (!limits.strict && limits.cache == Cache::Unlimited)
                .then_some(report.finished as usize),
        }),
        ..Conclusion::default()
    }
}

/// What a plain search has seen.
pub(super) fn visited(
    states: u64,
    stop: StopReason,
    bound_met: Option<&Found<FoundBug>>,
    stopped: Option<&'static str>,
) -> String {
    let states = counted(states, "state");
    match stop {
        StopReason::Exhausted if bound_met.is_none() => format!("{states}, every schedule and choice"),
        stop => format!("{states} visited{}", reason(why(stop, stopped))),
    }
}

/// What a search covered, in a line.
fn covered(
    report: &Report<FoundBug>,
    limits: &Limits,
    words: &Words<'_>,
    stopped: Option<&'static str>,
) -> String {
    let Words { explorer, unit, free } = words;
    let states = match limits.cache {
        Cache::Unlimited => counted(report.states, "state"),
        _ => format!("{} to states, some perhaps repeated", counted(report.states, "visit")),
    };
    match (report.stop, &report.bound_met) {
        (StopReason::Exhausted, None) => return format!("{states}, every schedule and choice"),
        (StopReason::Exhausted, Some(_)) if limits.cache == Cache::Unlimited => {
            return format!("{states} visited");
        }
        (StopReason::Exhausted, Some(_)) => return states,
        _ => {}
    }
    let visited = if limits.cache == Cache::Unlimited { " visited" } else { "" };
    let covered = match report.finished.checked_sub(1) {
        None => format!("{states}{visited}, no stratum finished ({explorer})"),
        Some(last) => {
            let most = if last == 0 { "" } else { "at most " };
            let runs = format!("runs with {most}{}{free}", counted(last, unit));
            let strata = if last == 0 { "stratum 0".into() } else { format!("strata 0 to {last}") };
            match report.strict {
                true if report.bound_met.is_some() => {
                    format!("all {runs}, as far as they were followed (strict, {explorer}); {states}")
                }
                true => format!("all {runs} (strict, {explorer}); {states}"),
                false => format!(
                    "{states}{visited}, {strata} finished ({explorer}), which need not be all {runs} (--strict covers those)"
                ),
            }
        }
    };
    format!("{covered}{}", reason(why(report.stop, stopped)))
}

/// Why a search ended before its end, if the user should know.
fn why(stop: StopReason, stopped: Option<&'static str>) -> Option<&'static str> {
    match stop {
        StopReason::StateLimit => Some("limit on states"),
        StopReason::SetFull => Some("no room for more states"),
        StopReason::Asked => stopped,
        _ => None,
    }
}
