//! What a step did, in words: the material of traces, logs and charts.

use crate::{ActorId, Choice, Outcome, Program};

/// One thing that happened in a step. Names and values are as people read them; machines are `ActorId`s where a chart
/// needs to draw a line, and the trace numbers them in order of creation, as P does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A machine came into being.
    Created {
        /// The new machine.
        actor: ActorId,
        /// Its type.
        machine: String,
        /// The value given to `new`.
        payload: Option<String>,
    },
    /// A machine took an event from its queue, or got it in `receive`.
    Received {
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Option<String>,
    },
    /// A message was put into a queue, or dropped because its target has halted.
    Sent {
        /// Who gets it.
        to: ActorId,
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Option<String>,
        /// Whether the target had halted.
        dropped: bool,
    },
    /// A message that is about to be sent was shown to monitors. `Sent` follows when it is put into the queue.
    Sending {
        /// Who will get it.
        to: ActorId,
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Option<String>,
    },
    /// An event was announced.
    Announced {
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Option<String>,
    },
    /// An event was raised.
    Raised {
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Option<String>,
    },
    /// The moving machine changed its state, or re-entered it.
    Entered {
        /// The state it left, unless it has just begun.
        from: Option<String>,
        /// The state it is in now.
        to: String,
    },
    /// A monitor changed its state.
    MonitorEntered {
        /// The spec's or scenario's name.
        monitor: String,
        /// The state it left, unless it has just begun.
        from: Option<String>,
        /// The state it is in now.
        to: String,
    },
    /// A nondeterministic expression got its value.
    Chose {
        /// The value.
        value: String,
    },
    /// The program printed something.
    Printed {
        /// What.
        text: String,
    },
    /// The moving machine waits for an event in `receive`.
    Waiting {
        /// The events it waits for.
        events: Vec<String>,
    },
    /// The moving machine ended.
    Halted,
}

/// A program that can tell what its steps do.
pub trait Narrate: Program {
    /// What happens before the first step.
    fn narrate_start(&self, happenings: &mut Vec<Happening>) -> Outcome<Self::State, Self::Bug>;

    /// Takes a step as [`Program::step`] does, and adds what happened.
    fn narrate(
        &self,
        state: &Self::State,
        choice: Choice,
        happenings: &mut Vec<Happening>,
    ) -> Outcome<Self::State, Self::Bug>;

    /// The machine that moves when this choice is taken.
    fn mover(&self, state: &Self::State, choice: Choice) -> Option<ActorId>;

    /// The type of an actor's machine.
    fn machine_name(&self, actor: ActorId) -> String;

    /// What the program's own texts call an actor: payloads, what is printed, messages of bugs. They are the same however a
    /// state was come to, so they cannot know a number in the order of creation; who tells a run puts that in their place.
    fn name_in_texts(&self, actor: ActorId) -> Option<String> {
        let _ = actor;
        None
    }

    /// What an actor is and where it stands, for messages about traces that no longer fit: `Server in Busy`.
    fn describe(&self, state: &Self::State, actor: ActorId) -> String;
}
