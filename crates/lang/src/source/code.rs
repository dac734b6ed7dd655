//! The stable codes of diagnostics. A code, once published, keeps its meaning; every one has a fixture.

use super::Severity;

macro_rules! codes {
    ($($variant:ident $severity:ident $text:literal $meaning:literal;)*) => {
        /// What kind of finding a diagnostic is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as users see it.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// One line on what the code means.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }
        }
    };
}

impl Code {
    /// Whether a part of the text could not be understood, so that declarations may be missing.
    pub fn is_about_text(self) -> bool {
        matches!(
            self,
            Self::InvalidCharacter
                | Self::UnterminatedString
                | Self::UnterminatedComment
                | Self::SyntaxError
                | Self::NestedTooDeeply
                | Self::RetiredSyntax
        )
    }
}

codes! {
    // The project.
    NoSuchPath Error "no-such-path" "a path on the command line does not exist";
    MissingInput Warning "missing-input" "a project file lists a file or folder that does not exist";
    UnreadableFile Error "unreadable-file" "a file exists but cannot be read";
    InvalidUtf8 Error "invalid-utf8" "a source file is not UTF-8 text";
    ProjectTooLarge Error "project-too-large" "the sources exceed four gigabytes";
    InvalidProjectFile Error "invalid-project-file" "a .pproj file is not the XML that P expects";
    MissingInclude Error "missing-include" "an included project does not exist";
    CircularInclude Warning "circular-include" "projects include each other";
    AmbiguousProject Error "ambiguous-project" "a folder with several project files";
    IgnoredEntry Warning "ignored-entry" "a part of a project file that means nothing to P";
    EmptyProject Error "empty-project" "there is no P source file";
    IgnoredTarget Note "ignored-target" "a project names a back end that Fabius does not know";

    // Text and grammar.
    InvalidCharacter Error "invalid-character" "a character that P does not use";
    UnterminatedString Error "unterminated-string" "a string without its closing quote";
    UnterminatedComment Error "unterminated-comment" "a comment without its end";
    LiteralOutOfRange Error "literal-out-of-range" "a number too large for its type";
    SyntaxError Error "syntax-error" "text that the grammar does not allow here";
    NestedTooDeeply Error "nested-too-deeply" "an expression, type, statement or module nested beyond the limit, or a type too large";
    RetiredSyntax Error "retired-syntax" "syntax of older versions of P";
    InvalidAssignmentTarget Error "invalid-assignment-target" "the left side of an assignment is not a place";

    // Names.
    DuplicateDeclaration Error "duplicate-declaration" "two declarations of one name";
    UnknownEvent Error "unknown-event" "no event of that name";
    UnknownType Error "unknown-type" "no type of that name";
    UnknownName Error "unknown-name" "no variable, enum element or event of that name";
    UnknownFunction Error "unknown-function" "no function of that name";
    UnknownState Error "unknown-state" "no state of that name in the machine";
    UnknownMachine Error "unknown-machine" "no machine or interface of that name";
    UnknownModule Error "unknown-module" "no module of that name";
    UnknownSpec Error "unknown-spec" "no spec of that name";
    UnknownField Error "unknown-field" "no field of that name";
    UnknownParameter Error "unknown-parameter" "no test parameter of that name";
    CircularType Error "circular-type" "a type defined through itself";
    CircularModule Error "circular-module" "a module defined through itself";
    DuplicateField Error "duplicate-field" "two fields of one name in a named tuple";
    DuplicateHandler Error "duplicate-handler" "two reactions to one event in a state";
    DuplicateStartState Error "duplicate-start-state" "two start states in a machine";
    MissingStartState Error "missing-start-state" "a machine without a start state";
    ReadOnlyParameter Error "read-only-parameter" "an assignment to a test parameter";
    EventSetAsEvent Error "event-set-as-event" "the name of an event set where P expects events";

    // Types.
    MismatchedTypes Error "mismatched-types" "a value of another type than the place wants";
    IncomparableTypes Error "incomparable-types" "a comparison or cast between unrelated types";
    InvalidOperands Error "invalid-operands" "an operator applied to types it does not take";
    WrongArgumentCount Error "wrong-argument-count" "too many or too few arguments";
    TupleIndexOutOfRange Error "tuple-index-out-of-range" "a tuple has no such position";
    InvalidConversion Error "invalid-conversion" "`to` a type that it cannot convert to";
    InvalidChoose Error "invalid-choose" "`choose` over something it cannot choose from";
    InvalidFormat Error "invalid-format" "a string whose braces are not placeholders";
    NullEvent Error "null-event" "an attempt to send, raise or announce no event";

    // Functions, handlers and statements.
    HandlerParameters Error "handler-parameters" "a handler with more parameters than allowed";
    GlobalHandler Error "global-handler" "a global or foreign function used as a handler";
    MissingReturn Error "missing-return" "a path through a function that returns no value";
    LeavesFunctionWithResult Error "leaves-function-with-result" "raise or goto in a function that returns a value";
    StateChangeInTransition Error "state-change-in-transition" "raise or goto while a transition is under way";
    OutsideLoop Error "outside-loop" "break or continue outside a loop";
    OutsideMachine Error "outside-machine" "`this` or a state where there is no machine";
    NotAllowedInSpec Error "not-allowed-in-spec" "something a spec may not do";
    DuplicateReceiveCase Error "duplicate-receive-case" "two cases for one event in a receive";

    // Modules and tests.
    DuplicateBinding Error "duplicate-binding" "an interface bound twice in a module";
    InvalidBinding Error "invalid-binding" "a machine bound to an interface it does not fit";
    InvalidAssert Error "invalid-assert" "a spec asserted of a module it does not fit";
    InvalidHide Error "invalid-hide" "an event or interface that cannot be hidden";
    InvalidRename Error "invalid-rename" "an interface that cannot be renamed so";
    InvalidComposition Error "invalid-composition" "modules that cannot be put together";
    NotClosed Error "not-closed" "a module creates an interface that it does not implement";
    InvalidMain Error "invalid-main" "a test whose main machine cannot be its main machine";
    InvalidTestParameter Error "invalid-test-parameter" "values of test parameters that make no sense";
    TooManyTests Error "too-many-tests" "a parametric test that expands beyond the limit";

    // The verifier's part of the language.
    CircularProof Error "circular-proof" "proof commands that rely on each other";
    InvalidQuantifier Error "invalid-quantifier" "a quantifier over something it cannot range over";

    // Warnings.
    UnusedEvent Warning "unused-event" "an event that is declared and never used";
    UnusedVariable Warning "unused-variable" "a variable that is declared and never read";
    UnusedFunction Warning "unused-function" "a function that is never called";
    MissingPayload Warning "missing-payload" "a handler with a parameter for an event without payload";
    NoTestInstances Warning "no-test-instances" "a parametric test without any instance";
    UnreachableState Warning "unreachable-state" "a state that no transition enters";
    UnreachableCode Warning "unreachable-code" "a statement that no run reaches";
    UnobservedHandler Warning "unobserved-handler" "a spec's handler for an event it does not observe";
    UnsentHandler Warning "unsent-handler" "a handler for an event that nobody sends";
    ScenarioNeverSatisfied Warning "scenario-never-satisfied" "a scenario without a cold state";
    ScenarioTriviallySatisfied Warning "scenario-trivially-satisfied" "a scenario that begins in a cold state";
    DuplicateEnumValue Warning "duplicate-enum-value" "two elements of an enum with one number";
    NothingToRun Warning "nothing-to-run" "no test, no implementation and no machine `Main`";

    // Notes.
    IgnoredForVerifier Note "ignored-for-verifier" "declarations that only P's verifier uses";
    RefinementNotRun Note "refinement-not-run" "a refinement test, which no back end runs";
    TooManyFindings Note "too-many-findings" "more errors or warnings than are listed";
}
