//! The law of [`Durable`] as an executable check.

use super::{Budget, Checked, Law, ensure};
use crate::{Durable, Outcome};
use std::collections::{HashSet, VecDeque};

/// What a program says about a state that another value of it must say as well.
#[derive(Debug, PartialEq, Eq)]
struct Seen<Bug> {
    words: Vec<u32>,
    fingerprint: u128,
    next: Vec<Outcome<u128, Bug>>,
    end: Option<Bug>,
}

/// Lets `other`, which must have met no state, take up what `program` has met within the budget, and looks for differences.
pub fn check_durability<P: Durable>(program: &P, other: &P, budget: Budget) -> Checked<()> {
    let seen = breadth_first(program, budget.states);
    let mut saved = Vec::new();
    program.save(&mut saved).expect("memory can be written");
    let restored = other.restore(&mut saved.as_slice());
    ensure(restored.is_ok(), Law::Durable, || format!("nothing can be taken up: {restored:?}"))?;
    for seen in seen {
        let state = other.unpack(&seen.words);
        ensure(state.is_some(), Law::Durable, || format!("there is no state {:?}", seen.words))?;
        let again = state.map(|state| look(other, &state).0);
        ensure(again.as_ref() == Some(&seen), Law::Durable, || {
            format!("{seen:?} is {again:?} when it was taken up")
        })?;
    }
    Ok(())
}

fn breadth_first<P: Durable>(program: &P, limit: usize) -> Vec<Seen<P::Bug>> {
    let Outcome::State(initial) = program.initial() else { return Vec::new() };
    let mut met = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial]);
    let mut all = Vec::new();
    while let Some(state) = waiting.pop_front()
        && all.len() < limit
    {
        let (seen, next) = look(program, &state);
        all.push(seen);
        for state in next {
            if met.insert(state.clone()) {
                waiting.push_back(state);
            }
        }
    }
    all
}

/// What there is to see at a state, and the states it leads to.
fn look<P: Durable>(program: &P, state: &P::State) -> (Seen<P::Bug>, Vec<P::State>) {
    let mut choices = Vec::new();
    program.choices(state, &mut choices);
    let end = if choices.is_empty() { program.end(state) } else { None };
    let (mut next, mut states) = (Vec::new(), Vec::new());
    for choice in choices {
        next.push(match program.step(state, choice, &mut Vec::new()) {
            Outcome::State(state) => {
                let fingerprint = program.fingerprint(&state);
                states.push(state);
                Outcome::State(fingerprint)
            }
            Outcome::Bug(bug) => Outcome::Bug(bug),
        });
    }
    let words = program.words(state, &mut Vec::new()).to_vec();
    (Seen { words, fingerprint: program.fingerprint(state), next, end }, states)
}
