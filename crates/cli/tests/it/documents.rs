//! Documents that are made from the code, or that the code must keep true.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fabius_lang::source::{Code, Severity};

use crate::scratch::{Scratch, compare};

#[test]
fn the_list_of_diagnostics_is_up_to_date() {
    let mut text = String::from(
        "# Diagnostics\n\n\
         Made from the list of codes by a test; `UPDATE=1 cargo test` rewrites it. `fabius explain CODE` says the same.\n\
         A code, once published, keeps its meaning.\n",
    );
    let chapters = [(Severity::Error, "Errors"), (Severity::Warning, "Warnings"), (Severity::Note, "Notes")];
    for (severity, title) in chapters {
        let _ = write!(text, "\n## {title}\n\n| code | meaning |\n|---|---|\n");
        for code in Code::ALL.iter().filter(|code| code.severity() == severity) {
            let _ = writeln!(text, "| `{}` | {} |", code.text(), code.meaning());
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    compare(&path, &text);
}

/// A line without its time, which differs from run to run.
fn timeless(line: &str) -> String {
    match line.split_once(" s  ") {
        Some((before, after)) => {
            let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
            format!("{before} {after}")
        }
        None => line.to_owned(),
    }
}

#[test]
fn the_results_that_the_readme_shows_are_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).expect("there is a README");
    let shown: Vec<String> =
        readme.lines().filter_map(|line| line.strip_prefix("    ")).map(timeless).collect();
    let scratch = Scratch::new("readme");
    let out = scratch.folder.join("out").display().to_string();
    let assert_shown = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        // The path of the trace is another one here.
        for line in text.lines().filter(|line| !line.is_empty() && !line.contains("fabius replay")) {
            assert!(shown.contains(&timeless(line)), "the README lacks\n{line}\nof\n{text}");
        }
    };
    let arguments =
        ["check", "corpus/two-phase-commit", "--test", "tcLateTimeout", "--jobs", "1", "--out", &out];
    let checked = scratch.command(&arguments).current_dir(&root).output().expect("fabius can be run");
    assert_shown(&checked.stdout);

    let scratch = scratch
        .file("PSrc/Events.p", "event eCommitted: int;\n")
        .file(
            "PSrc/Coordinator.p",
            "machine Main {\n  start state Init {\n    on eCommited do (id: int) { print format(\"{0}\", id); }\n  }\n}\n",
        );
    assert_shown(&scratch.run(&["compile", "--warnings", "none"]).stderr);
}
