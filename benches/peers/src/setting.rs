//! When, where and on what it was measured.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Describes it in a sentence. Of a binary that was given nobody knows which commit it was built from.
pub(crate) fn described(repository: &Path, is_given: bool) -> String {
    let processor = first_field("/proc/cpuinfo", "model name").unwrap_or("unknown processor".into());
    let kilobytes = first_field("/proc/meminfo", "MemTotal").unwrap_or_default();
    let kilobytes: f64 = kilobytes.trim_end_matches(" kB").parse().unwrap_or(0.0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let date = said(Command::new("date").args(["-u", "+%F"]));
    let spin = said(Command::new("spin").arg("-V"));
    let gcc = said(Command::new("gcc").arg("-dumpfullversion"));
    format!(
        "{date}; {} {}; {processor}, {cores} cores, {:.0} GiB; {spin}; gcc {gcc}; Stateright 0.31",
        if is_given { "a Fabius that was given, repository at" } else { "Fabius at" },
        commit(repository),
        kilobytes / f64::from(1 << 20)
    )
}

/// The commit, with `+` if there are changes beyond it.
fn commit(repository: &Path) -> String {
    let git = |arguments: &[&str]| said(Command::new("git").arg("-C").arg(repository).args(arguments));
    let changes = git(&["status", "--porcelain", "--untracked-files=no", "--", "crates", "benches"]);
    format!("{}{}", git(&["rev-parse", "--short=12", "HEAD"]), if changes.is_empty() { "" } else { "+" })
}

/// The standard output of a command; nothing if it cannot run.
fn said(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}

fn first_field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
