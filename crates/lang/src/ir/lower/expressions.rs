//! Expressions.

use super::function::{Builder, Value};
use crate::check::{InterfaceInfo, Resolution};
use crate::ids::{EventId, InterfaceId};
use crate::ir::{BinaryOp, ChooseFrom, Constant, Instruction, Label, Operand, Register, UnaryOp};
use crate::source::Span;
use crate::syntax::tree::{self, ExprId, ExprKind, Ident};
use crate::types::{Origin, PermissionId, Type, TypeId};

impl Builder<'_> {
    pub(super) fn ty(&self, id: ExprId) -> TypeId {
        self.checked.expr_types[id.0 as usize]
    }

    pub(super) fn resolution(&self, id: ExprId) -> Resolution {
        self.checked.expr_resolutions[id.0 as usize]
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.tree[id].span
    }

    /// Evaluates an expression and keeps its value as it is now.
    pub(super) fn operand(&mut self, id: ExprId) -> Operand {
        let value = self.value(id);
        self.materialise(value, self.span(id))
    }

    pub(super) fn operands(&mut self, ids: &[ExprId]) -> Box<[Operand]> {
        ids.iter().map(|id| self.operand(*id)).collect()
    }

    /// Evaluates an expression; a plain variable is read only when the value is used.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        match self.simple_value(id) {
            Some(value) => value,
            None => {
                let to = self.temporary(self.ty(id));
                self.compute(id, to);
                Value::Register(to)
            }
        }
    }

    /// Evaluates an expression into a register that may be a variable occurring in it.
    pub(super) fn value_into(&mut self, id: ExprId, to: Register) {
        if let Some(value) = self.simple_value(id) {
            return self.store(to, value, self.span(id));
        }
        // A branching expression writes its result before it has read everything, and a tuple gets its type from the
        // register it is made in.
        if self.is_branching(id) || self.function.register_type(to) != self.ty(id) {
            let value = self.value(id);
            return self.store(to, value, self.span(id));
        }
        self.compute(id, to);
    }

    fn is_branching(&self, id: ExprId) -> bool {
        use tree::BinaryOp::{And, Implies, Or};
        matches!(self.tree[id].kind, ExprKind::Binary { op: And | Or | Implies, .. })
    }

    /// Values that need no computation.
    fn simple_value(&mut self, id: ExprId) -> Option<Value> {
        let ty = self.ty(id);
        let constant = |value| Some(Value::Constant(value, ty));
        match &self.tree[id].kind {
            ExprKind::Name(_) | ExprKind::Halt => match self.resolution(id) {
                Resolution::Local(local) => Some(Value::Register(Self::local(local))),
                Resolution::Field(field) => Some(Value::Field(field)),
                Resolution::Parameter(parameter) => Some(Value::Parameter(parameter, ty)),
                Resolution::EnumElement(value) => constant(Constant::Enum(value)),
                Resolution::Event(event) => constant(Constant::Event(event)),
                _ => unreachable!("a checked name in running code is a variable or a constant"),
            },
            ExprKind::Int(value) => constant(Constant::Int((*value).into())),
            ExprKind::Float(value) => constant(Constant::Float(*value)),
            ExprKind::Bool(value) => constant(Constant::Bool(*value)),
            ExprKind::Null => constant(Constant::Null),
            ExprKind::String(text) if !self.has_braces(*text) => constant(Constant::String(*text)),
            ExprKind::Default(_) => constant(Constant::Default(ty)),
            ExprKind::This => Some(Value::This(ty)),
            // A cast to a more general type changes nothing.
            ExprKind::Cast { operand, .. } if self.checked.types.is_assignable(ty, self.ty(*operand)) => {
                Some(self.value(*operand))
            }
            ExprKind::Convert { operand, .. } if self.ty(*operand) == ty && !self.is_machine(ty) => {
                Some(self.value(*operand))
            }
            _ => None,
        }
    }

    fn is_machine(&self, ty: TypeId) -> bool {
        matches!(self.checked.types.get(ty), Type::Machine | Type::Permission(_))
    }

    fn has_braces(&self, text: crate::names::Name) -> bool {
        self.tree.names.text(text).contains(['{', '}'])
    }

    /// Emits the code of an expression that is not simple; its last instruction writes `to`.
    fn compute(&mut self, id: ExprId, to: Register) {
        let tree = self.tree;
        let span = self.span(id);
        match &tree[id].kind {
            ExprKind::String(text) => {
                self.emit(Instruction::Format { to, text: *text, arguments: Box::default() }, span);
            }
            ExprKind::Format { text, arguments, .. } => {
                let arguments = self.operands(arguments);
                self.emit(Instruction::Format { to, text: *text, arguments }, span);
            }
            ExprKind::Tuple(items) => {
                let items = self.operands(items);
                self.emit(Instruction::Tuple { to, items }, span);
            }
            ExprKind::NamedTuple(fields) => {
                let items = fields.iter().map(|(_, value)| self.operand(*value)).collect();
                self.emit(Instruction::Tuple { to, items }, span);
            }
            ExprKind::Field { base, .. } => {
                let Resolution::Item(index) = self.resolution(id) else {
                    unreachable!("a checked field in running code has a position")
                };
                self.compute_item(*base, index, to, span);
            }
            ExprKind::Item { base, index, .. } => self.compute_item(*base, *index, to, span),
            ExprKind::Index { base, index } => self.compute_element(*base, *index, to, span),
            ExprKind::Keys(operand) => self.compute_unary(UnaryOp::Keys, *operand, to, span),
            ExprKind::Values(operand) => self.compute_unary(UnaryOp::Values, *operand, to, span),
            ExprKind::Sizeof(operand) => self.compute_unary(UnaryOp::Sizeof, *operand, to, span),
            ExprKind::New { arguments, .. } => {
                let Resolution::Interface(interface) = self.resolution(id) else {
                    unreachable!("a checked `new` names an interface")
                };
                let wanted = self.checked.interfaces[interface.index()].payload;
                let payload = self.payload(arguments, Some(wanted), span);
                self.emit(Instruction::New { to: Some(to), interface, payload }, span);
            }
            ExprKind::Call { arguments, .. } => self.compute_call(id, arguments, to),
            ExprKind::Unary { op, operand } => {
                let op = match (op, self.ty(*operand)) {
                    (tree::UnaryOp::Not, _) => UnaryOp::Not,
                    (tree::UnaryOp::Negate, TypeId::FLOAT) => UnaryOp::NegateFloat,
                    (tree::UnaryOp::Negate, _) => UnaryOp::NegateInt,
                };
                self.compute_unary(op, *operand, to, span);
            }
            ExprKind::Binary { .. } => self.compute_binary(id, to),
            ExprKind::Cast { operand, .. } => {
                let ty = self.ty(id);
                let operand = self.operand(*operand);
                self.emit(Instruction::Cast { to, operand, ty }, span);
            }
            ExprKind::Convert { operand, .. } => self.compute_conversion(id, *operand, to),
            ExprKind::Nondet { fair } => {
                self.emit(Instruction::Choose { to, from: ChooseFrom::Bool { fair: *fair } }, span);
            }
            ExprKind::Choose(from) => self.compute_choose(*from, to, span),
            _ => unreachable!("a checked expression in running code is not the verifier's"),
        }
    }

    fn compute_item(&mut self, base: ExprId, index: u32, to: Register, span: Span) {
        let base = self.operand(base);
        self.emit(Instruction::Item { to, base, index }, span);
    }

    fn compute_element(&mut self, base: ExprId, index: ExprId, to: Register, span: Span) {
        let is_map = matches!(self.checked.types.get(self.ty(base)), Type::Map(..));
        let (base, index) = (self.value(base), self.value(index));
        let (base, key) = (self.materialise(base, span), self.materialise(index, span));
        self.emit(
            if is_map {
                Instruction::Lookup { to, base, key }
            } else {
                Instruction::Element { to, base, index: key }
            },
            span,
        );
    }

    fn compute_unary(&mut self, op: UnaryOp, operand: ExprId, to: Register, span: Span) {
        let operand = self.operand(operand);
        self.emit(Instruction::Unary { op, to, operand }, span);
    }

    fn compute_call(&mut self, id: ExprId, arguments: &[ExprId], to: Register) {
        let Resolution::Function(function) = self.resolution(id) else {
            unreachable!("a checked call in running code names a function")
        };
        let span = self.span(id);
        let arguments = self.operands(arguments);
        let has_result = self.checked.functions[function.0 as usize].result != TypeId::NULL;
        let function = crate::check::ir_function(function);
        self.emit(Instruction::Call { to: has_result.then_some(to), function, arguments }, span);
        if !has_result {
            self.emit(Instruction::Const { to, value: Constant::Null }, span);
        }
    }

    fn compute_conversion(&mut self, id: ExprId, operand: ExprId, to: Register) {
        let (from_type, to_type, span) = (self.ty(operand), self.ty(id), self.span(id));
        let operand = self.operand(operand);
        let types = &self.checked.types;
        let instruction = match (types.get(from_type), types.get(to_type)) {
            (Type::Int, Type::Float) => Instruction::Unary { op: UnaryOp::IntToFloat, to, operand },
            (Type::Float, Type::Int) => Instruction::Unary { op: UnaryOp::FloatToInt, to, operand },
            (Type::Enum(_), _) => Instruction::Unary { op: UnaryOp::EnumToInt, to, operand },
            (_, Type::Permission(permission)) => {
                let interface = self.interface_of(*permission);
                Instruction::Permit { to, operand, interface }
            }
            _ => unreachable!("a checked conversion is between numbers, enums and machines"),
        };
        self.emit(instruction, span);
    }

    /// The interface of a permission type. An event set that machines are converted to becomes an interface that nobody
    /// implements.
    fn interface_of(&mut self, permission: PermissionId) -> InterfaceId {
        let permission = self.checked.types.permission(permission);
        if let Origin::Interface(interface) = permission.origin {
            return interface;
        }
        let name = permission.name;
        let known = self.checked.interfaces.iter().position(|interface| interface.name.name == name);
        let index = known.unwrap_or_else(|| {
            self.checked.interfaces.push(InterfaceInfo {
                name: Ident { name, span: Span::default() },
                payload: TypeId::NULL,
                receives: permission.events.clone(),
                machine: None,
                ty: TypeId::ERROR,
            });
            self.checked.tests.iter_mut().for_each(|test| test.bindings.push(None));
            self.checked.interfaces.len() - 1
        });
        InterfaceId(index as u32)
    }

    fn compute_choose(&mut self, from: Option<ExprId>, to: Register, span: Span) {
        let from = match from {
            None => ChooseFrom::Bool { fair: false },
            Some(from) => {
                let is_int = self.ty(from) == TypeId::INT;
                let operand = self.operand(from);
                if is_int { ChooseFrom::Below(operand) } else { ChooseFrom::Elements(operand) }
            }
        };
        self.emit(Instruction::Choose { to, from }, span);
    }

    /// Walks the left spine of operators in a loop: it can be of any length.
    fn compute_binary(&mut self, id: ExprId, to: Register) {
        let tree = self.tree;
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let ExprKind::Binary { op, lhs, rhs } = tree[leftmost].kind {
            spine.push((leftmost, op, lhs, rhs));
            leftmost = lhs;
        }
        let mut value = self.value(leftmost);
        // The register of the spine's value so far, to be written again by the next operator.
        let mut own: Option<Register> = None;
        while let Some((node, op, lhs, rhs)) = spine.pop() {
            let ty = self.ty(node);
            let reusable = own.filter(|own| self.function.register_type(*own) == ty);
            let target = match reusable {
                _ if spine.is_empty() => to,
                Some(own) => own,
                None => self.temporary(ty),
            };
            own = Some(target);
            let mark = self.mark();
            let span = tree[node].span;
            match op {
                tree::BinaryOp::And | tree::BinaryOp::Or | tree::BinaryOp::Implies => {
                    self.short_circuit(op, value, rhs, target, span);
                }
                _ => self.apply(op, (value, self.ty(lhs)), rhs, target, span),
            }
            self.release(mark);
            value = Value::Register(target);
        }
    }

    /// `target = lhs op rhs`, where `rhs` is evaluated only if it matters.
    fn short_circuit(&mut self, op: tree::BinaryOp, lhs: Value, rhs: ExprId, target: Register, span: Span) {
        let (more, end) = (self.label(), self.label());
        match op {
            tree::BinaryOp::Implies => {
                let operand = self.materialise(lhs, span);
                self.emit(Instruction::Unary { op: UnaryOp::Not, to: target, operand }, span);
            }
            _ => self.store(target, lhs, span),
        }
        let (then, otherwise) = if op == tree::BinaryOp::And { (more, end) } else { (end, more) };
        self.emit(Instruction::Branch { condition: Operand::copy(target), then, otherwise }, span);
        self.place(more);
        self.value_into(rhs, target);
        self.place(end);
    }

    fn apply(
        &mut self,
        op: tree::BinaryOp,
        (lhs, ty): (Value, TypeId),
        rhs: ExprId,
        to: Register,
        span: Span,
    ) {
        let rhs = self.value(rhs);
        let (lhs, rhs) = (self.materialise(lhs, span), self.materialise(rhs, span));
        if op == tree::BinaryOp::In {
            return self.emit(Instruction::Contains { to, item: lhs, collection: rhs }, span);
        }
        let (op, is_swapped) = operator(op, ty);
        let (lhs, rhs) = if is_swapped { (rhs, lhs) } else { (lhs, rhs) };
        self.emit(Instruction::Binary { op, to, lhs, rhs }, span);
    }

    /// Goes to `then` or `otherwise` depending on a condition, without computing `&&`, `||` and `!` as values.
    pub(super) fn branch(&mut self, id: ExprId, then: Label, otherwise: Label) {
        let span = self.span(id);
        match self.tree[id].kind {
            ExprKind::Unary { op: tree::UnaryOp::Not, operand } => self.branch(operand, otherwise, then),
            ExprKind::Binary { op: tree::BinaryOp::And | tree::BinaryOp::Or, .. } => {
                self.branch_spine(id, then, otherwise);
            }
            _ => {
                let condition = self.operand(id);
                self.emit(Instruction::Branch { condition, then, otherwise }, span);
            }
        }
    }

    /// A spine of `&&` and `||`, innermost first: each operator decides where its left side goes.
    fn branch_spine(&mut self, id: ExprId, then: Label, otherwise: Label) {
        use tree::BinaryOp::{And, Or};
        let mut spine = Vec::new();
        let (mut leftmost, mut targets) = (id, (then, otherwise));
        while let ExprKind::Binary { op: op @ (And | Or), lhs, rhs } = self.tree[leftmost].kind {
            let next = self.label();
            spine.push((rhs, next, targets));
            targets = if op == And { (next, targets.1) } else { (targets.0, next) };
            leftmost = lhs;
        }
        self.branch(leftmost, targets.0, targets.1);
        while let Some((rhs, label, (then, otherwise))) = spine.pop() {
            self.place(label);
            self.branch(rhs, then, otherwise);
        }
    }

    /// Arguments as one payload: none, a value, or several packed into a tuple.
    pub(super) fn payload(
        &mut self,
        arguments: &[ExprId],
        wanted: Option<TypeId>,
        span: Span,
    ) -> Option<Operand> {
        match arguments {
            [] => None,
            [argument] => Some(self.operand(*argument)),
            _ => {
                let items = self.operands(arguments);
                let ty = wanted.unwrap_or_else(|| {
                    let types = arguments.iter().map(|argument| self.ty(*argument)).collect();
                    self.checked.types.intern(Type::Tuple(types))
                });
                let to = self.temporary(ty);
                self.emit(Instruction::Tuple { to, items }, span);
                Some(Operand::copy(to))
            }
        }
    }

    /// The event an expression names outright.
    pub(super) fn constant_event(&self, id: ExprId) -> Option<EventId> {
        match self.resolution(id) {
            Resolution::Event(event) => Some(event),
            _ => None,
        }
    }
}

/// The instruction for an operator on operands of a type, and whether they change sides.
fn operator(op: tree::BinaryOp, ty: TypeId) -> (BinaryOp, bool) {
    use tree::BinaryOp as Source;
    let pick = |int, float, string| match ty {
        TypeId::FLOAT => float,
        TypeId::STRING => string,
        _ => int,
    };
    match op {
        Source::Add => (pick(BinaryOp::AddInt, BinaryOp::AddFloat, BinaryOp::Concatenate), false),
        Source::Subtract => {
            (pick(BinaryOp::SubtractInt, BinaryOp::SubtractFloat, BinaryOp::SubtractInt), false)
        }
        Source::Multiply => {
            (pick(BinaryOp::MultiplyInt, BinaryOp::MultiplyFloat, BinaryOp::MultiplyInt), false)
        }
        Source::Divide => (pick(BinaryOp::DivideInt, BinaryOp::DivideFloat, BinaryOp::DivideInt), false),
        Source::Remainder => {
            (pick(BinaryOp::RemainderInt, BinaryOp::RemainderFloat, BinaryOp::RemainderInt), false)
        }
        Source::Less => (pick(BinaryOp::LessInt, BinaryOp::LessFloat, BinaryOp::LessString), false),
        Source::Greater => (pick(BinaryOp::LessInt, BinaryOp::LessFloat, BinaryOp::LessString), true),
        Source::LessOrEqual => {
            (pick(BinaryOp::LessOrEqualInt, BinaryOp::LessOrEqualFloat, BinaryOp::LessOrEqualString), false)
        }
        Source::GreaterOrEqual => {
            (pick(BinaryOp::LessOrEqualInt, BinaryOp::LessOrEqualFloat, BinaryOp::LessOrEqualString), true)
        }
        Source::Equal | Source::Iff => (BinaryOp::Equal, false),
        Source::NotEqual => (BinaryOp::NotEqual, false),
        Source::In | Source::And | Source::Or | Source::Implies => {
            unreachable!("membership and branching operators have instructions of their own")
        }
    }
}
