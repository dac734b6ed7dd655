//! Room that moves use again: making one needs several vectors, and most of the time for allocating them would be more
//! than for filling them.

use crate::link::Linked;
use crate::machine::{Frame, Local};
use crate::value::Value;
use std::cell::RefCell;

/// What a thread keeps.
#[derive(Default)]
struct Room {
    frames: Vec<Vec<Frame>>,
    registers: Vec<Vec<Value>>,
}

/// More than a program's usual calls need; the rest is freed.
const KEPT: usize = 64;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// An empty vector for this many registers.
pub(crate) fn registers(count: usize) -> Vec<Value> {
    let mut registers = ROOM.with_borrow_mut(|room| room.registers.pop()).unwrap_or_default();
    registers.reserve(count);
    registers
}

pub(crate) fn give_back_registers(mut registers: Vec<Value>) {
    registers.clear();
    ROOM.with_borrow_mut(|room| {
        if room.registers.len() < KEPT {
            room.registers.push(registers);
        }
    });
}

/// A configuration to change, with all registers of its frames.
pub(crate) fn copy_of(local: &Local, linked: &Linked) -> Local {
    let mut frames = ROOM.with_borrow_mut(|room| room.frames.pop()).unwrap_or_default();
    frames.extend(local.frames.iter().map(|frame| {
        let count = linked.function(frame.function).registers.len();
        let mut copy = registers(count);
        copy.extend_from_slice(&frame.registers);
        copy.resize(count, Value::Null);
        Frame { function: frame.function, at: frame.at, registers: copy }
    }));
    Local {
        owner: local.owner,
        state: local.state,
        fields: local.fields.clone(),
        frames,
        then: local.then.clone(),
        pending: local.pending.clone(),
        children: local.children,
    }
}

/// Gives a configuration the registers at the end of its frames that were left out because they are empty.
pub(crate) fn fill(local: &mut Local, linked: &Linked) {
    for frame in &mut local.frames {
        frame.registers.resize(linked.function(frame.function).registers.len(), Value::Null);
    }
}

pub(crate) fn give_back(mut local: Local) {
    while let Some(frame) = local.frames.pop() {
        give_back_registers(frame.registers);
    }
    ROOM.with_borrow_mut(|room| {
        if room.frames.len() < KEPT {
            room.frames.push(local.frames);
        }
    });
}
