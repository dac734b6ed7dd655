//! The meaning of statements.

use super::{error, errors, hint, recovered, statements};

#[test]
fn every_kind_of_statement() {
    let table = [
        ("{ }", "(block)"),
        ("{ ; { x = 1; } }", "(block (skip) (block (= x 1)))"),
        ("assert a;", "(assert a)"),
        ("assert a, \"m\";", "(assert a \"m\")"),
        ("assume a;", "(assume a)"),
        ("assume (a), format(\"m\");", "(assume a (format \"m\"))"),
        ("print a;", "(print a)"),
        ("return;", "(return)"),
        ("return a + 1;", "(return (+ a 1))"),
        ("break; continue;", "(break) (continue)"),
        ("x = 1;", "(= x 1)"),
        ("x.y.0[z] = 1;", "(= ([] (. (. x y) 0) z) 1)"),
        ("x -= 1;", "(remove x 1)"),
        ("x -= (1, 2);", "(remove x (tuple 1 2))"),
        ("while (a) x = 1;", "(while a (= x 1))"),
        ("foreach (x in xs) { }", "(foreach x xs (block))"),
        (
            "foreach (x in xs) invariant a; invariant (b); ;",
            "(foreach x xs (invariant a) (invariant b) (skip))",
        ),
        ("if (a) ;", "(if a (skip))"),
        ("if (a) { } else { }", "(if a (block) (block))"),
        ("if (a) x = 1; else if (b) x = 2; else x = 3;", "(if a (= x 1) (if b (= x 2) (= x 3)))"),
        ("if (a) if (b) ; else ;", "(if a (if b (skip) (skip)))"),
        ("new M();", "(new M)"),
        ("new M(1, a);", "(new M 1 a)"),
        ("f();", "(call f)"),
        ("f(1, g(2));", "(call f 1 (call g 2))"),
        ("raise e;", "(raise e)"),
        ("raise (halt), 1;", "(raise halt 1)"),
        ("send m, e;", "(send m e)"),
        ("send (m), e, 1, 2;", "(send m e 1 2)"),
        ("announce e, (a = 1,);", "(announce e (tuple a=1))"),
        ("goto S;", "(goto S)"),
        ("goto S, 1, 2;", "(goto S 1 2)"),
        ("receive { case e: { } }", "(receive (case e {}))"),
        (
            "receive { case e, halt: (p: int) { var x: int; x = p; } case null: { } }",
            "(receive (case e,halt (p:int) {(var x:int) (= x p)}) (case null {}))",
        ),
        (";", "(skip)"),
        ("var a, b: int; var c: T; a = 1;", "(var a,b:int) (var c:T) (= a 1)"),
    ];
    for (text, meaning) in table {
        assert_eq!(statements(text), meaning, "{text}");
    }
}

#[test]
fn the_parentheses_behind_plus_assign_belong_to_the_statement() {
    assert_eq!(statements("s += (1);"), "(add s 1)");
    assert_eq!(statements("s += (1, 2);"), "(insert s 1 2)");
    assert_eq!(statements("s += ((1, 2));"), "(add s (tuple 1 2))");
    assert_eq!(statements("s += (1, (2, 3));"), "(insert s 1 (tuple 2 3))");
    assert_eq!(statements("s += ((a = 1,));"), "(add s (tuple a=1))");
    assert_eq!(statements("s.x[0] += (a + b);"), "(add ([] (. s x) 0) (+ a b))");
}

#[test]
fn additions_without_parentheses_are_explained() {
    let text = "fun f() { n += 1; }";
    assert_eq!(error(text), "1:16 syntax-error: expected `(` after `+=`");
    assert!(hint(text).contains("n = n + e;"));
    assert_eq!(recovered(text), ["(fun f () {<error>})"]);
    for text in ["fun f() { s += (a, b, c); }", "fun f() { s += (x = 1, y = 2); }"] {
        assert!(error(text).contains("expected `)` to close what is added"), "{text}");
        assert!(hint(text).contains("+= (("), "{text}");
    }
}

#[test]
fn only_places_can_be_assigned_to() {
    for place in
        ["f()", "1", "f().x", "f(x)[0]", "(x)", "(x).y", "a + b", "(a, b)", "this", "\"s\"", "new M()", "-x"]
    {
        for rest in ["= 1", "+= (1)", "-= 1"] {
            let said = error(&format!("fun f() {{ {place} {rest}; y = 1; }}"));
            assert_eq!(said, "1:11 invalid-assignment-target: this is not a place to assign to", "{place}");
        }
    }
}

#[test]
fn expressions_are_not_statements() {
    let said = "an expression is not a statement";
    assert_eq!(error("fun f() { a == b; }"), format!("1:11 syntax-error: {said}"));
    assert_eq!(hint("fun f() { a == b; }"), "assignment is written `=`");
    assert_eq!(error("fun f() { g; }"), format!("1:11 syntax-error: {said}"));
    assert_eq!(hint("fun f() { g; }"), "a function is called with `()`");
    assert_eq!(error("fun f() { (g()); }"), format!("1:11 syntax-error: {said}"));
    assert_eq!(error("fun f() { 1; }"), format!("1:11 syntax-error: {said}"));
    assert_eq!(error("fun f() { a 1; }"), "1:13 syntax-error: expected `=`, `+=`, `-=` or a call, found `1`");
    assert_eq!(error("fun f() { a b; }"), "1:11 syntax-error: expected a statement, found `a`");
    assert_eq!(hint("fun f() { a b; }"), "P writes the type behind the name: `var b: a;`");
}

#[test]
fn slips_from_other_languages_are_explained() {
    let cases = [
        ("if (a = 1) { }", "an assignment is not a condition", "comparison is written `==`"),
        ("while (a = 1) { }", "an assignment is not a condition", "comparison is written `==`"),
        ("assert a = 1;", "expected `;` after the assertion, found `=`", "comparison is written `==`"),
        ("x := 1;", "`:=` is not an operator of P", "assignment is written `=`"),
        ("if (a) { } elseif (b) { } else { }", "`elseif` is not a statement of P", "write `else if`"),
        ("if (a) { } elif (b) { }", "`elif` is not a statement of P", "write `else if`"),
        (
            "var x: int = 1;",
            "a variable cannot be given a value where it is declared",
            "assign to it in a statement",
        ),
        (
            "x = 1; var y: int; y = 2;",
            "variables are declared before the first statement",
            "declare all variables at the top of the function",
        ),
        (
            "if (a) { var y: int; y = 2; }",
            "variables are declared before the first statement",
            "declare all variables at the top of the function",
        ),
    ];
    for (text, message, advice) in cases {
        let text = format!("fun f() {{ {text} }}");
        assert!(error(&text).ends_with(message), "{text}: {}", error(&text));
        assert_eq!(hint(&text), advice, "{text}");
    }
}

#[test]
fn misplaced_variables_become_locals_of_their_own_function() {
    let text = "fun f() { x = 1; if (a) { var y: int; } receive { case e: { ; var z: int; } } }";
    assert_eq!(
        recovered(text),
        [
            "(fun f () {(var y:int) (= x 1) (if a (block (skip))) (receive (case e {(var z:int) (skip) (skip)}))})"
        ]
    );
}

#[test]
fn an_else_without_an_if_is_reported_once() {
    let text = "fun f() { if (a) { } ; else { x = 1; } y = ; }";
    assert_eq!(
        errors(text),
        [
            "1:24 syntax-error: this `else` belongs to no `if`",
            "1:44 syntax-error: expected an expression, found `;`",
        ]
    );
}

#[test]
fn receive_needs_a_case() {
    assert_eq!(error("fun f() { receive { } }"), "1:20 syntax-error: expected `case`, found `}`");
    assert_eq!(
        error("fun f() { receive { on e do { } } }"),
        "1:21 syntax-error: expected `case`, found the keyword `on`"
    );
    let text = "fun f() { receive { foo { } case e: { } } x = ; }";
    assert_eq!(
        errors(text),
        [
            "1:21 syntax-error: expected `case`, found `foo`",
            "1:47 syntax-error: expected an expression, found `;`",
        ]
    );
}

#[test]
fn handlers_take_one_parameter_and_exit_handlers_none() {
    let text = "machine M { start state S { entry (a: int, b: int) { b = a; } exit (c: int) { } } }";
    assert_eq!(
        errors(text),
        [
            "1:44 handler-parameters: a handler takes at most one parameter",
            "1:69 handler-parameters: an exit function takes no parameter",
        ]
    );
    assert_eq!(
        recovered(text),
        ["(machine M (start state S (entry ((a:<error>) {(var b:int) (= b a)})) (exit ({(var c:int)}))))"]
    );
}
