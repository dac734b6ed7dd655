//! How the keys of a table come to where they belong after it has grown: all threads that want to use it move them.
//!
//! The lines that the table had are cut into pieces. The keys of a piece belong into a stretch of the longer table; the
//! stretches of two pieces have no line in common. Pieces are taken from the last one on, and moved once the stretch is
//! empty: once all pieces have been moved that lay there. These were taken before; so among the threads that wait for each
//! other, one does not wait.
//!
//! A few keys do not go with their piece: those that had not been in their home line, if its piece was another one or it has
//! not been emptied yet, and those for which there is no place in the stretch. Whoever moves the last piece puts them in.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{hint, mem, ops::Range, thread};

/// A table of fewer lines (1 MiB) is one piece.
const LEAST_SHARED: usize = (1 << 20) / 64;
/// Into so many a larger one is cut. As it grows by an eighth at least, several threads always find one to move.
const PIECES: usize = 64;
/// So often a thread looks whether another one has got further, before it lets others have its processor.
const PATIENCE: u32 = 1 << 10;

/// What has been done of it.
#[derive(Debug)]
pub(crate) struct Spread<B> {
    /// Lines that the table had, and those of them that were home lines.
    old_total: usize,
    old_lines: usize,
    /// So many pieces, the first ones, nobody has taken.
    untaken: AtomicUsize,
    unmoved: AtomicUsize,
    is_moved: Vec<AtomicBool>,
    /// Keys that did not go with their piece.
    homeless: Mutex<Vec<(u64, B)>>,
    /// Whether all pieces have been moved, and whether those keys were put in as well.
    has_ended: AtomicBool,
    is_over: AtomicBool,
}

/// A piece: its lines, and the stretch into which its keys belong.
#[derive(Debug)]
pub(crate) struct Piece {
    number: usize,
    pub(crate) lines: Range<usize>,
    pub(crate) stretch: Range<usize>,
}

impl<B: Copy + Debug> Spread<B> {
    /// Nothing is to be moved.
    pub(crate) fn over() -> Self {
        Self { is_over: AtomicBool::new(true), ..Self::new(0, 0, Vec::new()) }
    }

    /// All keys are to be moved that are in so many lines, besides those that are in none.
    pub(crate) fn new(old_total: usize, old_lines: usize, homeless: Vec<(u64, B)>) -> Self {
        let pieces = if old_total < LEAST_SHARED { 1 } else { PIECES };
        Self {
            old_total,
            old_lines,
            untaken: AtomicUsize::new(pieces),
            unmoved: AtomicUsize::new(pieces),
            is_moved: (0..pieces).map(|_| AtomicBool::new(false)).collect(),
            homeless: Mutex::new(homeless),
            has_ended: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Whether all keys are where they belong.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// The keys that are in no line, when no thread moves any.
    pub(crate) fn take_homeless(&mut self) -> Vec<(u64, B)> {
        mem::take(self.homeless.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a piece that is to be moved into a table of so many lines, and waits until it can be.
    pub(crate) fn take(&self, lines: usize, total: usize) -> Option<Piece> {
        let less = |untaken: usize| untaken.checked_sub(1);
        let number = self.untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).ok()? - 1;
        let first_line = |number: usize| number * self.old_total / self.is_moved.len();
        let first_home = |number: usize| match number {
            0 => 0,
            _ if number == self.is_moved.len() => total,
            _ => (first_line(number) as u128 * lines as u128 / self.old_lines.max(1) as u128) as usize,
        };
        let stretch = first_home(number)..first_home(number + 1).min(total);
        let later = number + 1..self.is_moved.len();
        for lying_there in later
            .rev()
            .filter(|&later| first_line(later) < stretch.end && stretch.start < first_line(later + 1))
        {
            wait_until(|| self.is_moved[lying_there].load(Ordering::Acquire));
        }
        Some(Piece { number, lines: first_line(number)..first_line(number + 1), stretch })
    }

    /// Notes that a piece has been moved but for some keys. After the last one, `place` is to put these in; if it cannot, the
    /// spread is not over, and the table must grow again.
    pub(crate) fn put_back(&self, piece: &Piece, left: &[(u64, B)], place: impl Fn(u64, B) -> bool) {
        let homeless = || self.homeless.lock().unwrap_or_else(PoisonError::into_inner);
        if !left.is_empty() {
            homeless().extend(left);
        }
        self.is_moved[piece.number].store(true, Ordering::Release);
        if self.unmoved.fetch_sub(1, Ordering::AcqRel) == 1 {
            let mut homeless = homeless();
            homeless.retain(|&(key, beside)| !place(key, beside));
            self.is_over.store(homeless.is_empty(), Ordering::Release);
            self.has_ended.store(true, Ordering::Release);
        }
    }

    /// Waits until all pieces have been moved.
    pub(crate) fn wait(&self) {
        wait_until(|| self.has_ended.load(Ordering::Acquire));
    }
}

/// Waits for another thread, which is at work.
fn wait_until(is_so: impl Fn() -> bool) {
    let mut looks = 0;
    while !is_so() {
        looks += 1;
        if looks < PATIENCE { hint::spin_loop() } else { thread::yield_now() }
    }
}
