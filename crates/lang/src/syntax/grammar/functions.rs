//! Functions: with a body, foreign ones, and those that only the verifier knows by what they require and ensure.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Body, Function, FunctionId, Ident, Parameter, TypeExprKind, VariableDeclaration};

impl Parser<'_> {
    pub(in crate::syntax) fn add_function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(self.tree.functions.len() as u32);
        self.tree.functions.push(function);
        id
    }

    /// `fun f(a: type): type ..`
    pub(in crate::syntax) fn function(&mut self) -> FunctionId {
        let start = self.bump().start;
        let name = self.name("the name of the function");
        let mut function = empty_function(Some(name));
        function.parameters = self.parameters();
        if self.eat(TokenKind::Colon) {
            function.result = Some(self.type_expr());
        }
        self.function_end(&mut function);
        function.span = self.span_from(start);
        self.add_function(function)
    }

    /// `(a: type, b: type)`, or nothing between the parentheses.
    pub(in crate::syntax) fn parameters(&mut self) -> Vec<Parameter> {
        let opening = self.span();
        let found = self.expect(TokenKind::LeftParen, "`(` and the parameters");
        if !found && !self.begins_typed_name() {
            return Vec::new();
        }
        if self.eat(TokenKind::RightParen) {
            return Vec::new();
        }
        let parameters = self.typed_names("the name of a parameter");
        self.closing_paren(opening, "the parameters");
        parameters
    }

    fn begins_typed_name(&self) -> bool {
        self.at_name() && self.nth(1) == TokenKind::Colon
    }

    /// What follows the header: a body, `;`, `creates ..;`, or the verifier's clauses.
    fn function_end(&mut self, function: &mut Function) {
        use TokenKind as K;
        match self.kind() {
            K::LeftBrace => function.body = Some(self.body()),
            K::Semicolon => _ = self.bump(),
            K::Creates => {
                self.bump();
                function.creates = self.names("the name of an interface");
                self.end_of_declaration("the function");
            }
            K::Return | K::Requires | K::Ensures if function.result.is_none() => {
                self.function_contract(function);
            }
            _ if function.result.is_none() && self.ends_function_header() => {}
            _ => self.missing_body(function),
        }
    }

    /// Whether the next declaration follows a header at once: P's grammar wants nothing behind a foreign function that
    /// has neither a result nor conditions.
    fn ends_function_header(&self) -> bool {
        use TokenKind as K;
        matches!(self.kind(), K::RightBrace | K::EndOfFile) || self.ends_state()
    }

    fn missing_body(&mut self, function: &mut Function) {
        self.retired_annotations();
        if self.eat(TokenKind::Semicolon) {
            return;
        }
        let right_so_far = !self.recovering;
        if !self.at(TokenKind::LeftBrace) {
            self.expected("the body of the function, or `;`");
        }
        if right_so_far && self.begins_statement_without_brace() {
            function.body = Some(self.body());
            return;
        }
        // What stands between the header and the body may be anything; the body is worth reading.
        while !matches!(self.kind(), TokenKind::LeftBrace | TokenKind::Semicolon | TokenKind::RightBrace)
            && !self.at(TokenKind::EndOfFile)
            && !self.ends_body()
        {
            self.bump();
        }
        if self.at(TokenKind::LeftBrace) {
            function.body = Some(self.body());
        } else {
            self.eat(TokenKind::Semicolon);
        }
    }

    /// `return (x: type); requires e; ensures e;`
    fn function_contract(&mut self, function: &mut Function) {
        if self.eat(TokenKind::Return) {
            let opening = self.span();
            if self.expect(TokenKind::LeftParen, "`(` and the name of the result") {
                function.named_result = Some(self.typed_name("the name of the result"));
                self.closing_paren(opening, "the result");
            }
            self.end_of_declaration("the result");
        }
        loop {
            match self.kind() {
                TokenKind::Requires => {
                    if !function.ensures.is_empty() {
                        let message = "`requires` clauses come before `ensures` clauses";
                        self.report(Diagnostic::new(Code::SyntaxError, self.span(), message));
                    }
                    self.bump();
                    function.requires.push(self.expression());
                }
                TokenKind::Ensures => {
                    self.bump();
                    function.ensures.push(self.expression());
                }
                _ => return,
            }
            self.end_of_declaration("the condition");
        }
    }

    /// `{ variables statements }`
    pub(in crate::syntax) fn body(&mut self) -> Body {
        let start = self.start();
        let opening = self.opening_brace("the body");
        let misplaced = self.misplaced.len();
        let mut locals: Vec<VariableDeclaration> = Vec::new();
        while self.at(TokenKind::Var) {
            self.recovering = false;
            self.bump();
            locals.push(self.variables());
        }
        let first = self.pending_stmts.len();
        self.statements();
        let statements = self.pending_stmts.split_off(first);
        self.closing_brace(opening, "the body");
        locals.extend(self.misplaced.drain(misplaced..));
        Body { locals, statements, span: self.span_from(start) }
    }

    /// A handler written in place: `{ .. }` or `(p: type) { .. }`, with at most `allowed` parameters.
    pub(in crate::syntax) fn inline_handler(&mut self, allowed: usize) -> FunctionId {
        let start = self.start();
        let mut function = empty_function(None);
        let (parameter, body) = self.handler_parts(allowed);
        function.parameters.extend(parameter);
        function.body = Some(body);
        function.span = self.span_from(start);
        self.add_function(function)
    }

    /// The parameter and the body of a handler. Parameters beyond `allowed` are reported and become locals, so that
    /// what uses them is not reported as well.
    pub(in crate::syntax) fn handler_parts(&mut self, allowed: usize) -> (Option<Parameter>, Body) {
        let has_parameters = self.at(TokenKind::LeftParen) || self.begins_typed_name();
        let mut parameters = if has_parameters { self.handler_parameters(allowed) } else { Vec::new() };
        let surplus = parameters.split_off(allowed.min(parameters.len()));
        let mut body = self.body();
        if let (Some(first), false) = (parameters.first_mut(), surplus.is_empty()) {
            // Which of them would get the payload is anybody's guess.
            first.ty = self.add_type(TypeExprKind::Error, first.name.span.start);
        }
        for Parameter { name, ty } in surplus {
            body.locals.push(VariableDeclaration { names: vec![name], ty });
        }
        (parameters.pop(), body)
    }

    fn handler_parameters(&mut self, allowed: usize) -> Vec<Parameter> {
        let opening = self.span();
        let parameters = self.parameters();
        if let Some(first) = parameters.get(allowed) {
            let error = |message| Diagnostic::new(Code::HandlerParameters, first.name.span, message);
            self.report(match allowed {
                0 => error("an exit function takes no parameter"),
                _ => error("a handler takes at most one parameter")
                    .hint("a payload of several parts is one tuple"),
            });
        } else if parameters.is_empty() && !self.recovering {
            let error =
                Diagnostic::new(Code::SyntaxError, opening, "empty parentheses before the body of a handler");
            self.report(error.hint("leave them out"));
        }
        parameters
    }
}

fn empty_function(name: Option<Ident>) -> Function {
    Function {
        name,
        parameters: Vec::new(),
        result: None,
        body: None,
        creates: Vec::new(),
        named_result: None,
        requires: Vec::new(),
        ensures: Vec::new(),
        span: Default::default(),
    }
}
