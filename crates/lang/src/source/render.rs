//! Diagnostics as text for people, in rustc's look.
use super::{Diagnostics, SourceMap};

#[derive(Debug)]
pub struct Renderer;
pub fn summary(_d: &Diagnostics, _s: &SourceMap) -> String {
    String::new()
}
