//! Statements that others notice, or that go elsewhere: send, announce, create, receive, raise, goto.
//!
//! Each costs fuel where there is a field `fuel`; a function outside machines is only called by code that has paid.

use crate::plan::{EventPlan, MachinePlan};
use crate::scope::{Coder, Owner, Variable, block};
use crate::types::Ty;

/// How deeply `receive` nests.
const MOST_NESTED_RECEIVES: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Act {
    Send,
    SendEventVariable,
    Announce,
    Create,
    Receive,
    Raise,
    Goto,
    Call,
}

impl Coder<'_> {
    pub(crate) fn act(&mut self, depth: usize) -> Vec<String> {
        let rights = self.scope.rights;
        let in_machine = usize::from(matches!(self.scope.owner, Owner::Machine(_)));
        let (acts, leaves) = (usize::from(rights.act), usize::from(rights.leave));
        let may_wait = rights.receive && self.scope.receives < MOST_NESTED_RECEIVES;
        let receives = usize::from(may_wait) * self.plan.habits.receives;
        let creates = usize::from(self.scope.creations > 0) * in_machine * acts;
        let act = self.dice.weighted(&[
            (40 * acts, Act::Send),
            (3 * acts, Act::SendEventVariable),
            (usize::from(!self.plan.specs.is_empty()) * 6 * acts, Act::Announce),
            (20 * creates, Act::Create),
            (receives, Act::Receive),
            (8 * leaves, Act::Raise),
            (14 * leaves, Act::Goto),
            (8 * acts.max(leaves), Act::Call),
        ]);
        match act {
            Act::Receive => self.receive(depth),
            Act::Send => self.send(),
            Act::SendEventVariable => self.send_event_variable(),
            Act::Announce => self.paid(|coder| vec![format!("announce {};", coder.event_with_payload())]),
            Act::Create => self.create(),
            Act::Raise => self.paid(Self::raise),
            Act::Goto => self.paid(Self::goto),
            Act::Call => self.paid(Self::acting_call),
        }
    }

    /// Lets statements happen only while there is fuel.
    pub(crate) fn paid(&mut self, write: impl FnOnce(&mut Self) -> Vec<String>) -> Vec<String> {
        let fuel = match self.scope.owner {
            Owner::Global => None,
            Owner::Machine(at) => Some(self.plan.machines[at].fuel),
            Owner::Spec(_) => Some(2),
        };
        let before = std::mem::replace(&mut self.scope.is_paid, true);
        let lines = write(self);
        self.scope.is_paid = before;
        match fuel {
            Some(fuel) if !lines.is_empty() => {
                let spend = std::iter::once("fuel = fuel + 1;".to_owned());
                block(format!("if (fuel < {fuel})"), spend.chain(lines).collect())
            }
            _ => lines,
        }
    }

    /// Somebody to send to, mostly not the machine itself.
    fn target(&mut self) -> String {
        let places = self.places(&Ty::Machine);
        match places.is_empty() || self.dice.chance(12) {
            true => self.leaf(&Ty::Machine),
            false => self.dice.pick(&places).clone(),
        }
    }

    fn send(&mut self) -> Vec<String> {
        let target = self.target();
        let lines = self.paid(|coder| vec![coder.send_to(&target)]);
        self.unless_null(&target, lines)
    }

    /// A send to somebody who exists.
    pub(crate) fn send_to(&mut self, target: &str) -> String {
        let event = match self.dice.chance(self.plan.habits.halts) {
            true => "halt".to_owned(),
            false => self.event_with_payload(),
        };
        format!("send {target}, {event};")
    }

    /// Nothing but habit keeps the payload to the type that the event of a variable was declared with.
    fn send_event_variable(&mut self) -> Vec<String> {
        let target = self.target();
        let event = self.leaf(&Ty::Event);
        let is_variable = self.plan.events.iter().all(|known| known.name != event);
        let payload = match is_variable && self.dice.chance(self.plan.habits.risk) {
            true if self.dice.chance(50) => String::new(),
            true => {
                let ty = Ty::random(self.dice);
                format!(", {}", self.expression(&ty, 1))
            }
            false => format!(", {}", self.expression(&Ty::Int, 1)),
        };
        let lines = self.paid(|_| vec![format!("send {target}, {event}{payload};")]);
        let lines = self.unless_null(&target, lines);
        match self.dice.chance(self.plan.habits.risk) {
            true => lines,
            false => block(format!("if ({event} != null)"), lines),
        }
    }

    fn unless_null(&mut self, target: &str, lines: Vec<String>) -> Vec<String> {
        let is_reference =
            |variable: &Variable| variable.name == target && matches!(variable.ty, Ty::Reference(_));
        // Only `machine` can be compared with null.
        let null = if self.scope.variables.iter().any(is_reference) { "default(machine)" } else { "null" };
        match target == "this" || self.dice.chance(self.plan.habits.risk) {
            true => lines,
            false => block(format!("if ({target} != {null})"), lines),
        }
    }

    /// `e3, payload`. The items of a tuple are sometimes given one by one.
    fn event_with_payload(&mut self) -> String {
        let event = match self.scope.owner {
            Owner::Spec(at) => &self.plan.events[*self.dice.pick(&self.plan.specs[at].observes)],
            _ => self.dice.pick(&self.plan.events),
        };
        let depth = self.plan.size.depth;
        match &event.payload {
            None => event.name.clone(),
            Some(Ty::Tuple(items)) if self.dice.chance(40) => {
                let items: Vec<String> = items.iter().map(|item| self.expression(item, depth)).collect();
                format!("{}, {}", event.name, items.join(", "))
            }
            Some(payload) => format!("{}, {}", event.name, self.expression(payload, depth)),
        }
    }

    fn create(&mut self) -> Vec<String> {
        let Owner::Machine(at) = self.scope.owner else { return Vec::new() };
        let behind = self.plan.machines.len() - at - 1;
        if behind == 0 {
            return self.send();
        }
        self.scope.creations -= 1;
        let created = at + 1 + self.dice.below(behind);
        self.paid(|coder| coder.creation(created).0)
    }

    /// `new ..` as a part of an expression, where machines may be created.
    pub(crate) fn new_expression(&mut self) -> Option<String> {
        let Owner::Machine(at) = self.scope.owner else { return None };
        let behind = self.plan.machines.len() - at - 1;
        if behind == 0 || self.scope.creations == 0 || !self.scope.is_paid {
            return None;
        }
        self.scope.creations -= 1;
        let machine = &self.plan.machines[at + 1 + self.dice.below(behind)];
        Some(format!("new {}({})", machine.name, self.constructor_arguments(machine)))
    }

    /// Creates a machine; also gives the place that then holds the reference, if there is one.
    pub(crate) fn creation(&mut self, at: usize) -> (Vec<String>, Option<String>) {
        let machine = &self.plan.machines[at];
        let arguments = self.constructor_arguments(machine);
        let through = self.plan.interface.as_ref().filter(|interface| interface.machine == at);
        let name = match through {
            Some(_) if self.dice.chance(60) => "Narrow".to_owned(),
            _ => machine.name.clone(),
        };
        let new = format!("new {name}({arguments})");
        match self.dice.below(8) {
            0 => (vec![format!("{new};")], None),
            1..=3 => (vec![format!("peer = {new};")], Some("peer".into())),
            4..=5 => {
                let target = self.local(&Ty::Reference(name), false);
                (vec![format!("{target} = {new};"), format!("peer = {target};")], Some(target))
            }
            _ => {
                let target = self.local(&Ty::Machine, true);
                (vec![format!("{target} = {new};")], Some(target))
            }
        }
    }

    /// The number that a machine may count down when it creates its like is small.
    fn constructor_arguments(&mut self, machine: &MachinePlan) -> String {
        let number = self.dice.below(2);
        let who = match self.dice.chance(60) {
            true => "this".to_owned(),
            false => self.leaf(&Ty::Machine),
        };
        match &machine.payload {
            None => String::new(),
            Some(Ty::Int) => number.to_string(),
            Some(Ty::Pair) => format!("(n = {number}, who = {who})"),
            Some(Ty::Tuple(_)) if self.dice.chance(50) => format!("{number}, {who}"),
            Some(Ty::Tuple(_)) => format!("({number}, {who})"),
            Some(_) => who,
        }
    }

    fn raise(&mut self) -> Vec<String> {
        let event = match self.dice.chance(self.plan.habits.halts) && self.scope.rights.act {
            true => "halt".to_owned(),
            false => self.event_with_payload(),
        };
        vec![format!("raise {event};")]
    }

    fn goto(&mut self) -> Vec<String> {
        let targets = match self.scope.owner {
            Owner::Global => &[],
            Owner::Machine(at) => self.plan.targets(at),
            Owner::Spec(at) => &self.plan.specs[at].states[..],
        };
        if targets.is_empty() {
            return Vec::new();
        }
        let state = self.dice.pick(targets);
        match &state.parameter {
            None => vec![format!("goto {};", state.name)],
            Some(ty) => vec![format!("goto {}, {};", state.name, self.expression(ty, 1))],
        }
    }

    fn acting_call(&mut self) -> Vec<String> {
        let functions: Vec<_> = self.callable().into_iter().filter(|function| function.kind.acts()).collect();
        if functions.is_empty() && !self.scope.rights.act {
            return self.raise();
        }
        if functions.is_empty() {
            let target = self.target();
            let lines = vec![self.send_to(&target)];
            return self.unless_null(&target, lines);
        }
        let function = self.dice.pick(&functions).clone();
        let call = self.call(&function, 1);
        match &function.result {
            Some(result) => {
                let target = self.local(result, true);
                vec![format!("{target} = {call};")]
            }
            None => vec![format!("{call};")],
        }
    }

    pub(crate) fn receive(&mut self, depth: usize) -> Vec<String> {
        let mut cases = Vec::new();
        let mut left: Vec<EventPlan> = self.plan.events.clone();
        for _ in 0..self.dice.between(1, 2) {
            let event = left.remove(self.dice.below(left.len()));
            let more = left.iter().position(|other| other.payload == event.payload);
            let mut names = event.name.clone();
            if let Some(more) = more.filter(|_| self.dice.chance(50)) {
                names = format!("{names}, {}", left.remove(more).name);
            }
            cases.extend(self.receive_case(&names, event.payload.as_ref(), depth));
            if left.is_empty() {
                break;
            }
        }
        if self.dice.chance(self.plan.habits.halts) {
            cases.extend(self.receive_case("halt", None, 0));
        }
        block("receive", cases)
    }

    /// A case does not return from its function.
    fn receive_case(&mut self, names: &str, payload: Option<&Ty>, depth: usize) -> Vec<String> {
        let may_return = std::mem::take(&mut self.scope.may_return);
        let creations = std::mem::take(&mut self.scope.creations);
        self.scope.receives += 1;
        let visible = self.scope.variables.len();
        let header = match payload {
            None => format!("case {names}:"),
            Some(ty) => {
                let name = self.parameter_name();
                self.scope.add(&name, ty.clone(), true);
                format!("case {names}: ({name}: {ty})")
            }
        };
        let lines = self.body(|coder| coder.statements(depth.saturating_sub(1)));
        self.scope.variables.truncate(visible);
        self.scope.receives -= 1;
        (self.scope.may_return, self.scope.creations) = (may_return, creations);
        block(header, lines)
    }
}
