//! The rules about functions as a whole, and the indices of their instructions.

use super::types::Typing;
use super::{Rule, Subject, Verifier};
use crate::ids::{FieldId, FunctionId};
use crate::ir::{Function, Instruction, Machine, Operand, Place, Register, Root};
use crate::names::Name;
use crate::syntax::tree::MachineKind;
use rapidhash::RapidHashSet;

impl<'p> Verifier<'p> {
    pub(super) fn functions(&mut self) {
        let program = self.program;
        let mut names = RapidHashSet::default();
        let in_specs = self.functions_of_specs();
        for (at, function) in program.functions.iter().enumerate() {
            let id = FunctionId(at as u32);
            if !names.insert(function.name) {
                self.report(Rule::FunctionNames, Subject::Function(id), "another function has the same name");
            }
            let before = self.violations.len();
            self.head(id, function);
            self.shape_of_code(id, function);
            self.code(id, function);
            if in_specs[at] {
                self.spec_code(id, function);
            }
            let are_registers_in_range =
                self.violations[before..].iter().all(|violation| violation.rule != Rule::InRange);
            if are_registers_in_range {
                self.moves(id, function);
            }
        }
    }

    /// For each function whether a spec or scenario can run it.
    fn functions_of_specs(&self) -> Vec<bool> {
        let functions = &self.program.functions;
        let is_of_spec = |function: &Function| {
            self.owner(function).is_some_and(|machine| machine.kind != MachineKind::Machine)
        };
        let mut is_reached: Vec<_> = functions.iter().map(is_of_spec).collect();
        let mut waiting: Vec<_> = (0..functions.len()).filter(|function| is_reached[*function]).collect();
        while let Some(function) = waiting.pop() {
            for instruction in &functions[function].code {
                if let Instruction::Call { function: callee, .. } = instruction
                    && is_reached.get(callee.index()) == Some(&false)
                {
                    is_reached[callee.index()] = true;
                    waiting.push(callee.index());
                }
            }
        }
        is_reached
    }

    pub(super) fn owner(&self, function: &Function) -> Option<&'p Machine> {
        self.program.machines.get(function.owner?.index())
    }

    fn head(&mut self, id: FunctionId, function: &Function) {
        let subject = Subject::Function(id);
        self.name(subject, function.name);
        self.ty(subject, function.result);
        function.owner.into_iter().for_each(|owner| _ = self.machine(subject, owner));
        for register in &function.registers {
            register.name.into_iter().for_each(|name| _ = self.name(subject, name));
            self.ty(subject, register.ty);
        }
        if function.parameters as usize > function.registers.len() {
            let message = format!(
                "{} parameters are more than the {} registers",
                function.parameters,
                function.registers.len()
            );
            self.report(Rule::InRange, subject, message);
        }
    }

    fn shape_of_code(&mut self, id: FunctionId, function: &Function) {
        let subject = Subject::Function(id);
        if function.is_foreign != function.code.is_empty() {
            let message =
                if function.is_foreign { "a foreign function has code" } else { "the function has no code" };
            self.report(Rule::CodePresent, subject, message);
        }
        if function.code.last().is_some_and(|last| !last.is_terminator()) {
            self.report(Rule::CodeEnd, subject, "control can run off the end of the code");
        }
        if function.spans.len() != function.code.len() {
            let message =
                format!("there are {} spans for {} instructions", function.spans.len(), function.code.len());
            self.report(Rule::Spans, subject, message);
        }
    }

    fn code(&mut self, id: FunctionId, function: &'p Function) {
        for (at, instruction) in function.code.iter().enumerate() {
            let subject = Subject::Instruction(id, at);
            let before = self.violations.len();
            self.registers_and_labels(subject, at, function, instruction);
            self.declarations_used(subject, function, instruction);
            if self.violations.len() == before {
                Typing { verifier: self, subject, function }.instruction(instruction);
            }
        }
    }

    fn spec_code(&mut self, id: FunctionId, function: &Function) {
        for (at, instruction) in function.code.iter().enumerate() {
            let word = match instruction {
                Instruction::Send { .. } => "send",
                Instruction::Announce { .. } => "announce",
                Instruction::New { .. } => "new",
                Instruction::Choose { .. } => "choose",
                Instruction::Receive { .. } => "receive",
                Instruction::This { .. } => "this",
                _ => continue,
            };
            let message = format!("a spec or scenario can come to `{word}`, which it must not");
            self.report(Rule::SpecCode, Subject::Instruction(id, at), message);
        }
    }

    fn registers_and_labels(
        &mut self,
        subject: Subject,
        at: usize,
        function: &Function,
        instruction: &Instruction,
    ) {
        let count = function.registers.len();
        let mut register =
            |Register(register): Register| _ = self.in_range(subject, "register", register, count);
        instruction.uses().for_each(|operand: Operand| register(operand.register));
        instruction.definition().into_iter().chain(instruction.updated()).for_each(&mut register);
        instruction.successors(at).filter_map(|successor| successor.defines).for_each(&mut register);
        if !instruction.is_terminator() {
            return;
        }
        for successor in instruction.successors(at) {
            // Positions come from labels of 32 bits.
            self.in_range(subject, "position", successor.at as u32, function.code.len());
        }
    }

    /// The indices of what is declared outside the function, and whether its owner allows them.
    fn declarations_used(&mut self, subject: Subject, function: &Function, instruction: &Instruction) {
        match instruction {
            Instruction::Const { value, .. } => _ = self.constant(subject, *value),
            Instruction::LoadField { field, .. } => self.field(subject, function, *field),
            Instruction::Assign { place: Place { root: Root::Field(field), .. }, .. }
            | Instruction::Insert { place: Place { root: Root::Field(field), .. }, .. }
            | Instruction::Add { place: Place { root: Root::Field(field), .. }, .. }
            | Instruction::Remove { place: Place { root: Root::Field(field), .. }, .. } => {
                self.field(subject, function, *field);
            }
            Instruction::LoadParameter { parameter, .. } => _ = self.parameter(subject, *parameter),
            Instruction::This { .. } => self.this(subject, function),
            Instruction::Cast { ty, .. } => _ = self.ty(subject, *ty),
            Instruction::Permit { interface, .. } => _ = self.interface(subject, *interface),
            Instruction::Format { text, arguments, .. } => self.format(subject, *text, arguments.len()),
            Instruction::Call { function: callee, .. } => self.callee(subject, function, *callee),
            Instruction::New { interface, .. } => {
                let is_listed = self.owner(function).is_none_or(|owner| owner.creates.contains(interface));
                if self.interface(subject, *interface) && !is_listed {
                    let message = format!("the machine does not list interface #{} as created", interface.0);
                    self.report(Rule::NewListed, subject, message);
                }
            }
            Instruction::Receive { cases } => {
                for event in cases.iter().flat_map(|case| &case.events) {
                    self.event(subject, *event);
                }
            }
            Instruction::Goto { state, .. } => match (self.owner(function), function.owner) {
                (Some(owner), _) => _ = self.in_range(subject, "state", state.0, owner.states.len()),
                (None, None) => {
                    self.report(Rule::Owner, subject, "no machine owns the function and its states");
                }
                // The owner was reported with the function.
                (None, Some(_)) => {}
            },
            _ => {}
        }
    }

    fn field(&mut self, subject: Subject, function: &Function, field: FieldId) {
        match (self.owner(function), function.owner) {
            (Some(owner), _) => _ = self.in_range(subject, "field", field.0, owner.fields.len()),
            (None, None) => self.report(Rule::Owner, subject, "no machine owns the function and its fields"),
            (None, Some(_)) => {}
        }
    }

    fn this(&mut self, subject: Subject, function: &Function) {
        // In a spec's function the rule `spec-code` says it.
        if function.owner.is_none() {
            self.report(Rule::ThisInMachine, subject, "no machine owns the function, so there is no `this`");
        }
    }

    fn callee(&mut self, subject: Subject, function: &Function, callee: FunctionId) {
        if !self.in_range(subject, "function", callee.0, self.program.functions.len()) {
            return;
        }
        let owner = self.program[callee].owner;
        if owner.is_some() && owner != function.owner {
            let message = format!("function #{} belongs to another machine", callee.0);
            self.report(Rule::CallOwner, subject, message);
        }
    }

    fn format(&mut self, subject: Subject, text: Name, arguments: usize) {
        if !self.name(subject, text) {
            return;
        }
        for placeholder in placeholders(self.program.name(text)) {
            if placeholder.parse().is_ok_and(|index: usize| index < arguments) {
                continue;
            }
            let message = format!("there is no argument for `{{{placeholder}}}`");
            self.report(Rule::FormatArguments, subject, message);
        }
    }
}

/// The digits between the single braces of a format text.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find('{')? + 1..];
            if let Some(after) = rest.strip_prefix('{') {
                rest = after;
                continue;
            }
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 && rest[digits..].starts_with('}') {
                return Some(&rest[..digits]);
            }
        }
    })
}
