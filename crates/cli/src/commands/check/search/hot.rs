//! The states that threads meet: counted, and kept for what is to be said about hot specs at the end.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fabius_model::Packed;
use fabius_model::wire::{damaged, get_number, get_words, put_number, put_words};
use fabius_threads::PerThread;
use fabius_vm::{State, Vm};

use super::super::stats::Recorder;
use super::super::watch::Checked;
use super::Searching;

/// What is done with states as threads meet them: they are counted if anybody asked, and kept if a spec is hot in them.
pub(super) struct Hot<'a> {
    /// Those that each thread has met.
    states: PerThread<Mutex<HotStates>>,
    recorder: Option<&'a Arc<Recorder>>,
}

/// States, as words: there may be millions.
#[derive(Default)]
pub(super) struct HotStates {
    /// The words of each behind their number. Nothing moves when there are more.
    chunks: Vec<Vec<u32>>,
    count: u64,
}

/// How many words a chunk has: some hundred states, of which each thread that looks for hot cycles holds those of one chunk.
const CHUNK: usize = 1 << 13;

impl Searching<'_> {
    pub(super) fn hot(&self) -> Hot<'_> {
        Hot { states: PerThread::default(), recorder: self.recorder }
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
            lock(self.states.own()).push(words);
        }
    }

    pub(super) fn into_states(self) -> HotStates {
        let mut all = HotStates::default();
        self.states.all().for_each(|states| all.take_from(&mut lock(states)));
        all
    }

    pub(super) fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let states: Vec<_> = self.states.all().map(lock).collect();
        put_number(to, states.iter().map(|states| states.count).sum())?;
        states.iter().flat_map(|states| states.words()).try_for_each(|words| put_words(to, words))
    }

    /// Takes up what was kept before, by a program that this one has taken up.
    pub(super) fn read_from(&mut self, vm: &Vm, from: &mut dyn io::Read) -> io::Result<()> {
        self.states = PerThread::default();
        let mut states = lock(self.states.own());
        for _ in 0..get_number(from)? {
            let words = get_words(from)?;
            vm.unpack(&words).ok_or_else(damaged)?;
            states.push(&words);
        }
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

    /// Takes over what others have.
    fn take_from(&mut self, others: &mut Self) {
        self.chunks.append(&mut others.chunks);
        self.count += std::mem::take(&mut others.count);
    }

    fn words(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().flat_map(|chunk| words_of(chunk))
    }

    /// In how many pieces the states come.
    pub(super) fn pieces(&self) -> usize {
        self.chunks.len()
    }

    /// The states of a piece, which are of this program.
    pub(super) fn piece<'s>(&'s self, piece: usize, vm: &'s Vm) -> impl Iterator<Item = State> + use<'s> {
        words_of(&self.chunks[piece]).map(|words| vm.unpack(words).expect("words of a state make it again"))
    }
}

fn words_of(mut chunk: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let (length, behind) = chunk.split_first()?;
        let (words, behind) = behind.split_at(*length as usize);
        chunk = behind;
        Some(words)
    })
}

fn lock(states: &Mutex<HotStates>) -> MutexGuard<'_, HotStates> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}
