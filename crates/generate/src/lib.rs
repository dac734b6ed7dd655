//! Random P programs that compile, for property tests of everything that runs P.
//!
//! [`program`] writes the text of a small closed program that has one or more tests. It aims at what matters for
//! scheduling and state: machines that create, send, defer, receive, choose and halt, specs that watch, and values that
//! are copied, changed and compared. Some programs have bugs, some do not.
//!
//! Every program is finite: what a machine does to others costs it *fuel*, a field that counts up to a bound, and every
//! value that a field can hold comes from a bounded domain. So an exhaustive search usually ends soon. A run need not
//! end, because a state that reacts to `null` never rests.
//!
//! In reading order: `dice` is where chance comes from; `types` and `plan` decide what is declared; `scope`, `expressions`,
//! `statements` and `acts` write code; `machines`, `specs` and `modules` put it together. [`shrink`] makes a program that
//! shows something smaller, so that it can become a fixture.

#![warn(missing_docs)]

mod acts;
mod dice;
mod expressions;
mod machines;
mod modules;
mod plan;
mod scope;
mod shrink;
mod specs;
mod statements;
mod types;

pub use shrink::shrink;

use dice::Dice;
use plan::Plan;

/// How large programs become. All are upper bounds, except where a range is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Types of machines besides the main one; at least one.
    pub machines: usize,
    /// States of a machine.
    pub states: usize,
    /// Declared events; at least two.
    pub events: usize,
    /// Random fields of a machine.
    pub fields: usize,
    /// Statements of a block.
    pub statements: usize,
    /// How deeply blocks and expressions nest.
    pub depth: usize,
    /// How often a machine may act on others, and change its state of its own accord.
    pub fuel: usize,
    /// Specs.
    pub specs: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { machines: 3, states: 3, events: 4, fields: 2, statements: 2, depth: 2, fuel: 4, specs: 2 }
    }
}

/// The text of the program that belongs to a seed.
pub fn program(seed: u64, size: &Size) -> String {
    let mut dice = Dice::new(seed);
    let plan = Plan::new(&mut dice, size);
    modules::write(&plan, &mut dice)
}
