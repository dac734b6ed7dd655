//! What the moves of machines touch: those that touch nothing in common commute.
//!
//! Where a move sends to is known before it; what else it does, only once it was made. That is noted with the member that
//! made it, so that states which share this member know it too. What is touched, and why moves then commute, is as for the
//! virtual machine that remembers (`Vm::find_touched`).
//!
//! Invariant: a note is about the move that the member would make now. Only moves that arrivals do not change are noted.

use super::{Waiting, Walk, Walker};
use crate::bug::Bug;
use crate::machine::Pending;
use fabius_model::{Sketches, Things};

impl Walker {
    /// Adds where the move of the machine in a slot leads, and notes what else it does. Gives what it touches.
    pub(super) fn sketch_mover(
        &self,
        walk: &Walk,
        slot: usize,
        sketches: &mut Sketches<Walk, Box<Bug>>,
    ) -> Things {
        let ends = self.touched_ends(walk, slot);
        let observers = self.sketch_one(walk.clone(), slot, None, sketches);
        if let (Some(ends), Some(observers)) = (ends, observers)
            && ends >> slot & 1 == 0
        {
            walk.members[slot].note_observers(observers);
        }
        things(slot, walk.roster.len(), ends, observers)
    }

    /// What the move of the machine in a slot touches, as far as it was noted.
    pub(super) fn touched_by(&self, walk: &Walk, slot: usize) -> Things {
        let observers = walk.members[slot].observers();
        things(slot, walk.roster.len(), self.touched_ends(walk, slot), observers)
    }

    /// The ends of queues that the next move of the machine in a slot touches, as bits; `None` if it may not be able to send.
    pub(super) fn touched_ends(&self, walk: &Walk, slot: usize) -> Option<u64> {
        let member = walk.members[slot].member();
        let Pending::Enqueue { target, .. } = &member.local.pending else {
            let heeds_arrivals = matches!(self.waiting(member), Waiting::Idle(info) if info.has_null);
            return Some(u64::from(heeds_arrivals) << slot);
        };
        let receiver = walk.slot(*target);
        // A queue that is full may not be so any more when its machine has moved.
        let is_full =
            walk.members[receiver].queue().len() >= self.linked.options.limits.queue_length as usize;
        (!is_full).then_some(1 << receiver)
    }
}

/// What a move touches: its machine, ends of queues, and monitors; everything if either of these is not known.
pub(super) fn things(slot: usize, machines: usize, ends: Option<u64>, observers: Option<u64>) -> Things {
    let (Some(ends), Some(observers)) = (ends, observers) else { return Things::ALL };
    // There are no monitors where there is no place for their bits.
    let monitors = observers.checked_shl(machines as u32).unwrap_or(0);
    Things([1 << slot | monitors, ends])
}
