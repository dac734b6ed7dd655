//! Our search on a compact model. The one place that calls Fabius's search crate.

use fabius_model::{ActorId, Choice, Effect, Outcome, Packed, Program, Sketches};
use fabius_search::exhaustive::depth_first::{Limits, run};
use fabius_search::{Callbacks, StopReason};
use fabius_store::VisitedSet;

use crate::counts::Counts;
use crate::models::Compact;

/// Visits all states; `None` if the invariant does not hold in one of them, or if not all were visited.
pub(crate) fn explore<M: Compact>(model: M, set: &dyn VisitedSet, threads: usize) -> Option<Counts> {
    let limits = Limits { jobs: threads, ..Limits::default() };
    let report = run(&OnFabius(model), set, &limits, &Callbacks::default(), &|_| {});
    let counts = Counts { states: report.states, transitions: report.transitions };
    (report.bugs.is_empty() && report.stop == StopReason::Exhausted).then_some(counts)
}

/// The model as a program. A choice is an action, in the clothes of an actor.
///
/// Effects are for strategies, of which plain search has none: there are none here.
#[derive(Debug)]
struct OnFabius<M>(M);

impl<M: Compact> OnFabius<M> {
    fn outcome(&self, state: &M::State, action: u8) -> Outcome<M::State, ()> {
        let next = self.0.step(state, action);
        if self.0.holds(&next) { Outcome::State(next) } else { Outcome::Bug(()) }
    }
}

impl<M: Compact> Program for OnFabius<M> {
    type State = M::State;
    type Bug = ();

    fn initial(&self) -> Outcome<M::State, ()> {
        Outcome::State(self.0.initial())
    }

    fn choices(&self, state: &M::State, choices: &mut Vec<Choice>) {
        choices.clear();
        self.0.actions(state, &mut |action| choices.push(Choice::Schedule(ActorId(u32::from(action)))));
    }

    fn step(&self, state: &M::State, choice: Choice, _: &mut Vec<Effect>) -> Outcome<M::State, ()> {
        let (Choice::Schedule(ActorId(action)) | Choice::Data(action)) = choice;
        self.outcome(state, action as u8)
    }

    /// Ending is never wrong in these models.
    fn end(&self, _: &M::State) -> Option<()> {
        None
    }

    fn fingerprint(&self, state: &M::State) -> u128 {
        M::fingerprint(state)
    }
}

impl<M: Compact> Packed for OnFabius<M> {
    fn words<'a>(&self, state: &'a M::State, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        M::words(state, &mut |word| buffer.extend([word as u32, (word >> 32) as u32]));
        buffer
    }

    fn sketch(&self, state: &M::State, sketches: &mut Sketches<M::State, ()>) {
        self.0.actions(state, &mut |action| sketches.add(self.outcome(state, action)));
    }
}
