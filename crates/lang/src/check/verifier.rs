//! The verifier's part of the language: checked as far as names and types go, and ignored by everything else.

use super::Checker;
use super::globals::InvariantId;
use super::scope::Scope;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{
    Declaration, ExprId, ExprKind, Ident, ProofCommand, ProofTargets, PureDeclaration, Quantifier,
};
use crate::types::{Origin, Type, TypeId};
use rapidhash::RapidHashSet;

impl Checker<'_> {
    pub(super) fn check_verifier(&mut self) {
        let tree = self.tree;
        let mut commands = Vec::new();
        for declaration in &tree.declarations {
            match declaration {
                Declaration::Pure(pure) => self.check_pure(pure),
                Declaration::Invariant(invariant) => self.check_formula(invariant.body, invariant.name.span),
                Declaration::Axiom(body, span) | Declaration::InitCondition(body, span) => {
                    self.check_formula(*body, *span);
                }
                Declaration::InvariantGroup(group) => {
                    for invariant in &group.invariants {
                        self.check_formula(invariant.body, invariant.name.span);
                    }
                }
                Declaration::Proof(proof) => {
                    self.uses.verifier.extend(proof.commands.first().map(|command| command.span));
                    commands.extend(&proof.commands);
                    proof.commands.iter().for_each(|command| self.check_proof_command(command));
                }
                _ => {}
            }
        }
        self.check_proofs_are_acyclic(&commands);
    }

    fn check_formula(&mut self, body: ExprId, span: Span) {
        self.uses.verifier.push(span);
        self.check_condition(&mut Scope::for_verifier(), body);
    }

    fn check_pure(&mut self, pure: &PureDeclaration) {
        self.uses.verifier.push(pure.name.span);
        let Some(entry) =
            self.globals.pures.get(&pure.name.name).filter(|entry| entry.span == pure.name.span).cloned()
        else {
            return;
        };
        let mut scope = Scope::for_verifier();
        for (name, ty) in entry.parameters {
            self.declare_local(&mut scope, name, ty);
        }
        if let Some(body) = pure.body {
            let ty = self.check_expr(&mut scope, body);
            self.check_assignable(body, entry.result, ty);
        }
    }

    fn check_proof_command(&mut self, command: &ProofCommand) {
        let listed = [&command.goals, &command.premises].into_iter().filter_map(|targets| match targets {
            ProofTargets::These(exprs) => Some(exprs),
            ProofTargets::All | ProofTargets::Default => None,
        });
        for expr in listed.flatten().chain(&command.excludes) {
            self.check_condition(&mut Scope::for_verifier(), *expr);
        }
    }

    /// `prove A using B` makes A rely on B; nothing may rely on itself.
    fn check_proofs_are_acyclic(&mut self, commands: &[&ProofCommand]) {
        let count = self.globals.invariant_spans.len();
        let mut relations = Relations { proved_by: vec![Vec::new(); count], premises: Vec::new() };
        for command in commands {
            let excluded: RapidHashSet<InvariantId> =
                command.excludes.iter().flat_map(|expr| self.named(*expr)).collect();
            let members = |targets: &ProofTargets| -> Vec<InvariantId> {
                let mut all: Vec<InvariantId> = match targets {
                    ProofTargets::These(exprs) => exprs.iter().flat_map(|expr| self.named(*expr)).collect(),
                    ProofTargets::All => (0..count).map(|id| InvariantId(id as u32)).collect(),
                    ProofTargets::Default => Vec::new(),
                };
                all.retain(|invariant| !excluded.contains(invariant));
                all
            };
            let (goals, premises) = (members(&command.goals), members(&command.premises));
            let id = relations.premises.len();
            goals.iter().for_each(|goal| relations.proved_by[goal.0 as usize].push(id));
            relations.premises.push(premises);
            // Everything uses everything: no need to look further, and all of it could be a lot.
            if let (ProofTargets::All, Some(goal)) = (&command.premises, goals.first()) {
                return self.circular_proof(*goal, command.span);
            }
        }
        if let Some((invariant, command)) = relations.find_cycle() {
            self.circular_proof(invariant, commands[command].span);
        }
    }

    fn circular_proof(&mut self, invariant: InvariantId, span: Span) {
        let declared = self.globals.invariant_spans[invariant.0 as usize];
        let message = format!("the proof of `{}` relies on itself", self.sources.text(declared));
        let diagnostic = Diagnostic::new(Code::CircularProof, span, message);
        self.report(diagnostic.label(declared, "declared here"));
    }

    /// The invariants that an expression in a proof command names.
    fn named(&self, expr: ExprId) -> Vec<InvariantId> {
        let ExprKind::Name(name) = self.tree[expr].kind else { return Vec::new() };
        match self.globals.invariants.get(self.text(name)) {
            Some(invariant) => vec![*invariant],
            None => {
                self.globals.invariant_groups.get(&name).map_or(Vec::new(), |(_, members)| members.clone())
            }
        }
    }

    /// Names that mean something to the verifier only: specs, invariants, lemmas and theorems.
    pub(super) fn verifier_name(&self, name: Ident) -> Option<TypeId> {
        if let Some(machine) = self.globals.machines.get(&name.name) {
            return self.checked.machines[machine.index()].is_monitor().then_some(TypeId::MACHINE);
        }
        let globals = &self.globals;
        let is_formula = globals.invariants.contains_key(self.text(name.name))
            || globals.invariant_groups.contains_key(&name.name);
        is_formula.then_some(TypeId::BOOL)
    }

    /// In the verifier's expressions, variables of machines and specs and fields of payloads can be read.
    pub(super) fn verifier_field(
        &self,
        scope: &Scope,
        base: ExprId,
        base_type: TypeId,
        field: Ident,
    ) -> Option<TypeId> {
        if !scope.for_verifier {
            return None;
        }
        let machine = match self.checked.types.get(base_type) {
            Type::Permission(id) => match self.checked.types.permission(*id).origin {
                Origin::Interface(interface) => self.checked.interfaces[interface.index()].machine?,
                Origin::Spec(machine) => machine,
                Origin::EventSet | Origin::Event(_) => return self.payload_field(base_type, field),
            },
            Type::Machine => match self.tree[base].kind {
                ExprKind::Name(name) => *self.globals.machines.get(&name)?,
                _ => return None,
            },
            _ => return None,
        };
        let machine = &self.checked.machines[machine.index()];
        machine.field_ids.get(&field.name).map(|id| machine.fields[id.index()].1)
    }

    fn payload_field(&self, base_type: TypeId, field: Ident) -> Option<TypeId> {
        let Type::Permission(id) = self.checked.types.get(base_type) else { return None };
        let events = &self.checked.types.permission(*id).events;
        let payloads = events.iter().map(|event| self.checked.events[event.index()].payload);
        payloads.into_iter().find_map(|payload| match self.checked.types.get(payload) {
            Type::NamedTuple(fields) => {
                fields.iter().find(|(name, _)| *name == field.name).map(|(_, ty)| *ty)
            }
            _ => None,
        })
    }

    pub(super) fn check_quantifier(&mut self, scope: &mut Scope, quantifier: &Quantifier) -> TypeId {
        let outer = scope.open();
        for bound in &quantifier.bound {
            let ty = self.resolve_type(bound.ty);
            self.declare_local(scope, bound.name, ty);
            let is_event = match self.checked.types.get(ty) {
                Type::Event | Type::Error => true,
                Type::Permission(id) => {
                    matches!(self.checked.types.permission(*id).origin, Origin::EventSet | Origin::Event(_))
                }
                _ => false,
            };
            if quantifier.difference && !is_event {
                let message = format!("`new` quantifies over events, not over `{}`", self.show(ty));
                self.report(Diagnostic::new(Code::InvalidQuantifier, bound.name.span, message));
            }
        }
        if let Some(second) = quantifier.bound.get(1).filter(|_| quantifier.difference) {
            let message = "a quantifier with `new` has exactly one variable";
            self.report(Diagnostic::new(Code::InvalidQuantifier, second.name.span, message));
        }
        self.check_condition(scope, quantifier.body);
        scope.close(outer);
        TypeId::BOOL
    }

    /// `x is Kind`, where the kind is a machine, an event, or a state of the machine that `x` is known to be.
    pub(super) fn check_is(&mut self, scope: &mut Scope, operand: ExprId, kind: Ident) -> TypeId {
        let ty = self.check_expr(scope, operand);
        let is_machine = self.globals.machines.contains_key(&kind.name);
        let is_event = self.checked.event_ids.contains_key(&kind.name);
        let known = match self.checked.types.get(ty) {
            Type::Permission(id) => match self.checked.types.permission(*id).origin {
                Origin::Interface(interface) => self.checked.interfaces[interface.index()].machine,
                Origin::Spec(machine) => Some(machine),
                _ => None,
            },
            _ => None,
        };
        let has_state = |machine: &super::MachineInfo| machine.state_ids.contains_key(&kind.name);
        let is_state = match known {
            Some(machine) => has_state(&self.checked.machines[machine.index()]),
            None => self.checked.machines.iter().any(has_state),
        };
        if !is_machine && !is_event && !is_state && ty != TypeId::ERROR && !Self::is_missing(kind) {
            let message = format!("there is no machine, event or state `{}` here", self.text(kind.name));
            self.report(Diagnostic::new(Code::UnknownName, kind.span, message));
        }
        TypeId::BOOL
    }
}

/// Which invariants are proved by which others.
struct Relations {
    /// For each invariant the commands that prove it.
    proved_by: Vec<Vec<usize>>,
    /// For each command what it uses.
    premises: Vec<Vec<InvariantId>>,
}

impl Relations {
    /// Depth-first search for an invariant that relies on itself, and a command by which it does. Commands are nodes of
    /// the search like invariants, so that what one uses is looked at once, however much it proves.
    fn find_cycle(&self) -> Option<(InvariantId, usize)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let invariants = self.proved_by.len();
        let mut marks = vec![Mark::New; invariants + self.premises.len()];
        for start in 0..invariants {
            // Nodes with the position of the edge to follow next.
            let mut path: Vec<(usize, usize)> =
                if marks[start] == Mark::New { vec![(start, 0)] } else { Vec::new() };
            while let Some((node, next)) = path.last_mut() {
                marks[*node] = Mark::Open;
                let Some(target) = self.edge(*node, *next) else {
                    marks[*node] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[target] {
                    Mark::Open => {
                        let (invariant, command) = ((*node).min(target), (*node).max(target));
                        return Some((InvariantId(invariant as u32), command - invariants));
                    }
                    Mark::New => path.push((target, 0)),
                    Mark::Done => {}
                }
            }
        }
        None
    }

    /// The node that an edge leads to. Commands are numbered behind the invariants; edges go from what is proved to the
    /// command that proves it, and from the command to what it uses.
    fn edge(&self, node: usize, at: usize) -> Option<usize> {
        let invariants = self.proved_by.len();
        match self.proved_by.get(node) {
            Some(commands) => commands.get(at).map(|command| invariants + command),
            None => self.premises[node - invariants].get(at).map(|premise| premise.0 as usize),
        }
    }
}
