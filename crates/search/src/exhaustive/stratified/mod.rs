//! Stratified exhaustive search: every reachable state, those that need few delays first.
//!
//! Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015 [DQS15], on top of the
//! iterative delay bounding of the same authors' technical report on cycle detection.
//!
//! Work is an *item*: a stored state and the number of delays to spend there. Taking an item performs the choice that the
//! explorer names after them and stores the state it leads to, if it is new, as a new item of the same stratum. The same
//! state with one delay more is an item of a later stratum. A stratum is finished when it has no items left; the items of
//! later strata are the frontier, and no work is ever done again.
//!
//! Guarantees: `Exhausted` means that every reachable state was visited, because each stored state has had each of its
//! choices taken, whatever the explorer. In *strict* mode, where states are stored together with the explorer's state,
//! finishing stratum k means that every run with at most k delays was covered. Counts, bugs and traces are the same for any
//! number of threads. All this holds for every [`Cache`]: what a bounded one does not know is explored once more.
//! Does not guarantee: without strict mode, that finishing stratum k covers every run with at most k delays: a state is
//! explored with the explorer's state and the delays with which it was first reached, and what another way would have
//! reached cheaply may come in a later stratum. Nor shortest ways. With a bounded cache, that the number of visits is
//! the number of states, or that the time is bounded by anything but the number of paths.
//!
//! Differences from the paper: strata are worked through in rounds, breadth first, instead of depth first, so that several
//! threads can share a round and still agree on who stored a state first; the frontier keeps the explorer's state after
//! its delays, and the bound begins at 0 (the paper's printed figures disagree on both).

mod bounded;
mod explorers;
mod nodes;
mod part;
mod round;
mod storing;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_explore::{Cursor, Explorer};
use fabius_model::{Outcome, Packed};
use fabius_store::VisitedSet;

use self::nodes::{Arrival, Arriving, NodeId, Nodes, SHARDS, Way, shard_of};
use self::round::{Round, store};
use self::storing::Stored;
use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// The most items of a round.
const SLICE: usize = 1 << 13;
/// The same with a bounded cache, where more items at a time mean more states to hold.
const BOUNDED_SLICE: usize = 1 << 8;

/// What a delay costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Each delay is one: the papers' measure.
    #[default]
    Delays,
    /// Any number of delays at one state is one: what Zing counted.
    Deviations,
}

/// Which states are remembered, so that they are not explored again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// All.
    #[default]
    Unlimited,
    /// The first ones, about so many.
    Keep {
        /// How many.
        states: u64,
    },
    /// About so many of the latest ones.
    Replace {
        /// How many.
        states: u64,
    },
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
    /// Which states are remembered.
    pub cache: Cache,
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
            cache: Cache::Unlimited,
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
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// The stratum of the first bug.
    pub bug_delays: Option<u64>,
    /// Why it ended.
    pub stop: StopReason,
    /// Different states visited; with a bounded cache, visits.
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
            (None, StopReason::Exhausted) if self.bound_met.is_none() => Verdict::Verified,
            (None, _) if self.strict && self.finished > 0 && self.bound_met.is_none() => {
                Verdict::NoBugFound { within: Bounds::Delays { delays: self.finished - 1 } }
            }
            (None, _) => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states in the order of strata, and shows each of them to `visit` once, from any thread; with a
/// bounded cache, at least once. Also gives what is left to do.
pub fn run<P, E>(
    program: &P,
    explorer: &E,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
) -> (Report<P::Bug>, Frontier)
where
    P: Packed,
    E: Explorer,
{
    let mut search = Search {
        program,
        limits,
        nodes: Nodes::new(limits.cache, limits.strict),
        visit,
        findings: Findings::new(limits.bugs, callbacks),
        bugs_met: 0,
        bug_delays: None,
        later: VecDeque::new(),
        left: Items::new(),
        strata: Vec::new(),
        finished: 0,
        transitions: 0,
        states: 0,
        depth: 0,
        stopped: AtomicBool::new(false),
    };
    let stop = search.run(explorer, callbacks);
    let later = search.later.iter().flat_map(|later| &later.items);
    let left = later.chain(&search.left).flatten().map(|item| (item.node, item.delays));
    let frontier = Frontier { items: left.collect(), ways: search.nodes.into_ways() };
    let (bugs, bound_met) = search.findings.into_found();
    let report = Report {
        stop,
        bug_delays: search.bug_delays,
        states: search.states,
        transitions: search.transitions,
        finished: search.finished,
        strict: limits.strict,
        frontier: frontier.len() as u64,
        depth: search.depth.into(),
        strata: search.strata,
        bugs,
        bound_met,
    };
    (report, frontier)
}

/// What a search left to later strata.
#[derive(Debug)]
pub struct Frontier {
    /// Nodes, and the delays to spend there.
    items: Vec<(NodeId, u32)>,
    /// How nodes were reached, by shard and index.
    ways: Vec<Vec<Way>>,
}

impl Frontier {
    /// How many states have choices that were not taken.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The positions of the choices on the way to a state, and the delays to spend there.
    pub fn get(&self, index: usize) -> (Vec<u32>, u32) {
        let (node, delays) = self.items[index];
        let way_of = |node: NodeId| self.ways[node.shard()][node.index()];
        (positions(way_of(node), way_of), delays)
    }
}

/// The positions of the choices on a way, from the initial state.
fn positions(mut way: Way, way_of: impl Fn(NodeId) -> Way) -> Vec<u32> {
    let mut positions = Vec::new();
    while let Way::From(node, position) = way {
        positions.push(position);
        way = way_of(node);
    }
    positions.reverse();
    positions
}

/// A state to go on from, and the delays to spend there.
#[derive(Clone, Debug)]
struct Item<S> {
    state: S,
    node: NodeId,
    /// Its number among those of the node's shard.
    explorer: u32,
    delays: u32,
    /// Which numbers of delays are worth spending, a bit each; [`ALL_OPEN`] as long as that is not known.
    open: u64,
    depth: u32,
}

const ALL_OPEN: u64 = u64::MAX;

/// Items in the order in which they are taken.
type Items<S> = VecDeque<Vec<Item<S>>>;

/// What is to be done in a later stratum.
struct Later<S> {
    items: Items<S>,
    /// Choices that need not be taken, because they lead to known states.
    skipped: u64,
}

struct Search<'a, P: Packed, E> {
    program: &'a P,
    limits: &'a Limits,
    visit: &'a (dyn Fn(&P::State) + Sync),
    nodes: Nodes<P::State, E>,
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    bug_delays: Option<u64>,
    /// The next strata.
    later: VecDeque<Later<P::State>>,
    /// Items of this stratum that were not taken when the search ended.
    left: Items<P::State>,
    strata: Vec<Stratum>,
    finished: u64,
    transitions: u64,
    states: u64,
    depth: u32,
    stopped: AtomicBool,
}

impl<P: Packed, E: Explorer> Search<'_, P, E> {
    fn run(&mut self, explorer: &E, callbacks: &Callbacks<'_, P::Bug>) -> StopReason {
        self.strata.push(Stratum::default());
        let mut items = self.begin(explorer);
        loop {
            if self.findings.last_run().is_some() {
                self.left = items;
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
                items = self.next_stratum();
                continue;
            }
            (callbacks.progress)(&self.progress(&items));
            if let Some(stop) = self.reason_to_stop(callbacks) {
                self.left = items;
                return stop;
            }
            self.round(&mut items, callbacks);
        }
    }

    fn next_stratum(&mut self) -> Items<P::State> {
        self.strata.push(Stratum::default());
        let Some(Later { items, skipped }) = self.later.pop_front() else { return Items::new() };
        self.transitions += skipped;
        self.stratum().transitions += skipped;
        items
    }

    /// What is to be done so many strata further.
    fn later(&mut self, distance: usize) -> &mut Later<P::State> {
        while self.later.len() < distance {
            self.later.push_back(Later { items: Items::new(), skipped: 0 });
        }
        &mut self.later[distance - 1]
    }

    /// Keeps the items of later strata in the order in which they come.
    fn defer(&mut self, items: Vec<(usize, Item<P::State>)>, skipped: &[u64]) {
        for (distance, count) in skipped.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.later(distance).skipped += count;
        }
        let mut by_distance: Vec<Vec<Item<P::State>>> = Vec::new();
        for (distance, item) in items {
            if by_distance.len() <= distance {
                by_distance.resize_with(distance + 1, Vec::new);
            }
            by_distance[distance].push(item);
        }
        for (distance, items) in by_distance.into_iter().enumerate().skip(1) {
            if !items.is_empty() {
                self.later(distance).items.push_back(items);
            }
        }
    }

    fn reason_to_stop(&self, callbacks: &Callbacks<'_, P::Bug>) -> Option<StopReason> {
        let sets = [&self.nodes.known, &self.nodes.states];
        if (callbacks.should_stop)() || self.stopped.load(Ordering::Relaxed) {
            Some(StopReason::Asked)
        } else if sets.into_iter().flatten().any(VisitedSet::is_full) {
            Some(StopReason::SetFull)
        } else {
            (self.states >= self.limits.states).then_some(StopReason::StateLimit)
        }
    }

    fn begin(&mut self, explorer: &E) -> Items<P::State> {
        let state = match self.program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => {
                self.found(bug, Way::Start);
                return Items::new();
            }
        };
        let mut choices = Vec::new();
        self.program.choices(&state, &mut choices);
        let fingerprint = self.program.fingerprint(&state);
        let explorer = Cursor::begin(explorer.clone(), &choices, fingerprint as u64).into_explorer();
        let mut arrivals: Vec<Vec<Vec<_>>> = (0..SHARDS).map(|_| Vec::new()).collect();
        let explorer = Arriving::New(explorer);
        arrivals[shard_of(fingerprint)].push(vec![Arrival {
            way: Way::Start,
            state,
            fingerprint,
            explorer,
            depth: 0,
        }]);
        let stored = store(self.program, self.limits, &mut self.nodes, arrivals, self.visit);
        self.collect(stored)
    }

    fn progress(&self, waiting: &Items<P::State>) -> Progress {
        let later = self.later.iter().flat_map(|later| &later.items);
        let waiting: usize = waiting.iter().chain(later).map(Vec::len).sum();
        Progress {
            runs: 0,
            steps: self.transitions,
            states: self.states,
            frontier: waiting as u64,
            bugs: self.bugs_met,
            stratum: Some(self.strata.len() as u64 - 1),
        }
    }

    /// Takes some of the items, and replaces them by what is to be done next in this stratum: nearest first or, so that
    /// few wait at a time, with a bounded cache latest first.
    fn round(&mut self, items: &mut Items<P::State>, callbacks: &Callbacks<'_, P::Bug>) {
        let is_bounded = self.limits.cache != Cache::Unlimited;
        let slice = if is_bounded { last(items, BOUNDED_SLICE) } else { first(items, SLICE) };
        let round = Round {
            program: self.program,
            limits: self.limits,
            nodes: &self.nodes,
            should_stop: callbacks.should_stop,
            stopped: &self.stopped,
        };
        let harvests = round.take(&slice);
        let mut by_shard: Vec<Vec<Vec<_>>> = (0..SHARDS).map(|_| Vec::new()).collect();
        let mut done = Vec::new();
        for harvest in harvests {
            self.transitions += harvest.transitions;
            self.stratum().transitions += harvest.transitions;
            for (way, bug) in harvest.bugs {
                self.found(bug, way);
            }
            for (all, some) in by_shard.iter_mut().zip(harvest.arrivals) {
                all.push(some);
            }
            add(items, harvest.left);
            self.defer(harvest.next, &harvest.skipped);
            done.extend(harvest.done);
        }
        let stored = store(self.program, self.limits, &mut self.nodes, by_shard, self.visit);
        if is_bounded {
            self.count_references(&stored, &done);
        }
        items.extend(self.collect(stored));
    }

    fn stratum(&mut self) -> &mut Stratum {
        self.strata.last_mut().expect("a search begins with a stratum")
    }

    /// New nodes refer to those they were reached from; nodes without choices left are released.
    fn count_references(&mut self, stored: &[Stored<P>], done: &[NodeId]) {
        for way in stored.iter().flat_map(|stored| &stored.ways) {
            if let Way::From(before, _) = way {
                self.nodes.refer(*before);
            }
        }
        let ends = stored.iter().flat_map(|stored| &stored.ends);
        for node in done.iter().chain(ends) {
            self.nodes.release(*node);
        }
    }

    fn collect(&mut self, stored: Vec<Stored<P>>) -> Items<P::State> {
        let mut items = Items::new();
        for Stored { items: new, bugs, ends, states, depth, .. } in stored {
            self.states += states;
            self.depth = self.depth.max(depth);
            self.stratum().states += (new.len() + ends.len()) as u64;
            for (way, bug) in bugs {
                self.found(bug, way);
            }
            add(&mut items, new);
        }
        items
    }

    fn found(&mut self, bug: P::Bug, way: Way) {
        if !self.findings.is_news(&bug) {
            return;
        }
        let positions = positions(way, |node| self.nodes.way(node));
        self.findings.offer(self.bugs_met, bug, &positions);
        self.bugs_met += 1;
        if self.findings.has_bugs() {
            self.bug_delays.get_or_insert(self.strata.len() as u64 - 1);
        }
    }
}

/// Adds items behind the others. Invariant of [`Items`]: no vector is empty.
fn add<S>(items: &mut Items<S>, new: Vec<Item<S>>) {
    if !new.is_empty() {
        items.push_back(new);
    }
}

/// Takes so many of the first items.
fn first<S>(items: &mut Items<S>, mut count: usize) -> Vec<Vec<Item<S>>> {
    let mut taken = Vec::new();
    while count > 0
        && let Some(mut some) = items.pop_front()
    {
        if some.len() > count {
            items.push_front(some.split_off(count));
        }
        count -= some.len();
        taken.push(some);
    }
    taken
}

/// Takes so many of the last items.
fn last<S>(items: &mut Items<S>, mut count: usize) -> Vec<Vec<Item<S>>> {
    let mut taken = Vec::new();
    while count > 0
        && let Some(mut some) = items.pop_back()
    {
        let rest = some.len().saturating_sub(count);
        let end = some.split_off(rest);
        count -= end.len();
        taken.push(end);
        add(items, some);
    }
    taken.reverse();
    taken
}
