//! The lexer: one file's text as tokens, in parallel vectors of kinds and spans.
//!
//! Spaces and comments leave nothing. Text that is no token is reported here and leaves nothing either, but the token
//! behind it is remembered as *damaged*: what the parser finds wrong there is a consequence, and stays unsaid.

use logos::Logos;

use super::invalid::{InvalidRun, Meant, invalid_characters};
use super::token::{LexicalError, Memory, TokenKind};
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
    let mark = diagnostics.mark();
    let Err(LostQuote(culprit)) = try_lex(file, Memory::default(), tokens, diagnostics) else { return };
    diagnostics.rewind(mark);
    let memory = Memory { line_bound_from: culprit, first_long_string: None };
    // Strings before the culprit end, and those behind it end with their lines: no quote is lost again.
    let _ = try_lex(file, memory, tokens, diagnostics);
}

/// A quote is missing; most likely where the first string begins that spans lines, for what looks like strings behind
/// it is the text between strings.
struct LostQuote(usize);

fn try_lex(
    file: &SourceFile,
    memory: Memory,
    tokens: &mut Tokens,
    diagnostics: &mut Diagnostics,
) -> Result<(), LostQuote> {
    tokens.kinds.clear();
    tokens.spans.clear();
    tokens.damaged.clear();
    tokens.reported.clear();
    let mut invalid = InvalidRun::default();
    let mut lexer = TokenKind::lexer_with_extras(&file.text, memory);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file.start + range.start as u32, file.start + range.end as u32);
        if token.is_err() {
            tokens.reported.push(span.start);
        }
        match token {
            Ok(kind) => tokens.push(kind, span),
            Err(LexicalError::InvalidCharacter) => {
                if !invalid.reaches(span.start)
                    && let Some(meant) = Meant::of(lexer.slice(), lexer.remainder())
                {
                    lexer.bump(meant.more);
                    tokens.push_meant(&meant, span, file, diagnostics);
                } else {
                    tokens.damage();
                    invalid.add(file, span, diagnostics);
                }
            }
            Err(LexicalError::UnterminatedString) => {
                if let (Some(first), usize::MAX) =
                    (lexer.extras.first_long_string, lexer.extras.line_bound_from)
                {
                    return Err(LostQuote(first));
                }
                lexer.extras.line_bound_from = 0;
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
    invalid.end(file, diagnostics);
    tokens.push(TokenKind::EndOfFile, file.span().after());
    Ok(())
}

impl Tokens {
    fn push(&mut self, kind: TokenKind, span: Span) {
        self.kinds.push(kind);
        self.spans.push(span);
    }

    /// Reports the character at `span`, which stands for something P writes in another way, and goes on with what is
    /// meant.
    fn push_meant(&mut self, meant: &Meant, span: Span, file: &SourceFile, diagnostics: &mut Diagnostics) {
        diagnostics.report(invalid_characters(file, span).hint(meant.hint));
        let mut token = Span::new(span.start, span.end + meant.more as u32);
        match meant.kind {
            Some(TokenKind::Identifier) => {
                if let Some(first) = self.pop_name_before(span.start) {
                    token = first.to(token);
                }
                self.push(TokenKind::Identifier, token);
            }
            Some(kind) => self.push(kind, token),
            None => self.damage(),
        }
    }

    /// Takes back the last token if it is a name and ends right before `start`.
    fn pop_name_before(&mut self, start: u32) -> Option<Span> {
        let is_name = self.kinds.last().is_some_and(|last| last.is_name());
        let first = self.spans.pop_if(|last| is_name && last.end == start)?;
        self.kinds.pop();
        Some(first)
    }

    /// Marks the token to come as damaged.
    fn damage(&mut self) {
        if self.damaged.last() != Some(&self.kinds.len()) {
            self.damaged.push(self.kinds.len());
        }
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
