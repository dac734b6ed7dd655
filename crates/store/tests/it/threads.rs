//! Threads that insert the same states at the same time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fabius_store::{Batch, Keyed, VisitedSet};

use crate::states::{Random, faithful_sets, push, readable_sets};

const THREADS: u64 = 4;
const STATES: u64 = 60_000;
/// With so many, tables grow that threads spread together.
const MANY_STATES: u64 = 500_000;

/// The vector with this number: with parts that many have in common, of three lengths, in several blocks.
fn vector(number: u64) -> Vec<u32> {
    let mut words: Vec<u32> = (0..10).map(|place| (number >> (place * 2) & 3) as u32).collect();
    words.extend((0..number % 3 + 5).map(|word| (word ^ number & 3) as u32));
    words
}

/// Every thread inserts all states, in an order of its own.
fn insert_all(set: &dyn VisitedSet, times_new: &[AtomicU32], seed: u64) {
    let states = times_new.len() as u64;
    let mut random = Random(seed);
    let offset = random.below(states);
    let (mut batch, mut numbers, mut is_new) = (Batch::new(), Vec::new(), Vec::new());
    let mut next = 0;
    while next < states {
        batch.clear();
        numbers.clear();
        for _ in 0..1 + random.below(100).min(states - next - 1) {
            // A stride without a factor in common with the number of states visits each of them.
            let number = (next * 7919 + offset / 100) % states;
            push(&mut batch, &vector(number));
            numbers.push(number);
            next += 1;
        }
        set.insert(&batch, &mut is_new);
        for (&number, _) in numbers.iter().zip(&is_new).filter(|&(_, &new)| new) {
            times_new[number as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn each_state_is_new_to_exactly_one_of_four_threads() {
    let sizes = [STATES, MANY_STATES].into_iter();
    for (states, set) in sizes.flat_map(|states| faithful_sets().into_iter().map(move |set| (states, set))) {
        let times_new: Vec<AtomicU32> = (0..states).map(|_| AtomicU32::new(0)).collect();
        thread::scope(|scope| {
            for seed in 0..THREADS {
                let (set, times_new) = (&*set, &times_new);
                scope.spawn(move || insert_all(set, times_new, seed));
            }
        });
        let wrong = times_new.iter().filter(|times| times.load(Ordering::Relaxed) != 1).count();
        assert_eq!(wrong, 0, "{set:?}");
        assert_eq!(set.len(), states, "{set:?}");
    }
}

#[test]
fn a_reader_beside_writers_sees_what_was_there_before() {
    for set in faithful_sets() {
        let mut known = Batch::new();
        (0..1000).for_each(|number| push(&mut known, &vector(number)));
        set.insert(&known, &mut Vec::new());
        let ignored: Vec<AtomicU32> = (0..STATES).map(|_| AtomicU32::new(0)).collect();
        thread::scope(|scope| {
            scope.spawn(|| insert_all(&*set, &ignored, 1));
            let mut is_known = Vec::new();
            for _ in 0..200 {
                set.contains(&known, &mut is_known);
                assert_eq!(is_known, [true; 1000], "{set:?}");
            }
        });
    }
}

/// Threads that read words, add blocks and add lengths all at the same time, as a stratified search does.
#[test]
fn readers_and_writers_do_not_wait_for_each_other_in_a_circle() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        for set in (0..10).flat_map(|_| readable_sets()) {
            thread::scope(|scope| {
                for number in 0..THREADS as u32 {
                    let set = &set;
                    scope.spawn(move || read_and_add(set, number));
                }
            });
        }
        done.send(()).expect("somebody waits");
    });
    is_done.recv_timeout(Duration::from_secs(120)).expect("no thread waits for ever");
}

fn read_and_add(set: &Keyed, thread: u32) {
    let (mut keys, mut is_known, mut read) = (Vec::new(), Vec::new(), Vec::new());
    let (mut batch, mut added): (Batch, Vec<Vec<u32>>) = (Batch::new(), Vec::new());
    for round in 0..300_u32 {
        let mut reader = set.reader();
        for (key, words) in keys.iter().zip(&added) {
            assert_eq!(reader.words(*key, &mut read), Some(()));
            assert_eq!(read, *words);
        }
        drop(reader);
        let word = |vector: u32, place: u32| thread << 26 ^ round << 16 ^ vector << 8 ^ place;
        let vector = |vector: u32| (0..20 + round + vector % 3).map(|place| word(vector, place)).collect();
        added = (0..64).map(vector).collect();
        batch.clear();
        added.iter().for_each(|words| push(&mut batch, words));
        set.probe(&batch, &mut keys, &mut is_known);
    }
}
