//! What can be wrong with a program under test, as a value.

use fabius_lang::source::{Span, counted};

/// An error of the program under test: what happened, to whom, and where in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bug {
    pub kind: BugKind,
    /// The machine's name and number as `print` shows them, or the monitor's name.
    pub machine: String,
    /// The state it was in.
    pub state: Option<String>,
    /// The event that the bug is about.
    pub event: Option<String>,
    /// One sentence that stands alone.
    pub message: String,
    /// The statement or declaration at fault; `Span::default()` when there is none.
    pub span: Span,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal,)*) => {
        /// The kinds of bugs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BugKind {
            $($(#[$doc])* $kind,)*
        }

        impl BugKind {
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The kind's name in results and fixtures.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                }
            }
        }
    };
}

kinds! {
    Assertion = "assertion",
    /// A machine got an event that its state neither handles, defers nor ignores.
    UnhandledEvent = "unhandled-event",
    /// A monitor observed an event that its state neither handles nor ignores.
    UnhandledObservation = "unhandled-observation",
    /// Nothing can move, and a machine waits in `receive`.
    Deadlock = "deadlock",
    /// The run ended with a spec in a hot state.
    HotAtEnd = "hot-at-end",
    /// A value does not have the type that `as`, `to`, a parameter or a field name asks for.
    BadCast = "bad-cast",
    IndexOutOfRange = "index-out-of-range",
    MissingKey = "missing-key",
    /// `map += (key, value)` for a key that is there already.
    DuplicateKey = "duplicate-key",
    /// Also the smallest integer divided by -1, which has no result.
    DivisionByZero = "division-by-zero",
    NullTarget = "null-target",
    NullEvent = "null-event",
    /// An event outside `sends`, or outside what the target's reference may be sent; a machine outside `creates`.
    NotPermitted = "not-permitted",
    ChooseEmpty = "choose-empty",
    /// More than 10,000 alternatives.
    ChooseTooMany = "choose-too-many",
    ChooseNegative = "choose-negative",
    /// A null where a collection or tuple is needed.
    NullDereference = "null-dereference",
    /// `raise`, `goto` or a received `halt` while a state is being left.
    TransitionInExit = "transition-in-exit",
    /// The limit on instructions.
    EndlessLoop = "endless-loop",
    /// The limit on calls.
    StackOverflow = "stack-overflow",
    QueueTooLong = "queue-too-long",
    ValueTooLarge = "value-too-large",
    TooManyMachines = "too-many-machines",
    /// A foreign function failed, or returned what it must not.
    Foreign = "foreign",
    /// A monitor did what only machines may do. No program that passed the checks of the front end does.
    NotInMonitor = "not-in-monitor",
}

impl BugKind {
    /// Whether this is no error of the program but a bound of ours: the run could go on.
    pub fn is_bound(self) -> bool {
        matches!(self, Self::QueueTooLong | Self::TooManyMachines)
    }
}

impl std::fmt::Display for BugKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

/// What went wrong inside an operation, before it is known where that is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: BugKind,
    pub(crate) message: String,
    pub(crate) event: Option<String>,
}

/// The result of an operation that the program under test can get wrong.
pub(crate) type Fallible<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(kind: BugKind, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, message: message.into(), event: None })
    }

    pub(crate) fn about(kind: BugKind, message: impl Into<String>, event: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, message: message.into(), event: Some(event.into()) })
    }

    pub(crate) fn null(needed: &str) -> Box<Self> {
        Self::new(BugKind::NullDereference, format!("null where {needed} is needed"))
    }
}

/// What is said of the limit on machines, wherever it is met.
pub(crate) fn too_many_machines(limit: u32) -> String {
    let verb = if limit == 1 { "was" } else { "were" };
    format!("more than {} {verb} created", counted(u64::from(limit), "machine"))
}
