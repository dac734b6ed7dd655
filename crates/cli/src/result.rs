//! The result of a command for machines: one JSON object.
//!
//! Fields are added, never renamed or removed. Lines and columns count from 1, columns in characters; the end is
//! exclusive. What has no place in a file has `null` there.

use fabius_lang::source::{Diagnostic, Location, SourceMap, Span};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct CompileResult<'a> {
    pub(crate) verdict: CompileVerdict,
    pub(crate) project: &'a str,
    /// The files of P source that were read.
    pub(crate) files: Vec<&'a str>,
    /// How many there are; 0 if the program was rejected.
    pub(crate) machines: usize,
    pub(crate) specs: usize,
    pub(crate) scenarios: usize,
    /// The names of what can be run, in order of declaration.
    pub(crate) tests: Vec<&'a str>,
    pub(crate) diagnostics: Vec<DiagnosticResult<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CompileVerdict {
    Ok,
    Rejected,
}

#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticResult<'a> {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) end_column: Option<u32>,
    pub(crate) code: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) message: &'a str,
    pub(crate) note: Option<&'a str>,
    pub(crate) hint: Option<&'a str>,
    pub(crate) related: Vec<RelatedResult<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RelatedResult<'a> {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) message: &'a str,
}

impl<'a> DiagnosticResult<'a> {
    pub(crate) fn new(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Self {
        let (file, line, column) = place(diagnostic.span, sources);
        let (_, end_line, end_column) = place(diagnostic.span.after(), sources);
        Self {
            file,
            line,
            column,
            end_line,
            end_column,
            code: diagnostic.code.text(),
            severity: diagnostic.severity().name(),
            message: &diagnostic.message,
            note: diagnostic.note.as_deref(),
            hint: diagnostic.hint.as_deref(),
            related: related(diagnostic, sources),
        }
    }
}

fn related<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Vec<RelatedResult<'a>> {
    let related = diagnostic.labels.iter().map(|label| {
        let (file, line, column) = place(label.span, sources);
        RelatedResult { file, line, column, message: &label.text }
    });
    related.collect()
}

fn place(span: Span, sources: &SourceMap) -> (Option<String>, Option<u32>, Option<u32>) {
    match sources.location(span) {
        Some(Location { path, line, column }) => (Some(path), Some(line), Some(column)),
        None => (None, None, None),
    }
}
