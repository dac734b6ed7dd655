//! The script engine: what scripts may do, and how much of it.

use fabius_lang::ir::Program;
use rhai::{Dynamic, Engine, EvalAltResult, Module};

use crate::opaque;

/// Operations of one call, so that every call ends. One operation can take time in proportion to the sizes below, so
/// they belong together: the worst call takes some seconds.
pub(crate) const OPERATIONS: u64 = 250_000;
/// Calls inside a call, and how deeply expressions nest; together they bound the stack.
const CALL_LEVELS: usize = 48;
const EXPRESSION_DEPTH: usize = 48;
const FUNCTION_EXPRESSION_DEPTH: usize = 24;
/// Sizes of values, with all that is in them. They also bound how deeply values nest, and with that again the stack.
const STRING_BYTES: usize = 32 * 1024;
const COLLECTION_SIZE: usize = 4_000;
const VARIABLES: usize = 1_000;
/// Scripts can see hashes in the names of functions without name; these must be the same everywhere.
const HASHING_SEED: [u64; 4] = [1, 2, 3, 4];

/// An engine for scripts of the program. The elements of its enums are constants in them.
pub(crate) fn new(program: &Program) -> Engine {
    let mut engine = bare();
    opaque::register(&mut engine);
    engine.register_global_module(elements(program).into());
    engine
}

/// An engine that knows nothing of P.
pub(crate) fn bare() -> Engine {
    // Fails if it is set already, which it then is to the same number.
    let _ = rhai::config::hashing::set_hashing_seed(Some(HASHING_SEED));
    let mut engine = Engine::new();
    engine
        .set_max_operations(OPERATIONS)
        .set_max_call_levels(CALL_LEVELS)
        .set_max_expr_depths(EXPRESSION_DEPTH, FUNCTION_EXPRESSION_DEPTH)
        .set_max_string_size(STRING_BYTES)
        .set_max_array_size(COLLECTION_SIZE)
        .set_max_map_size(COLLECTION_SIZE)
        .set_max_variables(VARIABLES)
        .set_fail_on_invalid_map_property(true)
        .set_strict_variables(false)
        .disable_symbol("eval")
        .on_print(|_| {})
        .on_debug(|_, _, _| {});
    engine.register_fn("sleep", |_: i64| no_sleep()).register_fn("sleep", |_: f64| no_sleep());
    engine
}

fn no_sleep() -> Result<(), Box<EvalAltResult>> {
    Err("scripts cannot sleep".into())
}

fn elements(program: &Program) -> Module {
    let mut module = Module::new();
    for element in program.enums.iter().flat_map(|each| &each.elements) {
        module.set_var(program.name(element.name), Dynamic::from(element.value));
    }
    module
}
