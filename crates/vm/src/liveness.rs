//! Which registers matter where a machine can stop.

use crate::link::{RegisterSet, register_set};
use fabius_lang::ir::{Function, Instruction, Register};

/// By position: the registers whose values are still needed when a machine stands at the instruction; `None` where no
/// machine ever stands.
pub(crate) fn kept_registers(function: &Function) -> Vec<Option<RegisterSet>> {
    let count = function.registers.len();
    let all = || register_set(count, (0..count).map(|index| Register(index as u32)));
    function.code.iter().map(|instruction| is_stop(instruction).then(all)).collect()
}

/// Whether a machine can stand at the instruction.
fn is_stop(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Send { .. }
            | Instruction::New { .. }
            | Instruction::Choose { .. }
            | Instruction::Receive { .. }
            | Instruction::Call { .. }
    )
}
