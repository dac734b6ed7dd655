//! From text to a tree.
//!
//! `lexer` makes tokens of a file's text, with `invalid` for characters that P does not use; `parser` is the cursor over them, with `recovery` for text that is wrong and
//! one file in `grammar` per part of the language. The grammar is P's own, with two liberties: words that P reserves
//! only for its verifier and for parametric tests are ordinary names wherever nothing of theirs is meant, and syntax of
//! older versions is recognised to say what replaced it.

mod grammar;
mod invalid;
mod lexer;
mod parser;
mod recovery;
#[cfg(test)]
mod tests;
mod token;
pub mod tree;

use crate::source::{Diagnostics, SourceMap};
use lexer::Tokens;
use parser::Parser;
use tree::Tree;

/// Parses all files of a project into one tree. What is wrong with them is reported, and the tree has `Error` nodes and
/// missing names there.
pub fn parse(sources: &SourceMap, diagnostics: &mut Diagnostics) -> Tree {
    let mut tree = Tree::default();
    let mut tokens = Tokens::default();
    for file in sources.program_files() {
        lexer::lex(file, &mut tokens, diagnostics);
        Parser::new(file, &tokens, &mut tree, diagnostics).file();
    }
    tree
}
