//! Steps in words.

use crate::bug::Bug;
use crate::state::State;
use crate::step::Vm;
use crate::store::Stance;
use fabius_model::{ActorId, Choice, Happening, Narrate, Outcome};

impl Narrate for Vm {
    fn narrate_start(&self, happenings: &mut Vec<Happening>) -> Outcome<State, Box<Bug>> {
        self.start(Some(happenings))
    }

    fn narrate(
        &self,
        state: &State,
        choice: Choice,
        happenings: &mut Vec<Happening>,
    ) -> Outcome<State, Box<Bug>> {
        self.advance(state, choice, &mut Vec::new(), Some(happenings))
    }

    fn mover(&self, state: &State, choice: Choice) -> Option<ActorId> {
        match choice {
            Choice::Schedule(actor) => Some(actor),
            Choice::Data(_) => {
                let slot = state.chooser()?;
                Some(self.store.roster(state.roster()).actors[slot])
            }
        }
    }

    fn machine_name(&self, actor: ActorId) -> String {
        self.linked.machine_name(self.store.actors.get(actor).machine).to_owned()
    }

    fn name_in_texts(&self, actor: ActorId) -> Option<String> {
        Some(self.actor_text(actor))
    }

    fn describe(&self, state: &State, actor: ActorId) -> String {
        let name = self.actor_text(actor);
        let roster = self.store.roster(state.roster());
        let Some(slot) = roster.actors.iter().position(|other| *other == actor) else {
            return format!("{name}, which does not exist yet");
        };
        let local = self.store.part(state.part(slot)).local;
        match self.store.local(local).stance {
            Stance::Halted => format!("{name}, which has halted"),
            _ => format!("{name} in {}", self.local_state(local)),
        }
    }
}
