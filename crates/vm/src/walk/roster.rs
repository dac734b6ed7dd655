//! Which machines a state has.
//!
//! States that one thread makes of one another share the list. So that threads do not count together who holds it, each has
//! lists of its own for the states that it makes of words.

use crate::table::{Interned, Interner};
use fabius_model::ActorId;
use std::cell::RefCell;
use std::sync::Arc;

/// The machines in the order of their identities.
pub(super) type Roster = Arc<[ActorId]>;

/// So many lists are a thread's own at a time.
const OWN: usize = 16;

thread_local! {
    static OWN_LISTS: RefCell<[Option<Roster>; OWN]> = const { RefCell::new([const { None }; OWN]) };
}

/// Numbers for rosters, for those who ask.
#[derive(Debug)]
pub(super) struct Rosters(Interner<Numbered>);

#[derive(Debug)]
struct Numbered {
    actors: Box<[ActorId]>,
    hash: u128,
}

impl Interned for Numbered {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.actors == other.actors
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.actors)
    }
}

impl Rosters {
    pub(super) fn new() -> Self {
        Self(Interner::new())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The number of a roster; no other one has it.
    pub(super) fn number(&self, actors: &[ActorId]) -> u32 {
        let hash = hash(actors);
        let is_same = |numbered: &Numbered, actors: &&[ActorId]| *numbered.actors == **actors;
        self.0.intern_with(hash, &actors, is_same, |actors| Numbered { actors: (*actors).into(), hash })
    }
}

/// A list that this thread has for itself.
pub(super) fn own(actors: &[ActorId], number: u32) -> Roster {
    OWN_LISTS.with_borrow_mut(|lists| {
        let list = &mut lists[number as usize % OWN];
        match list {
            // Numbers are those of one program; there may have been others in this thread.
            Some(list) if **list == *actors => Arc::clone(list),
            other => Arc::clone(other.insert(actors.into())),
        }
    })
}

/// A hash that never leaves the process.
fn hash(actors: &[ActorId]) -> u128 {
    let mix = |sum: u128, actor: &ActorId| (sum ^ u128::from(actor.0)).wrapping_mul(FACTOR).rotate_left(61);
    actors.iter().fold(actors.len() as u128, mix).wrapping_mul(FACTOR)
}

/// Odd, so that multiplying loses nothing.
const FACTOR: u128 = 0xF39C_C060_5CED_C835_9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::{OWN, Rosters, own};
    use fabius_model::ActorId;
    use std::sync::Arc;

    #[test]
    fn equal_rosters_have_one_number_and_each_thread_a_list_of_its_own() {
        let (rosters, list) = (Rosters::new(), |length: u32| (0..length).map(ActorId).collect::<Vec<_>>());
        let numbers: Vec<u32> = (0..OWN as u32 * 3).map(|length| rosters.number(&list(length))).collect();
        for (length, number) in (0..).zip(&numbers) {
            assert_eq!(rosters.number(&list(length)), *number);
            assert_eq!(numbers.iter().filter(|other| *other == number).count(), 1);
            let own_list = own(&list(length), *number);
            assert_eq!(*own_list, *list(length));
            assert!(Arc::ptr_eq(&own_list, &own(&list(length), *number)));
            let theirs = std::thread::scope(|scope| scope.spawn(|| own(&list(length), *number)).join());
            assert!(!Arc::ptr_eq(&own_list, &theirs.expect("nobody panics")));
        }
        assert_ne!(rosters.number(&[ActorId(1), ActorId(0)]), rosters.number(&list(2)));
    }
}
