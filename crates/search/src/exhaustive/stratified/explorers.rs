//! Explorers' states by number: many nodes share one.

use std::hash::BuildHasher;

use fabius_explore::Explorer;
use hashbrown::{DefaultHashBuilder, HashTable};

/// The explorers of one shard.
#[derive(Debug)]
pub(super) struct Explorers<E> {
    all: Vec<E>,
    table: HashTable<(u64, u32)>,
    hasher: DefaultHashBuilder,
}

impl<E: Explorer> Explorers<E> {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn get(&self, index: u32) -> &E {
        &self.all[index as usize]
    }

    pub(super) fn find(&self, explorer: &E) -> Option<u32> {
        let tag = self.hasher.hash_one(explorer);
        let is_same = |(other, index): &(u64, u32)| *other == tag && self.all[*index as usize] == *explorer;
        self.table.find(tag, is_same).map(|(_, index)| *index)
    }

    pub(super) fn intern(&mut self, explorer: E) -> u32 {
        if let Some(index) = self.find(&explorer) {
            return index;
        }
        let tag = self.hasher.hash_one(&explorer);
        let index = u32::try_from(self.all.len()).expect("memory ends before the numbers of explorers");
        self.all.push(explorer);
        self.table.insert_unique(tag, (tag, index), |(tag, _)| *tag);
        index
    }
}
