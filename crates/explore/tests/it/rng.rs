use std::collections::HashSet;

use fabius_explore::{Rng, run_seed, split_mix};

use crate::chi_square::assert_uniform;

#[test]
fn split_mix_gives_its_published_numbers() {
    let mut state = 1_234_567;
    let numbers: Vec<u64> = (0..5).map(|_| split_mix(&mut state)).collect();
    assert_eq!(
        numbers,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
    );
}

#[test]
fn xoshiro_gives_its_published_numbers() {
    let mut rng = Rng::from_state([1, 2, 3, 4]);
    let numbers: Vec<u64> = (0..10).map(|_| rng.next_u64()).collect();
    assert_eq!(
        numbers,
        [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
            14_011_001_112_246_962_877,
            12_406_186_145_184_390_807,
            15_849_039_046_786_891_736,
            10_450_023_813_501_588_000,
        ]
    );
}

#[test]
fn a_run_keeps_its_numbers_for_ever() {
    // Not published anywhere: whoever noted a seed relies on them.
    assert_eq!(run_seed(0, 0), 16_294_208_416_658_607_535);
    assert_eq!(Rng::from_seed(run_seed(42, 7)).next_u64(), 8_105_264_528_181_145_877);
}

#[test]
fn numbers_below_a_bound_are_uniform() {
    for bound in [2, 3, 5, 6, 7, 10, 64, 100] {
        let mut rng = Rng::from_seed(bound);
        let mut counts = vec![0; bound as usize];
        for _ in 0..100_000 {
            counts[rng.below(bound) as usize] += 1;
        }
        assert_uniform(&counts);
    }
}

#[test]
fn a_bound_that_does_not_divide_the_range_has_no_bias() {
    // Without rejection the lower third would come up twice as often as the rest.
    let bound = (1 << 63) + (1 << 62);
    let mut rng = Rng::from_seed(1);
    let mut thirds = [0; 3];
    for _ in 0..90_000 {
        thirds[(rng.below(bound) / (1 << 62)) as usize] += 1;
    }
    assert_uniform(&thirds);
}

#[test]
fn the_first_numbers_of_successive_runs_are_uniform() {
    for seed in [0, 1, 2, u64::MAX] {
        let mut counts = [0; 20];
        for run in 0..20_000 {
            counts[Rng::from_seed(run_seed(seed, run)).position(20)] += 1;
        }
        assert_uniform(&counts);
    }
}

#[test]
fn runs_of_neighbouring_seeds_share_no_stream() {
    let mut seen = HashSet::new();
    for seed in 0..100 {
        for run in 0..100 {
            assert!(seen.insert(run_seed(seed, run)), "run {run} of seed {seed} has the stream of another");
        }
    }
}
