//! Explanation of a run: the natural run of an explorer, and where this one deviates from it.
//!
//! The deviations follow from the run alone: it is taken once more beside a fresh explorer, and at each step one counts
//! how often the explorer has to be delayed until it names the choice that was taken.

use std::fmt;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{self as model, Narrate};
use serde::{Deserialize, Serialize};

use crate::log::printable;
use crate::record::Narrator;
use crate::trace::{Choice, Machine, Run};

/// How a run differs from the natural run of an explorer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The explorer, as the command line calls it.
    pub explorer: String,
    /// How many delays all deviations cost together.
    pub delays: u64,
    /// Where the run deviates, in order.
    pub deviations: Vec<Deviation>,
}

/// A step that is not the natural one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// The step, from 1.
    pub step: usize,
    /// How many delays it costs.
    pub delays: u32,
    /// The choice that would have been natural.
    pub natural: Choice,
}

impl Explanation {
    /// The deviation at a step, counted from 1.
    pub fn at(&self, step: usize) -> Option<&Deviation> {
        let at = self.deviations.binary_search_by_key(&step, |deviation| deviation.step).ok()?;
        Some(&self.deviations[at])
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the natural run of {}", self.explorer)?;
        let plural = |number: u64| if number == 1 { "" } else { "s" };
        let deviations = self.deviations.len() as u64;
        if deviations > 0 {
            write!(f, ", with {deviations} deviation{}", plural(deviations))?;
        }
        if self.delays != deviations {
            write!(f, " ({} delay{})", self.delays, plural(self.delays))?;
        }
        Ok(())
    }
}

impl Deviation {
    /// What was done instead of the natural thing: `Participant(5) before Participant(4)`.
    pub(crate) fn phrase(&self, run: &Run) -> String {
        match (run.choices.get(self.step - 1), &self.natural) {
            (Some(Choice::Schedule(taken)), Choice::Schedule(natural)) => format!("{taken} before {natural}"),
            (Some(Choice::Data { alternative, value }), _) => match value.as_deref() {
                Some(value @ ("true" | "false" | "True" | "False")) => format!("`$` gave {value}"),
                Some(value) => format!("`choose` gave {}", printable(value)),
                None => format!("`choose` gave alternative {alternative}"),
            },
            _ => "another choice".to_owned(),
        }
    }
}

/// Explains a run by an explorer that has seen nothing yet. `None` if the run is not one of the program, or the explorer
/// never names a choice that was taken.
pub fn explain<P: Narrate, E: Explorer>(
    program: &P,
    name: &str,
    explorer: &E,
    run: &Run,
) -> Option<Explanation> {
    let mut narrator = Narrator::new(program);
    let mut explanation = Explanation { explorer: name.to_owned(), delays: 0, deviations: Vec::new() };
    let Some(start) = narrator.state() else { return run.choices.is_empty().then_some(explanation) };
    let fingerprint = program.fingerprint(start) as u64;
    let mut cursor = Cursor::begin(explorer.clone(), narrator.offered(), fingerprint);
    let mut effects = Vec::new();
    for (index, recorded) in run.choices.iter().enumerate() {
        let offered = narrator.offered().to_vec();
        let choice = find(&narrator, recorded).filter(|choice| offered.contains(choice))?;
        let natural = *offered.get(cursor.next(&offered))?;
        let delays = delay_until(&mut cursor, &offered, choice)?;
        if delays > 0 {
            let natural = match natural {
                model::Choice::Schedule(actor) => Choice::Schedule(narrator.machines.meet(actor)),
                model::Choice::Data(alternative) => Choice::Data { alternative, value: None },
            };
            explanation.delays += u64::from(delays);
            explanation.deviations.push(Deviation { step: index + 1, delays, natural });
        }
        effects.clear();
        program.step(narrator.state()?, choice, &mut effects);
        narrator.take(choice);
        if let Some(state) = narrator.state() {
            let fingerprint = program.fingerprint(state) as u64;
            cursor.step(&Taken { choice, effects: &effects, fingerprint });
        }
    }
    Some(explanation)
}

/// Delays the explorer until it names a choice, and tells how often; `None` if it never does.
pub(crate) fn delay_until<E: Explorer>(
    cursor: &mut Cursor<E>,
    offered: &[model::Choice],
    wanted: model::Choice,
) -> Option<u32> {
    while offered.get(cursor.next(offered)) != Some(&wanted) {
        if !cursor.delay(offered) {
            return None;
        }
    }
    Some(cursor.delays())
}

fn find<P: Narrate>(narrator: &Narrator<'_, P>, choice: &Choice) -> Option<model::Choice> {
    match choice {
        Choice::Data { alternative, .. } => Some(model::Choice::Data(*alternative)),
        Choice::Schedule(machine) => narrator.machines.numbered(machine).map(model::Choice::Schedule),
    }
}

impl Explanation {
    /// Checks what the types do not say: deviations come in order, are steps of the run and name its machines.
    pub(crate) fn validate(&self, run: &Run) -> Result<(), String> {
        let mut last = 0;
        for Deviation { step, natural, .. } in &self.deviations {
            if *step <= last || *step > run.choices.len() {
                return Err(format!("there is no deviation at step {step} after one at step {last}"));
            }
            last = *step;
            let is_known = |machine: &Machine| run.machines.contains(machine);
            if let Choice::Schedule(machine) = natural
                && !is_known(machine)
            {
                return Err(format!("`{machine}` is not in the list of machines"));
            }
        }
        Ok(())
    }
}
