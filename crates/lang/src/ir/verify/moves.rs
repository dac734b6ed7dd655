//! The rule `moved-value`: forward over basic blocks goes the set of registers that are empty on some path.
//!
//! At the start of a function no register is empty: they hold arguments and defaults. Code that no path reaches is not
//! looked at.

use super::{Rule, Subject, Verifier};
use crate::ids::FunctionId;
use crate::ir::blocks::{Blocks, Worklist};
use crate::ir::{Function, Instruction, Operand, Register, RegisterSet};

impl Verifier<'_> {
    /// Registers and labels must be in range.
    pub(super) fn moves(&mut self, id: FunctionId, function: &Function) {
        let Some(flow) = Emptiness::new(function) else { return };
        let mut reported = RegisterSet::new(function.registers.len());
        for block in (0..flow.blocks.len()).filter(|block| flow.is_reached[*block]) {
            let mut empty = flow.empty_in[block].clone();
            for at in flow.blocks.range(block) {
                step(&function.code[at], &mut empty, |register| {
                    // One report for each register: the others follow from the same mistake.
                    if reported.insert(register) {
                        let message = format!("r{} was moved away on a path that leads here", register.0);
                        self.report(Rule::MovedValue, Subject::Instruction(id, at), message);
                    }
                });
            }
        }
    }
}

/// The registers that may be empty at the beginning of each block.
struct Emptiness {
    blocks: Blocks,
    is_reached: Vec<bool>,
    empty_in: Vec<RegisterSet>,
}

impl Emptiness {
    /// `None` when nothing is moved.
    fn new(function: &Function) -> Option<Self> {
        let code = &function.code;
        if !code.iter().flat_map(Instruction::uses).any(|operand| operand.is_move) {
            return None;
        }
        let blocks = Blocks::new(code);
        let count = blocks.len();
        let mut flow = Self {
            blocks,
            is_reached: vec![false; count],
            empty_in: vec![RegisterSet::new(function.registers.len()); count],
        };
        flow.solve(code);
        Some(flow)
    }

    fn solve(&mut self, code: &[Instruction]) {
        let count = self.blocks.len();
        let mut waiting = Worklist::new(count);
        self.is_reached[0] = true;
        waiting.insert(count - 1);
        while let Some(from_end) = waiting.pop() {
            let block = count - 1 - from_end;
            let mut empty = self.empty_in[block].clone();
            for instruction in &code[self.blocks.range(block)] {
                step(instruction, &mut empty, |_| {});
            }
            for edge in self.blocks.edges(block, code) {
                let mut arriving = empty.clone();
                edge.defines.into_iter().for_each(|register| arriving.remove(register));
                let grew = self.empty_in[edge.block].extend(&arriving);
                let is_new = !std::mem::replace(&mut self.is_reached[edge.block], true);
                if grew || is_new {
                    waiting.insert(count - 1 - edge.block);
                }
            }
        }
    }
}

/// From the registers that may be empty before the instruction to those after it; shows those that it reads.
fn step(instruction: &Instruction, empty: &mut RegisterSet, mut show: impl FnMut(Register)) {
    for Operand { register, is_move } in instruction.uses() {
        if empty.contains(register) {
            show(register);
        }
        if is_move {
            empty.insert(register);
        }
    }
    if let Some(register) = instruction.updated().filter(|register| empty.contains(*register)) {
        show(register);
    }
    if let Some(register) = instruction.definition() {
        empty.remove(register);
    }
}
