//! What code can see and may do at the place where it is written.

use crate::dice::Dice;
use crate::plan::{FunctionKind, FunctionPlan, Plan};
use crate::types::Ty;

/// Writes code: one value for a whole program, with one scope after the other.
#[derive(Debug)]
pub(crate) struct Coder<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) dice: &'p mut Dice,
    pub(crate) scope: Scope,
    /// Collection types for which a function must be written that makes such a value.
    pub(crate) builders: Vec<Ty>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Global,
    /// By position in the plan.
    Machine(usize),
    Spec(usize),
}

/// What code may do besides computing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    /// Send, announce, create, choose.
    pub(crate) act: bool,
    pub(crate) receive: bool,
    /// Raise and change the state.
    pub(crate) leave: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) is_writable: bool,
}

/// The surroundings of one function.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) owner: Owner,
    pub(crate) rights: Rights,
    pub(crate) variables: Vec<Variable>,
    /// To be declared at the beginning of the body that is being written.
    pub(crate) locals: Vec<(String, Ty)>,
    /// Whether the code being written runs only after fuel was spent, and thus may call functions that act.
    pub(crate) is_paid: bool,
    /// Whether `return;` is allowed.
    pub(crate) may_return: bool,
    /// Whether this is a function with a name. Those of machines call only those outside, which call none, so that
    /// nothing calls itself without counting down.
    pub(crate) is_function: bool,
    /// The number of cases of `receive` around.
    pub(crate) receives: usize,
    /// How many machines the code may still create.
    pub(crate) creations: usize,
    names: usize,
}

impl Scope {
    pub(crate) fn new(owner: Owner, rights: Rights) -> Self {
        Self {
            owner,
            rights,
            variables: Vec::new(),
            locals: Vec::new(),
            is_paid: false,
            may_return: false,
            is_function: false,
            receives: 0,
            creations: 0,
            names: 0,
        }
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, ty: Ty, is_writable: bool) {
        self.variables.push(Variable { name: name.into(), ty, is_writable });
    }
}

impl<'p> Coder<'p> {
    pub(crate) fn new(plan: &'p Plan, dice: &'p mut Dice) -> Self {
        let scope = Scope::new(Owner::Global, Rights::default());
        Self { plan, dice, scope, builders: Vec::new() }
    }

    /// Begins a function of the owner.
    pub(crate) fn begin(&mut self, owner: Owner, rights: Rights) {
        self.scope = Scope::new(owner, rights);
        let fields = match owner {
            Owner::Global => &[][..],
            Owner::Machine(at) => &self.plan.machines[at].fields,
            Owner::Spec(at) => &self.plan.specs[at].fields,
        };
        for (name, ty) in fields {
            self.scope.add(name, ty.clone(), name != "fuel" && name != "peer");
        }
        if self.plan.has_knob {
            self.scope.add("knob", Ty::Int, false);
        }
    }

    /// A new local variable, declared where the body begins.
    pub(crate) fn local(&mut self, ty: &Ty, is_writable: bool) -> String {
        self.scope.names += 1;
        let name = format!("v{}", self.scope.names);
        self.scope.locals.push((name.clone(), ty.clone()));
        self.scope.add(&name, ty.clone(), is_writable);
        name
    }

    /// A name for the payload of a `receive`, declared nowhere else.
    pub(crate) fn parameter_name(&mut self) -> String {
        self.scope.names += 1;
        format!("p{}", self.scope.names)
    }

    /// A body with its local variables: `write` gives the statements. What it declares is forgotten afterwards.
    pub(crate) fn body(&mut self, write: impl FnOnce(&mut Self) -> Vec<String>) -> Vec<String> {
        let outer_locals = std::mem::take(&mut self.scope.locals);
        let visible = self.scope.variables.len();
        for _ in 0..self.dice.weighted(&[(3, 0), (2, 1), (1, 2)]) {
            let ty = Ty::random(self.dice);
            self.local(&ty, true);
        }
        let statements = write(self);
        self.scope.variables.truncate(visible);
        let locals = std::mem::replace(&mut self.scope.locals, outer_locals);
        locals.into_iter().map(|(name, ty)| format!("var {name}: {ty};")).chain(statements).collect()
    }

    /// Functions that code here may call. Those outside machines that act spend no fuel: whoever calls them has paid.
    pub(crate) fn callable(&self) -> Vec<FunctionPlan> {
        let own = match self.scope.owner {
            Owner::Machine(at) if !self.scope.is_function => &self.plan.machines[at].functions[..],
            Owner::Spec(at) if !self.scope.is_function => &self.plan.specs[at].functions[..],
            _ => &[],
        };
        let outside = match self.scope.owner {
            Owner::Global => &[],
            _ => &self.plan.functions[..],
        };
        let may_act = self.scope.rights.act && self.scope.rights.receive && self.scope.is_paid;
        let may_leave = self.scope.rights.leave && self.scope.is_paid;
        let own = own.iter().filter(|function| may_leave || function.kind != FunctionKind::Handler);
        let outside = outside.iter().filter(|function| may_act || function.kind != FunctionKind::Acting);
        own.chain(outside).cloned().collect()
    }
}

/// Puts a block around lines.
pub(crate) fn block(header: impl Into<String>, lines: Vec<String>) -> Vec<String> {
    let header: String = header.into();
    let inner = lines.into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{header} {{")).chain(inner).chain(std::iter::once("}".to_owned())).collect()
}
