//! Machines: fields, functions and states with their reactions.

use crate::plan::{EventPlan, FunctionKind, FunctionPlan, MachinePlan, StatePlan};
use crate::scope::{Coder, Owner, Rights, block};
use crate::specs;
use crate::types::Ty;

/// What handlers, entry functions and the functions they call may do.
const ALL: Rights = Rights { act: true, receive: true, leave: true };
/// What may happen while a state is being left.
const IN_TRANSITION: Rights = Rights { act: true, receive: true, leave: false };

#[derive(Clone, Copy, Debug)]
enum Reaction {
    Do,
    Goto,
    Defer,
    Ignore,
    None,
}

impl Coder<'_> {
    pub(crate) fn machine(&mut self, at: usize) -> Vec<String> {
        let machine = &self.plan.machines[at];
        let mut lines: Vec<String> =
            machine.fields.iter().map(|(name, ty)| format!("var {name}: {ty};")).collect();
        for state in 0..machine.states.len() {
            lines.extend(self.state(at, state));
        }
        for function in &machine.functions {
            lines.extend(self.function(Owner::Machine(at), function));
        }
        let receives = machine.receives.as_ref().map(|events| format!(" receives {};", events.join(", ")));
        block(format!("machine {}{}", machine.name, receives.unwrap_or_default()), lines)
    }

    fn state(&mut self, at: usize, index: usize) -> Vec<String> {
        let machine = &self.plan.machines[at];
        let state = &machine.states[index];
        let mut lines = Vec::new();
        if index == 0 || state.parameter.is_some() || self.dice.chance(50) {
            lines.extend(self.entry(at, index));
        }
        if self.dice.chance(25) {
            lines.extend(self.exit(at));
        }
        let mut events = self.plan.events.clone();
        while let Some(mut event) = events.pop() {
            // Two events of one kind sometimes share a reaction.
            if let Some(other) = events.last()
                && other.payload == event.payload
                && self.dice.chance(15)
            {
                event.name = format!("{}, {}", event.name, other.name);
                events.pop();
            }
            lines.extend(self.reaction(at, &event));
        }
        if self.dice.chance(self.plan.habits.halts) {
            lines.extend(self.reaction(at, &EventPlan { name: "halt".into(), payload: None }));
        }
        if self.dice.chance(self.plan.habits.nulls) {
            lines.extend(self.null_reaction(at));
        }
        let start = if index == 0 { "start " } else { "" };
        block(format!("{start}state {}", state.name), lines)
    }

    /// A `halt` that comes while an exit function waits is a bug of its own.
    fn exit(&mut self, at: usize) -> Vec<String> {
        self.begin(Owner::Machine(at), IN_TRANSITION);
        let lines = self.body(|coder| {
            let waits = coder.dice.chance(2 * coder.plan.habits.receives);
            let mut lines = if waits { coder.receive(0) } else { Vec::new() };
            lines.extend(coder.statements(1));
            lines
        });
        block("exit", lines)
    }

    fn entry(&mut self, at: usize, index: usize) -> Vec<String> {
        let state: &StatePlan = &self.plan.machines[at].states[index];
        let fits = |function: &&FunctionPlan| {
            let takes = function.parameters.first().map(|(_, ty)| ty);
            function.kind == FunctionKind::Handler && takes == state.parameter.as_ref()
        };
        let named: Vec<_> = self.plan.machines[at].functions.iter().filter(fits).collect();
        if index > 0 && !named.is_empty() && self.dice.chance(30) {
            return vec![format!("entry {};", self.dice.pick(&named).name)];
        }
        self.begin(Owner::Machine(at), ALL);
        self.scope.may_return = true;
        let header = self.with_parameter("entry", state.parameter.as_ref());
        let lines = self.body(|coder| {
            let mut lines = Vec::new();
            match (at, index) {
                (0, 0) => lines.extend(coder.set_up()),
                (_, 0) => lines.extend(coder.meet_creator(at)),
                _ => {}
            }
            coder.scope.creations = usize::from(coder.dice.chance(25));
            lines.extend(coder.lively(coder.plan.size.depth));
            lines
        });
        block(header, lines)
    }

    /// The main machine creates the others.
    fn set_up(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for at in 1..self.plan.machines.len() {
            if at == 1 || self.dice.chance(60) {
                let (mut creation, target) = self.creation(at);
                if let Some(target) = target.filter(|_| self.dice.chance(75)) {
                    creation.push(self.send_to(&target));
                }
                if self.dice.chance(12) {
                    let counter = self.local(&Ty::Int, false);
                    let count = std::iter::once(format!("{counter} = {counter} + 1;"));
                    lines.extend(block(format!("while ({counter} < 2)"), count.chain(creation).collect()));
                } else {
                    lines.extend(creation);
                }
            }
        }
        lines
    }

    /// A machine keeps what it was created with, and may create its like with a smaller number.
    fn meet_creator(&mut self, at: usize) -> Vec<String> {
        let machine: &MachinePlan = &self.plan.machines[at];
        let (number, who) = match &machine.payload {
            Some(Ty::Machine) => (None, Some("x")),
            Some(Ty::Int) => (Some("x"), None),
            Some(Ty::Pair) => (Some("x.n"), Some("x.who")),
            Some(Ty::Tuple(_)) => (Some("x.0"), Some("x.1")),
            _ => (None, None),
        };
        let mut lines = Vec::new();
        lines.extend(who.filter(|_| self.dice.chance(85)).map(|who| format!("peer = {who};")));
        if let Some(number) = number.filter(|_| machine.starts_once && self.dice.chance(50)) {
            let arguments = match machine.payload {
                Some(Ty::Pair) => format!("(n = {number} - 1, who = this)"),
                Some(Ty::Tuple(_)) => format!("({number} - 1, this)"),
                _ => format!("{number} - 1"),
            };
            let new = format!("new {}({arguments});", machine.name);
            lines.extend(block(format!("if ({number} > 0)"), self.paid(|_| vec![new])));
        }
        lines
    }

    fn reaction(&mut self, at: usize, event: &EventPlan) -> Vec<String> {
        let gaps = self.plan.habits.gaps;
        let kind = self.dice.weighted(&[
            (50, Reaction::Do),
            (18, Reaction::Goto),
            (10, Reaction::Defer),
            (10, Reaction::Ignore),
            (gaps, Reaction::None),
        ]);
        let name = &event.name;
        match kind {
            Reaction::Do => self.handler(at, event),
            Reaction::Goto => self.transition(at, event),
            Reaction::Defer => vec![format!("defer {name};")],
            Reaction::Ignore => vec![format!("ignore {name};")],
            Reaction::None => Vec::new(),
        }
    }

    /// `on e do ..`, with a function of the machine or with code in place.
    fn handler(&mut self, at: usize, event: &EventPlan) -> Vec<String> {
        let name = &event.name;
        let fits = |function: &&FunctionPlan| {
            let takes = function.parameters.first().map(|(_, ty)| ty);
            function.kind == FunctionKind::Handler && (takes.is_none() || takes == event.payload.as_ref())
        };
        let named: Vec<_> = self.plan.machines[at].functions.iter().filter(fits).collect();
        if !named.is_empty() && self.dice.chance(50) {
            return vec![format!("on {name} do {};", self.dice.pick(&named).name)];
        }
        self.begin(Owner::Machine(at), ALL);
        self.scope.may_return = true;
        self.scope.creations = usize::from(self.dice.chance(10));
        let parameter = match &event.payload {
            Some(payload) => self.dice.chance(80).then(|| payload.clone()),
            // A parameter for a payload that never comes is allowed.
            None => self.dice.chance(self.plan.habits.risk).then(|| Ty::random(self.dice)),
        };
        let header = self.with_parameter(&format!("on {name} do"), parameter.as_ref());
        let depth = self.plan.size.depth;
        block(header, self.body(|coder| coder.lively(depth)))
    }

    /// Statements, mostly with something that others notice.
    fn lively(&mut self, depth: usize) -> Vec<String> {
        let mut lines = if self.dice.chance(80) { self.act(depth) } else { Vec::new() };
        lines.extend(self.statements(depth));
        lines
    }

    /// `on e goto T with ..`, to a state whose entry can take the payload.
    fn transition(&mut self, at: usize, event: &EventPlan) -> Vec<String> {
        let name = &event.name;
        let fits = |state: &&StatePlan| {
            state.parameter.is_none() || state.parameter.as_ref() == event.payload.as_ref()
        };
        let targets: Vec<_> = self.plan.targets(at).iter().filter(fits).collect();
        if targets.is_empty() {
            return self.handler(at, event);
        }
        let target = self.dice.pick(&targets).name.clone();
        if self.dice.chance(60) {
            return vec![format!("on {name} goto {target};")];
        }
        self.begin(Owner::Machine(at), IN_TRANSITION);
        let payload = event.payload.as_ref().filter(|_| self.dice.chance(60));
        let header = self.with_parameter(&format!("on {name} goto {target} with"), payload);
        block(header, self.body(|coder| coder.statements(1)))
    }

    fn null_reaction(&mut self, at: usize) -> Vec<String> {
        let null = EventPlan { name: "null".into(), payload: None };
        match self.dice.chance(60) {
            true => self.handler(at, &null),
            false => self.transition(at, &null),
        }
    }

    /// The header of a function in place, whose parameter, if any, is `x`.
    pub(crate) fn with_parameter(&mut self, header: &str, parameter: Option<&Ty>) -> String {
        match parameter {
            None => header.to_owned(),
            Some(ty) => {
                self.scope.add("x", ty.clone(), true);
                format!("{header} (x: {ty})")
            }
        }
    }

    /// A function with a name.
    pub(crate) fn function(&mut self, owner: Owner, function: &FunctionPlan) -> Vec<String> {
        let rights = match function.kind {
            FunctionKind::Handler if matches!(owner, Owner::Spec(_)) => specs::ALL,
            FunctionKind::Recursive if owner != Owner::Global => IN_TRANSITION,
            FunctionKind::Pure | FunctionKind::Recursive => Rights::default(),
            FunctionKind::Acting => IN_TRANSITION,
            FunctionKind::Handler => ALL,
        };
        self.begin(owner, rights);
        self.scope.may_return = function.result.is_none();
        self.scope.is_function = true;
        let counts_down = function.kind == FunctionKind::Recursive;
        for (at, (name, ty)) in function.parameters.iter().enumerate() {
            self.scope.add(name, ty.clone(), !(counts_down && at == 0));
        }
        let lines = self.body(|coder| coder.function_body(function));
        let parameters: Vec<String> =
            function.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let result = function.result.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
        block(format!("fun {}({}){result}", function.name, parameters.join(", ")), lines)
    }

    fn function_body(&mut self, function: &FunctionPlan) -> Vec<String> {
        let depth = self.plan.size.depth;
        let mut lines = Vec::new();
        let Some(result) = &function.result else { return self.statements(depth) };
        if function.kind == FunctionKind::Recursive {
            let end = format!("return {};", self.leaf(result));
            lines.extend(block("if (n <= 0)", vec![end]));
            let rest: Vec<String> =
                function.parameters[1..].iter().map(|(_, ty)| format!(", {}", self.leaf(ty))).collect();
            let again = self.local(result, true);
            lines.push(format!("{again} = {}(n - 1{});", function.name, rest.concat()));
        }
        lines.extend(self.statements(depth));
        lines.push(format!("return {};", self.expression(result, depth)));
        lines
    }
}
