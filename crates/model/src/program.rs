//! The trait of programs and its laws.

use std::fmt::Debug;
use std::hash::Hash;

use crate::Name;

/// Something that can be scheduled: a machine of a P program.
///
/// An id is meaningful within one [`Program`] value until [`Program::forget`]. Its number carries no order: it may
/// depend on the timing of threads. Whoever needs an order takes that of [`Program::choices`] or of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActorId(pub u32);

/// One way to go on from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The machine that moves next.
    Schedule(ActorId),
    /// The alternative that a nondeterministic expression takes, counted from 0: false before true, smaller before
    /// larger, earlier element before later.
    Data(u32),
}

/// What a step did, as far as strategies care. Effects come in the order in which they happened.
///
/// The first five are told by every program. The others are *hints*: a program tells them only if it was asked to, and
/// none of its laws depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The actor was created and can be scheduled.
    Created(ActorId),
    /// A message was put into the actor's queue.
    SentTo(ActorId),
    /// The actor could not be scheduled before the step, and now it can.
    Enabled(ActorId),
    /// The actor could be scheduled before the step, and now it cannot.
    Blocked(ActorId),
    /// The actor has ended for good.
    Halted(ActorId),
    /// Hint: the actor is a machine of this type. Follows its creation.
    Is {
        /// The new machine.
        actor: ActorId,
        /// Its type.
        machine: Name,
        /// Who created it.
        creator: ActorId,
    },
    /// Hint: the actor entered this control state, perhaps again.
    Entered(ActorId, Name),
    /// Hint: the actor took an event from its queue, or found nothing there and takes `null`.
    Received {
        /// Who took it.
        actor: ActorId,
        /// The control state that it was in.
        state: Name,
        /// The event.
        event: Name,
    },
    /// Hint: an event was sent to the actor. Comes before [`Effect::SentTo`], which is missing if the actor has halted.
    Sent(ActorId, Name),
    /// Hint: an event was announced.
    Announced(Name),
    /// Hint: the actor has finished with the event that it took last, or with the entry of its first state.
    Settled(ActorId),
}

impl Effect {
    /// Whether only programs that were asked for hints tell it.
    pub fn is_hint(&self) -> bool {
        match self {
            Effect::Created(_)
            | Effect::SentTo(_)
            | Effect::Enabled(_)
            | Effect::Blocked(_)
            | Effect::Halted(_) => false,
            Effect::Is { .. }
            | Effect::Entered(..)
            | Effect::Received { .. }
            | Effect::Sent(..)
            | Effect::Announced(_)
            | Effect::Settled(_) => true,
        }
    }
}

/// Where a step, or the start of the program, leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<State, Bug> {
    /// The run goes on from this state.
    State(State),
    /// The run ends here, in a bug.
    Bug(Bug),
}

/// A transition system with named choices.
///
/// # Laws
///
/// [`check_conformance`](crate::check_conformance) runs them on any program.
/// 1. *Deterministic*: `initial`, `choices`, `step`, `end` and `fingerprint` are functions of their arguments. Calling
///    them again, in any order, on any thread, gives the same answers.
/// 2. *Choices are well formed*: no choice occurs twice; a list holds schedule choices only or data choices only; data
///    choices are `Data(0)`, `Data(1)`, … without gaps. Their order is a function of the state's content, hence equal
///    in every run and process.
/// 3. *Equal states have equal futures*: equal states have the same choices, and the same choice leads to equal
///    outcomes.
/// 4. *Fingerprints are functions of content*: equal states have equal fingerprints, in every run, process and on
///    every machine.
/// 5. *Effects are complete*: from the choices before a step and the step's effects follow the schedule choices after
///    it, except when data choices stand in between.
/// 6. *Proceeding is stepping*: `proceed` leaves the state that `step` leads to, or finds the same bug, with the same
///    effects.
/// 7. *Drawing is proceeding*: where `count_choices` gives a number, it is that of `choices`, and `proceed_at` leaves what
///    `proceed` does with the choice at that position, or finds the same bug.
pub trait Program: Sync {
    /// A state of the whole program. Cheap to clone.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can go wrong, as a value.
    type Bug: Clone + Eq + Debug + Send + Sync;

    /// The state before the first step.
    fn initial(&self) -> Outcome<Self::State, Self::Bug>;

    /// Replaces `choices` by the ways to go on. None means that the run has ended: see [`Program::end`].
    fn choices(&self, state: &Self::State, choices: &mut Vec<Choice>);

    /// Takes a choice that `choices` gave for this state, and adds to `effects` what the step did.
    fn step(
        &self,
        state: &Self::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Outcome<Self::State, Self::Bug>;

    /// As `step`, for a run that does not need the state before: `state` becomes the state after the step. If there is a
    /// bug, it is of no use any more.
    fn proceed(
        &self,
        state: &mut Self::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Self::Bug> {
        match self.step(state, choice, effects) {
            Outcome::State(next) => {
                *state = next;
                Ok(())
            }
            Outcome::Bug(bug) => Err(bug),
        }
    }

    /// How many choices there are, from a program that need not list them to take one: see [`Program::proceed_at`].
    fn count_choices(&self, state: &Self::State) -> Option<usize> {
        let _ = state;
        None
    }

    /// As `proceed` with the choice at a position of `choices`, for a run whose effects nobody asks for.
    fn proceed_at(&self, state: &mut Self::State, position: usize) -> Result<(), Self::Bug> {
        let mut choices = Vec::new();
        self.choices(state, &mut choices);
        self.proceed(state, choices[position], &mut Vec::new())
    }

    /// What is wrong with ending in this state, which has no choices: a deadlock, an obligation left open.
    fn end(&self, state: &Self::State) -> Option<Self::Bug>;

    /// 128 bits of the state's content.
    fn fingerprint(&self, state: &Self::State) -> u128;

    /// 128 bits of who an actor is, equal in every run and process. The actor's number itself need not be.
    fn identity(&self, actor: ActorId) -> u128 {
        u128::from(actor.0)
    }

    /// The actor whose queue the choice's step writes to first, if it writes to one. Two steps that write to
    /// different queues and belong to different actors commute.
    fn writes_to(&self, state: &Self::State, choice: Choice) -> Option<ActorId> {
        let _ = (state, choice);
        None
    }

    /// Roughly how many bytes the program holds for states it has met.
    fn memory(&self) -> usize {
        0
    }

    /// Roughly how many bytes a state holds beside what `memory` counts.
    fn held_by(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }

    /// How many bytes more it takes at once when tables of its grow that are nearly full; 0 if none is.
    fn growth_ahead(&self) -> usize {
        0
    }

    /// From now on it holds nothing new that it can do without. Its answers stay the same, and may take longer.
    fn economise(&self) {}

    /// Drops what is held for states it has met. All states and ids given out before become meaningless.
    fn forget(&mut self) {}
}
