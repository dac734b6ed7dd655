//! Queues of items, in chunks whose memory is used again.
//!
//! Items are large, and millions of them come and go: fresh memory for each round would cost more than the search itself.
//! Those that wait for later strata are folded.

use std::sync::{Mutex, PoisonError};

use fabius_model::Packed;
use fabius_store::Key;

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
    /// Its number.
    pub(super) explorer: u32,
    pub(super) delays: u32,
    pub(super) depth: u32,
    /// How many steps are open at it, this one included; [`NOT_PROBED`] as long as that is not known.
    pub(super) open: u32,
}

pub(super) const NOT_PROBED: u32 = u32::MAX;

/// A step from an item that has been sketched and was not known to lead to a known state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Where it leads; none if that is a bug.
    pub(super) key: Option<Key>,
    /// After so many delays the choice at this position is taken.
    pub(super) delays: u32,
    pub(super) position: u32,
}

/// Items, and the steps that are open at those that have been probed, in the same order.
#[derive(Debug)]
pub(super) struct Items<S> {
    pub(super) all: Vec<Item<S>>,
    pub(super) open: Vec<Open>,
}

impl<S> Items<S> {
    pub(super) fn new(all: Vec<Item<S>>) -> Self {
        Self { all, open: Vec::new() }
    }

    /// Takes out the items from a place on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let all = self.all.split_off(at);
        let open =
            all.iter().filter(|item| item.open != NOT_PROBED).map(|item| item.open as usize).sum::<usize>();
        Self { all, open: self.open.split_off(self.open.len() - open) }
    }
}

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
    Plain(Items<S>),
    Folded(Folded<S>),
}

impl<S> Chunk<S> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plain(items) => items.all.len(),
            Self::Folded(folded) => folded.len(),
        }
    }

    /// Its items as they are.
    pub(super) fn into_items<P: Packed<State = S>>(self, program: &P, chunks: &Chunks<Item<S>>) -> Items<S> {
        match self {
            Self::Plain(items) => items,
            Self::Folded(folded) => {
                let mut all = chunks.take();
                let open = folded.unfold(program, &mut all);
                Items { all, open }
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

    /// Adds an item that has not been probed.
    pub(super) fn push(&mut self, item: Item<S>, chunks: &Chunks<Item<S>>) {
        self.len += 1;
        if let Some(Chunk::Plain(last)) = self.chunks.last_mut()
            && last.all.len() < last.all.capacity()
        {
            last.all.push(item);
            return;
        }
        let mut chunk = chunks.take();
        chunk.push(item);
        self.chunks.push(Chunk::Plain(Items::new(chunk)));
    }

    /// Adds all items of a chunk, which have not been probed, behind the others.
    pub(super) fn push_chunk(&mut self, mut chunk: Vec<Item<S>>, chunks: &Chunks<Item<S>>) {
        if chunk.len() >= SMALL {
            self.push_items(Items::new(chunk));
            return;
        }
        for item in chunk.drain(..) {
            self.push(item, chunks);
        }
        chunks.give_back(chunk);
    }

    /// Adds items behind the others.
    pub(super) fn push_items(&mut self, items: Items<S>) {
        self.len += items.all.len();
        if !items.all.is_empty() {
            self.chunks.push(Chunk::Plain(items));
        }
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
                let end = items.split_off(items.all.len() - most);
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
