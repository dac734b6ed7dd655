//! What is to be done: items of this stratum, and steps that are left to later ones.
//!
//! Both lie in chunks whose memory is used again: millions of them come and go, and fresh memory for each round would cost
//! more than the search itself.

use std::sync::{Mutex, PoisonError};

use fabius_model::Tale;
use fabius_store::Key;

use super::nodes::{Node, NodeId};

/// How many items or steps a chunk has at most.
const CHUNK: usize = 256;
/// With fewer a chunk is not worth keeping as it is.
const SMALL: usize = CHUNK / 8;

/// A state to go on from, and the delays to spend there.
#[derive(Clone, Debug)]
pub(super) struct Item<S> {
    pub(super) state: S,
    pub(super) node: NodeId,
    /// Its number.
    pub(super) explorer: u32,
    pub(super) delays: u32,
    pub(super) depth: u32,
}

impl<S> Item<S> {
    /// A node's state, where no delays are spent.
    pub(super) fn at_node(id: NodeId, node: &Node, state: S) -> Self {
        Self { state, node: id, explorer: node.explorer, delays: 0, depth: node.depth }
    }
}

/// A step that is left to a later stratum. There may be as many of them as states, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    /// Where it leads, if that was probed and is no bug.
    pub(super) key: Key,
    /// The node at which it begins.
    pub(super) node: NodeId,
    what: u32,
    /// What is told of it.
    pub(super) tale: Tale,
}

/// What is known of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// After so many delays the choice at this position is taken.
    Probed { delays: u32, position: u32 },
    /// So many delays are to be spent; what comes after more of them is left to do as well.
    Unprobed { delays: u32 },
}

const IS_PROBED: u32 = 1 << 31;
const POSITION_BITS: u32 = 16;

impl Deferred {
    /// A step of a state with few choices: after so many delays the one at this position.
    #[inline]
    pub(super) fn probed(node: NodeId, key: Key, (delays, position): (u32, u32), tale: Tale) -> Self {
        Self { key, node, what: IS_PROBED | delays << POSITION_BITS | position, tale }
    }

    pub(super) fn unprobed(node: NodeId, delays: u32) -> Self {
        Self { key: Key::NONE, node, what: delays, tale: Tale::UNTOLD }
    }

    pub(super) fn what(&self) -> What {
        if self.what & IS_PROBED == 0 {
            return What::Unprobed { delays: self.what };
        }
        let position = self.what & ((1 << POSITION_BITS) - 1);
        What::Probed { delays: (self.what ^ IS_PROBED) >> POSITION_BITS, position }
    }
}

/// Chunks in which nothing is, shared by all queues of a search.
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

/// Items or steps in the order in which they came.
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

    pub(super) fn into_chunks(self) -> impl Iterator<Item = Vec<T>> {
        self.chunks.into_iter()
    }

    pub(super) fn push(&mut self, item: T, chunks: &Chunks<T>) {
        self.len += 1;
        if let Some(last) = self.chunks.last_mut()
            && last.len() < CHUNK
        {
            last.push(item);
            return;
        }
        let mut chunk = chunks.take();
        chunk.push(item);
        self.chunks.push(chunk);
    }

    /// Adds all that is in a chunk behind the others.
    pub(super) fn push_chunk(&mut self, mut chunk: Vec<T>, chunks: &Chunks<T>) {
        if chunk.len() >= SMALL {
            self.len += chunk.len();
            self.chunks.push(chunk);
            return;
        }
        chunk.drain(..).for_each(|item| self.push(item, chunks));
        chunks.give_back(chunk);
    }

    /// Takes so many of the last ones, in chunks of which each is work for a while.
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

impl<T: Copy> Queue<T> {
    /// Adds items or steps behind the others.
    pub(super) fn append(&mut self, mut items: &[T], chunks: &Chunks<T>) {
        self.len += items.len();
        while !items.is_empty() {
            if self.chunks.last().is_none_or(|last| last.len() >= CHUNK) {
                self.chunks.push(chunks.take());
            }
            if let Some(last) = self.chunks.last_mut() {
                let (now, later) = items.split_at(items.len().min(CHUNK - last.len()));
                last.extend_from_slice(now);
                items = later;
            }
        }
    }
}

/// The same in chunks of at most so many.
pub(super) fn in_pieces<T>(given: Vec<Vec<T>>, most: usize, chunks: &Chunks<T>) -> Vec<Vec<T>> {
    let mut pieces = Vec::new();
    for mut chunk in given {
        let first = pieces.len();
        while chunk.len() > most {
            let mut end = chunks.take();
            end.extend(chunk.drain(chunk.len() - most..));
            pieces.push(end);
        }
        pieces.push(chunk);
        pieces[first..].reverse();
    }
    pieces
}
