//! The printer of instructions.

use super::{Printer, push_quoted, push_reference};
use crate::ids::{FieldId, MachineId, ParameterId};
use crate::ir::text::words::{binary_word, unary_word};
use crate::ir::{
    ChooseFrom, Constant, Function, Instruction, Label, Operand, Place, Projection, ReceiveCase, Register,
    Root,
};
use std::fmt::Write;

/// What an instruction's text depends on besides the instruction.
#[derive(Clone, Copy, Debug)]
struct Context {
    owner: Option<MachineId>,
    /// Labels up to this position have a line; others are written as numbers.
    length: usize,
}

impl Printer<'_> {
    pub(super) fn code(&mut self, function: &Function) {
        let context = Context { owner: function.owner, length: function.code.len() };
        let mut is_target = vec![false; function.code.len() + 1];
        for (at, instruction) in function.code.iter().enumerate().filter(|(_, code)| code.is_terminator()) {
            for successor in instruction.successors(at) {
                is_target.get_mut(successor.at).into_iter().for_each(|is_target| *is_target = true);
            }
        }
        for (at, instruction) in function.code.iter().enumerate() {
            if is_target[at] {
                _ = writeln!(self.out, "L{at}:");
            }
            self.text("  ");
            self.instruction(context, instruction);
            self.text("\n");
        }
        if is_target[context.length] {
            _ = writeln!(self.out, "L{}:", context.length);
        }
    }

    pub(super) fn instruction_at(&mut self, function: &Function, at: usize) {
        let context = Context { owner: function.owner, length: function.code.len() };
        if let Some(instruction) = function.code.get(at) {
            self.instruction(context, instruction);
        }
    }

    fn instruction(&mut self, context: Context, instruction: &Instruction) {
        match instruction {
            Instruction::Assign { place, value } => {
                let is_whole_register = matches!(place.root, Root::Register(_)) && place.path.is_empty();
                self.text(if is_whole_register { "assign " } else { "" });
                self.change(context, place, " = ", &[*value]);
            }
            Instruction::Insert { place, key, value } => self.change(context, place, " += ", &[*key, *value]),
            Instruction::Add { place, value } => self.change(context, place, " += ", &[*value]),
            Instruction::Remove { place, key } => self.change(context, place, " -= ", &[*key]),
            Instruction::Jump(label) => {
                self.text("jump ");
                self.label(context, *label);
            }
            Instruction::Branch { condition, then, otherwise } => {
                self.listed("branch ", [*condition]);
                self.text(", ");
                self.label(context, *then);
                self.text(", ");
                self.label(context, *otherwise);
            }
            Instruction::Return(value) => {
                self.listed(if value.is_some() { "return " } else { "return" }, *value);
            }
            Instruction::Assert { condition, message } => {
                self.listed("assert ", [*condition].into_iter().chain(*message));
            }
            Instruction::Print { message } => self.listed("print ", [*message]),
            Instruction::Send { target, event, payload } => {
                self.listed("send ", [*target, *event].into_iter().chain(*payload));
            }
            Instruction::Announce { event, payload } => {
                self.listed("announce ", [*event].into_iter().chain(*payload));
            }
            Instruction::Raise { event, payload } => {
                self.listed("raise ", [*event].into_iter().chain(*payload));
            }
            Instruction::Goto { state, payload } => {
                self.text("goto ");
                self.state_reference(context.owner, *state);
                if let Some(payload) = payload {
                    self.listed(", ", [*payload]);
                }
            }
            Instruction::Halt => self.text("halt"),
            Instruction::Receive { cases } => self.receive(context, cases),
            _ => {
                if let Some(Register(to)) = instruction.definition() {
                    _ = write!(self.out, "r{to} = ");
                }
                self.value(context, instruction);
            }
        }
    }

    /// What comes after `r1 =`.
    fn value(&mut self, context: Context, instruction: &Instruction) {
        match instruction {
            Instruction::Const { value, .. } => self.constant(*value),
            Instruction::Copy { from, .. } => self.operand(*from),
            Instruction::LoadField { field, .. } => self.field(context, *field),
            Instruction::LoadParameter { parameter, .. } => {
                self.text("param ");
                self.parameter(*parameter);
            }
            Instruction::This { .. } => self.text("this"),
            Instruction::Unary { op, operand, .. } => self.applied(unary_word(*op), &[*operand]),
            Instruction::Binary { op, lhs, rhs, .. } => self.applied(binary_word(*op), &[*lhs, *rhs]),
            Instruction::Tuple { items, .. } => self.applied("tuple", items),
            Instruction::Item { base, index, .. } => {
                self.operand(*base);
                _ = write!(self.out, ".{index}");
            }
            Instruction::Element { base, index, .. } => self.applied("element", &[*base, *index]),
            Instruction::Lookup { base, key, .. } => self.applied("lookup", &[*base, *key]),
            Instruction::Contains { item, collection, .. } => {
                self.operand(*item);
                self.listed(" in ", [*collection]);
            }
            Instruction::Cast { operand, ty, .. } => {
                self.operand(*operand);
                self.text(" as ");
                self.ty(*ty);
            }
            Instruction::Permit { operand, interface, .. } => {
                self.operand(*operand);
                self.text(" to ");
                self.interface(*interface);
            }
            Instruction::Format { text, arguments, .. } => {
                self.text("format ");
                self.constant(Constant::String(*text));
                self.applied("", arguments);
            }
            Instruction::Call { function, arguments, .. } => {
                self.text("call ");
                self.function_reference(*function);
                self.listed("(", arguments.iter().copied());
                self.text(")");
            }
            Instruction::New { interface, payload, .. } => {
                self.text("new ");
                self.interface(*interface);
                self.listed("(", *payload);
                self.text(")");
            }
            Instruction::Choose { from, .. } => self.choose(*from),
            // The other instructions are printed whole, not as the value of a register.
            _ => {}
        }
    }

    fn choose(&mut self, from: ChooseFrom) {
        match from {
            ChooseFrom::Bool { fair: false } => self.text("choose"),
            ChooseFrom::Bool { fair: true } => self.text("choose fair"),
            ChooseFrom::Below(limit) => self.listed("choose below ", [limit]),
            ChooseFrom::Elements(collection) => self.listed("choose from ", [collection]),
        }
    }

    fn receive(&mut self, context: Context, cases: &[ReceiveCase]) {
        self.text("receive {");
        for (at, case) in cases.iter().enumerate() {
            self.text(if at == 0 { " " } else { "; " });
            for (at, event) in case.events.iter().enumerate() {
                self.text(if at == 0 { "" } else { ", " });
                self.event(*event);
            }
            if let Some(Register(payload)) = case.payload {
                _ = write!(self.out, "(r{payload})");
            }
            self.text(" -> ");
            self.label(context, case.target);
        }
        self.text(" }");
    }

    fn change(&mut self, context: Context, place: &Place, sign: &str, operands: &[Operand]) {
        match place.root {
            Root::Register(Register(register)) => _ = write!(self.out, "r{register}"),
            Root::Field(field) => self.field(context, field),
        }
        for projection in &place.path {
            match projection {
                Projection::Item(item) => _ = write!(self.out, ".{item}"),
                Projection::Index(index) => {
                    self.listed("[", [*index]);
                    self.text("]");
                }
            }
        }
        self.listed(sign, operands.iter().copied());
    }

    fn field(&mut self, context: Context, field: FieldId) {
        self.text("this.");
        let owner = context.owner.map(MachineId::index).filter(|owner| *owner < self.program.machines.len());
        let found = owner.and_then(|owner| self.program.machines[owner].fields.get(field.index()));
        match (owner, found) {
            (Some(owner), Some(found)) => {
                let duplicates = &self.duplicates.fields[owner];
                push_reference(&mut self.out, self.program, duplicates, field.0, Some(found.name));
            }
            _ => _ = write!(self.out, "#{}", field.0),
        }
    }

    pub(super) fn parameter(&mut self, parameter: ParameterId) {
        let name = self.program.parameters.get(parameter.index()).map(|parameter| parameter.name);
        push_reference(&mut self.out, self.program, &self.duplicates.parameters, parameter.0, name);
    }

    fn label(&mut self, context: Context, label: Label) {
        let sign = if label.index() <= context.length { 'L' } else { '#' };
        _ = write!(self.out, "{sign}{}", label.0);
    }

    fn operand(&mut self, operand: Operand) {
        let word = if operand.is_move { "move " } else { "" };
        _ = write!(self.out, "{word}r{}", operand.register.0);
    }

    /// The beginning, and operands with commas between them.
    fn listed(&mut self, beginning: &str, operands: impl IntoIterator<Item = Operand>) {
        self.text(beginning);
        for (at, operand) in operands.into_iter().enumerate() {
            self.text(if at == 0 { "" } else { ", " });
            self.operand(operand);
        }
    }

    /// A word, and operands behind it.
    fn applied(&mut self, word: &str, operands: &[Operand]) {
        self.text(word);
        self.listed(if operands.is_empty() { "" } else { " " }, operands.iter().copied());
    }

    pub(super) fn constant(&mut self, constant: Constant) {
        match constant {
            Constant::Null => self.text("null"),
            Constant::Bool(value) => self.text(if value { "true" } else { "false" }),
            Constant::Int(value) => _ = write!(self.out, "{value}"),
            Constant::Float(value) if !value.is_nan() => _ = write!(self.out, "{value:?}"),
            Constant::Float(value) if value.to_bits() == f64::NAN.to_bits() => self.text("nan"),
            Constant::Float(value) => _ = write!(self.out, "nan({})", value.to_bits() as i64),
            Constant::String(text) if (text.0 as usize) < self.program.names.len() => {
                push_quoted(&mut self.out, '"', self.program.names.text(text));
            }
            Constant::String(text) => _ = write!(self.out, "?{}", text.0),
            Constant::Event(event) => {
                self.text("event ");
                self.event(event);
            }
            Constant::Enum(value) => _ = write!(self.out, "enum {value}"),
            Constant::Default(ty) => {
                self.text("default ");
                self.ty(ty);
            }
        }
    }
}
