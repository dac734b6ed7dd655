//! The trait of delaying explorers and its law.
//!
//! A delaying explorer — Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015
//! [DQS15] — is a deterministic strategy with a state of its own. `next` names the choice to take; `delay` moves on to
//! the strategy's next candidate; `step` tells it what the taken step did. The run without delays is the strategy's
//! *natural run*; *stratum k* are the runs with exactly k delays.
//!
//! Data choices need no strategy: false comes before true and smaller before larger, and a delay moves on by one. A
//! [`Cursor`] adds this to an explorer, so that searches need not tell the two apart.

use std::fmt::Debug;
use std::hash::Hash;

use fabius_model::{ActorId, Choice, Effect};

/// What an explorer learns from a step.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// The choice that was taken.
    pub choice: Choice,
    /// What it did. Programs that were asked for hints tell them here too.
    pub effects: &'a [Effect],
    /// Some bits of the content of the state it led to, equal in every run and process.
    pub fingerprint: u64,
}

/// A deterministic strategy that can be delayed.
///
/// # Laws
///
/// 1. *Sound*: at every state with n schedule choices, applying `delay` 0, 1, …, n-1 times makes `next` name each of
///    them once, in the order that `order` tells. [`unsound_at`] looks for a state that breaks it.
/// 2. *Functional*: what `next` names is a function of the explorer's value and of the choices; equal explorers stay equal
///    when they are told the same. Randomness is drawn when the explorer is told of something, and kept.
pub trait Explorer: Clone + Eq + Hash + Debug + Send + Sync {
    /// Learns which actors can move in the initial state.
    fn begin(&mut self, enabled: &[ActorId], fingerprint: u64);

    /// The position, among schedule choices, of the one to take.
    fn next(&self, choices: &[Choice]) -> usize;

    /// Moves on to the next candidate.
    fn delay(&mut self, choices: &[Choice]);

    /// Learns what the step of the taken choice did. Also told of steps of data choices.
    fn step(&mut self, taken: &Taken<'_>);

    /// Tells the positions that `next` names after 0 delays, 1 and so on, at a state where none was spent; false if some of
    /// these delays cost nothing. An explorer that need not delay a copy of itself for that has its own version.
    fn order(&self, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        order_by_delays(self, choices, positions)
    }

    /// Whether what it becomes follows from its own value, the taken choice and the effects alone: `delay` does not look at
    /// the choices, nor `step` at the fingerprint. Then a search may remember it.
    fn keeps_to_itself(&self) -> bool {
        false
    }

    /// What it is at any state with this fingerprint, whatever it was told before; `None` if that matters. It is always the
    /// one or always the other. Then a search need not keep it.
    fn afresh(&self, fingerprint: u64) -> Option<Self> {
        let _ = fingerprint;
        None
    }

    /// Whether a delay costs nothing at a state with these schedule choices, because no candidate is preferred there.
    fn delays_freely(&self, choices: &[Choice]) -> bool {
        let _ = choices;
        false
    }
}

/// An explorer at a state, with the delays spent there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor<E> {
    explorer: E,
    delays: u32,
}

impl<E: Explorer> Cursor<E> {
    /// An explorer at the initial state.
    pub fn begin(mut explorer: E, choices: &[Choice], fingerprint: u64) -> Cursor<E> {
        let actor = |choice: &Choice| match choice {
            Choice::Schedule(actor) => Some(*actor),
            Choice::Data(_) => None,
        };
        let enabled: Vec<ActorId> = choices.iter().filter_map(actor).collect();
        explorer.begin(&enabled, fingerprint);
        Cursor { explorer, delays: 0 }
    }

    /// An explorer at a state where no delay was spent yet.
    pub fn at(explorer: E) -> Cursor<E> {
        Cursor { explorer, delays: 0 }
    }

    /// The same with another explorer; its memory is used again.
    pub fn restart(&mut self, explorer: &E) {
        self.explorer.clone_from(explorer);
        self.delays = 0;
    }

    /// The position of the choice to take.
    #[inline]
    pub fn next(&self, choices: &[Choice]) -> usize {
        match choices.first() {
            Some(Choice::Data(_)) => self.delays as usize,
            _ => self.explorer.next(choices),
        }
    }

    /// The same for an explorer at a state where no delay was spent yet.
    #[inline]
    pub fn first(explorer: &E, choices: &[Choice]) -> usize {
        match choices.first() {
            Some(Choice::Data(_)) => 0,
            _ => explorer.next(choices),
        }
    }

    /// The positions of the choices to take after 0 delays, 1 and so on, for an explorer at a state where none was spent yet;
    /// false if some of these delays cost the explorer nothing.
    #[inline]
    pub fn order(explorer: &E, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        match choices.first() {
            Some(Choice::Data(_)) => {
                positions.clear();
                positions.extend(0..choices.len());
                true
            }
            _ => explorer.order(choices, positions),
        }
    }

    /// How many delays were spent at this state.
    pub fn delays(&self) -> u32 {
        self.delays
    }

    /// Whether there is a candidate left to move on to.
    pub fn can_delay(&self, choices: &[Choice]) -> bool {
        self.delays as usize + 1 < choices.len()
    }

    /// Moves on to the next candidate, if there is one left.
    pub fn delay(&mut self, choices: &[Choice]) -> bool {
        if !self.can_delay(choices) {
            return false;
        }
        if let Some(Choice::Schedule(_)) = choices.first() {
            self.explorer.delay(choices);
        }
        self.delays += 1;
        true
    }

    /// Goes to the state that the taken step led to.
    pub fn step(&mut self, taken: &Taken<'_>) {
        self.explorer.step(taken);
        self.delays = 0;
    }

    /// The explorer's own state.
    pub fn explorer(&self) -> &E {
        &self.explorer
    }

    /// The explorer's own state.
    pub fn into_explorer(self) -> E {
        self.explorer
    }
}

/// A choice that the explorer names twice or never at a state with these choices, or in another place than it tells; `None`
/// if it obeys the law of soundness there.
pub fn unsound_at<E: Explorer>(cursor: &Cursor<E>, choices: &[Choice]) -> Option<Choice> {
    let mut cursor = Cursor { explorer: cursor.explorer.clone(), delays: 0 };
    let mut order = Vec::new();
    let is_told = Cursor::order(&cursor.explorer, choices, &mut order);
    let mut named = vec![0u32; choices.len()];
    for told in 0..choices.len() {
        let position = cursor.next(choices);
        *named.get_mut(position)? += 1;
        if is_told && order.get(told) != Some(&position) {
            return Some(choices[position]);
        }
        cursor.delay(choices);
    }
    named.iter().position(|times| *times != 1).map(|position| choices[position])
}

/// Tells the order of an explorer by delaying a copy of it.
pub(crate) fn order_by_delays<E: Explorer>(
    explorer: &E,
    choices: &[Choice],
    positions: &mut Vec<usize>,
) -> bool {
    let mut explorer = explorer.clone();
    positions.clear();
    for left in (0..choices.len()).rev() {
        if explorer.delays_freely(choices) {
            return false;
        }
        positions.push(explorer.next(choices));
        if left > 0 {
            explorer.delay(choices);
        }
    }
    true
}

/// The position of an actor among schedule choices; the first if it is not there. Which one it is cannot be guessed, so
/// there is no branch that depends on it.
#[inline]
pub(crate) fn position_of(actor: Option<ActorId>, choices: &[Choice]) -> usize {
    let Some(actor) = actor else { return 0 };
    let found = |found, (at, choice): (usize, &Choice)| {
        let is_it = *choice == Choice::Schedule(actor);
        if is_it { at } else { found }
    };
    choices.iter().enumerate().fold(0, found)
}
