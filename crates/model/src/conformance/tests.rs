use super::{Budget, Law, check_agreement, check_conformance, check_sketches};
use crate::toys::{BinaryClock, Graph};
use crate::{ActorId, Choice, Edit, Effect, Outcome, Packed, Program, Sketches};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn the_clock_conforms_and_has_two_states() {
    let coverage = check_conformance(&BinaryClock, Budget::default()).expect("the clock keeps the laws");
    assert_eq!((coverage.states, coverage.is_complete), (2, true));
    assert_eq!(coverage.steps, 20 * 200);
}

#[test]
fn graphs_conform() {
    let graph = Graph::from_edges(&[(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (3, 4)]).with_bad_ends(&[4]);
    let coverage = check_conformance(&graph, Budget::default()).expect("graphs keep the laws");
    assert_eq!((coverage.states, coverage.is_complete), (5, true));
    check_agreement(&graph, &graph.clone(), Budget::default()).expect("a graph agrees with its copy");
}

#[test]
fn the_walk_stops_at_its_budget() {
    let edges: Vec<_> = (0..100).map(|node| (node, node + 1)).collect();
    let budget = Budget { states: 10, ..Budget::default() };
    let coverage = check_conformance(&Graph::from_edges(&edges), budget).expect("graphs keep the laws");
    assert_eq!((coverage.states, coverage.is_complete), (10, false));
}

/// A way to break a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// Every other answer of `step` differs.
    Wavering,
    DuplicateChoice,
    GapInData,
    MixedChoices,
    /// Equal states go different ways.
    HiddenDifference,
    /// The fingerprint depends on what equality does not.
    HiddenFingerprint,
    ConstantFingerprint,
    /// A step tells nothing of what it enables.
    Silent,
    /// A step says that it enables what was enabled.
    Boasting,
    /// `sketch` leaves a step out, changes a word wrongly, tells a wrong fingerprint, or differs from `sketch_choice`.
    Forgetful,
    Misdrawn,
    Misprinted,
    OffHand,
    /// The words of a state make another one.
    Misread,
    /// `proceed` stays where it is.
    Lazy,
}

/// Two actors take turns: actor `n % 2` can move in the state `n`, and adds one, up to 10.
struct Turns {
    flaw: Flaw,
    asked: AtomicU32,
}

/// `hidden` tells how it came about, which neither equality nor the hash sees.
#[derive(Clone, Debug)]
struct Turn {
    number: u32,
    hidden: u32,
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Turn {}

impl Hash for Turn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Turns {
    fn new(flaw: Flaw) -> Self {
        Self { flaw, asked: AtomicU32::new(0) }
    }
}

impl Program for Turns {
    type State = Turn;
    type Bug = ();

    fn initial(&self) -> Outcome<Turn, ()> {
        Outcome::State(Turn { number: 0, hidden: 0 })
    }

    fn choices(&self, state: &Turn, choices: &mut Vec<Choice>) {
        choices.clear();
        if state.number == 10 {
            return;
        }
        choices.push(Choice::Schedule(ActorId(state.number % 2)));
        match self.flaw {
            Flaw::DuplicateChoice => choices.push(choices[0]),
            Flaw::MixedChoices => choices.push(Choice::Data(1)),
            Flaw::GapInData => *choices = vec![Choice::Data(0), Choice::Data(2)],
            _ => {}
        }
    }

    fn step(&self, state: &Turn, _: Choice, effects: &mut Vec<Effect>) -> Outcome<Turn, ()> {
        let mut next = Turn { number: (state.number + 1) % 10, hidden: state.hidden + 1 };
        let (mover, other) = (ActorId(state.number % 2), ActorId((state.number + 1) % 2));
        if self.flaw != Flaw::Silent {
            effects.extend([Effect::Blocked(mover), Effect::Enabled(other)]);
        }
        match self.flaw {
            Flaw::Wavering if self.asked.fetch_add(1, Ordering::Relaxed) % 2 == 1 => return Outcome::Bug(()),
            Flaw::HiddenDifference if state.hidden >= 10 => return Outcome::Bug(()),
            Flaw::Boasting => effects.push(Effect::Enabled(other)),
            Flaw::HiddenDifference | Flaw::HiddenFingerprint => {}
            _ => next.hidden = 0,
        }
        Outcome::State(next)
    }

    fn proceed(&self, state: &mut Turn, choice: Choice, effects: &mut Vec<Effect>) -> Result<(), ()> {
        match self.step(state, choice, effects) {
            Outcome::State(next) if self.flaw != Flaw::Lazy => *state = next,
            Outcome::State(_) => {}
            Outcome::Bug(()) => return Err(()),
        }
        Ok(())
    }

    fn end(&self, _: &Turn) -> Option<()> {
        None
    }

    fn fingerprint(&self, state: &Turn) -> u128 {
        match self.flaw {
            Flaw::HiddenFingerprint => u128::from(state.hidden),
            Flaw::ConstantFingerprint => 0,
            _ => u128::from(state.number),
        }
    }
}

impl Packed for Turns {
    const UNPACKS: bool = true;

    fn words<'a>(&self, state: &'a Turn, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        *buffer = vec![state.number, state.hidden];
        buffer
    }

    fn sketch(&self, state: &Turn, sketches: &mut Sketches<Turn, ()>) {
        if self.flaw == Flaw::Forgetful && state.number == 7 {
            return;
        }
        let number = (state.number + 1) % 10;
        sketches.edit(0, number + u32::from(self.flaw == Flaw::Misdrawn && number == 5));
        sketches.add_edited(u128::from(number) + u128::from(self.flaw == Flaw::Misprinted && number == 4));
    }

    fn sketch_choice(&self, state: &Turn, choice: Choice, sketches: &mut Sketches<Turn, ()>) {
        match self.flaw {
            Flaw::OffHand if state.number == 3 => sketches.add(self.step(state, choice, &mut Vec::new())),
            _ => self.sketch(state, sketches),
        }
    }

    fn edited(&self, before: &Turn, edits: &[Edit], _: u128) -> Turn {
        edits.iter().fold(before.clone(), |state, (_, word)| Turn { number: *word, ..state })
    }

    fn unpack(&self, words: &[u32]) -> Option<Turn> {
        let &[number, hidden] = words else { return None };
        Some(Turn { number: number - u32::from(self.flaw == Flaw::Misread && number == 6), hidden })
    }
}

fn broken_law(flaw: Flaw) -> Option<Law> {
    check_conformance(&Turns::new(flaw), Budget::default()).err().map(|violation| violation.law)
}

#[test]
fn the_flawless_toy_conforms() {
    assert_eq!(broken_law(Flaw::None), None);
}

#[test]
fn each_flaw_is_found_as_the_law_it_breaks() {
    let cases = [
        (Flaw::Wavering, Law::Deterministic),
        (Flaw::DuplicateChoice, Law::WellFormedChoices),
        (Flaw::GapInData, Law::WellFormedChoices),
        (Flaw::MixedChoices, Law::WellFormedChoices),
        (Flaw::HiddenDifference, Law::EqualFutures),
        (Flaw::HiddenFingerprint, Law::Fingerprints),
        (Flaw::ConstantFingerprint, Law::Fingerprints),
        (Flaw::Silent, Law::CompleteEffects),
        (Flaw::Boasting, Law::CompleteEffects),
        (Flaw::Lazy, Law::Proceeding),
    ];
    for (flaw, law) in cases {
        assert_eq!(broken_law(flaw), Some(law), "{flaw:?}");
    }
}

#[test]
fn sketches_that_are_no_steps_are_found() {
    let broken = |flaw| check_sketches(&Turns::new(flaw), 100).err().map(|violation| violation.law);
    assert_eq!(broken(Flaw::None), None);
    for flaw in [Flaw::Forgetful, Flaw::Misdrawn, Flaw::Misprinted, Flaw::OffHand, Flaw::Misread] {
        assert_eq!(broken(flaw), Some(Law::Sketches), "{flaw:?}");
    }
}

#[test]
fn values_of_different_programs_do_not_agree() {
    let one = Graph::from_edges(&[(0, 1), (1, 2), (2, 0)]);
    let shorter = Graph::from_edges(&[(0, 1), (1, 0)]);
    let branching = Graph::from_edges(&[(0, 1), (1, 2), (1, 0), (2, 0)]);
    assert!(check_agreement(&one, &shorter, Budget::default()).is_err());
    assert!(check_agreement(&one, &branching, Budget::default()).is_err());
}
