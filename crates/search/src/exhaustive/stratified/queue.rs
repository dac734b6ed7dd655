//! What is to be done: items of this stratum, and what a step is that is left to a later one.
//!
//! Both lie in chunks whose memory is used again: millions of them come and go, and fresh memory for each round would cost
//! more than the search itself.

use std::sync::Mutex;

use fabius_model::Tale;
use fabius_store::{Key, provide};
use fabius_threads::Apart;

use super::crew::LEADER;
use super::nodes::{Node, NodeId};
use super::shared::lock;

/// How many items a chunk has at most, and how many steps are dealt with at a time.
pub(super) const CHUNK: usize = 256;
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

    /// Whether it is known to which state it leads.
    #[inline]
    pub(super) fn leads_to_state(&self) -> bool {
        self.key != Key::NONE
    }

    pub(super) fn what(&self) -> What {
        let delays = self.delays();
        if self.what & IS_PROBED == 0 {
            return What::Unprobed { delays };
        }
        What::Probed { delays, position: self.what & ((1 << POSITION_BITS) - 1) }
    }

    #[inline]
    pub(super) fn delays(&self) -> u32 {
        if self.what & IS_PROBED == 0 { self.what } else { (self.what ^ IS_PROBED) >> POSITION_BITS }
    }
}

/// Chunks in which nothing is, shared by all queues of a search: for each thread those that it was the last to use, because
/// their memory is in its cache.
#[derive(Debug)]
pub(super) struct Chunks<T> {
    by_thread: Box<[Apart<Mutex<Pool<T>>>]>,
    /// How many things they have room for.
    size: usize,
}

type Pool<T> = Vec<Vec<T>>;

impl<T> Chunks<T> {
    /// For so many threads, with room for so many things.
    pub(super) fn new(threads: usize, size: usize) -> Self {
        Self { by_thread: (0..threads).map(|_| Apart::default()).collect(), size }
    }

    /// One for a thread. Fresh memory is worse than what another has used.
    pub(super) fn take(&self, thread: usize) -> Vec<T> {
        let own = lock(&self.by_thread[thread]).pop();
        let chunk = own.or_else(|| self.by_thread.iter().find_map(|chunks| lock(chunks).pop()));
        chunk.unwrap_or_else(|| {
            let mut chunk = Vec::with_capacity(self.size);
            provide(chunk.spare_capacity_mut());
            chunk
        })
    }

    /// One that a thread was the last to use.
    pub(super) fn give_back(&self, mut chunk: Vec<T>, thread: usize) {
        chunk.clear();
        if (self.size..=2 * self.size).contains(&chunk.capacity()) {
            lock(&self.by_thread[thread]).push(chunk);
        }
    }
}

/// Some items.
#[derive(Debug)]
pub(super) struct Chunk<T> {
    pub(super) all: Vec<T>,
    /// Which thread has put them there: they are in its cache.
    pub(super) thread: usize,
}

/// Items in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue<T> {
    // Invariant: no chunk is empty.
    chunks: Vec<Chunk<T>>,
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
        self.chunks.into_iter().map(|chunk| chunk.all)
    }

    pub(super) fn push(&mut self, item: T, chunks: &Chunks<T>) {
        self.len += 1;
        match self.chunks.last_mut() {
            Some(last) if last.all.len() < CHUNK => last.all.push(item),
            _ => {
                let mut all = chunks.take(LEADER);
                all.push(item);
                self.chunks.push(Chunk { all, thread: LEADER });
            }
        }
    }

    /// Adds all that is in a chunk behind the others.
    pub(super) fn push_chunk(&mut self, mut chunk: Chunk<T>, chunks: &Chunks<T>) {
        if chunk.all.len() >= SMALL {
            self.len += chunk.all.len();
            self.chunks.push(chunk);
            return;
        }
        chunk.all.drain(..).for_each(|item| self.push(item, chunks));
        chunks.give_back(chunk.all, LEADER);
    }

    /// Takes so many of the last ones, in chunks of which each is work for a while.
    pub(super) fn take_last(&mut self, mut count: usize) -> Vec<Chunk<T>> {
        let mut taken = Vec::new();
        while count > 0
            && let Some(Chunk { mut all, thread }) = self.chunks.pop()
        {
            let most = count.min(CHUNK);
            if all.len() > most {
                let end = all.split_off(all.len() - most);
                self.chunks.push(Chunk { all: std::mem::replace(&mut all, end), thread });
            }
            count -= all.len();
            self.len -= all.len();
            taken.push(Chunk { all, thread });
        }
        taken.reverse();
        taken
    }
}

/// Items in chunks of at most so many.
pub(super) fn in_pieces<T>(given: Vec<Chunk<T>>, most: usize, chunks: &Chunks<T>) -> Vec<Chunk<T>> {
    let mut pieces = Vec::new();
    for mut chunk in given {
        let first = pieces.len();
        while chunk.all.len() > most {
            let mut end = chunks.take(LEADER);
            end.extend(chunk.all.drain(chunk.all.len() - most..));
            pieces.push(Chunk { all: end, thread: chunk.thread });
        }
        pieces.push(chunk);
        pieces[first..].reverse();
    }
    pieces
}
