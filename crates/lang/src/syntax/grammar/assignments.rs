//! Statements that begin with an expression: assignments, insertions, removals and calls.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::{Operand, Parser};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{BinaryOp, ExprId, ExprKind, StmtKind};

/// How many tokens the parentheses of a foreign statement may have.
const LONGEST_HEADER: usize = 100;

impl Parser<'_> {
    /// An assignment, an insertion, a removal or a call.
    pub(super) fn expression_statement(&mut self, start: u32) -> StmtKind {
        use TokenKind as K;
        if let Some(hint) = self.foreign_control() {
            return self.foreign_statement(hint);
        }
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
            return self.insertion_without_parentheses();
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

    fn insertion_without_parentheses(&mut self) -> StmtKind {
        if self.kind().begins_expression() {
            let error = Diagnostic::new(Code::SyntaxError, self.span(), "expected `(` after `+=`");
            self.report(error.hint("write `s += (e);` to add to a collection, `n = n + e;` to count"));
        }
        self.expression();
        self.end_of_statement("the insertion");
        StmtKind::Error
    }

    /// `f(..);`, `new M(..);`, or an expression that is no statement.
    fn call_statement(&mut self, operand: Operand, start: u32) -> StmtKind {
        if let Some(call) = self.take_call(operand.id, start) {
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

    /// What to write instead of a statement that other languages have and P does not, if one stands at the cursor:
    /// a word of theirs, parentheses, and a block.
    fn foreign_control(&self) -> Option<&'static str> {
        use TokenKind as K;
        if !self.at(K::Identifier) || self.nth(1) != K::LeftParen {
            return None;
        }
        let hint = match self.token_text() {
            "elseif" | "elsif" | "elif" => "write `else if`",
            "for" => "write `foreach (x in ..)` or `while (..)`",
            "switch" | "match" => "write `if (..) .. else if (..) ..`",
            _ => return None,
        };
        let mut level = 0;
        for distance in 1..LONGEST_HEADER {
            match self.nth(distance) {
                K::LeftParen => level += 1,
                K::RightParen => level -= 1,
                K::LeftBrace | K::RightBrace | K::EndOfFile => return None,
                _ => {}
            }
            if level == 0 {
                return (self.nth(distance + 1) == K::LeftBrace).then_some(hint);
            }
        }
        None
    }

    /// Reports the foreign statement at the cursor; statements in its block are checked.
    fn foreign_statement(&mut self, hint: &str) -> StmtKind {
        let word = self.bump();
        let message = format!("`{}` is not a statement of P", self.text(word));
        self.report(Diagnostic::new(Code::SyntaxError, word, message).hint(hint));
        while !self.at(TokenKind::LeftBrace) {
            self.bump();
        }
        if matches!(self.text(word), "switch" | "match") {
            self.skip_braces();
            return StmtKind::Error;
        }
        let then = self.statement();
        if self.eat(TokenKind::Else) {
            self.statement();
        }
        StmtKind::Block([then].into())
    }
}
