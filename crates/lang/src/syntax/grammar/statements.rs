//! Statements that begin with a word of their own, and blocks.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{ExprId, ReceiveCase, StmtId, StmtKind};

impl Parser<'_> {
    /// The statements up to a closing brace or what makes one missing; they are added to `pending_stmts`.
    pub(in crate::syntax) fn statements(&mut self) {
        use TokenKind as K;
        loop {
            match self.kind() {
                K::RightBrace | K::EndOfFile => return,
                K::Case if self.in_receive => return,
                _ if self.ends_body() => return,
                _ => self.recovering = false,
            }
            let before = self.position();
            let statement = self.statement();
            self.pending_stmts.push(statement);
            if self.position() == before {
                self.bump();
            }
        }
    }

    pub(in crate::syntax) fn statement(&mut self) -> StmtId {
        let start = self.start();
        if !self.enter("statement") {
            self.skip_nested_statement();
            return self.add_stmt(StmtKind::Error, start);
        }
        let damage = self.damage;
        let kind = self.statement_kind(start);
        self.leave();
        // What was misread is not worth checking.
        let is_misread = self.damage != damage && !has_statements(&kind);
        self.add_stmt(if is_misread { StmtKind::Error } else { kind }, start)
    }

    fn statement_kind(&mut self, start: u32) -> StmtKind {
        use TokenKind as K;
        match self.kind() {
            K::Assume if !self.at_place_behind_name() => self.assertion(),
            _ if self.at_type_first() => self.type_first_statement(),
            kind if kind.is_name() => self.expression_statement(start),
            K::LeftBrace => self.block(),
            K::If => self.if_statement(),
            K::While => self.while_statement(),
            K::Foreach => self.foreach_statement(),
            K::Send => self.send_statement(),
            K::Assert => self.assertion(),
            K::Print => self.print_statement(),
            K::Return => self.return_statement(),
            K::Raise => self.raise_statement(),
            K::Announce => self.announce_statement(),
            K::Goto => self.goto_statement(),
            K::Receive => self.receive_statement(),
            K::Break | K::Continue => self.loop_exit(),
            K::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            K::Var => self.misplaced_variable(),
            kind if kind.begins_expression() => self.expression_statement(start),
            _ => self.no_statement(),
        }
    }

    /// Whether the word at the cursor is a variable: what follows it continues or ends an assignment's left side.
    fn at_place_behind_name(&self) -> bool {
        use TokenKind as K;
        matches!(self.nth(1), K::Assign | K::PlusAssign | K::MinusAssign | K::Dot | K::LeftBracket)
    }

    fn no_statement(&mut self) -> StmtKind {
        if self.at(TokenKind::Else) {
            let error = Diagnostic::new(Code::SyntaxError, self.span(), "this `else` belongs to no `if`");
            self.fail(error, |diagnostic| diagnostic);
            self.bump();
            self.statement();
        } else {
            self.unexpected("a statement", |diagnostic| diagnostic);
            self.skip_to_statement();
        }
        StmtKind::Error
    }

    fn misplaced_variable(&mut self) -> StmtKind {
        let after_error =
            self.pending_stmts.last().is_some_and(|last| matches!(self.tree[*last].kind, StmtKind::Error));
        if !after_error && self.latest_misplaced != self.position() {
            let message = "variables are declared before the first statement";
            let error = Diagnostic::new(Code::SyntaxError, self.span(), message);
            self.report(error.hint("declare all variables at the top of the function"));
        }
        self.bump();
        let declaration = self.variables();
        self.misplaced.push(declaration);
        self.latest_misplaced = self.position();
        StmtKind::Empty
    }

    /// `{ .. }`
    fn block(&mut self) -> StmtKind {
        let opening = self.bump();
        let first = self.pending_stmts.len();
        self.statements();
        let statements = self.pending_stmts[first..].into();
        self.pending_stmts.truncate(first);
        self.closing_brace(opening, "the block");
        StmtKind::Block(statements)
    }

    /// `assert e, message;`, `assume e, message;`
    fn assertion(&mut self) -> StmtKind {
        let asserted = self.at(TokenKind::Assert);
        self.bump();
        let condition = self.expression();
        let message = self.eat(TokenKind::Comma).then(|| self.expression());
        if let Some(message) = message {
            self.retired_format_arguments(message);
        }
        self.end_of_statement(if asserted { "the assertion" } else { "the assumption" });
        if asserted {
            StmtKind::Assert { condition, message }
        } else {
            StmtKind::Assume { condition, message }
        }
    }

    fn print_statement(&mut self) -> StmtKind {
        self.bump();
        let message = self.expression();
        self.retired_format_arguments(message);
        self.end_of_statement("the statement");
        StmtKind::Print(message)
    }

    fn return_statement(&mut self) -> StmtKind {
        self.bump();
        let value = self.kind().begins_expression().then(|| self.expression());
        self.end_of_statement("`return`");
        StmtKind::Return(value)
    }

    fn loop_exit(&mut self) -> StmtKind {
        let kind = if self.at(TokenKind::Break) { StmtKind::Break } else { StmtKind::Continue };
        self.bump();
        self.end_of_statement("the statement");
        kind
    }

    /// `(condition)`
    fn condition(&mut self) -> ExprId {
        let opening = self.span();
        let damage = self.damage;
        self.expect(TokenKind::LeftParen, "`(` and a condition");
        let mut condition = self.expression();
        if self.at(TokenKind::Assign) && !self.recovering {
            let error = Diagnostic::new(Code::SyntaxError, self.span(), "an assignment is not a condition");
            self.report(error.hint("comparison is written `==`"));
            self.bump();
            self.expression();
            condition = self.error_expr().id;
        }
        self.closing_paren(opening, "the condition");
        if self.damage != damage {
            condition = self.error_expr().id;
        }
        condition
    }

    /// `if (..) .. else if (..) .. else ..`; the chain may be of any length.
    fn if_statement(&mut self) -> StmtKind {
        let mut chain = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.bump().start;
            let condition = self.condition();
            let then = self.statement();
            chain.push((start, condition, then));
            if !self.eat(TokenKind::Else) {
                break;
            }
            if !self.at(TokenKind::If) {
                otherwise = Some(self.statement());
                break;
            }
        }
        for (start, condition, then) in chain.drain(1..).rev() {
            otherwise = Some(self.add_stmt(StmtKind::If { condition, then, otherwise }, start));
        }
        let (_, condition, then) = chain[0];
        StmtKind::If { condition, then, otherwise }
    }

    fn while_statement(&mut self) -> StmtKind {
        self.bump();
        let condition = self.condition();
        StmtKind::While { condition, body: self.statement() }
    }

    /// `foreach (x in e) invariant i; ..`
    fn foreach_statement(&mut self) -> StmtKind {
        self.bump();
        let opening = self.span();
        let damage = self.damage;
        self.expect(TokenKind::LeftParen, "`(` and the name of a variable");
        let item = self.name("the name of a variable");
        self.expect(TokenKind::In, "`in` and a collection");
        let mut collection = self.expression();
        self.closing_paren(opening, "the collection");
        if self.damage != damage {
            collection = self.error_expr().id;
        }
        let mut invariants = Vec::new();
        while self.at(TokenKind::Invariant) && !self.at_place_behind_name() {
            self.bump();
            invariants.push(self.expression());
            self.end_of_statement("the invariant");
        }
        let body = self.statement();
        StmtKind::Foreach { item, collection, invariants: invariants.into(), body }
    }

    fn raise_statement(&mut self) -> StmtKind {
        self.bump();
        let event = self.expression();
        let arguments = self.trailing_arguments();
        self.end_of_statement("the statement");
        StmtKind::Raise { event, arguments }
    }

    fn announce_statement(&mut self) -> StmtKind {
        self.bump();
        let event = self.expression();
        let arguments = self.trailing_arguments();
        self.end_of_statement("the statement");
        StmtKind::Announce { event, arguments }
    }

    /// `send m, e, ..;`
    fn send_statement(&mut self) -> StmtKind {
        self.bump();
        let in_parentheses = self.at(TokenKind::LeftParen);
        let machine = self.expression();
        if in_parentheses
            && self.at(TokenKind::Semicolon)
            && let Some(statement) = self.retired_send(machine)
        {
            return statement;
        }
        self.expect(TokenKind::Comma, "`,` and an event");
        let event = self.expression();
        let arguments = self.trailing_arguments();
        self.end_of_statement("the statement");
        StmtKind::Send { machine, event, arguments }
    }

    fn goto_statement(&mut self) -> StmtKind {
        self.bump();
        let state = self.state_name();
        let arguments = self.trailing_arguments();
        self.end_of_statement("the statement");
        StmtKind::Goto { state, arguments }
    }

    /// `receive { case a, b: (p: type) { .. } .. }`
    fn receive_statement(&mut self) -> StmtKind {
        self.bump();
        let opening = self.opening_brace("the cases");
        if self.recovering && !self.at(TokenKind::Case) {
            self.skip_one_statement();
            return StmtKind::Error;
        }
        let mut cases = Vec::new();
        let outside = std::mem::replace(&mut self.in_receive, true);
        loop {
            if self.at(TokenKind::Case) {
                self.recovering = false;
                cases.push(self.receive_case());
                continue;
            }
            if self.at(TokenKind::RightBrace) && !cases.is_empty() {
                break;
            }
            self.expected_with("`case`", |diagnostic| diagnostic.label(opening, "the cases begin here"));
            self.skip_to_case();
            if !self.at(TokenKind::Case) {
                break;
            }
        }
        self.in_receive = outside;
        self.eat(TokenKind::RightBrace);
        StmtKind::Receive(cases.into())
    }

    fn receive_case(&mut self) -> ReceiveCase {
        let start = self.bump().start;
        let mut events = vec![self.event(true)];
        while self.eat(TokenKind::Comma) {
            events.push(self.event(true));
        }
        if !self.expect(TokenKind::Colon, "`:` and the body of the case") {
            self.skip_to_case_body();
        }
        let (parameter, body) = self.handler_parts(1);
        ReceiveCase { events, parameter, body, span: self.span_from(start) }
    }
}

/// Whether a statement contains others, which may be fine when it is not.
fn has_statements(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Receive(_)
            // A variable among the statements is remembered elsewhere.
            | StmtKind::Empty
    )
}
