//! The intermediate representation: small, explicit, typed.

mod attach;
mod blocks;
mod dataflow;
mod instructions;
mod liveness;
mod lower;
mod program;
mod register_set;
#[cfg(test)]
mod tests;
pub mod text;
mod verify;

pub use dataflow::Successor;
pub use instructions::{
    BinaryOp, ChooseFrom, Constant, Instruction, Label, Operand, Place, Projection, ReceiveCase, Register,
    Root, UnaryOp,
};
pub use liveness::{Liveness, insert_moves};
pub use lower::lower;
pub use program::{
    Enum, EnumElement, Event, Field, Function, Handler, Interface, Link, Machine, MonitorAttachment,
    Parameter, Program, RegisterInfo, State, Test, TestKind,
};
pub use register_set::RegisterSet;
pub use verify::{Rule, Subject, Violation, verify};
