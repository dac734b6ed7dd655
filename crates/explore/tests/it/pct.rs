use fabius_explore::{FairPct, Pct, RunStart, Scheduler, run_seed};
use fabius_model::ActorId;

use crate::chi_square::{assert_fits, assert_uniform};
use crate::threads::{History, Op, Threads, count, counts_of, run};

const RUNS: u64 = 40_000;

/// The share of runs whose history satisfies the condition.
fn share(program: &Threads, scheduler: &mut Pct, has_bug: impl Fn(&str) -> bool) -> f64 {
    let counts = count(program, scheduler, RUNS, 0);
    let buggy: u64 = counts.iter().filter(|(history, _)| has_bug(history)).map(|(_, times)| times).sum();
    buggy as f64 / RUNS as f64
}

/// Panics unless the share is at least the promised one, give or take three standard deviations.
#[track_caller]
fn assert_at_least(found: f64, promised: f64) {
    let deviation = (promised * (1.0 - promised) / RUNS as f64).sqrt();
    assert!(found >= promised - 3.0 * deviation, "found in {found} of the runs, promised {promised}");
}

/// The place, in the history, of the `index`-th step of a thread.
fn place(history: &str, thread: char, index: usize) -> usize {
    history.char_indices().filter(|(_, c)| *c == thread).nth(index).unwrap().0
}

/// Whether the steps, each a thread and the index of a step of it, come in this order.
fn in_order(history: &str, steps: &[(char, usize)]) -> bool {
    steps.windows(2).all(|pair| place(history, pair[0].0, pair[0].1) < place(history, pair[1].0, pair[1].1))
}

#[test]
fn at_depth_one_each_order_of_whole_threads_is_equally_likely() {
    let program = Threads::new(&[&[Op::Local; 2], &[Op::Local; 2], &[Op::Local; 2]]);
    let counts = count(&program, &mut Pct::new(1, Some(6)), RUNS, 0);
    assert_uniform(&counts_of(&counts, &["aabbcc", "aaccbb", "bbaacc", "bbccaa", "ccaabb", "ccbbaa"]));
}

#[test]
fn at_depth_two_the_priority_changes_at_each_step_equally_often() {
    // Thread `a` or `b` is first, and is stopped before step 0, 1, 2 or 3 of the run, all with the same probability. To
    // be stopped before step 0 is to let the other go first. Step 3 is contested only if nobody was stopped before.
    let program = Threads::new(&[&[Op::Local; 4], &[Op::Local; 4]]);
    let counts = count(&program, &mut Pct::new(2, Some(4)), RUNS, 0);
    let histories =
        ["aaaabbbb", "bbbbaaaa", "abbbbaaa", "aabbbbaa", "aaabbbba", "baaaabbb", "bbaaaabb", "bbbaaaab"];
    assert_uniform(&counts_of(&counts, &histories));
}

#[test]
fn a_bug_of_depth_one_is_found_in_one_of_n_runs_or_more() {
    for machines in [2, 3, 5] {
        let program = Threads::new(&vec![&[Op::Local; 4][..]; machines]);
        let found =
            share(&program, &mut Pct::new(1, Some(20)), |history| in_order(history, &[('b', 0), ('a', 0)]));
        assert_at_least(found, 1.0 / machines as f64);
    }
}

#[test]
fn a_bug_of_depth_two_is_found_as_often_as_promised_and_never_at_depth_one() {
    // The window between two adjacent steps of `a` is hit by `b` as a whole.
    let bug = |history: &str| in_order(history, &[('a', 2), ('b', 1), ('a', 3)]);
    for machines in [2, 4] {
        let program = Threads::new(&vec![&[Op::Local; 6][..]; machines]);
        let steps = 6 * machines as u64;
        let found = share(&program, &mut Pct::new(2, Some(steps)), bug);
        assert_at_least(found, 1.0 / (machines as u64 * steps) as f64);
        assert_eq!(share(&program, &mut Pct::new(1, Some(steps)), bug), 0.0);
    }
}

#[test]
fn the_promise_is_kept_to_the_letter_where_it_is_tight() {
    // One of two machines must be first and one of twelve steps be the change.
    let program = Threads::new(&[&[Op::Local; 6], &[Op::Local; 6]]);
    let found = share(&program, &mut Pct::new(2, Some(12)), |history| history.starts_with("aaab"));
    let found = (found * RUNS as f64).round() as u64;
    assert_fits(&[found, RUNS - found], &[1.0 / 24.0, 23.0 / 24.0]);
}

#[test]
fn a_bug_of_depth_three_is_found_as_often_as_promised_and_never_at_depth_two() {
    // `a` is stopped after its second step and `b` after its third.
    let bug = |history: &str| in_order(history, &[('a', 1), ('b', 2), ('a', 2), ('b', 3)]);
    let program = Threads::new(&[&[Op::Local; 5], &[Op::Local; 5], &[Op::Local; 5]]);
    let (machines, steps) = (3, 15);
    let found = share(&program, &mut Pct::new(3, Some(steps)), bug);
    assert_at_least(found, 1.0 / (machines * steps * steps) as f64);
    assert_eq!(share(&program, &mut Pct::new(2, Some(steps)), bug), 0.0);
}

#[test]
fn a_machine_that_begins_later_can_have_the_highest_priority() {
    // P# never put a new machine on top. Here `b` is started by the first step of `a`.
    let mut program = Threads::new(&[&[Op::Start(1), Op::Local], &[Op::Local]]);
    program.started = 1;
    let counts = count(&program, &mut Pct::new(1, Some(3)), RUNS, 0);
    assert_uniform(&counts_of(&counts, &["aab", "aba"]));
}

#[test]
fn steps_without_a_choice_do_not_use_up_changes() {
    // Ten steps of `a` alone, then one contested: a change over one contested step always falls there.
    let mut script = vec![Op::Local; 10];
    script.extend([Op::Start(1), Op::Local]);
    let mut program = Threads::new(&[&script, &[Op::Local]]);
    program.started = 1;
    let counts = count(&program, &mut Pct::new(2, Some(1)), RUNS, 0);
    assert_uniform(&counts_of(&counts, &["aaaaaaaaaaaab", "aaaaaaaaaaaba"]));
}

#[test]
fn without_a_given_length_the_longest_run_so_far_counts() {
    let program = Threads::new(&[&[Op::Local; 4], &[Op::Local; 4]]);
    let given = count(&program, &mut Pct::new(2, Some(4)), 1000, 0);
    assert_eq!(given, count(&program, &mut Pct::new(2, None), 1000, 4));
    assert_ne!(given, count(&program, &mut Pct::new(2, None), 1000, 0));
}

#[test]
fn the_length_of_a_run_is_its_number_of_contested_steps() {
    let program = Threads::new(&[&[Op::Local; 3], &[Op::Choose(2)]]);
    let mut pct = Pct::new(1, None);
    let history = run(&program, &mut pct, RunStart { seed: run_seed(1, 0), longest: 0 });
    let contested = history.chars().take_while(|c| *c != history.chars().next_back().unwrap()).count();
    assert!((1..=3).contains(&contested));
    let length = Scheduler::<Threads>::end_run(&mut pct);
    // Whoever is first moves alone against the other until it is done.
    assert_eq!(length, if history.starts_with('a') { 3 } else { 1 }, "{history}");
}

#[test]
fn data_choices_are_uniform() {
    let program = Threads::new(&[&[Op::Choose(3)]]);
    let counts = count(&program, &mut Pct::new(3, None), 30_000, 0);
    assert_uniform(&counts_of(&counts, &["a0", "a1", "a2"]));
}

#[test]
fn large_ids_change_nothing() {
    let mut program = Threads::new(&[&[Op::Local; 3], &[Op::Local; 3]]);
    let small = count(&program, &mut Pct::new(2, Some(5)), 1000, 0);
    program.ids = vec![ActorId(u32::MAX), ActorId(1 << 20)];
    assert_eq!(small, count(&program, &mut Pct::new(2, Some(5)), 1000, 0));
}

#[test]
fn fair_pct_is_pct_in_its_prefix_and_random_after_it() {
    let program = Threads::new(&[&[Op::Local; 2], &[Op::Local; 4]]);
    let whole = count(&program, &mut FairPct::new(2, Some(4), 100), 1000, 0);
    assert_eq!(whole, count(&program, &mut Pct::new(2, Some(4)), 1000, 0));

    // With a prefix of two steps at depth one, the first two are of one thread; what follows is a walk.
    let program = Threads::new(&[&[Op::Local; 2], &[Op::Local; 3]]);
    let counts = count(&program, &mut FairPct::new(1, None, 2), RUNS, 0);
    let histories: [&str; 4] = ["aabbb", "bbbaa", "bbaab", "bbaba"];
    assert_fits(&counts_of(&counts, &histories), &[0.5, 0.25, 0.125, 0.125]);
}

#[test]
fn fair_pct_lets_everybody_move_where_pct_starves() {
    let program = Threads::new(&[&[Op::Local; 200], &[Op::Local; 200]]);
    let start = RunStart { seed: run_seed(3, 0), longest: 0 };
    let first_half = |history: &History| {
        let first = history.chars().next().unwrap();
        history.chars().take(200).filter(|c| *c != first).count()
    };
    assert_eq!(first_half(&run(&program, &mut Pct::new(1, None), start)), 0);
    assert!(first_half(&run(&program, &mut FairPct::new(1, None, 20), start)) > 50);
}
