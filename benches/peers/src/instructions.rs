//! Instructions per transition, counted by callgrind: the figure without noise.
//!
//! Counted at two sizes of one program, and the difference divided by the difference of transitions: what starting and
//! compiling the program costs cancels out.

use std::process::{Command, Stdio};

use crate::child;
use crate::counts::Counts;

/// Whether callgrind is here.
pub(crate) fn can_be_counted() -> bool {
    child::is_installed("valgrind", "--version")
}

/// A command with the size of the graph that it explores.
#[derive(Debug)]
pub(crate) struct Sized<'a> {
    pub(crate) command: &'a [String],
    pub(crate) counts: Counts,
}

/// Instructions for each transition more.
pub(crate) fn per_transition(small: &Sized<'_>, large: &Sized<'_>) -> Result<f64, String> {
    let instructions = count(large.command)? as f64 - count(small.command)? as f64;
    Ok(instructions / (large.counts.transitions - small.counts.transitions) as f64)
}

fn count(command: &[String]) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(command)
        .stdout(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    collected(&text).ok_or_else(|| format!("callgrind counted nothing\n{text}"))
}

/// The sum in callgrind's report.
pub(crate) fn collected(report: &str) -> Option<u64> {
    report.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}
