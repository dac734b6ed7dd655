//! The lexer: one file's text as tokens, in parallel vectors of kinds and spans.
//!
//! Spaces and comments leave nothing. Text that is no token is reported here and leaves nothing either, but the token
//! behind it is remembered as *damaged*: what the parser finds wrong there is a consequence, and stays unsaid.

use logos::Logos;

use super::token::{LexicalError, TokenKind};
use crate::source::{Code, Diagnostic, Diagnostics, SourceFile, Span};

/// The tokens of one file. Invariant: `kinds` and `spans` have one length, and end with `EndOfFile`.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) kinds: Vec<TokenKind>,
    pub(super) spans: Vec<Span>,
    /// Indices of tokens before which text was dropped, ascending.
    pub(super) damaged: Vec<usize>,
}

/// Replaces what `tokens` holds by the tokens of `file`.
pub(super) fn lex(file: &SourceFile, tokens: &mut Tokens, diagnostics: &mut Diagnostics) {
    tokens.kinds.clear();
    tokens.spans.clear();
    tokens.damaged.clear();
    let mut invalid = None;
    let mut lexer = TokenKind::lexer(&file.text);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file.start + range.start as u32, file.start + range.end as u32);
        match token {
            Ok(kind) => tokens.push(kind, span),
            Err(LexicalError::InvalidCharacter) => {
                if let Some(meant) = Meant::of(lexer.slice(), lexer.remainder()) {
                    lexer.bump(meant.more);
                    let end = span.end + meant.more as u32;
                    tokens.push_meant(&meant, Span::new(span.start, end), file, diagnostics);
                } else {
                    tokens.damage();
                    invalid = join_invalid(file, invalid, span, diagnostics);
                }
            }
            Err(LexicalError::UnterminatedString) => {
                tokens.push(TokenKind::Text, span);
                tokens.damage();
                diagnostics.report(unterminated_string(span));
            }
            Err(LexicalError::UnterminatedComment) => {
                tokens.damage();
                diagnostics.report(unterminated_comment(span));
            }
        }
    }
    if let Some(span) = invalid {
        diagnostics.report(invalid_characters(file, span));
    }
    tokens.push(TokenKind::EndOfFile, file.span().after());
}

impl Tokens {
    fn push(&mut self, kind: TokenKind, span: Span) {
        self.kinds.push(kind);
        self.spans.push(span);
    }

    /// Reports text at `span` that stands for something P writes in another way, and goes on with what is meant.
    fn push_meant(&mut self, meant: &Meant, span: Span, file: &SourceFile, diagnostics: &mut Diagnostics) {
        let mut token = span;
        if meant.kind == Some(TokenKind::Identifier)
            && self.kinds.last().is_some_and(|last| last.is_name())
            && self.spans.last().is_some_and(|last| last.end == span.start)
        {
            self.kinds.pop();
            token = self.spans.pop().map_or(span, |first| first.to(span));
        }
        diagnostics.report(invalid_characters(file, meant.shown(span)).hint(meant.hint));
        match meant.kind {
            Some(kind) => self.push(kind, token),
            None => self.damage(),
        }
    }

    /// Marks the token to come as damaged.
    fn damage(&mut self) {
        if self.damaged.last() != Some(&self.kinds.len()) {
            self.damaged.push(self.kinds.len());
        }
    }
}

/// Adds an invalid character to the run before it, or reports that run and begins another.
fn join_invalid(
    file: &SourceFile,
    run: Option<Span>,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<Span> {
    match run {
        Some(run) if run.end == span.start => Some(run.to(span)),
        Some(run) => {
            diagnostics.report(invalid_characters(file, run));
            Some(span)
        }
        None => Some(span),
    }
}

fn invalid_characters(file: &SourceFile, span: Span) -> Diagnostic {
    let text = &file.text[(span.start - file.start) as usize..(span.end - file.start) as usize];
    let shown: String = text.chars().take(20).map(visible).collect();
    let plural = if text.chars().nth(1).is_some() { "s" } else { "" };
    Diagnostic::new(Code::InvalidCharacter, span, format!("invalid character{plural} `{shown}`"))
}

/// A character as messages show it.
fn visible(character: char) -> String {
    if matches!(character, '\\' | '\'' | '"') { character.into() } else { character.escape_debug().collect() }
}

/// What people mean who write a character that P does not use.
#[derive(Debug)]
struct Meant {
    hint: &'static str,
    /// The token that is meant; `None` if nothing is.
    kind: Option<TokenKind>,
    /// How many bytes behind the character belong to it.
    more: usize,
    /// How many bytes, the character's own among them, are shown as wrong.
    wrong: usize,
}

impl Meant {
    fn of(text: &str, rest: &str) -> Option<Self> {
        let character = text.chars().next()?;
        let one = |kind, hint| Some(Self { hint, kind, more: 0, wrong: text.len() });
        match character {
            '&' => one(Some(TokenKind::And), "`and` is written `&&`"),
            '|' => one(Some(TokenKind::Or), "`or` is written `||`"),
            '–' | '—' | '−' => one(Some(TokenKind::Minus), "minus is written `-`"),
            '\u{a0}' => one(None, "this is a no-break space: write an ordinary one"),
            '\'' | '‘' | '“' | '`' => Self::string(text, rest),
            '#' => {
                let hint = "P has no directives; comments begin with `//`";
                let more = rest.find(['\r', '\n']).unwrap_or(rest.len());
                Some(Self { hint, kind: None, more, wrong: text.len() })
            }
            _ if character.is_alphabetic() => {
                let is_part = |next: char| next.is_alphanumeric() || next == '_';
                let more = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
                let hint = "names are made of the letters `a` to `z` and `A` to `Z`, digits and `_`";
                Some(Self { hint, kind: Some(TokenKind::Identifier), more, wrong: text.len() })
            }
            _ => None,
        }
    }

    /// A string in other quotes than P's, which ends on its line.
    fn string(opening: &str, rest: &str) -> Option<Self> {
        let hint = "strings are written with `\"`";
        let line = &rest[..rest.find(['\r', '\n', ';']).unwrap_or(rest.len())];
        let closing = line.find(['\'', '’', '”', '`'])?;
        let more = closing + line[closing..].chars().next()?.len_utf8();
        Some(Self { hint, kind: Some(TokenKind::Text), more, wrong: opening.len() })
    }

    /// The part of the text at `span` that is wrong.
    fn shown(&self, span: Span) -> Span {
        Span::new(span.start, span.start + self.wrong as u32)
    }
}

fn unterminated_string(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.start + 1);
    Diagnostic::new(Code::UnterminatedString, opening, "this string has no closing quote")
}

fn unterminated_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.start + 2);
    Diagnostic::new(Code::UnterminatedComment, opening, "this comment has no end")
        .hint("comments that begin with `/*` end with `*/`, and do not nest")
}
