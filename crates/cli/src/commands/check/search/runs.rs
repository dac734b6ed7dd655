//! Searches over runs: random ones, and samples of strata.

use std::num::NonZero;
use std::time::Duration;

use fabius_explore::{Explorer, Strategy};
use fabius_lang::source::{counted, separated};
use fabius_search::StopReason;
use fabius_search::sampling::random;
use fabius_search::sampling::stratified::{self as sampling, Start, Stratum};

use super::super::stats::{Measured, Over};
use super::super::watch::Checked;
use super::{Conclusion, DEFAULT_SCHEDULES, Searching, beyond, name, reason, strategy};
use crate::arguments::Search;
use crate::program::FoundBug;

/// By how many steps runs of iterative random search become longer. Many tests end within 100 steps; an increment of that
/// size would cut none of their runs off, and leave plain random search.
const IRS_INCREMENT: u64 = 10;

impl Searching<'_> {
    pub(super) fn random<P: Checked>(&self, new_program: &dyn Fn() -> P) -> Conclusion {
        let options = self.options;
        let default = if options.timeout.is_some() { u64::MAX } else { DEFAULT_SCHEDULES };
        let schedules = options.schedules.unwrap_or(default);
        self.schedules(new_program, strategy(options), schedules, self.time())
    }

    /// Runs of a scheduler.
    pub(super) fn schedules<P: Checked>(
        &self,
        new_program: &dyn Fn() -> P,
        strategy: Strategy,
        schedules: u64,
        time: Option<Duration>,
    ) -> Conclusion {
        let options = self.options;
        let limits = random::Limits {
            schedules,
            max_steps: options.max_steps,
            increment: (options.search == Search::Irs)
                .then(|| options.increment.map_or(IRS_INCREMENT, NonZero::get)),
            seed: options.seed,
            jobs: self.jobs(),
            bugs: options.bugs.into(),
            ..random::Limits::default()
        };
        let (report, stopped) = self.with_callbacks(Over::Runs, time, |callbacks| {
            // Who counts asks the virtual machine; without counting, walking is faster.
            match &self.recorder {
                Some(_) => random::run(new_program, || strategy.scheduler(), &limits, callbacks),
                None => random::run(|| new_program().walked(), || strategy.scheduler(), &limits, callbacks),
            }
        });
        let cut = report.cut_by_steps + report.cut_by_memory;
        let bound = match (cut, report.cut_by_memory) {
            _ if report.runs == 0 => "the first did not end in time".to_owned(),
            (0, _) => "each to its end".to_owned(),
            (cut, 0) if options.search == Search::Irs => {
                format!("{} cut off at bounds that grow", separated(cut))
            }
            (cut, 0) => format!("{} cut off at {}", separated(cut), counted(report.max_steps, "step")),
            (cut, memory) => {
                format!("{} cut off, {} of them for what they hold", separated(cut), separated(memory))
            }
        };
        let stopped = stopped.filter(|_| report.stop == StopReason::Asked);
        Conclusion {
            is_incomplete: report.bugs.is_empty() && (report.runs == 0 || is_early(stopped)),
            guarantee: format!(
                "{} ({}), {bound}{}{}",
                counted(report.runs, "schedule"),
                name(options),
                beyond(report.bound_met.as_ref()),
                reason(stopped)
            ),
            schedules: report.runs,
            steps: report.steps,
            depth: report.longest,
            cut,
            is_fair: strategy.is_fair(),
            measured: self.measured_runs(report.steps),
            bugs: report.bugs,
            ..Conclusion::default()
        }
    }

    pub(super) fn sampling<P: Checked, E: Explorer>(
        &self,
        new_program: &dyn Fn() -> P,
        explorer: &E,
    ) -> Conclusion {
        let limits = self.samples();
        let (report, stopped) = self.with_callbacks(Over::Runs, self.time(), |callbacks| {
            sampling::run(new_program, explorer, Start::Initial, &limits, callbacks)
        });
        let stopped = stopped.filter(|_| report.stop == StopReason::Asked);
        let samples = counted(report.samples, "sampled run");
        let deepest = match report.delays() {
            None if report.bugs.is_empty() => ", the first not to its end".to_owned(),
            None | Some(0) => String::new(),
            Some(delays) => format!(", with up to {}", counted(delays, "delay")),
        };
        let missed = missed(&report.strata, "delay");
        let end =
            if report.stop == StopReason::Exhausted { "; none could be delayed more often" } else { "" };
        Conclusion {
            is_incomplete: is_incomplete(&report, stopped),
            guarantee: format!(
                "{samples} ({}){deepest}{missed}{}{end}{}",
                self.options.explorer,
                beyond(report.bound_met.as_ref()),
                reason(stopped)
            ),
            measured: self.measured_runs(report.steps),
            ..sampled(report)
        }
    }

    /// What was counted of a search over runs that has just ended.
    pub(super) fn measured_runs(&self, steps: u64) -> Vec<Measured> {
        self.recorder.map(|recorder| recorder.end_over_runs(steps)).into_iter().collect()
    }

    /// How runs are sampled.
    pub(super) fn samples(&self) -> sampling::Limits {
        let options = self.options;
        sampling::Limits {
            delays: options.delays.unwrap_or(u32::MAX),
            max_steps: usize::try_from(options.max_steps).unwrap_or(usize::MAX),
            seed: options.seed,
            jobs: self.jobs(),
            bugs: options.bugs.into(),
            samples: options.schedules.unwrap_or(u64::MAX),
            ..sampling::Limits::default()
        }
    }
}

/// Whether a search over runs came to less than was asked for. Time is what it is given, so that is no reason.
pub(super) fn is_early(stopped: Option<&str>) -> bool {
    stopped.is_some_and(|stopped| stopped != "time limit")
}

/// The same for samples, of which at least one must have come to its end.
fn is_incomplete(report: &sampling::Report<FoundBug>, stopped: Option<&str>) -> bool {
    report.bugs.is_empty() && (report.strata.is_empty() || is_early(stopped))
}

/// What sampling came to, apart from what it may claim.
pub(super) fn sampled(report: sampling::Report<FoundBug>) -> Conclusion {
    Conclusion {
        schedules: report.samples,
        steps: report.steps,
        delays: report.delays(),
        depth: report.longest,
        cut: report.strata.iter().map(|stratum| stratum.cut).sum(),
        bugs: report.bugs,
        ..Conclusion::default()
    }
}

/// The last stratum about which something can be said: how likely a given run of it was missed. Of runs that were cut off, by
/// the bound on steps or by one of the program, only the beginning was seen.
pub(super) fn missed(strata: &[Stratum], delay: &str) -> String {
    let cut = match strata.iter().map(|stratum| stratum.cut).sum::<u64>() {
        0 => String::new(),
        cut => format!("; {} cut off at `--max-steps` or a bound", separated(cut)),
    };
    // Where no run came to its end, nothing is known of those that do.
    let is_told = |stratum: &Stratum| stratum.miss <= 0.5 && stratum.cut < stratum.samples;
    let told = strata.iter().enumerate().skip(1).rfind(|(_, stratum)| is_told(stratum));
    let missed = told.map_or(String::new(), |(delays, stratum)| {
        format!(
            "; a given run with {}, at no more than {}{}, was missed with probability at most {:.2} %",
            counted(delays as u64, delay),
            counted(stratum.positions, "place"),
            if stratum.cut > 0 { " and not cut off" } else { "" },
            (stratum.miss * 100.0).max(0.01)
        )
    });
    format!("{cut}{missed}")
}
