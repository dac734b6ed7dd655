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

use fabius_model::{Packed, Sketches, Things, Touched};

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

    /// Whether two or more can move.
    pub(super) fn are_several(self) -> bool {
        self.all & self.all.wrapping_sub(1) != 0
    }

    /// Those whose steps are looked at.
    pub(super) fn awake(self) -> u64 {
        self.all & !self.asleep
    }

    /// How many are not.
    pub(super) fn count_asleep(self) -> u32 {
        // Mostly nobody is; and to count bits takes a dozen instructions where the target has none for it.
        if self.asleep == 0 { 0 } else { self.asleep.count_ones() }
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
    /// Who is asleep after the steps of a batch, of a program that uses states up when it takes their steps.
    noted: Vec<u64>,
}

impl Sleep {
    pub(super) fn new() -> Self {
        Self { touched: Box::new([Things::default(); _]), noted: Vec::new() }
    }

    /// Begins a batch.
    pub(super) fn clear(&mut self) {
        self.noted.clear();
    }

    /// Takes the steps of those that are awake at a state, which may be used up for that; notes who is asleep after each.
    #[inline]
    pub(super) fn sketch_last<P: Packed>(
        &mut self,
        program: &P,
        state: P::State,
        movers: Movers,
        sketches: &mut Sketches<P::State, P::Bug>,
    ) -> Option<P::State> {
        self.noted.resize(sketches.len(), 0);
        let state = program.sketch_last_movers(state, movers.awake(), sketches, &mut self.touched);
        let asleep = (0..sketches.len() - self.noted.len()).map(|index| {
            let place = nth(movers.awake(), index);
            untouched(&self.touched, place, before(movers.all, place))
        });
        self.noted.extend(asleep);
        state
    }

    /// Who is asleep at the state that a step of the batch leads to: that of one of those that are awake at the state before
    /// it.
    pub(super) fn after<P: Packed>(
        &mut self,
        program: &P,
        state: Option<&P::State>,
        movers: Movers,
        (step, index): (usize, usize),
    ) -> u64 {
        if P::MAKES_LAST_OF_STATE {
            return self.noted.get(step).copied().unwrap_or(0);
        }
        let place = nth(movers.awake(), index);
        let others = before(movers.all, place);
        let Some(state) = state.filter(|_| others != 0) else { return 0 };
        program.touched(state, others | 1 << place, &mut self.touched);
        untouched(&self.touched, place, others)
    }
}

/// Those among others whose moves touch nothing in common with that of the machine at a place.
fn untouched(touched: &Touched, place: u32, mut others: u64) -> u64 {
    let mut untouched = 0;
    while others != 0 {
        let other = others.trailing_zeros() as usize;
        others &= others - 1;
        untouched |= u64::from(!touched[other].meet(touched[place as usize])) << other;
    }
    untouched
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
