//! Calls of functions that only compute a value, as terms of their arguments.
//!
//! Such a function is a row of plain instructions and a `return`. To call it takes several times what it computes: registers
//! are made and dropped, and its arguments and its value go from one to the other. Where it is called, it is instead what
//! its `return` reads, with the arguments in the places of its parameters.
//!
//! It costs as much as the call, and is declined where the call would be one too many (see [`Calls`]); functions that were
//! called are noted all the same.

use crate::fused::Window;
use crate::term::Term;
use fabius_lang::ids::FunctionId;
use fabius_lang::ir::{Instruction, Operand, Place, Root};

/// The calls that are part of something done at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    /// Each time they occur.
    pub(crate) functions: Vec<FunctionId>,
    /// How many instructions they run.
    pub(crate) work: u32,
    /// How many of them are not over at the same time.
    pub(crate) depth: u32,
}

/// So deep calls are looked into.
const DEEPEST: u32 = 3;

impl Window<'_> {
    /// What a call comes to, if the function only computes a value.
    pub(crate) fn call(&mut self, function: FunctionId, arguments: &[Operand]) -> Option<Term> {
        let called = &self.linked.program[function];
        if called.is_foreign || self.level == DEEPEST {
            return None;
        }
        let mut inner = Window::new(self.linked, called, self.level + 1);
        let mut term = inner.returned()?;
        let arguments = arguments.iter().map(|argument| self.read(*argument)).collect::<Option<Vec<_>>>()?;
        let mut uses = vec![0; arguments.len()];
        term.each_register(&mut |_, register| uses[register as usize] += 1);
        // What is computed must be so just once: it may fail, and is paid for.
        let mut used = arguments.iter().zip(uses);
        let are_fit = used.all(|(term, uses)| {
            term.is_leaf() || uses == 1 && !matches!(term, Term::Keys(_) | Term::Tuple { .. })
        });
        if !are_fit {
            return None;
        }
        term.each_register(&mut |place, register| *place = arguments[register as usize].clone());
        self.calls.functions.push(function);
        self.calls.functions.append(&mut inner.calls.functions);
        self.calls.work += inner.calls.work;
        self.calls.depth = self.calls.depth.max(inner.calls.depth + 1);
        Some(term)
    }

    /// What the function returns, in terms of its parameters, if it does nothing else.
    fn returned(&mut self) -> Option<Term> {
        for (instruction, count) in self.function.code.iter().zip(1..=Window::MOST as u32) {
            let (to, term) = match instruction {
                Instruction::Return(value) => {
                    self.calls.work += count;
                    let mut term = self.read((*value)?)?;
                    let mut is_fit = self.pending.is_empty() && !matches!(term, Term::Keys(_));
                    // The others hold defaults.
                    term.each_register(&mut |_, register| is_fit &= register < self.function.parameters);
                    return is_fit.then_some(term);
                }
                // No variable of the function is left when it has returned.
                Instruction::Assign { place: Place { root: Root::Register(to), path }, value }
                    if path.is_empty() =>
                {
                    (*to, self.read(*value)?)
                }
                other => self.define(other)?,
            };
            if !self.expect(to, term) {
                return None;
            }
        }
        None
    }
}
