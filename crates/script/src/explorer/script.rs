//! A strategy's script, compiled: its functions, how they are called, and what went wrong in them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use fabius_explore::{run_seed, split_mix};
use fabius_model::Vocabulary;
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, NativeCallContext, Scope};

use super::memo::Memo;
use super::values::Held;
use crate::engine;
use crate::scripts::{ScriptError, ScriptFile, message};

/// The functions that mean something, how they are called, and whether a script must have them.
const FUNCTIONS: [(&str, &[usize], &str, bool); 5] = [
    ("start", &[1], "start(machines)", false),
    ("next", &[2], "next(s, choices)", true),
    ("delay", &[1, 2], "delay(s)", true),
    ("step", &[2], "step(s, what)", false),
    ("finish", &[2], "finish(s, machine)", false),
];

/// A compiled strategy, shared by all explorers that follow it.
#[derive(Debug)]
pub struct ExplorerScript {
    engine: Engine,
    ast: AST,
    file: String,
    vocabulary: Vocabulary,
    seed: u64,
    has_start: bool,
    has_step: bool,
    has_finish: bool,
    delay_sees_choices: bool,
    /// Otherwise the program's state has no say, and explorers need not tell states apart.
    draws: bool,
    /// The lines of functions, for what has no line of its own.
    lines: Vec<(String, usize)>,
    failure: OnceLock<String>,
    states: Memo<Held>,
    named: Memo<Dynamic>,
}

/// Where `random` draws from during one call.
#[derive(Clone, Debug)]
struct Draws(Arc<AtomicU64>);

impl ExplorerScript {
    /// Compiles a script; `vocabulary` has the words of the program, `seed` is where random numbers come from.
    pub fn compile(
        file: &ScriptFile,
        vocabulary: Vocabulary,
        seed: u64,
    ) -> Result<ExplorerScript, ScriptError> {
        let mut engine = engine::bare();
        engine.register_fn("random", random).register_fn("machine_type", machine_type);
        let ast = engine.compile(&file.text).map_err(|error| ScriptError {
            file: file.name.clone(),
            line: error.position().line(),
            message: error.err_type().to_string(),
        })?;
        for function in FUNCTIONS {
            check_function(&ast, file, function)?;
        }
        let has = |name: &str, parameters: usize| {
            ast.iter_functions().any(|other| other.name == name && other.params.len() == parameters)
        };
        Ok(ExplorerScript {
            has_start: has("start", 1),
            has_step: has("step", 2),
            has_finish: has("finish", 2),
            delay_sees_choices: has("delay", 2),
            draws: file.text.contains("random"),
            engine,
            ast,
            file: file.name.clone(),
            vocabulary,
            seed,
            lines: lines(&file.text),
            failure: OnceLock::new(),
            states: Memo::new(),
            named: Memo::new(),
        })
    }

    /// What went wrong first, if anything has. Nothing may then be concluded from the search.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    pub(super) fn fail(&self, message: String) {
        // Another thread may have failed before.
        let _ = self.failure.set(message);
    }

    /// The file and the line of a function.
    pub(super) fn place(&self, function: &str) -> String {
        match self.lines.iter().find(|(name, _)| name == function) {
            Some((_, line)) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    pub(super) fn has_start(&self) -> bool {
        self.has_start
    }

    pub(super) fn has_step(&self) -> bool {
        self.has_step
    }

    pub(super) fn has_finish(&self) -> bool {
        self.has_finish
    }

    pub(super) fn delay_sees_choices(&self) -> bool {
        self.delay_sees_choices
    }

    /// What an explorer keeps of the bits of a program's state.
    pub(super) fn kept(&self, fingerprint: u64) -> u64 {
        if self.draws { fingerprint } else { 0 }
    }

    /// The state that `make` gives, which depends on nothing but the key and what `random` draws.
    pub(super) fn recall_state(&self, key: String, make: impl FnOnce() -> Option<Held>) -> Option<Held> {
        if self.draws { make() } else { self.states.get(key, make, |held| 3 * held.content().len() + 100) }
    }

    /// The answer of `next` that `make` gives, as above.
    pub(super) fn recall_named(
        &self,
        key: String,
        make: impl FnOnce() -> Option<Dynamic>,
    ) -> Option<Dynamic> {
        if self.draws { make() } else { self.named.get(key, make, |_| 100) }
    }

    /// Calls a function; `None` if it fails, now or before.
    pub(super) fn call(
        &self,
        function: &str,
        arguments: Vec<Dynamic>,
        draws: (u64, &str),
    ) -> Option<Dynamic> {
        if self.failure().is_some() {
            return None;
        }
        let mut options = CallFnOptions::new().eval_ast(false);
        if self.draws {
            let (fingerprint, content) = draws;
            let from = run_seed(run_seed(self.seed, fingerprint), hash(content));
            options = options.with_tag(Draws(Arc::new(AtomicU64::new(from))));
        }
        let scope = &mut Scope::new();
        match self.engine.call_fn_with_options::<Dynamic>(options, scope, &self.ast, function, arguments) {
            Ok(value) => Some(value.flatten()),
            Err(error) => {
                self.fail(self.complaint(function, *error));
                None
            }
        }
    }

    /// Calls a function that gives the next state.
    pub(super) fn update(
        &self,
        function: &str,
        arguments: Vec<Dynamic>,
        before: &Held,
        draws: (u64, &str),
    ) -> Option<Held> {
        let value = self.call(function, arguments, draws)?;
        if value.is_unit() && !before.value().is_unit() {
            self.fail(format!(
                "{}: `{function}` returned nothing; end it with the state, for instance with the line `s`",
                self.place(function)
            ));
            return None;
        }
        match Held::new(value) {
            Ok(held) => Some(held),
            Err(what) => {
                self.fail(format!(
                    "{}: `{function}` returned a state with {what} in it; a state holds numbers, strings, bools, \
                     arrays and object maps",
                    self.place(function)
                ));
                None
            }
        }
    }

    fn complaint(&self, function: &str, error: EvalAltResult) -> String {
        let is_endless = matches!(innermost(&error), EvalAltResult::ErrorTooManyOperations(_));
        let has_line = !innermost(&error).position().is_none();
        let file = if has_line { &self.file } else { &self.place(function) };
        let what = message(file, error);
        if is_endless {
            let most = engine::OPERATIONS;
            return format!(
                "{what}: one call of `{function}` may take {most} operations; does every loop end?"
            );
        }
        format!("{what} (in `{function}`)")
    }
}

/// Where functions begin. Good enough for messages: a line in a comment may be taken for one.
fn lines(text: &str) -> Vec<(String, usize)> {
    let name = |line: &str| Some(line.trim_start().strip_prefix("fn ")?.split('(').next()?.trim().to_owned());
    text.lines().enumerate().filter_map(|(at, line)| Some((name(line)?, at + 1))).collect()
}

fn innermost(error: &EvalAltResult) -> &EvalAltResult {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => innermost(inner),
        other => other,
    }
}

fn check_function(
    ast: &AST,
    file: &ScriptFile,
    (name, allowed, signature, is_needed): (&str, &[usize], &str, bool),
) -> Result<(), ScriptError> {
    let mut found = ast.iter_functions().filter(|other| other.name == name).map(|other| other.params.len());
    let complain = |line, message: String| Err(ScriptError { file: file.name.clone(), line, message });
    match found.next() {
        None if let Some(slip) = misspelt(ast, &file.text, name) => {
            let line = lines(&file.text).into_iter().find(|(other, _)| other == slip).map(|(_, line)| line);
            complain(line, format!("nothing calls the function `{slip}`; did you mean `{signature}`?"))
        }
        None if is_needed => {
            complain(None, format!("there is no function `{signature}`, without which there is no strategy"))
        }
        Some(count) if !allowed.contains(&count) => {
            let parameters = if count == 1 { "parameter" } else { "parameters" };
            complain(None, format!("`{name}` has {count} {parameters}, but is called as `{signature}`"))
        }
        _ => Ok(()),
    }
}

/// The function that may have been meant to be called so: it differs by one slip of the finger, and nothing calls it.
fn misspelt<'a>(ast: &'a AST, text: &str, name: &str) -> Option<&'a str> {
    let is_slip = |other: &&str| strsim::osa_distance(other, name) == 1 && text.matches(*other).count() == 1;
    ast.iter_functions().map(|function| function.name).find(is_slip)
}

/// A number from 0 to below `bound`; a function of the seed, of the program's state and of the strategy's, and of how many
/// were drawn before in the same call.
#[expect(clippy::needless_pass_by_value, reason = "scripts pass the context by value")]
fn random(context: NativeCallContext<'_>, bound: i64) -> Result<i64, Box<EvalAltResult>> {
    let bound = u64::try_from(bound).ok().filter(|bound| *bound > 0);
    let bound = bound.ok_or("`random(n)` needs a number above 0")?;
    let draws = context.tag().and_then(|tag| tag.clone().try_cast::<Draws>());
    let Draws(draws) = draws.ok_or("`random` cannot be used here")?;
    let mut state = draws.load(Ordering::Relaxed);
    let drawn = split_mix(&mut state);
    draws.store(state, Ordering::Relaxed);
    Ok((drawn % bound) as i64)
}

/// The type in a machine's name: `Server` for `Server(3)`.
fn machine_type(name: &str) -> String {
    name.split('(').next().unwrap_or_default().to_owned()
}

/// FNV-1a (Fowler, Noll, Vo).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
