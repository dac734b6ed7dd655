//! Programs that would use up everything end in a bug that names the limit.

use crate::support::{explore, vm_with};
use fabius_vm::{BugKind, Limits, Options};

#[track_caller]
fn limited(source: &str, limits: Limits) -> (String, BugKind, String) {
    let vm = vm_with(source, Options { limits, ..Options::default() });
    let explored = explore(&vm);
    let (machine, kind, message) = explored.bug();
    (machine.to_owned(), kind, message.to_owned())
}

#[test]
fn a_loop_without_end() {
    let source = "machine Main { start state S { entry { while (true) { } } } }";
    let (_, kind, message) = limited(source, Limits { instructions: 1_000, ..Limits::default() });
    assert_eq!(
        (kind, &*message),
        (
            BugKind::EndlessLoop,
            "no scheduling point within 1,000 instructions, work on large values included"
        )
    );
}

#[test]
fn events_raised_for_ever() {
    let source = "event a; machine Main { start state S { entry { raise a; } on a goto S; } }";
    assert_eq!(limited(source, Limits::default()).1, BugKind::EndlessLoop);
}

#[test]
fn a_spec_without_end() {
    let source = "event a;
        spec Spec observes a { start state S { on a do { while (true) { } } } }
        machine Main { start state S { entry { announce a; } } }
        test t [main=Main]: assert Spec in { Main };";
    let (machine, kind, _) = limited(source, Limits::default());
    assert_eq!((&*machine, kind), ("Spec", BugKind::EndlessLoop));
}

#[test]
fn recursion_without_end() {
    let source = "fun f(n: int): int { return f(n + 1); } machine Main { start state S { entry { f(0); } } }";
    let (_, kind, message) = limited(source, Limits::default());
    assert_eq!((kind, &*message), (BugKind::StackOverflow, "more than 10,000 calls have not returned"));
}

#[test]
fn deep_recursion_that_ends_is_no_bug() {
    let source = "fun sum(n: int): int { if (n == 0) { return 0; } return n + sum(n - 1); }
        machine Main { start state S { entry { assert sum(9000) == 40504500; } } }";
    assert!(explore(&vm_with(source, Options::default())).bugs.is_empty());
}

#[test]
fn a_queue_that_grows_for_ever() {
    let source = "event a;
        machine Main { start state S { entry { var m: M; m = new M(); while (true) { send m, a; } } } }
        machine M { start state S { defer a; } }";
    let limits = Limits { queue_length: 50, ..Limits::default() };
    let (machine, kind, message) = limited(source, limits);
    assert_eq!(
        (&*machine, kind, &*message),
        ("M(2)", BugKind::QueueTooLong, "the queue of a `M` holds more than 50 messages")
    );
}

#[test]
fn a_string_that_doubles() {
    let source =
        "machine Main { start state S { entry { var s: string; s = \"ab\"; while (true) { s = s + s; } } } }";
    let (_, kind, message) = limited(source, Limits::default());
    assert_eq!((kind, &*message), (BugKind::ValueTooLarge, "a value grew beyond 1,048,576 bytes"));
}

#[test]
fn a_text_that_is_too_long_even_where_nobody_hears_it() {
    let print = |text: &str| {
        format!(
            "machine Main {{ start state S {{ entry {{ var s: string; var i: int; s = \"0123456789\";
                while (i < 4) {{ s = s + s; i = i + 1; }}
                print format(\"{text}\", s);
            }} }} }}"
        )
    };
    let limits = Limits { value_bytes: 500, ..Limits::default() };
    let (_, kind, message) = limited(&print("{0}{0}{0}{0}"), limits);
    assert_eq!((kind, &*message), (BugKind::ValueTooLarge, "a value grew beyond 500 bytes"));
    // Not sure to fit before it is made, but it does.
    let vm = vm_with(&print("{0}{0}{0}"), Options { limits, ..Options::default() });
    assert!(explore(&vm).bugs.is_empty());
}

#[test]
fn a_tuple_that_doubles_without_taking_memory() {
    // Shared parts count each time they occur, or comparing and printing would take for ever.
    let source = "machine Main { start state S { entry { var x: any; while (true) { x = (x, x); } } } }";
    assert_eq!(limited(source, Limits::default()).1, BugKind::ValueTooLarge);
}

#[test]
fn values_that_nest_without_end() {
    let source = "machine Main { start state S { entry { var s: seq[any]; var t: seq[any];
        while (true) { t = default(seq[any]); t += (0, s); s = t; } } } }";
    let (_, kind, message) = limited(source, Limits::default());
    assert_eq!((kind, &*message), (BugKind::ValueTooLarge, "a value nests more than 100 levels deep"));
}

#[test]
fn values_grow_through_every_kind_of_change() {
    for grow in [
        "s += (0, \"0123456789\");",
        "m[i] = \"0123456789\";",
        "t += (i);",
        "p.0 += (0, i);",
        "n[0] += (0, i);",
    ] {
        let source = format!(
            "machine Main {{ start state S {{ entry {{
                var i: int; var s: seq[string]; var m: map[int, string]; var t: set[int]; var p: (seq[int], int);
                var n: map[int, seq[int]];
                n[0] = default(seq[int]);
                while (true) {{ {grow} i = i + 1; }}
            }} }} }}"
        );
        let limits = Limits { value_bytes: 2_000, ..Limits::default() };
        assert_eq!(limited(&source, limits).1, BugKind::ValueTooLarge, "{grow}");
    }
}

#[test]
fn work_on_large_values_counts() {
    // Each comparison of the two long sequences takes much longer than an instruction.
    let source = "machine Main { start state S { entry {
        var s: seq[int]; var t: seq[int]; var i: int; var b: bool;
        while (i < 30000) { s += (i, i); i = i + 1; }
        t = s;
        t[29999] = 0;
        while (true) { b = s == t; }
    } } }";
    let started = std::time::Instant::now();
    assert_eq!(limited(source, Limits::default()).1, BugKind::EndlessLoop);
    assert!(started.elapsed().as_secs() < 60, "it took {:?}", started.elapsed());
}

#[test]
fn filling_a_large_value_is_no_endless_loop() {
    // The work grows with the value, but nothing is copied: 30,000 elements fit the limit, even at the front.
    for grow in ["s += (0, i);", "s += (sizeof(s), i);", "t += (i);", "m[i] = i;"] {
        let source = format!(
            "machine Main {{ start state S {{ entry {{
                var i: int; var s: seq[int]; var t: set[int]; var m: map[int, int];
                while (i < 30000) {{ {grow} i = i + 1; }}
            }} }} }}"
        );
        assert!(explore(&vm_with(&source, Options::default())).bugs.is_empty(), "{grow}");
    }
}

#[test]
fn copies_of_large_values_count() {
    // Each round copies what `t` still holds.
    let source = "machine Main { start state S { entry {
        var s: seq[int]; var t: seq[int]; var i: int;
        while (i < 30000) { s += (i, i); i = i + 1; }
        while (true) { t = s; s[0] = i; }
    } } }";
    let started = std::time::Instant::now();
    assert_eq!(limited(source, Limits::default()).1, BugKind::EndlessLoop);
    assert!(started.elapsed().as_secs() < 60, "it took {:?}", started.elapsed());
}

#[test]
fn machines_without_end() {
    let source = "machine Main { start state S { entry { new M(); } } }
        machine M { start state S { entry { new M(); } } }";
    let limits = Limits { machines: 20, ..Limits::default() };
    let (machine, kind, message) = limited(source, limits);
    assert_eq!((kind, &*message), (BugKind::TooManyMachines, "more than 20 machines were created"));
    assert!(machine.starts_with("M(2.1.1"), "{machine}");
}

#[test]
fn a_type_whose_default_is_too_large_is_refused() {
    let mut source = String::from("type T0 = (int, int);");
    for level in 1..10 {
        source += &format!("type T{level} = (T{0}, T{0});", level - 1);
    }
    source += "machine Main { var x: T9; start state S { } }";
    let program = crate::support::compile(&source);
    let limits = Limits { value_bytes: 10_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let error = fabius_vm::Vm::new(program, fabius_lang::ids::TestId(0), options);
    assert!(matches!(error, Err(fabius_vm::LinkError::TypeTooLarge(_))));
}
