//! A round of items shared by threads, with the result that one thread would have come to.
//!
//! First each thread takes chunks of items; nothing is stored meanwhile, so all of them read what is known without waiting,
//! and keep what is not. Then the shards are filled side by side: each takes what belongs to it in the order of the
//! items, so that whoever would have come first is stored. At last the nodes get their numbers, in the same order again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use fabius_explore::Explorer;
use fabius_model::Packed;
use fabius_store::{Exact, VisitedSet};
use rayon::prelude::*;

use super::nodes::{ANY_EXPLORER, Keys, Known, NodeId, Nodes, SHARDS, Shard, Way, shard_of};
use super::part::{Candidate, Harvest, Part, Setting, Work};
use super::queue::{ALL_OPEN, Item, Queue};
use super::storing::{ITEMS_BETWEEN_QUESTIONS, Tally};

/// How many states a shard looks up together.
const BATCH: usize = 64;

/// Threads that take chunks of items, and what they keep for the next round.
pub(super) struct Sharing<P: Packed, E> {
    parts: Mutex<Vec<(Part<P, E>, Sieve)>>,
}

/// What came of a chunk of items.
pub(super) struct Gathered<P: Packed, E> {
    /// Items that were not taken because the search is to stop.
    pub(super) left: Vec<Item<P::State>>,
    pub(super) harvest: Harvest<P>,
    /// States that were not known, how each was reached, with which explorer, and by shard which they are.
    arrivals: Vec<Item<P::State>>,
    ways: Vec<Way>,
    explorers: Vec<Arriving<E>>,
    by_shard: Vec<Vec<u32>>,
    /// For each arrival that is the first one with its state, the number of its explorer, plus one.
    verdicts: Vec<AtomicU32>,
}

/// The explorer's state at a state to be stored.
enum Arriving<E> {
    /// Its number in the shard's explorers.
    Known(u32),
    /// It was not there.
    New(E),
}

/// What a thread needs to look states up.
#[derive(Default)]
struct Sieve {
    keys: Keys,
    is_known: Vec<bool>,
}

impl<P: Packed, E: Explorer> Sharing<P, E> {
    pub(super) fn new() -> Self {
        Sharing { parts: Mutex::new(Vec::new()) }
    }

    /// Takes chunks of items side by side.
    pub(super) fn take(
        &self,
        setting: &Setting<'_, P>,
        known: &Known<P::State, E>,
        chunks: Vec<Vec<Item<P::State>>>,
    ) -> Vec<Gathered<P, E>> {
        let take = |items| {
            let idle = self.parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let (mut part, mut sieve) = idle.unwrap_or_else(|| (Part::new(), Sieve::default()));
            let gathered = gather(setting, known, items, &mut part, &mut sieve);
            self.parts.lock().unwrap_or_else(PoisonError::into_inner).push((part, sieve));
            gathered
        };
        chunks.into_par_iter().map(take).collect()
    }

    /// Stores what was gathered; tells how many states no node had before.
    pub(super) fn store(
        setting: &Setting<'_, P>,
        known: &mut Known<P::State, E>,
        gathered: &[Gathered<P, E>],
    ) -> u64 {
        let Known { set: Some(set), states, shards } = known else { return 0 };
        let (set, states) = (&*set, states.as_ref());
        let fill = |(at, shard): (usize, &mut Shard<P::State, E>)| {
            let mut filling = Filling {
                setting,
                set,
                states,
                shard,
                keys: Keys::default(),
                is_new: Vec::new(),
            };
            gathered.iter().map(|gathered| filling.take_in(gathered, at)).sum::<u64>()
        };
        shards.par_iter_mut().enumerate().map(fill).sum()
    }
}

fn gather<P: Packed, E: Explorer>(
    setting: &Setting<'_, P>,
    known: &Known<P::State, E>,
    mut items: Vec<Item<P::State>>,
    part: &mut Part<P, E>,
    sieve: &mut Sieve,
) -> Gathered<P, E> {
    let mut gathered = Gathered {
        left: Vec::new(),
        harvest: Harvest::new(),
        arrivals: setting.chunks.take(),
        ways: Vec::with_capacity(items.len()),
        explorers: Vec::with_capacity(items.len()),
        by_shard: vec![Vec::new(); SHARDS],
        verdicts: Vec::new(),
    };
    part.probe(setting, known, &mut items, &mut gathered.harvest);
    let work = Work { setting, known, items: &items };
    let mut taken = 0;
    while taken < items.len() {
        if taken % ITEMS_BETWEEN_QUESTIONS == 0 && setting.is_stopped() {
            break;
        }
        part.take(work, taken, &mut gathered.harvest);
        taken += 1;
        if part.is_full() {
            gathered.sift(work, part, sieve);
        }
    }
    gathered.sift(work, part, sieve);
    gathered.left = items.split_off(taken);
    part.leave(setting, items, &mut gathered.harvest);
    gathered.verdicts.resize_with(gathered.arrivals.len(), AtomicU32::default);
    gathered
}

impl<P: Packed, E: Explorer> Gathered<P, E> {
    /// Keeps what is not known.
    fn sift(&mut self, work: Work<'_, P, E>, part: &mut Part<P, E>, sieve: &mut Sieve) {
        let candidates = std::mem::take(&mut part.candidates);
        if work.setting.limits.strict {
            self.sift_strictly(work, part, sieve, &candidates);
        } else {
            part.push_keys(work, &candidates, &mut sieve.keys);
            sieve.look_up(work);
            for (candidate, is_known) in candidates.iter().zip(&sieve.is_known) {
                if !is_known {
                    let (state, explorer) = arriving(work, part, candidate);
                    self.keep(work, candidate, state, explorer);
                }
            }
        }
        part.clear(candidates);
    }

    /// The same for states with explorers: a state is known with none that has no number.
    fn sift_strictly(
        &mut self,
        work: Work<'_, P, E>,
        part: &mut Part<P, E>,
        sieve: &mut Sieve,
        candidates: &[Candidate],
    ) {
        sieve.keys.clear();
        let mut learnt = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let (state, explorer) = arriving(work, part, candidate);
            let number = match &explorer {
                Arriving::Known(number) => *number,
                Arriving::New(_) => ANY_EXPLORER,
            };
            sieve.keys.push(work.setting.program, &state, number);
            learnt.push((state, explorer));
        }
        sieve.look_up(work);
        for ((candidate, (state, explorer)), is_known) in candidates.iter().zip(learnt).zip(&sieve.is_known) {
            if !is_known || matches!(explorer, Arriving::New(_)) {
                self.keep(work, candidate, state, explorer);
            }
        }
    }

    fn keep(
        &mut self,
        work: Work<'_, P, E>,
        candidate: &Candidate,
        state: P::State,
        explorer: Arriving<E>,
    ) {
        let shard = shard_of(work.setting.program.fingerprint(&state));
        self.by_shard[shard].push(self.arrivals.len() as u32);
        self.ways.push(candidate.way(work.items));
        self.explorers.push(explorer);
        self.arrivals.push(Item {
            state,
            node: NodeId::NONE,
            explorer: 0,
            delays: 0,
            depth: work.items[candidate.item].depth + 1,
            open: ALL_OPEN,
        });
    }

    /// Makes nodes and items of the arrivals that were stored.
    pub(super) fn number(
        &mut self,
        setting: &Setting<'_, P>,
        nodes: &mut Nodes<P::State>,
        new: &mut Queue<Item<P::State>>,
        tally: &mut Tally,
    ) {
        let mut at = 0;
        self.arrivals.retain_mut(|item| {
            let verdict = self.verdicts[at].load(Ordering::Relaxed);
            let way = self.ways[at];
            at += 1;
            let Some(explorer) = verdict.checked_sub(1) else { return false };
            item.explorer = explorer;
            item.node = nodes.add(way, &item.state, explorer);
            tally.nodes += 1;
            tally.depth = tally.depth.max(item.depth);
            true
        });
        new.push_chunk(std::mem::take(&mut self.arrivals), &setting.chunks);
    }
}

/// The state that a candidate's step leads to, and the explorer there, by number if it has one.
fn arriving<P: Packed, E: Explorer>(
    work: Work<'_, P, E>,
    part: &mut Part<P, E>,
    candidate: &Candidate,
) -> (P::State, Arriving<E>) {
    let (state, explorer) = part.learn(work, candidate);
    let shard = shard_of(work.setting.program.fingerprint(&state));
    let explorer = match work.known.shards[shard].explorers.find(explorer) {
        Some(number) => Arriving::Known(number),
        None => Arriving::New(explorer.clone()),
    };
    (state, explorer)
}

impl Sieve {
    /// Finds out what is known.
    fn look_up<P: Packed, E>(&mut self, work: Work<'_, P, E>) {
        if let Some(set) = &work.known.set {
            set.contains(&self.keys.batch, &mut self.is_known);
        }
    }
}

/// A shard that takes in what belongs to it.
struct Filling<'a, P: Packed, E> {
    setting: &'a Setting<'a, P>,
    set: &'a Exact,
    states: Option<&'a Exact>,
    shard: &'a mut Shard<P::State, E>,
    keys: Keys,
    is_new: Vec<bool>,
}

impl<P: Packed, E: Explorer> Filling<'_, P, E> {
    /// Stores the arrivals at a shard; tells how many states no node had before.
    fn take_in(&mut self, gathered: &Gathered<P, E>, shard: usize) -> u64 {
        let arrivals = gathered.by_shard[shard].chunks(BATCH);
        arrivals.map(|some| self.store(gathered, some)).sum()
    }

    fn store(&mut self, gathered: &Gathered<P, E>, arrivals: &[u32]) -> u64 {
        let is_strict = self.setting.limits.strict;
        let numbers: Vec<u32> =
            arrivals.iter().map(|at| self.number(&gathered.explorers[*at as usize])).collect();
        self.push_keys(gathered, arrivals.iter().zip(&numbers), |number| {
            if is_strict { number } else { ANY_EXPLORER }
        });
        self.set.insert(&self.keys.batch, &mut self.is_new);
        let stored = arrivals.iter().zip(&numbers).zip(&self.is_new).filter(|(_, is_new)| **is_new);
        let stored: Vec<(&u32, &u32)> = stored.map(|(arrival, _)| arrival).collect();
        for (at, number) in &stored {
            gathered.verdicts[**at as usize].store(*number + 1, Ordering::Relaxed);
        }
        let Some(states) = self.states else {
            stored.iter().for_each(|(at, _)| self.visit(gathered, **at));
            return stored.len() as u64;
        };
        self.push_keys(gathered, stored.iter().copied(), |_| ANY_EXPLORER);
        states.insert(&self.keys.batch, &mut self.is_new);
        let new = stored.iter().zip(&self.is_new).filter(|(_, is_new)| **is_new);
        new.map(|((at, _), _)| self.visit(gathered, **at)).count() as u64
    }

    /// The number of an arrival's explorer.
    fn number(&mut self, explorer: &Arriving<E>) -> u32 {
        match explorer {
            Arriving::Known(number) => *number,
            Arriving::New(explorer) => self.shard.explorers.intern(explorer),
        }
    }

    fn push_keys<'b>(
        &mut self,
        gathered: &Gathered<P, E>,
        arrivals: impl Iterator<Item = (&'b u32, &'b u32)>,
        key: impl Fn(u32) -> u32,
    ) {
        self.keys.clear();
        for (at, number) in arrivals {
            self.keys.push(self.setting.program, &gathered.arrivals[*at as usize].state, key(*number));
        }
    }

    fn visit(&self, gathered: &Gathered<P, E>, at: u32) {
        (self.setting.visit)(&gathered.arrivals[at as usize].state);
    }
}
