//! Whether some infinite run stays hot for ever: a cycle among the hot states.
//!
//! Guarantees: `false` means that no cycle consists of hot states only, so that no infinite run of a program with finitely
//! many states stays hot for ever, fair or not. Together with [`Program::end`], which judges the runs that end, an
//! obligation is then met in every run.
//! Does not guarantee: that `true` is a bug. The cycle may be one that no fair scheduler follows.

use std::collections::HashMap;

use fabius_model::{Choice, Effect, Outcome, Program};

/// Where the depth-first search stands with a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// On the current path.
    Open,
    /// No cycle goes through it.
    Done,
}

/// Whether there is a cycle of states that are all hot, among those reachable from `roots` through hot states. `None` when
/// `should_stop` said so first.
pub fn exists<P: Program>(
    program: &P,
    roots: &[P::State],
    is_hot: &dyn Fn(&P::State) -> bool,
    should_stop: &dyn Fn() -> bool,
) -> Option<bool> {
    let mut marks: HashMap<P::State, Mark> = HashMap::new();
    let mut path: Vec<(P::State, Vec<P::State>)> = Vec::new();
    for root in roots.iter().filter(|root| is_hot(root)) {
        if marks.contains_key(root) {
            continue;
        }
        marks.insert(root.clone(), Mark::Open);
        path.push((root.clone(), hot_successors(program, root, is_hot)));
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
                    let successors = hot_successors(program, &next, is_hot);
                    path.push((next, successors));
                }
            }
        }
    }
    Some(false)
}

fn hot_successors<P: Program>(
    program: &P,
    state: &P::State,
    is_hot: &dyn Fn(&P::State) -> bool,
) -> Vec<P::State> {
    let mut choices: Vec<Choice> = Vec::new();
    let mut effects: Vec<Effect> = Vec::new();
    program.choices(state, &mut choices);
    let mut successors = Vec::new();
    for choice in choices {
        effects.clear();
        if let Outcome::State(next) = program.step(state, choice, &mut effects)
            && is_hot(&next)
        {
            successors.push(next);
        }
    }
    successors
}
