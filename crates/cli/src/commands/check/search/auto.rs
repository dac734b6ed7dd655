//! The default search: strata exhaustively, as far as time and memory allow; then samples beyond.
//!
//! No strategy is the best everywhere, so several have a say. First each explorer looks at a few thousand states, and some
//! hundred random schedules are run, which ends most searches for shallow bugs and all searches of small programs. Then the
//! strata of the one that was asked for are searched for half of the time and with most of the memory. In the other half
//! runs are sampled, stratum after stratum: with that explorer from the frontier of the strata, with the others from the
//! start. All of it uses all cores, and what it finds does not depend on how many there are, except where a time ends.

use std::time::{Duration, Instant};

use fabius_explore::{Explorer, RandomOrder, RoundRobin, RunToCompletion, Strategy};
use fabius_lang::source::counted;
use fabius_search::exhaustive::stratified::{Cache, Frontier, Limits};
use fabius_search::sampling::stratified::{self as sampling, Sampler, Start};

use super::super::explorers::{AnyExplorer, Strategist};
use super::super::memory::{Appetite, Memory};
use super::super::stats::Over;
use super::super::watch::Checked;
use super::super::{is_interrupted, memory};
use super::runs::{is_early, missed, sampled};
use super::states::Allowance;
use super::{Conclusion, Searching, beyond, reason};
use crate::arguments::ExplorerName;
use crate::program::FoundBug;

/// How many states the explorers look at first.
const FIRST_LOOK: u64 = 20_000;
/// How many random schedules are run first.
const FIRST_SCHEDULES: u64 = 500;
/// What the program of one sampler and thread may hold at most: there are several of each.
const SAMPLER_MEMORY: u64 = 64 << 20;
/// What a sampler has for each step of a run, in bytes, roughly (an estimate: it follows from the program and the explorer).
/// It takes as much at once when its list of them grows.
const OF_STEP: usize = 192;

impl Searching<'_> {
    pub(super) fn auto<P: Checked, E: Explorer>(
        &self,
        new_program: &dyn Fn() -> P,
        explorer: &E,
    ) -> Conclusion {
        let start = Instant::now();
        let left = |share: u32| self.time().map(|time| time.saturating_sub(start.elapsed()) / share);
        let allowance = |share: u32| Allowance { time: left(share), leaves_memory: true };
        let limits = self.strata();
        let is_done = |conclusion: &Conclusion| {
            conclusion.is_exhausted || !conclusion.bugs.is_empty() || is_interrupted()
        };
        let look = Limits { states: limits.states.min(FIRST_LOOK), cache: Cache::Unlimited, ..limits };
        self.begin(&format!("a first look with {}", self.options.explorer));
        let first = self.exhaustive(&new_program(), explorer, &look, allowance(8)).conclusion;
        if is_done(&first) {
            return first;
        }
        let others = self.others();
        for other in &others {
            self.begin(&format!("a first look with {}", other.name));
            let found = self.exhaustive(&new_program(), &other.explorer, &look, allowance(8)).conclusion;
            if !found.bugs.is_empty() {
                return Conclusion { explained_by: Some(other.clone()), ..found };
            }
        }
        self.begin("a first look at random");
        let random = self.schedules(new_program, Strategy::Random, FIRST_SCHEDULES, left(8));
        if !random.bugs.is_empty() {
            return Conclusion { explained_by: Some(Strategist::rtc()), ..random };
        }
        self.begin("all states, few delays first, for half of the time");
        let deep = self.exhaustive(&new_program(), explorer, &limits, allowance(2));
        // Without a frontier, what is left lies behind a bound.
        if is_done(&deep.conclusion) || deep.frontier.is_empty() {
            return deep.conclusion;
        }
        self.begin("samples of what is beyond");
        let beyond = (&deep.frontier, deep.conclusion.depth);
        let samples = self.sample_beyond(new_program, explorer, beyond, &others, left(1));
        Conclusion {
            guarantee: both(&deep.conclusion.guarantee, &samples.guarantee),
            is_incomplete: (deep.conclusion.is_incomplete || samples.is_incomplete)
                && samples.bugs.is_empty(),
            is_heat_open: deep.conclusion.is_heat_open,
            states: deep.conclusion.states,
            transitions: deep.conclusion.transitions,
            delays: samples.delays.max(deep.conclusion.delays),
            depth: samples.depth.max(deep.conclusion.depth),
            levels: deep.conclusion.levels,
            estimate: deep.conclusion.estimate,
            measured: [deep.conclusion.measured, samples.measured].concat(),
            ..samples
        }
    }

    /// The built-in explorers that are not the one asked for. A strategy of the user's own stays alone.
    fn others(&self) -> Vec<Strategist> {
        let seed = self.options.seed;
        let asked = &self.options.explorer;
        if matches!(asked, ExplorerName::Order(_) | ExplorerName::Script(_)) {
            return Vec::new();
        }
        let all = [
            (ExplorerName::Rtc, AnyExplorer::RunToCompletion(RunToCompletion::new())),
            (ExplorerName::Rr, AnyExplorer::RoundRobin(RoundRobin::new())),
            (ExplorerName::Prr, AnyExplorer::RoundRobin(RoundRobin::probabilistic(seed))),
            (ExplorerName::Random, AnyExplorer::RandomOrder(RandomOrder::new(seed))),
        ];
        let others = all.into_iter().filter(|(name, _)| name != asked);
        others.map(|(name, explorer)| Strategist { explorer, name: name.to_string() }).collect()
    }

    /// Samples from a frontier, to which so many steps lead.
    fn sample_beyond<P: Checked, E: Explorer>(
        &self,
        new_program: &dyn Fn() -> P,
        explorer: &E,
        (frontier, depth): (&Frontier, u64),
        others: &[Strategist],
        time: Option<Duration>,
    ) -> Conclusion {
        let limits = self.samples();
        let programs = ((1 + others.len()) * limits.jobs) as u64;
        let room = memory::left(self.options.memory).map_or(u64::MAX, |left| left / programs);
        let limits = sampling::Limits { memory: room.min(SAMPLER_MEMORY) as usize, ..limits };
        let growth_ahead = || depth as usize * OF_STEP;
        let appetite = Appetite { growth_ahead: &growth_ahead, economise: None };
        let memory = Memory::new(self.options.memory, appetite, false);
        let ((from_frontier, from_start), stopped) =
            self.with_memory(Over::Runs, time, &memory, |callbacks| {
                let start = Start::Frontier(frontier);
                let mut first = Sampler::new(new_program, explorer, start, &limits, callbacks);
                let mut rest: Vec<Sampler<'_, P, AnyExplorer>> = others
                    .iter()
                    .map(|other| {
                        Sampler::new(new_program, &other.explorer, Start::Initial, &limits, callbacks)
                    })
                    .collect();
                take_turns(&mut first, &mut rest, callbacks.should_stop);
                let reports: Vec<_> = rest.into_iter().map(Sampler::report).collect();
                (first.report(), reports)
            });
        let mut who = vec![self.options.explorer.to_string()];
        who.extend(others.iter().map(|other| other.name.clone()));
        let all = || [&from_frontier].into_iter().chain(&from_start);
        let samples = all().map(|report| report.samples).sum();
        let steps = all().map(|report| report.steps).sum();
        let depth = all().map(|report| report.longest).max().unwrap_or(0);
        let cut = all().flat_map(|report| &report.strata).map(|stratum| stratum.cut).sum();
        let guarantee = format!(
            "{} ({}){}{}{}",
            counted(samples, "sampled run"),
            who.join(", "),
            missed(&from_frontier.strata, "further delay"),
            beyond(all().find_map(|report| report.bound_met.as_ref())),
            reason(stopped)
        );
        let (report, explained_by) = first_with_bug(from_frontier, from_start, others);
        let measured = self.measured_runs(steps);
        Conclusion {
            is_incomplete: is_early(stopped),
            guarantee,
            schedules: samples,
            steps,
            depth,
            cut,
            explained_by,
            measured,
            ..sampled(report)
        }
    }
}

/// What two parts have covered, one after the other. The time that ends both is told once.
fn both(first: &str, then: &str) -> String {
    let time = reason(Some("time limit"));
    let first = if then.ends_with(&time) { first.strip_suffix(&time).unwrap_or(first) } else { first };
    format!("{first}; then {then}")
}

/// Lets each sampler have its next stratum, until one finds a bug or all have ended.
fn take_turns<P: Checked, E: Explorer>(
    first: &mut Sampler<'_, P, E>,
    rest: &mut [Sampler<'_, P, AnyExplorer>],
    should_stop: &dyn Fn() -> bool,
) {
    loop {
        let mut goes_on = false;
        if !first.has_ended() {
            goes_on |= first.sample_stratum();
        }
        for sampler in rest.iter_mut() {
            if first.has_bug() || should_stop() {
                return;
            }
            if !sampler.has_ended() {
                goes_on |= sampler.sample_stratum();
            }
            if sampler.has_bug() {
                return;
            }
        }
        if !goes_on || first.has_bug() {
            return;
        }
    }
}

/// The report with a bug in it, and who found that; otherwise the first.
fn first_with_bug(
    from_frontier: sampling::Report<FoundBug>,
    from_start: Vec<sampling::Report<FoundBug>>,
    others: &[Strategist],
) -> (sampling::Report<FoundBug>, Option<Strategist>) {
    if !from_frontier.bugs.is_empty() {
        return (from_frontier, None);
    }
    let found = from_start.into_iter().zip(others).find(|(report, _)| !report.bugs.is_empty());
    match found {
        Some((report, who)) => (report, Some(who.clone())),
        None => (from_frontier, None),
    }
}

#[cfg(test)]
mod tests {
    use super::both;

    #[test]
    fn the_time_that_ends_both_parts_is_told_once() {
        assert_eq!(both("5 states; time limit", "2 runs; time limit"), "5 states; then 2 runs; time limit");
        assert_eq!(both("5 states; time limit", "2 runs"), "5 states; time limit; then 2 runs");
        assert_eq!(
            both("5 states; memory limit", "2 runs; time limit"),
            "5 states; memory limit; then 2 runs; time limit"
        );
    }
}
