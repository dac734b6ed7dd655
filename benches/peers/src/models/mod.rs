//! Models in Rust whose states are a few integers, independent of the engine that explores them.

pub(crate) mod paxos;
pub(crate) mod two_phase_commit;

use std::fmt::Debug;
use std::hash::Hash;

/// A transition system with numbered actions and one invariant.
///
/// [`crate::engine`] gives it to Fabius and [`crate::stateright`] to Stateright, so that the two engines can be compared
/// on the very same code.
pub(crate) trait Compact: Clone + Send + Sync + 'static {
    type State: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    fn initial(&self) -> Self::State;

    /// Adds the actions that are possible, each once.
    fn actions(&self, state: &Self::State, add: &mut impl FnMut(u8));

    /// Takes a possible action.
    fn step(&self, state: &Self::State, action: u8) -> Self::State;

    /// The invariant.
    fn holds(&self, state: &Self::State) -> bool;

    /// The state as integers; equal exactly for equal states.
    fn words(state: &Self::State, add: &mut impl FnMut(u64));

    /// 128 bits of the state's content.
    fn fingerprint(state: &Self::State) -> u128;
}

/// `width` bits of a word, from `shift` on.
fn field(word: u64, shift: u32, width: u32) -> u64 {
    (word >> shift) & ((1 << width) - 1)
}

/// Replaces `width` bits of a word.
fn set_field(word: &mut u64, shift: u32, width: u32, value: u64) {
    *word = *word & !(((1 << width) - 1) << shift) | value << shift;
}
