use fabius_explore::{Random, RunStart, run_seed};

use crate::chi_square::{assert_fits, assert_uniform};
use crate::threads::{Op, Threads, count, counts_of, run};

#[test]
fn each_of_n_machines_is_first_equally_often() {
    for machines in 2..=6 {
        let scripts = vec![&[Op::Local][..]; machines];
        let program = Threads::new(&scripts);
        let mut firsts = vec![0; machines];
        for (history, times) in count(&program, &mut Random::new(), 20_000, 0) {
            firsts[(history.as_bytes()[0] - b'a') as usize] += times;
        }
        assert_uniform(&firsts);
    }
}

#[test]
fn an_interleaving_has_the_product_of_the_probabilities_of_its_steps() {
    let program = Threads::new(&[&[Op::Local; 2], &[Op::Local; 2]]);
    let counts = count(&program, &mut Random::new(), 40_000, 0);
    let counts = counts_of(&counts, &["aabb", "abab", "abba", "baab", "baba", "bbaa"]);
    assert_fits(&counts, &[0.25, 0.125, 0.125, 0.125, 0.125, 0.25]);
}

#[test]
fn data_choices_are_uniform() {
    let program = Threads::new(&[&[Op::Choose(3)]]);
    let counts = count(&program, &mut Random::new(), 30_000, 0);
    assert_uniform(&counts_of(&counts, &["a0", "a1", "a2"]));
}

#[test]
fn a_run_depends_on_its_seed_and_on_no_run_before_it() {
    let program = Threads::new(&[&[Op::Local; 20], &[Op::Choose(2); 20]]);
    let start = |index| RunStart { seed: run_seed(5, index), longest: 0 };
    let mut used = Random::new();
    for index in 0..10 {
        run(&program, &mut used, start(index));
    }
    let again = run(&program, &mut used, start(3));
    assert_eq!(again, run(&program, &mut Random::new(), start(3)));
    assert_ne!(again, run(&program, &mut Random::new(), start(4)));
}
