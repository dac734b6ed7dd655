//! One round of a stratum: items are taken side by side, then what they led to is stored.
//!
//! While items are taken nothing is stored, so threads read what is known without waiting. The items of a round are cut
//! into parts that idle threads take one after the other; what comes back is put together in the order of the parts. While
//! arrivals are stored each shard belongs to one thread, and takes them in that order. Hence whoever came first is stored,
//! whatever the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fabius_explore::Explorer;
use fabius_model::Packed;

use super::nodes::{Arrival, NodeId, Nodes, SHARDS, Shard, Way};
use super::part::Part;
use super::storing::{Stored, Storing};
use super::{Item, Limits};

/// Items that a thread takes at a time.
const PART: usize = 1 << 9;
/// Items or arrivals that are not worth a second thread.
const SMALL: usize = 2 * PART;
/// The items that are taken between two questions whether to go on.
const ITEMS_BETWEEN_QUESTIONS: usize = 32;

/// What comes back from a part of a round.
pub(super) struct Harvest<P: Packed, E> {
    /// Arrivals by shard, in the order of the items they came from.
    pub(super) arrivals: Vec<Vec<Arrival<P::State, E>>>,
    pub(super) bugs: Vec<(Way, P::Bug)>,
    /// The same states with more delays, and how many strata further.
    pub(super) next: Vec<(usize, Item<P::State>)>,
    /// How many choices of later strata lead to known states, by how many strata further.
    pub(super) skipped: Vec<u64>,
    /// Items that were not taken because the search is to stop.
    pub(super) left: Vec<Item<P::State>>,
    /// Nodes all of whose choices were taken; only with a bounded cache.
    pub(super) done: Vec<NodeId>,
    pub(super) transitions: u64,
}

impl<P: Packed, E> Harvest<P, E> {
    fn new() -> Self {
        Harvest {
            arrivals: (0..SHARDS).map(|_| Vec::new()).collect(),
            bugs: Vec::new(),
            next: Vec::new(),
            skipped: Vec::new(),
            left: Vec::new(),
            done: Vec::new(),
            transitions: 0,
        }
    }

    /// A choice that need not be taken so many strata further.
    pub(super) fn skip(&mut self, distance: usize) {
        if self.skipped.len() <= distance {
            self.skipped.resize(distance + 1, 0);
        }
        self.skipped[distance] += 1;
    }
}

/// What the threads of a round share.
pub(super) struct Round<'a, P: Packed, E> {
    pub(super) program: &'a P,
    pub(super) limits: &'a Limits,
    pub(super) nodes: &'a Nodes<P::State, E>,
    pub(super) should_stop: &'a (dyn Fn() -> bool + Sync),
    pub(super) stopped: &'a AtomicBool,
}

impl<P: Packed, E: Explorer> Round<'_, P, E> {
    /// Takes the items.
    pub(super) fn take(&self, items: &[Vec<Item<P::State>>]) -> Vec<Harvest<P, E>> {
        let parts: Vec<&[Item<P::State>]> = items.iter().flat_map(|some| some.chunks(PART)).collect();
        let total: usize = items.iter().map(Vec::len).sum();
        let jobs = if total < SMALL { 1 } else { self.limits.jobs.clamp(1, parts.len()) };
        side_by_side(jobs, parts.len(), |at| self.take_part(parts[at]))
    }

    fn take_part(&self, items: &[Item<P::State>]) -> Harvest<P, E> {
        let mut part = Part::new(self, items, Harvest::new());
        for at in 0..items.len() {
            if at % ITEMS_BETWEEN_QUESTIONS == 0 && self.is_stopped() {
                part.leave(at);
                break;
            }
            part.take(at);
        }
        part.finish()
    }

    fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && (self.should_stop)() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Stores what arrived, by shard.
pub(super) fn store<P: Packed, E: Explorer>(
    program: &P,
    limits: &Limits,
    nodes: &mut Nodes<P::State, E>,
    arrivals: Vec<Vec<Vec<Arrival<P::State, E>>>>,
    visit: &(dyn Fn(&P::State) + Sync),
) -> Vec<Stored<P>> {
    let total: usize = arrivals.iter().flatten().map(Vec::len).sum();
    let jobs = if total < SMALL { 1 } else { limits.jobs.clamp(1, SHARDS) };
    let (known, states) = (nodes.known.as_ref(), nodes.states.as_ref());
    type Work<'a, S, E> = Mutex<Option<(&'a mut Shard<S, E>, Vec<Vec<Arrival<S, E>>>)>>;
    let work: Vec<Work<'_, P::State, E>> =
        nodes.shards.iter_mut().zip(arrivals).map(|some| Mutex::new(Some(some))).collect();
    side_by_side(jobs, SHARDS, |at| {
        let taken = work[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        let (shard, arrivals) = taken.expect("each shard is filled once");
        Storing::new(program, limits, known, states, shard, at).store(arrivals, visit)
    })
}

/// Does so many pieces of work on so many threads; the results come in the order of the pieces.
fn side_by_side<T: Send>(jobs: usize, pieces: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if jobs == 1 {
        return (0..pieces).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..pieces).map(|_| Mutex::new(None)).collect();
    let take_pieces = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = results.get(at) else { break };
            let result = work(at);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(take_pieces);
        }
        take_pieces();
    });
    let result = |result: Mutex<Option<T>>| {
        result.into_inner().unwrap_or_else(PoisonError::into_inner).expect("each piece was done")
    };
    results.into_iter().map(result).collect()
}
