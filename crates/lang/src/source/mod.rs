//! Source text: files, places in them, and what is wrong there.

mod code;
mod columns;
mod count;
mod diagnostic;
mod excerpt;
mod files;
mod render;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use count::{counted, separated};
pub use diagnostic::{Diagnostic, Diagnostics, Label, MOST_LISTED, Mark, Severity};
pub use files::{FileId, FileKind, Location, SourceFile, SourceMap, Span};
pub use render::{Renderer, summary};
