//! The values of P: immutable, shared, copied only when they are changed while shared.
//!
//! There are two notions of sameness, and they must not be mixed. `==` on [`Value`] is *identity*: equal values have
//! equal futures in every respect; it tells sets with another order of insertion apart, because `foreach` does, and
//! references to one machine with different permissions, and 0.0 from -0.0. [`Value::equals`] is P's `==`: sets and
//! maps without regard to order, machines by who they are, floats by number (so that a NaN equals nothing).
//!
//! An enum element is its number, as in P.
//!
//! Invariant: each composite value knows its exact [`Extent`], so that limits are checked in constant time and no
//! walk over a value goes deeper than the limit on depth. The constructors and the methods that change a composite
//! keep it.

use crate::collections::{Map, Set};
use fabius_lang::ids::EventId;
use fabius_model::ActorId;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_128;

#[derive(Debug)]
pub enum Value {
    Null,
    Bool(bool),
    /// An integer or an enum element.
    Int(i64),
    Float(f64),
    Event(EventId),
    Machine(Reference),
    String(Arc<Text>),
    Tuple(Arc<Tuple>),
    Seq(Arc<Seq>),
    Set(Arc<Set>),
    Map(Arc<Map>),
    Foreign(Arc<ForeignValue>),
}

/// A reference to a machine, with what it permits to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    pub actor: ActorId,
    pub permission: Permission,
}

/// What a machine may be sent through a reference: an interface's events or, beyond the interfaces, those that a machine
/// receives. `link.rs` knows the sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permission(pub(crate) u32);

/// A string.
#[derive(Debug, PartialEq, Eq)]
pub struct Text(pub(crate) Box<str>);

/// The names of a named tuple's fields.
///
/// All tuples of a type have the same ones, and threads that count them together wait for each other. So those of the
/// program are copied once for each thread, and it counts its own.
#[derive(Debug)]
pub struct FieldNames(Arc<NameList>);

#[derive(Clone, Debug)]
struct NameList {
    /// All copies share them.
    names: Arc<[Box<str>]>,
    hash: u128,
    /// That of a type of the linked program, if it belongs to one.
    number: Option<u32>,
}

/// So many lists of names are a thread's own at a time.
const OWN_NAMES: usize = 16;

thread_local! {
    /// By their numbers.
    static OWN: RefCell<[Option<FieldNames>; OWN_NAMES]> = const { RefCell::new([const { None }; OWN_NAMES]) };
}

impl Clone for FieldNames {
    #[inline]
    fn clone(&self) -> Self {
        let Some(number) = self.0.number else { return Self(Arc::clone(&self.0)) };
        OWN.with_borrow_mut(|own| {
            let own = &mut own[number as usize % OWN_NAMES];
            let own = match own {
                Some(own) if own.is_shared_with(self) => own,
                other => other.insert(Self(Arc::new(NameList::clone(&self.0)))),
            };
            Self(Arc::clone(&own.0))
        })
    }
}

impl FieldNames {
    pub fn new(names: impl IntoIterator<Item = impl Into<Box<str>>>) -> Self {
        Self::numbered(names, None)
    }

    /// Names with a number by which their program knows them.
    pub(crate) fn numbered(
        names: impl IntoIterator<Item = impl Into<Box<str>>>,
        number: Option<u32>,
    ) -> Self {
        let names: Arc<[Box<str>]> = names.into_iter().map(Into::into).collect();
        // No name holds a zero.
        Self(Arc::new(NameList { hash: xxh3_128(names.join("\0").as_bytes()), names, number }))
    }

    pub(crate) fn number(&self) -> Option<u32> {
        self.0.number
    }

    pub fn as_slice(&self) -> &[Box<str>] {
        &self.0.names
    }

    /// Whether both are the same list.
    #[inline]
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.names, &other.0.names)
    }

    /// 128 bits of the names.
    pub(crate) fn hash(&self) -> u128 {
        self.0.hash
    }
}

impl PartialEq for FieldNames {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other) || self.0.names == other.0.names
    }
}

impl Eq for FieldNames {}

/// A tuple, with or without names for its items.
#[derive(Clone, Debug)]
pub struct Tuple {
    names: Option<FieldNames>,
    items: Box<[Value]>,
    extent: Extent,
}

#[derive(Clone, Debug)]
pub struct Seq {
    items: Vec<Value>,
    extent: Extent,
    hash: Cached,
}

/// A content hash once it has been computed. It is no part of the value: copies begin without, and whoever changes the
/// value resets it.
///
/// Invariant: the lower half is 0 as long as the hash is not known, and is written after the other. (A hash whose lower
/// half is 0 is computed each time.)
#[derive(Debug, Default)]
pub(crate) struct Cached {
    high: AtomicU64,
    low: AtomicU64,
}

impl Clone for Cached {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Cached {
    pub(crate) fn get(&self) -> Option<u128> {
        let low = self.low.load(Ordering::Acquire);
        let high = self.high.load(Ordering::Relaxed);
        (low != 0).then_some(u128::from(high) << 64 | u128::from(low))
    }

    /// For a copy of something that never changes.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::default();
        self.get().into_iter().for_each(|hash| copy.set(hash));
        copy
    }

    pub(crate) fn set(&self, hash: u128) {
        // Whoever was faster has set the same.
        self.high.store((hash >> 64) as u64, Ordering::Relaxed);
        self.low.store(hash as u64, Ordering::Release);
    }

    pub(crate) fn reset(&mut self) {
        *self.low.get_mut() = 0;
    }
}

/// A value of a foreign type: its type's name and a canonical form that the foreign functions understand.
#[derive(Debug, PartialEq, Eq)]
pub struct ForeignValue {
    type_name: Box<str>,
    content: Box<str>,
    parts: Box<[Value]>,
    extent: Extent,
}

/// How large a value is as a tree: shared parts count each time they occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) bytes: usize,
    /// 0 for values without parts, else one more than the deepest part's.
    pub(crate) depth: u32,
}

/// What one part of a composite value counts for.
const PART: usize = 16;

impl Extent {
    pub(crate) const SCALAR: Self = Self { bytes: PART, depth: 0 };
    pub(crate) const EMPTY: Self = Self { bytes: PART, depth: 1 };

    pub(crate) fn of_parts<'a>(parts: impl Iterator<Item = &'a Value>) -> Self {
        parts.fold(Self::EMPTY, |extent, part| extent.with(part.extent()))
    }

    pub(crate) fn with(self, part: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(part.bytes),
            depth: self.depth.max(part.depth.saturating_add(1)),
        }
    }

    /// The extent after a part has gone. Walks over the remaining `parts` only when it may have been the deepest.
    pub(crate) fn without<'a>(self, part: Self, parts: impl Iterator<Item = &'a Value>) -> Self {
        if self.may_shrink(part) {
            return Self::of_parts(parts);
        }
        Self { bytes: self.bytes - part.bytes, depth: self.depth }
    }

    /// The extent after a part has changed. Walks over the `parts`, as they are now, only when `old` may have been the
    /// deepest.
    pub(crate) fn replaced<'a>(self, old: Self, new: Self, parts: impl Iterator<Item = &'a Value>) -> Self {
        if self.may_shrink(old) && old != new {
            return Self::of_parts(parts);
        }
        Self { bytes: self.bytes - old.bytes, depth: self.depth }.with(new)
    }

    /// Whether taking the part away can make the rest less deep; also for saturated sizes, which must be counted anew.
    fn may_shrink(self, part: Self) -> bool {
        self.bytes == usize::MAX || (part.depth > 0 && part.depth.saturating_add(1) >= self.depth)
    }
}

impl Clone for Value {
    // Most values are numbers and the like; the compiler would ask which.
    #[inline]
    #[allow(unsafe_code)]
    fn clone(&self) -> Self {
        if self.is_scalar() {
            // SAFETY: such a value owns nothing, and all that is in it can be copied: a copy of its bits is another.
            unsafe { std::ptr::read(self) }
        } else {
            self.share_parts()
        }
    }
}

impl Value {
    /// A copy of a value that has parts or text: they are shared.
    #[inline(never)]
    fn share_parts(&self) -> Self {
        match self {
            Self::String(text) => Self::String(text.clone()),
            Self::Tuple(tuple) => Self::Tuple(tuple.clone()),
            Self::Seq(seq) => Self::Seq(seq.clone()),
            Self::Set(set) => Self::Set(set.clone()),
            Self::Map(map) => Self::Map(map.clone()),
            Self::Foreign(value) => Self::Foreign(value.clone()),
            scalar => unreachable!("{scalar:?} has no parts"),
        }
    }

    /// Makes a tuple one of its own, with those in it: what threads count together costs them more than copies of the small
    /// values that most messages are. Larger ones stay shared.
    pub(crate) fn detach(&mut self) {
        if let Self::Tuple(tuple) = self {
            let mut copy = Tuple::clone(tuple);
            copy.items.iter_mut().for_each(Self::detach);
            *tuple = Arc::new(copy);
        }
    }

    /// Whether it is a number or the like, which holds no memory.
    #[inline]
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(
            self,
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Event(_) | Self::Machine(_)
        )
    }

    /// Puts another value into its place.
    #[inline]
    pub(crate) fn put(&mut self, value: Self) {
        if self.is_scalar() {
            // There is nothing to drop, and nothing to call.
            std::mem::forget(std::mem::replace(self, value));
        } else {
            *self = value;
        }
    }

    /// Puts a copy of another value into its place.
    #[inline]
    pub(crate) fn put_copy(&mut self, of: &Self) {
        if self.is_scalar() && of.is_scalar() {
            std::mem::forget(std::mem::replace(self, of.clone()));
        } else {
            self.put_shared(of);
        }
    }

    #[inline(never)]
    fn put_shared(&mut self, of: &Self) {
        self.put(of.clone());
    }

    #[inline]
    pub(crate) fn empty(&mut self) {
        self.put(Self::Null);
    }

    /// Drops it, without a call where there is nothing to drop.
    #[inline]
    pub(crate) fn discard(self) {
        if self.is_scalar() {
            std::mem::forget(self);
        }
    }

    pub fn string(text: impl Into<Box<str>>) -> Self {
        Self::String(Arc::new(Text(text.into())))
    }

    pub fn tuple(items: impl Into<Box<[Value]>>) -> Self {
        Self::Tuple(Arc::new(Tuple::new(None, items.into())))
    }

    /// A named tuple; there are as many names as items.
    pub fn named_tuple(names: FieldNames, items: impl Into<Box<[Value]>>) -> Self {
        Self::Tuple(Arc::new(Tuple::new(Some(names), items.into())))
    }

    pub fn seq(items: impl IntoIterator<Item = Value>) -> Self {
        Self::Seq(Arc::new(Seq::new(items.into_iter().collect())))
    }

    /// A set; of equal elements the first stays.
    pub fn set(items: impl IntoIterator<Item = Value>) -> Self {
        let mut set = Set::default();
        for item in items {
            set.insert(item);
        }
        Self::Set(Arc::new(set))
    }

    /// A map; of equal keys the last one's value stays.
    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let mut map = Map::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        Self::Map(Arc::new(map))
    }

    /// A foreign value; see [`ForeignValue`] for what its content may be.
    pub fn foreign(
        type_name: impl Into<Box<str>>,
        content: impl Into<Box<str>>,
        parts: impl Into<Box<[Value]>>,
    ) -> Self {
        let (type_name, content, parts) = (type_name.into(), content.into(), parts.into());
        let mut extent = if parts.is_empty() { Extent::SCALAR } else { Extent::of_parts(parts.iter()) };
        extent.bytes = extent.bytes.saturating_add(content.len());
        Self::Foreign(Arc::new(ForeignValue { type_name, content, parts, extent }))
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(&text.0),
            _ => None,
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        match self {
            Self::String(text) => Extent { bytes: PART + text.0.len(), depth: 0 },
            Self::Foreign(value) => value.extent,
            Self::Tuple(tuple) => tuple.extent,
            Self::Seq(seq) => seq.extent,
            Self::Set(set) => set.extent(),
            Self::Map(map) => map.extent(),
            _ => Extent::SCALAR,
        }
    }

    /// Roughly the bytes that it holds beside itself, divided by how many share them.
    pub(crate) fn share(&self) -> usize {
        let holders = match self {
            Self::String(text) => Arc::strong_count(text),
            Self::Tuple(tuple) => Arc::strong_count(tuple),
            Self::Seq(seq) => Arc::strong_count(seq),
            Self::Set(set) => Arc::strong_count(set),
            Self::Map(map) => Arc::strong_count(map),
            Self::Foreign(value) => Arc::strong_count(value),
            _ => return 0,
        };
        self.extent().bytes * 2 / holders
    }

    /// What the value is, for messages: `a seq`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an int",
            Self::Float(_) => "a float",
            Self::Event(_) => "an event",
            Self::Machine(_) => "a machine",
            Self::String(_) => "a string",
            Self::Tuple(tuple) if tuple.names.is_some() => "a named tuple",
            Self::Tuple(_) => "a tuple",
            Self::Seq(_) => "a seq",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Foreign(_) => "a foreign value",
        }
    }

    /// P's `==`.
    #[inline]
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (a, b) => a.has_equal_content(b),
        }
    }

    fn has_equal_content(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Event(a), Self::Event(b)) => a == b,
            (Self::Machine(a), Self::Machine(b)) => a.actor == b.actor,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Tuple(a), Self::Tuple(b)) => a.equals(b),
            (Self::Seq(a), Self::Seq(b)) => all_equal(&a.items, &b.items),
            (Self::Set(a), Self::Set(b)) => a.equals(b),
            (Self::Map(a), Self::Map(b)) => a.equals(b),
            (Self::Foreign(a), Self::Foreign(b)) => a.equals(b),
            _ => false,
        }
    }
}

fn all_equal(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
}

/// Identity; see the module's documentation.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Event(a), Self::Event(b)) => a == b,
            (Self::Machine(a), Self::Machine(b)) => a == b,
            (Self::String(a), Self::String(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Tuple(a), Self::Tuple(b)) => Arc::ptr_eq(a, b) || a.is_identical(b),
            (Self::Seq(a), Self::Seq(b)) => Arc::ptr_eq(a, b) || a.items == b.items,
            (Self::Set(a), Self::Set(b)) => Arc::ptr_eq(a, b) || a.is_identical(b),
            (Self::Map(a), Self::Map(b)) => Arc::ptr_eq(a, b) || a.is_identical(b),
            (Self::Foreign(a), Self::Foreign(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Text {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Tuple {
    pub(crate) fn new(names: Option<FieldNames>, items: Box<[Value]>) -> Self {
        debug_assert!(names.as_ref().is_none_or(|names| names.as_slice().len() == items.len()));
        let extent = Extent::of_parts(items.iter());
        Self { names, items, extent }
    }

    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    pub fn names(&self) -> Option<&FieldNames> {
        self.names.as_ref()
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Lets `change` change an item.
    pub(crate) fn change<R>(&mut self, index: usize, change: impl FnOnce(&mut Value) -> R) -> R {
        let old = self.items[index].extent();
        let result = change(&mut self.items[index]);
        let new = self.items[index].extent();
        self.extent = self.extent.replaced(old, new, self.items.iter());
        result
    }

    fn equals(&self, other: &Self) -> bool {
        self.names == other.names && all_equal(&self.items, &other.items)
    }

    fn is_identical(&self, other: &Self) -> bool {
        self.names == other.names && self.items == other.items
    }
}

impl ForeignValue {
    /// The name of its type.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Its form. Equal values have equal contents. Each U+0000 in it stands for the next of the parts.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Values of P inside it.
    pub fn parts(&self) -> &[Value] {
        &self.parts
    }

    fn equals(&self, other: &Self) -> bool {
        self.type_name == other.type_name
            && self.content == other.content
            && all_equal(&self.parts, &other.parts)
    }
}

impl Seq {
    pub(crate) fn new(items: Vec<Value>) -> Self {
        let extent = Extent::of_parts(items.iter());
        Self { items, extent, hash: Cached::default() }
    }

    pub(crate) fn hash(&self) -> &Cached {
        &self.hash
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Inserts at a position up to the length.
    pub(crate) fn insert(&mut self, index: usize, item: Value) {
        self.hash.reset();
        self.extent = self.extent.with(item.extent());
        self.items.insert(index, item);
    }

    pub(crate) fn remove(&mut self, index: usize) {
        self.hash.reset();
        let item = self.items.remove(index);
        self.extent = self.extent.without(item.extent(), self.items.iter());
    }

    /// Lets `change` change an item.
    pub(crate) fn change<R>(&mut self, index: usize, change: impl FnOnce(&mut Value) -> R) -> R {
        self.hash.reset();
        let old = self.items[index].extent();
        let result = change(&mut self.items[index]);
        let new = self.items[index].extent();
        self.extent = self.extent.replaced(old, new, self.items.iter());
        result
    }
}
