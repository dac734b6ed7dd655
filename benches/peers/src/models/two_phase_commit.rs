//! Two-phase commit as Stateright models it, after Gray and Lamport, "Consensus on Transaction Commit", 2003: messages
//! are never taken away, and a participant may decide to abort alone. The state is one integer.

use xxhash_rust::xxh3::xxh3_128;

use super::{Compact, field, set_field};

/// A number of participants with one coordinator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoPhaseCommit {
    pub(crate) participants: u32,
}

// Of a participant.
const WORKING: u64 = 0;
const PREPARED: u64 = 1;
const COMMITTED: u64 = 2;
const ABORTED: u64 = 3;

// Of the coordinator, in two bits; the message that says so is on its way from then on.
const UNDECIDED: u64 = 0;

// Where the fields begin. Two bits for each participant, then the coordinator's decision, then one bit for each
// participant that the coordinator knows to be prepared, then one for each message that says so.
const DECISION: u32 = 32;
const KNOWN: u32 = 34;
const SAID: u32 = 48;

// Actions: the first two, or one of five kinds for a participant.
const COMMIT: u8 = 0;
const ABORT: u8 = 1;
const FIRST_OF_PARTICIPANTS: u8 = 2;
const HEAR: u8 = 0;
const PREPARE: u8 = 1;
const GIVE_UP: u8 = 2;
const OBEY_COMMIT: u8 = 3;
const OBEY_ABORT: u8 = 4;
const KINDS: u8 = 5;

impl TwoPhaseCommit {
    fn everybody(self) -> u64 {
        (1 << self.participants) - 1
    }
}

impl Compact for TwoPhaseCommit {
    type State = u64;

    fn initial(&self) -> u64 {
        0
    }

    fn actions(&self, state: &u64, add: &mut impl FnMut(u8)) {
        let decision = field(*state, DECISION, 2);
        if decision == UNDECIDED {
            if field(*state, KNOWN, self.participants) == self.everybody() {
                add(COMMIT);
            }
            add(ABORT);
        }
        for participant in 0..self.participants {
            let first = FIRST_OF_PARTICIPANTS + participant as u8 * KINDS;
            if decision == UNDECIDED && field(*state, SAID + participant, 1) == 1 {
                add(first + HEAR);
            }
            if field(*state, 2 * participant, 2) == WORKING {
                add(first + PREPARE);
                add(first + GIVE_UP);
            }
            match decision {
                COMMITTED => add(first + OBEY_COMMIT),
                ABORTED => add(first + OBEY_ABORT),
                _ => {}
            }
        }
    }

    fn step(&self, state: &u64, action: u8) -> u64 {
        let mut next = *state;
        if action < FIRST_OF_PARTICIPANTS {
            set_field(&mut next, DECISION, 2, if action == COMMIT { COMMITTED } else { ABORTED });
            return next;
        }
        let participant = u32::from((action - FIRST_OF_PARTICIPANTS) / KINDS);
        let mut turn = |state| set_field(&mut next, 2 * participant, 2, state);
        match (action - FIRST_OF_PARTICIPANTS) % KINDS {
            HEAR => next |= 1 << (KNOWN + participant),
            PREPARE => {
                turn(PREPARED);
                next |= 1 << (SAID + participant);
            }
            OBEY_COMMIT => turn(COMMITTED),
            _ => turn(ABORTED),
        }
        next
    }

    /// Nobody has committed when another has aborted.
    fn holds(&self, state: &u64) -> bool {
        let participants = field(*state, 0, 2 * self.participants);
        // One bit for each participant, in even places: the high bit of its state, and the low one.
        let evens = 0x5555_5555_5555_5555;
        let (high, low) = (participants >> 1 & evens, participants & evens);
        high & low == 0 || high & !low == 0
    }

    fn words(state: &u64, add: &mut impl FnMut(u64)) {
        add(*state);
    }

    fn fingerprint(state: &u64) -> u128 {
        xxh3_128(&state.to_le_bytes())
    }
}
