//! A part of a round's items in the hands of one thread.
//!
//! Steps are taken first and looked up together afterwards, because a lookup waits for memory. The explorer learns only of
//! steps into states that are not known, except in strict mode, where it is part of what is known.
//!
//! When an item is taken for the second time, all choices left at its state are *probed*: those that lead to known states
//! need not be taken at all, because what is known stays known. They count as taken in the stratum that they belong to.
//! Only with an unbounded cache, where that holds, not in strict mode, and where each delay has its own stratum.

use std::ops::Range;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed};
use fabius_store::{Batch, VisitedSet};

use super::nodes::{ANY_EXPLORER, Arrival, Arriving, Way, push_key, shard_of};
use super::round::{Harvest, Round};
use super::{ALL_OPEN, Cache, Cost, Item};

/// How many states are looked up together, at least.
const BATCH: usize = 64;
/// States with so many choices are not probed: an item has a bit for each.
const MOST_PROBED: usize = 64;

pub(super) struct Part<'a, P: Packed, E> {
    round: &'a Round<'a, P, E>,
    items: &'a [Item<P::State>],
    harvest: Harvest<P, E>,
    /// States that steps led to, not looked up yet, and the effects of those steps.
    candidates: Vec<Candidate<P::State>>,
    effects: Vec<Effect>,
    /// Those of the latest step alone.
    latest: Vec<Effect>,
    choices: Vec<Choice>,
    batch: Batch,
    is_known: Vec<bool>,
    words: Vec<u32>,
    /// Items whose choices are being probed, what they are probed for, and the states to look up.
    probed: Vec<Probed>,
    probes: Vec<Probe>,
    probe_batch: Batch,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
}

/// An item, and which of its delays are worth taking.
struct Probed {
    item: usize,
    open: u64,
}

/// What a number of delays leads to: the state at the same place in the batch.
struct Probe {
    probed: usize,
    delays: u32,
}

struct Candidate<S> {
    state: S,
    fingerprint: u128,
    /// The item it was reached from, the delays spent there, and the choice taken.
    item: usize,
    delays: u32,
    position: u32,
    choice: Choice,
    effects: Range<usize>,
}

impl<'a, P: Packed, E: Explorer> Part<'a, P, E> {
    pub(super) fn new(
        round: &'a Round<'a, P, E>,
        items: &'a [Item<P::State>],
        harvest: Harvest<P, E>,
    ) -> Self {
        Part {
            round,
            items,
            harvest,
            candidates: Vec::new(),
            effects: Vec::new(),
            latest: Vec::new(),
            choices: Vec::new(),
            batch: Batch::new(),
            is_known: Vec::new(),
            words: Vec::new(),
            probed: Vec::new(),
            probes: Vec::new(),
            probe_batch: Batch::new(),
            spare: None,
        }
    }

    /// Leaves the items from this one on.
    pub(super) fn leave(&mut self, from: usize) {
        self.harvest.left.extend_from_slice(&self.items[from..]);
    }

    pub(super) fn finish(mut self) -> Harvest<P, E> {
        self.look_up();
        self.harvest
    }

    /// Takes the choice that the cursor names, and those after it that cost nothing more; leaves the rest to a later item.
    pub(super) fn take(&mut self, at: usize) {
        let item = &self.items[at];
        self.round.program.choices(&item.state, &mut self.choices);
        let mut cursor = self.cursor(item, item.delays);
        if item.open != ALL_OPEN {
            self.take_open(at, &cursor);
        } else if self.is_worth_probing(item, &cursor) {
            self.probe(at, &mut cursor);
        } else {
            self.take_free(at, &mut cursor);
        }
        self.spare = Some(cursor);
        if self.candidates.len().max(self.probes.len()) >= BATCH {
            self.look_up();
        }
    }

    fn take_free(&mut self, at: usize, cursor: &mut Cursor<E>) {
        let item = &self.items[at];
        loop {
            let is_free = self.is_free(cursor);
            self.take_next(at, cursor);
            if !cursor.can_delay(&self.choices) {
                if self.round.limits.cache != Cache::Unlimited {
                    self.harvest.done.push(item.node);
                }
                break;
            }
            if !is_free {
                let delays = cursor.delays() + 1;
                self.harvest.next.push((1, Item { delays, ..item.clone() }));
                break;
            }
            cursor.delay(&self.choices);
        }
    }

    /// Takes one choice of an item that was probed.
    fn take_open(&mut self, at: usize, cursor: &Cursor<E>) {
        let item = &self.items[at];
        self.take_next(at, cursor);
        let open = item.open & !(1 << item.delays);
        self.leave_open(item, open);
    }

    /// Leaves what is open to the stratum of the next choice.
    fn leave_open(&mut self, item: &Item<P::State>, open: u64) {
        if open != 0 {
            let delays = open.trailing_zeros();
            let distance = (delays - item.delays) as usize;
            self.harvest.next.push((distance, Item { delays, open, ..item.clone() }));
        }
    }

    fn take_next(&mut self, at: usize, cursor: &Cursor<E>) {
        let position = cursor.next(&self.choices);
        self.step(at, self.choices[position], position as u32, cursor.delays());
    }

    /// Whether one delay more costs nothing more.
    fn is_free(&self, cursor: &Cursor<E>) -> bool {
        let limits = self.round.limits;
        let is_free = match self.choices.first() {
            Some(Choice::Data(_)) => limits.free_data,
            _ => cursor.explorer().delays_freely(&self.choices),
        };
        is_free || limits.cost == Cost::Deviations && cursor.delays() > 0
    }

    fn is_worth_probing(&self, item: &Item<P::State>, cursor: &Cursor<E>) -> bool {
        let limits = self.round.limits;
        let left = self.choices.len().saturating_sub(item.delays as usize);
        let can_be = limits.cache == Cache::Unlimited && !limits.strict && limits.cost == Cost::Delays;
        can_be && item.delays > 0 && left > 1 && self.choices.len() < MOST_PROBED && !self.is_free(cursor)
    }

    /// Takes the next choice, and finds out which of the others are worth taking.
    fn probe(&mut self, at: usize, cursor: &mut Cursor<E>) {
        let (program, item) = (self.round.program, &self.items[at]);
        self.take_next(at, cursor);
        let probed = self.probed.len();
        let mut open = 0;
        while cursor.delay(&self.choices) {
            self.latest.clear();
            let choice = self.choices[cursor.next(&self.choices)];
            match program.step(&item.state, choice, &mut self.latest) {
                Outcome::Bug(_) => open |= 1 << cursor.delays(),
                Outcome::State(state) => {
                    let fingerprint = program.fingerprint(&state);
                    let batch = &mut self.probe_batch;
                    push_key(program, &state, fingerprint, ANY_EXPLORER, &mut self.words, batch);
                    self.probes.push(Probe { probed, delays: cursor.delays() });
                }
            }
        }
        self.probed.push(Probed { item: at, open });
    }

    /// Looks up what was probed, and leaves to later strata what is worth it.
    fn look_up_probes(&mut self) {
        if let Some(known) = &self.round.nodes.known {
            known.contains(&self.probe_batch, &mut self.is_known);
        }
        for (probe, is_known) in self.probes.drain(..).zip(&self.is_known) {
            let probed = &mut self.probed[probe.probed];
            if *is_known {
                let distance = probe.delays - self.items[probed.item].delays;
                self.harvest.skip(distance as usize);
            } else {
                probed.open |= 1 << probe.delays;
            }
        }
        self.probe_batch.clear();
        for at in 0..self.probed.len() {
            let Probed { item, open } = self.probed[at];
            self.leave_open(&self.items[item], open);
        }
        self.probed.clear();
    }

    /// The item's explorer after some delays at its state, whose choices are in `choices` if there are any.
    fn cursor(&mut self, item: &Item<P::State>, delays: u32) -> Cursor<E> {
        let explorer = self.round.nodes.shards[item.node.shard()].explorers.get(item.explorer);
        let mut cursor = match self.spare.take() {
            None => Cursor::at(explorer.clone()),
            Some(mut spare) => {
                spare.restart(explorer);
                spare
            }
        };
        for _ in 0..delays {
            cursor.delay(&self.choices);
        }
        cursor
    }

    fn step(&mut self, at: usize, choice: Choice, position: u32, delays: u32) {
        let (program, item) = (self.round.program, &self.items[at]);
        self.latest.clear();
        self.harvest.transitions += 1;
        match program.step(&item.state, choice, &mut self.latest) {
            Outcome::Bug(bug) => self.harvest.bugs.push((Way::From(item.node, position), bug)),
            Outcome::State(state) => {
                let fingerprint = program.fingerprint(&state);
                let before = self.effects.len();
                self.effects.extend_from_slice(&self.latest);
                let effects = before..self.effects.len();
                self.candidates.push(Candidate {
                    state,
                    fingerprint,
                    item: at,
                    delays,
                    position,
                    choice,
                    effects,
                });
            }
        }
    }

    /// Looks up the candidates, and makes arrivals of those that are not known.
    fn look_up(&mut self) {
        self.look_up_probes();
        let mut candidates = std::mem::take(&mut self.candidates);
        if self.round.limits.strict {
            for candidate in candidates.drain(..) {
                self.look_up_strictly(candidate);
            }
        } else {
            self.find_known(&candidates);
            let is_known = std::mem::take(&mut self.is_known);
            for (candidate, is_known) in candidates.drain(..).zip(&is_known) {
                if !is_known {
                    self.learn(&candidate);
                    self.arrive(candidate);
                }
            }
            self.is_known = is_known;
        }
        self.candidates = candidates;
        self.effects.clear();
    }

    /// Whether each candidate's state is known, whatever the explorer.
    fn find_known(&mut self, candidates: &[Candidate<P::State>]) {
        let Round { program, nodes, .. } = *self.round;
        let Some(known) = &nodes.known else {
            let is_known = candidates.iter().map(|candidate| {
                let Candidate { state, fingerprint, item, position, .. } = candidate;
                let way = Way::From(self.items[*item].node, *position);
                let bounded = &nodes.shards[shard_of(*fingerprint)].bounded;
                bounded.as_ref().is_some_and(|cache| cache.holds(state, *fingerprint, ANY_EXPLORER))
                    || nodes.is_on_way(state, ANY_EXPLORER, way)
            });
            self.is_known = is_known.collect();
            return;
        };
        self.batch.clear();
        for Candidate { state, fingerprint, .. } in candidates {
            push_key(program, state, *fingerprint, ANY_EXPLORER, &mut self.words, &mut self.batch);
        }
        known.contains(&self.batch, &mut self.is_known);
    }

    fn look_up_strictly(&mut self, candidate: Candidate<P::State>) {
        let Round { program, nodes, .. } = *self.round;
        self.learn(&candidate);
        let Candidate { state, fingerprint, item, position, .. } = &candidate;
        let shard = &nodes.shards[shard_of(*fingerprint)];
        let explorer = self.spare.as_ref().and_then(|cursor| shard.explorers.find(cursor.explorer()));
        let is_known = explorer.is_some_and(|explorer| match (&nodes.known, &shard.bounded) {
            (Some(known), _) => {
                self.batch.clear();
                push_key(program, state, *fingerprint, explorer, &mut self.words, &mut self.batch);
                known.contains(&self.batch, &mut self.is_known);
                self.is_known[0]
            }
            (None, Some(cache)) => {
                let way = Way::From(self.items[*item].node, *position);
                cache.holds(state, *fingerprint, explorer) || nodes.is_on_way(state, explorer, way)
            }
            (None, None) => false,
        });
        if !is_known {
            self.arrive(candidate);
        }
    }

    /// Lets the explorer, in `spare`, learn of the step to a candidate.
    fn learn(&mut self, candidate: &Candidate<P::State>) {
        let item = &self.items[candidate.item];
        if candidate.delays > 0 {
            self.round.program.choices(&item.state, &mut self.choices);
        }
        let mut cursor = self.cursor(item, candidate.delays);
        cursor.step(&Taken {
            choice: candidate.choice,
            effects: &self.effects[candidate.effects.clone()],
            fingerprint: candidate.fingerprint as u64,
        });
        self.spare = Some(cursor);
    }

    /// Makes an arrival of a candidate; `spare` is the explorer there.
    fn arrive(&mut self, candidate: Candidate<P::State>) {
        let Candidate { state, fingerprint, item, position, .. } = candidate;
        let item = &self.items[item];
        let shard = shard_of(fingerprint);
        let Some(cursor) = &self.spare else { return };
        let explorer = match self.round.nodes.shards[shard].explorers.find(cursor.explorer()) {
            Some(number) => Arriving::Known(number),
            None => Arriving::New(cursor.explorer().clone()),
        };
        let way = Way::From(item.node, position);
        let depth = item.depth + 1;
        self.harvest.arrivals[shard].push(Arrival { way, state, fingerprint, explorer, depth });
    }
}
