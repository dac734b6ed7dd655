//! What can be wrong with rules that people write: an order, or what is to be sealed.

use std::fmt;

use fabius_model::{Name, Vocabulary};

/// Why a rule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleError {
    /// The program has no such name.
    Unknown {
        /// What kind of name it should be.
        what: &'static str,
        /// The name as written.
        text: String,
        /// The names of this kind that there are.
        known: Vec<String>,
    },
    /// It is not written as rules are.
    Malformed(String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleError::Unknown { what, text, .. } => write!(f, "there is no {what} `{text}`"),
            RuleError::Malformed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for RuleError {}

impl RuleError {
    /// The machine type with this name, or the complaint that there is none.
    pub(crate) fn machine(vocabulary: &Vocabulary, text: &str) -> Result<Name, RuleError> {
        found(vocabulary.machine(text), "machine", text, vocabulary.machines())
    }

    /// The control state with this name, or the complaint that there is none.
    pub(crate) fn state(vocabulary: &Vocabulary, text: &str) -> Result<Name, RuleError> {
        found(vocabulary.state(text), "state", text, vocabulary.states())
    }

    /// The event with this name, or the complaint that there is none.
    pub(crate) fn event(vocabulary: &Vocabulary, text: &str) -> Result<Name, RuleError> {
        found(vocabulary.event(text), "event", text, vocabulary.events())
    }
}

fn found(name: Option<Name>, what: &'static str, text: &str, known: &[String]) -> Result<Name, RuleError> {
    name.ok_or_else(|| RuleError::Unknown { what, text: text.to_owned(), known: known.to_vec() })
}
