//! Searches that have little memory: they keep to it, and end with a verdict.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::check::{json, text};
use crate::scratch::Scratch;

/// Machines that count in all orders: every configuration, message and queue is a new one.
const COUNTERS: &str = "event eTick: seq[int];
machine Main { start state Init { entry { new Counter(1); new Counter(2); new Counter(3); } } }
machine Counter {
  start state Init {
    entry (first: int) { var numbers: seq[int]; numbers += (0, first); send this, eTick, numbers; }
    on eTick do (numbers: seq[int]) {
      numbers[0] = numbers[0] + 1;
      numbers += (sizeof(numbers), numbers[0]);
      if (sizeof(numbers) > 40) { numbers -= 1; }
      send this, eTick, numbers;
    }
  }
}
test tcCounters [main=Main]: { Main, Counter };
";

fn counters(name: &str) -> Scratch {
    Scratch::new(name).file("Counters.p", COUNTERS)
}

fn check_incomplete(test: &Value) {
    let guarantee = test["guarantee"].as_str().unwrap_or_default();
    assert_eq!(test["verdict"], "incomplete", "{guarantee}");
    assert!(guarantee.contains("states visited; memory limit"), "{guarantee}");
}

#[test]
fn a_limit_on_memory_is_kept_within_a_tenth_and_the_result_says_what_was_done_for_it() {
    let scratch = counters("little_memory");
    for store in ["exact", "hash64"] {
        for megabytes in [60, 120] {
            let options = format!("--search dfs --store {store} --memory {megabytes}M --json -");
            let test = json(&scratch, &format!("check Counters.p {options}"))["tests"][0].clone();
            check_incomplete(&test);
            let saving = "near the memory limit moves were no longer remembered";
            assert!(test["guarantee"].as_str().unwrap_or_default().contains(saving), "{test}");
            let peak = test["peak_bytes"].as_u64().expect("the system tells it");
            // On a busy machine threads do more between two looks at so small a process.
            let most = (megabytes << 20) * 11 / 10 + (16 << 20);
            assert!(peak <= most, "{store}: {peak} bytes of {megabytes} MiB");
            assert!(peak >= (megabytes << 20) / 2, "{store}: {peak} bytes of {megabytes} MiB");
        }
    }
}

/// Machines that have little to do with each other: few configurations, and very many states that wait for their strata.
const STROLLERS: &str = "event eStep;
machine Main { start state Init { entry { var count: int; while (count < 9) { new Stroller(); count = count + 1; } } } }
machine Stroller {
  var steps: int;
  start state Init {
    entry { send this, eStep; }
    on eStep do { steps = steps + 1; if (steps < 6) { send this, eStep; } }
  }
}
test tcStrollers [main=Main]: { Main, Stroller };
";

#[test]
fn strata_keep_within_a_limit_on_memory_also_when_they_tell_what_is_left() {
    let scratch = Scratch::new("strata_little_memory").file("Strollers.p", STROLLERS);
    for jobs in [1, 2] {
        let options = format!("--search ses --memory 150M --jobs {jobs} --json -");
        let test = json(&scratch, &format!("check Strollers.p {options}"))["tests"][0].clone();
        assert_eq!(test["verdict"], "incomplete", "{test}");
        assert!(test["guarantee"].as_str().unwrap_or_default().contains("memory limit"), "{test}");
        let peak = test["peak_bytes"].as_u64().expect("the system tells it");
        assert!(peak <= (165 << 20) + (16 << 20), "{peak} bytes of 150 MiB");
        assert!(peak >= 75 << 20, "{peak} bytes of 150 MiB");
    }
}

#[test]
fn tests_in_a_row_keep_within_a_limit_on_memory_with_many_threads() {
    let tests = ["A", "B", "C", "D", "E", "F"]
        .map(|name| format!("test tc{name} [main=Main]: {{ Main, Stroller }};\n"));
    let program = STROLLERS.replace("test tcStrollers [main=Main]: { Main, Stroller };\n", &tests.concat());
    let scratch = Scratch::new("tests_in_a_row").file("Strollers.p", program);
    for jobs in [4, 40] {
        let result =
            json(&scratch, &format!("check Strollers.p --search ses --memory 60M --jobs {jobs} --json -"));
        let tests = result["tests"].as_array().expect("there are tests");
        assert_eq!(tests.len(), 6);
        for test in tests {
            assert_eq!(test["verdict"], "incomplete", "{test}");
            assert!(test["states"].as_u64() > Some(10_000), "each has room to begin with: {test}");
        }
        let peak = tests[5]["peak_bytes"].as_u64().expect("the system tells it");
        // Without giving back what a test has freed it was twice the limit.
        assert!(peak <= (66 << 20) + (16 << 20), "{jobs} threads: {peak} bytes of 60 MiB");
    }
}

/// States from which hundreds of steps are due at once.
const WIDE: &str = "event eNumber: int;
machine Main { var last: int; var count: int;
  start state Init {
    entry { new Drawer(this); new Drawer(this); }
    on eNumber do (number: int) { last = number / 50; count = count + 1; }
  }
}
machine Drawer {
  start state Init { entry (target: machine) { var sent: int; while (sent < 3) { send target, eNumber, choose(200); sent = sent + 1; } } }
}
test tcWide [main=Main]: { Main, Drawer };
";

#[test]
fn strata_in_which_much_is_due_at_once_keep_within_a_limit_on_memory() {
    let scratch = Scratch::new("wide_strata").file("Wide.p", WIDE);
    for options in
        ["--cost deviations --jobs 1", "--cost deviations --jobs 2", "--data-choices free --jobs 2"]
    {
        let options = format!("--search ses --memory 80M {options} --json -");
        let test = json(&scratch, &format!("check Wide.p {options}"))["tests"][0].clone();
        assert_eq!(test["verdict"], "incomplete", "{test}");
        let peak = test["peak_bytes"].as_u64().expect("the system tells it");
        assert!(peak <= (88 << 20) + (16 << 20), "{options}: {peak} bytes of 80 MiB");
    }
    let counts = |jobs: u32| {
        let options = format!("--search ses --cost deviations --states 60000 --jobs {jobs} --json -");
        let test = json(&scratch, &format!("check Wide.p {options}"))["tests"][0].clone();
        ["states", "transitions", "delays", "depth"].map(|field| test[field].clone())
    };
    let alone = counts(1);
    assert!([2, 3, 8].into_iter().all(|jobs| counts(jobs) == alone), "{alone:?}");
}

#[test]
fn bits_that_have_probably_missed_states_do_not_claim_all_schedules() {
    let program = STROLLERS.replace("count < 9", "count < 5");
    let scratch = Scratch::new("few_bits").file("Strollers.p", program);
    let options = "--search dfs --store bitstate --memory 40M --json -";
    let test = json(&scratch, &format!("check Strollers.p {options}"))["tests"][0].clone();
    let guarantee = test["guarantee"].as_str().unwrap_or_default();
    assert_eq!(test["verdict"], "no-bug", "{guarantee}");
    assert!(guarantee.contains("states visited; states were probably missed"), "{guarantee}");
    assert!(!guarantee.contains("every"), "{guarantee}");
}

/// The same for ever, while a spec waits for something: all states are kept for what is to be said about that.
const WAITERS: &str = "event eStep;
event eEnd;
machine Main { start state Init { entry { var count: int; while (count < 9) { new Stroller(); count = count + 1; } } } }
machine Stroller {
  var steps: int;
  start state Init {
    entry { send this, eStep; }
    on eStep do { steps = steps + 1; if (steps == 6) { steps = 0; } send this, eStep; }
  }
}
spec Waiting observes eEnd { start hot state Open { on eEnd goto Closed; } cold state Closed { } }
test tcWaiters [main=Main]: assert Waiting in { Main, Stroller };
";

#[test]
fn states_in_which_a_spec_is_hot_are_kept_in_little_memory_and_within_the_limit() {
    let scratch = Scratch::new("hot_memory").file("Waiters.p", WAITERS);
    for search in ["dfs", "ses", "pb"] {
        let options = format!("--search {search} --memory 150M --jobs 2 --json -");
        let test = json(&scratch, &format!("check Waiters.p {options}"))["tests"][0].clone();
        assert_eq!(test["verdict"], "incomplete", "{test}");
        assert!(test["guarantee"].as_str().unwrap_or_default().contains("memory limit"), "{test}");
        let (peak, states) = (test["peak_bytes"].as_u64(), test["states"].as_u64());
        let (peak, states) = (peak.expect("the system tells it"), states.expect("a number"));
        assert!(peak <= (165 << 20) + (16 << 20), "{search}: {peak} bytes of 150 MiB");
        // Strata hold what is left to do as well.
        assert!(search != "dfs" || peak / states <= 150, "{peak} bytes for {states} states");
    }
}

#[test]
fn a_check_that_is_interrupted_has_not_succeeded() {
    let scratch = Scratch::new("interrupted").file("Waiters.p", WAITERS);
    let mut check = scratch.command(&["check", "Waiters.p", "--search", "dfs"]);
    let mut check = check.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut told = BufReader::new(check.stdout.take().expect("it was asked for"));
    let mut overview = String::new();
    told.read_line(&mut overview).expect("it tells what it checks before it begins");
    std::thread::sleep(Duration::from_millis(500));
    let signal = Command::new("kill").args(["-INT", &check.id().to_string()]).status();
    assert!(signal.expect("there is such a command").success());
    let mut rest = String::new();
    told.read_to_string(&mut rest).expect("it tells what it has done");
    assert!(rest.contains("; interrupted"), "{overview}{rest}");
    assert_eq!(check.wait().expect("it ends").code(), Some(2), "{rest}");
}

/// A walk down a stair of thousands of steps, each of which can be gone in three ways, while a spec waits for its end.
const STAIR: &str = "event eStep; event eDown;
machine Main { var step: int; var way: int;
  start state Init { entry { send this, eStep; } on eStep do {
    step = step + 1; way = choose(3);
    if (step < 12000) { send this, eStep; } else { announce eDown; }
  } }
}
spec Down observes eDown { start hot state Going { on eDown goto Gone; } cold state Gone { ignore eDown; } }
test tcStair [main=Main]: assert Down in { Main };
";

#[test]
fn many_threads_come_to_what_one_does_where_ways_are_long_and_specs_hot() {
    let scratch = Scratch::new("long_ways").file("Stair.p", STAIR);
    let check = |options: &str| {
        let test =
            json(&scratch, &format!("check Stair.p --search dfs {options} --json -"))["tests"][0].clone();
        assert_eq!(test["verdict"], "verified", "{options}: {test}");
        test["peak_bytes"].as_u64().expect("the system tells it")
    };
    let alone = check("--jobs 1");
    let many = check("--jobs 64");
    assert!(many <= 2 * alone, "{many} bytes with many threads, {alone} with one");
    let limit = (alone >> 20) * 3 / 2;
    let peak = check(&format!("--jobs 64 --memory {limit}M"));
    assert!(peak <= (limit << 20) * 11 / 10 + (16 << 20), "{peak} bytes of {limit} MiB");
}

#[test]
fn a_checkpoint_that_is_larger_than_the_memory_is_not_taken_up() {
    let scratch = Scratch::new("large_checkpoint").file("Waiters.p", WAITERS);
    let first = "check Waiters.p --search dfs --states 1500000 --checkpoint points --json -";
    assert_eq!(json(&scratch, first)["tests"][0]["verdict"], "incomplete");
    let output =
        scratch.run(&["check", "Waiters.p", "--search", "dfs", "--resume", "points", "--memory", "30M"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(told.contains("do not fit into the 30 MiB that the process may have"), "{told}");
}

#[test]
fn a_search_that_ran_out_of_memory_is_resumed_with_more() {
    let scratch = counters("more_memory");
    let states = |arguments: &str| {
        let result = json(&scratch, &format!("check Counters.p --search dfs --json - {arguments}"));
        check_incomplete(&result["tests"][0]);
        result["tests"][0]["states"].as_u64().expect("a number")
    };
    let first = states("--memory 60M --checkpoint points");
    let second = states("--memory 90M --resume points");
    assert!(second > first, "{second} after {first}");
}

#[test]
fn so_little_memory_that_nothing_can_be_searched_is_refused() {
    let scratch = counters("no_memory");
    for search in ["auto", "ses", "ss", "pb", "depth", "bfs", "dfs", "random", "pct"] {
        for memory in ["1", "1M", "10M"] {
            let output = scratch.run(&["check", "Counters.p", "--search", search, "--memory", memory]);
            assert_eq!(output.status.code(), Some(2), "{search}, {memory}");
            let told = text(&output.stderr);
            let given = if memory == "1" { "--memory: 0 KiB" } else { "--memory: 1" };
            assert!(told.contains(given), "{search}, {memory}: {told}");
            assert!(told.contains(" is too little: the process has "), "{search}, {memory}: {told}");
        }
        let output =
            scratch.run(&["check", "Counters.p", "--search", search, "--memory", "60M", "--timeout", "2"]);
        assert_eq!(output.status.code(), Some(0), "{search}: {}", text(&output.stderr));
    }
}

/// The test of the counters, checked with these options in an address space of so many KiB. The process ends by itself.
fn in_addresses(scratch: &Scratch, addresses: u32, options: &str) -> Value {
    let limited = format!("ulimit -v {addresses}; exec \"$0\" check Counters.p --json - {options}");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_fabius")]).current_dir(&scratch.folder);
    let output = command.output().expect("there is a shell");
    assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("the standard output is JSON");
    result["tests"][0].take()
}

#[test]
fn threads_that_cannot_be_started_are_done_without() {
    let scratch = counters("few_threads");
    for search in ["ses", "ss", "dfs", "random", "auto"] {
        for addresses in [400_000, 600_000] {
            in_addresses(&scratch, addresses, &format!("--search {search} --jobs 512 --timeout 2"));
        }
    }
}

/// Strata that walk leave a frontier so deep that samples from there are hundreds of thousands of steps long.
#[test]
fn a_limited_address_space_ends_samples_of_long_runs_and_not_the_process() {
    let test = in_addresses(&counters("long_samples"), 600_000, "--jobs 2 --timeout 4");
    assert_eq!(test["verdict"], "incomplete", "{test}");
    assert!(test["guarantee"].as_str().unwrap_or_default().contains("memory limit"), "{test}");
}

#[test]
fn a_limited_address_space_ends_a_search_and_not_the_process() {
    check_incomplete(&in_addresses(&counters("few_addresses"), 400_000, "--search dfs"));
}
