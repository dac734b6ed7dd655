//! Equality of programs but for spans and the numbers of names and types.
//!
//! Names and types of the second program are looked up in the first one's tables; after that, plain equality decides.

use crate::ids::EnumId;
use crate::ir::{Constant, Function, Instruction, Machine, Program, State, Test};
use crate::names::Name;
use crate::types::{Type, TypeId};

/// Panics with the difference.
pub(super) fn assert_same(a: &Program, b: &Program) {
    let same = Same { a, b };
    assert_eq!(same.declarations_of_a(), same.declarations_of_b());
    assert_eq!(a.machines.len(), b.machines.len());
    a.machines.iter().zip(&b.machines).for_each(|(a, b)| same.machine(a, b));
    assert_eq!(a.functions.len(), b.functions.len());
    a.functions.iter().zip(&b.functions).for_each(|(a, b)| same.function(a, b));
    assert_eq!(a.tests.len(), b.tests.len());
    a.tests.iter().zip(&b.tests).for_each(|(a, b)| same.test(a, b));
}

struct Same<'p> {
    a: &'p Program,
    b: &'p Program,
}

impl Same<'_> {
    fn declarations_of_a(&self) -> String {
        declarations(self.a, |name| name, |ty| ty)
    }

    fn declarations_of_b(&self) -> String {
        declarations(self.b, |name| self.name(name), |ty| self.ty(ty))
    }

    /// The first program's number for a name of the second.
    fn name(&self, name: Name) -> Name {
        let text = self.b.name(name);
        // The empty name that stands for a missing one is not found by its text.
        if text.is_empty() {
            return Name::MISSING;
        }
        self.a.names.get(text).unwrap_or_else(|| panic!("the name `{text}` is new"))
    }

    /// The first program's number for a type of the second.
    fn ty(&self, ty: TypeId) -> TypeId {
        let mapped = match self.b.types.get(ty) {
            Type::Seq(element) => Type::Seq(self.ty(*element)),
            Type::Set(element) => Type::Set(self.ty(*element)),
            Type::Map(key, value) => Type::Map(self.ty(*key), self.ty(*value)),
            Type::Tuple(items) => Type::Tuple(items.iter().map(|item| self.ty(*item)).collect()),
            Type::NamedTuple(fields) => {
                Type::NamedTuple(fields.iter().map(|(name, ty)| (self.name(*name), self.ty(*ty))).collect())
            }
            Type::Enum(EnumId(id)) => Type::Enum(EnumId(*id)),
            Type::Foreign(name) => Type::Foreign(self.name(*name)),
            other => other.clone(),
        };
        let found = self.a.types.iter().find(|(_, known)| **known == mapped);
        found.unwrap_or_else(|| panic!("the type {mapped:?} is new")).0
    }

    fn machine(&self, a: &Machine, b: &Machine) {
        assert_eq!((a.name, a.kind, a.start), (self.name(b.name), b.kind, b.start));
        assert_eq!((&a.receives, &a.sends, &a.observes), (&b.receives, &b.sends, &b.observes));
        assert_eq!(a.creates, b.creates);
        let fields: Vec<_> = a.fields.iter().map(|field| (field.name, field.ty)).collect();
        let other: Vec<_> = b.fields.iter().map(|field| (self.name(field.name), self.ty(field.ty))).collect();
        assert_eq!(fields, other);
        assert_eq!(a.states.len(), b.states.len());
        a.states.iter().zip(&b.states).for_each(|(a, b)| self.state(a, b));
    }

    fn state(&self, a: &State, b: &State) {
        assert_eq!((a.name, a.temperature), (self.name(b.name), b.temperature));
        assert_eq!((a.entry, a.exit, &a.handlers), (b.entry, b.exit, &b.handlers));
    }

    fn function(&self, a: &Function, b: &Function) {
        assert_eq!((a.name, a.owner, a.parameters), (self.name(b.name), b.owner, b.parameters));
        assert_eq!((a.result, a.is_foreign), (self.ty(b.result), b.is_foreign));
        let registers: Vec<_> = a.registers.iter().map(|info| (info.ty, info.name)).collect();
        let map = |info: &crate::ir::RegisterInfo| (self.ty(info.ty), info.name.map(|name| self.name(name)));
        assert_eq!(registers, b.registers.iter().map(map).collect::<Vec<_>>());
        assert_eq!(a.code.len(), b.code.len());
        for (a, b) in a.code.iter().zip(&b.code) {
            let mut mapped = b.clone();
            match &mut mapped {
                Instruction::Const { value, .. } => *value = self.constant(*value),
                Instruction::Cast { ty, .. } => *ty = self.ty(*ty),
                Instruction::Format { text, .. } => *text = self.text(*text),
                _ => {}
            }
            assert!(is_same_instruction(a, &mapped), "{a:?} is not {mapped:?}");
        }
        assert_eq!(a.spans.len(), b.spans.len());
    }

    fn constant(&self, value: Constant) -> Constant {
        match value {
            Constant::String(text) => Constant::String(self.text(text)),
            Constant::Default(ty) => Constant::Default(self.ty(ty)),
            other => other,
        }
    }

    /// As a name, but the empty string is a string like others.
    fn text(&self, text: Name) -> Name {
        self.a.names.get(self.b.name(text)).expect("the string is in the first program")
    }

    fn test(&self, a: &Test, b: &Test) {
        assert_eq!((&a.name, a.kind, a.main), (&b.name, b.kind, b.main));
        assert_eq!((&a.bindings, &a.links), (&b.bindings, &b.links));
        let values: Vec<_> = b.parameters.iter().map(|(id, value)| (*id, self.constant(*value))).collect();
        assert_eq!(a.parameters, values);
        let monitors = |test: &Test| -> Vec<_> {
            test.monitors.iter().map(|attachment| (attachment.monitor, attachment.observed.clone())).collect()
        };
        assert_eq!(monitors(a), monitors(b));
    }
}

/// Floats are the same when their bits are.
fn is_same_instruction(a: &Instruction, b: &Instruction) -> bool {
    match (a, b) {
        (
            Instruction::Const { to, value: Constant::Float(a) },
            Instruction::Const { to: other, value: Constant::Float(b) },
        ) => to == other && a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn declarations(program: &Program, name: impl Fn(Name) -> Name, ty: impl Fn(TypeId) -> TypeId) -> String {
    let events = program.events.iter().map(|event| (name(event.name), ty(event.payload)));
    let enums = program.enums.iter().map(|declared| {
        let elements = declared.elements.iter().map(|element| (name(element.name), element.value));
        (name(declared.name), elements.collect::<Vec<_>>())
    });
    let parameters = program.parameters.iter().map(|parameter| (name(parameter.name), ty(parameter.ty)));
    let interfaces = program.interfaces.iter();
    let interfaces =
        interfaces.map(|interface| (name(interface.name), ty(interface.payload), &interface.receives));
    let permissions = program.types.permissions().iter();
    let permissions =
        permissions.map(|permission| (name(permission.name), permission.origin, &permission.events));
    let (events, enums): (Vec<_>, Vec<_>) = (events.collect(), enums.collect());
    let (parameters, interfaces): (Vec<_>, Vec<_>) = (parameters.collect(), interfaces.collect());
    format!("{events:?}\n{enums:?}\n{parameters:?}\n{interfaces:?}\n{:?}", permissions.collect::<Vec<_>>())
}
