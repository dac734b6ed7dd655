//! The form in which very many configurations are kept: values, and a shape that all share which differ in values only.
//!
//! A program has few shapes: one for each place where a machine can stand. What is left are the values of fields, of the
//! registers that are still needed there, and of payloads; they lie in one block.
//!
//! Invariant: the order of values follows from the shape. First the fields; then the needed registers of each frame, the
//! outermost frame first; then what `then` and `pending` hold, a message's payload last.

use crate::frames::Frame;
use crate::link::Linked;
use crate::machine::{Local, Message, Owner, Pending, Then};
use crate::scratch;
use crate::table::Interned;
use crate::value::Value;
use fabius_lang::ids::StateId;

/// A configuration without its values.
#[derive(Debug)]
pub(crate) struct Shape {
    /// That of [`shape_key`].
    key: u128,
    brief: Option<Brief>,
    pub(crate) owner: Owner,
    pub(crate) state: StateId,
    children: u32,
    fields: u32,
    /// How many values there are, those of registers included that are not needed.
    all: u32,
    /// How many of them are kept.
    values: u32,
    frames: Box<[Frame]>,
    /// The values in these two are null.
    pub(crate) then: Then,
    pub(crate) pending: Pending,
}

impl Interned for Shape {
    fn hash(&self) -> u128 {
        self.key
    }

    fn is_same(&self, other: &Self) -> bool {
        self.frames == other.frames
            && (self.owner, self.state, self.children, self.fields)
                == (other.owner, other.state, other.children, other.fields)
            && self.then == other.then
            && self.pending == other.pending
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.frames)
    }
}

impl Shape {
    /// `key` is that of [`shape_key`].
    pub(crate) fn new(local: &Local, key: u128, linked: &Linked) -> Self {
        let mut then = local.then.clone();
        let mut pending = local.pending.clone();
        match &mut then {
            Then::Leave { payload, .. } | Then::Enter { payload, .. } => *payload = Value::Null,
            Then::Settle | Then::Unhandled { .. } => {}
        }
        match &mut pending {
            Pending::Start(payload) => *payload = Value::Null,
            // Nor is its hash kept, which is that of one payload.
            Pending::Enqueue { message, .. } | Pending::Handle(message) => {
                *message = Message::new(message.event, Value::Null);
            }
            Pending::ForeignChoose { results, .. } => {
                *results = results.iter().map(|_| Value::Null).collect();
            }
            _ => {}
        }
        Self {
            key,
            brief: Brief::of(local),
            owner: local.owner,
            state: local.state,
            children: local.children,
            fields: local.fields,
            all: local.values.len() as u32,
            values: count_values(local, linked),
            frames: local.frames.iter().copied().collect(),
            then,
            pending,
        }
    }

    /// Whether the configuration has this shape.
    pub(crate) fn is_of(&self, local: &Local) -> bool {
        self.owner == local.owner
            && (self.state, self.children) == (local.state, local.children)
            && self.fields == local.fields
            && local.frames.are(&self.frames)
            && is_same_then(&self.then, &local.then)
            && is_same_pending(&self.pending, &local.pending)
    }

    /// What it is in brief, if it can be said so.
    #[inline]
    pub(crate) fn brief(&self) -> Option<Brief> {
        self.brief
    }

    /// The innermost call that has not returned.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// The outermost call.
    pub(crate) fn outermost(&self) -> Option<&Frame> {
        self.frames.first()
    }

    /// How many values its configurations have.
    pub(crate) fn values(&self) -> usize {
        self.values as usize
    }

    /// Those of the values that are fields.
    pub(crate) fn fields<'a>(&self, values: &'a [Value]) -> &'a [Value] {
        &values[..self.fields as usize]
    }

    /// The configuration with these values.
    pub(crate) fn unpack(&self, values: &[Value], linked: &Linked) -> Local {
        let mut values = values.iter();
        let local = self.fill(linked, || values.next().cloned());
        local.expect("a shape tells how many values there are")
    }

    /// The configuration with the values that are given, one after the other; `None` if there are too few.
    #[inline]
    pub(crate) fn fill(&self, linked: &Linked, mut next: impl FnMut() -> Option<Value>) -> Option<Local> {
        let mut local = scratch::local();
        local.owner = self.owner;
        local.state = self.state;
        local.children = self.children;
        local.fields = self.fields;
        for _ in 0..self.fields {
            local.values.push(next()?);
        }
        local.values.resize(self.all as usize, Value::Null);
        self.frames.iter().for_each(|frame| local.frames.push(*frame));
        for frame in &self.frames {
            for index in linked.function(frame.function).live(frame.at) {
                local.values[(frame.base + index) as usize] = next()?;
            }
        }
        local.then = self.then.clone();
        match &mut local.then {
            Then::Leave { payload, .. } | Then::Enter { payload, .. } => *payload = next()?,
            Then::Settle | Then::Unhandled { .. } => {}
        }
        local.pending = self.pending.clone();
        match &mut local.pending {
            Pending::Start(payload) => *payload = next()?,
            Pending::Enqueue { message, .. } | Pending::Handle(message) => message.payload = next()?,
            Pending::ForeignChoose { results, .. } => {
                let values: Option<Vec<Value>> = (0..results.len()).map(|_| next()).collect();
                *results = values?.into();
            }
            _ => {}
        }
        Some(local)
    }
}

/// All that the shape of a simple configuration is, as most are: at most one call has not returned, and nothing is to follow
/// it. Configurations that have the same one have the same shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief([u64; 4]);

impl PartialEq for Brief {
    /// Word by word: one of the two has just been written so, and larger pieces of it could not be read before that is done.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h) == 0
    }
}

impl Eq for Brief {}

impl Brief {
    #[inline]
    pub(crate) fn of(local: &Local) -> Option<Self> {
        let (owner, is_monitor) = match local.owner {
            Owner::Actor(actor) => (actor.0, 0),
            Owner::Monitor(index) => (index, 1),
        };
        let (what, first, second) = match &local.pending {
            Pending::Start(_) => (0, 0, 0),
            Pending::Idle => (1, 0, 0),
            Pending::Enqueue { target, message } => (2, target.0, message.event.0),
            Pending::Receive => (3, 0, 0),
            Pending::Choose { alternatives, visible } => (4, *alternatives, u32::from(*visible)),
            Pending::ForeignChoose { .. } => return None,
            Pending::Create => (6, 0, 0),
            Pending::FireNull => (7, 0, 0),
            Pending::Handle(message) => (8, 0, message.event.0),
            Pending::Halted => (9, 0, 0),
        };
        let (is_called, function, at) = match local.frames.last() {
            None => (0, 0, 0),
            Some(frame) if frame.base == local.fields => (1, frame.function.0, frame.at),
            Some(_) => return None,
        };
        let is_simple = local.frames.len() <= 1 && local.then == Then::Settle && local.fields < 1 << 24;
        is_simple.then_some(Self([
            both(owner, local.state.0),
            both(local.children, local.fields << 8 | is_called << 5 | is_monitor << 4 | what),
            both(function, at),
            both(first, second),
        ]))
    }

    /// One byte of a hash.
    #[inline]
    pub(crate) fn byte(&self) -> usize {
        let mixed = self.0.iter().fold(0, |sum: u64, word| (sum.rotate_left(29) ^ word).wrapping_mul(FACTOR));
        (mixed >> 56) as usize
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

fn both(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A hash of a configuration without its values. It never leaves the process.
pub(crate) fn shape_key(local: &Local) -> u128 {
    let mut sum = Mixer(0);
    match local.owner {
        Owner::Actor(actor) => sum.add(actor.0, 0),
        Owner::Monitor(index) => sum.add(index, 1),
    }
    sum.add(local.state.0, local.children);
    sum.add(local.fields, local.frames.len() as u32);
    local.frames.iter().for_each(|frame| sum.add(frame.function.0, frame.at));
    match &local.then {
        Then::Settle => {}
        Then::Leave { target, with, .. } => sum.add(target.0, with.map_or(u32::MAX, |with| with.0)),
        Then::Enter { target, .. } => sum.add(target.0, 1 << 30),
        Then::Unhandled { event } => sum.add(event.0, 1 << 31),
    }
    match &local.pending {
        Pending::Start(_) => sum.add(0, 0),
        Pending::Idle => sum.add(1, 0),
        Pending::Enqueue { target, message } => sum.add(target.0 << 4 | 2, message.event.0),
        Pending::Receive => sum.add(3, 0),
        Pending::Choose { alternatives, visible } => sum.add(4 + u32::from(*visible) * 16, *alternatives),
        Pending::ForeignChoose { results, visible } => {
            sum.add(5 + u32::from(*visible) * 16, results.len() as u32);
        }
        Pending::Create => sum.add(6, 0),
        Pending::FireNull => sum.add(7, 0),
        Pending::Handle(message) => sum.add(8, message.event.0),
        Pending::Halted => sum.add(9, 0),
    }
    u128::from(sum.0).wrapping_mul(0xF39C_C060_5CED_C835_9E37_79B9_7F4A_7C15)
}

struct Mixer(u64);

impl Mixer {
    fn add(&mut self, a: u32, b: u32) {
        self.0 = (self.0.rotate_left(29) ^ both(a, b)).wrapping_mul(FACTOR);
    }
}

fn is_same_then(one: &Then, other: &Then) -> bool {
    match (one, other) {
        (Then::Settle, Then::Settle) => true,
        (Then::Leave { target, with, .. }, Then::Leave { target: other, with: other_with, .. }) => {
            (target, with) == (other, other_with)
        }
        (Then::Enter { target, .. }, Then::Enter { target: other, .. }) => target == other,
        (Then::Unhandled { event }, Then::Unhandled { event: other }) => event == other,
        _ => false,
    }
}

fn is_same_pending(one: &Pending, other: &Pending) -> bool {
    match (one, other) {
        (Pending::Start(_), Pending::Start(_)) => true,
        (
            Pending::Enqueue { target, message },
            Pending::Enqueue { target: other, message: other_message },
        ) => (target, message.event) == (other, other_message.event),
        (
            Pending::ForeignChoose { results, visible },
            Pending::ForeignChoose { results: other, visible: seen },
        ) => (results.len(), visible) == (other.len(), seen),
        (Pending::Handle(message), Pending::Handle(other)) => message.event == other.event,
        (one, other) => one == other,
    }
}

/// Visits the values of a configuration in their order, but for the payload of a pending message.
#[inline]
pub(crate) fn each_value(local: &Local, linked: &Linked, mut visit: impl FnMut(&Value)) {
    local.fields().iter().for_each(&mut visit);
    local.frames.for_each(|frame| {
        let registers = &local.values[frame.base as usize..];
        let live = linked.function(frame.function).live(frame.at);
        live.iter().for_each(|index| visit(&registers[*index as usize]));
    });
    match &local.then {
        Then::Leave { payload, .. } | Then::Enter { payload, .. } => visit(payload),
        Then::Settle | Then::Unhandled { .. } => {}
    }
    match &local.pending {
        Pending::Start(payload) => visit(payload),
        Pending::ForeignChoose { results, .. } => results.iter().for_each(visit),
        _ => {}
    }
}

/// The message that a configuration is about to send or to handle.
pub(crate) fn pending_message(local: &Local) -> Option<&Message> {
    match &local.pending {
        Pending::Enqueue { message, .. } | Pending::Handle(message) => Some(message),
        _ => None,
    }
}

fn count_values(local: &Local, linked: &Linked) -> u32 {
    let mut count = u32::from(pending_message(local).is_some());
    each_value(local, linked, |_| count += 1);
    count
}

/// Whether these are the values of the configuration, which has their shape.
pub(crate) fn has_values(local: &Local, linked: &Linked, values: &[Value]) -> bool {
    let (mut rest, mut are_equal) = (values.iter(), true);
    each_value(local, linked, |value| are_equal &= rest.next() == Some(value));
    are_equal && pending_message(local).is_none_or(|message| rest.next() == Some(&message.payload))
}
