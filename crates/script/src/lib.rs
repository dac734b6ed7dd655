//! What people write in the script language Rhai: bodies for P's foreign functions, and strategies for searches.
//!
//! [`Scripts`] holds compiled script files and is a [`Foreign`](fabius_vm::Foreign): it finds the script function for a
//! function of the program, turns arguments into script values, calls it and turns the result back. `docs/foreign.md`
//! tells users about it.
//!
//! Invariant: a call is a function of its arguments. Scripts have no files, clocks, randomness or modules, nothing that
//! lives on from one call to the next, and no order that depends on a hash. What they may use is limited, so a call always
//! ends; what goes wrong in one is an error with the file and line, never a panic.
//!
//! [`ScriptExplorer`] is a delaying explorer whose strategy is an [`ExplorerScript`]; `docs/explorers.md` tells users about
//! it.
//!
//! In reading order: `scripts` finds and calls functions, `engine` is what scripts may do, `opaque` the values they can
//! hold but not look into; `arguments` and `results` convert, `content` is the canonical form of foreign values; `stub`
//! writes the beginning of a script for functions that have none. `explorer` is about strategies.

mod arguments;
mod content;
mod engine;
mod explorer;
mod opaque;
mod results;
mod scripts;
mod stub;

pub use explorer::{ExplorerScript, ScriptExplorer};
pub use scripts::{ScriptError, ScriptFile, Scripts, names};
pub use stub::{signature, stub};
