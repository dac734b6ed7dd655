//! The states in which a spec is hot, kept for what is to be said about them at the end.

use std::io;
use std::sync::{Mutex, PoisonError};

use fabius_model::wire::{damaged, get_number, get_words, put_number, put_words};
use fabius_model::{Durable, Packed};
use fabius_vm::{State, Vm};

use super::super::watch::Checked;

/// The states in which a spec is hot, as threads meet them.
#[derive(Default)]
pub(super) struct Hot(Mutex<Vec<State>>);

impl Hot {
    /// Keeps a state in which a spec is hot.
    pub(super) fn keep<P: Checked>(&self, program: &P, state: &P::State) {
        let state = P::plain(state);
        if program.vm().hot_monitors(state).next().is_some() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(state.clone());
        }
    }

    pub(super) fn into_states(self) -> Vec<State> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write_to(&self, vm: &Vm, to: &mut dyn io::Write) -> io::Result<()> {
        let states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put_number(to, states.len() as u64)?;
        states.iter().try_for_each(|state| put_words(to, vm.words(state, &mut Vec::new())))
    }

    /// Reads what was written by a program that this one has taken up.
    pub(super) fn read_from(vm: &Vm, from: &mut dyn io::Read) -> io::Result<Self> {
        let count = get_number(from)?;
        let state = |_| vm.unpack(&get_words(from)?).ok_or_else(damaged);
        let states = (0..count).map(state).collect::<io::Result<Vec<_>>>()?;
        Ok(Self(Mutex::new(states)))
    }
}
