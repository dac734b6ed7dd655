//! The trees of neighbouring vectors, in which what is equal in one and the next is there once.
//!
//! Vectors are pushed one after the other. Only the nodes above words that differ from the vector before become new values;
//! the others keep theirs. The pairs are then numbered for all vectors together, one height after the other, so that many
//! cache misses are under way at a time.
//!
//! Invariant: a value of a unit or an inner node is `MISSING` until its level has been resolved, and stays so if the pair
//! has no number.

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
    /// Pairs of words to be numbered.
    words: Vec<Request>,
    /// Pairs of values to be numbered, by height; the first has none.
    levels: Vec<Vec<Join>>,
    /// What is asked for in one level.
    requests: Vec<Request>,
    /// Inner nodes that differ from the last vector, as bits.
    changed: Vec<u64>,
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
        self.values.clear();
        self.current.clear();
        self.current.resize(shape.units + shape.inner.len(), 0);
        self.words.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        self.levels.resize_with(self.levels.len().max(shape.height + 1), Vec::new);
        self.roots.clear();
    }

    /// Adds a vector, which comes after another one of its length.
    pub(crate) fn push(&mut self, words: &[u32], before: Option<&[u32]>, shape: &Shape) {
        self.changed.clear();
        match before {
            Some(before) => {
                self.changed.resize(shape.row, 0);
                self.set_changed_units(words, before, shape);
            }
            None => {
                self.changed.resize(shape.row, u64::MAX);
                if let Some(last) = self.changed.last_mut() {
                    *last >>= shape.row * 64 - shape.inner.len();
                }
                let (pairs, single) = words.as_chunks::<2>();
                pairs.iter().enumerate().for_each(|(unit, &pair)| self.set_unit(unit, pair));
                single.iter().for_each(|&word| self.set_single(shape, word));
            }
        }
        for row in 0..shape.row {
            for_each_bit(self.changed[row], |bit| self.join(row * 64 + bit, shape));
        }
        self.roots.push((self.current[shape.root.0], self.current[shape.root.1]));
    }

    #[inline]
    fn set_changed_units(&mut self, words: &[u32], before: &[u32], shape: &Shape) {
        let ((pairs, single), (old_pairs, old_single)) = (words.as_chunks::<2>(), before.as_chunks::<2>());
        for (block, (pairs, old_pairs)) in pairs.chunks(64).zip(old_pairs.chunks(64)).enumerate() {
            // Comparing all and then going through the bits mispredicts one branch instead of one for each change.
            let mut differ = 0;
            for (place, (pair, old)) in pairs.iter().zip(old_pairs).enumerate() {
                differ |= u64::from(pair != old) << place;
            }
            for_each_bit(differ, |place| {
                self.set_unit(block * 64 + place, pairs[place]);
                self.mark_above(block * 64 + place, shape);
            });
        }
        if let (&[word], true) = (single, single != old_single) {
            self.set_single(shape, word);
            self.mark_above(shape.units - 1, shape);
        }
    }

    #[inline]
    fn mark_above(&mut self, unit: usize, shape: &Shape) {
        self.changed.iter_mut().zip(shape.above(unit)).for_each(|(bits, above)| *bits |= above);
    }

    #[inline]
    fn set_unit(&mut self, unit: usize, [left, right]: [u32; 2]) {
        let into = self.new_value(unit, MISSING);
        self.words.push(Request { key: key_of(u64::from(left), u64::from(right)), into });
    }

    /// The odd last word, which is a value itself.
    fn set_single(&mut self, shape: &Shape, word: u32) {
        self.new_value(shape.units - 1, u64::from(word));
    }

    /// A side of an inner node is another one than in the vector before.
    #[inline]
    fn join(&mut self, index: usize, shape: &Shape) {
        let node = shape.inner[index];
        let (left, right) = (self.current[node.left], self.current[node.right]);
        let into = self.new_value(shape.units + index, MISSING);
        self.levels[node.height].push(Join { left, right, into });
    }

    #[inline]
    fn new_value(&mut self, node: usize, value: u64) -> u32 {
        let index = self.values.len() as u32;
        self.values.push(value);
        self.current[node] = index;
        index
    }

    /// Finds the numbers of all pairs, from the words upwards.
    pub(crate) fn resolve(&mut self, look_up: impl Fn(&[Request], &mut [u64])) {
        look_up(&self.words, &mut self.values);
        for joins in self.levels.iter().filter(|joins| !joins.is_empty()) {
            self.requests.clear();
            for join in joins {
                let (left, right) = (self.values[join.left as usize], self.values[join.right as usize]);
                // Otherwise its value is missing, too.
                if left.max(right) < MISSING {
                    self.requests.push(Request { key: key_of(left, right), into: join.into });
                }
            }
            look_up(&self.requests, &mut self.values);
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

#[inline]
fn for_each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
