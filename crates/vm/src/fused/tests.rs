//! What is done at once must leave what its instructions leave one by one, fail where they fail, and cost what they cost.

use crate::actor::Actors;
use crate::bug::{Bug, BugKind};
use crate::deeds::Deeds;
use crate::exercise::Exercised;
use crate::link::Linked;
use crate::machine::{Local, Owner};
use crate::options::{Limits, Options};
use crate::run::{Given, Run};
use crate::value::Value;
use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_lang::source::SourceMap;
use std::sync::Arc;

/// A machine with variables of many types whose first state runs this code.
fn program(code: &str) -> Arc<ir::Program> {
    let source = format!(
        "enum Colour {{ Red, Green }}
        event eGo: (a: int, b: seq[int]);
        machine Main {{
            var n: int; var k: int; var b: bool; var c: Colour; var t: (a: int, b: seq[int]); var x: any;
            var s: seq[int]; var m: map[int, int]; var mm: map[int, map[int, int]]; var u: set[int];
            fun half(i: int): int {{ var j: int; j = i / 2; return j + 0; }}
            fun twice(i: int): int {{ return i + i; }}
            fun pair(i: int, q: seq[int]): (a: int, b: seq[int]) {{ return (a = i, b = q); }}
            fun length(q: seq[int]): int {{ return sizeof(q); }}
            fun owner(): machine {{ return this; }}
            fun grow(q: seq[int], i: int): seq[int] {{ q += (sizeof(q), i); return q; }}
            fun down(i: int): int {{ if (i <= 0) {{ return 0; }} return 1 + down(i - 1); }}
            fun tell(i: int) {{ print format(\"at {{0}}\", i); }}
            start state S {{ entry {{ {code} }} ignore eGo; }}
        }}"
    );
    let mut sources = SourceMap::default();
    sources.add("test.p", &source, false).expect("the text is short");
    let compilation = fabius_lang::compile(&sources);
    let Some(program) = compilation.program else { panic!("{:?}\n{source}", compilation.diagnostics) };
    Arc::new(program)
}

/// Where the first move of the machine leads, and which places it comes to.
fn first_move(linked: &Linked) -> (Result<Local, Box<Bug>>, Vec<u64>) {
    let actors = Actors::new();
    let interface = linked.program[linked.test].main;
    let machine = linked.machine_of(interface);
    let owner = Owner::Actor(actors.main(interface, machine));
    let start = linked.program[machine].start;
    let mut local = Local::new(owner, start, linked.fields(machine), Value::Null);
    let exercised = Exercised::new(&linked.places);
    let mut deeds = Deeds::default();
    let run = Run::new(linked, &actors, Some(&exercised), &mut local, &mut deeds, false);
    let end = run.finish(Given::Go);
    (end.map(|()| local), exercised.bits().collect())
}

/// Runs code at once and one by one under limits, which must come to the same; gives what it comes to.
fn compare(program: &Arc<ir::Program>, limits: Limits) -> Result<Local, Box<Bug>> {
    let link = || {
        let options = Options { limits, ..Options::default() };
        Linked::new(program.clone(), TestId(0), options).expect("the test links")
    };
    let (at_once, mut one_by_one) = (link(), link());
    let mut fused = at_once.functions().flat_map(|function| &function.fused);
    assert!(fused.any(Option::is_some), "there is something to compare");
    one_by_one.take_apart();
    let (fast, slow) = (first_move(&at_once), first_move(&one_by_one));
    assert_eq!(fast, slow, "{limits:?}");
    fast.0
}

/// The most instructions that the code of a test takes.
const MOST: u64 = 400;

/// Compares code under each limit on instructions, and under some on values and calls; the kind of its bug, if it has one.
fn check(code: &str) -> Option<BugKind> {
    let (program, limits) = (program(code), Limits::default());
    for instructions in 0..MOST {
        _ = compare(&program, Limits { instructions, ..limits });
    }
    for value_bytes in (100..1000).step_by(16) {
        _ = compare(&program, Limits { value_bytes, ..limits });
    }
    for value_depth in 3..6 {
        _ = compare(&program, Limits { value_depth, ..limits });
    }
    for call_depth in 0..6 {
        _ = compare(&program, Limits { call_depth, ..limits });
    }
    let enough = compare(&program, Limits { instructions: MOST, ..limits });
    assert_eq!(enough, compare(&program, limits), "{code} takes no more than {MOST} instructions");
    enough.err().map(|bug| bug.kind)
}

#[test]
fn numbers_wrap_and_compare_as_one_by_one() {
    let cases = [
        "n = 2147483647 + 1; k = n * n * 2; n = k - 1; b = k < n; n = (n * 3 - k) * n;",
        "n = 2147483647 + 1; n = n * n * 2; k = n - 1; b = n - 1 > k && n * n == 0;",
        "n = 17; k = n / 5 + n % 5; b = !(k <= n) || k == n; c = Green; b = c == Red;",
        "while (n < 9) { n = n + 1; if (n % 2 == 0) { k = k + n; } else { k = k - 1; } }",
        "foreach (n in s) { k = k + n; } s += (0, 5); s += (0, 6); foreach (n in s) { k = k * 7 + n; }",
    ];
    for code in cases {
        assert_eq!(check(code), None, "{code}");
    }
}

#[test]
fn divisions_without_a_quotient_fail_as_one_by_one() {
    let cases = [
        "k = 5; n = 1 + k / n;",
        "k = 5; if (k % n == 0) { k = 1; }",
        "n = 2147483647 + 1; n = n * n * 2; k = -1; k = 1 + n / k;",
        "n = 2147483647 + 1; n = n * n * 2; k = -1; b = n % k < 3;",
    ];
    for code in cases {
        assert_eq!(check(code), Some(BugKind::DivisionByZero), "{code}");
    }
}

#[test]
fn collections_are_looked_into_as_one_by_one() {
    let cases = [
        "m[1] = 2; m[2] = 3; n = m[m[1]] + sizeof(m); b = 2 in m && !(7 in m); k = keys(m)[1];",
        "m[4] = 1; b = 4 in keys(m); n = sizeof(keys(m)); b = b && n < sizeof(m) + 1;",
        "mm[1] = m; mm[1][5] = 6; n = mm[1][5]; b = mm[1] == m; b = mm[1] != m;",
        "s += (0, 3); s += (1, 4); n = s[s[0] - 2]; b = 4 in s; u += (4); b = s[1] in u; k = u[0];",
        "t = (a = 3, b = s); t.b += (0, 9); n = t.a + t.b[0] + sizeof(t.b); b = t == (a = 3, b = s); s = t.b;",
        "s += (0, 1); t = (a = 1, b = s); s += (1, 2); n = sizeof(t.b); k = sizeof(s); x = t; b = x == t;",
    ];
    for code in cases {
        assert_eq!(check(code), None, "{code}");
    }
}

#[test]
fn what_is_absent_fails_as_one_by_one() {
    let cases = [
        ("m[1] = 2; n = 1 + m[m[1]];", BugKind::MissingKey),
        ("if (mm[3][4] < 5) { n = 1; }", BugKind::MissingKey),
        ("s += (0, 3); n = 1 + s[s[0]];", BugKind::IndexOutOfRange),
        ("n = s[n - 1];", BugKind::IndexOutOfRange),
        ("m[1] = 1; n = keys(m)[1];", BugKind::IndexOutOfRange),
        ("k = u[n] + 1;", BugKind::IndexOutOfRange),
        ("k = half(s[n]) + twice(3);", BugKind::IndexOutOfRange),
        ("assert sizeof(s) > 0, format(\"{0} of {1}\", n, s);", BugKind::Assertion),
        ("n = 4; assert n in m, \"it is not there\";", BugKind::Assertion),
    ];
    for (code, kind) in cases {
        assert_eq!(check(code), Some(kind), "{code}");
    }
}

#[test]
fn casts_that_fail_or_lie_do_so_as_one_by_one() {
    // A cast looks at the outermost shape only: what is inside may be of another type, or have other names.
    let cases = [
        ("x = s; n = 1 + (x as int);", Some(BugKind::BadCast)),
        ("x = (s, s); n = 1 + (x as (int, int)).0;", Some(BugKind::BadCast)),
        ("x = (s, s); b = (x as (int, int)).0 == 4;", None),
        ("x = (s, s); if ((x as (int, int)).0 < 4) { n = 1; }", Some(BugKind::BadCast)),
        ("x = (q = 1, r = 2); n = 1 + (x as (a: int, b: int)).b;", Some(BugKind::BadCast)),
        ("x = (b = 1, a = 2); n = 1 + (x as (a: int, b: int)).b;", None),
        ("x = (1, 2); n = half((x as (int, int)).1);", None),
        ("n = sizeof(x as seq[int]);", Some(BugKind::NullDereference)),
    ];
    for (code, kind) in cases {
        assert_eq!(check(code), kind, "{code}");
    }
}

#[test]
fn calls_leave_what_they_leave_one_by_one() {
    let cases = [
        "n = half(half(17) + 1) + half(4); k = down(3);",
        "n = twice(half(9)); k = twice(n) + twice(twice(k)); b = twice(n) == k; t = pair(n, s); t = pair(t.a, t.b);",
        "s += (0, 4); n = length(s) + length(keys(m)); x = this; b = owner() == x; m[twice(2)] = half(7);",
        "n = 7; new Main(); k = half(n); send this, eGo, pair(twice(k), s);",
        "s = grow(grow(s, 1), 2); t = (a = half(9), b = grow(s, 3)); n = sizeof(s); k = sizeof(t.b);",
        "s += (0, 1); t.b = s; s = grow(s, 2); n = sizeof(t.b); tell(n + 1); tell(s[0]);",
        "while (n < 4) { s = grow(s, half(n)); n = n + 1; } x = s; send this, eGo, (a = down(2), b = s);",
        "print format(\"{0} {1} {2}\", n, s, t); print \"done\"; n = 1;",
    ];
    for code in cases {
        assert_eq!(check(code), None, "{code}");
    }
    assert_eq!(
        compare(&program("n = down(9);"), Limits { call_depth: 9, ..Limits::default() })
            .map_err(|bug| bug.kind)
            .err(),
        Some(BugKind::StackOverflow)
    );
}
