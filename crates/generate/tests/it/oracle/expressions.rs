//! Expressions, evaluated from left to right.
//!
//! An operand of an operator or an index that is just a variable is read when the operation happens, which is after
//! the other operand was evaluated: in `n + F()` the call may change the field `n` first. That is how P's compiler splits
//! expressions; arguments and parts of tuples it copies on the spot. See [`Term`].

use super::code::{Answer, Frame, Identity, Request, Run, Step};
use super::value::{Value, contains};
use fabius_lang::check::Resolution;
use fabius_lang::ids::{EventId, InterfaceId};
use fabius_lang::ir::Constant;
use fabius_lang::syntax::tree::{BinaryOp, ExprId, ExprKind, FunctionId, Ident, UnaryOp};
use fabius_lang::types::{Origin, Type};
use fabius_vm::BugKind;

/// An operand: a value, or a variable that is read later.
pub(crate) enum Term {
    Value(Value),
    Variable(Resolution),
}

impl Run<'_> {
    pub(crate) fn term(&mut self, frame: &mut Frame, id: ExprId) -> Step<Term> {
        let resolution = self.source.checked.expr_resolutions[id.0 as usize];
        match (&self.source.tree[id].kind, resolution) {
            (ExprKind::Name(_), Resolution::Local(_) | Resolution::Field(_)) => {
                Ok(Term::Variable(resolution))
            }
            _ => Ok(Term::Value(self.value(frame, id)?)),
        }
    }

    pub(crate) fn read(&mut self, frame: &mut Frame, term: Term) -> Value {
        match term {
            Term::Value(value) => value,
            Term::Variable(variable) => self.variable(frame, variable).clone(),
        }
    }

    /// Two operands.
    fn terms(&mut self, frame: &mut Frame, first: ExprId, second: ExprId) -> Step<(Value, Value)> {
        let (first, second) = (self.term(frame, first)?, self.term(frame, second)?);
        Ok((self.read(frame, first), self.read(frame, second)))
    }

    pub(crate) fn values(&mut self, frame: &mut Frame, ids: &[ExprId]) -> Step<Vec<Value>> {
        ids.iter().map(|id| self.value(frame, *id)).collect()
    }

    pub(crate) fn condition(&mut self, frame: &mut Frame, id: ExprId) -> Step<bool> {
        match self.value(frame, id)? {
            Value::Bool(value) => Ok(value),
            other => unreachable!("{other:?} as a condition"),
        }
    }

    pub(crate) fn function(&self, resolution: Resolution) -> FunctionId {
        let Resolution::Function(function) = resolution else { unreachable!("a call of a function") };
        function
    }

    pub(crate) fn interface(&self, resolution: Resolution) -> InterfaceId {
        let Resolution::Interface(interface) = resolution else { unreachable!("new of an interface") };
        interface
    }

    pub(crate) fn value(&mut self, frame: &mut Frame, id: ExprId) -> Step<Value> {
        let source = self.source;
        let ty = source.checked.expr_types[id.0 as usize];
        let resolution = source.checked.expr_resolutions[id.0 as usize];
        Ok(match &source.tree[id].kind {
            ExprKind::Name(_) => self.name(frame, resolution),
            ExprKind::This => self.this(),
            ExprKind::Default(_) => source.default(ty),
            ExprKind::Nondet { .. } | ExprKind::Choose(None) => {
                self.choose(vec![Value::Bool(false), Value::Bool(true)])?
            }
            ExprKind::Choose(Some(from)) => self.choose_from(frame, *from)?,
            ExprKind::Format { text, arguments, .. } => {
                let arguments = self.values(frame, arguments)?;
                Value::Text(fill(source.tree.names.text(*text), &arguments))
            }
            ExprKind::Tuple(items) => Value::Tuple(self.values(frame, items)?),
            ExprKind::NamedTuple(fields) => {
                let field = |(name, value): &(Ident, ExprId)| {
                    Ok((source.tree.names.text(name.name).to_owned(), self.value(frame, *value)?))
                };
                Value::Named(fields.iter().map(field).collect::<Step<_>>()?)
            }
            ExprKind::New { arguments, .. } => self.create(frame, self.interface(resolution), arguments)?,
            ExprKind::Call { arguments, .. } => {
                let arguments = self.values(frame, arguments)?;
                self.call(self.function(resolution), arguments)?
            }
            ExprKind::Index { base, index } => {
                let (base, index) = self.terms(frame, *base, *index)?;
                self.element(base, &index)?
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(frame, *op, *lhs, *rhs)?,
            ExprKind::Keys(operand)
            | ExprKind::Values(operand)
            | ExprKind::Sizeof(operand)
            | ExprKind::Field { base: operand, .. }
            | ExprKind::Item { base: operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Convert { operand, .. } => {
                let operand = self.value(frame, *operand)?;
                self.of_one_operand(id, operand)?
            }
            literal => self.literal(literal),
        })
    }

    fn literal(&self, literal: &ExprKind) -> Value {
        match literal {
            ExprKind::Int(number) => Value::Int(i64::from(*number)),
            ExprKind::Float(number) => Value::Float(*number),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Null => Value::Null,
            ExprKind::Halt => Value::Event(EventId::HALT),
            ExprKind::String(text) => Value::Text(fill(self.source.tree.names.text(*text), &[])),
            other => unreachable!("not generated: {other:?}"),
        }
    }

    /// An expression with one operand, which has this value.
    fn of_one_operand(&self, id: ExprId, operand: Value) -> Step<Value> {
        let checked = &self.source.checked;
        let ty = checked.types.get(checked.expr_types[id.0 as usize]);
        Ok(match (&self.source.tree[id].kind, operand) {
            (ExprKind::Field { .. }, operand) => {
                let Resolution::Item(at) = checked.expr_resolutions[id.0 as usize] else {
                    unreachable!("a field has a position")
                };
                self.item(operand, at as usize)?
            }
            (ExprKind::Item { index, .. }, operand) => self.item(operand, *index as usize)?,
            (ExprKind::Keys(_), Value::Map(entries)) => {
                Value::Seq(entries.into_iter().map(|(key, _)| key).collect())
            }
            (ExprKind::Values(_), Value::Map(entries)) => {
                Value::Seq(entries.into_iter().map(|(_, value)| value).collect())
            }
            (ExprKind::Sizeof(_), Value::Seq(items) | Value::Set(items)) => Value::Int(items.len() as i64),
            (ExprKind::Sizeof(_), Value::Map(entries)) => Value::Int(entries.len() as i64),
            (ExprKind::Unary { op: UnaryOp::Not, .. }, Value::Bool(value)) => Value::Bool(!value),
            (ExprKind::Unary { .. }, Value::Int(number)) => Value::Int(number.wrapping_neg()),
            (ExprKind::Unary { .. }, Value::Float(number)) => Value::Float(-number),
            (ExprKind::Cast { .. }, operand) if operand.has_shape(ty) => operand,
            (ExprKind::Cast { .. }, _) => return Err(self.fault(BugKind::BadCast)),
            (ExprKind::Convert { .. }, operand) => self.converted(operand, ty)?,
            (_, Value::Null) => return Err(self.fault(BugKind::NullDereference)),
            (expression, operand) => unreachable!("{expression:?} of {operand:?}"),
        })
    }

    fn name(&mut self, frame: &mut Frame, resolution: Resolution) -> Value {
        match resolution {
            Resolution::EnumElement(number) => Value::Int(number),
            Resolution::Event(event) => Value::Event(event),
            Resolution::Parameter(parameter) => {
                let given = self.test.parameters.iter().find(|(known, _)| *known == parameter);
                match given {
                    Some((_, Constant::Int(number))) => Value::Int(*number),
                    Some((_, Constant::Bool(value))) => Value::Bool(*value),
                    _ => self.source.default(self.source.checked.parameters[parameter.index()].ty),
                }
            }
            variable => self.variable(frame, variable).clone(),
        }
    }

    /// Through `this`, a machine may be sent all that it receives.
    fn this(&self) -> Value {
        let Identity::Machine { number, .. } = self.identity else { unreachable!("monitors have no `this`") };
        Value::Machine { number, may: self.source.checked.machines[self.machine.index()].receives.clone() }
    }

    fn choose(&mut self, alternatives: Vec<Value>) -> Step<Value> {
        match self.ask(Request::Choose(alternatives))? {
            Answer::Value(value) => {
                self.told.push("chose".into());
                Ok(value)
            }
            _ => unreachable!("a choice gives a value"),
        }
    }

    fn choose_from(&mut self, frame: &mut Frame, from: ExprId) -> Step<Value> {
        let alternatives = match self.value(frame, from)? {
            Value::Int(0) => vec![Value::Int(0)],
            Value::Int(count) => (0..count).map(Value::Int).collect(),
            Value::Seq(items) | Value::Set(items) => items,
            Value::Map(entries) => entries.into_iter().map(|(key, _)| key).collect(),
            _ => return Err(self.fault(BugKind::NullDereference)),
        };
        if alternatives.is_empty() {
            return Err(self.fault(BugKind::ChooseEmpty));
        }
        self.choose(alternatives)
    }

    fn item(&self, base: Value, at: usize) -> Step<Value> {
        match base {
            Value::Tuple(mut items) => Ok(items.swap_remove(at)),
            Value::Named(mut fields) => Ok(fields.swap_remove(at).1),
            _ => Err(self.fault(BugKind::NullDereference)),
        }
    }

    fn element(&self, base: Value, index: &Value) -> Step<Value> {
        match (base, index) {
            (Value::Seq(items) | Value::Set(items), Value::Int(at)) => {
                let item = usize::try_from(*at).ok().and_then(|at| items.get(at).cloned());
                item.ok_or_else(|| self.fault(BugKind::IndexOutOfRange))
            }
            (Value::Map(_), Value::Null) => Err(self.fault(BugKind::NullDereference)),
            (Value::Map(entries), key) => {
                let entry = entries.into_iter().find(|(known, _)| known.equals(key));
                entry.map(|(_, value)| value).ok_or_else(|| self.fault(BugKind::MissingKey))
            }
            _ => Err(self.fault(BugKind::NullDereference)),
        }
    }

    /// A reference to a machine gets an interface's permissions if it has all of them; otherwise P throws an exception.
    fn converted(&self, operand: Value, to: &Type) -> Step<Value> {
        Ok(match (operand, to) {
            (Value::Int(number), Type::Int) => Value::Int(number),
            (Value::Int(number), Type::Float) => Value::Float(number as f64),
            (Value::Float(number), Type::Int) => Value::Int(number.trunc() as i64),
            (Value::Float(number), Type::Float) => Value::Float(number),
            (Value::Null, _) => return Err(self.fault(BugKind::BadCast)),
            (Value::Machine { number, may }, Type::Permission(id)) => {
                let Origin::Interface(interface) = self.source.checked.types.permission(*id).origin else {
                    unreachable!("`to` an interface")
                };
                let wanted = &self.source.checked.interfaces[interface.index()].receives;
                match wanted.first_outside(&may) {
                    None => Value::Machine { number, may: wanted.clone() },
                    Some(_) => return Err(self.fault(BugKind::BadCast)),
                }
            }
            (operand, to) => unreachable!("{operand:?} to {to:?}"),
        })
    }

    fn binary(&mut self, frame: &mut Frame, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Step<Value> {
        let when_decided = match op {
            BinaryOp::And => Some((false, false)),
            BinaryOp::Or => Some((true, true)),
            BinaryOp::Implies => Some((false, true)),
            _ => None,
        };
        if let Some((deciding, result)) = when_decided {
            return match self.condition(frame, lhs)? == deciding {
                true => Ok(Value::Bool(result)),
                false => self.value(frame, rhs),
            };
        }
        let (lhs, rhs) = self.terms(frame, lhs, rhs)?;
        self.operation(op, &lhs, &rhs)
    }

    fn operation(&self, op: BinaryOp, lhs: &Value, rhs: &Value) -> Step<Value> {
        use BinaryOp::{
            Add, Divide, Equal, Greater, GreaterOrEqual, Iff, In, Less, LessOrEqual, Multiply, NotEqual,
            Remainder, Subtract,
        };
        let divided = |number: Option<i64>| number.ok_or_else(|| self.fault(BugKind::DivisionByZero));
        Ok(match (op, lhs, rhs) {
            (Equal, lhs, rhs) => Value::Bool(lhs.equals(rhs)),
            (NotEqual, lhs, rhs) => Value::Bool(!lhs.equals(rhs)),
            (Iff, lhs, rhs) => Value::Bool(lhs.equals(rhs)),
            (In, item, Value::Seq(items) | Value::Set(items)) => Value::Bool(contains(items, item)),
            (In, Value::Null, Value::Map(_)) => return Err(self.fault(BugKind::NullDereference)),
            (In, key, Value::Map(entries)) => Value::Bool(entries.iter().any(|(known, _)| known.equals(key))),
            (In, _, Value::Null) => return Err(self.fault(BugKind::NullDereference)),
            (Add, Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(*b)),
            (Subtract, Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_sub(*b)),
            (Multiply, Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_mul(*b)),
            (Divide, Value::Int(a), Value::Int(b)) => Value::Int(divided(a.checked_div(*b))?),
            (Remainder, Value::Int(a), Value::Int(b)) => Value::Int(divided(a.checked_rem(*b))?),
            (Add, Value::Float(a), Value::Float(b)) => Value::Float(a + b),
            (Subtract, Value::Float(a), Value::Float(b)) => Value::Float(a - b),
            (Multiply, Value::Float(a), Value::Float(b)) => Value::Float(a * b),
            (Divide, Value::Float(a), Value::Float(b)) => Value::Float(a / b),
            (Add, Value::Text(a), Value::Text(b)) => Value::Text(format!("{a}{b}")),
            (Less, a, b) => Value::Bool(is_less(a, b)),
            (Greater, a, b) => Value::Bool(is_less(b, a)),
            (LessOrEqual, a, b) => Value::Bool(is_less(a, b) || a.equals(b)),
            (GreaterOrEqual, a, b) => Value::Bool(is_less(b, a) || a.equals(b)),
            (op, lhs, rhs) => unreachable!("{lhs:?} {op:?} {rhs:?}"),
        })
    }
}

fn is_less(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a < b,
        (Value::Float(a), Value::Float(b)) => a < b,
        (Value::Text(a), Value::Text(b)) => a < b,
        other => unreachable!("the order of {other:?}"),
    }
}

/// Puts the text of the arguments into the placeholders, and single braces for doubled ones.
fn fill(text: &str, arguments: &[Value]) -> String {
    let mut result = text.to_owned();
    for (at, argument) in arguments.iter().enumerate() {
        result = result.replace(&format!("{{{at}}}"), &argument.text());
    }
    result.replace("{{", "{").replace("}}", "}")
}
