//! Declarations that only P's verifier uses: pure functions, axioms, invariants and proofs.

use crate::syntax::parser::{Parser, Words};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Declaration, ExprId, InvariantDeclaration, InvariantGroupDeclaration, ProofCommand, ProofDeclaration,
    ProofTargets, PureDeclaration,
};

impl Parser<'_> {
    /// `pure f(a: type): type = e;`, with or without a body.
    pub(in crate::syntax) fn pure_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the pure function");
        let parameters = self.parameters();
        self.expect(TokenKind::Colon, "`:` and the type of the result");
        let result = self.type_expr();
        let body = self.eat(TokenKind::Assign).then(|| self.expression());
        self.end_of_declaration("the pure function");
        Declaration::Pure(PureDeclaration { name, parameters, result, body })
    }

    /// `invariant i: e;`
    pub(in crate::syntax) fn invariant_declaration(&mut self) -> InvariantDeclaration {
        self.bump();
        let name = self.name("the name of the invariant");
        self.expect(TokenKind::Colon, "`:` and a condition");
        let body = self.expression();
        self.end_of_declaration("the invariant");
        InvariantDeclaration { name, body }
    }

    /// `axiom e;`
    pub(in crate::syntax) fn axiom_declaration(&mut self) -> Declaration {
        let start = self.bump().start;
        let condition = self.expression();
        self.end_of_declaration("the axiom");
        Declaration::Axiom(condition, self.span_from(start))
    }

    /// Whether `init-condition` stands at the cursor, in one piece.
    pub(in crate::syntax) fn at_init_condition(&self) -> bool {
        let at = self.position();
        self.at(TokenKind::Init)
            && self.nth(1) == TokenKind::Minus
            && self.nth(2) == TokenKind::Condition
            && self.span_at(at).end == self.span_at(at + 1).start
            && self.span_at(at + 1).end == self.span_at(at + 2).start
    }

    /// `init-condition e;`
    pub(in crate::syntax) fn init_condition_declaration(&mut self) -> Declaration {
        let start = self.bump().start;
        self.bump();
        self.bump();
        let condition = self.expression();
        self.end_of_declaration("the condition");
        Declaration::InitCondition(condition, self.span_from(start))
    }

    /// `Lemma L { invariants }`, `Theorem T { invariants }`
    pub(in crate::syntax) fn invariant_group_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the lemma or theorem");
        let opening = self.opening_brace("the invariants");
        let mut invariants = Vec::new();
        while self.at(TokenKind::Invariant) {
            self.recovering = false;
            invariants.push(self.invariant_declaration());
        }
        self.closing_group(opening, "`invariant` or `}`");
        Declaration::InvariantGroup(InvariantGroupDeclaration { name, invariants })
    }

    /// `Proof P { commands }`, with or without a name.
    pub(in crate::syntax) fn proof_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.at_name().then(|| self.take_name());
        let opening = self.opening_brace("the proof");
        let words = std::mem::replace(&mut self.words, Words::Proof);
        let mut commands = Vec::new();
        while self.at(TokenKind::Prove) {
            self.recovering = false;
            commands.push(self.proof_command());
        }
        self.words = words;
        self.closing_group(opening, "`prove` or `}`");
        Declaration::Proof(ProofDeclaration { name, commands })
    }

    /// Takes the brace that closes a group, skipping what does not belong there.
    fn closing_group(&mut self, opening: crate::source::Span, what: &str) {
        if self.eat(TokenKind::RightBrace) {
            return;
        }
        self.expected_with(what, |diagnostic| diagnostic.label(opening, "the block begins here"));
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::EndOfFile) && !self.ends_body() {
            match self.kind() {
                TokenKind::LeftBrace => self.skip_braces(),
                _ => _ = self.bump(),
            }
        }
        self.eat(TokenKind::RightBrace);
    }

    /// `prove goals using premises except excludes;`
    fn proof_command(&mut self) -> ProofCommand {
        let start = self.bump().start;
        let goals = if self.at(TokenKind::Default) && self.nth(1) != TokenKind::LeftParen {
            self.bump();
            ProofTargets::Default
        } else {
            self.proof_targets()
        };
        let premises =
            if self.eat(TokenKind::Using) { self.proof_targets() } else { ProofTargets::These(Vec::new()) };
        let excludes = if self.eat(TokenKind::Except) { self.expressions() } else { Vec::new() };
        self.end_of_statement("the command");
        ProofCommand { goals, premises, excludes, span: self.span_from(start) }
    }

    fn proof_targets(&mut self) -> ProofTargets {
        if self.eat(TokenKind::Star) { ProofTargets::All } else { ProofTargets::These(self.expressions()) }
    }

    fn expressions(&mut self) -> Vec<ExprId> {
        let mut expressions = vec![self.expression()];
        while self.eat(TokenKind::Comma) {
            expressions.push(self.expression());
        }
        expressions
    }
}
