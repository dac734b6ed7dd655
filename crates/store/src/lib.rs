//! Sets of visited states for exhaustive searches, shared by threads.
//!
//! A state comes as a vector of words and as a fingerprint of 128 bits. [`Exact`] keeps the words, compressed to little
//! more than eight bytes for each state where their parts repeat, and [`Whole`] keeps them where they do not;
//! [`Fingerprints64`] and [`Fingerprints128`] keep bits of the fingerprint;
//! [`Bounded`] keeps to a number of bytes and forgets; [`Bitstate`] has a few bits for each state. All of them say
//! what they take, and with what probability they took a new state for an old one.
//!
//! States are looked up in batches, which keep many cache misses under way at a time. Nothing is locked for a state:
//! a batch holds a lock as a reader, each thread one of its own (`per_thread.rs`), and only a table that grows holds it alone.

mod batch;
mod bitstate;
mod blocks;
mod bounded;
mod checkpoint;
mod exact;
mod fingerprint;
mod growing;
mod keyed;
mod keys;
mod lengths;
mod pages;
mod pairs;
mod recent;
mod shape;
mod spread;
mod table;
mod trees;
mod whole;

use std::fmt::Debug;
use std::io;

pub use batch::Batch;
pub use bitstate::Bitstate;
pub use bounded::{Bounded, WhenFull};
pub use exact::Exact;
pub use fingerprint::{Fingerprints64, Fingerprints128};
pub use keyed::{Key, KeyReader, Keyed};
pub use pages::{Pages, expect, expect_to_write, provide};
pub use whole::Whole;

/// A set of states.
pub trait VisitedSet: Send + Sync + Debug {
    /// Adds the states. `is_new[i]`: it was not there. Of equal states within one batch the first is new. Threads may
    /// call it at once: exactly one of them is told `true`. (Sets that forget may tell it more often.)
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>);

    /// Adds states to a batch for a set that is not exact. The memory that will be looked at is asked for now, where that is
    /// easily said.
    fn expect(&self, fingerprints: &[u128], batch: &mut Batch) {
        fingerprints.iter().for_each(|fingerprint| batch.push(*fingerprint, &[]));
    }

    /// Adds a state to a batch for an exact set: the words that it adds itself. Otherwise as `expect`.
    fn expect_words(&self, add_words: &mut dyn FnMut(&mut Vec<u32>), batch: &mut Batch) {
        batch.push_with(0, add_words);
    }

    /// Whether each is there.
    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>);

    /// Whether it tells states apart by their words. All others know them by their fingerprints, and of a batch's states
    /// need nothing else.
    fn is_exact(&self) -> bool;

    /// How many states it holds; for sets that forget, those it still has.
    fn len(&self) -> u64;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All memory it holds, used or not. Cheap, and does not wait for a table that grows.
    fn bytes(&self) -> usize;

    /// Which part of the places in its tables is taken, from 0 to 1.
    fn load(&self) -> f64;

    /// How many bytes more it takes at once when tables grow that are nearly full; 0 if none is.
    fn growth_ahead(&self) -> usize {
        0
    }

    /// An upper bound for the probability that any state was taken for another one and so missed; 0 for exact ones.
    fn omission(&self) -> f64;

    /// Whether states it was given may be unknown to it later: then visits are not states.
    fn forgets(&self) -> bool {
        false
    }

    /// Whether new states are often taken for old ones: then it is better to come to a state in many ways.
    fn merges(&self) -> bool {
        false
    }

    /// How often a set that forgets has forgotten a state or not taken it in. While it is 0, visits are states.
    fn forgotten(&self) -> u64 {
        0
    }

    /// Whether states were refused, because the system had no more memory or the numbers of an exact set have run out.
    /// A refused state is told to be known, so that a search comes to an end; no verdict may rest on a full set.
    fn is_full(&self) -> bool {
        false
    }

    /// Writes its content for a checkpoint. While nobody inserts.
    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()>;
}

/// Reads a set of any kind, as `write_to` has written it.
pub fn read(from: &mut dyn io::Read) -> io::Result<Box<dyn VisitedSet>> {
    use checkpoint::Kind;
    let reader = checkpoint::Reader::new(from)?;
    Ok(match reader.kind {
        Kind::Exact => Box::new(Exact::read(reader)?),
        Kind::Fingerprints64 => Box::new(Fingerprints64::read(reader)?),
        Kind::Fingerprints128 => Box::new(Fingerprints128::read(reader)?),
        Kind::Bounded => Box::new(Bounded::read(reader)?),
        Kind::Bitstate => Box::new(Bitstate::read(reader)?),
        Kind::Whole => Box::new(Whole::read(reader)?),
    })
}
