//! Steps that are left to later strata: they stay where the threads that found them have put them.
//!
//! Each thread has a *pile* for each stratum, to which it alone adds. In which order steps are due is told by *stretches* of
//! these piles, which come in the order of the items at which the steps begin, whoever worked on them. So the order is the
//! same for any number of threads, and steps do not go from one thread's cache to that of another.

use std::ops::Range;

use super::queue::{Chunks, Deferred};

/// What one thread leaves to one stratum.
#[derive(Debug, Default)]
pub(super) struct Pile {
    // Invariant: all chunks are full, but for the last and those of which all steps were taken.
    chunks: Vec<Vec<Deferred>>,
    /// How many steps the last chunk has room for.
    room: usize,
    /// How many steps of each chunk were taken, once the stratum has begun.
    taken: Vec<usize>,
    len: usize,
    /// Choices that need not be taken, because they lead to known states.
    pub(super) skipped: u64,
}

impl Pile {
    #[inline]
    pub(super) fn push(&mut self, step: Deferred, chunks: &Chunks<Deferred>, thread: usize) {
        if self.room == 0 {
            self.begin_chunk(chunks, thread);
        }
        self.len += 1;
        self.room -= 1;
        if let Some(last) = self.chunks.last_mut() {
            last.push(step);
        }
    }

    #[cold]
    fn begin_chunk(&mut self, chunks: &Chunks<Deferred>, thread: usize) {
        self.room = size_of_chunk(self.chunks.len());
        let is_full_size = self.room == LARGEST;
        self.chunks.push(if is_full_size { chunks.take(thread) } else { Vec::with_capacity(self.room) });
    }

    /// The part of a range that is in one chunk, from its beginning: the chunk, and the places there.
    fn in_chunk(range: &Range<usize>) -> (usize, Range<usize>) {
        let (chunk, start) = locate(range.start);
        (chunk, start..size_of_chunk(chunk).min(start + range.len()))
    }

    fn copy(&self, mut range: Range<usize>, into: &mut Vec<Deferred>) {
        while !range.is_empty() {
            let (chunk, places) = Self::in_chunk(&range);
            range.start += places.len();
            into.extend_from_slice(&self.chunks[chunk][places]);
        }
    }

    /// These steps are not needed any more; nor are some chunks.
    fn release(&mut self, mut range: Range<usize>, mut free: impl FnMut(Vec<Deferred>)) {
        self.taken.resize(self.chunks.len(), 0);
        while !range.is_empty() {
            let (chunk, places) = Self::in_chunk(&range);
            range.start += places.len();
            self.taken[chunk] += places.len();
            if self.taken[chunk] == self.chunks[chunk].len() {
                free(std::mem::take(&mut self.chunks[chunk]));
            }
        }
    }
}

/// How many steps the first chunk of a pile has. Each has twice as many as the one before it, up to the largest: there are many
/// strata that little is left to.
const FIRST: usize = 1 << 8;
pub(super) const LARGEST: usize = 1 << 13;
const DOUBLINGS: usize = (LARGEST.ilog2() - FIRST.ilog2()) as usize;

fn size_of_chunk(chunk: usize) -> usize {
    FIRST << chunk.min(DOUBLINGS)
}

/// The chunk of a step, and its place there.
fn locate(step: usize) -> (usize, usize) {
    let shifted = step + FIRST;
    if shifted < LARGEST {
        let chunk = shifted.ilog2() - FIRST.ilog2();
        return (chunk as usize, shifted - (FIRST << chunk));
    }
    (DOUBLINGS + shifted / LARGEST - 1, shifted % LARGEST)
}

/// What one thread leaves to later strata, the next one first.
#[derive(Debug, Default)]
pub(super) struct Later(Vec<Pile>);

impl Later {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left to the next stratum, which begins.
    fn take_next(&mut self) -> Pile {
        if self.0.is_empty() { Pile::default() } else { self.0.remove(0) }
    }

    /// The piles of so many strata.
    #[inline]
    pub(super) fn reach(&mut self, distance: usize) -> &mut [Pile] {
        if self.0.len() < distance {
            self.0.resize_with(distance, Pile::default);
        }
        &mut self.0
    }

    /// The pile of a stratum so many further.
    pub(super) fn at(&mut self, distance: u32) -> &mut Pile {
        &mut self.reach(distance as usize)[distance as usize - 1]
    }

    /// How many steps each pile has.
    pub(super) fn mark(&self, ends: &mut Vec<usize>) {
        ends.clear();
        ends.extend(self.0.iter().map(|pile| pile.len));
    }

    /// What was added since then.
    pub(super) fn since<'a>(&'a self, ends: &'a [usize]) -> impl Iterator<Item = Range<usize>> + 'a {
        let starts = ends.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(starts).map(|(pile, start)| start..pile.len)
    }
}

/// Some steps behind each other in a thread's pile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) thread: usize,
    pub(super) range: Range<usize>,
}

/// What is due in a stratum.
#[derive(Debug, Default)]
pub(super) struct Due {
    // Invariant: no stretch is empty.
    stretches: Vec<Stretch>,
    /// By threads.
    piles: Vec<Pile>,
    len: usize,
}

impl Due {
    /// What these threads have left to the next stratum, in this order.
    pub(super) fn new<'a>(stretches: Vec<Stretch>, later: impl Iterator<Item = &'a mut Later>) -> Self {
        let len = stretches.iter().map(|stretch| stretch.range.len()).sum();
        Self { stretches, piles: later.map(Later::take_next).collect(), len }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Choices that need not be taken.
    pub(super) fn skipped(&self) -> u64 {
        self.piles.iter().map(|pile| pile.skipped).sum()
    }

    /// Takes so many of the last steps.
    pub(super) fn take_last(&mut self, mut count: usize) -> Vec<Stretch> {
        let mut taken = Vec::new();
        while count > 0
            && let Some(last) = self.stretches.last_mut()
        {
            let range = last.range.end - count.min(last.range.len())..last.range.end;
            last.range.end = range.start;
            count -= range.len();
            self.len -= range.len();
            taken.push(Stretch { thread: last.thread, range });
            if last.range.is_empty() {
                self.stretches.pop();
            }
        }
        taken.reverse();
        taken
    }

    /// Reads steps that were taken.
    pub(super) fn copy(&self, stretches: &[Stretch], into: &mut Vec<Deferred>) {
        for Stretch { thread, range } in stretches {
            self.piles[*thread].copy(range.clone(), into);
        }
    }

    /// Lets go of steps that were taken.
    pub(super) fn release(&mut self, stretches: &[Stretch], chunks: &Chunks<Deferred>) {
        for Stretch { thread, range } in stretches {
            self.piles[*thread].release(range.clone(), |chunk| chunks.give_back(chunk, *thread));
        }
    }

    /// All that is left, in order. Hardly anything is held twice: what was copied is dropped, and its memory taken for the
    /// next copy.
    pub(super) fn into_chunks(mut self) -> Vec<Vec<Deferred>> {
        let pieces = in_pieces(std::mem::take(&mut self.stretches), LARGEST);
        let copy = |piece: Vec<Stretch>| {
            let mut steps = Vec::with_capacity(piece.iter().map(|stretch| stretch.range.len()).sum());
            self.copy(&piece, &mut steps);
            for Stretch { thread, range } in piece {
                self.piles[thread].release(range, drop);
            }
            steps
        };
        pieces.into_iter().map(copy).collect()
    }
}

/// Stretches in pieces of so many steps; the last one may have fewer.
pub(super) fn in_pieces(stretches: Vec<Stretch>, size: usize) -> Vec<Vec<Stretch>> {
    let mut pieces: Vec<Vec<Stretch>> = Vec::new();
    let mut room = 0;
    for Stretch { thread, mut range } in stretches {
        while !range.is_empty() {
            if room == 0 {
                pieces.push(Vec::new());
                room = size;
            }
            let end = range.end.min(range.start + room);
            room -= end - range.start;
            if let Some(piece) = pieces.last_mut() {
                piece.push(Stretch { thread, range: range.start..end });
            }
            range.start = end;
        }
    }
    pieces
}

/// The thread that has found most of some steps.
pub(super) fn finder(stretches: &[Stretch]) -> Option<usize> {
    stretches.iter().max_by_key(|stretch| stretch.range.len()).map(|stretch| stretch.thread)
}

#[cfg(test)]
mod tests {
    use super::super::nodes::NodeId;
    use super::*;

    /// Two threads find steps by turns, so many at a time; what is due comes in the order in which they were told of.
    #[test]
    fn steps_are_due_in_the_order_of_their_stretches_whoever_found_them() {
        let chunks = Chunks::new(2, LARGEST);
        let mut later = [Later::default(), Later::default()];
        let mut stretches = Vec::new();
        let (mut ends, mut next) = (Vec::new(), 0);
        for (turn, count) in [3, 700, 1, 0, 255, 30_000, 257, 40].into_iter().enumerate() {
            let thread = turn % 2;
            later[thread].mark(&mut ends);
            for _ in 0..count {
                let step = Deferred::unprobed(NodeId::NONE.after(1).after(next), 1);
                later[thread].at(1).push(step, &chunks, thread);
                next += 1;
            }
            let found = later[thread].since(&ends).filter(|range| !range.is_empty());
            stretches.extend(found.map(|range| Stretch { thread, range }));
        }
        later[0].at(2).skipped += 5;
        let mut due = Due::new(stretches, later.iter_mut());
        assert_eq!((due.len, due.skipped()), (next, 0));
        let mut left = next;
        for (count, size) in [(300, 32), (1, 7), (20_600, 256)] {
            let taken = in_pieces(due.take_last(count), size);
            let mut steps = Vec::new();
            for piece in &taken {
                let before = steps.len();
                due.copy(piece, &mut steps);
                assert!(steps.len() - before == size || piece == taken.last().expect("not empty"));
            }
            taken.iter().for_each(|piece| due.release(piece, &chunks));
            left -= count;
            assert!(steps.iter().map(|step| step.node.index()).eq(left..left + count));
        }
        let rest = due.into_chunks().concat();
        assert!(rest.iter().map(|step| step.node.index()).eq(0..left));
        assert!(!later[0].is_empty() && later[1].is_empty());
        assert_eq!(Due::new(Vec::new(), later.iter_mut()).skipped(), 5);
    }
}
