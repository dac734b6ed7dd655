//! Machines, specs and scenarios, their states, and what states do with events.

use crate::source::{Code, Diagnostic, Span};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Declaration, Handler, Ident, MachineDeclaration, MachineKind, StateDeclaration, StateItem, Temperature,
};

impl Parser<'_> {
    /// `machine M receives a; sends b; { .. }`
    pub(in crate::syntax) fn machine_declaration(&mut self) -> Declaration {
        let start = self.start();
        self.bump();
        self.machine_after_keyword(start)
    }

    pub(in crate::syntax) fn machine_after_keyword(&mut self, start: u32) -> Declaration {
        let name = self.name("the name of the machine");
        let mut machine = empty_machine(MachineKind::Machine, name);
        self.retired_bound("machine");
        self.retired_machine_header();
        loop {
            match self.kind() {
                TokenKind::Receives => self.event_clause(&mut machine.receives),
                TokenKind::Sends => self.event_clause(&mut machine.sends),
                TokenKind::Creates => self.retired_machine_header(),
                _ => break,
            }
        }
        self.machine_body(machine, start)
    }

    /// `receives a, b;`, joined to earlier clauses.
    fn event_clause(&mut self, clause: &mut Option<Vec<Ident>>) {
        self.bump();
        let events = self.events_or_none();
        clause.get_or_insert_default().extend(events);
        if matches!(self.kind(), TokenKind::LeftBrace | TokenKind::Receives | TokenKind::Sends) {
            self.expected("`;` after the list of events");
        } else {
            self.end_of_declaration("the list of events");
        }
    }

    /// `spec S observes a, b { .. }`, `scenario S observes a { .. }`
    pub(in crate::syntax) fn monitor_declaration(&mut self, kind: MachineKind) -> Declaration {
        let start = self.bump().start;
        let name = self.name("the name of the spec");
        let mut machine = empty_machine(kind, name);
        if self.at(TokenKind::Observes) || self.retired_monitors_word() {
            self.bump();
            machine.observes = self.events();
        } else {
            self.expected("`observes` and the events");
        }
        self.machine_body(machine, start)
    }

    pub(in crate::syntax) fn machine_body(
        &mut self,
        mut machine: MachineDeclaration,
        start: u32,
    ) -> Declaration {
        let opening = self.opening_brace("the machine");
        // Old programs group states; the groups' braces are counted here.
        let mut groups = 0;
        let mut astray = false;
        loop {
            let before = self.position();
            let begins_item = self.kind().begins_machine_item() || self.at(TokenKind::Var);
            match self.kind() {
                TokenKind::EndOfFile => break,
                TokenKind::RightBrace if groups > 0 => {
                    groups -= 1;
                    self.bump();
                }
                TokenKind::RightBrace => break,
                _ if self.at_declaration() => break,
                _ => {
                    // One report is enough for things in a row that do not belong here.
                    self.recovering &= astray && !begins_item;
                    astray = !begins_item;
                    self.machine_item(&mut machine, &mut groups);
                }
            }
            if self.position() == before {
                self.bump();
            }
        }
        self.closing_brace(opening, "the machine");
        machine.span = self.span_from(start);
        Declaration::Machine(machine)
    }

    fn machine_item(&mut self, machine: &mut MachineDeclaration, groups: &mut u32) {
        use TokenKind as K;
        match self.kind() {
            K::Var => {
                self.bump();
                machine.variables.push(self.variables());
            }
            K::Fun => machine.functions.push(self.function()),
            K::Start | K::Hot | K::Cold | K::State => {
                let state = self.state();
                machine.states.push(state);
            }
            _ if self.retired_machine_item(machine, groups) => {}
            _ if self.at_type_first() => {
                let variables = self.type_first_member();
                machine.variables.push(variables);
            }
            _ => {
                self.no_machine_item();
                self.skip_to_member();
            }
        }
    }

    fn no_machine_item(&mut self) {
        let hint = match self.kind() {
            TokenKind::Semicolon => "nothing but variables ends with `;` here: leave it out",
            kind if kind.begins_state_item() => {
                self.brace_blamed = true;
                "it belongs into a state; is there a `}` too many before it?"
            }
            kind if kind.begins_statement() => "statements belong into functions and handlers",
            _ => "",
        };
        self.unexpected("a variable, a function or a state", |diagnostic| {
            if hint.is_empty() { diagnostic } else { diagnostic.hint(hint) }
        });
    }

    /// `start hot state S { .. }`
    pub(in crate::syntax) fn state(&mut self) -> StateDeclaration {
        let start = self.at(TokenKind::Start).then(|| self.bump());
        self.retired_state_word();
        let temperature = match self.kind() {
            TokenKind::Hot => Temperature::Hot,
            TokenKind::Cold => Temperature::Cold,
            _ => Temperature::Warm,
        };
        if temperature != Temperature::Warm {
            self.bump();
        }
        self.expect(TokenKind::State, "`state`");
        let name = self.name("the name of the state");
        let opening = self.opening_brace("the state");
        let mut items = Vec::new();
        let mut astray = false;
        loop {
            let before = self.position();
            let begins_item = self.kind().begins_state_item();
            match self.kind() {
                TokenKind::RightBrace | TokenKind::EndOfFile | TokenKind::Var => break,
                _ if self.ends_state() => break,
                _ => {
                    self.recovering &= astray && !begins_item;
                    astray = !begins_item;
                    self.state_item(&mut items);
                }
            }
            if self.position() == before {
                self.bump();
            }
        }
        self.closing_brace(opening, "the state");
        StateDeclaration { name, start, temperature, items }
    }

    fn state_item(&mut self, items: &mut Vec<StateItem>) {
        use TokenKind as K;
        let span = self.span();
        let item = match self.kind() {
            K::Entry => {
                self.bump();
                StateItem::Entry { handler: self.handler("the entry handler", 1), span }
            }
            K::Exit => {
                self.bump();
                StateItem::Exit { handler: self.handler("the exit handler", 0), span }
            }
            K::Defer => StateItem::Defer(self.event_list()),
            K::Ignore => StateItem::Ignore(self.event_list()),
            K::On => return self.reaction(items),
            _ => return self.no_state_item(),
        };
        items.push(item);
    }

    fn no_state_item(&mut self) {
        if self.at(TokenKind::Semicolon) {
            let error = Diagnostic::new(Code::SyntaxError, self.span(), "this `;` ends nothing");
            self.report(error.hint("there is none behind the `}` of a handler"));
            self.bump();
            return;
        }
        self.unexpected("`entry`, `exit`, `on`, `defer` or `ignore`", |diagnostic| diagnostic);
        self.skip_to_state_item();
    }

    /// `defer a, b;`, `ignore a, b;`
    fn event_list(&mut self) -> Vec<Ident> {
        self.bump();
        let events = self.events();
        self.end_of_state_item("the list of events");
        events
    }

    /// `on a, b do ..`, `on a, b goto S with ..`
    fn reaction(&mut self, items: &mut Vec<StateItem>) {
        self.bump();
        let mut events = vec![self.event(true)];
        while self.eat(TokenKind::Comma) {
            events.push(self.event(true));
        }
        match self.kind() {
            TokenKind::Do => {
                self.bump();
                items.push(StateItem::Do { events, handler: self.handler("the handler", 1) });
            }
            TokenKind::Goto => {
                self.bump();
                let target = self.state_name();
                let with = self.transition_function();
                items.push(StateItem::Goto { events, target, with });
            }
            _ if self.retired_push_reaction() => {}
            _ => {
                self.expected("`do` or `goto`");
                self.skip_to_state_item();
            }
        }
    }

    /// The end of a transition: `;`, or `with` and a handler.
    fn transition_function(&mut self) -> Option<Handler> {
        if self.eat(TokenKind::With) {
            return Some(self.handler("the transition's handler", 1));
        }
        if self.at(TokenKind::LeftBrace) {
            return Some(self.retired_transition_block());
        }
        self.end_of_state_item("the transition");
        None
    }

    /// `f;`, or a body with at most `allowed` parameters.
    fn handler(&mut self, what: &str, allowed: usize) -> Handler {
        let is_body = self.begins_statement_without_brace();
        if self.at_name() && !is_body {
            let name = self.take_name();
            self.end_of_state_item("the name of the function");
            return Handler::Named(name);
        }
        if is_body || matches!(self.kind(), TokenKind::LeftBrace | TokenKind::LeftParen) {
            return Handler::Inline(self.inline_handler(allowed));
        }
        self.retired_annotations();
        if self.at(TokenKind::LeftBrace) {
            return Handler::Inline(self.inline_handler(allowed));
        }
        let name = self.name(&format!("the name or the body of {what}"));
        self.skip_to_state_item();
        Handler::Named(name)
    }

    /// Whether a statement begins where a body should: only its brace is missing.
    pub(super) fn begins_statement_without_brace(&self) -> bool {
        use TokenKind as K;
        let place = matches!(self.nth(1), K::Assign | K::PlusAssign | K::MinusAssign | K::LeftParen | K::Dot);
        self.kind().begins_statement() || (self.at_name() && place)
    }

    /// Takes the `;` that ends an item of a state.
    fn end_of_state_item(&mut self, what: &str) {
        if self.eat(TokenKind::Semicolon) || (self.retired_annotations() && self.eat(TokenKind::Semicolon)) {
            return;
        }
        self.expected(&format!("`;` after {what}"));
        self.skip_to_state_item();
    }

    /// The name of a state.
    pub(in crate::syntax) fn state_name(&mut self) -> Ident {
        let name = self.name("the name of a state");
        if self.at(TokenKind::Dot) { self.retired_qualified_state(name) } else { name }
    }
}

pub(super) fn empty_machine(kind: MachineKind, name: Ident) -> MachineDeclaration {
    MachineDeclaration {
        kind,
        name,
        receives: None,
        sends: None,
        observes: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        states: Vec::new(),
        span: Span::default(),
    }
}
