//! Programs whose states are vectors of words, and steps of theirs as changes of a few words.
//!
//! A search looks up many more states than it keeps: most have been met before. So a step is *sketched* first, as far as
//! needed to look up where it leads; only what turns out to be new is made into a state.

use crate::{Outcome, Program};

/// A program whose states are short vectors of numbers, so that very many can be stored exactly.
///
/// # Laws
///
/// 1. Two states are equal exactly if their words are. What the words are may differ from run to run.
/// 2. *Sketches are steps*: `sketch` adds what `step` leads to for all choices, in their order.
///
/// [`check_sketches`](crate::check_sketches) runs the second on any program.
pub trait Packed: Program {
    /// The words of a state; written into `buffer` unless the state holds them already.
    fn words<'a>(&self, state: &'a Self::State, buffer: &'a mut Vec<u32>) -> &'a [u32];

    /// Adds where each choice of a state leads, in the order of `choices`. A program that can do better than one step
    /// after the other has its own version.
    fn sketch(&self, state: &Self::State, sketches: &mut Sketches<Self::State, Self::Bug>) {
        let mut choices = Vec::new();
        self.choices(state, &mut choices);
        for choice in choices {
            sketches.add(self.step(state, choice, &mut Vec::new()));
        }
    }

    /// The state that differs from another one in these words, and has this fingerprint. Asked only of programs whose
    /// `sketch` changes words.
    fn edited(&self, before: &Self::State, edits: &[Edit], fingerprint: u128) -> Self::State {
        let _ = (before, edits, fingerprint);
        unreachable!("a program that sketches changes of words can make them")
    }
}

/// A word that a step changes. No word is changed twice in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which word.
    pub at: u32,
    /// What it becomes.
    pub word: u32,
}

/// Where a step leads.
#[derive(Debug)]
pub enum Sketch<'a, State, Bug> {
    /// To a state that differs from the one before in some words, of which there are as many.
    Changed {
        /// Of the state after the step.
        fingerprint: u128,
        /// The words that differ.
        edits: &'a [Edit],
    },
    /// To a state, or into a bug.
    Made(&'a Outcome<State, Bug>),
}

/// Where the choices of some states lead. Its memory is used again.
#[derive(Clone, Debug)]
pub struct Sketches<State, Bug> {
    steps: Vec<Step>,
    edits: Vec<Edit>,
    // Invariant: in the order of the steps that refer to them.
    made: Vec<Option<Outcome<State, Bug>>>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    fingerprint: u128,
    /// Where its edits end; those of the step before end where they begin.
    end: u32,
    /// Which of those made it is, or [`CHANGED`].
    made: u32,
}

const CHANGED: u32 = u32::MAX;

impl<State, Bug> Default for Sketches<State, Bug> {
    fn default() -> Self {
        Sketches { steps: Vec::new(), edits: Vec::new(), made: Vec::new() }
    }
}

impl<State, Bug> Sketches<State, Bug> {
    /// How many steps there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes out all steps.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.edits.clear();
        self.made.clear();
    }

    /// Adds a step as its outcome.
    pub fn add(&mut self, outcome: Outcome<State, Bug>) {
        let (end, made) = (self.end(), self.made.len() as u32);
        self.made.push(Some(outcome));
        self.steps.push(Step { fingerprint: 0, end, made });
    }

    /// A word that the next step changes.
    #[inline]
    pub fn edit(&mut self, at: u32, word: u32) {
        self.edits.push(Edit { at, word });
    }

    /// What the next step has made of a word so far, if it has changed it.
    pub fn edited(&mut self, at: u32) -> Option<&mut u32> {
        let start = self.end() as usize;
        let edit = self.edits[start..].iter_mut().find(|edit| edit.at == at);
        edit.map(|edit| &mut edit.word)
    }

    /// Adds a step as the edits since the last one.
    #[inline]
    pub fn add_edited(&mut self, fingerprint: u128) {
        self.steps.push(Step { fingerprint, end: self.edits.len() as u32, made: CHANGED });
    }

    /// Drops the edits since the last step.
    pub fn drop_edits(&mut self) {
        self.edits.truncate(self.end() as usize);
    }

    #[inline]
    fn end(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.end)
    }

    /// Where a step leads.
    ///
    /// # Panics
    ///
    /// If there are not so many, or if its outcome was taken.
    #[inline]
    pub fn get(&self, index: usize) -> Sketch<'_, State, Bug> {
        let step = self.steps[index];
        if step.made != CHANGED {
            let made = self.made[step.made as usize].as_ref();
            return Sketch::Made(made.expect("it was not taken"));
        }
        let start = if index == 0 { 0 } else { self.steps[index - 1].end };
        Sketch::Changed {
            fingerprint: step.fingerprint,
            edits: &self.edits[start as usize..step.end as usize],
        }
    }

    /// The outcome of a step from `before`, which can be asked for once.
    ///
    /// # Panics
    ///
    /// As `get`.
    pub fn take<P>(&mut self, index: usize, program: &P, before: &State) -> Outcome<State, Bug>
    where
        P: Packed<State = State, Bug = Bug>,
    {
        let made = self.steps[index].made;
        if made != CHANGED {
            return self.made[made as usize].take().expect("it was not taken");
        }
        match self.get(index) {
            Sketch::Changed { fingerprint, edits } => {
                Outcome::State(program.edited(before, edits, fingerprint))
            }
            Sketch::Made(_) => unreachable!("it was looked at"),
        }
    }
}
