//! Transitions: the order of exit, `with` and entry, payloads, `raise`, `goto`, `halt`.

use crate::support::{check, kinds};
use fabius_vm::BugKind;

/// A single machine that logs; `body` are its states.
fn alone(body: &str) -> String {
    format!(
        "event a; event b; event n: int; event s: string;
        machine Main {{
            var log: string;
            fun note(s: string) {{ log = log + s; }}
            {body}
        }}"
    )
}

/// The log of the one end that such a machine has.
fn log(body: &str) -> String {
    let explored = check(&alone(body));
    assert!(explored.bugs.is_empty(), "{explored:?}");
    let ends: Vec<_> = explored.final_locals.iter().collect();
    let [end] = ends[..] else { panic!("not one end: {ends:?}") };
    end.clone()
}

#[test]
fn exit_then_with_then_entry_all_with_the_payload() {
    let end = log("start state S {
            entry { send this, n, 7; }
            exit { note(\"exit \"); }
            on n goto T with (i: int) { note(format(\"with {0} \", i)); }
        }
        state T { entry (i: int) { note(format(\"entry {0}\", i)); } }");
    assert_eq!(end, "Main(1).T (exit with 7 entry 7)");
}

#[test]
fn goto_passes_its_own_payload_to_anonymous_and_named_entries() {
    let end = log("start state S { entry { goto T, 1; } exit { note(\"x\"); } }
        state T { entry (i: int) { note(format(\"{0}\", i)); goto U, i + 1; } }
        state U { entry named; }
        fun named(i: int) { note(format(\"{0}\", i)); }");
    assert_eq!(end, "Main(1).U (x12)");
}

#[test]
fn goto_to_the_same_state_leaves_and_enters_it() {
    let end = log("var count: int;
        start state S {
            entry { note(\"in \"); count = count + 1; if (count < 3) { goto S; } }
            exit { note(\"out \"); }
        }");
    assert_eq!(end, "Main(1).S (in out in out in , 3)");
}

#[test]
fn a_raised_event_comes_before_the_queue() {
    let end = log("start state S {
            entry { send this, a; raise b; }
            on a do { note(\"a\"); }
            on b do { note(\"b\"); }
        }");
    assert_eq!(end, "Main(1).S (ba)");
}

#[test]
fn raise_and_goto_end_all_calls_they_are_in() {
    let end = log("fun deep(i: int) { if (i == 0) { raise n, 5; } deep(i - 1); note(\"never\"); }
        start state S {
            entry { deep(3); note(\"never\"); }
            on n do (i: int) { note(format(\"{0}\", i)); jump(); note(\"never\"); }
        }
        fun jump() { goto T; }
        state T { entry { note(\"T\"); } }");
    assert_eq!(end, "Main(1).T (5T)");
}

#[test]
fn a_raised_event_that_is_ignored_or_deferred_is_lost() {
    let ignored = log("start state S { entry { raise a; } ignore a; }");
    assert_eq!(ignored, "Main(1).S ()");
    let deferred = log("start state S { entry { send this, b; raise a; } defer a; on b goto T; }
        state T { on a do { note(\"a\"); } }");
    assert_eq!(deferred, "Main(1).T ()");
}

#[test]
fn an_unhandled_event_runs_the_exit_function_first() {
    let explored = check(&alone("start state S { entry { raise a; } exit { assert false, \"left\"; } }"));
    assert_eq!(explored.bug(), ("Main(1)", BugKind::Assertion, "left"));
    let explored = check(&alone("start state S { entry { raise a; } exit { note(\"x\"); } }"));
    let message = "machine `Main` cannot handle `a` in state `S`";
    assert_eq!(explored.bug(), ("Main(1)", BugKind::UnhandledEvent, message));
}

#[test]
fn every_kind_of_halt_runs_the_exit_function() {
    for entry in ["raise halt;", "send this, halt;", "receive { case a: { } }"] {
        let source = format!(
            "event a; event left: int;
            spec Left observes left {{ start state S {{ on left do (n: int) {{ assert false, \"left\"; }} }} }}
            machine Main {{ start state S {{ entry {{ var m: M; m = new M(); send m, halt; }} }} }}
            machine M {{ start state S {{ entry {{ {entry} }} exit {{ announce left, 1; }} }} }}
            test t [main=Main]: assert Left in {{ Main, M }};"
        );
        assert_eq!(check(&source).bug(), ("Left", BugKind::Assertion, "left"), "{entry}");
    }
}

#[test]
fn halt_can_be_handled_deferred_and_ignored_like_other_events() {
    let handled = log("start state S { entry { send this, halt; } on halt do { note(\"h\"); } }");
    assert_eq!(handled, "Main(1).S (h)");
    let moved = log("start state S { entry { raise halt; } on halt goto T; } state T { }");
    assert_eq!(moved, "Main(1).T ()");
    let ignored = log(
        "start state S { entry { send this, halt; send this, a; } ignore halt; on a do { note(\"a\"); } }",
    );
    assert_eq!(ignored, "Main(1).S (a)");
    let deferred = log("start state S { entry { send this, halt; } defer halt; }");
    assert_eq!(deferred, "Main(1).S ()");
}

#[test]
fn halt_through_a_variable_halts() {
    let end = log("start state S { entry { var e: event; e = halt; send this, e; } }");
    assert_eq!(end, "Main(1) halted");
    let end = log("start state S { entry { var e: event; e = halt; raise e; } }");
    assert_eq!(end, "Main(1) halted");
}

#[test]
fn transitions_can_be_interrupted_and_go_on_where_they_were() {
    // Sends in exit, `with` and entry are scheduling points.
    let end = log("start state S {
            entry { send this, n, 3; }
            exit { send this, a; note(\"x\"); }
            on n goto T with (i: int) { send this, a; note(format(\"w{0}\", i)); }
        }
        state T { entry (i: int) { send this, b; note(format(\"e{0}\", i)); } on a do { note(\"a\"); } on b do { note(\"b\"); } }");
    assert_eq!(end, "Main(1).T (xw3e3aab)");
}

#[test]
fn a_handler_whose_parameter_the_payload_does_not_fit_is_a_bad_cast() {
    let missing = alone("start state S { entry { send this, a; } on a do (i: int) { note(\"never\"); } }");
    assert_eq!(kinds(&missing), [BugKind::BadCast]);
    let wrong = alone(
        "start state S { entry { var e: event; e = n; send this, e, \"text\"; } on n do (i: int) { note(\"never\"); } }",
    );
    assert_eq!(kinds(&wrong), [BugKind::BadCast]);
}

#[test]
fn a_missing_payload_is_null_where_null_fits() {
    let end = log("start state S {
        entry { send this, a; }
        on a do (m: machine) { if (m == null) { note(\"null\"); } }
    }");
    assert_eq!(end, "Main(1).S (null)");
}

#[test]
fn a_start_state_without_entry_handles_events() {
    let source = "event a;
        machine Main { start state S { entry { var m: M; m = new M(); send m, a; } } }
        machine M { var n: int; start state S { on a do { n = n + 1; } } }";
    assert!(check(source).final_locals.contains("M(2).S (1)"));
}

#[test]
fn new_passes_one_or_several_arguments() {
    let source = "machine Main { start state S { entry { new M(1, \"x\"); new N(5); } } }
        machine M { var seen: (int, string); start state S { entry (p: (int, string)) { seen = p; } } }
        machine N { var seen: int; start state S { entry (p: int) { seen = p; } } }";
    let explored = check(source);
    assert!(explored.final_locals.contains("M(2).S ([1 x])"));
    assert!(explored.final_locals.contains("N(3).S (5)"));
}

#[test]
fn a_branch_that_ends_in_goto_does_not_swallow_the_way_around_it() {
    let end = log("start state S {
            entry { probe(1); probe(2); probe(3); }
        }
        fun probe(i: int) {
            if (i < 3) { if (i == 2) { note(\"two \"); goto T; } } else { note(\"never \"); }
            note(format(\"after {0} \", i));
        }
        state T { }");
    assert_eq!(end, "Main(1).T (after 1 two )");
}
