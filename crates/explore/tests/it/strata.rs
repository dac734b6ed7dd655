//! Which runs need how many delays, worked out by hand for each explorer.

use std::collections::BTreeSet;
use std::sync::Mutex;

use fabius_explore::{CustomOrder, Explorer, Orders, RandomOrder, RoundRobin, RunToCompletion};
use fabius_search::exhaustive::stratified::{Limits, run};
use fabius_search::{Callbacks, StopReason};

use crate::machines::{Machines, Op, State};

/// Machine 0 (an A) creates 1 (a B) and 2 (a C); then 0 and 2 each send 1 an event, which takes both. No two runs meet
/// in a state: a state knows who moved.
fn two_senders() -> Machines {
    Machines {
        scripts: vec![
            vec![Op::New(1), Op::New(2), Op::Send(1, 0)],
            vec![Op::Take, Op::Take],
            vec![Op::Send(1, 1)],
        ],
    }
}

/// Who moves, after the two creations, in the complete runs with at most so many delays.
fn runs(program: &Machines, explorer: &impl Explorer, delays: u64, length: usize) -> BTreeSet<String> {
    let runs = Mutex::new(BTreeSet::new());
    let visit = |state: &State| {
        if state.history.len() == length {
            let movers = state.history.iter().skip(2).map(ToString::to_string).collect();
            runs.lock().expect("nobody panics").insert(movers);
        }
    };
    let limits = Limits { delays, ..Limits::default() };
    let (report, _) = run(program, explorer, &limits, &Callbacks::default(), &visit);
    assert!(report.bugs.is_empty());
    runs.into_inner().expect("nobody panics")
}

fn check(what: &str, explorer: &impl Explorer, strata: &[&[&str]]) {
    let mut expected = BTreeSet::new();
    for (delays, stratum) in strata.iter().enumerate() {
        expected.extend(stratum.iter().map(|run| (*run).to_owned()));
        assert_eq!(runs(&two_senders(), explorer, delays as u64, 6), expected, "{what}, {delays} delays");
    }
}

fn order(rules: &str) -> CustomOrder {
    CustomOrder::new(Orders::parse(rules, &Machines::vocabulary()).expect("the rules are right"))
}

#[test]
fn run_to_completion_follows_messages() {
    // 2 was created last and runs first; its receiver runs before 0 does.
    check("rtc", &RunToCompletion::new(), &[&["2101"], &["0121", "2011"], &["0211"]]);
}

#[test]
fn round_robin_goes_round() {
    // 0 goes on until it has nothing to do, then 2, which was created before 1 could move.
    check("rr", &RoundRobin::new(), &[&["0211"], &["2011", "0121"], &["2101"]]);
}

#[test]
fn custom_order_pays_for_each_that_is_passed_over() {
    check("C,A,B", &order("C,A,B"), &[&["2011"], &["2101", "0211"], &["0121"]]);
    // B comes first when somebody has sent it `e0`, and last otherwise.
    check("phases", &order("C,A,B; e0: B"), &[&["2011"], &["2101", "0121"], &["0211"]]);
}

/// As many states as there are beginnings of runs, in each stratum.
fn sizes(explorer: &impl Explorer) -> Vec<u64> {
    let program = Machines { scripts: vec![vec![Op::New(1), Op::Work, Op::Work], vec![Op::Work; 2]] };
    let (report, _) = run(&program, explorer, &Limits::default(), &Callbacks::default(), &|_| {});
    assert_eq!((report.stop, report.states), (StopReason::Exhausted, 20));
    report.strata.iter().map(|stratum| stratum.states).collect()
}

#[test]
fn sizes_of_strata() {
    // Two machines that work twice each, behind one creation: the words of two letters a and two letters b.
    // With a as the natural first: aabb; then bbaa and abba; then baab and abab; then baba.
    for explorer in [RoundRobin::new(), RoundRobin::probabilistic(1)] {
        assert_eq!(sizes(&explorer), [6, 4 + 3, 3 + 2, 2]);
    }
    assert_eq!(sizes(&RunToCompletion::new()), [6, 4 + 3, 3 + 2, 2], "as before, with b first");
    // A word costs one delay for each b before an a: aabb; then baab and abab; then bbaa, baba and abba.
    assert_eq!(sizes(&order("A,B")), [6, 4 + 3, 3 + 2 + 2]);
    for seed in 0..10 {
        // One natural run. Two states in a row have a choice, and behind both delays there may be a third.
        let sizes = sizes(&RandomOrder::new(seed));
        assert_eq!(sizes[0], 6, "seed {seed}");
        assert!((3..=4).contains(&sizes.len()), "seed {seed}: {sizes:?}");
    }
}
