//! Types, expressions and statements of old.

use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{ExprId, ExprKind, Ident, StmtKind};

impl Parser<'_> {
    /// `any<S>`, of which `any` is behind the cursor.
    pub(in crate::syntax::grammar) fn retired_bounded_type(&mut self) {
        if self.nth(1).is_name() && self.nth(2) == TokenKind::Greater {
            self.retired(self.span(), "`any` bounded by an event set is", "write `any` or `machine`");
            self.bump();
            self.bump();
            self.bump();
        }
    }

    /// `swap` or `move` behind an argument.
    pub(in crate::syntax::grammar) fn retired_qualifier(&mut self) {
        use TokenKind as K;
        if self.at(K::Identifier)
            && matches!(self.nth(1), K::Comma | K::RightParen | K::Semicolon | K::Colon)
            && matches!(self.token_text(), "swap" | "move" | "ref" | "xfer")
        {
            let what = format!("`{}` is", self.token_text());
            self.retired_prefix(&what, "values are copied, and shared where nobody can tell: leave it out");
        }
    }

    /// `"..", a, b` where a string with values filled in is meant.
    pub(in crate::syntax::grammar) fn retired_format_arguments(&mut self, value: ExprId) {
        if self.at(TokenKind::Comma) && matches!(self.tree[value].kind, ExprKind::String(_)) {
            let what = "filling in a string without `format` is";
            self.retired(self.span(), what, "use `format`: `format(\"..{0}..\", a)`");
            self.trailing_arguments();
            // The string alone would be reported once more, for its placeholders.
            self.tree.exprs[value.0 as usize].kind = ExprKind::Error;
        }
    }

    /// `*` as an operand.
    pub(in crate::syntax::grammar) fn retired_choice(&mut self) -> bool {
        use TokenKind as K;
        self.at(K::Star)
            && matches!(self.nth(1), K::RightParen | K::Semicolon | K::Comma)
            && self.retired_prefix("`*` for an arbitrary choice is", "write `$`")
    }

    /// `send(m, e, ..);` of which the parentheses were read as a tuple.
    pub(in crate::syntax::grammar) fn retired_send(&mut self, tuple: ExprId) -> Option<StmtKind> {
        let ExprKind::Tuple(parts) = &self.tree[tuple].kind else { return None };
        let &[machine, event, ref arguments @ ..] = &**parts else { return None };
        let arguments = arguments.into();
        let span = self.tree[tuple].span;
        self.retired(span, "`send` with parentheses is", "write `send m, e;`");
        self.end_of_statement("the statement");
        Some(StmtKind::Send { machine, event, arguments })
    }

    /// A statement of old that begins with a word, which was read as a name.
    pub(in crate::syntax::grammar) fn retired_statement(&mut self, word: ExprId) -> Option<StmtKind> {
        let node = &self.tree[word];
        if let ExprKind::Field { field, .. } = node.kind {
            return self.retired_method(field);
        }
        let ExprKind::Name(name) = node.kind else { return None };
        let span = node.span;
        let alone = self.at(TokenKind::Semicolon);
        match self.tree.names.text(name) {
            "pop" if alone => self.retired(span, "`pop` is", "states are not stacked any more: use `goto`"),
            "leave" if alone => self.retired(span, "`leave` is", "use `return`"),
            "delete" if alone => self.retired(span, "`delete` is", "use `raise halt`"),
            "push" | "call" if self.at_name() => {
                self.retired(span, "`push` is", "states are not stacked any more: use `goto`");
            }
            "monitor" if self.kind().begins_expression() => {
                self.retired(span, "`monitor` is", "use `announce`");
                let event = self.expression();
                let arguments = self.trailing_arguments();
                self.end_of_statement("the statement");
                return Some(StmtKind::Announce { event, arguments });
            }
            _ => return None,
        }
        self.skip_to_statement();
        Some(StmtKind::Error)
    }

    /// `s.insert(..);` and its like, of which `s.insert` is behind the cursor.
    fn retired_method(&mut self, method: Ident) -> Option<StmtKind> {
        let known = matches!(self.text(method.span), "insert" | "remove" | "update" | "add");
        if !known || !self.at(TokenKind::LeftParen) {
            return None;
        }
        let hint = "write `s += (i, e);`, `m[k] = v;`, `s -= i;`";
        self.retired(method.span, "functions that belong to collections are", hint);
        self.skip_to_statement();
        Some(StmtKind::Error)
    }
}
