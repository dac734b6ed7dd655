//! A bounded cache of states: small sets, in one of which each state has its place.

use super::nodes::SHARDS;

/// One shard's part of the cache.
#[derive(Debug)]
pub(super) struct Sets<S> {
    sets: Vec<Vec<(S, u32)>>,
    /// How many states a set holds.
    size: usize,
    /// Which one goes next when a set is full; `None` if none ever goes.
    next: Option<Vec<u8>>,
}

const SET: usize = 8;

impl<S: Clone + Eq> Sets<S> {
    /// Room for a shard's part of so many states.
    pub(super) fn new(states: u64, replaces: bool) -> Self {
        let states = usize::try_from(states).unwrap_or(usize::MAX) / SHARDS;
        let sets = (states / SET).max(1);
        let size = if states < SET { states } else { SET };
        Self { sets: vec![Vec::new(); sets], size, next: replaces.then(|| vec![0; sets]) }
    }

    fn set_of(&self, tag: u32) -> usize {
        (spread(tag) >> 32) as usize % self.sets.len()
    }

    pub(super) fn holds(&self, tag: u32, state: &S, explorer: u32) -> bool {
        self.sets[self.set_of(tag)].iter().any(|(other, with)| *with == explorer && other == state)
    }

    pub(super) fn add(&mut self, tag: u32, state: &S, explorer: u32) {
        let at = self.set_of(tag);
        let set = &mut self.sets[at];
        let entry = (state.clone(), explorer);
        if set.len() < self.size {
            set.push(entry);
        } else if let Some(next) = &mut self.next
            && self.size > 0
        {
            let oldest = usize::from(next[at]) % self.size;
            set[oldest] = entry;
            next[at] = next[at].wrapping_add(1) % SET as u8;
        }
    }
}

/// What decides in which set a state is looked for.
pub(super) fn tag(fingerprint: u128, explorer: u32) -> u32 {
    fingerprint as u32 ^ explorer.wrapping_mul(0x9e37_79b9)
}

/// A hash made of a tag.
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
