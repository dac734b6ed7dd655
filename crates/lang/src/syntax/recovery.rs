//! Getting back on track: where to go on after text that does not fit.
//!
//! Every function here only moves forward, and stops before what could begin the next thing of its level or close the
//! construct around it. Braces are skipped in pairs, so that what is wrong inside one body does not end the next.

use super::parser::Parser;
use super::token::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// Takes the `;` that ends a statement or clause; without one, goes to where the next statement may begin.
    pub(super) fn end_of_statement(&mut self, what: &str) {
        if self.eat(TokenKind::Semicolon) || self.eat_behind_annotations() {
            return;
        }
        let damage = self.damage;
        self.expected(&format!("`;` after {what}"));
        if self.on_new_line() || self.at(TokenKind::RightBrace) {
            // Nothing but the `;` is missing.
            self.damage = damage;
        }
        let begins_next = self.kind().begins_expression() || self.kind().begins_statement();
        if !(self.on_new_line() && begins_next) {
            self.skip_to_statement();
        }
    }

    /// Takes the `;` that ends a declaration or member; without one, goes to where the next may begin.
    pub(super) fn end_of_declaration(&mut self, what: &str) {
        if self.eat(TokenKind::Semicolon) || self.eat_behind_annotations() {
            return;
        }
        self.expected(&format!("`;` after {what}"));
        if !(self.on_new_line() && self.begins_declaration_line()) {
            self.skip_to_member();
        }
    }

    fn eat_behind_annotations(&mut self) -> bool {
        self.retired_annotations() && self.eat(TokenKind::Semicolon)
    }

    /// Takes an opening brace; the caller goes on without one when the body's first item is there.
    pub(super) fn opening_brace(&mut self, what: &str) -> Span {
        if self.at(TokenKind::LeftBrace) {
            return self.bump();
        }
        self.retired_annotations();
        let span = self.span();
        if !self.eat(TokenKind::LeftBrace) {
            self.expected(&format!("`{{` to begin {what}"));
        }
        span
    }

    /// Takes the brace that closes what `opening` opened. The cursor stands where the body's loop stopped.
    pub(super) fn closing_brace(&mut self, opening: Span, what: &str) {
        if !self.eat(TokenKind::RightBrace) {
            self.expected_with(&format!("`}}` to close {what}"), |diagnostic| {
                diagnostic.label(opening, "it begins here")
            });
        }
    }

    /// Takes the parenthesis that closes what `opening` opened; without one, skips to it or to where the statement or
    /// body behind it begins.
    pub(super) fn closing_paren(&mut self, opening: Span, what: &str) {
        if self.eat(TokenKind::RightParen) {
            return;
        }
        self.expected_with(&format!("`)` to close {what}"), |diagnostic| {
            diagnostic.label(opening, "opened here")
        });
        self.skip_in_brackets(&[TokenKind::RightParen]);
        self.eat(TokenKind::RightParen);
    }

    pub(super) fn closing_bracket(&mut self, opening: Span, what: &str) {
        if self.eat(TokenKind::RightBracket) {
            return;
        }
        self.expected_with(&format!("`]` to close {what}"), |diagnostic| {
            diagnostic.label(opening, "opened here")
        });
        self.skip_in_brackets(&[TokenKind::RightBracket]);
        self.eat(TokenKind::RightBracket);
    }

    /// Between brackets, goes to one of `ends` at the same level, or to where no bracket can reach.
    pub(super) fn skip_in_brackets(&mut self, ends: &[TokenKind]) {
        use TokenKind as K;
        let mut level = 0;
        loop {
            match self.kind() {
                kind if level == 0 && ends.contains(&kind) => return,
                K::LeftParen | K::LeftBracket => level += 1,
                K::RightParen | K::RightBracket if level == 0 => return,
                K::RightParen | K::RightBracket => level -= 1,
                _ if self.ends_brackets() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether the cursor's token never stands between round or square brackets.
    fn ends_brackets(&self) -> bool {
        use TokenKind as K;
        matches!(self.kind(), K::Semicolon | K::LeftBrace | K::RightBrace | K::EndOfFile)
            || self.kind().begins_statement()
            || self.ends_body()
    }

    /// Skips the rest of an expression or type that is nested too deeply.
    pub(super) fn skip_nested(&mut self) {
        self.skip_in_brackets(&[TokenKind::Comma]);
    }

    /// Skips the rest of a module expression that is nested too deeply.
    pub(super) fn skip_nested_module(&mut self) {
        use TokenKind as K;
        let mut level = 0;
        loop {
            match self.kind() {
                K::LeftParen | K::LeftBrace => level += 1,
                K::RightParen | K::RightBrace | K::Comma if level == 0 => return,
                K::RightParen | K::RightBrace => level -= 1,
                K::Semicolon | K::EndOfFile => return,
                _ if self.at_declaration() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a statement that is nested too deeply, with the `else` branches that follow it.
    pub(super) fn skip_nested_statement(&mut self) {
        loop {
            self.skip_one_statement();
            if !self.eat(TokenKind::Else) {
                return;
            }
        }
    }

    /// Skips to the end of the simple statement or the block that ends a statement.
    pub(super) fn skip_one_statement(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace => return self.skip_braces(),
                K::RightBrace | K::EndOfFile => return,
                _ if self.ends_body() => return,
                _ => self.bump(),
            };
        }
    }

    /// Skips a pair of braces and what they hold.
    pub(super) fn skip_braces(&mut self) {
        let mut level = 0;
        loop {
            match self.kind() {
                TokenKind::LeftBrace => level += 1,
                TokenKind::RightBrace => level -= 1,
                TokenKind::EndOfFile => return,
                _ if self.at_declaration() => return,
                _ => {}
            }
            self.bump();
            if level == 0 {
                return;
            }
        }
    }

    /// Goes to where a statement may begin or its block ends, past the `;` of this one.
    pub(super) fn skip_to_statement(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace | K::RightBrace | K::EndOfFile | K::Else => return,
                K::Case if self.in_receive => return,
                kind if kind.begins_statement() => return,
                _ if self.ends_body() => return,
                _ => self.bump(),
            };
        }
    }

    /// In a case of a `receive`, goes to the beginning of its body.
    pub(super) fn skip_to_case_body(&mut self) {
        use TokenKind as K;
        while !matches!(self.kind(), K::LeftParen | K::Case | K::RightBrace | K::EndOfFile)
            && !matches!(self.kind(), K::LeftBrace | K::Semicolon)
            && !self.ends_body()
        {
            self.bump();
        }
        self.recovering = true;
    }

    /// Goes to the next case of a `receive`, or to its end.
    pub(super) fn skip_to_case(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::Case | K::RightBrace | K::EndOfFile => return,
                K::LeftBrace => self.skip_braces(),
                _ if self.ends_body() => return,
                _ => _ = self.bump(),
            }
        }
    }

    /// Goes to where an item of a state may begin or the state ends, past the `;` or the braces of this one.
    pub(super) fn skip_to_state_item(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace => return self.skip_braces(),
                K::RightBrace | K::EndOfFile => return,
                _ if self.ends_body() => return,
                _ => self.bump(),
            };
        }
    }

    /// Goes to where a member of a machine or a declaration may begin, or the machine ends.
    pub(super) fn skip_to_member(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace => return self.skip_braces(),
                K::RightBrace | K::EndOfFile | K::Var => return,
                kind if kind.begins_machine_item() => return,
                _ if self.at_declaration() => return,
                _ => self.bump(),
            };
        }
    }

    /// Whether the cursor's token can only belong to something around the body of a function: then the body's closing
    /// brace is missing.
    pub(super) fn ends_body(&self) -> bool {
        self.kind().begins_state_item() || self.ends_state()
    }

    /// Whether the cursor's token can only belong to something around a state.
    pub(super) fn ends_state(&self) -> bool {
        self.kind().begins_machine_item() || self.at_declaration()
    }

    /// Whether the cursor's token, the first of its line, most likely begins a declaration.
    fn begins_declaration_line(&self) -> bool {
        use TokenKind as K;
        matches!(self.kind(), K::Invariant | K::Axiom | K::Lemma | K::Theorem | K::Proof | K::Pure)
            || matches!(self.kind(), K::Test | K::Param | K::Scenario)
            || self.at_init_condition()
            || self.at_declaration()
    }

    /// Whether a declaration begins at the cursor that cannot stand anywhere but at top level. Functions are not among
    /// them, and contextual words are not trusted.
    pub(super) fn at_declaration(&self) -> bool {
        use TokenKind as K;
        match self.kind() {
            K::Type | K::Enum | K::EventSet | K::Interface | K::Spec | K::Module | K::Implementation => true,
            K::Machine | K::Event => self.nth(1).is_name(),
            K::Test => self.nth(1).is_name() || self.nth(1) == K::LeftParen,
            _ => false,
        }
    }
}
