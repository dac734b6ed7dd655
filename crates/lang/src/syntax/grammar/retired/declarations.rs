//! Declarations of old, and words of old in front of declarations.

use crate::syntax::grammar::machines::empty_machine;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Declaration, Ident, InterfaceDeclaration, MachineKind};

impl Parser<'_> {
    /// A declaration of old at top level, or a word of old in front of one.
    pub(in crate::syntax::grammar) fn retired_declaration(&mut self) -> bool {
        use TokenKind as K;
        let next = self.nth(1);
        match (self.kind(), self.token_text()) {
            (K::Main, _) if next == K::Machine || next.is_name() => self.retired_prefix(
                "`main machine` is",
                "name the main machine in a test: `test t [main=M]: ..;`",
            ),
            (K::Include, _) | (K::Identifier, "include") => self.retired_include(),
            (K::LeftBracket, _) => self.retired_annotations(),
            (K::Identifier, "monitor") if next.is_name() => self.retired_monitor(),
            (K::Identifier, "extern") if next == K::Machine => {
                self.retired(
                    self.span(),
                    "prototypes of machines are",
                    "leave it out: all files are one program",
                );
                self.skip_to_semicolon();
                true
            }
            (K::Identifier, "model" | "real") if next.is_name() => self.retired_model(),
            (K::Identifier, "model" | "real" | "ghost") if next == K::Machine => self.retired_prefix(
                "`model` and `real` machines are",
                "all machines are the same kind: leave it out",
            ),
            (K::Identifier, "model") if next == K::Type => {
                self.retired_prefix("`model type` is", "declare a foreign type: `type T;`")
            }
            _ => self.retired_function_word(),
        }
    }

    fn retired_include(&mut self) -> bool {
        if self.nth(1) != TokenKind::Text {
            return false;
        }
        self.retired(
            self.span(),
            "including files is",
            "all files of a project are one program: leave it out",
        );
        self.bump();
        self.bump();
        self.eat(TokenKind::Semicolon);
        true
    }

    /// `monitor M { .. }`
    fn retired_monitor(&mut self) -> bool {
        let span = self.span();
        self.retired(span, "`monitor` is", "write `spec M observes ..`");
        self.bump();
        let name = self.take_name();
        let mut machine = empty_machine(MachineKind::Spec, name);
        if self.at(TokenKind::Observes) || self.retired_monitors_word() {
            self.bump();
            machine.observes = self.events();
        }
        let declaration = self.machine_body(machine, span.start);
        self.tree.declarations.push(declaration);
        true
    }

    /// `model M { .. }`
    fn retired_model(&mut self) -> bool {
        let span = self.span();
        self.retired(
            span,
            "`model` and `real` machines are",
            "all machines are the same kind: write `machine M`",
        );
        self.bump();
        let declaration = self.machine_after_keyword(span.start);
        self.tree.declarations.push(declaration);
        true
    }

    /// `monitors` where `observes` is meant.
    pub(in crate::syntax::grammar) fn retired_monitors_word(&mut self) -> bool {
        let found = self.at(TokenKind::Identifier) && self.token_text() == "monitors";
        if found {
            self.retired(self.span(), "`monitors` is", "write `observes`");
        }
        found
    }

    /// `type I(type) = { a, b };`
    pub(in crate::syntax::grammar) fn retired_interface_type(&mut self, name: Ident) -> Declaration {
        self.retired(name.span, "interfaces declared by `type` are", "write `interface I(..) receives ..;`");
        let opening = self.bump();
        let payload = (!self.at(TokenKind::RightParen)).then(|| self.type_expr());
        self.closing_paren(opening, "the type of the payload");
        self.expect(TokenKind::Assign, "`=` and the events");
        let braced = self.eat(TokenKind::LeftBrace);
        let receives = self.events();
        if braced {
            self.expect(TokenKind::RightBrace, "`}`");
        }
        self.end_of_declaration("the interface");
        Declaration::Interface(InterfaceDeclaration { name, payload, receives })
    }

    /// `assert 3`, `assume 3` behind the name of an event or machine.
    pub(in crate::syntax::grammar) fn retired_bound(&mut self, what: &str) {
        let bound = matches!(self.kind(), TokenKind::Assert | TokenKind::Assume);
        if bound && self.nth(1) == TokenKind::Number {
            let what = format!("bounds on the queue of an {what} are").replace("an machine", "a machine");
            let span = self.bump();
            let span = span.to(self.bump());
            self.retired(span, &what, "queues are unbounded: leave it out");
        }
    }

    /// `: I, J` and `creates I;` between the name of a machine and its body.
    pub(in crate::syntax::grammar) fn retired_machine_header(&mut self) {
        self.retired_annotations();
        if self.at(TokenKind::Colon) && self.nth(1).is_name() {
            self.retired(
                self.span(),
                "exported interfaces are",
                "bind the machine in a module: `{ M -> I }`",
            );
            self.bump();
            self.names("the name of an interface");
        }
        if self.at(TokenKind::Creates) {
            self.retired(self.span(), "`creates` clauses of machines are", "leave it out");
            self.skip_to_semicolon();
        }
    }
}
