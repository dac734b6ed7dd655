//! Specs: what they observe, and when they are content.

use crate::plan::{EventPlan, SpecPlan, StatePlan};
use crate::scope::{Coder, Owner, Rights, block};

/// What code of specs may do.
pub(crate) const ALL: Rights = Rights { act: false, receive: false, leave: true };

#[derive(Clone, Copy, Debug)]
enum Reaction {
    Do,
    Goto,
    Ignore,
    None,
}

impl Coder<'_> {
    pub(crate) fn spec(&mut self, at: usize) -> Vec<String> {
        let spec: &SpecPlan = &self.plan.specs[at];
        let mut lines: Vec<String> =
            spec.fields.iter().map(|(name, ty)| format!("var {name}: {ty};")).collect();
        for state in 0..spec.states.len() {
            lines.extend(self.spec_state(at, state));
        }
        for function in &spec.functions {
            lines.extend(self.function(Owner::Spec(at), function));
        }
        let observes: Vec<&str> =
            spec.observes.iter().map(|event| self.plan.events[*event].name.as_str()).collect();
        block(format!("spec {} observes {}", spec.name, observes.join(", ")), lines)
    }

    fn spec_state(&mut self, at: usize, index: usize) -> Vec<String> {
        let spec: &SpecPlan = &self.plan.specs[at];
        let state: &StatePlan = &spec.states[index];
        let mut lines = Vec::new();
        if state.parameter.is_some() || self.dice.chance(30) {
            self.begin(Owner::Spec(at), ALL);
            let header = self.with_parameter("entry", state.parameter.as_ref());
            lines.extend(block(header, self.body(|coder| coder.statements(1))));
        }
        if self.dice.chance(15) {
            self.begin(Owner::Spec(at), Rights::default());
            lines.extend(block("exit", self.body(|coder| coder.statements(1))));
        }
        for event in &spec.observes {
            lines.extend(self.spec_reaction(at, &self.plan.events[*event]));
        }
        let start = if index == 0 { "start " } else { "" };
        let temperature = self.dice.weighted(&[(6, ""), (2, "hot "), (2, "cold ")]);
        block(format!("{start}{temperature}state {}", state.name), lines)
    }

    fn spec_reaction(&mut self, at: usize, event: &EventPlan) -> Vec<String> {
        let name = &event.name;
        let gaps = self.plan.habits.gaps;
        let kind = self.dice.weighted(&[
            (50, Reaction::Do),
            (30, Reaction::Goto),
            (15, Reaction::Ignore),
            (gaps / 2, Reaction::None),
        ]);
        let states = &self.plan.specs[at].states;
        let fits = |state: &&StatePlan| state.parameter.is_none() || state.parameter == event.payload;
        let targets: Vec<&StatePlan> = states.iter().filter(fits).collect();
        match kind {
            Reaction::Ignore => vec![format!("ignore {name};")],
            Reaction::None => Vec::new(),
            Reaction::Goto if !targets.is_empty() => {
                let target = &self.dice.pick(&targets).name;
                if self.dice.chance(75) {
                    return vec![format!("on {name} goto {target};")];
                }
                self.begin(Owner::Spec(at), Rights::default());
                let header =
                    self.with_parameter(&format!("on {name} goto {target} with"), event.payload.as_ref());
                block(header, self.body(|coder| coder.statements(1)))
            }
            Reaction::Do | Reaction::Goto => {
                self.begin(Owner::Spec(at), ALL);
                self.scope.may_return = true;
                let header = self.with_parameter(&format!("on {name} do"), event.payload.as_ref());
                block(header, self.body(|coder| coder.statements(1)))
            }
        }
    }
}
