//! Source text: files, places in them, and what is wrong there.

mod code;
mod diagnostic;
mod files;
mod render;

pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use files::{FileId, Location, SourceFile, SourceMap, Span};
pub use render::{Renderer, summary};
