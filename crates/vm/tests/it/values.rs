//! Values inside programs: arithmetic, collections, copies, casts, texts.

use crate::support::{check, kinds};
use fabius_vm::BugKind;

/// Declarations that the snippets below use.
const DECLARATIONS: &str = "
    enum Colour { Red = 3, Green = 1, Blue = 7 }
    type Pair = (a: int, b: string);
    event e; event n: int;
    fun same(x: any, y: any): bool { return x == y; }";

/// A program whose only machine runs the statements.
fn program(variables: &str, statements: &str) -> String {
    format!("{DECLARATIONS} machine Main {{ start state S {{ entry {{ {variables} {statements} }} }} }}")
}

#[track_caller]
fn holds(variables: &str, statements: &str) {
    let explored = check(&program(variables, statements));
    assert!(explored.bugs.is_empty(), "{:?}", explored.bugs);
}

#[track_caller]
fn fails(variables: &str, statements: &str, kind: BugKind) {
    assert_eq!(kinds(&program(variables, statements)), [kind], "{statements}");
}

#[test]
fn integers_wrap_at_64_bits_and_divide_toward_zero() {
    holds(
        "var big: int; var i: int;",
        "big = 1; while (i < 63) { big = big * 2; i = i + 1; }
        assert big < 0; assert big - 1 > 0; assert -big == big;
        assert 7 / 2 == 3; assert -7 / 2 == -3; assert -7 % 3 == -1;",
    );
}

#[test]
fn division_without_a_result_is_a_bug() {
    fails("var z: int;", "z = 1 / z;", BugKind::DivisionByZero);
    fails("var z: int;", "z = 1 % z;", BugKind::DivisionByZero);
    let smallest = "big = 1; while (i < 63) { big = big * 2; i = i + 1; }";
    fails("var big: int; var i: int;", &format!("{smallest} big = big / -1;"), BugKind::DivisionByZero);
}

#[test]
fn floats_follow_ieee() {
    holds(
        "var x: float; var y: float; var nan: float;",
        "x = 1.5; assert x * 2.0 == 3.0; assert x to int == 1; assert -1.9 to int == -1; assert 3 to float == 3.0;
        y = 1.0 / 0.0; assert y > 1000000.0; nan = y - y; assert nan != nan; assert nan to int == 0;
        assert y to int > 0; assert y to int + 1 < 0;",
    );
}

#[test]
fn strings_concatenate_and_compare_by_code_points() {
    holds(
        "var s: string;",
        "s = \"a\" + \"b\"; assert s == \"ab\"; assert \"a\" < \"b\"; assert \"B\" < \"a\"; assert \"ab\" > \"a\"; assert s != \"a\";",
    );
}

#[test]
fn enums_are_their_numbers_and_default_to_the_lowest() {
    holds(
        "var c: Colour; var x: any;",
        "assert c == Green; assert c to int == 1; c = Blue; assert c to int == 7;
        x = c; assert x as int == 7; assert x as Colour == Blue;",
    );
}

#[test]
fn defaults_are_field_wise() {
    holds(
        "var p: Pair; var t: (int, (bool, float)); var q: seq[int]; var m: machine; var a: any; var ev: event;",
        "assert p == (a = 0, b = \"\"); assert t == (0, (false, 0.0)); assert sizeof(q) == 0;
        assert m == null; assert a == null; assert ev == null; assert default(Pair) == p;",
    );
}

#[test]
fn values_are_copied_never_shared() {
    holds(
        "var s: seq[int]; var t: seq[int]; var m: map[int, seq[int]]; var p: (seq[int], int);",
        "s += (0, 1); t = s; t += (1, 2); assert sizeof(s) == 1; assert sizeof(t) == 2;
        m[0] = s; m[0] += (0, 9); assert s[0] == 1; assert m[0][0] == 9;
        p = (s, 1); p.0[0] = 5; assert s[0] == 1; assert p.0[0] == 5;
        s[0] = 3; assert p.0[0] == 5;",
    );
}

#[test]
fn arguments_and_results_are_values() {
    let source = "fun grow(s: seq[int]): seq[int] { s += (sizeof(s), 7); return s; }
        machine Main { start state S { entry {
            var s: seq[int]; var t: seq[int];
            s += (0, 1); t = grow(s);
            assert sizeof(s) == 1; assert sizeof(t) == 2; assert t[1] == 7;
        } } }";
    assert_eq!(kinds(source), []);
}

#[test]
fn payloads_are_values_for_sender_receiver_and_specs() {
    let source = "event list: seq[int];
        spec Spec observes list { start state S { on list do (s: seq[int]) { s[0] = 50; assert s[0] == 50; } } }
        machine Main {
            var mine: seq[int];
            start state S {
                entry { var m: M; m = new M(); mine += (0, 1); send m, list, mine; mine[0] = 2; }
            }
        }
        machine M {
            start state S { on list goto T with (s: seq[int]) { s[0] = 60; } }
            state T { entry (s: seq[int]) { assert s[0] == 1, format(\"{0}\", s); } }
        }
        test t [main=Main]: assert Spec in { Main, M };";
    assert_eq!(kinds(source), []);
}

#[test]
fn sequences_insert_remove_and_contain() {
    holds(
        "var s: seq[int];",
        "s += (0, 2); s += (0, 1); s += (2, 3); assert s == default(seq[int]) == false;
        assert s[0] == 1 && s[1] == 2 && s[2] == 3;
        s -= (1); assert sizeof(s) == 2 && s[1] == 3; assert 3 in s; assert !(2 in s);",
    );
}

#[test]
fn positions_outside_a_sequence_are_bugs() {
    fails("var s: seq[int];", "assert s[0] == 0;", BugKind::IndexOutOfRange);
    fails("var s: seq[int];", "s[0] = 1;", BugKind::IndexOutOfRange);
    fails("var s: seq[int];", "s += (1, 1);", BugKind::IndexOutOfRange);
    fails("var s: seq[int];", "s += (-1, 1);", BugKind::IndexOutOfRange);
    fails("var s: seq[int];", "s -= (0);", BugKind::IndexOutOfRange);
}

#[test]
fn sets_hold_each_element_once_in_the_order_of_insertion() {
    holds(
        "var s: set[int]; var t: set[int]; var i: int; var order: seq[int];",
        "s += (3); s += (1); s += (3); s += (2); assert sizeof(s) == 3;
        foreach (i in s) { order += (sizeof(order), i); }
        assert order[0] == 3 && order[1] == 1 && order[2] == 2;
        s -= (1); s -= (99); s += (1); assert s[2] == 1;
        t += (1); t += (2); t += (3); assert s == t; assert 2 in s;",
    );
}

#[test]
fn maps_add_assign_remove_and_list_in_the_order_of_insertion() {
    holds(
        "var m: map[string, int]; var o: map[string, int]; var ks: seq[string]; var vs: seq[int];",
        "m += (\"b\", 1); m[\"a\"] = 2; m[\"b\"] = 3; assert sizeof(m) == 2;
        ks = keys(m); vs = values(m); assert ks[0] == \"b\" && ks[1] == \"a\"; assert vs[0] == 3 && vs[1] == 2;
        assert \"a\" in m; m -= (\"x\"); m -= (\"b\"); assert !(\"b\" in m);
        o[\"a\"] = 2; assert m == o; o[\"a\"] = 1; assert m != o;",
    );
}

#[test]
fn missing_and_duplicate_keys_are_bugs() {
    fails("var m: map[int, int]; var i: int;", "i = m[1];", BugKind::MissingKey);
    fails("var m: map[int, seq[int]];", "m[1] += (0, 5);", BugKind::MissingKey);
    fails("var m: map[int, int];", "m += (1, 1); m += (1, 2);", BugKind::DuplicateKey);
}

#[test]
fn equality_ignores_the_order_of_sets_and_maps_at_any_depth() {
    holds(
        "var s: set[set[int]]; var a: set[int]; var b: set[int]; var m: map[set[int], int];",
        "a += (1); a += (2); b += (2); b += (1); assert a == b; s += (a); s += (b); assert sizeof(s) == 1;
        m[a] = 1; assert m[b] == 1;",
    );
}

#[test]
fn equality_across_any_is_structural_and_null_safe() {
    holds(
        "",
        "assert same(1, 1); assert !same(1, \"1\"); assert !same(1, 1.0); assert !same(null, 1); assert same(null, null);
        assert !same((1, 2), (a = 1, b = 2)); assert !same((a = 1, b = 2), (a = 1, c = 2)); assert same(e, e);
        assert same(Red, 3);",
    );
}

#[test]
fn casts_look_at_the_outermost_shape_only() {
    holds(
        "var x: any; var s: seq[string]; var p: (int, string); var m: seq[int];",
        "m += (0, 1); x = m; s = x as seq[string]; assert sizeof(s) == 1;
        x = (1, 2); p = x as (int, string); assert p.0 == 1; x = null; m = x as seq[int];",
    );
    fails("var x: any; var s: string;", "x = 1; s = x as string;", BugKind::BadCast);
    fails("var x: any; var i: int;", "i = x as int;", BugKind::BadCast);
    fails("var x: any; var s: set[int];", "x = default(seq[int]); s = x as set[int];", BugKind::BadCast);
    fails("var x: any; var p: (int, int);", "x = (a = 1, b = 2); p = x as (int, int);", BugKind::BadCast);
}

#[test]
fn what_a_cast_let_pass_fails_where_it_is_used() {
    fails("var x: any; var s: seq[int];", "s = x as seq[int]; s += (0, 1);", BugKind::NullDereference);
    fails(
        "var x: any; var s: seq[int]; var i: int;",
        "s = x as seq[int]; i = sizeof(s);",
        BugKind::NullDereference,
    );
    fails(
        "var x: any; var s: seq[string]; var t: string; var m: seq[int];",
        "m += (0, 1); x = m; s = x as seq[string]; t = s[0] + \"x\";",
        BugKind::BadCast,
    );
    fails(
        "var x: any; var p: (b: int, c: int); var i: int;",
        "x = (a = 1, b = 2); p = x as (b: int, c: int); assert p.b == 2; i = p.c;",
        BugKind::BadCast,
    );
}

#[test]
fn format_shows_values_as_p_does() {
    let source = "enum Colour { Red = 3, Green = 1 }
        machine Main {
            start state S { entry {
                var t: set[string]; var m: map[int, bool]; var s: seq[int]; var nothing: any;
                t += (\"x\"); m[4] = true; s += (0, 1); s += (1, 2);
                assert format(\"{0} {1} {2} {3}\", true, 2.0, Red, this) == \"True 2 3 Main(1)\";
                assert format(\"{0}|{1}\", (1, \"a\"), (k = 2,)) == \"<1,a,>|<k:2, >\";
                assert format(\"{0} {1} {2} [{3}]\", s, t, m, nothing) == \"(1, 2) (<x>) (<4->True>) []\";
                assert format(\"{{{0}}}\", 1) == \"{{1}}\";
            } }
        }";
    assert_eq!(kinds(source), []);
}

#[test]
fn foreach_iterates_over_a_snapshot() {
    holds(
        "var s: seq[int]; var i: int; var n: int;",
        "s += (0, 1); s += (1, 2); foreach (i in s) { s += (0, i); n = n + 1; } assert n == 2; assert sizeof(s) == 4;",
    );
}

#[test]
fn and_and_or_do_not_look_further_than_they_must() {
    holds("var s: seq[int];", "assert sizeof(s) == 0 || s[0] == 1; assert !(sizeof(s) > 0 && s[0] == 1);");
}

#[test]
fn states_that_differ_only_in_dead_locals_are_one() {
    // The local `b` is chosen and not used again: both alternatives meet.
    let source = "event e;
        machine Main {
            start state S { entry { var b: bool; b = $; if (b) { b = false; } b = true; send this, e; } on e do { } }
        }";
    // The first, the choice, before the enqueue, with mail, at the end.
    assert_eq!(check(source).states, 5);
}
