//! The printer: names, and references to declarations.

mod code;
mod declarations;
mod types;

use super::words::is_bare;
use crate::ids::{EventId, EventSet, FunctionId, InterfaceId, MachineId, StateId};
use crate::ir::Program;
use crate::names::Name;
use crate::types::TypeId;
use rapidhash::RapidHashSet;
use std::fmt::Write;
use types::TypeTexts;

/// The whole program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.program();
    printer.out
}

/// One function, as in the text of the whole program. Long types show their numbers only.
pub fn print_function(program: &Program, function: FunctionId) -> String {
    let mut printer = Printer::new(program);
    if let Some(function) = program.functions.get(function.index()) {
        printer.function(function);
    }
    printer.out
}

/// One instruction, as in the text of the whole program; empty if there is none.
pub fn print_instruction(program: &Program, function: FunctionId, at: usize) -> String {
    let mut printer = Printer::new(program);
    if let Some(function) = program.functions.get(function.index()) {
        printer.instruction_at(function, at);
    }
    printer.out
}

/// A function's name, as in the text of the whole program.
pub fn print_function_name(program: &Program, function: FunctionId) -> String {
    let mut printer = Printer::new(program);
    printer.function_reference(function);
    printer.out
}

/// The names that several declarations of one kind have; those are referred to by index.
#[derive(Debug)]
struct Duplicates<'p> {
    events: RapidHashSet<&'p str>,
    enums: RapidHashSet<&'p str>,
    permissions: RapidHashSet<&'p str>,
    parameters: RapidHashSet<&'p str>,
    interfaces: RapidHashSet<&'p str>,
    machines: RapidHashSet<&'p str>,
    functions: RapidHashSet<&'p str>,
    /// For each machine.
    fields: Vec<RapidHashSet<&'p str>>,
    states: Vec<RapidHashSet<&'p str>>,
}

impl<'p> Duplicates<'p> {
    fn new(program: &'p Program) -> Self {
        let machines = &program.machines;
        Self {
            events: duplicates(program, program.events.iter().map(|event| event.name)),
            enums: duplicates(program, program.enums.iter().map(|declared| declared.name)),
            permissions: duplicates(
                program,
                program.types.permissions().iter().map(|permission| permission.name),
            ),
            parameters: duplicates(program, program.parameters.iter().map(|parameter| parameter.name)),
            interfaces: duplicates(program, program.interfaces.iter().map(|interface| interface.name)),
            machines: duplicates(program, machines.iter().map(|machine| machine.name)),
            functions: duplicates(program, program.functions.iter().map(|function| function.name)),
            fields: machines
                .iter()
                .map(|m| duplicates(program, m.fields.iter().map(|field| field.name)))
                .collect(),
            states: machines
                .iter()
                .map(|m| duplicates(program, m.states.iter().map(|state| state.name)))
                .collect(),
        }
    }
}

fn duplicates(program: &Program, names: impl Iterator<Item = Name>) -> RapidHashSet<&str> {
    let mut seen = RapidHashSet::default();
    names.filter_map(|name| text(program, name)).filter(|name| !seen.insert(*name)).collect()
}

/// The text of a name, unless its index lies outside the table.
fn text(program: &Program, name: Name) -> Option<&str> {
    ((name.0 as usize) < program.names.len()).then(|| program.names.text(name))
}

fn push_name(out: &mut String, program: &Program, name: Name) {
    match text(program, name) {
        Some(name) if is_bare(name) => out.push_str(name),
        Some(name) => push_quoted(out, '\'', name),
        None => _ = write!(out, "?{}", name.0),
    }
}

/// A declaration by its name, or by its index if the name does not tell it from others.
fn push_reference(
    out: &mut String,
    program: &Program,
    duplicates: &RapidHashSet<&str>,
    index: u32,
    name: Option<Name>,
) {
    let text = name.and_then(|name| text(program, name));
    match (name, text) {
        (Some(name), Some(text)) if !duplicates.contains(text) => push_name(out, program, name),
        _ => _ = write!(out, "#{index}"),
    }
}

fn push_quoted(out: &mut String, quote: char, text: &str) {
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if character == quote => out.extend(['\\', quote]),
            _ if character.is_control() => _ = write!(out, "\\u{{{:x}}}", character as u32),
            _ => out.push(character),
        }
    }
    out.push(quote);
}

#[derive(Debug)]
struct Printer<'p> {
    program: &'p Program,
    out: String,
    types: TypeTexts,
    duplicates: Duplicates<'p>,
    /// Every event but `null`.
    all_events: EventSet,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        let duplicates = Duplicates::new(program);
        let types = TypeTexts::new(program, &duplicates);
        let all_events = EventSet::all(program.events.len());
        Self { program, out: String::new(), types, duplicates, all_events }
    }
}

/// References and other parts of lines.
impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: Name) {
        push_name(&mut self.out, self.program, name);
    }

    fn ty(&mut self, ty: TypeId) {
        self.types.push(&mut self.out, ty);
    }

    /// The type of a declaration, to the end of its line.
    fn typed(&mut self, ty: TypeId) {
        self.text(": ");
        self.ty(ty);
        self.text("\n");
    }

    /// The built-in events are the only ones that may be called like words of the form.
    fn event_name(&mut self, name: Name) {
        match name {
            Name::NULL => self.text("null"),
            Name::HALT => self.text("halt"),
            _ => self.name(name),
        }
    }

    fn event(&mut self, event: EventId) {
        let name = self.program.events.get(event.index()).map(|event| event.name);
        match name {
            Some(name @ (Name::NULL | Name::HALT))
                if !self.duplicates.events.contains(self.program.name(name)) =>
            {
                self.event_name(name);
            }
            _ => push_reference(&mut self.out, self.program, &self.duplicates.events, event.0, name),
        }
    }

    fn event_set(&mut self, events: &EventSet) {
        if !events.is_empty() && *events == self.all_events {
            return self.text("all");
        }
        self.text("{");
        for (at, event) in events.iter().enumerate() {
            self.text(if at == 0 { " " } else { ", " });
            self.event(event);
        }
        self.text(if events.is_empty() { "}" } else { " }" });
    }

    fn interface(&mut self, interface: InterfaceId) {
        let name = self.program.interfaces.get(interface.index()).map(|interface| interface.name);
        push_reference(&mut self.out, self.program, &self.duplicates.interfaces, interface.0, name);
    }

    fn interfaces(&mut self, word: &str, interfaces: &[InterfaceId]) {
        for (at, interface) in interfaces.iter().enumerate() {
            self.text(if at == 0 { word } else { ", " });
            self.interface(*interface);
        }
    }

    fn machine_reference(&mut self, machine: MachineId) {
        let name = self.program.machines.get(machine.index()).map(|machine| machine.name);
        push_reference(&mut self.out, self.program, &self.duplicates.machines, machine.0, name);
    }

    fn function_reference(&mut self, function: FunctionId) {
        let name = self.program.functions.get(function.index()).map(|function| function.name);
        push_reference(&mut self.out, self.program, &self.duplicates.functions, function.0, name);
    }

    fn state_reference(&mut self, machine: Option<MachineId>, state: StateId) {
        let machine = machine.map(MachineId::index).filter(|machine| *machine < self.program.machines.len());
        let name = machine.and_then(|machine| self.program.machines[machine].states.get(state.index()));
        match (machine, name) {
            (Some(machine), Some(found)) => {
                let duplicates = &self.duplicates.states[machine];
                push_reference(&mut self.out, self.program, duplicates, state.0, Some(found.name));
            }
            _ => _ = write!(self.out, "#{}", state.0),
        }
    }
}
