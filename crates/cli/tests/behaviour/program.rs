//! A fixture's program inside this process, and how the bugs found in it compare with the header.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_lang::source::{Severity, SourceMap};
use fabius_script::{ScriptFile, Scripts};
use fabius_trace::BugSummary;
use fabius_vm::{Bug, Foreign, Granularity, Limits, Options, Vm};

use crate::fixture::{ExpectedBug, Fixture, Section};

/// What the file of a fixture is called where it is run.
pub(crate) const FILE: &str = "Fixture.p";

pub(crate) struct Program {
    pub(crate) sources: SourceMap,
    pub(crate) program: Arc<ir::Program>,
    bodies: Option<Arc<dyn Foreign>>,
}

fn sources(fixture: &Fixture) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add(FILE, fixture.text.as_str(), false).expect("fixtures are short");
    sources
}

pub(crate) fn compile(fixture: &Fixture) -> Result<Program, String> {
    let sources = sources(fixture);
    let compilation = fabius_lang::compile(&sources);
    let Some(mut program) = compilation.program else {
        let messages: Vec<String> = compilation
            .diagnostics
            .iter()
            .map(|each| {
                let line = sources.location(each.span).map_or(0, |location| location.line);
                format!("line {line}: {}: {}", each.code.text(), each.message)
            })
            .collect();
        return Err(format!("the program is rejected:\n{}", messages.join("\n")));
    };
    if fixture.attaches_specs {
        program.attach_specs();
    }
    let bodies = bodies(fixture, &program)?;
    Ok(Program { sources, program: Arc::new(program), bodies })
}

fn bodies(fixture: &Fixture, program: &ir::Program) -> Result<Option<Arc<dyn Foreign>>, String> {
    let home = fixture.path.parent().unwrap_or(Path::new(""));
    let read = |name: &String| {
        let text = fs::read_to_string(home.join(name)).map_err(|error| format!("{name}: {error}"))?;
        Ok(ScriptFile { name: name.clone(), text })
    };
    let files = fixture.foreign.iter().map(read).collect::<Result<Vec<_>, String>>()?;
    if files.is_empty() {
        return Ok(None);
    }
    let scripts = Scripts::compile(program, &files).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(scripts)))
}

pub(crate) fn check_rejected(fixture: &Fixture, code: &str) -> Result<(), String> {
    let compilation = fabius_lang::compile(&sources(fixture));
    let errors = compilation.diagnostics.iter().filter(|each| each.severity() == Severity::Error);
    let codes: BTreeSet<&str> = errors.map(|each| each.code.text()).collect();
    if codes == BTreeSet::from([code]) { Ok(()) } else { Err(format!("the errors are {codes:?}")) }
}

/// Every test has its section, in the order in which tests are listed, and the other way round.
pub(crate) fn check_sections(fixture: &Fixture, program: &Program) -> Result<(), String> {
    let tests: Vec<&str> = program.program.tests.iter().map(|test| test.name.as_str()).collect();
    let named: Vec<&str> = fixture.sections.iter().filter_map(|section| section.test.as_deref()).collect();
    let is_single = tests.len() == 1 && named.is_empty();
    if is_single || tests == named {
        Ok(())
    } else {
        Err(format!("the program has the tests {tests:?}, the header those of {named:?}"))
    }
}

impl Program {
    pub(crate) fn vm(&self, fixture: &Fixture, section: &Section, granularity: Granularity) -> Vm {
        let name = section.test.as_deref();
        let is_meant = |test: &ir::Test| name.is_none_or(|name| test.name == name);
        let test = self.program.tests.iter().position(is_meant).expect("each section has its test");
        let options =
            Options { granularity, limits: limits(fixture), foreign: self.bodies.clone(), hints: false };
        Vm::new(Arc::clone(&self.program), TestId(test as u32), options).expect("the test links")
    }

    /// A bug as traces tell it.
    pub(crate) fn summarise(&self, bug: &Bug) -> BugSummary {
        let location = self.sources.location(bug.span);
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
}

fn limits(fixture: &Fixture) -> Limits {
    let mut limits = Limits::default();
    for (name, number) in &fixture.limits {
        let short = u32::try_from(*number).expect("limits of fixtures are small");
        match name.as_str() {
            "instructions" => limits.instructions = *number,
            "calls" => limits.call_depth = short,
            "queue" => limits.queue_length = short,
            "value-bytes" => limits.value_bytes = short as usize,
            "value-depth" => limits.value_depth = short,
            "machines" => limits.machines = short,
            name => panic!("{} sets the unknown limit {name}", fixture.name),
        }
    }
    limits
}

impl ExpectedBug {
    pub(crate) fn matches(&self, bug: &BugSummary) -> bool {
        let agrees =
            |expected: &Option<String>, found: &Option<String>| expected.is_none() || expected == found;
        self.kind == bug.kind
            && Some(&self.machine) == bug.machine.as_ref()
            && agrees(&self.state, &bug.state)
            && agrees(&self.event, &bug.event)
            && self.message.as_ref().is_none_or(|message| bug.message.contains(message))
    }
}

/// Whether the bugs found are expected ones.
pub(crate) fn compare_found(section: &Section, found: &[BugSummary]) -> Result<(), String> {
    let is_expected = |bug: &&BugSummary| section.bugs().iter().any(|expected| expected.matches(bug));
    match found.iter().find(|bug| !is_expected(bug)) {
        Some(bug) => Err(format!("found a bug that the header does not have: {bug:?}")),
        None => Ok(()),
    }
}

/// Whether the bugs found are all that are expected, and only those.
pub(crate) fn compare(section: &Section, found: &[BugSummary]) -> Result<(), String> {
    compare_found(section, found)?;
    let is_found = |expected: &&ExpectedBug| found.iter().any(|bug| expected.matches(bug));
    match section.bugs().iter().find(|expected| !is_found(expected)) {
        Some(missing) => Err(format!("did not find {missing:?}, only {found:?}")),
        None => Ok(()),
    }
}
