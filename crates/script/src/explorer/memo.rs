//! What scripts have answered, so that the same question is asked once.
//!
//! Searches and shortening come to the same states of a strategy over and over, and a lookup costs a hundredth of a call.
//! Keys are texts that hold all that an answer depends on.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Tables side by side, so that threads seldom wait for each other.
const SHARDS: usize = 16;
/// Beyond this many bytes, roughly, nothing is added.
const MOST_BYTES: usize = 16 << 20;

/// Answers by question.
#[derive(Debug)]
pub(super) struct Memo<T> {
    // Which shard a key belongs to is nobody's business, so the hash may differ from process to process.
    hasher: RandomState,
    shards: Vec<Mutex<Shard<T>>>,
}

#[derive(Debug)]
struct Shard<T> {
    answers: HashMap<Box<str>, T>,
    bytes: usize,
}

impl<T: Clone> Memo<T> {
    pub(super) fn new() -> Memo<T> {
        let shard = || Mutex::new(Shard { answers: HashMap::new(), bytes: 0 });
        Memo { hasher: RandomState::new(), shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// The answer, remembered or just made; `size` is how many bytes it takes. Without an answer nothing is remembered.
    pub(super) fn get(
        &self,
        key: String,
        make: impl FnOnce() -> Option<T>,
        size: impl FnOnce(&T) -> usize,
    ) -> Option<T> {
        let shard = &self.shards[self.hasher.hash_one(&key) as usize % SHARDS];
        let lock = || shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().answers.get(key.as_str()) {
            return Some(known.clone());
        }
        // Two threads may make the same answer; it is the same.
        let made = make()?;
        let mut shard = lock();
        if shard.bytes < MOST_BYTES {
            shard.bytes += key.len() + size(&made);
            shard.answers.insert(key.into(), made.clone());
        }
        Some(made)
    }
}
