//! The trees of neighbouring vectors, in which what is equal in one and the next is there once.
//!
//! Vectors come as edits of bases. The nodes of a base get values when a vector needs them, and keep them as far as the next
//! base has the same words below them; a vector has values of its own only above the words that were edited. The pairs are
//! then numbered for all vectors together, one height after the other, so that many cache misses are under way at a time.
//!
//! Invariant: a value of a node is `MISSING` until its level has been resolved, and stays so if the pair
//! has no number.

use crate::batch::Edit;
use crate::blocks::{BlockRequest, MOST_WORDS};
use crate::pairs::{MISSING, Request, key_of};
use crate::shape::Shape;
use crate::table::mix;

/// The trees.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    /// Words and numbers of pairs.
    values: Vec<u64>,
    /// The words of the last base, and zeros, so that every block could be as long as the longest.
    base: Vec<u32>,
    /// For each node of the shape, which value it has in it, if it has one already.
    of_base: Vec<u32>,
    /// The same for nodes above edited words, in the last vector.
    of_edited: Vec<u32>,
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

/// A node of a base that has no value yet.
const UNKNOWN: u32 = u32::MAX;

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
        let nodes = shape.blocks.len() + shape.inner.len();
        self.of_base.clear();
        self.of_base.resize(nodes, UNKNOWN);
        self.base.clear();
        self.of_edited.resize(nodes.max(self.of_edited.len()), UNKNOWN);
        self.blocks.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        self.levels.resize_with(self.levels.len().max(shape.height + 1), Vec::new);
        self.roots.clear();
    }

    /// Goes over to another base of the same length.
    #[inline]
    pub(crate) fn change_base(&mut self, words: &[u32], shape: &Shape) {
        // What is the same in a wide tree is not worth the looking for it.
        if shape.is_wide || self.base.len() != words.len() + MOST_WORDS {
            self.of_base.fill(UNKNOWN);
        } else {
            self.forget_changed(words, shape);
        }
        self.base.clear();
        self.base.extend_from_slice(words);
        self.base.extend_from_slice(&[0; MOST_WORDS]);
    }

    /// Takes the values from nodes of the base above words that will be others.
    #[inline]
    fn forget_changed(&mut self, words: &[u32], shape: &Shape) {
        // Comparing all and then going through the bits mispredicts one branch instead of one for each change.
        let before = &self.base[..words.len()];
        let ((twos, single), (old_twos, old_single)) = (words.as_chunks::<2>(), before.as_chunks::<2>());
        let mut differ = u64::from(single.first() != old_single.first()) << (twos.len() % 64);
        for (place, (two, old)) in twos.iter().zip(old_twos).enumerate() {
            differ |= u64::from(two != old) << place;
        }
        let mut changed = 0;
        for (value, block) in self.of_base.iter_mut().zip(&shape.blocks) {
            if differ & block.twos != 0 {
                changed |= block.above;
                *value = UNKNOWN;
            }
        }
        while changed != 0 {
            self.of_base[shape.blocks.len() + changed.trailing_zeros() as usize] = UNKNOWN;
            changed &= changed - 1;
        }
    }

    /// Adds the vector that is the base itself.
    pub(crate) fn push_base(&mut self, shape: &Shape) {
        let (left, right) = shape.root;
        let root = (self.node_of_base(left, shape), self.node_of_base(right, shape));
        self.roots.push(root);
    }

    /// Adds a vector that is made from the base, in a tree that is not wide.
    #[inline]
    pub(crate) fn push_edited(&mut self, edits: &[Edit], shape: &Shape) {
        let (mut blocks, mut inner) = (0_u64, 0_u64);
        for &(at, _) in edits {
            let block = shape.block_of[at as usize];
            blocks |= 1 << block;
            inner |= shape.blocks[block as usize].above;
        }
        let edited = Edited { blocks, inner };
        while blocks != 0 {
            let index = blocks.trailing_zeros() as usize;
            blocks &= blocks - 1;
            self.of_edited[index] = self.edited_block(index, edits, shape);
        }
        while inner != 0 {
            let index = inner.trailing_zeros() as usize;
            inner &= inner - 1;
            let node = shape.inner[index];
            let left = self.node_of_edited(node.left, edited, shape);
            let right = self.node_of_edited(node.right, edited, shape);
            let into = self.new_value();
            self.of_edited[shape.blocks.len() + index] = into;
            self.levels[node.height].push(Join { left, right, into });
        }
        let (left, right) = shape.root;
        let left = self.node_of_edited(left, edited, shape);
        let right = self.node_of_edited(right, edited, shape);
        self.roots.push((left, right));
    }

    #[inline]
    fn node_of_edited(&mut self, node: usize, edited: Edited, shape: &Shape) -> u32 {
        let bits = match node.checked_sub(shape.blocks.len()) {
            None => edited.blocks >> node,
            Some(inner) => edited.inner >> inner,
        };
        if bits & 1 != 0 { self.of_edited[node] } else { self.node_of_base(node, shape) }
    }

    #[inline]
    fn node_of_base(&mut self, node: usize, shape: &Shape) -> u32 {
        match self.of_base[node] {
            UNKNOWN => self.new_node_of_base(node, shape),
            known => known,
        }
    }

    fn new_node_of_base(&mut self, node: usize, shape: &Shape) -> u32 {
        let into = match node.checked_sub(shape.blocks.len()) {
            None => self.edited_block(node, &[], shape),
            Some(inner) => {
                let inner = shape.inner[inner];
                let left = self.node_of_base(inner.left, shape);
                let right = self.node_of_base(inner.right, shape);
                let into = self.new_value();
                self.levels[inner.height].push(Join { left, right, into });
                into
            }
        };
        self.of_base[node] = into;
        into
    }

    /// A value for a block of the base with other words.
    #[inline]
    fn edited_block(&mut self, index: usize, edits: &[Edit], shape: &Shape) -> u32 {
        let into = self.new_value();
        let block = &shape.blocks[index];
        let words = self.base[block.start..].first_chunk::<MOST_WORDS>().expect("zeros follow the words");
        let two = |at: usize| (u64::from(words[at + 1]) << 32 | u64::from(words[at])) & block.mask[at / 2];
        let mut content = [two(0), two(2), two(4), two(6)];
        for &(at, word) in edits {
            let place = (at as usize).wrapping_sub(block.start);
            if place < block.length {
                // Two words at once, because a part of what was just written is slow to read.
                let shift = place % 2 * 32;
                let kept = content[place / 2] & !(u64::from(u32::MAX) << shift);
                content[place / 2] = kept | u64::from(word) << shift;
            }
        }
        if block.length == 1 {
            self.singles.push((into, content[0] as u32));
        } else {
            self.blocks.push(BlockRequest::new(content, into));
        }
        into
    }

    #[inline]
    fn new_value(&mut self) -> u32 {
        let index = self.count;
        self.count += 1;
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

    /// The keys of all vectors; true if some have none: then those are to be passed over, being in no set.
    pub(crate) fn root_keys(&self, keys: &mut Vec<u64>) -> bool {
        let mut greatest = 0;
        keys.extend(self.roots.iter().map(|&root| {
            let (left, right) = self.sides(root);
            greatest = greatest.max(left).max(right);
            root_key(left, right)
        }));
        greatest >= MISSING
    }

    /// Whether a vector has a key.
    pub(crate) fn is_whole(&self, position: usize) -> bool {
        let (left, right) = self.sides(self.roots[position]);
        left.max(right) < MISSING
    }

    #[inline]
    fn sides(&self, (left, right): (u32, u32)) -> (u64, u64) {
        (self.values[left as usize], self.values[right as usize])
    }
}

/// The nodes of a vector that are above edited words, as bits: blocks and inner nodes.
#[derive(Clone, Copy, Debug)]
struct Edited {
    blocks: u64,
    inner: u64,
}

/// The key of a vector whose root has these sides: a bijection, so that a set holds the sides themselves.
#[inline]
pub(crate) fn root_key(left: u64, right: u64) -> u64 {
    mix(left << 32 | right)
}
