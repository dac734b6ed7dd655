//! The law of explorers: at every state each choice is named once, within as many delays as there are others.

use std::collections::{HashSet, VecDeque};

use fabius_explore::{
    Cursor, CustomOrder, Explorer, Orders, RandomOrder, RoundRobin, RunToCompletion, Taken, unsound_at,
};
use fabius_model::toys::Graph;
use fabius_model::{Choice, Outcome, Program, Vocabulary};

use crate::machines::Machines;

/// How many pairs of a state and an explorer's state are looked at in one program.
const PAIRS: usize = 1_000;

/// Looks for a reachable state at which the explorer breaks the law, whatever delays were spent before.
pub(crate) fn check<P: Program, E: Explorer>(what: &str, program: &P, explorer: E) {
    let Outcome::State(state) = program.initial() else { return };
    let mut choices = Vec::new();
    program.choices(&state, &mut choices);
    let cursor = Cursor::begin(explorer, &choices, program.fingerprint(&state) as u64);
    if let Some(afresh) = cursor.explorer().afresh(program.fingerprint(&state) as u64) {
        assert_eq!(afresh, *cursor.explorer(), "{what} begins otherwise");
    }
    let mut seen = HashSet::new();
    let mut waiting = VecDeque::from([(state, cursor)]);
    while let Some((state, cursor)) = waiting.pop_front() {
        if seen.len() >= PAIRS || !seen.insert((state.clone(), cursor.clone())) {
            continue;
        }
        program.choices(&state, &mut choices);
        if choices.is_empty() {
            continue;
        }
        let unsound = unsound_at(&cursor, &choices);
        assert_eq!(unsound, None, "{what} at {state:?} with {choices:?}: {cursor:?}");
        waiting.extend(successors(program, &state, cursor, &choices));
    }
}

/// Where the natural choice and those after any number of delays lead.
fn successors<P: Program, E: Explorer>(
    program: &P,
    state: &P::State,
    mut cursor: Cursor<E>,
    choices: &[Choice],
) -> Vec<(P::State, Cursor<E>)> {
    let mut successors = Vec::new();
    loop {
        let choice = choices[cursor.next(choices)];
        let mut effects = Vec::new();
        if let Outcome::State(next) = program.step(state, choice, &mut effects) {
            let mut after = cursor.clone();
            let fingerprint = program.fingerprint(&next) as u64;
            after.step(&Taken { choice, effects: &effects, fingerprint });
            if let Some(afresh) = cursor.explorer().afresh(fingerprint) {
                assert_eq!(Cursor::at(afresh), after, "what it was told matters to {cursor:?}");
            }
            if cursor.explorer().keeps_to_itself() {
                let mut other = cursor.clone();
                other.step(&Taken { choice, effects: &effects, fingerprint: !fingerprint });
                assert_eq!(other, after, "the fingerprint matters to {cursor:?}");
            }
            successors.push((next, after));
        }
        if cursor.explorer().keeps_to_itself() && matches!(choice, Choice::Schedule(_)) {
            let (mut blind, mut seeing) = (cursor.explorer().clone(), cursor.explorer().clone());
            blind.delay(&[]);
            seeing.delay(choices);
            assert_eq!(blind, seeing, "the choices matter to {cursor:?}");
        }
        if !cursor.delay(choices) {
            return successors;
        }
    }
}

/// Looks for breaches on a graph, whose actors come and go, and on machines that create each other and wait.
pub(crate) fn check_on_toys(what: &str, explorer: &impl Explorer) {
    let graph = Graph::from_edges(&[(0, 1), (0, 2), (0, 3), (1, 0), (2, 1), (2, 4), (3, 4), (4, 0), (4, 4)]);
    check(what, &graph, explorer.clone());
    for seed in 0..20 {
        check(what, &Machines::random(seed), explorer.clone());
    }
}

fn orders(text: &str) -> CustomOrder {
    let vocabulary = Machines::vocabulary();
    CustomOrder::new(Orders::parse(text, &vocabulary).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_explorer_obeys_the_law_on_toys() {
    check_on_toys("rtc", &RunToCompletion::new());
    check_on_toys("rr", &RoundRobin::new());
    check_on_toys("prr", &RoundRobin::probabilistic(3));
    check_on_toys("random", &RandomOrder::new(5));
    for rules in ["*", "B,A", "A,*,B; e1: B,*; e0: C,A", "C; e0: *,C"] {
        check_on_toys(rules, &orders(rules));
    }
}

#[test]
fn an_explorer_that_forgets_somebody_is_caught() {
    /// Names the first choice for ever.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Stubborn;
    impl Explorer for Stubborn {
        fn begin(&mut self, _: &[fabius_model::ActorId], _: u64) {}
        fn next(&self, _: &[Choice]) -> usize {
            0
        }
        fn delay(&mut self, _: &[Choice]) {}
        fn step(&mut self, _: &Taken<'_>) {}
    }
    let choices = [0, 1].map(|actor| Choice::Schedule(fabius_model::ActorId(actor)));
    let cursor = Cursor::begin(Stubborn, &choices, 0);
    assert_eq!(unsound_at(&cursor, &choices), Some(choices[0]), "it is named twice");
    assert_eq!(Vocabulary::default().first(), None);
}
