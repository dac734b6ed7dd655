//! Explorers' states by number: many nodes share one.

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
}

impl<E: Explorer> Explorers<E> {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn get(&self, number: u32) -> &E {
        &self.all[number as usize]
    }

    pub(super) fn find(&self, explorer: &E) -> Option<u32> {
        self.find_hashed(self.hasher.hash_one(explorer), explorer)
    }

    fn find_hashed(&self, hash: u64, explorer: &E) -> Option<u32> {
        let is_same =
            |(other, number): &(u32, u32)| *other == half(hash) && self.all[*number as usize] == *explorer;
        self.table.find(hash, is_same).map(|(_, number)| *number)
    }

    /// The number of an explorer, which gets one if it has none.
    pub(super) fn intern(&mut self, explorer: &E) -> u32 {
        let hash = self.hasher.hash_one(explorer);
        if let Some(number) = self.find_hashed(hash, explorer) {
            return number;
        }
        let number = u32::try_from(self.all.len()).expect("memory ends before the numbers of explorers");
        self.all.push(explorer.clone());
        let Self { all, table, hasher } = self;
        table
            .insert_unique(hash, (half(hash), number), |(_, number)| hasher.hash_one(&all[*number as usize]));
        number
    }
}

/// The half of a hash that does not say where it is looked for first.
fn half(hash: u64) -> u32 {
    (hash >> 16) as u32
}
