//! Liveness: which registers' values are still needed, and from it, which uses are the last ones.
//!
//! A register is *live* at a position when some path from there reads it before writing it. The analysis goes backward
//! over basic blocks until nothing changes. Only registers that some block reads before it writes them can be live
//! between blocks; the sets that flow are sets of those few, so that the many intermediate values cost nothing there.
//! Invariant of the analysis: `live_in` of a block only grows, and its predecessors wait in the worklist whenever it
//! did.
//!
//! The function's registers and labels must be in range: the verifier's rule `in-range`.

use super::blocks::{Blocks, Worklist};
use super::register_set::ones;
use super::{Function, Instruction, Register, RegisterSet};

/// The liveness of the registers of one function.
#[derive(Debug)]
pub struct Liveness<'f> {
    function: &'f Function,
    flow: Flow,
}

impl<'f> Liveness<'f> {
    pub fn analyse(function: &'f Function) -> Self {
        Self { function, flow: Flow::new(&function.code, function.registers.len()) }
    }

    /// The registers that are live after the instruction. Costs a walk from the end of the instruction's block;
    /// to ask for many positions, use [`Liveness::for_each_live_out`].
    pub fn live_out(&self, at: usize) -> RegisterSet {
        let block = self.flow.blocks.block_of(at);
        let mut live = self.flow.live_out(block, &self.function.code);
        for later in self.function.code[at + 1..self.flow.blocks.range(block).end].iter().rev() {
            step_back(later, &mut live);
        }
        live
    }

    /// Shows, for each instruction from the last to the first, the registers that are live after it.
    pub fn for_each_live_out(&self, mut show: impl FnMut(usize, &RegisterSet)) {
        let code = &self.function.code;
        for block in (0..self.flow.blocks.len()).rev() {
            let mut live = self.flow.live_out(block, code);
            for at in self.flow.blocks.range(block).rev() {
                show(at, &live);
                step_back(&code[at], &mut live);
            }
        }
    }
}

/// Makes each operand a move exactly when its value is not needed any more: when no path from there on reads the
/// register before writing it, the rest of the same instruction included.
pub fn insert_moves(function: &mut Function) {
    let code = &mut function.code;
    if code.iter().any(has_label) {
        return insert_moves_by_blocks(code, function.registers.len());
    }
    let mut live = RegisterSet::new(function.registers.len());
    for instruction in code.iter_mut().rev() {
        if instruction.is_terminator() {
            live.clear();
        }
        mark_moves(instruction, &mut live, |register| register);
    }
}

/// The set of live registers has two parts: first a row as in [`Flow`], so that a block begins with a copy of a row;
/// behind it the registers that are not live between blocks, none of which is left when a block is done.
fn insert_moves_by_blocks(code: &mut [Instruction], registers: usize) {
    let blocks = Blocks::new(code);
    let scan = Scan::new(code, registers, &blocks);
    if blocks.len().saturating_mul(scan.crossing.len()) > MOST_CROSSINGS {
        return insert_moves_within_blocks(code, &blocks, &scan.position);
    }
    let flow = Flow::from_scan(code, blocks, scan);
    let behind_row = flow.words as u32 * 64;
    let place = |register: Register| match flow.position[register.index()] {
        NOT_CROSSING => Register(behind_row + register.0),
        position => Register(position),
    };
    let mut live = RegisterSet::new(behind_row as usize + registers);
    for block in (0..flow.blocks.len()).rev() {
        let row = &mut live.words_mut()[..flow.words];
        row.fill(0);
        flow.add_live_out(block, code, row);
        for instruction in code[flow.blocks.range(block)].iter_mut().rev() {
            mark_moves(instruction, &mut live, place);
        }
        debug_assert!(
            live.words_mut()[flow.words..].iter().all(|word| *word == 0),
            "a value crosses into {block}"
        );
    }
}

/// Functions with more blocks times variables than this are not analysed: it would take too much room.
const MOST_CROSSINGS: usize = 1 << 28;

/// Makes moves of the uses that need no look at other blocks; what may be live between blocks is copied.
fn insert_moves_within_blocks(code: &mut [Instruction], blocks: &Blocks, position: &[u32]) {
    let mut live = RegisterSet::new(position.len());
    for block in (0..blocks.len()).rev() {
        for instruction in code[blocks.range(block)].iter_mut().rev() {
            mark_moves(instruction, &mut live, |register| register);
            for operand in instruction.uses_mut() {
                operand.is_move &= position[operand.register.index()] == NOT_CROSSING;
            }
        }
    }
}

fn has_label(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Jump(_) | Instruction::Branch { .. } | Instruction::Receive { .. })
}

/// From the registers live after the instruction to those live before it.
fn step_back(instruction: &Instruction, live: &mut RegisterSet) {
    if let Some(register) = instruction.definition() {
        live.remove(register);
    }
    let read = instruction.uses().map(|operand| operand.register).chain(instruction.updated());
    read.for_each(|register| _ = live.insert(register));
}

/// As `step_back`, where `place` says which member of the set stands for a register; the operand that makes its
/// register live is the last use.
fn mark_moves(instruction: &mut Instruction, live: &mut RegisterSet, place: impl Fn(Register) -> Register) {
    if let Some(register) = instruction.definition() {
        live.remove(place(register));
    }
    if let Some(register) = instruction.updated() {
        live.insert(place(register));
    }
    instruction.uses_mut().rev().for_each(|operand| operand.is_move = live.insert(place(operand.register)));
}

/// What is live at the beginning of each block.
#[derive(Debug)]
struct Flow {
    blocks: Blocks,
    /// The registers that some block reads before it writes them; the rows below have a bit for each.
    crossing: Vec<Register>,
    /// The position of each register in `crossing`, `NOT_CROSSING` if it has none.
    position: Vec<u32>,
    words: usize,
    /// A row of `words` for each block.
    live_in: Vec<u64>,
}

const NOT_CROSSING: u32 = u32::MAX;

impl Flow {
    fn new(code: &[Instruction], registers: usize) -> Self {
        let blocks = Blocks::new(code);
        let scan = Scan::new(code, registers, &blocks);
        Self::from_scan(code, blocks, scan)
    }

    fn from_scan(code: &[Instruction], blocks: Blocks, scan: Scan) -> Self {
        let words = scan.crossing.len().div_ceil(64);
        let mut flow = Self {
            live_in: vec![0; blocks.len() * words],
            blocks,
            crossing: scan.crossing,
            position: scan.position,
            words,
        };
        let mut written = vec![0; flow.live_in.len()];
        for (block, register) in scan.read_first {
            if let Some((word, bit)) = flow.bit(register) {
                flow.live_in[block as usize * words + word] |= bit;
            }
        }
        for (block, register) in scan.written {
            if let Some((word, bit)) = flow.bit(register) {
                written[block as usize * words + word] |= bit;
            }
        }
        flow.solve(code, &written);
        flow
    }

    /// The word and bit of a register in each row.
    fn bit(&self, register: Register) -> Option<(usize, u64)> {
        let position = self.position[register.index()];
        (position != NOT_CROSSING).then_some((position as usize / 64, 1 << (position % 64)))
    }

    fn solve(&mut self, code: &[Instruction], written: &[u64]) {
        let predecessors = Predecessors::new(&self.blocks, code);
        let mut waiting = Worklist::new(self.blocks.len());
        (0..self.blocks.len()).for_each(|block| waiting.insert(block));
        let mut row = vec![0; self.words];
        while let Some(block) = waiting.pop() {
            row.fill(0);
            self.add_live_out(block, code, &mut row);
            if self.grow_live_in(block, &row, written) {
                predecessors.of(block).iter().for_each(|predecessor| waiting.insert(*predecessor as usize));
            }
        }
    }

    /// Whether the block's `live_in` grew.
    fn grow_live_in(&mut self, block: usize, live_out: &[u64], written: &[u64]) -> bool {
        let at = block * self.words;
        let mut grew = false;
        for (word, out) in live_out.iter().enumerate() {
            let live_in = &mut self.live_in[at + word];
            let next = *live_in | out & !written[at + word];
            grew |= next != *live_in;
            *live_in = next;
        }
        grew
    }

    /// Adds what is live at the end of the block to a row.
    fn add_live_out(&self, block: usize, code: &[Instruction], row: &mut [u64]) {
        for edge in self.blocks.edges(block, code) {
            let defined = edge.defines.and_then(|register| self.bit(register));
            for (word, (live, row)) in self.live_in(edge.block).iter().zip(&mut *row).enumerate() {
                let kept = defined.map_or(u64::MAX, |(at, bit)| if at == word { !bit } else { u64::MAX });
                *row |= live & kept;
            }
        }
    }

    /// What is live at the end of the block, as a set of registers.
    fn live_out(&self, block: usize, code: &[Instruction]) -> RegisterSet {
        let mut row = vec![0; self.words];
        self.add_live_out(block, code, &mut row);
        let mut live = RegisterSet::new(self.position.len());
        for (at, word) in row.iter().enumerate() {
            ones(*word).for_each(|bit| _ = live.insert(self.crossing[at * 64 + bit as usize]));
        }
        live
    }

    fn live_in(&self, block: usize) -> &[u64] {
        &self.live_in[block * self.words..][..self.words]
    }
}

/// What each block reads before it writes it, and what it writes.
struct Scan {
    read_first: Vec<(u32, Register)>,
    written: Vec<(u32, Register)>,
    crossing: Vec<Register>,
    position: Vec<u32>,
    /// The last block that wrote each register, counted from 1.
    last_writer: Vec<u32>,
}

impl Scan {
    fn new(code: &[Instruction], registers: usize, blocks: &Blocks) -> Self {
        let mut scan = Self {
            read_first: Vec::new(),
            written: Vec::new(),
            crossing: Vec::new(),
            position: vec![NOT_CROSSING; registers],
            last_writer: vec![0; registers],
        };
        for block in 0..blocks.len() {
            for instruction in &code[blocks.range(block)] {
                instruction.uses().for_each(|operand| scan.read(block as u32, operand.register));
                if let Some(register) = instruction.updated() {
                    scan.read(block as u32, register);
                }
                if let Some(register) = instruction.definition() {
                    scan.write(block as u32, register);
                }
            }
        }
        scan
    }

    fn read(&mut self, block: u32, register: Register) {
        if self.last_writer[register.index()] == block + 1 {
            return;
        }
        if self.position[register.index()] == NOT_CROSSING {
            self.position[register.index()] = self.crossing.len() as u32;
            self.crossing.push(register);
        }
        self.read_first.push((block, register));
    }

    fn write(&mut self, block: u32, register: Register) {
        if std::mem::replace(&mut self.last_writer[register.index()], block + 1) != block + 1 {
            self.written.push((block, register));
        }
    }
}

/// The blocks from which control can enter each block.
struct Predecessors {
    /// Where the list of each block begins in `list`, and the end.
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Predecessors {
    fn new(blocks: &Blocks, code: &[Instruction]) -> Self {
        let edges = || {
            (0..blocks.len()).flat_map(|from| blocks.edges(from, code).map(move |edge| (from, edge.block)))
        };
        let mut starts = vec![0; blocks.len() + 1];
        edges().for_each(|(_, to)| starts[to + 1] += 1);
        for block in 0..blocks.len() {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts[blocks.len()] as usize];
        for (from, to) in edges() {
            list[next[to] as usize] = from as u32;
            next[to] += 1;
        }
        Self { starts, list }
    }

    fn of(&self, block: usize) -> &[u32] {
        &self.list[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}
