//! Steps that were deferred, when they are due.
//!
//! Most were probed: their keys are looked up once more, and many lead to states that have become known since. So nothing is
//! done for a step before that is settled.

use fabius_explore::Explorer;
use fabius_model::{Outcome, Packed, Tale};

use super::nodes::{Node, NodeId, States};
use super::part::{Part, Work, number_or_note};
use super::queue::{Deferred, Item, What};
use super::recent::Told;
use super::survey::{Step, Survey};

/// So many states before one is read, its memory is asked for.
const AHEAD: usize = 8;

/// Leaves with a survey the deferred steps of which it is known to which states they lead. Of those that were not probed it
/// makes items; the others lead to bugs.
pub(super) fn open<P: Packed, E: Explorer>(work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
    let mut deferred = std::mem::take(&mut survey.deferred);
    work.due.copy(&survey.due, &mut deferred);
    if deferred.iter().any(|step| !step.leads_to_state()) {
        open_others(work, &deferred, survey);
        deferred.retain(Deferred::leads_to_state);
    }
    survey.harvest.transitions += deferred.len() as u64;
    survey.keys.extend(deferred.iter().map(|step| step.key));
    survey.deferred = deferred;
}

/// Makes items of steps that were not probed, and takes those into bugs.
fn open_others<P: Packed, E: Explorer>(
    work: Work<'_, P, E>,
    deferred: &[Deferred],
    survey: &mut Survey<P, E>,
) {
    let program = work.setting.program;
    let mut states = work.known.states();
    let mut choices = Vec::new();
    for step in deferred.iter().filter(|step| !step.leads_to_state()) {
        let node = step.node;
        let (What::Probed { delays, .. } | What::Unprobed { delays }) = step.what();
        let item = work.nodes.item((node, &work.nodes.get(node)), delays, program, &mut states);
        let What::Probed { position, .. } = step.what() else {
            survey.items.push(item);
            continue;
        };
        survey.harvest.transitions += 1;
        program.choices(&item.state, &mut choices);
        let outcome = program.step(&item.state, choices[position as usize], &mut Vec::new());
        if let Outcome::Bug(bug) = outcome {
            survey.harvest.bugs.push((node, Some(position), bug));
        }
    }
}

impl<P: Packed, E: Explorer> Part<P, E> {
    /// Takes the deferred steps of a survey that lead to new states.
    pub(super) fn take_deferred(&mut self, work: Work<'_, P, E>, survey: &mut Survey<P, E>) {
        if survey.deferred.is_empty() {
            return;
        }
        let mut states = work.known.states();
        let deferred = std::mem::take(&mut survey.deferred);
        let mut before = self.fetch(work, &deferred, &survey.is_new);
        for (at, node) in before.iter().enumerate() {
            if let (Some(ahead), Some(states)) = (self.new.get(at + AHEAD), &states) {
                states.expect(deferred[*ahead].key);
            }
            let step = &deferred[self.new[at]];
            let What::Probed { delays, position } = step.what() else {
                unreachable!("what is known of a step was probed")
            };
            let (state, number) = match &mut states {
                Some(states) if step.tale != Tale::UNTOLD && P::UNPACKS => {
                    self.read(work, (step.node, node), (step, delays), states)
                }
                states => {
                    let item = work.nodes.item((step.node, node), 0, work.setting.program, states);
                    let (node, tale) = (step.node, Tale::UNTOLD);
                    let step = Step { item: 0, node, delays, position, choice: None, tale };
                    self.learn(work, &item, &step)
                }
            };
            let number = number_or_note(number, survey.arrivals.len(), &mut survey.unnumbered);
            (work.setting.visit)(&state);
            let from = (step.node, node.depth);
            survey.arrive_from(from, position, (state, step.key), number, work.nodes);
        }
        before.clear();
        self.before = before;
        survey.deferred = deferred;
    }

    /// Finds the places of steps that lead to new states, and gives the nodes at which they begin.
    fn fetch(&mut self, work: Work<'_, P, E>, deferred: &[Deferred], is_new: &[bool]) -> Vec<Node> {
        let Self { new, before, recent, .. } = self;
        // As good as random: no branch could be foretold.
        new.resize(deferred.len(), 0);
        let mut count = 0;
        for (at, is_new) in is_new[..deferred.len()].iter().enumerate() {
            new[count] = at;
            count += usize::from(*is_new);
        }
        new.truncate(count);
        // Nodes lie anywhere: all are asked for before the first of them is read.
        new.iter().for_each(|at| work.nodes.expect(deferred[*at].node));
        before.extend(new.iter().map(|at| {
            let step = &deferred[*at];
            let node = work.nodes.get(step.node);
            recent.expect_step(node.explorer, step.delays(), step.tale);
            node
        }));
        std::mem::take(before)
    }

    /// Reads the state to which a step leads of which something is told, after so many delays; gives it with the number of
    /// the explorer there or, if it has none yet, the explorer itself.
    fn read(
        &mut self,
        work: Work<'_, P, E>,
        (id, before): (NodeId, &Node),
        (step, delays): (&Deferred, u32),
        states: &mut States<'_>,
    ) -> (P::State, Result<u32, &E>) {
        let program = work.setting.program;
        let state = states.make(step.key, program);
        let told = Told::new(before.explorer, delays, step.tale, program.machines(&state));
        if let Some(number) = self.known_number(work, &told) {
            return (state, Ok(number));
        }
        let item = Item::at_node(id, before, states.make(before.key, program));
        let number = self.number_told(work, &item, told, &state);
        (state, number)
    }
}
