//! Functions whose bodies are not written in P.

use crate::value::Value;
use fabius_lang::ids::FunctionId;
use fabius_lang::ir;
use std::fmt::Debug;

/// Gives foreign functions their bodies.
///
/// A body must be a function of its arguments, for its results are remembered: what it returns for the same arguments
/// must always be the same list. It expresses nondeterminism by returning more than one value.
pub trait Foreign: Debug + Send + Sync {
    /// Whether there is a body for the function.
    fn implements(&self, program: &ir::Program, function: FunctionId) -> bool;

    /// The values that the call may return, of which the search tries each. An error is a bug of the program.
    fn call(&self, call: &ForeignCall<'_>) -> Result<Vec<Value>, String>;
}

/// A call of a foreign function.
#[derive(Clone, Copy, Debug)]
pub struct ForeignCall<'a> {
    /// The program, for the names and types in it.
    pub program: &'a ir::Program,
    pub function: FunctionId,
    pub arguments: &'a [Value],
}

impl ForeignCall<'_> {
    /// The function's name, with its machine's before it if it belongs to one: `Server.Compare`.
    pub fn name(&self) -> &str {
        self.program.name(self.program[self.function].name)
    }
}
