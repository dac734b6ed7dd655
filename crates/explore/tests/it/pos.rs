use fabius_explore::{Pos, Random};
use fabius_model::ActorId;

use crate::chi_square::{assert_fits, assert_uniform};
use crate::threads::{Op, Threads, count, counts_of};

const RUNS: u64 = 40_000;

#[test]
fn racing_writes_come_in_each_order_equally_often() {
    let program = Threads::new(&[&[Op::Write(9)], &[Op::Write(9)], &[Op::Write(9)]]);
    let counts = count(&program, &mut Pos::new(), RUNS, 0);
    assert_uniform(&counts_of(&counts, &["abc", "acb", "bac", "bca", "cab", "cba"]));
}

#[test]
fn after_a_race_every_racing_operation_is_drawn_again() {
    // All four writes race, so each contested step is an even draw whatever was before it. If the loser of a race kept
    // its low priority, "aabb" would have probability 1/3.
    let program = Threads::new(&[&[Op::Write(9); 2], &[Op::Write(9); 2]]);
    let counts = count(&program, &mut Pos::new(), RUNS, 0);
    let counts = counts_of(&counts, &["aabb", "abab", "abba", "baab", "baba", "bbaa"]);
    assert_fits(&counts, &[0.25, 0.125, 0.125, 0.125, 0.125, 0.25]);
}

#[test]
fn operations_that_do_not_race_keep_their_priority() {
    // `b` moves last only if its one draw is the lowest of all m + 2: probability 1/(m + 2), not 1/2^(m + 1).
    for local_steps in [1, 3, 6] {
        let mut script = vec![Op::Local; local_steps];
        script.push(Op::Write(9));
        let program = Threads::new(&[&script, &[Op::Write(9)]]);
        let counts = count(&program, &mut Pos::new(), RUNS, 0);
        let a_first: u64 =
            counts.iter().filter(|(history, _)| history.ends_with('b')).map(|(_, times)| times).sum();
        let expected = 1.0 / (local_steps as f64 + 2.0);
        assert_fits(&[a_first, RUNS - a_first], &[expected, 1.0 - expected]);

        let counts = count(&program, &mut Random::new(), RUNS, 0);
        let a_first: u64 =
            counts.iter().filter(|(history, _)| history.ends_with('b')).map(|(_, times)| times).sum();
        let expected = 0.5f64.powi(local_steps as i32 + 1);
        assert_fits(&[a_first, RUNS - a_first], &[expected, 1.0 - expected]);
    }
}

#[test]
fn writes_to_different_queues_do_not_race() {
    // As above with writes instead of local steps: only the last of `a` goes to the queue of `b`.
    let program = Threads::new(&[&[Op::Write(1), Op::Write(2), Op::Write(9)], &[Op::Write(9)]]);
    let counts = count(&program, &mut Pos::new(), RUNS, 0);
    let a_first = counts["aaab"];
    assert_fits(&[a_first, RUNS - a_first], &[0.25, 0.75]);
}

#[test]
fn data_choices_are_uniform() {
    let program = Threads::new(&[&[Op::Choose(4)]]);
    let counts = count(&program, &mut Pos::new(), 30_000, 0);
    assert_uniform(&counts_of(&counts, &["a0", "a1", "a2", "a3"]));
}

#[test]
fn large_ids_change_nothing() {
    let mut program = Threads::new(&[&[Op::Write(9); 3], &[Op::Write(9); 3]]);
    let small = count(&program, &mut Pos::new(), 1000, 0);
    program.ids = vec![ActorId(u32::MAX), ActorId(1 << 20)];
    assert_eq!(small, count(&program, &mut Pos::new(), 1000, 0));
}
