//! Which states are new, found out by several threads: to which *shard* a state belongs follows from its key.
//!
//! Threads sort the keys that they find by shards. Each shard then takes in what belongs to it in the order of the surveys, so
//! that each state goes to the first item that leads to it, as if there were one thread. Nobody writes to what another thread
//! has written, and what is read of it lies together: that is what cores without a common cache are slowest at.

use std::ops::Range;
use std::sync::RwLock;

use fabius_store::{Exact, Key};

use super::shared::read;

/// A set keeps its keys nearly in the order of their bits: each of so many shards has a range of its memory for itself.
#[inline]
fn shard_of(key: &Key, shards: usize) -> usize {
    (((key.bits() >> 32) * shards as u64) >> 32) as usize
}

/// The keys that one thread has found in a round, by shards.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    round: u64,
    shards: Vec<Found>,
}

#[derive(Debug, Default)]
struct Found {
    keys: Vec<Key>,
    /// The places of surveys in the round, and where their keys end.
    surveys: Vec<(usize, usize)>,
}

impl Sorted {
    /// For so many shards.
    pub(super) fn new(shards: usize) -> Self {
        Self { round: 0, shards: (0..shards).map(|_| Found::default()).collect() }
    }

    /// Adds the keys of a survey, which is in this place of a round; gives for each shard the places of its keys.
    pub(super) fn add(&mut self, round: u64, survey: usize, keys: &[Key], places: &mut Places) {
        if self.round != round {
            self.round = round;
            for found in &mut self.shards {
                found.keys.clear();
                found.surveys.clear();
            }
        }
        let shards = self.shards.len();
        places.0.resize_with(shards, Vec::new);
        places.0.iter_mut().for_each(Vec::clear);
        for (place, key) in (0..).zip(keys) {
            let shard = shard_of(key, shards);
            self.shards[shard].keys.push(*key);
            places.0[shard].push(place);
        }
        for found in &mut self.shards {
            found.surveys.push((survey, found.keys.len()));
        }
    }

    /// The surveys whose keys are here, and where those of a shard are.
    fn surveys(&self, round: u64, shard: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut start = 0;
        let all = if self.round == round { &self.shards[shard].surveys[..] } else { &[] };
        all.iter().map(move |(survey, end)| (*survey, std::mem::replace(&mut start, *end)..*end))
    }
}

/// The places of a survey's keys, by shards.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Vec<u32>>);

/// What was found out in a shard.
#[derive(Debug, Default)]
pub(super) struct Shard {
    keys: Vec<Key>,
    is_new: Vec<bool>,
    /// For each survey of the round: where its answers begin, and how many states are new.
    surveys: Vec<(usize, usize)>,
    /// Which surveys there are, by which thread, and where it has their keys.
    sources: Vec<(usize, usize, Range<usize>)>,
}

impl Shard {
    /// Takes in all keys of a round that belong to this shard.
    pub(super) fn insert(&mut self, round: u64, shard: usize, sorted: &[RwLock<Sorted>], set: &Exact) {
        self.sources.clear();
        for (thread, sorted) in sorted.iter().enumerate() {
            let sorted = read(sorted);
            self.sources.extend(sorted.surveys(round, shard).map(|(survey, range)| (survey, thread, range)));
        }
        self.sources.sort_unstable_by_key(|(survey, ..)| *survey);
        self.keys.clear();
        let sorted: Vec<_> = sorted.iter().map(read).collect();
        for (_, thread, range) in &self.sources {
            self.keys.extend_from_slice(&sorted[*thread].shards[shard].keys[range.clone()]);
        }
        set.insert_keys(&self.keys, &mut self.is_new);
        self.surveys.clear();
        let mut start = 0;
        for (survey, _, range) in &self.sources {
            let answers = &self.is_new[start..start + range.len()];
            self.surveys.resize(*survey, (start, 0));
            self.surveys.push((start, answers.iter().filter(|is_new| **is_new).count()));
            start += range.len();
        }
    }

    /// How many states of a survey are new.
    pub(super) fn count_new(&self, survey: usize) -> usize {
        self.surveys.get(survey).map_or(0, |(_, count)| *count)
    }
}

/// Tells for each key of a survey whether its state is new.
pub(super) fn spread(shards: &[RwLock<Shard>], survey: usize, places: &Places, is_new: &mut Vec<bool>) {
    is_new.clear();
    is_new.resize(places.0.iter().map(Vec::len).sum(), false);
    for (shard, places) in shards.iter().zip(&places.0) {
        let shard = read(shard);
        let start = shard.surveys.get(survey).map_or(0, |(start, _)| *start);
        let answers = &shard.is_new[start..start + places.len()];
        places.iter().zip(answers).for_each(|(place, answer)| is_new[*place as usize] = *answer);
    }
}
