//! The operators of P on values.
//!
//! Integers wrap at 64 bits; dividing by zero, and the smallest integer by -1, are errors. A float becomes an integer by
//! cutting off its fraction; beyond the integers it becomes the nearest one, and a NaN becomes 0 (C# leaves these cases to
//! the processor). Strings are ordered by code points: P uses the order of the user's language, which differs from one
//! computer to another.

use crate::bug::{BugKind, Fallible, Fault};
use crate::place::check_key;
use crate::value::Value;
use fabius_lang::ir::{BinaryOp, UnaryOp};
use fabius_lang::source::counted;

pub(crate) fn unary(op: UnaryOp, operand: &Value) -> Fallible<Value> {
    Ok(match (op, operand) {
        (UnaryOp::Not, Value::Bool(value)) => Value::Bool(!value),
        (UnaryOp::NegateInt, Value::Int(number)) => Value::Int(number.wrapping_neg()),
        (UnaryOp::NegateFloat, Value::Float(number)) => Value::Float(-number),
        (UnaryOp::IntToFloat, Value::Int(number)) => Value::Float(*number as f64),
        (UnaryOp::FloatToInt, Value::Float(number)) => Value::Int(*number as i64),
        (UnaryOp::EnumToInt, Value::Int(number)) => Value::Int(*number),
        (UnaryOp::Sizeof, Value::Seq(seq)) => Value::Int(seq.items().len() as i64),
        (UnaryOp::Sizeof, Value::Set(set)) => Value::Int(set.len() as i64),
        (UnaryOp::Sizeof, Value::Map(map)) => Value::Int(map.len() as i64),
        (UnaryOp::Keys, Value::Map(map)) => Value::seq(map.entries().map(|(key, _)| key.clone())),
        (UnaryOp::Values, Value::Map(map)) => Value::seq(map.entries().map(|(_, value)| value.clone())),
        (UnaryOp::Sizeof, _) => return Err(misfit(operand, "a collection")),
        (UnaryOp::Keys | UnaryOp::Values, _) => return Err(misfit(operand, "a map")),
        (UnaryOp::Not, _) => return Err(misfit(operand, "a bool")),
        (UnaryOp::NegateInt | UnaryOp::IntToFloat | UnaryOp::EnumToInt, _) => {
            return Err(misfit(operand, "an int"));
        }
        (UnaryOp::NegateFloat | UnaryOp::FloatToInt, _) => return Err(misfit(operand, "a float")),
    })
}

pub(crate) fn binary(op: BinaryOp, lhs: &Value, rhs: &Value) -> Fallible<Value> {
    match (lhs, rhs) {
        _ if op == BinaryOp::Equal => Ok(Value::Bool(lhs.equals(rhs))),
        _ if op == BinaryOp::NotEqual => Ok(Value::Bool(!lhs.equals(rhs))),
        (Value::Int(lhs), Value::Int(rhs)) => on_ints(op, *lhs, *rhs),
        (Value::Float(lhs), Value::Float(rhs)) => on_floats(op, *lhs, *rhs),
        (Value::String(lhs), Value::String(rhs)) => on_strings(op, lhs.as_str(), rhs.as_str()),
        (Value::Int(_) | Value::Float(_) | Value::String(_), other) => Err(misfit(other, lhs.kind())),
        (other, _) => Err(misfit(other, "a number or a string")),
    }
}

fn on_ints(op: BinaryOp, lhs: i64, rhs: i64) -> Fallible<Value> {
    Ok(match op {
        BinaryOp::AddInt => Value::Int(lhs.wrapping_add(rhs)),
        BinaryOp::SubtractInt => Value::Int(lhs.wrapping_sub(rhs)),
        BinaryOp::MultiplyInt => Value::Int(lhs.wrapping_mul(rhs)),
        BinaryOp::DivideInt => Value::Int(lhs.checked_div(rhs).ok_or_else(|| no_quotient(lhs, rhs))?),
        BinaryOp::RemainderInt => Value::Int(lhs.checked_rem(rhs).ok_or_else(|| no_quotient(lhs, rhs))?),
        BinaryOp::LessInt => Value::Bool(lhs < rhs),
        BinaryOp::LessOrEqualInt => Value::Bool(lhs <= rhs),
        _ => return Err(misfit(&Value::Int(lhs), operands_of(op))),
    })
}

fn no_quotient(lhs: i64, rhs: i64) -> Box<Fault> {
    let message = match rhs {
        0 => "division by zero".to_owned(),
        _ => format!("{lhs} divided by {rhs} is not an int"),
    };
    Fault::new(BugKind::DivisionByZero, message)
}

fn on_floats(op: BinaryOp, lhs: f64, rhs: f64) -> Fallible<Value> {
    Ok(match op {
        BinaryOp::AddFloat => Value::Float(lhs + rhs),
        BinaryOp::SubtractFloat => Value::Float(lhs - rhs),
        BinaryOp::MultiplyFloat => Value::Float(lhs * rhs),
        BinaryOp::DivideFloat => Value::Float(lhs / rhs),
        BinaryOp::RemainderFloat => Value::Float(lhs % rhs),
        BinaryOp::LessFloat => Value::Bool(lhs < rhs),
        BinaryOp::LessOrEqualFloat => Value::Bool(lhs <= rhs),
        _ => return Err(misfit(&Value::Float(lhs), operands_of(op))),
    })
}

fn on_strings(op: BinaryOp, lhs: &str, rhs: &str) -> Fallible<Value> {
    Ok(match op {
        BinaryOp::Concatenate => Value::string([lhs, rhs].concat()),
        BinaryOp::LessString => Value::Bool(lhs < rhs),
        BinaryOp::LessOrEqualString => Value::Bool(lhs <= rhs),
        _ => return Err(misfit(&Value::string(lhs), operands_of(op))),
    })
}

fn operands_of(op: BinaryOp) -> &'static str {
    match op {
        op if takes_ints(op) => "an int",
        BinaryOp::Concatenate | BinaryOp::LessString | BinaryOp::LessOrEqualString => "a string",
        _ => "a float",
    }
}

/// Whether it makes something of two numbers.
pub(crate) fn takes_ints(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::AddInt
            | BinaryOp::SubtractInt
            | BinaryOp::MultiplyInt
            | BinaryOp::DivideInt
            | BinaryOp::RemainderInt
            | BinaryOp::LessInt
            | BinaryOp::LessOrEqualInt
    )
}

/// The fault of a value that static types do not exclude and that an operation cannot use: null where `as` let it pass,
/// or parts of a value that `as` does not look into.
pub(crate) fn misfit(value: &Value, needed: &str) -> Box<Fault> {
    match value {
        Value::Null => Fault::null(needed),
        _ => Fault::new(BugKind::BadCast, format!("{} where {needed} is needed", value.kind())),
    }
}

/// The element at a position of a sequence or set.
pub(crate) fn element(base: &Value, index: &Value) -> Fallible<Value> {
    let Value::Int(index) = index else { return Err(misfit(index, "an int")) };
    let at = usize::try_from(*index).ok();
    let (found, length) = match base {
        Value::Seq(seq) => (at.and_then(|at| seq.items().get(at)), seq.items().len()),
        Value::Set(set) => (at.and_then(|at| set.get(at)), set.len()),
        _ => return Err(misfit(base, "a seq or set")),
    };
    found.cloned().ok_or_else(|| out_of_range(*index, length))
}

pub(crate) fn out_of_range(index: i64, length: usize) -> Box<Fault> {
    let verb = if length == 1 { "is" } else { "are" };
    let elements = counted(length as u64, "element");
    Fault::new(BugKind::IndexOutOfRange, format!("index {index} is out of range: there {verb} {elements}"))
}

/// Membership in a sequence, set or the keys of a map.
pub(crate) fn contains(item: &Value, collection: &Value) -> Fallible<Value> {
    Ok(Value::Bool(match collection {
        Value::Seq(seq) => seq.items().iter().any(|other| other.equals(item)),
        Value::Set(set) => set.contains(item),
        Value::Map(map) => {
            check_key(item)?;
            map.get(item).is_some()
        }
        _ => return Err(misfit(collection, "a collection")),
    }))
}
