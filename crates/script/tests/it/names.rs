//! Which script function belongs to which function of the program, and what is said when there is none.

use fabius_script::{signature, stub};
use fabius_vm::LinkError;

use crate::support::{bugs, compile, program, scripts, vm};

const TWO_MACHINES: &str =
    "machine Main { start state S { entry { new Other(); assert F() == 1; } } fun F(): int; }
    machine Other { start state S { entry { assert F() == 2; } } fun F(): int; }";

#[test]
fn functions_of_machines_are_called_after_both() {
    let program = compile(TWO_MACHINES);
    let vm = vm(&program, "fn Main__F() { 1 } fn Other__F() { 2 }").expect("both have a body");
    assert!(bugs(&vm).is_empty());
}

#[test]
fn functions_of_machines_may_share_a_body() {
    let program = compile(TWO_MACHINES);
    let vm = vm(&program, "fn F() { 1 } fn Other__F() { 2 }").expect("both have a body");
    assert!(bugs(&vm).is_empty());
}

#[test]
fn words_that_scripts_reserve_get_an_underscore() {
    let program = program("fun match(x: int): int;", "assert match(1) == 2;");
    let vm = vm(&program, "fn match_(x) { x + 1 }").expect("it has a body");
    assert!(bugs(&vm).is_empty());
}

#[test]
fn the_number_of_parameters_must_be_right() {
    let program = program("fun F(x: int): int;", "x = F(1);");
    assert!(matches!(vm(&program, "fn F() { 1 }"), Err(LinkError::MissingForeign(_))));
}

#[test]
fn a_function_has_one_body_only() {
    let program = program("fun F(x: int): int;", "x = F(1);");
    let error = scripts(&program, &["fn F(x) { 1 }", "fn F(x) { 2 }"]).expect_err("it is refused");
    assert_eq!(error.to_string(), "1.rhai: `F` has a body in 0.rhai too");
}

#[test]
fn several_files_give_bodies_together() {
    let program = program("fun F(): int; fun G(): int;", "assert F() + G() == 3;");
    let scripts = scripts(&program, &["fn F() { 1 }", "fn G() { 2 }"]).expect("both are right");
    let implements = |function: &fabius_lang::ids::FunctionId| {
        fabius_vm::Foreign::implements(&scripts, &program, *function)
    };
    let functions = (0..program.functions.len()).map(|at| fabius_lang::ids::FunctionId(at as u32));
    assert!(functions.filter(|id| program[*id].is_foreign).all(|id| implements(&id)));
}

#[test]
fn a_stub_is_a_script_that_runs() {
    let declarations =
        "fun F(a: int, in_: seq[(int, T)]): (found: bool, where: E); fun G(); fun H(x: any): map[int, T];";
    let program = program(declarations, "var y: any; y = F(1, default(seq[(int, T)])); G(); y = H(y);");
    let functions = (0..program.functions.len()).map(|at| fabius_lang::ids::FunctionId(at as u32));
    let foreign: Vec<_> = functions.filter(|id| program[*id].is_foreign).collect();
    let text = stub(&program, &foreign);
    assert_eq!(
        text,
        "// fun F(a: int, in_: seq[(int, T)]): (found: bool, where: E);
fn F(a, in_) {
    #{ found: false, where: A }
}

// fun G();
fn G() {
    ()
}

// fun H(x: any): map[int, T];
fn H(x) {
    []
}
"
    );
    assert!(bugs(&vm(&program, &text).expect("every function has a body")).is_empty());
}

#[test]
fn a_stub_for_a_machines_function_says_whose_it_is() {
    let program = compile(TWO_MACHINES);
    let function = fabius_lang::ids::FunctionId(
        program.functions.iter().position(|function| function.is_foreign).expect("there is one") as u32,
    );
    assert_eq!(signature(&program, function), "fun F(): int;");
    assert_eq!(stub(&program, &[function]), "// fun F(): int; of machine `Main`\nfn Main__F() {\n    0\n}\n");
}
