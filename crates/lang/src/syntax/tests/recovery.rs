//! How many errors are reported, and where.

use super::{error, errors, hint, recovered};

/// The lines that errors are reported on.
fn lines(text: &str) -> Vec<usize> {
    let line = |said: &String| said.split(':').next().and_then(|line| line.parse().ok());
    errors(text).iter().map(|said| line(said).expect("a line number")).collect()
}

#[test]
fn independent_errors_are_all_reported() {
    let text = "event a
event b: int
enum E { A = x, B }
machine M {
  var x int;
  var y: ;
  start state S {
    entry { x = ; y = 1 }
    on a x;
    defer ;
    on b do { if (x { y = ; } }
  }
  fun f( { x = 1; }
  fun g() { x = 1 + ; }
}
type T = seq[int;
module m = { A B };
test t [main=]: m;";
    assert_eq!(lines(text), [1, 2, 3, 5, 6, 8, 8, 9, 10, 11, 11, 13, 14, 16, 17, 18]);
}

#[test]
fn a_missing_semicolon_is_reported_behind_what_it_should_end() {
    let text = "fun f() {
  x = 1
  y = 2;
  g(x)
  if (x) y = 3 else y = 4;
  return
}
event e
event f;
machine M receives a { var x: int var y: int; }";
    assert_eq!(
        errors(text),
        [
            "2:8 syntax-error: expected `;` after the assignment, found `y`",
            "4:7 syntax-error: expected `;` after the call, found the keyword `if`",
            "5:16 syntax-error: expected `;` after the assignment, found the keyword `else`",
            "6:9 syntax-error: expected `;` after `return`, found `}`",
            "8:8 syntax-error: expected `;` after the event, found the keyword `event`",
            "10:22 syntax-error: expected `;` after the list of events, found `{`",
            "10:35 syntax-error: expected `;` after the declaration, found the keyword `var`",
        ]
    );
}

#[test]
fn statements_around_a_wrong_one_survive() {
    let text = "fun f() { a = 1; b = c d e; f = 2; g(; h = 3; }";
    assert_eq!(lines(text).len(), 2);
    assert_eq!(recovered(text), ["(fun f () {(= a 1) <error> (= f 2) <error> (= h 3)})"]);
}

#[test]
fn a_statement_that_only_lacks_its_semicolon_is_kept() {
    assert_eq!(recovered("fun f() {\n  a = b\n  c = d }"), ["(fun f () {(= a b) (= c d)})"]);
}

#[test]
fn a_wrong_statement_does_not_end_its_machine() {
    let text = "machine M {
  start state S {
    entry { x = { y }; z = 1; }
    on a do { switch (x) { case 1: { } } }
    on b goto T;
  }
  state T { }
}
event e;";
    let declarations = recovered(text);
    assert_eq!(declarations.len(), 2, "{declarations:#?}");
    assert!(
        declarations[0].contains("(goto b T)") && declarations[0].contains("(state T)"),
        "{}",
        declarations[0]
    );
}

#[test]
fn missing_closing_braces_are_noticed_where_the_next_thing_begins() {
    let cases = [
        ("machine M { state S { entry { x = 1; on a do f; } state T { } }", "the body", "(state T)"),
        (
            "machine M { state S { entry { if (a) { x = 1; } on a do f; } state T { } }",
            "the body",
            "(state T)",
        ),
        ("machine M { state S { entry f; state T { } }", "the state", "(state T)"),
        ("machine M { state S { entry f; } event e; machine N { }", "the machine", "(machine N)"),
        ("machine M { state S { entry { x = 1; \n machine N { }", "the body", "(machine N)"),
        ("fun f() { x = 1; fun g() { }", "the body", "(fun g () {})"),
    ];
    for (text, what, survivor) in cases {
        let said = error(text);
        assert!(said.contains(&format!("expected `}}` to close {what}")), "{text}: {said}");
        assert!(recovered(text).concat().contains(survivor), "{text}");
    }
}

#[test]
fn a_missing_brace_at_the_end_is_reported_once_with_its_opening() {
    let text = "machine M {\n  state S {\n    entry {\n      x = 1;\n";
    assert_eq!(error(text), "4:13 syntax-error: expected `}` to close the body, found the end of the file");
}

#[test]
fn surplus_closing_braces_are_reported_once() {
    assert_eq!(error("fun f() { } }\nevent e;"), "1:13 syntax-error: this `}` closes nothing");
    let text = "machine M { state S { } } \n state T { on a do { } } }\nevent e;";
    assert_eq!(error(text), "2:2 syntax-error: the keyword `state` stands outside a machine");
    assert_eq!(hint(text), "is there a `}` too many before it?");
    assert_eq!(recovered(text).len(), 2);
}

#[test]
fn missing_opening_braces_are_reported_once() {
    assert_eq!(
        error("machine M start state S { entry f; } }\nevent e;"),
        "1:11 syntax-error: expected `{` to begin the machine, found the keyword `start`"
    );
    assert_eq!(
        error("machine M { state S entry f; }\n}\nevent e;"),
        "1:21 syntax-error: expected `{` to begin the state, found the keyword `entry`"
    );
    assert_eq!(
        error("fun f() x = 1; }"),
        "1:9 syntax-error: expected the body of the function, or `;`, found `x`"
    );
}

#[test]
fn text_that_is_no_declaration_is_skipped_to_the_next() {
    let text = "import foo.bar;\nclass X { int y; }\nevent e;\n)\n+ - x = 3;\nfun f() { }\n;";
    assert_eq!(lines(text), [1, 4, 7]);
    assert_eq!(recovered(text), ["(event e)", "(fun f () {})"]);
}

#[test]
fn members_that_are_none_are_skipped_to_the_next() {
    let text = "machine M { x = 1; on a do f; foo { { } } var y: int; while (x) { } fun f() { } }";
    assert_eq!(errors(text).len(), 2);
    assert_eq!(recovered(text), ["(machine M (var y:int) (fun f () {}))"]);
    assert_eq!(hint("machine M { x }"), "");
    assert!(hint("machine M { on a do f; }").contains("belongs into a state"));
    assert!(hint("machine M { send a, b; }").contains("statements belong into functions"));
}

#[test]
fn items_that_are_none_are_skipped_to_the_next() {
    let text = "machine M { state S { x = 1; on a f; on b do 1; entry { } foo { } exit f } }";
    assert_eq!(
        errors(text),
        [
            "1:23 syntax-error: expected `entry`, `exit`, `on`, `defer` or `ignore`, found `x`",
            "1:35 syntax-error: expected `do` or `goto`, found `f`",
            "1:46 syntax-error: expected the name or the body of the handler, found `1`",
            "1:59 syntax-error: expected `entry`, `exit`, `on`, `defer` or `ignore`, found `foo`",
            "1:73 syntax-error: expected `;` after the name of the function, found `}`",
        ]
    );
}

#[test]
fn conditions_without_parentheses_are_reported_once() {
    assert_eq!(
        error("fun f() { if x == 1 { y = 2; } else { y = 3; } }"),
        "1:14 syntax-error: expected `(` and a condition, found `x`"
    );
    assert_eq!(
        error("fun f() { while (a { y = 2; } z = 1; }"),
        "1:20 syntax-error: expected `)` to close the condition, found `{`"
    );
    assert_eq!(
        error("fun f() { foreach x in xs { } z = 1; }"),
        "1:19 syntax-error: expected `(` and the name of a variable, found `x`"
    );
}

#[test]
fn loops_of_other_languages_are_reported_with_few_words() {
    assert!(errors("fun f() { for (i = 0; i < 3; i = i + 1) { x = 1; } y = 2; }").len() <= 3);
    assert_eq!(hint("fun f() { for (x) { y = 1; } }"), "write `foreach (x in ..)` or `while (..)`");
}
