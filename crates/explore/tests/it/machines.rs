//! Machines of three types that create each other, send two events and take them: a toy that tells hints.

use fabius_explore::Rng;
use fabius_model::{ActorId, Choice, Effect, Name, Outcome, Packed, Program, Vocabulary};

/// What a machine does in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Creates machine number so-and-so, which must be a later one.
    New(usize),
    /// Sends event `e0` or `e1`.
    Send(usize, u32),
    /// Takes an event; waits for one.
    Take,
    /// Nothing that others notice.
    Work,
}

/// Machine `k` has type `A`, `B` or `C`, by turns, and the control state `S`. Handling an event ends with the next `Take`.
#[derive(Clone, Debug)]
pub(crate) struct Machines {
    pub(crate) scripts: Vec<Vec<Op>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// The machine's place in its script, and the events in its queue; `None` if it does not exist.
    machines: Vec<Option<(usize, Vec<u32>)>>,
    /// Who moved, for tests that look at runs.
    pub(crate) history: Vec<usize>,
}

impl Machines {
    pub(crate) fn random(seed: u64) -> Machines {
        let mut rng = Rng::from_seed(seed);
        let count = 3 + rng.position(3);
        let mut scripts: Vec<Vec<Op>> = (0..count)
            .map(|_| {
                let op = |rng: &mut Rng| match rng.below(4) {
                    0 => Op::Work,
                    1 => Op::Take,
                    _ => Op::Send(rng.position(count), rng.below(2) as u32),
                };
                (0..1 + rng.position(3)).map(|_| op(&mut rng)).collect()
            })
            .collect();
        for machine in 1..count {
            let creator = rng.position(machine);
            scripts[creator].insert(0, Op::New(machine));
        }
        Machines { scripts }
    }

    pub(crate) fn vocabulary() -> Vocabulary {
        let machine = |name: &str| (name.to_owned(), vec!["S".to_owned()]);
        let events = ["e0".to_owned(), "e1".to_owned()];
        Vocabulary::new(&["A", "B", "C"].map(machine), &events, Some(0))
    }

    fn op(&self, state: &State, machine: usize) -> Option<Op> {
        let (at, _) = state.machines[machine].as_ref()?;
        self.scripts[machine].get(*at).copied()
    }

    fn can_move(&self, state: &State, machine: usize) -> bool {
        match (self.op(state, machine), &state.machines[machine]) {
            (Some(Op::Take), Some((_, queue))) => !queue.is_empty(),
            (op, _) => op.is_some(),
        }
    }

    /// The run that the positions of choices lead through.
    pub(crate) fn follow<P: Program>(program: &P, positions: &[u32]) -> Option<P::State> {
        let Outcome::State(mut state) = program.initial() else { return None };
        let mut choices = Vec::new();
        for position in positions {
            program.choices(&state, &mut choices);
            let choice = *choices.get(*position as usize)?;
            let Outcome::State(next) = program.step(&state, choice, &mut Vec::new()) else { return None };
            state = next;
        }
        Some(state)
    }
}

fn machine_type(machine: usize) -> Name {
    Name((machine % 3) as u32)
}

fn state_name(machine: usize) -> Name {
    Name(3 + (machine % 3) as u32)
}

fn event_name(event: u32) -> Name {
    Name(6 + event)
}

impl Program for Machines {
    type State = State;
    type Bug = String;

    fn initial(&self) -> Outcome<State, String> {
        let mut machines = vec![None; self.scripts.len()];
        machines[0] = Some((0, Vec::new()));
        Outcome::State(State { machines, history: Vec::new() })
    }

    fn choices(&self, state: &State, choices: &mut Vec<Choice>) {
        choices.clear();
        let movers = (0..self.scripts.len()).filter(|machine| self.can_move(state, *machine));
        choices.extend(movers.map(|machine| Choice::Schedule(ActorId(machine as u32))));
    }

    fn step(&self, state: &State, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<State, String> {
        let Choice::Schedule(actor) = choice else { unreachable!("there are no choices of data") };
        let mover = actor.0 as usize;
        let before: Vec<bool> = (0..self.scripts.len()).map(|m| self.can_move(state, m)).collect();
        let mut next = state.clone();
        next.history.push(mover);
        let op = self.op(state, mover);
        if let Some((at, queue)) = &mut next.machines[mover] {
            *at += 1;
            if op == Some(Op::Take) {
                let event = event_name(queue.remove(0));
                effects.push(Effect::Received { actor, state: state_name(mover), event });
            }
        }
        let mut created = None;
        match op {
            Some(Op::New(machine)) => {
                next.machines[machine] = Some((0, Vec::new()));
                created = self.can_move(&next, machine).then_some(machine);
                if created.is_some() {
                    effects.push(Effect::Created(ActorId(machine as u32)));
                }
                effects.push(Effect::Is {
                    actor: ActorId(machine as u32),
                    machine: machine_type(machine),
                    creator: actor,
                });
            }
            Some(Op::Send(to, event)) => {
                let target = ActorId(to as u32);
                if let Some((_, queue)) = &mut next.machines[to] {
                    queue.push(event);
                    effects.extend([Effect::Sent(target, event_name(event)), Effect::SentTo(target)]);
                }
            }
            _ => {}
        }
        if matches!(self.op(&next, mover), None | Some(Op::Take)) {
            effects.push(Effect::Settled(actor));
        }
        for (machine, before) in before.into_iter().enumerate() {
            let (after, actor) = (self.can_move(&next, machine), ActorId(machine as u32));
            if before && !after {
                effects.push(Effect::Blocked(actor));
            } else if !before && after && created != Some(machine) {
                effects.push(Effect::Enabled(actor));
            }
        }
        Outcome::State(next)
    }

    fn end(&self, _: &State) -> Option<String> {
        None
    }

    fn fingerprint(&self, state: &State) -> u128 {
        let mix = |hash: u128, word: usize| {
            (hash ^ word as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        };
        let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        for machine in &state.machines {
            let (at, queue) = machine.as_ref().map_or((0, &[][..]), |(at, queue)| (at + 1, &queue[..]));
            hash =
                queue.iter().fold(mix(mix(hash, at), queue.len()), |hash, event| mix(hash, *event as usize));
        }
        state.history.iter().fold(hash, |hash, machine| mix(hash, *machine))
    }
}

impl Packed for Machines {
    fn words<'a>(&self, state: &'a State, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        for machine in &state.machines {
            match machine {
                None => buffer.push(0),
                Some((at, queue)) => {
                    buffer.extend([1, *at as u32, queue.len() as u32]);
                    buffer.extend(queue);
                }
            }
        }
        buffer.extend(state.history.iter().map(|mover| *mover as u32));
        buffer
    }
}
