//! What results claim: no more than what was covered, in words that cannot be taken for more.

use serde_json::Value;

use crate::check::{json, stdout, text};
use crate::scratch::Scratch;

/// Three workers count to two, each at its own pace, under a spec that is hot until all are done. `Idle` and its event are
/// in the other test only.
const WORKERS: &str = "event eTick; event eDone; event eIdle;
spec Finish observes eDone {
  var done: int;
  start hot state Working { on eDone do { done = done + 1; if (done == 3) { goto Finished; } } }
  cold state Finished { }
}
machine Main { start state Init { entry { new Worker(); new Worker(); new Worker(); } } }
machine Worker {
  var ticks: int;
  start state Init {
    entry { send this, eTick; }
    on eTick do {
      ticks = ticks + 1;
      if (ticks < 2) { send this, eTick; } else { announce eDone; }
    }
  }
}
machine Idle { start state Init { entry { send this, eIdle; } on eIdle do { } } }
test tcWorkers [main=Main]: assert Finish in { Main, Worker };
test tcIdle [main=Idle]: { Idle };
";

fn workers(name: &str) -> Scratch {
    Scratch::new(name).file("Workers.p", WORKERS)
}

/// Verdict and line of the test with the workers.
fn check(scratch: &Scratch, options: &str) -> (String, String) {
    let result = json(scratch, &format!("check Workers.p --test tcWorkers --json - {options}"));
    let told = |field: &str| result["tests"][0][field].as_str().unwrap_or_default().to_owned();
    (told("verdict"), told("guarantee"))
}

const OPEN: &str = "; whether a spec can stay hot for ever was not judged";

/// Without a delay its bug needs two choices of data; with one delay, or with one deviation, one choice.
const FAR: &str = "event eGo; event eDisturb;
machine Main {
  var disturbed: bool;
  start state S {
    entry { new W(this); }
    on eDisturb do { disturbed = true; }
    on eGo do { if ($) { assert disturbed; } }
  }
}
machine W { start state S { entry (m: machine) { new V(m); if (!$) { send m, eDisturb; } } } }
machine V { start state S { entry (m: machine) { send m, eGo; } } }
test tcFar [main=Main]: { Main, W, V };
";

#[test]
fn no_bug_is_told_to_be_farther_than_the_search_has_looked() {
    let scratch = Scratch::new("claims_far").file("Far.p", FAR);
    for options in ["", " --strict", " --cost deviations", " --strict --cost deviations"] {
        let options = format!("--delays 0 --explorer prr --data-choices free{options}");
        let told = stdout(&scratch, &format!("check Far.p --search ses {options}"));
        assert!(told.contains("assertion, 2 free choices of data from the natural run (prr)"), "{told}");
    }
    let told = stdout(&scratch, "check Far.p --search ses --explorer prr");
    assert!(told.contains(" delays from the natural run (prr)"), "{told}");
}

/// The queue of a sink holds one message if each is taken at once, and more after a delay.
const SINKS: &str = "event eDrop;
machine Main { start state Init { entry { new Tap(); new Tap(); } } }
machine Tap {
  start state Init {
    entry { var sink: machine; sink = new Sink(); send sink, eDrop; send sink, eDrop; send sink, eDrop; }
  }
}
machine Sink { start state Init { on eDrop do { } } }
test tcSinks [main=Main]: { Main, Tap, Sink };
";

#[test]
fn a_bound_of_the_program_is_part_of_what_strict_strata_claim() {
    let scratch = Scratch::new("claims_bound").file("Sinks.p", SINKS);
    let options = "--search ses --strict --delays 1 --limit queue=1";
    let test = json(&scratch, &format!("check Sinks.p {options} --json -"))["tests"][0].clone();
    let line = test["guarantee"].as_str().unwrap_or_default();
    assert_eq!(test["verdict"], "incomplete", "{line}");
    let begin = "all runs with at most 1 delay, as far as they were followed (strict, rtc); ";
    assert!(line.starts_with(begin) && line.contains("; not followed where "), "{line}");
}

#[test]
fn a_set_that_may_mistake_states_speaks_of_those_that_were_visited() {
    let scratch = workers("claims_mistaken");
    let limited = "--search dfs --store hash64 --jobs 1 --states 20";
    let (verdict, line) = check(&scratch, limited);
    assert_eq!(verdict, "incomplete", "{line}");
    assert!(line.contains("; the probability that one of them was taken for another is at most "), "{line}");
}

#[test]
fn finished_strata_are_not_all_runs_unless_they_are_strict() {
    let scratch = workers("claims_strata");
    for (options, verdict, begin, end) in [
        (
            "--search ses --delays 1",
            "no-bug",
            "",
            "strata 0 to 1 finished (rtc), which need not be all runs with at most 1 delay (--strict covers those)",
        ),
        (
            "--search ses --delays 0 --cost deviations --data-choices free",
            "no-bug",
            "",
            "stratum 0 finished (rtc), which need not be all runs with no deviations and any choices of data (--strict \
             covers those)",
        ),
        (
            "--search ses --delays 1 --strict",
            "no-bug",
            "all runs with at most 1 delay (strict, rtc); ",
            "states",
        ),
        (
            "--search pb --delays 1 --strict",
            "no-bug",
            "all runs with at most 1 preemption (strict, pb); ",
            "states",
        ),
        (
            "--search ses --strict --states 40",
            "incomplete",
            "all runs with no delays (strict, rtc); ",
            "states; limit on states",
        ),
    ] {
        let (actual, line) = check(&scratch, options);
        assert_eq!(actual, verdict, "{options}: {line}");
        let what = line
            .strip_suffix(OPEN)
            .unwrap_or_else(|| panic!("{options}: hot cycles are not told of: {line}"));
        assert!(what.starts_with(begin) && what.ends_with(end), "{options}: {line}");
    }
}

#[test]
fn what_ends_early_says_that_hot_cycles_were_not_judged() {
    let scratch = workers("claims_heat");
    for options in [
        "--search auto --delays 1",
        "--search auto --states 20 --schedules 5",
        "--search pb --delays 0",
        "--search bfs --states 10",
        "--search dfs --states 10",
        "--search depth --states 10",
        "--search ses --limit queue=1 --states 5",
        "--search dfs --store hash64",
    ] {
        let (_, line) = check(&scratch, options);
        assert!(line.ends_with(OPEN), "{options}: {line}");
    }
    for options in ["--search ses", "--search ses --strict", "--search dfs", "--search random --schedules 5"]
    {
        let (_, line) = check(&scratch, options);
        assert!(!line.contains("hot"), "{options}: {line}");
    }
}

#[test]
fn samples_say_why_they_end() {
    let (verdict, line) = check(&workers("claims_samples"), "--search ss --delays 1");
    assert_eq!(verdict, "no-bug", "{line}");
    assert!(line.contains(", with up to 1 delay"), "{line}");
    let short = "machine Main { start state Init { entry { new Other(); } } } machine Other { start state Init { entry { } } }";
    let scratch = Scratch::new("claims_short").file("Short.p", short);
    let told = stdout(&scratch, "check Short.p --search ss");
    assert!(told.contains("; none could be delayed more often\n"), "{told}");
}

#[test]
fn names_that_no_test_comes_to_are_refused_and_those_of_other_tests_are_told() {
    let scratch = workers("claims_names");
    for (option, name) in [
        (["--seal", "machine:Idle"], "Idle"),
        (["--seal", "state:Idle.Init"], "Idle.Init"),
        (["--seal", "event:eIdle"], "eIdle"),
        (["--explorer", "order:Idle,*"], "Idle"),
        (["--explorer", "order:Idle,*; eIdle: Idle,*"], "Idle"),
        (["--explorer", "order:*; eIdle: Worker"], "eIdle"),
        (["--seal", "machine:Finish"], "Finish"),
    ] {
        let what = if option[0] == "--seal" { "--seal" } else { "--explorer order" };
        let run = |arguments: &[&str]| {
            scratch.run(&[&["check", "Workers.p", "--search", "ses"], arguments].concat())
        };
        let alone = run(&[&option[..], &["--test", "tcWorkers"]].concat());
        let told = text(&alone.stdout);
        let refusal = format!(
            "error: tcWorkers: {what}: the project has `{name}`, but no machine of a test that is run ever comes to it"
        );
        assert!(told.contains(&refusal), "{told}");
        assert_eq!(alone.status.code(), Some(2), "{told}");
        // A spec is no machine of any test.
        if name != "Finish" {
            let both = run(&option);
            let told = text(&both.stdout);
            let warning =
                format!("{what}: no machine of this test ever comes to `{name}`, so naming it has no effect");
            assert!(told.contains(&format!("warning: tcWorkers: {warning}")), "{told}");
            assert_eq!(both.status.code(), Some(0), "{told}");
        }
    }
}

/// A bug that the last of three values brings out, if the one who is created last goes first.
const LATE: &str = "event eSet; event eLook;
machine Main {
  start state Init {
    entry {
      var cell: Cell;
      cell = new Cell();
      new Setter(cell);
      new Looker(cell);
    }
  }
}
machine Setter { start state Init { entry (cell: Cell) { send cell, eSet; } } }
machine Looker { start state Init { entry (cell: Cell) { if (choose(3) == 2) { send cell, eLook; } } } }
machine Cell {
  var isSet: bool;
  start state Ready { on eSet do { isSet = true; } on eLook do { assert isSet, \"too early\"; } }
}
";

#[test]
fn distances_are_told_in_what_was_counted() {
    let scratch = Scratch::new("claims_distance").file("Late.p", LATE);
    let line = |options: &str| {
        let told = stdout(&scratch, &format!("check Late.p --explorer rr --search {options}"));
        told.lines().find(|line| line.contains("natural run (")).map(str::to_owned).unwrap_or(told)
    };
    for (options, distance) in [
        ("ses", "assertion, 3 delays from the natural run (rr)"),
        ("ses --cost deviations", "assertion, 2 deviations from the natural run (rr)"),
        ("ses --data-choices free", "assertion, 1 delay and 1 free choice of data from the natural run (rr)"),
        (
            "ses --data-choices free --cost deviations",
            "assertion, 1 deviation and 1 free choice of data from the natural run (rr)",
        ),
        ("ss", "assertion, 3 delays from the natural run (rr)"),
    ] {
        let line = line(options);
        assert!(line.ends_with(distance), "{options}: {line}");
    }
}

#[test]
fn an_absurd_number_of_threads_is_refused() {
    let scratch = workers("claims_jobs");
    for jobs in ["0", "513", "100000", "many"] {
        let output = scratch.run(&["check", "Workers.p", "--jobs", jobs]);
        assert_eq!(output.status.code(), Some(2), "{jobs}");
        let told = text(&output.stderr);
        assert!(told.contains("expected a number of threads from 1 to 512"), "{told}");
    }
    let plain = |entry: &Value| (entry["verdict"].clone(), entry["states"].clone());
    let by = |jobs: &str| {
        plain(&json(&scratch, &format!("check Workers.p --search ses --json - --jobs {jobs}"))["tests"][0])
    };
    assert_eq!(by("200"), by("1"));
}
