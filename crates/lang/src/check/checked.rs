//! What checking found out: tables beside the tree, indexed like its nodes.

use crate::ids::{EventId, EventSet, FieldId, FunctionId, InterfaceId, MachineId, ParameterId, StateId};
use crate::ir;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::tree::{self, Ident, MachineKind, Temperature, Tree};
use crate::types::{TypeId, Types};
use rapidhash::RapidHashMap;

/// A checked project. Function ids are those of the tree.
#[derive(Debug)]
pub struct Checked {
    pub types: Types,
    pub events: Vec<EventInfo>,
    pub event_ids: RapidHashMap<Name, EventId>,
    pub enums: Vec<EnumInfo>,
    pub parameters: Vec<ParameterInfo>,
    pub interfaces: Vec<InterfaceInfo>,
    pub machines: Vec<MachineInfo>,
    /// Indexed like the tree's functions.
    pub functions: Vec<FunctionInfo>,
    /// The type of each expression.
    pub expr_types: Vec<TypeId>,
    /// What the name in each expression refers to.
    pub expr_resolutions: Vec<Resolution>,
    /// What the name in each statement refers to.
    pub stmt_resolutions: Vec<Resolution>,
    pub tests: Vec<ir::Test>,
}

impl Checked {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            types: Types::default(),
            events: Vec::new(),
            event_ids: RapidHashMap::default(),
            enums: Vec::new(),
            parameters: Vec::new(),
            interfaces: Vec::new(),
            machines: Vec::new(),
            functions: tree.functions.iter().map(|_| FunctionInfo::default()).collect(),
            expr_types: vec![TypeId::ERROR; tree.exprs.len()],
            expr_resolutions: vec![Resolution::None; tree.exprs.len()],
            stmt_resolutions: vec![Resolution::None; tree.stmts.len()],
            tests: Vec::new(),
        }
    }
}

/// A variable of a function: a parameter, a local, or one of a receive case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalId(pub u32);

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    None,
    Local(LocalId),
    Field(FieldId),
    Parameter(ParameterId),
    /// An enum element by its number.
    EnumElement(i64),
    Event(EventId),
    Function(tree::FunctionId),
    Interface(InterfaceId),
    State(StateId),
    /// The position of a field in a named tuple.
    Item(u32),
    /// Something only the verifier can evaluate.
    Verifier,
}

#[derive(Debug)]
pub struct EventInfo {
    pub name: Ident,
    pub payload: TypeId,
}

#[derive(Debug)]
pub struct EnumInfo {
    pub name: Ident,
    pub elements: Vec<(Ident, i64)>,
}

#[derive(Debug)]
pub struct ParameterInfo {
    pub name: Ident,
    pub ty: TypeId,
}

#[derive(Debug)]
pub struct InterfaceInfo {
    pub name: Ident,
    pub payload: TypeId,
    pub receives: EventSet,
    /// The machine whose own interface this is.
    pub machine: Option<MachineId>,
    /// The type of references to it.
    pub ty: TypeId,
}

#[derive(Debug)]
pub struct MachineInfo {
    pub name: Ident,
    pub kind: MachineKind,
    /// Position among the tree's declarations.
    pub declaration: usize,
    pub interface: Option<InterfaceId>,
    pub fields: Vec<(Ident, TypeId)>,
    pub field_ids: RapidHashMap<Name, FieldId>,
    pub functions: RapidHashMap<Name, tree::FunctionId>,
    pub states: Vec<StateInfo>,
    pub state_ids: RapidHashMap<Name, StateId>,
    pub start: Option<StateId>,
    pub receives: EventSet,
    pub sends: EventSet,
    pub observes: EventSet,
    /// What `new` must pass.
    pub payload: TypeId,
    pub creates: Vec<InterfaceId>,
}

impl MachineInfo {
    /// Whether it is a spec or a scenario.
    pub fn is_monitor(&self) -> bool {
        self.kind != MachineKind::Machine
    }
}

#[derive(Debug)]
pub struct StateInfo {
    pub name: Ident,
    pub temperature: Temperature,
    pub entry: Option<tree::FunctionId>,
    pub exit: Option<tree::FunctionId>,
    /// In the order written; no event twice.
    pub handlers: Vec<(EventId, ir::Handler, Span)>,
}

#[derive(Debug)]
pub struct FunctionInfo {
    pub owner: Option<MachineId>,
    pub result: TypeId,
    pub parameters: u32,
    /// Parameters first, then locals, then the variables of receive cases as they come.
    pub locals: Vec<LocalInfo>,
    /// Whether it has no body that can be run: a foreign function, or one that only the verifier understands.
    pub is_foreign: bool,
}

impl Default for FunctionInfo {
    fn default() -> Self {
        Self { owner: None, result: TypeId::NULL, parameters: 0, locals: Vec::new(), is_foreign: false }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LocalInfo {
    pub name: Ident,
    pub ty: TypeId,
}

/// The IR keeps the tree's numbering of functions.
pub(crate) fn ir_function(id: tree::FunctionId) -> FunctionId {
    FunctionId(id.0)
}
