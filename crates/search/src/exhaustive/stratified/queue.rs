//! Queues of items, in chunks whose memory is used again.
//!
//! Items are large, and millions of them come and go: fresh memory for each round would cost more than the search itself.

use std::sync::{Mutex, PoisonError};

use super::nodes::NodeId;

/// How many items a chunk has at most, when it is taken.
const CHUNK: usize = 256;
/// With fewer items a chunk is not worth keeping as it is.
const SMALL: usize = CHUNK / 4;

/// A state to go on from, and the delays to spend there.
#[derive(Clone, Debug)]
pub(super) struct Item<S> {
    pub(super) state: S,
    pub(super) node: NodeId,
    /// Its number among those of the state's shard.
    pub(super) explorer: u32,
    pub(super) delays: u32,
    pub(super) depth: u32,
    /// Which numbers of delays are worth spending, a bit each; [`ALL_OPEN`] as long as that is not known.
    pub(super) open: u64,
}

pub(super) const ALL_OPEN: u64 = u64::MAX;

/// Chunks without items, shared by all queues of a search.
#[derive(Debug)]
pub(super) struct Chunks<T>(Mutex<Vec<Vec<T>>>);

impl<T> Chunks<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(super) fn take(&self) -> Vec<T> {
        let chunk = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        chunk.unwrap_or_else(|| Vec::with_capacity(CHUNK))
    }

    pub(super) fn give_back(&self, mut chunk: Vec<T>) {
        chunk.clear();
        if (CHUNK..=2 * CHUNK).contains(&chunk.capacity()) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
        }
    }
}

/// Items in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue<T> {
    // Invariant: no chunk is empty.
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    pub(super) fn push(&mut self, item: T, chunks: &Chunks<T>) {
        self.len += 1;
        if let Some(last) = self.chunks.last_mut()
            && last.len() < last.capacity()
        {
            last.push(item);
            return;
        }
        let mut chunk = chunks.take();
        chunk.push(item);
        self.chunks.push(chunk);
    }

    /// Adds all items of a chunk behind the others.
    pub(super) fn push_chunk(&mut self, mut chunk: Vec<T>, chunks: &Chunks<T>) {
        if chunk.len() >= SMALL {
            self.len += chunk.len();
            self.chunks.push(chunk);
            return;
        }
        for item in chunk.drain(..) {
            self.push(item, chunks);
        }
        chunks.give_back(chunk);
    }

    /// Adds all items of another queue behind the others.
    pub(super) fn append(&mut self, other: &mut Self, chunks: &Chunks<T>) {
        other.len = 0;
        for chunk in other.chunks.drain(..) {
            self.push_chunk(chunk, chunks);
        }
    }

    /// Takes so many of the last items, in chunks of which each is work for a while.
    pub(super) fn take_last(&mut self, mut count: usize) -> Vec<Vec<T>> {
        let mut taken = Vec::new();
        while count > 0
            && let Some(mut chunk) = self.chunks.pop()
        {
            let most = count.min(CHUNK);
            if chunk.len() > most {
                let end = chunk.split_off(chunk.len() - most);
                self.chunks.push(std::mem::replace(&mut chunk, end));
            }
            count -= chunk.len();
            self.len -= chunk.len();
            taken.push(chunk);
        }
        taken.reverse();
        taken
    }
}
