//! The text form as a list of tokens.
//!
//! Lines matter (one instruction each), so their ends are tokens; empty lines and comments (`//`) are not. The list
//! always ends with a line end and [`Token::End`].

use crate::ir::text::TextError;
use crate::ir::text::words::{Word, scan_word, starts_identifier};
use crate::names::{Name, Names};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// A word with a meaning.
    Word(&'static str),
    /// A name, bare or in single quotes.
    Name(Name),
    /// A string, in double quotes.
    Text(Name),
    Int(i64),
    Float(f64),
    /// `r1`
    Register(u32),
    /// `L1`
    Label(u32),
    /// `.1`
    Item(u32),
    /// `#1`: something by its index.
    Index(u32),
    /// `$1`: a type declared before.
    TypeNumber(u32),
    Sign(&'static str),
    LineEnd,
    End,
}

/// The tokens of a text, and where each begins.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    pub(super) offsets: Vec<usize>,
}

pub(super) fn lex(text: &str, names: &mut Names) -> Result<Tokens, TextError> {
    let mut lexer = Lexer { text, at: 0, names, quoted: String::new() };
    let mut result = Tokens { tokens: Vec::new(), offsets: Vec::new() };
    loop {
        lexer.skip_blanks();
        let offset = lexer.at;
        let token = lexer.token()?;
        let is_empty_line =
            token == Token::LineEnd && matches!(result.tokens.last(), None | Some(Token::LineEnd));
        if token == Token::End && !matches!(result.tokens.last(), None | Some(Token::LineEnd)) {
            result.tokens.push(Token::LineEnd);
            result.offsets.push(offset);
        }
        if !is_empty_line {
            result.tokens.push(token);
            result.offsets.push(offset);
        }
        if token == Token::End {
            return Ok(result);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    names: &'a mut Names,
    /// The content of the current quotes; kept for its memory.
    quoted: String,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if self.rest().starts_with("//") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn token(&mut self) -> Result<Token, TextError> {
        let rest = self.rest();
        let Some(first) = rest.bytes().next() else { return Ok(Token::End) };
        if starts_identifier(rest) {
            return self.word();
        }
        let second = rest.as_bytes().get(1).copied().unwrap_or(b' ');
        match first {
            b'\n' => {
                self.at += 1;
                Ok(Token::LineEnd)
            }
            b'\'' => self.quoted('\'').map(Token::Name),
            b'"' => self.quoted('"').map(Token::Text),
            b'0'..=b'9' => self.number(),
            b'-' if second.is_ascii_digit() => self.number(),
            b'-' if rest.starts_with("-inf") => {
                self.at += "-inf".len();
                Ok(Token::Float(f64::NEG_INFINITY))
            }
            b'.' if second.is_ascii_digit() => self.index().map(Token::Item),
            b'#' => self.index().map(Token::Index),
            b'$' => self.index().map(Token::TypeNumber),
            _ => self.sign(first, second),
        }
    }

    fn sign(&mut self, first: u8, second: u8) -> Result<Token, TextError> {
        let sign = match (first, second) {
            (b'-', b'>') => "->",
            (b'+', b'=') => "+=",
            (b'-', b'=') => "-=",
            (b'{', _) => "{",
            (b'}', _) => "}",
            (b'(', _) => "(",
            (b')', _) => ")",
            (b'[', _) => "[",
            (b']', _) => "]",
            (b',', _) => ",",
            (b':', _) => ":",
            (b';', _) => ";",
            (b'=', _) => "=",
            (b'@', _) => "@",
            (b'.', _) => ".",
            _ => return Err(self.error("no token begins here")),
        };
        self.at += sign.len();
        Ok(Token::Sign(sign))
    }

    fn word(&mut self) -> Result<Token, TextError> {
        let (word, length) = scan_word(self.rest());
        let token = match word {
            Word::Fixed("inf") => Token::Float(f64::INFINITY),
            Word::Fixed(word) => Token::Word(word),
            Word::Register(digits) => Token::Register(self.parse(digits)?),
            Word::Label(digits) => Token::Label(self.parse(digits)?),
            Word::Name(name) => Token::Name(self.names.intern(name)),
        };
        self.at += length;
        Ok(token)
    }

    /// Digits behind one character.
    fn index(&mut self) -> Result<u32, TextError> {
        let digits = &self.rest()[1..][..digits_length(&self.rest()[1..])];
        let index = self.parse(digits)?;
        self.at += 1 + digits.len();
        Ok(index)
    }

    /// `-1`, `1.5`, `1e300`, `1.5e-7`
    fn number(&mut self) -> Result<Token, TextError> {
        let rest = self.rest();
        let mut end = usize::from(rest.starts_with('-'));
        end += digits_length(&rest[end..]);
        let whole = end;
        if let Some(fraction) = rest[end..].strip_prefix('.') {
            end += 1 + digits_length(fraction);
        }
        if let Some(exponent) = rest[end..].strip_prefix('e') {
            let sign = usize::from(exponent.starts_with('-'));
            end += 1 + sign + digits_length(&exponent[sign..]);
        }
        let token = match end == whole {
            true => Token::Int(self.parse(&rest[..end])?),
            false => Token::Float(self.parse(&rest[..end])?),
        };
        self.at += end;
        Ok(token)
    }

    fn parse<T: FromStr>(&self, text: &str) -> Result<T, TextError> {
        text.parse().map_err(|_| self.error(format!("`{text}` is not a number that fits here")))
    }

    fn quoted(&mut self, quote: char) -> Result<Name, TextError> {
        let start = self.at;
        self.at += 1;
        self.quoted.clear();
        loop {
            let plain = self.rest().find([quote, '\\', '\n']).unwrap_or(self.rest().len());
            self.quoted.push_str(&self.rest()[..plain]);
            self.at += plain;
            match self.rest().chars().next() {
                Some('\\') => self.escape()?,
                Some(end) if end == quote => {
                    self.at += 1;
                    return Ok(self.names.intern(&self.quoted));
                }
                _ => {
                    self.at = start;
                    return Err(self.error(format!("no closing {quote} on this line")));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), TextError> {
        let rest = self.rest();
        let simple = match rest.as_bytes().get(1) {
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'\\') => Some('\\'),
            Some(b'\'') => Some('\''),
            Some(b'"') => Some('"'),
            _ => None,
        };
        if let Some(simple) = simple {
            self.quoted.push(simple);
            self.at += 2;
            return Ok(());
        }
        let unicode = rest.strip_prefix("\\u{").and_then(|rest| {
            let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let code = u32::from_str_radix(&rest[..digits], 16).ok()?;
            rest[digits..].starts_with('}').then_some((char::from_u32(code)?, digits))
        });
        let Some((character, digits)) = unicode else { return Err(self.error("not an escape")) };
        self.quoted.push(character);
        self.at += "\\u{}".len() + digits;
        Ok(())
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        TextError::at(self.text, self.at, message)
    }
}

fn digits_length(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}
