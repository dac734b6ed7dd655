//! States as words, for sets that keep all of a state.
//!
//! A member is its shape's number, its values, and the messages in its queue, in as few bytes as these need, and then zeros up
//! to a whole word; a state is all members one after the other. Who can move, and who stands at a choice, follows. A
//! value begins with a tag, which tells how many bytes it has; so different states have different words. Shapes are
//! interned, and hence words mean something only to the `Walker` that made them.

use super::member::{Member, Shared};
use super::touch;
use super::words::Writer;
use super::{Told, Walk, Walker};
use crate::bug::Bug;
use crate::link::Linked;
use crate::packed::{each_value, pending_message};
use crate::state::for_each_bit;
use crate::value::{FieldNames, Reference, Tuple, Value};
use fabius_model::{Choice, Effect, Offer, Outcome, Packed, Sketches, Tale, Touched};

impl Packed for Walker {
    const MAKES_LAST_OF_STATE: bool = true;
    const UNPACKS: bool = true;
    const PARTS_REPEAT: bool = false;

    fn words<'a>(&self, walk: &'a Walk, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        buffer.clear();
        self.add_words(walk, &mut Vec::new(), buffer);
        buffer
    }

    /// Written where they belong, without a buffer.
    fn add_words(&self, walk: &Walk, _: &mut Vec<u32>, to: &mut Vec<u32>) {
        for member in &walk.members {
            let write_local = |member: &Member, writer: &mut Writer| self.encode_local(member, writer);
            member.add_words(to, write_local, |member, writer| self.encode_queue(member, writer));
        }
    }

    fn unpack(&self, words: &[u32]) -> Option<Walk> {
        self.decode(words)
    }

    fn detach(&self, walk: &mut Walk) {
        walk.roster = walk.roster.iter().copied().collect();
        walk.members.iter_mut().for_each(Shared::detach);
    }

    fn sketch(&self, walk: &Walk, sketches: &mut Sketches<Walk, Box<Bug>>) {
        self.sketch_last(walk.clone(), sketches);
    }

    fn sketch_last(&self, walk: Walk, sketches: &mut Sketches<Walk, Box<Bug>>) -> Option<Walk> {
        let Some(chooser) = walk.chooser else { return self.sketch_machines(walk, sketches) };
        let mut walk = walk;
        walk.chooser = None;
        let last = walk.alternatives(chooser) - 1;
        for number in 0..last {
            self.sketch_one(walk.clone(), chooser, Some(number), sketches);
        }
        self.sketch_one(walk, chooser, Some(last), sketches);
        None
    }

    fn choice(&self, walk: &Walk, position: usize, _: &mut Vec<Choice>) -> Choice {
        if walk.chooser.is_some() {
            return Choice::Data(position as u32);
        }
        let slot = walk.enabled.nth(position).expect("the position is that of a choice");
        Choice::Schedule(walk.roster[slot])
    }

    fn sketch_told(&self, walk: &Walk, sketches: &mut Sketches<Walk, Box<Bug>>, tales: &mut Vec<Tale>) {
        self.sketch_and_tell(walk, sketches, tales);
    }

    fn machines(&self, walk: &Walk) -> u32 {
        self.number_of_machines(walk)
    }

    fn told(&self, walk: &Walk, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        self.tell(walk, tale, effects)
    }

    fn offer(&self, walk: &Walk) -> Option<Offer> {
        self.offer_of(walk)
    }

    fn movers(&self, walk: &Walk) -> u64 {
        let has_places = walk.chooser.is_none() && walk.members.len() <= u64::BITS as usize;
        if has_places { walk.enabled.first() } else { 0 }
    }

    fn sketch_movers(&self, walk: &Walk, movers: u64, sketches: &mut Sketches<Walk, Box<Bug>>) {
        for_each_bit(movers, |slot| _ = self.sketch_mover(walk, slot, sketches));
    }

    fn touched(&self, walk: &Walk, movers: u64, touched: &mut Touched) {
        for_each_bit(movers, |slot| touched[slot] = self.touched_by(walk, slot));
    }

    fn sketch_last_movers(
        &self,
        walk: Walk,
        movers: u64,
        sketches: &mut Sketches<Walk, Box<Bug>>,
        touched: &mut Touched,
    ) -> Option<Walk> {
        self.touched(&walk, self.movers(&walk) & !movers, touched);
        let Some(last) = movers.checked_ilog2() else { return Some(walk) };
        for_each_bit(movers & !(1 << last), |slot| touched[slot] = self.sketch_mover(&walk, slot, sketches));
        let (last, machines) = (last as usize, walk.roster.len());
        let ends = self.touched_ends(&walk, last);
        let observers = self.sketch_one(walk, last, None, sketches);
        touched[last] = touch::things(last, machines, ends, observers);
        None
    }
}

impl Walker {
    /// Adds where the machines that can move lead.
    fn sketch_machines(&self, walk: Walk, sketches: &mut Sketches<Walk, Box<Bug>>) -> Option<Walk> {
        let Some(mut slot) = walk.enabled.next(0) else { return Some(walk) };
        while let Some(next) = walk.enabled.next(slot + 1) {
            self.sketch_one(walk.clone(), slot, None, sketches);
            slot = next;
        }
        self.sketch_one(walk, slot, None, sketches);
        None
    }

    /// Adds where the move of a machine leads. Gives the monitors that see something of it, as bits; `None` if they cannot be
    /// told so, or if it does more, or leads to a choice or into a bug.
    pub(super) fn sketch_one(
        &self,
        mut walk: Walk,
        slot: usize,
        alternative: Option<u32>,
        sketches: &mut Sketches<Walk, Box<Bug>>,
    ) -> Option<u64> {
        match self.branch(&mut walk, slot, alternative, &mut Told::Nobody) {
            Ok(observers) => {
                let observers = observers.filter(|_| walk.chooser.is_none());
                sketches.add(Outcome::State(walk));
                observers
            }
            Err(bug) => {
                sketches.add(Outcome::Bug(bug));
                None
            }
        }
    }

    #[inline]
    fn encode_local(&self, member: &Member, writer: &mut Writer) {
        let mut encoder = Encoder { writer, linked: &self.linked };
        let (shape, _) = self.shapes.intern(&member.local, &self.linked);
        encoder.number(shape.0);
        each_value(&member.local, &self.linked, |value| encoder.value(value));
        pending_message(&member.local).into_iter().for_each(|message| encoder.value(&message.payload));
    }

    #[inline]
    fn encode_queue(&self, member: &Member, writer: &mut Writer) {
        let mut encoder = Encoder { writer, linked: &self.linked };
        encoder.number(member.queue.len() as u32);
        for message in member.queue.as_slice() {
            encoder.number(message.event.0);
            encoder.value(&message.payload);
        }
    }
}

struct Encoder<'a> {
    writer: &'a mut Writer,
    linked: &'a Linked,
}

/// What the lowest bits of a value's first byte say. A number goes with it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Null,
    Bool,
    SmallInt,
    Int,
    Float,
    Event,
    Machine,
    String,
    Tuple,
    NamedTuple,
    StrangelyNamedTuple,
    Seq,
    Set,
    Map,
    Foreign,
}

pub(super) const TAG_BITS: u32 = 4;

impl Encoder<'_> {
    #[inline]
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.tag(Tag::Null, 0),
            Value::Bool(value) => self.tag(Tag::Bool, u32::from(*value)),
            Value::Int(number) if let Ok(small) = u32::try_from(*number) => self.tag(Tag::SmallInt, small),
            // Both numbers as below, at once.
            Value::Machine(Reference { actor, permission })
                if actor.0 < small::<TAG_BITS>() && permission.0 < small::<0>() =>
            {
                let first = actor.0 << TAG_BITS | Tag::Machine as u32;
                self.writer.put(u64::from(permission.0 << u8::BITS | first), 2);
            }
            Value::Machine(Reference { actor, permission }) => {
                self.tag(Tag::Machine, actor.0);
                self.number(permission.0);
            }
            Value::Tuple(tuple) => self.tuple(tuple),
            value => self.other(value),
        }
    }

    /// What messages mostly are.
    #[inline(never)]
    fn tuple(&mut self, tuple: &Tuple) {
        self.begin_tuple(tuple.names(), tuple.items().len() as u32);
        tuple.items().iter().for_each(|item| self.value(item));
    }

    #[inline(never)]
    fn other(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::Machine(_) | Value::Tuple(_) => self.value(value),
            Value::Int(number) => self.wide(Tag::Int, *number as u64),
            Value::Float(number) => self.wide(Tag::Float, number.to_bits()),
            Value::Event(event) => self.tag(Tag::Event, event.0),
            Value::String(text) => self.text(Tag::String, text.as_str()),
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
                self.number(value.parts().len() as u32);
                value.parts().iter().for_each(|part| self.value(part));
            }
        }
    }

    #[inline]
    fn tag(&mut self, tag: Tag, number: u32) {
        self.put::<TAG_BITS>(tag as u8, number);
    }

    #[inline]
    fn number(&mut self, number: u32) {
        self.put::<0>(0, number);
    }

    /// A byte with a tag in its lowest bits. The others are the number, if it is so small, or else how many bytes it has
    /// that come behind.
    #[inline]
    fn put<const BITS: u32>(&mut self, tag: u8, number: u32) {
        let small = small::<BITS>();
        if number < small {
            return self.writer.put(u64::from(number << BITS | u32::from(tag)), 1);
        }
        let more = (u32::BITS - 1 - number.leading_zeros()) / 8;
        let first = (small + more) << BITS | u32::from(tag);
        self.writer.put(u64::from(number) << 8 | u64::from(first), 2 + more as usize);
    }

    fn wide(&mut self, tag: Tag, number: u64) {
        self.tag(tag, 0);
        self.writer.put_all(&number.to_le_bytes());
    }

    fn text(&mut self, tag: Tag, text: &str) {
        self.tag(tag, text.len() as u32);
        self.writer.put_all(text.as_bytes());
    }

    /// What a tuple begins with. Names that no type of the program has come from foreign functions.
    #[inline]
    fn begin_tuple(&mut self, names: Option<&FieldNames>, length: u32) {
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

/// Numbers below this one lie in a byte beside so many bits of a tag.
pub(super) const fn small<const BITS: u32>() -> u32 {
    (1 << (u8::BITS - BITS)) - size_of::<u32>() as u32
}
