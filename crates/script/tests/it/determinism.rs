//! Scripts are functions of their arguments, and say so when they are not functions but relations.

use crate::support::{fails, holds, outcome, program, scripts};

#[test]
fn any_of_offers_alternatives() {
    let found = outcome(
        "fun F(n: int): int;",
        "fn F(n) { let all = []; for i in 0..n { all.push(i * 10); } any_of(all) }",
        "x = F(3); assert x == 0, format(\"{0}\", x);",
    );
    assert_eq!(found, ["assertion: 10", "assertion: 20"]);
}

#[test]
fn any_of_one_is_no_choice_and_any_of_nothing_a_bug() {
    holds("fun F(): int;", "fn F() { any_of([4]) }", "assert F() == 4;");
    fails(
        "fun F(): int;",
        "fn F() { any_of([]) }",
        "x = F();",
        "foreign: foreign function `F` failed: 0.rhai: `F` returned `any_of` with nothing to choose from",
    );
}

#[test]
fn nothing_lives_on_from_call_to_call() {
    holds(
        "fun F(): int;",
        "let count = 0; fn F() { let count = 0; count += 1; count }",
        "assert F() == 1; assert F() == 1;",
    );
}

#[test]
fn there_are_no_modules_files_or_evaluated_text() {
    for text in ["import \"std\" as m; fn F() { 1 }", "fn F() { eval(\"1\") }"] {
        let program = program("fun F(): int;", "x = F();");
        assert!(scripts(&program, &[text]).is_err(), "{text}");
    }
    for (call, message) in [
        ("open_file(\"x\")", "Function not found"),
        ("rand()", "Function not found"),
        ("sleep(1)", "scripts cannot sleep"),
        ("sleep(0.5)", "scripts cannot sleep"),
    ] {
        let found = outcome("fun F(): int;", &format!("fn F() {{ {call} }}"), "x = F();");
        assert!(found[0].contains(message), "{found:?}");
    }
}
