//! The laws of [`Program`] and of [`Durable`](crate::Durable) as executable checks.
//!
//! Two kinds of walks look for violations: a breadth-first one over the states nearest to the start, which compares all
//! that is known about equal states and asks everything again on other threads; and random runs, which go deeper.
//! *Guarantees*: what it reports is a violation. *Does not guarantee*: that there is none beyond the budget, nor that
//! another process would give the same answers; for the latter, [`check_agreement`] compares two values of a program.

mod durability;
mod movers;
mod sketches;

pub use durability::check_durability;
pub use sketches::check_sketches;

use crate::{ActorId, Choice, Effect, Outcome, Program};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::{Debug, Display};

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// States of the breadth-first walk.
    pub states: usize,
    /// Random runs.
    pub runs: usize,
    /// Steps of each.
    pub steps: usize,
    /// The seed of the runs.
    pub seed: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: 2_000, runs: 20, steps: 200, seed: 1 }
    }
}

/// The laws; those with a number as in the documentation of [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// Law 1.
    Deterministic,
    /// Law 2.
    WellFormedChoices,
    /// Law 3.
    EqualFutures,
    /// Law 4.
    Fingerprints,
    /// Law 5.
    CompleteEffects,
    /// Law 6.
    Proceeding,
    /// Law 7.
    Drawing,
    /// The second, third, seventh and eighth law of [`Packed`](crate::Packed).
    Sketches,
    /// Its other ones.
    Movers,
    /// The law of [`Durable`](crate::Durable).
    Durable,
}

/// A law that a program breaks, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// What was seen.
    pub message: String,
}

impl Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.law, self.message)
    }
}

impl std::error::Error for Violation {}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Different states of the breadth-first walk.
    pub states: usize,
    /// Whether those are all the program has.
    pub is_complete: bool,
    /// Steps of the random runs.
    pub steps: usize,
}

type Checked<T> = Result<T, Violation>;

fn ensure(holds: bool, law: Law, message: impl FnOnce() -> String) -> Checked<()> {
    if holds { Ok(()) } else { Err(Violation { law, message: message() }) }
}

/// Looks at the states nearest to the start, at most so many. `look` gives the states that a state leads to.
fn nearest<P: Program>(
    program: &P,
    limit: usize,
    mut look: impl FnMut(&P::State) -> Checked<Vec<P::State>>,
) -> Checked<()> {
    let Outcome::State(initial) = program.initial() else { return Ok(()) };
    let mut met = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial]);
    for _ in 0..limit {
        let Some(state) = waiting.pop_front() else { break };
        for next in look(&state)? {
            if met.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    Ok(())
}

/// Looks for violations of the laws within the budget.
pub fn check_conformance<P: Program>(program: &P, budget: Budget) -> Checked<Coverage> {
    ensure(program.initial() == program.initial(), Law::Deterministic, || "two initial states".into())?;
    let mut coverage = Coverage::default();
    let Outcome::State(initial) = program.initial() else { return Ok(coverage) };
    let mut walk = Walk::new(program);
    coverage.is_complete = walk.breadth_first(initial.clone(), budget.states)?;
    coverage.states = walk.states.len();
    walk.repeat_on_threads()?;
    let mut random = Random(budget.seed);
    for _ in 0..budget.runs {
        coverage.steps += random_run(program, initial.clone(), budget.steps, &mut random)?;
    }
    Ok(coverage)
}

/// Looks for differences between two values of the same program, which may have met states in different orders or keep
/// them in different ways: the same choices by position must lead to states with the same fingerprints.
pub fn check_agreement<P, Q>(first: &P, second: &Q, budget: Budget) -> Checked<()>
where
    P: Program,
    Q: Program<Bug = P::Bug>,
{
    let mut random = Random(budget.seed);
    for _ in 0..budget.runs {
        let (Outcome::State(mut a), Outcome::State(mut b)) = (first.initial(), second.initial()) else {
            return Ok(());
        };
        let (mut choices_a, mut choices_b) = (Vec::new(), Vec::new());
        for _ in 0..budget.steps {
            ensure(first.fingerprint(&a) == second.fingerprint(&b), Law::Fingerprints, || {
                format!("two values of the program differ on {a:?}")
            })?;
            first.choices(&a, &mut choices_a);
            second.choices(&b, &mut choices_b);
            ensure(choices_a.len() == choices_b.len(), Law::WellFormedChoices, || {
                format!("two values of the program have {choices_a:?} and {choices_b:?}")
            })?;
            if choices_a.is_empty() {
                ensure(first.end(&a) == second.end(&b), Law::Deterministic, || {
                    format!("two values of the program differ on the end in {a:?}")
                })?;
                break;
            }
            let at = random.below(choices_a.len());
            let next_a = first.proceed(&mut a, choices_a[at], &mut Vec::new());
            let next_b = second.proceed(&mut b, choices_b[at], &mut Vec::new());
            match (next_a, next_b) {
                (Ok(()), Ok(())) => {}
                (Err(a), Err(b)) if a == b => break,
                (a, b) => {
                    let message = format!("two values of the program lead to {a:?} and {b:?}");
                    return Err(Violation { law: Law::Deterministic, message });
                }
            }
        }
    }
    Ok(())
}

/// Everything a program says about a state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers<State, Bug> {
    choices: Vec<Choice>,
    steps: Vec<(Outcome<State, Bug>, Vec<Effect>)>,
    end: Option<Bug>,
    fingerprint: u128,
}

fn ask<P: Program>(program: &P, state: &P::State) -> Answers<P::State, P::Bug> {
    let mut choices = vec![Choice::Data(7)];
    program.choices(state, &mut choices);
    let step = |choice: &Choice| {
        let mut effects = Vec::new();
        (program.step(state, *choice, &mut effects), effects)
    };
    // Backward, so that the order of asking differs from that of a second round's answers.
    let mut steps: Vec<_> = choices.iter().rev().map(step).collect();
    steps.reverse();
    let end = if choices.is_empty() { program.end(state) } else { None };
    Answers { steps, end, fingerprint: program.fingerprint(state), choices }
}

struct Walk<'p, P: Program> {
    program: &'p P,
    /// What was answered for each state.
    states: HashMap<P::State, Answers<P::State, P::Bug>>,
    fingerprints: HashMap<u128, P::State>,
}

impl<'p, P: Program> Walk<'p, P> {
    fn new(program: &'p P) -> Self {
        Self { program, states: HashMap::new(), fingerprints: HashMap::new() }
    }

    /// Visits states nearest first; whether all were visited.
    fn breadth_first(&mut self, initial: P::State, limit: usize) -> Checked<bool> {
        let mut waiting = VecDeque::from([(initial, None)]);
        while let Some((state, enabled)) = waiting.pop_front() {
            let answers = ask(self.program, &state);
            check_choices(&answers.choices, &state)?;
            if let Some(known) = self.states.get(&state) {
                check_equal_futures(known, &answers, &state)?;
                continue;
            }
            if self.states.len() >= limit {
                return Ok(false);
            }
            let again = ask(self.program, &state);
            ensure(answers == again, Law::Deterministic, || {
                format!("{state:?}: {answers:?}, then {again:?}")
            })?;
            self.check_fingerprint(&state, answers.fingerprint)?;
            let before = schedulable(&answers.choices).or(enabled);
            for (choice, (outcome, effects)) in answers.choices.iter().zip(&answers.steps) {
                let Outcome::State(next) = outcome else { continue };
                let after = before.clone().map(|before| after(before, effects)).transpose()?;
                check_effects(self.program, &state, *choice, next, after.as_ref())?;
                waiting.push_back((next.clone(), after));
            }
            self.states.insert(state, answers);
        }
        Ok(true)
    }

    fn check_fingerprint(&mut self, state: &P::State, fingerprint: u128) -> Checked<()> {
        let other = self.fingerprints.insert(fingerprint, state.clone());
        ensure(other.as_ref().is_none_or(|other| other == state), Law::Fingerprints, || {
            format!("{state:?} and {other:?} share {fingerprint:#034x}")
        })
    }

    /// Asks for everything again on two threads at once.
    fn repeat_on_threads(&self) -> Checked<()> {
        let repeat = || {
            self.states.iter().try_for_each(|(state, answers)| {
                let again = ask(self.program, state);
                ensure(*answers == again, Law::Deterministic, || {
                    format!("{state:?}: {answers:?}, on another thread {again:?}")
                })
            })
        };
        std::thread::scope(|scope| {
            let threads = [scope.spawn(repeat), scope.spawn(repeat)];
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }
}

fn check_choices(choices: &[Choice], state: &impl Debug) -> Checked<()> {
    let different: HashSet<_> = choices.iter().collect();
    let in_order = choices.iter().enumerate().all(|(at, choice)| *choice == Choice::Data(at as u32));
    let all_schedule = choices.iter().all(|choice| matches!(choice, Choice::Schedule(_)));
    ensure(different.len() == choices.len() && (in_order || all_schedule), Law::WellFormedChoices, || {
        format!("{state:?} has {choices:?}")
    })
}

fn check_equal_futures<State: Debug + Eq, Bug: Debug + Eq>(
    known: &Answers<State, Bug>,
    answers: &Answers<State, Bug>,
    state: &State,
) -> Checked<()> {
    ensure(known.fingerprint == answers.fingerprint, Law::Fingerprints, || {
        format!(
            "states equal to {state:?} have {:#034x} and {:#034x}",
            known.fingerprint, answers.fingerprint
        )
    })?;
    ensure(known == answers, Law::EqualFutures, || {
        format!("states equal to {state:?} have {known:?} and {answers:?}")
    })
}

/// The actors of schedule choices; `None` for data choices, which hide them.
fn schedulable(choices: &[Choice]) -> Option<BTreeSet<ActorId>> {
    let actor = |choice: &Choice| match choice {
        Choice::Schedule(actor) => Some(*actor),
        Choice::Data(_) => None,
    };
    choices.iter().map(actor).collect()
}

/// Who can be scheduled after a step with these effects.
fn after(mut enabled: BTreeSet<ActorId>, effects: &[Effect]) -> Checked<BTreeSet<ActorId>> {
    for effect in effects {
        let fits = match effect {
            Effect::Created(actor) | Effect::Enabled(actor) => enabled.insert(*actor),
            Effect::Blocked(actor) => enabled.remove(actor),
            Effect::Halted(actor) => {
                enabled.remove(actor);
                true
            }
            _ => true,
        };
        ensure(fits, Law::CompleteEffects, || format!("{effect:?} among {effects:?} changes nothing"))?;
    }
    Ok(enabled)
}

fn check_effects<P: Program>(
    program: &P,
    state: &P::State,
    choice: Choice,
    next: &P::State,
    expected: Option<&BTreeSet<ActorId>>,
) -> Checked<()> {
    let mut choices = Vec::new();
    program.choices(next, &mut choices);
    let (Some(expected), Some(actual)) = (expected, schedulable(&choices)) else { return Ok(()) };
    ensure(*expected == actual, Law::CompleteEffects, || {
        format!("after {choice:?} in {state:?}, {actual:?} can move, but the effects say {expected:?}")
    })
}

/// Runs at random; returns the number of steps.
fn random_run<P: Program>(
    program: &P,
    initial: P::State,
    limit: usize,
    random: &mut Random,
) -> Checked<usize> {
    let (mut state, mut choices, mut effects) = (initial, Vec::new(), Vec::new());
    let mut enabled = None;
    for step in 0..limit {
        program.choices(&state, &mut choices);
        check_choices(&choices, &state)?;
        if choices.is_empty() {
            return Ok(step);
        }
        let before = schedulable(&choices).or(enabled);
        let position = random.below(choices.len());
        let choice = choices[position];
        effects.clear();
        let outcome = program.step(&state, choice, &mut effects);
        let again = program.step(&state, choice, &mut Vec::new());
        ensure(outcome == again, Law::Deterministic, || {
            format!("{choice:?} in {state:?}: {outcome:?}, {again:?}")
        })?;
        check_proceeding(program, &state, choice, &outcome, &effects)?;
        check_drawing(program, &state, choices.len(), position, &outcome)?;
        let Outcome::State(next) = outcome else { return Ok(step + 1) };
        enabled = before.map(|before| after(before, &effects)).transpose()?;
        check_effects(program, &state, choice, &next, enabled.as_ref())?;
        state = next;
    }
    Ok(limit)
}

fn check_proceeding<P: Program>(
    program: &P,
    state: &P::State,
    choice: Choice,
    expected: &Outcome<P::State, P::Bug>,
    expected_effects: &[Effect],
) -> Checked<()> {
    let (mut next, mut effects) = (state.clone(), Vec::new());
    let outcome = match program.proceed(&mut next, choice, &mut effects) {
        Ok(()) => Outcome::State(next),
        Err(bug) => Outcome::Bug(bug),
    };
    let is_bug = matches!(outcome, Outcome::Bug(_));
    ensure(outcome == *expected && (is_bug || effects == expected_effects), Law::Proceeding, || {
        format!("{choice:?} in {state:?} proceeds to {outcome:?}, {effects:?}; a step leads to {expected:?}")
    })
}

fn check_drawing<P: Program>(
    program: &P,
    state: &P::State,
    choices: usize,
    position: usize,
    expected: &Outcome<P::State, P::Bug>,
) -> Checked<()> {
    let count = program.count_choices(state);
    ensure(count.is_none_or(|count| count == choices), Law::Drawing, || {
        format!("{state:?} has {choices} choices, not {count:?}")
    })?;
    let mut next = state.clone();
    let outcome = match program.proceed_at(&mut next, position) {
        Ok(()) => Outcome::State(next),
        Err(bug) => Outcome::Bug(bug),
    };
    ensure(outcome == *expected, Law::Drawing, || {
        format!("position {position} in {state:?} leads to {outcome:?}; its choice leads to {expected:?}")
    })
}

/// Random numbers: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

#[cfg(test)]
mod tests;
