//! Sealing: what is interrupted and what is not, and that nobody takes the sealed program for the program.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fabius_explore::{Flavour, RandomOrder, RoundRobin, RunToCompletion, Seal, Sealed, Sealing};
use fabius_model::{Choice, Outcome, Program, check_agreement, conformance::Budget};
use fabius_search::Callbacks;
use fabius_search::exhaustive::{breadth_first, stratified};

use crate::law;
use crate::machines::{Machines, Op, State};

fn sealed(program: &Machines, seals: &[&str], flavour: Flavour) -> Sealed<Machines> {
    let vocabulary = Machines::vocabulary();
    let seal = |text: &&str| Seal::parse(text, &vocabulary).expect("the seal is right");
    let sealing = Sealing::new(seals.iter().map(seal).collect(), flavour, vocabulary.clone());
    Sealed::new(program.clone(), Arc::new(sealing), Arc::new(AtomicBool::new(false)))
}

/// Who moves in each complete run.
fn runs<P: Program>(program: &P, history: impl Fn(&P::State) -> String) -> BTreeSet<String> {
    let Outcome::State(start) = program.initial() else { panic!("it starts") };
    let (mut waiting, mut runs) = (vec![start], BTreeSet::new());
    while let Some(state) = waiting.pop() {
        let mut choices = Vec::new();
        program.choices(&state, &mut choices);
        if choices.is_empty() {
            runs.insert(history(&state));
        }
        for choice in choices {
            let Outcome::State(next) = program.step(&state, choice, &mut Vec::new()) else {
                panic!("no bug")
            };
            waiting.push(next);
        }
    }
    runs
}

fn history(state: &State) -> String {
    state.history.iter().map(ToString::to_string).collect()
}

fn sealed_runs(program: &Machines, seals: &[&str], flavour: Flavour) -> BTreeSet<String> {
    runs(&sealed(program, seals, flavour), |state| history(state.inner()))
}

/// Machine 0 creates 1 and 2 and sends `e0` to 1, which then works twice and sends `e1` to 2, which takes it and works.
fn relay() -> Machines {
    Machines {
        scripts: vec![
            vec![Op::New(1), Op::New(2), Op::Send(1, 0), Op::Work],
            vec![Op::Take, Op::Work, Op::Send(2, 1), Op::Work],
            vec![Op::Take, Op::Work],
        ],
    }
}

#[test]
fn without_seals_all_runs_are_there_and_nothing_is_pruned() {
    let program = relay();
    let none = sealed(&program, &[], Flavour::RoundRobin);
    assert_eq!(runs(&none, |state| history(state.inner())), runs(&program, history));
    assert!(!none.has_pruned());
}

#[test]
fn a_sealed_handler_is_atomic() {
    let program = relay();
    let all = runs(&program, history);
    let is_atomic = |run: &&String| run.contains("1111");
    let expected: BTreeSet<String> = all.iter().filter(is_atomic).cloned().collect();
    for seal in ["event:e0", "machine:B", "state:B.S"] {
        assert_eq!(sealed_runs(&program, &[seal], Flavour::RoundRobin), expected, "{seal}");
    }
    assert!(expected.len() < all.len(), "{all:?}");
}

#[test]
fn sealed_sends_are_synchronous() {
    // Machine 1 sends in its third step; machine 2 takes the event and works before 1 goes on.
    let runs = sealed_runs(&relay(), &["event:e0"], Flavour::RunToCompletion);
    assert!(!runs.is_empty() && runs.iter().all(|run| run.contains("111221")), "{runs:?}");
}

#[test]
fn a_handler_that_waits_lets_the_others_go_on() {
    // Machine 1 takes `e0`, then waits for another event that 0 sends: 0 must not be held back for ever.
    let program = Machines {
        scripts: vec![
            vec![Op::New(1), Op::Send(1, 0), Op::Work, Op::Send(1, 1)],
            vec![Op::Take, Op::Work, Op::Take, Op::Work],
        ],
    };
    for flavour in [Flavour::RoundRobin, Flavour::RunToCompletion] {
        let runs = sealed_runs(&program, &["machine:B"], flavour);
        assert!(runs.iter().all(|run| run.len() == 8), "every run goes to its end: {runs:?}");
    }
}

#[test]
fn a_sealed_state_offers_one_choice_and_remembers_that_others_were_left_out() {
    let program = sealed(&relay(), &["event:e0"], Flavour::RoundRobin);
    // 0, 0, 0, then 1 takes the event while 0 could still work.
    let state = Machines::follow(&program, &[0, 0, 0, 1]).expect("the run exists");
    let mut choices = Vec::new();
    assert!(state.is_sealed() && !program.has_pruned());
    program.choices(&state, &mut choices);
    assert_eq!(choices, [Choice::Schedule(fabius_model::ActorId(1))]);
    assert!(program.has_pruned());
}

#[test]
fn a_run_of_the_sealed_program_is_a_run_of_the_program() {
    let program = sealed(&relay(), &["event:e0"], Flavour::RoundRobin);
    let positions = [0, 0, 0, 1, 0, 0, 0, 0, 0];
    let there = Machines::follow(&program, &positions).expect("the run exists");
    let unsealed = program.unsealed_positions(&positions);
    let here = Machines::follow(&relay(), &unsealed).expect("the run exists");
    assert_eq!(there.inner(), &here);
    assert_ne!(unsealed, positions, "in the program 1 comes second");
}

#[test]
fn searches_of_the_sealed_program_agree() {
    for seed in 0..40 {
        let program = Machines::random(seed);
        for flavour in [Flavour::RoundRobin, Flavour::RunToCompletion] {
            let sealed = sealed(&program, &["machine:B", "event:e1"], flavour);
            let limits = breadth_first::Limits { states: 3_000, ..breadth_first::Limits::default() };
            let order = breadth_first::Order::BreadthFirst;
            let plain = breadth_first::run(&sealed, order, &limits, &Callbacks::default(), &mut |_| {});
            if plain.states >= 3_000 {
                continue;
            }
            let limits = stratified::Limits::default();
            let (rtc, _) =
                stratified::run(&sealed, &RunToCompletion::new(), &limits, &Callbacks::default(), &|_| {});
            assert_eq!(rtc.states, plain.states, "seed {seed}, {flavour:?}");
        }
    }
}

#[test]
fn explorers_obey_the_law_on_sealed_programs_and_fingerprints_are_of_content() {
    for seed in 0..20 {
        let program = Machines::random(seed);
        for flavour in [Flavour::RoundRobin, Flavour::RunToCompletion] {
            let sealed = || sealed(&program, &["machine:A", "event:e0"], flavour);
            law::check("rtc, sealed", &sealed(), RunToCompletion::new());
            law::check("rr, sealed", &sealed(), RoundRobin::new());
            law::check("random, sealed", &sealed(), RandomOrder::new(seed));
            let budget = Budget { runs: 20, steps: 50, ..Budget::default() };
            check_agreement(&sealed(), &sealed(), budget).expect("two values of the program agree");
        }
    }
}

#[test]
fn mistakes_in_seals_are_told() {
    let vocabulary = Machines::vocabulary();
    let error = |text| Seal::parse(text, &vocabulary).expect_err("the seal is wrong").to_string();
    assert_eq!(error("machine:D"), "there is no machine `D`");
    assert_eq!(error("state:A.T"), "there is no state `A.T`");
    assert_eq!(error("event:S"), "there is no event `S`");
    assert_eq!(error("B"), "expected `machine:NAME`, `state:MACHINE.STATE` or `event:NAME` and found `B`");
}
