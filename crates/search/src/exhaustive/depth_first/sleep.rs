//! Steps that need not be looked at, because where they lead is visited anyhow.
//!
//! When two machines can move and touch nothing in common, both orders lead to the same state, and to look it up twice is
//! one time too many. So when a move of `b` at `s` leads to a new state, machines before `b` that can move at `s`, too, and
//! touch nothing in common with `b`'s move, are *asleep* there: their steps from there are counted, and not looked at. This
//! is the idea of sleep sets (Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996, chapter
//! 5). There a state that is met again has to be looked at again if less is asleep then. Here it has not, because only
//! machines *before* `b`, in one order of all machines, fall asleep.
//!
//! Guarantees: once all visited states have been expanded, what each step of each of them leads to has been visited, or
//! found to be a bug, whether somebody was asleep or not.
//!
//! Proof, for the step of `a` at `t`, by induction over the machines, the last one first, and for each over the order in
//! which states were found. If `a` is awake at `t`, its step is looked at. Else `t` was found by a move of some `b` behind
//! `a` at some `s`, found before `t`, and both moves commute. So `s·a` was visited, by induction (the same machine, a state
//! found before), or is the same bug as `t·a`, and was found. At `s·a` machine `b` can move; and what that leads to, which
//! is `t·a`, was visited by induction (a machine behind `a`). The last machine is never asleep. There are finitely many of
//! both: what is visited is finite.
//!
//! It does not matter who finds a state first, so this holds for any number of threads; nor does it matter if fewer
//! machines are asleep, as in a search that was taken up again. But a set that forgets or merges states was never
//! complete, and each state that it misses would take others along: there nobody sleeps.

use fabius_model::{Packed, Things, Touched};

/// Who can move at a state, by places, as bits. Nobody if the program does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Movers {
    all: u64,
    asleep: u64,
}

impl Movers {
    pub(super) fn new(all: u64, asleep: u64) -> Self {
        debug_assert_eq!(asleep & !all, 0, "who is asleep could move");
        Self { all, asleep }
    }

    /// Those whose steps are looked at.
    pub(super) fn awake(self) -> u64 {
        self.all & !self.asleep
    }

    /// How many are not.
    pub(super) fn count_asleep(self) -> u32 {
        self.asleep.count_ones()
    }

    /// The position of the choice of one of those that are awake; if the program does not tell who can move, of any choice.
    pub(super) fn position(self, index: usize) -> u32 {
        match self.asleep {
            0 => index as u32,
            _ => before(self.all, nth(self.awake(), index)).count_ones(),
        }
    }
}

/// Finds out who is asleep at new states.
pub(super) struct Sleep {
    touched: Box<Touched>,
}

impl Sleep {
    pub(super) fn new() -> Self {
        Self { touched: Box::new([Things::default(); _]) }
    }

    /// Who is asleep at the state that a step leads to, of one of those that are awake at the state before it.
    pub(super) fn after<P: Packed>(
        &mut self,
        program: &P,
        state: &P::State,
        movers: Movers,
        index: usize,
    ) -> u64 {
        let place = nth(movers.awake(), index);
        let (mut asleep, mut others) = (0, before(movers.all, place));
        if others == 0 {
            return 0;
        }
        program.touched(state, others | 1 << place, &mut self.touched);
        let touched = self.touched[place as usize];
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            asleep |= u64::from(!self.touched[other].meet(touched)) << other;
        }
        asleep
    }
}

/// The place of one of the bits that are set; 64 if there are not so many.
fn nth(mut bits: u64, index: usize) -> u32 {
    for _ in 0..index {
        bits &= bits.wrapping_sub(1);
    }
    bits.trailing_zeros()
}

/// The bits before a place.
fn before(bits: u64, place: u32) -> u64 {
    bits & 1_u64.checked_shl(place).map_or(u64::MAX, |bit| bit - 1)
}
