//! What functions do, followed through calls: specs must not act, transitions must not be interrupted.

use super::Checker;
use super::scope::Scope;
use crate::ids::{InterfaceId, MachineId};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::FunctionId;
use crate::types::TypeId;

/// Something a function does that not every caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Raises,
    Goes,
    Receives,
    Creates,
    Sends,
    Chooses,
}

impl Effect {
    const ALL: [Self; 6] =
        [Self::Raises, Self::Goes, Self::Receives, Self::Creates, Self::Sends, Self::Chooses];

    fn verb(self) -> &'static str {
        match self {
            Self::Raises => "raises an event",
            Self::Goes => "changes the state",
            Self::Receives => "receives events",
            Self::Creates => "creates machines",
            Self::Sends => "sends or announces events",
            Self::Chooses => "chooses",
        }
    }
}

/// What one function does and whom it calls.
#[derive(Debug, Default)]
pub(super) struct FunctionEffects {
    /// Where each effect first happens: in the function itself, or at the call that leads to it.
    at: [Option<Site>; 6],
    pub(super) calls: Vec<(FunctionId, Span)>,
    pub(super) creates: Vec<InterfaceId>,
}

#[derive(Clone, Copy, Debug)]
struct Site {
    span: Span,
    /// The called function through which it happens.
    through: Option<FunctionId>,
}

impl FunctionEffects {
    pub(super) fn add(&mut self, effect: Effect, span: Span) {
        self.at[effect as usize].get_or_insert(Site { span, through: None });
    }
}

impl Checker<'_> {
    /// Notes an effect, and refuses it in specs, which cannot `what`. Gives the type of `$` for convenience.
    pub(super) fn check_effect(&mut self, scope: &Scope, effect: Effect, span: Span, what: &str) -> TypeId {
        if scope.in_monitor
            && !matches!(effect, Effect::Raises | Effect::Goes)
            && let Some(owner) = scope.owner
        {
            let why = "specs only watch: they cannot act on the program or choose";
            self.not_allowed_in_monitor(span, self.machine_declaration(owner), what, why);
        } else if let Some(function) = scope.function {
            self.effects[function.0 as usize].add(effect, span);
        }
        TypeId::BOOL
    }

    pub(super) fn check_effects(&mut self) {
        self.propagate_effects();
        for id in 0..self.checked.machines.len() {
            self.check_transitions(MachineId(id as u32));
        }
        self.check_calls_from_monitors();
    }

    /// Effects of callees become effects of callers, at the call.
    fn propagate_effects(&mut self) {
        let mut callers: Vec<Vec<(FunctionId, Span)>> = vec![Vec::new(); self.effects.len()];
        for (caller, effects) in self.effects.iter().enumerate() {
            for (callee, span) in &effects.calls {
                callers[callee.0 as usize].push((FunctionId(caller as u32), *span));
            }
        }
        for effect in Effect::ALL {
            let has_effect = |effects: &FunctionEffects| effects.at[effect as usize].is_some();
            let mut work: Vec<usize> =
                (0..self.effects.len()).filter(|id| has_effect(&self.effects[*id])).collect();
            while let Some(callee) = work.pop() {
                for (caller, span) in &callers[callee] {
                    let site = &mut self.effects[caller.0 as usize].at[effect as usize];
                    if site.is_none() {
                        *site = Some(Site { span: *span, through: Some(FunctionId(callee as u32)) });
                        work.push(caller.0 as usize);
                    }
                }
            }
        }
    }

    /// Exit functions and the functions of transitions neither raise nor go anywhere.
    fn check_transitions(&mut self, id: MachineId) {
        let machine = &self.checked.machines[id.index()];
        let mut found = Vec::new();
        for state in &machine.states {
            let transition = state.handlers.iter().filter_map(|(_, handler, span)| match handler {
                crate::ir::Handler::Goto { with: Some(with), .. } => {
                    Some((FunctionId(with.0), *span, "a transition"))
                }
                _ => None,
            });
            let exit = state.exit.map(|exit| (exit, state.name.span, "the exit of this state"));
            for (function, span, role) in exit.into_iter().chain(transition) {
                for effect in [Effect::Raises, Effect::Goes] {
                    if let Some(site) = self.effects[function.0 as usize].at[effect as usize] {
                        found.push((effect, site, span, role));
                    }
                }
            }
        }
        for (effect, site, span, role) in found {
            let message = match site.through {
                None => format!("this {} while a transition is under way", effect.verb()),
                Some(_) => format!("this call {} while a transition is under way", effect.verb()),
            };
            let diagnostic = Diagnostic::new(Code::StateChangeInTransition, site.span, message);
            let diagnostic = diagnostic.label(span, format!("runs as part of {role}"));
            let diagnostic = self.label_origin(diagnostic, effect, site);
            self.report(diagnostic);
        }
    }

    /// Functions of specs call nothing that acts. What they do themselves was reported on the spot.
    fn check_calls_from_monitors(&mut self) {
        let mut found = Vec::new();
        for (id, effects) in self.effects.iter().enumerate() {
            let owner = self.checked.functions[id].owner.map(|owner| &self.checked.machines[owner.index()]);
            let Some(monitor) = owner.filter(|machine| machine.is_monitor()) else { continue };
            let monitor = (monitor.kind, monitor.name);
            for effect in [Effect::Receives, Effect::Creates, Effect::Sends, Effect::Chooses] {
                if let Some(site @ Site { through: Some(callee), .. }) = effects.at[effect as usize] {
                    // A call to the spec's own function was reported inside that function.
                    if self.checked.functions[callee.0 as usize].owner.is_none() {
                        found.push((effect, site, monitor));
                    }
                }
            }
        }
        for (effect, site, (kind, name)) in found {
            let monitor = self.name_monitor(kind, name);
            let message = format!("{monitor} cannot call this function, which {}", effect.verb());
            let diagnostic = Diagnostic::new(Code::NotAllowedInSpec, site.span, message);
            let diagnostic = self.label_origin(diagnostic, effect, site);
            self.report(diagnostic);
        }
    }

    /// Points at the statement that a chain of calls leads to.
    fn label_origin(&self, diagnostic: Diagnostic, effect: Effect, mut site: Site) -> Diagnostic {
        let first = site.span;
        while let Some(callee) = site.through {
            match self.effects[callee.0 as usize].at[effect as usize] {
                Some(next) => site = next,
                None => break,
            }
        }
        if site.span == first { diagnostic } else { diagnostic.label(site.span, "it happens here") }
    }

    /// The interfaces each machine's code may create.
    pub(super) fn infer_creates(&mut self) {
        let mut roots: Vec<Vec<FunctionId>> = vec![Vec::new(); self.checked.machines.len()];
        for (id, function) in self.checked.functions.iter().enumerate() {
            if let Some(owner) = function.owner {
                roots[owner.index()].push(FunctionId(id as u32));
            }
        }
        let mut visited = vec![u32::MAX; self.effects.len()];
        for (machine, mut work) in roots.into_iter().enumerate() {
            let mut creates: Vec<InterfaceId> = Vec::new();
            while let Some(function) = work.pop() {
                if std::mem::replace(&mut visited[function.0 as usize], machine as u32) == machine as u32 {
                    continue;
                }
                let effects = &self.effects[function.0 as usize];
                creates.extend(&effects.creates);
                work.extend(effects.calls.iter().map(|(callee, _)| *callee));
            }
            creates.sort_unstable();
            creates.dedup();
            self.checked.machines[machine].creates = creates;
        }
    }
}
