use super::{Budget, Law, check_agreement, check_conformance, check_sketches};
use crate::toys::{BinaryClock, Graph};
use crate::{
    ActorId, Choice, Edit, Effect, Ending, Offer, Outcome, Packed, Program, Sketches, Tale, Things, Touched,
};
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
    /// A state that is detached becomes another one.
    Estranged,
    /// Of one step something wrong is told, or nothing added; machines have another number after a step.
    Lying,
    Mute,
    Renamed,
    /// `proceed` stays where it is.
    Lazy,
    /// `count_choices` counts one too many, or `proceed_at` stays where it is.
    Miscounting,
    Stuck,
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

    fn count_choices(&self, _: &Turn) -> Option<usize> {
        Some(if self.flaw == Flaw::Miscounting { 2 } else { 1 })
    }

    fn proceed_at(&self, state: &mut Turn, _: usize) -> Result<(), ()> {
        match self.step(state, Choice::Data(0), &mut Vec::new()) {
            Outcome::State(next) if self.flaw != Flaw::Stuck => *state = next,
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

    fn detach(&self, state: &mut Turn) {
        state.hidden += u32::from(self.flaw == Flaw::Estranged && state.number == 8);
    }

    fn sketch(&self, state: &Turn, sketches: &mut Sketches<Turn, ()>) {
        if self.flaw == Flaw::Forgetful && state.number == 7 {
            return;
        }
        let number = (state.number + 1) % 10;
        sketches.edit(0, number + u32::from(self.flaw == Flaw::Misdrawn && number == 5));
        sketches.add_edited(u128::from(number) + u128::from(self.flaw == Flaw::Misprinted && number == 4));
    }

    fn sketch_told(&self, state: &Turn, sketches: &mut Sketches<Turn, ()>, tales: &mut Vec<Tale>) {
        let before = sketches.len();
        self.sketch(state, sketches);
        if sketches.len() == before || self.flaw == Flaw::Mute && state.number == 7 {
            return;
        }
        let end =
            if self.flaw == Flaw::Lying && state.number == 7 { Ending::Halted } else { Ending::Blocked };
        tales.push(Tale::new((state.number % 2) as u8, end));
    }

    fn machines(&self, state: &Turn) -> u32 {
        match self.flaw {
            Flaw::Renamed => state.number / 5,
            _ => 0,
        }
    }

    fn told(&self, _: &Turn, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        let mover = ActorId(tale.mover() as u32);
        let other = ActorId(1 - tale.mover() as u32);
        effects.extend((tale.end() == Ending::Blocked).then_some(Effect::Blocked(mover)));
        effects.push(Effect::Enabled(other));
        Choice::Schedule(mover)
    }

    fn sketch_choice(&self, state: &Turn, choice: Choice, sketches: &mut Sketches<Turn, ()>) {
        match self.flaw {
            Flaw::OffHand if state.number == 3 => sketches.add(self.step(state, choice, &mut Vec::new())),
            _ => self.sketch(state, sketches),
        }
    }

    fn edit(&self, state: &mut Turn, edits: &[Edit], _: u128) {
        edits.iter().for_each(|(_, word)| state.number = *word);
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
        (Flaw::Miscounting, Law::Drawing),
        (Flaw::Stuck, Law::Drawing),
    ];
    for (flaw, law) in cases {
        assert_eq!(broken_law(flaw), Some(law), "{flaw:?}");
    }
}

#[test]
fn sketches_that_are_no_steps_are_found() {
    let broken = |flaw| check_sketches(&Turns::new(flaw), 100).err().map(|violation| violation.law);
    assert_eq!(broken(Flaw::None), None);
    for flaw in [
        Flaw::Forgetful,
        Flaw::Misdrawn,
        Flaw::Misprinted,
        Flaw::OffHand,
        Flaw::Misread,
        Flaw::Estranged,
        Flaw::Lying,
        Flaw::Mute,
        Flaw::Renamed,
    ] {
        assert_eq!(broken(flaw), Some(Law::Sketches), "{flaw:?}");
    }
}

/// What can be wrong with what a program says of its movers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    None,
    /// One that cannot move is named; all are sketched when some are asked for; a move does not touch its own machine, or not
    /// the one that it changes; places are in another order in some states; an offer stands for different choices.
    Ghost,
    Eager,
    Untouched,
    Careless,
    Swapped,
    Ambiguous,
}

/// Three counters up to 3. The first two stand still from 2 on as long as the third is 0, which sets the second back when it
/// moves.
struct Counters(Slip);

impl Counters {
    fn actors(state: [u32; 3]) -> impl Iterator<Item = usize> {
        (0..3).filter(move |actor| state[*actor] < if *actor < 2 && state[2] == 0 { 2 } else { 3 })
    }

    fn place(&self, actor: usize, state: [u32; 3]) -> usize {
        if self.0 == Slip::Swapped && state[0] == 2 { 2 - actor } else { actor }
    }

    fn in_order(&self, state: [u32; 3]) -> Vec<usize> {
        let mut actors: Vec<usize> = Self::actors(state).collect();
        actors.sort_by_key(|actor| self.place(*actor, state));
        actors
    }
}

impl Program for Counters {
    type State = [u32; 3];
    type Bug = ();

    fn initial(&self) -> Outcome<[u32; 3], ()> {
        Outcome::State([0; 3])
    }

    fn choices(&self, state: &[u32; 3], choices: &mut Vec<Choice>) {
        choices.clear();
        choices
            .extend(self.in_order(*state).into_iter().map(|actor| Choice::Schedule(ActorId(actor as u32))));
    }

    fn step(&self, state: &[u32; 3], choice: Choice, _: &mut Vec<Effect>) -> Outcome<[u32; 3], ()> {
        let Choice::Schedule(ActorId(actor)) = choice else { return Outcome::Bug(()) };
        let mut next = *state;
        next[actor as usize] += 1;
        if actor == 2 {
            next[1] = 0;
        }
        Outcome::State(next)
    }

    fn end(&self, _: &[u32; 3]) -> Option<()> {
        None
    }

    fn fingerprint(&self, state: &[u32; 3]) -> u128 {
        state.iter().fold(0, |hash, word| hash << 32 | u128::from(*word))
    }
}

impl Packed for Counters {
    fn words<'a>(&self, state: &'a [u32; 3], _: &'a mut Vec<u32>) -> &'a [u32] {
        state
    }

    fn movers(&self, state: &[u32; 3]) -> u64 {
        let movers = Self::actors(*state).fold(0, |bits, actor| bits | 1 << self.place(actor, *state));
        movers | u64::from(self.0 == Slip::Ghost && state[1] == 1) << 3
    }

    fn offer(&self, state: &[u32; 3]) -> Option<Offer> {
        let movers = if self.0 == Slip::Ambiguous { 1 } else { self.movers(state) };
        Some(Offer { movers, machines: u32::from(self.0 == Slip::Swapped && state[0] == 2) })
    }

    fn sketch_movers(&self, state: &[u32; 3], movers: u64, sketches: &mut Sketches<[u32; 3], ()>) {
        for actor in self.in_order(*state) {
            if self.0 == Slip::Eager || movers >> self.place(actor, *state) & 1 == 1 {
                self.sketch_choice(state, Choice::Schedule(ActorId(actor as u32)), sketches);
            }
        }
    }

    fn touched(&self, state: &[u32; 3], _: u64, touched: &mut Touched) {
        for actor in 0..3 {
            // While the third is 0, its move lets the others go on.
            let own = if self.0 == Slip::Untouched { 0 } else { 1 << self.place(actor, *state) };
            let other = match actor {
                2 if self.0 == Slip::Careless => 0,
                2 if state[2] > 0 => 1 << self.place(1, *state),
                2 => u64::MAX,
                _ => 0,
            };
            touched[self.place(actor, *state)] = Things([own | other, 0]);
        }
    }
}

#[test]
fn what_is_wrong_with_movers_is_found() {
    let broken = |slip| check_sketches(&Counters(slip), 100).err().map(|violation| violation.law);
    assert_eq!(broken(Slip::None), None);
    for slip in [Slip::Ghost, Slip::Eager, Slip::Untouched, Slip::Careless, Slip::Swapped, Slip::Ambiguous] {
        assert_eq!(broken(slip), Some(Law::Movers), "{slip:?}");
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
