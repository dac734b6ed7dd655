//! Machines with a script of sends, receives, choices and creations: the toy of searches that care who is enabled.

use fabius_explore::Rng;
use fabius_model::{ActorId, Choice, Effect, Outcome, Packed, Program, Sketches, Things, Touched};

/// What a machine does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Puts a message into a machine's box, if it exists.
    Send(usize),
    /// Takes a message out of its own box; waits for one.
    Receive,
    /// Adds one of so many numbers to what it remembers.
    Choose(u32),
    /// Brings a machine into being.
    New(usize),
    /// A bug if what it remembers is this.
    Fail(u32),
}

/// A program of such machines; machine 0 exists at the start.
#[derive(Clone, Debug)]
pub(crate) struct Mailboxes {
    pub(crate) scripts: Vec<Vec<Op>>,
    /// Whether scripts begin again. Then a box holds one message at most, and a machine remembers one bit.
    pub(crate) is_endless: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Machines(Vec<Machine>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Machine {
    exists: bool,
    at: usize,
    mail: u32,
    memory: u32,
}

impl Mailboxes {
    pub(crate) fn random(seed: u64) -> Mailboxes {
        let mut rng = Rng::from_seed(seed);
        let machines = 2 + rng.position(3);
        let script = |rng: &mut Rng, own: usize| -> Vec<Op> {
            let length = 1 + rng.position(4);
            (0..length)
                .map(|_| match rng.below(12) {
                    0..=4 => Op::Send(rng.position(machines)),
                    5..=7 => Op::Receive,
                    8 => Op::Choose(2 + rng.below(2) as u32),
                    9 => Op::Fail(7 + rng.below(4) as u32),
                    _ => Op::New((own + 1 + rng.position(machines - 1)) % machines),
                })
                .collect()
        };
        let mut scripts: Vec<Vec<Op>> = (0..machines).map(|own| script(&mut rng, own)).collect();
        // The first machine brings the others to life.
        scripts[0].splice(0..0, (1..machines).map(Op::New));
        Mailboxes { scripts, is_endless: false }
    }

    /// One with cycles, of three machines at most.
    pub(crate) fn random_endless(seed: u64) -> Mailboxes {
        let mut program = Self::random(seed);
        program.scripts.truncate(3);
        let machines = program.scripts.len();
        for op in program.scripts.iter_mut().flatten() {
            match op {
                Op::Send(machine) | Op::New(machine) => *machine %= machines,
                Op::Fail(memory) => *memory %= 3,
                Op::Receive | Op::Choose(_) => {}
            }
        }
        Mailboxes { is_endless: true, ..program }
    }

    fn op(&self, state: &Machines, machine: usize) -> Option<Op> {
        self.scripts[machine].get(state.0[machine].at).copied()
    }

    fn can_move(&self, state: &Machines, machine: usize) -> bool {
        let can = match self.op(state, machine) {
            None => false,
            Some(Op::Receive) => state.0[machine].mail > 0,
            Some(_) => true,
        };
        state.0[machine].exists && can
    }

    fn chooser(&self, state: &Machines) -> Option<(usize, u32)> {
        (0..self.scripts.len()).filter(|machine| state.0[*machine].exists).find_map(|machine| {
            match self.op(state, machine) {
                Some(Op::Choose(count)) => Some((machine, count)),
                _ => None,
            }
        })
    }
}

impl Program for Mailboxes {
    type State = Machines;
    type Bug = String;

    fn initial(&self) -> Outcome<Machines, String> {
        let mut machines = vec![Machine::default(); self.scripts.len()];
        machines[0].exists = true;
        Outcome::State(Machines(machines))
    }

    fn choices(&self, state: &Machines, choices: &mut Vec<Choice>) {
        choices.clear();
        match self.chooser(state) {
            Some((_, count)) => choices.extend((0..count).map(Choice::Data)),
            None => {
                let movers = (0..self.scripts.len()).filter(|machine| self.can_move(state, *machine));
                choices.extend(movers.map(|machine| Choice::Schedule(ActorId(machine as u32))));
            }
        }
    }

    fn step(&self, state: &Machines, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Machines, String> {
        let mut next = state.clone();
        let mover = match choice {
            Choice::Schedule(actor) => actor.0 as usize,
            Choice::Data(_) => self.chooser(state).expect("a data choice has a chooser").0,
        };
        let enabled = |state: &Machines| -> Vec<bool> {
            (0..self.scripts.len()).map(|machine| self.can_move(state, machine)).collect()
        };
        let before = enabled(state);
        next.0[mover].at += 1;
        if self.is_endless {
            next.0[mover].at %= self.scripts[mover].len();
        }
        match (self.op(state, mover), choice) {
            (Some(Op::Send(to)), _) if state.0[to].exists => {
                next.0[to].mail += 1;
                effects.push(Effect::SentTo(ActorId(to as u32)));
            }
            (Some(Op::Receive), _) => {
                next.0[mover].mail -= 1;
                next.0[mover].memory += 2;
            }
            (Some(Op::Choose(_)), Choice::Data(number)) => next.0[mover].memory += number,
            (Some(Op::New(machine)), _) if !state.0[machine].exists => {
                next.0[machine].exists = true;
                if self.can_move(&next, machine) {
                    effects.push(Effect::Created(ActorId(machine as u32)));
                }
            }
            (Some(Op::Fail(memory)), _) if state.0[mover].memory + state.0[mover].mail >= memory => {
                return Outcome::Bug(format!("machine {mover} at {}", state.0[mover].at));
            }
            _ => {}
        }
        if self.is_endless {
            for machine in &mut next.0 {
                (machine.mail, machine.memory) = (machine.mail.min(1), machine.memory % 2);
            }
        }
        let created = effects.clone();
        for (machine, (before, after)) in before.into_iter().zip(enabled(&next)).enumerate() {
            let actor = ActorId(machine as u32);
            match (before, after) {
                (true, false) => effects.push(Effect::Blocked(actor)),
                (false, true) if !created.contains(&Effect::Created(actor)) => {
                    effects.push(Effect::Enabled(actor));
                }
                _ => {}
            }
        }
        Outcome::State(next)
    }

    fn end(&self, state: &Machines) -> Option<String> {
        let waits =
            |machine: &usize| state.0[*machine].exists && self.op(state, *machine) == Some(Op::Receive);
        let waiting: Vec<usize> = (0..self.scripts.len()).filter(waits).collect();
        (waiting.len() > 1).then(|| format!("deadlock of {waiting:?}"))
    }

    fn fingerprint(&self, state: &Machines) -> u128 {
        let mix = |hash: u128, word: u64| {
            (hash ^ u128::from(word)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        };
        state.0.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, machine| {
            let words =
                [u64::from(machine.exists), machine.at as u64, machine.mail.into(), machine.memory.into()];
            words.into_iter().fold(hash, mix)
        })
    }
}

impl Packed for Mailboxes {
    const UNPACKS: bool = true;

    fn words<'a>(&self, state: &'a Machines, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        let words =
            |machine: &Machine| [u32::from(machine.exists), machine.at as u32, machine.mail, machine.memory];
        buffer.clear();
        buffer.extend(state.0.iter().flat_map(words));
        buffer
    }

    fn unpack(&self, words: &[u32]) -> Option<Machines> {
        let (machines, rest) = words.as_chunks();
        let machine = |&[exists, at, mail, memory]: &[u32; 4]| Machine {
            exists: exists == 1,
            at: at as usize,
            mail,
            memory,
        };
        (rest.is_empty() && machines.len() == self.scripts.len())
            .then(|| Machines(machines.iter().map(machine).collect()))
    }

    fn movers(&self, state: &Machines) -> u64 {
        let movers = (0..self.scripts.len()).filter(|machine| self.can_move(state, *machine));
        if self.chooser(state).is_some() { 0 } else { movers.fold(0, |bits, machine| bits | 1 << machine) }
    }

    fn sketch_movers(&self, state: &Machines, movers: u64, sketches: &mut Sketches<Machines, String>) {
        for machine in (0..self.scripts.len()).filter(|machine| movers >> machine & 1 == 1) {
            self.sketch_choice(state, Choice::Schedule(ActorId(machine as u32)), sketches);
        }
    }

    fn touched(&self, state: &Machines, movers: u64, touched: &mut Touched) {
        for machine in (0..self.scripts.len()).filter(|machine| movers >> machine & 1 == 1) {
            let script = &self.scripts[machine];
            let next = script.get((state.0[machine].at + 1) % script.len());
            touched[machine] = match self.op(state, machine) {
                // Nobody else moves while one chooses.
                _ if matches!(next, Some(Op::Choose(_))) => Things::ALL,
                Some(Op::Send(to)) => Things([1 << machine | 1 << to, 0]),
                Some(Op::Receive | Op::Fail(_)) => Things([1 << machine, 0]),
                _ => Things::ALL,
            };
        }
    }
}

/// The same, whose states cannot be made of words.
pub(crate) struct Opaque(pub(crate) Mailboxes);

impl Program for Opaque {
    type State = Machines;
    type Bug = String;

    fn initial(&self) -> Outcome<Machines, String> {
        self.0.initial()
    }

    fn choices(&self, state: &Machines, choices: &mut Vec<Choice>) {
        self.0.choices(state, choices);
    }

    fn step(&self, state: &Machines, choice: Choice, effects: &mut Vec<Effect>) -> Outcome<Machines, String> {
        self.0.step(state, choice, effects)
    }

    fn end(&self, state: &Machines) -> Option<String> {
        self.0.end(state)
    }

    fn fingerprint(&self, state: &Machines) -> u128 {
        self.0.fingerprint(state)
    }
}

impl Packed for Opaque {
    fn words<'a>(&self, state: &'a Machines, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        self.0.words(state, buffer)
    }
}
