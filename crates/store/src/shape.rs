//! The binary tree over the words of a vector: who is joined with whom.
//!
//! Words are joined in twos, which are the units; an odd last word is a unit by itself. The units are cut in halves again
//! and again, so that both sides of every pair stand for about as many words; the number of distinct sides then is about
//! the square root of the number of distinct pairs. Nodes are numbered: first the units, then the inner nodes in the order
//! of their height, so that both sides of a node come before it. The root has no number: its pair is what is stored.

use std::collections::HashMap;

/// The tree for vectors of one length, which is at least 3.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) units: usize,
    /// Inner nodes without the root, by height.
    pub(crate) inner: Vec<Node>,
    /// The sides of the root.
    pub(crate) root: (usize, usize),
    /// Heights of inner nodes are 1 to this.
    pub(crate) height: usize,
    /// For each unit, which inner nodes are above it, as bits; empty if the tree is wide.
    pub(crate) above: Vec<u64>,
}

/// Vectors of up to 128 words have no more units than a word has bits, and fewer inner nodes.
const MOST_NARROW_UNITS: usize = 64;

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Its distance from the deepest unit below it.
    pub(crate) height: usize,
}

/// A node on the way: units `start..end` below it.
struct Span {
    start: usize,
    end: usize,
    height: usize,
}

impl Shape {
    /// The tree over so many words.
    pub(crate) fn new(length: usize) -> Self {
        let units = length.div_ceil(2);
        let mut spans = Vec::new();
        collect_spans(0, units, &mut spans);
        // The root is last, being the highest; it stays out.
        spans.sort_by_key(|span| (span.height, span.start));
        let root = spans.pop();
        let numbers: HashMap<(usize, usize), usize> =
            spans.iter().zip(units..).map(|(span, number)| ((span.start, span.end), number)).collect();
        // A span that is no inner node is a single unit.
        let number = |start: usize, end: usize| numbers.get(&(start, end)).copied().unwrap_or(start);
        let sides = |span: &Span| {
            let middle = middle(span.start, span.end);
            (number(span.start, middle), number(middle, span.end))
        };
        let node = |span| {
            let (left, right) = sides(span);
            Node { left, right, height: span.height }
        };
        let inner: Vec<Node> = spans.iter().map(node).collect();
        let mut above = vec![0; if units <= MOST_NARROW_UNITS { units } else { 0 }];
        for (index, span) in spans.iter().enumerate().take(if above.is_empty() { 0 } else { spans.len() }) {
            above[span.start..span.end].iter_mut().for_each(|bits| *bits |= 1 << index);
        }
        let height = inner.last().map_or(0, |node| node.height);
        Self { units, inner, root: root.as_ref().map_or((0, 0), sides), height, above }
    }

    /// Whether there are too many nodes for a bit each in one word.
    #[inline]
    pub(crate) fn is_wide(&self) -> bool {
        self.above.is_empty()
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

/// All spans of at least two units that the halving of this one comes to. Gives its height.
fn collect_spans(start: usize, end: usize, spans: &mut Vec<Span>) -> usize {
    if end - start < 2 {
        return 0;
    }
    let middle = middle(start, end);
    let height = 1 + collect_spans(start, middle, spans).max(collect_spans(middle, end, spans));
    spans.push(Span { start, end, height });
    height
}
