//! `on null`: what happens when there is nothing to dequeue.

use crate::support::{check, kinds};
use fabius_vm::BugKind;

#[test]
fn null_fires_when_the_queue_has_nothing_to_take() {
    let source = "machine Main {
            var n: int;
            start state S { on null do { n = n + 1; if (n == 3) { goto Done; } } }
            state Done { }
        }";
    let explored = check(source);
    assert!(explored.final_locals.contains("Main(1).Done (3)"));
    assert_eq!(explored.ends, 1);
}

#[test]
fn waiting_events_come_before_null() {
    let source = "event a;
        machine Main {
            var log: string;
            start state S {
                entry { send this, a; }
                on a do { log = log + \"a\"; }
                on null do { log = log + \"n\"; goto Done; }
            }
            state Done { }
        }";
    let explored = check(source);
    let ends: Vec<_> = explored.final_locals.iter().collect();
    assert_eq!(ends, ["Main(1).Done (an)"]);
}

#[test]
fn deferred_and_ignored_events_do_not_hold_null_back() {
    let source = "event a; event b;
        machine Main {
            start state S {
                entry { send this, a; send this, b; }
                defer a; ignore b;
                on null goto Done;
            }
            state Done { on a do { } on b do { assert false; } }
        }";
    assert_eq!(kinds(source), [], "`b` was met and dropped before null fired");
}

#[test]
fn a_message_that_arrives_between_check_and_handler_waits() {
    // The check finds nothing; then `a` arrives; then null fires all the same, in `T` where `a` is handled. That `a` was
    // there first shows in the spec, which sees it before `fired`.
    let source = "event a; event fired;
        spec Order observes a, fired {
            start state S { on a goto Sent; on fired goto Fired; }
            state Sent { on fired do { assert false, \"null after a was sent\"; } }
            state Fired { ignore a; }
        }
        machine Main {
            start state S { entry { var m: M; m = new M(); send m, a; } }
        }
        machine M {
            start state S { on null do { announce fired; goto T; } on a goto U; }
            state T { on a do { } }
            state U { }
        }
        test t [main=Main]: assert Order in { Main, M };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "null after a was sent"));
}

#[test]
fn null_can_fire_although_the_message_was_enqueued_just_before() {
    // The enqueue of `a` and the announcement of `done` are one step; null, decided before, fires after it.
    let source = "event a; event done; event fired;
        spec Order observes done, fired {
            start state S { on done goto Done; ignore fired; }
            state Done { on fired do { assert false, \"fired late\"; } }
        }
        machine Main { start state S { entry { var m: M; m = new M(); send m, a; announce done; } } }
        machine M {
            start state S { on null do { announce fired; goto T; } on a goto U; }
            state T { on a do { } }
            state U { }
        }
        test t [main=Main]: assert Order in { Main, M };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "fired late"));
}

#[test]
fn null_can_lead_elsewhere_with_the_exit_and_transition_functions() {
    let source = "machine Main {
            var log: string;
            start state S { on null goto T with { log = log + \"w\"; } exit { log = log + \"x\"; } }
            state T { entry { log = log + \"e\"; } }
        }";
    assert!(check(source).final_locals.contains("Main(1).T (xwe)"));
}

#[test]
fn what_arrives_at_a_machine_that_takes_null_may_change_what_its_move_does() {
    let source = "event a;
        machine Main { start state S { entry { var m: M; new N(); m = new M(); send m, a; } } }
        machine M {
            var chosen: bool;
            var fired: bool;
            start state S { on null do { fired = true; } on a do { chosen = $; } }
        }
        machine N { var moved: bool; start state S { entry { moved = true; } } }
        test t [main=Main]: { Main, M, N };";
    let locals = check(source).final_locals;
    assert!(locals.is_empty(), "{locals:?}");
}
