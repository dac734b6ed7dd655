//! Binary operators: which types they take and what they give.

use super::Checker;
use super::scope::Scope;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{BinaryOp, ExprId, ExprKind};
use crate::types::{Type, TypeId};

/// An operand with its type.
type Typed = (ExprId, TypeId);

impl Checker<'_> {
    pub(super) fn check_binary(&mut self, scope: &mut Scope, id: ExprId) -> TypeId {
        let tree = self.tree;
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let ExprKind::Binary { op, lhs, rhs } = tree[leftmost].kind {
            spine.push((leftmost, op, lhs, rhs));
            leftmost = lhs;
        }
        let mut ty = self.check_expr(scope, leftmost);
        for (node, op, lhs, rhs) in spine.into_iter().rev() {
            let rhs_type = self.check_expr(scope, rhs);
            ty = self.binary_type(op, (lhs, ty), (rhs, rhs_type), tree[node].span);
            self.checked.expr_types[node.0 as usize] = ty;
        }
        ty
    }

    fn binary_type(&mut self, op: BinaryOp, lhs: Typed, rhs: Typed, span: Span) -> TypeId {
        if lhs.1 == TypeId::ERROR || rhs.1 == TypeId::ERROR {
            return TypeId::ERROR;
        }
        match op {
            BinaryOp::Add => {
                self.same_operands(op, lhs.1, rhs.1, &[TypeId::INT, TypeId::FLOAT, TypeId::STRING], span)
            }
            BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => {
                self.same_operands(op, lhs.1, rhs.1, &[TypeId::INT, TypeId::FLOAT], span)
            }
            BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessOrEqual | BinaryOp::GreaterOrEqual => {
                let allowed = [TypeId::INT, TypeId::FLOAT, TypeId::STRING];
                match self.same_operands(op, lhs.1, rhs.1, &allowed, span) {
                    TypeId::ERROR => TypeId::ERROR,
                    _ => TypeId::BOOL,
                }
            }
            BinaryOp::In => self.check_membership(lhs, rhs),
            BinaryOp::Equal | BinaryOp::NotEqual => self.check_comparison(lhs.1, rhs.1, span),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                let lhs_fits = self.check_assignable(lhs.0, TypeId::BOOL, lhs.1);
                let rhs_fits = self.check_assignable(rhs.0, TypeId::BOOL, rhs.1);
                if lhs_fits && rhs_fits { TypeId::BOOL } else { TypeId::ERROR }
            }
        }
    }

    /// Both operands must have one and the same of the `allowed` types.
    fn same_operands(
        &mut self,
        op: BinaryOp,
        lhs: TypeId,
        rhs: TypeId,
        allowed: &[TypeId],
        span: Span,
    ) -> TypeId {
        if lhs == rhs && allowed.contains(&lhs) {
            return lhs;
        }
        let message =
            format!("`{}` does not apply to `{}` and `{}`", op.text(), self.show(lhs), self.show(rhs));
        let diagnostic = Diagnostic::new(Code::InvalidOperands, span, message);
        let types = &self.checked.types;
        self.report(match (types.get(lhs), types.get(rhs)) {
            (Type::Int, Type::Float) | (Type::Float, Type::Int) => {
                diagnostic.hint("convert one side with `to int` or `to float`")
            }
            (Type::Any | Type::Data, _) | (_, Type::Any | Type::Data) => {
                diagnostic.hint("give the value its type with `as`")
            }
            (Type::Enum(_), _) | (_, Type::Enum(_)) => diagnostic.hint("an enum's number is `.. to int`"),
            (Type::String, _) | (_, Type::String) if op == BinaryOp::Add => {
                diagnostic.hint("build text with `format(\"..{0}..\", value)`")
            }
            _ => diagnostic,
        });
        TypeId::ERROR
    }

    fn check_membership(&mut self, lhs: Typed, rhs: Typed) -> TypeId {
        let element = match self.checked.types.get(rhs.1) {
            Type::Seq(element) | Type::Set(element) | Type::Map(element, _) => *element,
            _ => {
                self.expected_kind(rhs.0, rhs.1, "a sequence, set or map", None);
                return TypeId::ERROR;
            }
        };
        if self.check_assignable(lhs.0, element, lhs.1) { TypeId::BOOL } else { TypeId::ERROR }
    }

    fn check_comparison(&mut self, lhs: TypeId, rhs: TypeId, span: Span) -> TypeId {
        let types = &self.checked.types;
        if types.is_assignable(lhs, rhs) || types.is_assignable(rhs, lhs) {
            return TypeId::BOOL;
        }
        let message = format!("`{}` and `{}` are never equal", self.show(lhs), self.show(rhs));
        self.report(Diagnostic::new(Code::IncomparableTypes, span, message));
        TypeId::ERROR
    }
}
