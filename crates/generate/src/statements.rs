//! Statements that compute: assignments, collections, branches, loops, assertions.
//!
//! A statement is a list of lines; a block opens at the end of a line and closes on a line of its own, which is what
//! [`shrink`](crate::shrink) relies on. Loops end: they count, or walk over a collection.

use crate::scope::{Coder, Owner, block};
use crate::types::Ty;

/// Collections do not grow beyond this.
const MOST_ELEMENTS: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Assign,
    Collection,
    If,
    While,
    Foreach,
    Assert,
    Print,
    Call,
    Return,
    Act,
}

impl Coder<'_> {
    /// Some statements.
    pub(crate) fn statements(&mut self, depth: usize) -> Vec<String> {
        let count = self.dice.between(1, self.plan.size.statements.max(1));
        (0..count).flat_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Vec<String> {
        let nested = usize::from(depth > 0);
        let acts = usize::from(self.scope.rights.act || self.scope.rights.leave);
        let kind = self.dice.weighted(&[
            (26, Kind::Assign),
            (10, Kind::Collection),
            (12 * nested, Kind::If),
            (4 * nested, Kind::While),
            (4 * nested, Kind::Foreach),
            (6, Kind::Assert),
            (2, Kind::Print),
            (5, Kind::Call),
            (usize::from(self.scope.may_return && nested == 0), Kind::Return),
            (50 * acts, Kind::Act),
        ]);
        match kind {
            Kind::Assign => self.assignment(),
            Kind::Collection => self.change_of_collection(),
            Kind::If => self.branch(depth),
            Kind::While => self.counting_loop(depth),
            Kind::Foreach => self.foreach(depth),
            Kind::Assert => self.assertion(),
            Kind::Print => vec![format!("print format(\"{{0}}\", {});", self.leaf(&Ty::Int))],
            Kind::Call => self.call_statement(),
            Kind::Return => vec!["return;".into()],
            Kind::Act => self.act(depth),
        }
    }

    fn writable(&mut self) -> Option<(String, Ty)> {
        let variables: Vec<_> = self.scope.variables.iter().filter(|variable| variable.is_writable).collect();
        if variables.is_empty() {
            return None;
        }
        let variable = self.dice.pick(&variables);
        Some((variable.name.clone(), variable.ty.clone()))
    }

    /// A variable, or a part of it that can be changed, gets a value.
    fn assignment(&mut self) -> Vec<String> {
        let Some((name, ty)) = self.writable() else { return Vec::new() };
        let depth = self.plan.size.depth;
        if let Ty::Reference(_) = ty {
            return Vec::new();
        }
        if self.dice.chance(40) {
            match &ty {
                Ty::Tuple(items) => {
                    let at = self.dice.below(items.len());
                    return vec![format!("{name}.{at} = {};", self.expression(&items[at], depth))];
                }
                Ty::Pair if self.dice.chance(50) => {
                    return vec![format!("{name}.n = {};", self.expression(&Ty::Int, depth))];
                }
                Ty::Pair => return vec![format!("{name}.who = {};", self.expression(&Ty::Machine, depth))],
                _ => {}
            }
        }
        let value = self.expression(&ty, depth);
        if value == name { Vec::new() } else { vec![format!("{name} = {value};")] }
    }

    fn change_of_collection(&mut self) -> Vec<String> {
        let variables: Vec<_> = self
            .scope
            .variables
            .iter()
            .filter(|variable| variable.is_writable)
            .flat_map(|variable| match &variable.ty {
                Ty::Tuple(items) => items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| (format!("{}.{at}", variable.name), item.clone()))
                    .collect(),
                ty => vec![(variable.name.clone(), ty.clone())],
            })
            .filter(|(_, ty)| ty.element().is_some())
            .collect();
        if variables.is_empty() {
            return self.assignment();
        }
        let (name, ty) = self.dice.pick(&variables).clone();
        match ty {
            Ty::Seq(element) => self.change_of_seq(&name, &element),
            Ty::Set(element) => self.change_of_set(&name, &element),
            Ty::Map(key, value) if value.element().is_some() && self.dice.chance(50) => {
                self.change_inside_map(&name, &key)
            }
            Ty::Map(key, value) => self.change_of_map(&name, &key, &value),
            _ => Vec::new(),
        }
    }

    /// A change of a sequence that is the value of some key.
    fn change_inside_map(&mut self, name: &str, key: &Ty) -> Vec<String> {
        let key = self.leaf(key);
        let inner = self.change_of_seq(&format!("{name}[{key}]"), &Ty::Int);
        match self.dice.chance(self.plan.habits.risk) {
            true => inner,
            false => block(format!("if ({key} in {name})"), inner),
        }
    }

    fn change_of_seq(&mut self, name: &str, element: &Ty) -> Vec<String> {
        let depth = self.plan.size.depth;
        let is_risky = self.dice.chance(self.plan.habits.risk);
        let full = format!("if (sizeof({name}) < {MOST_ELEMENTS})");
        let empty = format!("if (sizeof({name}) > 0)");
        match self.dice.below(4) {
            0 if is_risky => vec![format!("{name} -= ({});", self.leaf(&Ty::Int))],
            0 => block(empty, vec![format!("{name} -= (0);")]),
            1 if is_risky => vec![format!("{name}[1] = {};", self.expression(element, depth))],
            1 => block(empty, vec![format!("{name}[0] = {};", self.expression(element, depth))]),
            2 => block(full, vec![format!("{name} += (0, {});", self.expression(element, depth))]),
            _ => {
                let value = self.expression(element, depth);
                block(full, vec![format!("{name} += (sizeof({name}), {value});")])
            }
        }
    }

    fn change_of_set(&mut self, name: &str, element: &Ty) -> Vec<String> {
        let value = self.expression(element, self.plan.size.depth);
        match self.dice.below(3) {
            0 => vec![format!("{name} -= ({value});")],
            _ => {
                block(format!("if (sizeof({name}) < {MOST_ELEMENTS})"), vec![format!("{name} += ({value});")])
            }
        }
    }

    fn change_of_map(&mut self, name: &str, key: &Ty, value: &Ty) -> Vec<String> {
        let depth = self.plan.size.depth;
        let key = self.expression(key, depth);
        if self.dice.chance(30) {
            return vec![format!("{name} -= ({key});")];
        }
        let value = self.expression(value, depth);
        let change = match self.dice.chance(self.plan.habits.risk) {
            true => format!("{name} += ({key}, {value});"),
            false => format!("{name}[{key}] = {value};"),
        };
        block(format!("if (sizeof({name}) < {MOST_ELEMENTS})"), vec![change])
    }

    fn branch(&mut self, depth: usize) -> Vec<String> {
        let condition = self.condition();
        let mut lines = block(format!("if ({condition})"), self.statements(depth - 1));
        if self.dice.chance(35) {
            lines.extend(block("else", self.statements(depth - 1)));
        }
        lines
    }

    /// Something that is not always the same.
    fn condition(&mut self) -> String {
        let condition = self.expression(&Ty::Bool, self.plan.size.depth);
        match condition.as_str() {
            "true" | "false" => self.bool(1),
            _ => condition,
        }
    }

    /// A loop that counts in a variable of its own, first thing in each round, so that `continue` does no harm.
    fn counting_loop(&mut self, depth: usize) -> Vec<String> {
        let counter = self.local(&Ty::Int, false);
        let bound = self.dice.between(1, 2);
        let mut lines = vec![format!("{counter} = {counter} + 1;")];
        lines.extend(self.loop_body(depth));
        let mut whole = vec![format!("{counter} = 0;")];
        whole.extend(block(format!("while ({counter} < {bound})"), lines));
        whole
    }

    fn foreach(&mut self, depth: usize) -> Vec<String> {
        let ty = Ty::random_composite(self.dice);
        let (element, collection) = match &ty {
            Ty::Seq(element) | Ty::Set(element) => {
                ((**element).clone(), self.expression(&ty, self.plan.size.depth))
            }
            Ty::Map(key, _) => {
                ((**key).clone(), format!("keys({})", self.expression(&ty, self.plan.size.depth)))
            }
            _ => return self.counting_loop(depth),
        };
        let is_writable = self.dice.chance(30);
        let item = self.local(&element, is_writable);
        let lines = self.loop_body(depth);
        block(format!("foreach ({item} in {collection})"), lines)
    }

    fn loop_body(&mut self, depth: usize) -> Vec<String> {
        let mut lines = self.statements(depth - 1);
        if self.dice.chance(30) {
            let condition = self.condition();
            let leave = self.dice.pick(&["break;", "continue;"]).to_string();
            lines.extend(block(format!("if ({condition})"), vec![leave]));
            lines.extend(self.assignment());
        }
        lines
    }

    /// Mostly true.
    fn assertion(&mut self) -> Vec<String> {
        let condition = match self.dice.chance(self.plan.habits.risk) {
            true => self.expression(&Ty::Bool, self.plan.size.depth),
            false => {
                let number = self.expression(&Ty::Int, self.plan.size.depth);
                let bound = self.dice.pick(&["> -9", "< 9"]);
                format!("{number} {bound}")
            }
        };
        match self.dice.chance(40) {
            true => vec![format!("assert {condition}, \"not so\";")],
            false => vec![format!("assert {condition};")],
        }
    }

    /// A call whose result, if any, is dropped or stored.
    fn call_statement(&mut self) -> Vec<String> {
        let functions = self.callable();
        if functions.is_empty() {
            return self.assignment();
        }
        let function = self.dice.pick(&functions).clone();
        let call = self.call(&function, self.plan.size.depth);
        let Some(result) = &function.result else { return vec![format!("{call};")] };
        if self.dice.chance(50) || matches!(self.scope.owner, Owner::Spec(_)) {
            let target = self.local(result, true);
            return vec![format!("{target} = {call};")];
        }
        vec![format!("{call};")]
    }
}
