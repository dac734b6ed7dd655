//! Specs and scenarios: what they see, when, and what counts as wrong.

use crate::support::{check, kinds, vm};
use fabius_model::{Outcome, Program};
use fabius_vm::BugKind;

#[test]
fn a_spec_sees_an_event_before_it_is_enqueued_and_others_may_act_in_between() {
    // `Main` shows `a`, then is delayed before the enqueue; `Other`'s `b` reaches the receiver first.
    let source = "event a; event b;
        spec Order observes a, b {
            start state S { on a goto A; on b goto B; }
            state A { ignore b; }
            state B { ignore a; entry { assert false, \"b first\"; } }
        }
        machine Main {
            start state S { entry {
                var r: Receiver; var o: Other;
                r = new Receiver();
                o = new Other(r);
                send r, a;
            } }
        }
        machine Other { start state S { entry (r: Receiver) { send r, b; } } }
        machine Receiver {
            var first: string;
            start state S {
                on a do { if (first == \"\") { first = \"a\"; } }
                on b do { if (first == \"\") { first = \"b\"; } }
            }
        }
        test t [main=Main]: assert Order in { Main, Other, Receiver };";
    let explored = check(source);
    // Every end has the spec in `A`, for seeing `b` first is a bug, and still `b` may come first.
    assert!(explored.final_locals.contains("Receiver(2).S (a)"));
    assert!(explored.final_locals.contains("Receiver(2).S (b)"));
}

#[test]
fn only_machines_of_the_module_a_spec_is_attached_to_are_observed() {
    let body = "event a;
        spec Never observes a { start state S { on a do { assert false, \"seen\"; } } }
        machine Main { start state S { entry { new Inside(); new Outside(); } } }
        machine Inside { start state S { entry { announce a; } } }
        machine Outside { start state S { entry { announce a; } } }";
    let attached =
        format!("{body} test t [main=Main]: union {{ Main, Outside }}, (assert Never in {{ Inside }});");
    assert_eq!(check(&attached).bug(), ("Never", BugKind::Assertion, "seen"));
    let elsewhere =
        body.replace("Inside { start state S { entry { announce a; } } }", "Inside { start state S { } }");
    let elsewhere =
        format!("{elsewhere} test t [main=Main]: union {{ Main, Outside }}, (assert Never in {{ Inside }});");
    assert_eq!(kinds(&elsewhere), []);
}

/// `Main` does `entry`; the spec has these states and sees `a` and `n`.
fn watched(entry: &str, states: &str) -> String {
    format!(
        "event a; event n: int; event other;
        spec Spec observes a, n {{ var log: seq[int]; {states} }}
        machine Main {{
            start state S {{ entry {{ {entry} }} on a do {{ }} on n do {{ }} on other do {{ }} }}
        }}
        test t [main=Main]: assert Spec in {{ Main }};"
    )
}

#[test]
fn an_observed_event_that_the_state_does_not_handle_is_a_bug() {
    let explored = check(&watched("send this, a;", "start state S { on n do { } }"));
    let message = "spec `Spec` cannot handle `a` in state `S`";
    assert_eq!(explored.bug(), ("Spec", BugKind::UnhandledObservation, message));
    assert_eq!(kinds(&watched("send this, a;", "start state S { ignore a; }")), []);
    assert_eq!(kinds(&watched("send this, other;", "start state S { }")), [], "`other` is not observed");
}

#[test]
fn raised_events_are_not_observed_and_announced_ones_are() {
    let never = "start state S { on a do { assert false, \"seen\"; } ignore n; }";
    assert_eq!(kinds(&watched("raise a;", never)), []);
    assert_eq!(kinds(&watched("announce a;", never)), [BugKind::Assertion]);
}

#[test]
fn specs_handle_payloads_and_change_states_with_exit_and_entry() {
    let states = "start state S {
            on n goto T with (i: int) { log += (0, i); }
            exit { log += (0, 100); }
        }
        state T { entry (i: int) { log += (0, i + 1); assert sizeof(log) != 3, format(\"{0}\", log); } }";
    let explored = check(&watched("announce n, 5;", states));
    assert_eq!(explored.bug(), ("Spec", BugKind::Assertion, "(6, 5, 100)"));
}

#[test]
fn specs_may_raise_and_goto() {
    let states = "start state S { on a do { raise n, 3; } on n do (i: int) { goto T, i; } }
        state T { entry (i: int) { assert i != 3, \"arrived\"; } }";
    assert_eq!(check(&watched("announce a;", states)).bug(), ("Spec", BugKind::Assertion, "arrived"));
}

#[test]
fn a_spec_starts_before_everything_and_may_fail_there() {
    let source = watched("", "start state S { entry { assert false, \"at once\"; } }");
    let vm = vm(&source);
    let Outcome::Bug(bug) = vm.initial() else { panic!("it fails at once") };
    assert_eq!((bug.kind, &*bug.machine, &*bug.message), (BugKind::Assertion, "Spec", "at once"));
}

#[test]
fn a_hot_spec_at_the_end_is_a_bug_and_a_warm_or_cold_one_is_not() {
    let states = |kind: &str| format!("start state S {{ on a goto T; }} {kind} state T {{ ignore a; }}");
    let hot = check(&watched("send this, a;", &states("hot")));
    let message = "spec `Spec` is in hot state `T` when nothing can move any more";
    assert_eq!(hot.bug(), ("Spec", BugKind::HotAtEnd, message));
    assert_eq!(kinds(&watched("send this, a;", &states("cold"))), []);
    assert_eq!(kinds(&watched("send this, a;", &states(""))), []);
}

#[test]
fn a_hot_scenario_is_no_bug() {
    let source = "event a;
        scenario Happens observes a { start hot state Waiting { on a goto Done; } cold state Done { ignore a; } }
        machine Main { start state S { } }
        test t [main=Main]: { Main };";
    assert_eq!(kinds(source), []);
    let vm = vm(source);
    let Outcome::State(state) = vm.initial() else { panic!("nothing fails at the start") };
    assert_eq!(vm.hot_monitors(&state).count(), 0);
    assert_eq!(vm.monitors(&state).len(), 1, "scenarios are attached to every test");
}

#[test]
fn hot_specs_are_listed() {
    let vm = vm(&watched("", "start hot state S { ignore a; }"));
    let Outcome::State(state) = vm.initial() else { panic!("nothing fails at the start") };
    assert_eq!(vm.hot_monitors(&state).collect::<Vec<_>>(), [0]);
}

#[test]
fn announcements_without_a_point_between_them_are_not_separated() {
    let source = "event x; event y;
        spec Pairs observes x, y {
            start state S { on x goto X; on y do { assert true; } }
            state X { on x goto S; on y do { assert false, \"separated\"; } }
        }
        machine Main { start state S { entry { new Other(); announce x; announce x; } } }
        machine Other { start state S { entry { announce y; } } }
        test t [main=Main]: assert Pairs in { Main, Other };";
    assert_eq!(kinds(source), []);
}

#[test]
fn an_announcement_behind_an_enqueue_follows_at_once() {
    // Nobody moves between the enqueue of `a` and the announcement: whoever handles `a` announces `y` later than `x`.
    let source = "event a; event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry { var m: M; m = new M(); send m, a; announce x; } } }
        machine M { start state S { on a do { announce y; } } }
        test t [main=Main]: assert Order in { Main, M };";
    assert_eq!(kinds(source), []);
}

#[test]
fn sends_to_null_are_bugs_before_anything_is_seen() {
    let source = "event a;
        spec Never observes a { start state S { on a do { assert false, \"seen\"; } } }
        machine Main { start state S { entry { var m: machine; send m, a; } } }
        test t [main=Main]: assert Never in { Main };";
    assert_eq!(kinds(source), [BugKind::NullTarget]);
}
