//! The first pass: every declaration gets an id and a place in its namespace.
//!
//! Namespaces are P's own: events and enum elements share one; so do types, enums, interfaces and machines; functions,
//! modules, and the verifier's declarations have one each; tests and implementations share one.

use super::globals::{Alias, AliasState, InvariantId, NamedEventSet, Pure};
use super::{Checker, EnumInfo, EventInfo, InterfaceInfo, MachineInfo, ParameterInfo};
use crate::ids::{EnumId, EventId, EventSet, InterfaceId, MachineId, ParameterId, StateId};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{
    Declaration, EnumDeclaration, FunctionId, Ident, MachineDeclaration, MachineKind, StateDeclaration,
};
use crate::types::TypeId;
use rapidhash::RapidHashMap;

impl Checker<'_> {
    pub(super) fn declare(&mut self) {
        for name in [Name::NULL, Name::HALT] {
            self.declare_event(Ident { name, span: Span::default() });
        }
        for (at, declaration) in self.tree.declarations.iter().enumerate() {
            self.declare_one(at, declaration);
        }
        self.globals.all_events = EventSet::all(self.checked.events.len());
    }

    fn declare_one(&mut self, at: usize, declaration: &Declaration) {
        match declaration {
            Declaration::Type(alias) => self.declare_alias(alias.name, at),
            Declaration::Enum(declaration) => self.declare_enum(declaration),
            Declaration::Event(event) => self.declare_event(event.name),
            Declaration::EventSet(set) => self.declare_event_set(set.name),
            Declaration::Interface(interface) => {
                if self.is_free_type_name("interface", interface.name) {
                    self.add_interface(interface.name, None);
                }
            }
            Declaration::Machine(machine) => self.declare_machine(at, machine),
            Declaration::Function(function) => self.declare_function(*function),
            Declaration::Parameters(variables) => {
                variables.names.iter().for_each(|name| self.declare_parameter(*name));
            }
            Declaration::Module(module) => {
                let known = self.globals.modules.get(&module.name.name).map(|(name, _)| name.span);
                if self.is_free("module", module.name, known) {
                    self.globals.modules.insert(module.name.name, (module.name, at));
                }
            }
            Declaration::Test(test) => self.declare_test("test", test.name),
            Declaration::Implementation(implementation) => {
                self.declare_test("implementation", implementation.name);
            }
            Declaration::Pure(pure) => {
                let known = self.globals.pures.get(&pure.name.name).map(|pure| pure.span);
                if self.is_free("function", pure.name, known) {
                    let entry = Pure {
                        span: pure.name.span,
                        declaration: at,
                        parameters: Vec::new(),
                        result: TypeId::ERROR,
                    };
                    self.globals.pures.insert(pure.name.name, entry);
                }
            }
            Declaration::Invariant(invariant) => {
                let name = self.text(invariant.name.name).to_owned();
                self.declare_invariant(name, invariant.name);
            }
            Declaration::InvariantGroup(group) => {
                let group_name = self.text(group.name.name);
                let full = |name| format!("{group_name}_{}", self.text(name));
                let named: Vec<_> = group
                    .invariants
                    .iter()
                    .map(|invariant| (full(invariant.name.name), invariant.name))
                    .collect();
                let members =
                    named.into_iter().filter_map(|(full, name)| self.declare_invariant(full, name)).collect();
                let known = self.globals.invariant_groups.get(&group.name.name).map(|(span, _)| *span);
                if self.is_free("lemma or theorem", group.name, known) {
                    self.globals.invariant_groups.insert(group.name.name, (group.name.span, members));
                }
            }
            Declaration::Proof(proof) => {
                if let Some(name) = proof.name {
                    let known = self.globals.proofs.get(&name.name).copied();
                    if self.is_free("proof", name, known) {
                        self.globals.proofs.insert(name.name, name.span);
                    }
                }
            }
            Declaration::Axiom(..) | Declaration::InitCondition(..) => {}
        }
    }

    /// Reports a second declaration of a name; `known` is where the first one is.
    pub(super) fn is_free(&mut self, kind: &str, name: Ident, known: Option<Span>) -> bool {
        self.is_free_among(kind, name, known.map(|span| (kind, span)))
    }

    /// As [`Checker::is_free`], where the first declaration may be of another kind.
    fn is_free_among(&mut self, kind: &str, name: Ident, known: Option<(&str, Span)>) -> bool {
        if Self::is_missing(name) {
            return false;
        }
        let Some((first_kind, first)) = known else { return true };
        let text = self.text(name.name);
        let (message, label) = if first_kind == kind {
            (format!("{kind} `{text}` is declared twice"), "first declared here".to_owned())
        } else {
            (format!("`{text}` is a name already"), format!("declared here, as {}", with_article(first_kind)))
        };
        let diagnostic = Diagnostic::new(Code::DuplicateDeclaration, name.span, message);
        self.report(diagnostic.label(first, label));
        false
    }

    /// Types, enums, interfaces and machines share one namespace.
    fn is_free_type_name(&mut self, kind: &str, name: Ident) -> bool {
        let (globals, checked) = (&self.globals, &self.checked);
        let known = (globals.aliases.get(&name.name).map(|alias| ("type", alias.span)))
            .or_else(|| globals.enums.get(&name.name).map(|id| ("enum", checked.enums[id.index()].name.span)))
            .or_else(|| {
                let machine = &checked.machines[globals.machines.get(&name.name)?.index()];
                Some((kind_name(machine.kind), machine.name.span))
            })
            .or_else(|| {
                let id = globals.interfaces.get(&name.name)?;
                Some(("interface", checked.interfaces[id.index()].name.span))
            });
        self.is_free_among(kind, name, known)
    }

    /// Events and enum elements share one namespace.
    fn is_free_constant_name(&mut self, kind: &str, name: Ident) -> bool {
        let event = self.checked.event_ids.get(&name.name);
        let known = (event.map(|id| ("event", self.checked.events[id.index()].name.span))).or_else(|| {
            self.globals.enum_elements.get(&name.name).map(|(_, _, span)| ("enum element", *span))
        });
        self.is_free_among(kind, name, known)
    }

    fn declare_alias(&mut self, name: Ident, declaration: usize) {
        if self.is_free_type_name("type", name) {
            let alias = Alias { span: name.span, declaration, state: AliasState::Unresolved };
            self.globals.aliases.insert(name.name, alias);
        }
    }

    fn declare_enum(&mut self, declaration: &EnumDeclaration) {
        let id = EnumId(self.checked.enums.len() as u32);
        let is_free = self.is_free_type_name("enum", declaration.name);
        let mut elements: Vec<(Ident, i64)> = Vec::new();
        let mut numbers: RapidHashMap<i64, Ident> = RapidHashMap::default();
        let is_numbered = declaration.elements.iter().all(|element| element.value.is_some());
        for (position, element) in declaration.elements.iter().enumerate() {
            let value = element.value.map_or(position as i64, i64::from);
            if is_numbered {
                self.warn_duplicate_value(&mut numbers, element.name, value);
            }
            if self.is_free_constant_name("enum element", element.name) {
                self.globals.enum_elements.insert(element.name.name, (id, value, element.name.span));
                elements.push((element.name, value));
            }
        }
        if is_free {
            self.globals.enums.insert(declaration.name.name, id);
        }
        self.checked.enums.push(EnumInfo { name: declaration.name, elements });
    }

    fn warn_duplicate_value(&mut self, numbers: &mut RapidHashMap<i64, Ident>, name: Ident, value: i64) {
        let first = *numbers.entry(value).or_insert(name);
        if first.span != name.span {
            let message = format!(
                "`{}` and `{}` are the same number, {value}, and so equal",
                self.text(name.name),
                self.text(first.name)
            );
            let diagnostic = Diagnostic::new(Code::DuplicateEnumValue, name.span, message);
            self.report(diagnostic.label(first.span, "the other element"));
        }
    }

    fn declare_event(&mut self, name: Ident) {
        if name.span == Span::default() || self.is_free_constant_name("event", name) {
            self.checked.event_ids.insert(name.name, EventId(self.checked.events.len() as u32));
            self.checked.events.push(EventInfo { name, payload: TypeId::NULL });
        }
    }

    fn declare_event_set(&mut self, name: Ident) {
        let globals = &self.globals;
        let known = (globals.event_sets.get(&name.name).map(|set| ("event set", set.span))).or_else(|| {
            let id = globals.interfaces.get(&name.name)?;
            Some(("interface", self.checked.interfaces[id.index()].name.span))
        });
        if self.is_free_among("event set", name, known) {
            let set = NamedEventSet { span: name.span, events: EventSet::default() };
            self.globals.event_sets.insert(name.name, set);
        }
    }

    fn add_interface(&mut self, name: Ident, machine: Option<MachineId>) -> InterfaceId {
        let id = InterfaceId(self.checked.interfaces.len() as u32);
        self.globals.interfaces.insert(name.name, id);
        self.checked.interfaces.push(InterfaceInfo {
            name,
            payload: TypeId::NULL,
            receives: EventSet::default(),
            machine,
            ty: TypeId::ERROR,
        });
        id
    }

    fn declare_machine(&mut self, at: usize, machine: &MachineDeclaration) {
        let id = MachineId(self.checked.machines.len() as u32);
        let is_free = self.is_free_type_name(kind_name(machine.kind), machine.name);
        let interface = (is_free && machine.kind == MachineKind::Machine)
            .then(|| self.add_interface(machine.name, Some(id)));
        if is_free {
            self.globals.machines.insert(machine.name.name, id);
        }
        let (functions, state_ids) = self.declare_members(id, machine);
        self.checked.machines.push(MachineInfo {
            name: machine.name,
            kind: machine.kind,
            declaration: at,
            interface,
            fields: Vec::new(),
            field_ids: RapidHashMap::default(),
            functions,
            states: Vec::new(),
            state_ids,
            start: None,
            receives: EventSet::default(),
            sends: EventSet::default(),
            observes: EventSet::default(),
            payload: TypeId::NULL,
            creates: Vec::new(),
        });
    }

    /// The functions and states of a machine; they share a namespace only as far as P checks it: a function must not
    /// follow a state of its name.
    fn declare_members(
        &mut self,
        id: MachineId,
        machine: &MachineDeclaration,
    ) -> (RapidHashMap<Name, FunctionId>, RapidHashMap<Name, StateId>) {
        let mut states: RapidHashMap<Name, StateId> = RapidHashMap::default();
        for (position, state) in machine.states.iter().enumerate() {
            let known = states.get(&state.name.name).map(|first| machine.states[first.index()].name.span);
            if self.is_free("state", state.name, known) {
                states.insert(state.name.name, StateId(position as u32));
            }
        }
        let mut functions = RapidHashMap::default();
        for function in &machine.functions {
            self.checked.functions[function.0 as usize].owner = Some(id);
            let Some(name) = self.tree[*function].name else { continue };
            let state_before = |id: &StateId| {
                Some(("state", machine.states[id.index()].name.span)).filter(|(_, span)| *span < name.span)
            };
            let known = (functions.get(&name.name))
                .and_then(|first: &FunctionId| self.tree[*first].name.map(|name| ("function", name.span)))
                .or_else(|| states.get(&name.name).and_then(state_before));
            if self.is_free_among("function", name, known) {
                functions.insert(name.name, *function);
            }
        }
        self.own_handlers(id, machine);
        (functions, states)
    }

    fn own_handlers(&mut self, id: MachineId, machine: &MachineDeclaration) {
        for function in machine.states.iter().flat_map(StateDeclaration::inline_handlers) {
            self.checked.functions[function.0 as usize].owner = Some(id);
        }
    }

    fn declare_function(&mut self, function: FunctionId) {
        let Some(name) = self.tree[function].name else { return };
        let known = self.globals.functions.get(&name.name).and_then(|first| self.tree[*first].name);
        if self.is_free("function", name, known.map(|name| name.span)) {
            self.globals.functions.insert(name.name, function);
        }
    }

    fn declare_parameter(&mut self, name: Ident) {
        let known = self.globals.parameters.get(&name.name);
        let known = known.map(|id| self.checked.parameters[id.index()].name.span);
        if self.is_free("test parameter", name, known) {
            self.globals.parameters.insert(name.name, ParameterId(self.checked.parameters.len() as u32));
            self.checked.parameters.push(ParameterInfo { name, ty: TypeId::ERROR });
        }
    }

    fn declare_test(&mut self, kind: &'static str, name: Ident) {
        // Tests of included projects are not run, so their names may come again.
        if self.sources.file_of(name.span).is_some_and(|file| file.included) {
            return;
        }
        let known = self.globals.tests.get(&name.name).copied();
        if self.is_free_among(kind, name, known) {
            self.globals.tests.insert(name.name, (kind, name.span));
        }
    }

    fn declare_invariant(&mut self, full: String, name: Ident) -> Option<InvariantId> {
        let known = self.globals.invariants.get(&full).map(|id| self.globals.invariant_spans[id.0 as usize]);
        if !self.is_free("invariant", name, known) {
            return None;
        }
        let id = InvariantId(self.globals.invariant_spans.len() as u32);
        self.globals.invariant_spans.push(name.span);
        self.globals.invariants.insert(full, id);
        Some(id)
    }
}

/// A machine's kind as messages name it.
pub(super) fn kind_name(kind: MachineKind) -> &'static str {
    match kind {
        MachineKind::Machine => "machine",
        MachineKind::Spec => "spec",
        MachineKind::Scenario => "scenario",
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
