//! A table that threads share and that grows when it must.
//!
//! A batch holds the lock as a reader, once for all its keys; whoever finds the table too full after its batch makes it
//! longer, alone, and everybody who wants to use it then moves some of its keys to where they belong now. Keys for which
//! there was no place at all are tried again after that.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::pages::prefetch;
use crate::table::{LINE, Layout, Table, home};
use fabius_threads::{PerThread, Reading, Shared};

const LINE_BYTES: usize = LINE * size_of::<u64>();
/// So many lookups are under way at a time. More requests at once than these are not kept by processors (measured: with
/// 64 at once a lookup takes twice as long).
pub(crate) const AHEAD: usize = 32;

/// A thread tells of the keys that it has added when they are one in so many of all that there may be.
const UNTOLD: u64 = 1 << 10;

/// The table with its lock and its counters.
#[derive(Debug)]
pub(crate) struct Growing<L: Layout> {
    table: Shared<Table<L>>,
    /// Keys in the table, those of batches under way excepted, and those that threads have added since they told of any.
    len: AtomicU64,
    untold: PerThread<AtomicU64>,
    bytes: AtomicUsize,
    /// Where the table is, for those who only ask for its memory ahead of time.
    whereabouts: Whereabouts,
    most_bytes: usize,
    cannot_grow: AtomicBool,
}

/// What came of one key of a batch.
pub(crate) enum Visit {
    Known,
    Added,
    NoPlace,
}

impl<L: Layout> Growing<L> {
    /// An empty table that never takes more than so many bytes.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self::from_table(Table::new(most_bytes), 0, most_bytes)
    }

    fn from_table(table: Table<L>, len: u64, most_bytes: usize) -> Self {
        let whereabouts = Whereabouts::default();
        whereabouts.set(&table);
        Self {
            bytes: AtomicUsize::new(table.bytes()),
            whereabouts,
            table: Shared::new(table),
            len: AtomicU64::new(len),
            untold: PerThread::default(),
            most_bytes,
            cannot_grow: AtomicBool::new(false),
        }
    }

    /// The table, in which all keys are where they belong.
    #[inline]
    pub(crate) fn table(&self) -> Reading<'_, Table<L>> {
        loop {
            let table = self.table.read();
            if table.is_spread() {
                return table;
            }
            self.spread(table);
        }
    }

    /// Moves keys to where they belong in a table that has grown.
    #[cold]
    fn spread(&self, table: Reading<'_, Table<L>>) {
        table.spread();
        let (lines, is_spread) = (table.lines(), table.is_spread());
        drop(table);
        if !is_spread {
            self.lengthen(lines);
        }
    }

    pub(crate) fn len(&self) -> u64 {
        let untold = self.untold.all().map(|untold| untold.load(Ordering::Relaxed));
        self.len.load(Ordering::Relaxed) + untold.sum::<u64>()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many keys it holds, and how many it has places for.
    pub(crate) fn fill(&self) -> (u64, u64) {
        (self.len(), self.table().places())
    }

    /// Which part of the places is taken.
    pub(crate) fn load(&self) -> f64 {
        let (keys, places) = self.fill();
        keys as f64 / places.max(1) as f64
    }

    /// How many bytes more it takes when it grows, if it is nearly full.
    pub(crate) fn growth_ahead(&self) -> usize {
        let table = self.table();
        let next = table.next_bytes(self.most_bytes).filter(|_| is_near(self.len(), table.load_limit()));
        next.map_or(0, |next| next.saturating_sub(table.bytes()))
    }

    /// Whether it was to grow and could not.
    pub(crate) fn cannot_grow(&self) -> bool {
        self.cannot_grow.load(Ordering::Relaxed)
    }

    /// Asks for the memory in which keys will be looked for, without waiting for a table that grows.
    #[inline]
    pub(crate) fn expect(&self, keys: &[u64]) {
        let (start, lines) = self.whereabouts.get();
        keys.iter().for_each(|&key| prefetch(start + home::<L>(key, lines) * LINE_BYTES));
    }

    /// Visits each key of a batch, which may add it. Gives the number of the first for which there was no place
    /// in a table that cannot grow; if there is none, `count`.
    #[inline]
    pub(crate) fn insert(
        &self,
        count: usize,
        key: impl Fn(usize) -> u64,
        mut visit: impl FnMut(&Table<L>, usize, u64) -> Visit,
    ) -> usize {
        let mut next = 0;
        self.insert_some(|table| {
            let added;
            (next, added) = visit_all(table, next..count, &key, &mut visit);
            (next == count, added)
        });
        next
    }

    /// Lets keys be added, and the table grow, until all have been or it cannot. `add` is to go on where it stopped; it
    /// says whether it is done, or else there was no place, and how many keys it has added.
    #[inline]
    pub(crate) fn insert_some(&self, mut add: impl FnMut(&Table<L>) -> (bool, u64)) {
        loop {
            let table = self.table();
            let (is_done, added) = add(&table);
            let lines = table.lines();
            let grows = (self.is_full_with(added, table.load_limit()) || !is_done) && !self.cannot_grow();
            drop(table);
            let has_grown = grows && self.lengthen(lines);
            if is_done || !has_grown {
                return;
            }
        }
    }

    /// Looks at each key of a batch.
    #[inline]
    pub(crate) fn look(
        &self,
        count: usize,
        key: impl Fn(usize) -> u64,
        mut visit: impl FnMut(&Table<L>, usize, u64),
    ) {
        visit_all(&self.table(), 0..count, &key, &mut |table: &_, index, key| {
            visit(table, index, key);
            Visit::Known
        });
    }

    /// Counts keys that were added; whether there are too many now. That is not looked at each time: a few more do no harm.
    #[inline]
    fn is_full_with(&self, added: u64, limit: u64) -> bool {
        if added == 0 {
            return false;
        }
        let untold = self.untold.own();
        if untold.fetch_add(added, Ordering::Relaxed) + added <= limit / UNTOLD {
            return false;
        }
        let added = untold.swap(0, Ordering::Relaxed);
        self.len.fetch_add(added, Ordering::Relaxed) + added > limit
    }

    /// Makes the table longer, unless another thread has done so since it had this many lines. Whoever uses it next spreads
    /// its keys.
    #[cold]
    fn lengthen(&self, seen_lines: usize) -> bool {
        let mut table = self.table.change();
        if table.lines() != seen_lines {
            return true;
        }
        let has_grown = table.lengthen(self.most_bytes);
        self.whereabouts.set(&table);
        self.bytes.store(table.bytes(), Ordering::Relaxed);
        if !has_grown {
            self.cannot_grow.store(true, Ordering::Relaxed);
        }
        has_grown
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn parameters(&self) -> [u64; 3] {
        let [lines, tail] = self.table().shape();
        [lines, tail, self.len()]
    }

    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.table().write_to(to)
    }

    pub(crate) fn read_from(
        [lines, tail, len]: [u64; 3],
        most_bytes: usize,
        from: &mut Reader<'_>,
    ) -> io::Result<Self> {
        let (table, keys) = Table::read_from([lines, tail], from)?;
        from.require(keys == len)?;
        Ok(Self::from_table(table, len, most_bytes))
    }
}

/// The address of a table's first line, and its number of home lines. Both need not be of the same table: they are only
/// good for hints. They are asked for with every state, so they have a cache line that nobody writes to meanwhile.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Whereabouts {
    start: AtomicUsize,
    lines: AtomicUsize,
}

impl Whereabouts {
    fn set<L: Layout>(&self, table: &Table<L>) {
        self.start.store(table.address(), Ordering::Relaxed);
        self.lines.store(table.lines(), Ordering::Relaxed);
    }

    fn get(&self) -> (usize, usize) {
        (self.start.load(Ordering::Relaxed), self.lines.load(Ordering::Relaxed))
    }
}

/// Whether something is so full that whoever asks every now and then should reckon with its growth.
pub(crate) fn is_near(len: u64, limit: u64) -> bool {
    len >= limit / 8 * 7
}

/// Visits keys while the memory of the next ones is on its way. Gives where it stopped and how many were added.
#[inline]
fn visit_all<L: Layout>(
    table: &Table<L>,
    range: Range<usize>,
    key: &impl Fn(usize) -> u64,
    visit: &mut impl FnMut(&Table<L>, usize, u64) -> Visit,
) -> (usize, u64) {
    // The keys that are under way.
    let mut keys = [0; AHEAD];
    for (place, index) in keys.iter_mut().zip(range.clone()) {
        *place = key(index);
        table.prefetch(*place);
    }
    let mut added = 0;
    for index in range.clone() {
        let place = &mut keys[(index - range.start) % AHEAD];
        let key_now = *place;
        if index + AHEAD < range.end {
            *place = key(index + AHEAD);
            table.prefetch(*place);
        }
        match visit(table, index, key_now) {
            Visit::Known => {}
            Visit::Added => added += 1,
            Visit::NoPlace => return (index, added),
        }
    }
    (range.end, added)
}
