//! Syntax of older versions of P: recognised, reported with what replaced it, and parsed as what replaced it where
//! there is such a thing, so that the rest of the program is still checked.
//!
//! Everything here runs where the grammar of today allows nothing: no program of today is read differently for it. The
//! words of old are identifiers, told apart by their text.

mod code;
mod declarations;
mod members;
mod modules;

use crate::source::{Code, Diagnostic, Span};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    fn retired(&mut self, span: Span, what: &str, hint: &str) {
        let message = format!("{what} no longer part of P");
        self.report(Diagnostic::new(Code::RetiredSyntax, span, message).hint(hint));
    }

    /// A word that is just left out.
    fn retired_prefix(&mut self, what: &str, hint: &str) -> bool {
        self.retired(self.span(), what, hint);
        self.bump();
        true
    }

    /// `static`, `model` or `extern` before `fun`.
    fn retired_function_word(&mut self) -> bool {
        let word = self.token_text();
        if !self.at(TokenKind::Identifier) || !matches!(word, "static" | "model" | "extern" | "ghost") {
            return false;
        }
        if self.nth(1) != TokenKind::Fun && self.nth(1) != TokenKind::Identifier {
            return false;
        }
        self.retired_prefix(
            &format!("`{word} fun` is"),
            "write `fun`; a foreign function has `;` for its body",
        )
    }

    /// `[x = 1, y = z]` behind many things: annotations.
    pub(in crate::syntax) fn retired_annotations(&mut self) -> bool {
        use TokenKind as K;
        let annotations = self.at(K::LeftBracket)
            && (self.nth(1) == K::RightBracket || (self.nth(1).is_name() && self.nth(2) == K::Assign));
        if annotations {
            self.retired(self.span(), "annotations in brackets are", "leave them out");
            self.bump();
            self.skip_in_brackets(&[K::RightBracket]);
            self.eat(K::RightBracket);
        }
        annotations
    }

    fn skip_to_semicolon(&mut self) {
        while !matches!(self.kind(), TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::EndOfFile) {
            self.bump();
        }
        self.eat(TokenKind::Semicolon);
    }
}
