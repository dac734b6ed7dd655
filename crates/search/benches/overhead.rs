//! What the random search itself costs per step: the time of a search over a program whose steps are nearly free, less
//! the time of the bare steps. The aim is below 50 ns.
//!
//!     cargo bench -p fabius-search

use std::hint::black_box;
use std::time::Instant;

use fabius_explore::Strategy;
use fabius_model::{ActorId, Choice, Effect, Outcome, Program};
use fabius_search::Callbacks;
use fabius_search::sampling::random::{Limits, run};

const STEPS: u64 = 1000;
const RUNS: u64 = 5000;

/// Machines that can always move; a step adds one to the state.
struct Ticks {
    machines: u32,
}

impl Program for Ticks {
    type State = u64;
    type Bug = ();

    fn initial(&self) -> Outcome<u64, ()> {
        Outcome::State(0)
    }

    fn choices(&self, _state: &u64, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.extend((0..self.machines).map(|machine| Choice::Schedule(ActorId(machine))));
    }

    fn step(&self, state: &u64, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<u64, ()> {
        let Choice::Schedule(actor) = choice else { return Outcome::Bug(()) };
        effects.push(Effect::SentTo(actor));
        Outcome::State(state + 1)
    }

    fn end(&self, _state: &u64) -> Option<()> {
        None
    }

    fn fingerprint(&self, state: &u64) -> u128 {
        u128::from(*state)
    }

    fn writes_to(&self, _state: &u64, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(ActorId(machine)) = choice else { return None };
        Some(ActorId(machine / 2))
    }
}

fn main() {
    for machines in [2, 5, 10, 20] {
        let bare = bare_steps(machines);
        println!("{machines:>3} machines: {bare:>5.1} ns per bare step");
        for strategy in [
            Strategy::Random,
            Strategy::Pct { depth: 3, length: None },
            Strategy::FairPct { depth: 3, length: None, prefix: STEPS / 2 },
            Strategy::Pos,
        ] {
            let whole = searched_steps(machines, strategy);
            println!("              {:>5.1} ns more with {strategy}", whole - bare);
        }
    }
}

fn bare_steps(machines: u32) -> f64 {
    let program = Ticks { machines };
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    for _ in 0..RUNS {
        let mut state = 0;
        for _ in 0..STEPS {
            program.choices(&state, &mut choices);
            effects.clear();
            if let Outcome::State(next) = program.step(black_box(&state), choices[0], &mut effects) {
                state = next;
            }
        }
    }
    nanoseconds_per_step(begin)
}

fn searched_steps(machines: u32, strategy: Strategy) -> f64 {
    let limits = Limits { schedules: RUNS, max_steps: STEPS, ..Limits::default() };
    let begin = Instant::now();
    let callbacks = Callbacks { should_stop: &|| begin.elapsed().as_secs() > 600, ..Callbacks::default() };
    let report = run(|| Ticks { machines }, || strategy.scheduler(), &limits, &callbacks);
    assert_eq!(report.steps, RUNS * STEPS);
    nanoseconds_per_step(begin)
}

fn nanoseconds_per_step(begin: Instant) -> f64 {
    begin.elapsed().as_nanos() as f64 / (RUNS * STEPS) as f64
}
