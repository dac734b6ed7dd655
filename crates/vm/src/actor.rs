//! Who is who: machines are named by how they came into being.
//!
//! A machine's identity is its creator's identity, its place among the machines that the creator created, and the
//! interface it was created through. Two interleavings that create the same machines in another order thus give them the
//! same identities, and meet in the same state. Identities are ordered like the words of a dictionary.

use crate::table::{Interned, Interner};
use fabius_lang::ids::{InterfaceId, MachineId};
use fabius_model::ActorId;
use std::cmp::Ordering;
use xxhash_rust::xxh3::xxh3_128;

/// An identity.
#[derive(Debug)]
pub(crate) struct Actor {
    /// The creator; `None` for the main machine.
    parent: Option<ActorId>,
    /// How many creations led here.
    depth: u32,
    index: u32,
    pub(crate) interface: InterfaceId,
    pub(crate) machine: MachineId,
    hash: u128,
}

impl Interned for Actor {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.parent, self.place()) == (other.parent, other.place())
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Actor {
    pub(crate) fn parent(&self) -> Option<ActorId> {
        self.parent
    }

    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    fn place(&self) -> (u32, InterfaceId) {
        (self.index, self.interface)
    }
}

/// All identities met so far.
#[derive(Debug)]
pub(crate) struct Actors {
    table: Interner<Actor>,
}

impl Actors {
    pub(crate) fn new() -> Self {
        Self { table: Interner::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
    }

    pub(crate) fn table(&self) -> &Interner<Actor> {
        &self.table
    }

    pub(crate) fn get(&self, id: ActorId) -> &Actor {
        self.table.get(id.0)
    }

    /// 128 bits of the identity.
    pub(crate) fn hash(&self, id: ActorId) -> u128 {
        self.get(id).hash
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The main machine.
    pub(crate) fn main(&self, interface: InterfaceId, machine: MachineId) -> ActorId {
        let hash = hash(0, 0, interface);
        let actor = Actor { parent: None, depth: 0, index: 0, interface, machine, hash };
        ActorId(self.table.intern(actor))
    }

    /// The machine that `parent` creates after `index` others.
    pub(crate) fn child(
        &self,
        parent: ActorId,
        index: u32,
        interface: InterfaceId,
        machine: MachineId,
    ) -> ActorId {
        let creator = self.get(parent);
        let (depth, hash) = (creator.depth + 1, hash(creator.hash, index, interface));
        let actor = Actor { parent: Some(parent), depth, index, interface, machine, hash };
        ActorId(self.table.intern(actor))
    }

    pub(crate) fn compare(&self, a: ActorId, b: ActorId) -> Ordering {
        let depth = self.get(a).depth.min(self.get(b).depth);
        let (mut left, mut right) = (self.ancestor(a, depth), self.ancestor(b, depth));
        if left == right {
            return self.get(a).depth.cmp(&self.get(b).depth);
        }
        // The creators of two main machines, none, are the same.
        while self.get(left).parent != self.get(right).parent {
            (left, right) = (self.parent(left), self.parent(right));
        }
        self.get(left).place().cmp(&self.get(right).place())
    }

    fn parent(&self, actor: ActorId) -> ActorId {
        self.get(actor).parent.unwrap_or(actor)
    }

    fn ancestor(&self, mut actor: ActorId, depth: u32) -> ActorId {
        while self.get(actor).depth > depth {
            actor = self.parent(actor);
        }
        actor
    }

    /// The number that people see. As long as only the main machine creates others, it is the number that P gives.
    pub(crate) fn number(&self, actor: ActorId) -> String {
        let mut places = Vec::new();
        let mut at = actor;
        while let Some(parent) = self.get(at).parent {
            places.push(u64::from(self.get(at).index) + 1);
            at = parent;
        }
        let Some(first) = places.pop() else { return "1".into() };
        let mut number = (first + 1).to_string();
        for place in places.iter().rev() {
            number.push('.');
            number.push_str(&place.to_string());
        }
        number
    }
}

fn hash(parent: u128, index: u32, interface: InterfaceId) -> u128 {
    let mut bytes = [0; 24];
    bytes[..16].copy_from_slice(&parent.to_le_bytes());
    bytes[16..20].copy_from_slice(&index.to_le_bytes());
    bytes[20..].copy_from_slice(&interface.0.to_le_bytes());
    xxh3_128(&bytes)
}

#[cfg(test)]
mod tests {
    use super::Actors;
    use fabius_lang::ids::{InterfaceId, MachineId};
    use fabius_model::ActorId;
    use std::cmp::Ordering;

    fn main(actors: &Actors) -> ActorId {
        actors.main(InterfaceId(0), MachineId(0))
    }

    fn child(actors: &Actors, parent: ActorId, index: u32) -> ActorId {
        actors.child(parent, index, InterfaceId(1), MachineId(1))
    }

    #[test]
    fn identities_do_not_depend_on_the_order_of_creation() {
        let (a, b) = (Actors::new(), Actors::new());
        let (main_a, main_b) = (main(&a), main(&b));
        let (first, second) = (child(&a, main_a, 0), child(&a, main_a, 1));
        let (second_b, first_b) = (child(&b, main_b, 1), child(&b, main_b, 0));
        assert_ne!(first, first_b, "the ids differ");
        assert_eq!(a.hash(first), b.hash(first_b));
        assert_eq!(a.hash(second), b.hash(second_b));
        assert_eq!(a.compare(first, second), b.compare(first_b, second_b));
    }

    #[test]
    fn one_place_filled_through_two_interfaces_is_two_machines() {
        let actors = Actors::new();
        let main = main(&actors);
        let through = |interface| actors.child(main, 0, InterfaceId(interface), MachineId(1));
        assert_ne!(through(1), through(2));
        assert_eq!(through(1), through(1));
        assert_eq!(actors.compare(through(1), through(2)), Ordering::Less);
    }

    #[test]
    fn identities_are_ordered_like_words() {
        let actors = Actors::new();
        let main = main(&actors);
        let (first, second) = (child(&actors, main, 0), child(&actors, main, 1));
        let (under_first, under_second) = (child(&actors, first, 5), child(&actors, second, 0));
        let deep = child(&actors, under_first, 7);
        let ordered = [main, first, under_first, deep, second, under_second];
        for (at, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                assert_eq!(actors.compare(*a, *b), at.cmp(&other), "{at} {other}");
            }
        }
    }

    #[test]
    fn children_of_main_are_numbered_as_in_p_and_others_by_their_path() {
        let actors = Actors::new();
        let main = main(&actors);
        let second = child(&actors, main, 1);
        let below = child(&actors, second, 0);
        let deep = child(&actors, below, 2);
        assert_eq!([main, second, below, deep].map(|actor| actors.number(actor)), ["1", "3", "3.1", "3.1.3"]);
    }
}
