//! Content hashes: 128 bits of a canonical encoding, the same in every run, process and on every machine.
//!
//! Ids of interned objects never enter an encoding, only the content hashes of what they stand for. Each kind of
//! content begins with its own tag and each list with its length, so that different contents have different encodings.

use crate::actor::Actors;
use crate::machine::{Frame, Local, MessageId, Owner, Pending, Then};
use crate::value::{Reference, Tuple, Value};
use fabius_lang::ids::EventId;
use xxhash_rust::xxh3::xxh3_128;

/// Mixes two hashes into one; the order matters.
pub(crate) fn mix(a: u128, b: u128) -> u128 {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&a.to_le_bytes());
    bytes[16..].copy_from_slice(&b.to_le_bytes());
    xxh3_128(&bytes)
}

/// The hash of a list of hashes.
pub(crate) fn hash_list(hashes: impl Iterator<Item = u128>) -> u128 {
    let mut bytes = Vec::with_capacity(256);
    for hash in hashes {
        bytes.extend_from_slice(&hash.to_le_bytes());
    }
    xxh3_128(&bytes)
}

pub(crate) fn hash_message(event: EventId, payload: &Value, actors: &Actors) -> u128 {
    let mut encoder = Encoder::new(actors);
    encoder.number(event.0);
    encoder.value(payload);
    encoder.hash()
}

/// `message_hash` gives the content hash of a message.
pub(crate) fn hash_local(local: &Local, actors: &Actors, message_hash: impl Fn(MessageId) -> u128) -> u128 {
    let mut encoder = Encoder::new(actors);
    encoder.local(local, message_hash);
    encoder.hash()
}

struct Encoder<'a> {
    bytes: Vec<u8>,
    actors: &'a Actors,
}

impl<'a> Encoder<'a> {
    fn new(actors: &'a Actors) -> Self {
        Self { bytes: Vec::with_capacity(512), actors }
    }

    fn hash(&self) -> u128 {
        xxh3_128(&self.bytes)
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn wide(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn content(&mut self, hash: u128) {
        self.bytes.extend_from_slice(&hash.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.wide(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn values(&mut self, values: &[Value]) {
        self.wide(values.len() as u64);
        values.iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.tag(0),
            Value::Bool(false) => self.tag(1),
            Value::Bool(true) => self.tag(2),
            Value::Int(number) => {
                self.tag(3);
                self.wide(*number as u64);
            }
            Value::Float(number) => {
                self.tag(4);
                self.wide(number.to_bits());
            }
            Value::Event(event) => {
                self.tag(5);
                self.number(event.0);
            }
            Value::Machine(Reference { actor, permission }) => {
                self.tag(6);
                self.content(self.actors.hash(*actor));
                self.number(permission.0);
            }
            Value::String(text) => {
                self.tag(7);
                self.text(text.as_str());
            }
            Value::Tuple(tuple) => self.tuple(tuple),
            Value::Seq(seq) => {
                self.tag(10);
                self.values(seq.items());
            }
            Value::Set(set) => {
                self.tag(11);
                self.wide(set.len() as u64);
                set.items().for_each(|item| self.value(item));
            }
            Value::Map(map) => {
                self.tag(12);
                self.wide(map.len() as u64);
                map.entries().for_each(|(key, value)| {
                    self.value(key);
                    self.value(value);
                });
            }
            Value::Foreign(value) => {
                self.tag(13);
                self.text(&value.type_name);
                self.text(&value.content);
            }
        }
    }

    fn tuple(&mut self, tuple: &Tuple) {
        match tuple.names() {
            None => self.tag(8),
            Some(names) => {
                self.tag(9);
                names.iter().for_each(|name| self.text(name));
            }
        }
        self.values(tuple.items());
    }

    fn local(&mut self, local: &Local, message_hash: impl Fn(MessageId) -> u128) {
        match local.owner {
            Owner::Actor(actor) => {
                self.tag(0);
                self.content(self.actors.hash(actor));
            }
            Owner::Monitor(index) => {
                self.tag(1);
                self.number(index);
            }
        }
        self.number(local.state.0);
        self.number(local.children);
        self.values(&local.fields);
        self.wide(local.frames.len() as u64);
        local.frames.iter().for_each(|frame| self.frame(frame));
        self.then(&local.then);
        self.pending(&local.pending, message_hash);
    }

    fn frame(&mut self, frame: &Frame) {
        self.number(frame.function.0);
        self.number(frame.at);
        self.values(&frame.registers);
    }

    fn then(&mut self, then: &Then) {
        match then {
            Then::Settle => self.tag(0),
            Then::Leave { target, with, payload } => {
                self.tag(1);
                self.number(target.0);
                self.number(with.map_or(u32::MAX, |function| function.0));
                self.value(payload);
            }
            Then::Enter { target, payload } => {
                self.tag(2);
                self.number(target.0);
                self.value(payload);
            }
            Then::Unhandled { event } => {
                self.tag(3);
                self.number(event.0);
            }
        }
    }

    fn pending(&mut self, pending: &Pending, message_hash: impl Fn(MessageId) -> u128) {
        match pending {
            Pending::Start(payload) => {
                self.tag(0);
                self.value(payload);
            }
            Pending::Idle => self.tag(1),
            Pending::Enqueue { target, message } => {
                self.tag(2);
                self.content(self.actors.hash(*target));
                self.content(message_hash(*message));
            }
            Pending::Receive => self.tag(3),
            Pending::Choose { alternatives, visible } => {
                self.tag(4);
                self.number(*alternatives);
                self.tag(u8::from(*visible));
            }
            Pending::ForeignChoose { results, visible } => {
                self.tag(5);
                self.values(results);
                self.tag(u8::from(*visible));
            }
            Pending::Create => self.tag(6),
            Pending::FireNull => self.tag(7),
            Pending::Handle(message) => {
                self.tag(8);
                self.content(message_hash(*message));
            }
            Pending::Halted => self.tag(9),
        }
    }
}
