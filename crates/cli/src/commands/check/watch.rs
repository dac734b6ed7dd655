//! A program that notes how its runs end: machines left with mail that they defer for ever.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fabius_explore::{Sealed, SealedState};
use fabius_model::{ActorId, Choice, Effect, Expansion, Outcome, Packed, Program};
use fabius_vm::{State, Vm};

use crate::program::FoundBug;

/// How many different ends are remembered.
const MOST_REMEMBERED: usize = 100;

/// What was seen at the ends of runs, by all threads: a sentence, and in how many runs.
#[derive(Debug, Default)]
pub(super) struct Ends(Mutex<BTreeMap<String, u64>>);

impl Ends {
    pub(super) fn seen(&self) -> BTreeMap<String, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, sentence: String) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < MOST_REMEMBERED || seen.contains_key(&sentence) {
            *seen.entry(sentence).or_default() += 1;
        }
    }
}

/// A program under watch; otherwise it is the program itself.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) vm: Vm,
    pub(super) ends: Arc<Ends>,
}

/// A program under watch, perhaps with parts of it sealed: what searches are run on.
pub(super) trait Checked: Packed<Bug = FoundBug> + Send {
    fn vm(&self) -> &Vm;

    /// The state of the virtual machine.
    fn plain(state: &Self::State) -> &State;
}

impl Checked for Watched {
    fn vm(&self) -> &Vm {
        &self.vm
    }

    fn plain(state: &State) -> &State {
        state
    }
}

impl Checked for Sealed<Watched> {
    fn vm(&self) -> &Vm {
        &self.inner().vm
    }

    fn plain(state: &SealedState<State>) -> &State {
        state.inner()
    }
}

impl Program for Watched {
    type State = State;
    type Bug = FoundBug;

    fn initial(&self) -> Outcome<State, FoundBug> {
        self.vm.initial()
    }

    fn choices(&self, state: &State, choices: &mut Vec<Choice>) {
        self.vm.choices(state, choices);
    }

    fn step(&self, state: &State, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<State, FoundBug> {
        self.vm.step(state, choice, effects)
    }

    fn expand(&self, state: &State, expansion: &mut Expansion<State, FoundBug>) {
        self.vm.expand(state, expansion);
    }

    fn end(&self, state: &State) -> Option<FoundBug> {
        let bug = self.vm.end(state);
        if bug.is_none() {
            for stuck in self.vm.stuck_mail(state) {
                let machine = stuck.machine.split('(').next().unwrap_or_default().to_owned();
                let events: Vec<String> = stuck.events.iter().map(|event| format!("`{event}`")).collect();
                let state = stuck.state;
                self.ends
                    .note(format!("`{machine}` is left in `{state}` with deferred {}", events.join(", ")));
            }
        }
        bug
    }

    fn fingerprint(&self, state: &State) -> u128 {
        self.vm.fingerprint(state)
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.vm.identity(actor)
    }

    fn writes_to(&self, state: &State, choice: Choice) -> Option<ActorId> {
        self.vm.writes_to(state, choice)
    }

    fn memory(&self) -> usize {
        self.vm.memory()
    }

    fn forget(&mut self) {
        self.vm.forget();
    }
}

impl Packed for Watched {
    fn words<'a>(&self, state: &'a State, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        self.vm.words(state, buffer)
    }
}
