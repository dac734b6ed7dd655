//! What `fabius check` and `fabius replay` print, write and leave behind.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scratch::Scratch;

/// Of two workers that are started, the one that is started last must not be the first to answer.
const RACE: &str = "event eDone: int;
machine Main {
  var first: int;
  start state Init {
    entry { new Worker((this, 1)); new Worker((this, 2)); }
    on eDone do (n: int) { if (first == 0) { first = n; assert $ || first == 2, \"1 was faster\"; } }
  }
}
machine Worker {
  start state Init { entry (p: (machine, int)) { send p.0, eDone, p.1; } }
}
test tcRace [main=Main]: { Main, Worker };
";

pub(crate) const FIXED: &str = "machine Main { start state Init { } }\ntest tcRace [main=Main]: { Main };\n";

/// A machine that counts for ever.
pub(crate) const ENDLESS: &str = "event eTick: int;
machine Main {
  start state Init {
    entry { send this, eTick, 0; }
    on eTick do (n: int) { send this, eTick, n + 1; }
  }
}
test tcEndless [main=Main]: { Main };
";

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn stdout(scratch: &Scratch, arguments: &str) -> String {
    text(&scratch.run(&arguments.split(' ').collect::<Vec<_>>()).stdout)
}

pub(crate) fn json(scratch: &Scratch, arguments: &str) -> Value {
    serde_json::from_str(&stdout(scratch, arguments)).expect("the standard output is JSON")
}

/// The text without times, which differ.
pub(crate) fn timeless(text: &str) -> String {
    let words = |line: &str| match line.split_once(" s  ") {
        Some((before, after)) => {
            let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            format!("{before}_ s  {after}\n")
        }
        None => format!("{line}\n"),
    };
    text.lines().map(words).collect()
}

#[test]
fn a_bug_is_told_as_the_natural_run_with_deviations() {
    let scratch = Scratch::new("explained").file("Race.p", RACE);
    let checked = timeless(&stdout(&scratch, "check Race.p --jobs 1"));
    let replayed = stdout(&scratch, "replay fabius-out/Race-tcRace.trace.json --show log");
    let golden = crate::scratch::golden_folder().join("explained.txt");
    crate::scratch::compare(&golden, &format!("{checked}--- replay\n{replayed}"));
}

#[test]
fn every_search_explains_its_bug() {
    let scratch = Scratch::new("explained_all").file("Race.p", RACE);
    for search in ["auto", "ses", "ss", "bfs", "dfs", "random", "pct", "fairpct", "pos"] {
        for explorer in ["rtc", "rr", "prr", "random"] {
            let arguments = format!("check Race.p --jobs 1 --search {search} --explorer {explorer} --json -");
            let bug = &json(&scratch, &arguments)["tests"][0]["bug"];
            let is_delaying = ["auto", "ses", "ss"].contains(&search);
            let expected = if is_delaying { explorer } else { "rtc" };
            assert_eq!(bug["explorer"], expected, "{search}");
            let (delays, deviations) = (bug["delays"].as_u64(), bug["deviations"].as_u64());
            assert!(deviations.is_some() && deviations <= delays, "{search}: {bug}");
        }
    }
}

#[test]
fn the_result_says_what_was_asked_for() {
    let scratch = Scratch::new("asked_for").file("Race.p", FIXED);
    let result = json(&scratch, "check Race.p --seed 7 --search ses --delays 3 --require verified --json -");
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&result["seed"], &result["required"]), (&Value::from(7), &Value::from("verified")));
    let options = &result["options"];
    for (name, value) in [("search", "ses"), ("explorer", "rtc"), ("delays", "3"), ("max-steps", "10000")] {
        assert_eq!(options[name], value, "{name}");
    }
    assert_eq!(options["timeout"], Value::Null, "what was not given is missing");
    assert_eq!(json(&scratch, "check Race.p --json -")["required"], Value::Null);
}

#[test]
fn projects_in_one_folder_keep_their_traces_apart() {
    let scratch = Scratch::new("traces_apart").file("One.p", RACE).file("Two.p", RACE);
    for project in ["One", "Two"] {
        let bug = &json(&scratch, &format!("check {project}.p --json -"))["tests"][0];
        assert_eq!(bug["trace"], format!("fabius-out/{project}-tcRace.trace.json"));
    }
    assert_eq!(fs::read_dir(scratch.folder.join("fabius-out")).map(Iterator::count).ok(), Some(2));
}

#[test]
fn the_trace_of_a_bug_that_is_gone_is_removed_and_of_one_that_may_be_missed_told() {
    let scratch = Scratch::new("old_traces").file("Race.p", RACE);
    stdout(&scratch, "check Race.p");
    let trace = scratch.folder.join("fabius-out/Race-tcRace.trace.json");
    assert!(trace.exists());
    let scratch_of_fixed =
        |text: &str| fs::write(scratch.folder.join("Race.p"), text).expect("it can be written");
    scratch_of_fixed(FIXED);
    let sampled = stdout(&scratch, "check Race.p --search random --schedules 5");
    assert!(sampled.contains("fabius replay fabius-out/Race-tcRace.trace.json"), "{sampled}");
    assert!(trace.exists());
    assert!(!stdout(&scratch, "check Race.p --search ses").contains("earlier"));
    assert!(!trace.exists(), "every state was visited: the bug is gone");
}

#[test]
fn a_warning_that_is_the_same_for_several_tests_is_told_once() {
    let tests = "test tcTwo [main=Main]: { Main };\ntest tcThree [main=Main]: { Main };\n";
    let scratch = Scratch::new("equal_warnings").file("Endless.p", format!("{ENDLESS}{tests}"));
    let told = stdout(&scratch, "check Endless.p --search random --schedules 5 --max-steps 10");
    let warnings: Vec<&str> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
    let expected = "warning: 3 tests (tcEndless, tcTwo, tcThree): most schedules were cut off before they ended; see \
                    --max-steps and --limit";
    assert_eq!(warnings, [expected], "{told}");
}

/// Two specs of which the second stays hot, watching a machine that never ends.
const RESTLESS: &str = "event eTick; event eNever;
machine Main { start state S { entry { send this, eTick; } on eTick do { send this, eTick; } } }
spec First observes eTick { start hot state Hot { on eTick goto Cold; } cold state Cold { ignore eTick; } }
spec Second observes eTick, eNever { start hot state Hot { ignore eTick; on eNever goto Cold; } cold state Cold { ignore eTick; } }
test tcRestless [main=Main]: assert First, Second in { Main };
";

#[test]
fn where_no_run_ends_nothing_is_claimed_of_runs_that_do_and_every_hot_spec_is_named() {
    let scratch = Scratch::new("restless").file("Restless.p", RESTLESS);
    for search in ["ss --schedules 50", "random --schedules 50"] {
        let options = format!("check Restless.p --search {search} --max-steps 30");
        let output = scratch.run(&options.split(' ').collect::<Vec<_>>());
        let told = text(&output.stdout) + &text(&output.stderr);
        for spec in ["First", "Second"] {
            let warning = format!("`{spec}` has hot states, but schedules were cut off");
            assert!(told.contains(&warning), "{search}: {told}");
        }
        assert!(!told.contains("with probability"), "{search}: {told}");
    }
}

#[test]
fn no_warning_is_left_if_none_is_wanted() {
    let unwatched = "spec Idle observes eTick { start state S { ignore eTick; } }";
    let scratch = Scratch::new("no_warnings_of_check").file("Endless.p", format!("{ENDLESS}{unwatched}"));
    let arguments = "check Endless.p --search random --schedules 3 --max-steps 50";
    let told = stdout(&scratch, arguments);
    assert!(told.contains("were cut off") && told.contains("watches no test"), "{told}");
    let quiet = stdout(&scratch, &format!("{arguments} --warnings none"));
    assert!(!quiet.contains("warning"), "{quiet}");
    let result = json(&scratch, &format!("{arguments} --warnings none --json -"));
    assert_eq!(result["tests"][0]["warnings"], Value::Array(Vec::new()));
}

#[test]
fn a_test_is_told_when_it_has_ended_not_when_all_have() {
    let both = format!("{ENDLESS}machine Quick {{ start state Init {{ }} }}\n");
    let both = both.replace("test tcEndless", "test tcFirst [main=Quick]: { Quick };\ntest tcSecond");
    let scratch = Scratch::new("line_by_line").file("Both.p", both);
    let mut child = scratch
        .command(&["check", "Both.p", "--timeout", "20"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("fabius can be run");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let first = lines.map_while(Result::ok).find(|line| line.contains("tcFirst"));
    assert!(first.is_some_and(|line| line.contains("verified")));
    assert_eq!(child.try_wait().ok().flatten(), None, "the second test is still under way");
    child.kill().expect("it can be ended");
    child.wait().expect("it has ended");
}

#[test]
fn a_test_ends_soon_after_its_time() {
    // The bug comes late in a long run, and shortening it could go on for long.
    let scratch =
        Scratch::new("in_time").file("Endless.p", ENDLESS.replace("n + 1; }", "n + 1; assert n < 4000; }"));
    let start = Instant::now();
    let told = stdout(&scratch, "check Endless.p --search random --timeout 2 --jobs 1");
    assert!(told.contains("bug in tcEndless"), "{told}");
    // Some room for a busy machine.
    assert!(start.elapsed() < Duration::from_millis(2_000 + 200 + 1_000 + 2_000), "{:?}", start.elapsed());
}

#[test]
fn a_refinement_test_does_not_reach_any_strength() {
    let program = "machine Main { start state Init { } }
        test tcOne [main=Main]: { Main };
        test tcRefines [main=Main]: { Main } refines { Main };\n";
    let scratch = Scratch::new("refinement").file("Main.p", program);
    let code = |arguments: &str| scratch.run(&arguments.split(' ').collect::<Vec<_>>()).status.code();
    assert_eq!(code("check Main.p"), Some(0));
    assert_eq!(code("check Main.p --require verified"), Some(3));
    assert_eq!(code("check Main.p --require verified --warnings none"), Some(3));
    assert_eq!(code("check Main.p --require verified --test tcOne"), Some(0));
    let told = stdout(&scratch, "check Main.p --require verified");
    assert!(told.contains("1 refinement test, which nothing runs"), "{told}");
}

#[test]
fn independent_errors_are_told_in_one_run() {
    let program = "event eGo;
machine Main {
  var n: int;
  start state Init { entry { n = \"three\"; send this, eGo; } ignore eGo; }
}
test tcMain [main=Mian]: { Main };
test tcModule [main=Main]: Servers;
test tcSpec [main=Main]: assert Safety in { Main };
test tcMachine [main=Main]: { Main, Clint };
";
    Scratch::new("independent_errors").file("Main.p", program).check("compile Main.p");
}

#[test]
fn hidden_files_are_no_part_of_a_project() {
    let scratch = Scratch::new("hidden_files")
        .file("Bank/Bank.p", FIXED)
        .file("Bank/._Bank.p", "\u{5}\u{16}\u{7} no program")
        .file("Bank/.backup/Old.p", "machine Main { }");
    let told = stdout(&scratch, "check Bank");
    assert!(told.contains("1 test verified"), "{told}");
}

#[test]
fn a_trace_of_the_current_folder_is_replayed_from_another_one() {
    let scratch = Scratch::new("replay-from-outside").file("inner/Race.p", RACE);
    let inside = scratch.command(&["check"]).current_dir(scratch.folder.join("inner")).output();
    assert_eq!(inside.expect("it runs").status.code(), Some(1));
    let trace = fs::read_dir(scratch.folder.join("inner/fabius-out")).expect("there are traces").next();
    let trace = trace.expect("there is a trace").expect("it can be read").file_name();
    let replayed = scratch.run(&["replay", &format!("inner/fabius-out/{}", trace.to_string_lossy())]);
    let output = text(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1), "{output}{}", text(&replayed.stderr));
    assert!(output.contains("1 was faster"), "{output}");
}

#[test]
fn bugs_on_one_line_stay_apart_when_they_are_shortened() {
    let program = "machine Main { start state Init { entry {
  var n: int;
  n = choose(3);
  assert n != 0, \"zero\"; assert n != 1, \"one\"; assert n != 2, \"two\";
} } }
test tc [main=Main]: { Main };
";
    let scratch = Scratch::new("bugs-on-one-line").file("Line.p", program);
    let output = stdout(&scratch, "check Line.p --bugs 9 --jobs 1");
    assert!(output.contains("3 different bugs"), "{output}");
    for message in ["zero", "one", "two"] {
        assert!(output.contains(&format!(": {message}\n")), "no bug says {message}: {output}");
    }
}

#[test]
fn two_results_do_not_share_the_standard_output() {
    let scratch = Scratch::new("one-output").file("Race.p", RACE);
    let output = scratch.run(&["check", "Race.p", "--json", "-", "--junit", "-"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
    assert!(text(&output.stderr).contains("only one of them"), "{}", text(&output.stderr));
}

#[test]
fn iterative_random_search_cuts_short_runs_off_at_first() {
    // Each run takes some twenty steps and more.
    let ends = ENDLESS.replace("send this, eTick, n + 1;", "if (n < 20) { send this, eTick, n + 1; }");
    let scratch = Scratch::new("iterative").file("Short.p", ends);
    let guarantee = |search: &str| {
        let result = json(&scratch, &format!("check Short.p --search {search} --schedules 150 --json -"));
        result["tests"][0]["guarantee"].as_str().unwrap_or_default().to_owned()
    };
    assert!(guarantee("random").contains("each to its end"), "{}", guarantee("random"));
    assert!(guarantee("irs").contains("cut off at bounds that grow"), "{}", guarantee("irs"));
    assert_eq!(guarantee("irs"), guarantee("irs --increment 10"));
    assert!(guarantee("irs --increment 100").contains("each to its end"));
}

#[test]
fn deferred_mail_is_told_once_for_a_machine_and_state() {
    let program = "event eFew; event eMany;
        machine Main { start state Init { entry { new Sink(choose(3)); new Sink(1); } } }
        machine Sink { start state Full { defer eFew, eMany; entry (n: int) {
          var at: int;
          while (at < n) { send this, eFew; at = at + 1; }
          if ($) { send this, eMany; }
        } } }
        test tc [main=Main]: { Main, Sink };\n";
    let scratch = Scratch::new("deferred_mail").file("Main.p", program);
    let told = stdout(&scratch, "check Main.p --search bfs");
    let warnings: Vec<&str> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
    // Two machines, each with or without the other event, one of them with none, one or two of the first.
    let expected =
        "warning: tc: at the end of 12 runs, `Sink` is left in `Full` with deferred `eFew`, `eMany`";
    assert_eq!(warnings, [expected], "{told}");
}

#[test]
fn the_test_suite_is_called_after_the_project() {
    let project = "<Project><ProjectName>Bank &amp; Co</ProjectName><InputFiles><PFile>.</PFile></InputFiles></Project>";
    let scratch = Scratch::new("junit_name").file("Bank.pproj", project).file("Race.p", RACE);
    let names = |xml: &str| -> Vec<String> {
        let document = roxmltree::Document::parse(xml).expect("the result is XML");
        let named = document.descendants().filter_map(|node| match node.tag_name().name() {
            "testsuite" => node.attribute("name"),
            "testcase" => node.attribute("classname"),
            _ => None,
        });
        named.map(str::to_owned).collect()
    };
    assert_eq!(names(&stdout(&scratch, "check --junit -")), ["Bank & Co", "Bank & Co"]);
    let scratch = scratch.file("Race.p", "machine");
    assert_eq!(names(&stdout(&scratch, "check --junit -")), ["Bank & Co", "Bank & Co"]);
}

#[test]
fn more_samples_go_deeper_and_leave_the_bound_of_shallow_strata() {
    let machines = "machine Main { start state Init { entry { var at: int; while (at < 9) { new Worker(this); at = at + 1; } } ignore eDone; } }
        machine Worker { start state Init { entry (boss: machine) { send boss, eDone; } } }";
    let program = format!("event eDone;\n{machines}\ntest tc [main=Main]: {{ Main, Worker }};\n");
    let scratch = Scratch::new("deep_strata").file("Main.p", program);
    let told = |samples: u64| {
        let result = json(&scratch, &format!("check Main.p --search ss --schedules {samples} --json -"));
        let entry = &result["tests"][0];
        let (guarantee, delays) = (entry["guarantee"].as_str().unwrap_or_default(), entry["delays"].as_u64());
        let (covered, missed) = guarantee.split_once("; ").expect("something can be said");
        let deepest = format!("(rtc), with up to {} delays", delays.unwrap_or_default());
        assert!(covered.ends_with(&deepest), "{guarantee}");
        (delays, missed.to_owned())
    };
    let (few, many) = (told(1_000), told(20_000));
    assert!(few.0 < many.0, "{few:?} {many:?}");
    assert_eq!(few.1, many.1, "docs/explorers.md explains it");
}

#[test]
fn only_the_exact_store_verifies_and_the_others_say_what_they_may_have_missed() {
    let scratch = Scratch::new("stores").file("Fixed.p", FIXED);
    let result = |store: &str, jobs: &str| {
        let options = format!("--search dfs --memory 200M --store {store} --jobs {jobs}");
        json(&scratch, &format!("check Fixed.p {options} --json -"))["tests"][0].clone()
    };
    let exact = result("exact", "1");
    assert_eq!(exact["verdict"], "verified");
    for jobs in ["1", "2"] {
        for store in ["exact", "hash64", "hash128", "bitstate"] {
            let test = result(store, jobs);
            assert_eq!(test["states"], exact["states"], "{store}");
            assert_eq!(test["transitions"], exact["transitions"], "{store}");
            if store != "exact" {
                assert_eq!(test["verdict"], "no-bug", "{store}");
                let guarantee = test["guarantee"].as_str().unwrap_or_default();
                assert!(
                    guarantee.contains("the probability that a state was missed is at most"),
                    "{guarantee}"
                );
            }
        }
    }
}
