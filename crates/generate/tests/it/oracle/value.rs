//! Values as plain data, copied whenever they are passed on.

use super::Source;
use fabius_lang::ids::{EventId, EventSet};
use fabius_lang::types::{Type, TypeId};

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// Also an enum element.
    Int(i64),
    Float(f64),
    Text(String),
    Event(EventId),
    Machine {
        /// In the order of creation.
        number: usize,
        /// What may be sent through the reference.
        may: EventSet,
    },
    Tuple(Vec<Value>),
    Named(Vec<(String, Value)>),
    Seq(Vec<Value>),
    /// In the order of insertion.
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Source {
    /// The default value of a type.
    pub(crate) fn default(&self, ty: TypeId) -> Value {
        match self.checked.types.get(ty) {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Enum(id) => {
                let elements = &self.checked.enums[id.index()].elements;
                Value::Int(elements.iter().map(|(_, number)| *number).min().unwrap_or(0))
            }
            Type::Float => Value::Float(0.0),
            Type::String => Value::Text(String::new()),
            Type::Seq(_) => Value::Seq(Vec::new()),
            Type::Set(_) => Value::Set(Vec::new()),
            Type::Map(..) => Value::Map(Vec::new()),
            Type::Tuple(items) => Value::Tuple(items.iter().map(|item| self.default(*item)).collect()),
            Type::NamedTuple(fields) => {
                let name = |name| self.tree.names.text(name).to_owned();
                Value::Named(fields.iter().map(|(field, ty)| (name(*field), self.default(*ty))).collect())
            }
            _ => Value::Null,
        }
    }
}

impl Value {
    /// P's `==`: sets and maps without order, machines by who they are.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let all = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b));
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Event(a), Self::Event(b)) => a == b,
            (Self::Machine { number: a, .. }, Self::Machine { number: b, .. }) => a == b,
            (Self::Tuple(a), Self::Tuple(b)) | (Self::Seq(a), Self::Seq(b)) => all(a, b),
            (Self::Named(a), Self::Named(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.equals(&b.1))
            }
            (Self::Set(a), Self::Set(b)) => a.len() == b.len() && a.iter().all(|item| contains(b, item)),
            (Self::Map(a), Self::Map(b)) => {
                let has = |key: &Value, value: &Value| {
                    b.iter().any(|(other, found)| other.equals(key) && found.equals(value))
                };
                a.len() == b.len() && a.iter().all(|(key, value)| has(key, value))
            }
            _ => false,
        }
    }

    /// Whether the outermost shape is that of the type, as `as` asks. Null passes for everything that P represents by
    /// a reference.
    pub(crate) fn has_shape(&self, ty: &Type) -> bool {
        let is_scalar = matches!(ty, Type::Bool | Type::Int | Type::Enum(_) | Type::Float | Type::String);
        if let Self::Null = self {
            return !is_scalar;
        }
        match ty {
            Type::Bool => matches!(self, Self::Bool(_)),
            Type::Int | Type::Enum(_) => matches!(self, Self::Int(_)),
            Type::Float => matches!(self, Self::Float(_)),
            Type::String => matches!(self, Self::Text(_)),
            Type::Event => matches!(self, Self::Event(_)),
            Type::Machine | Type::Permission(_) => matches!(self, Self::Machine { .. }),
            Type::Any | Type::Data => true,
            Type::Seq(_) => matches!(self, Self::Seq(_)),
            Type::Set(_) => matches!(self, Self::Set(_)),
            Type::Map(..) => matches!(self, Self::Map(_)),
            Type::Tuple(_) => matches!(self, Self::Tuple(_)),
            Type::NamedTuple(_) => matches!(self, Self::Named(_)),
            Type::Null | Type::Foreign(_) | Type::Error => false,
        }
    }

    /// What `format` makes of it.
    pub(crate) fn text(&self) -> String {
        let join = |items: Vec<String>| format!("({})", items.join(", "));
        // P sorts the elements of sets and maps by their text before it prints them.
        let sorted = |mut items: Vec<String>| {
            items.sort();
            items
        };
        match self {
            Self::Null => String::new(),
            Self::Bool(value) => if *value { "True" } else { "False" }.into(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(text) => text.clone(),
            Self::Event(_) | Self::Machine { .. } | Self::Named(_) => {
                unreachable!("generated programs do not print what has names")
            }
            Self::Tuple(items) => {
                let items: String = items.iter().map(|item| format!("{},", item.text())).collect();
                format!("<{items}>")
            }
            Self::Seq(items) => join(items.iter().map(Self::text).collect()),
            Self::Set(items) => {
                let texts = sorted(items.iter().map(Self::text).collect());
                join(texts.iter().map(|text| format!("<{text}>")).collect())
            }
            Self::Map(entries) => {
                let mut texts: Vec<_> =
                    entries.iter().map(|(key, value)| (key.text(), value.text())).collect();
                texts.sort_by(|a, b| a.0.cmp(&b.0));
                join(texts.iter().map(|(key, value)| format!("<{key}->{value}>")).collect())
            }
        }
    }
}

pub(crate) fn contains(items: &[Value], wanted: &Value) -> bool {
    items.iter().any(|item| item.equals(wanted))
}
