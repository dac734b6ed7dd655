//! Whatever goes wrong with a checkpoint, and whenever: no verdict changes, and no more is lost than the work since the last.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fabius_lang::ids::TestId;
use fabius_lang::source::SourceMap;
use fabius_vm::Vm;

use super::super::explorers::Guidance;
use super::super::run::vm_options;
use super::super::search::{Conclusion, Searching};
use super::super::watch::Ends;
use super::faults::{Aftermath, Fault, FaultyDisk};
use super::{Checkpoints, Cost};
use crate::arguments::{Arguments, CheckOptions, Command};
use crate::foreign::Bodies;

/// Some hundred states, ends with deferred mail, and a spec that is hot for a while.
const SOURCE: &str = "event eNumber: int; event eLate; event eDone;
machine Main {
  var left: int; var seen: map[int, (count: int, last: bool)];
  start state S {
    entry { var n: int; left = 2; while (n < 2) { n = n + 1; new M((this, n)); } }
    on eNumber do (n: int) {
      left = left - 1;
      seen[n] = (count = left, last = left == 0);
      if (left == 0) { announce eDone; }
    }
    defer eLate;
  }
}
machine M {
  start state S { entry (p: (machine, int)) { send p.0, eNumber, p.1 * 10; if ($) { send p.0, eLate; } } }
}
spec Progress observes eDone { start hot state Working { on eDone goto Done; } cold state Done { ignore eDone; } }
test tc [main=Main]: assert Progress in { Main, M };
";

/// The test of a text.
struct Subject {
    vm: Vm,
    options: CheckOptions,
    bodies: Bodies,
}

impl Subject {
    fn new(source: &str, arguments: &str) -> Self {
        let mut sources = SourceMap::default();
        sources.add("test.p", source, false).expect("the text is short");
        let program = fabius_lang::compile(&sources).program.expect("the text is right");
        let words = "fabius check --search dfs".split(' ').chain(arguments.split_whitespace());
        let arguments: Arguments = clap::Parser::try_parse_from(words).expect("the arguments are right");
        let Command::Check(options) = arguments.command else { panic!("the command is check") };
        let bodies = Bodies::load(&program, &[]).expect("there are none");
        let vm_options = vm_options(&options, &bodies);
        let vm = Vm::new(Arc::new(program), TestId(0), vm_options).expect("the test links");
        Self { vm, options: *options, bodies }
    }

    /// Searches, with the files of a disk.
    fn search(&self, disk: Option<&FaultyDisk>) -> Result<Searched, String> {
        let warnings = Mutex::new(Vec::new());
        let warn = |warning: &str| warnings.lock().expect("nobody panics").push(warning.to_owned());
        let limits = vm_options(&self.options, &self.bodies).limits;
        let new = |disk| Checkpoints::new(disk, &self.options, ("hash".into(), "tc"), &limits, &warn);
        let checkpoints = disk.map(|disk| new(disk)).transpose()?;
        let ends = Arc::new(Ends::default());
        let guidance = Guidance::new(&self.options, &self.vm, &self.vm.names_of_test())?;
        let searching = Searching {
            vm: &self.vm,
            ends: &ends,
            options: &self.options,
            guidance: &guidance,
            test: "tc",
            start: Instant::now(),
            checkpoints: checkpoints.as_ref(),
            recorder: None,
            part: Mutex::default(),
            is_last: false,
        };
        let conclusion = searching.run();
        if let Some(refusal) = conclusion.refusal {
            return Err(refusal);
        }
        let resumed = checkpoints.as_ref().and_then(Checkpoints::resumed);
        let number = resumed.map(|from| from.file.display().to_string());
        let number = number.and_then(|name| name.split('.').nth(1)?.parse().ok());
        Ok(Searched {
            essence: essence(&conclusion, &ends),
            resumed_at: resumed.map_or(0, |from| from.states),
            resumed_from: number.unwrap_or(0),
            cost: conclusion.checkpoints.as_ref().map(|kept| kept.cost).unwrap_or_default(),
            notes: conclusion.checkpoints.map_or(Vec::new(), |kept| kept.notes),
            warnings: warnings.into_inner().expect("nobody panics"),
        })
    }
}

struct Searched {
    essence: String,
    /// How many states there were at the beginning, and the number of the file they came from.
    resumed_at: u64,
    resumed_from: u64,
    cost: Cost,
    notes: Vec<String>,
    warnings: Vec<String>,
}

/// Everything that must be as if nothing had happened.
fn essence(conclusion: &Conclusion, ends: &Ends) -> String {
    let bugs: Vec<_> = conclusion.bugs.iter().map(|found| (&found.bug, &found.positions)).collect();
    format!(
        "{:?} {:?} {} {} {:?} {bugs:?}",
        conclusion.states,
        conclusion.transitions,
        conclusion.is_verified,
        conclusion.omission,
        ends.seen()
    )
}

/// After every batch.
const ALWAYS: &str = "--checkpoint-every 0.000001";

fn fresh() -> Subject {
    Subject::new(SOURCE, &format!("--jobs 1 --checkpoint x {ALWAYS}"))
}

fn resumed(arguments: &str) -> Subject {
    Subject::new(SOURCE, &format!("--resume x {ALWAYS} {arguments}"))
}

#[test]
fn the_program_is_worth_it() {
    let plain = Subject::new(SOURCE, "--jobs 1").search(None).expect("it runs");
    let disk = FaultyDisk::default();
    let kept = fresh().search(Some(&disk)).expect("it runs");
    assert_eq!(kept.essence, plain.essence);
    assert!(kept.essence.contains("is left in `S` with deferred `eLate`"), "{}", kept.essence);
    assert!(kept.cost.count > 5, "{:?}", kept.cost);
    assert_eq!(disk.names(), [format!("tc.{}.checkpoint", kept.cost.count)], "only the end stays");
    assert!((100..1000).contains(&disk.operations()), "{}", disk.operations());
}

#[test]
fn an_operation_that_fails_costs_a_checkpoint_and_nothing_else() {
    let plain = Subject::new(SOURCE, "--jobs 1").search(None).expect("it runs");
    let whole = FaultyDisk::default();
    fresh().search(Some(&whole)).expect("it runs");
    for fault in [Fault::Fails, Fault::Full, Fault::Short] {
        for at in 0..whole.operations() {
            let disk = FaultyDisk::with_fault(at, fault);
            let searched = fresh().search(Some(&disk)).expect("it runs");
            assert_eq!(searched.essence, plain.essence, "{fault:?} at {at}");
            assert!(searched.warnings.len() <= 1, "{fault:?} at {at}: {:?}", searched.warnings);
            assert_eq!(searched.warnings.len() as u64, searched.cost.failed.min(1), "{fault:?} at {at}");
            assert!(fault != Fault::Short || searched.cost.failed == 0, "short writes go on");
            let again = resumed("--jobs 1").search(Some(&disk.after(Aftermath::Process)));
            assert_eq!(again.expect("it runs").essence, plain.essence, "{fault:?} at {at}");
        }
    }
}

#[test]
fn a_process_that_ends_at_any_operation_loses_the_work_since_the_last_checkpoint_and_nothing_else() {
    let plain = Subject::new(SOURCE, "--jobs 1").search(None).expect("it runs");
    let whole = FaultyDisk::default();
    fresh().search(Some(&whole)).expect("it runs");
    let mut resumed_at_all = 0;
    for fault in [Fault::Death, Fault::TornDeath] {
        for at in 0..whole.operations() {
            let disk = FaultyDisk::with_fault(at, fault);
            // It cannot be stopped here, but whatever it does from then on leaves no mark.
            let dead = fresh().search(Some(&disk)).expect("it runs");
            assert!(disk.is_dead());
            for (aftermath, jobs) in
                [(Aftermath::Process, 1), (Aftermath::PowerEarly, 2), (Aftermath::PowerLate, 1)]
            {
                let context = format!("{fault:?} at {at}, {aftermath:?}");
                let left = disk.after(aftermath);
                let again = resumed(&format!("--jobs {jobs}")).search(Some(&left)).expect(&context);
                assert_eq!(again.essence, plain.essence, "{context}");
                assert!(again.resumed_from >= dead.cost.count, "{context}: the last one is there");
                // There is something to say only where no checkpoint was left.
                assert_eq!(again.notes.is_empty(), again.resumed_from > 0, "{context}: {:?}", again.notes);
                assert!(left.names().iter().all(|name| !name.contains("partial")), "{context}");
                resumed_at_all += u64::from(again.resumed_at > 0);
            }
        }
    }
    assert!(resumed_at_all > 500, "{resumed_at_all}");
}

/// Ends the search at a limit on states, so that two checkpoints stay.
fn unfinished() -> (FaultyDisk, Vec<String>) {
    let disk = FaultyDisk::default();
    let limited = Subject::new(SOURCE, &format!("--jobs 1 --checkpoint x {ALWAYS} --states 60"));
    limited.search(Some(&disk)).expect("it runs");
    let names = disk.names();
    assert_eq!(names.len(), 2, "{names:?}");
    (disk, names)
}

#[test]
fn a_torn_or_damaged_file_is_left_out_and_told() {
    let plain = Subject::new(SOURCE, "--jobs 1").search(None).expect("it runs");
    let (disk, names) = unfinished();
    let newest = resumed("").search(Some(&disk.after(Aftermath::Process))).expect("it runs").resumed_at;
    let lengths = AtomicU64::new(0);
    disk.change(&names[1], |bytes| lengths.store(bytes.len() as u64, Ordering::Relaxed));
    let length = lengths.into_inner() as usize;
    for cut in [0, 4, 8, 100, length / 2, length - 1] {
        let torn = disk.after(Aftermath::Process);
        torn.change(&names[1], |bytes| bytes.truncate(cut));
        let again = resumed("").search(Some(&torn)).expect("it runs");
        assert_eq!(again.essence, plain.essence, "cut to {cut}");
        assert!((1..newest).contains(&again.resumed_at), "from the one before");
        assert_eq!(again.notes.len(), 1);
        assert!(
            again.notes[0].contains(&names[1]) && again.notes[0].contains(&names[0]),
            "{:?}",
            again.notes
        );
    }
    let useless = disk.after(Aftermath::Process);
    names.iter().for_each(|name| useless.change(name, |bytes| bytes[length / 3] ^= 1));
    let again = resumed("").search(Some(&useless)).expect("it runs");
    assert_eq!((again.essence, again.resumed_at), (plain.essence, 0));
    assert!(
        again.notes[0].ends_with("no other was whole, and the search began from the start"),
        "{:?}",
        again.notes
    );
}

#[test]
fn a_limit_can_be_raised_and_an_ended_search_is_not_repeated() {
    let plain = Subject::new(SOURCE, "--jobs 1").search(None).expect("it runs");
    let (disk, _) = unfinished();
    let limited = resumed("--states 80").search(Some(&disk)).expect("it runs");
    assert_ne!(limited.essence, plain.essence);
    let again = resumed("--jobs 2").search(Some(&disk)).expect("it runs");
    assert!(again.resumed_at >= 80);
    assert_eq!(again.essence, plain.essence);
    let ended = resumed("").search(Some(&disk)).expect("it runs");
    assert_eq!((ended.essence, ended.cost), (plain.essence, Cost::default()));
}

#[test]
fn what_is_of_another_kind_is_refused_and_nothing_is_overwritten() {
    let (disk, names) = unfinished();
    let refusal = |arguments: &str| match resumed(arguments).search(Some(&disk)) {
        Err(refusal) => refusal,
        Ok(_) => panic!("{arguments} is accepted"),
    };
    let newest = &names[1];
    for (arguments, why) in [
        ("--store hash64", "was made with --store exact, not with --store hash64"),
        ("--bugs 2", "was made with --bugs 1, not with --bugs 2"),
        ("--p-points", "was made with --p-points false, not with --p-points true"),
        ("--limit queue=7", "was made with --limit queue 1000, not with --limit queue 7"),
        ("--seal machine:M", "was made with no --seal, not with --seal machine:M"),
    ] {
        assert_eq!(refusal(arguments), format!("the checkpoint `x/{newest}` {why}"));
    }
    let Err(refusal) = fresh().search(Some(&disk)) else { panic!("it would be overwritten") };
    assert!(refusal.contains("--resume goes on from it"), "{refusal}");
    assert_eq!(disk.names(), names);
}
