//! `receive`: what it takes, where it may stand, and how it ends.

use crate::support::{check, kinds};
use fabius_vm::BugKind;

/// `Main` sends `events` to `M`, which has these states and a log.
fn sent(events: &str, states: &str) -> String {
    format!(
        "event a; event b; event c; event n: int;
        machine Main {{ start state S {{ entry {{ var m: M; m = new M(); {events} }} }} }}
        machine M {{
            var log: string;
            fun note(s: string) {{ log = log + s; }}
            {states}
        }}"
    )
}

fn ends(events: &str, states: &str) -> Vec<String> {
    let explored = check(&sent(events, states));
    assert!(explored.bugs.is_empty(), "{explored:?}");
    explored.final_locals.into_iter().filter(|local| local.starts_with("M(")).collect()
}

#[test]
fn it_takes_the_first_listed_event_and_leaves_the_others_in_order() {
    let states = "start state S {
            entry { receive { case b, c: { note(\"r\"); } } goto T; }
        }
        state T { on a do { note(\"a\"); } on b do { note(\"b\"); } on c do { note(\"c\"); } }";
    assert_eq!(ends("send m, a; send m, c; send m, b; send m, a;", states), ["M(2).T (raba)"]);
}

#[test]
fn defer_and_ignore_do_not_matter_to_it() {
    let states = "start state S {
            defer a; ignore b;
            entry { receive { case a: { note(\"1\"); } } receive { case b: { note(\"2\"); } } }
        }";
    assert_eq!(ends("send m, a; send m, b;", states), ["M(2).S (12)"]);
}

#[test]
fn events_it_passes_over_are_kept_even_if_the_state_ignores_them() {
    let states = "start state S {
            ignore b;
            entry { receive { case a: { note(\"a\"); } } goto T; }
        }
        state T { on b do { note(\"b\"); } }";
    assert_eq!(ends("send m, b; send m, a;", states), ["M(2).T (ab)"]);
}

#[test]
fn payloads_are_bound_by_case() {
    let states = "start state S {
            entry { receive { case n: (i: int) { note(format(\"{0}\", i)); } case a: { note(\"a\"); } } }
        }";
    assert_eq!(ends("send m, n, 4;", states), ["M(2).S (4)"]);
    assert_eq!(ends("send m, a;", states), ["M(2).S (a)"]);
}

#[test]
fn it_works_in_functions_with_results_in_loops_and_nested() {
    let states = "fun next(): int {
            var result: int;
            receive { case n: (i: int) { receive { case n: (j: int) { result = i * 10 + j; } } } }
            return result;
        }
        start state S {
            entry {
                var i: int; var sum: int;
                while (i < 2) { sum = sum + next(); i = i + 1; }
                note(format(\"{0}\", sum));
            }
        }";
    let events = "send m, n, 1; send m, n, 2; send m, n, 3; send m, n, 4;";
    assert_eq!(ends(events, states), ["M(2).S (46)"]);
}

#[test]
fn it_works_in_exit_and_transition_functions() {
    let states = "start state S {
            on a goto T with { receive { case b: { note(\"with\"); } } }
            exit { receive { case c: { note(\"exit \"); } } }
        }
        state T { entry { note(\" entry\"); } }";
    assert_eq!(ends("send m, a; send m, b; send m, c;", states), ["M(2).T (exit with entry)"]);
}

#[test]
fn halt_ends_a_machine_that_receives() {
    let states = "start state S { entry { receive { case a: { note(\"a\"); } } note(\"never\"); } }";
    assert_eq!(ends("send m, b; send m, halt; send m, b;", states), ["M(2) halted"]);
}

#[test]
fn a_halt_case_takes_halt() {
    let states = "start state S { entry { receive { case halt: { note(\"h\"); } } } }";
    assert_eq!(ends("send m, halt;", states), ["M(2).S (h)"]);
}

#[test]
fn halt_in_receive_goes_to_the_states_handler_of_halt() {
    let states = "start state S { entry { receive { case a: { } } } on halt do { note(\"handled\"); } }";
    assert_eq!(ends("send m, halt;", states), ["M(2).S (handled)"]);
}

#[test]
fn halt_received_while_leaving_a_state_is_a_bug() {
    let states = "start state S { on a goto T; exit { receive { case b: { } } } } state T { }";
    assert_eq!(kinds(&sent("send m, a; send m, halt;", states)), [BugKind::TransitionInExit]);
}

#[test]
fn nothing_to_receive_at_the_end_is_a_deadlock_that_names_who_waits() {
    let source = sent("m = new M();", "start state S { entry { receive { case a: { } } } }");
    let explored = check(&source);
    let message = "nothing can move, and `M(2)`, `M(3)` wait in `receive`";
    assert_eq!(explored.bug(), ("M(2)", BugKind::Deadlock, message));
}

#[test]
fn a_deadlock_is_reported_rather_than_a_hot_spec() {
    let source = "event a;
        spec Hot observes a { start hot state H { on a do { } } }
        machine Main { start state S { entry { receive { case a: { } } } } }
        test t [main=Main]: assert Hot in { Main };";
    assert_eq!(kinds(source), [BugKind::Deadlock]);
}

#[test]
fn a_satisfied_receive_is_a_scheduling_point() {
    // Between `note("1")` and `note("2")` another machine can announce.
    let source = "event a; event x; event y;
        spec Order observes x, y {
            start state S { on x goto Seen; ignore y; }
            state Seen { on y do { assert false, \"between\"; } on x do { assert true; } }
        }
        machine Main {
            start state S { entry {
                new Other();
                send this, a;
                announce x;
                receive { case a: { } }
                announce x;
            } }
        }
        machine Other { start state S { entry { announce y; } } }
        test t [main=Main]: assert Order in { Main, Other };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "between"));
}
