//! Which values pass as which types.
//!
//! As in P, a cast looks at the outermost shape only, and null passes as everything that is not a plain number, bool or
//! string.

use crate::value::Value;
use fabius_lang::ir::Program;
use fabius_lang::types::{Type, TypeId};

/// Whether `value as ty` succeeds.
#[inline]
pub(crate) fn fits(value: &Value, ty: TypeId, program: &Program) -> bool {
    match (program.types.get(ty), value) {
        (Type::Any | Type::Data | Type::Error | Type::Null, _) => true,
        (Type::Bool, Value::Bool(_)) => true,
        (Type::Int | Type::Enum(_), Value::Int(_)) => true,
        (Type::Float, Value::Float(_)) => true,
        (Type::String, Value::String(_)) => true,
        (Type::Bool | Type::Int | Type::Enum(_) | Type::Float | Type::String, _) => false,
        (_, Value::Null) => true,
        (Type::Event, Value::Event(_)) => true,
        (Type::Machine | Type::Permission(_), Value::Machine(_)) => true,
        (Type::Seq(_), Value::Seq(_)) => true,
        (Type::Set(_), Value::Set(_)) => true,
        (Type::Map(..), Value::Map(_)) => true,
        (Type::Tuple(_), Value::Tuple(tuple)) => tuple.names().is_none(),
        (Type::NamedTuple(_), Value::Tuple(tuple)) => tuple.names().is_some(),
        (Type::Foreign(name), Value::Foreign(value)) => value.type_name() == program.name(*name),
        _ => false,
    }
}
