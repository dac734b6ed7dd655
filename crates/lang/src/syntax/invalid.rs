//! Characters that P does not use: runs of them are reported as one, and where it is clear what is meant, the lexer goes
//! on with that, so that one wrong character is one message.

use super::token::TokenKind;
use crate::source::{Code, Diagnostic, Diagnostics, SourceFile, Span};

/// How far to look for the end of a string in other quotes than P's.
const LONGEST_STRING: usize = 200;

/// Adjacent invalid characters that are not reported yet.
#[derive(Debug, Default)]
pub(super) struct InvalidRun(Option<Span>);

impl InvalidRun {
    pub(super) fn add(&mut self, file: &SourceFile, span: Span, diagnostics: &mut Diagnostics) {
        match &mut self.0 {
            Some(run) if run.end == span.start => *run = run.to(span),
            _ => {
                self.end(file, diagnostics);
                self.0 = Some(span);
            }
        }
    }

    /// Whether the run ends at `start`.
    pub(super) fn reaches(&self, start: u32) -> bool {
        self.0.is_some_and(|run| run.end == start)
    }

    /// Reports the run, if there is one.
    pub(super) fn end(&mut self, file: &SourceFile, diagnostics: &mut Diagnostics) {
        if let Some(run) = self.0.take() {
            diagnostics.report(invalid_characters(file, run));
        }
    }
}

pub(super) fn invalid_characters(file: &SourceFile, span: Span) -> Diagnostic {
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
pub(super) struct Meant {
    pub(super) hint: &'static str,
    /// The token that is meant; `None` if nothing is.
    pub(super) kind: Option<TokenKind>,
    /// How many bytes behind the character belong to it.
    pub(super) more: usize,
}

impl Meant {
    /// By the character and the text behind it.
    pub(super) fn of(character: &str, rest: &str) -> Option<Self> {
        let first = character.chars().next()?;
        let one = |kind, hint| Some(Self { hint, kind, more: 0 });
        match first {
            '&' => one(Some(TokenKind::And), "`and` is written `&&`"),
            '|' => one(Some(TokenKind::Or), "`or` is written `||`"),
            '–' | '—' | '−' => one(Some(TokenKind::Minus), "minus is written `-`"),
            '?' => one(None, "P has no conditional expression: write `if (..) .. else ..`"),
            '\u{a0}' => one(None, "this is a no-break space: write an ordinary one"),
            '\'' | '‘' | '“' | '`' => Self::string(rest),
            '#' => {
                let hint = "P has no directives; comments begin with `//`";
                let more = rest.find(['\r', '\n']).unwrap_or(rest.len());
                Some(Self { hint, kind: None, more })
            }
            _ if first.is_alphabetic() => {
                let is_part = |next: char| next.is_alphanumeric() || next == '_';
                let more = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
                let hint = "names are made of the letters `a` to `z` and `A` to `Z`, digits and `_`";
                Some(Self { hint, kind: Some(TokenKind::Identifier), more })
            }
            _ => None,
        }
    }

    /// A string in other quotes than P's, which ends soon and on its line.
    fn string(rest: &str) -> Option<Self> {
        let mut near = rest.char_indices().take(LONGEST_STRING);
        let ends =
            |(_, character): &(usize, char)| matches!(character, '\r' | '\n' | ';' | '\'' | '’' | '”' | '`');
        let (at, closing) = near.find(ends).filter(|(_, end)| !matches!(end, '\r' | '\n' | ';'))?;
        let more = at + closing.len_utf8();
        Some(Self { hint: "strings are written with `\"`", kind: Some(TokenKind::Text), more })
    }
}
