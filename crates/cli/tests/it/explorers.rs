//! Users' strategies and sealing: what they find, what may then be claimed, and what is said when they are wrong.

use std::path::Path;

use serde_json::Value;

use crate::scratch::Scratch;

/// The notifier tells two machines one after the other; the first may ask the second before that one was told.
const BROADCAST: &str = r#"
event eStart; event eNew; event eAsk;
machine Main {
  start state Init {
    entry {
      var first: First; var second: Second; var notifier: Notifier;
      second = new Second();
      first = new First(second);
      notifier = new Notifier((first = first, second = second));
      send notifier, eStart;
    }
  }
}
machine Notifier {
  var told: (first: First, second: Second);
  start state Ready {
    entry (both: (first: First, second: Second)) { told = both; }
    on eStart do { send told.first, eNew; send told.second, eNew; }
  }
}
machine First {
  var second: Second;
  start state Ready {
    entry (other: Second) { second = other; }
    on eNew do { send second, eAsk; }
  }
}
machine Second {
  var wasTold: bool;
  start state Ready {
    on eNew do { wasTold = true; }
    on eAsk do { assert wasTold, "asked too early"; }
  }
}
"#;

/// The same without the bug.
fn fixed() -> String {
    BROADCAST.replace("assert wasTold, \"asked too early\";", "")
}

/// Two adders each read a cell and write back one more.
const LOST_UPDATE: &str = r#"
event eGo; event eGet: machine; event eValue: int; event ePut: int;
machine Main {
  start state Init {
    entry {
      var cell: Cell;
      cell = new Cell();
      send new Adder(cell), eGo;
      send new Adder(cell), eGo;
    }
  }
}
machine Adder {
  var cell: Cell;
  start state Ready {
    entry (c: Cell) { cell = c; }
    on eGo do {
      send cell, eGet, this;
      receive { case eValue: (value: int) { send cell, ePut, value + 1; } }
    }
  }
}
machine Cell {
  var value: int;
  var puts: int;
  start state Ready {
    on eGet do (asker: machine) { send asker, eValue, value; }
    on ePut do (new_value: int) {
      puts = puts + 1;
      value = new_value;
      assert puts < 2 || value == 2, "an update is lost";
    }
  }
}
"#;

/// The entry of the only test, and the exit code.
fn check(scratch: &Scratch, options: &[&str]) -> (Value, Option<i32>) {
    let arguments = [&["check", "--json", "-"], options].concat();
    let output = scratch.run(&arguments);
    let mut result: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (result["tests"][0].take(), output.status.code())
}

fn verdict(entry: &Value) -> &str {
    entry["verdict"].as_str().unwrap_or_default()
}

#[test]
fn a_bug_inside_a_sealed_handler_is_missed_and_nothing_is_called_verified() {
    let scratch = Scratch::new("sealed_broadcast").file("Main.p", BROADCAST);
    for search in ["ses", "bfs", "dfs", "random"] {
        let (entry, code) = check(&scratch, &["--search", search]);
        assert_eq!((verdict(&entry), code), ("bug", Some(1)), "{search}: {entry}");
        for seal in ["event:eStart", "machine:Notifier", "state:Notifier.Ready"] {
            let options = ["--search", search, "--schedules", "300", "--seal", seal];
            let (entry, code) = check(&scratch, &options);
            assert_eq!((verdict(&entry), code), ("no-bug", Some(0)), "{search}, {seal}: {entry}");
            let guarantee = entry["guarantee"].as_str().unwrap_or_default();
            assert!(guarantee.ends_with(&format!(", with {seal} sealed")), "{guarantee}");
            let (entry, code) = check(&scratch, &[&options[..], &["--require", "verified"]].concat());
            assert_eq!((verdict(&entry), code), ("no-bug", Some(3)), "{search}, {seal}");
        }
    }
}

#[test]
fn synchronous_sends_hide_a_lost_update() {
    let scratch = Scratch::new("sealed_update").file("Main.p", LOST_UPDATE);
    let (entry, code) = check(&scratch, &["--search", "ses"]);
    assert_eq!((verdict(&entry), code), ("bug", Some(1)), "{entry}");
    let sealed = ["--search", "ses", "--seal", "event:eGo"];
    let (entry, code) = check(&scratch, &[&sealed[..], &["--seal-as", "rtc"]].concat());
    assert_eq!((verdict(&entry), code), ("no-bug", Some(0)), "{entry}");
    let guarantee = entry["guarantee"].as_str().unwrap_or_default();
    assert!(
        guarantee.ends_with("event:eGo sealed (--seal-as rtc: sends wait for what they cause)"),
        "{guarantee}"
    );
    let (entry, _) = check(&scratch, &sealed);
    assert_eq!(verdict(&entry), "bug", "an atomic handler still waits for the cell: {entry}");
}

#[test]
fn a_seal_that_leaves_nothing_out_keeps_the_verdict() {
    let scratch = Scratch::new("sealed_nothing").file("Main.p", fixed());
    let (entry, code) = check(&scratch, &["--search", "ses", "--seal", "machine:Second"]);
    assert_eq!((verdict(&entry), code), ("verified", Some(0)), "{entry}");
    let guarantee = entry["guarantee"].as_str().unwrap_or_default();
    assert!(guarantee.ends_with("; sealing machine:Second left nothing out"), "{guarantee}");
    let (entry, _) = check(&scratch, &["--search", "ses", "--seal", "machine:Notifier"]);
    assert_eq!(verdict(&entry), "no-bug", "{entry}");
}

#[test]
fn a_bug_found_with_a_seal_replays() {
    let scratch = Scratch::new("sealed_replay").file("Main.p", BROADCAST);
    for search in ["ses", "ss", "bfs", "random"] {
        let (entry, code) = check(&scratch, &["--search", search, "--seal", "machine:First"]);
        assert_eq!((verdict(&entry), code), ("bug", Some(1)), "{search}: {entry}");
        let trace = entry["trace"].as_str().unwrap_or_default().to_owned();
        let replay = scratch.run(&["replay".to_owned(), trace, "--show".into(), "nothing".into()]);
        assert_eq!(replay.status.code(), Some(1), "{search}: {replay:?}");
    }
}

#[test]
fn the_case_study_finds_its_bug_far_earlier_than_the_built_in_explorers() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chain-replication");
    let (project, script) = (examples.display().to_string(), examples.join("failures-late.rhai"));
    let script = script.display().to_string();
    let scratch = Scratch::new("chain_replication");
    let states = |explorer: &str| {
        let (entry, code) = check(&scratch, &[&project, "--search", "ses", "--explorer", explorer]);
        assert_eq!((verdict(&entry), code), ("bug", Some(1)), "{explorer}: {entry}");
        assert_eq!(entry["bug"]["kind"], "hot-at-end", "{explorer}: {entry}");
        entry["states"].as_u64().expect("states are counted")
    };
    let custom = states(&script);
    let order = "order:Server,Master,Client,*,Injector; eReady: Injector,Server,Master,Client";
    assert_eq!(states(order), custom, "the order says the same in a line");
    // Measured: 73 states against 3,762 and 3,592.
    for explorer in ["rtc", "rr"] {
        let built_in = states(explorer);
        assert!(built_in > 20 * custom, "{explorer} needs {built_in} states, the script {custom}");
    }
    let lines = std::fs::read_to_string(&script).expect("the script can be read").lines().count();
    assert!(lines < 50, "{lines} lines");
}

#[test]
fn the_case_study_samples_fewer_schedules_too() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chain-replication");
    let (project, script) = (examples.display().to_string(), examples.join("failures-late.rhai"));
    let scratch = Scratch::new("chain_replication_sampled");
    let samples = |explorer: &str| {
        let (entry, _) = check(&scratch, &[&project, "--search", "ss", "--explorer", explorer]);
        assert_eq!(verdict(&entry), "bug", "{explorer}: {entry}");
        entry["schedules"].as_u64().expect("schedules are counted")
    };
    let custom = samples(&script.display().to_string());
    for explorer in ["rtc", "rr"] {
        assert!(samples(explorer) > 20 * custom, "{explorer}");
    }
}

#[test]
fn the_document_shows_the_script_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file can be read");
    let script = read("examples/strategies/run-to-completion.rhai");
    assert!(read("docs/explorers.md").contains(&format!("```\n{script}```\n")));
}

#[test]
fn a_wrong_script_ends_the_check_with_its_place() {
    // Without the bug, which would be one whatever the strategy.
    let scratch = Scratch::new("wrong_strategy")
        .file("Main.p", fixed())
        .file("unsound.rhai", "fn next(s, choices) { choices[0] }\nfn delay(s) { s }\n")
        .file("endless.rhai", "fn next(s, choices) {\n  while true { }\n}\nfn delay(s) { s }\n")
        .file("syntax.rhai", "fn next(s, choices) {\n  let = 1\n}\n")
        .file("types.rhai", "fn next(s, choices) { choices[0] }\nfn delay(s) {\n  s.len() + \"x\"\n}\n");
    for (file, expected) in [
        ("unsound.rhai", "unsound.rhai:1: the strategy is not sound: at a state with the choices"),
        ("endless.rhai", "endless.rhai:1: Too many operations"),
        ("syntax.rhai", "syntax.rhai:2: "),
        ("types.rhai", "types.rhai:3: "),
        ("missing.rhai", "there is no strategy `missing.rhai`; a path counts from the current folder"),
    ] {
        for search in ["ses", "ss", "auto"] {
            let (entry, code) = check(&scratch, &["--search", search, "--explorer", file]);
            assert_eq!((verdict(&entry), code), ("rejected", Some(2)), "{search}, {file}: {entry}");
            let refusal = entry["refusal"].as_str().unwrap_or_default();
            assert!(refusal.contains(expected), "{refusal}");
        }
    }
}

#[test]
fn unknown_names_in_orders_and_seals_suggest_the_near_one() {
    let scratch = Scratch::new("unknown_names").file("Main.p", BROADCAST);
    for (option, value, expected) in [
        ("--explorer", "order:Notifer,*", "there is no machine `Notifer`; did you mean `Notifier`?"),
        ("--explorer", "order:*; eNw: First", "there is no event `eNw`; did you mean `eNew`?"),
        (
            "--seal",
            "state:Notifier.Redy",
            "there is no state `Notifier.Redy`; did you mean `Notifier.Ready`?",
        ),
        ("--seal", "Notifier", "expected `machine:NAME`, `state:MACHINE.STATE` or `event:NAME`"),
    ] {
        let (entry, code) = check(&scratch, &[option, value]);
        assert_eq!((verdict(&entry), code), ("rejected", Some(2)), "{entry}");
        let refusal = entry["refusal"].as_str().unwrap_or_default();
        assert!(refusal.contains(expected), "{refusal}");
    }
    let spec = "spec Watcher observes eNew { start state Seeing { on eNew do { } } }\n";
    let watched = Scratch::new("unknown_names_and_spec").file("Main.p", format!("{BROADCAST}{spec}"));
    let (entry, _) = check(&watched, &["--seal", "machine:Watche"]);
    assert_eq!(entry["refusal"], "--seal: there is no machine `Watche`", "a spec is none");
    let output = scratch.run(&["check", "--explorer", "rt"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.contains("there are rtc, rr, prr, random, order:MACHINE,.. and scripts FILE.rhai"),
        "{message}"
    );
}

#[test]
fn what_is_wrong_for_all_tests_is_told_once() {
    let tests: String = (1..=5)
        .map(|at| format!("test tc{at} [main=Main]: {{ Main, Notifier, First, Second }};\n"))
        .collect();
    let scratch = Scratch::new("told_once").file("Main.p", format!("{BROADCAST}{tests}"));
    for (options, expected) in [
        (["--seal", "event:eNw"], "error: 5 tests (tc1, tc2, tc3, …): --seal: there is no event `eNw`"),
        (
            ["--explorer", "order:Notifer,*"],
            "error: 5 tests (tc1, tc2, tc3, …): --explorer order: there is no machine",
        ),
        (["--explorer", "no.rhai"], "error: 5 tests (tc1, tc2, tc3, …): there is no strategy `no.rhai`"),
    ] {
        let output = scratch.run(&[&["check", "Main.p"], &options[..]].concat());
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!((output.status.code(), told.matches("error: ").count()), (Some(2), 1), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

/// With one of eight values a counter starts whose failure lies far beyond the bounds on steps and on its queue.
const FAR: &str = r#"
event eCount;
machine Main {
  var count: int;
  start state Counting {
    entry { if (choose(8) == 3) { send this, eCount; } }
    on eCount do {
      count = count + 1;
      assert count < 60, "far enough";
      send this, eCount;
      send this, eCount;
    }
  }
}
"#;

#[test]
fn samples_that_were_cut_off_promise_nothing_about_what_comes_after() {
    let scratch = Scratch::new("samples_cut_off").file("Far.p", FAR);
    let sampling = ["Far.p", "--search", "ss", "--delays", "3"];
    for bound in [["--max-steps", "20"], ["--limit", "queue=10"]] {
        let (entry, _) = check(&scratch, &[&sampling[..], &bound].concat());
        let guarantee = entry["guarantee"].as_str().unwrap_or_default();
        assert_eq!(entry["verdict"], "no-bug", "{entry}");
        assert!(guarantee.contains("cut off at `--max-steps` or a bound"), "{guarantee}");
        // All runs with 3 delays were cut off.
        assert!(
            guarantee.contains("; a given run with 2 delays, at no more than 1 place, was missed"),
            "{guarantee}"
        );
    }
    let (entry, _) = check(&scratch, &sampling);
    assert_eq!(entry["verdict"], "bug", "{entry}");
}

/// Of the runs with 2 delays one goes on for ever, and others end.
const SOME_FAR: &str = r#"
event eCount;
machine Main {
  start state Counting {
    entry { if (choose(8) == 3) { send this, eCount; } if (choose(2) == 1) { send this, eCount; } }
    on eCount do { send this, eCount; send this, eCount; }
  }
}
"#;

#[test]
fn where_some_samples_were_cut_off_only_runs_that_end_are_promised() {
    let scratch = Scratch::new("some_cut_off").file("Far.p", SOME_FAR);
    let options = ["Far.p", "--search", "ss", "--delays", "3", "--max-steps", "20"];
    let (entry, _) = check(&scratch, &options);
    let guarantee = entry["guarantee"].as_str().unwrap_or_default();
    let promise = "a given run with 2 delays, at no more than 2 places and not cut off, was missed";
    assert!(guarantee.contains(promise), "{guarantee}");
}

#[test]
fn strata_are_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new("strata_by_threads");
    let corpus = |program: &str| format!("{}/../../corpus/{program}", env!("CARGO_MANIFEST_DIR"));
    let searches = [
        ("elevator-door", "tcElevator___presses_6", vec!["--data-choices", "free", "--states", "5000"]),
        ("two-phase-commit", "tcWithFailures", vec!["--states", "8000"]),
        ("paxos", "tcOneProposer", vec!["--p-points", "--states", "5000"]),
    ];
    for (program, test, options) in searches {
        let program = corpus(program);
        let by = |jobs: &str| {
            let search = [program.as_str(), "--test", test, "--search", "ses", "--jobs", jobs];
            let (entry, _) = check(&scratch, &[&search[..], &options].concat());
            ["verdict", "states", "transitions", "delays", "depth", "guarantee"]
                .map(|field| entry[field].clone())
        };
        let alone = by("1");
        for jobs in ["2", "3", "8"] {
            assert_eq!(by(jobs), alone, "{program} {test} with {jobs} threads");
        }
    }
}
