//! P's sets and maps: members are found by P's equality and listed in the order of insertion.

use crate::value::{Extent, Value};
use indexmap::{Equivalent, IndexMap, IndexSet};
use rapidhash::fast::RapidHasher;
use std::hash::{BuildHasher, Hash, Hasher};

/// A value as a member of a set or a key of a map: sameness is P's equality.
#[derive(Clone, Debug)]
struct Key(Value);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&other.0)
    }
}

// A NaN does not equal itself: it can be inserted any number of times and never found, as in P.
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_equal(&self.0, state);
    }
}

/// A key to look up.
struct Borrowed<'a>(&'a Value);

impl Hash for Borrowed<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_equal(self.0, state);
    }
}

impl Equivalent<Key> for Borrowed<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.0.equals(&key.0)
    }
}

/// A hash that is the same for values that are equal in P. It decides no order and never leaves the process.
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
        Value::Set(set) => set.hash_unordered(state),
        Value::Map(map) => map.hash_unordered(state),
        Value::Foreign(value) => value.hash(state),
    }
}

#[derive(Clone, Debug)]
pub struct Set {
    items: IndexSet<Key, Hashing>,
    extent: Extent,
}

#[derive(Clone, Debug)]
pub struct Map {
    entries: IndexMap<Key, Value, Hashing>,
    extent: Extent,
}

/// The hasher's seed is fixed, for there is nobody to defend the order of buckets against, and cloning is then free.
#[derive(Clone, Debug, Default)]
struct Hashing;

impl BuildHasher for Hashing {
    type Hasher = RapidHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        RapidHasher::default_const()
    }
}

impl Default for Set {
    fn default() -> Self {
        Self { items: IndexSet::default(), extent: Extent::EMPTY }
    }
}

impl Default for Map {
    fn default() -> Self {
        Self { entries: IndexMap::default(), extent: Extent::EMPTY }
    }
}

impl Set {
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The elements in the order of insertion.
    pub fn items(&self) -> impl Iterator<Item = &Value> {
        self.items.iter().map(|key| &key.0)
    }

    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get_index(index).map(|key| &key.0)
    }

    pub fn contains(&self, item: &Value) -> bool {
        self.items.contains(&Borrowed(item))
    }

    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// Adds an element unless there is an equal one.
    pub(crate) fn insert(&mut self, item: Value) {
        let extent = item.extent();
        if self.items.insert(Key(item)) {
            self.extent = self.extent.with(extent);
        }
    }

    /// Removes the element, if it is there; the others keep their order.
    pub(crate) fn remove(&mut self, item: &Value) {
        if let Some(gone) = self.items.shift_take(&Borrowed(item)) {
            self.extent = self.extent.without(gone.0.extent(), self.items.iter().map(|key| &key.0));
        }
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.len() == other.len() && self.items.iter().all(|key| other.items.contains(key))
    }

    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        self.items().eq(other.items())
    }

    fn hash_unordered(&self, state: &mut impl Hasher) {
        let sum = self.items.iter().fold(0_u64, |sum, key| sum.wrapping_add(Hashing.hash_one(key)));
        sum.hash(state);
    }
}

impl Map {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys and values in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter().map(|(key, value)| (&key.0, value))
    }

    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.entries.get(&Borrowed(key))
    }

    /// The key at a position.
    pub fn key(&self, index: usize) -> Option<&Value> {
        self.entries.get_index(index).map(|(key, _)| &key.0)
    }

    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// Sets a key's value; a new key goes to the end.
    pub(crate) fn insert(&mut self, key: Value, value: Value) {
        let (key_extent, new) = (key.extent(), value.extent());
        match self.entries.insert(Key(key), value) {
            None => self.extent = self.extent.with(key_extent).with(new),
            Some(old) => self.extent = self.extent.replaced(old.extent(), new, parts(&self.entries)),
        }
    }

    /// Removes the key, if it is there; the others keep their order.
    pub(crate) fn remove(&mut self, key: &Value) {
        if let Some((key, value)) = self.entries.shift_remove_entry(&Borrowed(key)) {
            let rest = parts(&self.entries);
            self.extent = self.extent.without(key.0.extent(), rest);
            self.extent = self.extent.without(value.extent(), parts(&self.entries));
        }
    }

    /// Lets `change` change the value of a key; `None` when there is no such key.
    pub(crate) fn change<R>(&mut self, key: &Value, change: impl FnOnce(&mut Value) -> R) -> Option<R> {
        let value = self.entries.get_mut(&Borrowed(key))?;
        let old = value.extent();
        let result = change(value);
        let new = value.extent();
        self.extent = self.extent.replaced(old, new, parts(&self.entries));
        Some(result)
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        let same =
            |(key, value): (&Key, &Value)| other.entries.get(key).is_some_and(|other| other.equals(value));
        self.len() == other.len() && self.entries.iter().all(same)
    }

    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        self.entries().eq(other.entries())
    }

    fn hash_unordered(&self, state: &mut impl Hasher) {
        let hash = |(key, _): (&Key, &Value)| Hashing.hash_one(key);
        let sum = self.entries.iter().map(hash).fold(0_u64, u64::wrapping_add);
        sum.hash(state);
    }
}

fn parts(entries: &IndexMap<Key, Value, Hashing>) -> impl Iterator<Item = &Value> {
    entries.iter().flat_map(|(key, value)| [&key.0, value])
}
