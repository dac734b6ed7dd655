//! Script files that give foreign functions their bodies.

use std::path::PathBuf;
use std::sync::Arc;

use fabius_lang::ir::Program;
use fabius_lang::source::counted;
use fabius_script::{ScriptFile, Scripts, stub};
use fabius_vm::{Foreign, LinkError};

use crate::files;

/// The scripts of `--foreign`.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    files: Vec<ScriptFile>,
    scripts: Option<Arc<Scripts>>,
}

impl Bodies {
    /// Reads and compiles script files; what is wrong with them is told in one sentence.
    pub(crate) fn load(program: &Program, paths: &[PathBuf]) -> Result<Self, String> {
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let files =
            paths.iter().map(|path| files::read_script(path, "script")).collect::<Result<Vec<_>, _>>()?;
        let scripts = Scripts::compile(program, &files).map_err(|error| error.to_string())?;
        Ok(Self { files, scripts: Some(Arc::new(scripts)) })
    }

    /// The text of each script.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.text.as_str())
    }

    pub(crate) fn foreign(&self) -> Option<Arc<dyn Foreign>> {
        self.scripts.as_ref().map(|scripts| Arc::clone(scripts) as Arc<dyn Foreign>)
    }
}

/// Why a test cannot be run, with the script that would help if it is for want of one.
pub(crate) fn refusal(program: &Program, error: &LinkError) -> String {
    let LinkError::MissingForeign(functions) = error else { return error.to_string() };
    let names: Vec<String> =
        functions.iter().map(|id| format!("`{}`", program.name(program[*id].name))).collect();
    format!(
        "the test may call {} without a body: {}\n\
         give them one in a script, with --foreign FILE (docs/foreign.md), for instance:\n\n{}",
        counted(functions.len() as u64, "foreign function"),
        names.join(", "),
        stub(program, functions)
    )
}
