//! Custom order: machines run by the order of their types, and the order changes when an event is sent.
//!
//! The explorer of the case study in [DQS15, section 5.4]: "servers before the fault injector until the chain is set up".
//! [`Orders`] is a list of phases, each an order of machine types; a phase begins when its event is sent or announced. At
//! every state the machines that can move are ordered by their types, those of one type by their creation, and the first
//! one runs. A delay moves on in that order at this state only: after the step everybody is back in place.
//!
//! Difference from the paper: there a program calls `changeOrder`; here the orders come from outside, and no program has to
//! be changed. That delays do not last is as in Zing's scheduler of this name.

use std::sync::Arc;

use fabius_model::{ActorId, Choice, Effect, Name, Vocabulary};

use crate::explorer::{Explorer, Taken, position_of};
use crate::fixed::Fixed;
use crate::rules::RuleError;

/// Orders of machine types, one for each phase of a run.
///
/// Invariant: there is a first phase, which begins with the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    phases: Vec<Phase>,
    /// The type of the machines that exist in the initial state.
    first: Option<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Phase {
    /// The event that begins it; `None` for the first phase.
    begin: Option<Name>,
    /// `None` stands for all types that are not named, once.
    order: Vec<Option<Name>>,
}

impl Phase {
    fn rank(&self, machine: Option<Name>) -> usize {
        let named = machine.and_then(|_| self.order.iter().position(|other| *other == machine));
        named.or_else(|| self.order.iter().position(Option::is_none)).unwrap_or(self.order.len())
    }
}

impl Orders {
    /// Reads orders as people write them: `Server,Client,*,Injector; eReady: Injector,*`.
    ///
    /// Phases are separated by `;`, and each but the first begins with its event and `:`. A phase names machine types, the
    /// one to run first in front; `*` stands for those that are not named, at the end if it is missing.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Orders, RuleError> {
        let mut phases: Vec<Phase> = Vec::new();
        for part in text.split(';') {
            let phase = phase_of(part, phases.is_empty(), vocabulary)?;
            if phases.iter().any(|other| other.begin == phase.begin) {
                let event = phase.begin.map_or("", |event| vocabulary.text(event));
                return Err(RuleError::Malformed(format!("two orders begin with `{event}`")));
            }
            phases.push(phase);
        }
        Ok(Orders { phases, first: vocabulary.first() })
    }

    /// The machine types and events that they name.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.phases
            .iter()
            .flat_map(|phase| phase.begin.into_iter().chain(phase.order.iter().flatten().copied()))
    }

    /// The phase that an event begins.
    fn begun_by(&self, event: Name) -> Option<u32> {
        self.phases.iter().position(|phase| phase.begin == Some(event)).map(|at| at as u32)
    }
}

fn phase_of(text: &str, is_first: bool, vocabulary: &Vocabulary) -> Result<Phase, RuleError> {
    let malformed = |message: String| Err(RuleError::Malformed(message));
    match (text.split_once(':'), is_first) {
        (None, true) => Ok(Phase { begin: None, order: order_of(text, vocabulary)? }),
        (Some((event, order)), false) => {
            let begin = Some(RuleError::event(vocabulary, event.trim())?);
            Ok(Phase { begin, order: order_of(order, vocabulary)? })
        }
        (Some((event, _)), true) => malformed(format!(
            "the first order holds from the start and has no event, but `{}` is given",
            event.trim()
        )),
        (None, false) => malformed(format!("expected `EVENT: MACHINE,..` and found `{}`", text.trim())),
    }
}

fn order_of(text: &str, vocabulary: &Vocabulary) -> Result<Vec<Option<Name>>, RuleError> {
    let mut order = Vec::new();
    for machine in text.split(',').map(str::trim) {
        let place = match machine {
            "*" => None,
            "" => return Err(RuleError::Malformed("expected the name of a machine type, or `*`".into())),
            name => Some(RuleError::machine(vocabulary, name)?),
        };
        if order.contains(&place) {
            return Err(RuleError::Malformed(format!("`{machine}` has two places in one order")));
        }
        order.push(place);
    }
    Ok(order)
}

/// The custom-order explorer. It needs hints.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustomOrder {
    orders: Fixed<Orders>,
    phase: u32,
    // Each actor that has not halted, once, in the order of creation.
    actors: Vec<Member>,
    /// Delays at the present state.
    skipped: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Member {
    actor: ActorId,
    machine: Option<Name>,
    can_move: bool,
}

impl CustomOrder {
    /// An explorer that follows these orders.
    pub fn new(orders: Orders) -> CustomOrder {
        CustomOrder { orders: Fixed(Arc::new(orders)), phase: 0, actors: Vec::new(), skipped: 0 }
    }

    fn position(&self, actor: ActorId) -> Option<usize> {
        self.actors.iter().position(|member| member.actor == actor)
    }

    /// The actor's entry, which is new if the actor is.
    fn member(&mut self, actor: ActorId) -> &mut Member {
        let at = self.position(actor).unwrap_or_else(|| {
            self.actors.push(Member { actor, machine: None, can_move: false });
            self.actors.len() - 1
        });
        &mut self.actors[at]
    }
}

impl Explorer for CustomOrder {
    fn begin(&mut self, enabled: &[ActorId], _fingerprint: u64) {
        let machine = self.orders.0.first;
        self.actors = enabled.iter().map(|actor| Member { actor: *actor, machine, can_move: true }).collect();
    }

    fn next(&self, choices: &[Choice]) -> usize {
        let phase = &self.orders.0.phases[self.phase as usize];
        let movers = self.actors.iter().filter(|member| member.can_move);
        let chosen = if self.skipped == 0 {
            movers.min_by_key(|member| phase.rank(member.machine))
        } else {
            let mut movers: Vec<&Member> = movers.collect();
            // A stable sort: creation decides among those of one type.
            movers.sort_by_key(|member| phase.rank(member.machine));
            movers.get(self.skipped).copied()
        };
        position_of(chosen.map(|member| member.actor), choices)
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.skipped += 1;
    }

    fn step(&mut self, taken: &Taken<'_>) {
        self.skipped = 0;
        for effect in taken.effects {
            match *effect {
                Effect::Created(actor) | Effect::Enabled(actor) => self.member(actor).can_move = true,
                Effect::Blocked(actor) => self.member(actor).can_move = false,
                Effect::Is { actor, machine, .. } => self.member(actor).machine = Some(machine),
                Effect::Halted(actor) => {
                    if let Some(at) = self.position(actor) {
                        self.actors.remove(at);
                    }
                }
                Effect::Sent(_, event) | Effect::Announced(event) => {
                    self.phase = self.orders.0.begun_by(event).unwrap_or(self.phase);
                }
                _ => {}
            }
        }
    }
}
