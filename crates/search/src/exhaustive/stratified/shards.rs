//! Which states are new, found out by several threads: to which *shard* a state belongs follows from its key.
//!
//! Each shard goes through the keys of all surveys, in the order of these, and takes in what belongs to it: so each state goes
//! to the first item that leads to it, as if there were one thread. To pick some keys takes a few instructions for each; to sort
//! them before takes no less. Nobody writes to what another thread has written, and what is read of it lies together: that is
//! what cores without a common cache are slowest at.

use std::ops::Range;
use std::sync::{RwLock, RwLockReadGuard};

use fabius_store::{Key, Keyed};
use fabius_threads::Apart;

use super::shared::read;

/// A shard for each thread, if there are not too many: each goes through all keys.
pub(super) const MOST_SHARDS: usize = 64;

/// A set keeps its keys nearly in the order of their bits: each of so many shards has a range of its memory for itself.
#[inline]
fn shard_of(key: &Key, shards: usize) -> usize {
    (((key.bits() >> 32) * shards as u64) >> 32) as usize
}

/// The keys that one thread has found in a round.
#[derive(Debug, Default)]
pub(super) struct Found {
    round: u64,
    keys: Vec<Key>,
    /// The places of surveys in the round, and where their keys are.
    surveys: Vec<(usize, Range<usize>)>,
}

impl Found {
    /// Adds the keys of a survey, which is in this place of a round.
    pub(super) fn add(&mut self, round: u64, survey: usize, keys: &[Key]) {
        if self.round != round {
            self.round = round;
            self.keys.clear();
            self.surveys.clear();
        }
        let start = self.keys.len();
        self.keys.extend_from_slice(keys);
        self.surveys.push((survey, start..self.keys.len()));
    }

    /// The surveys whose keys are here, and these.
    fn surveys(&self, round: u64) -> impl Iterator<Item = (usize, &[Key])> {
        let surveys = if self.round == round { &*self.surveys } else { &[] };
        surveys.iter().map(|(survey, range)| (*survey, &self.keys[range.clone()]))
    }
}

/// What was found out in a shard.
#[derive(Debug, Default)]
pub(super) struct Shard {
    keys: Vec<Key>,
    is_new: Vec<bool>,
    /// For each survey of the round: where its answers begin, and how many states are new.
    surveys: Vec<(usize, usize)>,
}

impl Shard {
    /// Takes in the keys of a round that belong to this one of so many shards.
    pub(super) fn insert(
        &mut self,
        round: u64,
        (shard, shards): (usize, usize),
        found: &[Apart<RwLock<Found>>],
        set: &Keyed,
    ) {
        let found: Vec<_> = found.iter().map(|found| read(found)).collect();
        let mut sources: Vec<_> = found.iter().flat_map(|found| found.surveys(round)).collect();
        sources.sort_unstable_by_key(|(survey, _)| *survey);
        self.keys.clear();
        self.surveys.clear();
        for (survey, keys) in sources {
            // Otherwise answers would go to other surveys, and states be lost.
            assert_eq!(survey, self.surveys.len(), "each survey has been worked on");
            self.surveys.push((self.keys.len(), 0));
            self.pick(keys, |key| shard_of(key, shards) == shard);
        }
        set.insert_keys(&self.keys, &mut self.is_new);
        let mut end = self.is_new.len();
        for (start, count) in self.surveys.iter_mut().rev() {
            *count = self.is_new[*start..end].iter().filter(|is_new| **is_new).count();
            end = *start;
        }
    }

    fn pick(&mut self, keys: &[Key], is_picked: impl Fn(&Key) -> bool) {
        // As good as random: no branch could be foretold.
        let mut end = self.keys.len();
        self.keys.resize(end + keys.len(), Key::NONE);
        for key in keys {
            self.keys[end] = *key;
            end += usize::from(is_picked(key));
        }
        self.keys.truncate(end);
    }
}

/// What all shards have found out, while nobody changes it.
pub(super) struct Answers<'a>(Vec<RwLockReadGuard<'a, Shard>>);

impl<'a> Answers<'a> {
    pub(super) fn of(shards: &'a [Apart<RwLock<Shard>>]) -> Self {
        Self(shards.iter().map(|shard| read(shard)).collect())
    }

    /// How many states of a survey are new.
    pub(super) fn count_new(&self, survey: usize) -> usize {
        self.0.iter().map(|shard| shard.surveys[survey].1).sum()
    }

    /// Tells for each key of a survey whether its state is new.
    pub(super) fn spread(&self, survey: usize, keys: &[Key], is_new: &mut Vec<bool>) {
        let mut next = [0; MOST_SHARDS];
        for (shard, next) in self.0.iter().zip(&mut next) {
            *next = shard.surveys[survey].0;
        }
        is_new.clear();
        is_new.extend(keys.iter().map(|key| {
            let shard = shard_of(key, self.0.len());
            next[shard] += 1;
            self.0[shard].is_new[next[shard] - 1]
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fabius_store::Batch;

    use super::*;

    /// Several threads find keys, some of them again and again, in surveys of several rounds.
    #[test]
    fn each_key_is_new_in_the_first_survey_that_has_it_for_any_number_of_shards() {
        for shards in [1, 2, 3, 7, MOST_SHARDS] {
            let (set, mut known) = (Keyed::new(true), HashSet::new());
            let mut found: Vec<Apart<RwLock<Found>>> = (0..3).map(|_| Apart::default()).collect();
            let all: Vec<Apart<RwLock<Shard>>> = (0..shards).map(|_| Apart::default()).collect();
            for round in 1..=3 {
                let surveys: Vec<Vec<Key>> =
                    [5, 0, 800, 1, 3000, 64].map(|count| keys(&set, round, count)).into();
                for (place, keys) in surveys.iter().enumerate().rev() {
                    let thread = &mut found[place * 5 % 3];
                    thread.0.get_mut().expect("nobody panics").add(round.into(), place, keys);
                }
                for (place, shard) in all.iter().enumerate() {
                    let mut shard = shard.write().expect("nobody panics");
                    shard.insert(round.into(), (place, shards), &found, &set);
                }
                let answers = Answers::of(&all);
                for (place, keys) in surveys.iter().enumerate() {
                    let expected: Vec<bool> = keys.iter().map(|key| known.insert(*key)).collect();
                    let mut is_new = Vec::new();
                    answers.spread(place, keys, &mut is_new);
                    assert_eq!(is_new, expected, "{shards} shards, round {round}, survey {place}");
                    let new = expected.iter().filter(|is_new| **is_new).count();
                    assert_eq!(answers.count_new(place), new);
                }
            }
        }
    }

    /// The keys of so many states of different lengths, of which later rounds have more.
    fn keys(set: &Keyed, round: u32, count: u32) -> Vec<Key> {
        let mut states = Batch::new();
        for number in 0..count {
            let word = number.wrapping_mul(2_654_435_761) % (700 * round);
            states.push(word.into(), &vec![word; 2 + word as usize % 9]);
        }
        let mut keys = vec![Key::NONE; count as usize];
        set.keys(&states, &mut keys);
        keys
    }
}
