//! Arguments, exit codes and the streams: what must hold whatever the project.

use std::process::Stdio;

use crate::scratch::{PROGRAM, Scratch};

/// A project with many errors, notes and warnings.
fn faulty(name: &str, errors: usize) -> Scratch {
    let includes: String =
        (0..errors).map(|at| format!("<IncludeProject>nowhere{at}.pproj</IncludeProject>\n")).collect();
    let rest = "<Target>CSharp</Target><Version>1</Version>";
    Scratch::new(name)
        .file(
            "Bank.pproj",
            format!("<Project><InputFiles><PFile>Main.p</PFile></InputFiles>\n{includes}{rest}</Project>"),
        )
        .file("Main.p", PROGRAM)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_fits_a_screen() {
    for (name, arguments, most) in [
        ("help", "--help", 40),
        ("help_check", "check --help", 68),
        ("help_replay", "replay --help", 40),
        ("help_compile", "compile --help", 40),
        ("help_explain", "explain --help", 40),
    ] {
        let scratch = Scratch::new(name);
        scratch.check(arguments);
        let lines = text(&scratch.run(&arguments.split(' ').collect::<Vec<_>>()).stdout).lines().count();
        assert!(lines <= most, "{arguments} prints {lines} lines");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let output = Scratch::new("version").run(&["--version"]);
    assert_eq!(text(&output.stdout), concat!("fabius ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn an_unknown_option_suggests_the_near_one() {
    Scratch::new("unknown_option").check("compile --warning none");
}

#[test]
fn explain_knows_codes_as_they_are_printed() {
    Scratch::new("explain").check("explain error[unknown-event]:");
    Scratch::new("explain_unknown").check("explain unknown-evnt");
    let output = Scratch::new("explain_all").run(&["explain"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("unused-event"), "the list names every code");
}

#[test]
fn only_the_wanted_number_of_errors_is_printed_in_full() {
    let stderr = |arguments: &[&str]| text(&faulty("error_limit", 1300).run(arguments).stderr);
    let count = |text: &str| text.matches("error[missing-include]").count();
    let default = stderr(&["compile"]);
    assert_eq!(count(&default), 50);
    assert!(default.contains("\n… and 1,250 more errors (--error-limit to show more)\n"), "{default}");
    assert!(default.ends_with("error: 1,300 errors, 1 warning\n"), "{default}");
    assert!(default.contains("warning[ignored-entry]"), "errors do not crowd out warnings");
    let one = stderr(&["compile", "--error-limit", "1"]);
    assert_eq!(count(&one), 1);
    assert!(one.contains("\n… and 1,299 more errors, 1 more warning ("), "{one}");
    assert_eq!(count(&stderr(&["compile", "--error-limit=0"])), 1300);
}

#[test]
fn warnings_can_be_left_out() {
    let stderr = text(&faulty("no_warnings", 1).run(&["compile", "--warnings", "none"]).stderr);
    assert!(!stderr.contains("warning") && !stderr.contains("note["), "{stderr}");
    assert!(stderr.ends_with("error: 1 error\n"), "{stderr}");
}

#[test]
fn colour_is_only_for_terminals_unless_asked_for() {
    let scratch = faulty("colour", 1);
    let is_coloured = |arguments: &[&str]| {
        let output = scratch.command(arguments).env("NO_COLOR", "1").output().expect("fabius can be run");
        output.stderr.contains(&b'\x1b')
    };
    assert!(!scratch.run(&["compile"]).stderr.contains(&b'\x1b'));
    assert!(!is_coloured(&["compile"]));
    assert!(is_coloured(&["compile", "--color", "always"]));
    assert!(!is_coloured(&["compile", "--color=never"]));
}

#[test]
fn a_reader_that_has_gone_away_changes_nothing() {
    let exit_code = |arguments: &[&str]| {
        let scratch = faulty("closed_pipe", 60);
        let mut command = scratch.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fabius can be run");
        drop((child.stdout.take(), child.stderr.take()));
        child.wait().expect("fabius ends").code()
    };
    assert_eq!(exit_code(&["explain"]), Some(0));
    assert_eq!(exit_code(&["--help"]), Some(0));
    assert_eq!(exit_code(&["compile"]), Some(2));
    assert_eq!(exit_code(&["compile", "--json", "-"]), Some(2));
    assert_eq!(exit_code(&["nonsense"]), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let scratch = Scratch::new("full_disk");
    let output = scratch.command(&["explain"]).stdout(full).output().expect("fabius can be run");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: cannot write to the standard output: no storage space\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_however_much_there_is_to_print() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let program =
        format!("{PROGRAM}test tcOne [main=Main]: {{ Main }};\ntest tcTwo [main=Main]: {{ Main }};\n");
    let scratch = Scratch::new("full_disk_of_check").file("Main.p", program);
    let output = scratch.command(&["check", "Main.p"]).stdout(full).output().expect("fabius can be run");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: cannot write to the standard output: no storage space\n");
}

#[test]
fn numbers_beyond_their_range_are_told_the_range() {
    let scratch = Scratch::new("ranges").file("Main.p", PROGRAM);
    for (option, value, expected) in [
        ("--timeout", "1e30", "expected a number of seconds above 0 and not above 1000000000"),
        ("--timeout", "0", "expected a number of seconds above 0 and not above 1000000000"),
        ("--memory", "1e30", "expected a size from 1 to 17179869183G, for instance 500M or 4G"),
        ("--memory", "99999999999G", "expected a size from 1 to 17179869183G"),
        ("--limit", "queue=0", "`0` is no whole number from 1 to 18446744073709551615"),
        ("--limit", "value-depth=1001", "`1001` is no whole number from 1 to 1000"),
    ] {
        let output = scratch.run(&["check", "Main.p", option, value]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("error: invalid value '{value}' for '{option} ")), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn the_value_that_may_have_been_meant_is_named() {
    let program = format!("{PROGRAM}test tcOne [main=Main]: {{ Main }};\n");
    let scratch = Scratch::new("near_values").file("Main.p", program);
    for (option, value, near) in [
        ("--search", "dsf", "'dfs'"),
        ("--search", "bsf", "'bfs'"),
        ("--search", "DFS", "'dfs'"),
        ("--store", "exct", "'exact'"),
        ("--store", "bitstat", "'bitstate'"),
        ("--explorer", "rtcc", "did you mean rtc? there are rtc, rr"),
        ("--explorer", "randon", "did you mean random? there are rtc, rr"),
        ("--limit", "que=3", "did you mean `queue`?"),
        ("--test", "tcOen", "did you mean `tcOne`?"),
    ] {
        let output = scratch.run(&["check", "Main.p", option, value]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(near), "{option} {value}: {told}");
    }
    let told = text(&scratch.run(&["check", "Main.p", "--search", "breadthwise"]).stderr);
    assert!(!told.contains("similar"), "{told}");
}

#[test]
fn a_file_that_does_not_exist_is_named_with_what_to_do() {
    let scratch = Scratch::new("no_such_file").file("Main.p", PROGRAM).file("near.trace.json", "");
    for (arguments, expected) in [
        (
            "replay nea.trace.json",
            "error: there is no trace `nea.trace.json`; did you mean `near.trace.json`?\n",
        ),
        ("replay x/y.json", "error: there is no trace `x/y.json`; a path counts from the current folder\n"),
        (
            "check Main.p --foreign f.rhai",
            "error: there is no script `f.rhai`; a path counts from the current folder\n",
        ),
        ("bench --verify", "error: there is no folder `corpus`; name that of the corpus with --corpus\n"),
        (
            "bench --verify --corpus .",
            "error: there is no `./sub/expected.toml`, which says what is expected of the tests\n",
        ),
    ] {
        std::fs::create_dir_all(scratch.folder.join("sub")).expect("the folder can be made");
        let output = scratch.run(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), expected), "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_only_wrong() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let strange = OsStr::from_bytes(b"caf\xe9.p");
    let scratch = Scratch::new("strange_arguments");
    let output = scratch.run(&[OsStr::new("compile"), strange]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("error[no-such-path]: there is no file or folder `caf\u{fffd}.p`\n")
    );
    for arguments in [[OsStr::new("compile"), OsStr::new("--color"), strange], [strange; 3]] {
        assert_eq!(scratch.run(&arguments).status.code(), Some(2));
    }
}

#[test]
fn a_json_file_that_cannot_be_written_is_an_error() {
    let output = faulty("unwritable_json", 1).run(&["compile", "--json", "nowhere/result.json"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(
        stderr.ends_with("error: cannot write `nowhere/result.json`: there is no such folder\n"),
        "{stderr}"
    );
}
