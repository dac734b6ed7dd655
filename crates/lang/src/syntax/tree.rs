//! The syntax tree of a whole project: what was written, with a span on everything and no meaning yet.
//!
//! Nodes live in arenas and refer to each other by id, so a tree of any depth is dropped in one sweep and later stages
//! keep what they learn in side tables indexed by [`ExprId`]. All files of a project share one tree, as they share one
//! namespace. Where the parser recovered from an error it leaves `Error` nodes; a checker stays silent about them.
//!
//! Height: every expression, type, statement and module expression is at most [`MAX_NESTING`] levels high, not counting
//! the left spines of binary operators and chains of `else if`, which can be of any length; whoever walks over trees
//! walks those in a loop.

use crate::names::{Name, Names};
use crate::source::Span;

/// How deeply source constructs may nest.
pub const MAX_NESTING: u32 = 200;

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident in $field:ident : $node:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(pub u32);

            impl std::ops::Index<$id> for Tree {
                type Output = $node;
                fn index(&self, id: $id) -> &$node {
                    &self.$field[id.0 as usize]
                }
            }
        )*
    };
}

ids! {
    ExprId in exprs: Expr;
    StmtId in stmts: Stmt;
    TypeExprId in type_exprs: TypeExpr;
    ModuleExprId in module_exprs: ModuleExpr;
    /// A function with or without a name: handlers written in place are functions too.
    FunctionId in functions: Function;
}

/// The syntax of a project.
#[derive(Debug, Default)]
pub struct Tree {
    pub names: Names,
    pub declarations: Vec<Declaration>,
    pub exprs: Vec<Expr>,
    pub stmts: Vec<Stmt>,
    pub type_exprs: Vec<TypeExpr>,
    pub module_exprs: Vec<ModuleExpr>,
    pub functions: Vec<Function>,
}

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

// ---- declarations ----

#[derive(Debug)]
pub enum Declaration {
    Type(TypeDeclaration),
    Enum(EnumDeclaration),
    Event(EventDeclaration),
    EventSet(EventSetDeclaration),
    Interface(InterfaceDeclaration),
    Machine(MachineDeclaration),
    Function(FunctionId),
    Parameters(VariableDeclaration),
    Module(ModuleDeclaration),
    Test(TestDeclaration),
    Implementation(ImplementationDeclaration),
    /// `pure f(..): T = e;`, the verifier's side-effect-free function. Its body, if any, is the expression.
    Pure(PureDeclaration),
    Invariant(InvariantDeclaration),
    Axiom(ExprId, Span),
    InitCondition(ExprId, Span),
    /// `Lemma L { .. }` and `Theorem T { .. }`.
    InvariantGroup(InvariantGroupDeclaration),
    Proof(ProofDeclaration),
}

/// `type T;` (foreign) or `type T = ..;`.
#[derive(Debug)]
pub struct TypeDeclaration {
    pub name: Ident,
    pub definition: Option<TypeExprId>,
}

#[derive(Debug)]
pub struct EnumDeclaration {
    pub name: Ident,
    pub elements: Vec<EnumElement>,
}

#[derive(Debug)]
pub struct EnumElement {
    pub name: Ident,
    /// The number as written; without numbers, elements count from 0.
    pub value: Option<u32>,
}

#[derive(Debug)]
pub struct EventDeclaration {
    pub name: Ident,
    pub payload: Option<TypeExprId>,
}

#[derive(Debug)]
pub struct EventSetDeclaration {
    pub name: Ident,
    pub events: Vec<Ident>,
}

#[derive(Debug)]
pub struct InterfaceDeclaration {
    pub name: Ident,
    pub payload: Option<TypeExprId>,
    pub receives: Vec<Ident>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineKind {
    Machine,
    Spec,
    /// A coverage monitor: a cold state means that the scenario happened.
    Scenario,
}

#[derive(Debug)]
pub struct MachineDeclaration {
    pub kind: MachineKind,
    pub name: Ident,
    /// Every `receives ..;` clause joined; `None` when there is none, which means all events.
    pub receives: Option<Vec<Ident>>,
    pub sends: Option<Vec<Ident>>,
    /// For specs and scenarios.
    pub observes: Vec<Ident>,
    pub variables: Vec<VariableDeclaration>,
    pub functions: Vec<FunctionId>,
    pub states: Vec<StateDeclaration>,
    pub span: Span,
}

/// `var a, b: T;`, and `param a, b: T;` at top level.
#[derive(Debug)]
pub struct VariableDeclaration {
    pub names: Vec<Ident>,
    pub ty: TypeExprId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Temperature {
    Hot,
    Warm,
    Cold,
}

#[derive(Debug)]
pub struct StateDeclaration {
    pub name: Ident,
    /// The span of the word `start`.
    pub start: Option<Span>,
    pub temperature: Temperature,
    pub items: Vec<StateItem>,
}

#[derive(Debug)]
pub enum StateItem {
    /// `span` is the word `entry`.
    Entry {
        handler: Handler,
        span: Span,
    },
    Exit {
        handler: Handler,
        span: Span,
    },
    Defer(Vec<Ident>),
    Ignore(Vec<Ident>),
    Do {
        events: Vec<Ident>,
        handler: Handler,
    },
    Goto {
        events: Vec<Ident>,
        target: Ident,
        with: Option<Handler>,
    },
}

/// The code of a handler: the name of a function, or a body written in place.
#[derive(Clone, Copy, Debug)]
pub enum Handler {
    Named(Ident),
    Inline(FunctionId),
}

#[derive(Debug)]
pub struct Function {
    /// `None` for handlers written in place.
    pub name: Option<Ident>,
    pub parameters: Vec<Parameter>,
    pub result: Option<TypeExprId>,
    /// `None` for foreign functions.
    pub body: Option<Body>,
    /// `creates I, J` of a foreign function.
    pub creates: Vec<Ident>,
    /// The named result of the verifier's form, `return (x: T);`.
    pub named_result: Option<Parameter>,
    pub requires: Vec<ExprId>,
    pub ensures: Vec<ExprId>,
    /// From `fun` or the first token of a handler to its end.
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: Ident,
    pub ty: TypeExprId,
}

#[derive(Debug)]
pub struct Body {
    pub locals: Vec<VariableDeclaration>,
    pub statements: Vec<StmtId>,
    /// Both braces included.
    pub span: Span,
}

#[derive(Debug)]
pub struct PureDeclaration {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub result: TypeExprId,
    pub body: Option<ExprId>,
}

#[derive(Debug)]
pub struct InvariantDeclaration {
    pub name: Ident,
    pub body: ExprId,
}

#[derive(Debug)]
pub struct InvariantGroupDeclaration {
    pub name: Ident,
    pub invariants: Vec<InvariantDeclaration>,
}

#[derive(Debug)]
pub struct ProofDeclaration {
    pub name: Option<Ident>,
    pub commands: Vec<ProofCommand>,
}

/// `prove goals using premises except excludes;`
#[derive(Debug)]
pub struct ProofCommand {
    pub goals: ProofTargets,
    pub premises: ProofTargets,
    pub excludes: Vec<ExprId>,
    pub span: Span,
}

#[derive(Debug)]
pub enum ProofTargets {
    These(Vec<ExprId>),
    /// `*`
    All,
    /// `default`
    Default,
}

#[derive(Debug)]
pub struct ModuleDeclaration {
    pub name: Ident,
    pub module: ModuleExprId,
}

#[derive(Debug)]
pub struct TestDeclaration {
    pub name: Ident,
    pub main: Ident,
    /// `param (a in [1, 2], ..)`
    pub parameters: Vec<TestParameter>,
    pub assume: Option<ExprId>,
    pub coverage: Option<Coverage>,
    pub module: ModuleExprId,
    /// For `test T [main=M]: A refines B;`.
    pub refines: Option<ModuleExprId>,
    pub span: Span,
}

#[derive(Debug)]
pub struct TestParameter {
    pub name: Ident,
    pub values: Vec<ParameterValue>,
}

#[derive(Clone, Copy, Debug)]
pub struct ParameterValue {
    pub value: Literal,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    Bool(bool),
    Int(i64),
}

/// `pairwise` is `(2 wise)`.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    pub strength: u32,
    pub span: Span,
    /// Whether it was written `pairwise`, which P does not check against the number of parameters.
    pub pairwise: bool,
}

#[derive(Debug)]
pub struct ImplementationDeclaration {
    pub name: Ident,
    pub main: Option<Ident>,
    pub module: ModuleExprId,
    pub span: Span,
}

// ---- types ----

#[derive(Debug)]
pub struct TypeExpr {
    pub kind: TypeExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum TypeExprKind {
    Primitive(Primitive),
    Named(Name),
    Seq(TypeExprId),
    Set(TypeExprId),
    Map(TypeExprId, TypeExprId),
    Tuple(Box<[TypeExprId]>),
    NamedTuple(Box<[Parameter]>),
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    Bool,
    Int,
    Float,
    String,
    Event,
    Machine,
    Data,
    Any,
}

// ---- statements ----

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Block(Box<[StmtId]>),
    Assert {
        condition: ExprId,
        message: Option<ExprId>,
    },
    /// The verifier's `assume`.
    Assume {
        condition: ExprId,
        message: Option<ExprId>,
    },
    Print(ExprId),
    Return(Option<ExprId>),
    Break,
    Continue,
    /// Targets of the four updates are names, fields, tuple positions and indexings, nested.
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// `target += (key, value);`
    Insert {
        target: ExprId,
        key: ExprId,
        value: ExprId,
    },
    /// `target += (value);`
    Add {
        target: ExprId,
        value: ExprId,
    },
    /// `target -= value;`
    Remove {
        target: ExprId,
        value: ExprId,
    },
    While {
        condition: ExprId,
        body: StmtId,
    },
    Foreach {
        item: Ident,
        collection: ExprId,
        invariants: Box<[ExprId]>,
        body: StmtId,
    },
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    New {
        interface: Ident,
        arguments: Box<[ExprId]>,
    },
    Call {
        function: Ident,
        arguments: Box<[ExprId]>,
    },
    Raise {
        event: ExprId,
        arguments: Box<[ExprId]>,
    },
    Send {
        machine: ExprId,
        event: ExprId,
        arguments: Box<[ExprId]>,
    },
    Announce {
        event: ExprId,
        arguments: Box<[ExprId]>,
    },
    Goto {
        state: Ident,
        arguments: Box<[ExprId]>,
    },
    Receive(Box<[ReceiveCase]>),
    /// A lone `;`.
    Empty,
    Error,
}

#[derive(Debug)]
pub struct ReceiveCase {
    pub events: Vec<Ident>,
    pub parameter: Option<Parameter>,
    pub body: Body,
    pub span: Span,
}

// ---- expressions ----

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind {
    Name(Name),
    /// In range: the parser reports larger ones and puts 0.
    Int(u32),
    Float(f64),
    Bool(bool),
    Null,
    Halt,
    This,
    /// `$`, or `$$` when `fair`.
    Nondet {
        fair: bool,
    },
    /// A string literal, escapes resolved, placeholders as written.
    String(Name),
    /// `format("..", arguments)`
    Format {
        text: Name,
        text_span: Span,
        arguments: Box<[ExprId]>,
    },
    Tuple(Box<[ExprId]>),
    NamedTuple(Box<[(Ident, ExprId)]>),
    Field {
        base: ExprId,
        field: Ident,
    },
    /// `base.0`; `index_span` is the number.
    Item {
        base: ExprId,
        index: u32,
        index_span: Span,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    Keys(ExprId),
    Values(ExprId),
    Sizeof(ExprId),
    Default(TypeExprId),
    New {
        interface: Ident,
        arguments: Box<[ExprId]>,
    },
    Call {
        function: Ident,
        arguments: Box<[ExprId]>,
    },
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    /// `operand as ty`
    Cast {
        operand: ExprId,
        ty: TypeExprId,
    },
    /// `operand to ty`
    Convert {
        operand: ExprId,
        ty: TypeExprId,
    },
    /// `choose()` or `choose(from)`
    Choose(Option<ExprId>),
    // The verifier's expressions.
    Quantifier(Box<Quantifier>),
    Is {
        operand: ExprId,
        kind: Ident,
    },
    Targets {
        operand: ExprId,
        target: ExprId,
    },
    InFlight(ExprId),
    Sent(ExprId),
    Error,
}

#[derive(Debug)]
pub struct Quantifier {
    pub universal: bool,
    /// `forall new (e: event) :: ..`
    pub difference: bool,
    pub bound: Vec<Parameter>,
    pub body: ExprId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    In,
    Equal,
    NotEqual,
    And,
    Or,
    Implies,
    Iff,
}

impl BinaryOp {
    pub fn text(self) -> &'static str {
        match self {
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Less => "<",
            Self::Greater => ">",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "&&",
            Self::Or => "||",
            Self::Implies => "==>",
            Self::Iff => "<==>",
        }
    }
}

// ---- modules ----

#[derive(Debug)]
pub struct ModuleExpr {
    pub kind: ModuleExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum ModuleExprKind {
    Bind(Box<[Binding]>),
    Named(Name),
    Union(Box<[ModuleExprId]>),
    Compose(Box<[ModuleExprId]>),
    HideEvents { events: Vec<Ident>, module: ModuleExprId },
    HideInterfaces { interfaces: Vec<Ident>, module: ModuleExprId },
    Assert { specs: Vec<Ident>, module: ModuleExprId },
    Rename { old: Ident, new: Ident, module: ModuleExprId },
    Main { machine: Ident, module: ModuleExprId },
    Error,
}

/// `machine -> interface`; without an arrow the machine's own interface.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub machine: Ident,
    pub interface: Option<Ident>,
}

impl StateDeclaration {
    /// The handlers written in place.
    pub fn inline_handlers(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.items
            .iter()
            .filter_map(|item| match item {
                StateItem::Entry { handler, .. }
                | StateItem::Exit { handler, .. }
                | StateItem::Do { handler, .. } => Some(handler),
                StateItem::Goto { with, .. } => with.as_ref(),
                StateItem::Defer(_) | StateItem::Ignore(_) => None,
            })
            .filter_map(|handler| match handler {
                Handler::Inline(function) => Some(*function),
                Handler::Named(_) => None,
            })
    }
}
