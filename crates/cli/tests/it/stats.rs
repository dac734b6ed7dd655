//! `--stats`: numbers that can be computed by hand, what was never exercised, and the warning about specs that see nothing.

use serde_json::{Value, json};

use crate::check::{json as result, stdout};
use crate::scratch::{Scratch, compare, golden_folder};

/// Two workers, each with four states of its own that do not depend on the other: created, before its send, with a message
/// in its queue, done. So there are 1 + 4 * 4 states, and 1 + 2 * (3 * 4) transitions.
const WORKERS: &str = "event eGo;
event eMore;
machine Main {
  start state Init {
    entry { new Worker(); new Worker(); if (false) { new Spare(); } }
  }
}
machine Worker {
  start state Init {
    entry { send this, eGo; }
    on eGo goto Done;
    defer eMore;
  }
  state Done {
    entry { if (false) { goto Lost; } }
    on eMore goto Lost;
  }
  state Lost { ignore eGo; }
}
machine Spare { start state Init { on eMore do { } } }
spec Watch observes eGo {
  start state None { on eGo goto Some; }
  state Some { on eGo goto Some; }
}
spec Blind observes eMore { start state Init { on eMore do { } } }
machine Once { start state Init { entry { send new Spare(), eMore; } } }
test tcWorkers [main=Main]: assert Watch, Blind in { Main, Worker, Spare };
test tcOnce [main=Once]: { Once, Spare };
";

fn workers(name: &str) -> Scratch {
    Scratch::new(name).file("Workers.p", WORKERS)
}

fn stats(scratch: &Scratch, arguments: &str) -> Value {
    let arguments = format!("check Workers.p --test tcWorkers --stats --json - {arguments}");
    result(scratch, &arguments)["tests"][0]["stats"].clone()
}

/// The text without what differs from run to run or from machine to machine.
fn steady(text: &str) -> String {
    let blank = |text: &str| {
        let digits = |word: &str| {
            let is_number = word.chars().next().is_some_and(|c| c.is_ascii_digit());
            if is_number { "_".to_owned() } else { word.to_owned() }
        };
        text.split(' ').map(digits).collect::<Vec<_>>().join(" ")
    };
    let line = |line: &str| match line.trim_start().split(' ').next() {
        Some("speed") => {
            let (counts, speed) = line.split_once(" in ").expect("the speed follows the counts");
            format!("{counts} in {}\n", blank(speed))
        }
        Some("") => "\n".to_owned(),
        Some("store" | "memo") => format!("{}\n", blank(line)),
        _ => crate::check::timeless(line),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_report_is_as_in_the_golden() {
    let scratch = workers("stats");
    let dfs = steady(&stdout(&scratch, "check Workers.p --stats --search dfs --jobs 1"));
    let random = steady(&stdout(
        &scratch,
        "check Workers.p --test tcWorkers --stats --search random --schedules 10 --jobs 1",
    ));
    compare(&golden_folder().join("stats.txt"), &format!("{dfs}--- random\n{random}"));
}

#[test]
fn counts_are_those_computed_by_hand_for_any_search_and_number_of_threads() {
    let scratch = workers("stats_counts");
    let handler = |state: &str, handler: &str, transitions: u64| json!({ "state": state, "handler": handler, "transitions": transitions, "steps": 0 });
    let queue = |largest: u64, mean: f64, counts: &[u64]| {
        let lengths: Vec<Value> = counts
            .iter()
            .enumerate()
            .map(|(length, count)| json!({ "from": length, "to": length, "count": count }))
            .collect();
        json!({ "largest": largest, "mean": mean, "lengths": lengths })
    };
    let machines = json!([
        {
            "machine": "Main", "transitions": 1, "steps": 0,
            "handlers": [handler("Init", "entry", 1)],
            "queue": queue(0, 0.0, &[17]),
        },
        {
            "machine": "Worker", "transitions": 24, "steps": 0,
            "handlers": [handler("Init", "entry", 16), handler("Init", "on eGo", 8)],
            "queue": queue(1, 0.25, &[24, 8]),
        },
    ]);
    let specs = json!([
        { "spec": "Watch", "states": [{ "state": "None", "count": 2 }, { "state": "Some", "count": 15 }] },
        { "spec": "Blind", "states": [{ "state": "Init", "count": 17 }] },
    ]);
    let mut coverages = Vec::new();
    for search in ["auto", "ses", "ses --strict", "pb", "bfs", "dfs", "dfs --store hash64", "depth"] {
        for jobs in [1, 4] {
            let stats = stats(&scratch, &format!("--search {search} --jobs {jobs}"));
            assert_eq!(stats["machines"], machines, "{search}, {jobs} threads");
            assert_eq!(stats["specs"], specs, "{search}, {jobs} threads");
            assert_eq!(stats["phases"][0]["over"], "states");
            assert_eq!(stats["phases"][0]["states"], 17, "{search}");
            assert_eq!(stats["estimate"], Value::Null, "nothing is left");
            coverages.push(stats["coverage"].clone());
        }
    }
    let random = stats(&scratch, "--search random --schedules 10 --jobs 2");
    assert_eq!(random["phases"][0]["steps"], 70, "each run has seven steps");
    assert_eq!(random["machines"][1]["steps"], 60);
    assert_eq!(random["machines"][1]["handlers"][0]["steps"], 40);
    assert_eq!(random["machines"][1]["handlers"][1]["steps"], 20);
    coverages.push(random["coverage"].clone());
    assert!(coverages.iter().all(|coverage| *coverage == coverages[0]), "{coverages:#?}");
}

#[test]
fn levels_store_and_memory_are_told_where_there_are_any() {
    let scratch = workers("stats_levels");
    let bfs = stats(&scratch, "--search bfs");
    assert_eq!(bfs["levels"], json!({ "by": "depth", "states": [1, 1, 2, 3, 4, 3, 2, 1] }));
    assert_eq!(bfs["store"], Value::Null);
    let ses = stats(&scratch, "--search ses");
    assert_eq!(ses["levels"]["by"], "stratum");
    let strata: u64 =
        ses["levels"]["states"].as_array().into_iter().flatten().filter_map(Value::as_u64).sum();
    assert_eq!(strata, 17);
    let depth = stats(&scratch, "--search depth --increment 3");
    assert_eq!(depth["levels"]["by"], "bound");
    let dfs = stats(&scratch, "--search dfs --store hash64 --jobs 1");
    assert_eq!(dfs["levels"], Value::Null);
    assert_eq!(dfs["store"]["kind"], "hash64");
    assert!(dfs["store"]["bytes"].as_u64() > Some(0) && dfs["store"]["load"].as_f64() > Some(0.0));
    // The entry, for each worker: its start, its send, its event.
    let memo = &dfs["memo"];
    assert_eq!((&memo["lookups"], &memo["made"]), (&json!(25), &json!(7)));
    assert_eq!(memo["hit_rate"], json!(18.0 / 25.0));
}

#[test]
fn what_no_test_exercised_is_told_for_all_of_them() {
    let all = result(&workers("stats_coverage"), "check Workers.p --stats --json -");
    let of_test = &all["tests"][0]["stats"]["coverage"];
    assert_eq!(of_test["states"], json!({ "exercised": 6, "of": 8 }), "all but Lost and Spare's");
    assert_eq!(of_test["handlers"], json!({ "exercised": 3, "of": 8 }));
    assert_eq!(of_test["gotos"], json!({ "exercised": 0, "of": 1 }));
    assert_eq!(of_test["events"], json!({ "exercised": 1, "of": 2 }));
    assert_eq!(of_test["events_never_sent"], json!(["eMore"]));
    let named = |coverage: &Value| {
        let items = coverage["unexercised"].as_array().expect("it is a list").clone();
        let name = |item: &Value| {
            let words = ["kind", "machine", "state", "reaction", "event", "line"].map(|field| &item[field]);
            let words = words.into_iter().filter(|word| !word.is_null());
            words.map(|word| word.to_string().replace('"', "")).collect::<Vec<_>>().join(" ")
        };
        items.iter().map(name).collect::<Vec<_>>()
    };
    let worker = [
        "handler Worker Init defer eMore 12",
        "goto Worker Lost 15",
        "handler Worker Done on eMore 16",
        "state Worker Lost 18",
    ];
    let expected: Vec<&str> = worker.into_iter().chain(["machine Spare 20", "spec Blind 25"]).collect();
    assert_eq!(named(of_test), expected);
    // The second test creates Spare and sends eMore, but nobody watches.
    let expected: Vec<&str> = worker.into_iter().chain(["spec Blind 25"]).collect();
    assert_eq!(named(&all["coverage"]), expected);
    assert_eq!(all["coverage"]["events_never_sent"], json!([]));
}

#[test]
fn without_the_option_nothing_is_told_but_specs_that_see_nothing() {
    let scratch = workers("stats_without");
    let all = result(&scratch, "check Workers.p --json -");
    assert_eq!((&all["coverage"], &all["tests"][0]["stats"]), (&Value::Null, &Value::Null));
    let blind = "no event that `Blind` observes happens in any run: it checks nothing in this test";
    assert_eq!(all["tests"][0]["warnings"], json!([blind]));
    assert_eq!(all["tests"][1]["warnings"], json!([]));
    let not_all =
        result(&scratch, "check Workers.p --test tcWorkers --states 5 --search dfs --jobs 1 --json -");
    assert_eq!(not_all["tests"][0]["warnings"], json!([]), "perhaps it sees something later");
}

#[test]
fn what_is_left_is_estimated_past_the_largest_level() {
    let machines: String = (0..6).map(|_| " new Counter();").collect();
    let source = format!(
        "event eTick: int;
         machine Main {{ start state Init {{ entry {{{machines} }} }} }}
         machine Counter {{
           start state Init {{
             entry {{ send this, eTick, 1; }}
             on eTick do (n: int) {{ if (n < 2) {{ send this, eTick, n + 1; }} }}
           }}
         }}
         test tcGrid [main=Main]: {{ Main, Counter }};"
    );
    let scratch = Scratch::new("stats_estimate").file("Grid.p", source);
    let at = |states: u64| {
        let arguments = format!("check Grid.p --stats --search bfs --states {states} --json -");
        result(&scratch, &arguments)["tests"][0].clone()
    };
    let all = at(1_000_000);
    assert_eq!((&all["states"], &all["verdict"]), (&json!(46_657), &json!("verified")), "1 + 6^6");
    assert_eq!(at(5_000)["stats"]["estimate"], Value::Null, "levels still grow");
    let most = at(35_000);
    let left = most["stats"]["estimate"]["states_left"].as_u64().expect("levels shrink");
    assert!((9_000..15_000).contains(&left), "{left} instead of 11,657");
    assert_eq!(most["stats"]["estimate"]["method"], "levels-in-the-shape-of-a-bell");
}

/// No two states of the machine are equal, so the search walks. One of the specs sees its event only at the very end.
const LATE: &str = "event eNext;
event eFirst;
event eLast;
machine Main {
  var log: seq[int];
  start state Noting {
    entry { send this, eNext; }
    on eNext do {
      log += (sizeof(log), choose(3));
      if (sizeof(log) < 9) { send this, eNext; }
      else if (sum() == 0) { announce eFirst; }
      else if (sum() == 18) { announce eLast; }
    }
  }
  fun sum(): int {
    var number: int; var total: int;
    foreach (number in log) { total = total + number; }
    return total;
  }
}
spec First observes eFirst { start state Init { on eFirst do { } } }
spec Last observes eLast { start state Init { on eLast do { } } }
test tcLate [main=Main]: assert First, Last in { Main };
";

#[test]
fn what_a_spec_sees_counts_in_a_search_that_walks() {
    let scratch = Scratch::new("late").file("Late.p", LATE);
    let result = result(&scratch, "check Late.p --search dfs --jobs 1 --json -");
    assert_eq!(result["tests"][0]["verdict"], "verified", "{result}");
    assert_eq!(result["tests"][0]["warnings"], json!([]), "{result}");
}
