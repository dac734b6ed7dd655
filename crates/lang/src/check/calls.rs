//! Calls, creations and payloads: arguments against what is expected of them.

use super::effects::Effect;
use super::scope::Scope;
use super::{Checker, Resolution};
use crate::ids::InterfaceId;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{ExprId, FunctionId, Ident};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// `f(arguments)`: what it calls and what it gives.
    pub(super) fn check_call(
        &mut self,
        scope: &mut Scope,
        name: Ident,
        arguments: &[ExprId],
    ) -> (Resolution, TypeId) {
        let found = self.check_exprs(scope, arguments);
        if Self::is_missing(name) {
            return (Resolution::None, TypeId::ERROR);
        }
        if let Some(function) = self.find_function(scope, name) {
            let ty = self.check_function_call(scope, function, name, arguments, &found);
            return (Resolution::Function(function), ty);
        }
        if let Some(pure) = self.globals.pures.get(&name.name).cloned() {
            scope.verifier_only.get_or_insert(name.span);
            let wanted: Vec<TypeId> = pure.parameters.iter().map(|(_, ty)| *ty).collect();
            self.check_arguments(&wanted, arguments, &found, name.span, Some(pure.span), true);
            return (Resolution::Verifier, pure.result);
        }
        if matches!(self.text(name.name), "sent" | "inflight") && arguments.len() == 1 {
            scope.verifier_only.get_or_insert(name.span);
            return (Resolution::Verifier, TypeId::BOOL);
        }
        self.unknown_function(scope.owner, name);
        (Resolution::None, TypeId::ERROR)
    }

    fn find_function(&self, scope: &Scope, name: Ident) -> Option<FunctionId> {
        let own =
            scope.owner.and_then(|owner| self.checked.machines[owner.index()].functions.get(&name.name));
        own.or_else(|| self.globals.functions.get(&name.name)).copied()
    }

    fn check_function_call(
        &mut self,
        scope: &Scope,
        function: FunctionId,
        name: Ident,
        arguments: &[ExprId],
        found: &[TypeId],
    ) -> TypeId {
        let info = &self.checked.functions[function.0 as usize];
        let wanted: Vec<TypeId> =
            info.locals[..info.parameters as usize].iter().map(|local| local.ty).collect();
        let result = info.result;
        let declared = self.tree[function].name.map(|name| name.span);
        self.check_arguments(&wanted, arguments, found, name.span, declared, false);
        self.uses.functions.insert(function);
        if let Some(caller) = scope.function {
            self.effects[caller.0 as usize].calls.push((function, name.span));
        }
        result
    }

    fn check_arguments(
        &mut self,
        wanted: &[TypeId],
        arguments: &[ExprId],
        found: &[TypeId],
        callee: Span,
        declared: Option<Span>,
        events_too: bool,
    ) {
        if wanted.len() != arguments.len() {
            let diagnostic = self.wrong_argument_count(wanted.len(), arguments, callee);
            self.report(match declared {
                Some(declared) => diagnostic.label(declared, "declared here"),
                None => diagnostic,
            });
            return;
        }
        for ((argument, wanted), found) in arguments.iter().zip(wanted).zip(found) {
            // The verifier passes variables that range over one event as events.
            let is_event = events_too && *wanted == TypeId::EVENT && self.is_single_event(*found);
            if !is_event {
                self.check_assignable(*argument, *wanted, *found);
            }
        }
    }

    fn is_single_event(&self, ty: TypeId) -> bool {
        matches!(self.checked.types.get(ty), Type::Permission(id) if self.checked.types.permission(*id).events.len() == 1)
    }

    /// `new I(arguments)`: the interface, unless it is unknown.
    pub(super) fn check_new(
        &mut self,
        scope: &mut Scope,
        name: Ident,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<InterfaceId> {
        let found = self.check_exprs(scope, arguments);
        self.check_effect(scope, Effect::Creates, span, "create machines");
        let interface = self.resolve_interface(name)?;
        if let Some(function) = scope.function {
            self.effects[function.0 as usize].creates.push(interface);
        }
        let info = &self.checked.interfaces[interface.index()];
        let (payload, declared) = (info.payload, info.name.span);
        let what = format!("`{}`", self.text(name.name));
        self.check_payload_arguments(payload, arguments, &found, name.span, &what, declared);
        Some(interface)
    }

    pub(super) fn resolve_interface(&mut self, name: Ident) -> Option<InterfaceId> {
        if Self::is_missing(name) {
            return None;
        }
        if let Some(interface) = self.globals.interfaces.get(&name.name) {
            return Some(*interface);
        }
        let text = self.text(name.name).to_owned();
        let diagnostic = match self.globals.machines.get(&name.name) {
            Some(spec) => {
                let declared = self.checked.machines[spec.index()].name.span;
                let message = format!("`{text}` is a spec: it cannot be created, only attached to a test");
                let diagnostic = Diagnostic::new(Code::UnknownMachine, name.span, message);
                diagnostic
                    .label(declared, "declared here")
                    .hint(format!("write `assert {text} in ..` in a test"))
            }
            None => {
                let message = format!("there is no machine or interface `{text}`");
                let diagnostic = Diagnostic::new(Code::UnknownMachine, name.span, message);
                self.suggest(diagnostic, name.name, self.globals.interfaces.keys().copied())
            }
        };
        self.report(diagnostic);
        None
    }

    /// Arguments that become one payload: none, one value, or several that are packed into a tuple.
    pub(super) fn check_payload_arguments(
        &mut self,
        payload: TypeId,
        arguments: &[ExprId],
        found: &[TypeId],
        callee: Span,
        what: &str,
        declared: Span,
    ) {
        let label = |diagnostic: Diagnostic| {
            if declared == Span::default() { diagnostic } else { diagnostic.label(declared, "declared here") }
        };
        let tuple = match self.checked.types.get(payload) {
            Type::Tuple(items) => Some(items.to_vec()),
            _ => None,
        };
        match (arguments, tuple) {
            ([], _) => {
                if !self.checked.types.is_same(payload, TypeId::NULL) {
                    let message = format!("{what} needs a payload of type `{}`", self.show(payload));
                    self.report(label(Diagnostic::new(Code::MismatchedTypes, callee, message)));
                }
            }
            ([argument], _) => {
                if !self.checked.types.is_assignable(payload, found[0]) {
                    let found = self.show(found[0]);
                    let message = if payload == TypeId::NULL {
                        format!("{what} takes no payload, found `{found}`")
                    } else {
                        format!("{what} takes a payload of type `{}`, found `{found}`", self.show(payload))
                    };
                    let span = self.expr_span(*argument);
                    self.report(label(Diagnostic::new(Code::MismatchedTypes, span, message)));
                }
            }
            (_, Some(items)) if items.len() == arguments.len() => {
                for ((argument, wanted), found) in arguments.iter().zip(items).zip(found) {
                    self.check_assignable(*argument, wanted, *found);
                }
            }
            (_, Some(items)) => {
                let diagnostic = self.wrong_argument_count(items.len(), arguments, callee);
                self.report(label(diagnostic));
            }
            (_, None) if payload == TypeId::ERROR => {}
            (_, None) => {
                let wanted = usize::from(payload != TypeId::NULL);
                let diagnostic = self.wrong_argument_count(wanted, arguments, callee);
                self.report(label(diagnostic));
            }
        }
    }

    /// Arguments that are too many are the culprits; where some are missing, it is the name of what is called.
    pub(super) fn wrong_argument_count(
        &self,
        wanted: usize,
        arguments: &[ExprId],
        callee: Span,
    ) -> Diagnostic {
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("expected {wanted} argument{plural}, found {}", arguments.len());
        let surplus = arguments.get(wanted).zip(arguments.last());
        let span = surplus.map_or(callee, |(first, last)| self.expr_span(*first).to(self.expr_span(*last)));
        Diagnostic::new(Code::WrongArgumentCount, span, message)
    }
}
