//! What explorers did last, by their numbers: a search asks the same of the same explorers over and over.
//!
//! Invariant: what is remembered is what the explorer would do again. Of an explorer that looks at more than this the steps
//! are not remembered (`Explorer::keeps_to_itself`).

use fabius_explore::{Cursor, Explorer};
use fabius_model::{ActorId, Choice, Effect};

/// How many orders and steps are remembered.
const ORDERS: usize = 1 << 10;
const STEPS: usize = 1 << 12;
/// A step with more effects is not remembered.
const MOST_EFFECTS: usize = 4;

/// No explorer has this number.
const NOBODY: u32 = u32::MAX;

/// What explorers did last.
#[derive(Debug)]
pub(super) struct Recent {
    orders: Box<[Order]>,
    steps: Box<[(Told, u32)]>,
}

/// The order in which an explorer names choices, if there is one.
#[derive(Clone, Debug)]
struct Order {
    explorer: u32,
    choices: Vec<Choice>,
    positions: Vec<usize>,
    is_told: bool,
}

/// What an explorer was told: delays, then a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    explorer: u32,
    delays: u32,
    choice: u64,
    /// 0 where there is none.
    effects: [u64; MOST_EFFECTS],
}

impl Recent {
    pub(super) fn new() -> Self {
        let order = Order { explorer: NOBODY, choices: Vec::new(), positions: Vec::new(), is_told: false };
        let told = Told { explorer: NOBODY, delays: 0, choice: 0, effects: [0; _] };
        Self { orders: vec![order; ORDERS].into(), steps: vec![(told, NOBODY); STEPS].into() }
    }

    /// As [`Cursor::order`], of an explorer with a number.
    pub(super) fn order<E: Explorer>(
        &mut self,
        (number, explorer): (u32, &E),
        choices: &[Choice],
        positions: &mut Vec<usize>,
    ) -> bool {
        let order = &mut self.orders[number as usize % ORDERS];
        if order.explorer != number || order.choices != choices {
            order.explorer = number;
            order.choices.clear();
            order.choices.extend_from_slice(choices);
            order.is_told = Cursor::order(explorer, choices, &mut order.positions);
        }
        positions.clear();
        positions.extend_from_slice(&order.positions);
        order.is_told
    }

    /// The number of the explorer after what it was told, if that is remembered.
    #[inline]
    pub(super) fn after(&self, told: &Told) -> Option<u32> {
        let (known, after) = &self.steps[told.place()];
        (known == told).then_some(*after)
    }

    /// Remembers it.
    pub(super) fn remember(&mut self, told: Told, after: u32) {
        self.steps[told.place()] = (told, after);
    }
}

impl Told {
    /// `None` if that is too much to be remembered.
    #[inline]
    pub(super) fn new(explorer: u32, delays: u32, choice: Choice, effects: &[Effect]) -> Option<Self> {
        let choice = match choice {
            Choice::Schedule(actor) => u64::from(actor.0),
            Choice::Data(alternative) => 1 << 32 | u64::from(alternative),
        };
        let mut told = Self { explorer, delays, choice, effects: [0; _] };
        if effects.len() > MOST_EFFECTS {
            return None;
        }
        for (place, effect) in told.effects.iter_mut().zip(effects) {
            *place = code(effect)?;
        }
        Some(told)
    }

    fn place(&self) -> usize {
        let start = u64::from(self.explorer) << 32 ^ u64::from(self.delays) << 24 ^ self.choice;
        let mixed = self.effects.iter().fold(start, |mixed, effect| {
            (mixed ^ effect).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        (mixed >> (u64::BITS - STEPS.ilog2())) as usize
    }
}

/// An effect as a number other than 0; `None` for hints, of which there are many.
fn code(effect: &Effect) -> Option<u64> {
    let (kind, ActorId(actor)) = match *effect {
        Effect::Created(actor) => (1, actor),
        Effect::SentTo(actor) => (2, actor),
        Effect::Enabled(actor) => (3, actor),
        Effect::Blocked(actor) => (4, actor),
        Effect::Halted(actor) => (5, actor),
        _ => return None,
    };
    Some(kind << 32 | u64::from(actor))
}
