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
    /// Where reports of the lexer begin.
    pub(super) reported: Vec<u32>,
}

/// Replaces what `tokens` holds by the tokens of `file`.
pub(super) fn lex(file: &SourceFile, tokens: &mut Tokens, diagnostics: &mut Diagnostics) {
    tokens.kinds.clear();
    tokens.spans.clear();
    tokens.damaged.clear();
    tokens.reported.clear();
    let mut invalid = None;
    let mut lexer = TokenKind::lexer(&file.text);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file.start + range.start as u32, file.start + range.end as u32);
        if token.is_err() {
            tokens.reported.push(span.start);
        }
        match token {
            Ok(kind) => tokens.push(kind, span),
            Err(LexicalError::InvalidCharacter) => {
                tokens.damage();
                invalid = join_invalid(file, invalid, span, diagnostics);
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
    let diagnostic =
        Diagnostic::new(Code::InvalidCharacter, span, format!("invalid character{plural} `{shown}`"));
    match meant(text) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// A character as messages show it.
fn visible(character: char) -> String {
    match character {
        '\'' | '"' | '\\' => character.to_string(),
        _ => character.escape_debug().to_string(),
    }
}

/// What people mean who write characters that P does not use.
fn meant(text: &str) -> Option<&'static str> {
    match text.chars().next()? {
        '&' => Some("`and` is written `&&`"),
        '|' => Some("`or` is written `||`"),
        '\'' | '‘' | '’' | '“' | '”' | '`' => Some("strings are written with `\"`"),
        '–' | '—' | '−' => Some("minus is written `-`"),
        '\u{a0}' => Some("this is a no-break space: write an ordinary one"),
        '#' => Some("P has no directives; comments begin with `//`"),
        _ => None,
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
