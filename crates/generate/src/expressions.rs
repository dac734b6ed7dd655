//! Expressions of a wanted type.
//!
//! Every value that an expression gives comes from a bounded domain as long as all variables do: results of arithmetic
//! are taken modulo a small number, and text is never made from text that a variable holds. So whatever is stored in
//! fields stays in a bounded domain.

use crate::plan::{FunctionKind, FunctionPlan};
use crate::scope::{Coder, Owner};
use crate::types::Ty;

impl Coder<'_> {
    /// An expression of the type, nested at most so deep.
    pub(crate) fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.dice.chance(30) {
            return self.leaf(ty);
        }
        if let Some(special) = self.special(ty, depth) {
            return special;
        }
        match ty {
            Ty::Int => self.int(depth),
            Ty::Bool => self.bool(depth),
            Ty::Text => self.text(depth),
            Ty::Float => self.float(depth),
            Ty::Any => {
                let inner = self.simple_type();
                self.expression(&inner, depth - 1)
            }
            Ty::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| self.expression(item, depth - 1)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Pair => {
                let (n, who) =
                    (self.expression(&Ty::Int, depth - 1), self.expression(&Ty::Machine, depth - 1));
                format!("(n = {n}, who = {who})")
            }
            Ty::Seq(element) if self.dice.chance(30) => {
                self.map_part(element).unwrap_or_else(|| self.leaf(ty))
            }
            Ty::Seq(_) | Ty::Set(_) | Ty::Map(..) => self.built(ty, depth),
            Ty::Machine if self.plan.interface.is_some() && self.dice.chance(self.plan.habits.risk) => {
                self.variable(ty).map_or_else(|| self.leaf(ty), |name| format!("({name} to Narrow)"))
            }
            _ => self.leaf(ty),
        }
    }

    /// Now and then a call, a choice, something that may fail, or a new machine.
    fn special(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let habits = self.plan.habits;
        let mut found = None;
        if self.dice.chance(15) {
            found = self.call_for(ty, depth);
        }
        if found.is_none() && self.dice.chance(habits.choices) {
            found = self.choice(ty);
        }
        if found.is_none() && self.dice.chance(habits.risk) {
            found = self.risky(ty);
        }
        if found.is_none() && *ty == Ty::Machine && self.dice.chance(25) {
            found = self.new_expression();
        }
        found
    }

    /// A type without parts.
    pub(crate) fn simple_type(&mut self) -> Ty {
        self.dice.pick(&[Ty::Int, Ty::Int, Ty::Bool, Ty::Text, Ty::Color, Ty::Machine]).clone()
    }

    /// A variable, a part of one, or a constant.
    pub(crate) fn leaf(&mut self, ty: &Ty) -> String {
        let places = self.places(ty);
        if !places.is_empty() && self.dice.chance(75) {
            return self.dice.pick(&places).clone();
        }
        self.constant(ty)
    }

    /// Variables and parts of variables that have the type.
    pub(crate) fn places(&self, ty: &Ty) -> Vec<String> {
        let mut found = Vec::new();
        for variable in &self.scope.variables {
            places_in(&variable.name, &variable.ty, ty, &mut found);
        }
        found
    }

    fn variable(&mut self, ty: &Ty) -> Option<String> {
        let variables: Vec<_> = self.scope.variables.iter().filter(|variable| variable.ty == *ty).collect();
        (!variables.is_empty()).then(|| self.dice.pick(&variables).name.clone())
    }

    fn constant(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int => self.dice.below(4).to_string(),
            Ty::Bool => self.dice.pick(&["true", "false"]).to_string(),
            Ty::Text => self.dice.pick(&["\"\"", "\"a\"", "\"b {{c}}\""]).to_string(),
            Ty::Float => self.dice.pick(&["0.5", "1.0", "2.25"]).to_string(),
            Ty::Color => self.dice.pick(&["Red", "Green", "Blue"]).to_string(),
            Ty::Event => {
                let events = self.plan.int_events();
                self.dice.pick(&events).name.clone()
            }
            Ty::Machine if matches!(self.scope.owner, Owner::Machine(_)) => "this".into(),
            Ty::Any => {
                let inner = self.simple_type();
                self.constant(&inner)
            }
            Ty::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| self.leaf(item)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Pair => format!("(n = {}, who = {})", self.leaf(&Ty::Int), self.leaf(&Ty::Machine)),
            Ty::Seq(_) | Ty::Set(_) | Ty::Map(..) if self.dice.chance(60) => self.built(ty, 1),
            _ => format!("default({ty})"),
        }
    }

    /// A call of the function that makes such a collection.
    fn built(&mut self, ty: &Ty, depth: usize) -> String {
        if !self.builders.contains(ty) {
            self.builders.push(ty.clone());
        }
        let arguments = match ty {
            Ty::Map(key, value) => vec![key, value],
            Ty::Seq(element) | Ty::Set(element) => vec![element, element],
            _ => Vec::new(),
        };
        let arguments: Vec<String> =
            arguments.iter().map(|argument| self.expression(argument, depth.saturating_sub(1))).collect();
        format!("Make{}({})", ty.word(), arguments.join(", "))
    }

    /// `keys(..)` or `values(..)` of some map.
    fn map_part(&mut self, element: &Ty) -> Option<String> {
        let mut found = Vec::new();
        for variable in &self.scope.variables {
            if let Ty::Map(key, value) = &variable.ty {
                if **key == *element {
                    found.push(format!("keys({})", variable.name));
                }
                if **value == *element {
                    found.push(format!("values({})", variable.name));
                }
            }
        }
        (!found.is_empty()).then(|| self.dice.pick(&found).clone())
    }

    fn call_for(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let functions: Vec<FunctionPlan> =
            self.callable().into_iter().filter(|function| function.result.as_ref() == Some(ty)).collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.dice.pick(&functions).clone();
        Some(self.call(&function, depth))
    }

    /// A call with arguments. The first argument of a function that counts down is small.
    pub(crate) fn call(&mut self, function: &FunctionPlan, depth: usize) -> String {
        let mut arguments = Vec::new();
        for (at, (_, ty)) in function.parameters.iter().enumerate() {
            let counts_down = at == 0 && function.kind == FunctionKind::Recursive;
            arguments.push(match counts_down {
                true => self.dice.below(3).to_string(),
                false => self.expression(ty, depth.saturating_sub(1)),
            });
        }
        format!("{}({})", function.name, arguments.join(", "))
    }

    /// A nondeterministic value.
    fn choice(&mut self, ty: &Ty) -> Option<String> {
        if !self.scope.rights.act {
            return None;
        }
        let mut found: Vec<String> = Vec::new();
        match ty {
            Ty::Bool => found.extend(["$", "$$", "choose()"].map(str::to_owned)),
            Ty::Int => found.extend(["choose(2)", "choose(3)"].map(str::to_owned)),
            _ => {}
        }
        if matches!(ty, Ty::Int | Ty::Bool | Ty::Machine) {
            let boxed = || Box::new(ty.clone());
            let collection = self.dice.pick(&[Ty::Seq(boxed()), Ty::Set(boxed())]).clone();
            found.push(format!("choose({})", self.built(&collection, 1)));
        }
        if found.is_empty() {
            return None;
        }
        Some(self.dice.pick(&found).clone())
    }

    /// Something that fails for some values of its parts.
    fn risky(&mut self, ty: &Ty) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        for variable in &self.scope.variables {
            let name = &variable.name;
            match &variable.ty {
                Ty::Seq(element) if **element == *ty => found.push(format!("{name}[0]")),
                Ty::Set(element) if **element == *ty => found.push(format!("{name}[0]")),
                Ty::Map(key, value) if **value == *ty && **key == Ty::Int => {
                    found.push(format!("{name}[1]"));
                }
                Ty::Any => found.push(format!("({name} as {ty})")),
                _ => {}
            }
            if self.scope.rights.act && variable.ty.element() == Some(ty) {
                found.push(format!("choose({name})"));
            }
        }
        match ty {
            Ty::Int => {
                let (a, b) = (self.leaf(&Ty::Int), self.leaf(&Ty::Int));
                found.push(format!("(({a} / {b}) % 5)"));
                found.push(format!("({a} % {b})"));
            }
            Ty::Machine => found.push("default(machine)".into()),
            _ => {}
        }
        (!found.is_empty()).then(|| self.dice.pick(&found).clone())
    }

    fn int(&mut self, depth: usize) -> String {
        if self.scope.owner != Owner::Global && self.dice.chance(3) {
            return format!("Large({})", self.leaf(&Ty::Int));
        }
        match self.dice.below(10) {
            0 => format!("({} to int)", self.expression(&Ty::Color, depth - 1)),
            1 => format!("(({} to int) % 4)", self.expression(&Ty::Float, depth - 1)),
            2..=3 => {
                let ty = Ty::random_composite(self.dice);
                match ty.element() {
                    Some(_) => format!("sizeof({})", self.expression(&ty, depth - 1)),
                    None => self.leaf(&Ty::Int),
                }
            }
            4 => format!("(-{})", self.leaf(&Ty::Int)),
            _ => {
                let modulus = self.dice.between(2, 5);
                format!("({} % {modulus})", self.arithmetic(depth))
            }
        }
    }

    /// An integer of any size.
    fn arithmetic(&mut self, depth: usize) -> String {
        let (a, b) = (self.expression(&Ty::Int, depth - 1), self.expression(&Ty::Int, depth - 1));
        match self.dice.below(10) {
            0..=3 => format!("({a} + {b})"),
            4..=5 => format!("({a} - {b})"),
            6..=7 => format!("({a} * {b})"),
            8 => format!("({a} / {})", self.dice.between(1, 3)),
            _ => format!("(2147483647 * 2147483647 * ({a} + 4) + {b})"),
        }
    }

    pub(crate) fn bool(&mut self, depth: usize) -> String {
        match self.dice.below(12) {
            0..=3 => {
                let (a, b) = (self.expression(&Ty::Int, depth - 1), self.expression(&Ty::Int, depth - 1));
                let operator = self.dice.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({a} {operator} {b})")
            }
            4 => format!("(!{})", self.expression(&Ty::Bool, depth - 1)),
            5..=7 => {
                let (a, b) = (self.expression(&Ty::Bool, depth - 1), self.expression(&Ty::Bool, depth - 1));
                let operator = self.dice.pick(&["&&", "||", "&&", "||", "==>", "<==>"]);
                format!("({a} {operator} {b})")
            }
            8 => {
                let (a, b) = (self.expression(&Ty::Text, depth - 1), self.expression(&Ty::Text, depth - 1));
                let operator = self.dice.pick(&["<", ">=", "=="]);
                format!("({a} {operator} {b})")
            }
            9 => {
                let ty = Ty::random_composite(self.dice);
                match ty.element().cloned() {
                    Some(element) => {
                        let item = self.expression(&element, depth - 1);
                        format!("({item} in {})", self.expression(&ty, depth - 1))
                    }
                    None => self.equality(&ty, depth),
                }
            }
            _ => {
                let ty = Ty::random(self.dice);
                self.equality(&ty, depth)
            }
        }
    }

    /// Where types have parts that can be of several types, one side is a variable of exactly the type.
    fn equality(&mut self, ty: &Ty, depth: usize) -> String {
        let left = match ty.is_exact() {
            true => Some(self.expression(ty, depth - 1)),
            false => self.variable(ty),
        };
        let Some(a) = left else { return self.equality(&Ty::Int, depth) };
        let b = self.expression(ty, depth - 1);
        let operator = self.dice.pick(&["==", "!="]);
        format!("({a} {operator} {b})")
    }

    fn text(&mut self, depth: usize) -> String {
        let ty = Ty::random(self.dice);
        if !ty.has_stable_text() || ty == Ty::Text {
            return self.leaf(&Ty::Text);
        }
        let shown = self.expression(&ty, depth - 1);
        match self.dice.below(3) {
            0 => format!("format(\"<{{0}}>\", {shown})"),
            1 => format!("format(\"{{1}}{{0}}\", {}, {shown})", self.dice.below(3)),
            _ => format!("(\"t\" + format(\"{{0}}\", {shown}))"),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let number = self.expression(&Ty::Int, depth - 1);
        match self.dice.below(3) {
            0 => format!("({number} to float)"),
            1 => format!("(({number} to float) / 4.0)"),
            _ => format!("(0.5 - ({number} to float) * 1.5)"),
        }
    }
}

/// The places of type `wanted` in a variable or part of type `ty`.
fn places_in(name: &str, ty: &Ty, wanted: &Ty, found: &mut Vec<String>) {
    if ty == wanted || matches!((ty, wanted), (Ty::Reference(_), Ty::Machine)) {
        found.push(name.to_owned());
    }
    match ty {
        Ty::Tuple(items) => {
            for (at, item) in items.iter().enumerate() {
                places_in(&format!("{name}.{at}"), item, wanted, found);
            }
        }
        Ty::Pair => {
            places_in(&format!("{name}.n"), &Ty::Int, wanted, found);
            places_in(&format!("{name}.who"), &Ty::Machine, wanted, found);
        }
        _ => {}
    }
}
