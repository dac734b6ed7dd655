//! Modules put together by `union` and `compose`, and the reasons against it.

use super::Checker;
use super::modules::{Module, Modules};
use crate::ids::InterfaceId;
use crate::source::{Code, Diagnostic};
use crate::syntax::tree::ModuleExprId;

impl Checker<'_> {
    pub(super) fn compose(
        &mut self,
        modules: &Modules,
        parts: &[ModuleExprId],
        is_compose: bool,
    ) -> Option<Module> {
        let evaluated: Vec<_> =
            parts.iter().map(|part| (self.module(modules, *part), self.tree[*part].span)).collect();
        let mut whole = Module::default();
        let mut complete = true;
        for (at, (module, span)) in evaluated.iter().enumerate() {
            let Some(module) = module else {
                complete = false;
                continue;
            };
            // Only where something is shared with what came before, it matters with which of them.
            let before = if whole.may_conflict(module, is_compose) { &evaluated[..at] } else { &[] };
            let before = before.iter().filter_map(|(module, span)| Some((module.as_ref()?, *span)));
            for (other, other_span) in before {
                if let Some(reason) = self.reason_against_composing(other, module, is_compose) {
                    let diagnostic = Diagnostic::new(Code::InvalidComposition, *span, reason);
                    self.report(diagnostic.label(other_span, "the other module"));
                    complete = false;
                }
            }
            whole.bindings.extend(&module.bindings);
            whole.links.extend(&module.links);
            whole.creates.extend(&module.creates);
            whole.sends.extend(&module.sends);
            whole.receives.extend(&module.receives);
            whole.private_events.extend(&module.private_events);
            whole.monitors.extend(module.monitors.iter().cloned());
            whole.main = whole.main.or(module.main);
        }
        complete.then_some(whole)
    }

    fn reason_against_composing(&self, a: &Module, b: &Module, is_compose: bool) -> Option<String> {
        let interface_name = |id: InterfaceId| self.text(self.checked.interfaces[id.index()].name.name);
        if let Some(shared) = a.bindings.keys().find(|id| b.bindings.contains_key(id)) {
            return Some(format!("both modules implement `{}`", interface_name(*shared)));
        }
        if let Some((shared, _)) =
            a.monitors.iter().find(|(spec, _)| b.monitors.iter().any(|(other, _)| other == spec))
        {
            let name = self.text(self.checked.machines[shared.index()].name.name);
            return Some(format!("spec `{name}` is attached to both modules"));
        }
        if let Some(reason) = self.private_event_leak(a, b).or_else(|| self.private_event_leak(b, a)) {
            return Some(reason);
        }
        if !is_compose {
            return None;
        }
        if let Some(shared) = a.sends.first_inside(&b.sends) {
            return Some(format!(
                "both modules send `{}`; `union` would allow that",
                self.event_name(shared)
            ));
        }
        let shared = a.creates.iter().find(|id| b.creates.contains(id))?;
        Some(format!("both modules create `{}`; `union` would allow that", interface_name(*shared)))
    }

    /// Events hidden in one module must not be reachable from the other.
    fn private_event_leak(&self, hidden: &Module, other: &Module) -> Option<String> {
        let private = &hidden.private_events;
        let public = private.first_inside(&other.sends).or_else(|| private.first_inside(&other.receives));
        if let Some(event) = public {
            return Some(format!(
                "`{}` is hidden in one module and used by the other",
                self.event_name(event)
            ));
        }
        let exposed = other.open_interfaces().chain(hidden.open_interfaces()).find_map(|interface| {
            let info = &self.checked.interfaces[interface.index()];
            let allowed = self.permissions_in(info.payload);
            let event = private.first_inside(&info.receives).or_else(|| private.first_inside(&allowed))?;
            Some((info.name.name, event))
        });
        let (interface, event) = exposed?;
        let (interface, event) = (self.text(interface), self.event_name(event));
        Some(format!("`{event}` is hidden in one module and open interface `{interface}` gives access to it"))
    }
}
