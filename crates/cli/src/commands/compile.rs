//! `fabius compile`: a project's static checks, and what it is lowered to.

use std::env;

use fabius_lang::ir::{Program, text};
use fabius_lang::source::{Code, Diagnostic, Diagnostics, counted};
use fabius_lang::syntax::tree::MachineKind;

use crate::Exit;
use crate::arguments::{CompileOptions, Emit};
use crate::output::{self, is_error};
use crate::project::{self, Project};
use crate::result::{CompileResult, CompileVerdict, DiagnosticResult};

pub(crate) fn run(options: &CompileOptions) -> Exit {
    let project = project::load(&options.paths, &env::current_dir().unwrap_or_default());
    let compilation = fabius_lang::compile(&project.sources);
    let diagnostics = merged(&project, compilation.diagnostics);
    let is_rejected = diagnostics.iter().any(is_error);
    let program = compilation.program.filter(|_| !is_rejected);
    assert!(program.is_some() || is_rejected, "the front end gave neither a program nor an error");

    let diagnostics = output::wanted(diagnostics, &options.diagnostics);
    let exit = if is_rejected { Exit::Error } else { Exit::Success };
    let json = options.json.as_deref();
    if json.is_some_and(|path| path.as_os_str() == "-") {
        return exit.worse(output::print(&to_json(&project, program.as_ref(), &diagnostics)));
    }
    output::show(&diagnostics, &project.sources, &options.diagnostics);
    let exit = match json {
        Some(path) => exit.worse(output::write(path, &to_json(&project, program.as_ref(), &diagnostics))),
        None => exit,
    };
    match (program, options.emit) {
        (Some(program), Some(Emit::Ir)) => exit.worse(output::print(&text::print(&program))),
        (Some(program), None) => exit.worse(output::print(&overview(&project.name, &program))),
        (None, _) => exit,
    }
}

/// The diagnostics of both, ordered, without those that only follow from what could not be read.
fn merged(project: &Project, of_program: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all = Diagnostics::default();
    let own = of_program.into_iter().filter(|diagnostic| !follows(project, diagnostic));
    for diagnostic in project.diagnostics.iter().cloned().chain(own) {
        all.report(diagnostic);
    }
    all.sort();
    all.into_vec()
}

fn follows(project: &Project, diagnostic: &Diagnostic) -> bool {
    let is_replacement = || project.sources.text(diagnostic.span).contains(char::REPLACEMENT_CHARACTER);
    match diagnostic.code {
        // The byte that is no text has been reported as such.
        Code::InvalidCharacter => is_replacement() && is_damaged(project, diagnostic),
        code => !project.is_complete && depends_on_all_files(code),
    }
}

fn is_damaged(project: &Project, diagnostic: &Diagnostic) -> bool {
    let start_of = |diagnostic: &Diagnostic| project.sources.file_of(diagnostic.span).map(|file| file.start);
    let mut damage = project.diagnostics.iter().filter(|damage| damage.code == Code::InvalidUtf8);
    damage.any(|damage| start_of(damage) == start_of(diagnostic))
}

/// Whether a finding may vanish when another file is added.
fn depends_on_all_files(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownEvent
            | Code::UnknownType
            | Code::UnknownName
            | Code::UnknownFunction
            | Code::UnknownMachine
            | Code::UnknownModule
            | Code::UnknownSpec
            | Code::UnknownParameter
            | Code::NotClosed
            | Code::NothingToRun
            | Code::UnusedEvent
            | Code::UnusedFunction
            | Code::UnsentHandler
    )
}

/// One line on what there is: `two-phase-commit: 5 machines, 2 specs, 4 tests`.
fn overview(name: &str, program: &Program) -> String {
    let count = |kind| count(program, kind) as u64;
    let mut parts = vec![counted(count(MachineKind::Machine), "machine")];
    for (number, noun) in [(count(MachineKind::Spec), "spec"), (count(MachineKind::Scenario), "scenario")] {
        if number > 0 {
            parts.push(counted(number, noun));
        }
    }
    parts.push(counted(program.tests.len() as u64, "test"));
    format!("{name}: {}\n", parts.join(", "))
}

fn count(program: &Program, kind: MachineKind) -> usize {
    program.machines.iter().filter(|machine| machine.kind == kind).count()
}

fn to_json(project: &Project, program: Option<&Program>, diagnostics: &[Diagnostic]) -> String {
    let count = |kind| program.map_or(0, |program| count(program, kind));
    let result = CompileResult {
        verdict: if program.is_some() { CompileVerdict::Ok } else { CompileVerdict::Rejected },
        project: &project.name,
        files: project.sources.program_files().map(|file| file.path.as_str()).collect(),
        machines: count(MachineKind::Machine),
        specs: count(MachineKind::Spec),
        scenarios: count(MachineKind::Scenario),
        tests: program.iter().flat_map(|program| &program.tests).map(|test| test.name.as_str()).collect(),
        diagnostics: diagnostics.iter().map(|each| DiagnosticResult::new(each, &project.sources)).collect(),
    };
    let mut text = serde_json::to_string_pretty(&result).expect("plain data has a JSON form");
    text.push('\n');
    text
}
