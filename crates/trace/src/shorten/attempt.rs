//! The best run so far, and attempts at better ones.
//!
//! An attempt is the best run with the choices between two places replaced by others. It is executed from the stored
//! state at the first place. A choice that cannot be taken is left out; where a data choice is wanted and none is given,
//! the first alternative is taken; when the choices are used up, the run goes on in its natural way, so that a bug at
//! the end of the run is reached too. The natural way is that of the explorer or, without one, that the last machine
//! goes on as long as it can and then the first one that can.

use std::collections::HashMap;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{ActorId, Choice, Effect, Outcome, Program};

use super::{Budget, Price};
use crate::explain::delay_until;

/// The budget is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent;

/// What makes a run better: compared field by field, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    /// Of deviations from the explorer's natural run; 0 if there is none.
    pub(super) cost: u64,
    pub(super) steps: usize,
    pub(super) switches: usize,
    data: u64,
}

fn measure(choices: &[Choice], cost: u64) -> Measure {
    let mut measure = Measure { cost, steps: choices.len(), switches: 0, data: 0 };
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

/// A place in a run, before a choice.
#[derive(Clone)]
pub(super) struct Place<S, E> {
    pub(super) state: S,
    /// The explorer at the state, before any delay there.
    pub(super) cursor: Option<Cursor<E>>,
    /// The delays that the choice taken from here takes, and what they cost.
    pub(super) delays: u32,
    cost: u32,
}

pub(super) struct Best<'a, P: Program, E> {
    program: &'a P,
    price: Price,
    is_same: &'a dyn Fn(&P::Bug) -> bool,
    budget: Budget<'a>,
    spent: u64,
    /// The steps of the run that was given: no other may be longer.
    given: usize,
    // Invariant: `places[i]` is the place before `choices[i]`, and for a bug at the end one more follows.
    choices: Vec<Choice>,
    places: Vec<Place<P::State, E>>,
    measure: Measure,
    offered: Vec<Choice>,
    effects: Vec<Effect>,
}

/// How the execution of a choice, or of all, went on.
pub(super) enum Progress {
    Going,
    /// The bug was reached.
    Reached,
    /// It cannot be reached any more, or only in a run that is no better than the best.
    Missed,
}

/// A run in the making, from some place of the best run on.
pub(super) struct Attempt<S, E> {
    /// How much of the best run comes before.
    kept: usize,
    pub(super) choices: Vec<Choice>,
    places: Vec<Place<S, E>>,
    state: S,
    cursor: Option<Cursor<E>>,
    /// What it has cost so far, with what comes before.
    cost: u64,
    /// The machine that moved last.
    pub(super) last: Option<ActorId>,
}

impl<'a, P: Program, E: Explorer> Best<'a, P, E> {
    /// The run that was given, up to its bug.
    pub(super) fn new(
        program: &'a P,
        explorer: Option<(&E, Price)>,
        choices: &[Choice],
        is_same: &'a dyn Fn(&P::Bug) -> bool,
        budget: Budget<'a>,
    ) -> Option<Best<'a, P, E>> {
        let mut best = Best {
            program,
            price: explorer.map_or(Price::default(), |(_, price)| price),
            is_same,
            budget,
            spent: 0,
            given: choices.len(),
            choices: Vec::new(),
            places: Vec::new(),
            measure: Measure { cost: u64::MAX, steps: choices.len(), switches: usize::MAX, data: u64::MAX },
            offered: Vec::new(),
            effects: Vec::new(),
        };
        let state = match program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => return is_same(&bug).then_some(best.with_measure()),
        };
        program.choices(&state, &mut best.offered);
        let fingerprint = program.fingerprint(&state) as u64;
        let cursor =
            explorer.map(|(explorer, _)| Cursor::begin(explorer.clone(), &best.offered, fingerprint));
        let (choices_taken, places) = (Vec::new(), Vec::new());
        let mut attempt =
            Attempt { kept: 0, choices: choices_taken, places, state, cursor, cost: 0, last: None };
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

    fn begin_with(mut self, attempt: Attempt<P::State, E>) -> Best<'a, P, E> {
        self.choices = attempt.choices;
        self.places = attempt.places;
        self.with_measure()
    }

    fn with_measure(mut self) -> Best<'a, P, E> {
        self.measure = measure(&self.choices, self.places.iter().map(|place| u64::from(place.cost)).sum());
        self.given = self.choices.len();
        self
    }

    pub(super) fn measure(&self) -> Measure {
        self.measure
    }

    pub(super) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub(super) fn places(&self) -> &[Place<P::State, E>] {
        &self.places
    }

    pub(super) fn steps_spent(&self) -> u64 {
        self.spent
    }

    pub(super) fn into_choices(self) -> Vec<Choice> {
        self.choices
    }

    /// The choices from a place of the best run.
    pub(super) fn offered_at(&self, place: usize) -> Vec<Choice> {
        let mut offered = Vec::new();
        self.program.choices(&self.places[place].state, &mut offered);
        offered
    }

    /// Cuts out what lies between two equal states. Without an explorer this needs no execution: equal states have
    /// equal futures. With one, the delays of what is left may be others, even more.
    pub(super) fn cut_loops(&mut self) -> Result<(), Spent> {
        let last: HashMap<&P::State, usize> =
            self.places.iter().enumerate().map(|(at, place)| (&place.state, at)).collect();
        let mut kept = Vec::with_capacity(self.places.len());
        let mut at = 0;
        while at < self.places.len() {
            at = last[&self.places[at].state];
            kept.push(at);
            at += 1;
        }
        let choices: Vec<Choice> = kept.iter().filter_map(|at| self.choices.get(*at).copied()).collect();
        if choices.len() == self.choices.len() {
            return Ok(());
        }
        if self.places.first().is_some_and(|place| place.cursor.is_some()) {
            return self.try_replacing(0, self.choices.len(), &choices).map(|_| ());
        }
        self.choices = choices;
        self.places = kept.iter().map(|at| self.places[*at].clone()).collect();
        self.measure = measure(&self.choices, 0);
        Ok(())
    }

    /// An attempt that begins as the best run does.
    pub(super) fn attempt_from(&self, from: usize) -> Attempt<P::State, E> {
        let place = &self.places[from];
        let before = self.choices[..from].iter().rev();
        let last = before.copied().find_map(|choice| match choice {
            Choice::Schedule(actor) => Some(actor),
            Choice::Data(_) => None,
        });
        Attempt {
            kept: from,
            choices: Vec::new(),
            places: Vec::new(),
            state: place.state.clone(),
            cursor: place.cursor.clone(),
            cost: self.places[..from].iter().map(|place| u64::from(place.cost)).sum(),
            last,
        }
    }

    /// Tries the best run with `choices[from..to]` replaced. Says whether that is better.
    pub(super) fn try_replacing(
        &mut self,
        from: usize,
        to: usize,
        replacement: &[Choice],
    ) -> Result<bool, Spent> {
        let mut attempt = self.attempt_from(from);
        let progress = self.follow(&mut attempt, replacement)?;
        let is_there =
            |place: &Place<P::State, E>| place.state == attempt.state && place.cursor == attempt.cursor;
        if matches!(progress, Progress::Going) && self.places.get(to).is_some_and(is_there) {
            let rest = self.places[to..].to_vec();
            attempt.cost += rest.iter().map(|place| u64::from(place.cost)).sum::<u64>();
            attempt.choices.extend_from_slice(&self.choices[to..]);
            attempt.places.extend(rest);
            return Ok(self.accept_if_better(attempt));
        }
        let has_reached = match progress {
            Progress::Reached => true,
            Progress::Missed => false,
            Progress::Going => self.follow_rest(&mut attempt, to)?,
        };
        Ok(has_reached && self.accept_if_better(attempt))
    }

    /// Makes an attempt that has reached the bug the best run, if it is better.
    pub(super) fn accept_if_better(&mut self, attempt: Attempt<P::State, E>) -> bool {
        let choices = [&self.choices[..attempt.kept], &attempt.choices].concat();
        let measure = measure(&choices, attempt.cost);
        if measure >= self.measure {
            return false;
        }
        self.choices = choices;
        self.places.truncate(attempt.kept);
        self.places.extend(attempt.places);
        self.measure = measure;
        true
    }

    /// Follows the best run from a place on, and then the natural way to the end.
    fn follow_rest(&mut self, attempt: &mut Attempt<P::State, E>, to: usize) -> Result<bool, Spent> {
        let rest = self.choices[to..].to_vec();
        let mut progress = self.follow(attempt, &rest)?;
        while let Progress::Going = progress {
            progress = self.go_on(attempt, |natural, _| natural)?;
        }
        Ok(matches!(progress, Progress::Reached))
    }

    /// Takes the next choice: what `pick` makes of the natural one and the choices there are.
    pub(super) fn go_on(
        &mut self,
        attempt: &mut Attempt<P::State, E>,
        pick: impl FnOnce(Choice, &[Choice]) -> Choice,
    ) -> Result<Progress, Spent> {
        self.spend()?;
        match self.look(attempt) {
            Progress::Going => {}
            done => return Ok(done),
        }
        let choice = pick(self.natural_choice(attempt), &self.offered);
        Ok(self.take(attempt, choice))
    }

    fn follow(&mut self, attempt: &mut Attempt<P::State, E>, choices: &[Choice]) -> Result<Progress, Spent> {
        for wanted in choices {
            self.spend()?;
            match self.take_if_offered(attempt, *wanted) {
                Progress::Going => {}
                done => return Ok(done),
            }
        }
        Ok(Progress::Going)
    }

    fn take_if_offered(&mut self, attempt: &mut Attempt<P::State, E>, wanted: Choice) -> Progress {
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
    fn look(&mut self, attempt: &mut Attempt<P::State, E>) -> Progress {
        self.program.choices(&attempt.state, &mut self.offered);
        if !self.offered.is_empty() {
            return Progress::Going;
        }
        match self.program.end(&attempt.state) {
            Some(bug) if (self.is_same)(&bug) => {
                attempt.push_place();
                Progress::Reached
            }
            _ => Progress::Missed,
        }
    }

    /// Takes one of the offered choices.
    fn take(&mut self, attempt: &mut Attempt<P::State, E>, choice: Choice) -> Progress {
        attempt.push_place();
        let delays = attempt.cursor.as_mut().map_or(0, |cursor| {
            // Who is never named costs more than anybody who is.
            delay_until(cursor, &self.offered, choice).unwrap_or(self.offered.len() as u32)
        });
        attempt.pay(delays, self.price.of(choice, delays));
        if attempt.kept + attempt.choices.len() >= self.longest_with(attempt.cost) {
            return Progress::Missed;
        }
        self.effects.clear();
        let outcome = self.program.step(&attempt.state, choice, &mut self.effects);
        attempt.choices.push(choice);
        if let Choice::Schedule(actor) = choice {
            attempt.last = Some(actor);
        }
        match outcome {
            Outcome::State(next) => {
                if let Some(cursor) = &mut attempt.cursor {
                    let fingerprint = self.program.fingerprint(&next) as u64;
                    cursor.step(&Taken { choice, effects: &self.effects, fingerprint });
                }
                attempt.state = next;
                Progress::Going
            }
            Outcome::Bug(bug) if (self.is_same)(&bug) => Progress::Reached,
            Outcome::Bug(_) => Progress::Missed,
        }
    }

    /// How many steps a run that costs so much may have to be better than the best. One that costs less may be longer,
    /// but not by much: most runs never come to the bug.
    fn longest_with(&self, cost: u64) -> usize {
        match cost.cmp(&self.measure.cost) {
            std::cmp::Ordering::Less => self.given.min(2 * self.measure.steps + 20),
            std::cmp::Ordering::Equal => self.measure.steps,
            std::cmp::Ordering::Greater => 0,
        }
    }

    /// What to do when nothing is prescribed.
    fn natural_choice(&self, attempt: &Attempt<P::State, E>) -> Choice {
        match &attempt.cursor {
            Some(cursor) => self.offered.get(cursor.next(&self.offered)).copied().unwrap_or(self.offered[0]),
            None => {
                let last = attempt.last.map(Choice::Schedule);
                last.filter(|last| self.offered.contains(last)).unwrap_or(self.offered[0])
            }
        }
    }

    /// Accounts for one choice that is taken or left out. Asks each time whether to stop: a single step may be slow.
    fn spend(&mut self) -> Result<(), Spent> {
        if self.spent >= self.budget.steps || (self.budget.should_stop)() {
            return Err(Spent);
        }
        self.spent += 1;
        Ok(())
    }
}

impl<S: Clone, E: Clone> Attempt<S, E> {
    fn push_place(&mut self) {
        self.places.push(Place {
            state: self.state.clone(),
            cursor: self.cursor.clone(),
            delays: 0,
            cost: 0,
        });
    }

    /// Notes the delays that the choice from the last place takes, and what they cost.
    fn pay(&mut self, delays: u32, cost: u32) {
        self.cost += u64::from(cost);
        if let Some(place) = self.places.last_mut() {
            (place.delays, place.cost) = (delays, cost);
        }
    }
}
