//! Two-phase commit in Stateright's own manner: the same graph as `models::two_phase_commit`, in vectors and sets.

use std::collections::BTreeSet;

use stateright::{Model, Property};

/// A number of participants with one coordinator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoPhaseCommit {
    pub(crate) participants: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    participants: Vec<Participant>,
    decision: Option<Decision>,
    /// Whom the coordinator knows to be prepared.
    known: Vec<bool>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Participant {
    Working,
    Prepared,
    Finished(Decision),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decision {
    Commit,
    Abort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Prepared(usize),
    Decided(Decision),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Decide(Decision),
    Hear(usize),
    Prepare(usize),
    GiveUp(usize),
    Obey(usize, Decision),
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            participants: vec![Participant::Working; self.participants],
            decision: None,
            known: vec![false; self.participants],
            messages: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.decision.is_none() {
            if state.known.iter().all(|is_known| *is_known) {
                actions.push(Action::Decide(Decision::Commit));
            }
            actions.push(Action::Decide(Decision::Abort));
        }
        for (place, participant) in state.participants.iter().enumerate() {
            if state.decision.is_none() && state.messages.contains(&Message::Prepared(place)) {
                actions.push(Action::Hear(place));
            }
            if *participant == Participant::Working {
                actions.push(Action::Prepare(place));
                actions.push(Action::GiveUp(place));
            }
            for decision in [Decision::Commit, Decision::Abort] {
                if state.messages.contains(&Message::Decided(decision)) {
                    actions.push(Action::Obey(place, decision));
                }
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Decide(decision) => {
                next.decision = Some(decision);
                next.messages.insert(Message::Decided(decision));
            }
            Action::Hear(place) => next.known[place] = true,
            Action::Prepare(place) => {
                next.participants[place] = Participant::Prepared;
                next.messages.insert(Message::Prepared(place));
            }
            Action::GiveUp(place) => next.participants[place] = Participant::Finished(Decision::Abort),
            Action::Obey(place, decision) => next.participants[place] = Participant::Finished(decision),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &State| {
            let has = |decision| state.participants.contains(&Participant::Finished(decision));
            !has(Decision::Commit) || !has(Decision::Abort)
        })]
    }
}
