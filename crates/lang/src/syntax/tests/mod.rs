//! Tests of the parser: what texts mean, what is said about wrong ones, and what holds for any text.

mod declarations;
mod depth;
mod expressions;
mod invariants;
mod lexing;
mod mutation;
mod printer;
mod recovery;
mod retired;
mod statements;
mod words;

use super::parse;
use super::tree::Tree;
use crate::source::{Diagnostics, SourceMap};
use printer::Printer;

/// Programs that use every production of the grammar.
const PROGRAMS: [(&str, &str); 4] = [
    ("library.p", include_str!("../../../tests/programs/library.p")),
    ("values.p", include_str!("../../../tests/programs/values.p")),
    ("modules.p", include_str!("../../../tests/programs/modules.p")),
    ("verifier.p", include_str!("../../../tests/programs/verifier.p")),
];

fn parse_text(text: &str) -> (SourceMap, Tree, Diagnostics) {
    let mut sources = SourceMap::default();
    sources.add("test.p", text, false);
    let mut diagnostics = Diagnostics::default();
    let tree = parse(&sources, &mut diagnostics);
    diagnostics.sort();
    (sources, tree, diagnostics)
}

/// What is said about a text, one `line:column code: message` each.
fn errors(text: &str) -> Vec<String> {
    let (sources, tree, diagnostics) = parse_text(text);
    invariants::check(&sources, &tree, &diagnostics);
    let lines = diagnostics.iter().map(|diagnostic| {
        let place = sources.location(diagnostic.span).expect("a diagnostic of the parser has a place");
        format!("{}:{} {}: {}", place.line, place.column, diagnostic.code.text(), diagnostic.message)
    });
    lines.collect()
}

/// The only thing said about a text.
fn error(text: &str) -> String {
    let mut errors = errors(text);
    assert_eq!(errors.len(), 1, "{text}\n{errors:#?}");
    errors.remove(0)
}

/// The hint of the first thing said about a text.
fn hint(text: &str) -> String {
    let (_, _, diagnostics) = parse_text(text);
    let first = diagnostics.iter().next().expect("the text is wrong");
    first.hint.clone().unwrap_or_default()
}

/// The declarations of a text that must be right.
fn declarations(text: &str) -> Vec<String> {
    let (sources, tree, diagnostics) = parse_text(text);
    invariants::check(&sources, &tree, &diagnostics);
    let said: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert!(said.is_empty(), "{text}\n{said:#?}");
    let printer = Printer(&tree);
    tree.declarations.iter().map(|declaration| printer.declaration(declaration)).collect()
}

/// The declarations of a text that may be wrong.
fn recovered(text: &str) -> Vec<String> {
    let (_, tree, _) = parse_text(text);
    let printer = Printer(&tree);
    tree.declarations.iter().map(|declaration| printer.declaration(declaration)).collect()
}

/// The only declaration of a text that must be right.
fn declaration(text: &str) -> String {
    let mut declarations = declarations(text);
    assert_eq!(declarations.len(), 1, "{text}");
    declarations.remove(0)
}

/// The body of a function with these statements, which must be right.
fn statements(text: &str) -> String {
    let function = declaration(&format!("fun f() {{ {text} }}"));
    function["(fun f () {".len()..function.len() - 2].to_owned()
}

/// An expression that must be right.
fn expression(text: &str) -> String {
    let statement = statements(&format!("x = {text};"));
    statement["(= x ".len()..statement.len() - 1].to_owned()
}

/// A type that must be right.
fn type_expr(text: &str) -> String {
    let declaration = declaration(&format!("type T = {text};"));
    declaration["(type T ".len()..declaration.len() - 1].to_owned()
}
