//! Where control can go: whether every path returns, and what no run reaches.

use super::Checker;
use super::scope::Scope;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{Body, ExprKind, FunctionId, StmtId, StmtKind};
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn check_all_paths_return(&mut self, id: FunctionId, scope: &Scope, body: &Body) {
        // Where a body without its closing brace would end is anybody's guess.
        let is_closed = self.sources.text(body.span).ends_with('}');
        if scope.result == TypeId::NULL || scope.result == TypeId::ERROR || !is_closed {
            return;
        }
        if !body.statements.iter().any(|stmt| self.surely_returns(*stmt)) {
            let name = self.tree[id]
                .name
                .map_or("this handler".into(), |name| format!("`{}`", self.text(name.name)));
            let end = Span::new(body.span.end.saturating_sub(1), body.span.end);
            let message = format!(
                "{name} can end here without returning a value of type `{}`",
                self.show(scope.result)
            );
            let diagnostic = Diagnostic::new(Code::MissingReturn, end, message);
            let diagnostic = self.label_result(scope, diagnostic);
            self.report(diagnostic);
        }
    }

    /// Points at the type of the function's result.
    pub(super) fn label_result(&self, scope: &Scope, diagnostic: Diagnostic) -> Diagnostic {
        match scope.function.and_then(|function| self.tree[function].result) {
            Some(result) => diagnostic.label(self.tree[result].span, "because of this result type"),
            None => diagnostic,
        }
    }

    /// Whether control never gets behind the statement, as far as P looks: it does not look into loops.
    fn surely_returns(&self, id: StmtId) -> bool {
        match &self.tree[id].kind {
            StmtKind::Block(statements) => statements.iter().any(|stmt| self.surely_returns(*stmt)),
            StmtKind::If { .. } => self.every_branch(id, |branch| self.surely_returns(branch)),
            StmtKind::Return(_) | StmtKind::Goto { .. } | StmtKind::Raise { .. } => true,
            StmtKind::Assert { condition, .. } | StmtKind::Assume { condition, .. } => {
                matches!(self.tree[*condition].kind, ExprKind::Bool(false))
            }
            StmtKind::Receive(cases) => {
                cases.iter().all(|case| case.body.statements.iter().any(|stmt| self.surely_returns(*stmt)))
            }
            // The parser reported it; what stood there is unknown.
            StmtKind::Error => true,
            _ => false,
        }
    }

    /// Whether one branch of an `if` is always taken, and all have a property.
    fn every_branch(&self, id: StmtId, has_property: impl Fn(StmtId) -> bool) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            let StmtKind::If { then, otherwise, .. } = &self.tree[id].kind else { return has_property(id) };
            if !has_property(*then) {
                return false;
            }
            next = *otherwise;
        }
        false
    }

    /// Whether the statement always goes elsewhere.
    pub(super) fn leaves(&self, scope: &Scope, id: StmtId) -> bool {
        match &self.tree[id].kind {
            StmtKind::Return(_) | StmtKind::Goto { .. } | StmtKind::Raise { .. } => true,
            StmtKind::Break | StmtKind::Continue => scope.loops > 0,
            StmtKind::Block(statements) => statements.last().is_some_and(|last| self.leaves(scope, *last)),
            StmtKind::If { .. } => self.every_branch(id, |branch| self.leaves(scope, branch)),
            _ => false,
        }
    }
}
