//! Small programs with foreign functions, completed by scripts and explored.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use fabius_lang::ids::TestId;
use fabius_lang::ir::Program;
use fabius_lang::source::SourceMap;
use fabius_model::{Outcome, Program as _};
use fabius_script::{ScriptError, ScriptFile, Scripts};
use fabius_vm::{LinkError, Options, Vm};

pub(crate) fn compile(source: &str) -> Arc<Program> {
    let mut sources = SourceMap::default();
    sources.add("test.p", source, false).expect("the text is short");
    let compilation = fabius_lang::compile(&sources);
    let Some(program) = compilation.program else { panic!("{:?}\n{source}", compilation.diagnostics) };
    Arc::new(program)
}

/// A program whose main machine runs the statements; `e` is an event, `E` an enum, `T` a foreign type.
pub(crate) fn program(declarations: &str, statements: &str) -> Arc<Program> {
    compile(&format!(
        "event e; enum E {{ A = 0, B = 5 }} type T; {declarations}
        machine Main {{ var x: int; start state S {{ entry {{ {statements} }} ignore e; }} }}"
    ))
}

pub(crate) fn scripts(program: &Program, texts: &[&str]) -> Result<Scripts, ScriptError> {
    let file =
        |(at, text): (usize, &&str)| ScriptFile { name: format!("{at}.rhai"), text: (*text).to_owned() };
    let files: Vec<ScriptFile> = texts.iter().enumerate().map(file).collect();
    Scripts::compile(program, &files)
}

/// The program with its script, ready to run.
pub(crate) fn vm(program: &Arc<Program>, script: &str) -> Result<Vm, LinkError> {
    let scripts = scripts(program, &[script]).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { foreign: Some(Arc::new(scripts)), ..Options::default() };
    Vm::new(Arc::clone(program), TestId(0), options)
}

/// The messages of all bugs that the program can show, with their kinds.
pub(crate) fn bugs(vm: &Vm) -> BTreeSet<String> {
    let mut bugs = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut waiting = Vec::new();
    let mut meet = |outcome, waiting: &mut Vec<_>| match outcome {
        Outcome::State(state) => waiting.push(state),
        Outcome::Bug(bug) => {
            let bug: Box<fabius_vm::Bug> = bug;
            bugs.insert(format!("{}: {}", bug.kind, bug.message));
        }
    };
    meet(vm.initial(), &mut waiting);
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        assert!(seen.len() < 10_000, "the program is too large for a test");
        let mut choices = Vec::new();
        vm.choices(&state, &mut choices);
        for choice in choices {
            meet(vm.step(&state, choice, &mut Vec::new()), &mut waiting);
        }
    }
    bugs
}

/// What goes wrong when the statements run.
pub(crate) fn outcome(declarations: &str, script: &str, statements: &str) -> Vec<String> {
    let program = program(declarations, statements);
    bugs(&vm(&program, script).expect("the test links")).into_iter().collect()
}

/// Checks that the statements run without a bug.
#[track_caller]
pub(crate) fn holds(declarations: &str, script: &str, statements: &str) {
    let found = outcome(declarations, script, statements);
    assert!(found.is_empty(), "{found:?}\n{declarations} {script} {statements}");
}

/// Checks that the statements end in this bug.
#[track_caller]
pub(crate) fn fails(declarations: &str, script: &str, statements: &str, bug: &str) {
    let found = outcome(declarations, script, statements);
    assert_eq!(found, [bug], "{declarations} {script} {statements}");
}
