//! States made again of their words; see `encoding.rs` for what these are.

use super::encoding::{TAG_BITS, Tag, small};
use super::mailbox::Mailbox;
use super::member::{Member, Shared};
use super::roster;
use super::words::Words;
use super::{Content, Waiting, Walk, Walker};
use crate::link::Linked;
use crate::machine::{Message, Owner, Pending};
use crate::value::{FieldNames, Permission, Reference, Value};
use fabius_lang::ids::EventId;
use fabius_model::ActorId;

impl Walker {
    /// The state with these words, if there is one.
    pub(super) fn decode(&self, words: &[u32]) -> Option<Walk> {
        let mut content = Content::empty(Vec::with_capacity(words.len() / 4 + 1));
        // There are hardly ever more.
        let (mut few, mut more) = ([ActorId(0); 16], Vec::new());
        let mut machines = 0;
        let mut rest = words;
        while !rest.is_empty() {
            let (member, length) = self.decode_member(rest)?;
            rest = &rest[length..];
            if let Owner::Actor(actor) = member.local().owner {
                match few.get_mut(machines) {
                    Some(place) => *place = actor,
                    None => {
                        if more.is_empty() {
                            more.extend_from_slice(&few);
                        }
                        more.push(actor);
                    }
                }
                content.enabled.insert(machines, machines, self.is_enabled(member.member()));
                if matches!(member.local().pending, Pending::Choose { .. } | Pending::ForeignChoose { .. }) {
                    content.chooser = Some(machines);
                }
                machines += 1;
            }
            content.members.push(member);
        }
        if content.members.len() != machines + self.linked.monitors.len() {
            return None;
        }
        let actors = few.get(..machines).unwrap_or(&more);
        content.machines = self.rosters.number(actors);
        content.roster = roster::own(actors, content.machines);
        Some(Walk(Box::new(content)))
    }

    /// The member that some words begin with, and how many of them are its own.
    fn decode_member(&self, words: &[u32]) -> Option<(Shared, usize)> {
        let mut decoder = Decoder { words, at: 0, linked: &self.linked };
        let shape = self.shapes.find(decoder.number()?)?;
        let local = shape.fill(&self.linked, || decoder.value())?;
        let kept = decoder.at;
        let mut queue = Mailbox::default();
        for _ in 0..decoder.number()? {
            let event = EventId(decoder.number()?);
            queue.push(Message::new(event, decoder.value()?));
        }
        let machine = match local.owner {
            Owner::Actor(actor) => self.actors.get(actor).machine,
            Owner::Monitor(index) => self.linked.monitors.get(index as usize)?.machine,
        };
        let mut member = Member { local, machine, queue, has_mail: false };
        let taken = match self.waiting(&member) {
            Waiting::Idle(info) => Some(&info.taken),
            Waiting::Receive(taken) => Some(taken),
            Waiting::No => None,
        };
        member.has_mail = taken
            .is_some_and(|taken| member.queue.as_slice().iter().any(|message| taken.contains(message.event)));
        let length = decoder.at.div_ceil(size_of::<u32>());
        Some((Shared::of_words(member, Words::known(words.get(..length)?, kept)), length))
    }
}

struct Decoder<'a> {
    words: &'a [u32],
    /// The next byte.
    at: usize,
    linked: &'a Linked,
}

impl Decoder<'_> {
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let word = *self.words.get(self.at / size_of::<u32>())?;
        let byte = word.to_le_bytes()[self.at % size_of::<u32>()];
        self.at += 1;
        Some(byte)
    }

    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let room = size_of_val(self.words) - self.at;
        (count <= room).then(|| (0..count).map_while(|_| self.byte()).collect())
    }

    #[inline]
    fn number(&mut self) -> Option<u32> {
        self.get::<0>().map(|(_, number)| number)
    }

    /// What the lowest bits of a byte say, and the number that goes with it.
    #[inline]
    fn get<const BITS: u32>(&mut self) -> Option<(u8, u32)> {
        let first = self.byte()?;
        let (low, high) = (first & ((1 << BITS) - 1), u32::from(first) >> BITS);
        let Some(more) = high.checked_sub(small::<BITS>()) else { return Some((low, high)) };
        let mut number = 0;
        for nth in 0..=more {
            number |= u32::from(self.byte()?) << (nth * u8::BITS);
        }
        Some((low, number))
    }

    #[inline]
    fn value(&mut self) -> Option<Value> {
        let (tag, number) = self.get::<TAG_BITS>()?;
        Some(match TAGS.get(usize::from(tag))? {
            Tag::Null => Value::Null,
            Tag::Bool => Value::Bool(number != 0),
            Tag::SmallInt => Value::Int(number.into()),
            Tag::Machine => {
                Value::Machine(Reference { actor: ActorId(number), permission: Permission(self.number()?) })
            }
            tag => return self.other(*tag, number),
        })
    }

    #[inline(never)]
    fn other(&mut self, tag: Tag, number: u32) -> Option<Value> {
        Some(match tag {
            Tag::Null | Tag::Bool | Tag::SmallInt | Tag::Machine => unreachable!("`value` has seen to it"),
            Tag::Int => Value::Int(self.wide()? as i64),
            Tag::Float => Value::Float(f64::from_bits(self.wide()?)),
            Tag::Event => Value::Event(EventId(number)),
            Tag::String => Value::string(self.characters(number)?),
            Tag::Tuple => Value::tuple(self.list(number)?),
            Tag::NamedTuple => {
                let names = self.linked.names_of_number(number)?;
                let items = self.list(names.as_slice().len() as u32)?;
                Value::named_tuple(names.clone(), items)
            }
            Tag::StrangelyNamedTuple => {
                let names = (0..number).map(|_| self.text()).collect::<Option<Vec<String>>>()?;
                Value::named_tuple(FieldNames::new(names), self.list(number)?)
            }
            Tag::Seq => Value::seq(self.list(number)?),
            Tag::Set => Value::set(self.list(number)?),
            Tag::Map => {
                let entries = (0..number).map(|_| Some((self.value()?, self.value()?)));
                Value::map(entries.collect::<Option<Vec<_>>>()?)
            }
            Tag::Foreign => {
                let (type_name, content) = (self.characters(number)?, self.text()?);
                let parts = self.number()?;
                Value::foreign(type_name, content, self.list(parts)?)
            }
        })
    }

    /// As many values.
    fn list(&mut self, count: u32) -> Option<Vec<Value>> {
        let room = size_of_val(self.words) - self.at;
        let mut values = Vec::with_capacity((count as usize).min(room));
        for _ in 0..count {
            values.push(self.value()?);
        }
        Some(values)
    }

    fn wide(&mut self) -> Option<u64> {
        (0..u64::BITS).step_by(8).try_fold(0, |wide, bit| Some(wide | u64::from(self.byte()?) << bit))
    }

    fn text(&mut self) -> Option<String> {
        let (_, length) = self.get::<TAG_BITS>()?;
        self.characters(length)
    }

    fn characters(&mut self, length: u32) -> Option<String> {
        String::from_utf8(self.bytes(length as usize)?).ok()
    }
}

/// By their numbers.
const TAGS: [Tag; 15] = [
    Tag::Null,
    Tag::Bool,
    Tag::SmallInt,
    Tag::Int,
    Tag::Float,
    Tag::Event,
    Tag::Machine,
    Tag::String,
    Tag::Tuple,
    Tag::NamedTuple,
    Tag::StrangelyNamedTuple,
    Tag::Seq,
    Tag::Set,
    Tag::Map,
    Tag::Foreign,
];
