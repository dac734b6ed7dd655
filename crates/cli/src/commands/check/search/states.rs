//! Searches over states.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fabius_explore::{Explorer, Preemption};
use fabius_lang::source::{counted, separated};
use fabius_search::exhaustive::stratified::{self, Cache, Cost, Frontier, Limits, Report};
use fabius_search::exhaustive::{breadth_first, depth_bounded, depth_first};
use fabius_search::{Found, StopReason};
use fabius_vm::State;

use super::super::watch::Checked;
use super::novelty::Novelty;
use super::visited::{novel_set, visited_set};
use super::{Conclusion, Searching, beyond, reason, value_name};
use crate::arguments::{CostName, DataChoices, WhenFull};
use crate::program::FoundBug;

/// Why a test whose every state was visited is still not verified.
const NOT_JUDGED: &str = "; not verified: a spec could stay hot for ever in a cycle, and whether a fair scheduler would leave it is not judged";

/// By how many steps iterations of depth bounding go deeper.
const DEPTH_INCREMENT: u64 = 10;

/// What an exhaustive search came to, and what it left.
pub(super) struct Exhaustive {
    pub(super) conclusion: Conclusion,
    pub(super) frontier: Frontier,
}

/// The names of strata in sentences.
struct Words<'a> {
    explorer: &'a str,
    /// In the plural.
    unit: &'a str,
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

    pub(super) fn exhaustive<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        limits: &Limits,
        time: Option<Duration>,
    ) -> Exhaustive {
        let explorer_name = self.options.explorer.to_string();
        let unit = value_name(&self.options.cost);
        let words = Words { explorer: &explorer_name, unit: &unit };
        self.stratified(program, explorer, limits, time, &words)
    }

    pub(super) fn preemption_bounded<P: Checked>(&self, program: &P) -> Conclusion {
        let limits = Limits { cost: Cost::Deviations, free_data: true, ..self.strata() };
        let words = Words { explorer: "pb", unit: "preemptions" };
        self.stratified(program, &Preemption::new(), &limits, self.time(), &words).conclusion
    }

    fn stratified<P: Checked, E: Explorer>(
        &self,
        program: &P,
        explorer: &E,
        limits: &Limits,
        time: Option<Duration>,
        words: &Words<'_>,
    ) -> Exhaustive {
        let hot = Hot::default();
        let ((report, frontier), stopped) = self.with_callbacks(time, |callbacks| {
            stratified::run(program, explorer, limits, callbacks, &|state| hot.keep(program, state))
        });
        let covered = covered(&report, limits, words, stopped);
        let conclusion = Conclusion {
            guarantee: covered,
            steps: report.transitions,
            states: Some(report.states),
            stored: Some(report.strata.iter().map(|stratum| stratum.states).sum()),
            transitions: Some(report.transitions),
            delays: report.bug_delays.or(report.finished.checked_sub(1)),
            depth: report.depth,
            bugs: report.bugs,
            ..Conclusion::default()
        };
        let conclusion =
            self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), &hot.into_states());
        Exhaustive { conclusion, frontier }
    }

    /// A search that has ended because nothing is left has verified the program, unless it has found a bug, did not follow
    /// all runs, or a spec could stay hot for ever.
    fn judge<P: Checked>(
        &self,
        program: &P,
        mut conclusion: Conclusion,
        stop: StopReason,
        bound_met: Option<&Found<FoundBug>>,
        hot: &[State],
    ) -> Conclusion {
        conclusion.guarantee.push_str(&beyond(bound_met));
        let is_all = stop == StopReason::Exhausted && bound_met.is_none();
        conclusion.is_exhausted = is_all && conclusion.bugs.is_empty();
        let is_sure = conclusion.is_exhausted && conclusion.omission == 0.0;
        conclusion.is_verified = is_sure && !self.may_stay_hot(program.vm(), hot);
        if is_sure && !conclusion.is_verified {
            conclusion.guarantee.push_str(NOT_JUDGED);
        }
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
        let hot = Hot::default();
        let (report, stopped) = self.with_callbacks(self.time(), |callbacks| {
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
        let hot = Hot::default();
        let order = breadth_first::Order::BreadthFirst;
        let (report, stopped) = self.with_callbacks(self.time(), |callbacks| {
            breadth_first::run(program, order, &limits, callbacks, &mut |state| hot.keep(program, state))
        });
        let conclusion = Conclusion {
            guarantee: visited(report.states, report.stop, report.bound_met.as_ref(), stopped),
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            depth: report.depth,
            bugs: report.bugs,
            ..Conclusion::default()
        };
        self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), &hot.into_states())
    }

    pub(super) fn depth_first<P: Checked>(&self, program: &P) -> Conclusion {
        let options = self.options;
        let limits = depth_first::Limits {
            states: options.states.unwrap_or(u64::MAX),
            bugs: options.bugs.into(),
            jobs: self.jobs(),
        };
        let mut set = visited_set(options);
        let hot = Hot::default();
        // Whether a spec can stay hot is judged by states of the virtual machine that remembers.
        let novelty = Novelty::new(!program.vm().can_be_hot());
        let (report, stopped) = self.with_callbacks(self.time(), |callbacks| {
            let report = novelty.watch(program.vm(), callbacks, |callbacks| {
                depth_first::run(program, &*set, &limits, callbacks, &|state| hot.keep(program, state))
            });
            if !novelty.is_lasting() || report.stop != StopReason::Asked {
                return report;
            }
            self.ends.clear();
            set = novel_set(options);
            depth_first::run(&program.walked(), &*set, &limits, callbacks, &|_| {})
        });
        let mut guarantee = visited(report.states, report.stop, report.bound_met.as_ref(), stopped);
        guarantee.push_str(&overlooked(report.omission));
        let conclusion = Conclusion {
            guarantee,
            omission: report.omission,
            store_bytes: Some(set.bytes() as u64),
            steps: report.transitions,
            states: Some(report.states),
            transitions: Some(report.transitions),
            depth: report.depth,
            bugs: report.bugs,
            ..Conclusion::default()
        };
        self.judge(program, conclusion, report.stop, report.bound_met.as_ref(), &hot.into_states())
    }
}

/// What a plain search has seen.
fn visited(
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

/// That states may have been missed, and how probable it is.
fn overlooked(omission: f64) -> String {
    match omission {
        0.0 => String::new(),
        certain if certain >= 0.5 => {
            "; states were probably missed (give --memory more, or use --store exact)".into()
        }
        rare => format!("; the probability that a state was missed is at most {rare:.1e}"),
    }
}

/// The states in which a spec is hot, as threads meet them.
#[derive(Default)]
struct Hot(Mutex<Vec<State>>);

impl Hot {
    /// Keeps a state in which a spec is hot.
    fn keep<P: Checked>(&self, program: &P, state: &P::State) {
        let state = P::plain(state);
        if program.vm().hot_monitors(state).next().is_some() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(state.clone());
        }
    }

    fn into_states(self) -> Vec<State> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a search covered, in a line.
fn covered(
    report: &Report<FoundBug>,
    limits: &Limits,
    words: &Words<'_>,
    stopped: Option<&'static str>,
) -> String {
    let Words { explorer, unit } = words;
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
    let covered = match report.finished {
        0 => format!("{states}{visited}, no stratum finished ({explorer})"),
        finished if report.strict => {
            format!("all runs with at most {} {unit} (strict, {explorer}); {states}", finished - 1)
        }
        finished => format!("{states}{visited}, strata 0 to {} finished ({explorer})", finished - 1),
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
