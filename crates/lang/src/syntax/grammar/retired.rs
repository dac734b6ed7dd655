//! Syntax of older versions of P: recognised, reported with what replaced it, and parsed as what replaced it where
//! there is such a thing, so that the rest of the program is still checked.
//!
//! Everything here runs where the grammar of today allows nothing: no program of today is read differently for it. The
//! words of old are identifiers, told apart by their text.

use super::super::parser::Parser;
use super::super::token::TokenKind;
use super::super::tree::{
    Declaration, ExprId, ExprKind, Handler, Ident, InterfaceDeclaration, MachineDeclaration, MachineKind,
    ModuleDeclaration, ModuleExprId, ModuleExprKind, StmtKind,
};
use super::machines::empty_machine;
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};

impl Parser<'_> {
    fn retired(&mut self, span: Span, what: &str, hint: &str) {
        let message = format!("{what} no longer part of P");
        self.report(Diagnostic::new(Code::RetiredSyntax, span, message).hint(hint));
    }

    // ---- declarations ----

    /// A declaration of old at top level, or a word of old in front of one.
    pub(super) fn retired_declaration(&mut self) -> bool {
        use TokenKind as K;
        let next = self.nth(1);
        match (self.kind(), self.token_text()) {
            (K::Main, _) if next == K::Machine || next.is_name() => self.retired_prefix(
                "`main machine` is",
                "name the main machine in a test: `test t [main=M]: ..;`",
            ),
            (K::Include, _) | (K::Identifier, "include") => self.retired_include(),
            (K::LeftBracket, _) => self.retired_suffixes(),
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

    /// A word that is just left out.
    fn retired_prefix(&mut self, what: &str, hint: &str) -> bool {
        self.retired(self.span(), what, hint);
        self.bump();
        true
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

    fn skip_to_semicolon(&mut self) {
        while !matches!(self.kind(), TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::EndOfFile) {
            self.bump();
        }
        self.eat(TokenKind::Semicolon);
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
    pub(super) fn retired_monitors_word(&mut self) -> bool {
        let found = self.at(TokenKind::Identifier) && self.token_text() == "monitors";
        if found {
            self.retired(self.span(), "`monitors` is", "write `observes`");
        }
        found
    }

    /// `type I(type) = { a, b };`
    pub(super) fn retired_interface_type(&mut self, name: Ident) -> Declaration {
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
    pub(super) fn retired_bound(&mut self, what: &str) {
        let bound = matches!(self.kind(), TokenKind::Assert | TokenKind::Assume);
        if bound && self.nth(1) == TokenKind::Number {
            let what = format!("bounds on the queue of an {what} are").replace("an machine", "a machine");
            let span = self.bump();
            let span = span.to(self.bump());
            self.retired(span, &what, "queues are unbounded: leave it out");
        }
    }

    /// `: I, J` and `creates I;` between the name of a machine and its body.
    pub(super) fn retired_machine_header(&mut self) {
        self.retired_suffixes();
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

    // ---- members of machines and states ----

    /// A member of old, or a word of old in front of one.
    pub(super) fn retired_machine_item(
        &mut self,
        machine: &mut MachineDeclaration,
        groups: &mut u32,
    ) -> bool {
        use TokenKind as K;
        let next = self.nth(1);
        match self.token_text() {
            "group" | "submachine" if next.is_name() && self.nth(2) == K::LeftBrace => {
                self.retired(self.span(), "groups of states are", "write the states without the group");
                self.bump();
                self.bump();
                self.bump();
                *groups += 1;
                true
            }
            "action" if next.is_name() => {
                self.retired(self.span(), "`action` is", "write `fun f() { .. }`");
                machine.functions.push(self.retired_action());
                true
            }
            "maxqueue" if next == K::Number => {
                self.retired(self.span(), "`maxqueue` is", "queues are unbounded: leave it out");
                self.skip_to_semicolon();
                true
            }
            "stable" | "ghost" if next == K::State || next == K::Var => self.retired_state_word(),
            _ => self.retired_function_word(),
        }
    }

    /// `action A { .. }`, as a function.
    fn retired_action(&mut self) -> super::super::tree::FunctionId {
        self.bump();
        let name = self.take_name();
        let id = self.inline_handler(1);
        self.tree.functions[id.0 as usize].name = Some(name);
        id
    }

    /// `stable` before `state`, `ghost` before `var`.
    pub(super) fn retired_state_word(&mut self) -> bool {
        let word = self.token_text();
        if !self.at(TokenKind::Identifier) || !matches!(word, "stable" | "ghost") {
            return false;
        }
        self.retired_prefix(&format!("`{word}` is"), "leave it out")
    }

    /// `on e push S;`, whose `on e` is behind the cursor.
    pub(super) fn retired_push_reaction(&mut self) -> bool {
        let found = self.at(TokenKind::Identifier) && matches!(self.token_text(), "push" | "call");
        if found {
            self.retired(self.span(), "`push` is", "states are not stacked any more: use `goto`");
            self.skip_to_state_item();
        }
        found
    }

    /// `on e goto S { .. };`
    pub(super) fn retired_transition_block(&mut self) -> Handler {
        self.retired(
            self.span(),
            "a block right behind the target of a transition is",
            "write `with { .. }`",
        );
        let handler = Handler::Inline(self.inline_handler(1));
        self.eat(TokenKind::Semicolon);
        handler
    }

    /// `G.S`, the state `S` of the group `G`.
    pub(super) fn retired_qualified_state(&mut self, mut name: Ident) -> Ident {
        self.retired(name.span, "groups of states are", "write the name of the state alone");
        while self.eat(TokenKind::Dot) {
            name = self.name("the name of a state");
        }
        name
    }

    /// `on default ..`
    pub(super) fn retired_default_event(&mut self) -> Ident {
        let span = self.span();
        self.retired(span, "`default` as an event is", "write `null`");
        self.bump();
        Ident { name: Name::NULL, span }
    }

    /// `[x = 1, y = z]` behind many things: annotations.
    pub(in super::super) fn retired_suffixes(&mut self) -> bool {
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

    // ---- types and expressions ----

    /// `any<S>`, of which `any` is behind the cursor.
    pub(super) fn retired_bounded_type(&mut self) {
        if self.nth(1).is_name() && self.nth(2) == TokenKind::Greater {
            self.retired(self.span(), "`any` bounded by an event set is", "write `any` or `machine`");
            self.bump();
            self.bump();
            self.bump();
        }
    }

    /// `swap` or `move` behind an argument.
    pub(super) fn retired_qualifier(&mut self) {
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
    pub(super) fn retired_format_arguments(&mut self, value: ExprId) {
        if self.at(TokenKind::Comma) && matches!(self.tree[value].kind, ExprKind::String(_)) {
            let what = "filling in a string without `format` is";
            self.retired(self.span(), what, "use `format`: `format(\"..{0}..\", a)`");
            self.trailing_arguments();
        }
    }

    /// `*` as an operand.
    pub(super) fn retired_choice(&mut self) -> bool {
        use TokenKind as K;
        self.at(K::Star)
            && matches!(self.nth(1), K::RightParen | K::Semicolon | K::Comma)
            && self.retired_prefix("`*` for an arbitrary choice is", "write `$`")
    }

    // ---- statements ----

    /// `send(m, e, ..);` of which the parentheses were read as a tuple.
    pub(super) fn retired_send(&mut self, tuple: ExprId) -> Option<StmtKind> {
        let ExprKind::Tuple(parts) = &self.tree[tuple].kind else { return None };
        let &[machine, event, ref arguments @ ..] = &**parts else { return None };
        let arguments = arguments.into();
        let span = self.tree[tuple].span;
        self.retired(span, "`send` with parentheses is", "write `send m, e;`");
        self.end_of_statement("the statement");
        Some(StmtKind::Send { machine, event, arguments })
    }

    /// A statement of old that begins with a word, which was read as a name.
    pub(super) fn retired_statement(&mut self, word: ExprId) -> Option<StmtKind> {
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

    // ---- modules and tests ----

    /// `hide e in m`, `assume s in m`, `safe m`.
    pub(super) fn retired_module(&mut self) -> Option<ModuleExprId> {
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
    pub(super) fn retired_module_body(&mut self, name: Ident) -> Declaration {
        use TokenKind as K;
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
    pub(super) fn retired_nameless_implementation(&mut self) {
        let nameless = matches!(self.kind(), TokenKind::LeftParen | TokenKind::LeftBrace)
            || (self.at_name() && self.nth(1) == TokenKind::Semicolon);
        if nameless {
            let hint = "write `implementation i [main=M]: ..;`";
            self.retired(self.previous(), "implementations without a name are", hint);
            self.recovering = true;
        }
    }

    /// Whether `: main M in ..` follows the name of a test.
    pub(super) fn at_retired_test_main(&self) -> bool {
        self.at(TokenKind::Colon) && self.nth(1) == TokenKind::Main
    }

    /// `: main M in ..`
    pub(super) fn retired_test_main(&mut self) -> (Ident, ModuleExprId) {
        self.bump();
        self.retired(self.span(), "`main` in the module of a test is", "write `test t [main=M]: ..;`");
        self.bump();
        let main = self.name("the name of the main machine");
        self.expect(TokenKind::In, "`in` and a module");
        (main, self.module_expr())
    }
}
