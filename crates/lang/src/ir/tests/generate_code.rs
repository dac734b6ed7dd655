//! Random code that breaks no rule: statements of all kinds in random structured control flow.
//!
//! Registers are made when an instruction needs one of a type that there is none of; they hold defaults then.

use super::generate::Size;
use super::random::Random;
use crate::ids::{EventId, FieldId, FunctionId, InterfaceId, MachineId, ParameterId, StateId};
use crate::ir::{
    BinaryOp, ChooseFrom, Constant, Function, Instruction, Label, Machine, Operand, Place, Program,
    Projection, ReceiveCase, Register, RegisterInfo, Root, UnaryOp,
};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::tree::MachineKind;
use crate::types::{Origin, Type, TypeId};

/// Where a function belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) owner: Option<MachineId>,
    /// Whether it may send, choose, receive and so on.
    pub(super) can_act: bool,
}

pub(super) fn function(
    random: &mut Random,
    program: &Program,
    types: &[TypeId],
    size: Size,
    setting: Setting,
    parameters: &[TypeId],
    result: TypeId,
) -> Function {
    let register = |ty: &TypeId| RegisterInfo { ty: *ty, name: random.one_in(2).then_some(Name::HALT) };
    let registers = parameters.iter().map(register).collect();
    let mut builder = Builder { random, program, types, setting, registers, code: Vec::new(), result };
    let statements = 1 + builder.random.below(size.statements);
    builder.block(statements, size.depth);
    builder.finish();
    Function {
        name: Name::MISSING,
        owner: setting.owner,
        parameters: parameters.len() as u32,
        spans: vec![Span::new(4, 6); builder.code.len()],
        registers: builder.registers,
        result,
        code: builder.code,
        is_foreign: false,
        span: Span::new(2, 3),
    }
}

struct Builder<'g> {
    random: &'g mut Random,
    program: &'g Program,
    types: &'g [TypeId],
    setting: Setting,
    registers: Vec<RegisterInfo>,
    code: Vec<Instruction>,
    result: TypeId,
}

impl Builder<'_> {
    fn emit(&mut self, instruction: Instruction) {
        self.code.push(instruction);
    }

    fn here(&self) -> Label {
        Label(self.code.len() as u32)
    }

    /// A register whose type is the given one.
    fn register(&mut self, ty: TypeId) -> Register {
        let known: Vec<_> = (0..self.registers.len()).filter(|at| self.registers[*at].ty == ty).collect();
        if known.is_empty() || self.random.one_in(5) {
            self.registers.push(RegisterInfo { ty, name: None });
            return Register(self.registers.len() as u32 - 1);
        }
        Register(self.random.pick(&known) as u32)
    }

    /// A register that can hold values of the type.
    fn target(&mut self, ty: TypeId) -> Register {
        let wider: Vec<_> =
            self.types.iter().copied().filter(|to| self.program.types.is_assignable(*to, ty)).collect();
        let ty = if wider.is_empty() || self.random.one_in(2) { ty } else { self.random.pick(&wider) };
        self.register(ty)
    }

    /// A use of a value that fits the type.
    fn value(&mut self, ty: TypeId) -> Operand {
        let narrower: Vec<_> =
            self.types.iter().copied().filter(|from| self.program.types.is_assignable(ty, *from)).collect();
        let ty = if narrower.is_empty() || self.random.one_in(2) { ty } else { self.random.pick(&narrower) };
        Operand::copy(self.register(ty))
    }

    fn ty(&mut self) -> TypeId {
        self.random.pick(self.types)
    }

    /// A type of the pool that fulfils the condition.
    fn some_type(&mut self, condition: impl Fn(&Type) -> bool) -> Option<(TypeId, Type)> {
        let found: Vec<_> =
            self.types.iter().copied().filter(|ty| condition(self.program.types.get(*ty))).collect();
        if found.is_empty() {
            return None;
        }
        let ty = self.random.pick(&found);
        Some((ty, self.program.types.get(ty).clone()))
    }

    fn machine(&self) -> Option<&Machine> {
        self.setting.owner.map(|owner| &self.program[owner])
    }

    fn finish(&mut self) {
        let value = self.value(self.result);
        let is_null = self.result == TypeId::NULL && self.random.one_in(2);
        self.emit(Instruction::Return((!is_null).then_some(value)));
    }

    fn block(&mut self, size: usize, depth: usize) {
        for _ in 0..size {
            match self.random.below(if depth == 0 { 10 } else { 16 }) {
                0 => self.constant(),
                1 => self.copy(),
                2 => self.operator(),
                3 => self.tuple(),
                4 | 5 => self.collection(),
                6 | 7 => self.change(),
                8 => self.call(),
                9 => self.action(),
                10 | 11 => self.choice(depth - 1),
                12 | 13 => self.repetition(depth - 1),
                14 if self.setting.can_act => self.receive(depth - 1),
                _ => self.early_end(),
            }
        }
    }

    /// `if`, with or without `else`.
    fn choice(&mut self, depth: usize) {
        let branch = self.branch();
        self.set_label(branch, true);
        let size = self.random.below(4);
        self.block(size, depth);
        if self.random.one_in(2) {
            self.set_label(branch, false);
            return;
        }
        let jump = self.code.len();
        self.emit(Instruction::Jump(Label(0)));
        self.set_label(branch, false);
        let size = self.random.below(4);
        self.block(size, depth);
        self.code[jump] = Instruction::Jump(self.here());
    }

    /// `while`, with `break` now and then.
    fn repetition(&mut self, depth: usize) {
        let head = self.here();
        let branch = self.branch();
        self.set_label(branch, true);
        let size = self.random.below(5);
        self.block(size, depth);
        let leave = self.random.one_in(2).then(|| {
            let leave = self.branch();
            self.set_label(leave, true);
            leave
        });
        self.emit(Instruction::Jump(head));
        self.set_label(branch, false);
        leave.into_iter().for_each(|leave| self.set_label(leave, false));
    }

    /// A branch whose labels are to be set; its position.
    fn branch(&mut self) -> usize {
        let condition = self.value(TypeId::BOOL);
        self.emit(Instruction::Branch { condition, then: Label(0), otherwise: Label(0) });
        self.code.len() - 1
    }

    fn set_label(&mut self, branch: usize, is_then: bool) {
        let here = self.here();
        if let Instruction::Branch { then, otherwise, .. } = &mut self.code[branch] {
            *(if is_then { then } else { otherwise }) = here;
        }
    }

    fn receive(&mut self, depth: usize) {
        let position = self.code.len();
        self.emit(Instruction::Halt);
        let (mut cases, mut jumps) = (Vec::new(), Vec::new());
        for event in 0..self.program.events.len() {
            if !cases.is_empty() && self.random.one_in(2) {
                continue;
            }
            let payload = self.program.events[event].payload;
            let payload = self.random.one_in(2).then(|| self.target(payload));
            cases.push(ReceiveCase { events: [EventId(event as u32)].into(), payload, target: self.here() });
            let size = self.random.below(3);
            self.block(size, depth);
            jumps.push(self.code.len());
            self.emit(Instruction::Jump(Label(0)));
        }
        self.code[position] = Instruction::Receive { cases: cases.into() };
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.code[jump] = Instruction::Jump(end));
    }

    /// An end of the function under a condition, so that the rest can be reached.
    fn early_end(&mut self) {
        let branch = self.branch();
        self.set_label(branch, true);
        let states = self.machine().map_or(0, |machine| machine.states.len());
        match self.random.below(4) {
            0 if states > 0 => self.goto(states),
            1 => {
                let payload = self.ty();
                let event = self.value(TypeId::EVENT);
                let payload = self.random.one_in(2).then(|| self.value(payload));
                self.emit(Instruction::Raise { event, payload });
            }
            2 => self.emit(Instruction::Halt),
            _ => self.finish(),
        }
        self.set_label(branch, false);
    }

    fn goto(&mut self, states: usize) {
        let state = StateId(self.random.below(states) as u32);
        let entry = self.machine().and_then(|machine| machine[state].entry);
        let entry = entry.and_then(|entry| self.program.functions.get(entry.index()));
        let parameter = entry.filter(|entry| entry.parameters == 1).map(|entry| entry.registers[0].ty);
        let payload = parameter.map(|parameter| self.value(parameter));
        self.emit(Instruction::Goto { state, payload });
    }

    fn constant(&mut self) {
        let value = match self.random.below(9) {
            0 => Constant::Null,
            1 => Constant::Bool(self.random.one_in(2)),
            2 => Constant::Int(self.random.next() as i64),
            3 => Constant::Float(f64::from_bits(self.random.next())),
            4 => Constant::String(Name(self.random.below(self.program.names.len()) as u32)),
            5 => Constant::Event(EventId(self.random.below(self.program.events.len()) as u32)),
            6 => Constant::Enum(-7),
            _ => Constant::Default(self.ty()),
        };
        let to = match value {
            Constant::Null => self.target(TypeId::NULL),
            Constant::Bool(_) => self.target(TypeId::BOOL),
            Constant::Int(_) => self.target(TypeId::INT),
            Constant::Float(_) => self.target(TypeId::FLOAT),
            Constant::String(_) => self.target(TypeId::STRING),
            Constant::Event(_) => self.target(TypeId::EVENT),
            Constant::Default(ty) => self.target(ty),
            Constant::Enum(_) => match self.some_type(|ty| matches!(ty, Type::Enum(_))) {
                Some((ty, _)) => self.register(ty),
                None => return,
            },
        };
        // The name of what is missing is no string.
        let value =
            if value == Constant::String(Name::MISSING) { Constant::String(Name::NULL) } else { value };
        self.emit(Instruction::Const { to, value });
    }

    fn copy(&mut self) {
        let ty = self.ty();
        let to = self.target(ty);
        match self.random.below(4) {
            0 => {
                let fields = self.machine().map_or(0, |machine| machine.fields.len());
                if fields > 0 {
                    let field = FieldId(self.random.below(fields) as u32);
                    let ty = self.machine().map_or(TypeId::NULL, |machine| machine[field].ty);
                    let to = self.target(ty);
                    self.emit(Instruction::LoadField { to, field });
                }
            }
            1 if !self.program.parameters.is_empty() => {
                let parameter = ParameterId(self.random.below(self.program.parameters.len()) as u32);
                let to = self.target(self.program[parameter].ty);
                self.emit(Instruction::LoadParameter { to, parameter });
            }
            2 => {
                let (operand, to) = (self.value(TypeId::ANY), self.target(ty));
                self.emit(Instruction::Cast { to, operand, ty });
            }
            _ => {
                let from = Operand::copy(self.register(ty));
                self.emit(Instruction::Copy { to, from });
            }
        }
    }

    fn operator(&mut self) {
        let binary = [
            (BinaryOp::AddInt, TypeId::INT, TypeId::INT),
            (BinaryOp::SubtractInt, TypeId::INT, TypeId::INT),
            (BinaryOp::RemainderInt, TypeId::INT, TypeId::INT),
            (BinaryOp::MultiplyFloat, TypeId::FLOAT, TypeId::FLOAT),
            (BinaryOp::Concatenate, TypeId::STRING, TypeId::STRING),
            (BinaryOp::Equal, TypeId::ANY, TypeId::BOOL),
            (BinaryOp::NotEqual, TypeId::ANY, TypeId::BOOL),
            (BinaryOp::LessInt, TypeId::INT, TypeId::BOOL),
            (BinaryOp::LessOrEqualFloat, TypeId::FLOAT, TypeId::BOOL),
            (BinaryOp::LessString, TypeId::STRING, TypeId::BOOL),
        ];
        let unary = [
            (UnaryOp::Not, TypeId::BOOL, TypeId::BOOL),
            (UnaryOp::NegateInt, TypeId::INT, TypeId::INT),
            (UnaryOp::IntToFloat, TypeId::INT, TypeId::FLOAT),
            (UnaryOp::FloatToInt, TypeId::FLOAT, TypeId::INT),
        ];
        match self.random.below(3) {
            0 => {
                let (op, from, result) = self.random.pick(&unary);
                let (operand, to) = (self.value(from), self.target(result));
                self.emit(Instruction::Unary { op, to, operand });
            }
            1 => {
                let arguments: Vec<_> = (0..self.random.below(3)).map(|_| self.value(TypeId::ANY)).collect();
                let (to, text) = (self.target(TypeId::STRING), Name::HALT);
                self.emit(Instruction::Format { to, text, arguments: arguments.into() });
            }
            _ => {
                let (op, from, result) = self.random.pick(&binary);
                let (lhs, to) = (self.value(from), self.target(result));
                // Only `any` is comparable with everything.
                let rhs =
                    if from == TypeId::ANY { Operand::copy(self.register(from)) } else { self.value(from) };
                self.emit(Instruction::Binary { op, to, lhs, rhs });
            }
        }
    }

    fn tuple(&mut self) {
        let Some((ty, shape)) = self.some_type(|ty| matches!(ty, Type::Tuple(_) | Type::NamedTuple(_)))
        else {
            return;
        };
        let items: Vec<_> = match shape {
            Type::Tuple(items) => items.to_vec(),
            Type::NamedTuple(fields) => fields.iter().map(|(_, ty)| *ty).collect(),
            _ => return,
        };
        if self.random.one_in(2) {
            let to = self.register(ty);
            let items = items.into_iter().map(|item| self.value(item)).collect();
            return self.emit(Instruction::Tuple { to, items });
        }
        let index = self.random.below(items.len());
        let (base, to) = (Operand::copy(self.register(ty)), self.target(items[index]));
        self.emit(Instruction::Item { to, base, index: index as u32 });
    }

    fn collection(&mut self) {
        let found = self.some_type(|ty| matches!(ty, Type::Seq(_) | Type::Set(_) | Type::Map(..)));
        let Some((ty, shape)) = found else { return };
        let base = Operand::copy(self.register(ty));
        let member = match shape {
            Type::Seq(member) | Type::Set(member) | Type::Map(member, _) => member,
            _ => return,
        };
        match (self.random.below(4), shape) {
            (0, _) => {
                let (item, to) = (self.value(member), self.target(TypeId::BOOL));
                self.emit(Instruction::Contains { to, item, collection: base });
            }
            (1, _) => {
                let to = self.target(TypeId::INT);
                self.emit(Instruction::Unary { op: UnaryOp::Sizeof, to, operand: base });
            }
            (2, Type::Map(..)) => {
                let op = self.random.pick(&[UnaryOp::Keys, UnaryOp::Values]);
                let to = self.register(TypeId::ANY);
                self.emit(Instruction::Unary { op, to, operand: base });
            }
            (_, Type::Map(key, value)) => {
                let (key, to) = (self.value(key), self.target(value));
                self.emit(Instruction::Lookup { to, base, key });
            }
            _ => {
                let (index, to) = (self.value(TypeId::INT), self.target(member));
                self.emit(Instruction::Element { to, base, index });
            }
        }
    }

    /// A change of a random place, of whatever kind its type allows.
    fn change(&mut self) {
        let (place, ty) = self.place();
        match self.program.types.get(ty).clone() {
            Type::Seq(element) if self.random.one_in(2) => {
                let (key, value) = (self.value(TypeId::INT), self.value(element));
                self.emit(Instruction::Insert { place, key, value });
            }
            Type::Seq(_) if self.random.one_in(2) => {
                let key = self.value(TypeId::INT);
                self.emit(Instruction::Remove { place, key });
            }
            Type::Map(key, value) if self.random.one_in(2) => {
                let (key, value) = (self.value(key), self.value(value));
                self.emit(Instruction::Insert { place, key, value });
            }
            Type::Set(element) if self.random.one_in(2) => {
                let value = self.value(element);
                self.emit(Instruction::Add { place, value });
            }
            Type::Set(member) | Type::Map(member, _) if self.random.one_in(2) => {
                let key = self.value(member);
                self.emit(Instruction::Remove { place, key });
            }
            _ => {
                let value = self.value(ty);
                self.emit(Instruction::Assign { place, value });
            }
        }
    }

    fn place(&mut self) -> (Place, TypeId) {
        let fields = self.machine().map_or(0, |machine| machine.fields.len());
        let mut ty = self.ty();
        let root = match fields > 0 && self.random.one_in(2) {
            true => {
                let field = FieldId(self.random.below(fields) as u32);
                ty = self.machine().map_or(ty, |machine| machine[field].ty);
                Root::Field(field)
            }
            false => Root::Register(self.register(ty)),
        };
        let mut path = Vec::new();
        while !self.random.one_in(3) {
            let (projection, next) = match self.program.types.get(ty).clone() {
                Type::Tuple(items) => {
                    let item = self.random.below(items.len());
                    (Projection::Item(item as u32), items[item])
                }
                Type::NamedTuple(fields) => {
                    let item = self.random.below(fields.len());
                    (Projection::Item(item as u32), fields[item].1)
                }
                Type::Seq(element) => (Projection::Index(self.value(TypeId::INT)), element),
                Type::Map(key, value) => (Projection::Index(self.value(key)), value),
                _ => break,
            };
            path.push(projection);
            ty = next;
        }
        (Place { root, path: path.into() }, ty)
    }

    fn call(&mut self) {
        let owner = self.setting.owner;
        let may_call = |function: &Function| function.owner.is_none() || function.owner == owner;
        let functions = self.program.functions.iter().enumerate();
        let found: Vec<_> = functions.filter(|(_, function)| may_call(function)).map(|(at, _)| at).collect();
        if found.is_empty() {
            return;
        }
        let id = FunctionId(self.random.pick(&found) as u32);
        let callee = &self.program[id];
        let parameters = callee.registers.iter().take(callee.parameters as usize);
        let arguments = parameters.map(|parameter| self.value(parameter.ty)).collect();
        let to = self.random.one_in(2).then(|| self.target(callee.result));
        self.emit(Instruction::Call { to, function: id, arguments });
    }

    fn action(&mut self) {
        let (event, payload) = (self.value(TypeId::EVENT), self.ty());
        let payload = self.random.one_in(2).then(|| self.value(payload));
        let message = self.value(TypeId::STRING);
        match self.random.below(if self.setting.can_act { 8 } else { 2 }) {
            0 => self.emit(Instruction::Print { message }),
            1 => {
                let condition = self.value(TypeId::BOOL);
                self.emit(Instruction::Assert { condition, message: payload.map(|_| message) });
            }
            2 => {
                let target = self.value(TypeId::MACHINE);
                self.emit(Instruction::Send { target, event, payload });
            }
            3 => self.emit(Instruction::Announce { event, payload }),
            4 => self.new_machine(),
            5 => {
                let to = self.register(TypeId::MACHINE);
                self.emit(Instruction::This { to });
            }
            6 => {
                let interface = InterfaceId(self.random.below(self.program.interfaces.len()) as u32);
                let (operand, to) = (self.value(TypeId::MACHINE), self.permission(interface));
                self.emit(Instruction::Permit { to, operand, interface });
            }
            _ => self.choose(),
        }
    }

    fn permission(&mut self, interface: InterfaceId) -> Register {
        let types = &self.program.types;
        let is_its_own = |ty: &Type| matches!(ty, Type::Permission(id) if types.permission(*id).origin == Origin::Interface(interface));
        let ty = types.iter().find(|(_, ty)| is_its_own(ty)).map_or(TypeId::MACHINE, |(id, _)| id);
        self.target(ty)
    }

    fn new_machine(&mut self) {
        let creates = self.machine().map_or(Vec::new(), |machine| machine.creates.clone());
        if creates.is_empty() || self.machine().is_some_and(|machine| machine.kind != MachineKind::Machine) {
            return;
        }
        let interface = self.random.pick(&creates);
        let payload = self.program[interface].payload;
        let payload = (payload != TypeId::NULL).then(|| self.value(payload));
        let to = self.random.one_in(2).then(|| self.permission(interface));
        self.emit(Instruction::New { to, interface, payload });
    }

    fn choose(&mut self) {
        let found = self.some_type(|ty| matches!(ty, Type::Seq(_) | Type::Set(_) | Type::Map(..)));
        let (to, from) = match (self.random.below(3), found) {
            (0, Some((ty, Type::Seq(member) | Type::Set(member) | Type::Map(member, _)))) => {
                (self.target(member), ChooseFrom::Elements(Operand::copy(self.register(ty))))
            }
            (1, _) => (self.target(TypeId::INT), ChooseFrom::Below(self.value(TypeId::INT))),
            _ => (self.target(TypeId::BOOL), ChooseFrom::Bool { fair: self.random.one_in(2) }),
        };
        self.emit(Instruction::Choose { to, from });
    }
}
