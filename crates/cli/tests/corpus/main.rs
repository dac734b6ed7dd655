//! The corpus: each program compiles without a warning, and each quick test gives the verdict that `expected.toml` says.
//!
//! `fabius check` is run as users run it. A test with a bug is also held against what is expected of its version without
//! the bug, and must fail there: otherwise the comparison could not tell the two apart, and a bug that came back into a
//! correct program would go unnoticed. `fabius bench --verify` runs the slow ones, too.
//!
//! `cargo test --test corpus paxos/` runs those of one program.

#[path = "../../src/commands/bench/expected.rs"]
mod expected;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use expected::{CorpusProgram, Entry, Outcome, OutcomeBug};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

/// How long a test may take, in seconds: far more than any does, even on a busy machine.
const TIMEOUT: &str = "900";

fn main() -> ExitCode {
    let corpus = root().join("corpus");
    let programs = match expected::read_corpus(&corpus) {
        Ok(programs) => programs,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for program in programs.into_iter().map(Arc::new) {
        let compiled = Arc::clone(&program);
        let name = format!("{}/compiles_without_a_warning", program.name);
        trials.push(Trial::test(name, move || Ok(check_compiles(&compiled)?)));
        for (at, entry) in program.entries.iter().enumerate().filter(|(_, entry)| entry.quick) {
            let program = Arc::clone(&program);
            let name = format!("{}/{}", program.name, entry.name);
            trials.push(Trial::test(name, move || Ok(check_entry(&program, &program.entries[at])?)));
        }
    }
    trials.push(Trial::test("tables/readme_lists_every_program", || Ok(check_list()?)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `fabius` writes as JSON.
fn fabius(arguments: &[&str], folder: &Path) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabius"));
    command.args(arguments).arg(folder).args(["--json", "-"]).current_dir(root()).stdin(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Its tests are also exactly those of which something is expected.
fn check_compiles(program: &CorpusProgram) -> Result<(), String> {
    let json = fabius(&["compile"], &program.folder)?;
    if json["verdict"] != "ok" || json["diagnostics"] != Value::Array(Vec::new()) {
        return Err(format!("{}", json["diagnostics"]));
    }
    let tests = json["tests"].as_array().map_or(&[][..], Vec::as_slice);
    program.check_complete(tests.iter().filter_map(Value::as_str))
}

fn check_entry(program: &CorpusProgram, entry: &Entry) -> Result<(), String> {
    program.judge(entry, &run(program, entry)?)
}

fn run(program: &CorpusProgram, entry: &Entry) -> Result<Outcome, String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus").join(&program.name).join(&entry.name);
    let out_text = out.display().to_string();
    let options = entry.options(TIMEOUT);
    let mut arguments = vec!["check", "--test", &entry.name, "--jobs", "1", "--out", &out_text];
    arguments.extend(options.iter().map(String::as_str));
    let json = fabius(&arguments, &program.folder)?;
    let [test] = json["tests"].as_array().map_or(&[][..], Vec::as_slice) else {
        return Err(format!("not one test: {json}"));
    };
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|error| error.to_string())?;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let bug = &test["bug"];
    let bug = bug.is_object().then(|| OutcomeBug {
        kind: text(&bug["kind"]),
        machine: text(&bug["machine"]),
        message: text(&bug["message"]),
    });
    Ok(Outcome { verdict: text(&test["verdict"]), states: test["states"].as_u64(), bug })
}

/// The table of programs has a link to each folder.
fn check_list() -> Result<(), String> {
    let list = fs::read_to_string(root().join("corpus/README.md")).map_err(|error| error.to_string())?;
    for program in expected::read_corpus(&root().join("corpus"))? {
        let name = &program.name;
        if !list.contains(&format!("[{name}]({name})")) {
            return Err(format!("corpus/README.md has no link to {name}"));
        }
    }
    Ok(())
}
