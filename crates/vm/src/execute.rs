//! The instructions, one by one; those that most code consists of are in `plain.rs`.
//!
//! Operands are read first and moved registers emptied afterwards, so the order among an instruction's operands does not
//! matter.

use crate::actions::not_in_monitor;
use crate::bug::{BugKind, Fallible, Fault};
use crate::cast::fits;
use crate::frames::Frame;
use crate::fused::Sending;
use crate::operators::{binary, contains, element, misfit, unary};
use crate::options::Limits;
use crate::place::{Access, Change, change, lookup, parts_touched};
use crate::plain::Reached;
use crate::run::{Flow, Run};
use crate::text::fill;
use crate::value::{Extent, Reference, Value};
use fabius_lang::ids::{EventId, InterfaceId};
use fabius_lang::ir::{BinaryOp, Instruction, Operand, Place, Projection, Register, Root, UnaryOp};
use fabius_lang::names::Name;
use fabius_lang::source::counted;
use fabius_lang::types::{Type, TypeId};
use fabius_model::Happening;

/// What one unit of the instruction limit pays for, in parts of values looked at.
pub(crate) const PARTS_PER_INSTRUCTION: usize = 32;

impl<'a> Run<'a> {
    /// Runs the innermost function until something happens that is not its own business.
    #[inline]
    pub(crate) fn execute(&mut self) -> Fallible<Flow> {
        loop {
            let flow = match self.run_plain()? {
                Reached::Send(Sending { target, event, payload }) => {
                    self.send_message(target, event, payload)?
                }
                Reached::Instruction(Instruction::Call { function, arguments, .. }) => {
                    self.call(*function, arguments)?
                }
                Reached::Instruction(Instruction::Return(value)) => {
                    let value = value.map_or(Value::Null, |value| self.take_operand(value));
                    self.return_value(value)?
                }
                Reached::Instruction(instruction) => self.instruction(instruction)?,
            };
            match flow {
                Flow::Execute => {}
                flow => return Ok(flow),
            }
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Fallible<Flow> {
        match instruction {
            Instruction::Const { .. }
            | Instruction::Copy { .. }
            | Instruction::LoadField { .. }
            | Instruction::LoadParameter { .. }
            | Instruction::Item { .. }
            | Instruction::Tuple { .. }
            | Instruction::Jump(_) => unreachable!("`plain.rs` does these"),
            Instruction::Call { .. } | Instruction::Return(_) => unreachable!("`execute` does these"),
            Instruction::This { to } => {
                let this = self.this()?;
                self.define(*to, this)
            }
            Instruction::Unary { op, to, operand } => self.unary(*op, *to, *operand),
            Instruction::Binary { op, to, lhs, rhs } => self.binary(*op, *to, *lhs, *rhs),
            Instruction::Element { to, base, index } => {
                let value = element(self.read(*base), self.read(*index))?;
                self.release(&[*base, *index]);
                self.define(*to, value)
            }
            Instruction::Lookup { to, base, key } => {
                let value = lookup(self.read(*base), self.read(*key))?;
                self.release(&[*base, *key]);
                self.define(*to, value)
            }
            Instruction::Contains { to, item, collection } => self.contains(*to, *item, *collection),
            Instruction::Cast { to, operand, ty } => self.cast(*to, *operand, *ty),
            Instruction::Permit { to, operand, interface } => self.permit(*to, *operand, *interface),
            Instruction::Format { to, text, arguments } => self.format(*to, *text, arguments),
            // In the order in which operands are evaluated: only the last of equal ones is a move.
            Instruction::Assign { place, value } => {
                let (path, value) = (self.path(place), self.take_operand(*value));
                self.change(place, &path, Change::Assign(value))
            }
            Instruction::Insert { place, key, value } => {
                let path = self.path(place);
                let (key, value) = (self.take_operand(*key), self.take_operand(*value));
                self.change(place, &path, Change::Insert(key, value))
            }
            Instruction::Add { place, value } => {
                let (path, value) = (self.path(place), self.take_operand(*value));
                self.change(place, &path, Change::Add(value))
            }
            Instruction::Remove { place, key } => {
                let (path, key) = (self.path(place), self.take_operand(*key));
                self.change(place, &path, Change::Remove(key))
            }
            Instruction::Branch { condition, then, otherwise } => {
                let Value::Bool(holds) = self.read(*condition) else {
                    return Err(misfit(self.read(*condition), "a bool"));
                };
                self.jump(if *holds { then.0 } else { otherwise.0 })
            }
            Instruction::Assert { condition, message } => self.assert(*condition, *message),
            Instruction::Print { message } => {
                let message = self.take_operand(*message);
                self.say(|run| Happening::Printed { text: run.text(&message) });
                self.next()
            }
            Instruction::Send { target, event, payload } => self.send(*target, *event, *payload),
            Instruction::Announce { event, payload } => self.announce(*event, *payload),
            Instruction::New { .. } => self.new_machine(),
            Instruction::Choose { from, .. } => self.choose(*from),
            Instruction::Receive { cases } => self.wait(cases),
            Instruction::Goto { state, payload } => {
                self.exercise_goto();
                let payload = payload.map_or(Value::Null, |payload| self.take_operand(payload));
                Ok(Flow::Goto(*state, payload))
            }
            Instruction::Raise { event, payload } => self.raise(*event, *payload),
            Instruction::Halt => {
                self.say_raised(EventId::HALT, &Value::Null);
                Ok(Flow::Raise(EventId::HALT, Value::Null))
            }
        }
    }

    // ---- registers ----

    pub(crate) fn frame(&self) -> &Frame {
        self.local.frames.last().expect("code runs in a call")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.local.frames.last_mut().expect("code runs in a call")
    }

    pub(crate) fn register_mut(&mut self, register: Register) -> &mut Value {
        let at = self.frame().base as usize + register.index();
        &mut self.local.values[at]
    }

    pub(crate) fn read(&self, operand: Operand) -> &Value {
        &self.local.values[self.frame().base as usize + operand.register.index()]
    }

    /// Empties the registers that are not needed any more.
    #[inline]
    pub(crate) fn release(&mut self, operands: &[Operand]) {
        for operand in operands {
            if operand.is_move {
                self.register_mut(operand.register).empty();
            }
        }
    }

    /// The value of an operand. Where an instruction has a register twice, only the last one of them is a move.
    #[inline]
    pub(crate) fn take_operand(&mut self, operand: Operand) -> Value {
        let register = self.register_mut(operand.register);
        if operand.is_move { std::mem::replace(register, Value::Null) } else { register.clone() }
    }

    /// Writes a register and goes on to the next instruction.
    #[inline]
    pub(crate) fn define(&mut self, to: Register, value: Value) -> Fallible<Flow> {
        self.register_mut(to).put(value);
        self.next()
    }

    pub(crate) fn next_instruction(&mut self) {
        self.frame_mut().at += 1;
    }

    pub(crate) fn next(&mut self) -> Fallible<Flow> {
        self.next_instruction();
        Ok(Flow::Execute)
    }

    pub(crate) fn jump(&mut self, at: u32) -> Fallible<Flow> {
        self.frame_mut().at = at;
        Ok(Flow::Execute)
    }

    fn register_type(&self, register: Register) -> TypeId {
        self.linked.program[self.frame().function].register_type(register)
    }

    /// Pays for work that grows with a value.
    fn charge_parts(&mut self, parts: usize) -> Fallible<()> {
        self.charge((parts / PARTS_PER_INSTRUCTION) as u64)
    }

    pub(crate) fn check_extent(&self, extent: Extent) -> Fallible<()> {
        check_extent(extent, &self.linked.options.limits)
    }

    // ---- values ----

    fn this(&self) -> Fallible<Value> {
        let this = self.this.ok_or_else(|| not_in_monitor("refer to a machine"))?;
        Ok(Value::Machine(this))
    }

    fn unary(&mut self, op: UnaryOp, to: Register, operand: Operand) -> Fallible<Flow> {
        if let (UnaryOp::Keys | UnaryOp::Values, Value::Map(map)) = (op, self.read(operand)) {
            self.charge_parts(map.len())?;
        }
        let value = unary(op, self.read(operand))?;
        self.release(&[operand]);
        self.define(to, value)
    }

    fn binary(&mut self, op: BinaryOp, to: Register, lhs: Operand, rhs: Operand) -> Fallible<Flow> {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Concatenate) {
            self.charge_parts((self.read(lhs).extent().bytes + self.read(rhs).extent().bytes) / 16)?;
        }
        let value = binary(op, self.read(lhs), self.read(rhs))?;
        self.check_extent(value.extent())?;
        self.release(&[lhs, rhs]);
        self.define(to, value)
    }

    fn contains(&mut self, to: Register, item: Operand, collection: Operand) -> Fallible<Flow> {
        if let Value::Seq(seq) = self.read(collection) {
            let parts = seq.items().len() + self.read(item).extent().bytes / 16;
            self.charge_parts(parts)?;
        }
        let value = contains(self.read(item), self.read(collection))?;
        self.release(&[item, collection]);
        self.define(to, value)
    }

    fn cast(&mut self, to: Register, operand: Operand, ty: TypeId) -> Fallible<Flow> {
        let value = self.take_operand(operand);
        if !fits(&value, ty, &self.linked.program) {
            let expected = self.linked.program.display_type(ty);
            return Err(Fault::new(BugKind::BadCast, format!("{} is not a `{expected}`", value.kind())));
        }
        self.define(to, value)
    }

    /// `machine to Interface`. As in P's checker this fails for null, and when the reference permits less than the
    /// interface asks for.
    fn permit(&mut self, to: Register, operand: Operand, interface: InterfaceId) -> Fallible<Flow> {
        let Value::Machine(reference) = *self.read(operand) else {
            let message = format!("{} where a machine is needed", self.read(operand).kind());
            return Err(Fault::new(BugKind::BadCast, message));
        };
        let permission = self.linked.permission_of_interface(interface);
        if !self.linked.permitted(permission).is_within(self.linked.permitted(reference.permission)) {
            let name = self.linked.program.name(self.linked.program[interface].name);
            let message =
                format!("the machine cannot be used as `{name}`: it may not be sent all its events");
            return Err(Fault::new(BugKind::BadCast, message));
        }
        self.release(&[operand]);
        self.define(to, Value::Machine(Reference { actor: reference.actor, permission }))
    }

    fn format(&mut self, to: Register, template: Name, arguments: &[Operand]) -> Fallible<Flow> {
        let bytes = arguments.iter().map(|argument| self.read(*argument).extent().bytes).sum::<usize>();
        self.charge_parts(bytes / 16)?;
        let template = self.linked.program.name(template);
        let texts: Vec<String> = arguments.iter().map(|argument| self.text(self.read(*argument))).collect();
        self.release(arguments);
        let value = Value::string(fill(template, &texts));
        debug_assert!(
            !self.linked.fits_filled(template, bytes) || self.check_extent(value.extent()).is_ok(),
            "what fits before it is filled in does so afterwards"
        );
        self.check_extent(value.extent())?;
        self.define(to, value)
    }

    // ---- places ----

    fn change(&mut self, place: &Place, path: &Path, what: Change) -> Fallible<Flow> {
        let root = match place.root {
            Root::Register(register) => self.register_mut(register),
            Root::Field(field) => &mut self.local.values[field.index()],
        };
        let path = path.as_slice();
        let parts = parts_touched(root, path, &what);
        change(root, path, what)?;
        let extent = root.extent();
        self.charge_parts(parts)?;
        self.check_extent(extent)?;
        self.next()
    }

    /// The steps into a place, with their keys read and the field names of the types they go through.
    fn path(&mut self, place: &Place) -> Path {
        let Some((last, others)) = place.path.split_last() else { return Path::None };
        let mut ty = match place.root {
            Root::Register(register) => self.register_type(register),
            Root::Field(field) => self.linked.program[self.machine][field].ty,
        };
        if others.is_empty() {
            return Path::One([self.access(last, ty)]);
        }
        let mut path = Vec::with_capacity(place.path.len());
        for projection in &place.path {
            path.push(self.access(projection, ty));
            ty = self.part_type(projection, ty);
        }
        Path::Many(path)
    }

    /// A step into a part of a value of a type.
    fn access(&mut self, projection: &Projection, ty: TypeId) -> Access {
        match projection {
            Projection::Item(index) => {
                Access::Item { index: *index, names: self.linked.field_names(ty).cloned() }
            }
            Projection::Index(operand) => Access::Index(self.take_operand(*operand)),
        }
    }

    /// The type of that part.
    fn part_type(&self, projection: &Projection, ty: TypeId) -> TypeId {
        match (projection, self.linked.program.types.get(ty)) {
            (Projection::Item(index), Type::Tuple(items)) => items[*index as usize],
            (Projection::Item(index), Type::NamedTuple(fields)) => fields[*index as usize].1,
            (Projection::Index(_), Type::Seq(element) | Type::Map(_, element)) => *element,
            _ => TypeId::ANY,
        }
    }
}

/// The steps into a place: hardly ever more than one.
enum Path {
    None,
    One([Access; 1]),
    Many(Vec<Access>),
}

impl Path {
    fn as_slice(&self) -> &[Access] {
        match self {
            Self::None => &[],
            Self::One(access) => access,
            Self::Many(path) => path,
        }
    }
}

pub(crate) fn check_extent(extent: Extent, limits: &Limits) -> Fallible<()> {
    if extent.bytes > limits.value_bytes {
        let message = format!("a value grew beyond {}", counted(limits.value_bytes as u64, "byte"));
        return Err(Fault::new(BugKind::ValueTooLarge, message));
    }
    if extent.depth > limits.value_depth {
        let message =
            format!("a value nests more than {} deep", counted(u64::from(limits.value_depth), "level"));
        return Err(Fault::new(BugKind::ValueTooLarge, message));
    }
    Ok(())
}
