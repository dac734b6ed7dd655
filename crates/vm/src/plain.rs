//! The instructions that most code consists of, on a straight way: they touch nothing but registers and fields.
//!
//! Some of them are done here only in their usual form, say on numbers. The others, and all that calls, waits, fails or is
//! noticed by somebody else, are left to `execute.rs`.

use crate::bug::Fallible;
use crate::execute::check_extent;
use crate::fused::{Next, Sending};
use crate::machine::Local;
use crate::operators::unary;
use crate::place::item;
use crate::run::{Run, out_of_fuel};
use crate::term::Scope;
use crate::value::{Tuple, Value};
use fabius_lang::ir::{BinaryOp, Constant, Instruction, Operand, Place, Root, UnaryOp};
use std::cell::Cell;
use std::sync::Arc;

/// Where plain code ends.
#[derive(Debug)]
pub(crate) enum Reached<'a> {
    /// At an instruction that is not plain.
    Instruction(&'a Instruction),
    /// At a `send` whose operands have been read.
    Send(Sending),
}

impl<'a> Run<'a> {
    /// Runs the innermost function up to the first instruction that is not plain, and returns that one, paid for.
    #[inline]
    pub(crate) fn run_plain(&mut self) -> Fallible<Reached<'a>> {
        let linked = self.linked;
        let has_passed_point = self.has_passed_point();
        let Local { frames, values, .. } = &mut *self.local;
        let depth = frames.len() as u32;
        let frame = frames.last_mut().expect("code runs in a call");
        let (fields, registers) = values.split_at_mut(frame.base as usize);
        let function = &linked.program[frame.function];
        let code = &*function.code;
        let fused = &*linked.function(frame.function).fused;
        let mut at = frame.at as usize;
        // What is left over of the limit, and where the code stands, are written down where this ends.
        let (this, is_narrated, fuel) = (self.this, self.is_narrated, self.fuel);
        let mut scope =
            Scope { linked, fields, registers, this, is_narrated, fuel, depth, work: Cell::new(0) };
        let mut message = None;
        let end = loop {
            if let Some(fused) = &fused[at] {
                let next = fused.run(&mut scope, at, &mut message);
                if let Some(exercised) = self.exercised
                    && !matches!(next, Next::Declined)
                {
                    let places = fused.called().iter().map(|function| linked.places.called(*function));
                    exercised.note_all(places, has_passed_point.then_some(&mut self.uncertain));
                }
                match next {
                    Next::At(next) => {
                        at = next;
                        continue;
                    }
                    Next::Send(send) => {
                        at = send;
                        break Ok(Reached::Send(message.expect("it has been read")));
                    }
                    Next::Declined => {}
                }
            }
            let instruction = &code[at];
            let Some(less) = scope.fuel.checked_sub(1) else { break Err(out_of_fuel(linked)) };
            scope.fuel = less;
            let Scope { fields, registers, .. } = &mut scope;
            // Each puts its value where it belongs: a value that is first put together elsewhere, in parts, is copied only when
            // the processor has written all of them.
            match instruction {
                Instruction::Jump(label) => {
                    at = label.index();
                    continue;
                }
                Instruction::Branch { condition, then, otherwise } => {
                    let Value::Bool(holds) = registers[condition.register.index()] else {
                        break Ok(Reached::Instruction(instruction));
                    };
                    at = if holds { then.index() } else { otherwise.index() };
                    continue;
                }
                Instruction::Const { to, value: Constant::Int(number) } => {
                    registers[to.index()].put(Value::Int(*number));
                }
                Instruction::Const { to, value } => registers[to.index()].put(linked.constant(*value)),
                Instruction::Copy { to, from } => {
                    let value = take(registers, *from);
                    registers[to.index()].put(value);
                }
                Instruction::LoadField { to, field } => {
                    registers[to.index()].put_copy(&fields[field.index()]);
                }
                Instruction::LoadParameter { to, parameter } => {
                    registers[to.index()].put_copy(linked.parameter(*parameter));
                }
                Instruction::Item { to, base, index } => {
                    let names = linked.field_names(function.register_type(base.register));
                    match item(&registers[base.register.index()], *index, names) {
                        Ok(item) => {
                            let value = item.clone();
                            release(registers, *base);
                            registers[to.index()].put(value);
                        }
                        Err(fault) => break Err(fault),
                    }
                }
                Instruction::Tuple { to, items } => {
                    let items: Box<[Value]> = items.iter().map(|item| take(registers, *item)).collect();
                    let names = linked.field_names(function.register_type(*to)).cloned();
                    let tuple = Tuple::new(names, items);
                    if let Err(fault) = check_extent(tuple.extent(), &linked.options.limits) {
                        break Err(fault);
                    }
                    registers[to.index()].put(Value::Tuple(Arc::new(tuple)));
                }
                Instruction::Unary { op: op @ (UnaryOp::Not | UnaryOp::Sizeof), to, operand } => {
                    match unary(*op, &registers[operand.register.index()]) {
                        Ok(value) => {
                            release(registers, *operand);
                            registers[to.index()].put(value);
                        }
                        Err(fault) => break Err(fault),
                    }
                }
                Instruction::Binary { op, to, lhs, rhs } => {
                    // Numbers need not be released: a register that is not needed is emptied where the machine stops.
                    let operands = (&registers[lhs.register.index()], &registers[rhs.register.index()]);
                    let (Value::Int(lhs), Value::Int(rhs)) = operands else {
                        break Ok(Reached::Instruction(instruction));
                    };
                    match on_ints(*op, *lhs, *rhs) {
                        Some(Made::Int(number)) => registers[to.index()].put(Value::Int(number)),
                        Some(Made::Bool(holds)) => registers[to.index()].put(Value::Bool(holds)),
                        None => break Ok(Reached::Instruction(instruction)),
                    }
                }
                Instruction::Assign { place: Place { root, path }, value } if path.is_empty() => {
                    let value = take(registers, *value);
                    match root {
                        Root::Register(register) => registers[register.index()].put(value),
                        Root::Field(field) => fields[field.index()].put(value),
                    }
                }
                Instruction::Print { message } if !is_narrated => release(registers, *message),
                _ => break Ok(Reached::Instruction(instruction)),
            }
            at += 1;
        };
        frame.at = at as u32;
        self.fuel = scope.fuel;
        end
    }
}

fn take(registers: &mut [Value], operand: Operand) -> Value {
    let register = &mut registers[operand.register.index()];
    if operand.is_move { std::mem::replace(register, Value::Null) } else { register.clone() }
}

fn release(registers: &mut [Value], operand: Operand) {
    if operand.is_move {
        registers[operand.register.index()].empty();
    }
}

/// What comes of two numbers.
pub(crate) enum Made {
    Int(i64),
    Bool(bool),
}

/// What cannot fail.
#[inline]
pub(crate) fn on_ints(op: BinaryOp, lhs: i64, rhs: i64) -> Option<Made> {
    Some(match op {
        BinaryOp::AddInt => Made::Int(lhs.wrapping_add(rhs)),
        BinaryOp::SubtractInt => Made::Int(lhs.wrapping_sub(rhs)),
        BinaryOp::MultiplyInt => Made::Int(lhs.wrapping_mul(rhs)),
        BinaryOp::RemainderInt => Made::Int(lhs.checked_rem(rhs)?),
        BinaryOp::DivideInt => Made::Int(lhs.checked_div(rhs)?),
        BinaryOp::LessInt => Made::Bool(lhs < rhs),
        BinaryOp::LessOrEqualInt => Made::Bool(lhs <= rhs),
        BinaryOp::Equal => Made::Bool(lhs == rhs),
        BinaryOp::NotEqual => Made::Bool(lhs != rhs),
        _ => return None,
    })
}
