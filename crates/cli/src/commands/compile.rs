//! `fabius compile`: a project's static checks, and what it is lowered to.

use fabius_lang::ir::{Program, text};
use fabius_lang::source::{Diagnostic, counted};
use fabius_lang::syntax::tree::MachineKind;

use crate::Exit;
use crate::arguments::{CompileOptions, Emit};
use crate::output;
use crate::program::{self, Compiled};
use crate::project::Project;
use crate::result::{CompileResult, CompileVerdict, DiagnosticResult};

pub(crate) fn run(options: &CompileOptions) -> Exit {
    let Compiled { project, program, diagnostics } = program::compile(&options.paths);
    let diagnostics = output::wanted(diagnostics, &options.diagnostics);
    let exit = if program.is_some() { Exit::Success } else { Exit::Error };
    let json = options.json.as_deref();
    if json.is_some_and(|path| path.as_os_str() == "-") {
        return exit.worse(output::print(&to_json(&project, program.as_ref(), &diagnostics)));
    }
    output::show(&diagnostics, &project.sources, &options.diagnostics, "");
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

/// One line on what there is: `two-phase-commit: 5 machines, 2 specs, 4 tests`.
pub(crate) fn overview(name: &str, program: &Program) -> String {
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
