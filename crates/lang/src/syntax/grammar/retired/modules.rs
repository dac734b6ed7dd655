//! Modules and tests of old.

use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Declaration, Ident, ModuleDeclaration, ModuleExprId, ModuleExprKind};

impl Parser<'_> {
    /// `hide e in m`, `assume s in m`, `safe m`.
    pub(in crate::syntax::grammar) fn retired_module(&mut self) -> Option<ModuleExprId> {
        use TokenKind as K;
        let next = self.nth(1);
        match self.token_text() {
            "hide" if next.is_name() => {
                self.retired(self.span(), "`hide` is", "write `hidee` for events, `hidei` for interfaces");
            }
            "assume" if next.is_name() => {
                self.retired(self.span(), "`assume` of modules is", "write `assert S in ..`");
            }
            "safe" if next.is_name() || matches!(next, K::LeftParen | K::LeftBrace) => {
                self.retired_prefix("`safe` is", "leave it out");
                return Some(self.module_expr());
            }
            _ => return None,
        }
        self.bump();
        self.names("a name");
        self.expect(K::In, "`in` and a module");
        Some(self.module_expr())
    }

    /// `module M .. { .. }`, with anything but `=` behind the name.
    pub(in crate::syntax::grammar) fn retired_module_body(&mut self, name: Ident) -> Declaration {
        use TokenKind as K;
        let is_list = self.nth(1).is_name() && matches!(self.nth(2), K::Comma | K::RightBrace | K::Arrow);
        if self.at(K::LeftBrace) && is_list {
            self.expected("`=` and a module");
            let module = self.module_expr();
            self.end_of_declaration("the module");
            return Declaration::Module(ModuleDeclaration { name, module });
        }
        if self.at_name() || matches!(self.kind(), K::LeftBrace | K::Sends | K::Receives | K::Creates) {
            self.retired(name.span, "modules that contain machines are", "write `module M = { A, B };`");
            while !matches!(self.kind(), K::LeftBrace | K::EndOfFile) && !self.at_declaration() {
                self.bump();
            }
            self.open_modules += u32::from(self.eat(K::LeftBrace));
        } else {
            self.expected("`=` and a module");
            self.skip_to_member();
        }
        let module = self.add_module(ModuleExprKind::Error, self.previous().end);
        Declaration::Module(ModuleDeclaration { name, module })
    }

    /// `implementation m;` and `implementation (..);`, of which `implementation` is behind the cursor.
    pub(in crate::syntax::grammar) fn retired_nameless_implementation(&mut self) {
        let nameless = matches!(self.kind(), TokenKind::LeftParen | TokenKind::LeftBrace)
            || (self.at_name() && self.nth(1) == TokenKind::Semicolon);
        if nameless {
            let hint = "write `implementation i [main=M]: ..;`";
            self.retired(self.previous(), "implementations without a name are", hint);
            self.recovering = true;
        }
    }

    /// Whether `: main M in ..` follows the name of a test.
    pub(in crate::syntax::grammar) fn at_retired_test_main(&self) -> bool {
        self.at(TokenKind::Colon) && self.nth(1) == TokenKind::Main
    }

    /// `: main M in ..`
    pub(in crate::syntax::grammar) fn retired_test_main(&mut self) -> (Ident, ModuleExprId) {
        self.bump();
        self.retired(self.span(), "`main` in the module of a test is", "write `test t [main=M]: ..;`");
        self.bump();
        let main = self.name("the name of the main machine");
        self.expect(TokenKind::In, "`in` and a module");
        (main, self.module_expr())
    }
}
