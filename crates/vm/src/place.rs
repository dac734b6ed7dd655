//! Changing parts of values, in place where nobody else holds them.

use crate::bug::{BugKind, Fallible, Fault};
use crate::operators::{misfit, out_of_range};
use crate::value::{FieldNames, Value};
use std::sync::Arc;

/// How many items of a sequence move in the time in which one is copied.
const MOVED_PER_PART: usize = 8;

/// A step from a value into a part of it.
#[derive(Debug)]
pub(crate) enum Access {
    /// A tuple's item. `names` are those of the static type: a cast may have let a tuple with other fields pass.
    Item { index: u32, names: Option<FieldNames> },
    /// An element of a sequence, or the value of a map's key.
    Index(Value),
}

/// What to do with the part that is reached.
#[derive(Debug)]
pub(crate) enum Change {
    /// `part = value`
    Assign(Value),
    /// `part += (key, value)`, on a sequence or map.
    Insert(Value, Value),
    /// `part += (value)`, on a set.
    Add(Value),
    /// `part -= key`, on a sequence, set or map.
    Remove(Value),
}

/// Changes the part of `value` that `path` leads to. Where nothing goes wrong, extents are exact afterwards; where
/// something does, the value is as before.
pub(crate) fn change(value: &mut Value, path: &[Access], what: Change) -> Fallible<()> {
    let Some((access, rest)) = path.split_first() else { return apply(value, what) };
    match access {
        Access::Item { index, names } => {
            let Value::Tuple(tuple) = value else { return Err(misfit(value, "a tuple")) };
            let index = item_index(tuple.names(), tuple.items().len(), *index, names.as_ref())?;
            Arc::make_mut(tuple).change(index, |item| change(item, rest, what))
        }
        Access::Index(key) => match value {
            Value::Seq(seq) => {
                let index = position(key, seq.items().len(), 0)?;
                Arc::make_mut(seq).change(index, |item| change(item, rest, what))
            }
            Value::Map(map) => {
                check_key(key)?;
                match what {
                    Change::Assign(new) if rest.is_empty() => {
                        Arc::make_mut(map).insert(key.clone(), new);
                        Ok(())
                    }
                    what => {
                        let changed = Arc::make_mut(map).change(key, |value| change(value, rest, what));
                        changed.unwrap_or_else(|| Err(missing_key()))
                    }
                }
            }
            Value::Set(_) => Err(Fault::new(BugKind::BadCast, "elements of a set cannot be assigned")),
            _ => Err(misfit(value, "a seq or map")),
        },
    }
}

/// How many parts of values `change` is going to touch: those of collections that others hold too, which it copies, and
/// those that move up or down or are found anew. What it does in place costs the same for any size.
pub(crate) fn parts_touched(value: &Value, path: &[Access], what: &Change) -> usize {
    let Some((access, rest)) = path.split_first() else { return 1 + touched_by(value, what) };
    let next = match (access, value) {
        (Access::Item { index, names }, Value::Tuple(tuple)) => {
            let index = item_index(tuple.names(), tuple.items().len(), *index, names.as_ref());
            index.ok().and_then(|index| tuple.items().get(index))
        }
        (Access::Index(key), Value::Seq(seq)) => {
            position(key, seq.items().len(), 0).ok().and_then(|index| seq.items().get(index))
        }
        (Access::Index(key), Value::Map(map)) => map.get(key),
        _ => None,
    };
    1 + copied(value) + next.map_or(0, |next| parts_touched(next, rest, what))
}

fn touched_by(value: &Value, what: &Change) -> usize {
    let moved = match (what, value) {
        (Change::Assign(_), _) => return 0,
        (Change::Insert(index, _) | Change::Remove(index), Value::Seq(seq)) => {
            let length = seq.items().len();
            position(index, length, 1).map_or(0, |index| (length - index) / MOVED_PER_PART)
        }
        (Change::Remove(_), Value::Set(set)) => set.len(),
        (Change::Remove(_), Value::Map(map)) => map.len(),
        _ => 0,
    };
    moved + copied(value)
}

/// How many parts are copied if a value that others hold too is changed.
fn copied(value: &Value) -> usize {
    match value {
        Value::Tuple(tuple) if Arc::strong_count(tuple) > 1 => tuple.items().len(),
        Value::Seq(seq) if Arc::strong_count(seq) > 1 => seq.items().len(),
        Value::Set(set) if Arc::strong_count(set) > 1 => set.len(),
        Value::Map(map) if Arc::strong_count(map) > 1 => map.len(),
        _ => 0,
    }
}

fn apply(part: &mut Value, what: Change) -> Fallible<()> {
    match (what, part) {
        (Change::Assign(value), part) => *part = value,
        (Change::Insert(index, item), Value::Seq(seq)) => {
            let index = position(&index, seq.items().len(), 1)?;
            Arc::make_mut(seq).insert(index, item);
        }
        (Change::Insert(key, value), Value::Map(map)) => {
            check_key(&key)?;
            if map.get(&key).is_some() {
                return Err(Fault::new(BugKind::DuplicateKey, "the key to add is in the map already"));
            }
            Arc::make_mut(map).insert(key, value);
        }
        (Change::Add(item), Value::Set(set)) => {
            if item == Value::Null {
                return Err(Fault::null("an element of a set"));
            }
            if !set.contains(&item) {
                Arc::make_mut(set).insert(item);
            }
        }
        (Change::Remove(index), Value::Seq(seq)) => {
            let index = position(&index, seq.items().len(), 0)?;
            Arc::make_mut(seq).remove(index);
        }
        (Change::Remove(item), Value::Set(set)) => {
            if set.contains(&item) {
                Arc::make_mut(set).remove(&item);
            }
        }
        (Change::Remove(key), Value::Map(map)) => {
            check_key(&key)?;
            if map.get(&key).is_some() {
                Arc::make_mut(map).remove(&key);
            }
        }
        (_, part) => return Err(misfit(part, "a collection")),
    }
    Ok(())
}

/// A position in a sequence, or up to `beyond` places behind its end.
fn position(index: &Value, length: usize, beyond: usize) -> Fallible<usize> {
    let Value::Int(index) = index else { return Err(misfit(index, "an int")) };
    let at = usize::try_from(*index).ok().filter(|at| *at < length + beyond);
    at.ok_or_else(|| out_of_range(*index, length))
}

/// P's maps fail on a null key, whatever is done with it.
pub(crate) fn check_key(key: &Value) -> Fallible<()> {
    if *key == Value::Null { Err(Fault::null("a key")) } else { Ok(()) }
}

pub(crate) fn missing_key() -> Box<Fault> {
    Fault::new(BugKind::MissingKey, "the key is not in the map")
}

/// The item of a tuple with `names` and `length` that the static type calls `expected[index]`.
fn item_index(
    names: Option<&FieldNames>,
    length: usize,
    index: u32,
    expected: Option<&FieldNames>,
) -> Fallible<usize> {
    let index = index as usize;
    match (names, expected) {
        (Some(names), Some(expected)) if names != expected => {
            let name = expected.as_slice().get(index).map_or("?", |name| name);
            let found = names.as_slice().iter().position(|other| **other == *name);
            found.ok_or_else(|| Fault::new(BugKind::BadCast, format!("the tuple has no field `{name}`")))
        }
        _ if index < length => Ok(index),
        _ => Err(Fault::new(BugKind::BadCast, format!("the tuple has no item {index}"))),
    }
}

/// An item of a tuple, as `Access::Item` names it.
#[inline]
pub(crate) fn item<'v>(base: &'v Value, index: u32, names: Option<&FieldNames>) -> Fallible<&'v Value> {
    let Value::Tuple(tuple) = base else { return Err(misfit(base, "a tuple")) };
    // Mostly its names are those very ones.
    if let (Some(found), Some(expected)) = (tuple.names(), names)
        && found.is_shared_with(expected)
        && let Some(item) = tuple.items().get(index as usize)
    {
        return Ok(item);
    }
    let index = item_index(tuple.names(), tuple.items().len(), index, names)?;
    Ok(&tuple.items()[index])
}

/// The value of a map's key.
pub(crate) fn lookup(base: &Value, key: &Value) -> Fallible<Value> {
    let Value::Map(map) = base else { return Err(misfit(base, "a map")) };
    check_key(key)?;
    map.get(key).cloned().ok_or_else(missing_key)
}

#[cfg(test)]
mod tests;
