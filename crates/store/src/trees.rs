//! The trees of neighbouring vectors, in which what is equal in one and the next is there once.
//!
//! Vectors come as edits of bases. The nodes of a base get values when a vector needs them, and keep them as far as the next
//! base has the same words below them; a vector has values of its own only above the words that were edited. The pairs are
//! then numbered for all vectors together, one height after the other, so that many cache misses are under way at a time.
//!
//! Invariant: a value of a node is `MISSING` until its level has been resolved, and stays so if the pair
//! has no number.

use crate::batch::Edit;
use crate::blocks::{Block, BlockRequest, Content, MOST_WORDS};
use crate::pairs::{MISSING, Request, key_of};
use crate::recent::Recent;
use crate::shape::{Place, Shape};
use crate::table::{mix, unmix};

/// The trees.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    /// Numbers of blocks and pairs.
    values: Vec<u64>,
    /// The blocks of the last base, and of the last vector as far as they were edited.
    base: Vec<Block>,
    edited: Vec<Block>,
    /// For each node of the shape, which value it has in the base, if it has one already.
    of_base: Vec<u32>,
    /// The same for nodes above edited words, in the last vector.
    of_edited: Vec<u32>,
    recent: Recent,
    /// Blocks to be numbered; at last those that were not met recently.
    blocks: Vec<BlockRequest>,
    /// Pairs of values to be numbered, by height; the first has none.
    levels: Vec<Vec<Join>>,
    /// What is asked for in one level.
    requests: Vec<Request>,
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
        self.values.clear();
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

    /// Goes over to a base whose key is known, too.
    #[inline]
    pub(crate) fn change_known_base(&mut self, words: &[u32], key: u64, shape: &Shape) {
        self.change_base(words, shape);
        let ((left, right), sides) = (sides_of_root(key), shape.root);
        for (node, value) in [(sides.0, left), (sides.1, right)] {
            if self.of_base[node] == UNKNOWN {
                self.of_base[node] = push_value(&mut self.values, value);
            }
        }
    }

    /// Goes over to another base of the same length: `words`, and what is behind them, which is of no account.
    #[inline]
    pub(crate) fn change_base(&mut self, words: &[u32], shape: &Shape) {
        if self.base.is_empty() {
            self.base.extend(shape.blocks.iter().map(|place| Block::new(content(words, place))));
            self.edited.clone_from(&self.base);
            return;
        }
        let mut changed = 0;
        for ((block, value), place) in self.base.iter_mut().zip(&mut self.of_base).zip(&shape.blocks) {
            let content = content(words, place);
            if content != block.content {
                *block = Block::new(content);
                *value = UNKNOWN;
                changed |= place.above;
            }
        }
        if shape.is_wide {
            // What is the same in a wide tree is not worth the looking for it.
            self.of_base[shape.blocks.len()..].fill(UNKNOWN);
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
        for &(at, word) in edits {
            let (index, place) = shape.place_of[at as usize];
            let (base, edited) = (&self.base[index as usize], &mut self.edited[index as usize]);
            if blocks >> index & 1 == 0 {
                blocks |= 1 << index;
                *edited = *base;
            }
            edited.edit(place as usize % MOST_WORDS, word);
        }
        let mut rest = blocks;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Self { recent, values, blocks, .. } = self;
            let place = &shape.blocks[index];
            inner |= place.above;
            self.of_edited[index] = push_block(&self.edited[index], place, recent, values, blocks);
        }
        let edited = Edited { blocks, inner };
        while inner != 0 {
            let index = inner.trailing_zeros() as usize;
            inner &= inner - 1;
            let node = shape.inner[index];
            let left = self.node_of_edited(node.left, edited, shape);
            let right = self.node_of_edited(node.right, edited, shape);
            let into = push_value(&mut self.values, MISSING);
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
            None => {
                let Self { recent, values, blocks, .. } = self;
                push_block(&self.base[node], &shape.blocks[node], recent, values, blocks)
            }
            Some(inner) => {
                let inner = shape.inner[inner];
                let left = self.node_of_base(inner.left, shape);
                let right = self.node_of_base(inner.right, shape);
                let into = push_value(&mut self.values, MISSING);
                self.levels[inner.height].push(Join { left, right, into });
                into
            }
        };
        self.of_base[node] = into;
        into
    }

    /// Finds the numbers of all pairs, from the words upwards.
    pub(crate) fn resolve(
        &mut self,
        number_blocks: impl Fn(&[BlockRequest], &mut [u64]),
        number_pairs: impl Fn(&[Request], &mut [u64]),
    ) {
        let Self { recent, values, blocks, .. } = self;
        blocks.retain(|request| {
            let number = recent.number_of(&request.block);
            values[request.into as usize] = number;
            number == MISSING
        });
        number_blocks(&self.blocks, &mut self.values);
        self.recent.learn(&self.blocks, &self.values);
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

/// A value for a block, whose number is found later: the memory in which it may be is asked for. A word alone is its own
/// number.
#[inline]
fn push_block(
    block: &Block,
    place: &Place,
    recent: &Recent,
    values: &mut Vec<u64>,
    requests: &mut Vec<BlockRequest>,
) -> u32 {
    if place.length == 1 {
        return push_value(values, u64::from(block.content[0]));
    }
    recent.expect(block);
    let into = push_value(values, MISSING);
    requests.push(BlockRequest { block: *block, into });
    into
}

#[inline]
fn push_value(values: &mut Vec<u64>, number: u64) -> u32 {
    values.push(number);
    values.len() as u32 - 1
}

/// The words of a block.
#[inline]
fn content(words: &[u32], place: &Place) -> Content {
    let words = &words[place.start..];
    let mut content = match words.first_chunk() {
        Some(content) => *content,
        None => std::array::from_fn(|at| words.get(at).copied().unwrap_or(0)),
    };
    let mask: Content = std::array::from_fn(|at| if at < place.length { u32::MAX } else { 0 });
    content.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
    content
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

/// The sides of the root that has this key.
#[inline]
pub(crate) fn sides_of_root(key: u64) -> (u64, u64) {
    let sides = unmix(key);
    (sides >> 32, sides & u64::from(u32::MAX))
}
