//! What must hold for every program, tried on thousands of random ones.

use std::collections::BTreeMap;

use fabius_explore::{RunToCompletion, Strategy};
use fabius_search::exhaustive::breadth_first;
use fabius_search::sampling::Report;
use fabius_search::sampling::random::{self, Limits};
use fabius_search::{Callbacks, StopReason};
use fabius_trace::{
    Budget, BugSummary, ChartOptions, Ending, Price, Recording, ReplayOutcome, Trace, VERSION, chart, check,
    explain, log, record, replay, resolve, shorten,
};

use crate::mailboxes::{Bug, Mailboxes, summarise};
use crate::random_programs::random_program;

const PROGRAMS: u64 = 3000;

const STRATEGIES: [Strategy; 4] = [
    Strategy::Random,
    Strategy::Pct { depth: 3, length: None },
    Strategy::FairPct { depth: 2, length: None, prefix: 10 },
    Strategy::Pos,
];

fn search(seed: u64, strategy: Strategy, jobs: usize, bugs: usize) -> Report<Bug> {
    let limits =
        Limits { schedules: 20, max_steps: 60, seed, jobs, bugs, most_ends: 10, ..Limits::default() };
    let same_bug = |one: &Bug, other: &Bug| summarise(one).is_same(&summarise(other));
    let callbacks = Callbacks { same_bug: &same_bug, ..Callbacks::default() };
    random::run(|| random_program(seed), || strategy.scheduler(), &limits, &callbacks)
}

fn trace(bug: BugSummary, recording: &Recording<Bug>, original: Option<&Recording<Bug>>) -> Trace {
    Trace {
        version: VERSION,
        program: "p".to_owned(),
        test: "t".to_owned(),
        search: "random".to_owned(),
        seed: 0,
        options: BTreeMap::new(),
        bug,
        explanation: None,
        run: recording.run.clone(),
        original: original.map(|original| original.run.without_steps()),
    }
}

/// The bug that the recording ends in.
fn bug_of(recording: &Recording<Bug>) -> BugSummary {
    match &recording.ending {
        Ending::Bug(bug) => summarise(bug),
        Ending::Ended | Ending::Open => panic!("the run should end in a bug"),
    }
}

/// Writes, reads, checks, replays and draws a trace, each in a program that knows nothing of the run.
fn assert_holds(seed: u64, trace: &Trace) {
    let read = Trace::from_json(trace.to_json().as_bytes()).expect("what is written can be read");
    assert_eq!(&read, trace);
    assert_eq!(check(&random_program(seed), &read, &summarise), Ok(()), "seed {seed}");
    let replay = replay(&random_program(seed), "p", &read, &summarise);
    assert_eq!((replay.outcome, replay.mismatch_count), (ReplayOutcome::Reproduced, 0), "seed {seed}");
    assert_eq!(&replay.run, &trace.run);
    assert_eq!(replay.bug.as_ref(), Some(&trace.bug));
    let explanation = trace.explanation.as_ref();
    assert!(log(&trace.run, explanation, Some(&trace.bug)).lines().count() > trace.run.choices.len());
    let options = ChartOptions { width: 60, ..ChartOptions::default() };
    let drawn = chart(&trace.run, explanation, Some(&trace.bug), &options);
    assert!(drawn.lines().all(|line| line.chars().count() <= 60));
}

#[test]
fn every_bug_replays_and_so_does_its_shortened_trace() {
    let (mut bugs, mut steps_before, mut steps_after) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let strategy = STRATEGIES[(seed % 4) as usize];
        for found in search(seed, strategy, 1, 3).bugs {
            let program = random_program(seed);
            let choices = resolve(&program, &found.positions).expect("a search takes offered choices");
            let recording = record(&program, &choices).expect("a search takes offered choices");
            let bug = bug_of(&recording);
            assert_eq!(bug, summarise(&found.bug), "seed {seed}");
            assert_holds(seed, &trace(bug.clone(), &recording, None));

            let budget = Budget { steps: 2000, should_stop: &|| false };
            let is_same = |other: &Bug| summarise(other).is_same(&bug);
            // With and without an explorer.
            let explorer = RunToCompletion::new();
            let explorer = (seed % 2 == 0).then_some((&explorer, Price::default()));
            let shortened =
                shorten(&program, explorer, &choices, &is_same, budget).expect("it leads to the bug");
            assert!(shortened.choices.len() <= choices.len(), "seed {seed}");
            let shorter = record(&program, &shortened.choices).expect("all choices are offered");
            assert!(bug_of(&shorter).is_same(&bug), "seed {seed}");
            let explained = |run| explain(&program, "rtc", &RunToCompletion::new(), run);
            let explanation = explained(&shorter.run).expect("rtc names every choice");
            let delays: u64 =
                explanation.deviations.iter().map(|deviation| u64::from(deviation.delays)).sum();
            assert_eq!(explanation.delays, delays, "seed {seed}");
            if explorer.is_some() {
                let before = explained(&recording.run)
                    .unwrap_or_else(|| panic!("seed {seed}: rtc names every choice"));
                assert!(explanation.delays <= before.delays, "seed {seed}");
                assert_eq!(explanation.delays, shortened.cost, "seed {seed}");
            }
            let shorter_trace = trace(bug_of(&shorter), &shorter, Some(&recording));
            assert_holds(seed, &Trace { explanation: Some(explanation), ..shorter_trace });
            bugs += 1;
            steps_before += choices.len();
            steps_after += shortened.choices.len();
        }
    }
    assert!(bugs > PROGRAMS / 3, "the programs should have bugs: {bugs}");
    assert!(steps_after * 10 < steps_before * 9, "shortening should help: {steps_before} to {steps_after}");
}

#[test]
fn reports_are_the_same_for_any_number_of_jobs() {
    for seed in 0..PROGRAMS / 10 {
        for strategy in STRATEGIES {
            for bugs in [1, 5] {
                let alone = search(seed, strategy, 1, bugs);
                for jobs in [2, 4] {
                    assert_eq!(
                        alone,
                        search(seed, strategy, jobs, bugs),
                        "seed {seed}, {strategy}, {jobs} jobs"
                    );
                }
            }
        }
    }
}

#[test]
fn what_sampling_finds_exhaustive_search_finds_in_no_more_steps() {
    let mut shortest_reached = 0;
    let mut compared = 0;
    for seed in 0..PROGRAMS / 6 {
        let program = random_program(seed);
        let same_bug = |one: &Bug, other: &Bug| summarise(one).is_same(&summarise(other));
        let callbacks = Callbacks { same_bug: &same_bug, ..Callbacks::default() };
        let limits = breadth_first::Limits { states: 2000, bugs: usize::MAX, ..Default::default() };
        let all = breadth_first::run(
            &program,
            breadth_first::Order::BreadthFirst,
            &limits,
            &callbacks,
            &mut |_| {},
        );
        for found in search(seed, Strategy::Random, 1, 10).bugs {
            let known = all.bugs.iter().find(|known| same_bug(&known.bug, &found.bug));
            let Some(known) = known else {
                assert_eq!(all.stop, StopReason::StateLimit, "seed {seed}: an exhausted search missed a bug");
                continue;
            };
            assert!(known.positions.len() <= found.positions.len(), "seed {seed}");
            let choices = resolve(&program, &found.positions).expect("a search takes offered choices");
            let budget = Budget { steps: 20_000, should_stop: &|| false };
            let is_same = |other: &Bug| same_bug(other, &found.bug);
            let no_explorer = None::<(&RunToCompletion, Price)>;
            let shortened =
                shorten(&program, no_explorer, &choices, &is_same, budget).expect("it leads to the bug");
            assert!(
                shortened.choices.len() >= known.positions.len(),
                "seed {seed}: shorter than the shortest"
            );
            compared += 1;
            shortest_reached += u32::from(shortened.choices.len() == known.positions.len());
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(shortest_reached * 10 > compared * 7, "{shortest_reached} of {compared} are as short as can be");
}

#[test]
fn random_programs_are_told_as_they_step() {
    // The toy's own effects and stories, so that the tests above test what they mean to.
    for seed in 0..200 {
        let program: Mailboxes = random_program(seed);
        for run in 0..5 {
            let positions = [run % 2, 0, run / 2, 0, 0, 1, 0];
            let length =
                (0..=positions.len()).rev().find(|length| resolve(&program, &positions[..*length]).is_ok());
            let choices = resolve(&program, &positions[..length.unwrap()]).unwrap();
            let recording = record(&program, &choices).unwrap();
            assert_eq!(recording.run.steps.len(), choices.len());
        }
    }
}
