//! Plain exhaustive search: every reachable state once, nearest first or latest first.
//!
//! The frontier holds the states that are stored and not yet expanded. Invariant: every stored state is expanded or in
//! the frontier, and `expand` is the only place that moves one across; hence an empty frontier means that all were
//! visited. Breadth-first and depth-first are the same loop over a queue and over a stack.
//!
//! Guarantees: if the reason for stopping is `Exhausted`, every reachable state was visited, states are compared in full,
//! and the counts are those of the graph. Breadth-first, the first bug has a shortest way to it, and a search ended by
//! `DepthLimit` has seen all runs of at most that many steps.
//! Does not guarantee: speed, or small memory. It is kept simple to be the measure of the other searches. Depth-first,
//! ways are not shortest, and under a depth limit a state that was first met on a long way is not expanded again when a
//! shorter one is found: only the number of states seen can then be stated.
//!
//! Runs that begin with a bug of the start itself have no state.

use std::collections::VecDeque;

use fabius_model::{Choice, Effect, Outcome, Program};
use hashbrown::HashTable;

use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// After how many steps the search asks whether it should go on, and tells its progress.
const STEPS_BETWEEN_QUESTIONS: u64 = 256;

/// Which state is expanded next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one found first.
    BreadthFirst,
    /// The one found last.
    DepthFirst,
}

/// What bounds an exhaustive search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many states may be stored.
    pub states: u64,
    /// How many steps from the initial state to go.
    pub depth: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: u64::MAX, depth: u64::MAX, bugs: 1 }
    }
}

/// The result of an exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<Bug> {
    /// The different bugs, in the order in which they were found.
    pub bugs: Vec<Found<Bug>>,
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// Why it ended.
    pub stop: StopReason,
    /// In which order states were expanded.
    pub order: Order,
    /// The bound on the depth.
    pub max_depth: u64,
    /// States stored.
    pub states: u64,
    /// Steps taken, those into bugs included.
    pub transitions: u64,
    /// Steps on the way by which the deepest stored state was found.
    pub depth: u64,
    /// By the steps on the way by which they were found: how many states were stored.
    pub levels: Vec<u64>,
    /// States stored but not expanded, or not to the end.
    pub frontier: u64,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match (self.bugs.first(), self.stop, self.order) {
            (Some(first), _, _) => Verdict::Bug(first),
            (None, StopReason::Exhausted, _) if self.bound_met.is_none() => Verdict::Verified,
            (None, StopReason::DepthLimit, Order::BreadthFirst) if self.bound_met.is_none() => {
                Verdict::NoBugFound { within: Bounds::Depth { depth: self.max_depth } }
            }
            _ => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states, and shows each of them to `visit` once.
pub fn run<P: Program>(
    program: &P,
    order: Order,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &mut dyn FnMut(&P::State),
) -> Report<P::Bug> {
    let mut search = Search {
        program,
        limits,
        visit,
        findings: Findings::new(limits.bugs, callbacks),
        bugs_met: 0,
        nodes: Vec::new(),
        stored: HashTable::new(),
        frontier: Frontier::new(order),
        transitions: 0,
        levels: Vec::new(),
        left_unexpanded: 0,
        choices: Vec::new(),
        effects: Vec::new(),
    };
    let stop = search.run(callbacks);
    let (bugs, bound_met) = search.findings.into_found();
    Report {
        stop,
        order,
        max_depth: limits.depth,
        states: search.nodes.len() as u64,
        transitions: search.transitions,
        depth: (search.levels.len() as u64).saturating_sub(1),
        levels: search.levels,
        frontier: search.frontier.len() as u64 + search.left_unexpanded,
        bugs,
        bound_met,
    }
}

/// The place of a stored state in the order of storing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateId(usize);

/// A stored state, and how it was first reached.
struct Node<S> {
    state: S,
    /// The state before and the position of the choice taken there; `None` for the initial state.
    came_by: Option<(StateId, u32)>,
    depth: u64,
}

enum Frontier<T> {
    Queue(VecDeque<T>),
    Stack(Vec<T>),
}

impl<T> Frontier<T> {
    fn new(order: Order) -> Frontier<T> {
        match order {
            Order::BreadthFirst => Frontier::Queue(VecDeque::new()),
            Order::DepthFirst => Frontier::Stack(Vec::new()),
        }
    }

    fn push(&mut self, item: T) {
        match self {
            Frontier::Queue(queue) => queue.push_back(item),
            Frontier::Stack(stack) => stack.push(item),
        }
    }

    fn pop(&mut self) -> Option<T> {
        match self {
            Frontier::Queue(queue) => queue.pop_front(),
            Frontier::Stack(stack) => stack.pop(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Frontier::Queue(queue) => queue.len(),
            Frontier::Stack(stack) => stack.len(),
        }
    }
}

struct Search<'a, P: Program> {
    program: &'a P,
    limits: &'a Limits,
    visit: &'a mut dyn FnMut(&P::State),
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    nodes: Vec<Node<P::State>>,
    /// The nodes, by a hash of their states.
    stored: HashTable<(u64, StateId)>,
    frontier: Frontier<(StateId, P::State)>,
    transitions: u64,
    levels: Vec<u64>,
    /// States at the depth limit that have choices.
    left_unexpanded: u64,
    /// Of the state that is being stored.
    choices: Vec<Choice>,
    effects: Vec<Effect>,
}

impl<P: Program> Search<'_, P> {
    fn run(&mut self, callbacks: &Callbacks<'_, P::Bug>) -> StopReason {
        let started = match self.program.initial() {
            Outcome::State(state) => self.store(state, None),
            Outcome::Bug(bug) => self.found(bug, None),
        };
        if let Err(stop) = started {
            return stop;
        }
        while let Some((id, state)) = self.frontier.pop() {
            if let Err(stop) = self.expand(id, &state, callbacks) {
                self.frontier.push((id, state));
                return stop;
            }
        }
        if self.left_unexpanded > 0 { StopReason::DepthLimit } else { StopReason::Exhausted }
    }

    fn expand(
        &mut self,
        id: StateId,
        state: &P::State,
        callbacks: &Callbacks<'_, P::Bug>,
    ) -> Result<(), StopReason> {
        let mut choices = Vec::new();
        self.program.choices(state, &mut choices);
        if self.nodes[id.0].depth >= self.limits.depth && !choices.is_empty() {
            self.left_unexpanded += 1;
            choices.clear();
        }
        for (position, &choice) in choices.iter().enumerate() {
            if self.transitions.is_multiple_of(STEPS_BETWEEN_QUESTIONS) {
                (callbacks.progress)(&self.progress());
                if (callbacks.should_stop)() {
                    return Err(StopReason::Asked);
                }
            }
            self.effects.clear();
            self.transitions += 1;
            let came_by = Some((id, position as u32));
            match self.program.step(state, choice, &mut self.effects) {
                Outcome::State(next) => self.store(next, came_by)?,
                Outcome::Bug(bug) => self.found(bug, came_by)?,
            }
        }
        Ok(())
    }

    /// Stores a state if it is new. A bug of ending there is found now and not when the state is expanded, so that
    /// breadth-first all bugs met while states of depth d are expanded have ways of d + 1 steps.
    fn store(&mut self, state: P::State, came_by: Option<(StateId, u32)>) -> Result<(), StopReason> {
        let hash = self.program.fingerprint(&state) as u64;
        let is_same = |(other, id): &(u64, StateId)| *other == hash && self.nodes[id.0].state == state;
        if self.stored.find(hash, is_same).is_some() {
            return Ok(());
        }
        if self.nodes.len() as u64 >= self.limits.states {
            return Err(StopReason::StateLimit);
        }
        let id = StateId(self.nodes.len());
        let depth = came_by.map_or(0, |(before, _)| self.nodes[before.0].depth + 1);
        if self.levels.len() as u64 == depth {
            self.levels.push(0);
        }
        self.levels[depth as usize] += 1;
        self.nodes.push(Node { state: state.clone(), came_by, depth });
        self.stored.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        (self.visit)(&state);
        self.program.choices(&state, &mut self.choices);
        let bug = if self.choices.is_empty() { self.program.end(&state) } else { None };
        self.frontier.push((id, state));
        match bug {
            Some(bug) => self.found(bug, self.nodes[id.0].came_by),
            None => Ok(()),
        }
    }

    fn found(&mut self, bug: P::Bug, came_by: Option<(StateId, u32)>) -> Result<(), StopReason> {
        self.findings.offer(self.bugs_met, bug, &self.way(came_by));
        self.bugs_met += 1;
        if self.findings.last_run().is_some() { Err(StopReason::BugsFound) } else { Ok(()) }
    }

    fn way(&self, mut came_by: Option<(StateId, u32)>) -> Vec<u32> {
        let mut positions = Vec::new();
        while let Some((before, position)) = came_by {
            positions.push(position);
            came_by = self.nodes[before.0].came_by;
        }
        positions.reverse();
        positions
    }

    fn progress(&self) -> Progress {
        Progress {
            steps: self.transitions,
            states: self.nodes.len() as u64,
            frontier: self.frontier.len() as u64,
            bugs: self.bugs_met,
            ..Progress::default()
        }
    }
}
