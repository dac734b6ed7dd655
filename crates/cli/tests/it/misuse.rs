//! Options, files and scripts that do not fit: what is said, and when.

use std::fs;
use std::time::{Duration, Instant};

use crate::check::{ENDLESS, FIXED, json, stdout, text, timeless};
use crate::scratch::Scratch;

#[test]
fn an_option_that_the_search_does_not_use_is_warned_of() {
    let scratch = Scratch::new("unused_options").file("Fixed.p", FIXED);
    let told = |arguments: &str| {
        let output = scratch.run(&format!("check Fixed.p {arguments}").split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        text(&output.stderr)
    };
    for (arguments, expected) in [
        (
            "--search random --delays 2",
            "--delays has no effect with --search random; it is for auto, ses, ss and pb",
        ),
        (
            "--search bfs --explorer rtc",
            "--explorer has no effect with --search bfs; it is for auto, ses and ss",
        ),
        ("--search ses --max-steps 9", "--max-steps has no effect with --search ses"),
        (
            "--search ss --states 9 --strict",
            "--strict has no effect with --search ss; it is for auto, ses and pb",
        ),
        ("--search ss --states 9 --strict", "--states has no effect with --search ss"),
        ("--search bfs --jobs 2", "--jobs has no effect with --search bfs"),
        ("--store hash64", "--store has no effect with --search auto; it is for dfs"),
        ("--depth 3", "--depth has no effect with --search auto; it is for pct and fairpct"),
        (
            "--search pos --increment 3",
            "--increment has no effect with --search pos; it is for irs and depth",
        ),
        ("--cache-full keep", "--cache-full has no effect without --cache"),
        ("--seal-as rtc", "--seal-as has no effect without --seal"),
    ] {
        let told = told(arguments);
        assert!(told.contains(&format!("warning: {expected}")), "{arguments}: {told}");
    }
    for arguments in [
        "--search random",
        "--search bfs --jobs 1 --seed 3",
        "--delays 3 --schedules 9 --explorer rr --strict --cost deviations",
        "--search pct --depth 2",
        "--search random --delays 2 --warnings none",
    ] {
        assert_eq!(told(arguments), "", "{arguments}");
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_search() {
    let scratch = Scratch::new("unwritable").file("Endless.p", ENDLESS).file("old.json", "old");
    let told = |arguments: &str| {
        let start = Instant::now();
        let output = scratch.run(&format!("check Endless.p {arguments}").split(' ').collect::<Vec<_>>());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{arguments}");
        assert!(start.elapsed() < Duration::from_secs(20), "the search has run: {arguments}");
        text(&output.stderr)
    };
    assert_eq!(
        told("--json nowhere/a.json --junit Endless.p/b.xml"),
        "error: cannot write `nowhere/a.json`: there is no such folder\n\
         error: cannot write `Endless.p/b.xml`: not a directory\n"
    );
    assert_eq!(told("--json ."), "error: cannot write `.`: is a directory\n");
    let expected = "error: cannot write to `Endless.p/traces/new`: `Endless.p` is no folder\n";
    assert_eq!(told("--out Endless.p/traces/new"), expected);
    told("--json old.json --junit new.xml --out Endless.p");
    assert_eq!(fs::read_to_string(scratch.folder.join("old.json")).ok().as_deref(), Some("old"));
    assert!(!scratch.folder.join("new.xml").exists(), "looking leaves nothing behind");
}

#[test]
fn a_default_folder_that_cannot_be_written_only_gets_a_warning() {
    let scratch = Scratch::new("unwritable_default").file("Fixed.p", FIXED).file("fabius-out", "no folder");
    let output = scratch.run(&["check", "Fixed.p"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("traces will be lost"), "{}", text(&output.stderr));
}

#[test]
fn a_test_that_cannot_be_run_is_called_refused_everywhere() {
    let program = format!(
        "fun Missing(): int;\n{}",
        FIXED.replace("Init { }", "Init { entry { print format(\"{0}\", Missing()); } }")
    );
    let scratch = Scratch::new("refused").file("Main.p", program);
    let told = timeless(&stdout(&scratch, "check Main.p"));
    assert!(told.contains("  tcRace  refused     _ s  the reason is below\n"), "{told}");
    assert!(told.ends_with("\n1 test refused\n"), "{told}");
    assert!(!told.contains("not run") && !told.contains("rejected"), "{told}");
    assert_eq!(json(&scratch, "check Main.p --json -")["tests"][0]["verdict"], "rejected");
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = fs::read_to_string(readme).expect("there is a README");
    for verdict in ["`verified`", "`no bug`", "`incomplete`", "`bug`", "`refused` (in the JSON `rejected`)"] {
        assert!(readme.contains(&format!("\n- {verdict}")), "the README does not explain {verdict}");
    }
}

#[test]
fn a_script_function_that_almost_fits_is_told() {
    let program = "fun Larger(a: int, b: int): int;\nfun Smaller(a: int, b: int): int;\nfun Other(): int;
        machine Main { start state Init { entry { print format(\"{0}\", Larger(1, 2) + Smaller(1, 2) + Other()); } } }
        test tc [main=Main]: { Main };\n";
    let script = "fn Larger(a) { a }\nfn smaler(a, b) { b }\n";
    let scratch = Scratch::new("almost_fits").file("Main.p", program).file("all.rhai", script);
    let told = stdout(&scratch, "check Main.p --foreign all.rhai");
    for expected in [
        "without a body: `Larger`, `Smaller`, `Other`\n",
        "\nall.rhai: `Larger` has 1 parameter, and `fun Larger(a: int, b: int): int;` 2\n",
        "\nall.rhai: there is no foreign function `smaler`; did you mean `Smaller`, for `fun Smaller(",
        "for instance:\n\n// fun Other(): int;\nfn Other() {",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    assert!(!told.contains("fn Larger"), "no second body is offered: {told}");
}

#[test]
fn a_test_with_parameters_is_named_by_a_pattern() {
    let program = "param size: int;
        machine Main { start state Init { entry { print format(\"{0}\", size); } } }
        test param (size in [1, 2]) tcSizes [main=Main]: { Main };\n";
    let told = |name: &str, program: &str, arguments: &str| {
        let scratch = Scratch::new(name).file("Main.p", program);
        let output = scratch.run(&format!("check Main.p {arguments}").split(' ').collect::<Vec<_>>());
        (output.status.code(), text(&output.stderr) + &text(&output.stdout))
    };
    let (code, hint) = told("instances", program, "--test tcSizes");
    let expected = "error: `tcSizes` has parameters, and its 2 tests are called after their values; --test 'tcSizes*' names them all\n";
    assert_eq!((code, hint.as_str()), (Some(2), expected));
    let (code, run) = told("instances_run", program, "--test tcSizes*");
    assert!(code == Some(0) && run.contains("2 tests verified"), "{run}");
    let more = format!("{program}test tcSizesAndMore [main=Main]: {{ Main }};\n");
    let (_, hint) = told("instances_and_more", &more, "--test tcSizes");
    assert!(hint.contains("--test 'tcSizes___*'"), "{hint}");
}

#[test]
fn numbers_in_messages_read_well() {
    let program = |body: &str| {
        format!(
            "machine Main {{ start state Init {{ entry {{ var s: seq[int]; var x: any; {body} }} }} }}
             machine Other {{ start state Init {{ }} }}
             test tc [main=Main]: {{ Main, Other }};\n"
        )
    };
    for (name, body, options, expected) in [
        ("one_machine", "new Other();", "--limit machines=1", "where more than 1 machine was created"),
        ("one_element", "s += (0, 7); x = s[3];", "", "index 3 is out of range: there is 1 element\n"),
        ("no_element", "x = s[0];", "", "index 0 is out of range: there are no elements\n"),
        ("negative", "x = choose(0 - 3);", "", "cannot choose a number below -3: the bound is negative\n"),
        ("one_step", "x = $; x = $;", "--search random --max-steps 1", "cut off at 1 step\n"),
    ] {
        let scratch = Scratch::new(&format!("numbers_{name}")).file("Main.p", program(body));
        let told = stdout(&scratch, format!("check Main.p {options}").trim());
        assert!(told.contains(expected), "{told}");
    }
}
