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
