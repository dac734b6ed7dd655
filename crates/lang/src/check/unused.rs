//! What nobody needs: warnings about events, variables, functions and states without use.

use super::scope::Scope;
use super::{Checker, Resolution};
use crate::ids::{EventId, EventSet, FieldId, MachineId, StateId};
use crate::ir;
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{FunctionId, MachineKind, StmtKind, Tree};
use rapidhash::RapidHashSet;

/// What the passes saw being used.
#[derive(Debug)]
pub(super) struct Uses {
    /// Events named anywhere.
    pub(super) events: EventSet,
    /// Events named in expressions, which may therefore be sent.
    pub(super) mentioned: EventSet,
    /// Events raised by name.
    pub(super) raised: EventSet,
    pub(super) functions: FunctionSet,
    /// Targets of `goto` statements.
    pub(super) gone_to: RapidHashSet<(MachineId, StateId)>,
    fields: RapidHashSet<(MachineId, FieldId)>,
    locals: RapidHashSet<(FunctionId, u32)>,
    /// Where something stands that only the verifier uses.
    pub(super) verifier: Vec<Span>,
}

#[derive(Debug)]
pub(super) struct FunctionSet(Vec<bool>);

impl FunctionSet {
    pub(super) fn insert(&mut self, function: FunctionId) {
        self.0[function.0 as usize] = true;
    }
}

impl Uses {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            events: EventSet::default(),
            mentioned: EventSet::default(),
            raised: EventSet::default(),
            functions: FunctionSet(vec![false; tree.functions.len()]),
            gone_to: RapidHashSet::default(),
            fields: RapidHashSet::default(),
            locals: RapidHashSet::default(),
            verifier: Vec::new(),
        }
    }

    pub(super) fn read(&mut self, scope: &Scope, variable: Resolution) {
        match variable {
            Resolution::Local(local) => {
                self.locals.extend(scope.function.map(|function| (function, local.0)));
            }
            Resolution::Field(field) => self.fields.extend(scope.owner.map(|owner| (owner, field))),
            _ => {}
        }
    }
}

impl Checker<'_> {
    pub(super) fn warn_unused(&mut self) {
        self.warn_events();
        self.warn_functions();
        for id in (0..self.checked.machines.len()).map(|id| MachineId(id as u32)) {
            self.warn_fields(id);
            self.warn_unreachable_states(id);
            self.warn_handlers(id);
        }
        self.note_verifier();
    }

    /// What a project does not use of another that it includes is nobody's mistake.
    fn warn(&mut self, diagnostic: Diagnostic) {
        if !self.is_included(diagnostic.span) {
            self.report(diagnostic);
        }
    }

    /// A name that begins with an underscore is meant to be unused.
    fn is_meant_unused(&self, name: Name) -> bool {
        self.text(name).starts_with('_')
    }

    fn warn_events(&mut self) {
        for index in 2..self.checked.events.len() {
            let name = self.checked.events[index].name;
            if !self.uses.events.contains(EventId(index as u32)) && !self.is_meant_unused(name.name) {
                let message = format!("event `{}` is never used", self.text(name.name));
                self.warn(Diagnostic::new(Code::UnusedEvent, name.span, message));
            }
        }
    }

    fn warn_functions(&mut self) {
        for id in 0..self.tree.functions.len() {
            let function = &self.tree.functions[id];
            if let Some(name) = function.name
                && !self.uses.functions.0[id]
                && function.body.is_some()
                && !self.is_meant_unused(name.name)
            {
                let message = format!("function `{}` is never called", self.text(name.name));
                self.warn(Diagnostic::new(Code::UnusedFunction, name.span, message));
            }
            self.warn_locals(FunctionId(id as u32));
        }
    }

    /// Parameters are part of an agreement with callers; only variables of the body count.
    fn warn_locals(&mut self, function: FunctionId) {
        let info = &self.checked.functions[function.0 as usize];
        if info.is_foreign {
            return;
        }
        let cases = self.receive_parameters(function);
        let is_unused = |(at, local): (usize, &super::LocalInfo)| {
            let is_read = self.uses.locals.contains(&(function, at as u32));
            let is_parameter = at < info.parameters as usize || cases.contains(&local.name.span);
            (!is_read && !is_parameter && !self.is_meant_unused(local.name.name)).then_some(local.name)
        };
        let unused: Vec<_> = info.locals.iter().enumerate().filter_map(is_unused).collect();
        for name in unused {
            let message = format!("variable `{}` is never read", self.text(name.name));
            self.warn(Diagnostic::new(Code::UnusedVariable, name.span, message));
        }
    }

    fn receive_parameters(&self, function: FunctionId) -> RapidHashSet<Span> {
        let mut found = RapidHashSet::default();
        let Some(body) = &self.tree[function].body else { return found };
        let mut work = body.statements.clone();
        while let Some(stmt) = work.pop() {
            match &self.tree[stmt].kind {
                StmtKind::Block(statements) => work.extend(statements),
                StmtKind::While { body, .. } | StmtKind::Foreach { body, .. } => work.push(*body),
                StmtKind::If { then, otherwise, .. } => work.extend(otherwise.iter().chain([then])),
                StmtKind::Receive(cases) => {
                    for case in cases {
                        found.extend(case.parameter.map(|parameter| parameter.name.span));
                        work.extend(&case.body.statements);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn warn_fields(&mut self, id: MachineId) {
        // The verifier's formulas read variables of machines from outside.
        if !self.uses.verifier.is_empty() {
            return;
        }
        let fields = self.checked.machines[id.index()].fields.iter().enumerate();
        let is_unused = |(at, (name, _)): (usize, &(crate::syntax::tree::Ident, _))| {
            let is_read = self.uses.fields.contains(&(id, FieldId(at as u32)));
            (!is_read && !self.is_meant_unused(name.name)).then_some(*name)
        };
        let unused: Vec<_> = fields.filter_map(is_unused).collect();
        for name in unused {
            let message = format!("variable `{}` is never read", self.text(name.name));
            self.warn(Diagnostic::new(Code::UnusedVariable, name.span, message));
        }
    }

    /// A state is reachable if the start state leads to it, through handlers or through `goto` anywhere in the
    /// machine's code.
    fn warn_unreachable_states(&mut self, id: MachineId) {
        let machine = &self.checked.machines[id.index()];
        let mut reached = vec![false; machine.states.len()];
        let states = (0..machine.states.len()).map(|state| StateId(state as u32));
        let gone_to = states.filter(|state| self.uses.gone_to.contains(&(id, *state)));
        let mut work: Vec<StateId> = machine.start.into_iter().chain(gone_to).collect();
        while let Some(state) = work.pop() {
            if std::mem::replace(&mut reached[state.index()], true) {
                continue;
            }
            work.extend(machine.states[state.index()].handlers.iter().filter_map(|(_, handler, _)| {
                match handler {
                    ir::Handler::Goto { target, .. } => Some(*target),
                    _ => None,
                }
            }));
        }
        let unreached: Vec<_> = machine
            .states
            .iter()
            .zip(&reached)
            .filter(|(_, reached)| !**reached)
            .map(|(state, _)| state.name)
            .collect();
        for name in unreached {
            let message = format!("no transition leads to state `{}`", self.text(name.name));
            self.warn(Diagnostic::new(Code::UnreachableState, name.span, message));
        }
    }

    fn warn_handlers(&mut self, id: MachineId) {
        let machine = &self.checked.machines[id.index()];
        let is_monitor = machine.kind != MachineKind::Machine;
        let mut found = Vec::new();
        for (event, handler, span) in machine.states.iter().flat_map(|state| &state.handlers) {
            let is_silent = matches!(handler, ir::Handler::Ignore | ir::Handler::Defer);
            if event.0 < 2 || is_silent {
                continue;
            }
            if is_monitor && !machine.observes.contains(*event) && !self.uses.raised.contains(*event) {
                found.push((Code::UnobservedHandler, *event, *span));
            } else if !self.uses.mentioned.contains(*event) {
                found.push((Code::UnsentHandler, *event, *span));
            }
        }
        let (name, declared) = (self.text(machine.name.name).to_owned(), machine.name.span);
        for (code, event, span) in found {
            let event = self.event_name(event);
            let diagnostic = match code {
                Code::UnobservedHandler => {
                    let message = format!("`{name}` does not observe `{event}`, so this handler never runs");
                    let hint = format!("add `{event}` to the list behind `observes`");
                    Diagnostic::new(code, span, message).label(declared, "observes other events").hint(hint)
                }
                _ => Diagnostic::new(code, span, format!("nobody sends, raises or announces `{event}`")),
            };
            self.warn(diagnostic);
        }
    }

    fn note_verifier(&mut self) {
        let count = self.uses.verifier.len();
        if let Some(first) = self.uses.verifier.iter().min() {
            let what =
                if count == 1 { "this is".into() } else { format!("{count} places, the first here, are") };
            let message = format!("{what} for P's verifier only, and ignored when the program runs");
            self.report(Diagnostic::new(Code::IgnoredForVerifier, *first, message));
        }
    }
}
