//! Bytes, probabilities, and what happens when there is no more place.

use std::collections::HashSet;

use fabius_store::{Bitstate, Bounded, Exact, Fingerprints64, Fingerprints128, VisitedSet, WhenFull, Whole};

use crate::states::{Random, contains, faithful_sets, insert};

#[test]
fn bounded_sets_keep_to_their_budget_and_know_only_what_was_inserted() {
    for when_full in [WhenFull::Keep, WhenFull::Replace] {
        for budget in [0, 63, 64, 200, 1000, 5000, 100_000, (1 << 20) - 8, 1 << 20, 3_000_000] {
            let set = Bounded::new(budget, when_full);
            let mut random = Random(budget as u64);
            let mut inserted = HashSet::new();
            let mut visits = 0;
            for _ in 0..200 + (budget / 400).min(7000) {
                let vectors: Vec<Vec<u32>> = (0..100).map(|_| random.words(3, 200)).collect();
                for (words, new) in vectors.iter().zip(insert(&set, &vectors)) {
                    assert!(new || inserted.contains(words), "{set:?} knew a state that was never inserted");
                    visits += u64::from(new);
                    inserted.insert(words.clone());
                }
                assert!(set.bytes() <= budget, "{set:?} takes {} bytes", set.bytes());
            }
            assert!(set.forgets());
            assert!(set.len() <= budget as u64 / 8 + 1, "{set:?}");
            assert_eq!(set.forgotten() > 0, visits > set.len(), "{set:?}");
            assert!(visits - set.len() == set.forgotten(), "{set:?}");
        }
    }
}

#[test]
fn a_bounded_set_with_place_for_all_states_forgets_none() {
    let set = Bounded::new(1 << 20, WhenFull::Replace);
    let vectors: Vec<Vec<u32>> = (0..50_000).map(|number| vec![number]).collect();
    assert!(insert(&set, &vectors).iter().all(|&new| new));
    assert!(insert(&set, &vectors).iter().all(|&new| !new));
    assert_eq!(set.forgotten(), 0);
}

#[test]
fn a_full_set_keeps_the_first_states_or_takes_in_the_last() {
    let vectors: Vec<Vec<u32>> = (0..20_000).map(|number| vec![number]).collect();
    let (first, last) = (&vectors[..1000], &vectors[19_000..]);
    let known = |set: &Bounded, vectors| contains(set, vectors).iter().filter(|&&known| known).count();
    let (keeps, replaces) = (Bounded::new(32_000, WhenFull::Keep), Bounded::new(32_000, WhenFull::Replace));
    for vectors in vectors.chunks(100) {
        insert(&keeps, vectors);
        insert(&replaces, vectors);
    }
    assert_eq!((known(&keeps, first), known(&keeps, last)), (1000, 0));
    assert!(known(&replaces, first) < 100, "{}", known(&replaces, first));
    assert!(known(&replaces, last) > 700, "{}", known(&replaces, last));
}

#[test]
fn sets_say_how_full_they_are() {
    let sets: [Box<dyn VisitedSet>; 6] = [
        Box::new(Exact::new()),
        Box::new(Whole::new()),
        Box::new(Fingerprints64::new()),
        Box::new(Fingerprints128::new()),
        Box::new(Bounded::new(1 << 20, WhenFull::Keep)),
        Box::new(Bitstate::new(1 << 20, 1).expect("there is memory for a small table")),
    ];
    let vectors: Vec<Vec<u32>> = (0..10_000).map(|number| vec![number]).collect();
    for set in sets {
        assert_eq!(set.load(), 0.0, "{set:?}");
        insert(&*set, &vectors);
        assert!(set.load() > 0.0 && set.load() <= 1.0, "{set:?}: {}", set.load());
        if set.bytes() < 1 << 19 {
            assert!(set.load() >= 0.2, "a table that grows is not much too large: {set:?}, {}", set.load());
        }
    }
}

#[test]
fn omission_follows_the_birthday_bound() {
    let (short, long) = (Fingerprints64::new(), Fingerprints128::new());
    let vectors: Vec<Vec<u32>> = (0..100_000).map(|number| vec![number]).collect();
    insert(&short, &vectors);
    insert(&long, &vectors);
    let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-4;
    assert!(near(short.omission(), 1e10 / 2f64.powi(65)), "{}", short.omission());
    assert!(near(long.omission(), 1e10 / 2f64.powi(129)), "{}", long.omission());
    assert_eq!(Exact::new().omission(), 0.0);
    assert_eq!(Fingerprints64::new().omission(), 0.0);
}

#[test]
fn the_omission_of_bitstate_bounds_what_is_really_missed() {
    for bits in [1, 2, 3, 6] {
        let set = Bitstate::new(1 << 20, bits).expect("there is memory for a small table");
        assert_eq!(set.omission(), 0.0);
        let vectors: Vec<Vec<u32>> = (0..1000).map(|number| vec![number, bits]).collect();
        let missed = insert(&set, &vectors).iter().filter(|&&new| !new).count();
        let omission = set.omission();
        assert!(omission > 0.0 && omission < 1.0 + f64::EPSILON, "{bits} bits: {omission}");
        assert!(missed as f64 <= 5.0 + 5.0 * omission, "{bits} bits: {missed} missed, bound {omission}");
        for start in 1..400 {
            let vectors: Vec<Vec<u32>> = (0..1000).map(|number| vec![number, bits, start]).collect();
            insert(&set, &vectors);
        }
        // A table with so many states misses some, and says so.
        assert!(set.len() < 400_000, "{bits} bits");
        assert_eq!(set.omission(), 1.0, "{bits} bits");
        assert_eq!(set.bytes(), (1 << 20) - 64);
    }
}

#[test]
fn an_exact_set_without_numbers_says_that_it_is_full_and_refuses_only_what_needs_new_ones() {
    let set = Exact::with_most_parts(100);
    let vectors: Vec<Vec<u32>> = (0..100).map(|number| vec![number, number, 0]).collect();
    assert_eq!(insert(&set, &vectors), [true; 100]);
    assert!(!set.is_full());
    let more: Vec<Vec<u32>> = (100..103).map(|number| vec![number, number, 0]).collect();
    assert_eq!(insert(&set, &more), [false; 3]);
    assert!(set.is_full());
    assert_eq!(contains(&set, &more), [false; 3]);
    assert_eq!(insert(&set, &[vec![5, 5, 1], vec![5, 5, 0], vec![1, 2]]), [true, false, true]);
    assert_eq!(set.len(), 102);
}

#[test]
fn an_exact_set_that_cannot_number_pairs_says_that_it_is_full() {
    // Ten blocks make a thousand states of four blocks, with a hundred and ten pairs.
    let vector = |number: u32| -> Vec<u32> {
        (0..24).map(|word| [number % 10, number / 10 % 10, number / 100, 0][word / 6]).collect()
    };
    let vectors: Vec<Vec<u32>> = (0..1000).map(vector).collect();
    let roomy = Exact::with_most_parts(110);
    assert_eq!(insert(&roomy, &vectors), [true; 1000]);
    assert!(!roomy.is_full());
    let set = Exact::with_most_parts(50);
    let new = insert(&set, &vectors).iter().filter(|&&new| new).count();
    assert!(set.is_full() && new > 0 && new < 1000, "{new} were new");
    let known = contains(&set, &vectors).iter().filter(|&&known| known).count();
    assert_eq!((known, set.len()), (new, new as u64));
    assert_eq!(insert(&set, &vectors), [false; 1000]);
}

#[test]
fn growth_is_foreseen_and_only_when_it_is_near() {
    for set in faithful_sets() {
        let (mut growths, mut quiet) = (0, 0);
        for number in 0..300_000 {
            let (before, foreseen) = (set.bytes(), set.growth_ahead());
            insert(&*set, &[vec![number % 50, number / 50 % 600, number / 30_000]]);
            let growth = set.bytes() - before;
            // The first blocks and pairs of all come without notice, and are small.
            assert!(growth <= foreseen.max(1 << 16), "{set:?} grows by {growth}, not {foreseen}");
            growths += u32::from(growth > 1 << 16);
            quiet += u32::from(foreseen == 0);
        }
        assert!(growths == 0 || quiet > 50_000, "{set:?} always speaks of growth");
    }
}
