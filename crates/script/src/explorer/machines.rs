//! What scripts call machines: `Server(3)`, as traces and bugs do.
//!
//! Scripts never see the ids of actors, whose numbers may depend on the timing of threads. A machine's number follows from
//! who created it and in which place, as in the virtual machine: 1 for the main machine, 2, 3, … for those that it
//! creates, 3.1, 3.2, … for those that 3 creates.

use std::sync::Arc;

use fabius_model::{ActorId, Choice, Effect, Vocabulary};
use rhai::ImmutableString;

/// The machines that a strategy has heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Machines {
    // Invariant: sorted by actor, so that it does not matter in which order they became known.
    known: Arc<Vec<Machine>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Machine {
    actor: ActorId,
    number: String,
    name: ImmutableString,
    /// How many machines it has created.
    children: u32,
}

impl Machines {
    fn get(&self, actor: ActorId) -> Option<&Machine> {
        self.find(actor).ok().map(|at| &self.known[at])
    }

    fn find(&self, actor: ActorId) -> Result<usize, usize> {
        self.known.binary_search_by_key(&actor, |machine| machine.actor)
    }

    /// A machine's name.
    pub(super) fn name(&self, actor: ActorId) -> ImmutableString {
        self.get(actor).map_or_else(ImmutableString::new, |machine| machine.name.clone())
    }

    /// The name of the machine that a choice moves.
    pub(super) fn name_of(&self, choice: Choice) -> ImmutableString {
        match choice {
            Choice::Schedule(actor) => self.name(actor),
            Choice::Data(number) => number.to_string().into(),
        }
    }

    /// Adds a machine of the initial state, unless it is known.
    pub(super) fn add_first(&mut self, actor: ActorId, vocabulary: &Vocabulary) {
        if self.get(actor).is_none() {
            let number = (self.known.len() + 1).to_string();
            let machine = vocabulary.first().map_or("", |first| vocabulary.text(first));
            self.add(actor, number, machine);
        }
    }

    fn add(&mut self, actor: ActorId, number: String, machine: &str) {
        let name = format!("{machine}({number})").into();
        let (Ok(at) | Err(at)) = self.find(actor);
        Arc::make_mut(&mut self.known).insert(at, Machine { actor, number, name, children: 0 });
    }

    /// Adds the machines that a step has created.
    pub(super) fn learn(&mut self, effects: &[Effect], vocabulary: &Vocabulary) {
        for effect in effects {
            if let Effect::Is { actor, machine, creator } = *effect
                && self.get(actor).is_none()
            {
                let number = self.next_number(creator);
                self.add(actor, number, vocabulary.text(machine));
            }
        }
        // Programs without hints.
        for effect in effects {
            if let Effect::Created(actor) | Effect::Enabled(actor) | Effect::SentTo(actor) = *effect {
                self.add_first(actor, vocabulary);
            }
        }
    }

    /// The number of the machine that this one creates now.
    fn next_number(&mut self, creator: ActorId) -> String {
        let Ok(at) = self.find(creator) else { return (self.known.len() + 1).to_string() };
        let creator = &mut Arc::make_mut(&mut self.known)[at];
        creator.children += 1;
        match creator.number.as_str() {
            "1" => (creator.children + 1).to_string(),
            number => format!("{number}.{}", creator.children),
        }
    }
}
