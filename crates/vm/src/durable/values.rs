//! Values and configurations in files.
//!
//! Parts that are shared are written once, and referred to by their number from then on, so that they are shared again when
//! they have been read. A part has its number after everything inside it, on both sides.

use super::known;
use crate::actor::Actor;
use crate::frames::{Frame, Frames};
use crate::machine::{Local, Message, Owner, Pending, Then};
use crate::table::Interner;
use crate::value::{FieldNames, Permission, Reference, Value};
use fabius_lang::ids::{EventId, FunctionId, StateId};
use fabius_model::ActorId;
use fabius_model::wire::{damaged, get, get_number, get_text, put_number, put_text};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Added to the tag of a value that has a number, because it may come again.
const SHARED: u64 = 16;
/// The tag of a value that came before.
const AGAIN: u64 = 32;

/// Writes values and configurations; knows the places in memory of those that may come again. They stay where they are
/// for as long as it lives, since nobody takes steps.
#[derive(Default)]
pub(super) struct Saver {
    values: HashMap<usize, u64>,
    names: HashMap<usize, u64>,
}

impl Saver {
    pub(super) fn value(&mut self, to: &mut dyn Write, value: &Value) -> io::Result<()> {
        let (place, is_shared) = match value {
            Value::String(text) => place_of(text),
            Value::Tuple(tuple) => place_of(tuple),
            Value::Seq(seq) => place_of(seq),
            Value::Set(set) => place_of(set),
            Value::Map(map) => place_of(map),
            Value::Foreign(value) => place_of(value),
            _ => (0, false),
        };
        if !is_shared {
            return self.content(to, value, 0);
        }
        if let Some(number) = self.values.get(&place) {
            put_number(to, AGAIN)?;
            return put_number(to, *number);
        }
        self.content(to, value, SHARED)?;
        self.values.insert(place, self.values.len() as u64);
        Ok(())
    }

    fn content(&mut self, to: &mut dyn Write, value: &Value, shared: u64) -> io::Result<()> {
        let mut tagged = |tag: u64, number: u64| {
            put_number(to, tag + shared)?;
            put_number(to, number)
        };
        match value {
            Value::Null => put_number(to, 0),
            Value::Bool(false) => put_number(to, 1),
            Value::Bool(true) => put_number(to, 2),
            Value::Int(number) => tagged(3, folded(*number)),
            Value::Float(number) => tagged(4, number.to_bits()),
            Value::Event(event) => tagged(5, u64::from(event.0)),
            Value::Machine(Reference { actor, permission }) => {
                tagged(6, u64::from(actor.0))?;
                put_number(to, u64::from(permission.0))
            }
            Value::String(text) => {
                put_number(to, 7 + shared)?;
                put_text(to, text.as_str())
            }
            Value::Tuple(tuple) => {
                put_number(to, if tuple.names().is_some() { 9 } else { 8 } + shared)?;
                tuple.names().map_or(Ok(()), |names| self.names(to, names))?;
                self.list(to, tuple.items())
            }
            Value::Seq(seq) => {
                put_number(to, 10 + shared)?;
                self.list(to, seq.items())
            }
            Value::Set(set) => {
                tagged(11, set.len() as u64)?;
                set.items().try_for_each(|item| self.value(to, item))
            }
            Value::Map(map) => {
                tagged(12, map.len() as u64)?;
                map.entries().try_for_each(|(key, value)| {
                    self.value(to, key)?;
                    self.value(to, value)
                })
            }
            Value::Foreign(value) => {
                put_number(to, 13 + shared)?;
                put_text(to, value.type_name())?;
                put_text(to, value.content())?;
                self.list(to, value.parts())
            }
        }
    }

    fn list(&mut self, to: &mut dyn Write, values: &[Value]) -> io::Result<()> {
        put_number(to, values.len() as u64)?;
        values.iter().try_for_each(|value| self.value(to, value))
    }

    /// The number of a list of names, 0 for one that has none yet; then the list follows.
    fn names(&mut self, to: &mut dyn Write, names: &FieldNames) -> io::Result<()> {
        let next = self.names.len() as u64 + 1;
        let place = names.as_slice().as_ptr().addr();
        if let Some(number) = self.names.get(&place) {
            return put_number(to, *number);
        }
        self.names.insert(place, next);
        put_number(to, 0)?;
        put_number(to, names.as_slice().len() as u64)?;
        names.as_slice().iter().try_for_each(|name| put_text(to, name))
    }

    /// A configuration without its values, which are null where `then` and `pending` hold some.
    pub(super) fn shape(&mut self, to: &mut dyn Write, shape: &Local) -> io::Result<()> {
        let Local { owner, state, fields, values, frames, then, pending, children } = shape;
        let owner = match owner {
            Owner::Actor(actor) => u64::from(actor.0) << 1,
            Owner::Monitor(index) => u64::from(*index) << 1 | 1,
        };
        put_number(to, owner)?;
        for number in [state.0, *children, *fields, values.len() as u32, frames.len() as u32] {
            put_number(to, u64::from(number))?;
        }
        for Frame { function, at, base } in frames.iter() {
            [function.0, *at, *base].iter().try_for_each(|number| put_number(to, u64::from(*number)))?;
        }
        self.then(to, then)?;
        self.pending(to, pending)
    }

    fn then(&mut self, to: &mut dyn Write, then: &Then) -> io::Result<()> {
        match then {
            Then::Settle => put_number(to, 0),
            Then::Leave { target, with, payload } => {
                put_number(to, 1)?;
                put_number(to, u64::from(target.0))?;
                put_number(to, with.map_or(0, |function| u64::from(function.0) + 1))?;
                self.value(to, payload)
            }
            Then::Enter { target, payload } => {
                put_number(to, 2)?;
                put_number(to, u64::from(target.0))?;
                self.value(to, payload)
            }
            Then::Unhandled { event } => {
                put_number(to, 3)?;
                put_number(to, u64::from(event.0))
            }
        }
    }

    fn pending(&mut self, to: &mut dyn Write, pending: &Pending) -> io::Result<()> {
        match pending {
            Pending::Start(payload) => {
                put_number(to, 0)?;
                self.value(to, payload)
            }
            Pending::Idle => put_number(to, 1),
            Pending::Enqueue { target, message } => {
                put_number(to, 2)?;
                put_number(to, u64::from(target.0))?;
                self.message(to, message)
            }
            Pending::Receive => put_number(to, 3),
            Pending::Choose { alternatives, visible } => {
                put_number(to, 4)?;
                put_number(to, u64::from(*alternatives))?;
                put_number(to, u64::from(*visible))
            }
            Pending::ForeignChoose { results, visible } => {
                put_number(to, 5)?;
                self.list(to, results)?;
                put_number(to, u64::from(*visible))
            }
            Pending::Create => put_number(to, 6),
            Pending::FireNull => put_number(to, 7),
            Pending::Handle(message) => {
                put_number(to, 8)?;
                self.message(to, message)
            }
            Pending::Halted => put_number(to, 9),
        }
    }

    pub(super) fn message(&mut self, to: &mut dyn Write, message: &Message) -> io::Result<()> {
        put_number(to, u64::from(message.event.0))?;
        self.value(to, &message.payload)
    }
}

/// Where a value lies, and whether others refer to it, too.
fn place_of<T>(value: &Arc<T>) -> (usize, bool) {
    (Arc::as_ptr(value).addr(), Arc::strong_count(value) > 1)
}

/// A number that is small if the integer is near 0.
fn folded(integer: i64) -> u64 {
    (integer << 1 ^ integer >> 63) as u64
}

fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads what a [`Saver`] has written.
pub(super) struct Restorer<'a> {
    /// Those to refer to.
    actors: &'a Interner<Actor>,
    values: Vec<Value>,
    names: Vec<FieldNames>,
}

impl<'a> Restorer<'a> {
    pub(super) fn new(actors: &'a Interner<Actor>) -> Self {
        Self { actors, values: Vec::new(), names: Vec::new() }
    }

    pub(super) fn value(&mut self, from: &mut dyn Read) -> io::Result<Value> {
        let tag = get_number(from)?;
        if tag == AGAIN {
            let number: usize = get(from)?;
            return self.values.get(number).cloned().ok_or_else(damaged);
        }
        let value = self.content(from, tag & !SHARED)?;
        if tag & SHARED != 0 {
            self.values.push(value.clone());
        }
        Ok(value)
    }

    fn content(&mut self, from: &mut dyn Read, tag: u64) -> io::Result<Value> {
        Ok(match tag {
            0 => Value::Null,
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Int(unfolded(get_number(from)?)),
            4 => Value::Float(f64::from_bits(get_number(from)?)),
            5 => Value::Event(EventId(get(from)?)),
            6 => {
                let actor = self.actor(get_number(from)?)?;
                Value::Machine(Reference { actor, permission: Permission(get(from)?) })
            }
            7 => Value::string(get_text(from)?),
            8 => Value::tuple(self.list(from)?),
            9 => {
                let names = self.names(from)?;
                let items = self.list(from)?;
                if names.as_slice().len() != items.len() {
                    return Err(damaged());
                }
                Value::named_tuple(names, items)
            }
            10 => Value::seq(self.list(from)?),
            11 => Value::set(self.list(from)?),
            12 => {
                let length = get_number(from)?;
                let entries = (0..length).map(|_| Ok((self.value(from)?, self.value(from)?)));
                Value::map(entries.collect::<io::Result<Vec<_>>>()?)
            }
            13 => {
                let (type_name, content) = (get_text(from)?, get_text(from)?);
                Value::foreign(type_name, content, self.list(from)?)
            }
            _ => return Err(damaged()),
        })
    }

    fn list(&mut self, from: &mut dyn Read) -> io::Result<Vec<Value>> {
        let length = get_number(from)?;
        (0..length).map(|_| self.value(from)).collect()
    }

    fn names(&mut self, from: &mut dyn Read) -> io::Result<FieldNames> {
        let number: usize = get(from)?;
        if let Some(index) = number.checked_sub(1) {
            return self.names.get(index).cloned().ok_or_else(damaged);
        }
        let length = get_number(from)?;
        let names = (0..length).map(|_| get_text(from)).collect::<io::Result<Vec<String>>>()?;
        let names = FieldNames::new(names);
        self.names.push(names.clone());
        Ok(names)
    }

    pub(super) fn shape(&mut self, from: &mut dyn Read) -> io::Result<Local> {
        let owner = match get_number(from)? {
            owner if owner & 1 == 0 => Owner::Actor(self.actor(owner >> 1)?),
            owner => Owner::Monitor(u32::try_from(owner >> 1).map_err(|_| damaged())?),
        };
        let (state, children) = (StateId(get(from)?), get(from)?);
        let (fields, values) = (get(from)?, vec![Value::Null; get(from)?]);
        let count = get_number(from)?;
        let mut frames = Frames::new();
        for _ in 0..count {
            frames.push(Frame { function: FunctionId(get(from)?), at: get(from)?, base: get(from)? });
        }
        let (then, pending) = (self.then(from)?, self.pending(from)?);
        Ok(Local { owner, state, fields, values, frames, then, pending, children })
    }

    fn then(&mut self, from: &mut dyn Read) -> io::Result<Then> {
        Ok(match get_number(from)? {
            0 => Then::Settle,
            1 => {
                let target = StateId(get(from)?);
                let with: u32 = get(from)?;
                Then::Leave { target, with: with.checked_sub(1).map(FunctionId), payload: self.value(from)? }
            }
            2 => Then::Enter { target: StateId(get(from)?), payload: self.value(from)? },
            3 => Then::Unhandled { event: EventId(get(from)?) },
            _ => return Err(damaged()),
        })
    }

    fn pending(&mut self, from: &mut dyn Read) -> io::Result<Pending> {
        Ok(match get_number(from)? {
            0 => Pending::Start(self.value(from)?),
            1 => Pending::Idle,
            2 => Pending::Enqueue { target: self.actor(get_number(from)?)?, message: self.message(from)? },
            3 => Pending::Receive,
            4 => Pending::Choose { alternatives: get(from)?, visible: get_number(from)? != 0 },
            5 => Pending::ForeignChoose { results: self.list(from)?.into(), visible: get_number(from)? != 0 },
            6 => Pending::Create,
            7 => Pending::FireNull,
            8 => Pending::Handle(self.message(from)?),
            9 => Pending::Halted,
            _ => return Err(damaged()),
        })
    }

    fn actor(&self, id: u64) -> io::Result<ActorId> {
        known(self.actors, id).map(ActorId)
    }

    pub(super) fn message(&mut self, from: &mut dyn Read) -> io::Result<Message> {
        Ok(Message::new(EventId(get(from)?), self.value(from)?))
    }
}
