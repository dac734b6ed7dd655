//! A file as a list of declarations, and the small ones among them: types, enums, events, event sets, interfaces and
//! parameters.

use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Declaration, EnumDeclaration, EnumElement, EventDeclaration, EventSetDeclaration, Ident,
    InterfaceDeclaration, MachineKind, TypeDeclaration, VariableDeclaration,
};

impl Parser<'_> {
    /// Parses the whole file.
    pub(in crate::syntax) fn file(&mut self) {
        while !self.at(TokenKind::EndOfFile) {
            self.recovering = false;
            let before = self.position();
            self.declaration();
            if self.position() == before {
                self.bump();
            }
        }
    }

    fn declaration(&mut self) {
        use TokenKind as K;
        let declaration = match self.kind() {
            K::Type => self.type_declaration(),
            K::Enum => self.enum_declaration(),
            K::Event => self.event_declaration(),
            K::EventSet => self.event_set_declaration(),
            K::Interface => self.interface_declaration(),
            K::Machine => self.machine_declaration(),
            K::Spec => self.monitor_declaration(MachineKind::Spec),
            K::Scenario => self.monitor_declaration(MachineKind::Scenario),
            K::Fun => Declaration::Function(self.function()),
            K::Param => self.parameters_declaration(),
            K::Module => self.module_declaration(),
            K::Test => self.test_declaration(),
            K::Implementation => self.implementation_declaration(),
            _ => return self.verifier_declaration_or_error(),
        };
        self.tree.declarations.push(declaration);
    }

    fn verifier_declaration_or_error(&mut self) {
        use TokenKind as K;
        let declaration = match self.kind() {
            K::Pure => self.pure_declaration(),
            K::Invariant => Declaration::Invariant(self.invariant_declaration()),
            K::Axiom => self.axiom_declaration(),
            K::Init if self.at_init_condition() => self.init_condition_declaration(),
            K::Lemma | K::Theorem => self.invariant_group_declaration(),
            K::Proof => self.proof_declaration(),
            _ => return self.no_declaration(),
        };
        self.tree.declarations.push(declaration);
    }

    /// What to do with text at top level that begins no declaration.
    fn no_declaration(&mut self) {
        if self.retired_declaration() {
            return;
        }
        let found = self.found();
        match self.kind() {
            TokenKind::RightBrace if self.open_modules > 0 => {
                self.open_modules -= 1;
                self.bump();
                return;
            }
            TokenKind::RightBrace => {
                if !std::mem::take(&mut self.brace_blamed) {
                    let error = Diagnostic::new(Code::SyntaxError, self.span(), "this `}` closes nothing");
                    self.fail(error, |diagnostic| diagnostic);
                }
                self.bump();
                return;
            }
            kind if kind.begins_machine_item() || kind.begins_state_item() || kind == TokenKind::Var => {
                let message = format!("{found} stands outside a machine");
                let error = Diagnostic::new(Code::SyntaxError, self.span(), message);
                if !std::mem::replace(&mut self.brace_blamed, true) {
                    self.fail(error, |diagnostic| diagnostic.hint("is there a `}` too many before it?"));
                }
            }
            _ if self.at_type_first() => self.unexpected("a declaration", |diagnostic| {
                diagnostic.hint("P has no global variables: a machine declares its own with `var x: int;`")
            }),
            _ => self.unexpected("a declaration", |diagnostic| diagnostic),
        }
        self.skip_to_declaration();
    }

    fn skip_to_declaration(&mut self) {
        use TokenKind as K;
        loop {
            let begins_next = match self.kind() {
                K::LeftBrace => {
                    self.skip_braces();
                    self.at(K::EndOfFile) || self.begins_declaration()
                }
                K::Semicolon | K::RightBrace => {
                    self.bump();
                    self.at(K::EndOfFile) || self.begins_declaration()
                }
                K::EndOfFile => true,
                _ => {
                    self.bump();
                    self.begins_declaration()
                }
            };
            if begins_next {
                return;
            }
        }
    }

    /// Whether a declaration begins at the cursor, by the look of it.
    fn begins_declaration(&self) -> bool {
        use TokenKind as K;
        match self.kind() {
            K::Fun | K::Scenario | K::Param | K::Pure | K::Invariant | K::Lemma | K::Theorem | K::Proof => {
                self.nth(1).is_name()
            }
            K::Init => self.at_init_condition(),
            _ => self.at_declaration(),
        }
    }

    /// `type T;`, `type T = type;`
    fn type_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the type");
        if self.at(TokenKind::LeftParen) {
            return self.retired_interface_type(name);
        }
        let definition = self.eat(TokenKind::Assign).then(|| self.type_expr());
        self.end_of_declaration("the type");
        Declaration::Type(TypeDeclaration { name, definition })
    }

    /// `enum E { A, B }`, `enum E { A = 1, B = 5 }`
    fn enum_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the enum");
        let opening = self.opening_brace("the elements");
        let mut elements: Vec<EnumElement> = Vec::new();
        loop {
            let element = self.enum_element(elements.first().map(|first| first.value.is_some()));
            elements.push(element);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.at(TokenKind::RightBrace) {
            self.expected_with("`,` or `}` in the list of elements", |diagnostic| {
                diagnostic.label(opening, "it begins here")
            });
            self.skip_to_member();
        }
        self.eat(TokenKind::RightBrace);
        Declaration::Enum(EnumDeclaration { name, elements })
    }

    /// One element; either all elements of an enum have numbers or none has.
    fn enum_element(&mut self, numbered: Option<bool>) -> EnumElement {
        let name = self.name("the name of an element");
        if numbered == Some(false) && self.at(TokenKind::Assign) {
            let message = "either all elements of an enum have numbers, or none";
            self.report(Diagnostic::new(Code::SyntaxError, self.span(), message));
        }
        let value = self.eat(TokenKind::Assign).then(|| self.number("a number"));
        if numbered == Some(true) && value.is_none() && name.name != Name::MISSING {
            self.expected_with("`=` and a number", |diagnostic| {
                diagnostic.hint("either all elements of an enum have numbers, or none")
            });
        }
        EnumElement { name, value }
    }

    /// `event e;`, `event e: type;`
    fn event_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the event");
        self.retired_bound("event");
        let payload = self.eat(TokenKind::Colon).then(|| self.type_expr());
        self.retired_bound("event");
        self.end_of_declaration("the event");
        Declaration::Event(EventDeclaration { name, payload })
    }

    /// `eventset s = { a, b };`
    fn event_set_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the event set");
        self.expect(TokenKind::Assign, "`=`");
        let opening = self.opening_brace("the events");
        let events = self.events();
        self.closing_brace(opening, "the events");
        self.end_of_declaration("the event set");
        Declaration::EventSet(EventSetDeclaration { name, events })
    }

    /// `interface I(type) receives a, b;`
    fn interface_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the interface");
        let opening = self.span();
        let mut payload = None;
        if self.expect(TokenKind::LeftParen, "`(`") {
            payload = (!self.at(TokenKind::RightParen)).then(|| self.type_expr());
            self.closing_paren(opening, "the type of the payload");
        }
        self.expect(TokenKind::Receives, "`receives`");
        let receives = self.events_or_none();
        self.end_of_declaration("the interface");
        Declaration::Interface(InterfaceDeclaration { name, payload, receives })
    }

    /// `param a, b: type;`
    fn parameters_declaration(&mut self) -> Declaration {
        self.bump();
        Declaration::Parameters(self.variables())
    }

    /// `a, b: type;`, what follows `var` and `param`.
    pub(in crate::syntax) fn variables(&mut self) -> VariableDeclaration {
        let names = self.names("the name of a variable");
        self.expect(TokenKind::Colon, "`:` and a type");
        let ty = self.type_expr();
        if self.at(TokenKind::Assign) {
            let message = "a variable cannot be given a value where it is declared";
            let error = Diagnostic::new(Code::SyntaxError, self.span(), message);
            self.report(error.hint("assign to it in a statement"));
            self.bump();
            self.expression();
        }
        self.end_of_declaration("the declaration");
        VariableDeclaration { names, ty }
    }

    /// `a, b, c`
    pub(in crate::syntax) fn names(&mut self, what: &str) -> Vec<Ident> {
        let mut names = vec![self.name(what)];
        while self.eat(TokenKind::Comma) {
            names.push(self.name(what));
        }
        names
    }

    /// `a, b, halt`
    pub(in crate::syntax) fn events(&mut self) -> Vec<Ident> {
        let mut events = vec![self.event(false)];
        while self.eat(TokenKind::Comma) {
            events.push(self.event(false));
        }
        events
    }

    pub(in crate::syntax) fn events_or_none(&mut self) -> Vec<Ident> {
        if self.at(TokenKind::Semicolon) { Vec::new() } else { self.events() }
    }

    /// The name of an event or `halt`, and `null` where the absence of events can be meant.
    pub(in crate::syntax) fn event(&mut self, null: bool) -> Ident {
        match self.kind() {
            TokenKind::Halt => self.take_name(),
            TokenKind::Null => {
                if !null {
                    let message = "`null` stands for no event, and cannot be listed here";
                    self.report(Diagnostic::new(Code::SyntaxError, self.span(), message));
                    return Ident { name: Name::MISSING, span: self.bump() };
                }
                self.take_name()
            }
            TokenKind::Default if null => self.retired_default_event(),
            _ => self.name("the name of an event"),
        }
    }

    /// A number of P's: at most 2147483647.
    pub(in crate::syntax) fn number(&mut self, what: &str) -> u32 {
        let span = self.span();
        if self.expect(TokenKind::Number, what) { self.number_value(span) } else { 0 }
    }

    /// The value of the number at `span`; one that is too large is reported and becomes 0.
    pub(in crate::syntax) fn number_value(&mut self, span: Span) -> u32 {
        match self.text(span).parse::<i32>() {
            Ok(value) => value.unsigned_abs(),
            Err(_) => {
                let message = "this number is too large for an `int`";
                let error = Diagnostic::new(Code::LiteralOutOfRange, span, message);
                self.report(error.hint("the largest number that can be written is 2147483647"));
                0
            }
        }
    }
}
