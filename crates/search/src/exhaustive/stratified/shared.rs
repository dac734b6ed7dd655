//! What the threads of a search share, and what they do with it.
//!
//! A round goes through *tasks*, whose pieces are done by any thread in any order. Between them the leader alone changes what
//! all share. So no lock is ever waited for: it only says who may do what.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_threads::Apart;

use super::later::{Due, Stretch};
use super::nodes::{Known, Nodes};
use super::part::{Part, Work};
use super::shards::{Answers, Found, MOST_SHARDS, Shard};
use super::storing::{Everything, Tally};
use super::survey::{Setting, Survey};

/// What is done with a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Of each survey: which steps are due, and where they lead.
    Survey,
    /// Of each shard: which of the states that belong to it are new.
    Insert,
    /// Of each survey: takes the steps into new states.
    TakeNew,
    /// In strict mode, of each survey: takes all steps; finds the keys of what they lead to.
    TakeAll,
    FindPairs,
}

const TASKS: [Task; 5] = [Task::Survey, Task::Insert, Task::TakeNew, Task::TakeAll, Task::FindPairs];

/// What is done at a time.
pub(super) struct Round<P: Packed, E> {
    /// Rounds are numbered from 1.
    pub(super) number: u64,
    pub(super) surveys: Vec<RwLock<Survey<P, E>>>,
    /// Their places, those that are in the cache of one thread behind those of another: in this order threads get them.
    pub(super) turns: Vec<usize>,
    /// For each thread, where its turns end.
    pub(super) ends: Vec<usize>,
    pub(super) sharing: Sharing,
    /// Whether what is left to later strata will not be taken.
    pub(super) is_last: bool,
}

/// Whether threads share the work of a round, and whether also what it has come to is stored by several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sharing {
    pub(super) is_shared: bool,
    pub(super) is_sharded: bool,
}

impl<P: Packed, E> Round<P, E> {
    fn new() -> Self {
        let (turns, ends) = (Vec::new(), Vec::new());
        Self { number: 0, surveys: Vec::new(), turns, ends, sharing: Sharing::default(), is_last: false }
    }

    /// Decides which turns each of so many threads gets first: those at surveys that are in its cache.
    pub(super) fn assign(&mut self, threads: usize) {
        let Self { surveys, turns, ends, .. } = self;
        let of: Vec<usize> = surveys.iter().map(|survey| read(survey).thread).collect();
        turns.clear();
        turns.extend(0..of.len());
        turns.sort_by_key(|at| of[*at]);
        ends.clear();
        ends.extend((0..threads).map(|thread| turns.partition_point(|at| of[*at] <= thread)));
    }
}

/// What all threads share.
pub(super) struct Shared<'a, P: Packed, E> {
    pub(super) setting: Setting<'a, P>,
    known: RwLock<Known<P::State, E>>,
    nodes: RwLock<Nodes<P::State>>,
    round: RwLock<Round<P, E>>,
    /// What was deferred to this stratum.
    due: RwLock<Due>,
    /// What each thread has found in a round, and what of it is new, for rounds whose results several threads store.
    found: Vec<Apart<RwLock<Found>>>,
    shards: Vec<Apart<RwLock<Shard>>>,
    /// What each thread needs, and what it has deferred to later strata.
    parts: Vec<Mutex<Part<P, E>>>,
}

impl<'a, P: Packed, E: Explorer> Shared<'a, P, E> {
    /// For so many threads.
    pub(super) fn new(setting: Setting<'a, P>, known: Known<P::State, E>, threads: usize) -> Self {
        let nodes = Nodes::new(setting.limits.cache, P::UNPACKS);
        let shards = threads.min(MOST_SHARDS);
        Self {
            setting,
            known: RwLock::new(known),
            nodes: RwLock::new(nodes),
            round: RwLock::new(Round::new()),
            due: RwLock::new(Due::default()),
            found: (0..threads).map(|_| Apart::default()).collect(),
            shards: (0..shards).map(|_| Apart::default()).collect(),
            parts: (0..threads).map(|thread| Mutex::new(Part::new(thread))).collect(),
        }
    }

    /// Does pieces of a task, one after the other.
    pub(super) fn work(&self, thread: usize, task: u8, next: &mut dyn FnMut() -> Option<usize>) {
        let (mut part, round) = (self.part(thread), self.round());
        let part = &mut *part;
        match TASKS[usize::from(task)] {
            Task::Survey => {
                // The last thread: what that keeps it from others take over, and the leader has enough to do alone.
                if thread + 1 == self.parts.len() {
                    self.nodes().prepare();
                }
                let mut found = write(&self.found[thread]);
                self.work_on(&round, next, |work, survey| {
                    part.survey(work, survey);
                    if !work.setting.limits.strict {
                        keep(&round, survey, &mut found);
                    }
                });
            }
            Task::TakeNew => {
                let answers = self.answers(round.sharing);
                self.work_on(&round, next, |work, survey| {
                    spread(answers.as_ref(), survey);
                    part.take_new(work, survey);
                });
            }
            Task::TakeAll => self.work_on(&round, next, |work, survey| part.take_all(work, survey)),
            Task::FindPairs => {
                let mut found = write(&self.found[thread]);
                self.work_on(&round, next, |work, survey| {
                    part.find_pairs(work, survey);
                    keep(&round, survey, &mut found);
                });
            }
            Task::Insert => {
                let known = self.known();
                while let (Some(set), Some(shard)) = (&known.set, next()) {
                    let place = (shard, self.shards());
                    write(&self.shards[shard]).insert(round.number, place, &self.found, set);
                }
            }
        }
    }

    fn work_on(
        &self,
        round: &Round<P, E>,
        next: &mut dyn FnMut() -> Option<usize>,
        mut work: impl FnMut(Work<'_, P, E>, &mut Survey<P, E>),
    ) {
        let (known, nodes, due) = (self.known(), self.nodes(), self.due());
        let is_last = round.is_last;
        let all = Work { setting: &self.setting, known: &known, nodes: &nodes, is_last, due: &due };
        while let Some(turn) = next() {
            work(all, &mut write(&round.surveys[round.turns[turn]]));
        }
    }

    /// How many shards there are.
    pub(super) fn shards(&self) -> usize {
        self.shards.len()
    }

    /// What shards tell of the surveys of a round, if they do.
    pub(super) fn answers(&self, sharing: Sharing) -> Option<Answers<'_>> {
        sharing.is_sharded.then(|| Answers::of(&self.shards))
    }

    pub(super) fn part(&self, thread: usize) -> MutexGuard<'_, Part<P, E>> {
        lock(&self.parts[thread])
    }

    pub(super) fn known(&self) -> RwLockReadGuard<'_, Known<P::State, E>> {
        read(&self.known)
    }

    pub(super) fn nodes(&self) -> RwLockReadGuard<'_, Nodes<P::State>> {
        read(&self.nodes)
    }

    pub(super) fn round(&self) -> RwLockReadGuard<'_, Round<P, E>> {
        read(&self.round)
    }

    pub(super) fn known_mut(&self) -> RwLockWriteGuard<'_, Known<P::State, E>> {
        write(&self.known)
    }

    pub(super) fn nodes_mut(&self) -> RwLockWriteGuard<'_, Nodes<P::State>> {
        write(&self.nodes)
    }

    pub(super) fn round_mut(&self) -> RwLockWriteGuard<'_, Round<P, E>> {
        write(&self.round)
    }

    pub(super) fn due(&self) -> RwLockReadGuard<'_, Due> {
        read(&self.due)
    }

    pub(super) fn due_mut(&self) -> RwLockWriteGuard<'_, Due> {
        write(&self.due)
    }

    /// Whether nothing is left to later strata.
    pub(super) fn is_last_stratum(&self) -> bool {
        self.parts.iter().all(|part| lock(part).later.is_empty())
    }

    /// What is left to the next stratum, which begins, in this order.
    pub(super) fn next_due(&self, stretches: Vec<Stretch>) -> Due {
        let mut parts: Vec<_> = self.parts.iter().map(lock).collect();
        Due::new(stretches, parts.iter_mut().map(|part| &mut part.later))
    }

    /// All that one thread may change, while the others wait.
    pub(super) fn everything(&self) -> Everything<'_, P, E> {
        let (setting, known, nodes) = (&self.setting, self.known_mut(), self.nodes_mut());
        Everything { setting, known, nodes, tally: Tally::default() }
    }

    /// The nodes, when the search is over.
    pub(super) fn into_nodes(self) -> Nodes<P::State> {
        self.nodes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the keys of a survey, if shards are to take them in.
fn keep<P: Packed, E>(round: &Round<P, E>, survey: &Survey<P, E>, found: &mut Found) {
    if round.sharing.is_sharded {
        found.add(round.number, survey.place, &survey.keys);
    }
}

/// Takes over what shards tell of a survey, if they do.
pub(super) fn spread<P: Packed, E>(answers: Option<&Answers<'_>>, survey: &mut Survey<P, E>) {
    if let Some(answers) = answers {
        answers.spread(survey.place, &survey.keys, &mut survey.is_new);
    }
}

// A thread that panics ends the search: nobody sees what it has left behind.

pub(super) fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
