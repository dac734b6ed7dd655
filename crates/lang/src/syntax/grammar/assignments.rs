//! Statements that begin with an expression: assignments, insertions, removals and calls.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::{Operand, Parser};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{BinaryOp, ExprId, ExprKind, Ident, StmtKind};

impl Parser<'_> {
    /// An assignment, an insertion, a removal or a call.
    pub(super) fn expression_statement(&mut self, start: u32) -> StmtKind {
        use TokenKind as K;
        let operand = self.any_operand();
        match self.kind() {
            K::Assign => {
                self.check_target(operand.id, start);
                self.bump();
                self.assignment(operand.id)
            }
            K::Colon if self.nth(1) == K::Assign => {
                let error = Diagnostic::new(Code::SyntaxError, self.span(), "`:=` is not an operator of P");
                self.report(error.hint("assignment is written `=`"));
                self.bump();
                self.bump();
                self.assignment(operand.id)
            }
            K::PlusAssign => {
                self.check_target(operand.id, start);
                self.insertion(operand.id)
            }
            K::MinusAssign => {
                self.check_target(operand.id, start);
                self.bump();
                let value = self.expression();
                self.end_of_statement("the removal");
                StmtKind::Remove { target: operand.id, value }
            }
            _ => self.call_statement(operand, start),
        }
    }

    /// Reports a left side that is not a place.
    fn check_target(&mut self, target: ExprId, start: u32) {
        let mut place = target;
        loop {
            let node = &self.tree[place];
            match node.kind {
                // A name in parentheses begins behind the statement's first token.
                ExprKind::Name(_) if node.span.start == start => return,
                ExprKind::Error => return,
                ExprKind::Field { base, .. } | ExprKind::Item { base, .. } | ExprKind::Index { base, .. } => {
                    place = base;
                }
                _ => break,
            }
        }
        let span = self.span_from(start);
        let error = Diagnostic::new(Code::InvalidAssignmentTarget, span, "this is not a place to assign to");
        self.report(error.hint("assign to variables, their fields and positions, and their elements"));
    }

    /// What follows `target =`.
    fn assignment(&mut self, target: ExprId) -> StmtKind {
        let value = self.expression();
        self.retired_qualifier();
        self.retired_format_arguments(value);
        self.end_of_statement("the assignment");
        StmtKind::Assign { target, value }
    }

    /// `target += (value);`, `target += (key, value);`
    fn insertion(&mut self, target: ExprId) -> StmtKind {
        self.bump();
        let opening = self.span();
        if !self.eat(TokenKind::LeftParen) {
            return self.insertion_without_parentheses(target);
        }
        let first = self.expression();
        self.retired_qualifier();
        let second = self.eat(TokenKind::Comma).then(|| self.expression());
        self.retired_qualifier();
        if matches!(self.kind(), TokenKind::Comma | TokenKind::Assign) {
            self.expected_with("`)` to close what is added", |diagnostic| {
                diagnostic.hint("to add a tuple, give it parentheses of its own: `+= ((.., ..))`")
            });
        }
        self.closing_paren(opening, "what is added");
        self.end_of_statement("the insertion");
        match second {
            Some(value) => StmtKind::Insert { target, key: first, value },
            None => StmtKind::Add { target, value: first },
        }
    }

    fn insertion_without_parentheses(&mut self, target: ExprId) -> StmtKind {
        if self.kind().begins_expression() {
            let error = Diagnostic::new(Code::SyntaxError, self.span(), "expected `(` after `+=`");
            self.report(error.hint("write `s += (e);` to add to a collection, `n = n + e;` to count"));
        }
        let value = self.expression();
        self.end_of_statement("the insertion");
        StmtKind::Add { target, value }
    }

    /// `f(..);`, `new M(..);`, or an expression that is no statement.
    fn call_statement(&mut self, operand: Operand, start: u32) -> StmtKind {
        if let Some(call) = self.take_call(operand.id, start) {
            if self.at(TokenKind::LeftBrace)
                && let StmtKind::Call { function, .. } = &call
            {
                let function = *function;
                return self.foreign_control(function);
            }
            self.end_of_statement("the call");
            return call;
        }
        if matches!(self.tree[operand.id].kind, ExprKind::Error) {
            self.end_of_statement("the statement");
            return StmtKind::Error;
        }
        if let Some(statement) = self.retired_statement(operand.id) {
            return statement;
        }
        self.not_a_statement(operand.id, start);
        StmtKind::Error
    }

    /// The expression as a statement, if it is a call that begins at `start`, taken out of the tree's expressions.
    fn take_call(&mut self, id: ExprId, start: u32) -> Option<StmtKind> {
        let last = self.tree.exprs.pop_if(|last| {
            last.span.start == start && matches!(last.kind, ExprKind::Call { .. } | ExprKind::New { .. })
        })?;
        debug_assert_eq!(id.0 as usize, self.tree.exprs.len(), "a call is added after its arguments");
        match last.kind {
            ExprKind::Call { function, arguments } => Some(StmtKind::Call { function, arguments }),
            ExprKind::New { interface, arguments } => Some(StmtKind::New { interface, arguments }),
            _ => None,
        }
    }

    fn not_a_statement(&mut self, id: ExprId, start: u32) {
        let error = |hint: &str| {
            Diagnostic::new(Code::SyntaxError, self.span_from(start), "an expression is not a statement")
                .hint(hint)
        };
        let diagnostic = match &self.tree[id].kind {
            ExprKind::Binary { op: BinaryOp::Equal, .. } => error("assignment is written `=`"),
            ExprKind::Name(_) if self.at(TokenKind::Semicolon) => error("a function is called with `()`"),
            _ if self.at(TokenKind::Semicolon) => error("assign it to a variable, or call a function"),
            _ => {
                let what = "`=`, `+=`, `-=` or a call";
                self.expected(what);
                return self.skip_to_statement();
            }
        };
        self.fail(diagnostic, |diagnostic| diagnostic);
        self.skip_to_statement();
    }

    /// What other languages have and P does not, read as a call with a block behind it: `elseif (..) { .. }`.
    fn foreign_control(&mut self, word: Ident) -> StmtKind {
        let hint = match self.text(word.span) {
            "elseif" | "elsif" | "elif" => "write `else if`",
            "for" => "write `foreach (x in ..)` or `while (..)`",
            "switch" | "match" => "write `if (..) .. else if (..) ..`",
            _ => {
                self.end_of_statement("the call");
                return StmtKind::Error;
            }
        };
        let message = format!("`{}` is not a statement of P", self.text(word.span));
        self.report(Diagnostic::new(Code::SyntaxError, word.span, message).hint(hint));
        if hint.contains("else if (..)") {
            self.skip_braces();
            return StmtKind::Error;
        }
        self.statement();
        if self.eat(TokenKind::Else) {
            self.statement();
        }
        StmtKind::Error
    }
}
