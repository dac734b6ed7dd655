//! Function bodies, statement by statement.

use super::effects::{Effect, FunctionEffects};
use super::scope::Scope;
use super::{Checker, Resolution};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::tree::{Body, ExprId, ExprKind, FunctionId, Ident, StmtId, StmtKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    pub(super) fn check_functions(&mut self) {
        self.effects = self.tree.functions.iter().map(|_| FunctionEffects::default()).collect();
        for id in (0..self.tree.functions.len()).map(|id| FunctionId(id as u32)) {
            self.check_function(id);
        }
    }

    fn check_function(&mut self, id: FunctionId) {
        let tree = self.tree;
        let info = &self.checked.functions[id.0 as usize];
        let mut scope = Scope::new(Some(id), info.owner, info.result);
        scope.in_monitor = info.owner.is_some_and(|owner| self.checked.machines[owner.index()].is_monitor());
        for parameter in info.locals.clone() {
            scope.add(parameter);
        }
        match &tree[id].body {
            Some(body) => {
                self.check_body(&mut scope, body);
                self.check_all_paths_return(id, &scope, body);
            }
            None => self.check_foreign(id, &mut scope),
        }
        let info = &mut self.checked.functions[id.0 as usize];
        info.locals = scope.locals;
        if let Some(span) = scope.verifier_only.filter(|_| !info.is_foreign) {
            info.is_foreign = true;
            self.uses.verifier.push(span);
        }
    }

    /// A foreign function: what it creates, and the verifier's contract.
    fn check_foreign(&mut self, id: FunctionId, scope: &mut Scope) {
        let function = &self.tree[id];
        for name in &function.creates {
            if let Some(interface) = self.resolve_interface(*name) {
                self.effects[id.0 as usize].creates.push(interface);
                self.effects[id.0 as usize].add(Effect::Creates, name.span);
            }
        }
        scope.for_verifier = true;
        if let Some(named) = &function.named_result {
            self.declare_local(scope, named.name, scope.result);
        }
        for condition in function.requires.iter().chain(&function.ensures) {
            self.uses.verifier.push(self.expr_span(*condition));
            self.check_condition(scope, *condition);
        }
        scope.locals.truncate(self.checked.functions[id.0 as usize].parameters as usize);
    }

    pub(super) fn check_body(&mut self, scope: &mut Scope, body: &Body) {
        self.declare_locals(scope, &body.locals);
        self.check_statements(scope, &body.statements);
    }

    fn check_statements(&mut self, scope: &mut Scope, statements: &[StmtId]) {
        for (at, id) in statements.iter().enumerate() {
            self.check_statement(scope, *id);
            let rest = &statements[at + 1..];
            if let Some(next) = rest.iter().find(|id| !matches!(self.tree[**id].kind, StmtKind::Empty))
                && self.leaves(scope, *id)
            {
                let message = "no run reaches this statement";
                let diagnostic = Diagnostic::new(Code::UnreachableCode, self.tree[*next].span, message);
                self.report(diagnostic.label(self.tree[*id].span, "because of this one"));
                rest.iter().for_each(|id| self.check_statement(scope, *id));
                return;
            }
        }
    }

    fn check_statement(&mut self, scope: &mut Scope, id: StmtId) {
        let tree = self.tree;
        let span = tree[id].span;
        match &tree[id].kind {
            StmtKind::Block(statements) => self.check_statements(scope, statements),
            StmtKind::Assert { condition, message } => self.check_assertion(scope, *condition, *message),
            StmtKind::Assume { condition, message } => {
                self.uses.verifier.push(span);
                let executable = (scope.verifier_only, std::mem::replace(&mut scope.for_verifier, true));
                self.check_assertion(scope, *condition, *message);
                (scope.verifier_only, scope.for_verifier) = executable;
            }
            StmtKind::Print(message) => self.check_string(scope, *message),
            StmtKind::Return(value) => self.check_return(scope, *value, span),
            StmtKind::Break => self.check_in_loop(scope, "break", span),
            StmtKind::Continue => self.check_in_loop(scope, "continue", span),
            StmtKind::Assign { target, value } => {
                let wanted = self.check_place(scope, *target);
                let found = self.check_expr(scope, *value);
                self.check_assignable(*value, wanted, found);
            }
            StmtKind::Insert { target, key, value } => self.check_insert(scope, *target, *key, *value),
            StmtKind::Add { target, value } => self.check_add(scope, *target, *value),
            StmtKind::Remove { target, value } => self.check_remove(scope, *target, *value),
            StmtKind::While { condition, body } => {
                self.check_condition(scope, *condition);
                self.check_loop(scope, *body);
            }
            StmtKind::Foreach { item, collection, invariants, body } => {
                self.check_foreach(scope, id, *item, *collection);
                self.check_invariants(scope, invariants);
                self.check_loop(scope, *body);
            }
            StmtKind::If { .. } => self.check_if(scope, id),
            StmtKind::New { interface, arguments } => {
                if let Some(interface) = self.check_new(scope, *interface, arguments, span) {
                    self.resolve_stmt(id, Resolution::Interface(interface));
                }
            }
            StmtKind::Call { function, arguments } => {
                let (resolution, _) = self.check_call(scope, *function, arguments);
                self.resolve_stmt(id, resolution);
            }
            StmtKind::Raise { event, arguments } => {
                self.check_leaves_function(scope, "raise", span);
                self.check_effect(scope, Effect::Raises, span, "");
                self.check_event(scope, *event, arguments);
                if let Resolution::Event(event) = self.checked.expr_resolutions[event.0 as usize] {
                    self.uses.raised.insert(event);
                }
            }
            StmtKind::Send { machine, event, arguments } => {
                self.check_effect(scope, Effect::Sends, span, "send events");
                let ty = self.check_expr(scope, *machine);
                self.check_assignable(*machine, TypeId::MACHINE, ty);
                self.check_event(scope, *event, arguments);
            }
            StmtKind::Announce { event, arguments } => {
                self.check_effect(scope, Effect::Sends, span, "announce events");
                self.check_event(scope, *event, arguments);
            }
            StmtKind::Goto { state, arguments } => self.check_goto(scope, id, *state, arguments),
            StmtKind::Receive(cases) => self.check_receive(scope, cases, span),
            StmtKind::Empty | StmtKind::Error => {}
        }
    }

    fn check_if(&mut self, scope: &mut Scope, id: StmtId) {
        let tree = self.tree;
        let mut next = Some(id);
        while let Some(id) = next {
            let StmtKind::If { condition, then, otherwise } = &tree[id].kind else {
                return self.check_statement(scope, id);
            };
            self.check_condition(scope, *condition);
            self.check_statement(scope, *then);
            next = *otherwise;
        }
    }

    pub(super) fn resolve_stmt(&mut self, id: StmtId, resolution: Resolution) {
        self.checked.stmt_resolutions[id.0 as usize] = resolution;
    }

    /// Whether the condition is one, as far as can be told.
    pub(super) fn check_condition(&mut self, scope: &mut Scope, condition: ExprId) -> bool {
        let ty = self.check_expr(scope, condition);
        self.check_assignable(condition, TypeId::BOOL, ty) && ty != TypeId::ERROR
    }

    fn check_string(&mut self, scope: &mut Scope, text: ExprId) {
        let ty = self.check_expr(scope, text);
        self.check_assignable(text, TypeId::STRING, ty);
    }

    fn check_assertion(&mut self, scope: &mut Scope, condition: ExprId, message: Option<ExprId>) {
        self.check_condition(scope, condition);
        if let Some(message) = message {
            self.check_string(scope, message);
        }
    }

    fn check_invariants(&mut self, scope: &mut Scope, invariants: &[ExprId]) {
        let executable = (scope.verifier_only, std::mem::replace(&mut scope.for_verifier, true));
        for invariant in invariants {
            self.uses.verifier.push(self.expr_span(*invariant));
            self.check_condition(scope, *invariant);
        }
        (scope.verifier_only, scope.for_verifier) = executable;
    }

    fn check_return(&mut self, scope: &mut Scope, value: Option<ExprId>, span: Span) {
        let found = value.map_or(TypeId::NULL, |value| self.check_expr(scope, value));
        if scope.receives > 0 && scope.result != TypeId::NULL {
            let message = "a `receive` in a function with a result cannot return from inside its cases";
            let diagnostic = Diagnostic::new(Code::LeavesFunctionWithResult, span, message);
            self.report(diagnostic.hint("keep the value in a variable and return it behind the `receive`"));
        } else if !self.checked.types.is_assignable(scope.result, found) {
            let diagnostic = match value {
                Some(value) => self.mismatched_value(value, scope.result, found),
                None => self.mismatched_types(span, scope.result, found, "no value"),
            };
            let diagnostic = self.label_result(scope, diagnostic);
            self.report(diagnostic);
        }
    }

    fn check_loop(&mut self, scope: &mut Scope, body: StmtId) {
        scope.loops += 1;
        self.check_statement(scope, body);
        scope.loops -= 1;
    }

    fn check_in_loop(&mut self, scope: &Scope, word: &str, span: Span) {
        if scope.loops == 0 {
            let message = format!("`{word}` is only allowed in a loop");
            self.report(Diagnostic::new(Code::OutsideLoop, span, message));
        }
    }

    pub(super) fn check_leaves_function(&mut self, scope: &Scope, word: &str, span: Span) {
        if scope.result != TypeId::NULL {
            let message = format!("`{word}` is not allowed in a function that returns a value");
            let diagnostic = Diagnostic::new(Code::LeavesFunctionWithResult, span, message);
            let diagnostic = self.label_result(scope, diagnostic);
            self.report(diagnostic);
        }
    }

    /// The type of a place that is changed. Its root counts as written, not as read.
    fn check_place(&mut self, scope: &mut Scope, id: ExprId) -> TypeId {
        let tree = self.tree;
        let ty = match &tree[id].kind {
            ExprKind::Name(name) => {
                let (resolution, ty) = self.check_target(scope, Ident { name: *name, span: tree[id].span });
                self.checked.expr_resolutions[id.0 as usize] = resolution;
                ty
            }
            ExprKind::Field { base, field } => {
                let base_type = self.check_place(scope, *base);
                self.field_type(id, *base, base_type, *field)
            }
            ExprKind::Item { base, index, index_span } => {
                let base_type = self.check_place(scope, *base);
                self.item_type(*base, base_type, *index, *index_span)
            }
            ExprKind::Index { base, index } => {
                let base_type = self.check_place(scope, *base);
                let index_type = self.check_expr(scope, *index);
                self.element_type((*base, base_type), (*index, index_type), false)
            }
            _ => TypeId::ERROR,
        };
        self.checked.expr_types[id.0 as usize] = ty;
        ty
    }

    /// The variable that an assignment or a loop changes.
    fn check_target(&mut self, scope: &mut Scope, name: Ident) -> (Resolution, TypeId) {
        if Self::is_missing(name) {
            return (Resolution::None, TypeId::ERROR);
        }
        match self.find_variable(scope, name.name) {
            Some((Resolution::Parameter(parameter), _)) => {
                let declared = self.checked.parameters[parameter.index()].name.span;
                let message = format!("test parameter `{}` cannot be changed", self.text(name.name));
                let diagnostic = Diagnostic::new(Code::ReadOnlyParameter, name.span, message);
                self.report(diagnostic.label(declared, "declared here"));
                (Resolution::None, TypeId::ERROR)
            }
            Some(found) => found,
            None => {
                self.unknown_variable(scope, name, "variable", None);
                (Resolution::None, TypeId::ERROR)
            }
        }
    }

    fn check_insert(&mut self, scope: &mut Scope, target: ExprId, key: ExprId, value: ExprId) {
        let ty = self.check_place(scope, target);
        let key_type = self.check_expr(scope, key);
        let value_type = self.check_expr(scope, value);
        let (wanted_key, wanted_value) = match self.checked.types.get(ty) {
            Type::Seq(element) => (TypeId::INT, *element),
            Type::Map(key, value) => (*key, *value),
            Type::Set(_) => {
                let hint = Some("`set += (value)` adds one value; a tuple needs parentheses of its own");
                return self.expected_kind(target, ty, "a sequence or map", hint);
            }
            _ => return self.expected_kind(target, ty, "a sequence or map", None),
        };
        self.check_assignable(key, wanted_key, key_type);
        self.check_assignable(value, wanted_value, value_type);
    }

    fn check_add(&mut self, scope: &mut Scope, target: ExprId, value: ExprId) {
        let ty = self.check_place(scope, target);
        let found = self.check_expr(scope, value);
        match self.checked.types.get(ty) {
            Type::Set(element) => _ = self.check_assignable(value, *element, found),
            Type::Seq(_) => {
                let hint = Some(
                    "write `+= (position, value)`; `sizeof(..)` is the position behind the last element",
                );
                self.expected_kind(target, ty, "a set", hint);
            }
            Type::Map(..) => self.expected_kind(target, ty, "a set", Some("write `+= (key, value)`")),
            _ => self.expected_kind(target, ty, "a set", self.counting_hint(ty)),
        }
    }

    /// Other languages change numbers with the operators that P has for collections.
    fn counting_hint(&self, ty: TypeId) -> Option<&'static str> {
        let is_number = matches!(self.checked.types.get(ty), Type::Int | Type::Float);
        is_number.then_some("`+=` and `-=` change collections; write `n = n + ..` to count")
    }

    fn check_remove(&mut self, scope: &mut Scope, target: ExprId, value: ExprId) {
        let ty = self.check_place(scope, target);
        let found = self.check_expr(scope, value);
        let wanted = match self.checked.types.get(ty) {
            Type::Seq(_) => TypeId::INT,
            Type::Set(element) | Type::Map(element, _) => *element,
            _ => {
                let hint = self.counting_hint(ty);
                return self.expected_kind(target, ty, "a sequence, set or map", hint);
            }
        };
        self.check_assignable(value, wanted, found);
    }

    /// `foreach` declares no variable, though in many languages it would.
    fn unknown_foreach_variable(&mut self, scope: &mut Scope, item: Ident, collection: ExprId) {
        let ty = self.check_expr(scope, collection);
        let element = match self.checked.types.get(ty) {
            Type::Seq(element) | Type::Set(element) => self.show(*element),
            _ => "..".to_owned(),
        };
        let name = self.text(item.name);
        let hint = format!("declare it where the function begins: `var {name}: {element};`");
        self.unknown_variable(scope, item, "variable", Some(hint));
    }

    fn check_foreach(&mut self, scope: &mut Scope, id: StmtId, item: Ident, collection: ExprId) {
        let is_unknown = !Self::is_missing(item) && self.find_variable(scope, item.name).is_none();
        if is_unknown {
            return self.unknown_foreach_variable(scope, item, collection);
        }
        let (resolution, item_type) = self.check_target(scope, item);
        self.resolve_stmt(id, resolution);
        let ty = self.check_expr(scope, collection);
        let element = match self.checked.types.get(ty) {
            Type::Seq(element) | Type::Set(element) => *element,
            Type::Map(..) => {
                let hint = Some("iterate over `keys(..)` or `values(..)`");
                return self.expected_kind(collection, ty, "a sequence or set", hint);
            }
            _ => return self.expected_kind(collection, ty, "a sequence or set", None),
        };
        if !self.checked.types.is_same(element, item_type) {
            let message = format!(
                "variable `{}` has type `{}`, but the elements have type `{}`",
                self.text(item.name),
                self.show(item_type),
                self.show(element)
            );
            self.report(Diagnostic::new(Code::MismatchedTypes, item.span, message));
        }
    }
}
