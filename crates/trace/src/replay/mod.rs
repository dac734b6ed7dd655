//! Replaying: a trace is followed as far as the program, which may have been edited, lets it.
//!
//! A choice that no longer fits is left out, a choice that the program now wants and the trace does not have is made in
//! the first way, and both are noted. Machines are found by their type and their place among those of the type, so that
//! a new machine elsewhere does no harm.
//!
//! Guarantees: on the program that the trace was recorded on, everything fits and the outcome is `Reproduced`. The
//! account of the replay is a run of the program as it is now.
//! Does not guarantee: that a bug is gone if it is not reproduced. The run to it may have moved.

mod mismatch;

pub use mismatch::{Mismatch, Unmatched};

use fabius_model::{self as model, Narrate};

use crate::log::phrase;
use crate::machines::ordinal;
use crate::record::{Ending, Narrator};
use crate::texts::with_names;
use crate::trace::{BugSummary, Choice, Happening, Machine, Run, Trace};

/// How many alternatives of a data choice are tried to find the recorded value again.
const MOST_ALTERNATIVES_TRIED: usize = 1000;
/// How many mismatches are described; more are only counted.
const MOST_MISMATCHES: usize = 100;

/// What became of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Whether the bug is still there.
    pub outcome: ReplayOutcome,
    /// What happened now.
    pub run: Run,
    /// The bug that the run ended in now, if any.
    pub bug: Option<BugSummary>,
    /// The first places where the trace did not fit, in order.
    pub mismatches: Vec<Mismatch>,
    /// The number of all such places.
    pub mismatch_count: usize,
    /// How many choices of the trace were left out.
    pub left_out: usize,
}

/// Whether the bug of a trace is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// The same bug happened.
    Reproduced,
    /// Another bug happened.
    DifferentBug,
    /// Every choice fitted, and no bug happened.
    EndedWithout,
    /// No bug happened, but then the trace fitted only up to this step.
    Diverged {
        /// The first step, from 1, that did not fit.
        step: usize,
    },
}

/// Follows a trace. `program_hash` is that of the program as it is now.
pub fn replay<P: Narrate>(
    program: &P,
    program_hash: &str,
    trace: &Trace,
    summarise: &dyn Fn(&P::Bug) -> BugSummary,
) -> Replay {
    let mut follower = Follower {
        program,
        recorded: &trace.run,
        narrator: Narrator::new(program),
        insertions_left: 10 * trace.run.choices.len() + 1000,
        mismatches: Vec::new(),
        mismatch_count: 0,
        left_out: 0,
    };
    follower.compare_start();
    if (0..trace.run.choices.len()).all(|index| follower.follow(index)) {
        follower.make_new_choices(trace.run.choices.len());
    }
    let Follower { narrator, mismatches, mismatch_count, left_out, .. } = follower;
    let recording = narrator.finish();
    let bug = match &recording.ending {
        Ending::Bug(bug) => Some(summarise(bug).retold(&recording.names)),
        Ending::Ended | Ending::Open => None,
    };
    let is_edited = program_hash != trace.program;
    let is_same = |bug: &BugSummary| if is_edited { trace.bug.is_like(bug) } else { trace.bug.is_same(bug) };
    let outcome = match (&bug, mismatches.first()) {
        (Some(bug), _) if is_same(bug) => ReplayOutcome::Reproduced,
        (Some(_), _) => ReplayOutcome::DifferentBug,
        (None, Some(first)) => ReplayOutcome::Diverged { step: first.step },
        (None, None) => ReplayOutcome::EndedWithout,
    };
    Replay { outcome, run: recording.run, bug, mismatches, mismatch_count, left_out }
}

struct Follower<'t, 'p, P: Narrate> {
    program: &'p P,
    recorded: &'t Run,
    narrator: Narrator<'p, P>,
    /// How many choices that the trace does not have may still be made: an edited program may want them for ever.
    insertions_left: usize,
    mismatches: Vec<Mismatch>,
    mismatch_count: usize,
    left_out: usize,
}

impl<P: Narrate> Follower<'_, '_, P> {
    /// Takes the recorded choice with this index if it fits. Says whether the run can go on.
    fn follow(&mut self, index: usize) -> bool {
        let choice = &self.recorded.choices[index];
        if matches!(choice, Choice::Schedule(_)) && !self.make_new_choices(index) {
            self.left_out += self.recorded.choices.len() - index;
            return false;
        }
        if self.narrator.offered().is_empty() {
            let left = self.recorded.choices.len() - index;
            self.left_out += left;
            // A bug that comes early is told as such.
            if self.narrator.state().is_some() {
                if let Err(unmatched) = self.fitting(choice) {
                    self.note(index, unmatched);
                }
                self.note(index, Unmatched::EndsEarly { left });
            }
            return false;
        }
        match self.fitting(choice) {
            Ok((taken, unmatched)) => {
                self.narrator.take(taken);
                match unmatched {
                    Some(unmatched) => self.note(index, unmatched),
                    None => self.compare_step(index),
                }
            }
            Err(unmatched) => {
                self.left_out += 1;
                self.note(index, unmatched);
            }
        }
        true
    }

    /// Makes the data choices that the program wants and the trace does not have at this place. Says whether that had
    /// an end.
    fn make_new_choices(&mut self, index: usize) -> bool {
        while let [model::Choice::Data(_), ..] = self.narrator.offered() {
            if self.insertions_left == 0 {
                return false;
            }
            self.insertions_left -= 1;
            let by = self.narrator.mover(model::Choice::Data(0));
            self.note(index, Unmatched::NewChoice { by });
            self.narrator.take(model::Choice::Data(0));
        }
        true
    }

    /// The choice of the program that is the recorded one, and what is odd about it.
    fn fitting(&self, choice: &Choice) -> Result<(model::Choice, Option<Unmatched>), Unmatched> {
        match choice {
            Choice::Schedule(machine) => {
                let ordinal = ordinal(&self.recorded.machines, machine);
                let machine = machine.clone();
                let Some(actor) = self.narrator.machines.nth_of_type(&machine.name, ordinal) else {
                    return Err(Unmatched::NoSuchMachine { machine });
                };
                let choice = model::Choice::Schedule(actor);
                if self.narrator.offered().contains(&choice) {
                    return Ok((choice, None));
                }
                let description =
                    self.narrator.state().map_or(String::new(), |state| self.program.describe(state, actor));
                let description = self.narrator.machines.names.retold(&description);
                Err(Unmatched::CannotMove { machine, description })
            }
            Choice::Data { alternative, value } => {
                let shown = value.clone().unwrap_or_else(|| format!("alternative {alternative}"));
                match self.narrator.offered() {
                    [model::Choice::Data(_), ..] => {
                        Ok(self.fitting_data(*alternative, value.as_ref(), shown))
                    }
                    _ => Err(Unmatched::NoLongerChosen { value: shown }),
                }
            }
        }
    }

    /// The recorded alternative if it still has the recorded value, else one that has, else the nearest.
    fn fitting_data(
        &self,
        alternative: u32,
        value: Option<&String>,
        shown: String,
    ) -> (model::Choice, Option<Unmatched>) {
        let alternatives = self.narrator.offered().len();
        let same = (alternative as usize) < alternatives;
        let wanted = value.map(|value| text_with_ordinals(value, &self.recorded.machines));
        let is_wanted = |alternative: u32| {
            let now = self.value_of(alternative);
            now.map(|now| text_with_ordinals(&now, self.narrator.machines.met())) == wanted
        };
        if same && (wanted.is_none() || is_wanted(alternative)) {
            return (model::Choice::Data(alternative), None);
        }
        let mut others = 0..alternatives.min(MOST_ALTERNATIVES_TRIED) as u32;
        if wanted.is_some()
            && let Some(other) = others.find(|other| is_wanted(*other))
        {
            return (model::Choice::Data(other), None);
        }
        let nearest = alternative.min(alternatives as u32 - 1);
        let now = self.value_of(nearest).unwrap_or_else(|| format!("alternative {nearest}"));
        (model::Choice::Data(nearest), Some(Unmatched::ValueGone { value: shown, now }))
    }

    fn value_of(&self, alternative: u32) -> Option<String> {
        let mut happenings = Vec::new();
        self.program.narrate(self.narrator.state()?, model::Choice::Data(alternative), &mut happenings);
        happenings.into_iter().find_map(|happening| match happening {
            model::Happening::Chose { value } => Some(self.narrator.machines.names.retold(&value)),
            _ => None,
        })
    }

    fn compare_start(&mut self) {
        let is_recorded = !self.recorded.start.is_empty() || !self.recorded.steps.is_empty();
        if is_recorded
            && let Some(differs) = self.difference(&self.recorded.start, self.narrator.start(), None)
        {
            self.note_at(0, differs);
        }
    }

    fn compare_step(&mut self, index: usize) {
        if let (Some(before), Some(now)) = (self.recorded.steps.get(index), self.narrator.last_step())
            && let Some(differs) = self.difference(&before.happenings, &now.happenings, now.by.clone())
        {
            self.note(index, differs);
        }
    }

    /// The first happening that is not what it was.
    fn difference(&self, before: &[Happening], now: &[Happening], by: Option<Machine>) -> Option<Unmatched> {
        for index in 0..before.len().max(now.len()) {
            let (before, now) = (before.get(index), now.get(index));
            let was = before.map(|happening| with_ordinals(happening, &self.recorded.machines));
            let is = now.map(|happening| with_ordinals(happening, self.narrator.machines.met()));
            if was != is {
                return Some(Unmatched::Differs { by, before: before.map(phrase), now: now.map(phrase) });
            }
        }
        None
    }

    fn note(&mut self, index: usize, unmatched: Unmatched) {
        self.note_at(index + 1, unmatched);
    }

    fn note_at(&mut self, step: usize, unmatched: Unmatched) {
        self.mismatch_count += 1;
        if self.mismatches.len() < MOST_MISMATCHES {
            self.mismatches.push(Mismatch { step, unmatched });
        }
    }
}

/// The happening with machines numbered among those of their type, which an edit elsewhere does not change.
fn with_ordinals(happening: &Happening, machines: &[Machine]) -> Happening {
    let mut happening = happening.clone();
    if let Happening::Created { machine, .. }
    | Happening::Sent { to: machine, .. }
    | Happening::Sending { to: machine, .. } = &mut happening
    {
        machine.number = ordinal(machines, machine) as u32;
    }
    if let Some(text) = happening.text_mut() {
        *text = text_with_ordinals(text, machines);
    }
    happening
}

/// The same for the machines that a text speaks of.
fn text_with_ordinals(text: &str, machines: &[Machine]) -> String {
    with_names(text, &|name| {
        let machine = name.parse().ok().filter(|machine| machines.contains(machine))?;
        Some(format!("{}({})", machine.name, ordinal(machines, &machine)))
    })
}
