//! Explorers' states by number: many nodes share one. One that follows from the program's state is not kept: all nodes have the
//! number of the first.

use std::borrow::Cow;
use std::hash::BuildHasher;

use fabius_explore::Explorer;
use hashbrown::{DefaultHashBuilder, HashTable};

/// The explorers.
#[derive(Debug)]
pub(super) struct Explorers<E> {
    all: Vec<E>,
    /// Half a hash of each, and its number.
    table: HashTable<(u32, u32)>,
    hasher: DefaultHashBuilder,
    is_afresh: bool,
}

impl<E: Explorer> Explorers<E> {
    pub(super) fn new() -> Self {
        let (all, table) = (Vec::new(), HashTable::new());
        Self { all, table, hasher: DefaultHashBuilder::default(), is_afresh: false }
    }

    /// The one with a number, at a state with this fingerprint, which it is asked for if it matters.
    #[inline]
    pub(super) fn at(&self, number: u32, fingerprint: impl FnOnce() -> u128) -> Cow<'_, E> {
        let explorer = &self.all[number as usize];
        let afresh = if self.is_afresh { explorer.afresh(fingerprint() as u64) } else { None };
        afresh.map_or(Cow::Borrowed(explorer), Cow::Owned)
    }

    /// The number of all, if they follow from the program's states.
    #[inline]
    pub(super) fn only(&self) -> Option<u32> {
        self.is_afresh.then_some(0)
    }

    pub(super) fn find(&self, explorer: &E) -> Option<u32> {
        if let Some(only) = self.only() {
            return Some(only);
        }
        self.find_hashed(self.hasher.hash_one(explorer), explorer)
    }

    fn find_hashed(&self, hash: u64, explorer: &E) -> Option<u32> {
        let is_same =
            |(other, number): &(u32, u32)| *other == half(hash) && self.all[*number as usize] == *explorer;
        self.table.find(hash, is_same).map(|(_, number)| *number)
    }

    /// The number of an explorer, which gets one if it has none.
    pub(super) fn intern(&mut self, explorer: &E) -> u32 {
        if let Some(only) = self.only() {
            return only;
        }
        let hash = self.hasher.hash_one(explorer);
        if let Some(number) = self.find_hashed(hash, explorer) {
            return number;
        }
        self.is_afresh = explorer.afresh(0).is_some();
        let number = u32::try_from(self.all.len()).expect("memory ends before the numbers of explorers");
        self.all.push(explorer.clone());
        let Self { all, table, hasher, .. } = self;
        table
            .insert_unique(hash, (half(hash), number), |(_, number)| hasher.hash_one(&all[*number as usize]));
        number
    }
}

/// The half of a hash that does not say where it is looked for first.
fn half(hash: u64) -> u32 {
    (hash >> 16) as u32
}
