//! What is wrong with the user's source, as data: nothing here prints.

use super::{Code, Span, counted};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// Something the user should know and need not act on, such as what the tool ignores.
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A second place that explains the first ("declared here").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One finding: a code, one sentence, the smallest culprit, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub message: String,
    /// `Span::default()` when the finding has no place in a source file.
    pub span: Span,
    /// What to write under the excerpt.
    pub note: Option<String>,
    pub labels: Vec<Label>,
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span, note: None, labels: Vec::new(), hint: None }
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Writes `text` under the culprit.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = Some(text.into());
        self
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

/// How many errors, and how many other findings, one compilation lists: nobody reads more, and a large file of garbage
/// would have millions.
pub const MOST_LISTED: usize = 1000;

/// All findings of one run, in the order in which they are shown once sorted.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    /// The most errors, and the most other findings, that are kept.
    limit: Option<usize>,
    /// Whether something was not kept.
    is_cut: bool,
}

/// A moment in the history of [`Diagnostics`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    is_cut: bool,
}

impl Diagnostics {
    /// Findings of which at most `limit` errors and `limit` others are kept.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity() == Severity::Error;
        let before = if is_error { self.errors } else { self.list.len() - self.errors };
        if self.limit.is_some_and(|limit| before >= limit) {
            self.is_cut = true;
            return;
        }
        self.errors += usize::from(is_error);
        self.list.push(diagnostic);
    }

    /// Whether no further error is kept: to find more is of no use.
    pub fn is_full(&self) -> bool {
        self.is_cut && self.limit.is_some_and(|limit| self.errors >= limit)
    }

    pub fn mark(&self) -> Mark {
        Mark { length: self.list.len(), is_cut: self.is_cut }
    }

    /// Forgets what was reported since the mark.
    pub fn rewind(&mut self, mark: Mark) {
        self.list.truncate(mark.length);
        self.is_cut = mark.is_cut;
        self.errors = self.list.iter().filter(|each| each.severity() == Severity::Error).count();
    }

    /// Of what was reported since the mark, keeps what is wanted.
    pub fn retain_since(&mut self, mark: Mark, is_wanted: impl Fn(&Diagnostic) -> bool) {
        let since = self.list.split_off(mark.length);
        self.list.extend(since.into_iter().filter(|diagnostic| is_wanted(diagnostic)));
        self.errors = self.count(Severity::Error);
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity() == severity).count()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Orders by place, and drops exact repetitions.
    pub fn sort(&mut self) {
        self.list.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        self.list.dedup();
        self.errors = self.count(Severity::Error);
    }

    /// The findings in order of place; if some were not kept, a note at the last place says so.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.sort();
        if let (true, Some(last)) = (self.is_cut, self.list.last()) {
            let note = too_many(last.span, self.errors, self.list.len() - self.errors);
            self.list.push(note);
        }
        self.list
    }

    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }
}

fn too_many(last: Span, errors: usize, others: usize) -> Diagnostic {
    let listed = [(errors, "error"), (others, "warning")].into_iter().filter(|(count, _)| *count > 0);
    let listed: Vec<String> = listed.map(|(count, noun)| counted(count as u64, noun)).collect();
    let message = format!("{} are listed, and there are more", listed.join(" and "));
    Diagnostic::new(Code::TooManyFindings, last, message)
}
