//! The calls of a machine that have not returned: a short stack that mostly needs no memory of its own.

use fabius_lang::ids::FunctionId;

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// A position in the function's code.
    pub(crate) at: u32,
    /// Where its registers begin among the values of the configuration.
    pub(crate) base: u32,
}

const NONE: Frame = Frame { function: FunctionId(0), at: 0, base: 0 };
/// As deep as most code is, the innermost call apart.
const INLINE: usize = 2;

/// Frames, the outermost first.
///
/// Invariant: the innermost is `top`; of the others the first `INLINE` lie in `outer`, the rest in `more`.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    length: u32,
    top: Frame,
    outer: [Frame; INLINE],
    more: Vec<Frame>,
}

impl Frames {
    pub(crate) const fn new() -> Self {
        Self { length: 0, top: NONE, outer: [NONE; INLINE], more: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The innermost.
    #[inline]
    pub(crate) fn last(&self) -> Option<&Frame> {
        (self.length > 0).then_some(&self.top)
    }

    #[inline]
    pub(crate) fn last_mut(&mut self) -> Option<&mut Frame> {
        (self.length > 0).then_some(&mut self.top)
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        let under = std::mem::replace(&mut self.top, frame);
        match self.len().checked_sub(1).map(|at| self.outer.get_mut(at)) {
            None => {}
            Some(Some(place)) => *place = under,
            Some(None) => self.more.push(under),
        }
        self.length += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let last = *self.last()?;
        self.length -= 1;
        if let Some(at) = self.len().checked_sub(1) {
            self.top = self.outer.get(at).copied().or_else(|| self.more.pop()).unwrap_or(NONE);
        }
        Some(last)
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
        self.more.clear();
    }

    /// Whether they are these.
    #[inline]
    pub(crate) fn are(&self, frames: &[Frame]) -> bool {
        let Some((top, outer)) = frames.split_last() else { return self.is_empty() };
        let (outer, more) = outer.split_at(outer.len().min(INLINE));
        self.len() == frames.len()
            && self.top == *top
            && self.outer[..outer.len()] == *outer
            && self.more == more
    }

    /// Visits each, the outermost first.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&Frame)) {
        if self.length > 1 {
            self.outer[..(self.len() - 1).min(INLINE)].iter().chain(&self.more).for_each(&mut visit);
        }
        self.last().into_iter().for_each(visit);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Frame> {
        let outer = self.len().saturating_sub(1).min(INLINE);
        self.outer[..outer].iter().chain(&self.more).chain(self.last())
    }
}

impl PartialEq for Frames {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.iter().eq(other.iter())
    }
}

impl Eq for Frames {}

#[cfg(test)]
mod tests {
    use super::{Frame, Frames};
    use fabius_lang::ids::FunctionId;

    fn frame(number: u32) -> Frame {
        Frame { function: FunctionId(number), at: number, base: 0 }
    }

    #[test]
    fn frames_of_any_number_behave_like_a_stack() {
        let (mut frames, mut plain) = (Frames::new(), Vec::new());
        let is_same = |frames: &Frames, plain: &Vec<Frame>| {
            assert!(frames.iter().eq(plain) && frames.are(plain));
            let mut visited = Vec::new();
            frames.for_each(|frame| visited.push(*frame));
            assert_eq!(visited, *plain);
            assert!(!frames.are(&[plain, &[frame(7)][..]].concat()));
            if let Some((last, others)) = plain.split_last() {
                assert!(!frames.are(others) && !frames.are(&[others, &[frame(last.at + 1)][..]].concat()));
            }
            assert_eq!((frames.len(), frames.last()), (plain.len(), plain.last()));
        };
        for number in 0..7 {
            frames.push(frame(number));
            plain.push(frame(number));
            is_same(&frames, &plain);
        }
        frames.last_mut().expect("there are some").at = 9;
        plain.last_mut().expect("there are some").at = 9;
        for _ in 0..8 {
            assert_eq!(frames.pop(), plain.pop());
            is_same(&frames, &plain);
        }
    }
}
