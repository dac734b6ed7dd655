//! What explorers did last, by their numbers: a search asks the same of the same explorers over and over.
//!
//! Invariant: what is remembered is what the explorer would do again. Of an explorer that looks at more than this the steps
//! are not remembered (`Explorer::keeps_to_itself`).

use fabius_model::{Offer, Tale};

/// How many orders and steps are remembered.
const ORDERS: usize = 1 << 12;
const STEPS: usize = 1 << 14;
/// An order of more choices is not remembered.
const MOST_CHOICES: usize = 28;

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
    tale: Tale,
    /// Of which the tale tells.
    machines: u32,
}

impl Recent {
    pub(super) fn new() -> Self {
        let offer = Offer { movers: 0, machines: 0 };
        let order = Order { offer, explorer: NOBODY, count: 0, positions: [0; _] };
        let told = Told { explorer: NOBODY, delays: 0, tale: Tale::UNTOLD, machines: 0 };
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
    #[inline]
    pub(super) fn new(explorer: u32, delays: u32, tale: Tale, machines: u32) -> Self {
        Self { explorer, delays, tale, machines }
    }

    pub(super) fn delays(&self) -> u32 {
        self.delays
    }

    pub(super) fn tale(&self) -> Tale {
        self.tale
    }

    #[inline]
    fn place(&self) -> usize {
        let [explorer, delays, tale, machines] =
            [self.explorer, self.delays, self.tale.bits(), self.machines].map(u64::from);
        let mixed = (explorer << 32 ^ delays).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
            ^ (machines << 32 | tale);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - STEPS.ilog2())) as usize
    }
}
