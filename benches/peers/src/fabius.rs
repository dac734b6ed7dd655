//! Fabius as its users have it: the command, on the P twin.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::child;
use crate::counts::Counts;
use crate::measurement::Measurement;
use crate::twins::Twin;

/// A way to run it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    arguments: &'static [&'static str],
}

/// The ways that are measured.
pub(crate) const VARIANTS: &[Variant] = &[
    Variant { name: "Fabius, exact", threads: 1, arguments: &["--store", "exact", "--jobs", "1"] },
    Variant { name: "Fabius, 64-bit hashes", threads: 1, arguments: &["--store", "hash64", "--jobs", "1"] },
    Variant { name: "Fabius, exact", threads: 2, arguments: &["--store", "exact", "--jobs", "2"] },
    Variant { name: "Fabius, 64-bit hashes", threads: 2, arguments: &["--store", "hash64", "--jobs", "2"] },
];

/// The command, and where it may write.
#[derive(Debug)]
pub(crate) struct Fabius {
    pub(crate) binary: PathBuf,
    pub(crate) programs: PathBuf,
    pub(crate) scratch: PathBuf,
}

impl Fabius {
    /// The command that checks a twin.
    pub(crate) fn command(&self, twin: &Twin, variant: &Variant) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut command = vec![path(&self.binary), "check".into(), path(&self.programs.join(twin.p))];
        command.extend(["--test", &twin.test, "--search", "dfs", "--json", "-"].map(str::to_owned));
        command.extend(["--timeout", "3600", "--out"].map(str::to_owned));
        command.push(path(&self.scratch));
        command.extend(variant.arguments.iter().map(|argument| (*argument).to_owned()));
        command
    }

    pub(crate) fn measure(&self, twin: &Twin, variant: &Variant) -> Result<Measurement, String> {
        let command = self.command(twin, variant);
        let finished = child::run(Command::new(&command[0]).args(&command[1..]))?;
        let counts = counts(&finished.output).map_err(|why| format!("{}: {why}", twin.title))?;
        Ok(Measurement {
            tool: variant.name.to_owned(),
            threads: variant.threads,
            counts,
            cost: finished.cost,
        })
    }
}

/// What a result in JSON says of its one test.
pub(crate) fn counts(output: &str) -> Result<Counts, String> {
    let result: Value = serde_json::from_str(output).map_err(|error| format!("no JSON: {error}"))?;
    let test = &result["tests"][0];
    let has_no_bug = test["verdict"] == "verified" || test["verdict"] == "no-bug";
    let is_all = test["guarantee"].as_str().is_some_and(|text| text.contains("every schedule and choice"));
    if !has_no_bug || !is_all {
        return Err(format!("Fabius says {}: {}", test["verdict"], test["guarantee"]));
    }
    match (test["states"].as_u64(), test["transitions"].as_u64()) {
        (Some(states), Some(transitions)) => Ok(Counts { states, transitions }),
        _ => Err("Fabius counts no states".into()),
    }
}

/// Builds Fabius in its release profile, and says where the binary is.
pub(crate) fn build(repository: &Path) -> Result<PathBuf, String> {
    let output = Command::new("cargo")
        .args(["build", "--release", "--locked", "--package", "fabius", "--message-format", "json"])
        .current_dir(repository)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut executables = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    executables.next_back().filter(|_| output.status.success()).ok_or_else(|| "Fabius was not built".into())
}
