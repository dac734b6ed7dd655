//! Functions and types that are not written in P.

use crate::support::{compile, explore, vm_with};
use fabius_lang::ids::{FunctionId, TestId};
use fabius_lang::ir::Program;
use fabius_model::check_durability;
use fabius_model::conformance::Budget;
use fabius_vm::{BugKind, Foreign, ForeignCall, LinkError, Options, Value, Vm};
use std::sync::Arc;

/// `Double(x)`, `Pick(n)` with n results, `Fail()`, `Wrong()`, `Make(x)` and `Look(t)` of the foreign type `Thing`.
#[derive(Debug)]
struct Library;

impl Foreign for Library {
    fn implements(&self, program: &Program, function: FunctionId) -> bool {
        let name = program.name(program[function].name);
        ["Double", "Pick", "Fail", "Wrong", "Nothing", "Make", "Look"].contains(&name)
    }

    fn call(&self, call: &ForeignCall<'_>) -> Result<Vec<Value>, String> {
        match (call.name(), call.arguments) {
            ("Double", [Value::Int(number)]) => Ok(vec![Value::Int(number * 2)]),
            ("Pick", [Value::Int(number)]) => Ok((0..*number).map(|at| Value::Int(at * 10)).collect()),
            ("Fail", []) => Err("no such file".into()),
            ("Wrong", []) => Ok(vec![Value::Bool(true)]),
            ("Nothing", []) => Ok(vec![]),
            ("Make", [Value::Int(number)]) => Ok(vec![Value::foreign("Thing", number.to_string(), [])]),
            ("Look", [Value::Foreign(thing)]) => Ok(vec![Value::Int(thing.content().parse().unwrap_or(-1))]),
            _ => Err(format!("unexpected arguments: {:?}", call.arguments)),
        }
    }
}

const DECLARATIONS: &str = "type Thing; fun Double(x: int): int; fun Pick(n: int): int; fun Fail(): int; fun Wrong(): int;
    fun Nothing(): int; fun Make(x: int): Thing; fun Look(t: Thing): int; fun Missing(): int; fun Unused(): int;";

fn program(entry: &str) -> String {
    format!(
        "{DECLARATIONS} event e;
        machine Main {{ var x: int; start state S {{ entry {{ var t: Thing; var u: Thing; {entry} }} on e do {{ }} }} }}"
    )
}

fn run(entry: &str) -> crate::support::Explored {
    let options = Options { foreign: Some(Arc::new(Library)), ..Options::default() };
    let vm = vm_with(&program(entry), options);
    check_durability(&vm, &vm.fresh(), Budget::default()).unwrap_or_else(|violation| panic!("{violation}"));
    explore(&vm)
}

#[test]
fn results_come_back() {
    let explored = run("x = Double(4) + Double(1);");
    assert!(explored.final_locals.contains("Main(1).S (10)"));
}

#[test]
fn several_results_are_a_choice() {
    let explored = run("x = Pick(3) + Pick(2); send this, e;");
    let ends: Vec<_> = explored.final_locals.iter().collect();
    assert_eq!(ends, ["Main(1).S (0)", "Main(1).S (10)", "Main(1).S (20)", "Main(1).S (30)"]);
}

#[test]
fn foreign_values_travel_and_compare() {
    let explored = run("t = Make(3); u = Make(3); assert t == u; assert t != Make(4); x = Look(t);");
    assert!(explored.bugs.is_empty(), "{explored:?}");
    assert!(explored.final_locals.contains("Main(1).S (3)"));
}

#[test]
fn failures_and_wrong_results_are_bugs() {
    for (call, message) in [
        ("Fail", "foreign function `Fail` failed: no such file"),
        ("Wrong", "foreign function `Wrong` returned a bool"),
        ("Nothing", "foreign function `Nothing` returned nothing"),
    ] {
        let explored = run(&format!("x = {call}();"));
        assert_eq!(explored.bug(), ("Main(1)", BugKind::Foreign, message));
    }
}

/// The functions for want of which the program's test is refused.
fn missing(source: &str, options: Options) -> Vec<String> {
    let program = compile(source);
    match Vm::new(Arc::clone(&program), TestId(0), options) {
        Err(LinkError::MissingForeign(functions)) => {
            functions.iter().map(|id| program.name(program[*id].name).to_owned()).collect()
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_test_that_may_call_a_function_without_a_body_is_refused() {
    let source = program("if ($) { x = Missing(); }");
    let options = Options { foreign: Some(Arc::new(Library)), ..Options::default() };
    assert_eq!(missing(&source, options), ["Missing"]);
    assert_eq!(missing(&program("x = Double(1);"), Options::default()), ["Double"]);
    let unused = Vm::new(compile(&program("x = 1;")), TestId(0), Options::default());
    assert!(unused.is_ok(), "functions that are never called need no body");
}
