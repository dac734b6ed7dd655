//! What is said about scripts that are wrong.

use crate::support::{fails, program, scripts};

#[test]
fn syntax_errors_have_a_line() {
    let program = program("fun F(): int;", "x = F();");
    let error = scripts(&program, &["fn F() {\n  1 +\n}\n"]).expect_err("it is refused");
    assert_eq!((error.file.as_str(), error.line), ("0.rhai", Some(3)), "{error}");
}

#[test]
fn errors_at_run_time_have_the_line_of_the_innermost_call() {
    fails(
        "fun F(): int;",
        "fn G(x) {\n  1 / x\n}\nfn F() {\n  G(0)\n}\n",
        "x = F();",
        "foreign: foreign function `F` failed: 0.rhai:2: Division by zero: 1 / 0",
    );
}

#[test]
fn a_script_can_throw() {
    fails(
        "fun F(x: int): int;",
        "fn F(x) {\n  if x > 1 { throw `${x} is too much`; }\n  x\n}",
        "x = F(2);",
        "foreign: foreign function `F` failed: 0.rhai:2: 2 is too much",
    );
}

#[test]
fn unknown_fields_and_functions_are_errors() {
    fails(
        "fun F(x: (a: int, b: int)): int;",
        "fn F(x) { x.c }",
        "x = F((a = 1, b = 2));",
        "foreign: foreign function `F` failed: 0.rhai:1: Property not found: c",
    );
    fails(
        "fun F(): int;",
        "fn F() { timestamp() }",
        "x = F();",
        "foreign: foreign function `F` failed: 0.rhai:1: Function not found: timestamp ()",
    );
}
