//! The texts of a program's types.
//!
//! Types share their parts, so that a type written out can be exponentially longer than the table. A type whose text
//! would be longer than `LONGEST` gets a number instead and is declared once; every text is thus short.

use super::{Duplicates, push_name, push_reference};
use crate::ir::Program;
use crate::types::{PermissionId, Type, TypeId};
use std::fmt::Write;

/// The longest text of a type that is written where it is used.
const LONGEST: usize = 160;

#[derive(Debug)]
pub(super) struct TypeTexts {
    /// How to write each type where it is used.
    texts: Vec<String>,
    /// The texts of the types that have a number, in order.
    pub(super) long: Vec<String>,
}

impl TypeTexts {
    pub(super) fn new(program: &Program, duplicates: &Duplicates<'_>) -> Self {
        let mut types = Self { texts: Vec::new(), long: Vec::new() };
        for (_, ty) in program.types.iter() {
            let mut text = types.write(ty, program, duplicates);
            if text.len() > LONGEST {
                let number = format!("${}", types.long.len());
                types.long.push(std::mem::replace(&mut text, number));
            }
            types.texts.push(text);
        }
        types
    }

    pub(super) fn push(&self, out: &mut String, ty: TypeId) {
        match self.texts.get(ty.0 as usize) {
            Some(text) => out.push_str(text),
            None => _ = write!(out, "?{}", ty.0),
        }
    }

    fn write(&self, ty: &Type, program: &Program, duplicates: &Duplicates<'_>) -> String {
        let mut out = String::new();
        match ty {
            Type::Error => out.push_str("error"),
            Type::Null => out.push_str("null"),
            Type::Bool => out.push_str("bool"),
            Type::Int => out.push_str("int"),
            Type::Float => out.push_str("float"),
            Type::String => out.push_str("string"),
            Type::Event => out.push_str("event"),
            Type::Machine => out.push_str("machine"),
            Type::Data => out.push_str("data"),
            Type::Any => out.push_str("any"),
            Type::Seq(element) => self.bracketed(&mut out, "seq[", &[*element]),
            Type::Set(element) => self.bracketed(&mut out, "set[", &[*element]),
            Type::Map(key, value) => self.bracketed(&mut out, "map[", &[*key, *value]),
            Type::Tuple(items) => self.tuple(&mut out, items),
            Type::NamedTuple(fields) if fields.is_empty() => out.push_str("(:)"),
            Type::NamedTuple(fields) => {
                for (at, (name, ty)) in fields.iter().enumerate() {
                    out.push_str(if at == 0 { "(" } else { ", " });
                    push_name(&mut out, program, *name);
                    out.push_str(": ");
                    self.push(&mut out, *ty);
                }
                out.push(')');
            }
            Type::Enum(id) => {
                let name = program.enums.get(id.index()).map(|declared| declared.name);
                push_reference(&mut out, program, &duplicates.enums, id.0, name);
            }
            Type::Foreign(name) => {
                out.push_str("foreign ");
                push_name(&mut out, program, *name);
            }
            Type::Permission(id) => push_permission(&mut out, *id, program, duplicates),
        }
        out
    }

    fn bracketed(&self, out: &mut String, open: &str, parts: &[TypeId]) {
        out.push_str(open);
        self.list(out, parts);
        out.push(']');
    }

    fn tuple(&self, out: &mut String, items: &[TypeId]) {
        out.push('(');
        self.list(out, items);
        out.push(')');
    }

    fn list(&self, out: &mut String, types: &[TypeId]) {
        for (at, ty) in types.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            self.push(out, *ty);
        }
    }
}

fn push_permission(out: &mut String, id: PermissionId, program: &Program, duplicates: &Duplicates<'_>) {
    out.push('@');
    let name = program.types.permissions().get(id.0 as usize).map(|permission| permission.name);
    push_reference(out, program, &duplicates.permissions, id.0, name);
}
