//! An exact set of states: vectors of words in trees whose equal parts are kept once (tree compression).
//!
//! Blom, Lisser, van de Pol, Weber, "A Database Approach to Distributed State-Space Generation", J. Logic and
//! Computation 2011; Laarman, van de Pol, Weber, "Parallel Recursive State Compression for Free", SPIN 2011. [LPW11]
//!
//! A vector is a binary tree over blocks of its words (`shape.rs`). Every block has a number (`blocks.rs`), and so has
//! every inner pair of numbers (`pairs.rs`). A vector is known by the pair at its root: 64 bits, kept as they are in a
//! set of keys (`keys.rs`), one for each length of vectors. Where the parts of states repeat, blocks and inner pairs are
//! few, and a state takes little more than eight bytes.
//!
//! Differences from the paper: leaves are blocks of up to eight words, which saves lookups; numbers are no places in a
//! table, so tables grow; the root has no number. States of a batch differ little from their bases, and only what differs
//! is looked up (`trees.rs`).
//!
//! Guarantees: two states are equal here if and only if their words are; `omission` is 0. Does not guarantee that there are
//! always numbers: after about 4,294,967,000 distinct blocks or pairs, states with new ones are refused, and `is_full` says so.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::blocks::Blocks;
use crate::checkpoint::{Kind, Reader, Writer};
use crate::keys::KeySet;
use crate::lengths::Lengths;
use crate::pages::Pages;
use crate::pairs::Pairs;
use crate::shape::Shape;
use crate::trees::{Trees, root_key, sides_of_root};
use crate::{Batch, Key, VisitedSet};
use fabius_threads::{PerThread, Reading};

/// The set.
#[derive(Debug)]
pub struct Exact {
    blocks: Blocks,
    pairs: Pairs,
    by_length: Lengths<Vectors>,
    /// What threads need, while they do not use it.
    scratches: PerThread<Mutex<Vec<Scratch>>>,
}

/// The vectors of one length.
#[derive(Debug)]
struct Vectors {
    shape: Shape,
    roots: KeySet,
}

/// What a thread needs for a batch; the set keeps it for the next one.
#[derive(Debug, Default)]
struct Scratch {
    /// Which states of the batch have been dealt with, and those that are in work: all of one length.
    done: Vec<bool>,
    group: Vec<usize>,
    trees: Trees,
    edited: Vec<u32>,
    /// For the states of the group, at last only for those that have a key: the key, and what the set says.
    keys: Vec<u64>,
    /// Which states of the group have a key; empty if all have.
    is_whole: Vec<bool>,
    answers: Vec<bool>,
}

impl Exact {
    /// An empty set.
    pub fn new() -> Self {
        Self::with_most_parts(u32::MAX)
    }

    /// An empty set with at most so many distinct blocks and pairs; a state that needs more of either is refused.
    pub fn with_most_parts(most: u32) -> Self {
        Self::from_parts(Blocks::new(most), Pairs::new(most), Lengths::new())
    }

    /// The same set, still empty, which gives back the words of a state for its key.
    #[must_use]
    pub fn readable(self) -> Self {
        Self { pairs: self.pairs.readable(), ..self }
    }

    fn from_parts(blocks: Blocks, pairs: Pairs, by_length: Lengths<Vectors>) -> Self {
        Self { blocks, pairs, by_length, scratches: PerThread::default() }
    }

    /// Gives what a thread needs for a batch. It gets its own back: there are megabytes of it in its cache.
    fn with_scratch<T>(&self, run: impl FnOnce(&mut Scratch) -> T) -> T {
        let scratches = || self.scratches.own().lock().unwrap_or_else(PoisonError::into_inner);
        let own = scratches().pop();
        let mut scratch = own.unwrap_or_default();
        let result = run(&mut scratch);
        scratches().push(scratch);
        result
    }

    /// What there is for vectors of this length.
    fn vectors(&self, length: usize) -> &Vectors {
        self.by_length.get_or_make(length, || Vectors::new(length))
    }

    /// Looks up a batch, the states of one length after those of another.
    fn for_each_length(
        &self,
        states: &Batch,
        answers: &mut Vec<bool>,
        mut look_up: impl FnMut(usize, &mut Scratch),
    ) {
        answers.clear();
        answers.resize(states.len(), false);
        self.with_scratch(|scratch| {
            scratch.done.clear();
            scratch.done.resize(states.len(), false);
            for first in 0..states.len() {
                if !scratch.done[first] {
                    let length = states.width(first);
                    scratch.take_group(states, first, length);
                    look_up(length, scratch);
                    if scratch.answers.len() == states.len() {
                        // All were of one length, and in their places.
                        std::mem::swap(answers, &mut scratch.answers);
                        return;
                    }
                    for (&index, &answer) in scratch.group.iter().zip(&scratch.answers) {
                        answers[index] = answer;
                    }
                }
            }
        });
    }

    /// The keys of states, which need not be in the set. Their parts are kept from now on.
    pub(crate) fn keys(&self, states: &Batch, keys: &mut Vec<Key>) {
        self.keys_and(states, keys, &mut Vec::new(), |_, _, _| {});
    }

    /// The same, and whether the states are in the set.
    pub(crate) fn probe(&self, states: &Batch, keys: &mut Vec<Key>, is_known: &mut Vec<bool>) {
        self.keys_and(states, keys, is_known, KeySet::contains_all);
    }

    fn keys_and(
        &self,
        states: &Batch,
        keys: &mut Vec<Key>,
        answers: &mut Vec<bool>,
        look_up: impl Fn(&KeySet, &[u64], &mut Vec<bool>),
    ) {
        keys.clear();
        keys.resize(states.len(), Key::NONE);
        self.for_each_length(states, answers, |length, scratch| {
            let vectors = self.vectors(length);
            self.number(states, vectors, scratch);
            let key = |&root| Key::of_parts(root, length as u32);
            if scratch.keys.len() == states.len() {
                keys.clear();
                keys.extend(scratch.keys.iter().map(key));
            } else {
                scratch.group.iter().zip(&scratch.keys).for_each(|(index, root)| keys[*index] = key(root));
            }
            look_up(&vectors.roots, &scratch.keys, &mut scratch.answers);
        });
    }

    /// The words of states by their keys; only a readable set can tell them. Keys are those that this thread has asked for, or
    /// others that it has waited for since.
    pub(crate) fn reader(&self) -> TreeReader<'_> {
        let Self { blocks, pairs, by_length, .. } = self;
        TreeReader { blocks: blocks.contents(), pairs, by_length, numbers: Vec::new() }
    }

    /// As `insert`, for states whose keys were asked for.
    pub(crate) fn insert_keys(&self, keys: &[Key], is_new: &mut Vec<bool>) {
        self.look_up_keys(keys, is_new, KeySet::insert_all::<false>);
    }

    /// As `contains`, for states whose keys were asked for.
    pub(crate) fn contains_keys(&self, keys: &[Key], is_known: &mut Vec<bool>) {
        self.look_up_keys(keys, is_known, KeySet::contains_all);
    }

    /// Looks up keys, those of one length in a row together.
    fn look_up_keys(
        &self,
        keys: &[Key],
        answers: &mut Vec<bool>,
        look_up: impl Fn(&KeySet, &[u64], &mut Vec<bool>),
    ) {
        answers.clear();
        self.with_scratch(|Scratch { keys: roots, .. }| {
            let mut asked = 0;
            for some in keys.chunk_by(|one, other| one.width() == other.width()) {
                asked += some.len();
                roots.clear();
                roots.extend(some.iter().map(|key| key.bits()));
                if let Some(vectors) = self.by_length.get(some[0].width() as usize) {
                    look_up(&vectors.roots, roots, answers);
                }
                // Those that were refused.
                answers.resize(asked, false);
            }
        });
    }

    /// Finds the keys of a group of states, and numbers their parts.
    fn number(&self, states: &Batch, vectors: &Vectors, scratch: &mut Scratch) {
        scratch.find_keys(states, vectors, |trees| {
            trees.resolve(
                |blocks, numbers| self.blocks.number(blocks, numbers),
                |pairs, numbers| self.pairs.number(pairs, numbers),
            );
        });
    }

    /// Reads what `write_to` has written.
    pub fn read_from(from: &mut dyn io::Read) -> io::Result<Self> {
        Self::read(Reader::new(from)?)
    }

    pub(crate) fn read(mut from: Reader<'_>) -> io::Result<Self> {
        from.expect_kind(Kind::Exact)?;
        let parameters = std::mem::take(&mut from.parameters);
        let (of_blocks, rest) = parameters.split_first_chunk::<6>().unwrap_or((&[0; 6], &[]));
        let (of_pairs, of_lengths) = rest.split_first_chunk::<5>().unwrap_or((&[0; 5], &[1]));
        let (of_lengths, rest) = of_lengths.as_chunks::<5>();
        from.require(rest.is_empty() && of_lengths.iter().all(|&[length, ..]| length <= MOST_WORDS))?;
        let blocks = Blocks::read_from(*of_blocks, &mut from)?;
        let pairs = Pairs::read_from(*of_pairs, &mut from)?;
        let by_length = Lengths::new();
        for &[length, lines, tail, len, has_zero] in of_lengths {
            let roots = KeySet::read_from([lines, tail, len, has_zero], usize::MAX, &mut from)?;
            let vectors = Vectors { shape: Shape::new(length as usize), roots };
            by_length.get_or_make(length as usize, || vectors);
        }
        from.finish()?;
        Ok(Self::from_parts(blocks, pairs, by_length))
    }
}

/// So many trees are resolved together.
const TOGETHER: usize = 64;
/// A file with longer vectors is damaged.
const MOST_WORDS: u64 = 1 << 32;

impl Default for Exact {
    fn default() -> Self {
        Self::new()
    }
}

impl VisitedSet for Exact {
    fn insert(&self, states: &Batch, is_new: &mut Vec<bool>) {
        self.for_each_length(states, is_new, |length, scratch| {
            let vectors = self.vectors(length);
            self.number(states, vectors, scratch);
            vectors.roots.insert_all::<false>(&scratch.keys, &mut scratch.answers);
        });
    }

    fn contains(&self, states: &Batch, is_known: &mut Vec<bool>) {
        self.for_each_length(states, is_known, |length, scratch| {
            let Some(vectors) = self.by_length.get(length) else { return };
            scratch.find_keys(states, vectors, |trees| {
                trees.resolve(
                    |blocks, numbers| self.blocks.find(blocks, numbers),
                    |pairs, numbers| self.pairs.find(pairs, numbers),
                );
            });
            vectors.roots.contains_all(&scratch.keys, &mut scratch.answers);
        });
    }

    fn len(&self) -> u64 {
        self.by_length.values().map(|vectors| vectors.roots.len()).sum()
    }

    fn bytes(&self) -> usize {
        let roots =
            self.by_length.values().map(|vectors| vectors.shape.bytes() + vectors.roots.growing.bytes());
        self.blocks.bytes() + self.pairs.bytes() + roots.sum::<usize>()
    }

    /// Of all its tables together.
    fn load(&self) -> f64 {
        let roots = self.by_length.values().map(|vectors| vectors.roots.growing.fill());
        let tables = roots.chain([self.blocks.fill(), self.pairs.fill()]);
        let (keys, places) = tables.fold((0, 0), |(keys, places), (more, room)| (keys + more, places + room));
        keys as f64 / places.max(1) as f64
    }

    fn growth_ahead(&self) -> usize {
        let roots = self.by_length.values().map(|vectors| vectors.roots.growing.growth_ahead());
        self.blocks.growth_ahead() + self.pairs.growth_ahead() + roots.sum::<usize>()
    }

    fn omission(&self) -> f64 {
        0.0
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn is_full(&self) -> bool {
        self.blocks.is_exhausted()
            || self.pairs.is_exhausted()
            || self.by_length.values().any(|vectors| vectors.roots.growing.cannot_grow())
    }

    fn write_to(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let mut parameters = self.blocks.parameters().to_vec();
        parameters.extend(self.pairs.parameters());
        for (length, vectors) in self.by_length.iter() {
            parameters.push(length as u64);
            parameters.extend(vectors.roots.parameters());
        }
        let mut to = Writer::new(to, Kind::Exact, &parameters)?;
        self.blocks.write_to(&mut to)?;
        self.pairs.write_to(&mut to)?;
        self.by_length.values().try_for_each(|vectors| vectors.roots.write_to(&mut to))?;
        to.finish()
    }
}

impl Vectors {
    fn new(length: usize) -> Self {
        Self { shape: Shape::new(length), roots: KeySet::new(usize::MAX) }
    }
}

/// Gives the words of states back. While there is one, others may have to wait with new blocks; so its owner must not add any.
#[derive(Debug)]
pub(crate) struct TreeReader<'a> {
    blocks: Reading<'a, Pages>,
    pairs: &'a Pairs,
    by_length: &'a Lengths<Vectors>,
    /// The numbers of the nodes of a state.
    numbers: Vec<u64>,
}

impl TreeReader<'_> {
    /// Asks for the memory in which the words of a state are, or what leads to them.
    #[inline]
    pub(crate) fn expect(&self, key: Key) {
        let (left, right) = sides_of_root(key.bits());
        for side in [left, right] {
            // A side may be a pair, too, or no more than a word. This is only a hint.
            Blocks::expect(&self.blocks, side);
        }
    }

    /// The words of a state that has this key; `None` if it has none, or if the set is not readable.
    pub(crate) fn words(&mut self, key: Key, words: &mut Vec<u32>) -> Option<()> {
        let shape = &self.by_length.get(key.width() as usize)?.shape;
        let (left, right) = sides_of_root(key.bits());
        words.clear();
        if shape.is_short() {
            words.extend([left as u32, right as u32].into_iter().take(key.width() as usize));
            return Some(());
        }
        let blocks = shape.blocks.len();
        self.numbers.clear();
        self.numbers.resize(blocks + shape.inner.len(), 0);
        (self.numbers[shape.root.0], self.numbers[shape.root.1]) = (left, right);
        for (at, node) in shape.inner.iter().enumerate().rev() {
            (self.numbers[node.left], self.numbers[node.right]) =
                self.pairs.sides(self.numbers[blocks + at])?;
        }
        for (place, &number) in shape.blocks.iter().zip(&self.numbers) {
            match place.length {
                1 => words.push(number as u32),
                length => {
                    // A copy of known length needs no call.
                    let end = words.len() + length;
                    words.extend_from_slice(&Blocks::content(&self.blocks, number)?);
                    words.truncate(end);
                }
            }
        }
        Some(())
    }
}

impl Scratch {
    /// All states with vectors of this length, of which this is the first one.
    fn take_group(&mut self, states: &Batch, first: usize, length: usize) {
        self.answers.clear();
        self.group.clear();
        if first == 0 && states.is_even() {
            self.group.extend(0..states.len());
            self.done.fill(true);
            return;
        }
        for index in first..states.len() {
            if states.width(index) == length {
                self.done[index] = true;
                self.group.push(index);
            }
        }
    }

    /// Finds the keys of the group's states, some at a time: while the trees of the next ones are built, the memory in which
    /// the last ones will be looked for is on its way. States without a key leave the group.
    fn find_keys(&mut self, states: &Batch, vectors: &Vectors, resolve: impl Fn(&mut Trees)) {
        let shape = &vectors.shape;
        self.keys.clear();
        if shape.is_short() {
            (0..self.group.len()).for_each(|position| self.push_short(states, position));
            return;
        }
        self.is_whole.clear();
        let mut start = 0;
        while start < self.group.len() {
            let end = self.group.len().min(start + TOGETHER);
            self.build(states, start..end, shape);
            resolve(&mut self.trees);
            if self.trees.root_keys(&mut self.keys) {
                self.is_whole.resize(start, true);
                self.is_whole.extend((0..end - start).map(|position| self.trees.is_whole(position)));
            }
            start = end;
        }
        if !self.is_whole.is_empty() {
            self.is_whole.resize(self.group.len(), true);
            keep(&mut self.group, &self.is_whole);
            keep(&mut self.keys, &self.is_whole);
        }
    }

    /// Builds the trees of some of the group's states.
    fn build(&mut self, states: &Batch, some: Range<usize>, shape: &Shape) {
        self.trees.clear(shape);
        let mut last = None;
        for &index in &self.group[some] {
            let base = states.base(index);
            if last != Some(base) {
                match states.key_of_base(base) {
                    Key::NONE => self.trees.change_base(states.words_from(base), shape),
                    key => self.trees.change_known_base(states.words_from(base), key.bits(), shape),
                }
                last = Some(base);
            }
            match states.edits(index) {
                [] => self.trees.push_base(shape),
                _ if shape.is_wide => {
                    states.write_words(index, &mut self.edited);
                    self.trees.change_base(&self.edited, shape);
                    self.trees.push_base(shape);
                    last = None;
                }
                edits => self.trees.push_edited(edits, shape),
            }
        }
    }

    /// Two words are a root as they are. Their sets are different ones for each length.
    fn push_short(&mut self, states: &Batch, position: usize) {
        let index = self.group[position];
        let words = match states.edits(index) {
            [] => states.words_of_base(states.base(index)),
            _ => {
                states.write_words(index, &mut self.edited);
                &self.edited
            }
        };
        let (left, right) = match *words {
            [left, right] => (left, right),
            [word] => (word, 0),
            _ => (0, 0),
        };
        self.keys.push(root_key(u64::from(left), u64::from(right)));
    }
}

/// Keeps those for which it is so.
fn keep<T>(all: &mut Vec<T>, is_kept: &[bool]) {
    let mut is_kept = is_kept.iter();
    all.retain(|_| is_kept.next() == Some(&true));
}
