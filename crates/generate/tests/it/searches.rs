//! Searches and traces on generated programs: searches agree, and what they find can be told, replayed and shortened.

use crate::support::{compile, seeds, sources, tests, text, vm};
use fabius_explore::{RandomOrder, RoundRobin, RunToCompletion, Strategy};
use fabius_lang::source::SourceMap;
use fabius_model::{Outcome, Program};
use fabius_search::exhaustive::{breadth_first, depth_first, stratified};
use fabius_search::sampling::random;
use fabius_search::{Callbacks, Found, StopReason};
use fabius_store::{Bitstate, Bounded, Exact, Fingerprints64, Fingerprints128, VisitedSet, WhenFull, Whole};
use fabius_trace::{
    Budget, BugSummary, Price, ReplayOutcome, Trace, VERSION, check, explain, record, replay, resolve,
    shorten,
};
use fabius_vm::{Bug, Granularity, Vm};
use std::collections::{BTreeMap, HashSet};

/// A bug as searches hand it around.
type FoundBug = <Vm as Program>::Bug;

const MOST_STATES: u64 = 1_000;

#[test]
fn searches_agree_and_every_bug_has_a_trace_that_holds() {
    let mut totals = Totals::default();
    for seed in seeds(700) {
        let source = text(seed);
        let program = compile(&source).unwrap_or_else(|| panic!("seed {seed} does not compile\n{source}"));
        for test in tests(&program) {
            let case = Case { vm: vm(&program, test, Granularity::Coarse), sources: sources(&source), seed };
            case.check(&mut totals).unwrap_or_else(|what| panic!("seed {seed}: {what}\n{source}"));
        }
    }
    println!("{totals:?}");
    assert!(totals.exhausted * 10 > totals.tests * 8, "too many programs are too large: {totals:?}");
    assert!(totals.found > 100 && totals.shortened > 30, "few bugs: {totals:?}");
}

#[derive(Debug, Default)]
struct Totals {
    tests: usize,
    exhausted: usize,
    /// Bugs of random searches.
    found: usize,
    /// Those that shortening made shorter.
    shortened: usize,
}

/// Sets of every kind. The states are so few that none of them takes one for another, or forgets one.
fn sets() -> Vec<Box<dyn VisitedSet>> {
    const BYTES: usize = 1 << 18;
    vec![
        Box::new(Exact::new()),
        Box::new(Whole::new()),
        Box::new(Fingerprints64::new()),
        Box::new(Fingerprints128::new()),
        Box::new(Bounded::new(BYTES, WhenFull::Keep)),
        Box::new(Bounded::new(BYTES, WhenFull::Replace)),
        Box::new(Bitstate::new(BYTES, 10).expect("there is memory for a small table")),
    ]
}

fn same_as_breadth_first(
    report: &depth_first::Report<Box<Bug>>,
    everything: &breadth_first::Report<Box<Bug>>,
) -> Result<(), String> {
    let bugs: HashSet<&Bug> = everything.bugs.iter().map(|found| &*found.bug).collect();
    let found: HashSet<&Bug> = report.bugs.iter().map(|found| &*found.bug).collect();
    let counts = (report.stop, report.states, report.transitions);
    let expected = (StopReason::Exhausted, everything.states, everything.transitions);
    if counts == expected && found == bugs {
        return Ok(());
    }
    Err(format!("depth-first: {counts:?} and {found:?}, breadth-first: {expected:?} and {bugs:?}"))
}

struct Case {
    vm: Vm,
    sources: SourceMap,
    seed: u64,
}

impl Case {
    fn check(&self, totals: &mut Totals) -> Result<(), String> {
        totals.tests += 1;
        let limits = breadth_first::Limits {
            states: MOST_STATES,
            bugs: usize::MAX,
            ..breadth_first::Limits::default()
        };
        let everything = breadth_first::run(
            &self.vm,
            breadth_first::Order::BreadthFirst,
            &limits,
            &Callbacks::default(),
            &mut |_| {},
        );
        let is_exhausted = everything.stop == StopReason::Exhausted;
        if is_exhausted {
            totals.exhausted += 1;
            self.check_stratified(&everything)?;
            self.check_depth_first(&everything)?;
        }
        let report = self.random(1, || self.vm.walker());
        for jobs in [2, 3] {
            if self.random(jobs, || self.vm.walker()) != report {
                return Err(format!("{jobs} jobs report something else than one"));
            }
        }
        if self.random(1, || self.vm.fresh()) != report {
            return Err("random search reports something else when it walks".into());
        }
        let known: HashSet<&Bug> = everything.bugs.iter().map(|found| &*found.bug).collect();
        for found in &report.bugs {
            if is_exhausted && !known.contains(&*found.bug) {
                return Err(format!("only random search finds {:?}", found.bug));
            }
            totals.found += 1;
            totals.shortened += usize::from(self.check_trace(found)?);
        }
        for found in everything.bugs.iter().take(2) {
            self.check_trace(found)?;
        }
        Ok(())
    }

    fn random<P: Program<Bug = FoundBug> + Send>(
        &self,
        jobs: usize,
        new_program: impl Fn() -> P,
    ) -> fabius_search::sampling::Report<Box<Bug>> {
        let strategies = [
            Strategy::Random,
            Strategy::Pct { depth: 3, length: None },
            Strategy::Pos,
            Strategy::FairPct { depth: 2, length: None, prefix: 20 },
        ];
        let strategy = strategies[self.seed as usize % strategies.len()];
        let limits = random::Limits {
            schedules: 12,
            max_steps: 80,
            seed: self.seed,
            jobs,
            bugs: 2,
            most_ends: 100,
            ..random::Limits::default()
        };
        random::run(new_program, || strategy.scheduler(), &limits, &Callbacks::default())
    }

    /// Every explorer visits the same states and finds the same bugs.
    fn check_stratified(&self, everything: &breadth_first::Report<Box<Bug>>) -> Result<(), String> {
        let limits = stratified::Limits { bugs: usize::MAX, jobs: 2, ..stratified::Limits::default() };
        let strict = stratified::Limits { strict: true, ..limits };
        let calls = Callbacks::default();
        let seed = self.seed;
        let reports = [
            stratified::run(&self.vm, &RunToCompletion::new(), &limits, &calls, &|_| {}).0,
            stratified::run(&self.vm, &RoundRobin::new(), &limits, &calls, &|_| {}).0,
            stratified::run(&self.vm, &RoundRobin::probabilistic(seed), &limits, &calls, &|_| {}).0,
            stratified::run(&self.vm, &RandomOrder::new(seed), &limits, &calls, &|_| {}).0,
            stratified::run(&self.vm, &RunToCompletion::new(), &strict, &calls, &|_| {}).0,
        ];
        let bugs: HashSet<&Bug> = everything.bugs.iter().map(|found| &*found.bug).collect();
        for (at, report) in reports.iter().enumerate() {
            if report.stop != StopReason::Exhausted || report.states != everything.states {
                return Err(format!(
                    "stratified search {at} ends by {:?} with {} states, breadth-first with {}",
                    report.stop, report.states, everything.states
                ));
            }
            let found: HashSet<&Bug> = report.bugs.iter().map(|found| &*found.bug).collect();
            if found != bugs {
                return Err(format!("stratified search {at} finds {found:?}, breadth-first {bugs:?}"));
            }
        }
        Ok(())
    }

    /// So does depth-first search, with any number of threads and in any set, with states that are remembered or not.
    fn check_depth_first(&self, everything: &breadth_first::Report<Box<Bug>>) -> Result<(), String> {
        for jobs in [1, 2] {
            let limits = depth_first::Limits { bugs: usize::MAX, jobs, ..depth_first::Limits::default() };
            let awake = depth_first::Limits { sleeps: false, ..limits };
            let calls = Callbacks::default();
            for number in 0..sets().len() {
                let run = |is_walking: bool, limits: &depth_first::Limits| {
                    let set = sets().swap_remove(number);
                    let report = if is_walking {
                        depth_first::run(&self.vm.walker(), &*set, limits, &calls, &|_| {})
                    } else {
                        depth_first::run(&self.vm.fresh(), &*set, limits, &calls, &|_| {})
                    };
                    let walks = if is_walking { ", walking" } else { "" };
                    same_as_breadth_first(&report, everything)
                        .and_then(|()| report.bugs.iter().try_for_each(|found| self.check_way(found)))
                        .map_err(|what| format!("{what}, in {set:?} with {limits:?}{walks}"))
                        .map(|()| report)
                };
                run(false, &limits)?;
                run(true, &limits)?;
                let (all, walked) = (run(false, &awake)?, run(true, &awake)?);
                if jobs == 1 && walked != all {
                    return Err(format!("walking, depth-first search reports {walked:?}, not {all:?}"));
                }
            }
        }
        Ok(())
    }

    /// The positions found with a bug lead to it.
    fn check_way(&self, found: &Found<Box<Bug>>) -> Result<(), String> {
        let mut outcome = self.vm.initial();
        let mut choices = Vec::new();
        for position in &found.positions {
            let Outcome::State(state) = &outcome else {
                return Err(format!("{found:?} goes on behind a bug"));
            };
            self.vm.choices(state, &mut choices);
            let choice = choices.get(*position as usize).ok_or("a choice that is not there")?;
            outcome = self.vm.step(state, *choice, &mut Vec::new());
        }
        let bug = match outcome {
            Outcome::State(state) => self.vm.end(&state),
            Outcome::Bug(bug) => Some(bug),
        };
        if bug.as_ref() == Some(&found.bug) { Ok(()) } else { Err(format!("{found:?} leads to {bug:?}")) }
    }

    fn summarise(&self, bug: &Bug) -> BugSummary {
        let location = self.sources.location(bug.span);
        BugSummary {
            kind: bug.kind.code().to_owned(),
            message: bug.message.clone(),
            machine: bug.machine.split('(').next().map(str::to_owned),
            state: bug.state.clone(),
            event: bug.event.clone(),
            file: None,
            line: location.map(|location| location.line),
        }
    }

    /// Shortens, records, writes, reads, checks and replays a bug; whether it became shorter.
    fn check_trace(&self, found: &Found<Box<Bug>>) -> Result<bool, String> {
        let trace = self.trace(&self.vm, found)?;
        // Another value of the program, which has met other states, tells the very same bytes.
        let again = self.trace(&self.vm.fresh(), found)?;
        let json = trace.to_json();
        if json != again.to_json() {
            return Err("the same bug has two traces".into());
        }
        let read = Trace::from_json(json.as_bytes()).map_err(|error| format!("{error}\n{json}"))?;
        if read != trace {
            return Err(format!("the trace is read back as another\n{json}"));
        }
        let summarise = |bug: &FoundBug| self.summarise(bug);
        let fresh = self.vm.fresh();
        check(&fresh, &read, &summarise).map_err(|refusal| format!("{refusal}\n{json}"))?;
        let replay = replay(&fresh, "hash", &read, &summarise);
        if replay.outcome != ReplayOutcome::Reproduced
            || !replay.mismatches.is_empty()
            || replay.run != trace.run
        {
            return Err(format!("{replay:?}\n{json}"));
        }
        let original = trace.original.as_ref().map_or(trace.run.choices.len(), |run| run.choices.len());
        if trace.run.choices.len() > original || original != found.positions.len() {
            return Err(format!("{} steps became {}", found.positions.len(), trace.run.choices.len()));
        }
        Ok(trace.run.choices.len() < original)
    }

    fn trace(&self, vm: &Vm, found: &Found<Box<Bug>>) -> Result<Trace, String> {
        let choices = resolve(vm, &found.positions).map_err(|error| error.to_string())?;
        let wanted = self.summarise(&found.bug);
        let is_same = |bug: &FoundBug| self.summarise(bug).is_same(&wanted);
        let budget = Budget { steps: 2_000, should_stop: &|| false };
        let explorer = RunToCompletion::new();
        let short = shorten(vm, Some((&explorer, Price::default())), &choices, &is_same, budget);
        let short = short.map_err(|error| error.to_string())?;
        let recording = record(vm, &short.choices).map_err(|error| error.to_string())?;
        let original = record(vm, &choices).map_err(|error| error.to_string())?;
        let fabius_trace::Ending::Bug(bug) = recording.ending else { return Err("the bug is gone".into()) };
        Ok(Trace {
            version: VERSION,
            program: "hash".into(),
            test: "Check".into(),
            search: "random".into(),
            seed: self.seed,
            options: BTreeMap::new(),
            bug: self.summarise(&bug).retold(&recording.names),
            explanation: explain(vm, "rtc", &explorer, &recording.run),
            run: recording.run,
            original: Some(original.run.without_steps()),
        })
    }
}
