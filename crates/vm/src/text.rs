//! Values as text, the way P's `print` and `format` show them.

use crate::value::Value;
use fabius_lang::ids::{EnumId, EventId};
use fabius_lang::types::{Type, TypeId};
use fabius_model::ActorId;
use std::fmt::Write;

/// Names that texts contain but values do not.
pub(crate) trait Naming {
    /// A machine's name and number: `Server(2)`.
    fn machine(&self, actor: ActorId) -> String;
    fn event(&self, event: EventId) -> &str;
    fn shape(&self, ty: TypeId) -> &Type;
    /// The name of an element of an enum.
    fn element(&self, of: EnumId, number: i64) -> Option<&str>;
}

/// The text of a value. As in P, an element of an enum is a number.
pub(crate) fn text(value: &Value, names: &impl Naming) -> String {
    typed_text(value, TypeId::ANY, names)
}

/// The text of a value of a type, for logs: elements of enums are called by their names.
pub(crate) fn typed_text(value: &Value, ty: TypeId, names: &impl Naming) -> String {
    let mut out = String::new();
    write_value(&mut out, value, ty, names);
    out
}

fn write_value(out: &mut String, value: &Value, ty: TypeId, names: &impl Naming) {
    match value {
        Value::Null => {}
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(number) => match names.shape(ty) {
            Type::Enum(of) if let Some(name) = names.element(*of, *number) => out.push_str(name),
            _ => push(out, format_args!("{number}")),
        },
        Value::Float(number) => write_float(out, *number),
        Value::Event(event) => out.push_str(names.event(*event)),
        Value::Machine(reference) => out.push_str(&names.machine(reference.actor)),
        Value::String(text) => out.push_str(text.as_str()),
        Value::Tuple(tuple) => {
            out.push('<');
            for (at, item) in tuple.items().iter().enumerate() {
                if let Some(names) = tuple.names() {
                    push(out, format_args!("{}:", names.as_slice()[at]));
                }
                write_value(out, item, type_of_item(names.shape(ty), at), names);
                out.push_str(if tuple.names().is_some() { ", " } else { "," });
            }
            out.push('>');
        }
        Value::Seq(seq) => {
            let (element, _) = types_of_members(names.shape(ty));
            write_list(out, seq.items().iter().map(|item| typed_text(item, element, names)));
        }
        Value::Set(set) => {
            let (element, _) = types_of_members(names.shape(ty));
            write_sorted(out, set.items().map(|item| (typed_text(item, element, names), String::new())));
        }
        Value::Map(map) => {
            let (of_key, of_value) = types_of_members(names.shape(ty));
            let entry = |(key, value)| {
                (typed_text(key, of_key, names), format!("->{}", typed_text(value, of_value, names)))
            };
            write_sorted(out, map.entries().map(entry));
        }
        Value::Foreign(value) => {
            let mut parts = value.parts().iter().peekable();
            for (at, text) in value.content().split('\0').enumerate() {
                if let Some(part) = parts.next_if(|_| at > 0) {
                    write_value(out, part, TypeId::ANY, names);
                }
                out.push_str(text);
            }
        }
    }
}

/// The type of a tuple's item, if it is known that it is a tuple.
fn type_of_item(ty: &Type, at: usize) -> TypeId {
    let item = match ty {
        Type::Tuple(items) => items.get(at).copied(),
        Type::NamedTuple(fields) => fields.get(at).map(|(_, ty)| *ty),
        _ => None,
    };
    item.unwrap_or(TypeId::ANY)
}

/// The types of a collection's elements, or of its keys and values, as far as they are known.
fn types_of_members(ty: &Type) -> (TypeId, TypeId) {
    match ty {
        Type::Seq(element) | Type::Set(element) => (*element, TypeId::ANY),
        Type::Map(key, value) => (*key, *value),
        _ => (TypeId::ANY, TypeId::ANY),
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string does not fail");
}

fn write_list(out: &mut String, items: impl Iterator<Item = String>) {
    out.push('(');
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(&item);
    }
    out.push(')');
}

/// P lists the members of sets and maps in the order of their (keys') texts.
fn write_sorted(out: &mut String, members: impl Iterator<Item = (String, String)>) {
    let mut members: Vec<_> = members.collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    write_list(out, members.into_iter().map(|(key, rest)| format!("<{key}{rest}>")));
}

/// A float as C# writes it: the shortest text that reads back the same, with an exponent when the number has 15 digits
/// before the point or more, or 4 zeros behind it or more.
fn write_float(out: &mut String, number: f64) {
    if number.is_nan() {
        out.push_str("NaN");
        return;
    }
    if number.is_infinite() {
        out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
        return;
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if exponent >= 15 => push(out, format_args!("{digits}E+{exponent:02}")),
        Ok(exponent) if exponent <= -5 => push(out, format_args!("{digits}E-{:02}", exponent.abs())),
        _ => push(out, format_args!("{number}")),
    }
}

/// A template with `{n}` replaced by the n-th argument and doubled braces by single ones.
pub(crate) fn fill(template: &str, arguments: &[String]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        if let Some(doubled) = after.strip_prefix(brace) {
            out.push_str(brace);
            rest = doubled;
            continue;
        }
        let placeholder = after.split_once('}').and_then(|(number, behind)| {
            let argument = arguments.get(number.trim().parse::<usize>().ok()?)?;
            Some((argument, behind))
        });
        // The front end refuses anything else that begins with a brace.
        match placeholder {
            Some((argument, behind)) if brace == "{" => {
                out.push_str(argument);
                rest = behind;
            }
            _ => {
                out.push_str(brace);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
