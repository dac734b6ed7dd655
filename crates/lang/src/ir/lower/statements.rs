//! Statements.

use super::function::{Builder, Loop, Value};
use crate::check::Resolution;
use crate::ids::EventId;
use crate::ir::{BinaryOp, Constant, Instruction, Operand, Place, ReceiveCase, Register, Root, UnaryOp};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::tree::{self, ExprId, StmtId, StmtKind};
use crate::types::{Type, TypeId};

impl Builder<'_> {
    pub(super) fn lower_statement(&mut self, id: StmtId) {
        let mark = self.mark();
        self.lower(id);
        self.release(mark);
    }

    fn lower(&mut self, id: StmtId) {
        let tree = self.tree;
        let span = tree[id].span;
        match &tree[id].kind {
            StmtKind::Block(statements) => statements.iter().for_each(|id| self.lower_statement(*id)),
            StmtKind::Assert { condition, message } => self.lower_assert(*condition, *message, span),
            StmtKind::Print(message) => {
                let message = self.operand(*message);
                self.emit(Instruction::Print { message }, span);
            }
            StmtKind::Return(value) => {
                let value =
                    value.map(|value| self.operand(value)).filter(|_| self.function.result != TypeId::NULL);
                self.emit(Instruction::Return(value), span);
            }
            StmtKind::Break => self.leave_loop(|inner| inner.end, span),
            StmtKind::Continue => self.leave_loop(|inner| inner.next, span),
            StmtKind::Assign { target, value } => self.lower_assign(*target, *value, span),
            StmtKind::Insert { target, key, value } => {
                let place = self.pending_place(*target);
                let key = self.value(*key);
                let value = self.operand(*value);
                let place = self.finish_place(place);
                let key = self.materialise(key, span);
                self.emit(Instruction::Insert { place, key, value }, span);
            }
            StmtKind::Add { target, value } => {
                let place = self.pending_place(*target);
                let value = self.operand(*value);
                let place = self.finish_place(place);
                self.emit(Instruction::Add { place, value }, span);
            }
            StmtKind::Remove { target, value } => {
                let place = self.pending_place(*target);
                let key = self.value(*value);
                let place = self.finish_place(place);
                let key = self.materialise(key, span);
                self.emit(Instruction::Remove { place, key }, span);
            }
            StmtKind::While { condition, body } => self.lower_while(*condition, *body, span),
            StmtKind::Foreach { collection, body, .. } => self.lower_foreach(id, *collection, *body),
            StmtKind::If { .. } => self.lower_if(id),
            StmtKind::New { arguments, .. } => {
                let Resolution::Interface(interface) = self.stmt_resolution(id) else {
                    unreachable!("a checked `new` names an interface")
                };
                let wanted = self.checked.interfaces[interface.index()].payload;
                let payload = self.payload(arguments, Some(wanted), span);
                self.emit(Instruction::New { to: None, interface, payload }, span);
            }
            StmtKind::Call { arguments, .. } => {
                let Resolution::Function(function) = self.stmt_resolution(id) else {
                    unreachable!("a checked call in running code names a function")
                };
                let arguments = self.operands(arguments);
                let function = crate::check::ir_function(function);
                self.emit(Instruction::Call { to: None, function, arguments }, span);
            }
            StmtKind::Raise { event, arguments } => self.lower_raise(*event, arguments, span),
            StmtKind::Send { machine, event, arguments } => {
                let target = self.operand(*machine);
                let wanted = self.payload_type(*event);
                let event = self.operand(*event);
                let payload = self.payload(arguments, wanted, span);
                self.emit(Instruction::Send { target, event, payload }, span);
            }
            StmtKind::Announce { event, arguments } => {
                let wanted = self.payload_type(*event);
                let event = self.operand(*event);
                let payload = self.payload(arguments, wanted, span);
                self.emit(Instruction::Announce { event, payload }, span);
            }
            StmtKind::Goto { arguments, .. } => {
                let Resolution::State(state) = self.stmt_resolution(id) else {
                    unreachable!("a checked `goto` names a state")
                };
                let payload = arguments.first().map(|argument| self.operand(*argument));
                self.emit(Instruction::Goto { state, payload }, span);
            }
            StmtKind::Receive(cases) => self.lower_receive(cases, span),
            // `assume` speaks to the verifier only.
            StmtKind::Assume { .. } | StmtKind::Empty | StmtKind::Error => {}
        }
    }

    fn stmt_resolution(&self, id: StmtId) -> Resolution {
        self.checked.stmt_resolutions[id.0 as usize]
    }

    fn payload_type(&self, event: ExprId) -> Option<TypeId> {
        self.constant_event(event).map(|event| self.checked.events[event.index()].payload)
    }

    fn lower_assert(&mut self, condition: ExprId, message: Option<ExprId>, span: Span) {
        let condition = self.operand(condition);
        let Some(message) = message else {
            return self.emit(Instruction::Assert { condition, message: None }, span);
        };
        let (failed, end) = (self.label(), self.label());
        self.emit(Instruction::Branch { condition, then: end, otherwise: failed }, span);
        self.place(failed);
        let message = Some(self.operand(message));
        self.emit(Instruction::Assert { condition, message }, span);
        self.place(end);
    }

    fn lower_assign(&mut self, target: ExprId, value: ExprId, span: Span) {
        let place = self.pending_place(target);
        if let (Root::Register(register), true) = (place.root, place.is_whole()) {
            return self.value_into(value, register);
        }
        let value = self.value(value);
        let place = self.finish_place(place);
        let value = self.materialise(value, span);
        self.emit(Instruction::Assign { place, value }, span);
    }

    /// A chain of `else if` can be of any length.
    fn lower_if(&mut self, id: StmtId) {
        let tree = self.tree;
        let end = self.label();
        let mut next = Some(id);
        while let Some(id) = next {
            let StmtKind::If { condition, then, otherwise } = &tree[id].kind else {
                self.lower_statement(id);
                break;
            };
            let then_label = self.label();
            let otherwise_label = if otherwise.is_some() { self.label() } else { end };
            let mark = self.mark();
            self.branch(*condition, then_label, otherwise_label);
            self.release(mark);
            self.place(then_label);
            self.lower_statement(*then);
            if otherwise.is_some() {
                if self.is_reachable() {
                    self.jump(end, tree[id].span);
                }
                self.place(otherwise_label);
            }
            next = *otherwise;
        }
        self.place(end);
    }

    fn lower_while(&mut self, condition: ExprId, body: StmtId, span: Span) {
        let (next, inside, end) = (self.label(), self.label(), self.label());
        self.place(next);
        let mark = self.mark();
        self.branch(condition, inside, end);
        self.release(mark);
        self.place(inside);
        self.lower_loop_body(Loop { next, end }, body);
        self.jump(next, span);
        self.place(end);
    }

    fn lower_loop_body(&mut self, labels: Loop, body: StmtId) {
        self.loops.push(labels);
        self.lower_statement(body);
        self.loops.pop();
    }

    /// A loop over a snapshot of the collection.
    fn lower_foreach(&mut self, id: StmtId, collection: ExprId, body: StmtId) {
        let span = self.span(collection);
        let item = self.root(self.stmt_resolution(id));
        let ty = self.ty(collection);
        let element = match self.checked.types.get(ty) {
            Type::Seq(element) | Type::Set(element) => *element,
            _ => unreachable!("a checked `foreach` goes over a sequence or set"),
        };
        let snapshot = self.temporary(ty);
        self.value_into(collection, snapshot);
        let size = self.temporary(TypeId::INT);
        self.emit(
            Instruction::Unary { op: UnaryOp::Sizeof, to: size, operand: Operand::copy(snapshot) },
            span,
        );
        let (at, one, is_inside) =
            (self.temporary(TypeId::INT), self.temporary(TypeId::INT), self.temporary(TypeId::BOOL));
        self.emit(Instruction::Const { to: at, value: Constant::Int(0) }, span);
        let (next, inside, end) = (self.label(), self.label(), self.label());
        self.place(next);
        let (lhs, rhs) = (Operand::copy(at), Operand::copy(size));
        self.emit(Instruction::Binary { op: BinaryOp::LessInt, to: is_inside, lhs, rhs }, span);
        let condition = Operand::copy(is_inside);
        self.emit(Instruction::Branch { condition, then: inside, otherwise: end }, span);
        self.place(inside);
        self.lower_element(item, element, snapshot, at, span);
        self.emit(Instruction::Const { to: one, value: Constant::Int(1) }, span);
        let (lhs, rhs) = (Operand::copy(at), Operand::copy(one));
        self.emit(Instruction::Binary { op: BinaryOp::AddInt, to: at, lhs, rhs }, span);
        self.lower_loop_body(Loop { next, end }, body);
        self.jump(next, span);
        self.place(end);
    }

    fn lower_element(&mut self, item: Root, ty: TypeId, snapshot: Register, at: Register, span: Span) {
        let (base, index) = (Operand::copy(snapshot), Operand::copy(at));
        match item {
            Root::Register(to) => self.emit(Instruction::Element { to, base, index }, span),
            Root::Field(_) => {
                let to = self.temporary(ty);
                self.emit(Instruction::Element { to, base, index }, span);
                let place = Place { root: item, path: Box::default() };
                self.emit(Instruction::Assign { place, value: Operand::copy(to) }, span);
            }
        }
    }

    fn leave_loop(&mut self, target: impl Fn(&Loop) -> crate::ir::Label, span: Span) {
        let label = self.loops.last().map(target).expect("a checked break or continue is in a loop");
        self.jump(label, span);
    }

    /// The payload is computed before the event is read, as in P.
    fn lower_raise(&mut self, event: ExprId, arguments: &[ExprId], span: Span) {
        if self.constant_event(event) == Some(EventId::HALT) && arguments.is_empty() {
            return self.emit(Instruction::Halt, span);
        }
        let wanted = self.payload_type(event);
        let value = self.value(event);
        let payload = self.payload(arguments, wanted, span);
        let event = self.materialise(value, span);
        self.emit(Instruction::Raise { event, payload }, span);
    }

    fn lower_receive(&mut self, cases: &[tree::ReceiveCase], span: Span) {
        let end = self.label();
        let targets: Vec<_> = cases.iter().map(|_| self.label()).collect();
        let at = self.function.code.len();
        self.emit(Instruction::Receive { cases: Box::default() }, span);
        let mut lowered = Vec::with_capacity(cases.len());
        for (case, target) in cases.iter().zip(targets) {
            self.place(target);
            let payload = case.parameter.map(|parameter| self.variable(parameter.name));
            for name in case.body.locals.iter().flat_map(|variables| &variables.names) {
                let to = self.variable(*name);
                let ty = self.function.register_type(to);
                self.store(to, Value::Constant(Constant::Default(ty), ty), case.span);
            }
            case.body.statements.iter().for_each(|id| self.lower_statement(*id));
            self.jump(end, case.span);
            let events = case.events.iter().map(|event| self.event(event.name)).collect();
            lowered.push(ReceiveCase { events, payload, target });
        }
        self.function.code[at] = Instruction::Receive { cases: lowered.into() };
        self.place(end);
    }

    fn event(&self, name: Name) -> EventId {
        *self.checked.event_ids.get(&name).expect("a checked event exists")
    }
}
