//! The rules about types, instruction by instruction.

use super::{Rule, Subject, Verifier};
use crate::ids::{EventId, FunctionId, InterfaceId, StateId};
use crate::ir::{
    BinaryOp, ChooseFrom, Constant, Function, Instruction, Operand, Place, Projection, ReceiveCase, Register,
    Root, UnaryOp,
};
use crate::types::{Type, TypeId};
use rapidhash::RapidHashSet;

/// One instruction, all indices of which are in range.
pub(super) struct Typing<'v, 'p> {
    pub(super) verifier: &'v mut Verifier<'p>,
    pub(super) subject: Subject,
    pub(super) function: &'p Function,
}

impl<'p> Typing<'_, 'p> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Const { to, value } => self.constant(*to, *value),
            Instruction::Copy { to, from } => self.gives(*to, self.ty(*from)),
            Instruction::LoadField { to, field } => {
                // Without an owner nothing is known about the field; that was reported.
                if let Some(owner) = self.verifier.owner(self.function) {
                    self.gives(*to, owner[*field].ty);
                }
            }
            Instruction::LoadParameter { to, parameter } => {
                self.gives(*to, self.verifier.program[*parameter].ty);
            }
            Instruction::This { to } => {
                let name = self.verifier.owner(self.function).map(|owner| owner.name);
                self.gives_machine(*to, name.and_then(|name| self.verifier.interfaces.get(&name).copied()));
            }
            Instruction::Unary { op, to, operand } => self.unary(*op, *to, *operand),
            Instruction::Binary { op, to, lhs, rhs } => self.binary(*op, *to, *lhs, *rhs),
            Instruction::Tuple { to, items } => self.tuple(*to, items),
            Instruction::Item { to, base, index } => match self.items(self.ty(*base)) {
                Some(items) => match items.get(*index as usize) {
                    Some(item) => self.gives(*to, *item),
                    None => self.report(Rule::TupleShape, format!("the tuple has no item {index}")),
                },
                None => self.unusable(*base, "a tuple"),
            },
            Instruction::Element { to, base, index } => {
                self.wants(*index, TypeId::INT);
                match self.shape(*base) {
                    Some(Type::Seq(element) | Type::Set(element)) => self.gives(*to, *element),
                    _ => self.unusable(*base, "a sequence or set"),
                }
            }
            Instruction::Lookup { to, base, key } => match self.shape(*base) {
                Some(Type::Map(key_type, value)) => {
                    self.wants(*key, *key_type);
                    self.gives(*to, *value);
                }
                _ => self.unusable(*base, "a map"),
            },
            Instruction::Contains { to, item, collection } => {
                self.gives(*to, TypeId::BOOL);
                match self.shape(*collection) {
                    Some(Type::Seq(member) | Type::Set(member) | Type::Map(member, _)) => {
                        self.wants(*item, *member);
                    }
                    _ => self.unusable(*collection, "a collection"),
                }
            }
            // Whether the operand's value fits is known only when the cast is done.
            Instruction::Cast { to, ty, .. } => self.gives(*to, *ty),
            Instruction::Permit { to, operand, interface } => {
                self.wants(*operand, TypeId::MACHINE);
                self.gives_machine(*to, Some(*interface));
            }
            Instruction::Format { to, .. } => self.gives(*to, TypeId::STRING),
            Instruction::Choose { to, from } => self.choose(*to, *from),
            _ => self.statement(instruction),
        }
    }

    fn statement(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Assign { place, value } => {
                if let Some(ty) = self.place(place) {
                    self.wants(*value, ty);
                }
            }
            Instruction::Insert { place, key, value } => match self.place_shape(place) {
                Some(Type::Seq(element)) => {
                    self.wants(*key, TypeId::INT);
                    self.wants(*value, *element);
                }
                Some(Type::Map(key_type, value_type)) => {
                    self.wants(*key, *key_type);
                    self.wants(*value, *value_type);
                }
                Some(_) => self.report(Rule::PlaceType, "only sequences and maps can be inserted into"),
                None => {}
            },
            Instruction::Add { place, value } => match self.place_shape(place) {
                Some(Type::Set(element)) => self.wants(*value, *element),
                Some(_) => self.report(Rule::PlaceType, "only sets can be added to"),
                None => {}
            },
            Instruction::Remove { place, key } => match self.place_shape(place) {
                Some(Type::Seq(_)) => self.wants(*key, TypeId::INT),
                Some(Type::Set(member) | Type::Map(member, _)) => self.wants(*key, *member),
                Some(_) => self.report(Rule::PlaceType, "only collections can be removed from"),
                None => {}
            },
            Instruction::Branch { condition, .. } => self.wants(*condition, TypeId::BOOL),
            Instruction::Call { to, function, arguments } => self.call(*to, *function, arguments),
            Instruction::Return(value) => {
                let ty = value.map_or(TypeId::NULL, |value| self.ty(value));
                if !self.verifier.fits(self.function.result, ty) {
                    let (ty, result) = (self.show(ty), self.show(self.function.result));
                    self.report(Rule::ReturnValue, format!("{ty} is returned where the result is {result}"));
                }
            }
            Instruction::Assert { condition, message } => {
                self.wants(*condition, TypeId::BOOL);
                if let Some(message) = message {
                    self.wants(*message, TypeId::STRING);
                }
            }
            Instruction::Print { message } => self.wants(*message, TypeId::STRING),
            Instruction::Send { target, event, .. } => {
                self.wants(*target, TypeId::MACHINE);
                self.wants(*event, TypeId::EVENT);
            }
            Instruction::Announce { event, .. } | Instruction::Raise { event, .. } => {
                self.wants(*event, TypeId::EVENT);
            }
            Instruction::New { to, interface, payload } => self.new_machine(*to, *interface, *payload),
            Instruction::Receive { cases } => self.receive(cases),
            Instruction::Goto { state, payload: Some(payload) } => self.goto(*state, *payload),
            _ => {}
        }
    }

    fn constant(&mut self, to: Register, value: Constant) {
        let ty = self.function.register_type(to);
        if !self.verifier.constant_fits(ty, value) {
            let ty = self.show(ty);
            return self.report(Rule::ResultType, format!("a register of type {ty} cannot hold {value:?}"));
        }
        if let (Constant::Enum(value), Some(Type::Enum(id))) = (value, self.verifier.shape(ty)) {
            let elements = &self.verifier.program[*id].elements;
            if !elements.iter().any(|element| element.value == value) {
                self.report(Rule::EnumConstant, format!("the enum has no element with the number {value}"));
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, to: Register, operand: Operand) {
        let (from, result) = match op {
            UnaryOp::Not => (TypeId::BOOL, TypeId::BOOL),
            UnaryOp::NegateInt => (TypeId::INT, TypeId::INT),
            UnaryOp::NegateFloat => (TypeId::FLOAT, TypeId::FLOAT),
            UnaryOp::IntToFloat => (TypeId::INT, TypeId::FLOAT),
            UnaryOp::FloatToInt => (TypeId::FLOAT, TypeId::INT),
            UnaryOp::EnumToInt => {
                if !matches!(self.shape(operand), Some(Type::Enum(_))) {
                    self.unusable(operand, "an enum element");
                }
                return self.gives(to, TypeId::INT);
            }
            UnaryOp::Sizeof => {
                if !matches!(self.shape(operand), Some(Type::Seq(_) | Type::Set(_) | Type::Map(..))) {
                    self.unusable(operand, "a collection");
                }
                return self.gives(to, TypeId::INT);
            }
            UnaryOp::Keys | UnaryOp::Values => {
                return match self.shape(operand) {
                    Some(Type::Map(key, _)) if op == UnaryOp::Keys => self.gives_sequence(to, *key),
                    Some(Type::Map(_, value)) => self.gives_sequence(to, *value),
                    _ => self.unusable(operand, "a map"),
                };
            }
        };
        self.wants(operand, from);
        self.gives(to, result);
    }

    fn binary(&mut self, op: BinaryOp, to: Register, lhs: Operand, rhs: Operand) {
        let (from, result) = match op {
            BinaryOp::AddInt
            | BinaryOp::SubtractInt
            | BinaryOp::MultiplyInt
            | BinaryOp::DivideInt
            | BinaryOp::RemainderInt => (TypeId::INT, TypeId::INT),
            BinaryOp::AddFloat
            | BinaryOp::SubtractFloat
            | BinaryOp::MultiplyFloat
            | BinaryOp::DivideFloat
            | BinaryOp::RemainderFloat => (TypeId::FLOAT, TypeId::FLOAT),
            BinaryOp::Concatenate => (TypeId::STRING, TypeId::STRING),
            BinaryOp::LessInt | BinaryOp::LessOrEqualInt => (TypeId::INT, TypeId::BOOL),
            BinaryOp::LessFloat | BinaryOp::LessOrEqualFloat => (TypeId::FLOAT, TypeId::BOOL),
            BinaryOp::LessString | BinaryOp::LessOrEqualString => (TypeId::STRING, TypeId::BOOL),
            BinaryOp::Equal | BinaryOp::NotEqual => {
                if !self.are_comparable(self.ty(lhs), self.ty(rhs)) {
                    let (lhs, rhs) = (self.show(self.ty(lhs)), self.show(self.ty(rhs)));
                    self.report(Rule::OperandType, format!("{lhs} and {rhs} have no values in common"));
                }
                return self.gives(to, TypeId::BOOL);
            }
        };
        self.wants(lhs, from);
        self.wants(rhs, from);
        self.gives(to, result);
    }

    fn tuple(&mut self, to: Register, items: &[Operand]) {
        let Some(types) = self.items(self.function.register_type(to)) else {
            let ty = self.show(self.function.register_type(to));
            return self.report(Rule::ResultType, format!("a register of type {ty} cannot hold a tuple"));
        };
        if types.len() != items.len() {
            let message = format!("a tuple of {} items is built from {}", types.len(), items.len());
            return self.report(Rule::TupleShape, message);
        }
        items.iter().zip(types).for_each(|(item, ty)| self.wants(*item, ty));
    }

    fn choose(&mut self, to: Register, from: ChooseFrom) {
        match from {
            ChooseFrom::Bool { .. } => self.gives(to, TypeId::BOOL),
            ChooseFrom::Below(limit) => {
                self.wants(limit, TypeId::INT);
                self.gives(to, TypeId::INT);
            }
            ChooseFrom::Elements(collection) => match self.shape(collection) {
                Some(Type::Seq(member) | Type::Set(member) | Type::Map(member, _)) => self.gives(to, *member),
                _ => self.unusable(collection, "a collection"),
            },
        }
    }

    fn call(&mut self, to: Option<Register>, callee: FunctionId, arguments: &[Operand]) {
        let callee = &self.verifier.program[callee];
        let parameters = callee.registers.iter().take(callee.parameters as usize);
        if parameters.len() != arguments.len() {
            let message =
                format!("{} arguments are given for {} parameters", arguments.len(), parameters.len());
            self.report(Rule::CallArguments, message);
        }
        for (parameter, argument) in parameters.zip(arguments) {
            if !self.verifier.fits(parameter.ty, self.ty(*argument)) {
                let (ty, parameter) = (self.show(self.ty(*argument)), self.show(parameter.ty));
                self.report(
                    Rule::CallArguments,
                    format!("{ty} is given for a parameter of type {parameter}"),
                );
            }
        }
        to.into_iter().for_each(|to| self.gives(to, callee.result));
    }

    fn new_machine(&mut self, to: Option<Register>, interface: InterfaceId, payload: Option<Operand>) {
        let wanted = self.verifier.program[interface].payload;
        let given = payload.map_or(TypeId::NULL, |payload| self.ty(payload));
        if !self.verifier.fits(wanted, given) {
            let (wanted, given) = (self.show(wanted), self.show(given));
            self.report(Rule::NewPayload, format!("the interface takes {wanted} and is given {given}"));
        }
        to.into_iter().for_each(|to| self.gives_machine(to, Some(interface)));
    }

    fn receive(&mut self, cases: &[ReceiveCase]) {
        let mut seen = RapidHashSet::default();
        for case in cases {
            if case.events.is_empty() {
                self.report(Rule::ReceiveCases, "a case has no events");
            }
            for event in &case.events {
                if !seen.insert(*event) {
                    self.report(Rule::ReceiveCases, format!("event #{} has two cases", event.0));
                }
                case.payload.into_iter().for_each(|register| self.received(*event, register));
            }
        }
    }

    fn received(&mut self, event: EventId, register: Register) {
        let (to, payload) = (self.function.register_type(register), self.verifier.program[event].payload);
        if !self.verifier.fits(to, payload) {
            let (to, payload) = (self.show(to), self.show(payload));
            let message = format!("the payload of event #{} is {payload}, the register holds {to}", event.0);
            self.report(Rule::ReceiveCases, message);
        }
    }

    fn goto(&mut self, state: StateId, payload: Operand) {
        let Some(owner) = self.verifier.owner(self.function) else { return };
        let functions = &self.verifier.program.functions;
        let entry = owner[state].entry.and_then(|entry| functions.get(entry.index()));
        let parameter = entry.filter(|entry| entry.parameters > 0).and_then(|entry| entry.registers.first());
        match parameter {
            None => self.report(Rule::GotoPayload, "the state's entry function takes no payload"),
            Some(parameter) if !self.verifier.fits(parameter.ty, self.ty(payload)) => {
                let (wanted, given) = (self.show(parameter.ty), self.show(self.ty(payload)));
                self.report(
                    Rule::GotoPayload,
                    format!("the entry function takes {wanted} and is given {given}"),
                );
            }
            Some(_) => {}
        }
    }

    /// The type of what a place holds, if the path leads somewhere.
    fn place(&mut self, place: &Place) -> Option<TypeId> {
        let mut ty = match place.root {
            Root::Register(register) => self.function.register_type(register),
            Root::Field(field) => self.verifier.owner(self.function)?[field].ty,
        };
        for projection in &place.path {
            ty = self.projection(ty, *projection)?;
        }
        Some(ty)
    }

    fn projection(&mut self, ty: TypeId, projection: Projection) -> Option<TypeId> {
        let found = match (projection, self.verifier.shape(ty)?) {
            (Projection::Item(item), Type::Tuple(_) | Type::NamedTuple(_)) => {
                self.items(ty).and_then(|items| items.get(item as usize).copied())
            }
            (Projection::Index(index), Type::Seq(element)) => {
                self.wants(index, TypeId::INT);
                Some(*element)
            }
            (Projection::Index(index), Type::Map(key, value)) => {
                self.wants(index, *key);
                Some(*value)
            }
            _ => None,
        };
        if found.is_none() {
            let message = format!("the path cannot go on from {} with {projection:?}", self.show(ty));
            self.report(Rule::PlaceType, message);
        }
        found
    }

    fn place_shape(&mut self, place: &Place) -> Option<&'p Type> {
        let ty = self.place(place)?;
        self.verifier.shape(ty)
    }
}
