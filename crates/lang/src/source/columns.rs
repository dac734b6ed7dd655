//! Character counts of a text, so that a column costs the same in a line of twenty bytes and of twenty million.

const BLOCK: usize = 4096;

/// How many characters begin before each block of a text.
#[derive(Debug)]
pub(super) struct CharacterCounts {
    // Invariant: `before_block[n]` counts the characters that begin before byte `n * BLOCK`.
    before_block: Vec<u32>,
}

impl CharacterCounts {
    pub(super) fn new(text: &str) -> Self {
        let mut total = 0;
        let mut before_block = Vec::with_capacity(text.len() / BLOCK + 1);
        before_block.push(0);
        for block in text.as_bytes().chunks(BLOCK) {
            total += characters(block) as u32;
            before_block.push(total);
        }
        Self { before_block }
    }

    /// The number of characters that begin before a byte of the text the counts were made of.
    pub(super) fn before(&self, text: &str, offset: usize) -> usize {
        let offset = offset.min(text.len());
        let block = offset / BLOCK;
        self.before_block[block] as usize + characters(&text.as_bytes()[block * BLOCK..offset])
    }
}

/// Characters that begin in these bytes of a UTF-8 text.
fn characters(bytes: &[u8]) -> usize {
    const CONTINUATION: u8 = 0b1000_0000;
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != CONTINUATION).count()
}
