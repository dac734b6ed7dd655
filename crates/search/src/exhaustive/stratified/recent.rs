//! What explorers did last, by their numbers: a search asks the same of the same explorers over and over.
//!
//! Invariant: what is remembered is what the explorer would do again. Of an explorer that looks at more than this the steps
//! are not remembered (`Explorer::keeps_to_itself`).

use fabius_model::{Offer, Tale};
use fabius_store::expect;

/// How many orders and steps are remembered at first, and at most, as powers of two. That is more than the nearest caches have
/// room for: so their memory is asked for some time before.
const ORDERS: [u32; 2] = [10, 15];
const STEPS: [u32; 2] = [12, 17];
/// An order of more choices is not remembered.
const MOST_CHOICES: usize = 28;

/// No explorer has this number.
const NOBODY: u32 = u32::MAX;

/// What explorers did last.
#[derive(Debug)]
pub(super) struct Recent {
    orders: Places<Order>,
    steps: Places<Change>,
}

/// Entries, each in the one place where it can be, instead of what was there before.
#[derive(Debug)]
struct Places<T> {
    all: Vec<T>,
    bits: u32,
    most_bits: u32,
    /// How many entries came since there are so many places.
    taken: usize,
}

/// What can be found again.
trait Entry: Copy {
    /// An entry that nobody looks for.
    const NONE: Self;

    /// Its place among 2^64.
    fn place(&self) -> u64;
}

/// The order in which an explorer names the choices of an offer.
#[derive(Clone, Copy, Debug)]
struct Order {
    offer: Offer,
    explorer: u32,
    count: u32,
    positions: [u8; MOST_CHOICES],
}

/// What an explorer was told, and its number after that.
#[derive(Clone, Copy, Debug)]
struct Change {
    told: Told,
    after: u32,
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
        Self { orders: Places::new(ORDERS), steps: Places::new(STEPS) }
    }

    /// Adds the positions that an explorer names after 0 delays, 1 and so on, if they are remembered.
    #[inline]
    pub(super) fn add_order(&self, explorer: u32, offer: Offer, positions: &mut Vec<usize>) -> bool {
        let order = self.orders.get(place_of_order(explorer, offer));
        let is_it = order.explorer == explorer && order.offer == offer;
        if is_it {
            let known = order.positions.iter().take(order.count as usize);
            positions.extend(known.map(|position| usize::from(*position)));
        }
        is_it
    }

    /// Asks for the memory in which they are.
    #[inline]
    pub(super) fn expect_order(&self, explorer: u32, offer: Offer) {
        expect(self.orders.get(place_of_order(explorer, offer)));
    }

    /// Remembers them.
    pub(super) fn remember_order(&mut self, explorer: u32, offer: Offer, positions: &[usize]) {
        if positions.len() <= MOST_CHOICES {
            let count = positions.len() as u32;
            let mut order = Order { offer, explorer, count, positions: [0; _] };
            order.positions.iter_mut().zip(positions).for_each(|(kept, position)| *kept = *position as u8);
            self.orders.put(order);
        }
    }

    /// The number of the explorer after what it was told, if that is remembered.
    #[inline]
    pub(super) fn after(&self, told: &Told) -> Option<u32> {
        let step = self.steps.get(place_of_step(told.explorer, told.delays, told.tale));
        (step.told == *told).then_some(step.after)
    }

    /// Asks for the memory in which it is, whatever the machines.
    #[inline]
    pub(super) fn expect_step(&self, explorer: u32, delays: u32, tale: Tale) {
        expect(self.steps.get(place_of_step(explorer, delays, tale)));
    }

    /// Remembers it.
    pub(super) fn remember(&mut self, told: Told, after: u32) {
        self.steps.put(Change { told, after });
    }
}

impl<T: Entry> Places<T> {
    fn new([bits, most_bits]: [u32; 2]) -> Self {
        Self { all: vec![T::NONE; 1 << bits], bits, most_bits, taken: 0 }
    }

    /// What is in a place.
    #[inline]
    fn get(&self, place: u64) -> &T {
        &self.all[(place >> (u64::BITS - self.bits)) as usize]
    }

    fn put(&mut self, entry: T) {
        self.taken += 1;
        if self.taken > self.all.len() && self.bits < self.most_bits {
            self.bits += 1;
            self.taken = 0;
            let before = std::mem::replace(&mut self.all, vec![T::NONE; 1 << self.bits]);
            before.into_iter().for_each(|entry| self.put_in_place(entry));
        }
        self.put_in_place(entry);
    }

    fn put_in_place(&mut self, entry: T) {
        self.all[(entry.place() >> (u64::BITS - self.bits)) as usize] = entry;
    }
}

impl Entry for Order {
    const NONE: Order =
        Order { offer: Offer { movers: 0, machines: 0 }, explorer: NOBODY, count: 0, positions: [0; _] };

    fn place(&self) -> u64 {
        place_of_order(self.explorer, self.offer)
    }
}

impl Entry for Change {
    const NONE: Change = Change { told: Told::new(NOBODY, 0, Tale::UNTOLD, 0), after: NOBODY };

    fn place(&self) -> u64 {
        place_of_step(self.told.explorer, self.told.delays, self.told.tale)
    }
}

#[inline]
fn place_of_order(explorer: u32, offer: Offer) -> u64 {
    (offer.movers ^ u64::from(explorer) << 32 ^ u64::from(offer.machines) << 24)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Without the machines, which hardly ever differ where the explorer does not.
#[inline]
fn place_of_step(explorer: u32, delays: u32, tale: Tale) -> u64 {
    let [explorer, delays, tale] = [explorer, delays, tale.bits()].map(u64::from);
    let mixed = (explorer << 32 ^ tale).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ delays;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Told {
    #[inline]
    pub(super) const fn new(explorer: u32, delays: u32, tale: Tale, machines: u32) -> Self {
        Self { explorer, delays, tale, machines }
    }

    pub(super) fn delays(&self) -> u32 {
        self.delays
    }

    pub(super) fn tale(&self) -> Tale {
        self.tale
    }
}
