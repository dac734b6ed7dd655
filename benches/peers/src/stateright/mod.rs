//! Stateright, which is a library: its engine on the same models, compact and as its own examples write them.
//!
//! `two_phase_commit.rs` and `paxos.rs` have the models as users of Stateright write them, with vectors, sets, and actors.
//! On a compact model only the engines differ.

pub(crate) mod paxos;
pub(crate) mod two_phase_commit;

use std::hash::Hash;

use stateright::{Checker, Model, Property};

use crate::counts::Counts;
use crate::models::Compact;

/// Visits all states, depth-first; `None` if a property does not hold.
pub(crate) fn explore<M>(model: M, threads: usize) -> Option<Counts>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Send + Sync + 'static,
    M::Action: Clone + PartialEq,
{
    let checker = model.checker().threads(threads).spawn_dfs().join();
    // Stateright counts the initial state among the generated ones.
    let counts =
        Counts { states: checker.unique_state_count() as u64, transitions: checker.state_count() as u64 - 1 };
    checker.discoveries().is_empty().then_some(counts)
}

/// A compact model in Stateright's trait.
#[derive(Clone, Debug)]
pub(crate) struct OnStateright<M>(pub(crate) M);

impl<M: Compact> Model for OnStateright<M> {
    type State = M::State;
    type Action = u8;

    fn init_states(&self) -> Vec<M::State> {
        vec![self.0.initial()]
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<u8>) {
        self.0.actions(state, &mut |action| actions.push(action));
    }

    fn next_state(&self, state: &M::State, action: u8) -> Option<M::State> {
        Some(self.0.step(state, action))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("holds", |model: &Self, state| model.0.holds(state))]
    }
}
