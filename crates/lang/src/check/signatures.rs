//! The second pass: event sets, then the types of everything that is declared.
//!
//! Event sets come first because permission types are compared by their events.

use super::globals::{AliasState, NameMap};
use super::{Checker, LocalInfo};
use crate::ids::{EventId, EventSet, FieldId, InterfaceId, MachineId};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span, separated};
use crate::syntax::tree::{
    Declaration, FunctionId, Ident, MAX_NESTING, MachineDeclaration, MachineKind, Parameter, Primitive,
    StateDeclaration, TypeExprId, TypeExprKind,
};
use crate::types::{Extent, Origin, Permission, Type, TypeId};

/// How many parts a type may have, written out in full. Whoever walks over types counts on it.
const LARGEST_TYPE: u32 = 100_000;

impl Checker<'_> {
    pub(super) fn resolve_signatures(&mut self) {
        let tree = self.tree;
        let declarations = || tree.declarations.iter();
        for declaration in declarations() {
            if let Declaration::EventSet(set) = declaration {
                let events = self.resolve_events(&set.events);
                if let Some(entry) = self.globals.event_sets.get_mut(&set.name.name) {
                    entry.events = events;
                }
            }
        }
        self.resolve_event_sets();
        self.create_interface_types();
        self.resolve_aliases();
        for (at, declaration) in declarations().enumerate() {
            self.resolve_declaration(at, declaration);
        }
        for id in 0..self.checked.machines.len() {
            self.resolve_members(MachineId(id as u32));
        }
    }

    /// The event sets of interfaces and machines.
    fn resolve_event_sets(&mut self) {
        let tree = self.tree;
        for declaration in &tree.declarations {
            if let Declaration::Interface(interface) = declaration {
                let receives = self.resolve_events(&interface.receives);
                if let Some(id) = self.own_interface(interface.name) {
                    self.checked.interfaces[id.index()].receives = receives;
                }
            }
        }
        for id in 0..self.checked.machines.len() {
            let declaration = self.machine_declaration(MachineId(id as u32));
            let is_machine = declaration.kind == MachineKind::Machine;
            let mut set = |events: &Option<Vec<Ident>>| match events {
                Some(events) => self.resolve_events(events),
                None if is_machine => self.globals.all_events.clone(),
                None => EventSet::default(),
            };
            let receives = set(&declaration.receives);
            let sends = set(&declaration.sends);
            let observes = self.resolve_events(&declaration.observes);
            let machine = &mut self.checked.machines[id];
            if let Some(interface) = machine.interface {
                self.checked.interfaces[interface.index()].receives = receives.clone();
            }
            (machine.receives, machine.sends, machine.observes) = (receives, sends, observes);
        }
    }

    /// The interface declared by exactly this declaration, not by an earlier one of the same name.
    fn own_interface(&self, name: Ident) -> Option<InterfaceId> {
        let id = *self.globals.interfaces.get(&name.name)?;
        (self.checked.interfaces[id.index()].name.span == name.span).then_some(id)
    }

    fn resolve_events(&mut self, events: &[Ident]) -> EventSet {
        events.iter().filter_map(|event| self.resolve_event(*event)).collect()
    }

    /// The event a name in an event list refers to.
    pub(super) fn resolve_event(&mut self, name: Ident) -> Option<EventId> {
        if Self::is_missing(name) {
            return None;
        }
        if let Some(event) = self.checked.event_ids.get(&name.name).copied() {
            self.uses.events.insert(event);
            return Some(event);
        }
        let text = self.text(name.name).to_owned();
        let diagnostic = match self.globals.event_sets.get(&name.name) {
            Some(set) => {
                let message = format!("`{text}` is an event set, and only events can be listed here");
                Diagnostic::new(Code::EventSetAsEvent, name.span, message)
                    .label(set.span, "declared here")
                    .hint("list its events one by one; P does not resolve event sets in lists")
            }
            None => {
                let diagnostic =
                    Diagnostic::new(Code::UnknownEvent, name.span, format!("there is no event `{text}`"));
                self.suggest_event(diagnostic, name.name)
            }
        };
        self.report(diagnostic);
        None
    }

    pub(super) fn suggest_event(&self, diagnostic: Diagnostic, wrong: Name) -> Diagnostic {
        let with_note = self.suggest(diagnostic, wrong, self.checked.event_ids.keys().copied());
        let Some(note) = &with_note.note else { return with_note };
        let meant = note.split('`').nth(1).and_then(|text| self.tree.names.get(text));
        let declared = meant.and_then(|name| self.checked.event_ids.get(&name));
        match declared.map(|id| self.checked.events[id.index()].name.span) {
            Some(span) if span != Span::default() => with_note.label(span, "declared here"),
            _ => with_note,
        }
    }

    fn create_interface_types(&mut self) {
        for index in 0..self.checked.interfaces.len() {
            let interface = &self.checked.interfaces[index];
            let permission = Permission {
                name: interface.name.name,
                origin: Origin::Interface(InterfaceId(index as u32)),
                events: interface.receives.clone(),
            };
            self.checked.interfaces[index].ty = self.checked.types.add_permission(permission);
        }
    }

    fn resolve_declaration(&mut self, at: usize, declaration: &Declaration) {
        match declaration {
            Declaration::Event(event) => {
                let payload = self.resolve_optional_type(event.payload);
                let id = self.checked.event_ids.get(&event.name.name);
                if let Some(info) = id.map(|id| &mut self.checked.events[id.index()])
                    && info.name.span == event.name.span
                {
                    info.payload = payload;
                }
            }
            Declaration::Interface(interface) => {
                let payload = self.resolve_optional_type(interface.payload);
                if let Some(id) = self.own_interface(interface.name) {
                    self.checked.interfaces[id.index()].payload = payload;
                }
            }
            Declaration::Parameters(variables) => {
                let ty = self.resolve_type(variables.ty);
                for name in &variables.names {
                    if let Some(id) = self.globals.parameters.get(&name.name) {
                        self.checked.parameters[id.index()].ty = ty;
                    }
                }
            }
            Declaration::Function(function) => self.resolve_function(*function),
            Declaration::Pure(pure) => {
                let parameters = pure.parameters.iter().map(|p| (p.name, self.resolve_type(p.ty))).collect();
                let result = self.resolve_type(pure.result);
                if let Some(entry) = self.globals.pures.get_mut(&pure.name.name)
                    && entry.declaration == at
                {
                    (entry.parameters, entry.result) = (parameters, result);
                }
            }
            _ => {}
        }
    }

    /// Fields and functions of a machine.
    fn resolve_members(&mut self, id: MachineId) {
        let declaration = self.machine_declaration(id);
        for variables in &declaration.variables {
            let ty = self.resolve_type(variables.ty);
            for name in &variables.names {
                self.declare_field(id, *name, ty);
            }
        }
        for function in &declaration.functions {
            self.resolve_function(*function);
        }
        for function in declaration.states.iter().flat_map(StateDeclaration::inline_handlers) {
            self.resolve_function(function);
        }
    }

    fn declare_field(&mut self, id: MachineId, name: Ident, ty: TypeId) {
        let machine = &self.checked.machines[id.index()];
        let known = machine.field_ids.get(&name.name).map(|field| machine.fields[field.index()].0.span);
        if self.is_free("variable", name, known) {
            self.check_hides_no_parameter(name);
            let machine = &mut self.checked.machines[id.index()];
            machine.field_ids.insert(name.name, FieldId(machine.fields.len() as u32));
            machine.fields.push((name, ty));
        }
    }

    /// Test parameters cannot be hidden by variables.
    pub(super) fn check_hides_no_parameter(&mut self, name: Ident) {
        let Some(parameter) = self.globals.parameters.get(&name.name) else { return };
        let declared = self.checked.parameters[parameter.index()].name.span;
        let message = format!("variable `{}` hides the test parameter of that name", self.text(name.name));
        let diagnostic = Diagnostic::new(Code::DuplicateDeclaration, name.span, message);
        self.report(diagnostic.label(declared, "the test parameter"));
    }

    fn resolve_function(&mut self, id: FunctionId) {
        let function = &self.tree[id];
        let mut locals: Vec<LocalInfo> = Vec::with_capacity(function.parameters.len());
        let mut seen: NameMap<Span> = NameMap::default();
        for Parameter { name, ty } in &function.parameters {
            let known = seen.insert(name.name, name.span);
            self.is_free("parameter", *name, known);
            self.check_hides_no_parameter(*name);
            locals.push(LocalInfo { name: *name, ty: self.resolve_type(*ty) });
        }
        let result = match &function.named_result {
            Some(named) => self.resolve_type(named.ty),
            None => self.resolve_optional_type(function.result),
        };
        let info = &mut self.checked.functions[id.0 as usize];
        info.parameters = locals.len() as u32;
        info.locals = locals;
        info.result = result;
        info.is_foreign = function.body.is_none();
    }

    fn resolve_optional_type(&mut self, ty: Option<TypeExprId>) -> TypeId {
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
    fn resolve_aliases(&mut self) {
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

impl<'a> Checker<'a> {
    pub(super) fn machine_declaration(&self, id: MachineId) -> &'a MachineDeclaration {
        match &self.tree.declarations[self.checked.machines[id.index()].declaration] {
            Declaration::Machine(machine) => machine,
            _ => unreachable!("a machine's declaration is a machine"),
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
