//! The independent checker: a trace is a run of the program, as told, and ends in the bug it names.
//!
//! Guarantees: if `check` accepts, then each choice was offered by the program, each step did what the trace says it did,
//! the program tells the same story whether it is asked to step or to narrate, the run ends in exactly the bug of the
//! trace, and so does the original run, if there is one. No search, no replay and no shortening is trusted: this file
//! shares with them the numbering of machines and nothing else.
//! Of an explanation it is checked that each deviation could have been avoided; what is natural is not asked.
//! Does not guarantee: anything about runs other than those in the trace.

use std::fmt;

use fabius_model::{self as model, Narrate, Outcome};

use crate::explain::Deviation;
use crate::machines::Machines;
use crate::texts::Names;
use crate::trace::{BugSummary, Choice, Happening, Run, Step, Trace};

/// Why a trace is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whether it is the original run that is wrong, not the shortened one.
    pub in_original: bool,
    /// At which step, from 1; 0 for what happens before the first.
    pub step: usize,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let original = if self.in_original { "in the original run, " } else { "" };
        match self.step {
            0 => write!(f, "{original}before the first step: {}", self.reason),
            step => write!(f, "{original}step {step}: {}", self.reason),
        }
    }
}

impl std::error::Error for Refusal {}

/// Checks a trace of a program.
pub fn check<P: Narrate>(
    program: &P,
    trace: &Trace,
    summarise: &dyn Fn(&P::Bug) -> BugSummary,
) -> Result<(), Refusal> {
    let deviations = trace.explanation.as_ref().map_or(&[][..], |explanation| &explanation.deviations);
    let (bug, names) = check_run(program, &trace.run, deviations, false)?;
    let step = trace.run.choices.len();
    let told = summarise(&bug).retold(&names);
    if told != trace.bug {
        let reason = format!("the bug is `{}`, not `{}`", told.message, trace.bug.message);
        return Err(Refusal { in_original: false, step, reason });
    }
    if let Some(original) = &trace.original {
        let (bug, names) = check_run(program, original, &[], true)?;
        let bug = summarise(&bug).retold(&names);
        if !bug.is_same(&trace.bug) {
            let reason = format!("the bug is another one: `{}`", bug.message);
            return Err(Refusal { in_original: true, step: original.choices.len(), reason });
        }
    }
    Ok(())
}

/// Takes the choices of a run one by one, and gives the bug that it ends in and what that calls machines.
fn check_run<P: Narrate>(
    program: &P,
    run: &Run,
    deviations: &[Deviation],
    in_original: bool,
) -> Result<(P::Bug, Names), Refusal> {
    let refuse = |step: usize, reason: String| Refusal { in_original, step, reason };
    let mut machines = Machines::new(program);
    let mut outcome = check_start(program, run, &mut machines).map_err(|reason| refuse(0, reason))?;
    let mut offered = Vec::new();
    for (index, choice) in run.choices.iter().enumerate() {
        let state = match &outcome {
            Outcome::State(state) => state,
            Outcome::Bug(_) => {
                return Err(refuse(index + 1, "the run has already ended in a bug".to_owned()));
            }
        };
        program.choices(state, &mut offered);
        machines.meet_offered(&offered);
        let step = run.steps.get(index);
        if let Some(deviation) = deviations.iter().find(|deviation| deviation.step == index + 1) {
            check_deviation(deviation, choice, &offered, &machines)
                .map_err(|reason| refuse(index + 1, reason))?;
        }
        let next = check_step(program, state, choice, &offered, step, &mut machines);
        outcome = next.map_err(|reason| refuse(index + 1, reason))?;
    }
    let bug = match outcome {
        Outcome::Bug(bug) => Some(bug),
        Outcome::State(state) => {
            program.choices(&state, &mut offered);
            machines.meet_offered(&offered);
            if offered.is_empty() { program.end(&state) } else { None }
        }
    };
    if machines.met() != run.machines {
        return Err(refuse(run.choices.len(), "the list of machines is not that of the run".to_owned()));
    }
    let bug = bug.ok_or_else(|| refuse(run.choices.len(), "the run does not end in a bug".to_owned()))?;
    Ok((bug, machines.names))
}

fn check_start<P: Narrate>(
    program: &P,
    run: &Run,
    machines: &mut Machines<'_, P>,
) -> Result<Outcome<P::State, P::Bug>, String> {
    let mut happenings = Vec::new();
    let outcome = program.narrate_start(&mut happenings);
    if outcome != program.initial() {
        return Err("the program begins otherwise than it tells".to_owned());
    }
    let happenings = machines.tell_all(happenings);
    let is_told = !run.start.is_empty() || !run.steps.is_empty();
    if is_told && happenings != run.start {
        return Err("the start is not as told".to_owned());
    }
    Ok(outcome)
}

fn check_step<P: Narrate>(
    program: &P,
    state: &P::State,
    choice: &Choice,
    offered: &[model::Choice],
    told: Option<&Step>,
    machines: &mut Machines<'_, P>,
) -> Result<Outcome<P::State, P::Bug>, String> {
    let taken = find(choice, machines)?;
    if !offered.contains(&taken) {
        return Err(match choice {
            Choice::Schedule(machine) => format!("`{machine}` cannot move"),
            Choice::Data { alternative, .. } => format!("there is no alternative {alternative} to choose"),
        });
    }
    let by = program.mover(state, taken).map(|actor| machines.meet(actor));
    let mut happenings = Vec::new();
    let outcome = program.narrate(state, taken, &mut happenings);
    if outcome != program.step(state, taken, &mut Vec::new()) {
        return Err("the program steps otherwise than it tells".to_owned());
    }
    let happenings = machines.tell_all(happenings);
    if let Choice::Data { value: Some(value), .. } = choice {
        let chosen = Happening::Chose { value: value.clone() };
        if !happenings.contains(&chosen) {
            return Err(format!("`{value}` is not what is chosen"));
        }
    }
    match told {
        Some(step) if step.by != by => Err("another machine moves than told".to_owned()),
        Some(step) if step.happenings != happenings => Err("what happens is not as told".to_owned()),
        _ => Ok(outcome),
    }
}

/// What is called natural could have been done, and was not.
fn check_deviation<P: Narrate>(
    deviation: &Deviation,
    taken: &Choice,
    offered: &[model::Choice],
    machines: &Machines<'_, P>,
) -> Result<(), String> {
    let natural = find(&deviation.natural, machines)?;
    if natural == find(taken, machines)? {
        return Err("the step is called a deviation, and is none".to_owned());
    }
    if !offered.contains(&natural) {
        return Err("what is called natural cannot be done".to_owned());
    }
    Ok(())
}

fn find<P: Narrate>(choice: &Choice, machines: &Machines<'_, P>) -> Result<model::Choice, String> {
    match choice {
        Choice::Data { alternative, .. } => Ok(model::Choice::Data(*alternative)),
        Choice::Schedule(machine) => {
            let actor = machines.numbered(machine);
            actor.map(model::Choice::Schedule).ok_or_else(|| format!("there is no `{machine}`"))
        }
    }
}
