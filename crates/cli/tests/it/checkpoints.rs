//! Searches that are ended from outside and resumed.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::check::{json, text};
use crate::scratch::Scratch;

/// A ring in which numbers go round: `SIZE` decides how many states there are.
const RING: &str = "event eNumber: int;
machine Main { start state Init { entry { new Node((next = null as machine, number = SIZE)); } } }
machine Node {
  var next: machine; var number: int;
  start state Electing {
    entry (config: (next: machine, number: int)) {
      number = config.number; next = config.next;
      if (next == null) { next = others(); }
      send next, eNumber, number;
    }
    on eNumber do (candidate: int) {
      if (candidate > number) { send next, eNumber, candidate; }
      else if (candidate == number) { assert number == SIZE; }
    }
  }
  fun others(): machine {
    var created: machine; var ordinal: int;
    created = this; ordinal = 1;
    while (ordinal < SIZE) { created = new Node((next = created, number = ordinal)); ordinal = ordinal + 1; }
    return created;
  }
}
";
const TESTS: &str = "test tcRing [main=Main]: { Main, Node };\ntest tcOther [main=Main]: { Main, Node };\n";

fn ring(name: &str, size: u32) -> Scratch {
    let program = format!("{}{TESTS}", RING.replace("SIZE", &size.to_string()));
    Scratch::new(name).file("Ring.p", program)
}

/// A machine that notes what it has chosen, so that no two of its states are equal: the search without checkpoints walks.
const LOG: &str = "event eNext;
machine Main {
  var log: seq[int];
  start state Noting {
    entry { send this, eNext; }
    on eNext do {
      log += (sizeof(log), choose(3));
      if (sizeof(log) < 9) { send this, eNext; } else { new Bystander(); }
    }
  }
}
machine Bystander { start state Init { } }
test tcLog [main=Main]: { Main, Bystander };
";

fn run(scratch: &Scratch, arguments: &str) -> (Option<i32>, String, String) {
    let output = scratch.run(&arguments.split(' ').collect::<Vec<_>>());
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The checkpoints of a test.
fn files(scratch: &Scratch, test: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(scratch.folder.join("points")).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(&format!("{test}.")) && name.ends_with(".checkpoint")
    };
    entries.map(|entry| entry.path()).filter(is_ours).collect()
}

/// That of a checkpoint: the newest has the greatest.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.rsplit_once('.')?.1.parse().ok()
}

fn essence(test: &Value) -> (&Value, &Value, &Value) {
    (&test["verdict"], &test["states"], &test["transitions"])
}

/// Tokens that note all that they have seen: most moves are new, so that searches over strata walk, unless they count.
const LEDGERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers/p/Ledger.p");

#[test]
fn strata_that_walk_have_the_states_of_other_searches_and_do_not_depend_on_threads() {
    let scratch = Scratch::new("strata_walk");
    for test in ["hops_14__tokens_1", "hops_4__tokens_2"] {
        let check = |options: &str| {
            let base = format!("check {LEDGERS} --test tcLedger___{test} --json - --search");
            let mut test = json(&scratch, &format!("{base} {options}"))["tests"][0].take();
            for field in ["seconds", "peak_bytes"] {
                test.as_object_mut().expect("a test is an object").remove(field);
            }
            test
        };
        let bfs = check("bfs");
        for explorer in ["rtc", "rr", "random"] {
            let alone = check(&format!("ses --explorer {explorer} --jobs 1"));
            assert_eq!(alone["verdict"], "verified", "{alone}");
            assert_eq!(essence(&alone), essence(&bfs), "{explorer}");
            for jobs in [2, 5] {
                let together = check(&format!("ses --explorer {explorer} --jobs {jobs}"));
                assert_eq!(alone, together, "{explorer} with {jobs} threads");
            }
            let counted = check(&format!("ses --explorer {explorer} --stats"));
            assert_eq!(essence(&alone), essence(&counted), "{explorer}");
        }
    }
}

#[test]
fn a_search_with_checkpoints_or_statistics_remembers_and_counts_what_one_counts_that_walks() {
    let scratch = Scratch::new("novel").file("Log.p", LOG);
    fs::create_dir(scratch.folder.join("points")).expect("the folder can be made");
    for store in ["exact", "hash64"] {
        let base = format!("check Log.p --search dfs --store {store} --json -");
        let walked = json(&scratch, &base);
        let counted = json(&scratch, &format!("{base} --stats"));
        let moves = &counted["tests"][0]["stats"]["memo"];
        let made = moves["made"].as_u64().expect("moves are counted");
        assert!(made * 2 > walked["tests"][0]["transitions"].as_u64().expect("it counts"), "{moves}");
        assert_eq!(essence(&walked["tests"][0]), essence(&counted["tests"][0]), "{store}");
        assert!(walked["tests"][0]["states"].as_u64() > Some(50_000), "{walked}");
        let stopped = json(&scratch, &format!("{base} --states 30000 --checkpoint points"));
        assert_eq!(stopped["tests"][0]["verdict"], "incomplete");
        let resumed = json(&scratch, &format!("{base} --resume points"));
        assert!(
            resumed["tests"][0]["checkpoints"]["resumed"]["states"].as_u64() >= Some(30_000),
            "{resumed}"
        );
        assert_eq!(essence(&walked["tests"][0]), essence(&resumed["tests"][0]), "{store}");
        fs::remove_dir_all(scratch.folder.join("points")).expect("the folder can be removed");
        fs::create_dir(scratch.folder.join("points")).expect("the folder can be made");
    }
}

#[test]
fn a_search_that_is_killed_and_resumed_ends_as_if_nothing_had_happened() {
    let scratch = ring("killed", 7);
    let plain = json(&scratch, "check Ring.p --test tcRing --search dfs --json -");
    fs::create_dir(scratch.folder.join("points")).expect("the folder can be made");
    for jobs in [1, 2] {
        let base = format!("check Ring.p --test tcRing --search dfs --jobs {jobs} --json -");
        let resume = format!("{base} --checkpoint-every 0.001 --resume points");
        let mut has_resumed = false;
        for _ in 0..4 {
            kill_after_a_checkpoint(&scratch, &resume);
        }
        let last = json(&scratch, &resume);
        let test = &last["tests"][0];
        assert_eq!(essence(test), essence(&plain["tests"][0]), "{jobs} threads");
        has_resumed |= test["checkpoints"]["resumed"]["states"].as_u64() > Some(0);
        assert!(has_resumed, "{test}");
        files(&scratch, "tcRing").iter().for_each(|path| fs::remove_file(path).expect("it can be removed"));
    }
}

/// Kills a search as soon as there is a new checkpoint, unless it has ended by then.
fn kill_after_a_checkpoint(scratch: &Scratch, arguments: &str) {
    let before = files(scratch, "tcRing");
    let mut command = scratch.command(&arguments.split(' ').collect::<Vec<_>>());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("fabius can be run");
    let deadline = Instant::now() + Duration::from_secs(30);
    while files(scratch, "tcRing") == before && Instant::now() < deadline {
        if child.try_wait().expect("it can be waited for").is_some() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
}

#[test]
fn a_search_that_came_to_a_limit_goes_on_with_more_in_every_store() {
    let scratch = ring("limited", 5);
    for store in ["exact", "hash64", "hash128", "bitstate"] {
        let base = format!("check Ring.p --test tcRing --search dfs --store {store} --memory 100M --json -");
        let plain = json(&scratch, &base);
        let limited = json(&scratch, &format!("{base} --states 500 --checkpoint points"));
        assert_eq!(limited["tests"][0]["verdict"], "incomplete");
        let last = json(&scratch, &format!("{base} --resume points"));
        let test = &last["tests"][0];
        assert_eq!(essence(test), essence(&plain["tests"][0]), "{store}");
        assert!(test["checkpoints"]["resumed"]["states"].as_u64() >= Some(500), "{test}");
        files(&scratch, "tcRing").iter().for_each(|path| fs::remove_file(path).expect("it can be removed"));
    }
}

#[test]
fn finished_tests_are_not_searched_again() {
    let scratch = ring("several", 4);
    let (code, out, _) = run(&scratch, "check Ring.p --search dfs --checkpoint points");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("1 checkpoint took"), "{out}");
    let (code, out, _) = run(&scratch, "check Ring.p --search dfs --resume points");
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(out.matches("taken from a checkpoint, where it had ended").count(), 2, "{out}");
    assert!(out.contains("2 tests verified"), "{out}");
}

#[test]
fn a_bug_is_found_again_with_its_trace() {
    let program = RING.replace("SIZE", "4").replace("assert number == 4", "assert number == 3");
    let scratch = Scratch::new("resumed_bug").file("Ring.p", format!("{program}{TESTS}"));
    let (code, first, _) =
        run(&scratch, "check Ring.p --test tcRing --search dfs --jobs 1 --checkpoint points");
    assert_eq!(code, Some(1), "{first}");
    fs::remove_dir_all(scratch.folder.join("fabius-out")).expect("there is a trace");
    let (code, again, _) = run(&scratch, "check Ring.p --test tcRing --search dfs --resume points");
    assert_eq!(code, Some(1), "{again}");
    let story = |text: &str| text.split_once("bug in").map(|(_, story)| story.to_owned());
    assert_eq!(story(&again), story(&first));
    assert!(scratch.folder.join("fabius-out/Ring-tcRing.trace.json").exists());
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let scratch = ring("refused", 5);
    let limited = "check Ring.p --test tcRing --search dfs --states 500";
    assert_eq!(run(&scratch, &format!("{limited} --checkpoint points")).0, Some(0));
    let name = files(&scratch, "tcRing")[0].file_name().map(|name| name.to_string_lossy().into_owned());
    let checkpoint = format!("the checkpoint `points/{}`", name.unwrap_or_default());
    for (arguments, message) in [
        (
            "--search ses --checkpoint points",
            "--search ses has no checkpoints; only --search dfs can be resumed",
        ),
        ("--resume points", "--search auto has no checkpoints; only --search dfs can be resumed"),
        ("--search dfs --resume nothing", "there is no folder `nothing` to resume from"),
        (
            "--search dfs --resume points --checkpoint other",
            "checkpoints are written where the search is resumed",
        ),
        (
            "--search dfs --resume points --store hash64",
            "was made with --store exact, not with --store hash64",
        ),
        (
            "--search dfs --resume points --p-points",
            "was made with --p-points false, not with --p-points true",
        ),
        (
            "--search dfs --checkpoint points",
            "has a checkpoint of a search that has not ended: --resume goes on",
        ),
    ] {
        let (code, out, error) = run(&scratch, &format!("check Ring.p --test tcRing {arguments}"));
        assert_eq!(code, Some(2), "{arguments}: {out}{error}");
        assert!(format!("{out}{error}").contains(message), "{arguments}: {out}{error}");
    }
    let edited = fs::read_to_string(scratch.folder.join("Ring.p")).expect("it is there") + "\n";
    let scratch = scratch.file("Ring.p", edited);
    let (code, out, _) = run(&scratch, &format!("{limited} --resume points"));
    assert_eq!(code, Some(2), "{out}");
    assert!(
        out.contains(&format!("{checkpoint} is of another program, or the program was edited since")),
        "{out}"
    );
}

#[test]
fn a_torn_checkpoint_is_told_and_the_one_before_is_taken() {
    let scratch = ring("torn", 6);
    let base = "check Ring.p --test tcRing --search dfs --json -";
    let plain = json(&scratch, base);
    json(&scratch, &format!("{base} --states 4000 --checkpoint points --checkpoint-every 0.001"));
    let mut files = files(&scratch, "tcRing");
    assert_eq!(files.len(), 2, "{files:?}");
    // By number: two of them may be of the same moment.
    files.sort_by_key(|path| number(path));
    let newest = fs::OpenOptions::new().write(true).open(&files[1]).expect("it can be opened");
    newest.set_len(1000).expect("it can be cut");
    let last = json(&scratch, &format!("{base} --resume points"));
    let test = &last["tests"][0];
    assert_eq!(essence(test), essence(&plain["tests"][0]));
    let warning = test["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("is damaged (its end is missing); the search went on from"), "{test}");
}

#[test]
fn two_processes_do_not_write_to_one_folder() {
    let scratch = Scratch::new("claimed").file("Endless.p", crate::check::ENDLESS);
    let arguments = "check Endless.p --search dfs --limit queue=100000 --timeout 20 --checkpoint points";
    let mut command = scratch.command(&arguments.split(' ').collect::<Vec<_>>());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("fabius can be run");
    // It says something when the folder is its own.
    let mut first = [0];
    child.stdout.as_mut().expect("it is piped").read_exact(&mut first).expect("it says something");
    let (code, _, error) = run(&scratch, arguments);
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("another fabius writes checkpoints to `points`"), "{error}");
}
