//! A search without its story: what it finds and what that takes, for those who compare searches.
//!
//! It is the search that `fabius check` runs with the same options; nothing is shortened, explained or written.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use fabius_lang::ir::Program;
use fabius_trace::BugSummary;
use fabius_vm::Vm;

use super::explorers::Guidance;
use super::run;
use super::search::Searching;
use super::select;
use super::watch::Ends;
use crate::arguments::CheckOptions;
use crate::foreign::{self, Bodies};
use crate::program::{self, Compiled, summarise};
use crate::project::Project;

/// A project that was accepted, ready for any number of searches.
pub(crate) struct Subject {
    project: Project,
    program: Arc<Program>,
    bodies: Bodies,
}

/// What one search came to.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// As it was found, without having been shortened.
    pub(crate) bug: Option<BugSummary>,
    pub(crate) is_verified: bool,
    pub(crate) is_incomplete: bool,
    /// Every reachable state was visited.
    pub(crate) is_exhausted: bool,
    pub(crate) states: Option<u64>,
    /// As many as states, or more where explorers' states are stored with them.
    pub(crate) stored: Option<u64>,
    pub(crate) schedules: u64,
    pub(crate) delays: Option<u64>,
    pub(crate) depth: u64,
    pub(crate) seconds: f64,
}

impl Subject {
    pub(crate) fn load(path: PathBuf) -> Result<Self, String> {
        let shown = path.display().to_string();
        let Compiled { project, program, .. } = program::compile(&[path]);
        let program = program.ok_or_else(|| format!("`{shown}` is not in order: see fabius compile"))?;
        let bodies = Bodies::load(&program, &[])?;
        Ok(Self { project, program: Arc::new(program), bodies })
    }

    /// The names of its tests, in order of declaration.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &str> {
        self.program.tests.iter().map(|test| test.name.as_str())
    }

    /// A number for its text, equal on every machine.
    pub(crate) fn hash(&self) -> String {
        program::hash(&self.project.sources, &self.bodies)
    }

    /// Runs the search of the options on the one test that they name.
    pub(crate) fn measure(&self, options: &CheckOptions) -> Result<Measured, String> {
        let start = Instant::now();
        let chosen = select::tests(&self.program, &options.tests)?;
        let &[test] = chosen.as_slice() else { return Err("not one test".into()) };
        let vm_options = run::vm_options(options, &self.bodies);
        let vm = Vm::new(Arc::clone(&self.program), test, vm_options)
            .map_err(|error| foreign::refusal(&self.program, &self.bodies, &error))?;
        let ends = Arc::new(Ends::default());
        let guidance = Guidance::new(options, &vm, &vm.names_of_test())?;
        let name = &self.program[test].name;
        let conclusion = Searching {
            vm: &vm,
            ends: &ends,
            options,
            guidance: &guidance,
            test: name,
            start,
            checkpoints: None,
            recorder: None,
            part: Mutex::default(),
            is_last: false,
        }
        .run();
        if let Some(failure) = guidance.failure() {
            return Err(failure.to_owned());
        }
        let first = conclusion.bugs.first();
        Ok(Measured {
            bug: first.map(|found| summarise(&found.bug, &self.project.sources)),
            is_verified: conclusion.is_verified,
            is_incomplete: conclusion.is_incomplete,
            is_exhausted: conclusion.is_exhausted,
            states: conclusion.states,
            stored: conclusion.stored,
            schedules: conclusion.schedules,
            delays: conclusion.delays,
            depth: conclusion.depth,
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}
