//! Bodies for P's foreign functions, written in the script language Rhai.
//!
//! [`Scripts`] holds compiled script files and is a [`Foreign`](fabius_vm::Foreign): it finds the script function for a
//! function of the program, turns arguments into script values, calls it and turns the result back. `docs/foreign.md`
//! tells users about it.
//!
//! Invariant: a call is a function of its arguments. Scripts have no files, clocks, randomness or modules, nothing that
//! lives on from one call to the next, and no order that depends on a hash. What they may use is limited, so a call always
//! ends; what goes wrong in one is an error with the file and line, never a panic.
//!
//! In reading order: `scripts` finds and calls functions, `engine` is what scripts may do, `opaque` the values they can
//! hold but not look into; `arguments` and `results` convert, `content` is the canonical form of foreign values; `stub`
//! writes the beginning of a script for functions that have none.

mod arguments;
mod content;
mod engine;
mod opaque;
mod results;
mod scripts;
mod stub;

pub use scripts::{ScriptError, ScriptFile, Scripts};
pub use stub::{signature, stub};
