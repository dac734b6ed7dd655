//! Files that no person would write: however large and wrong, they get a message, in bounded memory.

use std::fmt::Write as _;

use crate::scratch::Scratch;

#[test]
fn more_errors_than_anybody_reads_are_not_listed() {
    let mut text = String::new();
    for number in 0..1500 {
        let _ = writeln!(text, "event e{number}: tUnknown{number};");
    }
    Scratch::new("too_many_findings").file("a.p", text).check("compile --error-limit 1");
}

#[cfg(unix)]
mod within_memory {
    use std::process::Command;

    use crate::scratch::Scratch;

    const MEGABYTES: usize = 20;

    /// Compiles a file of 20 MB in a process that has at most `megabytes` of memory, and checks how it ends.
    #[track_caller]
    fn compiles_within(name: &str, megabytes: usize, text: &str, exit_code: i32, message: &str) {
        assert!(text.len() >= MEGABYTES << 20, "{name} has only {} bytes", text.len());
        let scratch = Scratch::new(name).file("large.p", text);
        let limited =
            format!("ulimit -v {}; exec \"$0\" compile large.p --json result.json", megabytes << 10);
        let mut command = Command::new("sh");
        let command =
            command.args(["-c", &limited, env!("CARGO_BIN_EXE_fabius")]).current_dir(&scratch.folder);
        let output = command.output().expect("there is a shell");
        let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit_code), "{shown}");
        assert!(shown.contains(message), "{shown}");
        assert!(shown.len() < 100_000, "{} bytes are too many to read", shown.len());
        std::fs::remove_file(scratch.folder.join("large.p")).expect("it is there");
    }

    #[test]
    fn one_line_of_garbage() {
        let garbage = "){ [;= on event 7 \" @ ".repeat((MEGABYTES << 20) / 20);
        compiles_within("large_garbage", 700, &garbage, 2, "and there are more");
    }

    #[test]
    fn one_line_of_characters_that_mean_nothing() {
        let garbage = "@\u{e9} ? ".repeat((MEGABYTES << 20) / 5);
        compiles_within("large_characters", 700, &garbage, 2, "error[invalid-character]");
    }

    #[test]
    fn one_string() {
        let text = format!(
            "machine Main {{ start state Init {{ entry {{ print \"{}\"; }} }} }}",
            "x".repeat(MEGABYTES << 20)
        );
        compiles_within("large_string", 300, &text, 0, "1 machine");
    }

    #[test]
    fn one_string_without_end() {
        let text = format!("machine Main {{ start state Init {{ }} }} \"{}", "x".repeat(MEGABYTES << 20));
        compiles_within("large_open_string", 300, &text, 2, "error[unterminated-string]");
    }

    #[test]
    fn one_comment() {
        let text = format!("/*{}*/ machine Main {{ start state Init {{ }} }}", "x\n".repeat(MEGABYTES << 19));
        compiles_within("large_comment", 300, &text, 0, "1 machine");
    }

    #[test]
    fn one_name() {
        let name = "x".repeat(MEGABYTES << 20);
        compiles_within(
            "large_name",
            500,
            &format!("event {name}; event e: {name}y;"),
            2,
            "error[unknown-type]",
        );
    }
}
