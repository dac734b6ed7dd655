//! Steps from memory, as changes: which words of a state become others, and its fingerprint then.
//!
//! What `recall.rs` does to a copy of a state is here only noted down, because most states that steps lead to have been met
//! before. A step that cannot be made from memory, or that creates machines, is taken as a whole.

use crate::bug::Bug;
use crate::memo::Action;
use crate::monitor;
use crate::part::Recalled;
use crate::state::{self, State};
use crate::step::Vm;
use crate::store::{LocalId, Roster, Stance};
use fabius_model::{Choice, Sketches};

type Drawn = Sketches<State, Box<Bug>>;

/// A state whose steps are sketched.
struct Drawing<'a> {
    vm: &'a Vm,
    before: &'a State,
    roster: &'a Roster,
}

impl Vm {
    /// Adds where each choice leads.
    pub(crate) fn draw(&self, state: &State, sketches: &mut Drawn) {
        let drawing = Drawing { vm: self, before: state, roster: self.store.roster(state.roster()) };
        if let Some(slot) = state.chooser() {
            if let Stance::Choose { alternatives } = self.stance(state, slot) {
                (0..alternatives).for_each(|alternative| drawing.add(slot, Some(alternative), sketches));
            }
            return;
        }
        let machines = drawing.roster.actors.len();
        for (slot, is_enabled) in state.enabled().take(machines).enumerate() {
            if is_enabled {
                drawing.add(slot, None, sketches);
            }
        }
    }
}

impl Drawing<'_> {
    /// Adds where a move of the machine in slot `mover` leads.
    #[inline]
    fn add(&self, mover: usize, alternative: Option<u32>, sketches: &mut Drawn) {
        match self.draw(mover, alternative, sketches) {
            Some(fingerprint) => sketches.add_edited(fingerprint),
            None => self.add_whole(mover, alternative, sketches),
        }
    }

    /// The same, as a step.
    #[cold]
    fn add_whole(&self, mover: usize, alternative: Option<u32>, sketches: &mut Drawn) {
        sketches.drop_edits();
        let choice = alternative.map_or(Choice::Schedule(self.roster.actors[mover]), Choice::Data);
        sketches.add(self.vm.advance(self.before, choice, &mut Vec::new(), None));
    }

    /// Notes the changes down, and gives the fingerprint after them. `None` if that cannot be done.
    #[inline]
    fn draw(&self, mover: usize, alternative: Option<u32>, sketches: &mut Drawn) -> Option<u128> {
        let (vm, store) = (self.vm, &self.vm.store);
        let part = store.part(self.before.part(mover));
        let recalled = vm.recalled(part, alternative)?;
        let mut fingerprint = self.before.fingerprint;
        if part.is_sending {
            let slot = part.target_slot(self.roster);
            let receiver = store.part(self.before.part(slot));
            // The move itself has accounted for what the mover sends to itself.
            if slot != mover && !receiver.is_halted {
                let next = vm.arrival(receiver, part.message)?;
                let after = store.part(next);
                fingerprint = fingerprint.wrapping_sub(receiver.hash).wrapping_add(after.hash);
                sketches.edit(state::place(slot), state::part_word(next, after));
            }
        }
        let next = match recalled {
            Recalled::Plain(next) => next,
            Recalled::Move(index) => {
                let known = store.moves.get(index);
                for action in &store.transitions.get(known.transition).actions {
                    fingerprint = self.act(action, mover, fingerprint, sketches)?;
                }
                known.next
            }
        };
        let after = store.part(next);
        sketches.edit(state::place(mover), state::part_word(next, after));
        let chooser = if after.is_choosing { mover as u32 + 1 } else { 0 };
        if chooser != self.before.words()[state::CHOOSER] {
            sketches.edit(state::CHOOSER as u32, chooser);
        }
        Some(fingerprint.wrapping_sub(part.hash).wrapping_add(after.hash))
    }

    fn act(&self, action: &Action, mover: usize, fingerprint: u128, sketches: &mut Drawn) -> Option<u128> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        let message = match action {
            Action::Observe { message } => *message,
            Action::Hint(_) => return Some(fingerprint),
            Action::Create { .. } | Action::Say(_) => return None,
        };
        let mut fingerprint = fingerprint;
        let interface = store.actors.get(self.roster.actors[mover]).interface;
        for index in linked.observers(interface, store.message(message).event) {
            let at = state::place(self.roster.actors.len() + *index as usize);
            let before = sketches.edited(at).map_or(self.before.words()[at as usize], |word| *word);
            let after = monitor::observe(linked, store, LocalId(before), message, None).ok()?;
            let (old, new) = (store.local(LocalId(before)).hash, store.local(after).hash);
            fingerprint = fingerprint.wrapping_sub(old).wrapping_add(new);
            match sketches.edited(at) {
                Some(word) => *word = after.0,
                None => sketches.edit(at, after.0),
            }
        }
        Some(fingerprint)
    }
}
