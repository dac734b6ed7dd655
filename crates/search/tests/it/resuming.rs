//! The depth-first search written down between any two batches, and taken up again.

use std::io;
use std::sync::Mutex;

use fabius_explore::Rng;
use fabius_search::exhaustive::depth_first::{Keeping, Left, Limits, Report, Snapshot, run_kept};
use fabius_search::{Callbacks, StopReason};
use fabius_store::{Batch, Bitstate, Exact, Fingerprints64, Fingerprints128, VisitedSet, read};

use crate::graph::{Graph, Target, follow};

const GRAPHS: u64 = 5;
const STATES: usize = 3000;
const BUGS: u32 = 8;

/// Nearly all states of it are reached; some edges lead to bugs, and some ends are ones.
fn random_graph(seed: u64) -> Graph {
    let mut rng = Rng::from_seed(seed);
    let mut graph = Graph::from_edges(STATES, &[]);
    for state in 0..STATES {
        let edges = rng.position(5);
        graph.edges[state].extend((0..edges).map(|_| Target::To(rng.position(STATES))));
        graph.ends[state] = (edges == 0 && rng.below(100) == 0).then_some(BUGS);
    }
    for bug in 0..BUGS {
        graph.edges[rng.position(STATES)].push(Target::Bug(bug));
    }
    graph.edges[0].extend([Target::To(1), Target::To(2), Target::To(3)]);
    graph
}

/// A search as it was at some moment.
#[derive(Clone)]
struct Kept {
    file: Vec<u8>,
    /// The states shown until then.
    shown: Vec<usize>,
    stop: Option<StopReason>,
}

fn all_bugs(jobs: usize) -> Limits {
    Limits { bugs: usize::MAX, jobs, ..Limits::default() }
}

fn written(snapshot: &Snapshot<'_, Graph>, set: &dyn VisitedSet) -> Vec<u8> {
    let mut file = Vec::new();
    snapshot.write_to(&mut file).expect("memory can be written");
    if !snapshot.is_finished() {
        set.write_to(&mut file).expect("memory can be written");
    }
    file
}

/// Searches from `from`, or from the start in the set, and writes everything down after every batch.
fn search(
    program: &Graph,
    set: Box<dyn VisitedSet>,
    from: Option<&Kept>,
    limits: &Limits,
    calls: &Callbacks<'_, u32>,
) -> (Report<u32>, Vec<Kept>) {
    let (mut left, mut set) = (None, set);
    if let Some(kept) = from {
        let mut file = kept.file.as_slice();
        left = Some(Left::read_from(program, &mut file).expect("the file is whole"));
        if !file.is_empty() {
            set = read(&mut file).expect("the file is whole");
        }
    }
    let shown = Mutex::new(from.map_or(Vec::new(), |kept| kept.shown.clone()));
    let kept = Mutex::new(Vec::new());
    let keeping = Keeping {
        is_due: &|| true,
        keep: &|snapshot| {
            let shown = shown.lock().expect("nobody panics").clone();
            let file = written(snapshot, &*set);
            kept.lock().expect("nobody panics").push(Kept { file, shown, stop: snapshot.stop });
        },
    };
    let visit = |state: &usize| shown.lock().expect("nobody panics").push(*state);
    let report = run_kept(program, &*set, limits, calls, &visit, left, &keeping);
    (report, kept.into_inner().expect("nobody panics"))
}

/// What does not depend on the order of the search.
fn essence(report: &Report<u32>) -> (StopReason, u64, u64, Vec<u32>) {
    let mut bugs: Vec<u32> = report.bugs.iter().map(|found| found.bug).collect();
    bugs.sort_unstable();
    (report.stop, report.states, report.transitions, bugs)
}

fn sets() -> Vec<Box<dyn VisitedSet>> {
    vec![
        Box::new(Exact::new()),
        Box::new(Fingerprints64::new()),
        Box::new(Fingerprints128::new()),
        Box::new(Bitstate::new(1 << 20, 3).expect("there is memory for a small table")),
    ]
}

#[test]
fn a_search_that_is_taken_up_anywhere_ends_as_if_it_had_not_been_interrupted() {
    let mut resumed = 0;
    for seed in 0..GRAPHS {
        let program = random_graph(seed);
        let plain = search(&program, Box::new(Exact::new()), None, &all_bugs(1), &Callbacks::default());
        for (set, jobs) in sets().into_iter().zip([1, 2, 3, 2]) {
            let (report, kept) = search(&program, set, None, &all_bugs(jobs), &Callbacks::default());
            assert_eq!(essence(&report), essence(&plain.0), "seed {seed}, {jobs} threads");
            // One after another, so that searches which were interrupted several times are among them.
            let mut last = None;
            for at in (0..kept.len()).step_by(kept.len().div_ceil(6)) {
                let from = last.take().unwrap_or_else(|| kept[at].clone());
                let jobs = 1 + at % 3;
                let none = Box::new(Exact::new());
                let (report, more) =
                    search(&program, none, Some(&from), &all_bugs(jobs), &Callbacks::default());
                assert_eq!(essence(&report), essence(&plain.0), "seed {seed}, from {at}, {jobs} threads");
                let end = more.last().expect("the end is written down");
                assert_eq!(end.stop, Some(StopReason::Exhausted));
                assert_eq!(end.shown.len() as u64, report.states, "each state is shown once");
                last = more.get(more.len() / 2).cloned();
                resumed += 1;
            }
        }
    }
    assert!(resumed > 100, "{resumed}");
}

#[test]
fn a_search_that_met_a_limit_goes_on_with_more() {
    let program = random_graph(2);
    let whole = search(&program, Box::new(Exact::new()), None, &all_bugs(1), &Callbacks::default()).0;
    for jobs in [1, 2] {
        let mut last: Option<Kept> = None;
        let mut times = 0;
        loop {
            let states = 200 * (times + 1);
            let limits = Limits { states, ..all_bugs(jobs) };
            let calls = Callbacks { should_stop: &|| times % 2 == 1, ..Callbacks::default() };
            let (report, kept) = search(&program, Box::new(Exact::new()), last.as_ref(), &limits, &calls);
            last = kept.last().cloned();
            assert_eq!(last.as_ref().and_then(|kept| kept.stop), Some(report.stop));
            times += 1;
            if report.stop == StopReason::Exhausted {
                assert_eq!(essence(&report), essence(&whole), "{jobs} threads");
                break;
            }
        }
        assert!(times > 3, "{times}");
    }
}

#[test]
fn bugs_found_before_are_still_found_and_end_the_search_when_they_are_enough() {
    let mut followed = 0;
    for seed in 0..GRAPHS {
        let program = random_graph(seed);
        let limits = Limits { bugs: 5, ..Limits::default() };
        let (report, kept) = search(&program, Box::new(Exact::new()), None, &limits, &Callbacks::default());
        assert_eq!(report.stop, StopReason::BugsFound);
        assert!(report.bugs.iter().all(|found| follow(&program, &found.positions) == Some(found.bug)));
        for from in &kept {
            let (again, _) =
                search(&program, Box::new(Exact::new()), Some(from), &limits, &Callbacks::default());
            assert_eq!(again.bugs, report.bugs, "seed {seed}");
            assert_eq!(essence(&again), essence(&report), "seed {seed}");
            followed += 1;
        }
    }
    assert!(followed > 10, "{followed}");
}

#[test]
fn a_finished_search_keeps_its_doubts_although_its_set_is_gone() {
    let program = random_graph(3);
    let set = || Box::new(Fingerprints64::new());
    let (report, kept) = search(&program, set(), None, &all_bugs(1), &Callbacks::default());
    assert!(report.omission > 0.0);
    let (again, _) =
        search(&program, Box::new(Exact::new()), kept.last(), &all_bugs(1), &Callbacks::default());
    assert_eq!((again.stop, again.omission), (StopReason::Exhausted, report.omission));
}

/// A set that says it is full from some number of states on.
#[derive(Debug)]
struct Small(Exact);

impl VisitedSet for Small {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        self.0.insert(states, is_new);
    }

    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        self.0.contains(states, is_known);
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn load(&self) -> f64 {
        self.0.load()
    }

    fn omission(&self) -> f64 {
        0.0
    }

    fn is_full(&self) -> bool {
        self.len() > 500
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        self.0.write_to(to)
    }
}

#[test]
fn a_set_that_has_refused_states_is_not_written_down() {
    let program = random_graph(2);
    for jobs in [1, 2] {
        let set = Box::new(Small(Exact::new()));
        let (report, kept) = search(&program, set, None, &all_bugs(jobs), &Callbacks::default());
        assert_eq!(report.stop, StopReason::SetFull);
        assert!(!kept.is_empty());
        assert!(kept.iter().all(|kept| kept.shown.len() <= 500 && kept.stop.is_none()));
    }
}

#[test]
fn what_was_written_down_is_refused_when_its_end_is_missing() {
    let program = random_graph(2);
    let (_, kept) = search(&program, Box::new(Exact::new()), None, &all_bugs(1), &Callbacks::default());
    let file = &kept[kept.len() / 2].file;
    let whole = {
        let mut rest = file.as_slice();
        Left::read_from(&program, &mut rest).expect("the file is whole");
        file.len() - rest.len()
    };
    for length in 0..whole {
        assert!(Left::read_from(&program, &mut &file[..length]).is_err(), "cut to {length} bytes");
    }
}
