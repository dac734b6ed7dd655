//! Creating machines: identities, and what can happen around a `new`.

use crate::support::{check, kinds};
use fabius_vm::BugKind;

#[test]
fn the_order_of_creations_by_different_machines_leaves_no_trace() {
    // Two creators, one child each: whoever is first, the same states follow. By hand: the first state; then each creator
    // and its child can be, independently of the other pair, in 3 stages (creator new; child new; child idle).
    let source = "machine Main { start state S { entry { new A(); new B(); } } }
        machine A { start state S { entry { new Child(); } } }
        machine B { start state S { entry { new Child(); } } }
        machine Child { start state S { } }";
    let explored = check(source);
    assert_eq!(explored.states, 1 + 3 * 3);
    assert_eq!(explored.ends, 1);
    assert!(explored.final_locals.contains("Child(2.1).S ()"));
    assert!(explored.final_locals.contains("Child(3.1).S ()"));
}

#[test]
fn independent_machines_make_a_grid_of_states() {
    // After the first state, each of the three machines is new or idle.
    let source = "machine Main { start state S { entry { new M(); new M(); new M(); } } }
        machine M { start state S { } }";
    assert_eq!(check(source).states, 1 + 2 * 2 * 2);
}

#[test]
fn a_machine_created_first_may_act_before_what_follows_the_second_creation() {
    // P may switch before each `new`; before the second, the first machine can run and announce `y`.
    let source = "event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry { new First(); new Second(); announce x; } } }
        machine First { start state S { entry { announce y; } } }
        machine Second { start state S { } }
        test t [main=Main]: assert Order in { Main, First, Second };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "y before x"));
}

#[test]
fn a_machine_just_created_cannot_act_before_what_follows_at_once() {
    let source = "event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry { new First(); announce x; } } }
        machine First { start state S { entry { announce y; } } }
        test t [main=Main]: assert Order in { Main, First };";
    assert_eq!(kinds(source), []);
}

#[test]
fn others_may_act_between_an_enqueue_and_the_announcement_behind_a_new() {
    let source = "event a; event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry { var m: M; m = new M(); send m, a; new Second(); announce x; } } }
        machine M { start state S { on a do { announce y; } } }
        machine Second { start state S { } }
        test t [main=Main]: assert Order in { Main, M, Second };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "y before x"));
}

#[test]
fn others_may_act_before_a_new_that_a_choice_follows() {
    // The choice decides whether something visible follows the `new`.
    let source = "event a; event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry {
            var m: M; m = new M(); send m, a; new Second();
            if ($) { announce x; }
        } } }
        machine M { start state S { on a do { announce y; } } }
        machine Second { start state S { } }
        test t [main=Main]: assert Order in { Main, M, Second };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "y before x"));
}

#[test]
fn a_choice_between_something_visible_and_a_new_does_not_hide_the_point() {
    let source = "event a; event x; event y;
        spec Order observes x, y {
            start state S { on x goto X; on y do { assert false, \"y before x\"; } }
            state X { ignore x, y; }
        }
        machine Main { start state S { entry {
            var m: M; var b: bool; m = new M(); send m, a; b = $; new Second();
            announce x;
        } } }
        machine M { start state S { on a do { announce y; } } }
        machine Second { start state S { } }
        test t [main=Main]: assert Order in { Main, M, Second };";
    assert_eq!(check(source).bug(), ("Order", BugKind::Assertion, "y before x"));
}

#[test]
fn a_bug_behind_a_new_does_not_hide_what_others_could_do_before() {
    let source = "event a;
        machine Main { start state S { entry { var m: M; m = new M(); send m, a; new M(); assert false, \"main\"; } } }
        machine M { start state S { on a do { assert false, \"m\"; } } }";
    let messages: Vec<_> = check(source).bugs.into_iter().map(|(_, _, message)| message).collect();
    assert_eq!(messages, ["m", "main"]);
}

#[test]
fn machine_references_are_equal_by_identity_not_by_how_they_were_got() {
    let source = "event e: machine;
        machine Main {
            var m: M; var other: machine; var same: bool;
            start state S {
                entry { m = new M(); other = new M(); send m, e, this; }
                on e do (back: machine) { same = back == m && m != other && back in (default(set[machine])) == false; goto Done; }
            }
            state Done { }
        }
        machine M { start state S { on e do (back: machine) { send back, e, this; } } }";
    let explored = check(source);
    assert!(
        explored
            .final_locals
            .iter()
            .any(|local| local.starts_with("Main(1).Done") && local.ends_with("True)"))
    );
}
