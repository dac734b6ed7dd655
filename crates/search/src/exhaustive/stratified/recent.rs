//! What explorers did last, by their numbers: a search asks the same of the same explorers over and over.
//!
//! Invariant: what is remembered is what the explorer would do again. Of an explorer that looks at more than this the steps
//! are not remembered (`Explorer::keeps_to_itself`).

use fabius_model::{ActorId, Choice, Effect, Offer};

/// How many orders and steps are remembered.
const ORDERS: usize = 1 << 12;
const STEPS: usize = 1 << 12;
/// An order of more choices, or a step with more effects, is not remembered.
const MOST_CHOICES: usize = 28;
const MOST_EFFECTS: usize = 4;

/// No explorer has this number.
const NOBODY: u32 = u32::MAX;

/// What explorers did last.
#[derive(Debug)]
pub(super) struct Recent {
    orders: Box<[Order]>,
    steps: Box<[(Told, u32)]>,
}

/// The order in which an explorer names the choices of an offer.
#[derive(Clone, Copy, Debug)]
struct Order {
    offer: Offer,
    explorer: u32,
    count: u32,
    positions: [u8; MOST_CHOICES],
}

/// What an explorer was told: delays, then a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    explorer: u32,
    delays: u32,
    choice: u32,
    /// 0 where there is none.
    effects: [u32; MOST_EFFECTS],
}

impl Recent {
    pub(super) fn new() -> Self {
        let offer = Offer { movers: 0, machines: 0 };
        let order = Order { offer, explorer: NOBODY, count: 0, positions: [0; _] };
        let told = Told { explorer: NOBODY, delays: 0, choice: 0, effects: [0; _] };
        Self { orders: vec![order; ORDERS].into(), steps: vec![(told, NOBODY); STEPS].into() }
    }

    /// Adds the positions that an explorer names after 0 delays, 1 and so on, if they are remembered.
    #[inline]
    pub(super) fn add_order(&self, explorer: u32, offer: Offer, positions: &mut Vec<usize>) -> bool {
        let order = &self.orders[place_of_order(explorer, offer)];
        let is_it = order.explorer == explorer && order.offer == offer;
        if is_it {
            let known = order.positions.iter().take(order.count as usize);
            positions.extend(known.map(|position| usize::from(*position)));
        }
        is_it
    }

    /// Remembers them.
    pub(super) fn remember_order(&mut self, explorer: u32, offer: Offer, positions: &[usize]) {
        if positions.len() <= MOST_CHOICES {
            let count = positions.len() as u32;
            let mut order = Order { offer, explorer, count, positions: [0; _] };
            order.positions.iter_mut().zip(positions).for_each(|(kept, position)| *kept = *position as u8);
            self.orders[place_of_order(explorer, offer)] = order;
        }
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

#[inline]
fn place_of_order(explorer: u32, offer: Offer) -> usize {
    let mixed = (offer.movers ^ u64::from(explorer) << 32 ^ u64::from(offer.machines) << 24)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - ORDERS.ilog2())) as usize
}

impl Told {
    /// `None` if that is too much to be remembered.
    #[inline]
    pub(super) fn new(explorer: u32, delays: u32, choice: Choice, effects: &[Effect]) -> Option<Self> {
        let choice = match choice {
            Choice::Schedule(ActorId(actor)) => code(0, actor)?,
            Choice::Data(alternative) => code(1, alternative)?,
        };
        let mut told = Self { explorer, delays, choice, effects: [0; _] };
        if effects.len() > MOST_EFFECTS {
            return None;
        }
        for (place, effect) in told.effects.iter_mut().zip(effects) {
            *place = code_of(effect)?;
        }
        Some(told)
    }

    #[inline]
    fn place(&self) -> usize {
        let [first, second, third, fourth] = self.effects.map(u64::from);
        let mixed = [first << 32 | second, third << 32 | fourth].into_iter().fold(
            u64::from(self.explorer) << 32 ^ u64::from(self.delays) << 24 ^ u64::from(self.choice),
            |mixed, effects| (mixed ^ effects).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29),
        );
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - STEPS.ilog2())) as usize
    }
}

/// An effect as a number other than 0; `None` for hints, of which there are many.
#[inline]
fn code_of(effect: &Effect) -> Option<u32> {
    let (kind, ActorId(actor)) = match *effect {
        Effect::Created(actor) => (1, actor),
        Effect::SentTo(actor) => (2, actor),
        Effect::Enabled(actor) => (3, actor),
        Effect::Blocked(actor) => (4, actor),
        Effect::Halted(actor) => (5, actor),
        _ => return None,
    };
    code(kind, actor)
}

/// A number of some kind; `None` if it is too large.
#[inline]
fn code(kind: u32, number: u32) -> Option<u32> {
    (number < 1 << 29).then_some(kind << 29 | number)
}
