//! Which states are new, found out by several threads: to which *shard* a state belongs follows from its key.
//!
//! Threads sort the keys that they find by shards. Each shard then takes in what belongs to it in the order of the surveys, so
//! that each state goes to the first item that leads to it, as if there were one thread. Nobody writes to what another thread
//! has written, and what is read of it lies together: that is what cores without a common cache are slowest at.

use std::mem;
use std::ops::Range;
use std::sync::RwLock;

use fabius_store::{Exact, Key};

use super::shared::read;

/// A shard for each thread, if there are not too many: each is looked at for each survey.
pub(super) const MOST_SHARDS: usize = 64;

/// A set keeps its keys nearly in the order of their bits: each of so many shards has a range of its memory for itself.
#[inline]
fn shard_of(key: &Key, shards: usize) -> usize {
    (((key.bits() >> 32) * shards as u64) >> 32) as usize
}

/// The keys that one thread has found in a round, those of each survey by shards.
#[derive(Debug)]
pub(super) struct Sorted {
    round: u64,
    keys: Vec<Key>,
    /// For each shard, the places of surveys in the round, and where their keys are that belong to it.
    shards: Vec<Vec<(usize, Range<usize>)>>,
}

impl Sorted {
    /// For so many shards, of which there are not more than `MOST_SHARDS`.
    pub(super) fn new(shards: usize) -> Self {
        Self { round: 0, keys: Vec::new(), shards: vec![Vec::new(); shards] }
    }

    /// Adds the keys of a survey, which is in this place of a round; gives for each shard the places of its keys.
    pub(super) fn add(&mut self, round: u64, survey: usize, keys: &[Key], places: &mut Places) {
        if self.round != round {
            self.round = round;
            self.keys.clear();
            self.shards.iter_mut().for_each(Vec::clear);
        }
        let shards = self.shards.len();
        // What is written with each key stays in a few lines of the stack.
        let mut next = [0; MOST_SHARDS];
        keys.iter().for_each(|key| next[shard_of(key, shards)] += 1);
        let (first, mut start) = (self.keys.len(), 0);
        places.starts.clear();
        for (surveys, next) in self.shards.iter_mut().zip(&mut next) {
            places.starts.push(start);
            let count = mem::replace(next, start);
            surveys.push((survey, first + start..first + start + count));
            start += count;
        }
        self.keys.resize(first + keys.len(), Key::NONE);
        places.all.resize(keys.len(), 0);
        let sorted = &mut self.keys[first..];
        for (place, key) in (0..).zip(keys) {
            let next = &mut next[shard_of(key, shards)];
            (sorted[*next], places.all[*next]) = (*key, place);
            *next += 1;
        }
    }

    /// The surveys whose keys are here, and where those of a shard are.
    fn surveys(&self, round: u64, shard: usize) -> &[(usize, Range<usize>)] {
        if self.round == round { &self.shards[shard] } else { &[] }
    }
}

/// The places of a survey's keys, those of one shard behind those of another, and where those of each begin.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: Vec<u32>,
    starts: Vec<usize>,
}

impl Places {
    /// For each shard, the places of its keys.
    fn by_shard(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.all.len()]);
        self.starts.iter().zip(ends).map(|(start, end)| &self.all[*start..end])
    }
}

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
            let surveys = sorted.surveys(round, shard).iter();
            self.sources.extend(surveys.map(|(survey, range)| (*survey, thread, range.clone())));
        }
        self.sources.sort_unstable_by_key(|(survey, ..)| *survey);
        self.keys.clear();
        let sorted: Vec<_> = sorted.iter().map(read).collect();
        for (_, thread, range) in &self.sources {
            self.keys.extend_from_slice(&sorted[*thread].keys[range.clone()]);
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
    is_new.resize(places.all.len(), false);
    for (shard, places) in shards.iter().zip(places.by_shard()) {
        let shard = read(shard);
        let start = shard.surveys.get(survey).map_or(0, |(start, _)| *start);
        let answers = &shard.is_new[start..start + places.len()];
        places.iter().zip(answers).for_each(|(place, answer)| is_new[*place as usize] = *answer);
    }
}
