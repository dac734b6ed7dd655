//! Steps in words, and the effects that strategies are told.

use crate::support::{explore, vm};
use fabius_model::{ActorId, Choice, Effect, Happening, Narrate, Outcome, Program};
use fabius_vm::{BugKind, State, Vm};

const SOURCE: &str = "event req: int; event done;
    spec Watch observes req { start state Calm { on req goto Alarmed; } state Alarmed { ignore req; } }
    machine Main {
        start state Init { entry {
            var s: Server; var n: int;
            s = new Server(7);
            n = choose(2);
            send s, req, n;
            print format(\"sent {0}\", n);
            send s, halt;
            send s, done;
        } }
    }
    machine Server {
        start state Idle { entry (p: int) { goto Busy; } }
        state Busy { on req do (n: int) { raise done; } on done goto Waiting; }
        state Waiting { entry { receive { case done: { } } } }
    }
    test t [main=Main]: assert Watch in { Main, Server };";

/// Goes on with the choice at a position.
fn go(vm: &Vm, state: &State, at: usize) -> (State, Vec<Happening>, Vec<Effect>) {
    let mut choices = Vec::new();
    vm.choices(state, &mut choices);
    let (mut happenings, mut effects) = (Vec::new(), Vec::new());
    let Outcome::State(next) = vm.narrate(state, choices[at], &mut happenings) else {
        panic!("no step fails")
    };
    assert_eq!(vm.step(state, choices[at], &mut effects), Outcome::State(next.clone()));
    (next, happenings, effects)
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn entered(from: &str, to: &str) -> Happening {
    Happening::Entered { from: Some(text(from)), to: text(to) }
}

#[test]
fn a_run_is_told_step_by_step() {
    let vm = vm(SOURCE);
    let mut start = Vec::new();
    let Outcome::State(state) = vm.narrate_start(&mut start) else { panic!("nothing fails at the start") };
    let [Happening::MonitorEntered { .. }, Happening::Created { actor: main, .. }] = start[..] else {
        panic!("{start:?}")
    };
    assert_eq!(start[0], Happening::MonitorEntered { monitor: text("Watch"), from: None, to: text("Calm") });
    assert_eq!(vm.machine_name(main), "Main");

    let (state, told, effects) = go(&vm, &state, 0);
    let Happening::Created { actor: server, .. } = told[1] else { panic!("{told:?}") };
    assert_eq!(told[0], Happening::Entered { from: None, to: text("Init") });
    assert_eq!(
        told[1],
        Happening::Created { actor: server, machine: text("Server"), payload: Some(text("7")) }
    );
    assert_eq!(effects, [Effect::Created(server)]);
    assert_eq!(vm.mover(&state, Choice::Data(1)), Some(main));

    let (state, told, effects) = go(&vm, &state, 1);
    let sending = Happening::Sending { to: server, event: text("req"), payload: Some(text("1")) };
    let alarmed =
        Happening::MonitorEntered { monitor: text("Watch"), from: Some(text("Calm")), to: text("Alarmed") };
    assert_eq!(told, [Happening::Chose { value: text("1") }, sending, alarmed]);
    assert_eq!(effects, []);

    // The server starts, and has nothing to do.
    let (state, told, effects) = go(&vm, &state, 1);
    assert_eq!(told, [Happening::Entered { from: None, to: text("Idle") }, entered("Idle", "Busy")]);
    assert_eq!(effects, [Effect::Blocked(server)]);
    assert_eq!(vm.describe(&state, server), "Server(2) in Busy");

    let (state, told, effects) = go(&vm, &state, 0);
    let sent = |event: &str, payload: Option<&str>, dropped| Happening::Sent {
        to: server,
        event: text(event),
        payload: payload.map(text),
        dropped,
    };
    assert_eq!(told, [sent("req", Some("1"), false), Happening::Printed { text: text("sent 1") }]);
    assert_eq!(effects, [Effect::SentTo(server), Effect::Enabled(server)]);

    let (state, told, effects) = go(&vm, &state, 1);
    let received = Happening::Received { event: text("req"), payload: Some(text("1")) };
    let raised = Happening::Raised { event: text("done"), payload: None };
    let waiting = Happening::Waiting { events: vec![text("done")] };
    assert_eq!(told, [received, raised, entered("Busy", "Waiting"), waiting]);
    assert_eq!(effects, [Effect::Blocked(server)]);

    let (state, told, effects) = go(&vm, &state, 0);
    assert_eq!(told, [sent("halt", None, false)]);
    assert_eq!(effects, [Effect::SentTo(server), Effect::Enabled(server)]);

    let (state, told, effects) = go(&vm, &state, 1);
    let received = Happening::Received { event: text("halt"), payload: None };
    let raised = Happening::Raised { event: text("halt"), payload: None };
    assert_eq!(told, [received, raised, Happening::Halted]);
    assert_eq!(effects, [Effect::Halted(server)]);
    assert_eq!(vm.describe(&state, server), "Server(2), which has halted");

    let (_, told, effects) = go(&vm, &state, 0);
    assert_eq!(told, [sent("done", None, true)]);
    assert_eq!(effects, [Effect::Blocked(main)]);
}

#[test]
fn a_step_that_enqueues_says_where_it_writes() {
    let vm = vm(SOURCE);
    let Outcome::State(state) = vm.initial() else { panic!("nothing fails at the start") };
    let (state, ..) = go(&vm, &state, 0);
    let (state, ..) = go(&vm, &state, 0);
    let mut choices = Vec::new();
    vm.choices(&state, &mut choices);
    let targets: Vec<Option<ActorId>> = choices.iter().map(|choice| vm.writes_to(&state, *choice)).collect();
    let Choice::Schedule(server) = choices[1] else { panic!("{choices:?}") };
    assert_eq!(targets, [Some(server), None]);
}

#[test]
fn what_is_printed_is_what_values_were_at_that_time() {
    let vm = vm("machine Main { start state S { entry {
            var i: int; var m: map[int, string];
            while (i < 2) { m[i] = \"x\"; print format(\"{0}: {1}\", i, m); i = i + 1; }
            print \"end\";
        } } }");
    let Outcome::State(state) = vm.initial() else { panic!("nothing fails at the start") };
    let (_, told, _) = go(&vm, &state, 0);
    let printed = |told: &str| Happening::Printed { text: text(told) };
    let expected = [printed("0: (<0->x>)"), printed("1: (<0->x>, <1->x>)"), printed("end")];
    assert_eq!(told[1..], expected);
}

#[test]
fn texts_for_functions_that_only_print_them_are_told() {
    let vm = vm("fun log(at: int, what: string) { print what; }
        fun nothing(what: string) { }
        fun again(what: string): string { print what; return what; }
        machine Main { start state S { entry { var s: string;
            log(1, format(\"one {0}\", 1));
            nothing(format(\"two {0}\", 2));
            s = again(format(\"three {0}\", 3));
            assert s == \"three 3\";
        } } }");
    let Outcome::State(state) = vm.initial() else { panic!("nothing fails at the start") };
    let (_, told, _) = go(&vm, &state, 0);
    assert_eq!(told[1..], ["one 1", "three 3"].map(|told| Happening::Printed { text: text(told) }));
}

#[test]
fn what_a_print_asks_for_must_be_there_even_if_nobody_hears_it() {
    let source = "machine Main { start state S { entry {
        var m: map[int, int]; print format(\"{0}\", m[3]); } } }";
    let explored = explore(&vm(source));
    assert_eq!(explored.bug().1, BugKind::MissingKey);
}

#[test]
fn a_failed_assertion_shows_values_as_they_were_when_it_failed() {
    let source = "machine Main { start state S { entry { var i: int;
        while (true) { i = i + 1; assert i < 3, format(\"{0} of {1}\", i, \"two\"); } } } }";
    let explored = explore(&vm(source));
    assert_eq!(explored.bug().2, "3 of two");
}
