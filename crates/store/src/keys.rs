//! A set of 64-bit keys.
//!
//! Key 0, which is an empty cell to the table, is a flag here, so that all keys are told apart.

use std::io;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::checkpoint::{Reader, Writer};
use crate::growing::{AHEAD, Growing, Visit};
use crate::table::{Layout, Line, Place, Table};

/// So many keys are looked for before those among the so many before them that are not in their home lines are.
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

/// Keys that are not settled by a look at their home lines, with the lines from which on they can only be. The memory of these
/// has been asked for; meanwhile the next keys are looked for.
#[derive(Clone, Copy)]
struct Unclear {
    all: [(usize, usize); TOGETHER],
    count: usize,
}

impl Unclear {
    const NONE: Self = Self { all: [(0, 0); TOGETHER], count: 0 };

    fn all(&self) -> &[(usize, usize)] {
        &self.all[..self.count]
    }

    fn lines(&self) -> impl Iterator<Item = usize> {
        self.all().iter().map(|&(_, line)| line)
    }

    // As good as random: no branch could be foretold.
    #[inline]
    fn add(&mut self, index: usize, line: usize, is_unclear: bool) {
        self.all[self.count % TOGETHER] = (index, line);
        self.count += usize::from(is_unclear);
    }

    /// Notes down which of these keys are to be added, and asks for the memory of later ones, unless it is on its way.
    #[inline]
    fn look<const IS_ASKED_FOR: bool>(&mut self, table: &Table<KeysOnly>, keys: &[u64], range: Range<usize>) {
        self.count = 0;
        let ahead = if IS_ASKED_FOR { &[][..] } else { ahead_of(keys, range.start) };
        for (at, index) in range.enumerate() {
            if !IS_ASKED_FOR && let Some(&key) = ahead.get(at) {
                table.prefetch(key);
            }
            let key = keys[index];
            let (line, is_known) = table.look_at_home(key);
            // Key 0 is in every line that has an empty cell.
            self.add(index, line, !is_known || key == 0);
        }
    }

    /// Says for each of these keys whether it is there, and notes down of which that is not sure: nearly all that are known
    /// are in their home line, and most of the others would have a place there.
    #[inline]
    fn look_for(
        &mut self,
        table: &Table<KeysOnly>,
        keys: &[u64],
        range: Range<usize>,
        is_known: &mut Vec<bool>,
    ) {
        self.count = 0;
        let ahead = ahead_of(keys, range.start);
        is_known.extend(keys[range.clone()].iter().zip(range.clone()).map(|(&key, index)| {
            if let Some(&key) = ahead.get(index - range.start) {
                table.prefetch(key);
            }
            let (line, is_there) = table.look_at_home(key);
            self.add(index, line, key == 0 || !is_there && line != table.home(key));
            is_there
        }));
    }
}

/// The keys whose memory is asked for while those from `start` on are looked for.
fn ahead_of(keys: &[u64], start: usize) -> &[u64] {
    &keys[keys.len().min(start + AHEAD)..]
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
        // All keys before this one are settled.
        let mut next = 0;
        self.growing.insert_some(|table| {
            let mut added = 0;
            if !IS_ASKED_FOR {
                keys[next..].iter().take(AHEAD).for_each(|&key| table.prefetch(key));
            }
            let [now, last] = &mut [Unclear::NONE; 2];
            let (mut now, mut last) = (now, last);
            let mut start = next;
            while next < keys.len() {
                let end = keys.len().min(start + TOGETHER);
                now.look::<IS_ASKED_FOR>(table, keys, start..end);
                now.lines().for_each(|line| table.prefetch_line_to_write(line));
                if !self.insert_unclear(table, keys, last, is_new, &mut added) {
                    // The next time, those that were added will be known, and nothing is said of them again.
                    return (false, added);
                }
                next = start;
                start = end;
                mem::swap(&mut now, &mut last);
            }
            (true, added)
        });
    }

    /// Adds keys of which nothing is clear yet, and marks the new ones; false if there was no place for one of them. Of equal
    /// keys the first is new: a line that was full remains so.
    #[inline]
    fn insert_unclear(
        &self,
        table: &Table<KeysOnly>,
        keys: &[u64],
        unclear: &Unclear,
        is_new: &mut [bool],
        added: &mut u64,
    ) -> bool {
        unclear.all().iter().all(|&(index, line)| {
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
        let before = is_known.len();
        let [now, last] = &mut [Unclear::NONE; 2];
        let (mut now, mut last) = (now, last);
        for start in (0..keys.len()).step_by(TOGETHER) {
            now.look_for(&table, keys, start..keys.len().min(start + TOGETHER), is_known);
            now.lines().for_each(|line| table.prefetch_line(line));
            self.look_again(&table, keys, last, &mut is_known[before..]);
            mem::swap(&mut now, &mut last);
        }
        self.look_again(&table, keys, last, &mut is_known[before..]);
    }

    /// Says whether keys are there of which that is not clear yet.
    #[inline]
    fn look_again(&self, table: &Table<KeysOnly>, keys: &[u64], unclear: &Unclear, is_known: &mut [bool]) {
        for &(index, line) in unclear.all() {
            is_known[index] = match keys[index] {
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
