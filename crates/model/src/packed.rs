//! Programs whose states are vectors of words, and steps of theirs as changes of a few words.
//!
//! A search looks up many more states than it keeps: most have been met before. So a step is *sketched* first, as far as
//! needed to look up where it leads; only what turns out to be new is made into a state.

use crate::{Choice, Effect, Outcome, Program};

/// A program whose states are short vectors of numbers, so that very many can be stored exactly.
///
/// # Laws
///
/// 1. Two states are equal exactly if their words are. What the words are may differ from run to run.
/// 2. *Words are all*: where states can be made of words, what is made of the words of a state is that state.
/// 3. *Sketches are steps*: `sketch` adds what `step` leads to for all choices, in their order; `sketch_last` does
///    the same, `sketch_choice` does it for one, `sketch_movers` and `sketch_last_movers` for some.
/// 4. *Machines have places* where `movers` says so: the choices are moves of machines, in the order of their places, and
///    there is one order of all machines that the places of every state keep to.
/// 5. *Moves that touch nothing in common commute*: after one of them, the other machine has the same place, can still move,
///    and meets the same bug, if any; and if there is none, both orders lead to the same state.
/// 6. *Offers are choices*: states whose offers are the same have the same choices, which are moves of machines.
/// 7. *Tales are true*: if `sketch_told` tells of a step, it leads to a state, has the effects that `told` says, as every step
///    of these machines has of which the same is told, and the machines are the same after it.
/// 8. *Detached states are the same*: `detach` leaves a state equal to what it was, with its words and fingerprint.
///
/// [`check_sketches`](crate::check_sketches) runs all but the first on any program.
pub trait Packed: Program {
    /// Whether `sketch_last` is better than `sketch`, because it makes the last sketch of the state itself.
    const MAKES_LAST_OF_STATE: bool = false;

    /// Whether states can be made of their words by [`unpack`](Self::unpack), and need not be kept themselves.
    const UNPACKS: bool = false;

    /// Whether many states have some of their words in common, so that a set had better keep these once.
    const PARTS_REPEAT: bool = true;

    /// The words of a state; written into `buffer` unless the state holds them already.
    fn words<'a>(&self, state: &'a Self::State, buffer: &'a mut Vec<u32>) -> &'a [u32];

    /// Adds the words of a state to others; `buffer` is as for [`words`](Self::words).
    #[inline]
    fn add_words(&self, state: &Self::State, buffer: &mut Vec<u32>, to: &mut Vec<u32>) {
        to.extend_from_slice(self.words(state, buffer));
    }

    /// Lets a state share as little as possible with states of other threads, now that it belongs to this one: to count
    /// together who holds what takes them more time than copies do.
    fn detach(&self, state: &mut Self::State) {
        let _ = state;
    }

    /// The state with these words, with its fingerprint; `None` if there is none. Words that a state of this program had make
    /// that state again, if `UNPACKS`.
    fn unpack(&self, words: &[u32]) -> Option<Self::State> {
        let _ = words;
        None
    }

    /// The choice at a position among those of a state; `buffer` is for those that need all of them for that.
    fn choice(&self, state: &Self::State, position: usize, buffer: &mut Vec<Choice>) -> Choice {
        self.choices(state, buffer);
        buffer[position]
    }

    /// Stands for the choices of a state, which are moves of machines; `None` if nothing so short does.
    #[inline]
    fn offer(&self, state: &Self::State) -> Option<Offer> {
        let _ = state;
        None
    }

    /// Adds where each choice of a state leads, in the order of `choices`. A program that can do better than one step
    /// after the other has its own version.
    fn sketch(&self, state: &Self::State, sketches: &mut Sketches<Self::State, Self::Bug>) {
        let mut choices = Vec::new();
        self.choices(state, &mut choices);
        for choice in choices {
            self.sketch_choice(state, choice, sketches);
        }
    }

    /// As `sketch`, and adds what explorers learn of each step.
    #[inline]
    fn sketch_told(
        &self,
        state: &Self::State,
        sketches: &mut Sketches<Self::State, Self::Bug>,
        tales: &mut Vec<Tale>,
    ) {
        let before = sketches.len();
        self.sketch(state, sketches);
        tales.resize(tales.len() + sketches.len() - before, Tale::UNTOLD);
    }

    /// Stands for the machines whose places tales have that are told of a state; those of its [`offer`](Self::offer) are the same.
    #[inline]
    fn machines(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }

    /// The choice of which something is told, and the effects of its step, which are added to others. The state has the
    /// machines of which it is told: that before the step has, and that after it.
    fn told(&self, state: &Self::State, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        let _ = (state, tale, effects);
        unreachable!("a program that tells of steps knows what it has told")
    }

    /// As `sketch`, of a state that nobody needs any more: it is given back unless one of the sketches is made of it. A state
    /// without choices is always given back, and so is one of which a sketch is a change of words.
    fn sketch_last(
        &self,
        state: Self::State,
        sketches: &mut Sketches<Self::State, Self::Bug>,
    ) -> Option<Self::State> {
        self.sketch(&state, sketches);
        Some(state)
    }

    /// Adds where one of the choices leads.
    fn sketch_choice(
        &self,
        state: &Self::State,
        choice: Choice,
        sketches: &mut Sketches<Self::State, Self::Bug>,
    ) {
        sketches.add(self.step(state, choice, &mut Vec::new()));
    }

    /// The places of the machines that can move, as bits; 0 if there are none, or if choices are not told apart by places:
    /// data choices are not.
    fn movers(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }

    /// As `sketch`, for some of the [`movers`](Self::movers) only.
    fn sketch_movers(
        &self,
        state: &Self::State,
        movers: u64,
        sketches: &mut Sketches<Self::State, Self::Bug>,
    ) {
        let _ = (state, movers, sketches);
        unreachable!("a program that has movers can sketch them")
    }

    /// What the moves of some of the [`movers`](Self::movers) touch. Those of programs that know this only of moves that
    /// were made may seem to touch everything.
    fn touched(&self, state: &Self::State, movers: u64, touched: &mut Touched) {
        let _ = (state, movers, touched);
        unreachable!("a program that has movers knows what they touch")
    }

    /// As `sketch_movers`, of a state that nobody needs any more, as for `sketch_last`. Also tells what the moves of all its
    /// [`movers`](Self::movers) touch.
    fn sketch_last_movers(
        &self,
        state: Self::State,
        movers: u64,
        sketches: &mut Sketches<Self::State, Self::Bug>,
        touched: &mut Touched,
    ) -> Option<Self::State> {
        self.sketch_movers(&state, movers, sketches);
        self.touched(&state, self.movers(&state), touched);
        Some(state)
    }

    /// Changes these words of a state, which then has this fingerprint: takes a step that was sketched as a change of words.
    /// It is changed where it lies, because a processor that copies what it has just written waits for it.
    fn edit(&self, state: &mut Self::State, edits: &[Edit], fingerprint: u128) {
        let _ = (state, edits, fingerprint);
        unreachable!("a program that sketches changes of words can make them")
    }
}

/// Stands for choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// Which of some machines can move, as bits.
    pub movers: u64,
    /// Which machines these are.
    pub machines: u32,
}

/// What explorers learn of a step of a machine, with machines by their places: short enough to be told of all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tale(u32);

/// What a step makes of the machine that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It can go on.
    Enabled,
    /// It waits.
    Blocked,
    /// It has halted.
    Halted,
}

impl Tale {
    /// Of a step that must be taken to know more.
    pub const UNTOLD: Tale = Tale(u32::MAX);

    const PLACE: u32 = 0xff;
    const RECEIVER_SHIFT: u32 = 8;
    const ENABLES_SHIFT: u32 = 16;
    const END_SHIFT: u32 = 17;
    const ALTERNATIVE_SHIFT: u32 = 19;
    const ALTERNATIVES: u32 = 1 << 11;

    /// The machine at a place takes a step, and becomes so.
    #[inline]
    pub fn new(mover: u8, end: Ending) -> Tale {
        Tale(u32::from(mover) | (end as u32) << Self::END_SHIFT)
    }

    /// It stood at a choice of data, and takes this alternative. Of great ones nothing is told.
    #[must_use]
    pub fn choosing(self, alternative: u32) -> Tale {
        if alternative >= Self::ALTERNATIVES {
            return Self::UNTOLD;
        }
        Tale(self.0 | (alternative + 1) << Self::ALTERNATIVE_SHIFT)
    }

    /// It sends something to the machine at a place below 255, which may be able to move only since then.
    #[inline]
    #[must_use]
    pub fn sending(self, receiver: u8, enables: bool) -> Tale {
        let receiver = (u32::from(receiver) + 1) << Self::RECEIVER_SHIFT;
        Tale(self.0 | receiver | u32::from(enables) << Self::ENABLES_SHIFT)
    }

    /// The place of the machine.
    #[inline]
    pub fn mover(self) -> usize {
        (self.0 & Self::PLACE) as usize
    }

    /// What it has chosen, if it stood at a choice of data.
    pub fn alternative(self) -> Option<u32> {
        (self.0 >> Self::ALTERNATIVE_SHIFT).checked_sub(1)
    }

    /// The place to which it has sent something, and whether the machine there can move only since then.
    pub fn receiver(self) -> Option<(usize, bool)> {
        let place = (self.0 >> Self::RECEIVER_SHIFT & Self::PLACE).checked_sub(1)?;
        Some((place as usize, self.0 >> Self::ENABLES_SHIFT & 1 != 0))
    }

    /// What becomes of the machine.
    pub fn end(self) -> Ending {
        match self.0 >> Self::END_SHIFT & 3 {
            0 => Ending::Enabled,
            1 => Ending::Blocked,
            _ => Ending::Halted,
        }
    }

    /// All of it as a number.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0
    }
}

/// For each place, what a move of the machine there touches.
pub type Touched = [Things; u64::BITS as usize];

/// Things that a move looks at or changes, as bits. The lowest ones of the first half are the machines at their places, and
/// each move touches its own; what the others are is up to the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Things(pub [u64; 2]);

impl Things {
    /// Everything.
    pub const ALL: Things = Things([u64::MAX; 2]);

    /// Whether some are in both.
    #[inline]
    pub fn meet(self, other: Things) -> bool {
        (self.0[0] & other.0[0] | self.0[1] & other.0[1]) != 0
    }
}

/// A word that a step changes, by its place, and what it becomes. No word is changed twice in one step.
pub type Edit = (u32, u32);

/// Where a step leads.
#[derive(Debug, PartialEq, Eq)]
pub enum Sketch<'a, State, Bug> {
    /// To a state that differs from the one before in some words, of which there are as many.
    Changed {
        /// Of the state after the step.
        fingerprint: u128,
        /// The words that differ.
        edits: &'a [Edit],
    },
    /// To a state, or into a bug.
    Made(&'a Outcome<State, Bug>),
}

/// Where the choices of some states lead. Its memory is used again.
#[derive(Clone, Debug)]
pub struct Sketches<State, Bug> {
    /// For each step, the fingerprint of the state after it; 0 if it was made.
    fingerprints: Vec<u128>,
    /// For each step, where its edits end; those of the step before end where they begin.
    ends: Vec<u32>,
    edits: Vec<Edit>,
    /// Steps that were made, with their numbers, in their order.
    made: Vec<(usize, Option<Outcome<State, Bug>>)>,
}

impl<State, Bug> Default for Sketches<State, Bug> {
    fn default() -> Self {
        Sketches { fingerprints: Vec::new(), ends: Vec::new(), edits: Vec::new(), made: Vec::new() }
    }
}

impl<State, Bug> Sketches<State, Bug> {
    /// How many steps there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Takes out all steps.
    pub fn clear(&mut self) {
        self.fingerprints.clear();
        self.ends.clear();
        self.edits.clear();
        self.made.clear();
    }

    /// Adds a step as its outcome.
    #[inline]
    pub fn add(&mut self, outcome: Outcome<State, Bug>) {
        self.made.push((self.len(), Some(outcome)));
        self.fingerprints.push(0);
        self.ends.push(self.edits.len() as u32);
    }

    /// A word that the next step changes.
    #[inline]
    pub fn edit(&mut self, at: u32, word: u32) {
        self.edits.push((at, word));
    }

    /// What the next step has made of a word so far, if it has changed it.
    pub fn edited(&mut self, at: u32) -> Option<&mut u32> {
        let start = self.start(self.len());
        let edit = self.edits[start..].iter_mut().find(|(place, _)| *place == at);
        edit.map(|(_, word)| word)
    }

    /// Adds a step as the edits since the last one.
    #[inline]
    pub fn add_edited(&mut self, fingerprint: u128) {
        self.fingerprints.push(fingerprint);
        self.ends.push(self.edits.len() as u32);
    }

    /// Drops the edits since the last step.
    pub fn drop_edits(&mut self) {
        self.edits.truncate(self.start(self.len()));
    }

    /// Where the edits of a step begin.
    #[inline]
    fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] as usize }
    }

    /// Whether all steps are changes of words.
    #[inline]
    pub fn are_changes(&self) -> bool {
        self.made.is_empty()
    }

    /// The fingerprints after the steps from this one on, which are changes of words.
    #[inline]
    pub fn fingerprints(&self, from: usize) -> &[u128] {
        &self.fingerprints[from..]
    }

    /// The edits of the steps from this one on, which are changes of words, and where those of each end; the first number is
    /// where they begin.
    #[inline]
    pub fn edits(&self, from: usize) -> (&[Edit], u32, &[u32]) {
        let start = self.start(from);
        (&self.edits[start..], start as u32, &self.ends[from..])
    }

    /// Where a step leads.
    ///
    /// # Panics
    ///
    /// If there are not so many, or if its outcome was taken.
    #[inline]
    pub fn get(&self, index: usize) -> Sketch<'_, State, Bug> {
        if let Some(made) = self.place_of_made(index) {
            return Sketch::Made(self.made[made].1.as_ref().expect("it was not taken"));
        }
        let edits = &self.edits[self.start(index)..self.ends[index] as usize];
        Sketch::Changed { fingerprint: self.fingerprints[index], edits }
    }

    /// Where the outcome of a step is, if it was made.
    #[inline]
    fn place_of_made(&self, index: usize) -> Option<usize> {
        match self.made.len() {
            0 => None,
            all if all == self.len() => Some(index),
            _ => self.made.binary_search_by_key(&index, |(index, _)| *index).ok(),
        }
    }

    /// Whether all steps were made and lead to states.
    #[inline]
    pub fn are_states(&self) -> bool {
        let is_state =
            |(_, outcome): &(usize, Option<Outcome<State, Bug>>)| matches!(outcome, Some(Outcome::State(_)));
        self.are_made() && self.made.iter().all(is_state)
    }

    /// Whether all steps were made.
    #[inline]
    pub fn are_made(&self) -> bool {
        self.made.len() == self.len()
    }

    /// The outcomes of all steps, which were made; then there are none.
    #[inline]
    pub fn take_all_made(&mut self) -> impl Iterator<Item = Outcome<State, Bug>> {
        self.fingerprints.clear();
        self.ends.clear();
        self.made.drain(..).filter_map(|(_, outcome)| outcome)
    }

    /// The outcome of a step, if it was made, which can be asked for once.
    ///
    /// # Panics
    ///
    /// As `get`.
    #[inline]
    pub fn take_made(&mut self, index: usize) -> Option<Outcome<State, Bug>> {
        let made = self.place_of_made(index)?;
        Some(self.made[made].1.take().expect("it was not taken"))
    }

    /// The outcome of a step from `before`, which can be asked for once.
    ///
    /// # Panics
    ///
    /// As `get`.
    #[inline]
    pub fn take<P>(&mut self, index: usize, program: &P, before: &State) -> Outcome<State, Bug>
    where
        P: Packed<State = State, Bug = Bug>,
        State: Clone,
    {
        match self.take_made(index) {
            Some(outcome) => outcome,
            None => {
                let mut state = before.clone();
                self.edit_state(index, program, &mut state);
                Outcome::State(state)
            }
        }
    }

    /// Makes of a state the one to which a step from it leads that is a change of words.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn edit_state<P>(&self, index: usize, program: &P, state: &mut State)
    where
        P: Packed<State = State, Bug = Bug>,
    {
        let edits = &self.edits[self.start(index)..self.ends[index] as usize];
        program.edit(state, edits, self.fingerprints[index]);
    }
}
