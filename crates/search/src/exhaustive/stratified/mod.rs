//! Stratified exhaustive search: every reachable state, those that need few delays first.
//!
//! Desai, Qadeer, Seshia, "Systematic Testing of Asynchronous Reactive Systems", ESEC/FSE 2015 [DQS15], on top of the
//! iterative delay bounding of the same authors' technical report on cycle detection.
//!
//! Work is an *item*: a stored state and the number of delays to spend there. Taking an item performs the choice that the
//! explorer names after them and stores the state it leads to, if it is new, as a new item of the same stratum. The choices
//! that it names after more delays are *deferred* to later strata. A stratum is finished when it has nothing left to do;
//! what is deferred is the frontier, and no work is ever done again.
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
//! Differences from the paper: strata are worked through in rounds of the latest items instead of one after the other, so
//! that several threads can share a round and still agree on who stored a state first; the frontier keeps how many
//! delays are to be spent, and the bound begins at 0 (the paper's printed figures disagree on both).

mod bounded;
mod explorers;
mod nodes;
mod part;
mod queue;
mod recent;
mod storing;
mod survey;

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::AtomicBool;

use fabius_explore::{Cursor, Explorer};
use fabius_model::{Choice, Outcome, Packed};

use self::nodes::{Known, Nodes, Ways};
use self::part::{Part, Work};
use self::queue::{Chunks, Deferred, Item, Queue, What};
use self::storing::{Everything, Tally, Team};
use self::survey::{Harvest, Setting, Survey};
use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// The most items of a round.
const SLICE: usize = 1 << 14;
/// Fewer items are not worth a second thread; and fewer steps need none to be stored.
const SHARED_FROM: usize = 1 << 8;
const SHARDED_FROM: usize = 1 << 11;
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
    /// States with choices that were not taken.
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
    let known = Known::new(limits.cache, limits.strict);
    Search::new(known, program, limits, callbacks, visit).run_with_team(explorer, callbacks)
}

/// What a search left to later strata.
#[derive(Debug)]
pub struct Frontier {
    /// Steps that were not taken: of each state one, with the fewest delays. No chunk is empty.
    chunks: Vec<Vec<Deferred>>,
    /// How many there are up to the end of each chunk.
    ends: Vec<usize>,
    ways: Ways,
}

impl Frontier {
    fn new(chunks: Vec<Vec<Deferred>>, ways: Ways) -> Self {
        let mut end = 0;
        let ends = chunks.iter().map(|chunk| {
            end += chunk.len();
            end
        });
        Self { ends: ends.collect(), chunks, ways }
    }

    /// How many states have choices that were not taken.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The positions of the choices on the way to a state, and the delays to spend there.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn get(&self, index: usize) -> (Vec<u32>, u32) {
        let chunk = self.ends.partition_point(|end| *end <= index);
        let step = &self.chunks[chunk][index + self.chunks[chunk].len() - self.ends[chunk]];
        let (What::Probed { delays, .. } | What::Unprobed { delays }) = step.what();
        (self.ways.positions(step.node), delays)
    }
}

/// Whether threads share the work of a round, and whether also what it has come to is stored by several.
#[derive(Clone, Copy)]
struct Sharing {
    is_shared: bool,
    is_sharded: bool,
}

/// What belongs to a later stratum.
struct Later {
    deferred: Queue<Deferred>,
    /// Choices that need not be taken, because they lead to known states.
    skipped: u64,
}

struct Search<'a, P: Packed, E> {
    setting: Setting<'a, P>,
    known: Known<P::State, E>,
    nodes: Nodes<P::State>,
    team: Team<P, E>,
    /// Surveys that nobody works on.
    idle: Vec<Survey<P, E>>,
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    bug_delays: Option<u64>,
    /// What is to be done in this stratum: items, and what was deferred to it. And what was deferred to those after it, the
    /// next one first, and how much that is.
    items: Queue<Item<P::State>>,
    due: Queue<Deferred>,
    later: VecDeque<Later>,
    deferred: u64,
    strata: Vec<Stratum>,
    finished: u64,
    transitions: u64,
    states: u64,
    depth: u32,
}

impl<'a, P: Packed, E: Explorer> Search<'a, P, E> {
    /// A search that has not begun.
    fn new(
        known: Known<P::State, E>,
        program: &'a P,
        limits: &'a Limits,
        callbacks: &'a Callbacks<'a, P::Bug>,
        visit: &'a (dyn Fn(&P::State) + Sync),
    ) -> Self {
        Search {
            setting: Setting {
                program,
                limits,
                visit,
                should_stop: callbacks.should_stop,
                stopped: AtomicBool::new(false),
                item_chunks: Chunks::new(),
                deferred_chunks: Chunks::new(),
            },
            known,
            nodes: Nodes::new(limits.cache, P::UNPACKS),
            team: Team::new(),
            idle: Vec::new(),
            findings: Findings::new(limits.bugs, callbacks),
            bugs_met: 0,
            bug_delays: None,
            items: Queue::new(),
            due: Queue::new(),
            later: VecDeque::new(),
            deferred: 0,
            strata: Vec::new(),
            finished: 0,
            transitions: 0,
            states: 0,
            depth: 0,
        }
    }

    /// Searches with as many threads as are of use.
    fn run_with_team(self, explorer: &E, callbacks: &Callbacks<'_, P::Bug>) -> (Report<P::Bug>, Frontier) {
        let limits = self.setting.limits;
        // A bounded cache is filled by one thread: which states it holds depends on the order of all of them.
        let threads = if limits.cache == Cache::Unlimited { limits.jobs } else { 1 };
        let team = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
        match team.flatten() {
            Some(team) => team.install(|| self.run(explorer, callbacks)),
            None => self.run(explorer, callbacks),
        }
    }

    fn run(mut self, explorer: &E, callbacks: &Callbacks<'_, P::Bug>) -> (Report<P::Bug>, Frontier) {
        self.strata.push(Stratum::default());
        self.begin(explorer);
        let stop = loop {
            if self.findings.last_run().is_some() {
                break StopReason::BugsFound;
            }
            if self.items.is_empty() && self.due.is_empty() {
                if self.known.is_full() {
                    // What was refused is nowhere: this stratum is not finished.
                    break StopReason::SetFull;
                }
                self.finished += 1;
                if self.later.is_empty() {
                    break StopReason::Exhausted;
                }
                if self.finished > self.setting.limits.delays && self.deferred > 0 {
                    break StopReason::DelayLimit;
                }
                self.next_stratum();
                continue;
            }
            (callbacks.progress)(&self.progress());
            if let Some(stop) = self.reason_to_stop() {
                break stop;
            }
            self.round();
        };
        self.report(stop)
    }

    fn report(mut self, stop: StopReason) -> (Report<P::Bug>, Frontier) {
        let left = self.take_left();
        let frontier = Frontier::new(left, self.nodes.into_ways());
        let (bugs, bound_met) = self.findings.into_found();
        let report = Report {
            stop,
            bug_delays: self.bug_delays,
            states: self.states,
            transitions: self.transitions,
            finished: self.finished,
            strict: self.setting.limits.strict,
            frontier: frontier.len() as u64,
            depth: self.depth.into(),
            strata: self.strata,
            bugs,
            bound_met,
        };
        (report, frontier)
    }

    /// What is left to do: of each node the step with the fewest delays. Nothing is held twice, because memory may be what
    /// ended the search.
    fn take_left(&mut self) -> Vec<Vec<Deferred>> {
        let mut choices = Vec::new();
        let mut has_choices = |item: &Item<P::State>| {
            self.setting.program.choices(&item.state, &mut choices);
            !choices.is_empty()
        };
        let items = mem::replace(&mut self.items, Queue::new()).into_chunks().map(|chunk| {
            let left = chunk.iter().filter(|item| has_choices(item));
            left.map(|item| Deferred::unprobed(item.node, item.delays)).collect()
        });
        // Those of one node come in the order of their delays.
        let mut left: Vec<Vec<Deferred>> = items.collect();
        left.extend(mem::replace(&mut self.due, Queue::new()).into_chunks());
        left.extend(mem::take(&mut self.later).into_iter().flat_map(|later| later.deferred.into_chunks()));
        let mut is_met = vec![0_u64; self.nodes.len().div_ceil(64)];
        let (mut keys, mut is_known) = (Vec::new(), Vec::new());
        for chunk in &mut left {
            is_known.clear();
            if let Some(set) = &self.known.set {
                keys.clear();
                keys.extend(chunk.iter().map(|step| step.key));
                set.contains_keys(&keys, &mut is_known);
            }
            let mut is_known = is_known.iter();
            chunk.retain(|step| {
                // What has become known since it was probed is not left to do.
                let (is_known, bits) = (is_known.next() == Some(&true), &mut is_met[step.node.index() / 64]);
                let bit = 1 << (step.node.index() % 64);
                let is_first = !is_known && *bits & bit == 0;
                *bits |= if is_first { bit } else { 0 };
                is_first
            });
        }
        left.retain(|chunk| !chunk.is_empty());
        left
    }

    fn begin(&mut self, explorer: &E) {
        let program = self.setting.program;
        let state = match program.initial() {
            Outcome::State(state) => state,
            Outcome::Bug(bug) => {
                self.found(bug, &[]);
                return;
            }
        };
        let mut choices: Vec<Choice> = Vec::new();
        program.choices(&state, &mut choices);
        let fingerprint = program.fingerprint(&state) as u64;
        let explorer = Cursor::begin(explorer.clone(), &choices, fingerprint).into_explorer();
        let tally = self.everything(|everything| everything.begin(&state, &explorer));
        self.count(tally);
    }

    fn next_stratum(&mut self) {
        self.strata.push(Stratum::default());
        let Some(Later { deferred, skipped }) = self.later.pop_front() else { return };
        self.transitions += skipped;
        self.stratum().transitions += skipped;
        self.due = deferred;
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        if self.setting.is_stopped() {
            Some(StopReason::Asked)
        } else if self.known.is_full() {
            Some(StopReason::SetFull)
        } else {
            (self.states >= self.setting.limits.states).then_some(StopReason::StateLimit)
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            runs: 0,
            steps: self.transitions,
            states: self.states,
            frontier: self.items.len() as u64 + self.deferred,
            bugs: self.bugs_met,
            stratum: Some(self.strata.len() as u64 - 1),
        }
    }

    /// Takes some of the items of this stratum: the latest ones, which are still in the processor's cache, so that few
    /// wait at a time.
    fn round(&mut self) {
        let is_bounded = self.setting.limits.cache != Cache::Unlimited;
        // Most items lead to at most one new state: not many more are stored than may be.
        let room = usize::try_from(self.setting.limits.states - self.states).unwrap_or(usize::MAX);
        let slice = if is_bounded { BOUNDED_SLICE } else { SLICE };
        let most = slice.min(room);
        let items = self.items.take_last(most);
        let count = items.iter().map(Vec::len).sum::<usize>();
        let due = self.due.take_last(most - count);
        let due_count = due.iter().map(Vec::len).sum::<usize>();
        self.deferred -= due_count as u64;
        let all = count + due_count;
        let is_shared = all >= SHARED_FROM && rayon::current_thread_index().is_some();
        let is_sharded = is_shared && all >= SHARDED_FROM;
        let (items, due) = if is_shared && !is_sharded {
            // Few chunks: each thread is to get some.
            let most = all.div_ceil(2 * rayon::current_num_threads());
            let (item_chunks, deferred_chunks) = (&self.setting.item_chunks, &self.setting.deferred_chunks);
            (queue::in_pieces(items, most, item_chunks), queue::in_pieces(due, most, deferred_chunks))
        } else {
            (items, due)
        };
        let items = items.into_iter().map(|items| (items, Vec::new()));
        let due = due.into_iter().map(|due| (self.setting.item_chunks.take(), due));
        let begin = |(items, due)| {
            let mut survey = self.idle.pop().unwrap_or_else(Survey::new);
            survey.begin(items, due);
            survey
        };
        let mut surveys: Vec<Survey<P, E>> = items.chain(due).map(begin).collect();
        let sharing = Sharing { is_shared, is_sharded };
        self.work(&mut surveys, sharing, Part::survey);
        let tally = if is_bounded {
            let mut part = self.team.take_part();
            let tally = self.everything(|everything| {
                surveys.iter_mut().for_each(|survey| everything.arrive_in_cache(survey, &mut part));
            });
            self.team.give_back(part);
            tally
        } else if self.setting.limits.strict {
            self.store_strictly(&mut surveys, sharing)
        } else {
            self.store(&mut surveys, sharing)
        };
        self.count(tally);
        let tally =
            self.everything(|everything| surveys.iter_mut().for_each(|survey| everything.number(survey)));
        self.count(tally);
        for mut survey in surveys {
            let (items, left) = (mem::take(&mut survey.items), mem::take(&mut survey.left));
            if !left.is_empty() {
                self.items.push_chunk(left, &self.setting.item_chunks);
            }
            self.setting.item_chunks.give_back(items);
            self.reap(&mut survey.harvest);
            self.idle.push(survey);
        }
    }

    /// Takes the steps into states that are new.
    fn store(&mut self, surveys: &mut [Survey<P, E>], sharing: Sharing) -> Tally {
        self.settle(surveys, sharing);
        let mut next = self.nodes.next();
        for survey in &mut *surveys {
            survey.first = Some(next);
            next = next.after(survey.is_new.iter().filter(|is_new| **is_new).count());
        }
        self.work(surveys, sharing, Part::take_new);
        let states = surveys.iter().map(|survey| survey.arrivals.len() as u64).sum();
        Tally { states, ..Tally::default() }
    }

    /// Takes all steps, and keeps those into pairs of a state and an explorer that are new.
    fn store_strictly(&mut self, surveys: &mut [Survey<P, E>], sharing: Sharing) -> Tally {
        self.work(surveys, sharing, Part::take_all);
        self.everything(|everything| {
            surveys.iter_mut().for_each(|survey| everything.name_explorers(survey));
        });
        self.work(surveys, sharing, Part::find_pairs);
        self.settle(surveys, sharing);
        self.everything(|everything| {
            surveys.iter_mut().for_each(|survey| everything.arrive_strictly(survey));
        })
    }

    /// Decides which steps lead to something new.
    fn settle(&self, surveys: &mut [Survey<P, E>], sharing: Sharing) {
        let Some(set) = &self.known.set else { return };
        storing::insert(set, surveys, sharing.is_sharded);
    }

    /// Lets threads work on chunks.
    fn work(
        &self,
        surveys: &mut [Survey<P, E>],
        Sharing { is_shared, is_sharded }: Sharing,
        work: impl Fn(&mut Part<P, E>, Work<'_, P, E>, &mut Survey<P, E>) + Sync,
    ) {
        let is_last = self.finished >= self.setting.limits.delays;
        let (known, nodes) = (&self.known, &self.nodes);
        let all = Work { setting: &self.setting, known, nodes, is_last, is_sharded };
        self.team.work(surveys, is_shared, |part, survey| work(part, all, survey));
    }

    /// Lends everything to one thread.
    fn everything(&mut self, work: impl FnOnce(&mut Everything<'_, P, E>)) -> Tally {
        let mut everything = Everything {
            setting: &self.setting,
            known: &mut self.known,
            nodes: &mut self.nodes,
            new: &mut self.items,
            tally: Tally::default(),
        };
        work(&mut everything);
        everything.tally
    }

    /// Adds what taking items has brought.
    fn reap(&mut self, harvest: &mut Harvest<P>) {
        self.transitions += harvest.transitions;
        self.stratum().transitions += harvest.transitions;
        for (node, position, bug) in harvest.bugs.drain(..) {
            if self.findings.is_news(&bug) {
                let mut positions = self.nodes.ways().positions(node);
                positions.extend(position);
                self.found(bug, &positions);
            }
        }
        let farthest = harvest.deferred.iter().rposition(|steps| !steps.is_empty());
        let strata = farthest.map_or(0, |at| at + 1).max(harvest.skipped.len());
        if self.later.len() < strata {
            self.later.resize_with(strata, || Later { deferred: Queue::new(), skipped: 0 });
        }
        for (later, deferred) in self.later.iter_mut().zip(&mut harvest.deferred) {
            self.deferred += deferred.len() as u64;
            later.deferred.append(deferred, &self.setting.deferred_chunks);
        }
        for (later, skipped) in self.later.iter_mut().zip(harvest.skipped.drain(..)) {
            later.skipped += skipped;
        }
        for node in harvest.done.drain(..) {
            self.nodes.release(node);
        }
    }

    fn count(&mut self, tally: Tally) {
        self.states += tally.states;
        self.depth = self.depth.max(tally.depth);
        self.stratum().states += tally.nodes;
    }

    fn stratum(&mut self) -> &mut Stratum {
        self.strata.last_mut().expect("a search begins with a stratum")
    }

    fn found(&mut self, bug: P::Bug, positions: &[u32]) {
        self.findings.offer(self.bugs_met, bug, positions);
        self.bugs_met += 1;
        if self.findings.has_bugs() {
            self.bug_delays.get_or_insert(self.strata.len() as u64 - 1);
        }
    }
}

#[cfg(test)]
mod tests;
