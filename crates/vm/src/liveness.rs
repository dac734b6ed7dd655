//! Which registers matter where a machine can stop.

use fabius_lang::ir::{Function, Instruction, Liveness, RegisterSet};

/// Which registers of a function matter.
pub(crate) struct Kept {
    /// Those whose values when a call begins are ever read.
    pub(crate) at_start: RegisterSet,
    /// By position: those whose values are still needed when a machine stands at the instruction; `None` where no machine
    /// ever stands.
    pub(crate) standing: Vec<Option<RegisterSet>>,
}

pub(crate) fn kept_registers(function: &Function) -> Kept {
    let mut at_start = RegisterSet::new(function.registers.len());
    let mut standing = vec![None; function.code.len()];
    Liveness::analyse(function).for_each_live_out(|at, live| {
        let instruction = &function.code[at];
        standing[at] = needed_at(instruction, live);
        if at == 0 {
            at_start = live.clone();
            instruction.definition().iter().for_each(|register| at_start.remove(*register));
            let read = instruction.uses().map(|operand| operand.register).chain(instruction.updated());
            read.for_each(|register| _ = at_start.insert(register));
        }
    });
    Kept { at_start, standing }
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
