//! Sealing: while a machine is busy with what the user has sealed, exactly one schedule is followed.
//!
//! The idea of [DQS15] and of Zing's sealing scheduler: where a tester knows that interleavings do not matter, none is
//! tried, and no delay is spent. There the program calls `seal` and `unseal`; here the user names machines, states or
//! events, and no program has to be changed.
//!
//! A *region* opens when a machine takes an event, or enters a state, that a [`Seal`] names. In the two flavours:
//! - [`Flavour::RoundRobin`]: only that machine moves until it has finished with the event or has to wait. Its handler is
//!   atomic, a broadcast in it too.
//! - [`Flavour::RunToCompletion`]: whoever it sends to or creates moves first, until it has to wait, and those that get
//!   messages from there before that one goes on. Its sends are synchronous, like calls.
//!
//! A region closes when nobody in it can move, so a handler that waits in `receive` for somebody else's message lets all
//! others go on. Choices of data stay open.
//!
//! Sealing is a wrapper of the program and not of an explorer: inside a region a state offers one choice, whatever the
//! strategy, so every search can be sealed, and a stored state knows whether it is sealed. *Guarantees*: every run of the
//! sealed program is a run of the program; a search that exhausts it has covered all runs in which regions are not
//! interrupted. *Does not guarantee*: anything about the others. [`Sealed::has_pruned`] says whether there are any; only if
//! not, what holds for the sealed program holds for the program.
//!
//! The laws of [`Program`] hold but for the fifth: effects tell who can move as if nothing were sealed, so that strategies
//! keep their order across a region.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_model::wire::{get_number, put_number};
use fabius_model::{ActorId, Choice, Durable, Effect, Name, Outcome, Packed, Program, Vocabulary};

use crate::rules::RuleError;

/// What is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Whatever machines of this type handle.
    Machine(Name),
    /// What is handled in this control state, its entry included.
    State(Name),
    /// The handling of this event.
    Event(Name),
}

impl Seal {
    /// What it names.
    pub fn name(self) -> Name {
        match self {
            Seal::Machine(name) | Seal::State(name) | Seal::Event(name) => name,
        }
    }

    /// Reads what people write: `machine:Server`, `state:Server.Busy` or `event:eRequest`.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Seal, RuleError> {
        match text.split_once(':') {
            Some(("machine", name)) => RuleError::machine(vocabulary, name).map(Seal::Machine),
            Some(("state", name)) => RuleError::state(vocabulary, name).map(Seal::State),
            Some(("event", name)) => RuleError::event(vocabulary, name).map(Seal::Event),
            _ => Err(RuleError::Malformed(format!(
                "expected `machine:NAME`, `state:MACHINE.STATE` or `event:NAME` and found `{text}`"
            ))),
        }
    }
}

/// Which schedule is followed inside a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// The machine goes on alone: handlers are atomic.
    #[default]
    RoundRobin,
    /// Receivers go first: sends are synchronous.
    RunToCompletion,
}

/// All that is sealed, and how.
#[derive(Clone, Debug)]
pub struct Sealing {
    seals: Vec<Seal>,
    flavour: Flavour,
    vocabulary: Vocabulary,
}

impl Sealing {
    /// Seals everything that any of the seals names.
    pub fn new(seals: Vec<Seal>, flavour: Flavour, vocabulary: Vocabulary) -> Sealing {
        Sealing { seals, flavour, vocabulary }
    }

    /// The machine with which a region opens.
    fn opener(&self, effect: &Effect) -> Option<ActorId> {
        let (actor, state, event) = match *effect {
            Effect::Received { actor, state, event } => (actor, state, Some(event)),
            Effect::Entered(actor, state) => (actor, state, None),
            _ => return None,
        };
        let machine = self.vocabulary.machine_of(state);
        let is_sealed = |seal: &Seal| match *seal {
            Seal::Machine(sealed) => machine == Some(sealed),
            Seal::State(sealed) => state == sealed,
            Seal::Event(sealed) => event == Some(sealed),
        };
        self.seals.iter().any(is_sealed).then_some(actor)
    }

    /// The region after these effects; `can_move` is asked about its members, unless choices of data come first.
    fn follow(
        &self,
        region: Option<&Region>,
        effects: &[Effect],
        can_move: Option<&dyn Fn(ActorId) -> bool>,
    ) -> Option<Region> {
        let mut region = region.cloned();
        for effect in effects {
            match &mut region {
                None => {
                    let open = |actor| Region { opener: Some(actor), stack: vec![actor] };
                    region = self.opener(effect).map(open);
                }
                Some(open) => open.follow(effect, self.flavour),
            }
            region = region.filter(|region| !region.stack.is_empty());
        }
        if let (Some(region), Some(can_move)) = (&mut region, can_move) {
            region.stack.retain(|actor| can_move(*actor));
        }
        region.filter(|region| !region.stack.is_empty())
    }
}

/// Who moves while the rest stands still.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Region {
    /// Who opened it, until it has finished.
    opener: Option<ActorId>,
    // Invariant: not empty; the last one moves. In states that offer no choices of data, each can move.
    stack: Vec<ActorId>,
}

impl Region {
    fn follow(&mut self, effect: &Effect, flavour: Flavour) {
        match *effect {
            Effect::Settled(actor) if self.opener == Some(actor) => {
                self.opener = None;
                self.remove(actor);
            }
            Effect::Blocked(actor) | Effect::Halted(actor) => self.remove(actor),
            Effect::Created(actor) | Effect::SentTo(actor) | Effect::Enabled(actor)
                if flavour == Flavour::RunToCompletion && !self.stack.contains(&actor) =>
            {
                self.stack.push(actor);
            }
            _ => {}
        }
    }

    fn remove(&mut self, actor: ActorId) {
        self.stack.retain(|other| *other != actor);
    }
}

/// A state of a sealed program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SealedState<S> {
    state: S,
    region: Option<Arc<Region>>,
}

impl<S> SealedState<S> {
    /// The program's own state.
    pub fn inner(&self) -> &S {
        &self.state
    }

    /// Whether only one schedule is followed here.
    pub fn is_sealed(&self) -> bool {
        self.region.is_some()
    }
}

/// A program, some parts of which are not interrupted. The program must tell hints.
#[derive(Clone, Debug)]
pub struct Sealed<P> {
    program: P,
    sealing: Arc<Sealing>,
    /// Shared by the programs of all threads.
    has_pruned: Arc<AtomicBool>,
}

impl<P: Program> Sealed<P> {
    /// The program with this sealed; `has_pruned` becomes true when a choice is left out because of it.
    pub fn new(program: P, sealing: Arc<Sealing>, has_pruned: Arc<AtomicBool>) -> Sealed<P> {
        Sealed { program, sealing, has_pruned }
    }

    /// Whether some choice was left out so far.
    pub fn has_pruned(&self) -> bool {
        self.has_pruned.load(Ordering::Relaxed)
    }

    /// Another program with the same sealed; `has_pruned` is shared.
    pub fn around<Q: Program>(&self, program: Q) -> Sealed<Q> {
        Sealed::new(program, self.sealing.clone(), self.has_pruned.clone())
    }

    /// The program itself.
    pub fn inner(&self) -> &P {
        &self.program
    }

    /// The positions of a run's choices among those of the program itself. Ends at a position that does not exist.
    pub fn unsealed_positions(&self, positions: &[u32]) -> Vec<u32> {
        let mut unsealed = Vec::with_capacity(positions.len());
        let Outcome::State(mut state) = self.initial() else { return unsealed };
        let (mut sealed, mut all) = (Vec::new(), Vec::new());
        for position in positions {
            self.choices(&state, &mut sealed);
            self.program.choices(&state.state, &mut all);
            let Some(choice) = sealed.get(*position as usize) else { break };
            let Some(at) = all.iter().position(|other| other == choice) else { break };
            unsealed.push(at as u32);
            match self.step(&state, *choice, &mut Vec::new()) {
                Outcome::State(next) => state = next,
                Outcome::Bug(_) => break,
            }
        }
        unsealed
    }

    fn region_after(&self, region: Option<&Region>, effects: &[Effect], next: &P::State) -> Option<Region> {
        let opens = || effects.iter().any(|effect| self.sealing.opener(effect).is_some());
        if region.is_none() && !opens() {
            return None;
        }
        let mut choices = Vec::new();
        self.program.choices(next, &mut choices);
        let can_move = |actor| choices.contains(&Choice::Schedule(actor));
        let is_data = matches!(choices.first(), Some(Choice::Data(_)));
        self.sealing.follow(region, effects, (!is_data).then_some(&can_move))
    }
}

impl<P: Program> Program for Sealed<P> {
    type State = SealedState<P::State>;
    type Bug = P::Bug;

    fn initial(&self) -> Outcome<Self::State, P::Bug> {
        match self.program.initial() {
            Outcome::State(state) => Outcome::State(SealedState { state, region: None }),
            Outcome::Bug(bug) => Outcome::Bug(bug),
        }
    }

    fn choices(&self, state: &Self::State, choices: &mut Vec<Choice>) {
        self.program.choices(&state.state, choices);
        let Some(top) = state.region.as_ref().and_then(|region| region.stack.last()) else { return };
        if choices.len() > 1 && matches!(choices.first(), Some(Choice::Schedule(_))) {
            choices.clear();
            choices.push(Choice::Schedule(*top));
            if !self.has_pruned() {
                self.has_pruned.store(true, Ordering::Relaxed);
            }
        }
    }

    fn step(
        &self,
        state: &Self::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Outcome<Self::State, P::Bug> {
        let before = effects.len();
        match self.program.step(&state.state, choice, effects) {
            Outcome::Bug(bug) => Outcome::Bug(bug),
            Outcome::State(next) => {
                let region = self.region_after(state.region.as_deref(), &effects[before..], &next);
                Outcome::State(SealedState { state: next, region: region.map(Arc::new) })
            }
        }
    }

    fn proceed(
        &self,
        state: &mut Self::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Result<(), P::Bug> {
        let before = effects.len();
        self.program.proceed(&mut state.state, choice, effects)?;
        let region = self.region_after(state.region.as_deref(), &effects[before..], &state.state);
        state.region = region.map(Arc::new);
        Ok(())
    }

    fn end(&self, state: &Self::State) -> Option<P::Bug> {
        self.program.end(&state.state)
    }

    fn fingerprint(&self, state: &Self::State) -> u128 {
        let own = self.program.fingerprint(&state.state);
        let Some(region) = &state.region else { return own };
        let mix = |sum: u128, actor: &ActorId| {
            (sum.rotate_left(41) ^ self.program.identity(*actor)).wrapping_mul(MULTIPLIER)
        };
        // Not zero, so that a region without an opener differs from one whose opener's identity is zero.
        let opener = region.opener.as_ref().map_or(1, |opener| mix(2, opener));
        own ^ region.stack.iter().fold(opener, mix)
    }

    fn writes_to(&self, state: &Self::State, choice: Choice) -> Option<ActorId> {
        self.program.writes_to(&state.state, choice)
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.program.identity(actor)
    }

    fn memory(&self) -> usize {
        self.program.memory()
    }

    fn held_by(&self, state: &Self::State) -> usize {
        self.program.held_by(&state.state)
    }

    fn growth_ahead(&self) -> usize {
        self.program.growth_ahead()
    }

    fn economise(&self) {
        self.program.economise();
    }

    fn forget(&mut self) {
        self.program.forget();
    }
}

impl<P: Packed> Packed for Sealed<P> {
    const UNPACKS: bool = P::UNPACKS;
    const PARTS_REPEAT: bool = P::PARTS_REPEAT;

    fn detach(&self, state: &mut Self::State) {
        self.program.detach(&mut state.state);
    }

    fn words<'a>(&self, state: &'a Self::State, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        let mut own = Vec::new();
        buffer.clear();
        buffer.extend_from_slice(self.program.words(&state.state, &mut own));
        if let Some(region) = &state.region {
            buffer.extend(region.stack.iter().map(|actor| actor.0));
            buffer.push(region.opener.map_or(0, |actor| actor.0 + 1));
        }
        // Read from the end, it says what is before it.
        buffer.push(state.region.as_ref().map_or(0, |region| region.stack.len() as u32));
        buffer
    }

    /// The actors of a region are not looked at: only the program knows them.
    fn unpack(&self, words: &[u32]) -> Option<Self::State> {
        let (&length, rest) = words.split_last()?;
        if length == 0 {
            return Some(SealedState { state: self.program.unpack(rest)?, region: None });
        }
        let (&opener, rest) = rest.split_last()?;
        let (own, stack) = rest.split_at_checked(rest.len().checked_sub(length as usize)?)?;
        let region = Region {
            opener: opener.checked_sub(1).map(ActorId),
            stack: stack.iter().map(|actor| ActorId(*actor)).collect(),
        };
        Some(SealedState { state: self.program.unpack(own)?, region: Some(Arc::new(region)) })
    }
}

impl<P: Durable> Durable for Sealed<P> {
    fn save(&self, to: &mut dyn io::Write) -> io::Result<()> {
        put_number(to, u64::from(self.has_pruned()))?;
        self.program.save(to)
    }

    fn restore(&self, from: &mut dyn io::Read) -> io::Result<()> {
        if get_number(from)? != 0 {
            self.has_pruned.store(true, Ordering::Relaxed);
        }
        self.program.restore(from)
    }
}

/// Odd, so that multiplying loses nothing.
const MULTIPLIER: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
