//! The best run so far, and attempts at better ones.
//!
//! An attempt is the best run with the choices between two places replaced by others. It is executed from the stored
//! state at the first place. A choice that cannot be taken is left out; where a data choice is wanted and none is given,
//! the first alternative is taken; when the choices are used up, the last machine goes on as long as it can and then the
//! first one that can, so that a bug at the end of the run is reached too.

use std::collections::HashMap;

use fabius_model::{ActorId, Choice, Effect, Outcome, Program};

use super::Budget;

/// A power of two: after how many choices to ask whether to stop.
const STEPS_BETWEEN_QUESTIONS: u64 = 256;

/// The budget is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent;

/// What makes a run better: compared field by field, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    pub(super) steps: usize,
    pub(super) switches: usize,
    data: u64,
}

pub(super) fn measure(choices: &[Choice]) -> Measure {
    let mut measure = Measure { steps: choices.len(), switches: 0, data: 0 };
    let mut last: Option<ActorId> = None;
    for choice in choices {
        match *choice {
            Choice::Data(alternative) => measure.data += u64::from(alternative),
            Choice::Schedule(actor) => {
                measure.switches += usize::from(last.is_some_and(|last| last != actor));
                last = Some(actor);
            }
        }
    }
    measure
}

pub(super) struct Best<'a, P: Program> {
    program: &'a P,
    is_same: &'a dyn Fn(&P::Bug) -> bool,
    budget: Budget<'a>,
    spent: u64,
    // Invariant: `states[i]` is the state before `choices[i]`, and for a bug at the end one more follows.
    choices: Vec<Choice>,
    states: Vec<P::State>,
    measure: Measure,
    offered: Vec<Choice>,
    effects: Vec<Effect>,
}

/// How the execution of a choice, or of all, went on.
enum Progress {
    Going,
    /// The bug was reached.
    Reached,
    /// It cannot be reached any more, or only in a run that is longer than the best.
    Missed,
}

/// A run in the making, from some place of the best run on.
struct Attempt<P: Program> {
    /// How much of the best run comes before.
    kept: usize,
    choices: Vec<Choice>,
    states: Vec<P::State>,
    state: P::State,
}

impl<'a, P: Program> Best<'a, P> {
    /// The run that was given, up to its bug.
    pub(super) fn new(
        program: &'a P,
        choices: &[Choice],
        is_same: &'a dyn Fn(&P::Bug) -> bool,
        budget: Budget<'a>,
    ) -> Option<Best<'a, P>> {
        let mut best = Best {
            program,
            is_same,
            budget,
            spent: 0,
            choices: Vec::new(),
            states: Vec::new(),
            measure: Measure { steps: choices.len(), switches: usize::MAX, data: u64::MAX },
            offered: Vec::new(),
            effects: Vec::new(),
        };
        let state = match program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => return is_same(&bug).then_some(best.with_measure()),
        };
        let mut attempt = Attempt { kept: 0, choices: Vec::new(), states: Vec::new(), state };
        for choice in choices {
            best.program.choices(&attempt.state, &mut best.offered);
            if !best.offered.contains(choice) {
                return None;
            }
            match best.take(&mut attempt, *choice) {
                Progress::Going => {}
                Progress::Missed => return None,
                Progress::Reached => return Some(best.begin_with(attempt)),
            }
        }
        match best.look(&mut attempt) {
            Progress::Reached => Some(best.begin_with(attempt)),
            Progress::Going | Progress::Missed => None,
        }
    }

    fn begin_with(mut self, attempt: Attempt<P>) -> Best<'a, P> {
        self.choices = attempt.choices;
        self.states = attempt.states;
        self.with_measure()
    }

    fn with_measure(mut self) -> Best<'a, P> {
        self.measure = measure(&self.choices);
        self
    }

    pub(super) fn measure(&self) -> Measure {
        self.measure
    }

    pub(super) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub(super) fn steps_spent(&self) -> u64 {
        self.spent
    }

    pub(super) fn into_choices(self) -> Vec<Choice> {
        self.choices
    }

    /// Cuts out what lies between two equal states. Needs no execution: equal states have equal futures.
    pub(super) fn cut_loops(&mut self) {
        let last: HashMap<&P::State, usize> =
            self.states.iter().enumerate().map(|(place, state)| (state, place)).collect();
        let mut kept = Vec::with_capacity(self.states.len());
        let mut place = 0;
        while place < self.states.len() {
            place = last[&self.states[place]];
            kept.push(place);
            place += 1;
        }
        self.choices = kept.iter().filter_map(|place| self.choices.get(*place).copied()).collect();
        self.states = kept.iter().map(|place| self.states[*place].clone()).collect();
        self.measure = measure(&self.choices);
    }

    /// Tries the best run with `choices[from..to]` replaced. Says whether that is better.
    pub(super) fn try_replacing(
        &mut self,
        from: usize,
        to: usize,
        replacement: &[Choice],
    ) -> Result<bool, Spent> {
        let state = self.states[from].clone();
        let mut attempt = Attempt { kept: from, choices: Vec::new(), states: Vec::new(), state };
        let progress = self.follow(&mut attempt, replacement)?;
        let has_rejoined = matches!(progress, Progress::Going) && self.states.get(to) == Some(&attempt.state);
        let has_reached = match progress {
            Progress::Reached => true,
            Progress::Missed => false,
            Progress::Going => has_rejoined || self.follow_rest(&mut attempt, to)?,
        };
        if !has_reached {
            return Ok(false);
        }
        // The part of the best run that the attempt stands for.
        let replaced = if has_rejoined { from..to } else { from..self.states.len() };
        let rest = if has_rejoined { &self.choices[to..] } else { &[] };
        let choices = [&self.choices[..from], &attempt.choices, rest].concat();
        let measure = measure(&choices);
        if measure >= self.measure {
            return Ok(false);
        }
        self.choices = choices;
        self.states.splice(replaced, attempt.states);
        self.measure = measure;
        Ok(true)
    }

    /// Follows the best run from a place on, and then the way to the end.
    fn follow_rest(&mut self, attempt: &mut Attempt<P>, to: usize) -> Result<bool, Spent> {
        let rest = self.choices[to..].to_vec();
        let mut progress = self.follow(attempt, &rest)?;
        while let Progress::Going = progress {
            self.spend()?;
            progress = self.look(attempt);
            if let Progress::Going = progress {
                let choice = self.usual_choice(attempt);
                progress = self.take(attempt, choice);
            }
        }
        Ok(matches!(progress, Progress::Reached))
    }

    fn follow(&mut self, attempt: &mut Attempt<P>, choices: &[Choice]) -> Result<Progress, Spent> {
        for wanted in choices {
            self.spend()?;
            match self.take_if_offered(attempt, *wanted) {
                Progress::Going => {}
                done => return Ok(done),
            }
        }
        Ok(Progress::Going)
    }

    fn take_if_offered(&mut self, attempt: &mut Attempt<P>, wanted: Choice) -> Progress {
        loop {
            match self.look(attempt) {
                Progress::Going => {}
                done => return done,
            }
            match (wanted, self.offered[0]) {
                (Choice::Data(alternative), Choice::Data(_)) => {
                    let alternative = alternative.min(self.offered.len() as u32 - 1);
                    return self.take(attempt, Choice::Data(alternative));
                }
                (Choice::Schedule(_), Choice::Data(_)) => match self.take(attempt, Choice::Data(0)) {
                    Progress::Going => {}
                    done => return done,
                },
                (_, Choice::Schedule(_)) if self.offered.contains(&wanted) => {
                    return self.take(attempt, wanted);
                }
                (_, Choice::Schedule(_)) => return Progress::Going,
            }
        }
    }

    /// Finds the choices from here. Where there are none, the run is over.
    fn look(&mut self, attempt: &mut Attempt<P>) -> Progress {
        self.program.choices(&attempt.state, &mut self.offered);
        if !self.offered.is_empty() {
            return Progress::Going;
        }
        match self.program.end(&attempt.state) {
            Some(bug) if (self.is_same)(&bug) => {
                attempt.states.push(attempt.state.clone());
                Progress::Reached
            }
            _ => Progress::Missed,
        }
    }

    fn take(&mut self, attempt: &mut Attempt<P>, choice: Choice) -> Progress {
        if attempt.kept + attempt.choices.len() >= self.measure.steps {
            return Progress::Missed;
        }
        self.effects.clear();
        let outcome = self.program.step(&attempt.state, choice, &mut self.effects);
        attempt.choices.push(choice);
        match outcome {
            Outcome::State(next) => {
                attempt.states.push(std::mem::replace(&mut attempt.state, next));
                Progress::Going
            }
            Outcome::Bug(bug) => {
                attempt.states.push(attempt.state.clone());
                if (self.is_same)(&bug) { Progress::Reached } else { Progress::Missed }
            }
        }
    }

    /// What to do when nothing is prescribed: the machine that moved last, else the first that can.
    fn usual_choice(&self, attempt: &Attempt<P>) -> Choice {
        let before = self.choices[..attempt.kept].iter();
        let mut moved = before.chain(&attempt.choices).rev();
        let last = moved.find(|choice| matches!(choice, Choice::Schedule(_)));
        last.copied().filter(|last| self.offered.contains(last)).unwrap_or(self.offered[0])
    }

    /// Accounts for one choice that is taken or left out.
    fn spend(&mut self) -> Result<(), Spent> {
        if self.spent >= self.budget.steps {
            return Err(Spent);
        }
        if self.spent.is_multiple_of(STEPS_BETWEEN_QUESTIONS) && (self.budget.should_stop)() {
            return Err(Spent);
        }
        self.spent += 1;
        Ok(())
    }
}
