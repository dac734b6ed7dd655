//! A toy of machines with mailboxes: each machine runs a straight script of operations.
//!
//! A machine is known by the way it was created, so that the same machine has the same id in runs that create machines
//! in another order; ids themselves are given out in the order in which machines are met, as in a real program.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use fabius_model::{ActorId, Choice, Effect, Happening, Narrate, Outcome, Program};
use fabius_trace::BugSummary;

/// Whom a message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    This,
    Parent,
    /// The n-th machine that this one created.
    Child(u8),
    Main,
}

/// One step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Send(To, u8),
    /// Waits for a message and keeps its tag.
    Take,
    /// Keeps a number below this one, which someone chooses.
    Choose(u32),
    /// Has someone choose, again and again.
    Dither,
    /// Creates a machine that runs the n-th script.
    Spawn(usize),
    /// Fails if the kept number is this one.
    FailIf(u32),
    /// Leaves out so many operations if the kept number is not this one.
    Unless(u32, usize),
    /// Goes back to the beginning of the script.
    Again,
    Print(&'static str),
    /// Enters the state `S<n>`.
    Enter(u8),
    /// Nothing.
    Rest,
}

/// A program: the first script is that of the first machine.
#[derive(Debug)]
pub(crate) struct Mailboxes {
    scripts: Vec<Vec<Op>>,
    names: Vec<&'static str>,
    /// Whether it is a bug to end while a machine waits.
    pub(crate) deadlocks: bool,
    met: Mutex<Vec<Path>>,
}

/// A machine's script, and those of its creators, each with its place among its siblings.
type Path = Vec<(u8, u8)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Machine {
    at: usize,
    kept: u32,
    children: Vec<Path>,
    queue: VecDeque<u8>,
    state: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    machines: BTreeMap<Path, Machine>,
    choosing: Option<Path>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bug {
    pub(crate) kind: &'static str,
    pub(crate) machine: String,
    pub(crate) at: usize,
    /// A detail that differs from run to run.
    pub(crate) queued: usize,
}

pub(crate) fn summarise(bug: &Bug) -> BugSummary {
    BugSummary {
        kind: bug.kind.to_owned(),
        message: format!("{} in {} with {} messages", bug.kind, bug.machine, bug.queued),
        machine: Some(bug.machine.clone()),
        line: Some(bug.at as u32 + 1),
        ..BugSummary::default()
    }
}

impl Mailboxes {
    pub(crate) fn new(scripts: &[(&'static str, &[Op])]) -> Mailboxes {
        Mailboxes {
            scripts: scripts.iter().map(|(_, ops)| ops.to_vec()).collect(),
            names: scripts.iter().map(|(name, _)| *name).collect(),
            deadlocks: false,
            met: Mutex::new(Vec::new()),
        }
    }

    fn id(&self, path: &Path) -> ActorId {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let place = met.iter().position(|known| known == path);
        ActorId(place.unwrap_or_else(|| {
            met.push(path.clone());
            met.len() - 1
        }) as u32)
    }

    fn path(&self, actor: ActorId) -> Path {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)[actor.0 as usize].clone()
    }

    fn op(&self, path: &Path, machine: &Machine) -> Option<&Op> {
        self.scripts[path.last()?.0 as usize].get(machine.at)
    }

    fn can_move(&self, path: &Path, machine: &Machine) -> bool {
        match self.op(path, machine) {
            None => false,
            Some(Op::Take) => !machine.queue.is_empty(),
            Some(_) => true,
        }
    }

    fn name(&self, path: &Path) -> String {
        path.last().map_or(String::new(), |(script, _)| self.names[*script as usize].to_owned())
    }

    fn bug(&self, kind: &'static str, path: &Path, machine: &Machine) -> Bug {
        Bug { kind, machine: self.name(path), at: machine.at, queued: machine.queue.len() }
    }

    fn target(&self, path: &Path, machine: &Machine, to: To) -> Option<Path> {
        match to {
            To::This => Some(path.clone()),
            To::Parent => (path.len() > 1).then(|| path[..path.len() - 1].to_vec()),
            To::Child(n) => machine.children.get(n as usize).cloned(),
            To::Main => Some(path[..1].to_vec()),
        }
    }

    fn perform(&self, state: &State, path: &Path, happenings: &mut Vec<Happening>) -> Outcome<State, Bug> {
        let mut next = state.clone();
        let mut machine = next.machines[path].clone();
        let mut forward = 1;
        match self.op(path, &machine).expect("only machines that can move do") {
            Op::Send(to, tag) => {
                if let Some(target) = self.target(path, &machine, *to) {
                    let mut dropped = false;
                    if &target == path {
                        machine.queue.push_back(*tag);
                    } else if let Some(receiver) = next.machines.get_mut(&target) {
                        dropped = self.op(&target, receiver).is_none();
                        if !dropped {
                            receiver.queue.push_back(*tag);
                        }
                    }
                    let event = format!("e{tag}");
                    happenings.push(Happening::Sent { to: self.id(&target), event, payload: None, dropped });
                }
            }
            Op::Take => {
                let tag = machine.queue.pop_front().expect("a machine that takes has a message");
                machine.kept = u32::from(tag);
                happenings.push(Happening::Received { event: format!("e{tag}"), payload: None });
            }
            Op::Choose(_) | Op::Dither => {
                next.choosing = Some(path.clone());
                return Outcome::State(next);
            }
            Op::Spawn(script) => {
                let mut child = path.clone();
                child.push((*script as u8, machine.children.len() as u8));
                next.machines.insert(child.clone(), Machine::default());
                let name = self.name(&child);
                happenings.push(Happening::Created { actor: self.id(&child), machine: name, payload: None });
                machine.children.push(child);
            }
            Op::FailIf(number) if machine.kept == *number => {
                return Outcome::Bug(self.bug("failure", path, &machine));
            }
            Op::FailIf(_) | Op::Rest => {}
            Op::Unless(number, count) if machine.kept != *number => forward += count,
            Op::Unless(_, _) => {}
            Op::Again => {
                machine.at = 0;
                forward = 0;
            }
            Op::Print(text) => happenings.push(Happening::Printed { text: (*text).to_owned() }),
            Op::Enter(state) => {
                let from = Some(format!("S{}", machine.state));
                machine.state = *state;
                happenings.push(Happening::Entered { from, to: format!("S{state}") });
            }
        }
        machine.at += forward;
        if self.op(path, &machine).is_none() {
            machine.queue.clear();
            happenings.push(Happening::Halted);
        }
        next.machines.insert(path.clone(), machine);
        Outcome::State(next)
    }

    fn choose(&self, state: &State, path: &Path, value: u32, happenings: &mut Vec<Happening>) -> State {
        let mut next = state.clone();
        let dithers = self.op(path, &state.machines[path]) == Some(&Op::Dither);
        if !dithers && let Some(machine) = next.machines.get_mut(path) {
            next.choosing = None;
            machine.kept = value;
            machine.at += 1;
        }
        happenings.push(Happening::Chose { value: value.to_string() });
        next
    }

    fn effects(&self, before: &State, after: &State, happenings: &[Happening], effects: &mut Vec<Effect>) {
        for happening in happenings {
            match happening {
                Happening::Created { actor, .. } => effects.push(Effect::Created(*actor)),
                Happening::Sent { to, dropped: false, .. } => effects.push(Effect::SentTo(*to)),
                _ => {}
            }
        }
        for (path, machine) in &after.machines {
            let could = before.machines.get(path).is_some_and(|machine| self.can_move(path, machine));
            let can = self.can_move(path, machine);
            if can && !could && before.machines.contains_key(path) {
                effects.push(Effect::Enabled(self.id(path)));
            } else if !can && (could || !before.machines.contains_key(path)) {
                effects.push(Effect::Blocked(self.id(path)));
            }
        }
    }
}

impl Program for Mailboxes {
    type State = State;
    type Bug = Bug;

    fn initial(&self) -> Outcome<State, Bug> {
        let machines = BTreeMap::from([(vec![(0, 0)], Machine::default())]);
        Outcome::State(State { machines, choosing: None })
    }

    fn choices(&self, state: &State, choices: &mut Vec<Choice>) {
        choices.clear();
        if let Some(path) = &state.choosing {
            let alternatives = match self.op(path, &state.machines[path]) {
                Some(Op::Choose(alternatives)) => (*alternatives).max(1),
                _ => 2,
            };
            choices.extend((0..alternatives).map(Choice::Data));
            return;
        }
        let movers = state.machines.iter().filter(|(path, machine)| self.can_move(path, machine));
        choices.extend(movers.map(|(path, _)| Choice::Schedule(self.id(path))));
    }

    fn step(&self, state: &State, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<State, Bug> {
        let mut happenings = Vec::new();
        let outcome = self.narrate(state, choice, &mut happenings);
        if let Outcome::State(next) = &outcome {
            self.effects(state, next, &happenings, effects);
        }
        outcome
    }

    fn end(&self, state: &State) -> Option<Bug> {
        let mut waiting = state.machines.iter().filter(|(path, machine)| self.op(path, machine).is_some());
        let (path, machine) = waiting.next()?;
        self.deadlocks.then(|| self.bug("deadlock", path, machine))
    }

    fn fingerprint(&self, state: &State) -> u128 {
        let bytes = format!("{state:?}").into_bytes();
        bytes
            .iter()
            .fold(7, |sum: u128, byte| sum.wrapping_mul(0x1_0000_01b3).wrapping_add(u128::from(*byte)))
    }

    fn writes_to(&self, state: &State, choice: Choice) -> Option<ActorId> {
        let Choice::Schedule(actor) = choice else { return None };
        let path = self.path(actor);
        let machine = state.machines.get(&path)?;
        match self.op(&path, machine)? {
            Op::Send(to, _) => self.target(&path, machine, *to).map(|target| self.id(&target)),
            _ => None,
        }
    }

    fn memory(&self) -> usize {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn forget(&mut self) {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Narrate for Mailboxes {
    fn narrate_start(&self, happenings: &mut Vec<Happening>) -> Outcome<State, Bug> {
        let path = vec![(0, 0)];
        let machine = self.name(&path);
        happenings.push(Happening::Created { actor: self.id(&path), machine, payload: None });
        self.initial()
    }

    fn narrate(&self, state: &State, choice: Choice, happenings: &mut Vec<Happening>) -> Outcome<State, Bug> {
        match choice {
            Choice::Schedule(actor) => self.perform(state, &self.path(actor), happenings),
            Choice::Data(value) => {
                let path = state.choosing.clone().expect("data choices are for a machine that chooses");
                Outcome::State(self.choose(state, &path, value, happenings))
            }
        }
    }

    fn mover(&self, state: &State, choice: Choice) -> Option<ActorId> {
        match choice {
            Choice::Schedule(actor) => Some(actor),
            Choice::Data(_) => state.choosing.as_ref().map(|path| self.id(path)),
        }
    }

    fn machine_name(&self, actor: ActorId) -> String {
        self.name(&self.path(actor))
    }

    fn describe(&self, state: &State, actor: ActorId) -> String {
        let path = self.path(actor);
        let machine = state.machines.get(&path).cloned().unwrap_or_default();
        format!("{} in S{}", self.name(&path), machine.state)
    }
}
