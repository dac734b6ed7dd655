//! A bounded cache of states: small sets, in one of which each state has its place.

use hashbrown::HashMap;

/// The cache.
#[derive(Debug)]
pub(super) struct Sets<S> {
    /// Those that hold something: a cache may be larger than the memory, as long as nobody fills it.
    sets: HashMap<u64, Set<S>>,
    /// How many sets there may be, and how many states one holds.
    count: u64,
    size: usize,
    /// Whether a full set takes in new states, and gives up old ones.
    replaces: bool,
}

#[derive(Debug)]
struct Set<S> {
    states: Vec<(S, u32)>,
    /// Which one goes next.
    next: u8,
}

const SET: usize = 8;

impl<S: Clone + Eq> Sets<S> {
    /// Room for so many states.
    pub(super) fn new(states: u64, replaces: bool) -> Self {
        Self {
            sets: HashMap::new(),
            count: (states / SET as u64).max(1),
            size: states.min(SET as u64) as usize,
            replaces,
        }
    }

    fn set_of(&self, tag: u32) -> u64 {
        (spread(tag) >> 32) % self.count
    }

    pub(super) fn holds(&self, tag: u32, state: &S, explorer: u32) -> bool {
        let set = self.sets.get(&self.set_of(tag));
        set.is_some_and(|set| set.states.iter().any(|(other, with)| *with == explorer && other == state))
    }

    pub(super) fn add(&mut self, tag: u32, state: &S, explorer: u32) {
        let set = self.set_of(tag);
        let set = self.sets.entry(set).or_insert_with(|| Set { states: Vec::new(), next: 0 });
        let entry = (state.clone(), explorer);
        if set.states.len() < self.size {
            set.states.push(entry);
        } else if self.replaces && self.size > 0 {
            set.states[usize::from(set.next) % self.size] = entry;
            set.next = set.next.wrapping_add(1) % SET as u8;
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
