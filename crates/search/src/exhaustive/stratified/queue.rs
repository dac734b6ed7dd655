//! Queues of items, in chunks whose memory is used again.
//!
//! Items are large, and millions of them come and go: fresh memory for each round would cost more than the search itself.
//! Those that wait for later strata are folded.

use std::sync::{Mutex, PoisonError};

use fabius_model::Packed;

use super::folded::Folded;
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

/// Some items that lie together.
#[derive(Debug)]
pub(super) enum Chunk<S> {
    Plain(Vec<Item<S>>),
    Folded(Folded<S>),
}

impl<S> Chunk<S> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plain(items) => items.len(),
            Self::Folded(folded) => folded.len(),
        }
    }

    /// Its items as they are.
    pub(super) fn into_items<P: Packed<State = S>>(
        self,
        program: &P,
        chunks: &Chunks<Item<S>>,
    ) -> Vec<Item<S>> {
        match self {
            Self::Plain(items) => items,
            Self::Folded(folded) => {
                let mut items = chunks.take();
                folded.unfold(program, &mut items);
                items
            }
        }
    }
}

/// Items in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue<S> {
    // Invariant: no chunk is empty.
    chunks: Vec<Chunk<S>>,
    len: usize,
}

impl<S> Queue<S> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn chunks(&self) -> impl Iterator<Item = &Chunk<S>> {
        self.chunks.iter()
    }

    pub(super) fn push(&mut self, item: Item<S>, chunks: &Chunks<Item<S>>) {
        self.len += 1;
        if let Some(Chunk::Plain(last)) = self.chunks.last_mut()
            && last.len() < last.capacity()
        {
            last.push(item);
            return;
        }
        let mut chunk = chunks.take();
        chunk.push(item);
        self.chunks.push(Chunk::Plain(chunk));
    }

    /// Adds all items of a chunk behind the others.
    pub(super) fn push_chunk(&mut self, mut chunk: Vec<Item<S>>, chunks: &Chunks<Item<S>>) {
        if chunk.len() >= SMALL {
            self.len += chunk.len();
            self.chunks.push(Chunk::Plain(chunk));
            return;
        }
        for item in chunk.drain(..) {
            self.push(item, chunks);
        }
        chunks.give_back(chunk);
    }

    /// Adds items that were folded behind the others.
    pub(super) fn push_folded(&mut self, folded: Folded<S>) {
        self.len += folded.len();
        match self.chunks.last_mut() {
            _ if folded.is_empty() => {}
            Some(Chunk::Folded(last)) if last.len() + folded.len() <= CHUNK => last.append(folded),
            _ => self.chunks.push(Chunk::Folded(folded)),
        }
    }

    /// Takes so many of the last items, in chunks of which each is work for a while.
    pub(super) fn take_last<P: Packed<State = S>>(
        &mut self,
        mut count: usize,
        program: &P,
        chunks: &Chunks<Item<S>>,
    ) -> Vec<Chunk<S>> {
        let mut taken = Vec::new();
        while count > 0
            && let Some(mut chunk) = self.chunks.pop()
        {
            let most = count.min(CHUNK);
            if chunk.len() > most {
                let mut items = chunk.into_items(program, chunks);
                let end = items.split_off(items.len() - most);
                self.chunks.push(Chunk::Plain(items));
                chunk = Chunk::Plain(end);
            }
            count -= chunk.len();
            self.len -= chunk.len();
            taken.push(chunk);
        }
        taken.reverse();
        taken
    }
}
