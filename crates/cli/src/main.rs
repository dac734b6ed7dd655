//! The command line of Fabius: the only place that reads files, clocks and the environment, and that prints.

mod allocator;
mod arguments;
mod commands;
mod files;
mod foreign;
mod near;
mod output;
mod program;
mod project;
mod result;

use std::io::{self, Write};
use std::panic;
use std::process::{self, ExitCode};

use arguments::{Arguments, Command};
use commands::{bench, check, compile, explain, replay};

/// How a run ended, for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Success,
    /// A bug was found, or found again.
    Bug,
    /// No bug was found, but not with the strength that was asked for.
    TooWeak,
    /// The program, the command line or Fabius itself is wrong.
    Error,
}

impl Exit {
    /// An error outweighs all; otherwise the first that is no success counts.
    fn worse(self, other: Self) -> Self {
        if self == Self::Success || other == Self::Error { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Bug => Self::from(1),
            Exit::Error => Self::from(2),
            Exit::TooWeak => Self::from(3),
        }
    }
}

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_internal_error));
    let arguments = match Arguments::of_process() {
        Ok(arguments) => arguments,
        Err(help_or_error) => {
            let exit = if help_or_error.use_stderr() { Exit::Error } else { Exit::Success };
            // Nobody may be reading, and then there is nobody to tell.
            let _ = help_or_error.print();
            return exit.into();
        }
    };
    let exit = match &arguments.command {
        Command::Check(options) => check::run(options),
        Command::Replay(options) => replay::run(options),
        Command::Compile(options) => compile::run(options),
        Command::Explain(options) => explain::run(options),
        Command::Bench(options) => bench::run(options),
    };
    exit.into()
}

/// Ends the process: a panic is a mistake of ours, and its exit code is that of every error.
fn report_internal_error(panic: &panic::PanicHookInfo) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(
        io::stderr(),
        "internal error: {message}{place}\n\
         This is a mistake in Fabius {version}, not in your program. Please report it with the command and, if you can,\n\
         the project that led to it."
    );
    process::exit(2);
}
