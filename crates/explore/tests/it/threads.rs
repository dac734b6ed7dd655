//! Straight-line threads: a toy whose schedules can be counted by hand.

use std::collections::BTreeMap;

use fabius_explore::{RunStart, Scheduler, run_seed};
use fabius_model::{ActorId, Choice, Effect, Outcome, Program};

/// What a thread does in one step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Nothing that others notice.
    Local,
    /// Writes to a queue.
    Write(u32),
    /// Takes one of so many alternatives.
    Choose(u32),
    /// Lets the thread with this number begin, which until then cannot move.
    Start(usize),
}

/// Threads that each perform their operations in order.
#[derive(Debug)]
pub(crate) struct Threads {
    pub(crate) scripts: Vec<Vec<Op>>,
    /// How many threads can move from the beginning.
    pub(crate) started: usize,
    /// Ids are these, one per thread, to show that no scheduler relies on small ids.
    pub(crate) ids: Vec<ActorId>,
}

/// Who moved so far, a letter per step, and what data choices gave, a digit each: `aab1a`.
pub(crate) type History = String;

impl Threads {
    pub(crate) fn new(scripts: &[&[Op]]) -> Threads {
        let ids = (0..scripts.len() as u32).map(ActorId).collect();
        Threads { scripts: scripts.iter().map(|ops| ops.to_vec()).collect(), started: scripts.len(), ids }
    }

    fn next_op(&self, history: &History, thread: usize) -> Option<Op> {
        let letter = letter(thread);
        self.scripts[thread].get(history.chars().filter(|c| *c == letter).count()).copied()
    }

    fn is_started(&self, history: &History, thread: usize) -> bool {
        let mut positions = vec![0; self.scripts.len()];
        let mut is_started = thread < self.started;
        for mover in history.chars().filter(char::is_ascii_lowercase) {
            let mover = mover as usize - 'a' as usize;
            is_started |=
                matches!(self.scripts[mover][positions[mover]], Op::Start(other) if other == thread);
            positions[mover] += 1;
        }
        is_started
    }

    fn pending_data(&self, history: &History) -> Option<u32> {
        let last = history.chars().last().filter(char::is_ascii_lowercase)?;
        let thread = last as usize - 'a' as usize;
        let done = history.chars().filter(|c| *c == last).count();
        match self.scripts[thread][done - 1] {
            Op::Choose(alternatives) => Some(alternatives),
            _ => None,
        }
    }
}

pub(crate) fn letter(thread: usize) -> char {
    (b'a' + thread as u8) as char
}

impl Program for Threads {
    type State = History;
    type Bug = ();

    fn initial(&self) -> Outcome<History, ()> {
        Outcome::State(String::new())
    }

    fn choices(&self, state: &History, choices: &mut Vec<Choice>) {
        choices.clear();
        if let Some(alternatives) = self.pending_data(state) {
            choices.extend((0..alternatives).map(Choice::Data));
            return;
        }
        for thread in 0..self.scripts.len() {
            if self.is_started(state, thread) && self.next_op(state, thread).is_some() {
                choices.push(Choice::Schedule(self.ids[thread]));
            }
        }
    }

    fn step(&self, state: &History, choice: Choice, _effects: &mut Vec<Effect>) -> Outcome<History, ()> {
        let mut next = state.clone();
        match choice {
            Choice::Data(value) => next.push_str(&value.to_string()),
            Choice::Schedule(actor) => {
                next.push(letter(self.ids.iter().position(|id| *id == actor).unwrap()));
            }
        }
        Outcome::State(next)
    }

    fn end(&self, _state: &History) -> Option<()> {
        None
    }

    fn fingerprint(&self, _state: &History) -> u128 {
        unreachable!("no scheduler needs fingerprints")
    }

    fn writes_to(&self, state: &History, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(actor) = choice else { return None };
        let thread = self.ids.iter().position(|id| *id == actor)?;
        match self.next_op(state, thread)? {
            Op::Write(queue) => Some(ActorId(queue)),
            _ => None,
        }
    }
}

/// One whole run.
pub(crate) fn run<S: Scheduler<Threads>>(program: &Threads, scheduler: &mut S, start: RunStart) -> History {
    let Outcome::State(mut state) = program.initial() else { unreachable!() };
    let mut choices = Vec::new();
    scheduler.begin_run(start);
    loop {
        program.choices(&state, &mut choices);
        if choices.is_empty() {
            scheduler.end_run();
            return state;
        }
        let choice = choices[scheduler.pick(program, &state, &choices)];
        let mut effects = Vec::new();
        let Outcome::State(next) = program.step(&state, choice, &mut effects) else { unreachable!() };
        scheduler.observe(choice, &effects);
        state = next;
    }
}

/// How often each history comes up in so many runs of one seed.
pub(crate) fn count<S: Scheduler<Threads>>(
    program: &Threads,
    scheduler: &mut S,
    runs: u64,
    longest: u64,
) -> BTreeMap<History, u64> {
    let mut counts = BTreeMap::new();
    for index in 0..runs {
        let start = RunStart { seed: run_seed(2010, index), longest };
        *counts.entry(run(program, scheduler, start)).or_insert(0) += 1;
    }
    counts
}

/// The counts of these histories, which must be all that came up.
#[track_caller]
pub(crate) fn counts_of(counts: &BTreeMap<History, u64>, histories: &[&str]) -> Vec<u64> {
    let unexpected: Vec<_> = counts.keys().filter(|history| !histories.contains(&history.as_str())).collect();
    assert!(unexpected.is_empty(), "unexpected histories: {unexpected:?}");
    histories.iter().map(|history| counts.get(*history).copied().unwrap_or(0)).collect()
}
