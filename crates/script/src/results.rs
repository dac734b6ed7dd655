//! From script values to values of P; the other direction of `arguments`.
//!
//! An int passes as a float, a char as a string, and an object map as a map with string keys. Where nothing is known
//! (`any`, `data`) an array becomes a sequence and an object map a named tuple with its fields in alphabetical order.

use fabius_lang::ir::Program;
use fabius_lang::types::{Type, TypeId};
use fabius_vm::{FieldNames, Value};
use rhai::{Array, Dynamic, Map};

use crate::content;
use crate::opaque::Opaque;

/// How deeply script values may nest.
pub(crate) const DEPTH: u32 = 100;

/// Converts results of one function.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    pub(crate) program: &'a Program,
}

impl Results<'_> {
    /// The value of P that a script value stands for, where this type is expected.
    pub(crate) fn value_of(self, value: Dynamic, ty: TypeId) -> Result<Value, String> {
        self.convert(value, ty, 0)
    }

    fn convert(self, value: Dynamic, ty: TypeId, depth: u32) -> Result<Value, String> {
        if depth > DEPTH {
            return Err(format!("a value that nests more than {DEPTH} levels deep"));
        }
        let value = value.flatten();
        if let Some(Opaque(known)) = value.read_lock::<Opaque>().as_deref() {
            return self.opaque(known, ty);
        }
        match self.program.types.get(ty) {
            // A function without a result.
            Type::Null | Type::Error => Ok(Value::Null),
            Type::Any | Type::Data => self.whatever(value, depth),
            Type::Event | Type::Machine | Type::Permission(_) if value.is_unit() => Ok(Value::Null),
            Type::Foreign(_) if value.is_unit() => Ok(Value::Null),
            Type::Foreign(name) => content::write(&value, self.program.name(*name)),
            Type::Bool => value.as_bool().map(Value::Bool).map_err(|found| self.misfit(found, ty)),
            Type::Int => value.as_int().map(Value::Int).map_err(|found| self.misfit(found, ty)),
            Type::Float => float(&value).map(Value::Float).ok_or_else(|| self.misfit(value.type_name(), ty)),
            Type::String => text(&value).map(Value::string).ok_or_else(|| self.misfit(value.type_name(), ty)),
            Type::Enum(id) => match value.as_int() {
                Ok(number) if self.program[*id].elements.iter().any(|each| each.value == number) => {
                    Ok(Value::Int(number))
                }
                Ok(number) => Err(format!("{number}, which is no `{}`", self.program.display_type(ty))),
                Err(found) => Err(self.misfit(found, ty)),
            },
            Type::Seq(item) => Ok(Value::seq(self.all(self.array(value, ty)?, *item, depth)?)),
            Type::Set(item) => self.set(self.array(value, ty)?, *item, depth),
            Type::Map(key, item) => self.map(value, ty, (*key, *item), depth),
            Type::Tuple(types) => {
                let items = self.array(value, ty)?;
                if items.len() != types.len() {
                    return Err(self.misfit(&format!("an array of {}", items.len()), ty));
                }
                let items = items.into_iter().zip(types).map(|(item, ty)| self.convert(item, *ty, depth + 1));
                Ok(Value::tuple(items.collect::<Result<Box<[_]>, _>>()?))
            }
            Type::NamedTuple(fields) => {
                let mut map = self.object(value, ty)?;
                if map.len() != fields.len() {
                    return Err(self.misfit(&format!("an object map with {} fields", map.len()), ty));
                }
                let mut items = Vec::new();
                for (name, ty) in fields {
                    let name = self.program.name(*name);
                    let item = map.remove(name).ok_or_else(|| format!("an object map without `{name}`"))?;
                    items.push(self.convert(item, *ty, depth + 1)?);
                }
                let names = FieldNames::new(fields.iter().map(|(name, _)| self.program.name(*name)));
                Ok(Value::named_tuple(names, items))
            }
            Type::Event | Type::Machine | Type::Permission(_) => Err(self.misfit(value.type_name(), ty)),
        }
    }

    /// A value that the script got from P and gives back.
    fn opaque(self, value: &Value, ty: TypeId) -> Result<Value, String> {
        let fits = match (self.program.types.get(ty), value) {
            (Type::Any | Type::Data | Type::Null | Type::Error, _)
            | (Type::Event, Value::Event(_))
            | (Type::Machine | Type::Permission(_), Value::Machine(_)) => true,
            (Type::Foreign(name), Value::Foreign(foreign)) => foreign.type_name() == self.program.name(*name),
            _ => false,
        };
        if fits { Ok(value.clone()) } else { Err(self.misfit(value.kind(), ty)) }
    }

    fn whatever(self, value: Dynamic, depth: u32) -> Result<Value, String> {
        if value.is_unit() {
            return Ok(Value::Null);
        }
        if let Ok(value) = value.as_bool() {
            return Ok(Value::Bool(value));
        }
        if let Ok(value) = value.as_int() {
            return Ok(Value::Int(value));
        }
        if let Ok(value) = value.as_float() {
            return Ok(Value::Float(value));
        }
        if let Some(text) = text(&value) {
            return Ok(Value::string(text));
        }
        if value.is_array() {
            return Ok(Value::seq(self.all(self.array(value, TypeId::ANY)?, TypeId::ANY, depth)?));
        }
        let fields: Map = self.object(value, TypeId::ANY)?;
        let names = FieldNames::new(fields.keys().map(ToString::to_string));
        let items: Array = fields.into_values().collect();
        Ok(Value::named_tuple(names, self.all(items, TypeId::ANY, depth)?))
    }

    fn all(self, items: Array, ty: TypeId, depth: u32) -> Result<Vec<Value>, String> {
        items.into_iter().map(|item| self.convert(item, ty, depth + 1)).collect()
    }

    fn set(self, items: Array, ty: TypeId, depth: u32) -> Result<Value, String> {
        let items = self.all(items, ty, depth)?;
        if items.contains(&Value::Null) {
            return Err("a set with null in it".into());
        }
        Ok(Value::set(items))
    }

    fn map(self, value: Dynamic, ty: TypeId, parts: (TypeId, TypeId), depth: u32) -> Result<Value, String> {
        let mut entries = Vec::new();
        if value.is_map() && parts.0 == TypeId::STRING {
            for (key, item) in self.object(value, ty)? {
                entries.push((Value::string(key.as_str()), self.convert(item, parts.1, depth + 1)?));
            }
            return Ok(Value::map(entries));
        }
        for pair in self.array(value, ty)? {
            let pair = pair.into_array().map_err(|found| self.misfit(found, ty))?;
            let Ok([key, item]) = <[Dynamic; 2]>::try_from(pair) else {
                return Err(self.misfit("an array of something else than pairs", ty));
            };
            let key = self.convert(key, parts.0, depth + 1)?;
            if key == Value::Null {
                return Err("a map with a null key".into());
            }
            entries.push((key, self.convert(item, parts.1, depth + 1)?));
        }
        Ok(Value::map(entries))
    }

    fn array(self, value: Dynamic, ty: TypeId) -> Result<Array, String> {
        value.into_array().map_err(|found| self.misfit(found, ty))
    }

    fn object(self, value: Dynamic, ty: TypeId) -> Result<Map, String> {
        let found = value.type_name();
        value.try_cast::<Map>().ok_or_else(|| self.misfit(found, ty))
    }

    fn misfit(self, found: &str, ty: TypeId) -> String {
        format!("{} where `{}` is needed", in_words(found), self.program.display_type(ty))
    }
}

fn float(value: &Dynamic) -> Option<f64> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|number| number as f64))
}

fn text(value: &Dynamic) -> Option<String> {
    let text = value.clone().into_string().ok();
    text.or_else(|| value.as_char().ok().map(String::from))
}

/// What a type of the script language is called in messages.
pub(crate) fn in_words(type_name: &str) -> &str {
    match type_name.rsplit("::").next().unwrap_or(type_name) {
        "()" => "`()`",
        "bool" => "a bool",
        "i64" => "an int",
        "f64" => "a float",
        "char" | "string" => "a string",
        "array" => "an array",
        "map" => "an object map",
        "Fn" => "a function",
        "AnyOf" => "`any_of` inside a value",
        name => name,
    }
}
