//! Plain instructions that are done at once.
//!
//! Each position of a function's code may begin a *fused* run: the instructions from there on whose values only serve
//! each other, up to one that puts the outcome somewhere. The code itself stays as it is, with its positions; so a machine
//! can stand, a jump can lead and a fault can happen anywhere. What is fused costs as much of the instruction limit as its
//! instructions, and leaves the same behind, but for registers that are not needed any more.

use crate::inlined::Calls;
use crate::link::Linked;
use crate::operators::takes_ints;
use crate::term::{Room, Scope, Term};
use crate::value::{Reference, Value};
use fabius_lang::ids::{EventId, FunctionId};
use fabius_lang::ir::{BinaryOp, Function, Instruction, Operand, Place, Register, Root, UnaryOp};
use fabius_lang::names::Name;
use fabius_lang::types::Type;

/// Instructions that are done at once.
#[derive(Debug)]
pub(crate) struct Fused {
    outcome: Outcome,
    /// How many they are.
    count: u32,
    /// Calls among them.
    calls: Option<Box<Calls>>,
    /// The registers that they move values out of, where those may hold memory.
    moved: Box<[u32]>,
}

/// How the code goes on.
#[derive(Debug)]
pub(crate) enum Next {
    /// With the instruction at a position.
    At(usize),
    /// With the `send` at a position, whose operands have been read: it sends [`Fused::run`]'s message.
    Send(usize),
    /// As before: nothing has been done.
    Declined,
}

/// What is sent.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) target: Reference,
    pub(crate) event: EventId,
    pub(crate) payload: Value,
}

/// Where the value of the last one goes.
#[derive(Debug)]
enum Outcome {
    Register(u32, Term),
    /// The same for a number.
    Number(u32, Term),
    Field(u32, Term),
    Branch {
        condition: Term,
        /// The register that the condition must be in afterwards.
        kept: Option<u32>,
        then: u32,
        otherwise: u32,
    },
    /// A branch on the comparison of two numbers that are at hand.
    Compare {
        op: BinaryOp,
        lhs: Term,
        rhs: Term,
        then: u32,
        otherwise: u32,
    },
    /// The value must be true.
    Assert(Term),
    Send {
        target: Term,
        event: Term,
        payload: Option<Term>,
    },
    /// A text that nobody hears, with its template; it need not be made.
    Unheard(u32, Name, Box<[Term]>),
}

impl Fused {
    /// Does what the instructions from `at` on do, and says how the code goes on. What is to be sent is put into `message`.
    #[inline]
    pub(crate) fn run(&self, scope: &mut Scope<'_>, at: usize, message: &mut Option<Sending>) -> Next {
        scope.work.set(u64::from(self.count));
        if let Some(calls) = &self.calls {
            if scope.depth.saturating_add(calls.depth) > scope.linked.options.limits.call_depth {
                return Next::Declined;
            }
            scope.work.set(u64::from(self.count + calls.work));
        }
        let next = at + self.count as usize;
        let goes_on = match &self.outcome {
            Outcome::Number(to, term) => self.number(scope, *to, term).map(|()| next),
            Outcome::Branch { condition, kept, then, otherwise } => self
                .condition(scope, condition, *kept)
                .map(|holds| if holds { *then } else { *otherwise } as usize),
            Outcome::Compare { op, lhs, rhs, then, otherwise } => {
                scope.compared(*op, lhs, rhs).and_then(|holds| {
                    self.pay(scope)?;
                    Some(if holds { *then } else { *otherwise } as usize)
                })
            }
            Outcome::Send { target, event, payload } => {
                *message = self.message(scope, target, event, payload.as_ref());
                return if message.is_some() { Next::Send(next - 1) } else { Next::Declined };
            }
            _ => self.other(scope).map(|()| next),
        };
        goes_on.map_or(Next::Declined, Next::At)
    }

    /// The functions that it calls.
    #[inline]
    pub(crate) fn called(&self) -> &[FunctionId] {
        self.calls.as_ref().map_or(&[], |calls| &calls.functions)
    }

    #[inline(never)]
    fn number(&self, scope: &mut Scope<'_>, to: u32, term: &Term) -> Option<()> {
        let number = scope.number(term)?;
        self.pay(scope)?;
        scope.registers[to as usize].put(Value::Int(number));
        Some(())
    }

    #[inline(never)]
    fn condition(&self, scope: &mut Scope<'_>, condition: &Term, kept: Option<u32>) -> Option<bool> {
        let holds = scope.truth(condition)?;
        self.pay(scope)?;
        if let Some(kept) = kept {
            scope.registers[kept as usize].put(Value::Bool(holds));
        }
        Some(holds)
    }

    #[inline(never)]
    fn message(
        &self,
        scope: &mut Scope<'_>,
        target: &Term,
        event: &Term,
        payload: Option<&Term>,
    ) -> Option<Sending> {
        let message = sending(scope, target, event, payload)?;
        self.pay(scope)?;
        Some(message)
    }

    /// What happens less often.
    #[inline(never)]
    fn other(&self, scope: &mut Scope<'_>) -> Option<()> {
        match &self.outcome {
            Outcome::Register(to, term) => {
                let value = scope.make(term)?;
                self.pay(scope)?;
                scope.registers[*to as usize].put(value);
            }
            Outcome::Field(to, term) => {
                let value = scope.make(term)?;
                self.pay(scope)?;
                scope.fields[*to as usize].put(value);
            }
            Outcome::Assert(term) => {
                scope.truth(term)?.then_some(())?;
                self.pay(scope)?;
            }
            Outcome::Unheard(to, template, arguments) => {
                pass_over(scope, *template, arguments)?;
                self.pay(scope)?;
                scope.registers[*to as usize].empty();
            }
            outcome => unreachable!("{outcome:?} is done elsewhere"),
        }
        Some(())
    }

    /// Pays, and empties the registers that are not needed any more; `None` if too little is left.
    #[inline]
    fn pay(&self, scope: &mut Scope<'_>) -> Option<()> {
        scope.fuel = scope.fuel.checked_sub(scope.work.get())?;
        for register in &self.moved {
            scope.registers[*register as usize].empty();
        }
        Some(())
    }
}

fn sending(scope: &Scope<'_>, target: &Term, event: &Term, payload: Option<&Term>) -> Option<Sending> {
    // Monitors do not send.
    scope.this?;
    let (mut target_room, mut event_room) = (Room::new(Value::Null), Room::new(Value::Null));
    let Value::Machine(target) = *scope.find(target, &mut target_room)? else { return None };
    let Value::Event(event) = *scope.find(event, &mut event_room)? else { return None };
    if event == EventId::NULL {
        return None;
    }
    let payload = match payload {
        Some(payload) => scope.make(payload)?,
        None => Value::Null,
    };
    Some(Sending { target, event, payload })
}

/// Pays for a text without making it, if it is surely within the limits.
fn pass_over(scope: &Scope<'_>, template: Name, arguments: &[Term]) -> Option<()> {
    if scope.is_narrated {
        return None;
    }
    let bytes = arguments.iter().map(|argument| scope.bytes(argument)).sum::<Option<usize>>()?;
    scope.pay(bytes / 16);
    scope.linked.fits_filled(scope.linked.program.name(template), bytes).then_some(())
}

/// For each position of a function what can be done at once there.
pub(crate) fn fuse(function: &Function, linked: &Linked) -> Box<[Option<Box<Fused>>]> {
    let longest = |at: usize| Window::new(linked, function, 0).longest(&function.code[at..]);
    (0..function.code.len()).map(|at| longest(at).map(Box::new)).collect()
}

/// Instructions that are looked at in their order.
pub(crate) struct Window<'a> {
    pub(crate) linked: &'a Linked,
    pub(crate) function: &'a Function,
    /// How many calls deep the function is looked into.
    pub(crate) level: u32,
    /// The registers that they have written, and nobody has read yet.
    pub(crate) pending: Vec<(Register, Term)>,
    pub(crate) calls: Calls,
    /// See [`Fused::moved`].
    moved: Vec<u32>,
}

impl<'a> Window<'a> {
    /// The most instructions that are done at once.
    pub(crate) const MOST: usize = 24;

    pub(crate) fn new(linked: &'a Linked, function: &'a Function, level: u32) -> Self {
        Self { linked, function, level, pending: Vec::new(), calls: Calls::default(), moved: Vec::new() }
    }

    fn longest(&mut self, code: &[Instruction]) -> Option<Fused> {
        let mut longest = None;
        for (nth, instruction) in code.iter().enumerate().take(Self::MOST) {
            let count = nth as u32 + 1;
            let Some((to, term)) = self.define(instruction) else {
                let last = self
                    .last(instruction, code.get(nth + 1))
                    .filter(|_| self.is_worth_it(count, instruction));
                return last.map(|outcome| self.fused(outcome, count)).or(longest);
            };
            if self.pending.is_empty() && self.is_worth_it(count, instruction) {
                longest = outcome_of(to, term.clone()).map(|outcome| self.fused(outcome, count)).or(longest);
            }
            if !self.expect(to, term) {
                return longest;
            }
        }
        longest
    }

    /// Lets a register be read. `false`: what is written twice before that is left alone.
    pub(crate) fn expect(&mut self, to: Register, term: Term) -> bool {
        let is_alone = self.pending.iter().all(|(register, _)| *register != to);
        self.pending.push((to, term));
        is_alone
    }

    /// Whether so many instructions up to this one are better done at once. A single one is if `plain.rs` leaves it to others.
    fn is_worth_it(&self, count: u32, last: &Instruction) -> bool {
        count > 1
            || match last {
                Instruction::This { .. }
                | Instruction::Call { .. }
                | Instruction::Element { .. }
                | Instruction::Lookup { .. }
                | Instruction::Contains { .. }
                | Instruction::Format { .. }
                | Instruction::Assert { .. } => true,
                Instruction::Binary { op: BinaryOp::Equal | BinaryOp::NotEqual, lhs, .. } => {
                    let ty = self.function.register_type(lhs.register);
                    !matches!(self.linked.program.types.get(ty), Type::Int | Type::Enum(_))
                }
                _ => false,
            }
    }

    fn fused(&self, outcome: Outcome, count: u32) -> Fused {
        let calls = (self.calls.depth > 0).then(|| Box::new(self.calls.clone()));
        Fused { outcome, count, calls, moved: self.moved.clone().into() }
    }

    /// The register that an instruction writes, and with what. Where it is `None`, nothing that was pending is of use any more.
    pub(crate) fn define(&mut self, instruction: &Instruction) -> Option<(Register, Term)> {
        Some(match instruction {
            Instruction::Const { to, value } => (*to, Term::Constant(self.linked.constant(*value))),
            Instruction::LoadParameter { to, parameter } => {
                (*to, Term::Constant(self.linked.parameter(*parameter).clone()))
            }
            Instruction::LoadField { to, field } => (*to, Term::Field(field.0)),
            Instruction::This { to } => (*to, Term::This),
            Instruction::Copy { to, from } => (*to, self.read(*from)?),
            Instruction::Call { to: Some(to), function, arguments } => {
                (*to, self.call(*function, arguments)?)
            }
            Instruction::Item { to, base, index } => {
                let names = self.linked.field_names(self.function.register_type(base.register)).cloned();
                (*to, Term::Item { base: self.read(*base)?.into(), index: *index, names })
            }
            Instruction::Element { to, base, index } => {
                let (base, index) = (self.read(*base)?.into(), self.read(*index)?.into());
                (*to, Term::Element { base, index })
            }
            Instruction::Lookup { to, base, key } => {
                let (base, key) = (self.read(*base)?.into(), self.read(*key)?.into());
                (*to, Term::Lookup { base, key })
            }
            Instruction::Contains { to, item, collection } => {
                let (item, collection) = (self.read(*item)?.into(), self.read(*collection)?.into());
                (*to, Term::Contains { item, collection })
            }
            Instruction::Tuple { to, items } => {
                let items = items.iter().map(|item| self.read(*item)).collect::<Option<_>>()?;
                let names = self.linked.field_names(self.function.register_type(*to)).cloned();
                (*to, Term::Tuple { names, items })
            }
            Instruction::Unary { op, to, operand } => {
                let term = Box::new(self.read(*operand)?);
                let term = match op {
                    UnaryOp::Not => Term::Not(term),
                    UnaryOp::Sizeof => Term::Sizeof(term),
                    UnaryOp::Keys => Term::Keys(term),
                    _ => return None,
                };
                (*to, term)
            }
            Instruction::Binary { op, to, lhs, rhs } => {
                let (lhs, rhs) = (self.read(*lhs)?.into(), self.read(*rhs)?.into());
                (*to, binary(*op, lhs, rhs)?)
            }
            _ => return None,
        })
    }

    /// What comes of an instruction that ends the run, if all that is pending goes into it.
    fn last(&mut self, instruction: &Instruction, next: Option<&Instruction>) -> Option<Outcome> {
        let outcome = match instruction {
            Instruction::Assign { place: Place { root, path }, value } if path.is_empty() => {
                let term = self.read(*value)?;
                match root {
                    Root::Register(register) => outcome_of(*register, term)?,
                    Root::Field(field) => Outcome::Field(field.0, term),
                }
            }
            Instruction::Branch { condition, then, otherwise } => {
                let kept = (!condition.is_move).then_some(condition.register.0);
                let condition = self.read(Operand { is_move: true, ..*condition })?;
                branch(condition, kept, then.0, otherwise.0)
            }
            Instruction::Assert { condition, .. } => Outcome::Assert(self.read(*condition)?),
            Instruction::Send { target, event, payload } => {
                let (target, event) = (self.read(*target)?, self.read(*event)?);
                let payload = match payload {
                    Some(payload) => Some(self.read(*payload)?),
                    None => None,
                };
                Outcome::Send { target, event, payload }
            }
            Instruction::Format { to, text, arguments } if self.is_unheard(*to, next?) => {
                let terms = arguments.iter().map(|argument| self.read(*argument)).collect::<Option<_>>()?;
                Outcome::Unheard(to.0, *text, terms)
            }
            _ => return None,
        };
        self.pending.is_empty().then_some(outcome)
    }

    /// Whether the text in a register is for nobody to hear unless the move is narrated.
    fn is_unheard(&self, text: Register, next: &Instruction) -> bool {
        let printed = Operand { register: text, is_move: true };
        match next {
            Instruction::Print { message } => *message == printed,
            Instruction::Call { function, arguments, .. } => {
                let unheard = &self.linked.function(*function).unheard;
                let is_silent = |at: usize| arguments[at].register != text || unheard.contains(&(at as u32));
                arguments.contains(&printed) && (0..arguments.len()).all(is_silent)
            }
            _ => false,
        }
    }

    /// What an operand reads; `None` if it is needed again and would have to be computed twice.
    pub(crate) fn read(&mut self, operand: Operand) -> Option<Term> {
        let register = operand.register;
        if let Some(at) = self.pending.iter().position(|(pending, _)| *pending == register) {
            return operand.is_move.then(|| self.pending.remove(at).1);
        }
        if operand.is_move && self.may_hold_memory(register) {
            self.moved.push(register.0);
        }
        Some(Term::Register(register.0))
    }

    fn may_hold_memory(&self, register: Register) -> bool {
        let ty = self.function.register_type(register);
        !matches!(
            self.linked.program.types.get(ty),
            Type::Bool
                | Type::Int
                | Type::Float
                | Type::Enum(_)
                | Type::Event
                | Type::Machine
                | Type::Permission(_)
        )
    }
}

fn branch(condition: Term, kept: Option<u32>, then: u32, otherwise: u32) -> Outcome {
    if kept.is_some() {
        return Outcome::Branch { condition, kept, then, otherwise };
    }
    match condition {
        Term::Ints { op, lhs, rhs } if lhs.is_leaf() && rhs.is_leaf() => {
            Outcome::Compare { op, lhs: *lhs, rhs: *rhs, then, otherwise }
        }
        Term::Equal { lhs, rhs, wanted }
            if lhs.is_leaf() && matches!(*rhs, Term::Constant(Value::Int(_))) =>
        {
            let op = if wanted { BinaryOp::Equal } else { BinaryOp::NotEqual };
            Outcome::Compare { op, lhs: *lhs, rhs: *rhs, then, otherwise }
        }
        condition => Outcome::Branch { condition, kept, then, otherwise },
    }
}

fn outcome_of(to: Register, term: Term) -> Option<Outcome> {
    match term {
        // A sequence of keys is made by its own instruction.
        Term::Keys(_) => None,
        Term::Sizeof(_) => Some(Outcome::Number(to.0, term)),
        Term::Ints { op, .. } if !is_comparison(op) => Some(Outcome::Number(to.0, term)),
        term => Some(Outcome::Register(to.0, term)),
    }
}

fn binary(op: BinaryOp, lhs: Box<Term>, rhs: Box<Term>) -> Option<Term> {
    Some(match op {
        BinaryOp::Equal => Term::Equal { lhs, rhs, wanted: true },
        BinaryOp::NotEqual => Term::Equal { lhs, rhs, wanted: false },
        op if takes_ints(op) => Term::Ints { op, lhs, rhs },
        _ => return None,
    })
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::LessInt | BinaryOp::LessOrEqualInt)
}

#[cfg(test)]
mod tests;
