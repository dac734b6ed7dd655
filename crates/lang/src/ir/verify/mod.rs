//! The verifier: what holds of every lowered program, so that whatever runs it need not ask.
//!
//! The rules; every index is checked before it is used, so that any program whatever can be verified:
//!
//! Everywhere
//! - `in-range`: every index names something: names, types, declarations, the owner's fields and states, registers,
//!   labels; a function's parameters are among its registers.
//! - `type-table`: the parts of a type stand before it in the table, and are not nested too deep to be compared.
//!   Where this or `in-range` fails within the table, nothing else is looked at.
//! - `no-error-type`: nothing has the type of what was already reported, or a type made of it.
//! - `built-in-events`: the first two events are `null` and `halt`.
//! - `enum-elements`: an enum has elements.
//! - `function-names`: no two functions have the same name.
//!
//! Machines
//! - `start-state`: a machine has its start state.
//! - `handler-order`: a state's reactions are in order of event, at most one for each.
//! - `reaction-owner`: entry, exit and handler functions belong to the machine.
//! - `reaction-parameters`: entry and handler functions take at most one argument, exit functions none.
//! - `creates-order`: the interfaces that a machine creates are in order, each once.
//! - `spec-code`: specs and scenarios, and the functions they call, do not `send`, `announce`, `new`, `choose`,
//!   `receive` or use `this`.
//!
//! Functions
//! - `code-present`: a function has code, a foreign one has none.
//! - `code-end`: code does not end with an instruction that would go on behind the end.
//! - `spans`: there is a span for each instruction.
//! - `owner`: fields and states are used only in functions that belong to a machine.
//! - `this-in-machine`: `this` is used only in functions that belong to a machine.
//! - `operand-type`: each operand has a type that the instruction can use.
//! - `result-type`: the register written can hold the result.
//! - `tuple-shape`: tuples are built with as many items as their type has, and asked for items they have.
//! - `place-type`: changed places lead through tuples, sequences and maps, to what the change wants.
//! - `enum-constant`: the number of an enum constant is one of its type's elements.
//! - `format-arguments`: each placeholder `{n}` has its argument.
//! - `call-owner`: functions of a machine are called only by functions of the same machine.
//! - `call-arguments`: a call has an argument for each parameter, of a type that fits.
//! - `return-value`: what is returned fits the function's result; nothing is returned only where `null` fits.
//! - `new-payload`: the payload of `new` fits the interface's; it is absent only where `null` fits.
//! - `new-listed`: a machine creates only interfaces that it lists.
//! - `receive-cases`: each case has events, no event has two cases, and the payload register can hold each payload.
//! - `goto-payload`: a payload of `goto` fits the parameter of the state's entry function.
//! - `moved-value`: no path reads a register whose value was moved away and not written since.
//!
//! Tests
//! - `test-bindings`: there is an entry for each interface, of a machine that is no spec; the main interface is bound.
//! - `test-links`: links are in order, at most one for each creator and requested interface.
//! - `test-closed`: what a bound machine creates is bound, after following the links.
//! - `test-monitors`: monitors are specs or scenarios.
//! - `test-parameters`: parameters have values of their types.

mod code;
mod declarations;
mod fit;
mod moves;
mod table;
#[cfg(test)]
mod tests;
mod types;

use super::Program;
use super::text::{print_function_name, print_instruction};
use crate::ids::{
    EnumId, EventId, EventSet, FunctionId, InterfaceId, MachineId, ParameterId, StateId, TestId,
};
use crate::names::Name;
use crate::types::{Origin, PermissionId, Type, TypeId};
use rapidhash::RapidHashMap;

macro_rules! rules {
    ($($rule:ident $name:literal,)*) => {
        /// The rules that are listed at the top of this file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $($rule,)*
        }

        impl Rule {
            pub const ALL: &[Self] = &[$(Self::$rule,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    InRange "in-range",
    TypeTable "type-table",
    NoErrorType "no-error-type",
    BuiltInEvents "built-in-events",
    EnumElements "enum-elements",
    FunctionNames "function-names",
    StartState "start-state",
    HandlerOrder "handler-order",
    ReactionOwner "reaction-owner",
    ReactionParameters "reaction-parameters",
    CreatesOrder "creates-order",
    SpecCode "spec-code",
    CodePresent "code-present",
    CodeEnd "code-end",
    Spans "spans",
    Owner "owner",
    ThisInMachine "this-in-machine",
    OperandType "operand-type",
    ResultType "result-type",
    TupleShape "tuple-shape",
    PlaceType "place-type",
    EnumConstant "enum-constant",
    FormatArguments "format-arguments",
    CallOwner "call-owner",
    CallArguments "call-arguments",
    ReturnValue "return-value",
    NewPayload "new-payload",
    NewListed "new-listed",
    ReceiveCases "receive-cases",
    GotoPayload "goto-payload",
    MovedValue "moved-value",
    TestBindings "test-bindings",
    TestLinks "test-links",
    TestClosed "test-closed",
    TestMonitors "test-monitors",
    TestParameters "test-parameters",
}

/// What a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    Type(TypeId),
    Permission(PermissionId),
    Event(EventId),
    Enum(EnumId),
    Parameter(ParameterId),
    Interface(InterfaceId),
    Machine(MachineId),
    State(MachineId, StateId),
    Function(FunctionId),
    /// An instruction by its position.
    Instruction(FunctionId, usize),
    Test(TestId),
    Program,
}

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    pub subject: Subject,
    /// A sentence about what is wrong.
    pub message: String,
}

impl Violation {
    /// The violation for people: what it is about in words, as far as it has names.
    pub fn describe(&self, program: &Program) -> String {
        let place = match self.subject {
            Subject::Function(id) => print_function_name(program, id),
            Subject::Instruction(id, at) => {
                format!(
                    "{}, instruction {at} `{}`",
                    print_function_name(program, id),
                    print_instruction(program, id, at)
                )
            }
            other => format!("{other:?}"),
        };
        format!("{place}: {} [{}]", self.message, self.rule.name())
    }
}

/// Everything that breaks a rule.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut verifier = Verifier::new(program);
    verifier.type_table();
    if verifier.violations.is_empty() {
        verifier.declarations();
        verifier.functions();
        verifier.tests();
    }
    verifier.violations
}

struct Verifier<'p> {
    program: &'p Program,
    /// For each type whether it is, or is made of, the type of what was already reported.
    has_error: Vec<bool>,
    /// The interfaces by name: a machine's own one has its name.
    interfaces: RapidHashMap<Name, InterfaceId>,
    /// The permission type of each interface.
    interface_types: RapidHashMap<InterfaceId, TypeId>,
    violations: Vec<Violation>,
}

impl<'p> Verifier<'p> {
    fn new(program: &'p Program) -> Self {
        let interfaces = program.interfaces.iter().enumerate();
        let permission = |(id, ty): (TypeId, &Type)| match ty {
            Type::Permission(permission) => {
                match program.types.permissions().get(permission.0 as usize)?.origin {
                    Origin::Interface(interface) => Some((interface, id)),
                    _ => None,
                }
            }
            _ => None,
        };
        Self {
            program,
            has_error: Vec::new(),
            interfaces: interfaces.map(|(at, interface)| (interface.name, InterfaceId(at as u32))).collect(),
            interface_types: program.types.iter().filter_map(permission).collect(),
            violations: Vec::new(),
        }
    }

    fn report(&mut self, rule: Rule, subject: Subject, message: impl Into<String>) {
        self.violations.push(Violation { rule, subject, message: message.into() });
    }

    /// Whether the index is below the length of what it indexes.
    fn in_range(&mut self, subject: Subject, kind: &str, index: u32, length: usize) -> bool {
        let is_in_range = (index as usize) < length;
        if !is_in_range {
            self.report(Rule::InRange, subject, format!("there is no {kind} #{index}"));
        }
        is_in_range
    }

    fn name(&mut self, subject: Subject, name: Name) -> bool {
        self.in_range(subject, "name", name.0, self.program.names.len())
    }

    fn event(&mut self, subject: Subject, event: EventId) -> bool {
        self.in_range(subject, "event", event.0, self.program.events.len())
    }

    fn event_set(&mut self, subject: Subject, events: &EventSet) {
        if let Some(event) = events.iter().find(|event| event.index() >= self.program.events.len()) {
            self.event(subject, event);
        }
    }

    fn interface(&mut self, subject: Subject, interface: InterfaceId) -> bool {
        self.in_range(subject, "interface", interface.0, self.program.interfaces.len())
    }

    fn machine(&mut self, subject: Subject, machine: MachineId) -> bool {
        self.in_range(subject, "machine", machine.0, self.program.machines.len())
    }

    fn parameter(&mut self, subject: Subject, parameter: ParameterId) -> bool {
        self.in_range(subject, "parameter", parameter.0, self.program.parameters.len())
    }

    fn ty(&mut self, subject: Subject, ty: TypeId) -> bool {
        let exists = self.in_range(subject, "type", ty.0, self.has_error.len());
        if exists && self.has_error[ty.0 as usize] {
            let message = "this has the type of what was already reported, or one made of it";
            self.report(Rule::NoErrorType, subject, message);
        }
        exists
    }

    fn type_exists(&self, ty: TypeId) -> bool {
        (ty.0 as usize) < self.has_error.len()
    }

    /// The type, if it exists.
    fn shape(&self, ty: TypeId) -> Option<&'p Type> {
        self.type_exists(ty).then(|| self.program.types.get(ty))
    }

    /// Whether a place of type `to` can hold a value of type `from`. Types that do not exist fit everywhere: they are
    /// reported where they are declared.
    fn fits(&self, to: TypeId, from: TypeId) -> bool {
        !self.type_exists(to) || !self.type_exists(from) || self.program.types.is_assignable(to, from)
    }

    /// A type for a message.
    fn show(&self, ty: TypeId) -> String {
        match self.type_exists(ty) {
            true => format!("`{}`", self.program.display_type(ty)),
            false => format!("type #{}", ty.0),
        }
    }
}
