//! Partial order sampling: a random priority per pending operation, drawn again when operations race.
//!
//! Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018. [YYG18]
//!
//! The pending operation of each machine has a random priority; the highest moves. The next operation of the machine
//! that moved gets a fresh one, and so does every pending operation that raced with the step, because their order
//! was just decided and says nothing about the next. Orders of operations that do not race are not told apart, so that
//! the runs are spread over partial orders instead of interleavings.
//!
//! Differences from the paper: operations race when they write to the same queue
//! ([`Program::writes_to`](fabius_model::Program::writes_to)); data choices are uniform and no operations.

use fabius_model::{ActorId, Choice, Effect, Program};

use crate::{PerActor, Rng, RunStart, Scheduler};

/// The POS scheduler.
#[derive(Clone, Debug)]
pub struct Pos {
    rng: Rng,
    // The priorities of the operations that were pending at the last pick and still are.
    priorities: PerActor<u64>,
}

impl Pos {
    /// A POS scheduler; its numbers come with each run.
    pub fn new() -> Pos {
        Pos { rng: Rng::from_seed(0), priorities: PerActor::new() }
    }

    fn highest(&mut self, choices: &[Choice]) -> usize {
        let mut best = (0, 0);
        for (position, choice) in choices.iter().enumerate() {
            if let Choice::Schedule(actor) = *choice {
                let priority = self.priority(actor);
                if priority >= best.0 {
                    best = (priority, position);
                }
            }
        }
        best.1
    }

    #[inline]
    fn priority(&mut self, actor: ActorId) -> u64 {
        if let Some(priority) = self.priorities.get(actor) {
            return priority;
        }
        let priority = self.rng.next_u64();
        self.priorities.set(actor, priority);
        priority
    }

    /// Takes the priorities of the picked operation and of those that race with it away, so that new ones are drawn.
    fn redraw<P: Program>(&mut self, program: &P, state: &P::State, choices: &[Choice], picked: usize) {
        if let Choice::Schedule(actor) = choices[picked] {
            self.priorities.remove(actor);
        }
        let queue = program.writes_to(state, choices[picked]);
        if queue.is_none() {
            return;
        }
        for &choice in choices {
            // [YYG18] Algorithm 2: an enabled event that races with the executed one gets a new priority.
            if let Choice::Schedule(actor) = choice
                && program.writes_to(state, choice) == queue
            {
                self.priorities.remove(actor);
            }
        }
    }
}

impl Default for Pos {
    fn default() -> Pos {
        Pos::new()
    }
}

impl<P: Program> Scheduler<P> for Pos {
    fn begin_run(&mut self, start: RunStart) {
        self.rng = Rng::from_seed(start.seed);
        self.priorities.clear();
    }

    fn pick(&mut self, program: &P, state: &P::State, choices: &[Choice]) -> usize {
        if matches!(choices[0], Choice::Data(_)) {
            return self.rng.position(choices.len());
        }
        let picked = self.highest(choices);
        self.redraw(program, state, choices, picked);
        picked
    }

    fn observe(&mut self, _taken: Choice, effects: &[Effect]) {
        for effect in effects {
            // What a machine does when it can move again is another operation.
            if let Effect::Blocked(actor) | Effect::Halted(actor) = *effect {
                self.priorities.remove(actor);
            }
        }
    }
}
