//! A table with a value per actor that is emptied in no time between runs.
//!
//! Ids of actors are small numbers in practice, so a lookup is an index into an array. Nothing promises that they are:
//! ids past [`DENSE`] go to a map.

use std::collections::HashMap;

use fabius_model::ActorId;

/// How many ids have a place in the array.
const DENSE: usize = 1 << 16;

/// A value for some of the actors.
#[derive(Clone, Debug)]
pub struct PerActor<T> {
    // A slot holds a value of the current run if its stamp is `stamp`, else it is empty.
    slots: Vec<(u32, T)>,
    stamp: u32,
    others: HashMap<ActorId, T>,
}

impl<T: Copy + Default> PerActor<T> {
    /// A table without values.
    pub fn new() -> PerActor<T> {
        PerActor { slots: Vec::new(), stamp: 1, others: HashMap::new() }
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.others.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            // After 2^32 runs old stamps would count again.
            self.slots.clear();
            self.stamp = 1;
        }
    }

    /// The actor's value.
    #[inline]
    pub fn get(&self, actor: ActorId) -> Option<T> {
        match self.slots.get(actor.0 as usize) {
            Some(&(stamp, value)) => (stamp == self.stamp).then_some(value),
            None if (actor.0 as usize) < DENSE => None,
            None => self.others.get(&actor).copied(),
        }
    }

    /// Gives the actor a value.
    #[inline]
    pub fn set(&mut self, actor: ActorId, value: T) {
        let index = actor.0 as usize;
        if index >= DENSE {
            self.others.insert(actor, value);
            return;
        }
        if index >= self.slots.len() {
            self.slots.resize(index + 1, (0, T::default()));
        }
        self.slots[index] = (self.stamp, value);
    }

    /// Takes the actor's value away.
    #[inline]
    pub fn remove(&mut self, actor: ActorId) {
        let index = actor.0 as usize;
        if index >= DENSE {
            self.others.remove(&actor);
        } else if let Some(slot) = self.slots.get_mut(index) {
            slot.0 = 0;
        }
    }
}

impl<T: Copy + Default> Default for PerActor<T> {
    fn default() -> PerActor<T> {
        PerActor::new()
    }
}
