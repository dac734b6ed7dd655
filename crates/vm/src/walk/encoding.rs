//! States as words, for sets that keep all of a state.
//!
//! A member is its shape's number, its values, and the messages in its queue; a state is the number of its machines and all
//! members one after the other. Who can move, and who stands at a choice, follows. A value begins with a tag in its first
//! word, which tells how many words it has; so different states have different words. Shapes are interned, and hence
//! words mean something only to the `Walker` that made them.

use super::member::Member;
use super::{Walk, Walker};
use crate::bug::Bug;
use crate::link::Linked;
use crate::packed::{each_value, pending_message};
use crate::value::{FieldNames, Reference, Value};
use fabius_model::{Effect, Outcome, Packed, Sketches};

impl Packed for Walker {
    fn words<'a>(&self, walk: &'a Walk, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        buffer.push(walk.roster.len() as u32);
        for member in &walk.members {
            member.add_words(buffer, |member, words| self.encode(member, words));
        }
        buffer
    }

    fn sketch(&self, walk: &Walk, sketches: &mut Sketches<Walk, Box<Bug>>) {
        self.sketch_last(walk.clone(), sketches);
    }

    fn sketch_last(&self, walk: Walk, sketches: &mut Sketches<Walk, Box<Bug>>) -> Option<Walk> {
        let Some(chooser) = walk.chooser else { return self.sketch_machines(walk, sketches) };
        let mut walk = walk;
        walk.chooser = None;
        let last = walk.alternatives(chooser) - 1;
        let mut effects = Vec::new();
        for number in 0..last {
            self.sketch_one(walk.clone(), chooser, Some(number), &mut effects, sketches);
        }
        self.sketch_one(walk, chooser, Some(last), &mut effects, sketches);
        None
    }
}

impl Walker {
    /// Adds where the machines that can move lead.
    fn sketch_machines(&self, walk: Walk, sketches: &mut Sketches<Walk, Box<Bug>>) -> Option<Walk> {
        let Some(mut slot) = walk.enabled.next(0) else { return Some(walk) };
        let mut effects = Vec::new();
        while let Some(next) = walk.enabled.next(slot + 1) {
            self.sketch_one(walk.clone(), slot, None, &mut effects, sketches);
            slot = next;
        }
        self.sketch_one(walk, slot, None, &mut effects, sketches);
        None
    }

    /// Adds where the move of a machine leads.
    fn sketch_one(
        &self,
        mut walk: Walk,
        slot: usize,
        alternative: Option<u32>,
        effects: &mut Vec<Effect>,
        sketches: &mut Sketches<Walk, Box<Bug>>,
    ) {
        effects.clear();
        sketches.add(match self.branch(&mut walk, slot, alternative, effects) {
            Ok(()) => Outcome::State(walk),
            Err(bug) => Outcome::Bug(bug),
        });
    }

    fn encode(&self, member: &Member, words: &mut Vec<u32>) {
        let mut encoder = Encoder { words, linked: &self.linked };
        let (shape, _) = self.shapes.intern(&member.local, &self.linked);
        encoder.words.push(shape.0);
        each_value(&member.local, &self.linked, |value| encoder.value(value));
        pending_message(&member.local).into_iter().for_each(|message| encoder.value(&message.payload));
        encoder.words.push(member.queue.len() as u32);
        for message in member.queue.as_slice() {
            encoder.words.push(message.event.0);
            encoder.value(&message.payload);
        }
    }
}

struct Encoder<'a> {
    words: &'a mut Vec<u32>,
    linked: &'a Linked,
}

/// What the lowest bits of a value's first word say. The others are a number that goes with it.
#[derive(Clone, Copy)]
enum Tag {
    Null,
    Bool,
    SmallInt,
    Int,
    Float,
    Event,
    Machine,
    LargeMachine,
    String,
    Tuple,
    NamedTuple,
    StrangelyNamedTuple,
    Seq,
    Set,
    Map,
    Foreign,
}

const TAG_BITS: u32 = 4;

impl Encoder<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.tag(Tag::Null, 0),
            Value::Bool(value) => self.tag(Tag::Bool, u32::from(*value)),
            Value::Int(number) => self.int(*number),
            Value::Float(number) => self.wide(Tag::Float, number.to_bits()),
            Value::Event(event) => self.tag(Tag::Event, event.0),
            Value::Machine(reference) => self.machine(*reference),
            Value::String(text) => self.text(Tag::String, text.as_str()),
            Value::Tuple(tuple) => {
                self.tuple(tuple.names(), tuple.items().len() as u32);
                tuple.items().iter().for_each(|item| self.value(item));
            }
            Value::Seq(seq) => {
                self.tag(Tag::Seq, seq.items().len() as u32);
                seq.items().iter().for_each(|item| self.value(item));
            }
            Value::Set(set) => {
                self.tag(Tag::Set, set.len() as u32);
                set.items().for_each(|item| self.value(item));
            }
            Value::Map(map) => {
                self.tag(Tag::Map, map.len() as u32);
                for (key, value) in map.entries() {
                    self.value(key);
                    self.value(value);
                }
            }
            Value::Foreign(value) => {
                self.text(Tag::Foreign, value.type_name());
                self.text(Tag::String, value.content());
                self.words.push(value.parts().len() as u32);
                value.parts().iter().for_each(|part| self.value(part));
            }
        }
    }

    /// The number is far below 2^28: values are limited to a megabyte or so, and programs to what people write.
    fn tag(&mut self, tag: Tag, number: u32) {
        assert!(number < 1 << (u32::BITS - TAG_BITS), "the number fits beside its tag");
        self.words.push(number << TAG_BITS | tag as u32);
    }

    fn wide(&mut self, tag: Tag, number: u64) {
        self.words.extend_from_slice(&[tag as u32, number as u32, (number >> 32) as u32]);
    }

    fn int(&mut self, number: i64) {
        match u32::try_from(number) {
            Ok(small) if small < 1 << (u32::BITS - TAG_BITS) => self.tag(Tag::SmallInt, small),
            _ => self.wide(Tag::Int, number as u64),
        }
    }

    fn machine(&mut self, Reference { actor, permission }: Reference) {
        if permission.0 < 1 << 8 && actor.0 < 1 << 20 {
            self.tag(Tag::Machine, actor.0 << 8 | permission.0);
        } else {
            self.tag(Tag::LargeMachine, permission.0);
            self.words.push(actor.0);
        }
    }

    fn text(&mut self, tag: Tag, text: &str) {
        self.tag(tag, text.len() as u32);
        for bytes in text.as_bytes().chunks(4) {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            self.words.push(u32::from_le_bytes(word));
        }
    }

    /// What a tuple begins with. Names that no type of the program has come from foreign functions.
    fn tuple(&mut self, names: Option<&FieldNames>, length: u32) {
        let Some(names) = names else { return self.tag(Tag::Tuple, length) };
        match self.linked.number_of_names(names) {
            Some(number) => self.tag(Tag::NamedTuple, number),
            None => {
                self.tag(Tag::StrangelyNamedTuple, length);
                names.as_slice().iter().for_each(|name| self.text(Tag::String, name));
            }
        }
    }
}
