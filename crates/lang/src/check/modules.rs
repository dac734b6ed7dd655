//! The module algebra: what a module implements, creates, sends and receives, and which specs watch it.

use super::Checker;
use crate::ids::{EventId, EventSet, InterfaceId, MachineId};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{Binding, Declaration, Ident, ModuleExprId, ModuleExprKind};
use crate::types::{Type, TypeId};
use rapidhash::{RapidHashMap, RapidHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a module expression means.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    /// Which machine implements each interface.
    pub(super) bindings: BTreeMap<InterfaceId, MachineId>,
    /// By creator and requested interface: what is created.
    pub(super) links: BTreeMap<(InterfaceId, InterfaceId), InterfaceId>,
    pub(super) creates: BTreeSet<InterfaceId>,
    pub(super) sends: EventSet,
    pub(super) receives: EventSet,
    pub(super) private_events: EventSet,
    /// Specs with the interfaces they watch, in the order attached.
    pub(super) monitors: Vec<(MachineId, Vec<InterfaceId>)>,
    /// From `main M in ..`.
    pub(super) main: Option<Ident>,
}

impl Module {
    /// Interfaces that are created or implemented, but not both.
    pub(super) fn open_interfaces(&self) -> impl Iterator<Item = InterfaceId> + '_ {
        let unbound = self.creates.iter().filter(|interface| !self.bindings.contains_key(interface));
        let uncreated = self.bindings.keys().filter(|interface| !self.creates.contains(interface));
        unbound.chain(uncreated).copied()
    }

    /// Whether there may be a reason against putting the modules together.
    pub(super) fn may_conflict(&self, other: &Self, is_compose: bool) -> bool {
        let shares_spec = || {
            let mut specs = other.monitors.iter().map(|(spec, _)| spec);
            specs.any(|spec| self.monitors.iter().any(|(known, _)| known == spec))
        };
        !self.private_events.is_empty()
            || !other.private_events.is_empty()
            || other.bindings.keys().any(|interface| self.bindings.contains_key(interface))
            || shares_spec()
            || (is_compose && self.sends.first_inside(&other.sends).is_some())
            || (is_compose && other.creates.iter().any(|interface| self.creates.contains(interface)))
    }

    fn knows(&self, interface: InterfaceId) -> bool {
        self.creates.contains(&interface) || self.bindings.contains_key(&interface)
    }
}

/// The named modules, as far as they were looked at.
pub(super) type Modules = RapidHashMap<Name, Evaluation>;

#[derive(Debug)]
pub(super) enum Evaluation {
    /// Waits for the modules it is made of: meeting it again is a cycle.
    Open,
    /// `None` when something in it was reported.
    Done(Option<Rc<Module>>),
}

impl Checker<'_> {
    /// The meaning of a module expression; `None` when something in it was reported.
    pub(super) fn module(&mut self, modules: &Modules, id: ModuleExprId) -> Option<Rc<Module>> {
        let tree = self.tree;
        let span = tree[id].span;
        match &tree[id].kind {
            ModuleExprKind::Named(name) => return self.named_module(modules, Ident { name: *name, span }),
            ModuleExprKind::Bind(bindings) => self.bind(bindings),
            ModuleExprKind::Union(parts) => self.compose(modules, parts, false),
            ModuleExprKind::Compose(parts) => self.compose(modules, parts, true),
            ModuleExprKind::HideEvents { events, module } => {
                let inner = self.module(modules, *module)?;
                self.hide_events(&inner, events)
            }
            ModuleExprKind::HideInterfaces { interfaces, module } => {
                let inner = self.module(modules, *module)?;
                self.hide_interfaces(&inner, interfaces)
            }
            ModuleExprKind::Assert { specs, module } => {
                let inner = self.module(modules, *module)?;
                self.assert_specs(&inner, specs)
            }
            ModuleExprKind::Rename { old, new, module } => {
                let inner = self.module(modules, *module)?;
                self.rename(&inner, *old, *new)
            }
            ModuleExprKind::Main { machine, module } => {
                let mut inner = Module::clone(&*self.module(modules, *module)?);
                inner.main = Some(*machine);
                Some(inner)
            }
            ModuleExprKind::Error => None,
        }
        .map(Rc::new)
    }

    fn named_module(&mut self, modules: &Modules, name: Ident) -> Option<Rc<Module>> {
        if Self::is_missing(name) {
            return None;
        }
        if let Some(Evaluation::Done(module)) = modules.get(&name.name) {
            return module.clone();
        }
        let text = self.text(name.name).to_owned();
        let Some((declared, _)) = self.globals.modules.get(&name.name).copied() else {
            let message = format!("there is no module `{text}`");
            let diagnostic = Diagnostic::new(Code::UnknownModule, name.span, message);
            let diagnostic = match self.globals.machines.contains_key(&name.name) {
                true => diagnostic.hint(format!("a machine becomes a module in braces: `{{ {text} }}`")),
                false => self.suggest(diagnostic, name.name, self.globals.modules.keys().copied()),
            };
            self.report(diagnostic);
            return None;
        };
        let message = format!("module `{text}` is defined through itself");
        let diagnostic = Diagnostic::new(Code::CircularModule, name.span, message);
        self.report(diagnostic.label(declared.span, "declared here"));
        None
    }

    /// Evaluates all named modules, each after those it is made of: a chain of them can be of any length.
    pub(super) fn evaluate_modules(&mut self) -> Modules {
        let tree = self.tree;
        let mut modules = Modules::default();
        for declaration in &tree.declarations {
            if let Declaration::Module(module) = declaration {
                self.evaluate_pending_modules(&mut modules, vec![module.name.name]);
            }
        }
        modules
    }

    /// Evaluates the modules in `work`, the last first. One that is met again is evaluated when those it is made of are.
    fn evaluate_pending_modules(&mut self, modules: &mut Modules, mut work: Vec<Name>) {
        while let Some(name) = work.last().copied() {
            let Some((_, at)) = self.globals.modules.get(&name).copied() else {
                work.pop();
                continue;
            };
            let Declaration::Module(declaration) = &self.tree.declarations[at] else {
                unreachable!("a module is declared by a module declaration")
            };
            match modules.get(&name) {
                None => {
                    modules.insert(name, Evaluation::Open);
                    self.push_unseen_modules(modules, declaration.module, &mut work);
                }
                Some(Evaluation::Open) => {
                    let module = self.module(modules, declaration.module);
                    modules.insert(name, Evaluation::Done(module));
                    work.pop();
                }
                Some(Evaluation::Done(_)) => _ = work.pop(),
            }
        }
    }

    /// The modules in an expression that nobody looked at yet.
    fn push_unseen_modules(&self, modules: &Modules, id: ModuleExprId, work: &mut Vec<Name>) {
        match &self.tree[id].kind {
            ModuleExprKind::Named(name) => work.extend((!modules.contains_key(name)).then_some(*name)),
            ModuleExprKind::Union(parts) | ModuleExprKind::Compose(parts) => {
                parts.iter().for_each(|part| self.push_unseen_modules(modules, *part, work));
            }
            ModuleExprKind::HideEvents { module, .. }
            | ModuleExprKind::HideInterfaces { module, .. }
            | ModuleExprKind::Assert { module, .. }
            | ModuleExprKind::Rename { module, .. }
            | ModuleExprKind::Main { module, .. } => self.push_unseen_modules(modules, *module, work),
            ModuleExprKind::Bind(_) | ModuleExprKind::Error => {}
        }
    }

    fn bind(&mut self, bindings: &[Binding]) -> Option<Module> {
        let mut module = Module::default();
        let mut places: BTreeMap<InterfaceId, Span> = BTreeMap::new();
        let mut complete = true;
        for Binding { machine, interface } in bindings {
            let name = interface.unwrap_or(*machine);
            let interface = self.resolve_interface(name);
            let machine = if name.span == machine.span {
                interface.and_then(|_| self.find_machine(*machine))
            } else {
                self.resolve_machine(*machine)
            };
            let (Some(interface), Some(machine)) = (interface, machine) else {
                complete = false;
                continue;
            };
            if let Some(first) = places.insert(interface, name.span) {
                let message = format!("`{}` is bound twice in this module", self.text(name.name));
                let diagnostic = Diagnostic::new(Code::DuplicateBinding, name.span, message);
                self.report(diagnostic.label(first, "first here"));
                complete = false;
            }
            complete &= self.check_binding(interface, machine, name.span);
            self.add_binding(&mut module, interface, machine);
        }
        complete.then_some(module)
    }

    /// A module that implements every machine by itself: what P makes of a program without tests.
    pub(super) fn default_module(&self) -> Module {
        let mut module = Module::default();
        for (at, machine) in self.checked.machines.iter().enumerate() {
            if let Some(interface) = machine.interface {
                self.add_binding(&mut module, interface, MachineId(at as u32));
            }
        }
        module
    }

    fn add_binding(&self, module: &mut Module, interface: InterfaceId, machine: MachineId) {
        let info = &self.checked.machines[machine.index()];
        module.bindings.insert(interface, machine);
        module.sends.extend(&info.sends);
        module.receives.extend(&info.receives);
        for created in &info.creates {
            module.links.insert((interface, *created), *created);
            module.creates.insert(*created);
        }
    }

    fn find_machine(&self, name: Ident) -> Option<MachineId> {
        self.globals.machines.get(&name.name).copied()
    }

    fn resolve_machine(&mut self, name: Ident) -> Option<MachineId> {
        let machine = self.find_machine(name).filter(|id| !self.checked.machines[id.index()].is_monitor());
        if machine.is_none() && !Self::is_missing(name) {
            let message = format!("there is no machine `{}`", self.text(name.name));
            let diagnostic = Diagnostic::new(Code::UnknownMachine, name.span, message);
            let diagnostic = self.suggest(diagnostic, name.name, self.globals.machines.keys().copied());
            self.report(diagnostic);
        }
        machine
    }

    fn check_binding(&mut self, interface: InterfaceId, machine: MachineId, span: Span) -> bool {
        let (wanted, given) =
            (&self.checked.interfaces[interface.index()], &self.checked.machines[machine.index()]);
        let (interface_name, machine_name) = (self.text(wanted.name.name), self.text(given.name.name));
        let message = if let Some(event) = wanted.receives.first_outside(&given.receives) {
            let event = self.event_name(event);
            format!("interface `{interface_name}` receives `{event}`, and machine `{machine_name}` does not")
        } else if !self.checked.types.is_assignable(given.payload, wanted.payload) {
            format!(
                "interface `{interface_name}` is created with `{}`, and machine `{machine_name}` expects `{}`",
                self.show(wanted.payload),
                self.show(given.payload)
            )
        } else {
            return true;
        };
        let diagnostic = Diagnostic::new(Code::InvalidBinding, span, message);
        let diagnostic =
            diagnostic.label(wanted.name.span, "the interface").label(given.name.span, "the machine");
        self.report(diagnostic);
        false
    }

    fn assert_specs(&mut self, inner: &Module, specs: &[Ident]) -> Option<Module> {
        let mut module = inner.clone();
        let watched: Vec<InterfaceId> = inner.bindings.keys().copied().collect();
        let mut complete = true;
        for name in specs {
            let Some(spec) = self.resolve_spec(*name) else {
                complete = false;
                continue;
            };
            let text = self.text(name.name).to_owned();
            let info = &self.checked.machines[spec.index()];
            let declared = info.name.span;
            let message = if module.monitors.iter().any(|(known, _)| *known == spec) {
                format!("spec `{text}` is attached to this module twice")
            } else if let Some(event) = info.observes.first_outside(&inner.sends) {
                format!(
                    "spec `{text}` observes `{}`, which nothing in this module sends",
                    self.event_name(event)
                )
            } else {
                module.monitors.push((spec, watched.clone()));
                continue;
            };
            let diagnostic = Diagnostic::new(Code::InvalidAssert, name.span, message);
            self.report(diagnostic.label(declared, "declared here"));
            complete = false;
        }
        complete.then_some(module)
    }

    fn resolve_spec(&mut self, name: Ident) -> Option<MachineId> {
        if Self::is_missing(name) {
            return None;
        }
        let text = self.text(name.name).to_owned();
        let diagnostic = match self.find_machine(name) {
            Some(id) if self.checked.machines[id.index()].is_monitor() => return Some(id),
            Some(id) => {
                let declared = self.checked.machines[id.index()].name.span;
                let message = format!("`{text}` is a machine, and only specs can be asserted");
                Diagnostic::new(Code::UnknownSpec, name.span, message).label(declared, "declared here")
            }
            None => {
                let diagnostic =
                    Diagnostic::new(Code::UnknownSpec, name.span, format!("there is no spec `{text}`"));
                let specs = self.checked.machines.iter().filter(|machine| machine.is_monitor());
                self.suggest(diagnostic, name.name, specs.map(|machine| machine.name.name))
            }
        };
        self.report(diagnostic);
        None
    }

    fn rename(&mut self, inner: &Module, old: Ident, new: Ident) -> Option<Module> {
        let (old_id, new_id) = (self.resolve_interface(old)?, self.resolve_interface(new)?);
        let (old_text, new_text) = (self.text(old.name), self.text(new.name));
        let receives = |id: InterfaceId| &self.checked.interfaces[id.index()].receives;
        let (span, message) = if receives(old_id) != receives(new_id) {
            (new.span, format!("`{old_text}` and `{new_text}` must receive the same events"))
        } else if !inner.knows(old_id) {
            (old.span, format!("the module neither creates nor implements `{old_text}`"))
        } else if inner.knows(new_id) {
            (new.span, format!("the module already has `{new_text}`"))
        } else {
            return Some(renamed(inner, old_id, new_id));
        };
        self.report(Diagnostic::new(Code::InvalidRename, span, message));
        None
    }

    fn hide_interfaces(&mut self, inner: &Module, interfaces: &[Ident]) -> Option<Module> {
        let mut complete = true;
        for name in interfaces {
            let Some(id) = self.resolve_interface(*name) else {
                complete = false;
                continue;
            };
            if !(inner.creates.contains(&id) && inner.bindings.contains_key(&id)) {
                let text = self.text(name.name);
                let message =
                    format!("`{text}` can only be hidden in a module that creates and implements it");
                self.report(Diagnostic::new(Code::InvalidHide, name.span, message));
                complete = false;
            }
        }
        complete.then(|| inner.clone())
    }

    fn hide_events(&mut self, inner: &Module, names: &[Ident]) -> Option<Module> {
        let mut module = inner.clone();
        let mut complete = true;
        for name in names {
            let Some(event) = self.resolve_event(*name) else {
                complete = false;
                continue;
            };
            if let Some(reason) = self.reason_against_hiding(inner, event, names) {
                let message = format!("`{}` cannot be hidden: {reason}", self.text(name.name));
                self.report(Diagnostic::new(Code::InvalidHide, name.span, message));
                complete = false;
            }
            module.private_events.insert(event);
            module.sends.remove(event);
            module.receives.remove(event);
        }
        complete.then_some(module)
    }

    fn reason_against_hiding(&self, module: &Module, event: EventId, hidden: &[Ident]) -> Option<String> {
        if !module.sends.contains(event) || !module.receives.contains(event) {
            return Some("the module does not both send and receive it".into());
        }
        let receives = |id: &InterfaceId| self.checked.interfaces[id.index()].receives.contains(event);
        if let Some(open) = module.open_interfaces().find(receives) {
            let name = self.text(self.checked.interfaces[open.index()].name.name);
            return Some(format!("interface `{name}` receives it and is open to the outside"));
        }
        let is_hidden =
            |other: EventId| hidden.iter().any(|name| self.checked.event_ids.get(&name.name) == Some(&other));
        let leaks = |other: &EventId| {
            let payload = self.checked.events[other.index()].payload;
            !is_hidden(*other) && self.permissions_in(payload).contains(event)
        };
        let leak = module.sends.iter().chain(module.receives.iter()).find(leaks)?;
        Some(format!("the payload of `{}` lets others send it", self.event_name(leak)))
    }

    /// The events that references inside values of a type are known to allow.
    pub(super) fn permissions_in(&self, ty: TypeId) -> EventSet {
        let mut events = EventSet::default();
        let mut work = vec![ty];
        let mut seen = RapidHashSet::default();
        while let Some(ty) = work.pop() {
            let ty = self.checked.types.get(ty);
            if let Type::Permission(id) = ty {
                events.extend(&self.checked.types.permission(*id).events);
            }
            ty.for_each_part(|part| work.extend(seen.insert(part).then_some(part)));
        }
        events
    }
}

fn renamed(inner: &Module, old: InterfaceId, new: InterfaceId) -> Module {
    let rename = |id: InterfaceId| if id == old { new } else { id };
    let mut module = inner.clone();
    module.bindings = inner.bindings.iter().map(|(id, machine)| (rename(*id), *machine)).collect();
    let renamed_link = |((creator, requested), created): (&(InterfaceId, InterfaceId), &InterfaceId)| {
        ((rename(*creator), *requested), rename(*created))
    };
    module.links = inner.links.iter().map(renamed_link).collect();
    module.creates = module.links.values().copied().collect();
    for (_, watched) in &mut module.monitors {
        watched.iter_mut().for_each(|id| *id = rename(*id));
    }
    module
}
