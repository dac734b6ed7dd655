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
    states: Mutex<HotStates>,
    recorder: Option<&'a Arc<Recorder>>,
}

/// States, as words: there may be millions.
#[derive(Default)]
pub(super) struct HotStates {
    /// The words of each behind their number. Nothing moves when there are more.
    chunks: Vec<Vec<u32>>,
    count: u64,
}

/// How many words a chunk has.
const CHUNK: usize = 1 << 16;

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
            let mut buffer = Vec::new();
            let words = program.vm().words(state, &mut buffer);
            self.states.lock().unwrap_or_else(PoisonError::into_inner).push(words);
        }
    }

    pub(super) fn into_states(self) -> HotStates {
        self.states.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        put_number(to, states.count)?;
        states.words().try_for_each(|words| put_words(to, words))
    }

    /// Takes up what was kept before, by a program that this one has taken up.
    pub(super) fn read_from(&mut self, vm: &Vm, from: &mut dyn io::Read) -> io::Result<()> {
        let mut states = HotStates::default();
        for _ in 0..get_number(from)? {
            let words = get_words(from)?;
            vm.unpack(&words).ok_or_else(damaged)?;
            states.push(&words);
        }
        self.states = Mutex::new(states);
        Ok(())
    }
}

impl HotStates {
    fn push(&mut self, words: &[u32]) {
        let length = words.len() + 1;
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < length) {
            self.chunks.push(Vec::with_capacity(length.max(CHUNK)));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(words.len() as u32);
            chunk.extend_from_slice(words);
        }
        self.count += 1;
    }

    fn words(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().flat_map(|chunk| {
            let mut rest = &chunk[..];
            std::iter::from_fn(move || {
                let (length, behind) = rest.split_first()?;
                let (words, behind) = behind.split_at(*length as usize);
                rest = behind;
                Some(words)
            })
        })
    }

    /// The states, which are of this program.
    pub(super) fn states(&self, vm: &Vm) -> impl Iterator<Item = State> {
        self.words().map(|words| vm.unpack(words).expect("words of a state make it again"))
    }
}
