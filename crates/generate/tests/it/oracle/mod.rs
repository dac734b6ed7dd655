//! The oracle: a slow and obvious implementation of P's run-time behaviour, against which the fast one is held.
//!
//! It is written from `p-language.md` (1.9 and 1.11) and shares with `crates/vm` the front end's checked syntax tree and
//! nothing else: it walks the tree instead of lowered code, its values are plain and copied, and it stops exactly where
//! P's scheduler can switch.
//!
//! A machine that must wait for the scheduler in the middle of a handler is not suspended: what it does is a function of
//! where its handler began (state, fields, event) and of the answers it got since (a chosen value, a new machine's number,
//! a received event). So the handler is run again from its beginning, with all answers so far, whenever there is one
//! more. `code`, `expressions` and `places` run functions that way, `machine` runs handlers and transitions, `world`
//! has the queues, the monitors and the scheduler's points.

mod code;
mod expressions;
mod machine;
mod places;
mod value;
mod world;

pub(crate) use value::Value;
pub(crate) use world::{Fault, Standing, World};

use fabius_lang::check::{Checked, check};
use fabius_lang::ids::{EventId, MachineId, StateId};
use fabius_lang::source::{Diagnostics, SourceMap, Span};
use fabius_lang::syntax::parse;
use fabius_lang::syntax::tree::Tree;

/// A checked program.
pub(crate) struct Source {
    pub(crate) sources: SourceMap,
    pub(crate) tree: Tree,
    pub(crate) checked: Checked,
}

impl Source {
    /// The program of a text that compiles.
    pub(crate) fn new(text: &str) -> Self {
        let mut sources = SourceMap::default();
        sources.add("test.p", text, false).expect("the text is short");
        let mut diagnostics = Diagnostics::default();
        let tree = parse(&sources, &mut diagnostics);
        let checked = check(&tree, &sources, &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{text}");
        Self { sources, tree, checked }
    }

    pub(crate) fn event(&self, event: EventId) -> &str {
        self.tree.names.text(self.checked.events[event.index()].name.name)
    }

    pub(crate) fn machine(&self, machine: MachineId) -> &str {
        self.tree.names.text(self.checked.machines[machine.index()].name.name)
    }

    pub(crate) fn state(&self, machine: MachineId, state: StateId) -> &str {
        self.tree.names.text(self.checked.machines[machine.index()].states[state.index()].name.name)
    }

    pub(crate) fn line(&self, span: Span) -> Option<usize> {
        self.sources.location(span).map(|location| location.line as usize)
    }
}
