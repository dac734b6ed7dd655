//! Whether some infinite run leaves an obligation open for ever: a cycle behind a hot state that never cools down.
//!
//! P lets an obligation end only in a cold state: a neutral one neither heats nor cools. So the cycles that matter are
//! those of states that are not cold, reachable from a hot one without a cold one in between.
//!
//! Guarantees: `false` means that there is no such cycle, so that in every infinite run of a program with finitely many
//! states, fair or not, each hot state is followed by a cold one. Together with [`Program::end`](fabius_model::Program::end), which judges the runs
//! that end, every obligation is then met.
//! Does not guarantee: that `true` is a bug. The cycle may be one that no fair scheduler follows, or one of neutral states
//! only.

//!
//! A depth-first search over the states that are not cold. What was met is known by its key in an exact set, in a dozen
//! bytes or two; only the states that wait along the current path are held themselves.

use fabius_model::{Outcome, Packed};
use fabius_store::{Batch, Exact, Key, VisitedSet};
use hashbrown::HashSet;

/// So many hot states are looked up together.
const TOGETHER: usize = 256;

/// Whether there is a cycle of states that are not cold, reachable from `hot` ones without a cold one in between. `None`
/// when `should_stop` said so first, or if the set is full.
pub fn exists<P: Packed>(
    program: &P,
    hot: impl IntoIterator<Item = P::State>,
    is_warm: &dyn Fn(&P::State) -> bool,
    should_stop: &dyn Fn() -> bool,
) -> Option<bool> {
    let mut search = Search {
        program,
        is_warm,
        met: Exact::new(),
        open: HashSet::new(),
        path: Vec::new(),
        batch: Batch::new(),
        words: Vec::new(),
    };
    let mut roots = hot.into_iter().filter(is_warm).peekable();
    while roots.peek().is_some() {
        let some = search.look_up(roots.by_ref().take(TOGETHER).collect());
        for root in some.into_iter().filter(|root| !root.is_met) {
            match search.search_from(root, should_stop) {
                Some(false) => {}
                answer => return answer,
            }
        }
    }
    Some(false)
}

/// A state on the current path.
struct Frame<S> {
    key: Key,
    /// Its successors that had not been met.
    waiting: Vec<LookedUp<S>>,
}

/// A state that was looked up.
struct LookedUp<S> {
    state: S,
    key: Key,
    is_met: bool,
}

struct Search<'a, P: Packed> {
    program: &'a P,
    is_warm: &'a dyn Fn(&P::State) -> bool,
    /// What is or was on the path. No cycle goes through what was.
    met: Exact,
    /// What is on the path.
    open: HashSet<Key>,
    path: Vec<Frame<P::State>>,
    batch: Batch,
    words: Vec<u32>,
}

impl<P: Packed> Search<'_, P> {
    /// Whether a cycle is reachable from a state.
    fn search_from(&mut self, root: LookedUp<P::State>, should_stop: &dyn Fn() -> bool) -> Option<bool> {
        let mut next = Some(root);
        loop {
            if let Some(LookedUp { state, key, .. }) = next {
                // A state that a full set has refused would count as met.
                if should_stop() || self.met.is_full() {
                    return None;
                }
                if self.opens_cycle(&state, key) {
                    return Some(true);
                }
            }
            let Some(frame) = self.path.last_mut() else { return Some(false) };
            next = frame.waiting.pop();
            if next.is_none() {
                self.open.remove(&frame.key);
                self.path.pop();
            }
        }
    }

    /// Puts a state on the path, unless it has been there since it was looked up. Says whether one of its successors is on
    /// the path.
    fn opens_cycle(&mut self, state: &P::State, key: Key) -> bool {
        let mut is_new = Vec::new();
        self.met.insert_keys(&[key], &mut is_new);
        if is_new != [true] {
            return false;
        }
        self.open.insert(key);
        let successors = self.warm_successors(state);
        let mut waiting = self.look_up(successors);
        let closes = waiting.iter().any(|next| next.is_met && self.open.contains(&next.key));
        waiting.retain(|next| !next.is_met);
        self.path.push(Frame { key, waiting });
        closes
    }

    /// The keys of some states, and whether they have been met.
    fn look_up(&mut self, states: Vec<P::State>) -> Vec<LookedUp<P::State>> {
        self.batch.clear();
        for state in &states {
            self.batch.push(0, self.program.words(state, &mut self.words));
        }
        let (mut keys, mut is_met) = (Vec::new(), Vec::new());
        self.met.probe(&self.batch, &mut keys, &mut is_met);
        let all = states.into_iter().zip(keys).zip(is_met);
        all.map(|((state, key), is_met)| LookedUp { state, key, is_met }).collect()
    }

    fn warm_successors(&self, state: &P::State) -> Vec<P::State> {
        let mut choices = Vec::new();
        self.program.choices(state, &mut choices);
        let outcomes = choices.into_iter().map(|choice| self.program.step(state, choice, &mut Vec::new()));
        let warm = outcomes.filter_map(|outcome| match outcome {
            Outcome::State(next) if (self.is_warm)(&next) => Some(next),
            Outcome::State(_) | Outcome::Bug(_) => None,
        });
        warm.collect()
    }
}
