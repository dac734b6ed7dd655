//! Queues: order, deferring, ignoring, and what becomes of mail to machines that have ended.

use crate::support::{check, kinds, vm};
use fabius_model::{Outcome, Program};
use fabius_vm::BugKind;

/// A receiver that notes the numbers it gets, and a sender for each list of numbers.
fn noted(senders: &str) -> String {
    format!(
        "event eNote: int;
        machine Receiver {{
            var notes: seq[int];
            start state Wait {{ on eNote do (n: int) {{ notes += (sizeof(notes), n); }} }}
        }}
        {senders}"
    )
}

#[test]
fn messages_of_one_sender_keep_their_order() {
    let explored = check(&noted(
        "machine Main {
            start state S { entry {
                var r: Receiver;
                r = new Receiver();
                send r, eNote, 1; send r, eNote, 2; send r, eNote, 3;
            } }
        }",
    ));
    assert!(explored.final_locals.contains("Receiver(2).Wait ([1 2 3])"));
    assert_eq!(explored.ends, 1);
}

#[test]
fn messages_of_two_senders_come_in_every_order() {
    let explored = check(&noted(
        "machine Main {
            start state S { entry {
                var r: Receiver;
                r = new Receiver();
                new Sender((r, 3));
                send r, eNote, 1; send r, eNote, 2;
            } }
        }
        machine Sender {
            start state S { entry (p: (Receiver, int)) { send p.0, eNote, p.1; } }
        }",
    ));
    let ends: Vec<_> = explored.final_locals.iter().filter(|local| local.starts_with("Receiver")).collect();
    assert_eq!(
        ends,
        ["Receiver(2).Wait ([1 2 3])", "Receiver(2).Wait ([1 3 2])", "Receiver(2).Wait ([3 1 2])"]
    );
}

#[test]
fn a_send_enqueues_at_once_so_causes_come_before_consequences() {
    let explored = check(&noted(
        "event eForward: Receiver;
        machine Main {
            start state S { entry {
                var r: Receiver; var b: Relay;
                r = new Receiver();
                b = new Relay();
                send r, eNote, 1;
                send b, eForward, r;
            } }
        }
        machine Relay {
            start state S { on eForward do (r: Receiver) { send r, eNote, 2; } }
        }",
    ));
    let orders: Vec<_> = explored.final_locals.iter().filter(|local| local.starts_with("Receiver")).collect();
    assert_eq!(orders, ["Receiver(2).Wait ([1 2])"]);
}

/// Sends `events` to a machine with these states, which notes what it handles by calling `note`.
fn scripted(events: &str, states: &str) -> String {
    format!(
        "event a; event b; event c; event d;
        machine Main {{
            start state S {{ entry {{ var m: M; m = new M(); {events} }} }}
        }}
        machine M {{
            var log: string;
            fun note(s: string) {{ log = log + s; }}
            {states}
        }}"
    )
}

#[test]
fn deferred_events_stay_in_place_and_come_before_later_ones() {
    let explored = check(&scripted(
        "send m, a; send m, b; send m, a; send m, c;",
        "start state S { defer a; on b goto T with { note(\"b\"); } }
        state T { on a do { note(\"a\"); } on c do { note(\"c\"); } }",
    ));
    assert!(explored.final_locals.contains("M(2).T (baac)"));
    assert!(explored.bugs.is_empty());
}

#[test]
fn ignored_events_before_the_taken_one_are_gone_for_good() {
    let explored = check(&scripted(
        "send m, a; send m, b; send m, c;",
        "start state S { ignore a; on b goto T; }
        state T { on a do { note(\"a\"); } on c do { note(\"c\"); } }",
    ));
    let ends: Vec<_> = explored.final_locals.iter().filter(|local| local.starts_with('M')).collect();
    assert_eq!(ends, ["M(2).T (c)", "Main(1).S ()"]);
}

#[test]
fn ignored_events_behind_the_taken_one_wait_for_the_next_state() {
    let explored = check(&scripted(
        "send m, b; send m, a;",
        "start state S { ignore a; on b goto T; }
        state T { on a do { note(\"a\"); } }",
    ));
    // Also when `a` arrives while `M` still stands in `S` with `b` in its queue.
    assert!(explored.final_locals.contains("M(2).T (a)"));
    assert!(!explored.final_locals.contains("M(2).T ()"), "`a` must not be lost");
}

#[test]
fn an_idle_machine_forgets_ignored_mail_at_once() {
    let many = "send m, a; send m, a; send m, a; send m, a; send m, a;";
    let few = check(&scripted("send m, a;", "start state S { ignore a; }"));
    let more = check(&scripted(many, "start state S { ignore a; }"));
    // The first state; then the sender's positions, one more than sends, before and after the receiver has started.
    assert_eq!((few.states, more.states), (1 + 2 * 2, 1 + 2 * 6));
}

#[test]
fn a_deferred_event_is_skipped_without_being_dropped_by_ignored_ones_around_it() {
    let explored = check(&scripted(
        "send m, c; send m, a; send m, c; send m, b;",
        "start state S { defer a; ignore c; on b goto T; }
        state T { on a do { note(\"a\"); } on c do { note(\"c\"); } }",
    ));
    let ends: Vec<_> = explored.final_locals.iter().filter(|local| local.starts_with("M(")).collect();
    assert_eq!(ends, ["M(2).T (a)"]);
}

#[test]
fn idle_machines_with_deferred_mail_are_no_deadlock_but_are_reported() {
    let source = scripted("send m, a; send m, a;", "start state Stuck { defer a; }");
    let explored = check(&source);
    assert!(explored.bugs.is_empty());
    let vm = vm(&source);
    let Outcome::State(mut state) = vm.initial() else { panic!("nothing fails at the start") };
    let mut choices = Vec::new();
    loop {
        vm.choices(&state, &mut choices);
        let Some(choice) = choices.first() else { break };
        let Outcome::State(next) = vm.step(&state, *choice, &mut Vec::new()) else { panic!("no step fails") };
        state = next;
    }
    let mail = vm.stuck_mail(&state);
    assert_eq!(mail.len(), 1);
    assert_eq!((&*mail[0].machine, &*mail[0].state), ("M(2)", "Stuck"));
    assert_eq!(mail[0].events, ["a", "a"]);
}

#[test]
fn sends_to_a_halted_machine_are_dropped_but_seen_by_specs() {
    let source = "event a;
        spec Count observes a {
            var n: int;
            start state S { on a do { n = n + 1; assert n < 3, \"three\"; } }
        }
        machine Main {
            start state S { entry {
                var m: M; m = new M();
                send m, halt;
                send m, a; send m, a; send m, a;
            } }
        }
        machine M { start state S { on a do { } } }
        test t [main=Main]: assert Count in { Main, M };";
    let explored = check(source);
    assert_eq!(explored.bug(), ("Count", BugKind::Assertion, "three"));
    assert!(explored.locals.contains("M(2) halted"));
}

#[test]
fn mail_behind_halt_is_dropped_with_the_queue() {
    let explored = check(&scripted("send m, halt; send m, d;", "start state S { }"));
    // `d` could not be handled.
    assert!(explored.bugs.is_empty());
    assert!(explored.final_locals.contains("M(2) halted"));
    assert_eq!(explored.ends, 1, "whether `d` came before or after makes no difference");
}

#[test]
fn an_unhandled_event_is_a_bug_only_when_it_is_dequeued() {
    assert_eq!(kinds(&scripted("send m, a;", "start state S { }")), [BugKind::UnhandledEvent]);
    let deferred = "start state S { defer a; on b goto T; } state T { }";
    assert_eq!(kinds(&scripted("send m, a;", deferred)), []);
    assert_eq!(kinds(&scripted("send m, a; send m, b;", deferred)), [BugKind::UnhandledEvent]);
}
