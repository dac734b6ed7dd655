//! Which registers matter where a machine can stop.

use fabius_lang::ir::{Function, Instruction, Liveness, RegisterSet};

/// By position: the registers whose values are still needed when a machine stands at the instruction; `None` where no
/// machine ever stands.
pub(crate) fn kept_registers(function: &Function) -> Vec<Option<RegisterSet>> {
    let mut kept = vec![None; function.code.len()];
    let liveness = Liveness::analyse(function);
    liveness.for_each_live_out(|at, live| kept[at] = needed_at(&function.code[at], live));
    kept
}

/// What is needed at an instruction, given what is live after it.
fn needed_at(instruction: &Instruction, live: &RegisterSet) -> Option<RegisterSet> {
    let mut needed = live.clone();
    match instruction {
        // The message has been made; what is left to do is to go on.
        Instruction::Send { .. } | Instruction::Receive { .. } => {}
        // The arguments have been passed, and the result will be written.
        Instruction::Call { to, .. } => to.iter().for_each(|to| needed.remove(*to)),
        // Not begun: the operands are needed.
        Instruction::New { to, payload, .. } => {
            to.iter().for_each(|to| needed.remove(*to));
            payload.iter().for_each(|payload| _ = needed.insert(payload.register));
        }
        Instruction::Choose { to, .. } => {
            needed.remove(*to);
            instruction.uses().for_each(|operand| _ = needed.insert(operand.register));
        }
        _ => return None,
    }
    Some(needed)
}
