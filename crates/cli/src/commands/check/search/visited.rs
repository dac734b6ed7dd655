//! How visited states are remembered, as the user asked for it.

use fabius_store::{Bitstate, Exact, Fingerprints64, Fingerprints128, VisitedSet, Whole};

use super::super::memory;
use crate::arguments::{CheckOptions, StoreName};

/// Bits for each state; more would fill the table sooner.
const BITS_PER_STATE: u32 = 3;
/// What the bits take unless the user says what the process may have. All of it is soon in use, however few states there are.
const BYTES: usize = 1 << 28;

/// The set, and of which kind it is.
pub(super) fn visited_set(options: &CheckOptions) -> (StoreName, Box<dyn VisitedSet>) {
    let set: Box<dyn VisitedSet> = match options.store {
        StoreName::Exact => Box::new(Exact::new()),
        StoreName::Hash64 => Box::new(Fingerprints64::new()),
        StoreName::Hash128 => Box::new(Fingerprints128::new()),
        // Half of what the process may have, if that was said; without the room for it, the next best.
        StoreName::Bitstate => match Bitstate::new(bytes_of_bits(options), BITS_PER_STATE) {
            Some(bits) => Box::new(bits),
            None => return (StoreName::Hash64, Box::new(Fingerprints64::new())),
        },
    };
    (options.store, set)
}

fn bytes_of_bits(options: &CheckOptions) -> usize {
    let half = memory::limit(options.memory) / 2;
    if options.memory.is_some() { half } else { half.min(BYTES) }
}

/// The set for a search in which hardly any part of a state repeats.
pub(super) fn novel_set(options: &CheckOptions) -> Box<dyn VisitedSet> {
    match options.store {
        StoreName::Exact => Box::new(Whole::new()),
        _ => visited_set(options).1,
    }
}
