//! A set of 64-bit keys.
//!
//! Key 0, which is an empty cell to the table, is a flag here, so that all keys are told apart.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{Growing, Visit};
use crate::table::{Layout, Line, Place, Table};

/// Lines of eight keys and nothing else.
#[derive(Debug)]
pub(crate) struct KeysOnly;

impl Layout for KeysOnly {
    const CELLS: usize = 8;
    const LOAD: (u64, u64) = (13, 16);
    type Beside = ();

    fn take(_: &Line, _: usize) {}

    fn put(_: &Line, _: usize, (): ()) {}

    fn is_sound(_: &Line, _: usize) -> bool {
        true
    }
}

/// The set.
#[derive(Debug)]
pub(crate) struct KeySet {
    pub(crate) growing: Growing<KeysOnly>,
    has_zero: AtomicBool,
}

impl KeySet {
    /// An empty set that never takes more than so many bytes.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { growing: Growing::new(most_bytes), has_zero: AtomicBool::new(false) }
    }

    pub(crate) fn len(&self) -> u64 {
        self.growing.len() + u64::from(self.has_zero.load(Ordering::Relaxed))
    }

    /// Adds keys and says for each whether it is new. Those for which there was no place are left out at the end.
    #[inline]
    pub(crate) fn insert(&self, count: usize, key: impl Fn(usize) -> u64, is_new: &mut Vec<bool>) {
        is_new.reserve(count);
        self.growing.insert(count, key, |table, _, key| self.visit(table, key, is_new));
    }

    /// The same for keys whose memory is on its way.
    #[inline]
    pub(crate) fn insert_expected(&self, keys: &[u64], is_new: &mut Vec<bool>) {
        is_new.reserve(keys.len());
        self.growing.insert_expected(keys, |table, _, key| self.visit(table, key, is_new));
    }

    #[inline]
    fn visit(&self, table: &Table<KeysOnly>, key: u64, is_new: &mut Vec<bool>) -> Visit {
        match table.is_at_home(key) {
            // Key 0 is in every line that has an empty cell.
            Ok(()) if key != 0 => {
                is_new.push(false);
                Visit::Known
            }
            place => self.visit_from(table, place.err(), key, is_new),
        }
    }

    /// A key that is not in its home line, or is 0: most of them are new.
    #[inline(never)]
    fn visit_from(
        &self,
        table: &Table<KeysOnly>,
        line: Option<usize>,
        key: u64,
        is_new: &mut Vec<bool>,
    ) -> Visit {
        let (new, visit) = if key == 0 {
            (self.insert_zero(), Visit::Known)
        } else {
            match table.probe_from::<true>(line.unwrap_or(0), key, |_, _| true) {
                Place::Found(..) => (false, Visit::Known),
                Place::Claimed(..) => (true, Visit::Added),
                Place::Absent | Place::Full => return Visit::NoPlace,
            }
        };
        is_new.push(new);
        visit
    }

    /// Says for each key whether it is there.
    pub(crate) fn contains(&self, count: usize, key: impl Fn(usize) -> u64, is_known: &mut Vec<bool>) {
        self.growing.look(count, key, |table, _, key| is_known.push(self.has(table, key)));
    }

    /// Whether a key is there.
    pub(crate) fn has(&self, table: &Table<KeysOnly>, key: u64) -> bool {
        if key == 0 {
            return self.has_zero.load(Ordering::Relaxed);
        }
        matches!(table.probe::<false>(key, |_, _| true), Place::Found(..))
    }

    /// Takes up key 0, and says whether it is new.
    pub(crate) fn insert_zero(&self) -> bool {
        !self.has_zero.swap(true, Ordering::Relaxed)
    }

    /// The numbers that `read_from` needs.
    pub(crate) fn parameters(&self) -> [u64; 4] {
        let [lines, tail, len] = self.growing.parameters();
        [lines, tail, len, u64::from(self.has_zero.load(Ordering::Relaxed))]
    }

    pub(crate) fn write_to(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.growing.write_to(to)
    }

    pub(crate) fn read_from(
        [lines, tail, len, has_zero]: [u64; 4],
        most_bytes: usize,
        from: &mut Reader<'_>,
    ) -> io::Result<Self> {
        from.require(has_zero <= 1)?;
        let growing = Growing::read_from([lines, tail, len], most_bytes, from)?;
        Ok(Self { growing, has_zero: AtomicBool::new(has_zero == 1) })
    }
}
