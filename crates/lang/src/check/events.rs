//! Statements about events: what they carry, to which state they lead, and what is received.

use super::effects::Effect;
use super::globals::NameMap;
use super::scope::Scope;
use super::{Checker, Resolution};
use crate::ids::{MachineId, StateId};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{ExprId, ExprKind, Ident, ReceiveCase, StmtId};
use crate::types::TypeId;

impl Checker<'_> {
    /// The event and payload of send, raise and announce.
    pub(super) fn check_event(&mut self, scope: &mut Scope, event: ExprId, arguments: &[ExprId]) {
        let ty = self.check_expr(scope, event);
        let found = self.check_exprs(scope, arguments);
        let is_null = matches!(self.tree[event].kind, ExprKind::Null);
        if is_null {
            let message = "`null` is not an event that can be sent, raised or announced";
            return self.report(Diagnostic::new(Code::NullEvent, self.expr_span(event), message));
        }
        self.check_assignable(event, TypeId::EVENT, ty);
        if let Resolution::Event(id) = self.checked.expr_resolutions[event.0 as usize] {
            let info = &self.checked.events[id.index()];
            let (payload, declared) = (info.payload, info.name.span);
            let what = format!("`{}`", self.event_name(id));
            let callee = self.expr_span(event);
            self.check_payload_arguments(payload, arguments, &found, callee, &what, declared);
        }
    }

    pub(super) fn check_goto(&mut self, scope: &mut Scope, id: StmtId, state: Ident, arguments: &[ExprId]) {
        let span = self.tree[id].span;
        self.check_leaves_function(scope, "goto", span);
        self.check_effect(scope, Effect::Goes, span, "");
        let found = self.check_exprs(scope, arguments);
        let Some(owner) = scope.owner else {
            let message = "`goto` has no meaning in a global function: there are no states";
            return self.report(Diagnostic::new(Code::OutsideMachine, span, message));
        };
        let Some(target) = self.resolve_state(owner, state) else { return };
        self.resolve_stmt(id, Resolution::State(target));
        self.uses.gone_to.insert((owner, target));
        let info = &self.checked.machines[owner.index()].states[target.index()];
        let parameter = info.entry.and_then(|entry| {
            let function = &self.checked.functions[entry.0 as usize];
            function.locals.first().filter(|_| function.parameters > 0).copied()
        });
        match (parameter, arguments) {
            (None, []) => {}
            (Some(parameter), [argument]) => {
                if !self.checked.types.is_assignable(parameter.ty, found[0]) {
                    let name = self.text(state.name);
                    let (wanted, found) = (self.show(parameter.ty), self.show(found[0]));
                    let message =
                        format!("state `{name}` takes a payload of type `{wanted}`, found `{found}`");
                    let diagnostic =
                        Diagnostic::new(Code::MismatchedTypes, self.expr_span(*argument), message);
                    self.report(diagnostic.label(parameter.name.span, "the entry function's parameter"));
                }
            }
            _ => {
                let wanted = usize::from(parameter.is_some());
                let diagnostic = self.wrong_argument_count(wanted, arguments, state.span);
                self.report(match parameter {
                    Some(parameter) => {
                        diagnostic.label(parameter.name.span, "the entry function's parameter")
                    }
                    None => diagnostic
                        .label(self.state_span(owner, target), "its entry function takes no parameter"),
                });
            }
        }
    }

    pub(super) fn check_receive(&mut self, scope: &mut Scope, cases: &[ReceiveCase], span: Span) {
        self.check_effect(scope, Effect::Receives, span, "receive events");
        let mut seen: NameMap<Span> = NameMap::default();
        for case in cases {
            let outer = scope.open();
            let parameter = case.parameter.map(|parameter| {
                let ty = self.resolve_type(parameter.ty);
                self.declare_local(scope, parameter.name, ty);
                (parameter.name, ty)
            });
            for event in &case.events {
                self.check_receive_event(*event, parameter, &mut seen);
            }
            scope.receives += 1;
            self.check_body(scope, &case.body);
            scope.receives -= 1;
            scope.close(outer);
        }
    }

    fn check_receive_event(
        &mut self,
        name: Ident,
        parameter: Option<(Ident, TypeId)>,
        seen: &mut NameMap<Span>,
    ) {
        let Some(event) = self.resolve_event(name) else { return };
        if let Some(first) = seen.get(&name.name) {
            let message = format!("this `receive` has two cases for `{}`", self.text(name.name));
            let diagnostic = Diagnostic::new(Code::DuplicateReceiveCase, name.span, message);
            let diagnostic = diagnostic.label(*first, "the first one");
            return self.report(diagnostic);
        }
        seen.insert(name.name, name.span);
        if name.name == Name::NULL {
            return;
        }
        let payload = self.checked.events[event.index()].payload;
        match parameter {
            Some((parameter, ty)) if !self.checked.types.is_assignable(ty, payload) => {
                let (carries, wants) = (self.show(payload), self.show(ty));
                let name_text = self.text(name.name).to_owned();
                let message = if payload == TypeId::NULL {
                    format!("`{name_text}` carries no payload, but this case expects `{wants}`")
                } else {
                    format!("`{name_text}` carries `{carries}`, but this case expects `{wants}`")
                };
                let diagnostic = Diagnostic::new(Code::MismatchedTypes, name.span, message);
                self.report(diagnostic.label(parameter.span, "the parameter"));
            }
            // P refuses a case that drops a payload.
            None if payload != TypeId::NULL && payload != TypeId::ERROR => {
                let message = format!(
                    "`{}` carries `{}`, and this case has no parameter for it",
                    self.text(name.name),
                    self.show(payload)
                );
                let hint = format!(
                    "write `case {}: (payload: {}) {{ .. }}`",
                    self.text(name.name),
                    self.show(payload)
                );
                self.report(Diagnostic::new(Code::MismatchedTypes, name.span, message).hint(hint));
            }
            _ => {}
        }
    }

    fn state_span(&self, owner: MachineId, state: StateId) -> Span {
        self.checked.machines[owner.index()].states[state.index()].name.span
    }
}
