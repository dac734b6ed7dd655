//! What holds for any text whatever: the laws that mutated fixtures and the fuzzer put to the test.
//!
//! - Compilation ends, and gives a program exactly when no diagnostic is an error.
//! - Every span lies in one file, begins and ends between characters, and can be shown.
//! - Diagnostics come in order, none twice, and none shows the type of what was already reported.
//! - A program keeps the rules of the IR, and its text form reads back as what it was.

use fabius_lang::ir::{self, Program};
use fabius_lang::source::{Diagnostic, Renderer, Severity, SourceMap, Span};
use fabius_lang::{Compilation, compile};

/// Rendering every diagnostic of a long list would test the same thing many times over.
const RENDERED: usize = 20;

/// Compiles the files and checks every law; the complaint names the law that is broken.
pub(crate) fn check(sources: &SourceMap) -> Result<Compilation, String> {
    let compilation = compile(sources);
    let has_error = compilation.diagnostics.iter().any(|each| each.severity() == Severity::Error);
    if compilation.program.is_some() == has_error {
        return Err(format!(
            "there is {} program although errors say otherwise",
            if has_error { "a" } else { "no" }
        ));
    }
    check_diagnostics(&compilation.diagnostics, sources)?;
    if let Some(program) = &compilation.program {
        check_program(program)?;
    }
    Ok(compilation)
}

fn check_diagnostics(diagnostics: &[Diagnostic], sources: &SourceMap) -> Result<(), String> {
    for diagnostic in diagnostics {
        check_span(diagnostic.span, sources).map_err(|reason| format!("{reason}: {diagnostic:?}"))?;
        for label in &diagnostic.labels {
            check_span(label.span, sources)
                .map_err(|reason| format!("{reason}, in a label: {diagnostic:?}"))?;
        }
        if diagnostic.message.contains('?') && !sources.text(diagnostic.span).contains('?') {
            return Err(format!("a message shows an unknown type: {diagnostic:?}"));
        }
    }
    let key = |diagnostic: &Diagnostic| (diagnostic.span, diagnostic.code, diagnostic.message.clone());
    if let Some(pair) =
        diagnostics.windows(2).find(|pair| key(&pair[0]) > key(&pair[1]) || pair[0] == pair[1])
    {
        return Err(format!("diagnostics are out of order, or one came twice: {pair:?}"));
    }
    let renderer = Renderer { colour: false, width: 80 };
    for diagnostic in diagnostics.iter().take(RENDERED) {
        if !renderer.render(diagnostic, sources).contains(diagnostic.code.text()) {
            return Err(format!("the rendered text lacks the code: {diagnostic:?}"));
        }
    }
    Ok(())
}

fn check_span(span: Span, sources: &SourceMap) -> Result<(), &'static str> {
    if span == Span::default() {
        return Ok(());
    }
    let file = sources.file_of(span).ok_or("a span lies in no file")?;
    if span.start > span.end || span.start < file.start || span.end > file.span().end {
        return Err("a span lies partly outside its file");
    }
    let is_boundary = |offset: u32| file.text.is_char_boundary((offset - file.start) as usize);
    if !is_boundary(span.start) || !is_boundary(span.end) {
        return Err("a span cuts a character in two");
    }
    Ok(())
}

/// The rules of the IR hold, and printing, reading and printing again gives the same text.
pub(crate) fn check_program(program: &Program) -> Result<(), String> {
    if let Some(violation) = ir::verify(program).first() {
        return Err(format!("the IR breaks a rule: {}", violation.describe(program)));
    }
    let text = ir::text::print(program);
    let read =
        ir::text::parse(&text).map_err(|error| format!("the IR's text cannot be read: {error}\n{text}"))?;
    let again = ir::text::print(&read);
    if text != again {
        return Err(format!("the IR's text changes when it is read\n=== first\n{text}\n=== then\n{again}"));
    }
    Ok(())
}
