//! The intermediate representation: small, explicit, typed.

mod instructions;
mod lower;
mod program;

pub use instructions::{
    BinaryOp, ChooseFrom, Constant, Instruction, Label, Operand, Place, Projection, ReceiveCase, Register,
    Root, UnaryOp,
};
pub use lower::lower;
pub use program::{
    Enum, EnumElement, Event, Field, Function, Handler, Interface, Link, Machine, MonitorAttachment,
    Parameter, Program, RegisterInfo, State, Test, TestKind,
};
