//! The law of [`Durable`] as an executable check.

use super::{Budget, Checked, Law, ensure, nearest};
use crate::{Durable, Outcome};

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
    let mut all = Vec::new();
    nearest(program, budget.states, |state| {
        let (seen, next) = look(program, state);
        all.push(seen);
        Ok(next)
    })?;
    let mut saved = Vec::new();
    program.save(&mut saved).expect("memory can be written");
    let restored = other.restore(&mut saved.as_slice());
    ensure(restored.is_ok(), Law::Durable, || format!("nothing can be taken up: {restored:?}"))?;
    for seen in all {
        let state = other.unpack(&seen.words);
        ensure(state.is_some(), Law::Durable, || format!("there is no state {:?}", seen.words))?;
        let again = state.map(|state| look(other, &state).0);
        ensure(again.as_ref() == Some(&seen), Law::Durable, || {
            format!("{seen:?} is {again:?} when it was taken up")
        })?;
    }
    Ok(())
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
