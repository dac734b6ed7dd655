//! What instructions want of the registers they read, and give to those they write.

use super::Rule;
use super::types::Typing;
use crate::ids::InterfaceId;
use crate::ir::{Operand, Register};
use crate::types::{Type, TypeId};

impl<'p> Typing<'_, 'p> {
    pub(super) fn report(&mut self, rule: Rule, message: impl Into<String>) {
        self.verifier.report(rule, self.subject, message);
    }

    pub(super) fn show(&self, ty: TypeId) -> String {
        self.verifier.show(ty)
    }

    pub(super) fn ty(&self, operand: Operand) -> TypeId {
        self.function.register_type(operand.register)
    }

    pub(super) fn shape(&self, operand: Operand) -> Option<&'p Type> {
        self.verifier.shape(self.ty(operand))
    }

    pub(super) fn wants(&mut self, operand: Operand, ty: TypeId) {
        if !self.verifier.fits(ty, self.ty(operand)) {
            let wanted = self.show(ty);
            self.unusable(operand, &wanted);
        }
    }

    pub(super) fn unusable(&mut self, operand: Operand, wanted: &str) {
        let message =
            format!("r{} is of type {}, not {wanted}", operand.register.0, self.show(self.ty(operand)));
        self.report(Rule::OperandType, message);
    }

    pub(super) fn gives(&mut self, to: Register, ty: TypeId) {
        let register = self.function.register_type(to);
        if !self.verifier.fits(register, ty) {
            let (register, ty) = (self.show(register), self.show(ty));
            self.report(Rule::ResultType, format!("r{} is of type {register} and cannot hold {ty}", to.0));
        }
    }

    /// The type of such a sequence need not be in the table.
    pub(super) fn gives_sequence(&mut self, to: Register, element: TypeId) {
        let register = self.function.register_type(to);
        let fits = match self.verifier.shape(register) {
            Some(Type::Seq(to)) => self.verifier.fits(*to, element),
            Some(Type::Data) => self.verifier.fits(TypeId::DATA, element),
            Some(ty) => matches!(ty, Type::Any | Type::Error),
            None => true,
        };
        if !fits {
            let (register, element) = (self.show(register), self.show(element));
            let message = format!("r{} is of type {register} and cannot hold a sequence of {element}", to.0);
            self.report(Rule::ResultType, message);
        }
    }

    /// A machine behind an interface is of the interface's permission type, if there is one.
    pub(super) fn gives_machine(&mut self, to: Register, interface: Option<InterfaceId>) {
        let permission =
            interface.and_then(|interface| self.verifier.interface_types.get(&interface).copied());
        let register = self.function.register_type(to);
        let is_some_permission = matches!(self.verifier.shape(register), Some(Type::Permission(_)));
        if permission.is_some() || !is_some_permission {
            self.gives(to, permission.unwrap_or(TypeId::MACHINE));
        }
    }

    pub(super) fn are_comparable(&self, a: TypeId, b: TypeId) -> bool {
        self.verifier.fits(a, b) || self.verifier.fits(b, a)
    }

    /// The types of a tuple's items.
    pub(super) fn items(&self, ty: TypeId) -> Option<Vec<TypeId>> {
        match self.verifier.shape(ty)? {
            Type::Tuple(items) => Some(items.to_vec()),
            Type::NamedTuple(fields) => Some(fields.iter().map(|(_, ty)| *ty).collect()),
            _ => None,
        }
    }
}
