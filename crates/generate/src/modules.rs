//! The whole program: declarations, machines, specs, and the modules and tests that put them together.

use crate::dice::Dice;
use crate::plan::Plan;
use crate::scope::{Coder, Owner, block};
use crate::types::Ty;

pub(crate) fn write(plan: &Plan, dice: &mut Dice) -> String {
    let mut coder = Coder::new(plan, dice);
    let mut lines = coder.declarations();
    for at in 0..plan.machines.len() {
        lines.extend(coder.machine(at));
    }
    for at in 0..plan.specs.len() {
        lines.extend(coder.spec(at));
    }
    for function in &plan.functions {
        lines.extend(coder.function(Owner::Global, function));
    }
    lines.extend(large_collections(coder.dice));
    for ty in std::mem::take(&mut coder.builders) {
        lines.extend(builder(&ty));
    }
    lines.extend(coder.tests());
    lines.push(String::new());
    lines.join("\n")
}

/// The function that makes a collection of two elements, or a map of one entry. It leaves out nulls that would be keys
/// or elements of sets: they are bugs, and statements show them often enough.
fn builder(ty: &Ty) -> Vec<String> {
    let name = ty.word();
    let add = |ty: &Ty, name: &str, line: &str| match ty.can_be_null() {
        true => format!("if ({name} != null) {{ {line} }}"),
        false => line.to_owned(),
    };
    let (parameters, mut lines) = match ty {
        Ty::Map(key, value) => (format!("a: {key}, b: {value}"), vec![add(key, "a", "made += (a, b);")]),
        Ty::Set(element) => (
            format!("a: {element}, b: {element}"),
            vec![add(element, "a", "made += (a);"), add(element, "b", "made += (b);")],
        ),
        Ty::Seq(element) => (
            format!("a: {element}, b: {element}"),
            vec!["made += (0, a);".into(), "made += (sizeof(made), b);".into()],
        ),
        _ => unreachable!("only collections are built"),
    };
    lines.insert(0, format!("var made: {ty};"));
    lines.push("return made;".into());
    block(format!("fun Make{name}({parameters}): {ty}"), lines)
}

/// A function that fills collections beyond the sizes that machines keep, takes some elements out again, and gives a
/// number that depends on the order of what is left.
fn large_collections(dice: &mut Dice) -> Vec<String> {
    let (rounds, step, modulus) = (dice.between(9, 14), dice.between(3, 8), dice.between(10, 17));
    let (gone, every) = (dice.between(1, 5), dice.between(2, 4));
    let fill = vec![
        format!("s += ((i * {step} + n) % {modulus});"),
        format!("m[(i * {step}) % {modulus}] = i;"),
        "q += (i / 2, i);".to_owned(),
    ];
    let take = vec![
        format!("s -= ((i * {gone}) % {modulus});"),
        format!("m -= ((i + {gone}) % {modulus});"),
        "q -= (i / 3);".to_owned(),
    ];
    let taken = block(format!("if (i % {every} == 1)"), take);
    let count = std::iter::once("i = i + 1;".to_owned());
    let mut lines: Vec<String> = ["s: set[int]", "m: map[int, int]", "q: seq[int]", "i: int", "sum: int"]
        .map(|local| format!("var {local};"))
        .into();
    lines
        .extend(block(format!("while (i < {rounds})"), fill.into_iter().chain(taken).chain(count).collect()));
    for (collection, item) in [("s", "i"), ("keys(m)", "m[i]"), ("q", "i")] {
        lines.extend(block(
            format!("foreach (i in {collection})"),
            vec![format!("sum = (sum * 3 + {item}) % 1009;")],
        ));
    }
    lines.push("return sum % 5;".into());
    block("fun Large(n: int): int", lines)
}

impl Coder<'_> {
    fn declarations(&mut self) -> Vec<String> {
        let colors = *self.dice.pick(&["Red, Green, Blue", "Red = 2, Green = 0, Blue = 7"]);
        let mut lines =
            vec![format!("enum Color {{ {colors} }}"), "type Pair = (n: int, who: machine);".to_owned()];
        for event in &self.plan.events {
            let payload = event.payload.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
            lines.push(format!("event {}{payload};", event.name));
        }
        if self.plan.has_knob {
            lines.push("param knob: int;".into());
        }
        if let Some(interface) = &self.plan.interface {
            let payload = self.plan.machines[interface.machine].payload.as_ref();
            let payload = payload.map(Ty::to_string).unwrap_or_default();
            let receives = interface.receives.join(", ");
            lines.push(format!("interface Narrow({payload}) receives {receives};"));
            if interface.is_renamed {
                lines.push(format!("interface Renamed({payload}) receives {receives};"));
            }
        }
        lines
    }

    fn tests(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let machines: Vec<String> = self.plan.machines.iter().map(|machine| machine.name.clone()).collect();
        let cut = self.dice.between(1, machines.len() - 1);
        let mut second = machines[cut..].to_vec();
        if let Some(interface) = &self.plan.interface {
            second.push(format!("M{} -> Narrow", interface.machine));
        }
        lines.push(format!("module Front = {{ {} }};", machines[..cut].join(", ")));
        lines.push(format!("module Back = {{ {} }};", second.join(", ")));
        let module = self.module();
        match self.plan.has_knob {
            true => lines.push(format!("test param (knob in [0, 2]) Check [main=Main]: {module};")),
            false => lines.push(format!("test Check [main=Main]: {module};")),
        }
        if self.dice.chance(10) {
            let rename = match &self.plan.interface {
                Some(interface) if interface.is_renamed => "rename Narrow to Renamed in ",
                _ => "",
            };
            lines.push(format!("test CheckAlone [main=Main]: ({rename}(union Front, Back));"));
        }
        lines
    }

    /// All machines, with every spec attached to all of them or to some.
    fn module(&mut self) -> String {
        let (mut front, mut back, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for spec in &self.plan.specs {
            let place = self.dice.weighted(&[(5, 0), (1, 1), (1, 2)]);
            [&mut whole, &mut front, &mut back][place].push(spec.name.clone());
        }
        let attach = |specs: &[String], module: &str| match specs.is_empty() {
            true => module.to_owned(),
            false => format!("(assert {} in {module})", specs.join(", ")),
        };
        let mut module = format!("(union {}, {})", attach(&front, "Front"), attach(&back, "Back"));
        if self.plan.interface.as_ref().is_some_and(|interface| interface.is_renamed) {
            module = format!("(rename Narrow to Renamed in {module})");
        }
        attach(&whole, &module)
    }
}
