//! The instructions: what a machine's code can do, one thing each.
//!
//! Code is a list of instructions over the registers of one call; jumps name positions in the list. The *visible*
//! actions are those that other machines, monitors or the scheduler can notice: [`Instruction::is_visible`]. `&&` and
//! `||` do not exist here, they are branches.
//!
//! An [`Operand`] reads a register, and *moves* it when the value is not needed any more: the register is then empty
//! until it is written again. Moving lets a collection be changed in place instead of being copied first, and
//! keeps dead values out of the states that a search compares.

use crate::ids::{EventId, FieldId, FunctionId, InterfaceId, ParameterId, StateId};
use crate::names::Name;
use crate::types::TypeId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

impl Register {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position in a function's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

impl Label {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A use of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    pub register: Register,
    /// Whether this is the last use of the value.
    pub is_move: bool,
}

impl Operand {
    pub fn copy(register: Register) -> Self {
        Self { register, is_move: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(Name),
    Event(EventId),
    /// An enum element is its number.
    Enum(i64),
    /// The default value of a type.
    Default(TypeId),
}

/// A place that can be changed: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub root: Root,
    /// From the outside in.
    pub path: Box<[Projection]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Register(Register),
    Field(FieldId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// A position of a tuple, named or not.
    Item(u32),
    /// An element of a sequence or the value of a map's key.
    Index(Operand),
}

// Its kind is a number of its own, not hidden in a field: interpreters ask for it all the time.
#[repr(u8)]
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    // Values.
    Const {
        to: Register,
        value: Constant,
    },
    Copy {
        to: Register,
        from: Operand,
    },
    LoadField {
        to: Register,
        field: FieldId,
    },
    LoadParameter {
        to: Register,
        parameter: ParameterId,
    },
    This {
        to: Register,
    },
    Unary {
        op: UnaryOp,
        to: Register,
        operand: Operand,
    },
    Binary {
        op: BinaryOp,
        to: Register,
        lhs: Operand,
        rhs: Operand,
    },
    /// A tuple, named or not; the type is the register's.
    Tuple {
        to: Register,
        items: Box<[Operand]>,
    },
    Item {
        to: Register,
        base: Operand,
        index: u32,
    },
    /// The element at a position of a sequence or set.
    Element {
        to: Register,
        base: Operand,
        index: Operand,
    },
    /// The value of a map's key.
    Lookup {
        to: Register,
        base: Operand,
        key: Operand,
    },
    /// Membership in a sequence, set or a map's keys.
    Contains {
        to: Register,
        item: Operand,
        collection: Operand,
    },
    /// `operand as ty`: fails at run time when the outermost shape does not fit.
    Cast {
        to: Register,
        operand: Operand,
        ty: TypeId,
    },
    /// `machine to Interface`: fails at run time when the reference does not permit all that the interface receives.
    Permit {
        to: Register,
        operand: Operand,
        interface: InterfaceId,
    },
    /// Replaces `{n}` by the text of the n-th argument, and doubled braces by single ones.
    Format {
        to: Register,
        text: Name,
        arguments: Box<[Operand]>,
    },

    // Changes of places.
    Assign {
        place: Place,
        value: Operand,
    },
    /// `place += (key, value)` on a sequence (insert at) or map (add a new key).
    Insert {
        place: Place,
        key: Operand,
        value: Operand,
    },
    /// `place += (value)` on a set.
    Add {
        place: Place,
        value: Operand,
    },
    /// `place -= key` on a sequence (remove at), set or map.
    Remove {
        place: Place,
        key: Operand,
    },

    // Control.
    Jump(Label),
    Branch {
        condition: Operand,
        then: Label,
        otherwise: Label,
    },
    Call {
        to: Option<Register>,
        function: FunctionId,
        arguments: Box<[Operand]>,
    },
    Return(Option<Operand>),

    // Visible actions.
    Assert {
        condition: Operand,
        message: Option<Operand>,
    },
    Print {
        message: Operand,
    },
    Send {
        target: Operand,
        event: Operand,
        payload: Option<Operand>,
    },
    Announce {
        event: Operand,
        payload: Option<Operand>,
    },
    New {
        to: Option<Register>,
        interface: InterfaceId,
        payload: Option<Operand>,
    },
    Choose {
        to: Register,
        from: ChooseFrom,
    },
    /// Waits for one of the listed events; `halt` always ends the machine unless it is listed.
    Receive {
        cases: Box<[ReceiveCase]>,
    },
    Goto {
        state: StateId,
        payload: Option<Operand>,
    },
    Raise {
        event: Operand,
        payload: Option<Operand>,
    },
    /// `raise halt`
    Halt,
}

/// What a nondeterministic choice ranges over, smallest or first alternative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChooseFrom {
    /// `$`, `choose()`; `$$` when fair.
    Bool { fair: bool },
    /// 0 up to, not including, the operand.
    Below(Operand),
    /// The elements of a sequence or set, or the keys of a map.
    Elements(Operand),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveCase {
    pub events: Box<[EventId]>,
    /// Where the payload goes.
    pub payload: Option<Register>,
    pub target: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    NegateInt,
    NegateFloat,
    IntToFloat,
    /// Truncates.
    FloatToInt,
    EnumToInt,
    Sizeof,
    Keys,
    Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    AddInt,
    SubtractInt,
    MultiplyInt,
    DivideInt,
    RemainderInt,
    AddFloat,
    SubtractFloat,
    MultiplyFloat,
    DivideFloat,
    RemainderFloat,
    Concatenate,
    Equal,
    NotEqual,
    LessInt,
    LessOrEqualInt,
    LessFloat,
    LessOrEqualFloat,
    LessString,
    LessOrEqualString,
}

impl Instruction {
    /// Whether others can notice the instruction, or the scheduler or environment decides how it goes on.
    pub fn is_visible(&self) -> bool {
        matches!(
            self,
            Self::Assert { .. }
                | Self::Print { .. }
                | Self::Send { .. }
                | Self::Announce { .. }
                | Self::New { .. }
                | Self::Choose { .. }
                | Self::Receive { .. }
                | Self::Goto { .. }
                | Self::Raise { .. }
                | Self::Halt
        )
    }

    /// Whether control never reaches the next instruction of the list by itself.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Self::Jump(_)
                | Self::Branch { .. }
                | Self::Return(_)
                | Self::Receive { .. }
                | Self::Goto { .. }
                | Self::Raise { .. }
                | Self::Halt
        )
    }
}
