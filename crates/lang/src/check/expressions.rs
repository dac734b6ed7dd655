//! The types of expressions, and what their names refer to.
//!
//! A sub-expression that was reported has type `ERROR`, and an expression made of one has it too: one mistake, one
//! message. Left spines of operators are walked in a loop, because they can be of any length.

use super::effects::Effect;
use super::scope::Scope;
use super::{Checker, Resolution};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span, separated};
use crate::syntax::tree::{ExprId, ExprKind, Ident, TypeExprId, UnaryOp};
use crate::types::{Origin, PermissionId, Type, TypeId};

impl Checker<'_> {
    pub(super) fn check_expr(&mut self, scope: &mut Scope, id: ExprId) -> TypeId {
        let ty = self.expr_type(scope, id);
        self.checked.expr_types[id.0 as usize] = ty;
        ty
    }

    pub(super) fn check_exprs(&mut self, scope: &mut Scope, ids: &[ExprId]) -> Vec<TypeId> {
        ids.iter().map(|id| self.check_expr(scope, *id)).collect()
    }

    fn resolve(&mut self, id: ExprId, resolution: Resolution) {
        self.checked.expr_resolutions[id.0 as usize] = resolution;
    }

    fn expr_type(&mut self, scope: &mut Scope, id: ExprId) -> TypeId {
        let tree = self.tree;
        let span = tree[id].span;
        match &tree[id].kind {
            ExprKind::Name(name) => self.check_name(scope, id, Ident { name: *name, span }),
            ExprKind::Int(_) => TypeId::INT,
            ExprKind::Float(_) => TypeId::FLOAT,
            ExprKind::Bool(_) => TypeId::BOOL,
            ExprKind::Null => TypeId::NULL,
            ExprKind::Halt => {
                self.resolve(id, Resolution::Event(crate::ids::EventId::HALT));
                TypeId::EVENT
            }
            ExprKind::This => self.check_this(scope, span),
            ExprKind::Nondet { fair } => {
                let word = if *fair { "use `$$`" } else { "use `$`" };
                self.check_effect(scope, Effect::Chooses, span, word)
            }
            ExprKind::String(text) => self.check_format(*text, span, span, 0),
            ExprKind::Format { text, text_span, arguments } => {
                self.check_exprs(scope, arguments);
                self.check_format(*text, *text_span, span, arguments.len())
            }
            ExprKind::Tuple(items) => {
                let items = self.check_exprs(scope, items);
                self.compound(Type::Tuple(items.into()), span)
            }
            ExprKind::NamedTuple(fields) => self.check_named_tuple(scope, fields, span),
            ExprKind::Field { base, field } => self.check_field(scope, id, *base, *field),
            ExprKind::Item { base, index, index_span } => {
                let base_type = self.check_expr(scope, *base);
                self.item_type(*base, base_type, *index, *index_span)
            }
            ExprKind::Index { base, index } => {
                let base_type = self.check_expr(scope, *base);
                let index_type = self.check_expr(scope, *index);
                self.element_type((*base, base_type), (*index, index_type), true)
            }
            ExprKind::Keys(map) | ExprKind::Values(map) => {
                let is_keys = matches!(tree[id].kind, ExprKind::Keys(_));
                let ty = self.check_expr(scope, *map);
                self.keys_or_values_type(*map, ty, is_keys)
            }
            ExprKind::Sizeof(collection) => self.check_sizeof(scope, *collection),
            ExprKind::Default(ty) => self.resolve_type(*ty),
            ExprKind::New { interface, arguments } => {
                self.check_new(scope, *interface, arguments, span).map_or(TypeId::ERROR, |interface| {
                    self.resolve(id, Resolution::Interface(interface));
                    self.checked.interfaces[interface.index()].ty
                })
            }
            ExprKind::Call { function, arguments } => {
                let (resolution, ty) = self.check_call(scope, *function, arguments);
                self.resolve(id, resolution);
                ty
            }
            ExprKind::Unary { op, operand } => self.check_unary(scope, *op, *operand),
            ExprKind::Binary { .. } => self.check_binary(scope, id),
            ExprKind::Cast { operand, ty } => self.check_cast(scope, *operand, *ty, span),
            ExprKind::Convert { operand, ty } => self.check_conversion(scope, *operand, *ty, span),
            ExprKind::Choose(from) => self.check_choose(scope, *from, span),
            ExprKind::Quantifier(quantifier) => {
                scope.verifier_only.get_or_insert(span);
                self.check_quantifier(scope, quantifier)
            }
            ExprKind::Is { operand, kind } => {
                scope.verifier_only.get_or_insert(span);
                self.check_is(scope, *operand, *kind)
            }
            ExprKind::Targets { operand, target } => {
                scope.verifier_only.get_or_insert(span);
                self.check_expr(scope, *operand);
                self.check_expr(scope, *target);
                TypeId::BOOL
            }
            ExprKind::InFlight(operand) | ExprKind::Sent(operand) => {
                scope.verifier_only.get_or_insert(span);
                self.check_expr(scope, *operand);
                TypeId::BOOL
            }
            ExprKind::Error => TypeId::ERROR,
        }
    }

    fn check_name(&mut self, scope: &mut Scope, id: ExprId, name: Ident) -> TypeId {
        if Self::is_missing(name) {
            return TypeId::ERROR;
        }
        if let Some((resolution, ty)) = self.find_variable(scope, name.name) {
            self.uses.read(scope, resolution);
            self.resolve(id, resolution);
            return ty;
        }
        if let Some((owner, value, _)) = self.globals.enum_elements.get(&name.name).copied() {
            self.resolve(id, Resolution::EnumElement(value));
            return self.checked.types.intern(Type::Enum(owner));
        }
        if let Some(event) = self.checked.event_ids.get(&name.name).copied() {
            self.uses.events.insert(event);
            self.uses.mentioned.insert(event);
            self.resolve(id, Resolution::Event(event));
            return TypeId::EVENT;
        }
        if let Some(ty) = self.verifier_name(name) {
            scope.verifier_only.get_or_insert(name.span);
            self.resolve(id, Resolution::Verifier);
            return ty;
        }
        if !scope.is_new_unknown(name.name) {
            return TypeId::ERROR;
        }
        let kinds = if scope.for_verifier {
            "variable, event or invariant"
        } else {
            "variable, enum element or event"
        };
        let message = format!("there is no {kinds} `{}` here", self.text(name.name));
        let diagnostic = Diagnostic::new(Code::UnknownName, name.span, message);
        let invariants = self.globals.invariants.keys().map(String::as_str);
        let globals = self.globals.enum_elements.keys().chain(self.checked.event_ids.keys()).copied();
        let names = self.variable_names(scope).chain(globals).map(|name| self.text(name));
        let candidates = names.chain(invariants.filter(|_| scope.for_verifier));
        let diagnostic = self.suggest_text(diagnostic, name.name, candidates);
        self.report(match self.text(name.name) {
            "payload" => diagnostic.hint("the payload is the handler's parameter: `(payload: T) { .. }`"),
            _ => diagnostic,
        });
        TypeId::ERROR
    }

    fn check_this(&mut self, scope: &Scope, span: Span) -> TypeId {
        let Some(owner) = scope.owner else {
            let diagnostic =
                Diagnostic::new(Code::OutsideMachine, span, "`this` has no meaning outside a machine");
            self.report(diagnostic.hint("pass the machine to the function as a parameter"));
            return TypeId::ERROR;
        };
        let machine = &self.checked.machines[owner.index()];
        match machine.interface {
            Some(interface) => self.checked.interfaces[interface.index()].ty,
            None => {
                if machine.is_monitor() {
                    let why = "a spec is no machine that could be sent events";
                    self.not_allowed_in_monitor(span, self.machine_declaration(owner), "use `this`", why);
                }
                TypeId::ERROR
            }
        }
    }

    /// Strings are scanned for `{n}`, whether or not they stand in a `format`.
    fn check_format(&mut self, text: Name, text_span: Span, span: Span, arguments: usize) -> TypeId {
        match count_placeholders(self.text(text)) {
            None => {
                let message =
                    "a brace in a string begins a placeholder, which holds a number and nothing else";
                let diagnostic = Diagnostic::new(Code::InvalidFormat, text_span, message);
                self.report(
                    diagnostic.hint("write `{0}`, `{1}`, … for arguments, and `{{` or `}}` for a brace"),
                );
            }
            Some(wanted) if wanted != arguments => {
                let plural = if wanted == 1 { "" } else { "s" };
                let message =
                    format!("this string has places for {wanted} argument{plural}, and gets {arguments}");
                let diagnostic = Diagnostic::new(Code::WrongArgumentCount, span, message);
                let is_plain = arguments == 0 && text_span == span;
                let hint = "use `format(\"..\", arguments)`, or double the braces to print them";
                self.report(if is_plain { diagnostic.hint(hint) } else { diagnostic });
            }
            Some(_) => {}
        }
        TypeId::STRING
    }

    fn check_named_tuple(&mut self, scope: &mut Scope, fields: &[(Ident, ExprId)], span: Span) -> TypeId {
        let is_fine = self.check_field_names(fields.iter().map(|(name, _)| *name));
        let check = |(name, value): &(Ident, ExprId)| (name.name, self.check_expr(scope, *value));
        let fields = fields.iter().map(check).collect();
        if is_fine { self.compound(Type::NamedTuple(fields), span) } else { TypeId::ERROR }
    }

    fn check_field(&mut self, scope: &mut Scope, id: ExprId, base: ExprId, field: Ident) -> TypeId {
        let base_type = self.check_expr(scope, base);
        if let Some(ty) = self.verifier_field(scope, base, base_type, field) {
            scope.verifier_only.get_or_insert(field.span);
            self.resolve(id, Resolution::Verifier);
            return ty;
        }
        self.field_type(id, base, base_type, field)
    }

    /// The type of a named tuple's field; resolves `id` to its position.
    pub(super) fn field_type(&mut self, id: ExprId, base: ExprId, base_type: TypeId, field: Ident) -> TypeId {
        if Self::is_missing(field) {
            return TypeId::ERROR;
        }
        let Type::NamedTuple(fields) = self.checked.types.get(base_type) else {
            let is_machine = matches!(self.checked.types.get(base_type), Type::Permission(_) | Type::Machine);
            let hint = is_machine.then_some("a machine's variables are its own: ask it by sending an event");
            self.expected_kind(base, base_type, "a named tuple", hint);
            return TypeId::ERROR;
        };
        match fields.iter().position(|(name, _)| *name == field.name) {
            Some(position) => {
                let ty = fields[position].1;
                self.resolve(id, Resolution::Item(position as u32));
                ty
            }
            None => {
                let candidates: Vec<Name> = fields.iter().map(|(name, _)| *name).collect();
                let message = format!("`{}` has no field `{}`", self.show(base_type), self.text(field.name));
                let diagnostic = Diagnostic::new(Code::UnknownField, field.span, message);
                let diagnostic = self.suggest(diagnostic, field.name, candidates.into_iter());
                self.report(diagnostic);
                TypeId::ERROR
            }
        }
    }

    pub(super) fn item_type(
        &mut self,
        base: ExprId,
        base_type: TypeId,
        index: u32,
        index_span: Span,
    ) -> TypeId {
        let Type::Tuple(items) = self.checked.types.get(base_type) else {
            let is_named = matches!(self.checked.types.get(base_type), Type::NamedTuple(_));
            let hint = is_named.then_some("fields of a named tuple are reached by name");
            self.expected_kind(base, base_type, "a tuple", hint);
            return TypeId::ERROR;
        };
        if let Some(ty) = items.get(index as usize) {
            return *ty;
        }
        let count = items.len();
        let message = format!(
            "`{}` has no position {index}: it has {count} fields, counted from 0",
            self.show(base_type)
        );
        self.report(Diagnostic::new(Code::TupleIndexOutOfRange, index_span, message));
        TypeId::ERROR
    }

    /// The type of `base[index]`. Sets can be read by position, but not written.
    pub(super) fn element_type(
        &mut self,
        (base, base_type): (ExprId, TypeId),
        (index, index_type): (ExprId, TypeId),
        sets_too: bool,
    ) -> TypeId {
        let (key, value) = match self.checked.types.get(base_type) {
            Type::Seq(element) => (TypeId::INT, *element),
            Type::Set(element) if sets_too => (TypeId::INT, *element),
            Type::Map(key, value) => (*key, *value),
            _ => {
                self.expected_kind(base, base_type, "a sequence or map", None);
                return TypeId::ERROR;
            }
        };
        self.check_assignable(index, key, index_type);
        value
    }

    fn keys_or_values_type(&mut self, map: ExprId, ty: TypeId, is_keys: bool) -> TypeId {
        match self.checked.types.get(ty) {
            Type::Map(key, value) => {
                let element = if is_keys { *key } else { *value };
                let span = self.expr_span(map);
                self.compound(Type::Seq(element), span)
            }
            _ => {
                self.expected_kind(map, ty, "a map", None);
                TypeId::ERROR
            }
        }
    }

    fn check_sizeof(&mut self, scope: &mut Scope, collection: ExprId) -> TypeId {
        let ty = self.check_expr(scope, collection);
        if !matches!(self.checked.types.get(ty), Type::Seq(_) | Type::Set(_) | Type::Map(..) | Type::Error) {
            self.expected_kind(collection, ty, "a sequence, set or map", None);
        }
        TypeId::INT
    }

    fn check_unary(&mut self, scope: &mut Scope, op: UnaryOp, operand: ExprId) -> TypeId {
        let ty = self.check_expr(scope, operand);
        match op {
            UnaryOp::Not => {
                if self.check_assignable(operand, TypeId::BOOL, ty) {
                    TypeId::BOOL
                } else {
                    TypeId::ERROR
                }
            }
            UnaryOp::Negate => {
                if !matches!(ty, TypeId::INT | TypeId::FLOAT | TypeId::ERROR) {
                    self.expected_kind(operand, ty, "`int` or `float`", None);
                    return TypeId::ERROR;
                }
                ty
            }
        }
    }

    fn check_cast(&mut self, scope: &mut Scope, operand: ExprId, ty: TypeExprId, span: Span) -> TypeId {
        let from = self.check_expr(scope, operand);
        let to = self.resolve_type(ty);
        let types = &self.checked.types;
        if !types.is_assignable(to, from) && !types.is_assignable(from, to) {
            let message =
                format!("a value of type `{}` is never one of type `{}`", self.show(from), self.show(to));
            self.report(Diagnostic::new(Code::IncomparableTypes, span, message));
            return TypeId::ERROR;
        }
        to
    }

    /// `operand to ty` converts numbers, enums to int, and machine references to interfaces.
    fn check_conversion(&mut self, scope: &mut Scope, operand: ExprId, ty: TypeExprId, span: Span) -> TypeId {
        let from = self.check_expr(scope, operand);
        let to = self.resolve_type(ty);
        let types = &self.checked.types;
        let (from_type, to_type) = (types.get(from), types.get(to));
        let fits = match (from_type, to_type) {
            (Type::Error, _) | (_, Type::Error) => return TypeId::ERROR,
            (Type::Int | Type::Float, Type::Int | Type::Float) | (Type::Enum(_), Type::Int) => true,
            (Type::Machine | Type::Permission(_), Type::Permission(new))
                if matches!(types.permission(*new).origin, Origin::Interface(_) | Origin::EventSet) =>
            {
                return self.check_permission(from, *new, to, span);
            }
            _ => false,
        };
        if !fits {
            let message = format!("`{}` cannot be converted to `{}`", self.show(from), self.show(to));
            let diagnostic = Diagnostic::new(Code::InvalidConversion, span, message);
            let hint = match self.checked.types.get(to) {
                Type::String => "build text with `format(\"{0}\", value)`",
                _ => "`to` converts between `int` and `float`, from an enum to `int`, and to interfaces",
            };
            self.report(diagnostic.hint(hint));
            return TypeId::ERROR;
        }
        to
    }

    /// Only permissions that a reference has can be kept.
    fn check_permission(&mut self, from: TypeId, new: PermissionId, to: TypeId, span: Span) -> TypeId {
        let types = &self.checked.types;
        let Type::Permission(old) = types.get(from) else { return to };
        let gained = types.permission(new).events.first_outside(&types.permission(*old).events);
        let Some(event) = gained else { return to };
        let (new, event, old) = (self.show(to), self.event_name(event), self.show(from));
        let message = format!("`{new}` may receive `{event}`, but `{old}` may not");
        self.report(Diagnostic::new(Code::InvalidConversion, span, message));
        TypeId::ERROR
    }

    fn check_choose(&mut self, scope: &mut Scope, from: Option<ExprId>, span: Span) -> TypeId {
        self.check_effect(scope, Effect::Chooses, span, "use `choose`");
        let Some(from) = from else { return TypeId::BOOL };
        let ty = self.check_expr(scope, from);
        match self.checked.types.get(ty) {
            Type::Seq(element) | Type::Set(element) | Type::Map(element, _) => *element,
            Type::Int => {
                if let ExprKind::Int(count) = self.tree[from].kind
                    && count > 10_000
                {
                    let count = separated(count.into());
                    let message = format!("`choose` takes at most 10,000 alternatives, and this is {count}");
                    self.report(Diagnostic::new(Code::InvalidChoose, self.expr_span(from), message));
                }
                TypeId::INT
            }
            Type::Error => TypeId::ERROR,
            _ => {
                let message =
                    format!("`choose` takes an `int`, a sequence, a set or a map, not `{}`", self.show(ty));
                self.report(Diagnostic::new(Code::InvalidChoose, self.expr_span(from), message));
                TypeId::ERROR
            }
        }
    }

    /// Reports a value that does not fit where it stands.
    pub(super) fn check_assignable(&mut self, value: ExprId, wanted: TypeId, found: TypeId) -> bool {
        let fits = self.checked.types.is_assignable(wanted, found);
        if !fits {
            let diagnostic = self.mismatched_value(value, wanted, found);
            self.report(diagnostic);
        }
        fits
    }

    /// A value that does not fit where it stands.
    pub(super) fn mismatched_value(&self, value: ExprId, wanted: TypeId, found: TypeId) -> Diagnostic {
        let is_null = matches!(self.tree[value].kind, ExprKind::Null);
        let found_text = if is_null { "`null`".to_owned() } else { self.show_value(found) };
        self.mismatched_types(self.expr_span(value), wanted, found, &found_text)
    }

    /// A type as what was found, where its absence has a type too.
    pub(super) fn show_value(&self, found: TypeId) -> String {
        if found == TypeId::NULL { "no value".to_owned() } else { format!("`{}`", self.show(found)) }
    }

    pub(super) fn mismatched_types(
        &self,
        span: Span,
        wanted: TypeId,
        found: TypeId,
        found_text: &str,
    ) -> Diagnostic {
        let message = if wanted == TypeId::NULL {
            format!("expected no value, found {found_text}")
        } else {
            format!("expected `{}`, found {found_text}", self.show(wanted))
        };
        let diagnostic = Diagnostic::new(Code::MismatchedTypes, span, message);
        match (self.checked.types.get(wanted), self.checked.types.get(found)) {
            (Type::Permission(id), Type::Null)
                if matches!(self.checked.types.permission(*id).origin, Origin::Interface(_)) =>
            {
                diagnostic.hint("only `machine` can be null; write `default(..)` for a machine's own type")
            }
            (_, Type::Any | Type::Data) => diagnostic.hint(format!("write `.. as {}`", self.show(wanted))),
            (Type::Int, Type::Float) => diagnostic.hint("write `.. to int`"),
            (Type::Float, Type::Int) => diagnostic.hint("write `.. to float`"),
            (Type::Data, _) => {
                diagnostic.hint("`data` holds no references to machines; `any` holds everything")
            }
            _ => diagnostic,
        }
    }

    /// Reports a value of the wrong sort; silent when it was reported before.
    pub(super) fn expected_kind(&mut self, value: ExprId, found: TypeId, wanted: &str, hint: Option<&str>) {
        if found == TypeId::ERROR {
            return;
        }
        let message = format!("expected {wanted}, found `{}`", self.show(found));
        let diagnostic = Diagnostic::new(Code::MismatchedTypes, self.expr_span(value), message);
        self.report(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }
}

/// How many arguments a format string wants: one more than its largest placeholder. `None` when a brace is neither
/// doubled nor part of a placeholder.
fn count_placeholders(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().peekable();
    let mut wanted = 0;
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' if bytes.peek() == Some(&b'{') => _ = bytes.next(),
            b'}' if bytes.next() != Some(b'}') => return None,
            b'{' => {
                let mut number: Option<usize> = None;
                loop {
                    match bytes.next()? {
                        digit @ b'0'..=b'9' => {
                            let more =
                                number.unwrap_or(0).checked_mul(10)?.checked_add((digit - b'0').into())?;
                            number = Some(more);
                        }
                        b'}' => break,
                        _ => return None,
                    }
                }
                wanted = wanted.max(number?.checked_add(1)?);
            }
            _ => {}
        }
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::count_placeholders;

    #[test]
    fn placeholders_are_counted_by_the_largest() {
        assert_eq!(count_placeholders("no braces"), Some(0));
        assert_eq!(count_placeholders("{0} and {2}"), Some(3));
        assert_eq!(count_placeholders("{{x}} {0}"), Some(1));
        for wrong in ["{", "}", "{x}", "{}", "{0", "a } b", "{0 }", "{99999999999999999999999}"] {
            assert_eq!(count_placeholders(wrong), None, "{wrong}");
        }
    }
}
