//! Room that moves use again: a configuration to change needs several vectors, and allocating them would take more time
//! than filling them.

use crate::machine::{Local, Owner};
use crate::value::Value;
use fabius_lang::ids::StateId;
use std::cell::RefCell;

/// More than are in use at a time; the rest is freed.
const KEPT: usize = 4;

thread_local! {
    static ROOM: RefCell<Vec<Local>> = const { RefCell::new(Vec::new()) };
}

/// A configuration without fields and frames, to be filled.
pub(crate) fn local() -> Local {
    let kept = ROOM.with_borrow_mut(Vec::pop);
    kept.unwrap_or_else(|| Local::new(Owner::Monitor(0), StateId(0), &[], Value::Null))
}

pub(crate) fn give_back(mut local: Local) {
    local.halt();
    ROOM.with_borrow_mut(|room| {
        if room.len() < KEPT {
            room.push(local);
        }
    });
}
