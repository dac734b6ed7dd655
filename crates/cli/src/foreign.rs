//! Script files that give foreign functions their bodies.

use std::path::PathBuf;
use std::sync::Arc;

use fabius_lang::ids::FunctionId;
use fabius_lang::ir::Program;
use fabius_lang::source::counted;
use fabius_script::{ScriptFile, Scripts, signature, stub};
use fabius_vm::{Foreign, LinkError};

use crate::{files, near};

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

    /// A script function that may have been meant for a foreign function and is not taken for it, and why.
    fn near_miss(&self, program: &Program, function: FunctionId) -> Option<String> {
        let others: Vec<_> = self.scripts.as_ref()?.others(program).collect();
        let names = fabius_script::names(program, function);
        let declared = signature(program, function);
        let wanted = program[function].parameters as usize;
        if let Some((file, name, count)) =
            others.iter().find(|(_, name, _)| names.iter().any(|own| own == name))
        {
            let parameters = counted(*count as u64, "parameter");
            return Some(format!("{file}: `{name}` has {parameters}, and `{declared}` {wanted}"));
        }
        let candidates = || others.iter().map(|(_, name, _)| *name);
        let near = names.iter().find_map(|name| near::nearest(name, candidates()))?;
        let (file, name, _) = others.iter().find(|(_, name, _)| *name == near)?;
        Some(format!(
            "{file}: there is no foreign function `{name}`; did you mean `{}`, for `{declared}`?",
            names[0]
        ))
    }

    pub(crate) fn foreign(&self) -> Option<Arc<dyn Foreign>> {
        self.scripts.as_ref().map(|scripts| Arc::clone(scripts) as Arc<dyn Foreign>)
    }
}

/// Why a test cannot be run, with what would help if it is for want of a script.
pub(crate) fn refusal(program: &Program, bodies: &Bodies, error: &LinkError) -> String {
    let LinkError::MissingForeign(functions) = error else { return error.to_string() };
    let names: Vec<String> =
        functions.iter().map(|id| format!("`{}`", program.name(program[*id].name))).collect();
    let count = counted(functions.len() as u64, "foreign function");
    let mut text = format!("the test may call {count} without a body: {}", names.join(", "));
    let mut unknown = Vec::new();
    for function in functions {
        match bodies.near_miss(program, *function) {
            Some(near_miss) => text.push_str(&format!("\n{near_miss}")),
            None => unknown.push(*function),
        }
    }
    if !unknown.is_empty() {
        text.push_str(&format!(
            "\ngive them one in a script, with --foreign FILE (docs/foreign.md), for instance:\n\n{}",
            stub(program, &unknown)
        ));
    }
    text
}
