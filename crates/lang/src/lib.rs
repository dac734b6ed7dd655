//! P from text to a checked, lowered program.
//!
//! The stages, each a folder: `source` (files, spans, diagnostics), `syntax` (text to tree), `check` (names and types),
//! `ir` (the tree lowered to instructions, with a text form and a verifier).

pub mod ids;
pub mod ir;
pub mod names;
pub mod source;
pub mod syntax;
pub mod types;

use source::{Diagnostic, SourceMap};

/// What came of a project's sources.
#[derive(Debug)]
pub struct Compilation {
    /// `Some` exactly when no diagnostic is an error.
    pub program: Option<ir::Program>,
    /// Ordered by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the P source files among `sources`, which form one program.
///
/// FIXME: the stages are not connected yet, so there is neither a program nor a finding.
pub fn compile(_sources: &SourceMap) -> Compilation {
    Compilation { program: None, diagnostics: Vec::new() }
}
