//! Output: results to the standard output or a file, diagnostics to the standard error.
//!
//! A reader that has gone away (`fabius compile | head`) is not an error. Any other failure to write is reported.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use clap::ColorChoice;
use fabius_lang::source::{Diagnostic, Renderer, Severity, SourceMap, counted, summary};
use terminal_size::terminal_size_of;

use crate::Exit;
use crate::arguments::{DiagnosticOptions, Warnings};
use crate::files;

/// The columns of a line when the output is no terminal.
const WIDTH: usize = 120;

/// Whether it is known that the standard output cannot be written.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// Writes a result to the standard output.
pub(crate) fn print(text: &str) -> Exit {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            // What comes after will fail as well, and for the same reason.
            if !HAS_FAILED.swap(true, Ordering::Relaxed) {
                complain(&format!("cannot write to the standard output: {}", error.kind()));
            }
            Exit::Error
        }
        _ => Exit::Success,
    }
}

/// Writes a result to a file, or to the standard output if the path is `-`.
pub(crate) fn write(path: &Path, text: &str) -> Exit {
    if path.as_os_str() == "-" {
        return print(text);
    }
    match fs::write(path, text) {
        Ok(()) => Exit::Success,
        Err(error) => complain(&files::cannot_write(path, &error)),
    }
}

/// Writes an error that is not about the program.
pub(crate) fn complain(message: &str) -> Exit {
    let _ = writeln!(io::stderr(), "error: {message}");
    Exit::Error
}

/// Writes a warning that is not about the program.
pub(crate) fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "warning: {message}");
}

/// Shows diagnostics on the standard error, as many as wanted, and a closing line if there are errors, with what follows
/// from them.
pub(crate) fn show(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    options: &DiagnosticOptions,
    consequence: &str,
) {
    let renderer =
        Renderer { colour: wants_colour(options.color, io::stderr().is_terminal()), width: width() };
    // Who cannot be reached cannot be told so.
    let _ =
        show_with(renderer, diagnostics, sources, (options.error_limit, consequence), io::stderr().lock());
}

fn show_with(
    renderer: Renderer,
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    (limit, consequence): (usize, &str),
    mut to: impl Write,
) -> io::Result<()> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    // Errors and the rest are limited apart: no flood of warnings may hide an error.
    let (mut errors, mut others) = (0, 0);
    for diagnostic in diagnostics {
        let shown = if is_error(diagnostic) { &mut errors } else { &mut others };
        *shown += 1;
        if *shown <= limit {
            writeln!(to, "{}\n", renderer.render(diagnostic, sources))?;
        }
    }
    let hidden =
        [(errors, "error"), (others, "warning")].map(|(count, noun)| (count.max(limit) - limit, noun));
    let hidden = hidden.iter().filter(|(count, _)| *count > 0);
    let hidden: Vec<String> =
        hidden.map(|(count, noun)| counted(*count as u64, &format!("more {noun}"))).collect();
    if !hidden.is_empty() {
        writeln!(to, "… and {} (--error-limit to show more)\n", hidden.join(", "))?;
    }
    if let Some(summary) = summary(diagnostics) {
        writeln!(to, "{summary}{consequence}")?;
    }
    to.flush()
}

/// Leaves out what the user does not want to see.
pub(crate) fn wanted(mut diagnostics: Vec<Diagnostic>, options: &DiagnosticOptions) -> Vec<Diagnostic> {
    diagnostics.retain(|diagnostic| options.warnings == Warnings::All || is_error(diagnostic));
    diagnostics
}

pub(crate) fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity() == Severity::Error
}

/// How places in results look, which go to the standard output.
pub(crate) fn result_renderer(choice: ColorChoice) -> Renderer {
    let width = terminal_size_of(io::stdout()).map_or(WIDTH, |(columns, _)| usize::from(columns.0));
    Renderer { colour: wants_colour(choice, io::stdout().is_terminal()), width }
}

fn wants_colour(choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
            is_terminal && !is_set("NO_COLOR") && !is_dumb
        }
    }
}

fn width() -> usize {
    terminal_size_of(io::stderr()).map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}
