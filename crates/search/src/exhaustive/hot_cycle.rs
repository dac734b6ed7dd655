//! Whether some infinite run leaves an obligation open for ever: a cycle behind a hot state that never cools down.
//!
//! P lets an obligation end only in a cold state: a neutral one neither heats nor cools. So the cycles that matter are
//! those of states that are not cold, reachable from a hot one without a cold one in between.
//!
//! Guarantees: `false` means that there is no such cycle, so that in every infinite run of a program with finitely many
//! states, fair or not, each hot state is followed by a cold one. Together with [`Program::end`], which judges the runs
//! that end, every obligation is then met.
//! Does not guarantee: that `true` is a bug. The cycle may be one that no fair scheduler follows, or one of neutral states
//! only.

use fabius_model::{Outcome, Program};
use hashbrown::HashMap;

/// Where the depth-first search stands with a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// On the current path.
    Open,
    /// No cycle goes through it.
    Done,
}

/// Whether there is a cycle of states that are not cold, reachable from `hot` ones without a cold one in between. `None`
/// when `should_stop` said so first.
pub fn exists<'a, P: Program>(
    program: &P,
    hot: impl IntoIterator<Item = &'a P::State>,
    is_warm: &dyn Fn(&P::State) -> bool,
    should_stop: &dyn Fn() -> bool,
) -> Option<bool>
where
    P::State: 'a,
{
    let mut marks: HashMap<P::State, Mark> = HashMap::new();
    let mut path: Vec<(P::State, Vec<P::State>)> = Vec::new();
    for root in hot.into_iter().filter(|root| is_warm(root)) {
        if marks.contains_key(root) {
            continue;
        }
        marks.insert(root.clone(), Mark::Open);
        path.push((root.clone(), warm_successors(program, root, is_warm)));
        while let Some((state, successors)) = path.last_mut() {
            let Some(next) = successors.pop() else {
                marks.insert(state.clone(), Mark::Done);
                path.pop();
                continue;
            };
            match marks.get(&next) {
                Some(Mark::Open) => return Some(true),
                Some(Mark::Done) => {}
                None => {
                    if should_stop() {
                        return None;
                    }
                    marks.insert(next.clone(), Mark::Open);
                    let successors = warm_successors(program, &next, is_warm);
                    path.push((next, successors));
                }
            }
        }
    }
    Some(false)
}

fn warm_successors<P: Program>(
    program: &P,
    state: &P::State,
    is_warm: &dyn Fn(&P::State) -> bool,
) -> Vec<P::State> {
    let mut choices = Vec::new();
    program.choices(state, &mut choices);
    let outcomes = choices.into_iter().map(|choice| program.step(state, choice, &mut Vec::new()));
    let warm = outcomes.filter_map(|outcome| match outcome {
        Outcome::State(next) if is_warm(&next) => Some(next),
        Outcome::State(_) | Outcome::Bug(_) => None,
    });
    warm.collect()
}
