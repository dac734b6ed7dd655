//! Stratified sampling: every run with k delays comes up as often as promised.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fabius_explore::{Cursor, Explorer, RoundRobin, RunToCompletion, Taken};
use fabius_model::{Outcome, Program};
use fabius_search::exhaustive::stratified as exhaustive;
use fabius_search::sampling::stratified::{Limits, Start, run};
use fabius_search::{Callbacks, StopReason};

use crate::graph::follow;
use crate::letters::Letters;

thread_local! {
    /// The word that counts as a bug.
    static WANTED: RefCell<String> = const { RefCell::new(String::new()) };
}

fn is_wanted(word: &str) -> Option<String> {
    WANTED.with_borrow(|wanted| (word == *wanted).then(|| word.to_owned()))
}

/// Each run writes a word of its own; this is how many delays each needs.
fn delays_by_word<E: Explorer>(program: &Letters, explorer: &E) -> BTreeMap<String, u32> {
    let mut delays = BTreeMap::new();
    let Outcome::State(start) = program.initial() else { return delays };
    let mut choices = Vec::new();
    program.choices(&start, &mut choices);
    let cursor = Cursor::begin(explorer.clone(), &choices, program.fingerprint(&start) as u64);
    let mut work = vec![(start, cursor, 0)];
    while let Some((state, mut cursor, mut spent)) = work.pop() {
        program.choices(&state, &mut choices);
        if choices.is_empty() {
            assert_eq!(delays.insert(state.word().to_owned(), spent), None, "a word is one run");
            continue;
        }
        loop {
            let choice = choices[cursor.next(&choices)];
            let mut effects = Vec::new();
            if let Outcome::State(next) = program.step(&state, choice, &mut effects) {
                let mut after = cursor.clone();
                after.step(&Taken {
                    choice,
                    effects: &effects,
                    fingerprint: program.fingerprint(&next) as u64,
                });
                work.push((next, after, spent));
            }
            spent += 1;
            if !cursor.delay(&choices) {
                break;
            }
        }
    }
    delays
}

#[test]
fn every_run_of_a_stratum_is_as_likely_as_promised() {
    const SAMPLES: u64 = 4000;
    let explorer = RoundRobin::new();
    let delays = delays_by_word(&Letters::new(3, 2), &explorer);
    assert_eq!(delays.len(), 90, "6! / 2!^3 words");
    let mut compared = 0;
    for (word, needed) in delays.iter().filter(|(_, needed)| (1..=3).contains(*needed)).step_by(4) {
        WANTED.set(word.clone());
        let (mut found, mut positions) = (0u64, 1u64);
        for seed in 0..SAMPLES {
            let program = || Letters { bug: is_wanted, ..Letters::new(3, 2) };
            // One sample for each stratum.
            let limits = Limits { delays: *needed, base: 0, growth: 1, seed, ..Limits::default() };
            let report = run(program, &explorer, Start::Initial, &limits, &Callbacks::default());
            found += report.bugs.len() as u64;
            positions = report.strata.iter().map(|stratum| stratum.positions).fold(positions, u64::max);
        }
        let promised = 1.0 / (positions as f64).powi(*needed as i32);
        let expected = promised * SAMPLES as f64;
        let lowest = expected - 4.0 * expected.sqrt();
        assert!(
            found as f64 >= lowest,
            "{word}: {found} of {SAMPLES}, {positions} positions, {needed} delays"
        );
        assert!(found > 0 || expected < 20.0, "{word} was never found");
        compared += 1;
    }
    assert!(compared >= 8, "{compared} words compared");
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let limits = |jobs| Limits { delays: 4, jobs, bugs: usize::MAX, ..Limits::default() };
    let program = || Letters::new(4, 3);
    let one = run(program, &RunToCompletion::new(), Start::Initial, &limits(1), &Callbacks::default());
    assert_eq!((one.stop, one.delays()), (StopReason::DelayLimit, Some(4)));
    assert_eq!(one.strata.len(), 5);
    for jobs in [2, 3] {
        let several =
            run(program, &RunToCompletion::new(), Start::Initial, &limits(jobs), &Callbacks::default());
        assert_eq!(several, one);
    }
}

#[test]
fn the_probability_of_missing_a_run_falls_with_the_samples() {
    let program = || Letters::new(2, 2);
    let miss = |base| {
        let limits = Limits { delays: 1, base, ..Limits::default() };
        run(program, &RunToCompletion::new(), Start::Initial, &limits, &Callbacks::default()).strata[1].miss
    };
    assert!(miss(10) > miss(100) && miss(100) < 1e-6, "{} {}", miss(10), miss(100));
}

#[test]
fn every_run_beyond_the_frontier_is_as_likely_as_promised() {
    const SAMPLES: u64 = 4000;
    let explorer = RunToCompletion::new();
    let delays = delays_by_word(&Letters::new(3, 2), &explorer);
    // What the exhaustive search leaves needs one delay or more.
    let shallow = exhaustive::Limits { delays: 0, ..exhaustive::Limits::default() };
    let (_, frontier) =
        exhaustive::run(&Letters::new(3, 2), &explorer, &shallow, &Callbacks::default(), &|_| {});
    assert_eq!(frontier.len(), 4, "aabbcc can be delayed before each letter while two machines can move");
    let mut compared = 0;
    for (word, needed) in delays.iter().filter(|(_, needed)| (1..=3).contains(*needed)).step_by(3) {
        WANTED.set(word.clone());
        let (mut found, mut positions) = (0u64, 1u64);
        for seed in 0..SAMPLES {
            let program = || Letters { bug: is_wanted, ..Letters::new(3, 2) };
            // One sample for each stratum.
            let limits = Limits { delays: needed - 1, base: 0, growth: 1, seed, ..Limits::default() };
            let start = Start::Frontier(&frontier);
            let report = run(program, &explorer, start, &limits, &Callbacks::default());
            if let Some(bug) = report.bugs.first() {
                assert_eq!(follow(&program(), &bug.positions).as_ref(), Some(word));
                found += 1;
            }
            positions = report.strata.iter().map(|stratum| stratum.positions).fold(positions, u64::max);
        }
        let promised = 1.0 / (positions as f64).powi(*needed as i32 - 1) / frontier.len() as f64;
        let expected = promised * SAMPLES as f64;
        assert!(found as f64 >= expected - 4.0 * expected.sqrt(), "{word}: {found}, expected {expected}");
        assert!(found > 0 || expected < 20.0, "{word} was never found");
        compared += 1;
    }
    assert!(compared >= 8, "{compared} words compared");
}

#[test]
fn no_more_samples_are_drawn_than_wanted() {
    for samples in [1, 50, 150, 1000] {
        let limits = Limits { samples, ..Limits::default() };
        let program = || Letters::new(4, 3);
        let report = run(program, &RunToCompletion::new(), Start::Initial, &limits, &Callbacks::default());
        assert_eq!((report.samples, report.stop), (samples, StopReason::AllSchedules));
    }
}

#[test]
fn samples_end_where_no_run_can_be_delayed_any_more() {
    // Of two machines with a letter each, one can be delayed, once.
    let program = || Letters::new(2, 1);
    let limits = Limits::default();
    let report = run(program, &RunToCompletion::new(), Start::Initial, &limits, &Callbacks::default());
    assert_eq!((report.stop, report.delays()), (StopReason::Exhausted, Some(1)));
}

#[test]
fn a_natural_run_that_comes_to_a_bound_is_still_delayed() {
    // The natural run aabb is not followed beyond aab; bb is reached by one delay, at the first letter.
    fn bound_or_bug(word: &str) -> Option<String> {
        (word == "aab" || word == "bb").then(|| word.to_owned())
    }
    let program = || Letters { bug: bound_or_bug, ..Letters::new(2, 2) };
    let is_bound = |bug: &String| bug == "aab";
    let callbacks = Callbacks { is_bound: &is_bound, ..Callbacks::default() };
    let limits = Limits { delays: 1, ..Limits::default() };
    let report = run(program, &RunToCompletion::new(), Start::Initial, &limits, &callbacks);
    assert_eq!(report.bound_met.map(|bound| bound.bug).as_deref(), Some("aab"));
    let bugs: Vec<&str> = report.bugs.iter().map(|found| found.bug.as_str()).collect();
    assert_eq!(bugs, ["bb"]);
    assert_eq!(report.strata[1].positions, 2, "what may have been missed is told by the places there are");
}
