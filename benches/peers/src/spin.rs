//! SPIN on the Promela twin: a verifier in C, made by `spin`, compiled by `gcc`, and run to the end.
//!
//! All variants are exact, visit all states and do no partial-order reduction, as Fabius does. The table is as large as the
//! graph asks for, so that it need not grow. Generating and compiling is not measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::counts::Counts;
use crate::measurement::Measurement;
use crate::twins::Twin;

/// A way to compile the verifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    flags: &'static [&'static str],
}

/// The ways that are measured: the usual one, the fastest, and the smallest.
pub(crate) const VARIANTS: &[Variant] = &[
    Variant { name: "SPIN", flags: &[] },
    Variant { name: "SPIN, `-DNOCOMP`", flags: &["-DNOCOMP"] },
    Variant { name: "SPIN, `-DCOLLAPSE -DJOINPROCS`", flags: &["-DCOLLAPSE", "-DJOINPROCS"] },
];

/// What every verifier is compiled with.
const FLAGS: &[&str] = &["-O3", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000"];

/// Whether what is needed is here.
pub(crate) fn is_installed() -> bool {
    child::is_installed("spin", "-V") && child::is_installed("gcc", "--version")
}

/// A verifier that is ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Verifier {
    name: &'static str,
    title: String,
    command: Vec<String>,
}

impl Verifier {
    /// Makes one in a folder of its own, for a graph of so many states.
    pub(crate) fn build(
        programs: &Path,
        scratch: &Path,
        twin: &Twin,
        variant: &Variant,
        states: u64,
    ) -> Result<Self, String> {
        let name = format!("{}{}", twin.promela, [twin.defines.concat(), variant.flags.concat()].concat());
        let folder = scratch.join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let source = programs.join(twin.promela);
        child::run(Command::new("spin").args(&twin.defines).arg("-a").arg(source).current_dir(&folder))?;
        print_counts_in_full(&folder.join("pan.c"))?;
        let verifier: PathBuf = folder.join("pan");
        let flags = FLAGS.iter().chain(variant.flags);
        child::run(Command::new("gcc").args(flags).args(["-o", "pan", "pan.c"]).current_dir(&folder))?;
        let slots = states.next_power_of_two().trailing_zeros().max(16);
        let command = vec![verifier.to_string_lossy().into_owned(), format!("-w{slots}")];
        Ok(Self { name: variant.name, title: twin.title.clone(), command })
    }

    pub(crate) fn command(&self) -> &[String] {
        &self.command
    }

    pub(crate) fn measure(&self) -> Result<Measurement, String> {
        let finished = child::run(Command::new(&self.command[0]).args(&self.command[1..]))?;
        let counts = counts(&finished.output).map_err(|why| format!("{}: {why}", self.title))?;
        Ok(Measurement { tool: self.name.to_owned(), threads: 1, counts, cost: finished.cost })
    }
}

/// Lets a verifier print all digits of its counts, where it would leave out some from 100 million on.
fn print_counts_in_full(source: &Path) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", source.display());
    let text = fs::read_to_string(source).map_err(failed)?;
    fs::write(source, text.replace("%9.8g", "%9.15g")).map_err(failed)
}

/// What a verifier's report says, if it has visited everything and found nothing wrong.
pub(crate) fn counts(report: &str) -> Result<Counts, String> {
    if report.contains("Search not completed") || report.contains("depth too small") {
        return Err("SPIN did not visit all states".into());
    }
    if !report.contains("errors: 0") {
        return Err(format!("SPIN found an error\n{report}"));
    }
    let number = |what: &str| {
        let line = report.lines().find(|line| line.contains(what))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    match (number("states, stored"), number("transitions (= stored+matched)")) {
        // The initial state counts as stored, although no transition led to it.
        (Some(states), Some(transitions)) => Ok(Counts { states, transitions: transitions - 1 }),
        _ => Err(format!("SPIN's report is not understood\n{report}")),
    }
}
