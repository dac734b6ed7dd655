//! Recording: from choices to an account of what they do.

use std::fmt;

use fabius_model::{self as model, Narrate, Outcome, Program};

use crate::machines::Machines;
use crate::texts::Names;
use crate::trace::{Choice, Happening, Machine, Run, Step};

/// An account of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording<Bug> {
    /// What happened.
    pub run: Run,
    /// Where it led.
    pub ending: Ending<Bug>,
    /// What the message of a bug calls the machines of the run.
    pub names: Names,
}

/// Where a run stands after its last choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending<Bug> {
    /// In a bug.
    Bug(Bug),
    /// At its end, and nothing is wrong with that.
    Ended,
    /// Where it could go on.
    Open,
}

/// A choice that the program does not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// At which step, from 1.
    pub step: usize,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: the program does not offer this choice", self.step)
    }
}

impl std::error::Error for Impossible {}

/// Follows choices to tell what they do. The choices must be exactly those of a run.
pub fn record<P: Narrate>(program: &P, choices: &[model::Choice]) -> Result<Recording<P::Bug>, Impossible> {
    let mut narrator = Narrator::new(program);
    for (index, choice) in choices.iter().enumerate() {
        if !narrator.offered().contains(choice) {
            return Err(Impossible { step: index + 1 });
        }
        narrator.take(*choice);
    }
    Ok(narrator.finish())
}

/// The choices at these positions of the lists of choices, from the initial state on: how a search tells its bugs.
pub fn resolve<P: Program>(program: &P, positions: &[u32]) -> Result<Vec<model::Choice>, Impossible> {
    let mut choices = Vec::with_capacity(positions.len());
    let (mut offered, mut effects) = (Vec::new(), Vec::new());
    let mut outcome = program.initial();
    for (index, position) in positions.iter().enumerate() {
        let impossible = Impossible { step: index + 1 };
        let Outcome::State(state) = &outcome else { return Err(impossible) };
        program.choices(state, &mut offered);
        let choice = *offered.get(*position as usize).ok_or(impossible)?;
        effects.clear();
        outcome = program.step(state, choice, &mut effects);
        choices.push(choice);
    }
    Ok(choices)
}

/// A run in the making, with its account.
pub(crate) struct Narrator<'p, P: Narrate> {
    program: &'p P,
    outcome: Outcome<P::State, P::Bug>,
    // Invariant: the choices of the state, or none if `outcome` is a bug.
    offered: Vec<model::Choice>,
    pub(crate) machines: Machines<'p, P>,
    choices: Vec<Choice>,
    start: Vec<Happening>,
    steps: Vec<Step>,
}

impl<'p, P: Narrate> Narrator<'p, P> {
    pub(crate) fn new(program: &'p P) -> Narrator<'p, P> {
        let mut happenings = Vec::new();
        let outcome = program.narrate_start(&mut happenings);
        let mut machines = Machines::new(program);
        let start = machines.tell_all(happenings);
        let mut narrator = Narrator {
            program,
            outcome,
            offered: Vec::new(),
            machines,
            choices: Vec::new(),
            start,
            steps: Vec::new(),
        };
        narrator.look();
        narrator
    }

    /// The choices from here; none if the run has ended.
    pub(crate) fn offered(&self) -> &[model::Choice] {
        &self.offered
    }

    /// The state, unless the run has ended in a bug.
    pub(crate) fn state(&self) -> Option<&P::State> {
        match &self.outcome {
            Outcome::State(state) => Some(state),
            Outcome::Bug(_) => None,
        }
    }

    /// Takes one of the offered choices.
    pub(crate) fn take(&mut self, choice: model::Choice) {
        let by = self.mover(choice);
        let Outcome::State(state) = &self.outcome else { return };
        let mut happenings = Vec::new();
        let outcome = self.program.narrate(state, choice, &mut happenings);
        let happenings = self.machines.tell_all(happenings);
        let recorded = match choice {
            model::Choice::Schedule(actor) => Choice::Schedule(self.machines.meet(actor)),
            model::Choice::Data(alternative) => {
                Choice::Data { alternative, value: chosen_value(&happenings) }
            }
        };
        self.choices.push(recorded);
        self.steps.push(Step { by, happenings });
        self.outcome = outcome;
        self.look();
    }

    /// What happened before the first step.
    pub(crate) fn start(&self) -> &[Happening] {
        &self.start
    }

    /// The machine that moves when this choice is taken.
    pub(crate) fn mover(&mut self, choice: model::Choice) -> Option<Machine> {
        let Outcome::State(state) = &self.outcome else { return None };
        self.program.mover(state, choice).map(|actor| self.machines.meet(actor))
    }

    /// The last step taken.
    pub(crate) fn last_step(&self) -> Option<&Step> {
        self.steps.last()
    }

    pub(crate) fn finish(self) -> Recording<P::Bug> {
        let ending = match &self.outcome {
            Outcome::Bug(bug) => Ending::Bug(bug.clone()),
            Outcome::State(_) if !self.offered.is_empty() => Ending::Open,
            Outcome::State(state) => self.program.end(state).map_or(Ending::Ended, Ending::Bug),
        };
        let machines = self.machines.met().to_vec();
        Recording {
            run: Run { machines, choices: self.choices, start: self.start, steps: self.steps },
            ending,
            names: self.machines.names,
        }
    }

    fn look(&mut self) {
        self.offered.clear();
        if let Outcome::State(state) = &self.outcome {
            self.program.choices(state, &mut self.offered);
            self.machines.meet_offered(&self.offered);
        }
    }
}

/// The value that a data choice gave.
fn chosen_value(happenings: &[Happening]) -> Option<String> {
    happenings.iter().find_map(|happening| match happening {
        Happening::Chose { value } => Some(value.clone()),
        _ => None,
    })
}
