//! Threads that share pieces of work, again and again within milliseconds.
//!
//! A search has thousands of short tasks, and something to be settled after each. Threads that slept in between would take
//! longer to wake up than many a task takes, so they look out for the next one for a while before they sleep.
//!
//! Each thread gets pieces in a row, the same ones of each task of as many pieces, or those that the leader knows to be in its
//! cache: what it has written for one task it finds there at the next. Whoever has done its own takes those of others, from
//! the end: a thread that the system does not let run keeps nobody waiting, unless it is in the midst of a piece.
//!
//! All that there is to know of a thread's part of a task is one word, its *order*: a number, what to do, and the pieces that
//! nobody has taken. A piece is taken by a compare-and-swap of the whole word, so that a thread that comes late cannot
//! mistake one task for another.

use std::hint::spin_loop;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{panicking, scope, yield_now};

use fabius_threads::Apart;

use crate::threads;

/// How often a thread looks for work without a pause; how often after that, letting others run in between, until it sleeps.
const GLANCES: u32 = 1 << 8;
const LOOKS: u32 = 1 << 11;

/// The thread that leads.
pub(super) const LEADER: usize = 0;

/// What is done: by which thread, what, and with which pieces, one after the other until there are no more.
pub(super) type Work<'a> = dyn Fn(usize, u8, &mut dyn FnMut() -> Option<usize>) + Sync + 'a;

/// The threads.
pub(super) struct Crew<'a> {
    work: &'a Work<'a>,
    /// What there is to do for each thread.
    orders: Box<[Apart<Place>]>,
    /// How many pieces of it are done.
    done: AtomicUsize,
    is_closed: AtomicBool,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

/// The order of a thread.
#[derive(Default)]
struct Place(AtomicU64);

/// Lets a thread lead so many, itself included, which do `work` when it says so. There are fewer if the system has no more.
pub(super) fn with_crew<T>(threads: usize, work: &Work<'_>, lead: impl FnOnce(&Crew<'_>) -> T) -> T {
    let crew = Crew {
        work,
        orders: (0..threads).map(|_| Apart::default()).collect(),
        done: AtomicUsize::new(0),
        is_closed: AtomicBool::new(false),
        sleepers: AtomicUsize::new(0),
        sleep: Mutex::new(()),
        wake: Condvar::new(),
    };
    scope(|scope| {
        let crew = &crew;
        for thread in 1..threads {
            if threads::start(scope, move || crew.serve(thread)).is_none() {
                break;
            }
        }
        let _closing = Closing(crew);
        lead(crew)
    })
}

/// Sends the others home, also if the leader panics.
struct Closing<'a, 'b>(&'a Crew<'b>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.is_closed.store(true, Ordering::Relaxed);
        self.0.wake_all();
    }
}

/// Pieces in work, by their number. They count as done when a thread leaves the task, so that whatever it holds meanwhile is
/// free when the task is over. Also those of one that panics are done: nobody must wait for them.
struct Doing<'a, 'b> {
    crew: &'a Crew<'b>,
    pieces: usize,
}

impl Drop for Doing<'_, '_> {
    fn drop(&mut self) {
        if panicking() {
            self.crew.is_closed.store(true, Ordering::Relaxed);
        }
        self.crew.done.fetch_add(self.pieces, Ordering::Release);
    }
}

impl Crew<'_> {
    /// How many threads were asked for.
    pub(super) fn threads(&self) -> usize {
        self.orders.len()
    }

    /// Does all pieces of a task one after the other.
    pub(super) fn do_alone(&self, what: u8, pieces: usize) {
        self.do_all(what, 0..pieces);
    }

    fn do_all(&self, what: u8, mut pieces: Range<usize>) {
        if !pieces.is_empty() {
            (self.work)(LEADER, what, &mut || pieces.next());
        }
    }

    /// Has all pieces of a task done, and waits until they are; for the leader only.
    pub(super) fn share(&self, what: u8, pieces: usize) {
        self.share_by(what, pieces, |thread| pieces * (thread + 1) / self.threads());
    }

    /// The same if each thread is to begin with the pieces up to an end; those of the last end with the last.
    pub(super) fn share_by(&self, what: u8, pieces: usize, end: impl Fn(usize) -> usize) {
        let shared = pieces.min(MOST_PIECES);
        self.done.store(0, Ordering::Relaxed);
        let mut start = 0;
        for (thread, Apart(Place(place))) in self.orders.iter().enumerate() {
            let number = Order(place.load(Ordering::Relaxed)).number() + 1;
            let end = if thread + 1 == self.threads() { shared } else { end(thread).min(shared) };
            let order = Order::new(number, what, start..end);
            place.store(order.0, Ordering::Release);
            start = end;
        }
        self.wake_all();
        self.do_all(what, shared..pieces);
        self.take_part(LEADER);
        let mut looks = 0;
        while self.done.load(Ordering::Acquire) < shared {
            pause(&mut looks);
        }
        if self.is_closed.load(Ordering::Relaxed) {
            // What was wrong has been told where it happened.
            resume_unwind(Box::new("a thread of a search has panicked"));
        }
    }

    /// What the others do until they are sent home.
    fn serve(&self, thread: usize) {
        let mut looks = 0;
        while !self.is_closed.load(Ordering::Relaxed) {
            if self.take_part(thread) {
                looks = 0;
            } else if looks < GLANCES + LOOKS {
                pause(&mut looks);
            } else {
                self.sleep();
                looks = 0;
            }
        }
    }

    /// Does pieces until there are none. False if there were none.
    fn take_part(&self, thread: usize) -> bool {
        let Some((what, piece)) = self.take_piece(thread) else { return false };
        let mut doing = Doing { crew: self, pieces: 1 };
        let mut first = Some(piece);
        (self.work)(thread, what, &mut || {
            first.take().or_else(|| {
                // No other task has begun: the piece in hand does not count as done.
                let (_, piece) = self.take_piece(thread)?;
                doing.pieces += 1;
                Some(piece)
            })
        });
        true
    }

    /// Takes a piece: what to do, and its number.
    fn take_piece(&self, thread: usize) -> Option<(u8, usize)> {
        let mut others = (1..self.threads()).map(|distance| (thread + distance) % self.threads());
        let own = self.orders[thread].take(Order::without_first);
        own.or_else(|| others.find_map(|other| self.orders[other].take(Order::without_last)))
    }

    fn has_piece(&self) -> bool {
        self.orders.iter().any(|Apart(Place(order))| Order(order.load(Ordering::Relaxed)).has_piece())
    }

    /// Waits until there may be something to do.
    fn sleep(&self) {
        let guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // Either this thread sees what there is to do, or whoever has ordered it sees that it sleeps.
        fence(Ordering::SeqCst);
        if !self.has_piece() && !self.is_closed.load(Ordering::Relaxed) {
            drop(self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    fn wake_all(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            // A thread that is about to sleep holds this until it does.
            drop(self.sleep.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
    }
}

/// Lets some time go by before the next look.
fn pause(looks: &mut u32) {
    *looks += 1;
    if *looks < GLANCES {
        spin_loop();
    } else {
        yield_now();
    }
}

impl Place {
    /// Takes a piece, by what is left of an order without it; what to do, and the number of the piece.
    #[inline]
    fn take(&self, without: impl Fn(Order) -> (Order, usize)) -> Option<(u8, usize)> {
        let left = |order| Order(order).has_piece().then(|| without(Order(order)).0.0);
        let order = self.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, left).ok().map(Order)?;
        Some((order.what(), without(order).1))
    }
}

/// What there is to do, from the lowest bits on: the first piece that is left, the end of those that are, what to do with
/// them, and a number that no order before it has had for a long time.
#[derive(Clone, Copy)]
struct Order(u64);

const PIECE_BITS: u32 = 14;
const MOST_PIECES: usize = (1 << PIECE_BITS) - 1;
const WHAT_BITS: u32 = 4;

impl Order {
    fn new(number: u64, what: u8, pieces: Range<usize>) -> Self {
        debug_assert!(pieces.end <= MOST_PIECES && what < 1 << WHAT_BITS);
        let what = u64::from(what) << (2 * PIECE_BITS);
        let pieces = (pieces.end as u64) << PIECE_BITS | pieces.start as u64;
        Self(number << (2 * PIECE_BITS + WHAT_BITS) | what | pieces)
    }

    fn number(self) -> u64 {
        self.0 >> (2 * PIECE_BITS + WHAT_BITS)
    }

    fn what(self) -> u8 {
        (self.0 >> (2 * PIECE_BITS)) as u8 & ((1 << WHAT_BITS) - 1)
    }

    fn first(self) -> usize {
        self.0 as usize & MOST_PIECES
    }

    fn end(self) -> usize {
        (self.0 >> PIECE_BITS) as usize & MOST_PIECES
    }

    fn has_piece(self) -> bool {
        self.first() < self.end()
    }

    /// What is left without a piece, and its number; only if there is one.
    fn without_first(self) -> (Self, usize) {
        (Self(self.0 + 1), self.first())
    }

    fn without_last(self) -> (Self, usize) {
        (Self(self.0 - (1 << PIECE_BITS)), self.end() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::{MOST_PIECES, with_crew};

    /// The sum of what was done: each piece of each task counts once.
    fn sum(threads: usize, tasks: &[(u8, usize)], pause: Duration) -> u64 {
        let sum = AtomicU64::new(0);
        let work = |_: usize, what: u8, next: &mut dyn FnMut() -> Option<usize>| {
            while let Some(piece) = next() {
                sum.fetch_add(u64::from(what) * 1_000_000 + piece as u64 + 1, Ordering::Relaxed);
            }
        };
        with_crew(threads, &work, |crew| {
            for &(what, pieces) in tasks {
                let before = sum.load(Ordering::Relaxed);
                crew.share(what, pieces);
                let pieces = pieces as u64;
                let expected = pieces * u64::from(what) * 1_000_000 + pieces * (pieces + 1) / 2;
                assert_eq!(sum.load(Ordering::Relaxed) - before, expected, "all is done when a task is");
                std::thread::sleep(pause);
            }
        });
        sum.into_inner()
    }

    #[test]
    fn every_piece_is_done_once() {
        let tasks: Vec<(u8, usize)> = (0..3000).map(|task| (task as u8 % 16, task * 7 % 23)).collect();
        let alone = sum(1, &tasks, Duration::ZERO);
        for threads in [2, 3, 8] {
            assert_eq!(sum(threads, &tasks, Duration::ZERO), alone);
        }
    }

    #[test]
    fn threads_wake_up() {
        let tasks = [(1, 5), (2, 100), (3, 1), (0, 0), (4, 50)];
        assert_eq!(sum(3, &tasks, Duration::from_millis(20)), sum(1, &tasks, Duration::ZERO));
    }

    #[test]
    fn more_pieces_than_an_order_has_places_for_are_done() {
        let tasks = [(1, MOST_PIECES + 5), (15, 2 * MOST_PIECES)];
        assert_eq!(sum(2, &tasks, Duration::ZERO), sum(1, &tasks, Duration::ZERO));
    }

    #[test]
    fn a_panic_in_any_piece_ends_it_all() {
        for bad in 0..20 {
            let work = |_: usize, _: u8, next: &mut dyn FnMut() -> Option<usize>| {
                while let Some(piece) = next() {
                    assert_ne!(piece, bad, "this piece is bad");
                }
            };
            let lead = || with_crew(3, &work, |crew| (0..100).for_each(|_| crew.share(0, 20)));
            assert!(catch_unwind(AssertUnwindSafe(lead)).is_err());
        }
    }
}
