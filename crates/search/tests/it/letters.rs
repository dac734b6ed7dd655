//! Machines that each write their letter a few times: the toy of searches over runs.
//!
//! The words that come out, and what of them counts as a bug, are up to the test. Ids of machines differ from program to
//! program and change when a program forgets, as those of a real program may.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use fabius_model::{ActorId, Choice, Effect, Outcome, Packed, Program};

/// Gives every program, and every program that has forgotten, ids of its own.
static NEXT_IDS: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Letters {
    pub(crate) machines: u32,
    pub(crate) times: usize,
    /// What is wrong with a word; asked after each letter.
    pub(crate) bug: fn(&str) -> Option<String>,
    /// After each letter, one of so many digits is chosen; 1 for none.
    pub(crate) digits: u32,
    /// Bytes held per letter since the program last forgot.
    pub(crate) bytes_per_letter: usize,
    pub(crate) first_id: u32,
    pub(crate) letters: AtomicUsize,
    pub(crate) forgotten: &'static AtomicUsize,
}

static FORGOTTEN: AtomicUsize = AtomicUsize::new(0);

impl Letters {
    pub(crate) fn new(machines: u32, times: usize) -> Letters {
        Letters {
            machines,
            times,
            bug: |_| None,
            digits: 1,
            bytes_per_letter: 0,
            first_id: NEXT_IDS.fetch_add(100, Ordering::Relaxed),
            letters: AtomicUsize::new(0),
            forgotten: &FORGOTTEN,
        }
    }

    fn wants_digit(&self, word: &str) -> bool {
        self.digits > 1 && word.ends_with(|last: char| last.is_ascii_lowercase())
    }

    fn written(word: &str, machine: u32) -> usize {
        let letter = (b'a' + machine as u8) as char;
        word.chars().filter(|c| *c == letter).count()
    }
}

/// A word, and the program that it is a state of: after forgetting, states from before must not be used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    first_id: u32,
    word: String,
}

impl Program for Letters {
    type State = Word;
    type Bug = String;

    fn initial(&self) -> Outcome<Word, String> {
        Outcome::State(Word { first_id: self.first_id, word: String::new() })
    }

    fn choices(&self, state: &Word, choices: &mut Vec<Choice>) {
        assert_eq!(state.first_id, self.first_id, "a state from before the program forgot");
        let word = &state.word;
        choices.clear();
        if self.wants_digit(word) {
            choices.extend((0..self.digits).map(Choice::Data));
            return;
        }
        let movers = (0..self.machines).filter(|machine| Letters::written(word, *machine) < self.times);
        choices.extend(movers.map(|machine| Choice::Schedule(ActorId(self.first_id + machine))));
    }

    fn step(&self, state: &Word, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Word, String> {
        let mut next = state.word.clone();
        match choice {
            Choice::Data(digit) => next.push((b'0' + digit as u8) as char),
            Choice::Schedule(actor) => {
                let machine = actor.0.checked_sub(self.first_id).filter(|machine| *machine < self.machines);
                let machine = machine.expect("an id of this program, and not from before it forgot");
                next.push((b'a' + machine as u8) as char);
                if Letters::written(&next, machine) == self.times {
                    effects.push(Effect::Blocked(actor));
                }
            }
        }
        self.letters.fetch_add(1, Ordering::Relaxed);
        match (self.bug)(&next) {
            Some(bug) => Outcome::Bug(bug),
            None => Outcome::State(Word { first_id: self.first_id, word: next }),
        }
    }

    fn count_choices(&self, state: &Word) -> Option<usize> {
        let mut choices = Vec::new();
        self.choices(state, &mut choices);
        Some(choices.len())
    }

    fn end(&self, state: &Word) -> Option<String> {
        (self.bug)(&format!("{}.", state.word))
    }

    fn fingerprint(&self, state: &Word) -> u128 {
        state.word.bytes().fold(1, |sum, byte| sum.wrapping_mul(257).wrapping_add(u128::from(byte)))
    }

    fn memory(&self) -> usize {
        self.letters.load(Ordering::Relaxed) * self.bytes_per_letter
    }

    fn forget(&mut self) {
        self.first_id = NEXT_IDS.fetch_add(100, Ordering::Relaxed);
        self.letters.store(0, Ordering::Relaxed);
        self.forgotten.fetch_add(1, Ordering::Relaxed);
    }
}

impl Word {
    /// The letters written so far.
    pub(crate) fn word(&self) -> &str {
        &self.word
    }
}

impl Packed for Letters {
    fn words<'a>(&self, state: &'a Word, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        buffer.push(state.first_id);
        buffer.extend(state.word.bytes().map(u32::from));
        buffer
    }
}
