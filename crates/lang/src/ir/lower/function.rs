//! The code of one function while it is being built.

use crate::check::{Checked, LocalId};
use crate::ids::{FieldId, ParameterId};
use crate::ir::{Constant, Function, Instruction, Label, Operand, Register, RegisterInfo};
use crate::source::Span;
use crate::syntax::tree::{Body, FunctionId, Ident, Tree};
use crate::types::TypeId;
use rapidhash::RapidHashMap;

/// Builds one function. Jumps name provisional labels until [`Builder::lower_body`] resolves them.
pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) checked: &'a mut Checked,
    pub(super) id: FunctionId,
    pub(super) function: &'a mut Function,
    /// Where each provisional label stands; `u32::MAX` until it is placed.
    labels: Vec<u32>,
    /// Where the latest label was placed.
    latest_place: Option<usize>,
    /// Registers for intermediate values, and which are taken. Invariant: taken ones form a stack, released by
    /// `release` in the reverse order of `mark`.
    taken: Vec<Register>,
    free: RapidHashMap<TypeId, Vec<Register>>,
    /// The registers of variables by their declarations; filled when the first is asked for.
    variables: RapidHashMap<Span, Register>,
    pub(super) loops: Vec<Loop>,
}

#[derive(Clone, Copy)]
pub(super) struct Loop {
    pub(super) next: Label,
    pub(super) end: Label,
}

/// An evaluated expression. Plain variables stay what they are until they are used.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Register(Register),
    Field(FieldId),
    Parameter(ParameterId, TypeId),
    Constant(Constant, TypeId),
    This(TypeId),
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        checked: &'a mut Checked,
        id: FunctionId,
        function: &'a mut Function,
    ) -> Self {
        Self {
            tree,
            checked,
            id,
            function,
            labels: Vec::new(),
            latest_place: None,
            taken: Vec::new(),
            free: RapidHashMap::default(),
            variables: RapidHashMap::default(),
            loops: Vec::new(),
        }
    }

    pub(super) fn lower_body(mut self, body: &Body) {
        for statement in &body.statements {
            self.lower_statement(*statement);
        }
        self.lower_end(Span::new(body.span.end.saturating_sub(1), body.span.end));
        self.resolve_labels();
    }

    /// A function without a result returns at its end. With one, the end is out of reach, which code cannot say.
    fn lower_end(&mut self, span: Span) {
        if !self.is_reachable() {
            return;
        }
        if self.function.result == TypeId::NULL {
            return self.emit(Instruction::Return(None), span);
        }
        let result = self.function.result;
        let value = self.materialise(Value::Constant(Constant::Default(result), result), span);
        self.emit(Instruction::Return(Some(value)), span);
    }

    /// Whether control can come to the instruction that is emitted next.
    pub(super) fn is_reachable(&self) -> bool {
        self.latest_place == Some(self.function.code.len())
            || self.function.code.last().is_none_or(|last| !last.is_terminator())
    }

    fn resolve_labels(&mut self) {
        let labels = &self.labels;
        let resolve = |label: &mut Label| label.0 = labels[label.index()];
        for instruction in &mut self.function.code {
            match instruction {
                Instruction::Jump(target) => resolve(target),
                Instruction::Branch { then, otherwise, .. } => {
                    resolve(then);
                    resolve(otherwise);
                }
                Instruction::Receive { cases } => cases.iter_mut().for_each(|case| resolve(&mut case.target)),
                _ => {}
            }
        }
    }

    pub(super) fn emit(&mut self, instruction: Instruction, span: Span) {
        self.function.code.push(instruction);
        self.function.spans.push(span);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    pub(super) fn place(&mut self, label: Label) {
        self.labels[label.index()] = self.function.code.len() as u32;
        self.latest_place = Some(self.function.code.len());
    }

    pub(super) fn jump(&mut self, target: Label, span: Span) {
        self.emit(Instruction::Jump(target), span);
    }

    pub(super) fn local(local: LocalId) -> Register {
        Register(local.0)
    }

    /// A register for an intermediate value.
    pub(super) fn temporary(&mut self, ty: TypeId) -> Register {
        let register = match self.free.get_mut(&ty).and_then(Vec::pop) {
            Some(register) => register,
            None => {
                self.function.registers.push(RegisterInfo { ty, name: None });
                Register(self.function.registers.len() as u32 - 1)
            }
        };
        self.taken.push(register);
        register
    }

    pub(super) fn mark(&self) -> usize {
        self.taken.len()
    }

    /// Gives back the registers taken since `mark`.
    pub(super) fn release(&mut self, mark: usize) {
        for register in self.taken.drain(mark..) {
            let ty = self.function.registers[register.index()].ty;
            self.free.entry(ty).or_default().push(register);
        }
    }

    /// The register of a variable that is declared in a `receive`.
    pub(super) fn variable(&mut self, name: Ident) -> Register {
        if self.variables.is_empty() {
            let locals = self.checked.functions[self.id.0 as usize].locals.iter().enumerate();
            self.variables.extend(locals.map(|(at, local)| (local.name.span, Register(at as u32))));
        }
        *self.variables.get(&name.span).expect("a checked variable is among its function's locals")
    }

    /// Brings a value into a register, now.
    pub(super) fn materialise(&mut self, value: Value, span: Span) -> Operand {
        let (ty, instruction): (TypeId, fn(Register, Value) -> Instruction) = match value {
            Value::Register(register) => return Operand::copy(register),
            Value::Field(field) => (self.field_type(field), load),
            Value::Parameter(_, ty) | Value::Constant(_, ty) | Value::This(ty) => (ty, load),
        };
        let to = self.temporary(ty);
        self.emit(instruction(to, value), span);
        Operand::copy(to)
    }

    /// Brings a value into a certain register.
    pub(super) fn store(&mut self, to: Register, value: Value, span: Span) {
        match value {
            Value::Register(from) if from == to => {}
            _ => self.emit(load(to, value), span),
        }
    }

    pub(super) fn field_type(&self, field: FieldId) -> TypeId {
        let owner = self.function.owner.map(|owner| &self.checked.machines[owner.index()]);
        owner.map_or(TypeId::ERROR, |machine| machine.fields[field.index()].1)
    }
}

fn load(to: Register, value: Value) -> Instruction {
    match value {
        Value::Register(from) => Instruction::Copy { to, from: Operand::copy(from) },
        Value::Field(field) => Instruction::LoadField { to, field },
        Value::Parameter(parameter, _) => Instruction::LoadParameter { to, parameter },
        Value::Constant(value, _) => Instruction::Const { to, value },
        Value::This(_) => Instruction::This { to },
    }
}
