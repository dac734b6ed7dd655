//! Child processes, and what they cost.
//!
//! Everything that is measured runs in a process of its own, so that CPU time and peak memory are its alone. A child's peak
//! includes what its parent had resident when it started: this program has to stay small, and explores nothing itself.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// What a child process printed, and what it cost.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) output: String,
    pub(crate) cost: Cost,
}

/// What a process used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// By the clock on the wall.
    pub(crate) elapsed: Duration,
    /// User and system time of all its threads.
    pub(crate) cpu: Duration,
    pub(crate) peak_bytes: u64,
}

impl Cost {
    /// The least of everything in two runs.
    pub(crate) fn best(self, other: Self) -> Self {
        Self {
            elapsed: self.elapsed.min(other.elapsed),
            cpu: self.cpu.min(other.cpu),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
        }
    }
}

/// Runs a command to its end; a failure is told in a sentence. Its standard error goes to ours.
pub(crate) fn run(command: &mut Command) -> Result<Finished, String> {
    let program = command.get_program().to_owned();
    let failed = |what: &str| format!("{} {what}", program.display());
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| failed(&format!("did not start: {error}")))?;
    let mut output = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut output).map_err(|error| failed(&format!("cannot be read: {error}")))?;
    }
    let used = child.wait4().map_err(|error| failed(&format!("cannot be waited for: {error}")))?;
    if !used.status.success() {
        return Err(failed(&format!("ended with {}\n{output}", used.status)));
    }
    let cost = Cost {
        elapsed: started.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        peak_bytes: used.rusage.maxrss,
    };
    Ok(Finished { output, cost })
}

/// Whether a program is installed.
pub(crate) fn is_installed(program: &str, version: &str) -> bool {
    Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
