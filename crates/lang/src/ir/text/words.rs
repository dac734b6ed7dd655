//! The words of the text form, and which names can stand without quotes among them.

use crate::ir::{BinaryOp, UnaryOp};

/// Every word with a meaning, in order. A name that equals one is quoted.
#[rustfmt::skip]
const WORDS: [&str; 107] = [
    "add.float", "add.int", "all", "announce", "any", "as", "assert", "assign", "below", "bind",
    "bool", "branch", "call", "choose", "cold", "concatenate", "creates", "data", "default",
    "defer", "divide.float", "divide.int", "do", "element", "entry", "enum", "enum_to_int", "equal",
    "error", "event", "eventset", "exit", "fair", "false", "float", "float_to_int", "foreign",
    "format", "from", "fun", "goto", "halt", "hot", "ignore", "implementation", "in", "inf", "int",
    "int_to_float", "interface", "jump", "keys", "less.float", "less.int", "less.string",
    "less_or_equal.float", "less_or_equal.int", "less_or_equal.string", "link", "lookup", "machine",
    "main", "map", "monitor", "move", "multiply.float", "multiply.int", "nan", "negate.float",
    "negate.int", "new", "not", "not_equal", "null", "observes", "of", "on", "param", "permission",
    "print", "raise", "receive", "receives", "remainder.float", "remainder.int", "return",
    "scenario", "send", "sends", "seq", "set", "sizeof", "spec", "start", "state", "string",
    "subtract.float", "subtract.int", "test", "this", "to", "true", "tuple", "type", "values",
    "var", "with",
];

macro_rules! operators {
    ($type:ident, $word:ident, $op:ident; $($name:ident $text:literal;)*) => {
        pub(super) fn $word(op: $type) -> &'static str {
            match op {
                $($type::$name => $text,)*
            }
        }

        pub(super) fn $op(word: &str) -> Option<$type> {
            match word {
                $($text => Some($type::$name),)*
                _ => None,
            }
        }
    };
}

operators! {
    UnaryOp, unary_word, unary_op;
    Not "not";
    NegateInt "negate.int";
    NegateFloat "negate.float";
    IntToFloat "int_to_float";
    FloatToInt "float_to_int";
    EnumToInt "enum_to_int";
    Sizeof "sizeof";
    Keys "keys";
    Values "values";
}

operators! {
    BinaryOp, binary_word, binary_op;
    AddInt "add.int";
    SubtractInt "subtract.int";
    MultiplyInt "multiply.int";
    DivideInt "divide.int";
    RemainderInt "remainder.int";
    AddFloat "add.float";
    SubtractFloat "subtract.float";
    MultiplyFloat "multiply.float";
    DivideFloat "divide.float";
    RemainderFloat "remainder.float";
    Concatenate "concatenate";
    Equal "equal";
    NotEqual "not_equal";
    LessInt "less.int";
    LessOrEqualInt "less_or_equal.int";
    LessFloat "less.float";
    LessOrEqualFloat "less_or_equal.float";
    LessString "less.string";
    LessOrEqualString "less_or_equal.string";
}

/// A word of a text, by what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'t> {
    /// One of the words with a meaning.
    Fixed(&'static str),
    /// The digits behind `r`.
    Register(&'t str),
    /// The digits behind `L`.
    Label(&'t str),
    Name(&'t str),
}

/// The word at the beginning of a text that begins with a letter or `_`, and how long it is. Names may have parts
/// with dots between them, and so have some of the fixed words.
pub(super) fn scan_word(text: &str) -> (Word<'_>, usize) {
    let first = identifier_length(text);
    let digits = |letter| text[..first].strip_prefix(letter).filter(|rest| is_number(rest));
    if let Some(digits) = digits('r') {
        return (Word::Register(digits), first);
    }
    if let Some(digits) = digits('L') {
        return (Word::Label(digits), first);
    }
    let mut end = with_next_part(text, first);
    // No fixed word has more than two parts.
    let two_parts = if end > first { fixed_word(&text[..end]) } else { None };
    if let Some(word) = two_parts {
        return (Word::Fixed(word), end);
    }
    if let Some(word) = fixed_word(&text[..first]) {
        return (Word::Fixed(word), first);
    }
    while end < with_next_part(text, end) {
        end = with_next_part(text, end);
    }
    (Word::Name(&text[..end]), end)
}

/// The end of the next part of a name with dots, or `end` if there is none.
fn with_next_part(text: &str, end: usize) -> usize {
    match text[end..].strip_prefix('.') {
        Some(rest) if starts_identifier(rest) => end + 1 + identifier_length(rest),
        _ => end,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn starts_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn identifier_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn fixed_word(text: &str) -> Option<&'static str> {
    let letter = text.bytes().next()?.checked_sub(b'a').filter(|letter| *letter < 26)? as usize;
    WORDS[FIRST[letter]..FIRST[letter + 1]].iter().find(|word| **word == text).copied()
}

/// Where the words begin that start with each letter, and the end.
const FIRST: [usize; 27] = {
    let mut first = [0; 27];
    let (mut letter, mut word) = (0, 0);
    while letter < 27 {
        while word < WORDS.len() && (WORDS[word].as_bytes()[0] - b'a') < letter as u8 {
            word += 1;
        }
        first[letter] = word;
        letter += 1;
    }
    first
};

/// Whether a name is read back as itself without quotes.
pub(super) fn is_bare(name: &str) -> bool {
    starts_identifier(name) && scan_word(name) == (Word::Name(name), name.len())
}

#[cfg(test)]
mod tests {
    use super::{WORDS, is_bare};

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn names_that_could_be_taken_for_something_else_are_not_bare() {
        for name in ["x", "_", "r", "L", "r1x", "Server.Busy.entry", "add", "Rr1"] {
            assert!(is_bare(name), "{name}");
        }
        for name in
            ["", "move", "r1", "L20", "add.int", "entry.x", "r1.x", "1x", "a b", "a.", "a..b", "é", "a.1"]
        {
            assert!(!is_bare(name), "{name}");
        }
    }
}
