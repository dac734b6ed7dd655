//! A project made ready to be run: compiled, with the options of the command line applied.

use std::env;
use std::path::PathBuf;

use fabius_lang::ir::Program;
use fabius_lang::source::{Code, Diagnostic, Diagnostics, SourceMap};
use fabius_trace::BugSummary;
use fabius_vm::{Bug, Granularity, Limits, Options, Vm};
use xxhash_rust::xxh3::Xxh3;

use crate::arguments::{LimitName, ProgramOptions};
use crate::foreign::Bodies;
use crate::output::is_error;
use crate::project::{self, Project};

/// A project and what became of it.
pub(crate) struct Compiled {
    pub(crate) project: Project,
    /// `None` when it was rejected.
    pub(crate) program: Option<Program>,
    /// All findings, ordered.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn compile(paths: &[PathBuf]) -> Compiled {
    let project = project::load(paths, &env::current_dir().unwrap_or_default());
    let compilation = fabius_lang::compile(&project.sources);
    let mut diagnostics = merged(&project, compilation.diagnostics);
    project::add_hints(&mut diagnostics, &project.sources);
    let is_rejected = diagnostics.iter().any(is_error);
    let program = compilation.program.filter(|_| !is_rejected);
    assert!(program.is_some() || is_rejected, "the front end gave neither a program nor an error");
    Compiled { project, program, diagnostics }
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

/// A number for the text of a program and of its scripts, equal on every machine.
pub(crate) fn hash(sources: &SourceMap, bodies: &Bodies) -> String {
    let mut hasher = Xxh3::new();
    for text in sources.program_files().map(|file| file.text.as_str()).chain(bodies.texts()) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    format!("{:032x}", hasher.digest128())
}

/// How the virtual machine is to run it.
pub(crate) fn vm_options(options: &ProgramOptions, bodies: &Bodies) -> Options {
    let mut limits = Limits::default();
    for (name, number) in &options.limits {
        let short = u32::try_from(*number).unwrap_or(u32::MAX);
        match name {
            LimitName::Instructions => limits.instructions = *number,
            LimitName::Calls => limits.call_depth = short,
            LimitName::Queue => limits.queue_length = short,
            LimitName::ValueBytes => limits.value_bytes = usize::try_from(*number).unwrap_or(usize::MAX),
            LimitName::ValueDepth => limits.value_depth = short,
            LimitName::Machines => limits.machines = short,
        }
    }
    let granularity = if options.p_points { Granularity::Reference } else { Granularity::Coarse };
    Options { granularity, limits, foreign: bodies.foreign(), hints: false }
}

/// A bug as searches hand it around.
pub(crate) type FoundBug = <Vm as fabius_model::Program>::Bug;

/// A bug as traces tell it.
pub(crate) fn summarise(bug: &Bug, sources: &SourceMap) -> BugSummary {
    let location = sources.location(bug.span);
    // Numbers of machines differ from run to run; the type says enough.
    let machine = bug.machine.split('(').next().unwrap_or_default();
    BugSummary {
        kind: bug.kind.code().to_owned(),
        message: bug.message.clone(),
        machine: Some(machine.to_owned()).filter(|machine| !machine.is_empty()),
        state: bug.state.clone(),
        event: bug.event.clone(),
        file: location.as_ref().map(|location| location.path.clone()),
        line: location.map(|location| location.line),
    }
}
