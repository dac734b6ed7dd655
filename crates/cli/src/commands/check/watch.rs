//! A program that notes how its runs end: machines left with mail that they defer for ever.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use fabius_explore::{Sealed, SealedState};
use fabius_lang::source::counted;
use fabius_model::wire::{get_number, get_text, put_number, put_text};
use fabius_model::{
    ActorId, Choice, Durable, Edit, Effect, Offer, Outcome, Packed, Program, Sketches, Tale, Touched,
};
use fabius_vm::{Memory, State, StuckMail, Vm, Walk, Walker};

use super::stats::Recorder;
use crate::program::FoundBug;

/// What was seen at the ends of runs, by all threads: machines by type and state, left with mail.
#[derive(Debug, Default)]
pub(super) struct Ends(Mutex<BTreeMap<(String, String), Left>>);

/// How often machines of a type were left in a state, and with what.
#[derive(Debug, Default)]
struct Left {
    runs: u64,
    /// Those of all runs.
    events: BTreeSet<String>,
}

impl Ends {
    /// A sentence for each machine and state.
    pub(super) fn seen(&self) -> Vec<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sentence = |((machine, state), left): (&(String, String), &Left)| {
            let events: Vec<String> = left.events.iter().map(|event| format!("`{event}`")).collect();
            let runs = counted(left.runs, "run");
            format!(
                "at the end of {runs}, `{machine}` is left in `{state}` with deferred {}",
                events.join(", ")
            )
        };
        seen.iter().map(sentence).collect()
    }

    /// Forgets what was seen.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Notes the end of one run.
    fn note(&self, stuck: Vec<StuckMail>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = BTreeSet::new();
        for StuckMail { machine, state, events } in stuck {
            let machine = machine.split('(').next().unwrap_or_default().to_owned();
            let key = (machine, state);
            let left = seen.entry(key.clone()).or_default();
            left.events.extend(events);
            // Several machines of a type are still one run.
            left.runs += u64::from(counted.insert(key));
        }
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put_number(to, seen.len() as u64)?;
        seen.iter().try_for_each(|((machine, state), Left { runs, events })| {
            put_text(to, machine)?;
            put_text(to, state)?;
            put_number(to, *runs)?;
            put_number(to, events.len() as u64)?;
            events.iter().try_for_each(|event| put_text(to, event))
        })
    }

    /// Takes up what was written, in place of what was seen.
    fn read_from(&self, from: &mut dyn io::Read) -> io::Result<()> {
        let count = get_number(from)?;
        let seen = (0..count).map(|_| {
            let key = (get_text(from)?, get_text(from)?);
            let (runs, events) = (get_number(from)?, get_number(from)?);
            let events = (0..events).map(|_| get_text(from)).collect::<io::Result<_>>()?;
            Ok((key, Left { runs, events }))
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = seen.collect::<io::Result<_>>()?;
        Ok(())
    }
}

/// A program whose runs can end with mail that nobody will read.
pub(super) trait Mailing: Program<Bug = FoundBug> {
    fn stuck_mail(&self, state: &Self::State) -> Vec<StuckMail>;

    /// Counts a step that is about to be taken; who walks is not counted.
    fn count(&self, recorder: &Recorder, state: &Self::State, choice: Choice) {
        let _ = (recorder, state, choice);
    }

    /// What it remembers of the moves it has made.
    fn remembered(&self) -> Memory {
        Memory::default()
    }
}

impl Mailing for Vm {
    fn stuck_mail(&self, state: &State) -> Vec<StuckMail> {
        Vm::stuck_mail(self, state)
    }

    fn count(&self, recorder: &Recorder, state: &State, choice: Choice) {
        recorder.step(self, state, choice);
    }

    fn remembered(&self) -> Memory {
        Vm::remembered(self)
    }
}

impl Mailing for Walker {
    fn stuck_mail(&self, state: &Walk) -> Vec<StuckMail> {
        Walker::stuck_mail(self, state)
    }
}

/// A program under watch; otherwise it is the program itself.
#[derive(Debug)]
pub(super) struct Watched<V: Mailing = Vm> {
    pub(super) vm: V,
    pub(super) ends: Arc<Ends>,
    /// Who counts, if anybody asked.
    pub(super) recorder: Option<Arc<Recorder>>,
}

impl<V: Mailing> Drop for Watched<V> {
    fn drop(&mut self) {
        if let Some(recorder) = &self.recorder {
            recorder.dropping(self.vm.remembered());
        }
    }
}

/// A program under watch, perhaps with parts of it sealed: what searches are run on.
pub(super) trait Checked: Durable<Bug = FoundBug> + Send {
    /// The same for runs that remember nothing.
    type Walked: Packed<Bug = FoundBug> + Send;

    fn vm(&self) -> &Vm;

    fn walked(&self) -> Self::Walked;

    /// The state of the virtual machine.
    fn plain(state: &Self::State) -> &State;
}

impl Checked for Watched {
    type Walked = Watched<Walker>;

    fn vm(&self) -> &Vm {
        &self.vm
    }

    fn walked(&self) -> Watched<Walker> {
        Watched { vm: self.vm.walker(), ends: Arc::clone(&self.ends), recorder: None }
    }

    fn plain(state: &State) -> &State {
        state
    }
}

impl Checked for Sealed<Watched> {
    type Walked = Sealed<Watched<Walker>>;

    fn vm(&self) -> &Vm {
        &self.inner().vm
    }

    fn walked(&self) -> Self::Walked {
        self.around(self.inner().walked())
    }

    fn plain(state: &SealedState<State>) -> &State {
        state.inner()
    }
}

impl<V: Mailing> Program for Watched<V> {
    type State = V::State;
    type Bug = FoundBug;

    fn initial(&self) -> Outcome<V::State, FoundBug> {
        self.vm.initial()
    }

    fn choices(&self, state: &V::State, choices: &mut Vec<Choice>) {
        self.vm.choices(state, choices);
    }

    fn step(
        &self,
        state: &V::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Outcome<V::State, FoundBug> {
        if let Some(recorder) = &self.recorder {
            self.vm.count(recorder, state, choice);
        }
        self.vm.step(state, choice, effects)
    }

    fn proceed(
        &self,
        state: &mut V::State,
        choice: Choice,
        effects: &mut Vec<Effect>,
    ) -> Result<(), FoundBug> {
        if let Some(recorder) = &self.recorder {
            self.vm.count(recorder, state, choice);
        }
        self.vm.proceed(state, choice, effects)
    }

    fn count_choices(&self, state: &V::State) -> Option<usize> {
        // A recorder is shown each choice.
        if self.recorder.is_some() { None } else { self.vm.count_choices(state) }
    }

    fn proceed_at(&self, state: &mut V::State, position: usize) -> Result<(), FoundBug> {
        self.vm.proceed_at(state, position)
    }

    fn end(&self, state: &V::State) -> Option<FoundBug> {
        let bug = self.vm.end(state);
        if bug.is_none() {
            let stuck = self.vm.stuck_mail(state);
            if !stuck.is_empty() {
                self.ends.note(stuck);
            }
        }
        bug
    }

    fn fingerprint(&self, state: &V::State) -> u128 {
        self.vm.fingerprint(state)
    }

    fn identity(&self, actor: ActorId) -> u128 {
        self.vm.identity(actor)
    }

    fn writes_to(&self, state: &V::State, choice: Choice) -> Option<ActorId> {
        self.vm.writes_to(state, choice)
    }

    fn memory(&self) -> usize {
        self.vm.memory()
    }

    fn held_by(&self, state: &V::State) -> usize {
        self.vm.held_by(state)
    }

    fn growth_ahead(&self) -> usize {
        self.vm.growth_ahead()
    }

    fn economise(&self) {
        self.vm.economise();
    }

    fn forget(&mut self) {
        if let Some(recorder) = &self.recorder {
            recorder.forgetting(self.vm.remembered());
        }
        self.vm.forget();
    }
}

impl Durable for Watched {
    fn save(&self, to: &mut dyn io::Write) -> io::Result<()> {
        self.vm.save(to)?;
        self.ends.write_to(to)
    }

    fn restore(&self, from: &mut dyn io::Read) -> io::Result<()> {
        self.vm.restore(from)?;
        self.ends.read_from(from)
    }
}

impl<V: Mailing + Packed> Packed for Watched<V> {
    const MAKES_LAST_OF_STATE: bool = V::MAKES_LAST_OF_STATE;
    const UNPACKS: bool = V::UNPACKS;
    const PARTS_REPEAT: bool = V::PARTS_REPEAT;

    fn words<'a>(&self, state: &'a V::State, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        self.vm.words(state, buffer)
    }

    fn add_words(&self, state: &V::State, buffer: &mut Vec<u32>, to: &mut Vec<u32>) {
        self.vm.add_words(state, buffer, to);
    }

    fn detach(&self, state: &mut V::State) {
        self.vm.detach(state);
    }

    fn unpack(&self, words: &[u32]) -> Option<V::State> {
        self.vm.unpack(words)
    }

    fn sketch(&self, state: &V::State, sketches: &mut Sketches<V::State, FoundBug>) {
        self.vm.sketch(state, sketches);
    }

    fn sketch_last(&self, state: V::State, sketches: &mut Sketches<V::State, FoundBug>) -> Option<V::State> {
        self.vm.sketch_last(state, sketches)
    }

    fn sketch_choice(&self, state: &V::State, choice: Choice, sketches: &mut Sketches<V::State, FoundBug>) {
        self.vm.sketch_choice(state, choice, sketches);
    }

    fn choice(&self, state: &V::State, position: usize, buffer: &mut Vec<Choice>) -> Choice {
        self.vm.choice(state, position, buffer)
    }

    fn offer(&self, state: &V::State) -> Option<Offer> {
        self.vm.offer(state)
    }

    fn sketch_told(
        &self,
        state: &V::State,
        sketches: &mut Sketches<V::State, FoundBug>,
        tales: &mut Vec<Tale>,
    ) {
        self.vm.sketch_told(state, sketches, tales);
    }

    fn machines(&self, state: &V::State) -> u32 {
        self.vm.machines(state)
    }

    fn told(&self, state: &V::State, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        self.vm.told(state, tale, effects)
    }

    fn movers(&self, state: &V::State) -> u64 {
        self.vm.movers(state)
    }

    fn sketch_movers(&self, state: &V::State, movers: u64, sketches: &mut Sketches<V::State, FoundBug>) {
        self.vm.sketch_movers(state, movers, sketches);
    }

    fn touched(&self, state: &V::State, movers: u64, touched: &mut Touched) {
        self.vm.touched(state, movers, touched);
    }

    fn sketch_last_movers(
        &self,
        state: V::State,
        movers: u64,
        sketches: &mut Sketches<V::State, FoundBug>,
        touched: &mut Touched,
    ) -> Option<V::State> {
        self.vm.sketch_last_movers(state, movers, sketches, touched)
    }

    fn edit(&self, state: &mut V::State, edits: &[Edit], fingerprint: u128) {
        self.vm.edit(state, edits, fingerprint);
    }
}
