//! A set of 64-bit keys.
//!
//! Key 0, which is an empty cell to the table, is a flag here, so that all keys are told apart.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{AHEAD, Growing, Visit};
use crate::table::{Layout, Line, Place, Table};

/// So many keys are looked for before those that are not in their home lines are.
const TOGETHER: usize = 32;

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
    pub(crate) fn insert(&self, count: usize, key: impl Fn(usize) -> u64, is_new: &mut Vec<bool>) {
        is_new.reserve(count);
        self.growing.insert(count, key, |table, _, key| {
            let (new, visit) = self.visit(table, table.home(key), key);
            if !matches!(visit, Visit::NoPlace) {
                is_new.push(new);
            }
            visit
        });
    }

    /// Adds keys, and says for each whether it is new. Those for which there was no place are told to be known.
    /// `IS_ASKED_FOR`: their memory is on its way.
    #[inline]
    pub(crate) fn insert_all<const IS_ASKED_FOR: bool>(&self, keys: &[u64], is_new: &mut Vec<bool>) {
        let before = is_new.len();
        is_new.resize(before + keys.len(), false);
        let is_new = &mut is_new[before..];
        let mut next = 0;
        self.growing.insert_some(|table| {
            let mut added = 0;
            if !IS_ASKED_FOR {
                keys[next..].iter().take(AHEAD).for_each(|&key| table.prefetch(key));
            }
            while next < keys.len() {
                let some = next..keys.len().min(next + TOGETHER);
                let ahead = if IS_ASKED_FOR { &[][..] } else { &keys[keys.len().min(next + AHEAD)..] };
                let is_new = &mut is_new[some.clone()];
                if !self.insert_some::<IS_ASKED_FOR>(table, &keys[some.clone()], ahead, is_new, &mut added) {
                    // The next time, those that were added will be known, and nothing is said of them again.
                    return (false, added);
                }
                next = some.end;
            }
            (true, added)
        });
    }

    /// Adds keys, of which there are not too many, and marks the new ones; false if there was no place for one of them. The
    /// memory of those `ahead` is asked for.
    ///
    /// Keys that are not in their home line come last: when that is full, the next line has been asked for before it is
    /// needed. Of equal keys the first is new all the same: a line that was full remains so.
    #[inline]
    fn insert_some<const IS_ASKED_FOR: bool>(
        &self,
        table: &Table<KeysOnly>,
        keys: &[u64],
        ahead: &[u64],
        is_new: &mut [bool],
        added: &mut u64,
    ) -> bool {
        let mut missing = [(0, 0); TOGETHER];
        let mut count = 0;
        for (index, &key) in keys.iter().enumerate() {
            if !IS_ASKED_FOR && let Some(&key) = ahead.get(index) {
                table.prefetch(key);
            }
            let (line, is_known) = table.look_at_home(key);
            // Key 0 is in every line that has an empty cell.
            let is_known = is_known && key != 0;
            missing[count % TOGETHER] = (index, line);
            count += usize::from(!is_known);
        }
        let missing = &missing[..count];
        missing.iter().for_each(|&(_, line)| table.prefetch_line_to_write(line));
        missing.iter().all(|&(index, line)| {
            let (new, visit) = self.visit(table, line, keys[index]);
            is_new[index] |= new;
            *added += u64::from(matches!(visit, Visit::Added));
            !matches!(visit, Visit::NoPlace)
        })
    }

    /// Looks for a key from a line on, and adds it if it is not there; whether it is new, and what that means to the table.
    #[inline]
    fn visit(&self, table: &Table<KeysOnly>, line: usize, key: u64) -> (bool, Visit) {
        if key == 0 {
            return (self.insert_zero(), Visit::Known);
        }
        match table.probe_from::<true>(line, key, |_, _| true) {
            Place::Found(..) => (false, Visit::Known),
            Place::Claimed(..) => (true, Visit::Added),
            Place::Absent | Place::Full => (false, Visit::NoPlace),
        }
    }

    /// Says for each key whether it is there.
    pub(crate) fn contains(&self, count: usize, key: impl Fn(usize) -> u64, is_known: &mut Vec<bool>) {
        self.growing.look(count, key, |table, _, key| is_known.push(self.has(table, key)));
    }

    /// The same for keys that lie together.
    pub(crate) fn contains_all(&self, keys: &[u64], is_known: &mut Vec<bool>) {
        let table = self.growing.table();
        keys.iter().take(AHEAD).for_each(|&key| table.prefetch(key));
        for (start, some) in (0..).step_by(TOGETHER).zip(keys.chunks(TOGETHER)) {
            let ahead = &keys[keys.len().min(start + AHEAD)..];
            self.contains_some(&table, some, ahead, is_known);
        }
    }

    /// The same for not too many of them; the memory of those `ahead` is asked for. Nearly all that are known are in their
    /// home line, and most of the others would have a place there: the rest comes last, as in `insert_some`.
    #[inline]
    fn contains_some(&self, table: &Table<KeysOnly>, keys: &[u64], ahead: &[u64], is_known: &mut Vec<bool>) {
        let before = is_known.len();
        let mut undecided = [(0, 0); TOGETHER];
        let mut count = 0;
        is_known.extend(keys.iter().enumerate().map(|(index, &key)| {
            if let Some(&key) = ahead.get(index) {
                table.prefetch(key);
            }
            let (line, is_there) = table.look_at_home(key);
            undecided[count % TOGETHER] = (index, line);
            count += usize::from(key == 0 || !is_there && line != table.home(key));
            is_there
        }));
        let undecided = &undecided[..count];
        undecided.iter().for_each(|&(_, line)| table.prefetch_line(line));
        for &(index, line) in undecided {
            is_known[before + index] = match keys[index] {
                0 => self.has_zero.load(Ordering::Relaxed),
                key => matches!(table.probe_from::<false>(line, key, |_, _| true), Place::Found(..)),
            };
        }
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
