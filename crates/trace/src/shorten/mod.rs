//! Shortening: from a run to a bug to a shorter run to the same bug.
//!
//! The best run so far is changed a little, the change is executed as far as the program allows, and if that leads to
//! the same bug in a run that is *better*, it becomes the best. Better means nearer to the natural run of the explorer, if
//! there is one, by what deviations from it cost (`Price`); of equally near ones, fewer steps; of equally many, fewer switches
//! from machine to machine; of equally many, smaller data choices. The changes are tried in this order, again and again until none helps:
//! 1. cut out loops: what lies between two equal states;
//! 2. leave out deviations from the explorer's natural run, many at once first (delta debugging: Zeller and Hildebrandt,
//!    "Simplifying and Isolating Failure-Inducing Input", TSE 2002);
//! 3. leave out all that one machine does; then stretches of one machine, many at once first;
//! 4. join two stretches of a machine into one, by moving the later one forward or the earlier one back;
//! 5. leave out single steps, many at once first;
//! 6. make data choices smaller;
//! 7. if nothing of this helped, leave out stretches that follow one another, wherever they begin.
//!
//! A run that is nearer may be longer than the best so far, though never longer than the one given and at most about
//! twice as long.
//!
//! Guarantees: the result is a run of the program that ends in the same bug, never longer than the one given. It is a
//! function of the program, the run and the budget in steps, as long as `should_stop` does not interfere.
//! Does not guarantee: that there is no shorter run.

mod attempt;
mod candidates;
mod deviations;

use std::fmt;

use fabius_explore::Explorer;
use fabius_model::{Choice, Program};

use attempt::Best;

/// How much may be spent on shortening.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// How many choices may be tried.
    pub steps: u64,
    /// Asked now and then: whether to stop and take what there is.
    pub should_stop: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// What a deviation from the natural run of an explorer costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Any number of delays at a state costs one; otherwise each does.
    pub is_flat: bool,
    /// Choices of data cost nothing.
    pub is_data_free: bool,
}

impl Price {
    /// What a choice costs that takes so many delays.
    pub fn of(self, choice: Choice, delays: u32) -> u32 {
        match choice {
            Choice::Data(_) if self.is_data_free => 0,
            _ if self.is_flat => delays.min(1),
            _ => delays,
        }
    }
}

/// A shortened run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// Its choices, all of which the program offers.
    pub choices: Vec<Choice>,
    /// What its deviations from the natural run of the explorer cost; 0 if there is none.
    pub cost: u64,
    /// How often it switches from one machine to another.
    pub switches: usize,
    /// The steps of the run that was given, up to its bug.
    pub steps_before: usize,
    /// How often that switched.
    pub switches_before: usize,
    /// How many choices were tried to find it.
    pub steps_spent: u64,
    /// Whether no change helps any more, so that a larger budget would bring nothing.
    pub is_finished: bool,
}

/// The choices that were to be shortened do not lead to the bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotThatBug;

impl fmt::Display for NotThatBug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the choices do not lead to the bug")
    }
}

impl std::error::Error for NotThatBug {}

/// Looks for a shorter run to a bug for which `is_same` holds, as it must for that of the given run. With an explorer, runs
/// are looked for first whose deviations from its natural run cost less.
pub fn shorten<P: Program, E: Explorer>(
    program: &P,
    explorer: Option<(&E, Price)>,
    choices: &[Choice],
    is_same: &dyn Fn(&P::Bug) -> bool,
    budget: Budget<'_>,
) -> Result<Shortened, NotThatBug> {
    let mut best = Best::new(program, explorer, choices, is_same, budget).ok_or(NotThatBug)?;
    let before = best.measure();
    let is_finished = candidates::improve(&mut best).is_ok();
    let after = best.measure();
    Ok(Shortened {
        cost: after.cost,
        switches: after.switches,
        steps_before: before.steps,
        switches_before: before.switches,
        steps_spent: best.steps_spent(),
        is_finished,
        choices: best.into_choices(),
    })
}
