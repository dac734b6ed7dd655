//! Sets against the standard library's.

use std::collections::{BTreeMap, HashSet};

use fabius_store::{Batch, Exact, Fingerprints64, Fingerprints128, Key, Keyed, VisitedSet, Whole};

use crate::states::{Random, batch, contains, faithful_sets, insert, readable_sets};

/// Inserts random vectors in batches, and compares every answer.
fn agree(
    set: &dyn VisitedSet,
    random: &mut Random,
    batches: usize,
    mut draw: impl FnMut(&mut Random) -> Vec<u32>,
) {
    let mut reference: HashSet<Vec<u32>> = HashSet::new();
    for _ in 0..batches {
        let size = random.below(300) as usize;
        let vectors: Vec<Vec<u32>> = (0..size).map(|_| draw(random)).collect();
        let known: Vec<bool> = vectors.iter().map(|words| reference.contains(words)).collect();
        assert_eq!(contains(set, &vectors), known, "{set:?}");
        let new: Vec<bool> = vectors.iter().map(|words| reference.insert(words.clone())).collect();
        assert_eq!(insert(set, &vectors), new, "{set:?}");
    }
    assert_eq!(set.len(), reference.len() as u64, "{set:?}");
    let all: Vec<Vec<u32>> = reference.into_iter().collect();
    assert_eq!(contains(set, &all), vec![true; all.len()], "{set:?}");
}

#[test]
fn random_vectors_of_mixed_lengths_and_small_alphabets_are_new_exactly_once() {
    for set in faithful_sets() {
        let mut random = Random(1);
        agree(&*set, &mut random, 200, |random| {
            let (length, alphabet) = (random.below(41) as usize, 1 + random.below(3));
            random.words(length, alphabet)
        });
    }
}

#[test]
fn short_vectors_with_extreme_words_are_told_apart() {
    const WORDS: [u32; 5] = [0, 1, u32::MAX - 1, u32::MAX, 1 << 31];
    for set in faithful_sets() {
        let mut random = Random(2);
        agree(&*set, &mut random, 30, |random| {
            (0..random.below(5)).map(|_| WORDS[random.below(5) as usize]).collect()
        });
    }
}

#[test]
fn vectors_that_differ_in_their_length_alone_are_different() {
    let set = Exact::new();
    let zeros: Vec<Vec<u32>> = (0..200).map(|length| vec![0; length]).collect();
    assert_eq!(insert(&set, &zeros), [true; 200]);
    assert_eq!(insert(&set, &zeros), [false; 200]);
    assert_eq!(set.len(), 200);
}

#[test]
fn tables_that_grow_many_times_lose_nothing() {
    for set in faithful_sets() {
        let mut random = Random(3);
        let small = set.bytes();
        agree(&*set, &mut random, 2000, |random| random.words(6, 12));
        assert!(set.bytes() >= small, "{set:?}");
    }
}

#[test]
fn neighbours_in_a_batch_may_share_words_in_any_way() {
    let set = Exact::new();
    let mut random = Random(4);
    let mut words = vec![0; 33];
    agree(&set, &mut random, 500, |random| {
        if random.below(10) == 0 {
            words = random.words(33, 2);
        }
        words[random.below(33) as usize] ^= 1;
        words.clone()
    });
}

#[test]
fn vectors_longer_than_a_word_of_bits_are_kept_exactly() {
    let set = Exact::new();
    let mut random = Random(5);
    let mut words = vec![7; 1000];
    agree(&set, &mut random, 20, |random| {
        words[random.below(1000) as usize] = random.below(2) as u32;
        words.clone()
    });
}

#[test]
fn of_equal_states_in_one_batch_the_first_is_new() {
    for set in faithful_sets() {
        let vectors = [vec![1, 2, 3], vec![1, 2, 3], vec![], vec![3], vec![], vec![1, 2, 3], vec![3]];
        assert_eq!(insert(&*set, &vectors), [true, false, true, true, false, false, false], "{set:?}");
        assert_eq!(set.len(), 3, "{set:?}");
    }
}

#[test]
fn an_empty_batch_changes_nothing() {
    for set in faithful_sets() {
        assert_eq!(insert(&*set, &[]), [false; 0]);
        assert!(set.is_empty());
    }
}

#[test]
fn new_sets_are_small() {
    let sets: [Box<dyn VisitedSet>; 3] =
        [Box::new(Exact::new()), Box::new(Fingerprints64::new()), Box::new(Fingerprints128::new())];
    for set in sets {
        insert(&*set, &[vec![1, 2, 3, 4]]);
        assert!(set.bytes() < 8192, "{set:?} takes {} bytes", set.bytes());
    }
}

#[test]
fn fingerprints_that_are_all_zeros_or_nearly_so_are_told_apart() {
    for set in faithful_sets().into_iter().skip(1).take(4) {
        let mut batch = Batch::new();
        (0..1000).for_each(|number| batch.push(number, &[]));
        let mut is_new = Vec::new();
        set.insert(&batch, &mut is_new);
        // The widest set cannot tell 0 from 1.
        assert!(is_new.iter().filter(|&&new| !new).count() <= 1, "{set:?}");
        set.insert(&batch, &mut is_new);
        assert_eq!(is_new, [false; 1000], "{set:?}");
    }
}

#[test]
fn edits_of_bases_are_the_vectors_they_make() {
    let mut random = Random(6);
    for width in [1, 2, 3, 7, 14, 33, 128, 129, 140] {
        let set = Exact::new();
        let mut reference: HashSet<Vec<u32>> = HashSet::new();
        let mut base = random.words(width, 3);
        for _ in 0..300 {
            let (mut batch, mut expected, mut words) = (Batch::new(), Vec::new(), Vec::new());
            for _ in 0..random.below(8) {
                base[random.below(width as u64) as usize] = random.below(3) as u32;
                batch.push_base(&base);
                for _ in 0..random.below(5) {
                    let edits: BTreeMap<u32, u32> = (0..random.below(4))
                        .map(|_| (random.below(width as u64) as u32, random.below(3) as u32))
                        .collect();
                    let mut vector = base.clone();
                    edits.iter().for_each(|(at, word)| vector[*at as usize] = *word);
                    if random.below(6) == 0 {
                        batch.push(0, &vector);
                    } else {
                        batch.push_edited(0, &edits.into_iter().collect::<Vec<_>>());
                    }
                    batch.write_words(batch.len() - 1, &mut words);
                    assert_eq!(words, vector);
                    expected.push(reference.insert(vector));
                }
            }
            let mut is_new = Vec::new();
            set.insert(&batch, &mut is_new);
            assert_eq!(is_new, expected, "{width} words");
            set.contains(&batch, &mut is_new);
            assert_eq!(is_new, vec![true; expected.len()], "{width} words");
        }
        let all: Vec<Vec<u32>> = reference.into_iter().collect();
        assert_eq!(contains(&set, &all), vec![true; all.len()], "{width} words");
        assert_eq!(set.len(), all.len() as u64);
    }
}

#[test]
fn states_that_were_expected_are_new_exactly_once() {
    let sets: [Box<dyn VisitedSet>; 2] = [Box::new(Fingerprints64::new()), Box::new(Fingerprints128::new())];
    for set in sets {
        let (mut random, mut reference) = (Random(7), HashSet::new());
        for _ in 0..400 {
            let (mut batch, mut is_new) = (Batch::new(), Vec::new());
            let numbers: Vec<u128> = (0..random.below(200)).map(|_| random.below(20_000).into()).collect();
            numbers.chunks(7).for_each(|some| set.expect(some, &mut batch));
            set.insert(&batch, &mut is_new);
            let expected: Vec<bool> = numbers.iter().map(|number| reference.insert(*number)).collect();
            assert_eq!(is_new, expected, "{set:?}");
        }
        assert_eq!(set.len(), reference.len() as u64, "{set:?}");
    }
}

#[test]
fn vectors_that_were_expected_are_new_exactly_once_beside_any_others() {
    let sets: [Box<dyn VisitedSet>; 2] = [Box::new(Whole::new()), Box::new(Exact::new())];
    for set in sets {
        let (mut random, mut reference) = (Random(8), HashSet::new());
        for round in 0..600 {
            let (mut batch, mut expected, mut is_new) = (Batch::new(), Vec::new(), Vec::new());
            for _ in 0..random.below(150) {
                let length = random.below(12) as usize;
                let alphabet = [2, 1 << 32][random.below(2) as usize];
                let mut vector = random.words(length, alphabet);
                // Most batches have no other states; some have them from the beginning on, or in between.
                match random.below(40) {
                    0 if round % 3 == 0 => batch.push(0, &vector),
                    1 if round % 3 == 0 && length > 0 => {
                        batch.push_base(&vector);
                        vector[0] ^= u32::MAX;
                        batch.push_edited(0, &[(0, vector[0])]);
                    }
                    _ => set.expect_words(&mut |words| words.extend_from_slice(&vector), &mut batch),
                }
                expected.push(reference.insert(vector));
            }
            set.insert(&batch, &mut is_new);
            assert_eq!(is_new, expected, "{set:?}");
            set.contains(&batch, &mut is_new);
            assert_eq!(is_new, vec![true; expected.len()], "{set:?}");
        }
        let all: Vec<Vec<u32>> = reference.into_iter().collect();
        assert_eq!((set.len(), contains(&*set, &all)), (all.len() as u64, vec![true; all.len()]), "{set:?}");
    }
}

#[test]
fn readable_sets_give_back_the_words_of_all_keys() {
    for set in readable_sets() {
        let mut random = Random(3);
        let mut reference: HashSet<Vec<u32>> = HashSet::new();
        let (mut keys, mut again, mut answers, mut read) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..100 {
            let words = |random: &mut Random| {
                let (length, alphabet) = (random.below(300) as usize, [2, 1 << 32][random.below(2) as usize]);
                random.words(length, alphabet)
            };
            let vectors: Vec<Vec<u32>> = (0..random.below(100)).map(|_| words(&mut random)).collect();
            let known: Vec<bool> = vectors.iter().map(|words| reference.contains(words)).collect();
            // Half of the batches come as words that the set was asked to expect.
            let mut expected = Batch::new();
            for words in &vectors {
                set.expect_words(&mut |all| all.extend_from_slice(words), &mut expected);
            }
            let batch = if random.below(2) == 0 { batch(&vectors) } else { expected };
            set.probe(&batch, &mut keys, &mut answers);
            assert_eq!(answers, known, "{set:?}");
            set.keys(&batch, &mut again);
            assert_eq!(again, keys, "{set:?}");
            let mut reader = set.reader();
            for (words, key) in vectors.iter().zip(&keys) {
                assert_eq!(reader.words(*key, &mut read), Some(()));
                assert_eq!(*words, read);
            }
            drop(reader);
            set.contains_keys(&keys, &mut answers);
            assert_eq!(answers, known, "{set:?}");
            // What was only asked for is not in the set.
            let (some, others) = keys.split_at(keys.len() / 2);
            let new: Vec<bool> = vectors.iter().map(|words| reference.insert(words.clone())).collect();
            for (keys, new) in [(some, &new[..some.len()]), (others, &new[some.len()..])] {
                set.insert_keys(keys, &mut answers);
                assert_eq!(answers, new, "{set:?}");
            }
            set.contains_keys(&keys, &mut answers);
            assert_eq!(answers, vec![true; keys.len()], "{set:?}");
        }
        assert_eq!(set.reader().words(Key::NONE, &mut read), None);
        set.insert_keys(&[Key::NONE], &mut answers);
        assert_eq!(answers, [false]);
        assert!(!set.is_full());
    }
}

#[test]
fn sets_that_are_not_readable_say_so() {
    let (set, mut keys) = (Keyed::new(true), Vec::new());
    set.keys(&batch(&[vec![1; 40]]), &mut keys);
    assert_eq!(set.reader().words(keys[0], &mut Vec::new()), None);
}
