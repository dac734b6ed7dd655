//! The blocks that a thread has met last, with their numbers: most blocks are met again soon, and are found here with one
//! access to memory.
//!
//! Invariant: what is here has been numbered by one and the same set. Numbers never change; so what is here stays right.

use std::fmt;

use crate::blocks::{Block, BlockRequest, Content};
use crate::pages::expect;
use crate::pairs::MISSING;

/// So many blocks can be remembered, as powers of two: first, because a small search should not pay for more, and in the
/// end. As their memory is asked for early, they need not fit into a processor's nearest caches.
const FIRST_BITS: u32 = 10;
const MOST_BITS: u32 = 16;

/// The blocks. Each has one place, which it shares with others.
#[derive(Default)]
pub(crate) struct Recent {
    places: Vec<Known>,
    bits: u32,
    /// How many blocks were learnt since there are so many places.
    learnt: usize,
}

#[derive(Clone, Copy)]
struct Known {
    content: Content,
    number: u64,
}

impl Recent {
    /// The number of a block, or `MISSING`.
    #[inline]
    pub(crate) fn number_of(&self, block: &Block) -> u64 {
        match self.places.get(self.place_of(block)) {
            Some(known) if known.content == block.content => known.number,
            _ => MISSING,
        }
    }

    /// Asks for the memory of a block's place.
    #[inline]
    pub(crate) fn expect(&self, block: &Block) {
        self.places.get(self.place_of(block)).into_iter().for_each(expect);
    }

    /// Remembers blocks, as far as they got numbers.
    pub(crate) fn learn(&mut self, blocks: &[BlockRequest], numbers: &[u64]) {
        self.learnt += blocks.len();
        if self.learnt > self.places.len() && self.bits < MOST_BITS {
            self.bits = if self.bits == 0 { FIRST_BITS } else { self.bits + 2 };
            self.learnt = blocks.len();
            self.places.clear();
            self.places.resize(1 << self.bits, Known { content: [0; _], number: MISSING });
        }
        for BlockRequest { block, into } in blocks {
            let number = numbers[*into as usize];
            if number != MISSING {
                let place = self.place_of(block);
                self.places[place] = Known { content: block.content, number };
            }
        }
    }

    #[inline]
    fn place_of(&self, block: &Block) -> usize {
        (block.key() >> (u64::BITS - MOST_BITS) >> (MOST_BITS - self.bits)) as usize
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recent({} places)", self.places.len())
    }
}
