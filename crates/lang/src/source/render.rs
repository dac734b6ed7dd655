//! Diagnostics as text for people, in rustc's look.

use annotate_snippets::{Group, Level, Renderer as Backend, Title, normalize_untrusted_str};

use super::excerpt::{Excerpt, excerpts};
use super::{Diagnostic, Label, Severity, SourceMap, Span, counted};

/// No message is worth more characters than this; one that quotes a name from the source may have millions.
const LONGEST_MESSAGE: usize = 1000;
/// Narrower terminals are treated as this wide: an excerpt needs some room.
const NARROWEST: usize = 40;

/// How diagnostics are to look.
#[derive(Clone, Copy, Debug)]
pub struct Renderer {
    pub colour: bool,
    /// The columns there are room for; excerpts of longer lines are cut.
    pub width: usize,
}

impl Renderer {
    /// The text of one diagnostic, without a line end after its last line.
    pub fn render(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        let title = level(diagnostic.severity()).primary_title(shortened(&diagnostic.message));
        let culprit = (diagnostic.span, diagnostic.note.as_deref());
        let title = title.id(diagnostic.code.text());
        self.render_group(title, culprit, &diagnostic.labels, diagnostic.hint.as_deref(), sources)
    }

    /// A headline over the place it speaks of, in the look of diagnostics.
    pub fn render_place(
        &self,
        kind: &str,
        headline: &str,
        place: (Span, Option<&str>),
        sources: &SourceMap,
    ) -> String {
        let title = Level::ERROR.with_name(kind.to_owned()).primary_title(shortened(headline));
        self.render_group(title, place, &[], None, sources)
    }

    fn render_group(
        &self,
        title: Title<'static>,
        culprit: (Span, Option<&str>),
        labels: &[Label],
        hint: Option<&str>,
        sources: &SourceMap,
    ) -> String {
        let mut group = Group::with_title(title);
        let width = self.width.max(NARROWEST);
        let excerpts = excerpts(culprit, labels, sources, 2 * width);
        let paths: Vec<String> = excerpts.iter().map(|excerpt| one_line(excerpt.path())).collect();
        for (excerpt, path) in excerpts.iter().zip(&paths) {
            group = group.element(excerpt.snippet(path, one_line));
        }
        if let Some(note) = culprit.1.filter(|_| excerpts.is_empty()) {
            group = group.element(Level::NOTE.message(clean(note)));
        }
        if let Some(hint) = hint {
            group = group.element(Level::HELP.with_name("hint").message(clean(hint)));
        }
        let backend = if self.colour { Backend::styled() } else { Backend::plain() };
        let mut text = backend.term_width(width).render(&[group]);
        for (excerpt, path) in excerpts.iter().zip(&paths) {
            put_column_right(&mut text, excerpt, path);
        }
        text
    }
}

/// The closing line when there are errors: `error: 3 errors, 1 warning`.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let count =
        |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity() == severity).count() as u64;
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let warnings = if warnings == 0 { String::new() } else { format!(", {}", counted(warnings, "warning")) };
    (errors > 0).then(|| format!("error: {}{warnings}", counted(errors, "error")))
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// The backend counts columns in the text it is given; where that is a part of a long line, the count begins too late.
fn put_column_right(text: &mut String, excerpt: &Excerpt, path: &str) {
    let Some((line, believed, right)) = excerpt.wrong_column() else { return };
    let place = format!("{path}:{line}:{believed}");
    let followed_by_digit = |end: usize| text[end..].starts_with(|next: char| next.is_ascii_digit());
    let mut found = text.match_indices(&place).map(|(at, _)| at);
    if let Some(at) = found.find(|at| !followed_by_digit(at + place.len())) {
        text.replace_range(at..at + place.len(), &format!("{path}:{line}:{right}"));
    }
}

/// A text of bearable length.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text of bearable length without characters that could drive a terminal.
fn clean(text: &str) -> String {
    normalize_untrusted_str(&shortened(text))
}

fn one_line(text: &str) -> String {
    clean(text).replace('\n', "␊")
}
