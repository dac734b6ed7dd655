//! The trees of neighbouring vectors, in which what is equal in one and the next is there once.
//!
//! Vectors are pushed one after the other. Only the nodes above words that differ from the vector before become new values;
//! the others keep theirs. The pairs are then numbered for all vectors together, one height after the other, so that many
//! cache misses are under way at a time.
//!
//! Invariant: a value of a node is `MISSING` until its level has been resolved, and stays so if the pair
//! has no number.

use crate::blocks::BlockRequest;
use crate::pairs::{MISSING, Request, key_of};
use crate::shape::Shape;
use crate::table::mix;

/// The trees.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    /// Words and numbers of pairs.
    values: Vec<u64>,
    /// For each node of the shape, which value it has in the last vector.
    current: Vec<u32>,
    /// Blocks of words to be numbered.
    blocks: Vec<BlockRequest>,
    /// Pairs of values to be numbered, by height; the first has none.
    levels: Vec<Vec<Join>>,
    /// What is asked for in one level.
    requests: Vec<Request>,
    /// How many values there are; the array is made when all are known.
    count: u32,
    /// Values that are words: blocks of one.
    singles: Vec<(u32, u32)>,
    /// For each vector, which values are at the sides of its root.
    roots: Vec<(u32, u32)>,
}

/// A pair of values, and the value for its number.
#[derive(Clone, Copy, Debug)]
struct Join {
    left: u32,
    right: u32,
    into: u32,
}

impl Trees {
    /// Makes it ready for vectors of a shape.
    pub(crate) fn clear(&mut self, shape: &Shape) {
        self.count = 0;
        self.singles.clear();
        self.current.clear();
        self.current.resize(shape.blocks.len() + shape.inner.len(), 0);
        self.blocks.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        self.levels.resize_with(self.levels.len().max(shape.height + 1), Vec::new);
        self.roots.clear();
    }

    /// Adds a vector, which comes after another one of its length.
    #[inline]
    pub(crate) fn push(&mut self, words: &[u32], before: Option<&[u32]>, shape: &Shape) {
        match before {
            Some(before) if !shape.is_wide => self.push_changed(words, before, shape),
            // What is new in a wide tree is not worth the looking for it.
            _ => self.push_all(words, shape),
        }
        self.roots.push((self.current[shape.root.0], self.current[shape.root.1]));
    }

    #[inline]
    fn push_changed(&mut self, words: &[u32], before: &[u32], shape: &Shape) {
        // Comparing all and then going through the bits mispredicts one branch instead of one for each change.
        let ((twos, single), (old_twos, old_single)) = (words.as_chunks::<2>(), before.as_chunks::<2>());
        let mut differ = u64::from(single.first() != old_single.first()) << (twos.len() % 64);
        for (place, (two, old)) in twos.iter().zip(old_twos).enumerate() {
            differ |= u64::from(two != old) << place;
        }
        let mut changed = 0;
        for (index, block) in shape.blocks.iter().enumerate() {
            if differ & block.twos != 0 {
                changed |= block.above;
                self.set_block(index, &words[block.start..block.end]);
            }
        }
        while changed != 0 {
            self.join(changed.trailing_zeros() as usize, shape);
            changed &= changed - 1;
        }
    }

    #[cold]
    fn push_all(&mut self, words: &[u32], shape: &Shape) {
        for (index, block) in shape.blocks.iter().enumerate() {
            self.set_block(index, &words[block.start..block.end]);
        }
        (0..shape.inner.len()).for_each(|index| self.join(index, shape));
    }

    /// A block is another one than in the vector before.
    #[inline]
    fn set_block(&mut self, block: usize, words: &[u32]) {
        let into = self.new_value(block);
        match *words {
            [word] => self.singles.push((into, word)),
            _ => self.blocks.push(BlockRequest::new(words, into)),
        }
    }

    /// A side of an inner node is another one than in the vector before.
    #[inline]
    fn join(&mut self, index: usize, shape: &Shape) {
        let node = shape.inner[index];
        let (left, right) = (self.current[node.left], self.current[node.right]);
        let into = self.new_value(shape.blocks.len() + index);
        self.levels[node.height].push(Join { left, right, into });
    }

    #[inline]
    fn new_value(&mut self, node: usize) -> u32 {
        let index = self.count;
        self.count += 1;
        self.current[node] = index;
        index
    }

    /// Finds the numbers of all pairs, from the words upwards.
    pub(crate) fn resolve(
        &mut self,
        number_blocks: impl Fn(&[BlockRequest], &mut [u64]),
        number_pairs: impl Fn(&[Request], &mut [u64]),
    ) {
        self.values.clear();
        self.values.resize(self.count as usize, MISSING);
        self.singles.iter().for_each(|&(into, word)| self.values[into as usize] = u64::from(word));
        number_blocks(&self.blocks, &mut self.values);
        for joins in self.levels.iter().filter(|joins| !joins.is_empty()) {
            self.requests.clear();
            for join in joins {
                let (left, right) = (self.values[join.left as usize], self.values[join.right as usize]);
                // Otherwise its value is missing, too.
                if left.max(right) < MISSING {
                    self.requests.push(Request { key: key_of(left, right), into: join.into });
                }
            }
            number_pairs(&self.requests, &mut self.values);
        }
    }

    /// The keys of all vectors that have one, and which those are. One with a number missing is not in a set, and cannot
    /// be.
    pub(crate) fn root_keys(&self, keys: &mut Vec<u64>, whole: &mut Vec<usize>) {
        for (position, &(left, right)) in self.roots.iter().enumerate() {
            let (left, right) = (self.values[left as usize], self.values[right as usize]);
            if left.max(right) < MISSING {
                keys.push(root_key(left, right));
                whole.push(position);
            }
        }
    }
}

/// The key of a vector whose root has these sides: a bijection, so that a set holds the sides themselves.
#[inline]
pub(crate) fn root_key(left: u64, right: u64) -> u64 {
    mix(left << 32 | right)
}
