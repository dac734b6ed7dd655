//! An exact set of states: vectors of words in trees whose equal parts are kept once (tree compression).
//!
//! Blom, Lisser, van de Pol, Weber, "A Database Approach to Distributed State-Space Generation", J. Logic and
//! Computation 2011; Laarman, van de Pol, Weber, "Parallel Recursive State Compression for Free", SPIN 2011. [LPW11]
//!
//! A vector is a binary tree over its words (`shape.rs`). Every inner pair has a number (`pairs.rs`), and a vector is known
//! by the pair at its root: 64 bits, kept as they are in a set of keys (`keys.rs`), one for each length of vectors. Where
//! the parts of states repeat, the inner pairs are few, and a state takes little more than eight bytes.
//!
//! Differences from the paper: numbers of pairs are no places in a table, so tables grow; the root has no number. States
//! of a batch are neighbours: only what differs from the state before is looked up, one level of all trees after the
//! other, so that many cache misses are under way at a time.
//!
//! Guarantees: two states are equal here if and only if their words are; `omission` is 0. Does not guarantee that there are
//! always numbers: after 4,294,967,292 distinct pairs, states with new ones are refused, and `is_full` says so.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::checkpoint::{Kind, Reader, Writer};
use crate::keys::KeySet;
use crate::pairs::{Item, MISSING, Pairs};
use crate::shape::Shape;
use crate::table::mix;
use crate::{Batch, VisitedSet};

/// The set.
#[derive(Debug)]
pub struct Exact {
    pairs: Pairs,
    by_length: RwLock<BTreeMap<usize, Vectors>>,
}

/// The vectors of one length.
#[derive(Debug)]
struct Vectors {
    shape: Shape,
    roots: KeySet,
}

/// What a thread needs for a batch; kept for the next one.
#[derive(Debug, Default)]
struct Scratch {
    /// Which states of the batch have been dealt with, and those that are in work: all of one length.
    done: Vec<bool>,
    group: Vec<usize>,
    trees: Trees,
    answers: Vec<bool>,
    keys: Vec<u64>,
    /// Which states have a key.
    whole: Vec<usize>,
}

/// The trees of a group of states, in which what is equal in neighbours is there once.
#[derive(Debug, Default)]
struct Trees {
    /// Words and numbers of pairs, in no order. The first is a 0, which stands for the word 0 and for nothing.
    values: Vec<u64>,
    /// For each value that is a number, the two values of which the pair consists.
    sides: Vec<(u32, u32)>,
    /// For each node of the shape, the value it has in the last state, and the one it had before.
    versions: Vec<(u32, u32)>,
    /// Pairs to be numbered, by height.
    items: Vec<Vec<Item>>,
    /// Inner nodes that differ from the last state, as bits.
    changed: Vec<u64>,
    /// For each state, the values at the sides of its root.
    roots: Vec<(u32, u32)>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Exact {
    /// An empty set.
    pub fn new() -> Self {
        Self::with_most_pairs(u32::MAX)
    }

    /// An empty set with at most so many distinct inner pairs; a state that needs more of them is refused.
    pub fn with_most_pairs(most: u32) -> Self {
        Self { pairs: Pairs::new(most), by_length: RwLock::default() }
    }

    fn by_length(&self) -> RwLockReadGuard<'_, BTreeMap<usize, Vectors>> {
        self.by_length.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a set for vectors of this length, unless there is one.
    fn prepare(&self, length: usize) {
        if !self.by_length().contains_key(&length) {
            let mut by_length = self.by_length.write().unwrap_or_else(PoisonError::into_inner);
            by_length.entry(length).or_insert_with(|| Vectors::new(length));
        }
    }

    /// Looks up a batch, the states of one length after those of another.
    fn for_each_length(
        states: &Batch,
        answers: &mut Vec<bool>,
        mut look_up: impl FnMut(usize, &mut Scratch),
    ) {
        answers.clear();
        answers.resize(states.len(), false);
        // A set that is used while another one is in work in this thread does without what was kept.
        let mut scratch = SCRATCH.take();
        scratch.done.clear();
        scratch.done.resize(states.len(), false);
        for first in 0..states.len() {
            if scratch.done[first] {
                continue;
            }
            let length = states.words(first).len();
            scratch.group.clear();
            for index in first..states.len() {
                if states.words(index).len() == length {
                    scratch.done[index] = true;
                    scratch.group.push(index);
                }
            }
            scratch.answers.clear();
            look_up(length, &mut scratch);
            for (&position, &answer) in scratch.whole.iter().zip(&scratch.answers) {
                answers[scratch.group[position]] = answer;
            }
        }
        SCRATCH.set(scratch);
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        from.expect_kind(Kind::Exact)?;
        let parameters = std::mem::take(&mut from.parameters);
        let (of_pairs, of_lengths) = parameters.split_first_chunk::<5>().unwrap_or((&[0; 5], &[1]));
        let (of_lengths, rest) = of_lengths.as_chunks::<5>();
        from.require(rest.is_empty() && of_lengths.iter().all(|&[length, ..]| length <= MOST_WORDS))?;
        let pairs = Pairs::read_from(*of_pairs, &mut from)?;
        let mut by_length = BTreeMap::new();
        for &[length, lines, tail, len, has_zero] in of_lengths {
            let roots = KeySet::read_from([lines, tail, len, has_zero], usize::MAX, &mut from)?;
            let vectors = Vectors { shape: Shape::new(length as usize), roots };
            by_length.insert(length as usize, vectors);
        }
        from.finish()?;
        Ok(Self { pairs, by_length: RwLock::new(by_length) })
    }
}

/// A file with longer vectors is damaged.
const MOST_WORDS: u64 = 1 << 32;

impl Default for Exact {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitedSet for Exact {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        Self::for_each_length(states, is_new, |length, scratch| {
            self.prepare(length);
            let by_length = self.by_length();
            let Some(vectors) = by_length.get(&length) else { return };
            scratch.build(states, &vectors.shape);
            scratch.trees.resolve(|items, values| self.pairs.number(items, values));
            scratch.collect_keys();
            vectors.roots.insert(scratch.keys.len(), |index| scratch.keys[index], &mut scratch.answers);
        });
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        Self::for_each_length(states, is_known, |length, scratch| {
            let by_length = self.by_length();
            let Some(vectors) = by_length.get(&length) else { return };
            scratch.build(states, &vectors.shape);
            scratch.trees.resolve(|items, values| self.pairs.find(items, values));
            scratch.collect_keys();
            vectors.roots.contains(scratch.keys.len(), |index| scratch.keys[index], &mut scratch.answers);
        });
    }

    fn len(&self) -> u64 {
        self.by_length().values().map(|vectors| vectors.roots.len()).sum()
    }

    fn bytes(&self) -> usize {
        let by_length = self.by_length();
        let roots = by_length.values().map(|vectors| vectors.shape.bytes() + vectors.roots.growing.bytes());
        self.pairs.bytes() + roots.sum::<usize>()
    }

    /// As if the largest of its tables were the next to grow.
    fn bytes_after_growth(&self) -> usize {
        let by_length = self.by_length();
        let roots = by_length.values().map(|vectors| &vectors.roots.growing);
        let growths = roots.map(|roots| roots.bytes_after_growth().saturating_sub(roots.bytes()));
        let of_pairs = self.pairs.bytes_after_growth().saturating_sub(self.pairs.bytes());
        self.bytes() + growths.max().unwrap_or(0).max(of_pairs)
    }

    fn omission(&self) -> f64 {
        0.0
    }

    fn is_full(&self) -> bool {
        self.pairs.is_exhausted()
            || self.by_length().values().any(|vectors| vectors.roots.growing.cannot_grow())
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let by_length = self.by_length();
        let mut parameters = self.pairs.parameters().to_vec();
        for (&length, vectors) in by_length.iter() {
            parameters.push(length as u64);
            parameters.extend(vectors.roots.parameters());
        }
        let mut to = Writer::new(to, Kind::Exact, &parameters)?;
        self.pairs.write_to(&mut to)?;
        by_length.values().try_for_each(|vectors| vectors.roots.write_to(&mut to))?;
        to.finish()
    }
}

impl Vectors {
    fn new(length: usize) -> Self {
        Self { shape: Shape::new(length), roots: KeySet::new(usize::MAX) }
    }
}

impl Scratch {
    /// Builds the trees of the group.
    fn build(&mut self, states: &Batch, shape: &Shape) {
        self.trees.clear(shape);
        let mut before: Option<&[u32]> = None;
        for &index in &self.group {
            let words = states.words(index);
            self.trees.push(words, before, shape);
            before = Some(words);
        }
    }

    /// The keys of all states that have one: those with a number missing are not in the set and cannot be.
    fn collect_keys(&mut self) {
        self.keys.clear();
        self.whole.clear();
        for (position, &(left, right)) in self.trees.roots.iter().enumerate() {
            let (left, right) = (self.trees.values[left as usize], self.trees.values[right as usize]);
            if left < MISSING && right < MISSING {
                self.keys.push(mix(left << 32 | right));
                self.whole.push(position);
            }
        }
    }
}

impl Trees {
    fn clear(&mut self, shape: &Shape) {
        self.values.clear();
        self.values.push(0);
        self.sides.clear();
        self.sides.push((0, 0));
        self.versions.clear();
        self.versions.resize(shape.nodes(), (0, 0));
        self.items.iter_mut().for_each(Vec::clear);
        self.items.resize_with(self.items.len().max(shape.height + 1), Vec::new);
        self.roots.clear();
    }

    /// Adds the tree of a vector, which comes after another one.
    fn push(&mut self, words: &[u32], before: Option<&[u32]>, shape: &Shape) {
        self.changed.clear();
        match before {
            None => {
                self.changed.resize(shape.row, u64::MAX);
                words.iter().enumerate().for_each(|(node, &word)| self.set_word(node, word));
            }
            Some(before) => {
                self.changed.resize(shape.row, 0);
                for (node, (&word, &old)) in words.iter().zip(before).enumerate() {
                    if word != old {
                        self.set_word(node, word);
                        self.changed
                            .iter_mut()
                            .zip(shape.above(node))
                            .for_each(|(bits, above)| *bits |= above);
                    }
                }
            }
        }
        for row in 0..shape.row {
            let mut bits = self.changed[row];
            while bits != 0 {
                let index = row * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if index >= shape.inner.len() {
                    break;
                }
                self.set_pair(index, shape);
            }
        }
        let side = |node: usize| self.versions.get(node).map_or(0, |&(current, _)| current);
        let right = if shape.length == 1 { 0 } else { side(shape.root.1) };
        self.roots.push((side(shape.root.0), right));
    }

    /// A word is another one than in the state before.
    #[inline]
    fn set_word(&mut self, node: usize, word: u32) {
        let (current, former) = self.versions[node];
        if self.values[former as usize] == u64::from(word) {
            self.versions[node] = (former, current);
            return;
        }
        self.versions[node] = (self.values.len() as u32, current);
        self.values.push(u64::from(word));
        self.sides.push((0, 0));
    }

    /// A side of an inner node is another one than in the state before.
    #[inline]
    fn set_pair(&mut self, index: usize, shape: &Shape) {
        let node = shape.inner[index];
        let (left, right) = (self.versions[node.left].0, self.versions[node.right].0);
        let (current, former) = self.versions[shape.length + index];
        // Value 0 has these sides as well, and is the number of nothing.
        if former != 0 && self.sides[former as usize] == (left, right) {
            self.versions[shape.length + index] = (former, current);
            return;
        }
        let into = self.values.len() as u32;
        self.versions[shape.length + index] = (into, current);
        self.values.push(MISSING);
        self.sides.push((left, right));
        self.items[node.height].push(Item { left, right, into });
    }

    /// Finds the numbers of all pairs, from the words upwards.
    fn resolve(&mut self, mut look_up: impl FnMut(&[Item], &mut [u64])) {
        for items in self.items.iter().filter(|items| !items.is_empty()) {
            look_up(items, &mut self.values);
        }
    }
}
