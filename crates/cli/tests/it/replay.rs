//! How runs are told, and what `fabius replay` says after an edit.

use std::fs;

use crate::check::{stdout, text};
use crate::scratch::Scratch;

/// A spec sees a lease being granted before it is put into a queue. The lease is created by a machine that is itself
/// created by another, so its path is not its number.
const LEASES: &str = "enum tStatus { FREE, TAKEN }
event eGrant: (who: machine, status: tStatus);
spec OnlyFree observes eGrant {
  start state Watching {
    on eGrant do (grant: (who: machine, status: tStatus)) {
      assert grant.status == FREE, format(\"{0} is taken\", grant.who);
    }
  }
}
machine Main { start state Init { entry { new Broker(); new Idler(); } } }
machine Idler { start state Init { } }
machine Broker {
  start state Init {
    entry {
      var lease: Lease;
      var stati: set[tStatus];
      stati += (FREE);
      stati += (TAKEN);
      lease = new Lease();
      send this, eGrant, (who = lease, status = choose(stati));
    }
    ignore eGrant;
  }
}
machine Lease { start state Init { } }
test tcLease [main=Main]: assert OnlyFree in { Main, Broker, Idler, Lease };
";

const REPLAY: &str = "replay fabius-out/Leases-tcLease.trace.json --show log";

fn checked(name: &str) -> Scratch {
    let scratch = Scratch::new(name).file("Leases.p", LEASES);
    assert_eq!(scratch.run(&["check", "Leases.p", "--jobs", "1"]).status.code(), Some(1));
    scratch
}

/// Replays after an edit; gives the exit code and what was printed.
fn after(scratch: &Scratch, from: &str, to: &str) -> (Option<i32>, String) {
    assert!(LEASES.contains(from));
    fs::write(scratch.folder.join("Leases.p"), LEASES.replace(from, to)).expect("the file can be written");
    let output = scratch.run(&REPLAY.split(' ').collect::<Vec<_>>());
    (output.status.code(), text(&output.stdout))
}

#[test]
fn a_machine_has_one_name_and_an_enum_its_names() {
    let scratch = Scratch::new("names").file("Leases.p", LEASES);
    let checked = stdout(&scratch, "check Leases.p --jobs 1");
    assert!(checked.contains("bug in tcLease: Lease(4) is taken\n"), "{checked}");
    assert!(checked.contains("✗ Lease(4) is taken"), "{checked}");
    let log = stdout(&scratch, REPLAY);
    assert!(log.contains("creates Lease(4)\n"), "{log}");
    assert!(log.contains("chooses TAKEN\n"), "{log}");
    assert!(log.contains("reproduced in 4 steps: Lease(4) is taken (Leases.p:6)\n"), "{log}");
    assert!(!log.contains("2.1") && !checked.contains("2.1"), "{checked}{log}");
}

#[test]
fn a_send_that_a_spec_sees_is_a_send() {
    let log = stdout(&checked("seen_send"), REPLAY);
    assert!(
        log.contains("Broker(2)  is about to send eGrant to Broker(2) with <who:Lease(4), status:TAKEN, >\n"),
        "{log}"
    );
    assert!(!log.contains("announces"), "{log}");
}

#[test]
fn after_a_fix_of_the_spec_the_bug_no_longer_happens() {
    let scratch = checked("fixed_spec");
    let (code, log) = after(&scratch, "grant.status == FREE", "grant.status != 7 to int");
    assert_eq!(code, Some(2), "an edit that does not compile: {log}");
    let (code, log) = after(&scratch, "assert grant.status == FREE", "assert grant.status == grant.status");
    assert_eq!(code, Some(0), "{log}");
    assert!(
        log.ends_with(
            "the bug no longer happens on this schedule: every step is as before, and none of them fails\n\
             next: `fabius check Leases.p --test tcLease` looks whether another schedule leads to it (Lease(4) is taken)\n"
        ),
        "{log}"
    );
}

#[test]
fn after_a_fix_of_the_program_the_first_difference_is_told() {
    let (code, log) = after(&checked("fixed_program"), "stati += (TAKEN);", "");
    assert_eq!(code, Some(0), "{log}");
    let (_, told) = log.split_once("\n\n").expect("the log comes first");
    assert_eq!(
        told.lines().skip_while(|line| !line.starts_with("step")).collect::<Vec<_>>(),
        [
            "step 3: `Broker(2)` now also chooses FREE",
            "step 4: the choice of `TAKEN` is no longer made",
            "the bug no longer happens on this schedule: the program has changed, and from step 3 on it goes another way",
            "next: `fabius check Leases.p --test tcLease` looks whether another schedule leads to it (Lease(4) is taken)",
        ],
        "{log}"
    );
}

#[test]
fn a_new_machine_elsewhere_changes_numbers_only() {
    let (code, log) =
        after(&checked("another_machine"), "new Broker();", "new Idler(); new Idler(); new Broker();");
    assert_eq!(code, Some(1), "{log}");
    assert!(log.ends_with("\nreproduced in 4 steps: Lease(6) is taken (Leases.p:6)\n"), "{log}");
    let differences: Vec<&str> = log.lines().filter(|line| line.starts_with("step ")).collect();
    assert_eq!(differences, ["step 1: in the trace `Main(1)` creates Broker(2); now it creates Idler(2)"]);
}

#[test]
fn another_bug_is_a_bug() {
    let (code, log) = after(&checked("another_bug"), "lease = new", "assert false, \"oh\";\n lease = new");
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("another bug after 3 steps: oh (Leases.p:19)\n"), "{log}");
    assert!(log.contains("the trace is of: Lease(4) is taken (Leases.p:6)\n"), "{log}");
}

#[test]
fn a_damaged_trace_of_the_same_program_is_an_error() {
    let scratch = checked("damaged_trace");
    let path = scratch.folder.join("fabius-out/Leases-tcLease.trace.json");
    let trace = fs::read_to_string(&path).expect("there is a trace");
    fs::write(&path, trace.replace("\"data\":1,\"value\":\"TAKEN\"", "\"data\":0,\"value\":\"FREE\""))
        .expect("it is ours");
    let output = scratch.run(&REPLAY.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("the trace does not fit, though the program is"), "{output:?}");
}
