//! The binary tree over the words of a vector: who is joined with whom.
//!
//! A vector is cut in halves again and again, until the parts are short enough to be blocks. Both sides of every pair stand
//! for about as many words; the number of distinct sides then is about the square root of the number of distinct pairs.
//! Nodes are numbered: first the blocks, then the inner nodes in the order of their height, so that both sides of a node
//! come before it. The root has no number: its pair is what is stored.

use std::collections::HashMap;

use crate::blocks::MOST_WORDS;

/// The tree for vectors of one length, which is at least 3.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) blocks: Vec<Place>,
    /// The block of each word, and which of its words it is.
    pub(crate) place_of: Vec<(u32, u32)>,
    /// Inner nodes without the root, by height.
    pub(crate) inner: Vec<Node>,
    /// The sides of the root.
    pub(crate) root: (usize, usize),
    /// Heights of inner nodes are 1 to this.
    pub(crate) height: usize,
    /// Whether there are too many nodes for bits in a number.
    pub(crate) is_wide: bool,
}

/// Where the words of a block are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// The inner nodes above it as bits, unless the tree is wide.
    pub(crate) above: u64,
}

/// So many words have at most 64 blocks, and fewer inner nodes.
const MOST_NARROW_WORDS: usize = 256;

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Its distance from the deepest block below it.
    pub(crate) height: usize,
}

/// An inner node on the way: words `start..end` below it.
struct Span {
    start: usize,
    end: usize,
    height: usize,
}

impl Shape {
    /// The tree over so many words.
    pub(crate) fn new(length: usize) -> Self {
        let (mut leaves, mut spans) = (Vec::new(), Vec::new());
        collect_spans(0, length, true, &mut leaves, &mut spans);
        // The root is last, being the highest; it stays out.
        spans.sort_by_key(|span| (span.height, span.start));
        let root = spans.pop();
        let nodes = leaves.iter().copied().chain(spans.iter().map(|span| (span.start, span.end)));
        let numbers: HashMap<(usize, usize), usize> = nodes.zip(0..).collect();
        let sides = |span: &Span| {
            let middle = middle(span.start, span.end);
            (numbers[&(span.start, middle)], numbers[&(middle, span.end)])
        };
        let node = |span| {
            let (left, right) = sides(span);
            Node { left, right, height: span.height }
        };
        let is_wide = length > MOST_NARROW_WORDS;
        let block = |&(start, end): &(usize, usize)| {
            let mut block = Place { start, length: end - start, above: 0 };
            if !is_wide {
                let above =
                    spans.iter().enumerate().filter(|(_, span)| span.start <= start && end <= span.end);
                block.above = above.map(|(index, _)| 1 << index).sum();
            }
            block
        };
        let inner: Vec<Node> = spans.iter().map(node).collect();
        let height = inner.last().map_or(0, |node| node.height);
        let root = root.as_ref().map_or((0, 0), sides);
        let place_of = leaves.iter().zip(0..).flat_map(|(&(start, end), index)| {
            let length = (end - start) as u32;
            (0..length).map(move |place| (index, place))
        });
        let place_of = place_of.collect();
        Self { blocks: leaves.iter().map(block).collect(), place_of, inner, root, height, is_wide }
    }

    /// Whether there are so few words that they are no tree.
    pub(crate) fn is_short(&self) -> bool {
        self.place_of.len() < 3
    }

    /// All memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.inner.capacity() * size_of::<Node>()
            + self.blocks.capacity() * size_of::<Place>()
            + self.place_of.capacity() * size_of::<(u32, u32)>()
    }
}

/// The left side is the longer one.
fn middle(start: usize, end: usize) -> usize {
    start + (end - start).div_ceil(2)
}

/// The blocks and the inner nodes that the halving of these words comes to. Gives its height.
fn collect_spans(
    start: usize,
    end: usize,
    is_root: bool,
    leaves: &mut Vec<(usize, usize)>,
    spans: &mut Vec<Span>,
) -> usize {
    if end - start < 2 || (!is_root && end - start <= MOST_WORDS) {
        leaves.push((start, end));
        return 0;
    }
    let middle = middle(start, end);
    let left = collect_spans(start, middle, false, leaves, spans);
    let height = 1 + left.max(collect_spans(middle, end, false, leaves, spans));
    spans.push(Span { start, end, height });
    height
}
