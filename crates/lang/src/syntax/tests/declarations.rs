//! The meaning of declarations.

use super::{PROGRAMS, declaration, declarations, error, errors, hint, parse_text, recovered};

fn all_mean(table: &[(&str, &str)]) {
    for (text, meaning) in table {
        assert_eq!(declaration(text), *meaning, "{text}");
    }
}

#[test]
fn the_example_programs_are_right() {
    for (name, text) in PROGRAMS {
        assert!(!declarations(text).is_empty(), "{name}");
    }
}

#[test]
fn an_empty_file_is_right() {
    assert!(declarations("").is_empty());
    assert!(declarations(" \n// nothing\n").is_empty());
}

#[test]
fn files_share_one_tree() {
    let mut sources = crate::source::SourceMap::default();
    sources.add("a.p", "event a;", false);
    sources.add("b.p", "event b: ;", false);
    sources.add("c.p", "event c", true);
    let mut diagnostics = crate::source::Diagnostics::default();
    let tree = super::parse(&sources, &mut diagnostics);
    assert_eq!(tree.declarations.len(), 3);
    let places =
        diagnostics.iter().map(|diagnostic| sources.location(diagnostic.span).map(|place| place.path));
    assert_eq!(places.collect::<Vec<_>>(), [Some("b.p".to_owned()), Some("c.p".to_owned())]);
}

#[test]
fn small_declarations() {
    all_mean(&[
        ("type T;", "(type T)"),
        ("type T = (int, U);", "(type T (int,U))"),
        ("enum E { A }", "(enum E A)"),
        ("enum E { A, B, C }", "(enum E A B C)"),
        ("enum E { A = 3, B = 0 }", "(enum E A=3 B=0)"),
        ("event e;", "(event e)"),
        ("event e: seq[int];", "(event e seq[int])"),
        ("eventset s = { a, halt };", "(eventset s a,halt)"),
        ("interface I() receives;", "(interface I () [])"),
        ("interface I((a: int)) receives a, halt;", "(interface I (a:int) [a,halt])"),
        ("param a, b: int;", "(param a,b:int)"),
    ]);
}

#[test]
fn functions() {
    all_mean(&[
        ("fun f() { }", "(fun f () {})"),
        ("fun f(a: int, b: T): bool { return a; }", "(fun f (a:int,b:T) : bool {(return a)})"),
        ("fun f();", "(fun f () foreign)"),
        ("fun f(a: int): T;", "(fun f (a:int) : T foreign)"),
        ("fun f() creates I;", "(fun f () creates I foreign)"),
        ("fun f(): machine creates I, J;", "(fun f () : machine creates I,J foreign)"),
        ("fun f() return (x: int);", "(fun f () return x:int foreign)"),
        (
            "fun f(a: int) return (x: int); requires a > 0; requires a < 9; ensures x == a;",
            "(fun f (a:int) return x:int requires (> a 0) requires (< a 9) ensures (== x a) foreign)",
        ),
        ("fun f() requires true;", "(fun f () requires true foreign)"),
        ("fun f() ensures true;", "(fun f () ensures true foreign)"),
        ("fun f()", "(fun f () foreign)"),
    ]);
    assert_eq!(declarations("fun f() fun g() { }"), ["(fun f () foreign)", "(fun g () {})"]);
    assert_eq!(
        error("fun f() ensures true; requires true;"),
        "1:23 syntax-error: `requires` clauses come before `ensures` clauses"
    );
    assert_eq!(
        error("fun f(): int\nevent e;"),
        "1:13 syntax-error: expected the body of the function, or `;`, found the keyword `event`"
    );
}

#[test]
fn machines_and_states() {
    all_mean(&[
        ("machine M { }", "(machine M)"),
        ("machine M receives a; receives b, halt; sends; { }", "(machine M receives[a,b,halt] sends[])"),
        ("spec S observes a, b { }", "(spec S observes[a,b])"),
        ("scenario S observes a { }", "(scenario S observes[a])"),
        (
            "machine M { var a, b: int; fun f() { } state S { } }",
            "(machine M (var a,b:int) (fun f () {}) (state S))",
        ),
        (
            "machine M { start hot state S { } cold state T { } }",
            "(machine M (start hot state S) (cold state T))",
        ),
        ("machine M { state S { entry f; exit g; } }", "(machine M (state S (entry f) (exit g)))"),
        (
            "machine M { state S { entry { } exit { ; } } }",
            "(machine M (state S (entry ({})) (exit ({(skip)}))))",
        ),
        ("machine M { state S { entry (p: int) { } } }", "(machine M (state S (entry ((p:int) {}))))"),
        (
            "machine M { state S { defer a, halt; ignore b; } }",
            "(machine M (state S (defer a,halt) (ignore b)))",
        ),
        ("machine M { state S { on a, halt, null do f; } }", "(machine M (state S (do a,halt,null f)))"),
        ("machine M { state S { on a do (p: int) { } } }", "(machine M (state S (do a ((p:int) {}))))"),
        ("machine M { state S { on a goto T; } }", "(machine M (state S (goto a T)))"),
        ("machine M { state S { on a goto T with f; } }", "(machine M (state S (goto a T f)))"),
        (
            "machine M { state S { on a goto T with (p: U) { } } }",
            "(machine M (state S (goto a T ((p:U) {}))))",
        ),
    ]);
}

#[test]
fn modules() {
    all_mean(&[
        ("module m = a;", "(module m a)"),
        ("module m = { A, B -> I };", "(module m (bind A B->I))"),
        ("module m = (a);", "(module m a)"),
        ("module m = union a, { B }, (c);", "(module m (union a (bind B) c))"),
        ("module m = compose a, union b, c;", "(module m (compose a (union b c)))"),
        ("module m = hidee a, halt in b;", "(module m (hidee a,halt b))"),
        ("module m = hidei I, J in b;", "(module m (hidei I,J b))"),
        ("module m = assert S, T in union a, b;", "(module m (assert S,T (union a b)))"),
        ("module m = union assert S in a, b;", "(module m (union (assert S a) b))"),
        ("module m = rename I to J in a;", "(module m (rename I J a))"),
        ("module m = main M in a;", "(module m (main M a))"),
        ("implementation i: m;", "(implementation i m)"),
        ("implementation i [main = M]: m;", "(implementation i main=M m)"),
    ]);
    assert_eq!(error("module m = union a;"), "1:12 syntax-error: `union` takes at least two modules");
    assert_eq!(error("module m = ;"), "1:12 syntax-error: expected a module, found `;`");
}

#[test]
fn tests() {
    all_mean(&[
        ("test t [main=M]: m;", "(test t main=M m)"),
        ("test t [main=M]: a refines b;", "(test t main=M a (refines b))"),
        (
            "test param (a in [1, -2], b in [true, false]) t [main=M]: m;",
            "(test t main=M a=[1,-2] b=[true,false] m)",
        ),
        ("test assume a < b t [main=M]: m;", "(test t main=M (assume (< a b)) m)"),
        ("test pairwise t [main=M]: m;", "(test t main=M 2wise! m)"),
        ("test (3 wise) t [main=M]: m;", "(test t main=M 3wise m)"),
        (
            "test param (a in [1]) assume f(a) && b (2 wise) t [main=M]: m;",
            "(test t main=M a=[1] (assume (&& (call f a) b)) 2wise m)",
        ),
        (
            "test param (a in [1]) assume (a == b) pairwise t [main=M]: m;",
            "(test t main=M a=[1] (assume (== a b)) 2wise! m)",
        ),
    ]);
    assert_eq!(
        error("test param (a in [1]) t [main=M]: m refines n;"),
        "1:37 syntax-error: a refinement test has no parameters"
    );
    assert_eq!(error("test t: m;"), "1:7 syntax-error: expected `[main=..]`, found `:`");
    assert_eq!(
        error("test param (a in [x]) t [main=M]: m;"),
        "1:19 syntax-error: expected a number, `true` or `false`, found `x`"
    );
}

#[test]
fn the_verifiers_declarations() {
    all_mean(&[
        ("pure f(): int;", "(pure f () : int)"),
        ("pure f(a: T): bool = a == a;", "(pure f (a:T) : bool (== a a))"),
        ("axiom a ==> b;", "(axiom (==> a b))"),
        ("init-condition forall (m: machine) :: a;", "(init-condition (forall (m:machine) a))"),
        ("invariant i: a && b;", "(invariant i (&& a b))"),
        ("Lemma l { }", "(group l)"),
        ("Theorem t { invariant a: b; invariant c: d; }", "(group t (invariant a b) (invariant c d))"),
        ("Proof { }", "(proof)"),
        ("Proof p { prove a, b; }", "(proof p (prove [a,b] [] []))"),
        ("Proof { prove * using *; }", "(proof (prove * * []))"),
        ("Proof { prove default using a, b except c, d; }", "(proof (prove default [a,b] [c,d]))"),
        ("Proof { prove default(int) except c; }", "(proof (prove [(default int)] [] [c]))"),
    ]);
    assert_eq!(error("init - condition a;"), "1:1 syntax-error: expected a declaration, found `init`");
    assert_eq!(
        errors("Lemma l { axiom a; invariant b: c; }\nevent e: ;"),
        [
            "1:11 syntax-error: expected `invariant` or `}`, found `axiom`",
            "2:10 syntax-error: expected a type, found `;`",
        ]
    );
}

#[test]
fn numbers_of_enums_are_all_or_none() {
    let said = "either all elements of an enum have numbers, or none";
    assert_eq!(error("enum E { A, B = 1, C }"), format!("1:15 syntax-error: {said}"));
    assert!(error("enum E { A = 1, B, C = 3 }").starts_with("1:18 syntax-error: expected `=` and a number"));
    assert_eq!(error("enum E { }"), "1:9 syntax-error: expected the name of an element, found `}`");
    assert_eq!(error("enum E { A, }"), "1:12 syntax-error: expected the name of an element, found `}`");
}

#[test]
fn null_is_an_event_only_where_nothing_can_happen() {
    let said = "syntax-error: `null` stands for no event, and cannot be listed here";
    assert_eq!(error("machine M { state S { defer null; } }"), format!("1:29 {said}"));
    assert_eq!(error("machine M { state S { ignore a, null; } }"), format!("1:33 {said}"));
    assert_eq!(error("spec S observes null { }"), format!("1:17 {said}"));
    assert_eq!(error("eventset s = { null };"), format!("1:16 {said}"));
}

#[test]
fn reserved_words_are_no_names() {
    assert_eq!(
        errors("event null;\nevent data: int;\nmachine M { var type, int: bool; }\nevent e: ;"),
        [
            "1:7 syntax-error: expected the name of the event, found the keyword `null`",
            "2:7 syntax-error: expected the name of the event, found the keyword `data`",
            "3:17 syntax-error: expected the name of a variable, found the keyword `type`",
            "4:10 syntax-error: expected a type, found `;`",
        ]
    );
    assert_eq!(recovered("event data: int;"), ["(event <missing> int)"]);
}

#[test]
fn a_semicolon_behind_a_handler_is_one_too_many() {
    let text = "machine M { state S { on a do { }; on b do { } } ; var x: int; }";
    assert_eq!(
        errors(text),
        [
            "1:34 syntax-error: this `;` ends nothing",
            "1:50 syntax-error: expected a variable, a function or a state, found `;`",
        ]
    );
    assert_eq!(hint(text), "there is none behind the `}` of a handler");
}

#[test]
fn spans_of_declarations_reach_from_first_to_last_token() {
    let text = "fun f() { } machine M { state S { on a do (p: int) { } } } fun g();";
    let (sources, tree, _) = parse_text(text);
    let texts: Vec<&str> = tree.functions.iter().map(|function| sources.text(function.span)).collect();
    assert_eq!(texts, ["fun f() { }", "(p: int) { }", "fun g();"]);
}
