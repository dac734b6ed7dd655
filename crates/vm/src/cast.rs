//! Which values pass as which types.
//!
//! As in P, a cast looks at the outermost shape only, and null passes as everything that is not a plain number, bool or
//! string.

use crate::value::{FieldNames, Permission, Reference, Value};
use fabius_lang::ids::EventId;
use fabius_lang::ir::Program;
use fabius_lang::types::{Type, TypeId};
use fabius_model::ActorId;

/// Kinds of values, as bits: those that surely pass as a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing(u16);

impl Passing {
    pub(crate) fn of(ty: TypeId, program: &Program) -> Self {
        // One of each kind, in their order; of foreign values, names are to be compared.
        let examples = [
            Value::Null,
            Value::Bool(false),
            Value::Int(0),
            Value::Float(0.0),
            Value::Event(EventId::NULL),
            Value::Machine(Reference { actor: ActorId(0), permission: Permission(0) }),
            Value::string(""),
            Value::tuple([]),
            Value::named_tuple(FieldNames::new([""]), [Value::Null]),
            Value::seq([]),
            Value::set([]),
            Value::map([]),
        ];
        let passing = examples.iter().map(|value| u16::from(fits(value, ty, program)));
        Self(passing.rev().fold(0, |kinds, passes| kinds << 1 | passes))
    }

    #[inline]
    pub(crate) fn has(self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Float(_) => 3,
            Value::Event(_) => 4,
            Value::Machine(_) => 5,
            Value::String(_) => 6,
            Value::Tuple(tuple) => 7 + u32::from(tuple.names().is_some()),
            Value::Seq(_) => 9,
            Value::Set(_) => 10,
            Value::Map(_) => 11,
            Value::Foreign(_) => 12,
        };
        self.0 >> kind & 1 == 1
    }
}

/// Whether `value as ty` succeeds.
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

#[cfg(test)]
mod tests;
