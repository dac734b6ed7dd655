use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fabius_explore::{Random, RunStart, Scheduler, Strategy, run_seed};
use fabius_model::{Choice, Effect};
use fabius_search::sampling::random::{Limits, run};
use fabius_search::sampling::{Ends, Report};
use fabius_search::{Bounds, Callbacks, StopReason, Verdict};

use crate::graph::follow;
use crate::letters::{Letters, Word};

const STRATEGIES: [Strategy; 4] = [
    Strategy::Random,
    Strategy::Pct { depth: 3, length: None },
    Strategy::FairPct { depth: 3, length: None, prefix: 6 },
    Strategy::Pos,
];

fn search(new_program: impl Fn() -> Letters, strategy: Strategy, limits: &Limits) -> Report<String> {
    run(new_program, || strategy.scheduler(), limits, &Callbacks::default())
}

fn limits(schedules: u64) -> Limits {
    Limits { schedules, seed: 11, ..Limits::default() }
}

#[test]
fn without_a_bug_all_schedules_are_run_and_counted() {
    for strategy in STRATEGIES {
        let report = search(|| Letters::new(3, 4), strategy, &limits(500));
        assert_eq!((report.runs, report.steps, report.longest), (500, 6000, 12));
        assert_eq!((report.stop, report.cut_by_steps, report.buggy), (StopReason::AllSchedules, 0, 0));
        let within = Bounds::Runs { runs: 500, cut: 0, max_steps: 10_000 };
        assert_eq!(report.verdict(), Verdict::NoBugFound { within });
    }
}

#[test]
fn the_report_is_the_same_for_any_number_of_jobs() {
    fn rare(word: &str) -> Option<String> {
        ["aabbcc", "abcabc.", "ccab"].iter().find(|bug| word.ends_with(**bug)).map(ToString::to_string)
    }
    for strategy in STRATEGIES {
        for bugs in [1, 2, 100] {
            for seed in 0..10 {
                let report = |jobs| {
                    let new_program = || Letters { bug: rare, ..Letters::new(3, 4) };
                    let limits = Limits { jobs, bugs, seed, most_ends: 50, ..limits(300) };
                    search(new_program, strategy, &limits)
                };
                let alone = report(1);
                assert_eq!(alone, report(2), "{strategy}, seed {seed}");
                assert_eq!(alone, report(4), "{strategy}, seed {seed}");
            }
        }
    }
}

#[test]
fn different_seeds_and_strategies_take_different_choices() {
    let mut digests = Vec::new();
    for strategy in STRATEGIES {
        for seed in 0..3 {
            let report = search(|| Letters::new(3, 4), strategy, &Limits { seed, ..limits(10) });
            digests.push(report.digest);
        }
    }
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 12);
}

#[test]
fn the_first_bug_is_that_of_the_smallest_run() {
    fn rare(word: &str) -> Option<String> {
        word.starts_with("bbbb").then(|| word.to_owned())
    }
    for seed in 0..20 {
        let new_program = || Letters { bug: rare, ..Letters::new(2, 4) };
        let limits = Limits { seed, jobs: 4, ..limits(1000) };
        let report = search(new_program, Strategy::Random, &limits);
        let first = &report.bugs[0];
        assert_eq!((report.stop, report.runs, report.buggy), (StopReason::BugsFound, first.run + 1, 1));
        assert_eq!(report.verdict(), Verdict::Bug(first));
        // None of the runs before it has a bug, and it has.
        let before =
            search(new_program, Strategy::Random, &Limits { schedules: first.run, ..limits.clone() });
        assert!(before.bugs.is_empty());
        let with = search(new_program, Strategy::Random, &Limits { schedules: first.run + 1, ..limits });
        assert_eq!(with, report);
    }
}

#[test]
fn runs_after_the_first_bug_do_not_count_however_slow_it_was() {
    // While one thread takes its time over the bug, the other goes on with later runs.
    fn slow(word: &str) -> Option<String> {
        word.starts_with("bbb").then(|| {
            thread::sleep(Duration::from_millis(20));
            word.to_owned()
        })
    }
    for seed in 0..10 {
        let new_program = || Letters { bug: slow, ..Letters::new(2, 4) };
        let report = |jobs| search(new_program, Strategy::Random, &Limits { seed, jobs, ..limits(1000) });
        assert_eq!(report(1), report(2), "seed {seed}");
    }
}

/// The random scheduler, to whom all choices are listed.
struct Listed(Random);

impl Scheduler<Letters> for Listed {
    fn begin_run(&mut self, start: RunStart) {
        Scheduler::<Letters>::begin_run(&mut self.0, start);
    }

    fn pick(&mut self, program: &Letters, state: &Word, choices: &[Choice]) -> usize {
        self.0.pick(program, state, choices)
    }

    fn observe(&mut self, _taken: Choice, _effects: &[Effect]) {}
}

#[test]
fn runs_are_the_same_whether_choices_are_listed_or_only_drawn() {
    fn rare(word: &str) -> Option<String> {
        ["abcabc.", "ccab"].iter().find(|bug| word.ends_with(**bug)).map(ToString::to_string)
    }
    for (seed, max_steps) in (0..10).flat_map(|seed| [5, 12, 100].map(|max_steps| (seed, max_steps))) {
        let new_program = || Letters { bug: rare, ..Letters::new(3, 4) };
        let limits = Limits { seed, max_steps, bugs: 100, most_ends: 50, ..limits(300) };
        let listed = run(new_program, || Listed(Random::new()), &limits, &Callbacks::default());
        assert_eq!(search(new_program, Strategy::Random, &limits), listed, "seed {seed}, {max_steps} steps");
    }
}

/// Tells that a run was as long as a number made from its seed, and notes what it is told.
struct Learner {
    told: &'static Mutex<Vec<(u64, u64)>>,
    seed: u64,
}

impl Scheduler<Letters> for Learner {
    fn begin_run(&mut self, start: RunStart) {
        self.seed = start.seed;
        self.told.lock().unwrap().push((start.seed, start.longest));
    }

    fn pick(&mut self, _program: &Letters, _state: &Word, _choices: &[Choice]) -> usize {
        0
    }

    fn observe(&mut self, _taken: Choice, _effects: &[Effect]) {}

    fn end_run(&mut self) -> u64 {
        self.seed % 1000
    }
}

#[test]
fn a_scheduler_learns_from_the_runs_of_earlier_rounds() {
    static TOLD: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
    for jobs in [1, 3] {
        TOLD.lock().unwrap().clear();
        let limits = Limits { jobs, ..limits(16) };
        let learner = || Learner { told: &TOLD, seed: 0 };
        run(|| Letters::new(2, 2), learner, &limits, &Callbacks::default());
        for index in 0..16u64 {
            let seed = run_seed(11, index);
            let told = TOLD.lock().unwrap().iter().find(|told| told.0 == seed).copied();
            // Rounds begin at runs 0, 1, 2, 4 and 8.
            let round = if index == 0 { 0 } else { 1 << index.ilog2() };
            let longest = (0..round).map(|earlier| run_seed(11, earlier) % 1000).max().unwrap_or(0);
            assert_eq!(told, Some((seed, longest)), "run {index} with {jobs} jobs");
        }
    }
}

#[test]
fn every_bug_is_at_the_end_of_its_way_in_any_program() {
    fn some(word: &str) -> Option<String> {
        word.ends_with("c1b2").then(|| word.to_owned())
    }
    for strategy in STRATEGIES {
        let new_program = || Letters { bug: some, digits: 3, ..Letters::new(3, 3) };
        let report = search(new_program, strategy, &Limits { bugs: 20, jobs: 2, ..limits(2000) });
        assert!(!report.bugs.is_empty(), "{strategy}");
        for found in &report.bugs {
            assert_eq!(follow(&new_program(), &found.positions).as_ref(), Some(&found.bug));
        }
    }
}

#[test]
fn bugs_that_are_the_same_are_reported_once_with_their_first_run() {
    fn last_letter(word: &str) -> Option<String> {
        word.strip_suffix('.').map(str::to_owned)
    }
    let new_program = || Letters { bug: last_letter, ..Letters::new(3, 2) };
    let same_end = |one: &String, other: &String| one.chars().last() == other.chars().last();
    let callbacks = Callbacks { same_bug: &same_end, ..Callbacks::default() };
    let limits = Limits { bugs: usize::MAX, jobs: 2, ..limits(200) };
    let report = run(new_program, || Strategy::Random.scheduler(), &limits, &callbacks);
    assert_eq!((report.buggy, report.bugs.len(), report.stop), (200, 3, StopReason::AllSchedules));
    assert!(report.bugs.is_sorted_by_key(|found| found.run));
    assert_eq!(report.bugs[0].run, 0);
}

#[test]
fn runs_are_cut_at_the_bound_on_steps_and_not_before() {
    let cut = search(|| Letters::new(2, 5), Strategy::Random, &Limits { max_steps: 9, ..limits(50) });
    assert_eq!((cut.cut_by_steps, cut.longest, cut.steps), (50, 9, 450));
    let within = Bounds::Runs { runs: 50, cut: 50, max_steps: 9 };
    assert_eq!(cut.verdict(), Verdict::NoBugFound { within });
    let whole = search(|| Letters::new(2, 5), Strategy::Random, &Limits { max_steps: 10, ..limits(50) });
    assert_eq!((whole.cut_by_steps, whole.longest), (0, 10));
}

#[test]
fn final_states_are_counted_up_to_the_limit() {
    // 3!/(1!1!1!) = 6 words of three letters.
    let count = |most_ends| {
        search(|| Letters::new(3, 1), Strategy::Random, &Limits { most_ends, jobs: 2, ..limits(500) }).ends
    };
    assert_eq!(count(0), None);
    assert_eq!(count(100), Some(Ends { different: 6, at_least: false }));
    assert_eq!(count(6), Some(Ends { different: 6, at_least: false }));
    assert_eq!(count(4), Some(Ends { different: 4, at_least: true }));
}

#[test]
fn forgetting_between_runs_changes_nothing() {
    static FORGOTTEN: AtomicUsize = AtomicUsize::new(0);
    let new_program =
        |bytes_per_letter| move || Letters { bytes_per_letter, forgotten: &FORGOTTEN, ..Letters::new(3, 4) };
    for strategy in STRATEGIES {
        let remembering = search(new_program(0), strategy, &limits(200));
        assert_eq!(FORGOTTEN.swap(0, Ordering::Relaxed), 0);
        // A run has 12 steps, so with room for 30 letters each third run begins by forgetting.
        let limits = Limits { memory: 3000, ..limits(200) };
        let forgetting = search(new_program(100), strategy, &limits);
        assert!((60..=70).contains(&FORGOTTEN.swap(0, Ordering::Relaxed)));
        assert_eq!(forgetting, remembering);
    }
}

#[test]
fn a_run_that_alone_needs_too_much_memory_is_cut_whoever_ran_before_it() {
    // Runs have 3000 steps; memory is looked at every 1024.
    for (memory, cut) in [(1500, 10), (5000, 0)] {
        for jobs in [1, 3] {
            let new_program = || Letters { bytes_per_letter: 1, ..Letters::new(3, 1000) };
            let limits = Limits { memory, jobs, ..limits(10) };
            let report = search(new_program, Strategy::Random, &limits);
            assert_eq!((report.runs, report.cut_by_memory), (10, cut), "memory {memory}, {jobs} jobs");
        }
    }
}

#[test]
fn it_stops_when_asked_and_counts_only_whole_runs() {
    for jobs in [1, 2] {
        let questions = AtomicU64::new(0);
        let callbacks = Callbacks {
            should_stop: &|| questions.fetch_add(1, Ordering::Relaxed) >= 100,
            ..Callbacks::default()
        };
        let limits = Limits { jobs, ..limits(u64::MAX) };
        let report = run(|| Letters::new(2, 100), || Strategy::Random.scheduler(), &limits, &callbacks);
        assert_eq!(report.stop, StopReason::Asked);
        assert!(report.runs > 0 && report.runs < 100);
        assert_eq!(report.steps, report.runs * 200);
        assert!(matches!(report.verdict(), Verdict::NoBugFound { within: Bounds::Runs { cut: 0, .. } }));
    }
}

#[test]
fn progress_is_told_and_adds_up() {
    let runs = AtomicU64::new(0);
    let steps = AtomicU64::new(0);
    let callbacks = Callbacks {
        progress: &|progress| {
            runs.fetch_max(progress.runs, Ordering::Relaxed);
            steps.fetch_max(progress.steps, Ordering::Relaxed);
        },
        ..Callbacks::default()
    };
    let limits = Limits { jobs: 2, ..limits(3000) };
    run(|| Letters::new(2, 5), || Strategy::Random.scheduler(), &limits, &callbacks);
    assert_eq!((runs.into_inner(), steps.into_inner()), (3000, 30_000));
}
