//! Custom order: who runs first, when that changes, and what is wrong with orders.

use fabius_explore::{Cursor, CustomOrder, Orders, Taken};
use fabius_model::{Outcome, Program};

use crate::machines::{Machines, Op};

fn explorer(rules: &str) -> CustomOrder {
    CustomOrder::new(Orders::parse(rules, &Machines::vocabulary()).expect("the rules are right"))
}

/// Who moves in the run that spends these delays, one number for each step that has more than one choice.
fn run(program: &Machines, rules: &str, delays: &[u32]) -> Vec<usize> {
    let Outcome::State(mut state) = program.initial() else { panic!("it starts") };
    let mut choices = Vec::new();
    program.choices(&state, &mut choices);
    let mut cursor = Cursor::begin(explorer(rules), &choices, 0);
    let mut delays = delays.iter();
    while !choices.is_empty() {
        if choices.len() > 1 {
            for _ in 0..delays.next().copied().unwrap_or(0) {
                assert!(cursor.delay(&choices), "there is somebody to move on to");
            }
        }
        let choice = choices[cursor.next(&choices)];
        let mut effects = Vec::new();
        let Outcome::State(next) = program.step(&state, choice, &mut effects) else { panic!("no bug") };
        cursor.step(&Taken { choice, effects: &effects, fingerprint: 0 });
        state = next;
        program.choices(&state, &mut choices);
    }
    state.history
}

/// Machine 0 (an A) creates 1 (a B), 2 (a C) and 3 (an A) and works once; each of the others works twice.
fn four() -> Machines {
    let work = vec![Op::Work; 2];
    Machines {
        scripts: vec![vec![Op::New(1), Op::New(2), Op::New(3), Op::Work], work.clone(), work.clone(), work],
    }
}

#[test]
fn types_come_in_the_order_of_the_rules_and_machines_of_one_type_in_that_of_creation() {
    assert_eq!(run(&four(), "A,B,C", &[]), [0, 0, 0, 0, 3, 3, 1, 1, 2, 2]);
    assert_eq!(run(&four(), "A,C,B", &[]), [0, 0, 0, 0, 3, 3, 2, 2, 1, 1]);
    assert_eq!(run(&four(), "B", &[]), [0, 1, 1, 0, 0, 0, 2, 2, 3, 3], "who is not named comes last");
    assert_eq!(run(&four(), "*,A", &[]), [0, 1, 1, 0, 2, 2, 0, 0, 3, 3], "unless there is a place for it");
}

#[test]
fn a_delay_passes_somebody_over_at_one_state_only() {
    // The first state with a choice is that after machine 1 was created.
    assert_eq!(run(&four(), "A,B,C", &[1]), [0, 1, 0, 0, 0, 3, 3, 1, 2, 2]);
    assert_eq!(run(&four(), "A,B,C", &[0, 2, 0]), [0, 0, 2, 0, 0, 3, 3, 1, 1, 2]);
}

#[test]
fn the_order_changes_when_an_event_is_sent() {
    let mut program = four();
    program.scripts[0][3] = Op::Send(1, 1);
    let rules = "A,B,C; e1: C,B,A; e0: A";
    assert_eq!(run(&program, rules, &[]), [0, 0, 0, 0, 2, 2, 1, 1, 3, 3]);
    assert_eq!(run(&program, "A,B,C; e0: C,B,A", &[]), [0, 0, 0, 0, 3, 3, 1, 1, 2, 2], "another event");
}

#[test]
fn mistakes_in_rules_are_told() {
    let error = |rules: &str| {
        let error = Orders::parse(rules, &Machines::vocabulary()).expect_err("the rules are wrong");
        error.to_string()
    };
    assert_eq!(error("A,D"), "there is no machine `D`");
    assert_eq!(error("A; e7: B"), "there is no event `e7`");
    assert_eq!(error("A,,B"), "expected the name of a machine type, or `*`");
    assert_eq!(error("A,B,A"), "`A` has two places in one order");
    assert_eq!(error("A; e0: B; e0: C"), "two orders begin with `e0`");
    assert_eq!(error("A; B"), "expected `EVENT: MACHINE,..` and found `B`");
    assert_eq!(error("e0: A"), "the first order holds from the start and has no event, but `e0` is given");
}
