//! The blocks that a thread has met last, with their numbers: most blocks are met again soon, and are found here with one
//! access to memory that is near.
//!
//! Invariant: what is here has been numbered by one and the same set. Numbers never change; so what is here stays right.

use std::fmt;

use crate::blocks::{Block, BlockRequest, Content};
use crate::pairs::MISSING;

/// So many blocks can be remembered, as a power of two: they are to fit into a processor's second cache.
const SIZE_BITS: u32 = 12;

/// The blocks. Each has one place, which it shares with others.
#[derive(Default)]
pub(crate) struct Recent {
    places: Vec<Known>,
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
        match self.places.get(place_of(block)) {
            Some(known) if known.content == block.content => known.number,
            _ => MISSING,
        }
    }

    /// Remembers blocks, as far as they got numbers.
    pub(crate) fn learn(&mut self, blocks: &[BlockRequest], numbers: &[u64]) {
        if self.places.is_empty() {
            self.places.resize(1 << SIZE_BITS, Known { content: [0; _], number: MISSING });
        }
        for BlockRequest { block, into } in blocks {
            let number = numbers[*into as usize];
            if number != MISSING {
                self.places[place_of(block)] = Known { content: block.content, number };
            }
        }
    }
}

#[inline]
fn place_of(block: &Block) -> usize {
    (block.key() >> (u64::BITS - SIZE_BITS)) as usize
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recent({} places)", self.places.len())
    }
}
