//! What steps tell: all of it to those who follow a run, and what explorers learn to those who search.

use super::{UNNUMBERED, Walk, Walker};
use crate::bug::Bug;
use fabius_model::{ActorId, Choice, Effect, Ending, Offer, Outcome, Sketches, Tale};

/// To whom a step tells what.
pub(super) enum Told<'a> {
    Nobody,
    All(&'a mut Vec<Effect>),
    Tale(&'a mut Learnt),
}

/// What explorers learn of a step.
#[derive(Debug)]
pub(super) struct Learnt {
    receiver: Option<ActorId>,
    /// Whether it can move only since then.
    enables: bool,
    end: Ending,
    /// Whether that is all.
    is_all: bool,
}

impl Told<'_> {
    #[inline]
    pub(super) fn push(&mut self, effect: Effect) {
        match self {
            Told::Nobody => {}
            Told::All(effects) => effects.push(effect),
            Told::Tale(learnt) => learnt.push(effect),
        }
    }
}

impl Learnt {
    fn new() -> Self {
        Self { receiver: None, enables: false, end: Ending::Enabled, is_all: true }
    }

    #[inline]
    fn push(&mut self, effect: Effect) {
        match effect {
            Effect::SentTo(receiver) => self.receiver = Some(receiver),
            Effect::Enabled(_) => self.enables = true,
            Effect::Blocked(_) => self.end = Ending::Blocked,
            Effect::Halted(_) => self.end = Ending::Halted,
            _ => self.is_all = false,
        }
    }
}

impl Walker {
    /// The number of a state's machines.
    #[inline]
    pub(super) fn number_of_machines(&self, walk: &Walk) -> u32 {
        if walk.machines == UNNUMBERED { self.rosters.number(&walk.roster) } else { walk.machines }
    }

    pub(super) fn offer_of(&self, walk: &Walk) -> Option<Offer> {
        let is_told = walk.chooser.is_none() && walk.roster.len() <= u64::BITS as usize;
        is_told.then(|| Offer { movers: walk.enabled.first(), machines: self.number_of_machines(walk) })
    }

    /// Adds where all choices lead, and what is told of them.
    pub(super) fn sketch_and_tell(
        &self,
        walk: &Walk,
        sketches: &mut Sketches<Walk, Box<Bug>>,
        tales: &mut Vec<Tale>,
    ) {
        let machines = self.number_of_machines(walk);
        let mut tell = |slot: usize, alternative: Option<u32>| {
            let mut next = walk.clone();
            (next.machines, next.chooser) = (machines, None);
            let mut learnt = Learnt::new();
            match self.branch(&mut next, slot, alternative, &mut Told::Tale(&mut learnt)) {
                Ok(_) => {
                    sketches.add(Outcome::State(next));
                    tales.push(self.tale(walk, slot, alternative, &learnt));
                }
                Err(bug) => {
                    sketches.add(Outcome::Bug(bug));
                    tales.push(Tale::UNTOLD);
                }
            }
        };
        match walk.chooser {
            None => walk.enabled.for_each(|slot| tell(slot, None)),
            Some(chooser) => {
                (0..walk.alternatives(chooser)).for_each(|number| tell(chooser, Some(number)));
            }
        }
    }

    /// What is told of a step of the machine in a slot.
    fn tale(&self, walk: &Walk, slot: usize, alternative: Option<u32>, learnt: &Learnt) -> Tale {
        // There is more to tell, or places do not fit.
        if !learnt.is_all || self.linked.options.hints || walk.roster.len() > usize::from(u8::MAX) {
            return Tale::UNTOLD;
        }
        let mut tale = Tale::new(slot as u8, learnt.end);
        if let Some(receiver) = learnt.receiver {
            tale = tale.sending(walk.slot(receiver) as u8, learnt.enables);
        }
        alternative.map_or(tale, |alternative| tale.choosing(alternative))
    }

    /// The choice of which something was told, and the effects of its step, in the order in which steps tell them.
    pub(super) fn tell(&self, walk: &Walk, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        let mover = walk.roster[tale.mover()];
        if let Some((receiver, enables)) = tale.receiver() {
            effects.push(Effect::SentTo(walk.roster[receiver]));
            effects.extend(enables.then_some(Effect::Enabled(walk.roster[receiver])));
        }
        match tale.end() {
            Ending::Enabled => {}
            Ending::Blocked => effects.push(Effect::Blocked(mover)),
            Ending::Halted => effects.push(Effect::Halted(mover)),
        }
        tale.alternative().map_or(Choice::Schedule(mover), Choice::Data)
    }
}
