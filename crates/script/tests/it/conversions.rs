//! Values on their way into scripts and back.

use crate::support::{fails, holds};

#[test]
fn plain_values_are_the_same_on_both_sides() {
    holds("fun F(x: int): int;", "fn F(x) { x * 2 }", "assert F(21) == 42;");
    holds("fun F(x: bool): bool;", "fn F(x) { !x }", "assert F(false);");
    holds("fun F(x: float): float;", "fn F(x) { x / 2.0 }", "assert F(3.0) == 1.5;");
    holds("fun F(x: string): string;", "fn F(x) { x + \"!\" }", "assert F(\"a\") == \"a!\";");
    holds("fun F();", "fn F() { 3 }", "F();");
}

#[test]
fn an_int_passes_as_a_float_and_a_char_as_a_string() {
    holds("fun F(): float;", "fn F() { 2 }", "assert F() == 2.0;");
    holds("fun F(): string;", "fn F() { 'c' }", "assert F() == \"c\";");
}

#[test]
fn enum_elements_are_numbers_with_names() {
    holds("fun F(x: E): E;", "fn F(x) { if x == A { B } else { 0 } }", "assert F(A) == B && F(B) == A;");
    fails(
        "fun F(): E;",
        "fn F() { 3 }",
        "assert F() == A;",
        "foreign: foreign function `F` failed: 0.rhai: `F` returned 3, which is no `E`",
    );
}

#[test]
fn sequences_and_tuples_are_arrays() {
    holds(
        "fun F(x: seq[int]): seq[int];",
        "fn F(x) { x.push(x.len()); x }",
        "var s: seq[int]; s += (0, 7); s = F(s); assert sizeof(s) == 2 && s[0] == 7 && s[1] == 1;",
    );
    holds(
        "fun F(x: (int, string)): (string, (int, bool));",
        "fn F(x) { [x[1], [x[0], true]] }",
        "assert F((1, \"a\")) == (\"a\", (1, true));",
    );
}

#[test]
fn sets_are_arrays_without_duplicates() {
    holds(
        "fun F(x: set[int]): set[int];",
        "fn F(x) { x + [4, 4] }",
        "var s: set[int]; s += (4); s += (2); s = F(s); assert sizeof(s) == 2 && s[0] == 4 && s[1] == 2;",
    );
}

#[test]
fn maps_are_arrays_of_pairs_and_keep_their_order() {
    holds(
        "fun F(x: map[int, string]): map[int, string];",
        "fn F(x) { x.push([1, \"new\"]); x }",
        "var m: map[int, string]; m[5] = \"five\"; m[3] = \"three\"; m = F(m);
        assert sizeof(m) == 3 && keys(m)[0] == 5 && keys(m)[1] == 3 && m[1] == \"new\";",
    );
    holds(
        "fun F(): map[string, int];",
        "fn F() { #{ a: 1, b: 2 } }",
        "assert F()[\"a\"] == 1 && F()[\"b\"] == 2;",
    );
}

#[test]
fn named_tuples_are_object_maps() {
    holds(
        "fun F(x: (a: int, b: string)): (b: string, a: int);",
        "fn F(x) { #{ a: x.a + 1, b: x.b } }",
        "assert F((a = 1, b = \"x\")) == (b = \"x\", a = 2);",
    );
}

#[test]
fn machines_and_events_are_opaque_and_can_be_compared() {
    holds(
        "fun F(m: machine, n: machine): machine;",
        "fn F(m, n) { if m == n { m } else { () } }",
        "assert F(this, this) == this && F(this, null) == null;",
    );
    holds("fun F(x: event): event;", "fn F(x) { x }", "assert F(e) == e && F(null) == null;");
}

#[test]
fn null_is_unit() {
    holds("fun F(x: any): any;", "fn F(x) { x == () }", "assert F(null) == true && F(1) == false;");
}

#[test]
fn what_goes_through_any_comes_back_as_it_was() {
    let declarations = "fun F(x: any): any;";
    let identity = "fn F(x) { [x][0] }";
    for value in
        ["1", "1.0", "true", "\"s\"", "(1, 2)", "(a = 1, b = true)", "this", "e", "default(set[int])"]
    {
        let statements = format!("var y: any; y = {value}; assert F(y) == y;");
        holds(declarations, identity, &statements);
    }
}

#[test]
fn scripts_may_make_sequences_and_named_tuples_for_any() {
    holds(
        "fun F(): any;",
        "fn F() { [1, #{ b: 2, a: 1 }] }",
        "var s: seq[any]; s = F() as seq[any]; assert (s[0] as int) == 1 && (s[1] as (a: int, b: int)) == (a = 1, b = 2);",
    );
}

#[test]
fn foreign_values_are_equal_by_content() {
    let declarations = "fun Make(x: int): T; fun Look(t: T): int;";
    let script = "fn Make(x) { #{ value: x, list: [x] } } fn Look(t) { if t == () { -1 } else { t.value } }";
    holds(
        declarations,
        script,
        "var t: T; var u: T; var m: map[T, int]; assert Look(t) == -1;
        t = Make(3); u = Make(3); assert t == u && t != Make(4) && Look(t) == 3;
        m[t] = 1; assert u in m && !(Make(4) in m);",
    );
}

#[test]
fn foreign_values_can_hold_machines_and_whatever_any_holds() {
    let declarations = "fun Wrap(x: any): T; fun Unwrap(t: T): any;";
    let script = "fn Wrap(x) { [x] } fn Unwrap(t) { t[0] }";
    holds(
        declarations,
        script,
        "var s: set[int]; s += (1); assert Unwrap(Wrap(this)) == this && Unwrap(Wrap(s)) == s;
        assert Wrap(this) == Wrap(this) && Wrap(this) != Wrap(null) && Wrap((1, 2)) != Wrap((2, 1));",
    );
}

#[test]
fn foreign_values_print_as_what_they_hold() {
    holds(
        "fun Wrap(x: any): T;",
        "fn Wrap(x) { #{ inside: x, n: 1 } }",
        "assert format(\"{0}\", Wrap(this)) == \"{{\\\"inside\\\": Main(1), \\\"n\\\": 1}}\", format(\"{0}\", Wrap(this));",
    );
}

#[test]
fn results_of_another_type_are_bugs() {
    for (ty, result, message) in [
        ("int", "\"one\"", "a string where `int` is needed"),
        ("int", "1.5", "a float where `int` is needed"),
        ("int", "()", "`()` where `int` is needed"),
        ("bool", "1", "an int where `bool` is needed"),
        ("string", "[]", "an array where `string` is needed"),
        ("(int, int)", "[1]", "an array of 1 where `(int, int)` is needed"),
        ("(a: int)", "#{ b: 1 }", "an object map without `a`"),
        ("set[any]", "[()]", "a set with null in it"),
        ("machine", "7", "an int where `machine` is needed"),
        ("any", "|x| x", "a function where `any` is needed"),
        ("int", "any_of([any_of([1])])", "`any_of` inside a value where `int` is needed"),
        ("T", "[any_of([1])]", "`any_of` inside a value, which a value of type `T` cannot hold"),
    ] {
        let bug = format!("foreign: foreign function `F` failed: 0.rhai: `F` returned {message}");
        fails(&format!("fun F(): {ty};"), &format!("fn F() {{ {result} }}"), "var y: any; y = F();", &bug);
    }
}

#[test]
fn arguments_that_a_cast_let_pass_are_bugs() {
    fails(
        "fun F(x: seq[int]): int;",
        "fn F(x) { 1 }",
        "var y: any; var s: seq[string]; s += (0, \"a\"); y = s; x = F(y as seq[int]);",
        "foreign: foreign function `F` failed: it was given a string where `int` is needed",
    );
}
