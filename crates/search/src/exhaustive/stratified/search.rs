//! The search itself: strata, and the rounds that they are worked through in.

use std::collections::VecDeque;
use std::mem;
use std::sync::RwLock;
use std::sync::atomic::AtomicBool;

use fabius_explore::{Cursor, Explorer};
use fabius_model::{Choice, Outcome, Packed};

use super::crew::{Crew, LEADER, with_crew};
use super::later::{self, LARGEST, Stretch};
use super::nodes::Known;
use super::queue::{self, CHUNK, Chunk, Chunks, Deferred, Item, Queue};
use super::shared::{Shared, Sharing, Task, read, spread, write};
use super::storing::{self, Everything, Tally};
use super::survey::{Setting, Survey};
use super::{Cache, Frontier, Limits, Report, Stratum};
use crate::verdict::Findings;
use crate::{Callbacks, Progress, StopReason};

/// The most items of a round: enough for all threads, and few enough that most of them stay in the cache of a processor.
const SLICE: usize = 1 << 13;
/// Fewer items are not worth a second thread; and fewer steps need none to be stored.
const SHARED_FROM: usize = 1 << 6;
const SHARDED_FROM: usize = 1 << 10;
/// Into how many pieces a round is cut, for threads to share, if none has fewer items than so many.
const PIECES: usize = 8;
const LEAST_PIECE: usize = 1 << 5;
/// The most items of a round where states are large, because they share little: they stay in the cache of the processor.
const LARGE_SLICE: usize = 1 << 10;
/// The most items of a round with a bounded cache, where more at a time mean more states to hold.
const BOUNDED_SLICE: usize = 1 << 8;

/// Visits the reachable states, of which some may be known before, with as many threads as are of use.
pub(super) fn run<P: Packed, E: Explorer>(
    known: Known<P::State, E>,
    program: &P,
    explorer: &E,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &(dyn Fn(&P::State) + Sync),
) -> (Report<P::Bug>, Frontier) {
    // A bounded cache is filled by one thread: which states it holds depends on the order of all of them.
    let threads = if limits.cache == Cache::Unlimited { limits.jobs.max(1) } else { 1 };
    let setting = Setting {
        program,
        limits,
        visit,
        should_stop: callbacks.should_stop,
        stopped: AtomicBool::new(false),
        item_chunks: Chunks::new(threads, CHUNK),
        deferred_chunks: Chunks::new(threads, LARGEST),
    };
    let shared = Shared::new(setting, known, threads);
    let work =
        |thread: usize, task: u8, next: &mut dyn FnMut() -> Option<usize>| shared.work(thread, task, next);
    let (report, left) =
        with_crew(threads, &work, |crew| Search::new(&shared, crew, callbacks).run(explorer, callbacks));
    let frontier = Frontier::new(left, shared.into_nodes().into_ways());
    (report, frontier)
}

struct Search<'a, P: Packed, E> {
    shared: &'a Shared<'a, P, E>,
    crew: &'a Crew<'a>,
    /// Surveys that nobody works on, by the threads that were the last to do so.
    idle: Vec<Vec<RwLock<Survey<P, E>>>>,
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    bug_delays: Option<u64>,
    /// What is to be done in this stratum beside what was deferred to it.
    items: Queue<Item<P::State>>,
    /// What was deferred to the strata after this one, the next one first.
    later: VecDeque<Vec<Stretch>>,
    /// How many steps are deferred, to this stratum or to those after it.
    deferred: u64,
    strata: Vec<Stratum>,
    finished: u64,
    transitions: u64,
    states: u64,
    depth: u32,
}

impl<'a, P: Packed, E: Explorer> Search<'a, P, E> {
    /// A search that has not begun.
    fn new(shared: &'a Shared<'a, P, E>, crew: &'a Crew<'a>, callbacks: &'a Callbacks<'a, P::Bug>) -> Self {
        Search {
            shared,
            crew,
            idle: (0..crew.threads()).map(|_| Vec::new()).collect(),
            findings: Findings::new(shared.setting.limits.bugs, callbacks),
            bugs_met: 0,
            bug_delays: None,
            items: Queue::new(),
            later: VecDeque::new(),
            deferred: 0,
            strata: Vec::new(),
            finished: 0,
            transitions: 0,
            states: 0,
            depth: 0,
        }
    }

    /// Gives also what is left to do.
    fn run(
        mut self,
        explorer: &E,
        callbacks: &Callbacks<'_, P::Bug>,
    ) -> (Report<P::Bug>, Vec<Vec<Deferred>>) {
        self.strata.push(Stratum::default());
        self.begin(explorer);
        let stop = loop {
            if self.findings.last_run().is_some() {
                break StopReason::BugsFound;
            }
            if self.items.is_empty() && self.shared.due().is_empty() {
                if self.shared.known().is_full() {
                    // What was refused is nowhere: this stratum is not finished.
                    break StopReason::SetFull;
                }
                self.finished += 1;
                if self.shared.is_last_stratum() {
                    break StopReason::Exhausted;
                }
                if self.finished > self.shared.setting.limits.delays && self.deferred > 0 {
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

    fn report(mut self, stop: StopReason) -> (Report<P::Bug>, Vec<Vec<Deferred>>) {
        let left = self.take_left();
        let (bugs, bound_met) = self.findings.into_found();
        let report = Report {
            stop,
            bug_delays: self.bug_delays,
            states: self.states,
            transitions: self.transitions,
            finished: self.finished,
            strict: self.shared.setting.limits.strict,
            frontier: left.iter().map(|chunk| chunk.len() as u64).sum(),
            depth: self.depth.into(),
            strata: self.strata,
            bugs,
            bound_met,
        };
        (report, left)
    }

    /// What is left to do: of each node the step with the fewest delays. Nothing is held twice, because memory may be what
    /// ended the search.
    fn take_left(&mut self) -> Vec<Vec<Deferred>> {
        let mut choices = Vec::new();
        let mut has_choices = |item: &Item<P::State>| {
            self.shared.setting.program.choices(&item.state, &mut choices);
            !choices.is_empty()
        };
        let items = mem::replace(&mut self.items, Queue::new()).into_chunks().map(|chunk| {
            let left = chunk.iter().filter(|item| has_choices(item));
            left.map(|item| Deferred::unprobed(item.node, item.delays)).collect()
        });
        // Those of one node come in the order of their delays.
        let mut left: Vec<Vec<Deferred>> = items.collect();
        left.extend(mem::take(&mut *self.shared.due_mut()).into_chunks());
        for stretches in mem::take(&mut self.later) {
            left.extend(self.shared.next_due(stretches).into_chunks());
        }
        let (known, nodes) = (self.shared.known(), self.shared.nodes());
        let mut is_met = vec![0_u64; nodes.len().div_ceil(64)];
        let (mut keys, mut is_known) = (Vec::new(), Vec::new());
        for chunk in &mut left {
            is_known.clear();
            if let Some(set) = &known.set {
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
        let program = self.shared.setting.program;
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
        let mut everything = self.shared.everything();
        let item = everything.begin(&state, &explorer);
        let tally = everything.tally;
        drop(everything);
        self.items.push(item, &self.shared.setting.item_chunks);
        self.count(tally);
    }

    fn next_stratum(&mut self) {
        self.strata.push(Stratum::default());
        let due = self.shared.next_due(self.later.pop_front().unwrap_or_default());
        let skipped = due.skipped();
        self.transitions += skipped;
        self.stratum().transitions += skipped;
        *self.shared.due_mut() = due;
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        if self.shared.setting.is_stopped() {
            Some(StopReason::Asked)
        } else if self.shared.known().is_full() {
            Some(StopReason::SetFull)
        } else {
            (self.states >= self.shared.setting.limits.states).then_some(StopReason::StateLimit)
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
            growth_ahead: self.shared.known().growth_ahead(),
        }
    }

    /// Takes some of the items of this stratum: the latest ones, which are still in the processor's cache, so that few
    /// wait at a time.
    fn round(&mut self) {
        let sharing = self.begin_round();
        self.share_surveys(Task::Survey, sharing);
        let limits = self.shared.setting.limits;
        let tally = if limits.cache != Cache::Unlimited {
            let shared = self.shared;
            self.everything(|everything, survey| everything.arrive_in_cache(survey, &mut shared.part(LEADER)))
        } else if limits.strict {
            self.store_strictly(sharing)
        } else {
            self.store(sharing)
        };
        self.count(tally);
        let tally = self.everything(Everything::number);
        self.count(tally);
        for survey in mem::take(&mut self.shared.round_mut().surveys) {
            self.reap(&mut write(&survey));
            let thread = read(&survey).thread;
            self.idle[thread].push(survey);
        }
    }

    /// Begins surveys of some items, and says who is to work on them.
    fn begin_round(&mut self) -> Sharing {
        let Setting { limits, item_chunks, .. } = &self.shared.setting;
        // Most items lead to at most one new state: not many more are stored than may be.
        let room = usize::try_from(limits.states - self.states).unwrap_or(usize::MAX);
        let most = room.min(match limits.cache {
            Cache::Unlimited if P::PARTS_REPEAT => SLICE,
            Cache::Unlimited => LARGE_SLICE,
            _ => BOUNDED_SLICE,
        });
        let items = self.items.take_last(most);
        let count = items.iter().map(|chunk| chunk.all.len()).sum::<usize>();
        let due = self.shared.due_mut().take_last(most - count);
        let due_count = due.iter().map(|stretch| stretch.range.len()).sum::<usize>();
        self.deferred -= due_count as u64;
        let all = count + due_count;
        let is_shared = all >= SHARED_FROM && self.crew.threads() > 1;
        let is_sharded = is_shared && all >= SHARDED_FROM;
        // In the same way for any number of threads: the order of what is found depends on it.
        let most = all.div_ceil(PIECES).max(LEAST_PIECE);
        let items = queue::in_pieces(items, most, item_chunks);
        let due = later::in_pieces(due, most.min(CHUNK));
        let finders = due.iter().map(|due| later::finder(due).unwrap_or(LEADER));
        let threads: Vec<usize> = items.iter().map(|chunk| chunk.thread).chain(finders).collect();
        let due = due.into_iter().zip(&threads[items.len()..]);
        let due = due.map(|(due, thread)| (item_chunks.take(*thread), due));
        let items = items.into_iter().map(|items| (items.all, Vec::new()));
        let surveys = items.chain(due).zip(&threads).enumerate().map(|(place, ((items, due), thread))| {
            let survey = idle_survey(&mut self.idle, *thread);
            write(&survey).begin((place, *thread), items, due);
            survey
        });
        let mut round = self.shared.round_mut();
        round.number += 1;
        round.surveys.extend(surveys);
        round.assign(self.crew.threads());
        round.is_last = self.finished >= limits.delays;
        round.sharing = Sharing { is_shared, is_sharded };
        round.sharing
    }

    /// Takes the steps into states that are new.
    fn store(&mut self, sharing: Sharing) -> Tally {
        self.settle(sharing);
        let mut states = 0;
        let answers = self.shared.answers(sharing);
        let mut nodes = self.shared.nodes_mut();
        for survey in &self.shared.round().surveys {
            let mut survey = write(survey);
            let count = match &answers {
                Some(answers) => answers.count_new(survey.place),
                None => survey.count_new(),
            };
            survey.first = Some(nodes.reserve(count));
            states += count as u64;
        }
        drop((nodes, answers));
        if sharing.is_shared {
            // Some were worked on by others than those who were to.
            self.shared.round_mut().assign(self.crew.threads());
        }
        self.share_surveys(Task::TakeNew, sharing);
        Tally { states, ..Tally::default() }
    }

    /// Takes all steps, and keeps those into pairs of a state and an explorer that are new.
    fn store_strictly(&mut self, sharing: Sharing) -> Tally {
        self.share_surveys(Task::TakeAll, sharing);
        self.everything(Everything::name_explorers);
        self.share_surveys(Task::FindPairs, sharing);
        self.settle(sharing);
        let answers = self.shared.answers(sharing);
        self.everything(|everything, survey| {
            spread(answers.as_ref(), survey);
            everything.arrive_strictly(survey);
        })
    }

    /// Decides which steps lead to something new.
    fn settle(&self, sharing: Sharing) {
        if sharing.is_sharded {
            self.share(Task::Insert, self.shared.shards(), sharing);
        } else if let Some(set) = &self.shared.known().set {
            storing::insert(set, &self.shared.round().surveys);
        }
    }

    /// Has a task done with all surveys.
    fn share_surveys(&self, task: Task, Sharing { is_shared, .. }: Sharing) {
        let surveys = self.shared.round().surveys.len();
        if is_shared {
            self.crew.share_by(task as u8, surveys, |thread| self.shared.round().ends[thread]);
        } else {
            self.crew.do_alone(task as u8, surveys);
        }
    }

    /// Has the pieces of a task done.
    fn share(&self, task: Task, pieces: usize, Sharing { is_shared, .. }: Sharing) {
        if is_shared {
            self.crew.share(task as u8, pieces);
        } else {
            self.crew.do_alone(task as u8, pieces);
        }
    }

    /// Lends everything to one thread, for each survey.
    fn everything(&mut self, mut work: impl FnMut(&mut Everything<'a, P, E>, &mut Survey<P, E>)) -> Tally {
        let mut everything = self.shared.everything();
        self.shared.round().surveys.iter().for_each(|survey| work(&mut everything, &mut write(survey)));
        everything.tally
    }

    /// Adds what taking items has brought.
    fn reap(&mut self, survey: &mut Survey<P, E>) {
        let setting = &self.shared.setting;
        let thread = survey.thread;
        for all in [mem::take(&mut survey.arrivals), mem::take(&mut survey.left)] {
            self.items.push_chunk(Chunk { all, thread }, &setting.item_chunks);
        }
        setting.item_chunks.give_back(mem::take(&mut survey.items), thread);
        let harvest = &mut survey.harvest;
        self.transitions += harvest.transitions;
        self.stratum().transitions += harvest.transitions;
        for (distance, range) in harvest.deferred.drain(..).enumerate() {
            if self.later.len() <= distance {
                self.later.resize_with(distance + 1, Vec::new);
            }
            if !range.is_empty() {
                self.deferred += range.len() as u64;
                self.later[distance].push(Stretch { thread, range });
            }
        }
        self.shared.due_mut().release(&survey.due, &setting.deferred_chunks);
        for (node, position, bug) in harvest.bugs.drain(..) {
            if self.findings.is_news(&bug) {
                let mut positions = self.shared.nodes().ways().positions(node);
                positions.extend(position);
                self.found(bug, &positions);
            }
        }
        for node in harvest.done.drain(..) {
            self.shared.nodes_mut().release(node);
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

/// A survey that nobody works on, for a thread: one that it was the last to work on, if there is one.
fn idle_survey<P: Packed, E>(idle: &mut [Vec<RwLock<Survey<P, E>>>], thread: usize) -> RwLock<Survey<P, E>> {
    let own = idle[thread].pop();
    let idle = own.or_else(|| idle.iter_mut().find_map(Vec::pop));
    idle.unwrap_or_else(|| RwLock::new(Survey::new()))
}
