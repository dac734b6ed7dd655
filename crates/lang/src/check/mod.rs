//! Names and types: from a tree to what it means.
//!
//! The passes run in order, each in its own file: `declarations` fills the global tables, `signatures` gives every
//! declaration its types, `machines` checks states and handlers, `statements` and `expressions` check code,
//! `effects` follows what functions do through calls, `verifier` checks the verifier's declarations, `modules` and
//! `tests` link what can be run, and `unused` looks for what nobody needs. Every pass reports what it finds and goes
//! on; a thing already reported has type [`TypeId::ERROR`](crate::types::TypeId::ERROR) or no resolution, and later
//! passes stay silent about it.

mod calls;
mod checked;
mod composition;
mod control_flow;
mod covering;
mod declarations;
mod effects;
mod events;
mod expressions;
mod globals;
mod machines;
mod modules;
mod operators;
mod parameters;
mod scope;
mod signatures;
mod statements;
mod suggest;
mod tests;
mod type_exprs;
mod unused;
mod verifier;

pub use checked::{
    Checked, EnumInfo, EventInfo, FunctionInfo, InterfaceInfo, LocalId, LocalInfo, MachineInfo,
    ParameterInfo, Resolution, StateInfo,
};

pub(crate) use checked::ir_function;

use crate::ids::{EnumId, EventId};
use crate::names::Name;
use crate::source::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::syntax::tree::{ExprId, Ident, Tree};
use crate::types::TypeId;
use globals::Globals;
use std::cell::Cell;

/// Checks a whole project. The result is meaningful for lowering only if no error was reported.
pub fn check(tree: &Tree, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Checked {
    let mut checker = Checker {
        tree,
        sources,
        diagnostics,
        globals: Globals::default(),
        checked: Checked::new(tree),
        effects: Vec::new(),
        uses: unused::Uses::new(tree),
        suggestions: Cell::new(suggest::BUDGET),
    };
    checker.declare();
    checker.resolve_signatures();
    checker.check_machines();
    checker.check_functions();
    checker.check_verifier();
    checker.check_effects();
    checker.infer_creates();
    checker.link_tests_as_far_as_known();
    if !checker.diagnostics.has_errors() {
        checker.warn_unused();
    }
    checker.checked
}

/// The state shared by all passes.
struct Checker<'a> {
    tree: &'a Tree,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    globals: Globals,
    checked: Checked,
    /// What each function does, by index of the tree's functions.
    effects: Vec<effects::FunctionEffects>,
    uses: unused::Uses,
    /// How many comparisons suggestions may still make.
    suggestions: Cell<usize>,
}

impl Checker<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }

    fn text(&self, name: Name) -> &str {
        self.tree.names.text(name)
    }

    /// A type as people write it.
    fn show(&self, ty: TypeId) -> String {
        let enum_name = |id: EnumId| self.checked.enums[id.index()].name.name;
        self.checked.types.display(ty, &self.tree.names, &enum_name)
    }

    fn expr_span(&self, expr: ExprId) -> Span {
        self.tree[expr].span
    }

    /// Whether the parser left this name out because of an error it reported.
    fn is_missing(ident: Ident) -> bool {
        ident.name == Name::MISSING
    }

    fn event_name(&self, event: EventId) -> &str {
        self.text(self.checked.events[event.index()].name.name)
    }
}
