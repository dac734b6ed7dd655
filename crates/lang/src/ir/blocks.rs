//! Basic blocks: the stretches of code that control enters only at the first instruction and leaves only at the last.

use super::{Instruction, Register};
use std::ops::Range;

/// The blocks of a function's code, in the order of the code.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The position at which each block begins, and the end of the code.
    // Invariant: strictly ascending.
    starts: Vec<u32>,
    /// The block of each position.
    block_of: Vec<u32>,
}

/// A block that control can enter next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) block: usize,
    /// The register that is written on the way there.
    pub(super) defines: Option<Register>,
}

impl Blocks {
    /// Jumps to positions outside the code lead nowhere.
    pub(super) fn new(code: &[Instruction]) -> Self {
        let mut is_start = vec![false; code.len() + 1];
        for (at, instruction) in code.iter().enumerate() {
            if !instruction.is_terminator() {
                continue;
            }
            is_start[at + 1] = true;
            for successor in instruction.successors(at).filter(|successor| successor.at < code.len()) {
                is_start[successor.at] = true;
            }
        }
        let mut blocks = Self { starts: Vec::new(), block_of: Vec::with_capacity(code.len()) };
        for (at, is_start) in is_start[..code.len()].iter().enumerate() {
            if at == 0 || *is_start {
                blocks.starts.push(at as u32);
            }
            blocks.block_of.push(blocks.starts.len() as u32 - 1);
        }
        blocks.starts.push(code.len() as u32);
        blocks
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn range(&self, block: usize) -> Range<usize> {
        self.starts[block] as usize..self.starts[block + 1] as usize
    }

    pub(super) fn block_of(&self, at: usize) -> usize {
        self.block_of[at] as usize
    }

    pub(super) fn edges<'a>(
        &'a self,
        block: usize,
        code: &'a [Instruction],
    ) -> impl Iterator<Item = Edge> + 'a {
        let last = self.range(block).end - 1;
        code[last]
            .successors(last)
            .filter(|successor| successor.at < self.block_of.len())
            .map(|successor| Edge { block: self.block_of(successor.at), defines: successor.defines })
    }
}

/// The blocks that an analysis has to look at again, the last ones first. Code is mostly in the order of control, so
/// that a backward analysis looks at most blocks once; a forward one counts its blocks from the end.
#[derive(Debug)]
pub(super) struct Worklist {
    words: Vec<u64>,
    // Invariant: no word behind this one has a block.
    last: usize,
}

impl Worklist {
    /// Without any of the `count` blocks.
    pub(super) fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)], last: 0 }
    }

    pub(super) fn insert(&mut self, block: usize) {
        self.words[block / 64] |= 1 << (block % 64);
        self.last = self.last.max(block / 64);
    }

    pub(super) fn pop(&mut self) -> Option<usize> {
        while self.words.get(self.last) == Some(&0) && self.last > 0 {
            self.last -= 1;
        }
        let word = self.words.get_mut(self.last).filter(|word| **word != 0)?;
        let bit = word.ilog2() as usize;
        *word ^= 1 << bit;
        Some(self.last * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::Worklist;

    #[test]
    fn a_worklist_gives_each_block_once_and_the_last_first() {
        let mut waiting = Worklist::new(200);
        [130, 3, 128, 130].into_iter().for_each(|block| waiting.insert(block));
        assert_eq!(waiting.pop(), Some(130));
        [5, 199].into_iter().for_each(|block| waiting.insert(block));
        assert_eq!(waiting.pop(), Some(199));
        waiting.insert(64);
        let rest: Vec<_> = std::iter::from_fn(|| waiting.pop()).collect();
        assert_eq!(rest, [128, 64, 5, 3]);
        assert_eq!(Worklist::new(0).pop(), None);
    }
}
