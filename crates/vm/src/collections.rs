//! P's sets and maps: members are found by P's equality and listed in the order of insertion.
//!
//! Members lie in a vector. Small collections are searched from the front; larger ones have an index from hashes to
//! positions. A NaN does not equal itself: it can be inserted any number of times and never found, as in P.

use crate::value::{Cached, Extent, Reference, Value};
use hashbrown::HashTable;
use rapidhash::fast::RapidHasher;
use std::hash::{Hash, Hasher};

#[derive(Clone, Debug, Default)]
pub struct Set {
    members: Members<Value>,
}

#[derive(Clone, Debug, Default)]
pub struct Map {
    members: Members<(Value, Value)>,
}

/// Something with a key that it is found by.
trait Member {
    fn key(&self) -> &Value;
    fn extents(&self) -> [Option<Extent>; 2];
    fn parts(&self) -> impl Iterator<Item = &Value>;
}

impl Member for Value {
    fn key(&self) -> &Value {
        self
    }

    fn extents(&self) -> [Option<Extent>; 2] {
        [Some(self.extent()), None]
    }

    fn parts(&self) -> impl Iterator<Item = &Value> {
        std::iter::once(self)
    }
}

impl Member for (Value, Value) {
    fn key(&self) -> &Value {
        &self.0
    }

    fn extents(&self) -> [Option<Extent>; 2] {
        [Some(self.0.extent()), Some(self.1.extent())]
    }

    fn parts(&self) -> impl Iterator<Item = &Value> {
        [&self.0, &self.1].into_iter()
    }
}

/// The members of a collection.
///
/// Invariant: `index` is there exactly when there were more than `SMALL` members since it was last empty; it then holds
/// every position under the hash of the key there. No two keys are equal.
#[derive(Clone, Debug)]
struct Members<M> {
    list: Vec<M>,
    index: Option<Box<HashTable<u32>>>,
    extent: Extent,
    hash: Cached,
}

/// Up to this size, looking at each member is as fast as hashing.
const SMALL: usize = 8;

impl<M> Default for Members<M> {
    fn default() -> Self {
        Self { list: Vec::new(), index: None, extent: Extent::EMPTY, hash: Cached::default() }
    }
}

impl<M: Member> Members<M> {
    fn position(&self, key: &Value) -> Option<usize> {
        let Some(index) = &self.index else {
            // Most keys are numbers or machines.
            let mut members = self.list.iter();
            return match key {
                Value::Int(key) => {
                    members.position(|member| matches!(member.key(), Value::Int(other) if other == key))
                }
                Value::Machine(Reference { actor, .. }) => members.position(
                    |member| matches!(member.key(), Value::Machine(other) if other.actor == *actor),
                ),
                _ => members.position(|member| member.key().equals(key)),
            };
        };
        let found = index.find(hash(key), |at| self.list[*at as usize].key().equals(key));
        found.map(|at| *at as usize)
    }

    /// Adds a member whose key is not there yet.
    fn push(&mut self, member: M) {
        self.hash.reset();
        self.extent = member.extents().into_iter().flatten().fold(self.extent, Extent::with);
        self.list.push(member);
        if let Some(index) = &mut self.index {
            let at = self.list.len() - 1;
            let list = &self.list;
            index.insert_unique(hash(list[at].key()), at as u32, |at| hash(list[*at as usize].key()));
        } else if self.list.len() > SMALL {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let mut index = HashTable::with_capacity(self.list.len() * 2);
        let list = &self.list;
        for (at, member) in list.iter().enumerate() {
            index.insert_unique(hash(member.key()), at as u32, |at| hash(list[*at as usize].key()));
        }
        self.index = Some(Box::new(index));
    }

    /// Removes a member; the others keep their order.
    fn remove(&mut self, at: usize) {
        self.hash.reset();
        let gone = self.list.remove(at);
        for part in gone.extents().into_iter().flatten() {
            self.extent = self.extent.without(part, self.list.iter().flat_map(Member::parts));
        }
        if self.index.is_some() {
            self.build_index();
        }
    }

    /// Lets `change` change a member, but not its key.
    fn change<R>(&mut self, at: usize, change: impl FnOnce(&mut M) -> R) -> R {
        self.hash.reset();
        let old = self.list[at].extents();
        let result = change(&mut self.list[at]);
        let new = self.list[at].extents();
        for (old, new) in old.into_iter().zip(new) {
            if let (Some(old), Some(new)) = (old, new) {
                self.extent = self.extent.replaced(old, new, self.list.iter().flat_map(Member::parts));
            }
        }
        result
    }
}

impl Set {
    pub fn len(&self) -> usize {
        self.members.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.list.is_empty()
    }

    /// The elements in the order of insertion.
    pub fn items(&self) -> impl Iterator<Item = &Value> {
        self.members.list.iter()
    }

    pub fn get(&self, index: usize) -> Option<&Value> {
        self.members.list.get(index)
    }

    pub fn contains(&self, item: &Value) -> bool {
        self.members.position(item).is_some()
    }

    pub(crate) fn extent(&self) -> Extent {
        self.members.extent
    }

    pub(crate) fn hash(&self) -> &Cached {
        &self.members.hash
    }

    /// Adds an element unless there is an equal one.
    pub(crate) fn insert(&mut self, item: Value) {
        if !self.contains(&item) {
            self.members.push(item);
        }
    }

    /// Removes the element, if it is there; the others keep their order.
    pub(crate) fn remove(&mut self, item: &Value) {
        if let Some(at) = self.members.position(item) {
            self.members.remove(at);
        }
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.len() == other.len() && self.items().all(|item| other.contains(item))
    }

    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        self.members.list == other.members.list
    }
}

impl Map {
    pub fn len(&self) -> usize {
        self.members.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.list.is_empty()
    }

    /// Keys and values in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.members.list.iter().map(|(key, value)| (key, value))
    }

    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.members.position(key).map(|at| &self.members.list[at].1)
    }

    /// The key at a position.
    pub fn key(&self, index: usize) -> Option<&Value> {
        self.members.list.get(index).map(|(key, _)| key)
    }

    pub(crate) fn extent(&self) -> Extent {
        self.members.extent
    }

    pub(crate) fn hash(&self) -> &Cached {
        &self.members.hash
    }

    /// Sets a key's value; a new key goes to the end.
    pub(crate) fn insert(&mut self, key: Value, value: Value) {
        match self.members.position(&key) {
            Some(at) => self.members.change(at, |(_, old)| *old = value),
            None => self.members.push((key, value)),
        }
    }

    /// Removes the key, if it is there; the others keep their order.
    pub(crate) fn remove(&mut self, key: &Value) {
        if let Some(at) = self.members.position(key) {
            self.members.remove(at);
        }
    }

    /// Lets `change` change the value of a key; `None` when there is no such key.
    pub(crate) fn change<R>(&mut self, key: &Value, change: impl FnOnce(&mut Value) -> R) -> Option<R> {
        let at = self.members.position(key)?;
        Some(self.members.change(at, |(_, value)| change(value)))
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        let same = |(key, value): (&Value, &Value)| other.get(key).is_some_and(|other| other.equals(value));
        self.len() == other.len() && self.entries().all(same)
    }

    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        self.members.list == other.members.list
    }
}

/// A hash that is the same for values that are equal in P. It decides no order and never leaves the process.
fn hash(value: &Value) -> u64 {
    let mut hasher = RapidHasher::default_const();
    hash_equal(value, &mut hasher);
    hasher.finish()
}

fn hash_equal(value: &Value, state: &mut impl Hasher) {
    std::mem::discriminant(value).hash(state);
    match value {
        Value::Null => {}
        Value::Bool(value) => value.hash(state),
        Value::Int(value) => value.hash(state),
        // Adding zero makes -0.0 positive.
        Value::Float(value) => (value + 0.0).to_bits().hash(state),
        Value::Event(event) => event.hash(state),
        Value::Machine(reference) => reference.actor.hash(state),
        Value::String(text) => text.as_str().hash(state),
        Value::Tuple(tuple) => tuple.items().iter().for_each(|item| hash_equal(item, state)),
        Value::Seq(seq) => seq.items().iter().for_each(|item| hash_equal(item, state)),
        // Whatever the order.
        Value::Set(set) => set.items().map(hash).fold(0_u64, u64::wrapping_add).hash(state),
        Value::Map(map) => map.entries().map(|(key, _)| hash(key)).fold(0_u64, u64::wrapping_add).hash(state),
        Value::Foreign(value) => {
            value.content().hash(state);
            value.parts().iter().for_each(|part| hash_equal(part, state));
        }
    }
}

#[cfg(test)]
mod tests;
