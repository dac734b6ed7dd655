//! Preemption bounding as an explorer: whoever moved last moves on.
//!
//! Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded Programs", PLDI 2007. The
//! candidates are the actor that moved last, if it still can, and then the others in the order of the choices. Moving on
//! from an actor that could go on is a *preemption*; when it cannot, all candidates are free. With
//! one cost for any number of delays at a state, stratum k thus holds the runs with k preemptions.
//!
//! A baseline to compare delaying explorers with: unlike theirs, its natural runs are many, all those without preemptions.

use fabius_model::{ActorId, Choice};

use crate::explorer::{Explorer, Taken};

/// The explorer of preemption bounding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Preemption {
    last: Option<ActorId>,
    /// Candidates passed over at this state.
    passed: u32,
}

impl Preemption {
    /// An explorer that has seen nothing yet.
    pub fn new() -> Preemption {
        Preemption::default()
    }

    fn place_of_last(&self, choices: &[Choice]) -> Option<usize> {
        let last = Choice::Schedule(self.last?);
        choices.iter().position(|choice| *choice == last)
    }
}

impl Explorer for Preemption {
    fn begin(&mut self, _enabled: &[ActorId], _fingerprint: u64) {
        *self = Preemption::new();
    }

    fn next(&self, choices: &[Choice]) -> usize {
        let passed = self.passed as usize;
        match self.place_of_last(choices) {
            None => passed,
            Some(last) if passed == 0 => last,
            // The others, without the last.
            Some(last) if passed <= last => passed - 1,
            Some(_) => passed,
        }
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.passed += 1;
    }

    fn step(&mut self, taken: &Taken<'_>) {
        if let Choice::Schedule(actor) = taken.choice {
            self.last = Some(actor);
        }
        self.passed = 0;
    }

    fn delays_freely(&self, choices: &[Choice]) -> bool {
        self.place_of_last(choices).is_none()
    }
}
