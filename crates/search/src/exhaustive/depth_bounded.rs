//! Iterative depth bounding: depth-first search in random order, to a depth that grows.
//!
//! The baseline that delay bounding is measured against (Desai, Qadeer, Seshia, technical report on iterative cycle
//! detection, Table 2). An iteration goes depth first, the choices of each state in an order drawn from the seed and the
//! state's content, as far as its bound; what lies beyond is the frontier, from which the next iteration, with a larger
//! bound, goes on. No state is expanded twice.
//!
//! Guarantees: `Exhausted` means that every reachable state was visited.
//! Does not guarantee: that all runs of at most `bound` steps were covered when an iteration ends, because a state that was
//! first met on a long way is not expanded again when a shorter one is found. Nor shortest ways.

use fabius_explore::{Rng, run_seed};
use fabius_model::{Choice, Effect, Outcome, Program};
use hashbrown::HashTable;

use crate::verdict::Findings;
use crate::{Bounds, Callbacks, Found, Progress, StopReason, Verdict};

/// After how many steps the search asks whether it should go on, and tells its progress.
const STEPS_BETWEEN_QUESTIONS: u64 = 256;

/// What bounds the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// By how many steps the bound grows; at least one.
    pub increment: u64,
    /// The last bound.
    pub depth: u64,
    /// How many states may be stored.
    pub states: u64,
    /// After how many different bugs to end; at least one.
    pub bugs: usize,
    /// Where all randomness comes from.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { increment: 10, depth: u64::MAX, states: u64::MAX, bugs: 1, seed: 0 }
    }
}

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<Bug> {
    /// The different bugs, in the order in which they were found.
    pub bugs: Vec<Found<Bug>>,
    /// A bound that a run came to: what lies beyond was not looked at.
    pub bound_met: Option<Found<Bug>>,
    /// Why it ended.
    pub stop: StopReason,
    /// States stored.
    pub states: u64,
    /// Steps taken, those into bugs included.
    pub transitions: u64,
    /// The bound of the last iteration begun.
    pub bound: u64,
    /// How many states each iteration stored.
    pub iterations: Vec<u64>,
    /// States that lie at the bound, or were not reached.
    pub frontier: u64,
}

impl<Bug> Report<Bug> {
    /// What follows from it.
    pub fn verdict(&self) -> Verdict<'_, Bug> {
        match (self.bugs.first(), self.stop) {
            (Some(first), _) => Verdict::Bug(first),
            (None, StopReason::Exhausted) if self.bound_met.is_none() => Verdict::Verified,
            _ => Verdict::NoBugFound { within: Bounds::States { states: self.states } },
        }
    }
}

/// Visits the reachable states, and shows each of them to `visit` once.
pub fn run<P: Program>(
    program: &P,
    limits: &Limits,
    callbacks: &Callbacks<'_, P::Bug>,
    visit: &mut dyn FnMut(&P::State),
) -> Report<P::Bug> {
    let mut search = Search {
        program,
        limits,
        callbacks,
        visit,
        findings: Findings::new(limits.bugs, callbacks),
        bugs_met: 0,
        nodes: Vec::new(),
        known: HashTable::new(),
        stack: Vec::new(),
        frontier: Vec::new(),
        transitions: 0,
        bound: limits.increment.max(1).min(limits.depth),
        iterations: vec![0],
        choices: Vec::new(),
    };
    let stop = search.run();
    let (bugs, met) = search.findings.into_found();
    Report {
        stop,
        states: search.nodes.len() as u64,
        transitions: search.transitions,
        bound: search.bound,
        iterations: search.iterations,
        frontier: (search.frontier.len() + search.stack.len()) as u64,
        bugs,
        bound_met: met,
    }
}

struct Node<S> {
    state: S,
    /// The node before and the position of the choice taken there; `None` for the initial state.
    came_by: Option<(usize, u32)>,
    depth: u64,
}

struct Search<'a, P: Program> {
    program: &'a P,
    limits: &'a Limits,
    callbacks: &'a Callbacks<'a, P::Bug>,
    visit: &'a mut dyn FnMut(&P::State),
    findings: Findings<'a, P::Bug>,
    bugs_met: u64,
    nodes: Vec<Node<P::State>>,
    /// The nodes, by a hash of their states.
    known: HashTable<(u64, usize)>,
    /// Steps to be taken, the next one last: a node and the position of a choice there.
    stack: Vec<(usize, u32)>,
    /// Nodes at the bound.
    frontier: Vec<usize>,
    transitions: u64,
    bound: u64,
    iterations: Vec<u64>,
    choices: Vec<Choice>,
}

impl<P: Program> Search<'_, P> {
    fn run(&mut self) -> StopReason {
        let started = match self.program.initial() {
            Outcome::State(state) => self.store(state, None),
            Outcome::Bug(bug) => self.found(bug, None),
        };
        if let Err(stop) = started {
            return stop;
        }
        loop {
            if let Err(stop) = self.iteration() {
                return stop;
            }
            if self.frontier.is_empty() {
                return StopReason::Exhausted;
            }
            if self.bound >= self.limits.depth {
                return StopReason::DepthLimit;
            }
            self.iterations.push(0);
            self.bound = self.bound.saturating_add(self.limits.increment.max(1)).min(self.limits.depth);
            for node in std::mem::take(&mut self.frontier).into_iter().rev() {
                self.push(node);
            }
        }
    }

    fn iteration(&mut self) -> Result<(), StopReason> {
        let (mut choices, mut effects): (Vec<Choice>, Vec<Effect>) = (Vec::new(), Vec::new());
        while let Some((node, position)) = self.stack.pop() {
            if self.transitions.is_multiple_of(STEPS_BETWEEN_QUESTIONS) {
                (self.callbacks.progress)(&self.progress());
                if (self.callbacks.should_stop)() {
                    self.stack.push((node, position));
                    return Err(StopReason::Asked);
                }
            }
            let state = self.nodes[node].state.clone();
            self.program.choices(&state, &mut choices);
            effects.clear();
            self.transitions += 1;
            let came_by = Some((node, position));
            match self.program.step(&state, choices[position as usize], &mut effects) {
                Outcome::State(next) => self.store(next, came_by)?,
                Outcome::Bug(bug) => self.found(bug, came_by)?,
            }
        }
        Ok(())
    }

    /// Stores a state if it is new, and sees to it that its choices are taken, now or behind the bound.
    fn store(&mut self, state: P::State, came_by: Option<(usize, u32)>) -> Result<(), StopReason> {
        let hash = self.program.fingerprint(&state) as u64;
        let nodes = &self.nodes;
        if self.known.find(hash, |(other, node)| *other == hash && nodes[*node].state == state).is_some() {
            return Ok(());
        }
        if nodes.len() as u64 >= self.limits.states {
            return Err(StopReason::StateLimit);
        }
        let node = nodes.len();
        let depth = came_by.map_or(0, |(before, _)| nodes[before].depth + 1);
        self.known.insert_unique(hash, (hash, node), |(hash, _)| *hash);
        (self.visit)(&state);
        if let Some(states) = self.iterations.last_mut() {
            *states += 1;
        }
        self.nodes.push(Node { state, came_by, depth });
        self.program.choices(&self.nodes[node].state, &mut self.choices);
        if self.choices.is_empty() {
            let bug = self.program.end(&self.nodes[node].state);
            return bug.map_or(Ok(()), |bug| self.found(bug, came_by));
        }
        match depth < self.bound {
            true => self.push(node),
            false => self.frontier.push(node),
        }
        Ok(())
    }

    /// Puts the choices of a node onto the stack, in an order of their own.
    fn push(&mut self, node: usize) {
        let state = &self.nodes[node].state;
        self.program.choices(state, &mut self.choices);
        let mut positions: Vec<u32> = (0..self.choices.len() as u32).collect();
        let mut rng = Rng::from_seed(run_seed(self.limits.seed, self.program.fingerprint(state) as u64));
        for last in (1..positions.len()).rev() {
            positions.swap(last, rng.position(last + 1));
        }
        self.stack.extend(positions.into_iter().map(|position| (node, position)));
    }

    fn found(&mut self, bug: P::Bug, came_by: Option<(usize, u32)>) -> Result<(), StopReason> {
        let mut positions = Vec::new();
        let mut way = came_by;
        while let Some((before, position)) = way {
            positions.push(position);
            way = self.nodes[before].came_by;
        }
        positions.reverse();
        self.findings.offer(self.bugs_met, bug, &positions);
        self.bugs_met += 1;
        if self.findings.last_run().is_some() { Err(StopReason::BugsFound) } else { Ok(()) }
    }

    fn progress(&self) -> Progress {
        Progress {
            steps: self.transitions,
            states: self.nodes.len() as u64,
            frontier: (self.frontier.len() + self.stack.len()) as u64,
            bugs: self.bugs_met,
            ..Progress::default()
        }
    }
}
