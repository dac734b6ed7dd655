//! Content hashes: 128 bits of a canonical encoding, the same in every run, process and on every machine.
//!
//! Ids of interned objects never enter an encoding, only the content hashes of what they stand for. Each kind of
//! content begins with its own tag and each list with its length, so that different contents have different encodings.

use crate::actor::Actors;
use crate::link::Linked;
use crate::machine::{Local, Message, Owner, Pending, Then};
use crate::packed::each_value;
use crate::value::{Cached, Reference, Tuple, Value};
use std::cell::Cell;
use xxhash_rust::xxh3::xxh3_128;

/// Mixes two content hashes into one; the order matters. The arguments are random-looking already, so one
/// multiplication keeps sums of such mixes apart: exchanging the second arguments of two pairs changes the sum.
pub(crate) fn mix(a: u128, b: u128) -> u128 {
    a.wrapping_add(b.rotate_left(64)).wrapping_mul(b | 1)
}

/// The hash of a queue: that of the queue without its last message, and that message's.
pub(crate) fn hash_queue(before: u128, last: u128) -> u128 {
    mix(before ^ QUEUE, last)
}

/// Any number: that of the empty queue is 0.
const QUEUE: u128 = 0xD6E8_FEB8_6659_FD93_A076_1D64_78BD_642F;

/// The hash of a list of hashes.
pub(crate) fn hash_list(hashes: impl Iterator<Item = u128>) -> u128 {
    with_buffer(|bytes| {
        for hash in hashes {
            bytes.extend_from_slice(&hash.to_le_bytes());
        }
        xxh3_128(bytes)
    })
}

/// Lends an empty buffer, the same one each time.
pub(crate) fn with_buffer<R>(work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    thread_local! {
        static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    let mut bytes = BUFFER.take();
    let result = work(&mut bytes);
    bytes.clear();
    BUFFER.set(bytes);
    result
}

pub(crate) fn hash_message(message: &Message, actors: &Actors) -> u128 {
    message.hash.get().unwrap_or_else(|| {
        let hash = with_buffer(|bytes| {
            let mut encoder = Encoder { bytes, actors };
            encoder.number(message.event.0);
            encoder.value(&message.payload);
            xxh3_128(bytes)
        });
        message.hash.set(hash);
        hash
    })
}

/// The content hash of a configuration; `message` is that of its pending message.
pub(crate) fn hash_local(local: &Local, message: Option<u128>, linked: &Linked, actors: &Actors) -> u128 {
    with_buffer(|bytes| {
        let mut encoder = Encoder { bytes, actors };
        encoder.shape(local);
        each_value(local, linked, |value| encoder.value(value));
        message.into_iter().for_each(|message| encoder.content(message));
        xxh3_128(bytes)
    })
}

struct Encoder<'a> {
    bytes: &'a mut Vec<u8>,
    actors: &'a Actors,
}

impl Encoder<'_> {
    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    /// A tag and a number at once, for they are most of what is encoded.
    fn tagged(&mut self, tag: u8, number: u64) {
        let mut bytes = [tag; 9];
        bytes[1..].copy_from_slice(&number.to_le_bytes());
        self.bytes.extend_from_slice(&bytes);
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

    #[inline]
    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(number) => self.tagged(3, *number as u64),
            value => self.other(value),
        }
    }

    fn other(&mut self, value: &Value) {
        match value {
            Value::Null => self.tag(0),
            Value::Bool(false) => self.tag(1),
            Value::Bool(true) => self.tag(2),
            Value::Int(number) => self.tagged(3, *number as u64),
            Value::Float(number) => self.tagged(4, number.to_bits()),
            Value::Event(event) => self.tagged(5, u64::from(event.0)),
            Value::Machine(Reference { actor, permission }) => {
                self.tag(6);
                // An identity's hash is as good with another number added to it.
                self.content(self.actors.hash(*actor).wrapping_add(u128::from(permission.0)));
            }
            Value::String(text) => {
                self.tag(7);
                self.text(text.as_str());
            }
            Value::Tuple(tuple) => self.tuple(tuple),
            Value::Seq(seq) => {
                self.tag(10);
                self.cached(seq.hash(), |encoder| encoder.values(seq.items()));
            }
            Value::Set(set) => {
                self.tag(11);
                self.cached(set.hash(), |encoder| set.items().for_each(|item| encoder.value(item)));
            }
            Value::Map(map) => {
                self.tag(12);
                self.cached(map.hash(), |encoder| {
                    map.entries().for_each(|(key, value)| {
                        encoder.value(key);
                        encoder.value(value);
                    });
                });
            }
            Value::Foreign(value) => {
                self.tag(13);
                self.text(value.type_name());
                self.text(value.content());
                self.values(value.parts());
            }
        }
    }

    /// Adds the hash of a part instead of the part, so that it need not be encoded the next time.
    fn cached(&mut self, hash: &Cached, encode: impl FnOnce(&mut Self)) {
        let hash = hash.get().unwrap_or_else(|| {
            let start = self.bytes.len();
            encode(self);
            let computed = xxh3_128(&self.bytes[start..]);
            self.bytes.truncate(start);
            hash.set(computed);
            computed
        });
        self.content(hash);
    }

    fn tuple(&mut self, tuple: &Tuple) {
        match tuple.names() {
            None => self.tag(8),
            Some(names) => {
                self.tag(9);
                self.content(names.hash());
            }
        }
        self.values(tuple.items());
    }

    fn shape(&mut self, local: &Local) {
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
        self.wide(u64::from(local.state.0) << 32 | u64::from(local.children));
        self.wide(u64::from(local.fields) << 32 | local.frames.len() as u64);
        for frame in local.frames.iter() {
            self.wide(u64::from(frame.function.0) << 32 | u64::from(frame.at));
        }
        self.then(&local.then);
        self.pending(&local.pending);
    }

    fn then(&mut self, then: &Then) {
        match then {
            Then::Settle => self.tag(0),
            Then::Leave { target, with, .. } => {
                self.tag(1);
                self.number(target.0);
                self.number(with.map_or(u32::MAX, |function| function.0));
            }
            Then::Enter { target, .. } => {
                self.tag(2);
                self.number(target.0);
            }
            Then::Unhandled { event } => {
                self.tag(3);
                self.number(event.0);
            }
        }
    }

    fn pending(&mut self, pending: &Pending) {
        match pending {
            Pending::Start(_) => self.tag(0),
            Pending::Idle => self.tag(1),
            Pending::Enqueue { target, .. } => {
                self.tag(2);
                self.content(self.actors.hash(*target));
            }
            Pending::Receive => self.tag(3),
            Pending::Choose { alternatives, visible } => {
                self.tag(4);
                self.number(*alternatives);
                self.tag(u8::from(*visible));
            }
            Pending::ForeignChoose { results, visible } => {
                self.tag(5);
                self.wide(results.len() as u64);
                self.tag(u8::from(*visible));
            }
            Pending::Create => self.tag(6),
            Pending::FireNull => self.tag(7),
            Pending::Handle(_) => self.tag(8),
            Pending::Halted => self.tag(9),
        }
    }
}
