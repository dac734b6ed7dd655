//! Expressions: operators by precedence, and what follows an operand.
//!
//! A Pratt parser. What stands behind an operand has a *power*, and joins it as long as the power is at least the
//! minimum that the context asks for; the right side of a binary operator asks for more than the operator's own power,
//! so equal operators associate to the left. The powers are P's, which has some surprises: casts are weaker than `+`,
//! and indexing is weaker than the verifier's `targets`, `inflight` and `sent`.
//!
//! Left spines (`a + b + c ..`) grow in the loop and may be of any length; everything else that an operand is wrapped in
//! adds to its height.

use crate::syntax::parser::{Operand, Parser, Words};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};

/// How strongly operators bind, from weak to strong.
mod power {
    pub(super) const ANY: u8 = 0;
    pub(super) const IFF: u8 = 1;
    pub(super) const IMPLIES: u8 = 2;
    pub(super) const OR: u8 = 3;
    pub(super) const AND: u8 = 4;
    pub(super) const EQUALITY: u8 = 5;
    pub(super) const RELATION: u8 = 6;
    pub(super) const CAST: u8 = 7;
    pub(super) const SUM: u8 = 8;
    pub(super) const PRODUCT: u8 = 9;
    pub(super) const UNARY: u8 = 10;
    pub(super) const INDEX: u8 = 11;
    pub(super) const SENT: u8 = 12;
    pub(super) const IN_FLIGHT: u8 = 13;
    pub(super) const TARGETS: u8 = 14;
    pub(super) const IS: u8 = 15;
    pub(super) const FIELD: u8 = 16;
}

/// The binary operator that a token is.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    use TokenKind as K;
    let operator = match kind {
        K::Star => (BinaryOp::Multiply, power::PRODUCT),
        K::Slash => (BinaryOp::Divide, power::PRODUCT),
        K::Percent => (BinaryOp::Remainder, power::PRODUCT),
        K::Plus => (BinaryOp::Add, power::SUM),
        K::Minus => (BinaryOp::Subtract, power::SUM),
        K::Less => (BinaryOp::Less, power::RELATION),
        K::Greater => (BinaryOp::Greater, power::RELATION),
        K::LessOrEqual => (BinaryOp::LessOrEqual, power::RELATION),
        K::GreaterOrEqual => (BinaryOp::GreaterOrEqual, power::RELATION),
        K::In => (BinaryOp::In, power::RELATION),
        K::Equal => (BinaryOp::Equal, power::EQUALITY),
        K::NotEqual => (BinaryOp::NotEqual, power::EQUALITY),
        K::And => (BinaryOp::And, power::AND),
        K::Or => (BinaryOp::Or, power::OR),
        K::Implies => (BinaryOp::Implies, power::IMPLIES),
        K::Iff => (BinaryOp::Iff, power::IFF),
        _ => return None,
    };
    Some(operator)
}

impl Parser<'_> {
    pub(in crate::syntax) fn expression(&mut self) -> ExprId {
        self.any_operand().id
    }

    /// A whole expression, with its height.
    pub(in crate::syntax) fn any_operand(&mut self) -> Operand {
        self.operand(power::ANY)
    }

    /// An operand and everything behind it that binds at least as strongly as `minimum`.
    fn operand(&mut self, minimum: u8) -> Operand {
        if !self.enter("expression") {
            let start = self.start();
            self.skip_nested();
            let span = self.span_from(start);
            return self.leaf(ExprKind::Error, span);
        }
        let start = self.start();
        let mut operand = match self.kind() {
            TokenKind::Minus | TokenKind::Not => self.unary(),
            TokenKind::InFlight | TokenKind::Sent if self.begins_message_test() => self.message_test(),
            _ => self.primary(),
        };
        while let Some(longer) = self.suffix(operand, start, minimum) {
            operand = longer;
        }
        self.leave();
        operand
    }

    /// The operand with what stands behind it, if that binds at least as strongly as `minimum`.
    fn suffix(&mut self, operand: Operand, start: u32, minimum: u8) -> Option<Operand> {
        use TokenKind as K;
        let kind = self.kind();
        match kind {
            K::Dot if power::FIELD >= minimum => Some(self.member(operand, start)),
            K::LeftBracket if power::INDEX >= minimum => self.at_index().then(|| self.index(operand, start)),
            K::As | K::To if power::CAST >= minimum => Some(self.cast(operand, start)),
            K::Is if power::IS >= minimum => self.at_infix_word().then(|| self.is(operand, start)),
            K::Targets if power::TARGETS >= minimum => {
                self.at_infix_word().then(|| self.targets(operand, start))
            }
            _ => {
                let (op, power) = binary_operator(kind)?;
                (power >= minimum).then(|| self.binary(op, power, operand, start))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, power: u8, left: Operand, start: u32) -> Operand {
        self.bump();
        let right = self.operand(power + 1);
        let on_spine = matches!(self.tree[left.id].kind, ExprKind::Binary { .. });
        let left_height = if on_spine { left.height } else { left.height + 1 };
        let kind = ExprKind::Binary { op, lhs: left.id, rhs: right.id };
        self.node(kind, start, left_height.max(right.height + 1))
    }

    /// A run of `-` and `!`, however long, and its operand.
    fn unary(&mut self) -> Operand {
        let first = self.position();
        while matches!(self.kind(), TokenKind::Minus | TokenKind::Not) {
            self.bump();
        }
        let last = self.position();
        let mut operand = self.operand(power::UNARY);
        for position in (first..last).rev() {
            let op = if self.kind_at(position) == TokenKind::Not { UnaryOp::Not } else { UnaryOp::Negate };
            let kind = ExprKind::Unary { op, operand: operand.id };
            operand = self.node(kind, self.span_at(position).start, operand.height + 1);
        }
        operand
    }

    /// `base.field`, `base.0`
    fn member(&mut self, base: Operand, start: u32) -> Operand {
        self.bump();
        let kind = if self.at(TokenKind::Number) {
            let index_span = self.span();
            let index = self.number("a position");
            ExprKind::Item { base: base.id, index, index_span }
        } else {
            let field = self.name("the name of a field, or a position");
            ExprKind::Field { base: base.id, field }
        };
        self.node(kind, start, base.height + 1)
    }

    /// Whether the bracket at the cursor is an index, and not the `[main=..]` behind the assumption of a test.
    fn at_index(&self) -> bool {
        self.words != Words::Test || self.nth(1) != TokenKind::Main
    }

    /// `base[index]`
    fn index(&mut self, base: Operand, start: u32) -> Operand {
        let opening = self.bump();
        let index = self.any_operand();
        self.closing_bracket(opening, "the index");
        let kind = ExprKind::Index { base: base.id, index: index.id };
        self.node(kind, start, base.height.max(index.height) + 1)
    }

    /// `operand as type`, `operand to type`
    fn cast(&mut self, operand: Operand, start: u32) -> Operand {
        let checked = self.at(TokenKind::As);
        self.bump();
        let ty = self.type_expr();
        let kind = if checked {
            ExprKind::Cast { operand: operand.id, ty }
        } else {
            ExprKind::Convert { operand: operand.id, ty }
        };
        self.node(kind, start, operand.height + 1)
    }

    /// Whether the `is` or `targets` at the cursor, behind an operand, is an operator.
    fn at_infix_word(&self) -> bool {
        let next = self.nth(1);
        self.words != Words::Test
            && if self.at(TokenKind::Is) { next.is_name() } else { next.begins_expression() }
    }

    /// `operand is kind`
    fn is(&mut self, operand: Operand, start: u32) -> Operand {
        self.bump();
        let kind = self.take_name();
        self.node(ExprKind::Is { operand: operand.id, kind }, start, operand.height + 1)
    }

    /// `operand targets target`
    fn targets(&mut self, operand: Operand, start: u32) -> Operand {
        self.bump();
        let target = self.operand(power::TARGETS + 1);
        let kind = ExprKind::Targets { operand: operand.id, target: target.id };
        self.node(kind, start, operand.height.max(target.height) + 1)
    }

    /// Whether the `inflight` or `sent` at the cursor is an operator: an operand follows that could not as well follow a
    /// variable of that name.
    fn begins_message_test(&self) -> bool {
        use TokenKind as K;
        let next = self.nth(1);
        match next {
            _ if self.words == Words::Test => false,
            K::LeftParen | K::Minus | K::Dot => false,
            K::Is => !self.nth(2).is_name(),
            K::Targets => !self.nth(2).begins_expression(),
            K::Using | K::Except if self.words == Words::Proof => false,
            _ => next.begins_expression(),
        }
    }

    /// `inflight operand`, `sent operand`
    fn message_test(&mut self) -> Operand {
        let start = self.start();
        let in_flight = self.at(TokenKind::InFlight);
        self.bump();
        let operand = self.operand(if in_flight { power::IN_FLIGHT } else { power::SENT });
        let kind = if in_flight { ExprKind::InFlight(operand.id) } else { ExprKind::Sent(operand.id) };
        self.node(kind, start, operand.height + 1)
    }
}
