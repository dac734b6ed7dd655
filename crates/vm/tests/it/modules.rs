//! What a test's module decides: permissions, interfaces, renaming, parameters.

use crate::support::{check, compile, explore, kinds};
use fabius_lang::ids::TestId;
use fabius_vm::{BugKind, Options, Vm};

#[test]
fn sending_what_the_machine_does_not_send_is_a_bug() {
    let source = "event a; event b;
        machine Main sends b; { start state S { entry { send this, a; } on a do { } } }";
    let explored = check(source);
    let message = "machine `Main` may not send `a`: it is not in its sends set";
    assert_eq!(explored.bug(), ("Main(1)", BugKind::NotPermitted, message));
}

#[test]
fn references_are_narrow_through_the_interface_and_wide_through_this() {
    let body = "event a; event b; event me: machine;
        interface Narrow() receives b, me;
        machine M receives a, b, me; { start state S { on me do (back: machine) { send back, me, this; } ignore a, b; } }";
    let narrow = format!(
        "{body} machine Main {{ start state S {{ entry {{ var n: Narrow; n = new Narrow(); send n as machine, a; }} }} }}
        test t [main=Main]: {{ Main, M -> Narrow }};"
    );
    let explored = check(&narrow);
    let message = "`Narrow(2)` may not be sent `a` through this reference";
    assert_eq!(explored.bug(), ("Main(1)", BugKind::NotPermitted, message));
    let wide = format!(
        "{body} machine Main {{
            start state S {{
                entry {{ var n: Narrow; n = new Narrow(); send n, me, this; }}
                on me do (m: machine) {{ send m, a; }}
            }}
        }}
        test t [main=Main]: {{ Main, M -> Narrow }};"
    );
    assert_eq!(kinds(&wide), []);
}

#[test]
fn a_reference_cannot_be_widened() {
    let source = |interface: &str| {
        format!(
            "event a; event b;
            interface Small() receives a;
            interface Large() receives a, b;
            machine M receives a, b; {{ start state S {{ ignore a, b; }} }}
            machine Main {{ start state S {{ entry {{
                var m: machine; var x: any;
                m = new {interface}();
                x = m to Large;
            }} }} }}
            test t [main=Main]: {{ Main, M -> Small, M -> Large }};"
        )
    };
    assert_eq!(kinds(&source("Large")), []);
    assert_eq!(kinds(&source("Small")), [BugKind::BadCast]);
}

#[test]
fn one_interface_can_be_implemented_differently_by_test() {
    let source = "interface Server() receives go;
        event go;
        machine Good receives go; { start state S { ignore go; } }
        machine Bad receives go; { start state S { on go do { assert false, \"bad\"; } } }
        machine Main { start state S { entry { var s: Server; s = new Server(); send s, go; } } }
        test good [main=Main]: { Main, Good -> Server };
        test bad [main=Main]: { Main, Bad -> Server };";
    let program = compile(source);
    let run = |test| {
        let vm = Vm::new(program.clone(), TestId(test), Options::default()).expect("the test links");
        explore(&vm)
    };
    assert!(run(0).bugs.is_empty());
    assert_eq!(run(1).bug(), ("Server(2)", BugKind::Assertion, "bad"));
}

#[test]
fn parameters_have_the_values_of_the_test() {
    let source = "param size: int; param flag: bool;
        machine Main { var x: int; var y: bool; start state S { entry { x = size * 2; y = flag; } } }
        test param (size in [4, 5], flag in [true]) t [main=Main]: { Main };";
    let program = compile(source);
    let ends: Vec<String> = (0..program.tests.len() as u32)
        .flat_map(|test| {
            let vm = Vm::new(program.clone(), TestId(test), Options::default()).expect("the test links");
            explore(&vm).final_locals
        })
        .collect();
    assert_eq!(ends, ["Main(1).S (8, True)", "Main(1).S (10, True)"]);
}

#[test]
fn null_events_and_targets_are_bugs() {
    let entry = |code: &str| {
        format!(
            "event a; machine Main {{ start state S {{ entry {{ var m: machine; var e: event; {code} }} }} }}"
        )
    };
    assert_eq!(kinds(&entry("send m, a;")), [BugKind::NullTarget]);
    assert_eq!(kinds(&entry("send this, e;")), [BugKind::NullEvent]);
    assert_eq!(kinds(&entry("raise e;")), [BugKind::NullEvent]);
    assert_eq!(kinds(&entry("announce e;")), [BugKind::NullEvent]);
}
