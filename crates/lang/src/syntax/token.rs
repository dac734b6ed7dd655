//! Kinds of tokens, and the automaton that finds them.
//!
//! The kinds are ordered: names first, then reserved words, then the rest, so that asking whether a token can name
//! something is one comparison. Names include the *contextual words*: words that mean something in one construct and
//! are ordinary identifiers everywhere else, as they were before P reserved them.

use logos::{Lexer, Logos, Skip};

/// What cannot be made a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LexicalError {
    #[default]
    InvalidCharacter,
    UnterminatedString,
    UnterminatedComment,
}

/// What the automaton remembers from token to token.
#[derive(Debug)]
pub(super) struct Memory {
    /// Strings that begin from here on must end on their line. Once a string without an end was met, that is all of them,
    /// so that a file with many is not scanned to its end for each.
    pub(super) line_bound_from: usize,
    /// Where the first string begins that spans lines.
    pub(super) first_long_string: Option<usize>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { line_bound_from: usize::MAX, first_long_string: None }
    }
}

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[logos(error = LexicalError, extras = Memory)]
#[logos(skip r"[ \t\r\n\x0C]+")]
#[logos(skip(r"//[^\r\n]*", allow_greedy = true))]
#[logos(skip("/\\*", block_comment))]
#[repr(u8)]
pub(super) enum TokenKind {
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
    Identifier,

    // Contextual words.
    #[token("invariant")]
    Invariant,
    #[token("axiom")]
    Axiom,
    #[token("is")]
    Is,
    #[token("inflight")]
    InFlight,
    #[token("targets")]
    Targets,
    #[token("sent")]
    Sent,
    #[token("Proof")]
    Proof,
    #[token("prove")]
    Prove,
    #[token("using")]
    Using,
    #[token("Lemma")]
    Lemma,
    #[token("Theorem")]
    Theorem,
    #[token("except")]
    Except,
    #[token("requires")]
    Requires,
    #[token("ensures")]
    Ensures,
    #[token("forall")]
    Forall,
    #[token("exists")]
    Exists,
    #[token("init")]
    Init,
    #[token("condition")]
    Condition,
    #[token("pure")]
    Pure,
    #[token("assume")]
    Assume,
    #[token("param")]
    Param,
    #[token("scenario")]
    Scenario,
    #[token("pairwise")]
    Pairwise,
    #[token("wise")]
    Wise,

    // Reserved words.
    #[token("any")]
    Any,
    #[token("bool")]
    Bool,
    #[token("enum")]
    Enum,
    #[token("event")]
    Event,
    #[token("eventset")]
    EventSet,
    #[token("float")]
    Float,
    #[token("int")]
    Int,
    #[token("machine")]
    Machine,
    #[token("interface")]
    Interface,
    #[token("map")]
    Map,
    #[token("set")]
    Set,
    #[token("string")]
    String,
    #[token("seq")]
    Seq,
    #[token("data")]
    Data,
    #[token("announce")]
    Announce,
    #[token("as")]
    As,
    #[token("assert")]
    Assert,
    #[token("break")]
    Break,
    #[token("case")]
    Case,
    #[token("cold")]
    Cold,
    #[token("continue")]
    Continue,
    #[token("default")]
    Default,
    #[token("defer")]
    Defer,
    #[token("do")]
    Do,
    #[token("else")]
    Else,
    #[token("entry")]
    Entry,
    #[token("exit")]
    Exit,
    #[token("foreach")]
    Foreach,
    #[token("format")]
    Format,
    #[token("fun")]
    Fun,
    #[token("goto")]
    Goto,
    #[token("halt")]
    Halt,
    #[token("hot")]
    Hot,
    #[token("if")]
    If,
    #[token("ignore")]
    Ignore,
    #[token("in")]
    In,
    #[token("keys")]
    Keys,
    #[token("new")]
    New,
    #[token("observes")]
    Observes,
    #[token("on")]
    On,
    #[token("print")]
    Print,
    #[token("raise")]
    Raise,
    #[token("receive")]
    Receive,
    #[token("return")]
    Return,
    #[token("send")]
    Send,
    #[token("sizeof")]
    Sizeof,
    #[token("spec")]
    Spec,
    #[token("start")]
    Start,
    #[token("state")]
    State,
    #[token("this")]
    This,
    #[token("type")]
    Type,
    #[token("values")]
    Values,
    #[token("var")]
    Var,
    #[token("while")]
    While,
    #[token("with")]
    With,
    #[token("choose")]
    Choose,
    #[token("module")]
    Module,
    #[token("implementation")]
    Implementation,
    #[token("test")]
    Test,
    #[token("refines")]
    Refines,
    #[token("compose")]
    Compose,
    #[token("union")]
    Union,
    #[token("hidee")]
    HideEvents,
    #[token("hidei")]
    HideInterfaces,
    #[token("rename")]
    Rename,
    #[token("main")]
    Main,
    #[token("receives")]
    Receives,
    #[token("sends")]
    Sends,
    #[token("creates")]
    Creates,
    #[token("to")]
    To,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("null")]
    Null,

    // Literals.
    #[regex("[0-9]+")]
    Number,
    #[token("\"", string)]
    Text,

    // Symbols.
    #[token("$$")]
    DollarDollar,
    #[token("$")]
    Dollar,
    #[token("!")]
    Not,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("==>")]
    Implies,
    #[token("<==>")]
    Iff,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessOrEqual,
    #[token(">=")]
    GreaterOrEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("->")]
    Arrow,
    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,

    /// What C programmers and old P programs write for including a file: no token of P, but worth a message of its own.
    #[token("#include")]
    Include,

    /// Stands once at the end of every file.
    EndOfFile,
}

impl TokenKind {
    /// Whether the token can name something.
    pub(super) fn is_name(self) -> bool {
        self <= Self::Wise
    }

    pub(super) fn is_reserved_word(self) -> bool {
        self > Self::Wise && self <= Self::Null
    }

    /// Whether an expression can begin with the token.
    pub(super) fn begins_expression(self) -> bool {
        use TokenKind as K;
        self.is_name()
            || matches!(
                self,
                K::Number
                    | K::Text
                    | K::True
                    | K::False
                    | K::Null
                    | K::Halt
                    | K::This
                    | K::Dollar
                    | K::DollarDollar
            )
            || matches!(
                self,
                K::LeftParen | K::Dot | K::Minus | K::Not | K::New | K::Keys | K::Values | K::Sizeof
            )
            || matches!(self, K::Default | K::Choose | K::Format | K::Float)
    }

    /// Whether the token is a word that begins a type.
    pub(super) fn begins_type(self) -> bool {
        use TokenKind as K;
        matches!(self, K::Any | K::Bool | K::Data | K::Event | K::Float | K::Int | K::Machine | K::String)
            || matches!(self, K::Seq | K::Set | K::Map)
    }

    /// Whether the token is a word that begins a statement and stands nowhere inside one.
    pub(super) fn begins_statement(self) -> bool {
        use TokenKind as K;
        matches!(
            self,
            K::Assert
                | K::Print
                | K::Return
                | K::Break
                | K::Continue
                | K::While
                | K::Foreach
                | K::If
                | K::Raise
        ) || matches!(self, K::Send | K::Announce | K::Goto | K::Receive | K::Var)
    }

    pub(super) fn begins_state_item(self) -> bool {
        matches!(self, Self::Entry | Self::Exit | Self::Defer | Self::Ignore | Self::On)
    }

    /// Whether the token begins a member of a machine; `var` does too, but also begins local variables.
    pub(super) fn begins_machine_item(self) -> bool {
        matches!(self, Self::Fun | Self::Start | Self::Hot | Self::Cold | Self::State)
    }
}

/// Finds the end of a comment that has begun.
fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> Result<Skip, LexicalError> {
    match lexer.remainder().find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Ok(Skip)
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(LexicalError::UnterminatedComment)
        }
    }
}

/// Finds the end of a string that has begun; a string without an end is taken to end with its line.
fn string(lexer: &mut Lexer<'_, TokenKind>) -> Result<(), LexicalError> {
    let (start, rest) = (lexer.span().start, lexer.remainder());
    let is_line_bound = start >= lexer.extras.line_bound_from;
    if let Some(length) = string_length(rest.as_bytes(), is_line_bound) {
        if rest.as_bytes()[..length].contains(&b'\n') {
            lexer.extras.first_long_string.get_or_insert(start);
        }
        lexer.bump(length);
        return Ok(());
    }
    lexer.bump(rest.find(['\r', '\n']).unwrap_or(rest.len()));
    Err(LexicalError::UnterminatedString)
}

/// How many bytes of `rest` belong to a string whose opening quote stands before it, closing quote included.
fn string_length(rest: &[u8], one_line: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        match rest.get(at)? {
            b'"' => return Some(at + 1),
            b'\r' | b'\n' if one_line => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
