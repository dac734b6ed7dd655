//! A set that is full, which no program of a sensible size brings about.

use fabius_explore::RunToCompletion;
use fabius_model::{ActorId, Choice, Effect, Outcome, Packed, Program};
use fabius_store::{Exact, Keyed};

use super::nodes::Known;
use super::{Cache, Limits, search};
use crate::{Bounds, Callbacks, StopReason, Verdict};

/// Counts up to a bug.
#[derive(Debug)]
struct Counter;

const BUG: u32 = 5000;

impl Program for Counter {
    type State = u32;
    type Bug = ();

    fn initial(&self) -> Outcome<u32, ()> {
        Outcome::State(0)
    }

    fn choices(&self, _: &u32, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.push(Choice::Schedule(ActorId(0)));
    }

    fn step(&self, state: &u32, _: Choice, _: &mut Vec<Effect>) -> Outcome<u32, ()> {
        if *state == BUG { Outcome::Bug(()) } else { Outcome::State(state + 1) }
    }

    fn end(&self, _: &u32) -> Option<()> {
        None
    }

    fn fingerprint(&self, state: &u32) -> u128 {
        u128::from(*state)
    }
}

impl Packed for Counter {
    /// So many that they are a tree.
    fn words<'a>(&self, state: &'a u32, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        *buffer = vec![*state; 40];
        buffer
    }
}

#[test]
fn a_set_that_refused_the_last_states_is_told_to_be_full() {
    for strict in [false, true] {
        let limits = Limits { strict, ..Limits::default() };
        let report = |parts| {
            let mut known = Known::new(Cache::Unlimited, strict, true);
            known.set = Some(Keyed::Trees(Box::new(Exact::with_most_parts(parts))));
            let explorer = RunToCompletion::new();
            let callbacks = Callbacks::default();
            search::run(known, &Counter, &explorer, &limits, &callbacks, &|_| {}).0
        };
        assert!(matches!(report(u32::MAX).verdict(), Verdict::Bug(_)));
        let full = report(1000);
        assert_eq!(full.stop, StopReason::SetFull, "strict: {strict}");
        assert_eq!(full.finished, 0, "a stratum in which states were refused is not finished");
        let within = Bounds::States { states: full.states };
        assert_eq!(full.verdict(), Verdict::NoBugFound { within }, "strict: {strict}");
    }
}
