//! The laws of [`Packed`] as executable checks.

use std::collections::HashMap;

use super::movers::Order;
use super::{Checked, Law, ensure, nearest};
use crate::{Choice, Effect, Outcome, Packed, Sketch, Sketches, Tale};

/// Compares the sketches of the states nearest to the start, at most so many, with the steps that they stand for, and what
/// is said of machines that can move with how they do.
pub fn check_sketches<P: Packed>(program: &P, states: usize) -> Checked<()> {
    let (mut order, mut tales) = (Order::default(), Tales::new());
    nearest(program, states, |state| {
        // What is found out about movers here may be told of them in the next states, too.
        order.check(program, state)?;
        compare(program, state, &mut tales)
    })
}

/// Of what something was told of some machines: the choice, and its effects.
type Tales = HashMap<(u32, Tale), (Choice, Vec<Effect>)>;

/// Compares the sketches of one state; gives the states that steps lead to.
fn compare<P: Packed>(program: &P, state: &P::State, tales: &mut Tales) -> Checked<Vec<P::State>> {
    let mut choices = Vec::new();
    program.choices(state, &mut choices);
    let mut sketches = Sketches::default();
    program.sketch(state, &mut sketches);
    ensure(sketches.len() == choices.len(), Law::Sketches, || {
        format!("{state:?} has {} choices and {} sketches", choices.len(), sketches.len())
    })?;
    compare_last(program, state, &sketches)?;
    compare_unpacked(program, state)?;
    compare_detached(program, state)?;
    compare_told(program, state, &sketches, tales)?;
    let words = program.words(state, &mut Vec::new()).to_vec();
    let mut added = vec![7];
    program.add_words(state, &mut Vec::new(), &mut added);
    ensure(added[0] == 7 && added[1..] == words, Law::Sketches, || {
        format!("{state:?} has the words {words:?}, added to others {added:?}")
    })?;
    let mut next = Vec::new();
    for (index, choice) in choices.into_iter().enumerate() {
        let found = program.choice(state, index, &mut Vec::new());
        ensure(found == choice, Law::Sketches, || {
            format!("choice {index} of {state:?} is {choice:?}, by its position {found:?}")
        })?;
        let mut one = Sketches::default();
        program.sketch_choice(state, choice, &mut one);
        ensure(one.len() == 1 && one.get(0) == sketches.get(index), Law::Sketches, || {
            format!("{choice:?} of {state:?} is sketched as {one:?}, among all choices otherwise")
        })?;
        let outcome = program.step(state, choice, &mut Vec::new());
        if let Sketch::Changed { fingerprint, edits } = sketches.get(index) {
            let mut drawn = words.clone();
            edits.iter().for_each(|(at, word)| drawn[*at as usize] = *word);
            let is_drawn = match &outcome {
                Outcome::State(after) => {
                    program.fingerprint(after) == fingerprint
                        && program.words(after, &mut Vec::new()) == drawn
                }
                Outcome::Bug(_) => false,
            };
            ensure(is_drawn, Law::Sketches, || {
                format!(
                    "{choice:?} of {state:?} leads to {outcome:?}, sketched as {drawn:?}, {fingerprint:#034x}"
                )
            })?;
        }
        let taken = sketches.take(index, program, state);
        ensure(taken == outcome, Law::Sketches, || {
            format!("{choice:?} of {state:?} leads to {outcome:?}, a sketch to {taken:?}")
        })?;
        if let Outcome::State(after) = outcome {
            ensure(
                matches!(&taken, Outcome::State(taken) if program.fingerprint(taken) == program.fingerprint(&after)),
                Law::Sketches,
                || format!("{taken:?} and {after:?} are equal and have different fingerprints"),
            )?;
            next.push(after);
        }
    }
    Ok(next)
}

/// Compares what is told of the steps of a state with their effects.
fn compare_told<P: Packed>(
    program: &P,
    state: &P::State,
    sketches: &Sketches<P::State, P::Bug>,
    tales: &mut Tales,
) -> Checked<()> {
    let mut choices = Vec::new();
    program.choices(state, &mut choices);
    let (mut again, mut told) = (Sketches::default(), vec![Tale::UNTOLD]);
    program.sketch_told(state, &mut again, &mut told);
    let machines = program.machines(state);
    let is_same = (0..choices.len()).all(|index| again.get(index) == sketches.get(index));
    let are_all = again.len() == choices.len() && told.len() == 1 + choices.len();
    let is_offered = program
        .offer(state)
        .is_none_or(|offer| offer.machines == machines || told.iter().all(|tale| *tale == Tale::UNTOLD));
    ensure(is_same && are_all && is_offered, Law::Sketches, || {
        format!("{state:?} is sketched as {sketches:?}, with tales as {again:?} and {told:?}")
    })?;
    for (index, (choice, tale)) in choices.into_iter().zip(told.split_off(1)).enumerate() {
        if tale == Tale::UNTOLD {
            continue;
        }
        let (mut effects, mut told, mut later) = (Vec::new(), Vec::new(), Vec::new());
        let after = program.step(state, choice, &mut effects);
        let found = program.told(state, tale, &mut told);
        let before = tales.entry((machines, tale)).or_insert_with(|| (choice, effects.clone()));
        let is_true = (found, &told) == (choice, &effects) && *before == (choice, told.clone());
        let is_same = !matches!(sketches.get(index), Sketch::Made(Outcome::Bug(_)))
            && matches!(&after, Outcome::State(after) if program.machines(after) == machines
                && program.told(after, tale, &mut later) == choice && later == effects);
        ensure(is_true && is_same, Law::Sketches, || {
            format!(
                "{choice:?} of {state:?} has the effects {effects:?}, told as {tale:?}: {found:?}, {told:?}"
            )
        })?;
    }
    Ok(())
}

/// Compares a state with what is made of its words, if that can be.
fn compare_unpacked<P: Packed>(program: &P, state: &P::State) -> Checked<()> {
    if !P::UNPACKS {
        return Ok(());
    }
    let words = program.words(state, &mut Vec::new()).to_vec();
    let unpacked = program.unpack(&words);
    let is_same = unpacked.as_ref().is_some_and(|unpacked| {
        unpacked == state
            && program.words(unpacked, &mut Vec::new()) == words
            && program.fingerprint(unpacked) == program.fingerprint(state)
            && program.machines(unpacked) == program.machines(state)
    });
    ensure(is_same, Law::Sketches, || format!("the words of {state:?} make {unpacked:?}"))
}

/// Compares a state with what it is once it shares nothing.
fn compare_detached<P: Packed>(program: &P, state: &P::State) -> Checked<()> {
    let mut detached = state.clone();
    program.detach(&mut detached);
    let words = program.words(state, &mut Vec::new()).to_vec();
    let is_same = detached == *state
        && program.words(&detached, &mut Vec::new()) == words
        && program.fingerprint(&detached) == program.fingerprint(state);
    ensure(is_same, Law::Sketches, || format!("{state:?} is {detached:?} once it is detached"))
}

/// Compares the sketches of a state with those that may be made of it.
fn compare_last<P: Packed>(
    program: &P,
    state: &P::State,
    sketches: &Sketches<P::State, P::Bug>,
) -> Checked<()> {
    let mut last = Sketches::default();
    let left = program.sketch_last(state.clone(), &mut last);
    let is_same = |index| {
        let sketch = last.get(index);
        sketch == sketches.get(index) && (left.is_some() || matches!(sketch, Sketch::Made(_)))
    };
    let is_left = left.as_ref().map_or(!sketches.is_empty(), |left| left == state);
    let are_same = is_left && last.len() == sketches.len() && (0..last.len()).all(is_same);
    ensure(are_same, Law::Sketches, || {
        format!("{state:?} is sketched as {sketches:?}, the last time as {last:?}, and {left:?} is left")
    })
}
