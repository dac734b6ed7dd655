//! States and handlers: one reaction per event, one start state, functions that fit.

use super::checked::ir_function;
use super::declarations::kind_name;
use super::{Checker, StateInfo};
use crate::ids::{EventId, MachineId, StateId};
use crate::ir;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{
    FunctionId, Handler, Ident, MachineDeclaration, MachineKind, StateDeclaration, StateItem, Temperature,
};
use crate::types::{Type, TypeId};
use rapidhash::RapidHashMap;

/// Where a state first reacts to each event.
type Reactions = RapidHashMap<EventId, Span>;

impl Checker<'_> {
    pub(super) fn check_machines(&mut self) {
        for id in (0..self.checked.machines.len()).map(|id| MachineId(id as u32)) {
            let declaration = self.machine_declaration(id);
            for state in &declaration.states {
                let info = self.check_state(id, declaration, state);
                self.checked.machines[id.index()].states.push(info);
            }
            self.check_start_state(id, declaration);
            self.check_scenario(declaration);
        }
        // Payloads are compared when the entry functions of all states are known.
        for id in (0..self.checked.machines.len()).map(|id| MachineId(id as u32)) {
            self.check_payloads(id);
        }
    }

    fn check_start_state(&mut self, id: MachineId, declaration: &MachineDeclaration) {
        let mut starts =
            declaration.states.iter().enumerate().filter_map(|(at, state)| Some((at, state.start?)));
        let name = self.text(declaration.name.name).to_owned();
        let Some((first, first_span)) = starts.next() else {
            if Self::is_missing(declaration.name) {
                return;
            }
            let message = format!("`{name}` has no start state");
            let mut diagnostic = Diagnostic::new(Code::MissingStartState, declaration.name.span, message);
            if let Some(state) = declaration.states.first() {
                let text = self.text(state.name.name);
                diagnostic = diagnostic.hint(format!("write `start state {text}`"));
            }
            return self.report(diagnostic);
        };
        for (_, span) in starts {
            let message = format!("`{name}` has a second start state");
            let diagnostic = Diagnostic::new(Code::DuplicateStartState, span, message);
            self.diagnostics.report(diagnostic.label(first_span, "the first one"));
        }
        let machine = &mut self.checked.machines[id.index()];
        machine.start = Some(StateId(first as u32));
        if let Some(entry) = machine.states[first].entry {
            let function = &self.checked.functions[entry.0 as usize];
            machine.payload =
                function.locals.first().filter(|_| function.parameters > 0).map_or(TypeId::NULL, |p| p.ty);
        }
        if let Some(interface) = machine.interface {
            self.checked.interfaces[interface.index()].payload = machine.payload;
        }
    }

    fn check_scenario(&mut self, declaration: &MachineDeclaration) {
        if declaration.kind != MachineKind::Scenario {
            return;
        }
        let name = self.text(declaration.name.name).to_owned();
        if !declaration.states.iter().any(|state| state.temperature == Temperature::Cold) {
            let message = format!("scenario `{name}` has no cold state, so it can never be satisfied");
            let diagnostic = Diagnostic::new(Code::ScenarioNeverSatisfied, declaration.name.span, message);
            self.report(diagnostic.hint("mark the state that means \"it happened\" as `cold`"));
        }
        let is_cold_start =
            |state: &&StateDeclaration| state.start.is_some() && state.temperature == Temperature::Cold;
        if let Some(start) = declaration.states.iter().find(is_cold_start) {
            let message = format!("scenario `{name}` begins in a cold state, before anything was observed");
            self.report(Diagnostic::new(Code::ScenarioTriviallySatisfied, start.name.span, message));
        }
    }

    fn check_state(
        &mut self,
        id: MachineId,
        machine: &MachineDeclaration,
        state: &StateDeclaration,
    ) -> StateInfo {
        let mut info = StateInfo {
            name: state.name,
            temperature: state.temperature,
            entry: None,
            exit: None,
            handlers: Vec::new(),
        };
        let mut entry_span = None;
        let mut exit_span = None;
        let mut seen = Reactions::default();
        for item in &state.items {
            match item {
                StateItem::Entry { handler, span } => {
                    self.check_only_one("entry", *span, &mut entry_span);
                    info.entry = self.resolve_handler(id, *handler, 1).or(info.entry);
                }
                StateItem::Exit { handler, span } => {
                    self.check_only_one("exit", *span, &mut exit_span);
                    info.exit = self.resolve_handler(id, *handler, 0).or(info.exit);
                }
                StateItem::Defer(events) => {
                    if machine.kind != MachineKind::Machine {
                        let why = "a spec must react to an event when it happens";
                        self.not_allowed_in_monitor(events[0].span, machine, "defer events", why);
                    }
                    self.add_reactions(&mut info, &mut seen, events, ir::Handler::Defer);
                }
                StateItem::Ignore(events) => {
                    self.add_reactions(&mut info, &mut seen, events, ir::Handler::Ignore);
                }
                StateItem::Do { events, handler } => {
                    let function = self.resolve_handler(id, *handler, 1);
                    self.check_no_null(machine, events);
                    let reaction = function
                        .map_or(ir::Handler::Ignore, |function| ir::Handler::Do(ir_function(function)));
                    self.add_reactions(&mut info, &mut seen, events, reaction);
                }
                StateItem::Goto { events, target, with } => {
                    let with = with.and_then(|with| self.resolve_handler(id, with, 1)).map(ir_function);
                    self.check_no_null(machine, events);
                    let reaction = match self.resolve_state(id, *target) {
                        Some(target) => ir::Handler::Goto { target, with },
                        None => ir::Handler::Ignore,
                    };
                    self.add_reactions(&mut info, &mut seen, events, reaction);
                }
            }
        }
        info
    }

    fn check_only_one(&mut self, kind: &str, span: Span, first: &mut Option<Span>) {
        match *first {
            Some(first) => {
                let message = format!("a state has at most one {kind} function");
                let diagnostic = Diagnostic::new(Code::DuplicateHandler, span, message);
                self.report(diagnostic.label(first, "the first one"));
            }
            None => *first = Some(span),
        }
    }

    fn check_no_null(&mut self, machine: &MachineDeclaration, events: &[Ident]) {
        if machine.kind == MachineKind::Machine {
            return;
        }
        if let Some(null) = events.iter().find(|event| event.name == crate::names::Name::NULL) {
            let why = "a spec has no queue that could be empty";
            self.not_allowed_in_monitor(null.span, machine, "react to `null`", why);
        }
    }

    pub(super) fn not_allowed_in_monitor(
        &mut self,
        span: Span,
        monitor: &MachineDeclaration,
        what: &str,
        why: &str,
    ) {
        let message = format!("{} cannot {what}", self.name_monitor(monitor.kind, monitor.name));
        self.report(Diagnostic::new(Code::NotAllowedInSpec, span, message).note(why));
    }

    /// A spec or scenario as messages name it.
    pub(super) fn name_monitor(&self, kind: MachineKind, name: Ident) -> String {
        let kind = kind_name(kind);
        if Self::is_missing(name) {
            return format!("this {kind}");
        }
        format!("{kind} `{}`", self.text(name.name))
    }

    fn add_reactions(
        &mut self,
        state: &mut StateInfo,
        seen: &mut Reactions,
        events: &[Ident],
        reaction: ir::Handler,
    ) {
        for name in events {
            let Some(event) = self.resolve_event(*name) else { continue };
            match seen.get(&event) {
                Some(first) => {
                    let message = format!(
                        "state `{}` reacts to `{}` in two ways",
                        self.text(state.name.name),
                        self.text(name.name)
                    );
                    let diagnostic = Diagnostic::new(Code::DuplicateHandler, name.span, message);
                    let diagnostic = diagnostic.label(*first, "the first one");
                    self.report(diagnostic);
                }
                None => {
                    seen.insert(event, name.span);
                    state.handlers.push((event, reaction, name.span));
                }
            }
        }
    }

    pub(super) fn resolve_state(&mut self, machine: MachineId, name: Ident) -> Option<StateId> {
        if Self::is_missing(name) {
            return None;
        }
        let info = &self.checked.machines[machine.index()];
        if let Some(state) = info.state_ids.get(&name.name) {
            return Some(*state);
        }
        let message = format!("`{}` has no state `{}`", self.text(info.name.name), self.text(name.name));
        let diagnostic = Diagnostic::new(Code::UnknownState, name.span, message);
        let diagnostic = self.suggest(diagnostic, name.name, info.state_ids.keys().copied());
        self.report(diagnostic);
        None
    }

    /// The function of a handler, which must belong to the machine and take at most `parameters`.
    fn resolve_handler(
        &mut self,
        machine: MachineId,
        handler: Handler,
        parameters: u32,
    ) -> Option<FunctionId> {
        let (function, span) = match handler {
            Handler::Inline(function) => (function, self.tree[function].span),
            Handler::Named(name) => (self.resolve_handler_name(machine, name)?, name.span),
        };
        self.uses.functions.insert(function);
        let info = &self.checked.functions[function.0 as usize];
        if info.parameters > parameters {
            let limit = if parameters == 0 { "no parameter" } else { "at most one parameter" };
            let kind = if parameters == 0 { "an exit function" } else { "a handler" };
            let message = format!("{kind} takes {limit}, and this one has {}", info.parameters);
            let mut diagnostic = Diagnostic::new(Code::HandlerParameters, span, message);
            if parameters > 0 {
                diagnostic = diagnostic.hint("a payload of several parts is one tuple");
            }
            if let (Handler::Named(_), Some(name)) = (handler, self.tree[function].name) {
                diagnostic = diagnostic.label(name.span, "declared here");
            }
            self.report(diagnostic);
            return None;
        }
        Some(function)
    }

    fn resolve_handler_name(&mut self, machine: MachineId, name: Ident) -> Option<FunctionId> {
        if Self::is_missing(name) {
            return None;
        }
        let own = self.checked.machines[machine.index()].functions.get(&name.name).copied();
        let Some(function) = own.or_else(|| self.globals.functions.get(&name.name).copied()) else {
            self.unknown_function(Some(machine), name);
            return None;
        };
        if own.is_none() || self.tree[function].body.is_none() {
            let kind = if own.is_none() { "global" } else { "foreign" };
            let message = format!("`{}` is a {kind} function and cannot be a handler", self.text(name.name));
            let mut diagnostic = Diagnostic::new(Code::GlobalHandler, name.span, message);
            if let Some(declared) = self.tree[function].name {
                diagnostic = diagnostic.label(declared.span, "declared here");
            }
            let text = self.text(name.name);
            let diagnostic = diagnostic.hint(format!("call it from a handler: `{{ {text}(..); }}`"));
            self.report(diagnostic);
            return None;
        }
        Some(function)
    }

    pub(super) fn unknown_function(&mut self, machine: Option<MachineId>, name: Ident) {
        let message = format!("there is no function `{}`", self.text(name.name));
        let diagnostic = Diagnostic::new(Code::UnknownFunction, name.span, message);
        let own = machine.map(|machine| self.checked.machines[machine.index()].functions.keys().copied());
        let candidates = own.into_iter().flatten().chain(self.globals.functions.keys().copied());
        let diagnostic = self.suggest(diagnostic, name.name, candidates);
        self.report(diagnostic);
    }

    /// Every function that an event leads to can take the event's payload.
    fn check_payloads(&mut self, id: MachineId) {
        let machine = &self.checked.machines[id.index()];
        let mut pairs: Vec<(EventId, FunctionId, Span, bool)> = Vec::new();
        for state in &machine.states {
            for (event, handler, span) in &state.handlers {
                match handler {
                    ir::Handler::Do(function) => pairs.push((*event, FunctionId(function.0), *span, false)),
                    ir::Handler::Goto { target, with } => {
                        let entry = machine.states[target.index()].entry;
                        pairs.extend(with.map(|with| (*event, FunctionId(with.0), *span, false)));
                        pairs.extend(entry.map(|entry| (*event, entry, *span, true)));
                    }
                    ir::Handler::Defer | ir::Handler::Ignore => {}
                }
            }
        }
        for (event, function, span, is_entry) in pairs {
            self.check_payload(event, function, span, is_entry);
        }
    }

    /// A handler may expect a payload of an event that carries none, and gets null; the entry of a state may not.
    fn check_payload(&mut self, event: EventId, function: FunctionId, span: Span, is_entry: bool) {
        let info = &self.checked.functions[function.0 as usize];
        let Some(parameter) = info.locals.first().filter(|_| info.parameters > 0).copied() else { return };
        let payload = self.checked.events[event.index()].payload;
        let types = &self.checked.types;
        let unpacks = matches!(types.get(payload), Type::Tuple(items)
            if items.len() == 1 && types.is_assignable(parameter.ty, items[0]));
        if types.is_assignable(parameter.ty, payload) || unpacks {
            return;
        }
        let name = self.event_name(event).to_owned();
        let wants = self.show(parameter.ty);
        let carries =
            if payload == TypeId::NULL { "no payload".into() } else { format!("`{}`", self.show(payload)) };
        let target = if is_entry { "the entry of the target state" } else { "its handler" };
        let message = format!("`{name}` carries {carries}, but {target} expects `{wants}`");
        let is_allowed = payload == TypeId::NULL && !is_entry;
        let code = if is_allowed { Code::MissingPayload } else { Code::MismatchedTypes };
        let diagnostic = Diagnostic::new(code, span, message);
        self.report(diagnostic.label(parameter.name.span, "the parameter"));
    }
}
