//! P from text to a checked, lowered program.
//!
//! The stages, each a folder: `source` (files, spans, diagnostics), `syntax` (text to tree), `check` (names and types),
//! `ir` (the tree lowered to instructions, with a text form and a verifier).

pub mod check;
pub mod ids;
pub mod ir;
pub mod names;
pub mod source;
pub mod syntax;
pub mod types;

use source::{Diagnostic, Diagnostics, MOST_LISTED, SourceMap};

/// What became of a project's text.
#[derive(Debug)]
pub struct Compilation {
    /// `Some` exactly when no diagnostic is an error.
    pub program: Option<ir::Program>,
    /// In order of place, at most [`MOST_LISTED`] errors and as many others.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the P source files among `sources`, which form one program.
pub fn compile(sources: &SourceMap) -> Compilation {
    let mut diagnostics = Diagnostics::with_limit(MOST_LISTED);
    let tree = syntax::parse(sources, &mut diagnostics);
    let checked = check::check(&tree, sources, &mut diagnostics);
    let program = (!diagnostics.has_errors()).then(|| ir::lower(tree, checked));
    Compilation { program, diagnostics: diagnostics.into_sorted() }
}
