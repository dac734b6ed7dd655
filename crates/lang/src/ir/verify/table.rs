//! The table of types: first, because all that is said about types relies on it.

use super::{Rule, Subject, Verifier};
use crate::types::{Origin, Permission, PermissionId, Type, TypeId};

/// How deep types may be nested: comparing and showing them takes a call for each level.
const DEEPEST: u32 = 1000;

impl Verifier<'_> {
    pub(super) fn type_table(&mut self) {
        let program = self.program;
        let count = program.types.iter().count();
        let mut depths: Vec<u32> = Vec::with_capacity(count);
        for (id, ty) in program.types.iter() {
            let mut depth = 0;
            for_each_part(ty, |part| {
                let below = depths.get(part.0 as usize).map_or(0, |below| below + 1);
                depth = below.max(depth);
            });
            depths.push(depth);
            if depth == DEEPEST + 1 {
                let message = format!("the type is nested more than {DEEPEST} deep");
                self.report(Rule::TypeTable, Subject::Type(id), message);
            }
            self.type_in_table(id, ty, count);
        }
        for (index, permission) in program.types.permissions().iter().enumerate() {
            self.permission(index, permission);
        }
    }

    fn type_in_table(&mut self, id: TypeId, ty: &Type, count: usize) {
        let subject = Subject::Type(id);
        let mut has_error = *ty == Type::Error;
        for_each_part(ty, |part| {
            if self.in_range(subject, "type", part.0, count) && part >= id {
                self.report(
                    Rule::TypeTable,
                    subject,
                    "a part of the type does not stand before it in the table",
                );
            }
            has_error |= self.has_error.get(part.0 as usize).is_some_and(|has_error| *has_error);
        });
        self.has_error.push(has_error);
        match ty {
            Type::NamedTuple(fields) => fields.iter().for_each(|(name, _)| _ = self.name(subject, *name)),
            Type::Foreign(name) => _ = self.name(subject, *name),
            Type::Enum(id) => _ = self.in_range(subject, "enum", id.0, self.program.enums.len()),
            Type::Permission(id) => {
                self.in_range(subject, "permission", id.0, self.program.types.permissions().len());
            }
            _ => {}
        }
        // The texts of types in messages need the names of the enums.
        if let Type::Enum(id) = ty
            && let Some(declared) = self.program.enums.get(id.index())
        {
            self.name(subject, declared.name);
        }
    }

    fn permission(&mut self, index: usize, permission: &Permission) {
        let subject = Subject::Permission(PermissionId(index as u32));
        self.name(subject, permission.name);
        match permission.origin {
            Origin::Interface(interface) => _ = self.interface(subject, interface),
            Origin::Spec(machine) => _ = self.machine(subject, machine),
            Origin::Event(event) => _ = self.event(subject, event),
            Origin::EventSet => {}
        }
        self.event_set(subject, &permission.events);
    }
}

fn for_each_part(ty: &Type, mut visit: impl FnMut(TypeId)) {
    match ty {
        Type::Seq(element) | Type::Set(element) => visit(*element),
        Type::Map(key, value) => {
            visit(*key);
            visit(*value);
        }
        Type::Tuple(items) => items.iter().for_each(|item| visit(*item)),
        Type::NamedTuple(fields) => fields.iter().for_each(|(_, ty)| visit(*ty)),
        _ => {}
    }
}
