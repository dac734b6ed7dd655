//! Parametric tests: which combinations of values become tests, and what they are called.
//!
//! All combinations are listed with the first parameter varying fastest; those that `assume` rules out are dropped. With
//! `(N wise)`, `covering` picks some of them. Names and order are P's own.

use super::covering::Covering;
use super::scope::Scope;
use super::{Checker, Resolution};
use crate::ids::ParameterId;
use crate::ir::Constant;
use crate::source::{Code, Diagnostic, Span, counted, separated};
use crate::syntax::tree::{BinaryOp, ExprId, ExprKind, Literal, TestDeclaration, UnaryOp};
use crate::types::TypeId;

/// How many combinations are looked at, and how many tests one declaration may become.
const MAX_COMBINATIONS: usize = 1_000_000;
const MAX_INSTANCES: usize = 10_000;

/// What is added to the test's name, and the values of its parameters.
pub(super) type Instance = (String, Vec<(ParameterId, Constant)>);

/// A parameter with the values it takes in a test.
struct Axis {
    parameter: ParameterId,
    values: Vec<Literal>,
}

impl Checker<'_> {
    pub(super) fn expand_parameters(&mut self, test: &TestDeclaration) -> Vec<Instance> {
        let mut scope = Scope::new(None, None, TypeId::NULL);
        let is_fine = test.assume.is_none_or(|assume| self.check_condition(&mut scope, assume));
        let Some(axes) = self.axes(test).filter(|_| is_fine) else { return Vec::new() };
        let strength = self.strength(test, axes.len());
        let combinations = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
        if combinations.is_none_or(|count| count > MAX_COMBINATIONS) {
            self.too_many(test, MAX_COMBINATIONS, "combinations of values");
            return Vec::new();
        }
        let Some(allowed) = self.allowed(test, &axes, combinations.unwrap_or(0)) else { return Vec::new() };
        let sizes: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
        let picked =
            if strength == axes.len() { allowed } else { Covering::new(sizes, strength).pick(&allowed) };
        if picked.len() > MAX_INSTANCES {
            self.too_many(test, MAX_INSTANCES, "tests");
            return Vec::new();
        }
        if picked.is_empty() {
            let message = format!(
                "`{}` has no instance: no combination satisfies its `assume`",
                self.text(test.name.name)
            );
            self.report(Diagnostic::new(Code::NoTestInstances, test.name.span, message));
        }
        picked.iter().map(|number| self.instance(&axes, &positions(&axes, *number))).collect()
    }

    fn too_many(&mut self, test: &TestDeclaration, limit: usize, what: &str) {
        let limit = separated(limit as u64);
        let message = format!("`{}` expands to more than {limit} {what}", self.text(test.name.name));
        let diagnostic = Diagnostic::new(Code::TooManyTests, test.name.span, message);
        self.report(diagnostic.hint("give fewer values, or combine them `pairwise`"));
    }

    /// The parameters of a test with their values; `None` when one was reported.
    fn axes(&mut self, test: &TestDeclaration) -> Option<Vec<Axis>> {
        let mut axes: Vec<Axis> = Vec::new();
        let mut complete = true;
        for (at, given) in test.parameters.iter().enumerate() {
            let Some(parameter) = self.globals.parameters.get(&given.name.name).copied() else {
                let message = format!("there is no test parameter `{}`", self.text(given.name.name));
                let diagnostic = Diagnostic::new(Code::UnknownParameter, given.name.span, message);
                let diagnostic =
                    self.suggest(diagnostic, given.name.name, self.globals.parameters.keys().copied());
                self.report(diagnostic);
                complete = false;
                continue;
            };
            if let Some(first) = test.parameters[..at].iter().find(|other| other.name.name == given.name.name)
            {
                let message = format!("parameter `{}` is given twice", self.text(given.name.name));
                let diagnostic = Diagnostic::new(Code::InvalidTestParameter, given.name.span, message);
                self.report(diagnostic.label(first.name.span, "first here"));
                complete = false;
            }
            let ty = self.checked.parameters[parameter.index()].ty;
            let mut values: Vec<Literal> = Vec::new();
            for value in &given.values {
                complete &= self.check_value(ty, value.value, value.span, &values);
                values.push(value.value);
            }
            axes.push(Axis { parameter, values });
        }
        complete.then_some(axes)
    }

    fn check_value(&mut self, ty: TypeId, value: Literal, span: Span, before: &[Literal]) -> bool {
        let found = match value {
            Literal::Bool(_) => TypeId::BOOL,
            Literal::Int(_) => TypeId::INT,
        };
        if !self.checked.types.is_same(ty, found) {
            let diagnostic = self.mismatched_types(span, ty, found, &self.show_value(found));
            self.report(diagnostic);
            return false;
        }
        if before.contains(&value) {
            let message = "this value is listed twice, which would make the same test twice";
            self.report(Diagnostic::new(Code::InvalidTestParameter, span, message));
            return false;
        }
        true
    }

    fn strength(&mut self, test: &TestDeclaration, parameters: usize) -> usize {
        let Some(coverage) = test.coverage else { return parameters };
        let strength = coverage.strength as usize;
        if !coverage.pairwise && !(1..=parameters).contains(&strength) {
            let parameters = counted(parameters as u64, "parameter");
            let message = format!("`({strength} wise)` makes no sense for {parameters}");
            self.report(Diagnostic::new(Code::InvalidTestParameter, coverage.span, message));
        }
        strength.clamp(1.min(parameters), parameters)
    }

    /// The numbers of the combinations that `assume` allows.
    fn allowed(&mut self, test: &TestDeclaration, axes: &[Axis], combinations: usize) -> Option<Vec<usize>> {
        let Some(assume) = test.assume else { return Some((0..combinations).collect()) };
        let mut allowed = Vec::new();
        for number in 0..combinations {
            match self.holds(assume, axes, &positions(axes, number)) {
                Ok(true) => allowed.push(number),
                Ok(false) => {}
                Err(diagnostic) => {
                    self.report(diagnostic);
                    return None;
                }
            }
        }
        Some(allowed)
    }

    fn holds(&self, assume: ExprId, axes: &[Axis], combination: &[usize]) -> Result<bool, Diagnostic> {
        match self.evaluate(assume, axes, combination)? {
            Literal::Bool(value) => Ok(value),
            Literal::Int(_) => Err(self.not_constant(assume)),
        }
    }

    fn not_constant(&self, expr: ExprId) -> Diagnostic {
        let message = "`assume` of a test can only compute with numbers, booleans and test parameters";
        Diagnostic::new(Code::InvalidTestParameter, self.expr_span(expr), message)
    }

    fn divides_by_zero(&self, expr: ExprId) -> Diagnostic {
        let message = "this divides by zero for some values of the parameters";
        Diagnostic::new(Code::InvalidTestParameter, self.expr_span(expr), message)
    }

    fn evaluate(&self, id: ExprId, axes: &[Axis], combination: &[usize]) -> Result<Literal, Diagnostic> {
        match self.tree[id].kind {
            ExprKind::Bool(value) => Ok(Literal::Bool(value)),
            ExprKind::Int(value) => Ok(Literal::Int(value.into())),
            ExprKind::Name(_) => self.parameter_value(id, axes, combination),
            ExprKind::Unary { op, operand } => match (op, self.evaluate(operand, axes, combination)?) {
                (UnaryOp::Not, Literal::Bool(value)) => Ok(Literal::Bool(!value)),
                (UnaryOp::Negate, Literal::Int(value)) => Ok(Literal::Int(value.wrapping_neg())),
                _ => Err(self.not_constant(id)),
            },
            ExprKind::Binary { .. } => self.evaluate_spine(id, axes, combination),
            _ => Err(self.not_constant(id)),
        }
    }

    fn parameter_value(
        &self,
        id: ExprId,
        axes: &[Axis],
        combination: &[usize],
    ) -> Result<Literal, Diagnostic> {
        let Resolution::Parameter(parameter) = self.checked.expr_resolutions[id.0 as usize] else {
            return Err(self.not_constant(id));
        };
        let given = axes.iter().zip(combination).find(|(axis, _)| axis.parameter == parameter);
        match (given, self.checked.parameters[parameter.index()].ty) {
            (Some((axis, position)), _) => Ok(axis.values[*position]),
            (None, TypeId::BOOL) => Ok(Literal::Bool(false)),
            (None, TypeId::INT) => Ok(Literal::Int(0)),
            (None, _) => Err(self.not_constant(id)),
        }
    }

    fn evaluate_spine(
        &self,
        id: ExprId,
        axes: &[Axis],
        combination: &[usize],
    ) -> Result<Literal, Diagnostic> {
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let ExprKind::Binary { op, lhs, rhs } = self.tree[leftmost].kind {
            spine.push((leftmost, op, rhs));
            leftmost = lhs;
        }
        let mut value = self.evaluate(leftmost, axes, combination)?;
        for (node, op, rhs) in spine.into_iter().rev() {
            let rhs = self.evaluate(rhs, axes, combination)?;
            value = apply(op, value, rhs).ok_or_else(|| match rhs {
                Literal::Int(0) => self.divides_by_zero(node),
                _ => self.not_constant(node),
            })?;
        }
        Ok(value)
    }

    fn instance(&self, axes: &[Axis], combination: &[usize]) -> Instance {
        let mut suffix = String::new();
        let mut values = Vec::new();
        for (axis, position) in axes.iter().zip(combination) {
            let value = axis.values[*position];
            let name = self.text(self.checked.parameters[axis.parameter.index()].name.name);
            suffix += if suffix.is_empty() { "___" } else { "__" };
            suffix += &format!("{name}_{}", mangled(value));
            let constant = match value {
                Literal::Bool(value) => Constant::Bool(value),
                Literal::Int(value) => Constant::Int(value),
            };
            values.push((axis.parameter, constant));
        }
        (suffix, values)
    }
}

/// The positions of the values of a combination. Combinations are numbered with the first parameter varying fastest.
fn positions(axes: &[Axis], mut number: usize) -> Vec<usize> {
    let position = |axis: &Axis| {
        let position = number % axis.values.len();
        number /= axis.values.len();
        position
    };
    axes.iter().map(position).collect()
}

fn mangled(value: Literal) -> String {
    match value {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) if value < 0 => format!("neg{}", value.unsigned_abs()),
        Literal::Int(value) => value.to_string(),
    }
}

/// `None` for operands of the wrong sort and for division by zero.
fn apply(op: BinaryOp, lhs: Literal, rhs: Literal) -> Option<Literal> {
    use Literal::{Bool, Int};
    Some(match (op, lhs, rhs) {
        (BinaryOp::Add, Int(a), Int(b)) => Int(a.wrapping_add(b)),
        (BinaryOp::Subtract, Int(a), Int(b)) => Int(a.wrapping_sub(b)),
        (BinaryOp::Multiply, Int(a), Int(b)) => Int(a.wrapping_mul(b)),
        (BinaryOp::Divide, Int(a), Int(b)) => Int(a.checked_div(b)?),
        (BinaryOp::Remainder, Int(a), Int(b)) => Int(a.checked_rem(b)?),
        (BinaryOp::Equal, a, b) => Bool(a == b),
        (BinaryOp::NotEqual, a, b) => Bool(a != b),
        (BinaryOp::Less, Int(a), Int(b)) => Bool(a < b),
        (BinaryOp::LessOrEqual, Int(a), Int(b)) => Bool(a <= b),
        (BinaryOp::Greater, Int(a), Int(b)) => Bool(a > b),
        (BinaryOp::GreaterOrEqual, Int(a), Int(b)) => Bool(a >= b),
        (BinaryOp::And, Bool(a), Bool(b)) => Bool(a && b),
        (BinaryOp::Or, Bool(a), Bool(b)) => Bool(a || b),
        (BinaryOp::Implies, Bool(a), Bool(b)) => Bool(!a || b),
        (BinaryOp::Iff, Bool(a), Bool(b)) => Bool(a == b),
        _ => return None,
    })
}
