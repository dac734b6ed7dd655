//! Steps from memory, as changes: which words of a state become others, and its fingerprint then.
//!
//! What `recall.rs` does to a copy of a state is here only noted down, because most states that steps lead to have been met
//! before. A step that cannot be made from memory, or that creates machines, is taken as a whole.

use crate::bug::Bug;
use crate::machine::MessageId;
use crate::memo::Action;
use crate::monitor;
use crate::part::{Part, PartId, Recalled};
use crate::state::{self, State};
use crate::step::Vm;
use crate::store::{LocalId, Roster, Stance};
use fabius_model::{Choice, Effect, Ending, Sketches, Tale, Things, Touched};

type Drawn = Sketches<State, Box<Bug>>;

/// A state whose steps are sketched.
struct Drawing<'a> {
    vm: &'a Vm,
    before: &'a State,
    words: &'a [u32],
    roster: &'a Roster,
}

impl Vm {
    /// Adds where each choice leads, and tells what explorers learn of it.
    #[inline(always)]
    pub(crate) fn draw(&self, state: &State, sketches: &mut Drawn, mut tell: impl FnMut(Tale)) {
        let drawing = self.drawing(state);
        if let Some(slot) = state.chooser() {
            if let Stance::Choose { alternatives } = self.stance(state, slot) {
                (0..alternatives)
                    .for_each(|alternative| tell(drawing.add_alternative(slot, alternative, sketches)));
            }
            return;
        }
        state.for_each_mover(|slot, part| tell(drawing.add_move(slot, part, sketches)));
    }

    /// The same, and adds what is told to others.
    pub(crate) fn draw_told(&self, state: &State, sketches: &mut Drawn, tales: &mut Vec<Tale>) {
        let start = tales.len();
        self.draw(state, sketches, |tale| tales.push(tale));
        // There is more to tell, or places do not fit.
        if self.linked.options.hints || state.words().len() > usize::from(u8::MAX) {
            tales[start..].fill(Tale::UNTOLD);
        }
    }

    /// Adds where the moves of the machines in some slots lead, which can be scheduled.
    pub(crate) fn draw_movers(&self, state: &State, slots: u64, sketches: &mut Drawn) {
        let drawing = self.drawing(state);
        state::for_each_bit(slots, |slot| {
            drawing.add_move(slot, state.part(slot), sketches);
        });
    }

    /// Tells what the moves of the machines in some slots touch, which can be scheduled. Beside machines these are monitors,
    /// whose bits follow theirs, and in the second half the ends of machines' queues: what arrives there does not change what a
    /// machine does that can move anyhow, and queues come to the same in both orders, because they are in their normal form.
    pub(crate) fn find_touched(&self, state: &State, slots: u64, touched: &mut Touched) {
        let roster = self.store.roster(state.roster());
        state::for_each_bit(slots, |slot| {
            let part = self.store.part(state.part(slot));
            touched[slot] = self.touched_by(state, slot, part, roster).unwrap_or(Things::ALL);
        });
    }

    /// `None` if it may be anything.
    #[inline]
    fn touched_by(&self, state: &State, slot: usize, part: &Part, roster: &Roster) -> Option<Things> {
        let observers = match part.recalled()? {
            Recalled::Plain(_) => 0,
            Recalled::Move(index) => self.store.moves.get(index).observers?,
        };
        // At a choice, nobody else moves.
        if part.change().2 {
            return None;
        }
        let mut machines = 1 << slot;
        let mut ends = if part.heeds_arrivals { 1 << slot } else { 0 };
        if observers != 0 {
            machines |= observers << roster.actors.len();
        }
        if part.is_sending {
            let receiver = part.target_slot(roster);
            // A queue that is full may not be so any more when its machine has moved.
            if self.store.part(state.part(receiver)).is_full {
                return None;
            }
            ends |= 1 << receiver;
        }
        Some(Things([machines, ends]))
    }

    /// The choice of which something was told at this state, and the effects of its step, in the order of `recall.rs`.
    pub(crate) fn tell(&self, state: &State, tale: Tale, effects: &mut Vec<Effect>) -> Choice {
        let actors = &self.store.roster(state.roster()).actors;
        let mover = actors[tale.mover()];
        if let Some((receiver, enables)) = tale.receiver() {
            effects.push(Effect::SentTo(actors[receiver]));
            effects.extend(enables.then_some(Effect::Enabled(actors[receiver])));
        }
        match tale.end() {
            Ending::Enabled => {}
            Ending::Blocked => effects.push(Effect::Blocked(mover)),
            Ending::Halted => effects.push(Effect::Halted(mover)),
        }
        tale.alternative().map_or(Choice::Schedule(mover), Choice::Data)
    }

    /// Adds where one choice leads.
    pub(crate) fn draw_choice(&self, state: &State, choice: Choice, sketches: &mut Drawn) {
        let drawing = self.drawing(state);
        match choice {
            Choice::Schedule(actor) => {
                let slot = drawing.roster.slot(actor);
                drawing.add_move(slot, state.part(slot), sketches);
            }
            Choice::Data(alternative) => {
                let slot = state.chooser().expect("data choices belong to somebody");
                drawing.add_alternative(slot, alternative, sketches);
            }
        }
    }

    // Beside `sketch`, not in it, where it would take registers that the loop over steps needs.
    #[inline(never)]
    fn drawing<'a>(&'a self, state: &'a State) -> Drawing<'a> {
        let (words, roster) = (state.words(), self.store.roster(state.roster()));
        Drawing { vm: self, before: state, words, roster }
    }
}

impl Drawing<'_> {
    /// Adds where a move of the machine in slot `mover` leads, which stands at no choice; gives what is told of it.
    #[inline(always)]
    fn add_move(&self, mover: usize, id: PartId, sketches: &mut Drawn) -> Tale {
        match self.draw_move(mover, id, sketches) {
            Some((fingerprint, tale)) => {
                sketches.add_edited(fingerprint);
                tale
            }
            None => self.add_whole(Choice::Schedule(self.roster.actors[mover]), sketches),
        }
    }

    /// Notes its changes down, and gives the fingerprint after them and what is told. `None` if that cannot be done.
    #[inline(always)]
    fn draw_move(&self, mover: usize, id: PartId, sketches: &mut Drawn) -> Option<(u128, Tale)> {
        let part = self.vm.store.part(id);
        let recalled = self.vm.recalled(part, None)?;
        let tale = Tale::new(mover as u8, part.end_of_change());
        let (fingerprint, tale) = self.draw(mover, (part, recalled), tale, sketches)?;
        let (word, change, is_choosing) = part.change();
        sketches.edit(state::place(mover), word);
        if is_choosing {
            sketches.edit(state::CHOOSER as u32, mover as u32 + 1);
        }
        Some((fingerprint.wrapping_add(change), tale))
    }

    /// Adds where an alternative of the machine in slot `mover` leads, which stands at a choice; gives what is told of it.
    fn add_alternative(&self, mover: usize, alternative: u32, sketches: &mut Drawn) -> Tale {
        let store = &self.vm.store;
        let part = store.part(self.before.part(mover));
        let drawn = self.vm.recalled(part, Some(alternative)).and_then(|recalled| {
            let next = match recalled {
                Recalled::Plain(next) => next,
                Recalled::Move(index) => store.moves.get(index).next,
            };
            let after = store.part(next);
            let tale = Tale::new(mover as u8, after.end()).choosing(alternative);
            let (fingerprint, tale) = self.draw(mover, (part, recalled), tale, sketches)?;
            sketches.edit(state::place(mover), state::part_word(next, after));
            if !after.is_choosing {
                sketches.edit(state::CHOOSER as u32, 0);
            }
            Some((fingerprint.wrapping_sub(part.hash).wrapping_add(after.hash), tale))
        });
        match drawn {
            Some((fingerprint, tale)) => {
                sketches.add_edited(fingerprint);
                tale
            }
            None => self.add_whole(Choice::Data(alternative), sketches),
        }
    }

    /// Adds where a choice leads, as a step, of which nothing is told.
    #[cold]
    fn add_whole(&self, choice: Choice, sketches: &mut Drawn) -> Tale {
        sketches.drop_edits();
        sketches.add(self.vm.advance(self.before, choice, &mut Vec::new(), None));
        Tale::UNTOLD
    }

    /// Notes down what a move changes beside the mover itself, and gives the fingerprint after that, and what is told of it.
    /// `None` if that cannot be done.
    #[inline(always)]
    fn draw(
        &self,
        mover: usize,
        (part, recalled): (&Part, Recalled),
        mut tale: Tale,
        sketches: &mut Drawn,
    ) -> Option<(u128, Tale)> {
        let (vm, store) = (self.vm, &self.vm.store);
        let mut fingerprint = self.before.fingerprint;
        if part.is_sending {
            let slot = part.target_slot(self.roster);
            let receiver = store.part(state::part_of(self.words[state::HEADER + slot]));
            if slot == mover {
                // The move itself has accounted for what the mover sends to itself.
                tale = tale.sending(slot as u8, false);
            } else if !receiver.is_halted {
                let next = vm.arrival(receiver, part.message)?;
                let after = store.part(next);
                fingerprint = fingerprint.wrapping_sub(receiver.hash).wrapping_add(after.hash);
                sketches.edit(state::place(slot), state::part_word(next, after));
                tale = tale.sending(slot as u8, after.is_enabled && !receiver.is_enabled);
            }
        }
        match recalled {
            Recalled::Plain(_) => Some((fingerprint, tale)),
            Recalled::Move(index) => Some((self.act(index, mover, fingerprint, sketches)?, tale)),
        }
    }

    /// The same for what a move does beside sending.
    fn act(&self, index: u32, mover: usize, mut fingerprint: u128, sketches: &mut Drawn) -> Option<u128> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        let made = store.moves.get(index);
        if let (Some(mut observers), Some(message)) = (made.observers, made.message) {
            // Mostly so; then all else that is known of the move need not be read.
            while observers != 0 {
                let index = observers.trailing_zeros() as usize;
                observers &= observers - 1;
                fingerprint = self.observe(index, message, fingerprint, sketches)?;
            }
            return Some(fingerprint);
        }
        let interface = store.actors.get(self.roster.actors[mover]).interface;
        for action in &store.transitions.get(made.transition).actions {
            match action {
                Action::Observe { message } => {
                    for index in linked.observers(interface, store.message(*message).event) {
                        fingerprint = self.observe(*index as usize, *message, fingerprint, sketches)?;
                    }
                }
                Action::Hint(_) => {}
                Action::Create { .. } | Action::Say(_) => return None,
            }
        }
        Some(fingerprint)
    }

    /// The same for a message that a monitor sees.
    fn observe(
        &self,
        index: usize,
        message: MessageId,
        fingerprint: u128,
        sketches: &mut Drawn,
    ) -> Option<u128> {
        let (linked, store) = (&self.vm.linked, &self.vm.store);
        let at = state::place(self.roster.actors.len() + index);
        let before = LocalId(sketches.edited(at).map_or(self.words[at as usize], |word| *word));
        let after = monitor::observe(linked, store, before, message, None).ok()?;
        match sketches.edited(at) {
            Some(word) => *word = after.0,
            None => sketches.edit(at, after.0),
        }
        Some(fingerprint.wrapping_sub(store.local(before).hash).wrapping_add(store.local(after).hash))
    }
}
