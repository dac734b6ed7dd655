//! Probabilistic concurrency testing: random priorities, changed at a few random steps.
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs",
//! ASPLOS 2010. [BKMN10]
//!
//! Each machine gets a random priority, and the one with the highest among those that can move does. At `d - 1` random
//! steps the machine that was to move gets a priority lower than all initial ones. In a program with `n` machines whose
//! runs have at most `k` steps, a bug that needs `d` ordering constraints is found in a run with probability at least
//! 1 / (n k^(d-1)).
//!
//! | paper | here |
//! |---|---|
//! | d | `depth` |
//! | k | `length` |
//! | k_i, with priority i | `changes[..] = (step, i)` |
//!
//! Differences from the paper:
//! - Only *contested* steps are counted, those with at least two machines to choose from. Where one machine alone can
//!   move, the change of its priority has no effect before the next contested step, so nothing is lost, and `k` is
//!   smaller.
//! - The priority changes before the step, not after the one before it: the same for the reason above.
//! - When `k` is not given, it is the largest number of contested steps in the runs that [`RunStart`] tells of.
//! - Machines come into being during the run. A new one gets a random place among all priorities, the top one included.
//! - Two changes may fall on one step. They then concern the two machines next in line.
//! - Data choices are uniform and count as no step.

use fabius_model::{ActorId, Choice, Effect, Program};

use crate::{PerActor, Rng, RunStart, Scheduler};

/// The assumed `k` of the very first run, when nothing is known yet.
const FIRST_LENGTH: u64 = 100;

/// Initial priorities have this bit; those of change points, which are at most `depth`, do not.
const INITIAL: u64 = 1 << 63;

/// The PCT scheduler.
#[derive(Clone, Debug)]
pub struct Pct {
    depth: u32,
    length: Option<u64>,
    rng: Rng,
    priorities: PerActor<u64>,
    // Invariant: sorted; those before `next_change` are done.
    changes: Vec<(u64, u64)>,
    next_change: usize,
    contested: u64,
}

impl Pct {
    /// A scheduler with `depth - 1` changes over `length` contested steps.
    pub fn new(depth: u32, length: Option<u64>) -> Pct {
        Pct {
            depth,
            length,
            rng: Rng::from_seed(0),
            priorities: PerActor::new(),
            changes: Vec::new(),
            next_change: 0,
            contested: 0,
        }
    }

    pub(crate) fn begin(&mut self, start: RunStart) {
        self.rng = Rng::from_seed(start.seed);
        self.priorities.clear();
        self.contested = 0;
        self.next_change = 0;
        let known = if start.longest > 0 { start.longest } else { FIRST_LENGTH };
        let length = self.length.unwrap_or(known).max(1);
        self.changes.clear();
        for priority in 1..u64::from(self.depth) {
            self.changes.push((self.rng.below(length), priority));
        }
        self.changes.sort_unstable();
    }

    pub(crate) fn pick_position(&mut self, choices: &[Choice]) -> usize {
        if matches!(choices[0], Choice::Data(_)) {
            return self.rng.position(choices.len());
        }
        if choices.len() == 1 {
            return 0;
        }
        let mut picked = self.highest(choices);
        while let Some(&(step, priority)) = self.changes.get(self.next_change)
            && step == self.contested
        {
            // [BKMN10] section 3.1, point 3: the thread that reaches the i-th change point gets priority i.
            if let Choice::Schedule(actor) = choices[picked] {
                self.priorities.set(actor, priority);
            }
            self.next_change += 1;
            picked = self.highest(choices);
        }
        self.contested += 1;
        picked
    }

    pub(crate) fn random_position(&mut self, choices: &[Choice]) -> usize {
        self.rng.position(choices.len())
    }

    pub(crate) fn contested(&self) -> u64 {
        self.contested
    }

    fn highest(&mut self, choices: &[Choice]) -> usize {
        let mut best = (0, 0);
        for (position, choice) in choices.iter().enumerate() {
            if let Choice::Schedule(actor) = *choice {
                let priority = self.priority(actor);
                if priority > best.0 {
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
        // Drawn when it first matters. The order of `choices` is the same in every run and process, so this is too.
        let priority = self.rng.next_u64() | INITIAL;
        self.priorities.set(actor, priority);
        priority
    }
}

impl<P: Program> Scheduler<P> for Pct {
    fn begin_run(&mut self, start: RunStart) {
        self.begin(start);
    }

    fn pick(&mut self, _program: &P, _state: &P::State, choices: &[Choice]) -> usize {
        self.pick_position(choices)
    }

    fn observe(&mut self, _taken: Choice, _effects: &[Effect]) {}

    fn end_run(&mut self) -> u64 {
        self.contested
    }
}
