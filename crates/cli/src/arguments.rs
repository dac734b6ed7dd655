//! The arguments of the command line, as typed.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};

/// Finds, explains and proves away concurrency bugs in asynchronous message-passing programs.
#[derive(Debug, Parser)]
#[command(name = "fabius", version, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  fabius compile               check the project in the current folder
  fabius compile Bank          check the project in another one
  fabius explain               list what may be wrong with a program")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compile(CompileOptions),
    Explain(ExplainOptions),
}

/// Check a P project without running it: syntax, names, types, modules and tests
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius compile                              the project in the current folder
  fabius compile Bank/Bank.pproj              a project file
  fabius compile Client.p Server.p            some files
  fabius compile --emit ir Bank               what the project is lowered to
  fabius compile --json - Bank | jq .verdict  for scripts

Exit code: 0 if the project is in order, 2 if not.")]
pub(crate) struct CompileOptions {
    /// A .pproj file, a folder, or .p files [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the lowered program
    #[arg(long, value_name = "WHAT")]
    pub(crate) emit: Option<Emit>,

    /// Write the result as JSON to a file, or to the standard output (-) in place of all else
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) diagnostics: DiagnosticOptions,
}

#[derive(Args, Debug)]
pub(crate) struct DiagnosticOptions {
    /// Which warnings and notes to show
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(crate) warnings: Warnings,

    /// Print this many errors, and as many warnings, in full; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) error_limit: usize,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

/// Say what the code of a diagnostic means, or list all codes
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fabius explain unknown-event")]
pub(crate) struct ExplainOptions {
    /// The code, as in error[unknown-event]
    pub(crate) code: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    // Not a doc comment: clap would print it, and the help would no longer fit a screen.
    // The intermediate representation, as text.
    Ir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Warnings {
    All,
    None,
}
