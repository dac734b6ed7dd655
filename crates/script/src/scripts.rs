//! Script files, and which of their functions belongs to which foreign function.

use std::collections::HashSet;
use std::fmt;

use fabius_lang::ids::FunctionId;
use fabius_lang::ir::Program;
use fabius_lang::types::TypeId;
use fabius_vm::{Foreign, ForeignCall, Value};
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, Position, Scope};

use crate::arguments::to_script;
use crate::engine;
use crate::opaque::AnyOf;
use crate::results::Results;

/// A script file as read.
#[derive(Clone, Debug)]
pub struct ScriptFile {
    /// How messages name it.
    pub name: String,
    pub text: String,
}

/// Compiled script files: bodies for the foreign functions of one program.
#[derive(Debug)]
pub struct Scripts {
    engine: Engine,
    files: Vec<CompiledFile>,
}

#[derive(Debug)]
struct CompiledFile {
    name: String,
    ast: AST,
    /// Names and numbers of parameters.
    functions: Vec<(String, usize)>,
}

/// Why script files cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The file's name.
    pub file: String,
    /// The line, from 1, if one is to blame.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for ScriptError {}

impl Scripts {
    /// Compiles script files for a program.
    pub fn compile(program: &Program, files: &[ScriptFile]) -> Result<Self, ScriptError> {
        let mut scripts = Self { engine: engine::new(program), files: Vec::new() };
        for file in files {
            let compiled = scripts.compile_file(file)?;
            scripts.check_duplicates(&compiled)?;
            scripts.files.push(compiled);
        }
        Ok(scripts)
    }

    fn compile_file(&self, file: &ScriptFile) -> Result<CompiledFile, ScriptError> {
        let ast = self.engine.compile(&file.text).map_err(|error| ScriptError {
            file: file.name.clone(),
            line: error.position().line(),
            message: error.err_type().to_string(),
        })?;
        let functions =
            ast.iter_functions().map(|function| (function.name.to_owned(), function.params.len())).collect();
        Ok(CompiledFile { name: file.name.clone(), ast, functions })
    }

    fn check_duplicates(&self, new: &CompiledFile) -> Result<(), ScriptError> {
        for file in &self.files {
            if let Some((name, _)) = new.functions.iter().find(|function| file.functions.contains(function)) {
                let message = format!("`{name}` has a body in {} too", file.name);
                return Err(ScriptError { file: new.name.clone(), line: None, message });
            }
        }
        Ok(())
    }

    /// The file and the name of the script function for a foreign function.
    fn body(&self, program: &Program, function: FunctionId) -> Option<(&CompiledFile, String)> {
        let parameters = program[function].parameters as usize;
        names(program, function).into_iter().find_map(|name| {
            let wanted = (name, parameters);
            let file = self.files.iter().find(|file| file.functions.contains(&wanted))?;
            Some((file, wanted.0))
        })
    }

    /// The functions of the scripts that are no foreign function's body: the file, the name and the number of parameters.
    pub fn others<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (&'a str, &'a str, usize)> {
        let foreign =
            (0..program.functions.len() as u32).map(FunctionId).filter(|id| program[*id].is_foreign);
        let bodies =
            foreign.filter_map(|id| Some((self.body(program, id)?, program[id].parameters as usize)));
        let bodies: HashSet<(&str, String, usize)> =
            bodies.map(|((file, name), parameters)| (file.name.as_str(), name, parameters)).collect();
        let functions = self.files.iter().flat_map(|file| {
            file.functions.iter().map(|(name, parameters)| (file.name.as_str(), name.as_str(), *parameters))
        });
        functions.filter(move |(file, name, count)| !bodies.contains(&(*file, (*name).to_owned(), *count)))
    }

    fn run(&self, file: &CompiledFile, name: &str, arguments: Vec<Dynamic>) -> Result<Dynamic, String> {
        let options = CallFnOptions::new().eval_ast(false);
        self.engine
            .call_fn_with_options(options, &mut Scope::new(), &file.ast, name, arguments)
            .map_err(|error| message(&file.name, *error))
    }
}

impl Foreign for Scripts {
    fn implements(&self, program: &Program, function: FunctionId) -> bool {
        self.body(program, function).is_some()
    }

    fn call(&self, call: &ForeignCall<'_>) -> Result<Vec<Value>, String> {
        let ForeignCall { program, function, arguments } = *call;
        let (file, name) = self.body(program, function).ok_or("there is no script function for it")?;
        let parameters = program[function].registers.iter().map(|register| register.ty);
        let arguments = arguments.iter().zip(parameters).map(|(value, ty)| to_script(value, ty, program));
        let arguments =
            arguments.collect::<Result<Vec<_>, _>>().map_err(|what| format!("it was given {what}"))?;
        let result = self.run(file, &name, arguments)?;
        results(program, program[function].result, result)
            .map_err(|what| format!("{}: `{name}` returned {what}", file.name))
    }
}

/// The alternatives that a script function has returned.
fn results(program: &Program, ty: TypeId, result: Dynamic) -> Result<Vec<Value>, String> {
    let alternatives = match result.flatten().try_cast_result::<AnyOf>() {
        Ok(AnyOf(alternatives)) if alternatives.is_empty() => {
            return Err("`any_of` with nothing to choose from".into());
        }
        Ok(AnyOf(alternatives)) => alternatives,
        Err(single) => vec![single],
    };
    let convert = |value| Results { program }.value_of(value, ty);
    alternatives.into_iter().map(convert).collect()
}

/// What a foreign function may be called in scripts, the best first: `Server.Compare` is `Server__Compare` or `Compare`. A
/// word that scripts reserve can be written with `_` at its end.
pub fn names(program: &Program, function: FunctionId) -> Vec<String> {
    let label = program.name(program[function].name);
    let mut names = match label.split_once('.') {
        Some((machine, name)) => vec![format!("{machine}__{name}"), name.to_owned()],
        None => vec![label.to_owned()],
    };
    if let Some(last) = names.last().cloned() {
        names.push(format!("{last}_"));
    }
    names
}

/// An error of a script with its place, which is that of the innermost call.
pub(crate) fn message(file: &str, error: EvalAltResult) -> String {
    let mut error = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = *inner;
    }
    let place = match error.take_position() {
        Position::NONE => file.to_owned(),
        position => position.line().map_or(file.to_owned(), |line| format!("{file}:{line}")),
    };
    let what = match error {
        EvalAltResult::ErrorRuntime(thrown, _) => thrown.to_string(),
        other => other.to_string(),
    };
    format!("{place}: {what}")
}
