//! What the threads of a search share, and what they do with it.
//!
//! A round goes through *tasks*, whose pieces are done by any thread in any order. Between them the leader alone changes what
//! all share. So no lock is ever waited for: it only says who may do what.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fabius_explore::Explorer;
use fabius_model::Packed;

use super::nodes::{Known, Nodes};
use super::part::{Part, Work};
use super::queue::{Deferred, Queue};
use super::storing::{self, Everything, Tally};
use super::survey::{Harvest, Setting, Survey};

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
    /// First the nodes of all surveys, then of each stratum what is left to it: adds them to what there is.
    Gather,
}

const TASKS: [Task; 6] =
    [Task::Survey, Task::Insert, Task::TakeNew, Task::TakeAll, Task::FindPairs, Task::Gather];

/// What belongs to a later stratum.
pub(super) struct Later {
    pub(super) deferred: Queue<Deferred>,
    /// Choices that need not be taken, because they lead to known states.
    pub(super) skipped: u64,
}

impl Later {
    pub(super) fn new() -> Self {
        Self { deferred: Queue::new(), skipped: 0 }
    }
}

/// What is done at a time.
pub(super) struct Round<P: Packed, E> {
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
        Self { surveys: Vec::new(), turns, ends, sharing: Sharing::default(), is_last: false }
    }
}

/// What all threads share.
pub(super) struct Shared<'a, P: Packed, E> {
    pub(super) setting: Setting<'a, P>,
    known: RwLock<Known<P::State, E>>,
    nodes: RwLock<Nodes<P::State>>,
    round: RwLock<Round<P, E>>,
    /// What was deferred to the strata after this one, the next one first.
    later: RwLock<VecDeque<Mutex<Later>>>,
    /// What each thread needs.
    parts: Vec<Mutex<Part<P, E>>>,
}

impl<'a, P: Packed, E: Explorer> Shared<'a, P, E> {
    /// For so many threads.
    pub(super) fn new(setting: Setting<'a, P>, known: Known<P::State, E>, threads: usize) -> Self {
        let nodes = Nodes::new(setting.limits.cache, P::UNPACKS);
        Self {
            setting,
            known: RwLock::new(known),
            nodes: RwLock::new(nodes),
            round: RwLock::new(Round::new()),
            later: RwLock::new(VecDeque::new()),
            parts: (0..threads).map(|thread| Mutex::new(Part::new(thread))).collect(),
        }
    }

    /// Does pieces of a task, one after the other.
    pub(super) fn work(&self, thread: usize, task: u8, next: &mut dyn FnMut() -> Option<usize>) {
        let (mut part, round) = (self.part(thread), self.round());
        let part = &mut *part;
        match TASKS[usize::from(task)] {
            Task::Survey => self.work_on(&round, next, |work, survey| part.survey(work, survey)),
            Task::TakeNew => self.work_on(&round, next, |work, survey| part.take_new(work, survey)),
            Task::TakeAll => self.work_on(&round, next, |work, survey| part.take_all(work, survey)),
            Task::FindPairs => self.work_on(&round, next, |work, survey| part.find_pairs(work, survey)),
            Task::Insert => {
                let known = self.known();
                while let (Some(set), Some(shard)) = (&known.set, next()) {
                    storing::insert_shard(set, &round.surveys, shard, &mut part.answers);
                }
            }
            Task::Gather => {
                while let Some(piece) = next() {
                    self.gather(&round.surveys, piece, thread);
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
        let (known, nodes) = (self.known(), self.nodes());
        let Round { is_last, sharing: Sharing { is_sharded, .. }, .. } = *round;
        let all = Work { setting: &self.setting, known: &known, nodes: &nodes, is_last, is_sharded };
        while let Some(turn) = next() {
            work(all, &mut write(&round.surveys[round.turns[turn]]));
        }
    }

    /// Adds what the surveys have come to: their nodes or, for a piece after the first, what they leave to a stratum.
    fn gather(&self, surveys: &[RwLock<Survey<P, E>>], piece: usize, thread: usize) {
        let Some(distance) = piece.checked_sub(1) else {
            let mut nodes = self.nodes_mut();
            for survey in surveys {
                let survey = read(survey);
                nodes.append(&survey.nodes, &survey.arrivals);
            }
            return;
        };
        let later = read(&self.later);
        let mut later = lock(&later[distance]);
        for survey in surveys {
            let Harvest { deferred, skipped, .. } = &read(survey).harvest;
            if let Some(deferred) = deferred.get(distance) {
                later.deferred.append(deferred, &self.setting.deferred_chunks, thread);
            }
            later.skipped += skipped.get(distance).copied().unwrap_or(0);
        }
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

    pub(super) fn later_mut(&self) -> RwLockWriteGuard<'_, VecDeque<Mutex<Later>>> {
        write(&self.later)
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

// A thread that panics ends the search: nobody sees what it has left behind.

pub(super) fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn unlock<T>(lock: Mutex<T>) -> T {
    lock.into_inner().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
