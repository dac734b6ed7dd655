//! The grammar, one file per part of the language; all of it is methods of `Parser`.

mod assignments;
mod declarations;
mod expressions;
mod functions;
mod machines;
mod modules;
mod operands;
mod retired;
mod statements;
mod tests;
mod type_first;
mod types;
mod verifier;
