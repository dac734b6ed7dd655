//! Stratified exhaustive search: every reachable state, those that need few delays first.
//!
//! Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015 [DQS15], on top of the
//! iterative delay bounding of the same authors' technical report on cycle detection.
//!
//! Work is an *item*: a stored state with the explorer's cursor there. Taking an item performs the choice that the cursor
//! names and stores the state it leads to, if it is new, as a new item of the same stratum. The same state with the cursor
//! delayed once more is an item of a later stratum. A stratum is finished when it has no items left; the items of later
//! strata are the frontier, and no work is ever done again.
//!
//! Guarantees: `Exhausted` means that every reachable state was visited, because each stored state has had each of its
//! choices taken, whatever the explorer. In *strict* mode, where states are stored together with the explorer's state,
//! finishing stratum k means that every run with at most k delays was covered. Counts, bugs and traces are the same for any
//! number of threads.
//! Does not guarantee: without strict mode, that finishing stratum k covers every run with at most k delays: a state is
//! explored with the explorer's state and the delays with which it was first reached, and what another way would have
//! reached cheaply may come in a later stratum. Nor shortest ways.
//!
//! Differences from the paper: strata are worked through in rounds, breadth first, instead of depth first, so that several
//! threads can share a round and still agree on who stored a state first; the frontier keeps the explorer's state after
//! its delays, and the bound begins at 0 (the paper's printed figures disagree on both).

use std::thread;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Program};

use super::store::{NodeId, SHARDS, Shard, Way};
use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// Rounds of fewer items are not worth the threads.
const SMALL_ROUND: usize = 512;
/// The items of a round that are taken between two questions whether to go on.
const SLICE: usize = 1 << 15;

/// What a delay costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Each delay is one: the papers' measure.
    #[default]
    Delays,
    /// Any number of delays at one state is one: what Zing counted.
    Deviations,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last stratum to work through.
    pub delays: u64,
    /// How many states may be stored.
    pub states: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// How many threads; at least one.
    pub jobs: usize,
    /// Whether states are stored together with the explorer's state.
    pub strict: bool,
    /// What a delay costs.
    pub cost: Cost,
    /// Whether data choices cost nothing.
    pub free_data: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            delays: u64::MAX,
            states: u64::MAX,
            bugs: 1,
            jobs: 1,
            strict: false,
            cost: Cost::Delays,
            free_data: false,
        }
    }
}

/// What one stratum brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// States stored in it; in strict mode, pairs with the explorer's state.
    pub states: u64,
    /// Steps taken in it.
    pub transitions: u64,
}

/// The result of a stratified search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<Bug> {
    /// The different bugs, in the order in which they were found.
    pub bugs: Vec<Found<Bug>>,
    /// The stratum of the first bug.
    pub bug_delays: Option<u64>,
    /// Why it ended.
    pub stop: StopReason,
    /// Different states visited.
    pub states: u64,
    /// Steps taken, those into bugs included.
    pub transitions: u64,
    /// The strata begun; the last one is finished only if the search ended with it.
    pub strata: Vec<Stratum>,
    /// How many strata, from 0, are finished.
    pub finished: u64,
    /// Whether states were stored together with the explorer's state.
    pub strict: bool,
    /// Items of later strata, which were not taken.
    pub frontier: u64,
    /// Steps on the way by which the deepest stored state was found.
    pub depth: u64,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match (self.bugs.first(), self.stop) {
            (Some(first), _) => Verdict::Bug(first),
            (None, StopReason::Exhausted) => Verdict::Verified,
            (None, _) if self.strict && self.finished > 0 => {
                Verdict::NoBugFound { within: Bounds::Delays { delays: self.finished - 1 } }
            }
            (None, _) => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states in the order of strata, and shows each of them to `visit` once.
pub fn run<P, E>(
    program: &P,
    explorer: &E,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &mut dyn FnMut(&P::State),
) -> Report<P::Bug>
where
    P: Program,
    E: Explorer,
{
    let mut search = Search {
        program,
        limits,
        shards: (0..SHARDS).map(|_| Shard::new()).collect(),
        findings: Findings::new(limits.bugs, callbacks.same_bug),
        bugs_met: 0,
        bug_delays: None,
        later: Vec::new(),
        strata: Vec::new(),
        finished: 0,
        transitions: 0,
        states: 0,
        depth: 0,
    };
    let stop = search.run(explorer, callbacks, visit);
    Report {
        stop,
        bug_delays: search.bug_delays,
        states: search.states,
        transitions: search.transitions,
        finished: search.finished,
        strict: limits.strict,
        frontier: search.later.iter().map(|items| items.len() as u64).sum(),
        depth: search.depth,
        strata: search.strata,
        bugs: search.findings.into_found(),
    }
}

/// A state to go on from, and the cursor there.
struct Item<S, E> {
    node: NodeId,
    state: S,
    cursor: Cursor<E>,
    depth: u64,
}

/// A step that was taken, and where it led.
struct Arrival<S, E> {
    way: Way,
    state: S,
    cursor: Cursor<E>,
    depth: u64,
}

/// Arrivals by shard, in the order of the items they came from.
type ByShard<S, E> = Vec<Vec<Arrival<S, E>>>;

/// What one thread brings back from its part of a round.
struct Harvest<P: Program, E> {
    arrivals: ByShard<P::State, E>,
    bugs: Vec<(Way, P::Bug)>,
    /// Items of this stratum, and those one delay further.
    same: Vec<Item<P::State, E>>,
    next: Vec<Item<P::State, E>>,
    transitions: u64,
}

struct Search<'a, P: Program, E> {
    program: &'a P,
    limits: &'a Limits,
    shards: Vec<Shard<P::State, Cursor<E>>>,
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    bug_delays: Option<u64>,
    /// Items of later strata, the next one first.
    later: Vec<Vec<Item<P::State, E>>>,
    strata: Vec<Stratum>,
    finished: u64,
    transitions: u64,
    states: u64,
    depth: u64,
}

impl<P: Program, E: Explorer> Search<'_, P, E> {
    fn run(
        &mut self,
        explorer: &E,
        callbacks: &Callbacks<'_, P::Bug>,
        visit: &mut dyn FnMut(&P::State),
    ) -> StopReason {
        self.strata.push(Stratum::default());
        let mut items = match self.program.initial() {
            Outcome::Bug(bug) => {
                self.found(bug, Way::Start);
                Vec::new()
            }
            Outcome::State(state) => {
                let mut choices = Vec::new();
                self.program.choices(&state, &mut choices);
                let fingerprint = self.program.fingerprint(&state);
                let cursor = Cursor::begin(explorer.clone(), &choices, fingerprint as u64);
                let arrival = Arrival { way: Way::Start, state, cursor, depth: 0 };
                let mut arrivals: ByShard<P::State, E> = (0..SHARDS).map(|_| Vec::new()).collect();
                arrivals[shard_of(fingerprint)].push(arrival);
                self.store(vec![arrivals], visit)
            }
        };
        loop {
            if self.findings.last_run().is_some() {
                return StopReason::BugsFound;
            }
            if items.is_empty() {
                self.finished += 1;
                if self.later.is_empty() {
                    return StopReason::Exhausted;
                }
                if self.finished > self.limits.delays {
                    return StopReason::DelayLimit;
                }
                items = self.later.remove(0);
                self.strata.push(Stratum::default());
                continue;
            }
            (callbacks.progress)(&self.progress(items.len()));
            if (callbacks.should_stop)() {
                self.put_back(items);
                return StopReason::Asked;
            }
            if self.states >= self.limits.states {
                self.put_back(items);
                return StopReason::StateLimit;
            }
            items = self.round(items, visit);
        }
    }

    /// Items that were not taken belong to the frontier.
    fn put_back(&mut self, items: Vec<Item<P::State, E>>) {
        self.later.insert(0, items);
    }

    fn progress(&self, waiting: usize) -> Progress {
        let later: usize = self.later.iter().map(Vec::len).sum();
        Progress {
            runs: 0,
            steps: self.transitions,
            states: self.states,
            frontier: (waiting + later) as u64,
            bugs: self.bugs_met,
            stratum: Some(self.strata.len() as u64 - 1),
        }
    }

    /// Takes a slice of the items and gives what is to be done next in this stratum.
    fn round(
        &mut self,
        mut items: Vec<Item<P::State, E>>,
        visit: &mut dyn FnMut(&P::State),
    ) -> Vec<Item<P::State, E>> {
        let rest = if items.len() > SLICE { items.split_off(SLICE) } else { Vec::new() };
        let harvests = self.take(items);
        let mut arrivals = Vec::with_capacity(harvests.len());
        let mut upcoming = rest;
        for mut harvest in harvests {
            self.transitions += harvest.transitions;
            self.stratum().transitions += harvest.transitions;
            for (way, bug) in harvest.bugs {
                self.found(bug, way);
            }
            upcoming.append(&mut harvest.same);
            if !harvest.next.is_empty() {
                if self.later.is_empty() {
                    self.later.push(Vec::new());
                }
                self.later[0].append(&mut harvest.next);
            }
            arrivals.push(harvest.arrivals);
        }
        let mut new = self.store(arrivals, visit);
        upcoming.append(&mut new);
        upcoming
    }

    fn stratum(&mut self) -> &mut Stratum {
        self.strata.last_mut().expect("a search begins with a stratum")
    }

    /// Takes items, in parts of equal size, one part a thread.
    fn take(&self, items: Vec<Item<P::State, E>>) -> Vec<Harvest<P, E>> {
        let jobs = self.limits.jobs.max(1);
        if jobs == 1 || items.len() < SMALL_ROUND {
            return vec![self.take_part(items)];
        }
        let size = items.len().div_ceil(jobs);
        let mut parts = Vec::with_capacity(jobs);
        let mut items = items;
        while items.len() > size {
            let rest = items.split_off(size);
            parts.push(std::mem::replace(&mut items, rest));
        }
        parts.push(items);
        let this = self.taker();
        thread::scope(|scope| {
            let handles: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || this.take_part(part))).collect();
            let joined = handles.into_iter().map(|handle| match handle.join() {
                Ok(harvest) => harvest,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        })
    }

    fn taker(&self) -> Taker<'_, P> {
        Taker { program: self.program, limits: self.limits }
    }

    fn take_part(&self, items: Vec<Item<P::State, E>>) -> Harvest<P, E> {
        self.taker().take_part(items)
    }

    /// Stores what arrived. Shards are filled in the order of the items, so whoever came first is stored, whatever the
    /// number of threads; new items come in the order of shards.
    fn store(
        &mut self,
        arrivals: Vec<ByShard<P::State, E>>,
        visit: &mut dyn FnMut(&P::State),
    ) -> Vec<Item<P::State, E>> {
        let mut by_shard: ByShard<P::State, E> = (0..SHARDS).map(|_| Vec::new()).collect();
        for part in arrivals {
            for (shard, mut some) in part.into_iter().enumerate() {
                by_shard[shard].append(&mut some);
            }
        }
        let strict = self.limits.strict;
        let total: usize = by_shard.iter().map(Vec::len).sum();
        let jobs = if total < SMALL_ROUND { 1 } else { self.limits.jobs.max(1) };
        let program = self.program;
        let mut stored: Vec<Stored<P, E>> = Vec::with_capacity(SHARDS);
        if jobs == 1 {
            for (at, (shard, some)) in self.shards.iter_mut().zip(by_shard).enumerate() {
                stored.push(store_in(program, shard, at, some, strict));
            }
        } else {
            let size = SHARDS.div_ceil(jobs);
            let mut waiting = by_shard.into_iter();
            let groups: Vec<_> = (self.shards.chunks_mut(size))
                .enumerate()
                .map(|(group, shards)| {
                    let some: Vec<_> = waiting.by_ref().take(shards.len()).collect();
                    (group * size, shards, some)
                })
                .collect();
            stored = thread::scope(|scope| {
                let work = |(first, shards, some): (usize, &mut [Shard<_, _>], Vec<_>)| -> Vec<Stored<P, E>> {
                    let each = shards.iter_mut().zip(some).enumerate();
                    each.map(|(at, (shard, some))| store_in(program, shard, first + at, some, strict))
                        .collect()
                };
                let handles: Vec<_> =
                    groups.into_iter().map(|group| scope.spawn(move || work(group))).collect();
                let joined = handles.into_iter().flat_map(|handle| match handle.join() {
                    Ok(stored) => stored,
                    Err(panic) => std::panic::resume_unwind(panic),
                });
                joined.collect()
            });
        }
        self.collect(stored, visit)
    }

    fn collect(
        &mut self,
        stored: Vec<Stored<P, E>>,
        visit: &mut dyn FnMut(&P::State),
    ) -> Vec<Item<P::State, E>> {
        let mut items = Vec::with_capacity(stored.iter().map(|stored| stored.items.len()).sum());
        for Stored { items: mut new, bugs, ends, states, depth } in stored {
            for state in states {
                self.states += 1;
                visit(&state);
            }
            self.depth = self.depth.max(depth);
            self.stratum().states += new.len() as u64 + ends;
            for (way, bug) in bugs {
                self.found(bug, way);
            }
            items.append(&mut new);
        }
        items
    }

    fn found(&mut self, bug: P::Bug, way: Way) {
        let positions = self.positions(way);
        self.findings.offer(self.bugs_met, bug, &positions);
        self.bugs_met += 1;
        self.bug_delays.get_or_insert(self.strata.len() as u64 - 1);
    }

    /// The positions of the choices on a way, from the initial state.
    fn positions(&self, mut way: Way) -> Vec<u32> {
        let mut positions = Vec::new();
        while let Way::From(node, position) = way {
            positions.push(position);
            way = self.shards[node.shard()].way(node);
        }
        positions.reverse();
        positions
    }
}

/// What the threads of a round need.
struct Taker<'a, P> {
    program: &'a P,
    limits: &'a Limits,
}

impl<P> Clone for Taker<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Taker<'_, P> {}

impl<P: Program> Taker<'_, P> {
    fn take_part<E: Explorer>(&self, items: Vec<Item<P::State, E>>) -> Harvest<P, E> {
        let mut harvest = Harvest {
            arrivals: (0..SHARDS).map(|_| Vec::new()).collect(),
            bugs: Vec::new(),
            same: Vec::new(),
            next: Vec::new(),
            transitions: 0,
        };
        let (mut choices, mut effects) = (Vec::new(), Vec::new());
        for item in items {
            self.take_one(item, &mut harvest, &mut choices, &mut effects);
        }
        harvest
    }

    /// Takes the choice that the cursor names, and leaves the next one to a later item.
    fn take_one<E: Explorer>(
        &self,
        item: Item<P::State, E>,
        harvest: &mut Harvest<P, E>,
        choices: &mut Vec<Choice>,
        effects: &mut Vec<Effect>,
    ) {
        let Item { node, state, mut cursor, depth } = item;
        self.program.choices(&state, choices);
        let position = cursor.next(choices);
        let choice = choices[position];
        effects.clear();
        let outcome = self.program.step(&state, choice, effects);
        harvest.transitions += 1;
        let way = Way::From(node, position as u32);
        match outcome {
            Outcome::Bug(bug) => harvest.bugs.push((way, bug)),
            Outcome::State(next) => {
                let mut cursor = cursor.clone();
                let fingerprint = self.program.fingerprint(&next);
                cursor.step(&Taken { choice, effects, fingerprint: fingerprint as u64 });
                let arrival = Arrival { way, state: next, cursor, depth: depth + 1 };
                harvest.arrivals[shard_of(fingerprint)].push(arrival);
            }
        }
        let is_free = match choice {
            Choice::Data(_) if self.limits.free_data => true,
            _ => self.limits.cost == Cost::Deviations && cursor.delays() > 0,
        };
        if cursor.delay(choices) {
            let item = Item { node, state, cursor, depth };
            if is_free { harvest.same.push(item) } else { harvest.next.push(item) }
        }
    }
}

/// What one shard took in.
struct Stored<P: Program, E> {
    items: Vec<Item<P::State, E>>,
    bugs: Vec<(Way, P::Bug)>,
    /// New states without choices.
    ends: u64,
    /// The states that no stored pair had before.
    states: Vec<P::State>,
    depth: u64,
}

fn store_in<P: Program, E: Explorer>(
    program: &P,
    shard: &mut Shard<P::State, Cursor<E>>,
    at: usize,
    arrivals: Vec<Arrival<P::State, E>>,
    strict: bool,
) -> Stored<P, E> {
    let mut stored = Stored { items: Vec::new(), bugs: Vec::new(), ends: 0, states: Vec::new(), depth: 0 };
    let mut choices = Vec::new();
    for Arrival { way, state, cursor, depth, .. } in arrivals {
        let Some((id, is_new_state)) = shard.insert(at, &state, strict.then_some(&cursor), way) else {
            continue;
        };
        if is_new_state {
            stored.states.push(state.clone());
        }
        stored.depth = stored.depth.max(depth);
        program.choices(&state, &mut choices);
        if choices.is_empty() {
            stored.ends += 1;
            stored.bugs.extend(program.end(&state).map(|bug| (way, bug)));
        } else {
            stored.items.push(Item { node: id, state, cursor, depth });
        }
    }
    stored
}

/// Where a state goes: a function of its content, because the order of items depends on it. Pairs of one state share a
/// shard, so that a shard can tell whether the state itself is new.
fn shard_of(fingerprint: u128) -> usize {
    // Tables inside the shards use the lower bits.
    (fingerprint >> 64) as usize % SHARDS
}
