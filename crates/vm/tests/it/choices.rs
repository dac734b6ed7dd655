//! `choose` in all its forms.

use crate::support::{check, kinds, vm};
use fabius_model::{Choice, Outcome, Program};
use fabius_vm::BugKind;

/// A machine that stores what it chose, and the values it can end with, in the order of the choices.
fn chosen(setup: &str, expression: &str, ty: &str) -> Vec<String> {
    let source = format!(
        "machine Main {{
            var result: {ty};
            start state S {{ entry {{ {setup} result = {expression}; }} }}
        }}"
    );
    check(&source);
    let vm = vm(&source);
    let Outcome::State(initial) = vm.initial() else { panic!("nothing fails at the start") };
    let mut choices = Vec::new();
    vm.choices(&initial, &mut choices);
    let Outcome::State(choosing) = vm.step(&initial, choices[0], &mut Vec::new()) else {
        panic!("it chooses")
    };
    let result = |state| {
        let machines = vm.machines(&state);
        vm.text(&machines[0].fields[0])
    };
    vm.choices(&choosing, &mut choices);
    if choices.is_empty() {
        return vec![result(choosing)];
    }
    let expected: Vec<_> = (0..choices.len() as u32).map(Choice::Data).collect();
    assert_eq!(choices, expected);
    let ends = choices.iter().map(|choice| match vm.step(&choosing, *choice, &mut Vec::new()) {
        Outcome::State(state) => result(state),
        Outcome::Bug(bug) => panic!("{bug:?}"),
    });
    ends.collect()
}

#[test]
fn alternatives_come_in_order() {
    assert_eq!(chosen("", "$", "bool"), ["False", "True"]);
    assert_eq!(chosen("", "$$", "bool"), ["False", "True"]);
    assert_eq!(chosen("", "choose()", "bool"), ["False", "True"]);
    assert_eq!(chosen("", "choose(3)", "int"), ["0", "1", "2"]);
    let seq = "var s: seq[string]; s += (0, \"b\"); s += (1, \"a\");";
    assert_eq!(chosen(seq, "choose(s)", "string"), ["b", "a"]);
    let set = "var s: set[int]; s += (9); s += (4); s += (9); s += (6);";
    assert_eq!(chosen(set, "choose(s)", "int"), ["9", "4", "6"]);
    let map = "var m: map[string, int]; m[\"y\"] = 1; m[\"x\"] = 2;";
    assert_eq!(chosen(map, "choose(m)", "string"), ["y", "x"]);
}

#[test]
fn one_alternative_is_no_choice() {
    assert_eq!(chosen("", "choose(0)", "int"), ["0"]);
    assert_eq!(chosen("", "choose(1)", "int"), ["0"]);
    assert_eq!(chosen("var s: set[int]; s += (5);", "choose(s)", "int"), ["5"]);
}

#[test]
fn nothing_too_much_and_below_zero_are_bugs() {
    let entry = |code: &str| {
        format!("machine Main {{ start state S {{ entry {{ var i: int; var s: seq[int]; {code} }} }} }}")
    };
    assert_eq!(kinds(&entry("i = choose(s);")), [BugKind::ChooseEmpty]);
    assert_eq!(kinds(&entry("i = 0 - 1; i = choose(i);")), [BugKind::ChooseNegative]);
    assert_eq!(kinds(&entry("i = 10001; i = choose(i);")), [BugKind::ChooseTooMany]);
    let long = "while (i < 10001) { s += (i, i); i = i + 1; } i = choose(s);";
    assert_eq!(kinds(&entry(long)), [BugKind::ChooseTooMany]);
}

#[test]
fn nobody_moves_while_somebody_chooses() {
    let source = "event a;
        machine Main { start state S { entry { new M(); if ($) { send this, a; } } on a do { } } }
        machine M { start state S { } }";
    let vm = vm(source);
    let Outcome::State(initial) = vm.initial() else { panic!("nothing fails at the start") };
    let mut choices = Vec::new();
    vm.choices(&initial, &mut choices);
    let Outcome::State(choosing) = vm.step(&initial, choices[0], &mut Vec::new()) else {
        panic!("it chooses")
    };
    // `M` has been created, or the point before its creation matters; either way one goes through it.
    vm.choices(&choosing, &mut choices);
    assert!(choices.iter().all(|choice| matches!(choice, Choice::Data(_))), "{choices:?}");
    check(source);
}
