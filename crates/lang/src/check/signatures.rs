//! The second pass: event sets, then the types of everything that is declared.
//!
//! Event sets come first because permission types are compared by their events.

use super::globals::NameMap;
use super::{Checker, LocalInfo};
use crate::ids::{EventId, EventSet, FieldId, InterfaceId, MachineId};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{
    Declaration, FunctionId, Ident, MachineDeclaration, MachineKind, Parameter, StateDeclaration,
};
use crate::types::{Origin, Permission, TypeId};

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
}

impl<'a> Checker<'a> {
    pub(super) fn machine_declaration(&self, id: MachineId) -> &'a MachineDeclaration {
        match &self.tree.declarations[self.checked.machines[id.index()].declaration] {
            Declaration::Machine(machine) => machine,
            _ => unreachable!("a machine's declaration is a machine"),
        }
    }
}
