//! Types as they are written: what each one means, and how large it may become.
//!
//! Aliases are resolved in the order of their dependencies, in a loop. Types are limited in depth and size, counted as if
//! every alias were written out: whoever walks over a type may recur, and need not fear that one doubles in each line.

use super::Checker;
use super::globals::{AliasState, NameMap};
use crate::ids::EventSet;
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span, separated};
use crate::syntax::tree::{Declaration, Ident, MAX_NESTING, Parameter, Primitive, TypeExprId, TypeExprKind};
use crate::types::{Extent, Origin, Permission, Type, TypeId};

/// How many types one may be made of.
const LARGEST_TYPE: u32 = 100_000;

impl Checker<'_> {
    pub(super) fn resolve_optional_type(&mut self, ty: Option<TypeExprId>) -> TypeId {
        ty.map_or(TypeId::NULL, |ty| self.resolve_type(ty))
    }

    pub(super) fn resolve_type(&mut self, id: TypeExprId) -> TypeId {
        let tree = self.tree;
        let expr = &tree[id];
        let ty = match &expr.kind {
            TypeExprKind::Primitive(primitive) => return primitive_type(*primitive),
            TypeExprKind::Named(name) => {
                return self.resolve_type_name(Ident { name: *name, span: expr.span });
            }
            TypeExprKind::Seq(element) => Type::Seq(self.resolve_type(*element)),
            TypeExprKind::Set(element) => Type::Set(self.resolve_type(*element)),
            TypeExprKind::Map(key, value) => Type::Map(self.resolve_type(*key), self.resolve_type(*value)),
            TypeExprKind::Tuple(items) => {
                Type::Tuple(items.iter().map(|item| self.resolve_type(*item)).collect())
            }
            TypeExprKind::NamedTuple(fields) => {
                let names = fields.iter().map(|field| field.name);
                let is_fine = self.check_field_names(names);
                let resolve = |field: &Parameter| (field.name.name, self.resolve_type(field.ty));
                let fields = fields.iter().map(resolve).collect();
                if !is_fine {
                    return TypeId::ERROR;
                }
                Type::NamedTuple(fields)
            }
            TypeExprKind::Error => return TypeId::ERROR,
        };
        self.compound(ty, expr.span)
    }

    /// A type made of others; made of one that was reported, it counts as reported too, and no message shows it.
    pub(super) fn compound(&mut self, ty: Type, span: Span) -> TypeId {
        let mut is_reported =
            matches!(&ty, Type::NamedTuple(fields) if fields.iter().any(|(name, _)| *name == Name::MISSING));
        ty.for_each_part(|part| is_reported |= part == TypeId::ERROR);
        if is_reported {
            return TypeId::ERROR;
        }
        let Extent { depth, size } = self.checked.types.extent_of(&ty);
        let message = if depth > MAX_NESTING {
            format!("this type is nested more than {MAX_NESTING} levels deep")
        } else if size > LARGEST_TYPE {
            format!("this type is made of more than {} others", separated(LARGEST_TYPE.into()))
        } else {
            return self.checked.types.intern(ty);
        };
        self.report(Diagnostic::new(Code::NestedTooDeeply, span, message));
        TypeId::ERROR
    }

    /// Reports the field names of a named tuple that came before; whether there are none.
    pub(super) fn check_field_names(&mut self, names: impl Iterator<Item = Ident>) -> bool {
        let mut seen: NameMap<Span> = NameMap::default();
        let mut is_fine = true;
        for name in names {
            let Some(first) = seen.insert(name.name, name.span) else { continue };
            is_fine = false;
            if Self::is_missing(name) {
                continue;
            }
            let message = format!("field `{}` occurs twice in one tuple", self.text(name.name));
            let diagnostic = Diagnostic::new(Code::DuplicateField, name.span, message);
            self.report(diagnostic.label(first, "first here"));
        }
        is_fine
    }

    fn resolve_type_name(&mut self, name: Ident) -> TypeId {
        if Self::is_missing(name) {
            return TypeId::ERROR;
        }
        if let Some(id) = self.globals.enums.get(&name.name) {
            return self.checked.types.intern(Type::Enum(*id));
        }
        if self.globals.aliases.contains_key(&name.name) {
            return self.alias_type(name.name, name.span);
        }
        if let Some(ty) = self.globals.permission_types.get(&name.name) {
            return *ty;
        }
        if let Some(set) = self.globals.event_sets.get(&name.name) {
            let permission =
                Permission { name: name.name, origin: Origin::EventSet, events: set.events.clone() };
            return self.add_permission_type(permission);
        }
        if let Some(id) = self.globals.interfaces.get(&name.name) {
            return self.checked.interfaces[id.index()].ty;
        }
        if let Some(id) = self.globals.machines.get(&name.name).copied() {
            let permission =
                Permission { name: name.name, origin: Origin::Spec(id), events: EventSet::default() };
            return self.add_permission_type(permission);
        }
        if let Some(event) = self.checked.event_ids.get(&name.name).copied() {
            self.uses.events.insert(event);
            let permission = Permission {
                name: name.name,
                origin: Origin::Event(event),
                events: EventSet::from_iter([event]),
            };
            return self.add_permission_type(permission);
        }
        self.unknown_type(name);
        TypeId::ERROR
    }

    fn add_permission_type(&mut self, permission: Permission) -> TypeId {
        let name = permission.name;
        let ty = self.checked.types.add_permission(permission);
        self.globals.permission_types.insert(name, ty);
        ty
    }

    fn unknown_type(&mut self, name: Ident) {
        let message = format!("there is no type `{}`", self.text(name.name));
        let diagnostic = Diagnostic::new(Code::UnknownType, name.span, message);
        let diagnostic = match of_other_languages(self.text(name.name)) {
            Some(ty) => diagnostic.note(format!("did you mean `{ty}`?")),
            None => {
                let globals = &self.globals;
                let declared = (globals.enums.keys())
                    .chain(globals.aliases.keys())
                    .chain(globals.interfaces.keys())
                    .chain(globals.machines.keys());
                let candidates = declared.map(|name| self.text(*name)).chain(PRIMITIVES);
                self.suggest_text(diagnostic, name.name, candidates)
            }
        };
        self.report(diagnostic);
    }

    /// Resolves all aliases, each after those it is made of: a chain of them can be of any length.
    pub(super) fn resolve_aliases(&mut self) {
        let tree = self.tree;
        let mut work = Vec::new();
        for declaration in &tree.declarations {
            if let Declaration::Type(alias) = declaration {
                work.push(alias.name.name);
                self.resolve_pending_aliases(&mut work);
            }
        }
    }

    /// Resolves the aliases in `work`, the last first. One that is met again is resolved when those it is made of are.
    fn resolve_pending_aliases(&mut self, work: &mut Vec<Name>) {
        while let Some(name) = work.last().copied() {
            let alias = self.globals.aliases.get(&name);
            let Some((state, declaration)) = alias.map(|alias| (alias.state, alias.declaration)) else {
                work.pop();
                continue;
            };
            let Declaration::Type(alias) = &self.tree.declarations[declaration] else {
                unreachable!("an alias is declared by a type declaration")
            };
            match (state, alias.definition) {
                (AliasState::Unresolved, Some(definition)) => {
                    self.set_alias(name, AliasState::Resolving);
                    self.push_unresolved(definition, work);
                }
                (AliasState::Resolving | AliasState::Circular, Some(definition)) => {
                    let ty = self.resolve_type(definition);
                    self.set_alias(name, AliasState::Resolved(ty));
                    work.pop();
                }
                (AliasState::Resolved(_), _) => _ = work.pop(),
                (_, None) => {
                    let ty = self.checked.types.intern(Type::Foreign(name));
                    self.set_alias(name, AliasState::Resolved(ty));
                }
            }
        }
    }

    /// The aliases in a type that nobody looked at yet.
    fn push_unresolved(&self, id: TypeExprId, work: &mut Vec<Name>) {
        match &self.tree[id].kind {
            TypeExprKind::Named(name) => {
                let alias = self.globals.aliases.get(name);
                work.extend(alias.filter(|alias| alias.state == AliasState::Unresolved).map(|_| *name));
            }
            TypeExprKind::Seq(element) | TypeExprKind::Set(element) => self.push_unresolved(*element, work),
            TypeExprKind::Map(key, value) => {
                self.push_unresolved(*key, work);
                self.push_unresolved(*value, work);
            }
            TypeExprKind::Tuple(items) => items.iter().for_each(|item| self.push_unresolved(*item, work)),
            TypeExprKind::NamedTuple(fields) => {
                fields.iter().for_each(|field| self.push_unresolved(field.ty, work));
            }
            TypeExprKind::Primitive(_) | TypeExprKind::Error => {}
        }
    }

    /// The type an alias stands for. `span` is where it is used.
    fn alias_type(&mut self, name: Name, span: Span) -> TypeId {
        let alias = &self.globals.aliases[&name];
        let declared = alias.span;
        match alias.state {
            AliasState::Resolved(ty) => return ty,
            AliasState::Circular | AliasState::Unresolved => {}
            AliasState::Resolving => {
                self.set_alias(name, AliasState::Circular);
                let message = format!("type `{}` is defined through itself", self.text(name));
                let diagnostic = Diagnostic::new(Code::CircularType, span, message);
                self.report(diagnostic.label(declared, "declared here"));
            }
        }
        TypeId::ERROR
    }

    fn set_alias(&mut self, name: Name, state: AliasState) {
        if let Some(alias) = self.globals.aliases.get_mut(&name) {
            alias.state = state;
        }
    }
}

const PRIMITIVES: [&str; 8] = ["bool", "int", "float", "string", "event", "machine", "data", "any"];

/// P's type for one that other languages have under a name too far away to be recognised.
fn of_other_languages(name: &str) -> Option<&'static str> {
    Some(match name {
        "boolean" | "Boolean" => "bool",
        "integer" | "Integer" | "long" | "nat" => "int",
        "double" | "real" => "float",
        "str" | "text" => "string",
        _ => return None,
    })
}

fn primitive_type(primitive: Primitive) -> TypeId {
    match primitive {
        Primitive::Bool => TypeId::BOOL,
        Primitive::Int => TypeId::INT,
        Primitive::Float => TypeId::FLOAT,
        Primitive::String => TypeId::STRING,
        Primitive::Event => TypeId::EVENT,
        Primitive::Machine => TypeId::MACHINE,
        Primitive::Data => TypeId::DATA,
        Primitive::Any => TypeId::ANY,
    }
}
