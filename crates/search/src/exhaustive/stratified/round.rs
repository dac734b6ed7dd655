//! One round of a stratum: items are taken side by side, then what they led to is stored.
//!
//! While items are taken nothing is stored, so threads read the shards without locks. The items of a round are cut into
//! parts that idle threads take one after the other; what comes back is put together in the order of the parts. While
//! arrivals are stored each shard belongs to one thread, and takes them in that order. Hence whoever came first is stored,
//! whatever the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use fabius_explore::{Cursor, Explorer, Taken};
use fabius_model::{Choice, Effect, Outcome, Program};

use super::nodes::{Arrival, NodeId, SHARDS, Shard, Way, shard_of};
use super::{Cache, Cost, Item, Limits};

/// Items that a thread takes at a time.
const PART: usize = 1 << 9;
/// Items or arrivals that are not worth a second thread.
const SMALL: usize = 2 * PART;
/// The items that are taken between two questions whether to go on.
const ITEMS_BETWEEN_QUESTIONS: usize = 32;

/// What comes back from a part of a round.
pub(super) struct Harvest<P: Program, E> {
    /// Arrivals by shard, in the order of the items they came from.
    pub(super) arrivals: Vec<Vec<Arrival<P::State, E>>>,
    pub(super) bugs: Vec<(Way, P::Bug)>,
    /// The same nodes, one delay further.
    pub(super) next: Vec<Item>,
    /// Items that were not taken because the search is to stop.
    pub(super) left: Vec<Item>,
    /// Nodes all of whose choices were taken; only with a bounded cache.
    pub(super) done: Vec<NodeId>,
    pub(super) transitions: u64,
}

/// What the threads of a round share.
pub(super) struct Round<'a, P: Program, E> {
    pub(super) program: &'a P,
    pub(super) limits: &'a Limits,
    pub(super) shards: &'a [Shard<P::State, E>],
    pub(super) should_stop: &'a (dyn Fn() -> bool + Sync),
    pub(super) stopped: &'a AtomicBool,
}

impl<P: Program, E: Explorer> Round<'_, P, E> {
    /// Takes the items.
    pub(super) fn take(&self, items: &[Item]) -> Vec<Harvest<P, E>> {
        let parts: Vec<&[Item]> = items.chunks(PART).collect();
        let jobs = if items.len() < SMALL { 1 } else { self.limits.jobs.clamp(1, parts.len()) };
        if jobs == 1 {
            return parts.into_iter().map(|part| self.take_part(part)).collect();
        }
        let next = AtomicUsize::new(0);
        let harvests: Vec<Mutex<Option<Harvest<P, E>>>> = parts.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(at) else { break };
                let harvest = self.take_part(part);
                *harvests[at].lock().expect("no thread panics while it holds this") = Some(harvest);
            }
        };
        thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
        let harvest = |harvest: Mutex<Option<Harvest<P, E>>>| {
            harvest.into_inner().expect("no thread panics while it holds this").expect("each part was taken")
        };
        harvests.into_iter().map(harvest).collect()
    }

    fn take_part(&self, items: &[Item]) -> Harvest<P, E> {
        let mut part = Part {
            round: self,
            harvest: Harvest {
                arrivals: (0..SHARDS).map(|_| Vec::new()).collect(),
                bugs: Vec::new(),
                next: Vec::new(),
                left: Vec::new(),
                done: Vec::new(),
                transitions: 0,
            },
            choices: Vec::new(),
            effects: Vec::new(),
            spare: None,
        };
        for (at, item) in items.iter().enumerate() {
            if at % ITEMS_BETWEEN_QUESTIONS == 0 && self.is_stopped() {
                part.harvest.left.extend_from_slice(&items[at..]);
                break;
            }
            part.take(*item);
        }
        part.harvest
    }

    fn is_stopped(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && (self.should_stop)() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the state is on the way to a node, the node included.
    fn is_on_way(&self, state: &P::State, explorer: Option<&E>, mut way: Way) -> bool {
        while let Way::From(id, _) = way {
            let shard = &self.shards[id.shard()];
            let node = shard.node(id.index());
            let is_same = |explorer: &E| !self.limits.strict || explorer == shard.explorer(node);
            if node.state == *state && explorer.is_none_or(is_same) {
                return true;
            }
            way = node.way;
        }
        false
    }
}

/// A part of a round in the hands of one thread.
struct Part<'a, P: Program, E> {
    round: &'a Round<'a, P, E>,
    harvest: Harvest<P, E>,
    choices: Vec<Choice>,
    effects: Vec<Effect>,
    /// A cursor whose memory can be used again.
    spare: Option<Cursor<E>>,
}

impl<P: Program, E: Explorer> Part<'_, P, E> {
    /// Takes the choice that the cursor names, and those after it that cost nothing more; leaves the rest to a later item.
    fn take(&mut self, item: Item) {
        let round = self.round;
        let shard = &round.shards[item.node.shard()];
        let node = shard.node(item.node.index());
        round.program.choices(&node.state, &mut self.choices);
        let mut cursor = self.spare.take().unwrap_or_else(|| Cursor::at(shard.explorer(node).clone()));
        cursor.restart(shard.explorer(node));
        for _ in 0..item.delays {
            cursor.delay(&self.choices);
        }
        loop {
            let position = cursor.next(&self.choices);
            let choice = self.choices[position];
            self.step(&node.state, choice, Way::From(item.node, position as u32), &cursor, node.depth + 1);
            let is_free = match choice {
                Choice::Data(_) if round.limits.free_data => true,
                Choice::Schedule(_) if cursor.explorer().delays_freely(&self.choices) => true,
                _ => round.limits.cost == Cost::Deviations && cursor.delays() > 0,
            };
            if !cursor.can_delay(&self.choices) {
                if round.limits.cache != Cache::Unlimited {
                    self.harvest.done.push(item.node);
                }
                break;
            }
            if !is_free {
                self.harvest.next.push(Item { node: item.node, delays: cursor.delays() + 1 });
                break;
            }
            cursor.delay(&self.choices);
        }
        self.spare = Some(cursor);
    }

    fn step(&mut self, state: &P::State, choice: Choice, way: Way, cursor: &Cursor<E>, depth: u32) {
        let round = self.round;
        self.effects.clear();
        self.harvest.transitions += 1;
        let next = match round.program.step(state, choice, &mut self.effects) {
            Outcome::Bug(bug) => return self.harvest.bugs.push((way, bug)),
            Outcome::State(next) => next,
        };
        let fingerprint = round.program.fingerprint(&next);
        let shard = &round.shards[shard_of(fingerprint)];
        let learn = || {
            let mut cursor = cursor.clone();
            cursor.step(&Taken { choice, effects: &self.effects, fingerprint: fingerprint as u64 });
            cursor.into_explorer()
        };
        // The explorer need not learn of steps into known states, except where it is part of what is known.
        let explorer = if round.limits.strict {
            let explorer = learn();
            if shard.is_known(&next, fingerprint, Some(&explorer)) {
                return;
            }
            explorer
        } else {
            if shard.is_known(&next, fingerprint, None) {
                return;
            }
            learn()
        };
        if round.limits.cache != Cache::Unlimited && round.is_on_way(&next, Some(&explorer), way) {
            return;
        }
        let arrival = Arrival { way, state: next, fingerprint, explorer, depth };
        self.harvest.arrivals[shard_of(fingerprint)].push(arrival);
    }
}

/// What one shard took in.
pub(super) struct Stored<P: Program> {
    pub(super) items: Vec<Item>,
    pub(super) bugs: Vec<(Way, P::Bug)>,
    /// Nodes without choices.
    pub(super) ends: Vec<NodeId>,
    /// How the new nodes were reached; only with a bounded cache.
    pub(super) ways: Vec<Way>,
    /// The states that no node had before.
    pub(super) states: Vec<P::State>,
    pub(super) depth: u32,
}

/// Stores what arrived, by shard.
pub(super) fn store<P: Program, E: Explorer>(
    program: &P,
    limits: &Limits,
    shards: &mut [Shard<P::State, E>],
    arrivals: Vec<Vec<Arrival<P::State, E>>>,
) -> Vec<Stored<P>> {
    let total: usize = arrivals.iter().map(Vec::len).sum();
    let jobs = if total < SMALL { 1 } else { limits.jobs.clamp(1, SHARDS) };
    if jobs == 1 {
        let each = shards.iter_mut().zip(arrivals).enumerate();
        return each.map(|(at, (shard, some))| store_in(program, limits, shard, at, some)).collect();
    }
    let size = SHARDS.div_ceil(jobs);
    let mut waiting = arrivals.into_iter();
    thread::scope(|scope| {
        let handles: Vec<_> = (shards.chunks_mut(size).enumerate())
            .map(|(group, shards)| {
                let some: Vec<_> = waiting.by_ref().take(shards.len()).collect();
                scope.spawn(move || -> Vec<Stored<P>> {
                    let each = shards.iter_mut().zip(some).enumerate();
                    each.map(|(at, (shard, some))| store_in(program, limits, shard, group * size + at, some))
                        .collect()
                })
            })
            .collect();
        let joined = handles.into_iter().flat_map(|handle| match handle.join() {
            Ok(stored) => stored,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

fn store_in<P: Program, E: Explorer>(
    program: &P,
    limits: &Limits,
    shard: &mut Shard<P::State, E>,
    at: usize,
    arrivals: Vec<Arrival<P::State, E>>,
) -> Stored<P> {
    let mut stored = Stored {
        items: Vec::new(),
        bugs: Vec::new(),
        ends: Vec::new(),
        ways: Vec::new(),
        states: Vec::new(),
        depth: 0,
    };
    let mut choices = Vec::new();
    for arrival in arrivals {
        let (way, depth) = (arrival.way, arrival.depth);
        let Some((index, is_new_state)) = shard.insert(arrival) else { continue };
        let state = &shard.node(index).state;
        if is_new_state {
            stored.states.push(state.clone());
        }
        if limits.cache != Cache::Unlimited {
            stored.ways.push(way);
        }
        stored.depth = stored.depth.max(depth);
        let node = NodeId::new(at, index);
        program.choices(state, &mut choices);
        if choices.is_empty() {
            stored.ends.push(node);
            stored.bugs.extend(program.end(state).map(|bug| (way, bug)));
        } else {
            stored.items.push(Item { node, delays: 0 });
        }
    }
    stored
}
