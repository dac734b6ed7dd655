//! From values of P to script values.
//!
//! | P | script |
//! |---|---|
//! | bool, int, float, string | the same |
//! | enum element | its number |
//! | null | `()` |
//! | seq, set, tuple | array |
//! | map | array of `[key, value]` |
//! | named tuple | object map |
//! | machine, event | opaque |
//! | foreign type | what a script made it from |
//! | `any`, `data` | bool, int, float, string and null as above, all else opaque |
//!
//! The static type decides, because the value alone does not tell what its user knows about it.

use fabius_lang::ir::Program;
use fabius_lang::types::{Type, TypeId};
use fabius_vm::{Tuple, Value};
use rhai::{Array, Dynamic, Map};

use crate::content;
use crate::opaque::Opaque;

/// A value of the type as scripts see it. An error is about values that `as` let pass as what they are not.
pub(crate) fn to_script(value: &Value, ty: TypeId, program: &Program) -> Result<Dynamic, String> {
    let all = |items: &[Value], ty: TypeId| -> Result<Array, String> {
        items.iter().map(|item| to_script(item, ty, program)).collect()
    };
    Ok(match (program.types.get(ty), value) {
        (_, Value::Null) => Dynamic::UNIT,
        (Type::Bool, Value::Bool(_))
        | (Type::Int | Type::Enum(_), Value::Int(_))
        | (Type::Float, Value::Float(_))
        | (Type::String, Value::String(_))
        | (Type::Any | Type::Data | Type::Null | Type::Error, _) => whatever(value),
        (Type::Event, Value::Event(_)) | (Type::Machine | Type::Permission(_), Value::Machine(_)) => {
            Dynamic::from(Opaque(value.clone()))
        }
        (Type::Seq(item), Value::Seq(seq)) => all(seq.items(), *item)?.into(),
        (Type::Set(item), Value::Set(set)) => {
            let items = set.items().map(|member| to_script(member, *item, program));
            items.collect::<Result<Array, String>>()?.into()
        }
        (Type::Map(key_type, value_type), Value::Map(map)) => {
            let pair = |(key, value): (&Value, &Value)| -> Result<Dynamic, String> {
                let pair = vec![to_script(key, *key_type, program)?, to_script(value, *value_type, program)?];
                Ok(pair.into())
            };
            map.entries().map(pair).collect::<Result<Array, String>>()?.into()
        }
        (Type::Tuple(types), Value::Tuple(tuple)) if types.len() == tuple.items().len() => {
            let items = tuple.items().iter().zip(types);
            let items = items.map(|(item, ty)| to_script(item, *ty, program));
            items.collect::<Result<Array, String>>()?.into()
        }
        (Type::NamedTuple(fields), Value::Tuple(tuple)) => {
            let mut map = Map::new();
            for (name, ty) in fields {
                let name = program.name(*name);
                let item = field(tuple, name).ok_or_else(|| format!("a tuple without field `{name}`"))?;
                map.insert(name.into(), to_script(item, *ty, program)?);
            }
            map.into()
        }
        (Type::Foreign(_), Value::Foreign(value)) => content::read(value)?,
        _ => return Err(format!("{} where `{}` is needed", value.kind(), program.display_type(ty))),
    })
}

/// A value of which nothing is known.
fn whatever(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        other => Dynamic::from(Opaque(other.clone())),
    }
}

fn field<'a>(tuple: &'a Tuple, name: &str) -> Option<&'a Value> {
    let at = tuple.names()?.as_slice().iter().position(|other| **other == *name)?;
    tuple.items().get(at)
}
