//! The printer of declarations.

use super::{Printer, push_quoted};
use crate::ids::{EventId, InterfaceId, MachineId};
use crate::ir::text::words::is_bare;
use crate::ir::{Function, Handler, Machine, State, Test, TestKind};
use crate::syntax::tree::{MachineKind, Temperature};
use crate::types::{Origin, Permission, TypeId};
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn program(&mut self) {
        let program = self.program;
        self.enums();
        for (number, text) in self.types.long.iter().enumerate() {
            _ = writeln!(self.out, "type ${number} = {text}");
        }
        for parameter in &program.parameters {
            self.text("param ");
            self.name(parameter.name);
            self.typed(parameter.ty);
        }
        program.types.permissions().iter().for_each(|permission| self.permission(permission));
        self.events();
        for interface in &program.interfaces {
            self.text("interface ");
            self.name(interface.name);
            self.text("(");
            self.ty(interface.payload);
            self.text(") receives ");
            self.event_set(&interface.receives);
            self.text("\n");
        }
        program
            .machines
            .iter()
            .enumerate()
            .for_each(|(at, machine)| self.machine(MachineId(at as u32), machine));
        for function in &program.functions {
            self.text("\n");
            self.function(function);
        }
        program.tests.iter().for_each(|test| self.test(test));
    }

    fn enums(&mut self) {
        for declared in &self.program.enums {
            self.text("enum ");
            self.name(declared.name);
            self.text(" {");
            for (at, element) in declared.elements.iter().enumerate() {
                self.text(if at == 0 { " " } else { ", " });
                self.name(element.name);
                _ = write!(self.out, " = {}", element.value);
            }
            self.text(" }\n");
        }
    }

    fn permission(&mut self, permission: &Permission) {
        self.text("permission ");
        self.name(permission.name);
        self.text(": ");
        match permission.origin {
            Origin::Interface(interface) => {
                self.text("interface ");
                self.interface(interface);
            }
            Origin::Spec(machine) => {
                self.text("spec ");
                self.machine_reference(machine);
            }
            Origin::EventSet => self.text("eventset"),
            Origin::Event(event) => {
                self.text("event ");
                self.event(event);
            }
        }
        self.text(" ");
        self.event_set(&permission.events);
        self.text("\n");
    }

    fn events(&mut self) {
        for event in &self.program.events {
            self.text("event ");
            self.event_name(event.name);
            match event.payload {
                TypeId::NULL => self.text("\n"),
                payload => self.typed(payload),
            }
        }
    }

    fn machine(&mut self, id: MachineId, machine: &Machine) {
        self.text(match machine.kind {
            MachineKind::Machine => "\nmachine ",
            MachineKind::Spec => "\nspec ",
            MachineKind::Scenario => "\nscenario ",
        });
        self.name(machine.name);
        self.text(" {\n  start ");
        self.state_reference(Some(id), machine.start);
        for (word, set) in
            [("receives", &machine.receives), ("sends", &machine.sends), ("observes", &machine.observes)]
        {
            if !set.is_empty() {
                _ = write!(self.out, "\n  {word} ");
                self.event_set(set);
            }
        }
        self.interfaces("\n  creates ", &machine.creates);
        self.text("\n");
        for field in &machine.fields {
            self.text("  var ");
            self.name(field.name);
            self.typed(field.ty);
        }
        machine.states.iter().for_each(|state| self.state(id, state));
        self.text("}\n");
    }

    fn state(&mut self, machine: MachineId, state: &State) {
        self.text(match state.temperature {
            Temperature::Hot => "  hot state ",
            Temperature::Warm => "  state ",
            Temperature::Cold => "  cold state ",
        });
        self.name(state.name);
        self.text(" {\n");
        for (word, function) in [("entry", state.entry), ("exit", state.exit)] {
            if let Some(function) = function {
                _ = write!(self.out, "    {word} ");
                self.function_reference(function);
                self.text("\n");
            }
        }
        for (event, handler) in &state.handlers {
            self.handler(machine, *event, handler);
        }
        self.text("  }\n");
    }

    fn handler(&mut self, machine: MachineId, event: EventId, handler: &Handler) {
        self.text(match handler {
            Handler::Defer => "    defer ",
            Handler::Ignore => "    ignore ",
            Handler::Do(_) | Handler::Goto { .. } => "    on ",
        });
        self.event(event);
        match handler {
            Handler::Defer | Handler::Ignore => {}
            Handler::Do(function) => {
                self.text(" do ");
                self.function_reference(*function);
            }
            Handler::Goto { target, with } => {
                self.text(" goto ");
                self.state_reference(Some(machine), *target);
                if let Some(function) = with {
                    self.text(" with ");
                    self.function_reference(*function);
                }
            }
        }
        self.text("\n");
    }

    /// The function's head and, unless it is a foreign one, its code.
    pub(super) fn function(&mut self, function: &Function) {
        self.text(if function.is_foreign { "foreign fun " } else { "fun " });
        self.name(function.name);
        self.text("(");
        let parameters = function.registers.len().min(function.parameters as usize);
        for register in 0..parameters {
            self.text(if register == 0 { "" } else { ", " });
            self.register_declaration(function, register);
        }
        self.text(")");
        if function.result != TypeId::NULL {
            self.text(" -> ");
            self.ty(function.result);
        }
        if let Some(owner) = function.owner {
            self.text(" of ");
            self.machine_reference(owner);
        }
        if !function.is_foreign || !function.code.is_empty() || function.registers.len() > parameters {
            self.text(" {\n");
            for register in parameters..function.registers.len() {
                self.text("  ");
                self.register_declaration(function, register);
                self.text("\n");
            }
            self.code(function);
            self.text("}");
        }
        self.text("\n");
    }

    fn register_declaration(&mut self, function: &Function, register: usize) {
        let info = function.registers[register];
        _ = write!(self.out, "r{register}");
        if let Some(name) = info.name {
            self.text(" ");
            self.name(name);
        }
        self.text(": ");
        self.ty(info.ty);
    }

    fn test(&mut self, test: &Test) {
        self.text(match test.kind {
            TestKind::Test => "\ntest ",
            TestKind::Implementation => "\nimplementation ",
            TestKind::Default => "\ndefault ",
        });
        match is_bare(&test.name) {
            true => self.text(&test.name),
            false => push_quoted(&mut self.out, '\'', &test.name),
        }
        self.text(" {\n  main ");
        self.interface(test.main);
        for (parameter, value) in &test.parameters {
            self.text("\n  param ");
            self.parameter(*parameter);
            self.text(" = ");
            self.constant(*value);
        }
        for (at, machine) in test.bindings.iter().enumerate() {
            if let Some(machine) = machine {
                self.text("\n  bind ");
                self.interface(InterfaceId(at as u32));
                self.text(" -> ");
                self.machine_reference(*machine);
            }
        }
        for link in &test.links {
            self.text("\n  link ");
            self.interface(link.creator);
            self.text(", ");
            self.interface(link.requested);
            self.text(" -> ");
            self.interface(link.created);
        }
        for attachment in &test.monitors {
            self.text("\n  monitor ");
            self.machine_reference(attachment.monitor);
            self.interfaces(" observes ", &attachment.observed);
        }
        self.text("\n}\n");
    }
}
