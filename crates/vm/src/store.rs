//! Everything that states refer to: configurations, messages, queues and rosters by id, with what is remembered about
//! each.
//!
//! Shared by threads through `&self`. Invariant: an object's content hash is a function of its content alone.

use crate::actor::Actors;
use crate::encode::{hash_list, hash_local, hash_message};
use crate::exercise::Exercised;
use crate::link::Linked;
use crate::machine::{Local, Message, MessageId, Owner, Pending};
use crate::memo::Transition;
use crate::packed::{Shape, each_value, has_values, pending_message};
use crate::part::Part;
use crate::queue::Queues;
use crate::recall::Move;
use crate::shapes::{ShapeId, Shapes};
use crate::table::{Inserted, Interned, Interner, Links, Table};
use crate::value::Value;
use fabius_model::ActorId;
use fabius_threads::Counter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An index into the store's configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LocalId(pub(crate) u32);

/// An index into the store's rosters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RosterId(pub(crate) u32);

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) actors: Actors,
    pub(crate) queues: Queues,
    messages: Interner<MessageEntry>,
    locals: Interner<LocalEntry>,
    shapes: Shapes,
    /// Those of all configurations.
    values: Table<Value>,
    rosters: Interner<Roster>,
    pub(crate) parts: Interner<Part>,
    pub(crate) transitions: Table<Transition>,
    pub(crate) moves: Table<Move>,
    /// Shared with the stores of other threads, and kept when all else is forgotten.
    pub(crate) exercised: Arc<Exercised>,
    /// Moves that had to be made.
    pub(crate) made: Counter,
    /// Moves that are remembered, and the bytes they take.
    remembered_moves: Counter,
    remembered: Counter,
    /// Whether no more are to be remembered.
    is_thrifty: AtomicBool,
    /// The bytes that the values of configurations take.
    held: Counter,
}

/// What a program remembers of the moves it has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Moves of machines that had to be made, because they were not remembered. When threads make the same move at the same
    /// time and one can remember it, it counts once.
    pub made: u64,
    /// What is remembered: moves, of a configuration and of a whole part, arrivals of messages, and what specs see.
    pub remembered: u64,
    /// Roughly the bytes held, for all that states refer to.
    pub bytes: u64,
}

#[derive(Debug)]
pub(crate) struct MessageEntry {
    pub(crate) message: Message,
    hash: u128,
}

impl Interned for MessageEntry {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.message == other.message
    }

    fn bytes(&self) -> usize {
        held_bytes(&self.message.payload)
    }
}

/// A configuration and what steps ask about it.
#[derive(Debug)]
pub(crate) struct LocalEntry {
    pub(crate) hash: u128,
    pub(crate) stance: Stance,
    /// From an input to a transition; for monitors from a message to the next configuration.
    pub(crate) links: Links,
    pub(crate) shape: ShapeId,
    /// The first of its values in the store; the shape tells how many there are.
    values: u32,
}

impl Interned for LocalEntry {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.shape == other.shape && self.values == other.values
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Roughly the bytes a value holds that nothing else does.
fn held_bytes(value: &Value) -> usize {
    let is_shared = match value {
        Value::String(text) => Arc::strong_count(text) > 1,
        Value::Tuple(tuple) => Arc::strong_count(tuple) > 1,
        Value::Seq(seq) => Arc::strong_count(seq) > 1,
        Value::Set(set) => Arc::strong_count(set) > 1,
        Value::Map(map) => Arc::strong_count(map) > 1,
        Value::Foreign(value) => Arc::strong_count(value) > 1,
        _ => true,
    };
    size_of::<Value>() + if is_shared { 0 } else { value.extent().bytes * 2 }
}

/// How a machine can move, as far as that follows from its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stance {
    /// At once.
    Run,
    /// At once, by putting a message into a queue first.
    Enqueue { target: ActorId, message: MessageId },
    /// When an alternative has been chosen; nobody else moves before.
    Choose { alternatives: u32 },
    /// When its queue holds something that the state of this index takes.
    Idle { state: u32 },
    /// At once, by looking into its queue: the state of this index reacts to `null`.
    CheckNull { state: u32 },
    /// When its queue holds something that the `receive` of this index takes.
    Receive { receive: u32 },
    /// Never again.
    Halted,
    /// Monitors move when others do.
    Monitor,
}

/// The machines of a state in the order of their identities.
#[derive(Debug)]
pub(crate) struct Roster {
    pub(crate) actors: Box<[ActorId]>,
    hash: u128,
    /// From an actor to the roster with it.
    with: Links,
}

impl Interned for Roster {
    fn hash(&self) -> u128 {
        self.hash
    }

    fn is_same(&self, other: &Self) -> bool {
        self.actors == other.actors
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.actors)
    }
}

impl Roster {
    /// The position of a machine.
    pub(crate) fn slot(&self, actor: ActorId) -> usize {
        let slot = self.actors.iter().position(|other| *other == actor);
        slot.expect("only machines that exist are referred to")
    }
}

impl Store {
    pub(crate) fn new(exercised: Arc<Exercised>) -> Self {
        Self {
            actors: Actors::new(),
            queues: Queues::new(),
            messages: Interner::new(),
            locals: Interner::new(),
            shapes: Shapes::new(),
            values: Table::new(),
            rosters: Interner::new(),
            parts: Interner::new(),
            transitions: Table::new(),
            moves: Table::new(),
            exercised,
            made: Counter::default(),
            remembered_moves: Counter::default(),
            remembered: Counter::default(),
            is_thrifty: AtomicBool::new(false),
            held: Counter::default(),
        }
    }

    /// Forgets everything, and keeps the room for as much again.
    pub(crate) fn clear(&mut self) {
        self.actors.clear();
        self.queues.clear();
        self.messages.clear();
        self.locals.clear();
        self.shapes.clear();
        self.values.clear();
        self.rosters.clear();
        self.parts.clear();
        self.transitions.clear();
        self.moves.clear();
        self.made = Counter::default();
        self.remembered_moves = Counter::default();
        self.remembered = Counter::default();
        self.is_thrifty = AtomicBool::new(false);
        self.held = Counter::default();
    }

    /// Roughly the bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.actors.bytes()
            + self.queues.bytes()
            + self.messages.bytes()
            + self.locals.bytes()
            + self.shapes.bytes()
            + self.rosters.bytes()
            + self.parts.bytes()
            + self.remembered.sum()
            + self.held.sum()
    }

    /// How many bytes more are taken at once when tables grow that are nearly full.
    pub(crate) fn growth_ahead(&self) -> usize {
        self.actors.table().growth_ahead()
            + self.queues.table().growth_ahead()
            + self.messages.growth_ahead()
            + self.locals.growth_ahead()
            + self.values.growth_ahead()
            + self.rosters.growth_ahead()
            + self.parts.growth_ahead()
            + self.transitions.growth_ahead()
            + self.moves.growth_ahead()
    }

    /// From now on no more moves are remembered.
    pub(crate) fn economise(&self) {
        self.is_thrifty.store(true, Ordering::Relaxed);
    }

    /// Notes that a move is remembered. What several threads find out at the same time counts once.
    pub(crate) fn count_remembered(&self, link: Inserted) {
        self.remembered_moves.add(usize::from(link.is_new));
        self.count_bytes(link.bytes);
    }

    /// The same for a move that was made.
    pub(crate) fn count_made(&self, link: Inserted) {
        self.made.add(usize::from(link.is_new));
        self.count_remembered(link);
    }

    /// Notes that moves take so many bytes more.
    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.remembered.add(bytes);
    }

    /// What is remembered, and what that has spared.
    pub(crate) fn memory(&self) -> Memory {
        Memory {
            made: self.made.sum() as u64,
            remembered: self.remembered_moves.sum() as u64,
            bytes: self.bytes() as u64,
        }
    }

    /// Whether about as many moves are remembered as may be, or memory is to be saved.
    pub(crate) fn remembers_no_more(&self, linked: &Linked) -> bool {
        self.remembered_moves.about() >= linked.options.limits.remembered as usize
            || self.is_thrifty.load(Ordering::Relaxed)
    }

    /// Whether there is so much room for moves that the counters, which tell [`about`](Counter::about) how many there are, never
    /// left one out.
    pub(crate) fn remembers_all(&self, linked: &Linked) -> bool {
        self.remembered_moves.sum() < linked.options.limits.remembered as usize / 2
            && !self.is_thrifty.load(Ordering::Relaxed)
    }

    pub(crate) fn messages(&self) -> &Interner<MessageEntry> {
        &self.messages
    }

    pub(crate) fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    pub(crate) fn locals(&self) -> &Interner<LocalEntry> {
        &self.locals
    }

    pub(crate) fn rosters(&self) -> &Interner<Roster> {
        &self.rosters
    }

    pub(crate) fn message(&self, id: MessageId) -> &Message {
        &self.messages.get(id.0).message
    }

    pub(crate) fn message_hash(&self, id: MessageId) -> u128 {
        self.messages.get(id.0).hash
    }

    pub(crate) fn intern_message(&self, message: &Message) -> MessageId {
        self.intern_hashed(message, hash_message(message, &self.actors))
    }

    fn intern_hashed(&self, message: &Message, hash: u128) -> MessageId {
        let is_same = |entry: &MessageEntry, message: &Message| entry.message == *message;
        let make = |message: &Message| MessageEntry { message: message.clone(), hash };
        MessageId(self.messages.intern_with(hash, message, is_same, make))
    }

    pub(crate) fn local(&self, id: LocalId) -> &LocalEntry {
        self.locals.get(id.0)
    }

    pub(crate) fn intern_local(&self, local: &Local, linked: &Linked) -> LocalId {
        let (id, shape) = self.shapes.intern(local, linked);
        let message = pending_message(local).map(|message| hash_message(message, &self.actors));
        let hash = hash_local(local, message, linked, &self.actors);
        let make = |local: &Local| LocalEntry {
            hash,
            stance: self.stance(local, linked, message.unwrap_or_default()),
            links: Links::default(),
            shape: id,
            values: self.keep_values(local, shape, linked),
        };
        let is_same = |entry: &LocalEntry, local: &Local| {
            entry.shape == id && has_values(local, linked, self.values_of(entry))
        };
        LocalId(self.locals.intern_with(hash, local, is_same, make))
    }

    fn keep_values(&self, local: &Local, shape: &Shape, linked: &Linked) -> u32 {
        let mut held = 0;
        let first = self.values.push_all(shape.values(), |filling| {
            let mut keep = |value: &Value| {
                held += held_bytes(value);
                filling.push(value.clone());
            };
            each_value(local, linked, &mut keep);
            pending_message(local).into_iter().for_each(|message| keep(&message.payload));
        });
        self.held.add(held);
        first
    }

    pub(crate) fn values_of(&self, entry: &LocalEntry) -> &[Value] {
        self.values.slice(entry.values, self.shape(entry).values())
    }

    pub(crate) fn shape(&self, entry: &LocalEntry) -> &Shape {
        self.shapes.get(entry.shape)
    }

    /// The values of a machine's variables.
    pub(crate) fn fields(&self, entry: &LocalEntry) -> &[Value] {
        self.shape(entry).fields(self.values_of(entry))
    }

    /// A configuration to change.
    pub(crate) fn unpack(&self, entry: &LocalEntry, linked: &Linked) -> Local {
        self.shape(entry).unpack(self.values_of(entry), linked)
    }

    /// `message` is the hash of the message that the configuration is about to send.
    fn stance(&self, local: &Local, linked: &Linked, message: u128) -> Stance {
        let Owner::Actor(actor) = local.owner else { return Stance::Monitor };
        match &local.pending {
            Pending::Start(_) | Pending::Create | Pending::FireNull | Pending::Handle(_) => Stance::Run,
            Pending::Enqueue { target, message: content } => {
                Stance::Enqueue { target: *target, message: self.intern_hashed(content, message) }
            }
            Pending::Choose { alternatives, .. } => Stance::Choose { alternatives: *alternatives },
            Pending::ForeignChoose { results, .. } => Stance::Choose { alternatives: results.len() as u32 },
            Pending::Idle => {
                let state = linked.state_index(self.actors.get(actor).machine, local.state);
                if linked.state(state).has_null {
                    Stance::CheckNull { state }
                } else {
                    Stance::Idle { state }
                }
            }
            Pending::Receive => {
                let frame = local.frames.last().expect("a machine in `receive` is in a call");
                Stance::Receive { receive: linked.receive_index(frame.function, frame.at) }
            }
            Pending::Halted => Stance::Halted,
        }
    }

    pub(crate) fn roster(&self, id: RosterId) -> &Roster {
        self.rosters.get(id.0)
    }

    pub(crate) fn intern_roster(&self, actors: Box<[ActorId]>) -> RosterId {
        let hash = hash_list(actors.iter().map(|actor| self.actors.hash(*actor)));
        RosterId(self.rosters.intern(Roster { actors, hash, with: Links::default() }))
    }

    /// The roster with one machine more, and its position there.
    pub(crate) fn enrol(&self, id: RosterId, actor: ActorId) -> (RosterId, usize) {
        let roster = self.roster(id);
        let next = RosterId(self.rosters.remember(&roster.with, actor.0, || {
            let before = |other: &ActorId| self.actors.compare(*other, actor).is_lt();
            let slot = roster.actors.partition_point(before);
            let mut actors = roster.actors.to_vec();
            actors.insert(slot, actor);
            self.intern_roster(actors.into()).0
        }));
        (next, self.roster(next).slot(actor))
    }
}
