//! The variables in sight while a function is checked.

use super::globals::NameMap;
use super::{Checker, LocalId, LocalInfo, Resolution};
use crate::ids::MachineId;
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{FunctionId, Ident, VariableDeclaration};
use crate::types::TypeId;
use rapidhash::RapidHashSet;

/// Where code stands: its function, its machine, and the variables it can name.
#[derive(Debug)]
pub(super) struct Scope {
    /// `None` for expressions outside functions: the verifier's, and `assume` of tests.
    pub(super) function: Option<FunctionId>,
    pub(super) owner: Option<MachineId>,
    /// Whether the owner is a spec or scenario.
    pub(super) in_monitor: bool,
    /// Whether the verifier's expressions are meant: fields of machines can be read.
    pub(super) for_verifier: bool,
    /// The first thing met that only the verifier can evaluate.
    pub(super) verifier_only: Option<Span>,
    pub(super) result: TypeId,
    pub(super) loops: u32,
    /// How deep in receive cases; their results are the function's, but values cannot be returned there.
    pub(super) receives: u32,
    pub(super) locals: Vec<LocalInfo>,
    /// What can be named now.
    visible: NameMap<LocalId>,
    /// What each name of the open scopes stood for before, in the order of declaration.
    hidden: Vec<(Name, Option<LocalId>)>,
    /// Names already reported as unknown: once is enough.
    unknown: RapidHashSet<Name>,
    innermost: ScopeStart,
}

/// Where a scope begins; hand it to [`Scope::close`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScopeStart {
    hidden: usize,
    locals: usize,
}

impl Scope {
    pub(super) fn new(function: Option<FunctionId>, owner: Option<MachineId>, result: TypeId) -> Self {
        Self {
            function,
            owner,
            in_monitor: false,
            for_verifier: false,
            verifier_only: None,
            result,
            loops: 0,
            receives: 0,
            locals: Vec::new(),
            visible: NameMap::default(),
            hidden: Vec::new(),
            unknown: RapidHashSet::default(),
            innermost: ScopeStart::default(),
        }
    }

    /// A scope for expressions of the verifier.
    pub(super) fn for_verifier() -> Self {
        Self { for_verifier: true, ..Self::new(None, None, TypeId::NULL) }
    }

    pub(super) fn add(&mut self, local: LocalInfo) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.hidden.push((local.name.name, self.visible.insert(local.name.name, id)));
        self.locals.push(local);
        id
    }

    /// Opens an inner scope; the result is the outer one's beginning.
    pub(super) fn open(&mut self) -> ScopeStart {
        let inner = ScopeStart { hidden: self.hidden.len(), locals: self.locals.len() };
        std::mem::replace(&mut self.innermost, inner)
    }

    pub(super) fn close(&mut self, outer: ScopeStart) {
        for (name, before) in self.hidden.drain(self.innermost.hidden..).rev() {
            match before {
                Some(before) => self.visible.insert(name, before),
                None => self.visible.remove(&name),
            };
        }
        self.innermost = outer;
    }

    fn find(&self, name: Name) -> Option<LocalId> {
        self.visible.get(&name).copied()
    }

    fn find_innermost(&self, name: Name) -> Option<LocalId> {
        self.find(name).filter(|id| id.0 as usize >= self.innermost.locals)
    }

    /// Whether this is the first time that the name is found to be unknown.
    pub(super) fn is_new_unknown(&mut self, name: Name) -> bool {
        self.unknown.insert(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.visible.keys().copied()
    }
}

impl Checker<'_> {
    /// The variable a name refers to: the innermost local, a field of the machine, or a test parameter.
    pub(super) fn find_variable(&self, scope: &Scope, name: Name) -> Option<(Resolution, TypeId)> {
        if let Some(id) = scope.find(name) {
            return Some((Resolution::Local(id), scope.locals[id.0 as usize].ty));
        }
        if let Some(machine) = scope.owner.map(|owner| &self.checked.machines[owner.index()])
            && let Some(field) = machine.field_ids.get(&name)
        {
            return Some((Resolution::Field(*field), machine.fields[field.index()].1));
        }
        let parameter = *self.globals.parameters.get(&name)?;
        Some((Resolution::Parameter(parameter), self.checked.parameters[parameter.index()].ty))
    }

    /// The names of all variables in sight, for suggestions.
    pub(super) fn variable_names<'s>(&'s self, scope: &'s Scope) -> impl Iterator<Item = Name> + 's {
        let fields = scope.owner.map(|owner| self.checked.machines[owner.index()].field_ids.keys().copied());
        scope.names().chain(fields.into_iter().flatten()).chain(self.globals.parameters.keys().copied())
    }

    pub(super) fn declare_locals(&mut self, scope: &mut Scope, declarations: &[VariableDeclaration]) {
        for variables in declarations {
            let ty = self.resolve_type(variables.ty);
            for name in &variables.names {
                self.declare_local(scope, *name, ty);
            }
        }
    }

    pub(super) fn declare_local(&mut self, scope: &mut Scope, name: Ident, ty: TypeId) -> LocalId {
        let known = scope.find_innermost(name.name).map(|id| scope.locals[id.0 as usize].name.span);
        self.is_free("variable", name, known);
        self.check_hides_no_parameter(name);
        scope.add(LocalInfo { name, ty })
    }

    pub(super) fn unknown_variable(
        &mut self,
        scope: &mut Scope,
        name: Ident,
        kind: &str,
        hint: Option<String>,
    ) {
        if !scope.is_new_unknown(name.name) {
            return;
        }
        let message = format!("there is no {kind} `{}` here", self.text(name.name));
        let diagnostic = Diagnostic::new(Code::UnknownName, name.span, message);
        let diagnostic = self.suggest(diagnostic, name.name, self.variable_names(scope));
        self.report(hint.into_iter().fold(diagnostic, Diagnostic::hint));
    }
}
