//! Numbers of states and schedules that can be counted by hand, for each strategy.

use fabius_explore::{Explorer, Preemption, RoundRobin, RunToCompletion, Strategy};
use fabius_search::exhaustive::stratified::{self, Cost};
use fabius_search::exhaustive::{breadth_first, depth_bounded};
use fabius_search::sampling::random;
use fabius_search::{Callbacks, StopReason};

use crate::letters::Letters;

/// Two machines that write their letter twice each: 6 words, and no two runs meet in a state, so the 19 beginnings of
/// words are the states.
fn two_machines() -> Letters {
    Letters::new(2, 2)
}

fn strata<E: Explorer>(explorer: &E, cost: Cost) -> Vec<u64> {
    let limits = stratified::Limits { cost, ..stratified::Limits::default() };
    let (report, _) = stratified::run(&two_machines(), explorer, &limits, &Callbacks::default(), &|_| {});
    assert_eq!((report.stop, report.states), (StopReason::Exhausted, 19));
    report.strata.iter().map(|stratum| stratum.states).collect()
}

#[test]
fn strata_of_delays() {
    // Nobody sends anything, so both explorers let a machine write until it has finished. The beginnings of
    // aabb; of bbaa and abba, delayed before the first and the second letter; of baab and abab; of baba.
    let expected = [5, 4 + 3, 3 + 2, 2];
    assert_eq!(strata(&RunToCompletion::new(), Cost::Delays), expected);
    assert_eq!(strata(&RoundRobin::new(), Cost::Delays), expected);
    // Of two candidates one can only deviate once.
    assert_eq!(strata(&RunToCompletion::new(), Cost::Deviations), expected);
}

#[test]
fn strata_of_deviations() {
    // Three machines, one letter each: abc; then bca and cab from the first state, acb; then those whose machines
    // deviate twice.
    let limits = stratified::Limits { cost: Cost::Deviations, ..stratified::Limits::default() };
    let program = Letters::new(3, 1);
    let explorer = RoundRobin::new();
    let (report, _) = stratified::run(&program, &explorer, &limits, &Callbacks::default(), &|_| {});
    let states: Vec<u64> = report.strata.iter().map(|stratum| stratum.states).collect();
    // The beginnings of abc; of bca, cab, acb; of bac, cba.
    assert_eq!(states, [4, 3 + 3 + 2, 2 + 2]);
    let limits = stratified::Limits::default();
    let (report, _) = stratified::run(&program, &explorer, &limits, &Callbacks::default(), &|_| {});
    let states: Vec<u64> = report.strata.iter().map(|stratum| stratum.states).collect();
    // cab needs two delays, cba three.
    assert_eq!(states, [4, 3 + 2, 3 + 2, 2]);
}

#[test]
fn strata_of_preemptions() {
    // The beginnings of aabb and bbaa, without any; of abba and baab; of abab and baba.
    assert_eq!(strata(&Preemption::new(), Cost::Deviations), [9, 6, 4]);
}

#[test]
fn breadth_first_and_depth_first() {
    for order in [breadth_first::Order::BreadthFirst, breadth_first::Order::DepthFirst] {
        let limits = breadth_first::Limits::default();
        let report = breadth_first::run(&two_machines(), order, &limits, &Callbacks::default(), &mut |_| {});
        assert_eq!((report.states, report.transitions, report.depth), (19, 18, 4));
        assert_eq!(report.levels, [1, 2, 4, 6, 6], "beginnings of so many letters");
    }
}

#[test]
fn iterative_depth_bounding() {
    // Beginnings of at most so many letters.
    for (depth, states, stop) in [
        (1, 3, StopReason::DepthLimit),
        (2, 7, StopReason::DepthLimit),
        (3, 13, StopReason::DepthLimit),
        (4, 19, StopReason::Exhausted),
    ] {
        for increment in [1, 2, 3, 10] {
            let limits = depth_bounded::Limits { increment, depth, ..depth_bounded::Limits::default() };
            let report = depth_bounded::run(&two_machines(), &limits, &Callbacks::default(), &mut |_| {});
            assert_eq!((report.states, report.stop), (states, stop), "{limits:?}");
            assert_eq!(report.transitions, states - 1);
            assert_eq!(report.iterations.iter().sum::<u64>(), states);
            assert_eq!(report.iterations.len() as u64, depth.div_ceil(increment), "{limits:?}");
        }
    }
}

#[test]
fn iterative_random_search() {
    // 101 runs of 10 steps, 103 of 20, 109 of 30, and so on up to the bound.
    let report = |schedules| {
        let limits =
            random::Limits { schedules, increment: Some(10), max_steps: 25, ..random::Limits::default() };
        let new_program = || Letters::new(1, 50);
        random::run(new_program, || Strategy::Random.scheduler(), &limits, &Callbacks::default())
    };
    assert_eq!(report(101).steps, 1010);
    assert_eq!(report(204).steps, 1010 + 103 * 20);
    let whole = report(204 + 109);
    assert_eq!((whole.steps, whole.cut_by_steps), (1010 + 103 * 20 + 109 * 25, 313));
}
