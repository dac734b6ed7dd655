//! A graph given by its edges: the toy of searches over states.

use std::io;

use fabius_model::{Choice, Durable, Effect, Outcome, Packed, Program};

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    To(usize),
    Bug(u32),
}

/// States are numbers, the choices of a state its edges in order; state 0 is the first.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<Vec<Target>>,
    /// What is wrong with ending in a state, if it has no edges.
    pub(crate) ends: Vec<Option<u32>>,
}

impl Graph {
    pub(crate) fn from_edges(states: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph { edges: vec![Vec::new(); states], ends: vec![None; states] };
        for &(from, to) in edges {
            graph.edges[from].push(Target::To(to));
        }
        graph
    }
}

impl Program for Graph {
    type State = usize;
    type Bug = u32;

    fn initial(&self) -> Outcome<usize, u32> {
        Outcome::State(0)
    }

    fn choices(&self, state: &usize, choices: &mut Vec<Choice>) {
        choices.clear();
        choices.extend((0..self.edges[*state].len() as u32).map(Choice::Data));
    }

    fn step(&self, state: &usize, choice: Choice, _effects: &mut Vec<Effect>) -> Outcome<usize, u32> {
        let Choice::Data(edge) = choice else { panic!("a graph has data choices only") };
        match self.edges[*state][edge as usize] {
            Target::To(next) => Outcome::State(next),
            Target::Bug(bug) => Outcome::Bug(bug),
        }
    }

    fn end(&self, state: &usize) -> Option<u32> {
        assert!(self.edges[*state].is_empty(), "only a state without choices is an end");
        self.ends[*state]
    }

    fn fingerprint(&self, state: &usize) -> u128 {
        // A product with an odd number, so that the upper bits vary too.
        (*state as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
    }
}

/// The bug at the end of a way.
pub(crate) fn follow<P: Program>(program: &P, positions: &[u32]) -> Option<P::Bug> {
    let mut state = match program.initial() {
        Outcome::State(state) => state,
        Outcome::Bug(bug) => return positions.is_empty().then_some(bug),
    };
    let mut choices = Vec::new();
    for (step, position) in positions.iter().enumerate() {
        program.choices(&state, &mut choices);
        match program.step(&state, *choices.get(*position as usize)?, &mut Vec::new()) {
            Outcome::State(next) => state = next,
            Outcome::Bug(bug) => return (step + 1 == positions.len()).then_some(bug),
        }
    }
    program.choices(&state, &mut choices);
    if choices.is_empty() { program.end(&state) } else { None }
}

impl Packed for Graph {
    const UNPACKS: bool = true;

    fn words<'a>(&self, state: &'a usize, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        buffer.push(*state as u32);
        buffer
    }

    fn unpack(&self, words: &[u32]) -> Option<usize> {
        match words {
            [state] if (*state as usize) < self.edges.len() => Some(*state as usize),
            _ => None,
        }
    }
}

/// Nothing is interned: the word says everything.
impl Durable for Graph {
    fn save(&self, _: &mut dyn io::Write) -> io::Result<()> {
        Ok(())
    }

    fn restore(&self, _: &mut dyn io::Read) -> io::Result<()> {
        Ok(())
    }
}
