//! The states that threads meet: counted, and kept for what is to be said about hot specs at the end.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use fabius_model::Packed;
use fabius_model::wire::{damaged, get_number, get_words, put_number, put_words};
use fabius_vm::{State, Vm};

use super::super::stats::Recorder;
use super::super::watch::Checked;
use super::Searching;

/// What is done with states as threads meet them: they are counted if anybody asked, and kept if a spec is hot in them.
pub(super) struct Hot<'a> {
    states: Mutex<Vec<State>>,
    recorder: Option<&'a Arc<Recorder>>,
}

impl Searching<'_> {
    pub(super) fn hot(&self) -> Hot<'_> {
        Hot { states: Mutex::default(), recorder: self.recorder }
    }
}

impl Hot<'_> {
    /// Counts a state, and keeps it if a spec is hot in it.
    pub(super) fn keep<P: Checked>(&self, program: &P, state: &P::State) {
        let state = P::plain(state);
        if let Some(recorder) = self.recorder {
            recorder.state(program.vm(), state);
        }
        if program.vm().hot_monitors(state).next().is_some() {
            self.states.lock().unwrap_or_else(PoisonError::into_inner).push(state.clone());
        }
    }

    pub(super) fn into_states(self) -> Vec<State> {
        self.states.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write_to(&self, vm: &Vm, to: &mut dyn io::Write) -> io::Result<()> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        put_number(to, states.len() as u64)?;
        states.iter().try_for_each(|state| put_words(to, vm.words(state, &mut Vec::new())))
    }

    /// Takes up what was kept before, by a program that this one has taken up.
    pub(super) fn read_from(&mut self, vm: &Vm, from: &mut dyn io::Read) -> io::Result<()> {
        let count = get_number(from)?;
        let state = |_| vm.unpack(&get_words(from)?).ok_or_else(damaged);
        let states = (0..count).map(state).collect::<io::Result<Vec<_>>>()?;
        self.states = Mutex::new(states);
        Ok(())
    }
}
