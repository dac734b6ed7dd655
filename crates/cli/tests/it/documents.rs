//! Documents that are made from the code, or that the code must keep true.

use std::fmt::Write as _;
use std::path::Path;

use fabius_lang::source::{Code, Severity};

use crate::scratch::compare;

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
