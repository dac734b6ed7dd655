//! The binary tree over the words of a vector: who is joined with whom.
//!
//! A vector is cut in halves again and again, so that both sides of every pair stand for about as many words; the number of
//! distinct sides then is about the square root of the number of distinct pairs. Nodes are numbered: first the words,
//! then the inner nodes in the order of their height, so that both sides of a node come before it. The root has no
//! number: its pair is what is stored.

use std::collections::HashMap;

/// The tree for vectors of one length.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Words of the vector.
    pub(crate) length: usize,
    /// Inner nodes without the root, by height.
    pub(crate) inner: Vec<Node>,
    /// The sides of the root; both are the same node for vectors with one word, and unused for those without.
    pub(crate) root: (usize, usize),
    /// Heights of inner nodes are 1 to this.
    pub(crate) height: usize,
    /// For each word, which inner nodes are above it: a bit each, `row` words for each word of the vector.
    above: Vec<u64>,
    pub(crate) row: usize,
}

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Its distance from the deepest word below it.
    pub(crate) height: usize,
}

/// A node on the way: words `start..end` below it.
struct Span {
    start: usize,
    end: usize,
    height: usize,
}

impl Shape {
    /// The tree over so many words.
    pub(crate) fn new(length: usize) -> Self {
        let mut spans = Vec::new();
        collect_spans(0, length, &mut spans);
        // The root is last, being the highest; it stays out.
        spans.sort_by_key(|span| (span.height, span.start));
        let root = spans.pop();
        let numbers: HashMap<(usize, usize), usize> =
            spans.iter().zip(length..).map(|(span, number)| ((span.start, span.end), number)).collect();
        // A span that is no inner node is a single word.
        let number = |start: usize, end: usize| numbers.get(&(start, end)).copied().unwrap_or(start);
        let sides = |start, end| {
            let middle = middle(start, end);
            (number(start, middle), number(middle, end))
        };
        let inner: Vec<Node> = spans
            .iter()
            .map(|span| {
                let (left, right) = sides(span.start, span.end);
                Node { left, right, height: span.height }
            })
            .collect();
        let root = root.map_or((0, 0), |root| sides(root.start, root.end));
        let row = inner.len().div_ceil(64);
        let mut above = vec![0; row * length];
        for (index, span) in spans.iter().enumerate() {
            (span.start..span.end).for_each(|word| above[word * row + index / 64] |= 1 << (index % 64));
        }
        let height = inner.last().map_or(0, |node| node.height);
        Self { length, inner, root, height, above, row }
    }

    /// The inner nodes above a word, as bits.
    #[inline]
    pub(crate) fn above(&self, word: usize) -> &[u64] {
        &self.above[word * self.row..][..self.row]
    }

    /// Words and inner nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.length + self.inner.len()
    }

    /// All memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.inner.capacity() * size_of::<Node>() + self.above.capacity() * 8
    }
}

/// The left side is the longer one.
fn middle(start: usize, end: usize) -> usize {
    start + (end - start).div_ceil(2)
}

/// All spans of at least two words that the halving of this one comes to. Gives its height.
fn collect_spans(start: usize, end: usize, spans: &mut Vec<Span>) -> usize {
    if end - start < 2 {
        return 0;
    }
    let middle = middle(start, end);
    let height = 1 + collect_spans(start, middle, spans).max(collect_spans(middle, end, spans));
    spans.push(Span { start, end, height });
    height
}
