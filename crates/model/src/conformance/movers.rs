//! The laws of [`Packed`] about machines that can move: their places, and what their moves touch.

use super::{Checked, Law, ensure};
use crate::{ActorId, Choice, Offer, Outcome, Packed, Sketches, Things, Touched};
use std::collections::{HashMap, HashSet};

/// What must be the same in all states.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Which machine was seen before which.
    before: HashSet<(ActorId, ActorId)>,
    /// What each offer stood for.
    offers: HashMap<Offer, Vec<Choice>>,
}

/// A machine that can move.
#[derive(Clone, Copy, Debug)]
struct Mover {
    place: u32,
    actor: ActorId,
}

impl Order {
    /// Checks what a program says of the movers of a state.
    pub(super) fn check<P: Packed>(&mut self, program: &P, state: &P::State) -> Checked<()> {
        let movers = movers(program, state)?;
        for (at, first) in movers.iter().enumerate() {
            for second in &movers[at + 1..] {
                self.before.insert((first.actor, second.actor));
                ensure(!self.before.contains(&(second.actor, first.actor)), Law::Movers, || {
                    format!("{first:?} is before {second:?} in {state:?}, and elsewhere behind it")
                })?;
            }
        }
        self.check_offer(program, state)?;
        // By what is known from the states before, and then from this one.
        check_touched(program, state, &movers)?;
        check_some(program, state)?;
        check_touched(program, state, &movers)
    }

    /// Compares the choices of a state with those that had the same offer before.
    fn check_offer<P: Packed>(&mut self, program: &P, state: &P::State) -> Checked<()> {
        let Some(offer) = program.offer(state) else { return Ok(()) };
        let mut choices = Vec::new();
        program.choices(state, &mut choices);
        let offered = self.offers.entry(offer).or_insert_with(|| choices.clone());
        let are_moves = choices.iter().all(|choice| matches!(choice, Choice::Schedule(_)));
        ensure(are_moves && *offered == choices, Law::Movers, || {
            format!("{state:?} has {choices:?}, another state with {offer:?} had {offered:?}")
        })
    }
}

/// The machines that can move, if their places are told.
fn movers<P: Packed>(program: &P, state: &P::State) -> Checked<Vec<Mover>> {
    let (mut choices, mut bits) = (Vec::new(), program.movers(state));
    program.choices(state, &mut choices);
    if bits == 0 {
        return Ok(Vec::new());
    }
    ensure(bits.count_ones() as usize == choices.len(), Law::Movers, || {
        format!("{state:?} has {choices:?} and movers {bits:#b}")
    })?;
    let mover = |choice: &Choice| {
        let place = bits.trailing_zeros();
        bits &= bits - 1;
        match choice {
            Choice::Schedule(actor) => Ok(Mover { place, actor: *actor }),
            Choice::Data(_) => {
                Err(super::Violation { law: Law::Movers, message: format!("{state:?} has data choices") })
            }
        }
    };
    choices.iter().map(mover).collect()
}

/// Compares sketches of some movers with those of all.
fn check_some<P: Packed>(program: &P, state: &P::State) -> Checked<()> {
    let all = program.movers(state);
    if all == 0 {
        return Ok(());
    }
    let mut sketches = Sketches::default();
    program.sketch(state, &mut sketches);
    for mask in [u64::MAX, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA] {
        let mut some = Sketches::default();
        program.sketch_movers(state, all & mask, &mut some);
        let mut last = Sketches::default();
        program.sketch_last_movers(state.clone(), all & mask, &mut last, &mut [Things::default(); _]);
        let places = (0..u64::BITS).filter(|place| all >> place & 1 == 1);
        let wanted: Vec<usize> =
            places.enumerate().filter(|(_, place)| mask >> place & 1 == 1).map(|(index, _)| index).collect();
        let are_same = some.len() == wanted.len()
            && last.len() == wanted.len()
            && wanted.iter().enumerate().all(|(at, index)| {
                some.get(at) == sketches.get(*index) && last.get(at) == sketches.get(*index)
            });
        ensure(are_same, Law::Movers, || {
            format!("movers {mask:#b} of {state:?} are sketched as {some:?}, the last time as {last:?}")
        })?;
    }
    Ok(())
}

/// Checks what the moves of a state touch, as told before and with its last sketches.
fn check_touched<P: Packed>(program: &P, state: &P::State, all: &[Mover]) -> Checked<()> {
    let movers = program.movers(state);
    let (mut touched, mut touched_last): (Touched, Touched) =
        ([Things::default(); _], [Things::default(); _]);
    if movers != 0 {
        program.touched(state, movers, &mut touched);
        program.sketch_last_movers(state.clone(), movers, &mut Sketches::default(), &mut touched_last);
    }
    check_commute(program, state, all, &touched)?;
    check_commute(program, state, all, &touched_last)
}

/// Takes each two moves that touch nothing in common in both orders.
fn check_commute<P: Packed>(program: &P, state: &P::State, all: &[Mover], touched: &Touched) -> Checked<()> {
    for mover in all {
        ensure(touched[mover.place as usize].0[0] >> mover.place & 1 == 1, Law::Movers, || {
            format!("{mover:?} does not touch itself in {state:?}")
        })?;
    }
    for (at, first) in all.iter().enumerate() {
        for second in &all[at + 1..] {
            if !touched[first.place as usize].meet(touched[second.place as usize]) {
                check_commuting(program, state, *first, *second)?;
            }
        }
    }
    Ok(())
}

fn check_commuting<P: Packed>(program: &P, state: &P::State, first: Mover, second: Mover) -> Checked<()> {
    let after_first = step(program, state, first);
    let after_second = step(program, state, second);
    let mut ends = Vec::new();
    for (after, other, alone) in [(&after_first, second, &after_second), (&after_second, first, &after_first)]
    {
        let Outcome::State(after) = after else { continue };
        let is_there = movers(program, after)?
            .iter()
            .any(|mover| (mover.place, mover.actor) == (other.place, other.actor));
        ensure(is_there, Law::Movers, || format!("{other:?} of {state:?} cannot move in {after:?}"))?;
        let end = step(program, after, other);
        match (&end, alone) {
            (Outcome::State(_), Outcome::State(_)) => ends.push(end),
            (Outcome::Bug(bug), Outcome::Bug(same)) if bug == same => {}
            _ => {
                let message =
                    format!("{other:?} leads from {state:?} to {alone:?}, from {after:?} to {end:?}");
                return Err(super::Violation { law: Law::Movers, message });
            }
        }
    }
    ensure(ends.windows(2).all(|both| both[0] == both[1]), Law::Movers, || {
        format!("{first:?} and {second:?} do not commute in {state:?}: {ends:?}")
    })
}

fn step<P: Packed>(program: &P, state: &P::State, mover: Mover) -> Outcome<P::State, P::Bug> {
    program.step(state, Choice::Schedule(mover.actor), &mut Vec::new())
}
