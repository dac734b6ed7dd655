//! A checked, lowered program: everything that can run, and nothing that was only notation.
//!
//! Indices are positions: `EventId(2)` is `events[2]`. Events 0 and 1 are the built-in `null` and `halt`.

use super::{Constant, Instruction, Register};
use crate::ids::{
    EnumId, EventId, EventSet, FieldId, FunctionId, InterfaceId, MachineId, ParameterId, StateId, TestId,
};
use crate::names::{Name, Names};
use crate::source::Span;
use crate::syntax::tree::{MachineKind, Temperature};
use crate::types::{TypeId, Types};

#[derive(Debug, Default)]
pub struct Program {
    pub names: Names,
    pub types: Types,
    pub events: Vec<Event>,
    pub enums: Vec<Enum>,
    pub parameters: Vec<Parameter>,
    pub interfaces: Vec<Interface>,
    pub machines: Vec<Machine>,
    pub functions: Vec<Function>,
    pub tests: Vec<Test>,
}

#[derive(Debug)]
pub struct Event {
    pub name: Name,
    /// `TypeId::NULL` for events without payload.
    pub payload: TypeId,
    pub span: Span,
}

#[derive(Debug)]
pub struct Enum {
    pub name: Name,
    pub elements: Vec<EnumElement>,
}

#[derive(Debug)]
pub struct EnumElement {
    pub name: Name,
    pub value: i64,
}

/// A global test parameter.
#[derive(Debug)]
pub struct Parameter {
    pub name: Name,
    pub ty: TypeId,
}

#[derive(Debug)]
pub struct Interface {
    pub name: Name,
    /// The type of the value that `new` passes.
    pub payload: TypeId,
    pub receives: EventSet,
}

#[derive(Debug)]
pub struct Machine {
    pub name: Name,
    pub kind: MachineKind,
    pub fields: Vec<Field>,
    pub states: Vec<State>,
    pub start: StateId,
    pub receives: EventSet,
    pub sends: EventSet,
    /// Interfaces that the machine's code may create, in order of index.
    pub creates: Vec<InterfaceId>,
    /// Events that a spec or scenario observes.
    pub observes: EventSet,
    pub span: Span,
}

#[derive(Debug)]
pub struct Field {
    pub name: Name,
    pub ty: TypeId,
}

#[derive(Debug)]
pub struct State {
    pub name: Name,
    pub temperature: Temperature,
    pub entry: Option<FunctionId>,
    pub exit: Option<FunctionId>,
    /// Reactions in order of event; an event without one cannot be handled here.
    pub handlers: Vec<(EventId, Handler)>,
    /// Where the reactions are written, in the same order; none in a program that was read from its text form.
    pub handler_spans: Vec<Span>,
    pub span: Span,
}

impl State {
    pub fn handler(&self, event: EventId) -> Option<&Handler> {
        Some(&self.handlers[self.handler_position(event)?].1)
    }

    /// The position of the reaction to an event.
    pub fn handler_position(&self, event: EventId) -> Option<usize> {
        self.handlers.binary_search_by_key(&event, |(event, _)| *event).ok()
    }

    /// Where the reaction at a position is written, or else the state.
    pub fn handler_span(&self, position: usize) -> Span {
        self.handler_spans.get(position).copied().unwrap_or(self.span)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    Defer,
    Ignore,
    Do(FunctionId),
    /// `with` runs between the exit of this state and the entry of `target`.
    Goto {
        target: StateId,
        with: Option<FunctionId>,
    },
}

#[derive(Debug)]
pub struct Function {
    /// Unique in the program: `Server.onRequest`, `Server.Busy.entry`, `Max`.
    pub name: Name,
    pub owner: Option<MachineId>,
    /// The first `parameters` registers hold the arguments at the start of a call; the others hold the default value of
    /// their type.
    pub parameters: u32,
    pub registers: Vec<RegisterInfo>,
    /// `TypeId::NULL` for functions without a result.
    pub result: TypeId,
    /// Empty for foreign functions.
    pub code: Vec<Instruction>,
    /// The place of each instruction.
    pub spans: Vec<Span>,
    pub is_foreign: bool,
    pub span: Span,
}

impl Function {
    pub fn register_type(&self, register: Register) -> TypeId {
        self.registers[register.index()].ty
    }
}

#[derive(Clone, Copy, Debug)]
pub struct RegisterInfo {
    pub ty: TypeId,
    /// The variable it stands for; `None` for intermediate values.
    pub name: Option<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    Test,
    Implementation,
    /// Synthesised because there is a machine `Main` and neither a test nor an implementation.
    Default,
}

/// Something that can be run: a closed module with a main machine.
#[derive(Debug)]
pub struct Test {
    /// With the values of its parameters: `tcFailures___nodes_3__lossy_true`.
    pub name: String,
    pub kind: TestKind,
    pub main: InterfaceId,
    pub parameters: Vec<(ParameterId, Constant)>,
    /// Which machine implements each interface; `None` for interfaces outside the module. Indexed by `InterfaceId`.
    pub bindings: Vec<Option<MachineId>>,
    /// What `new I` means inside each interface's machine, where it is not `I` itself, ordered.
    pub links: Vec<Link>,
    pub monitors: Vec<MonitorAttachment>,
    pub span: Span,
}

/// Machines behind `creator` that ask for `requested` get `created`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub creator: InterfaceId,
    pub requested: InterfaceId,
    pub created: InterfaceId,
}

/// A spec or scenario and the interfaces whose sends and announcements it observes.
#[derive(Debug)]
pub struct MonitorAttachment {
    pub monitor: MachineId,
    pub observed: Vec<InterfaceId>,
}

macro_rules! index {
    ($($id:ident $field:ident $item:ty;)*) => {
        $(impl std::ops::Index<$id> for Program {
            type Output = $item;
            fn index(&self, id: $id) -> &$item {
                &self.$field[id.index()]
            }
        })*
    };
}

index! {
    EventId events Event;
    EnumId enums Enum;
    ParameterId parameters Parameter;
    InterfaceId interfaces Interface;
    MachineId machines Machine;
    FunctionId functions Function;
    TestId tests Test;
}

impl std::ops::Index<StateId> for Machine {
    type Output = State;
    fn index(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }
}

impl std::ops::Index<FieldId> for Machine {
    type Output = Field;
    fn index(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }
}

impl Program {
    pub fn name(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// A type as people write it.
    pub fn display_type(&self, id: TypeId) -> String {
        self.types.display(id, &self.names, &|id| self[id].name)
    }
}
