//! A part of a round's items in the hands of one thread.
//!
//! Steps are taken first and looked up together afterwards, because a lookup waits for memory. The explorer learns only of
//! steps into states that are not known, except in strict mode, where it is part of what is known.

use std::ops::Range;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Packed};
use fabius_store::{Batch, VisitedSet};

use super::nodes::{ANY_EXPLORER, Arrival, Arriving, Way, push_key, shard_of};
use super::round::{Harvest, Round};
use super::{Cache, Cost, Item};

/// How many states are looked up together, at least.
const BATCH: usize = 64;

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
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
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
        let limits = self.round.limits;
        let item = &self.items[at];
        self.round.program.choices(&item.state, &mut self.choices);
        let mut cursor = self.cursor(item, item.delays);
        loop {
            let position = cursor.next(&self.choices);
            let choice = self.choices[position];
            self.step(at, choice, position as u32, cursor.delays());
            let is_free = match choice {
                Choice::Data(_) if limits.free_data => true,
                Choice::Schedule(_) if cursor.explorer().delays_freely(&self.choices) => true,
                _ => limits.cost == Cost::Deviations && cursor.delays() > 0,
            };
            if !cursor.can_delay(&self.choices) {
                if limits.cache != Cache::Unlimited {
                    self.harvest.done.push(item.node);
                }
                break;
            }
            if !is_free {
                let delays = cursor.delays() + 1;
                self.harvest.next.push(Item { delays, ..item.clone() });
                break;
            }
            cursor.delay(&self.choices);
        }
        self.spare = Some(cursor);
        if self.candidates.len() >= BATCH {
            self.look_up();
        }
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
