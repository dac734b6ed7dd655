//! The text form of programs: everything but the places in the source, readable, and read back as it was.
//!
//! One declaration or instruction a line, comments from `//` to the end of the line. Declarations of one kind are
//! numbered in the order of the text; kinds may be mixed.
//!
//! ```text
//! enum Color { RED = 0, GREEN = 5 }
//! type $0 = (a: int, ...)                              long types get a number and are written once
//! param nodes: int
//! permission Server: interface Server { ePing }        also: spec S, eventset, event e; in types: @Server
//! event ePing: (client: machine, n: int)
//! interface Server(int) receives { ePing }             event sets: { e1, e2 }, all (every event but null)
//! machine Server {                                     also: spec, scenario
//!   start Init
//!   receives all
//!   sends { ePong }
//!   creates Client, Timer
//!   var count: int
//!   hot state Init {                                   hot, cold or neither
//!     entry Server.Init.entry
//!     defer eLater
//!     on ePing do Server.onPing
//!     on eStop goto Init with Server.reset
//!   }
//! }
//! fun Server.onPing(r0 x: int) -> bool of Server {     result and owner only if there are some
//!   r1: int                                            the other registers, with the variable's name if they have one
//!   r1 = this.count
//!   r1 = add.int move r1, r0
//! L2:
//!   ...
//! }
//! foreign fun Random(r0: int) -> int
//! test tcOne {                                         also: implementation, default
//!   main Driver
//!   param nodes = 3
//!   bind Driver -> Driver                              interface -> machine
//!   link Driver, Server -> FastServer                  in Driver, `new Server` means FastServer
//!   monitor Safety observes Driver, Server
//! }
//! ```
//!
//! The instructions, with `o` for an operand (`r1` or `move r1`) and `p` for a place (`r1.0[o]`, `this.field[o].1`):
//!
//! ```text
//! r1 = null | true | 5 | 1.5 | "text" | event e | enum 3 | default T | this.field | param p | this
//! r1 = o | o.0 | o in o | o as T | o to Interface       copy, item, contains, cast, permit
//! r1 = not o | add.int o, o | tuple o, o | element o, o | lookup o, o | format "x {0}" o, o
//! r1 = choose | choose fair | choose below o | choose from o
//! r1 = call f(o, o) | new Server(o)                     also without `r1 =`
//! p = o       p += o, o       p += o       p -= o       assign, insert, add, remove; `assign r1 = o` for a whole register
//! jump L1     branch o, L1, L2     return     return o
//! assert o, o     print o     send o, o, o     announce o, o     goto State, o     raise o, o     halt
//! receive { e1, e2(r5) -> L3; e4 -> L8 }
//! ```
//!
//! Names that are no identifiers or could be taken for another word of the form are in single quotes. Anything that
//! has a name can also be given by its index, `#3`; so the form can say what is wrong with a wrong program. A name or
//! type whose index lies outside its table is shown as `?3`, and cannot be read back.

mod parse;
mod print;
#[cfg(test)]
mod tests;
mod words;

pub use parse::parse;
pub use print::{print, print_function, print_function_name, print_instruction};

use std::fmt;

/// Why and where a text is not a program in text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    pub message: String,
}

impl TextError {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let column = before[line_start..].chars().count() as u32 + 1;
        Self { line, column, message: message.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}
