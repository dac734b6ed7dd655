//! Trees as S-expressions, for tests to compare.

use super::super::tree::{
    Body, Declaration, ExprId, ExprKind, Function, FunctionId, Handler, Ident, Literal, MachineDeclaration,
    ModuleExprId, ModuleExprKind, Parameter, Primitive, ProofTargets, ReceiveCase, StateDeclaration,
    StateItem, StmtId, StmtKind, Temperature, TestDeclaration, Tree, TypeExprId, TypeExprKind, UnaryOp,
    VariableDeclaration,
};
use crate::names::Name;

/// Prints nodes of a tree.
#[derive(Clone, Copy)]
pub(super) struct Printer<'a>(pub(super) &'a Tree);

/// A node with its parts: `(head part part)`.
fn list(head: impl Into<String>, parts: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("({}", head.into());
    for part in parts {
        text.push(' ');
        text.push_str(&part);
    }
    text + ")"
}

impl Printer<'_> {
    pub(super) fn name(self, name: Name) -> String {
        if name == Name::MISSING { "<missing>".to_owned() } else { self.0.names.text(name).to_owned() }
    }

    fn ident(self, ident: Ident) -> String {
        self.name(ident.name)
    }

    fn idents(self, idents: &[Ident]) -> String {
        idents.iter().map(|ident| self.ident(*ident)).collect::<Vec<_>>().join(",")
    }

    fn exprs(self, exprs: &[ExprId]) -> Vec<String> {
        exprs.iter().map(|expr| self.expr(*expr)).collect()
    }

    pub(super) fn expr(self, id: ExprId) -> String {
        let one = |head: &str, operand: ExprId| list(head, [self.expr(operand)]);
        match &self.0[id].kind {
            ExprKind::Name(name) => self.name(*name),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Float(value) => format!("{value:?}f"),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Null => "null".to_owned(),
            ExprKind::Halt => "halt".to_owned(),
            ExprKind::This => "this".to_owned(),
            ExprKind::Nondet { fair } => if *fair { "$$" } else { "$" }.to_owned(),
            ExprKind::String(text) => format!("{:?}", self.name(*text)),
            ExprKind::Format { text, arguments, .. } => {
                list(format!("format {:?}", self.name(*text)), self.exprs(arguments))
            }
            ExprKind::Tuple(items) => list("tuple", self.exprs(items)),
            ExprKind::NamedTuple(fields) => list(
                "tuple",
                fields.iter().map(|(name, value)| format!("{}={}", self.ident(*name), self.expr(*value))),
            ),
            ExprKind::Field { base, field } => list(".", [self.expr(*base), self.ident(*field)]),
            ExprKind::Item { base, index, .. } => list(".", [self.expr(*base), index.to_string()]),
            ExprKind::Index { base, index } => list("[]", [self.expr(*base), self.expr(*index)]),
            ExprKind::Keys(operand) => one("keys", *operand),
            ExprKind::Values(operand) => one("values", *operand),
            ExprKind::Sizeof(operand) => one("sizeof", *operand),
            ExprKind::Default(ty) => list("default", [self.ty(*ty)]),
            ExprKind::New { interface, arguments } => {
                list(format!("new {}", self.ident(*interface)), self.exprs(arguments))
            }
            ExprKind::Call { function, arguments } => {
                list(format!("call {}", self.ident(*function)), self.exprs(arguments))
            }
            ExprKind::Unary { op: UnaryOp::Negate, operand } => one("-", *operand),
            ExprKind::Unary { op: UnaryOp::Not, operand } => one("!", *operand),
            ExprKind::Binary { op, lhs, rhs } => list(op.text(), [self.expr(*lhs), self.expr(*rhs)]),
            ExprKind::Cast { operand, ty } => list("as", [self.expr(*operand), self.ty(*ty)]),
            ExprKind::Convert { operand, ty } => list("to", [self.expr(*operand), self.ty(*ty)]),
            ExprKind::Choose(from) => list("choose", from.map(|from| self.expr(from))),
            ExprKind::Quantifier(quantifier) => {
                let head = if quantifier.universal { "forall" } else { "exists" };
                let new = if quantifier.difference { " new" } else { "" };
                list(format!("{head}{new}"), [self.parameters(&quantifier.bound), self.expr(quantifier.body)])
            }
            ExprKind::Is { operand, kind } => list("is", [self.expr(*operand), self.ident(*kind)]),
            ExprKind::Targets { operand, target } => {
                list("targets", [self.expr(*operand), self.expr(*target)])
            }
            ExprKind::InFlight(operand) => one("inflight", *operand),
            ExprKind::Sent(operand) => one("sent", *operand),
            ExprKind::Error => "<error>".to_owned(),
        }
    }

    pub(super) fn ty(self, id: TypeExprId) -> String {
        match &self.0[id].kind {
            TypeExprKind::Primitive(primitive) => primitive_name(*primitive).to_owned(),
            TypeExprKind::Named(name) => self.name(*name),
            TypeExprKind::Seq(element) => format!("seq[{}]", self.ty(*element)),
            TypeExprKind::Set(element) => format!("set[{}]", self.ty(*element)),
            TypeExprKind::Map(key, value) => format!("map[{},{}]", self.ty(*key), self.ty(*value)),
            TypeExprKind::Tuple(types) => {
                format!("({})", types.iter().map(|ty| self.ty(*ty)).collect::<Vec<_>>().join(","))
            }
            TypeExprKind::NamedTuple(fields) => self.parameters(fields),
            TypeExprKind::Error => "<error>".to_owned(),
        }
    }

    fn parameter(self, parameter: Parameter) -> String {
        format!("{}:{}", self.ident(parameter.name), self.ty(parameter.ty))
    }

    fn parameters(self, parameters: &[Parameter]) -> String {
        let parts: Vec<String> = parameters.iter().map(|parameter| self.parameter(*parameter)).collect();
        format!("({})", parts.join(","))
    }

    pub(super) fn stmt(self, id: StmtId) -> String {
        let e = |expr: &ExprId| self.expr(*expr);
        match &self.0[id].kind {
            StmtKind::Block(statements) => list("block", statements.iter().map(|stmt| self.stmt(*stmt))),
            StmtKind::Assert { condition, message } => {
                list("assert", [e(condition)].into_iter().chain(message.as_ref().map(e)))
            }
            StmtKind::Assume { condition, message } => {
                list("assume", [e(condition)].into_iter().chain(message.as_ref().map(e)))
            }
            StmtKind::Print(message) => list("print", [e(message)]),
            StmtKind::Return(value) => list("return", value.as_ref().map(e)),
            StmtKind::Break => "(break)".to_owned(),
            StmtKind::Continue => "(continue)".to_owned(),
            StmtKind::Assign { target, value } => list("=", [e(target), e(value)]),
            StmtKind::Insert { target, key, value } => list("insert", [e(target), e(key), e(value)]),
            StmtKind::Add { target, value } => list("add", [e(target), e(value)]),
            StmtKind::Remove { target, value } => list("remove", [e(target), e(value)]),
            StmtKind::While { condition, body } => list("while", [e(condition), self.stmt(*body)]),
            StmtKind::Foreach { item, collection, invariants, body } => {
                let invariants = invariants.iter().map(|invariant| list("invariant", [e(invariant)]));
                let head = [self.ident(*item), e(collection)];
                list("foreach", head.into_iter().chain(invariants).chain([self.stmt(*body)]))
            }
            StmtKind::If { condition, then, otherwise } => {
                let branches = [Some(*then), *otherwise].into_iter().flatten().map(|stmt| self.stmt(stmt));
                list("if", [e(condition)].into_iter().chain(branches))
            }
            StmtKind::New { interface, arguments } => {
                list(format!("new {}", self.ident(*interface)), self.exprs(arguments))
            }
            StmtKind::Call { function, arguments } => {
                list(format!("call {}", self.ident(*function)), self.exprs(arguments))
            }
            StmtKind::Raise { event, arguments } => {
                list("raise", [e(event)].into_iter().chain(self.exprs(arguments)))
            }
            StmtKind::Send { machine, event, arguments } => {
                list("send", [e(machine), e(event)].into_iter().chain(self.exprs(arguments)))
            }
            StmtKind::Announce { event, arguments } => {
                list("announce", [e(event)].into_iter().chain(self.exprs(arguments)))
            }
            StmtKind::Goto { state, arguments } => {
                list(format!("goto {}", self.ident(*state)), self.exprs(arguments))
            }
            StmtKind::Receive(cases) => list("receive", cases.iter().map(|case| self.case(case))),
            StmtKind::Empty => "(skip)".to_owned(),
            StmtKind::Error => "<error>".to_owned(),
        }
    }

    fn case(self, case: &ReceiveCase) -> String {
        let parameter = case.parameter.map(|parameter| self.parameters(&[parameter]));
        list(
            format!("case {}", self.idents(&case.events)),
            parameter.into_iter().chain([self.body(&case.body)]),
        )
    }

    fn variables(self, variables: &VariableDeclaration) -> String {
        format!("(var {}:{})", self.idents(&variables.names), self.ty(variables.ty))
    }

    pub(super) fn body(self, body: &Body) -> String {
        let locals = body.locals.iter().map(|variables| self.variables(variables));
        let statements = body.statements.iter().map(|stmt| self.stmt(*stmt));
        format!("{{{}}}", locals.chain(statements).collect::<Vec<_>>().join(" "))
    }

    fn function(self, id: FunctionId) -> String {
        let function: &Function = &self.0[id];
        let name = function.name.map_or(String::new(), |name| format!("fun {} ", self.ident(name)));
        let mut parts = Vec::new();
        if !function.parameters.is_empty() || function.name.is_some() {
            parts.push(self.parameters(&function.parameters));
        }
        parts.extend(function.result.map(|ty| format!(": {}", self.ty(ty))));
        if !function.creates.is_empty() {
            parts.push(format!("creates {}", self.idents(&function.creates)));
        }
        parts.extend(function.named_result.map(|result| format!("return {}", self.parameter(result))));
        parts.extend(function.requires.iter().map(|expr| format!("requires {}", self.expr(*expr))));
        parts.extend(function.ensures.iter().map(|expr| format!("ensures {}", self.expr(*expr))));
        parts.push(function.body.as_ref().map_or("foreign".to_owned(), |body| self.body(body)));
        format!("({name}{})", parts.join(" "))
    }

    fn handler(self, handler: Handler) -> String {
        match handler {
            Handler::Named(name) => self.ident(name),
            Handler::Inline(function) => self.function(function),
        }
    }

    fn state(self, state: &StateDeclaration) -> String {
        let start = if state.start.is_some() { "start " } else { "" };
        let temperature = match state.temperature {
            Temperature::Hot => "hot ",
            Temperature::Warm => "",
            Temperature::Cold => "cold ",
        };
        let head = format!("{start}{temperature}state {}", self.ident(state.name));
        list(head, state.items.iter().map(|item| self.state_item(item)))
    }

    fn state_item(self, item: &StateItem) -> String {
        match item {
            StateItem::Entry { handler, .. } => list("entry", [self.handler(*handler)]),
            StateItem::Exit { handler, .. } => list("exit", [self.handler(*handler)]),
            StateItem::Defer(events) => list("defer", [self.idents(events)]),
            StateItem::Ignore(events) => list("ignore", [self.idents(events)]),
            StateItem::Do { events, handler } => list("do", [self.idents(events), self.handler(*handler)]),
            StateItem::Goto { events, target, with } => {
                let with = with.map(|handler| self.handler(handler));
                list("goto", [self.idents(events), self.ident(*target)].into_iter().chain(with))
            }
        }
    }

    fn machine(self, machine: &MachineDeclaration) -> String {
        let mut parts = vec![self.ident(machine.name)];
        parts.extend(machine.receives.as_ref().map(|events| format!("receives[{}]", self.idents(events))));
        parts.extend(machine.sends.as_ref().map(|events| format!("sends[{}]", self.idents(events))));
        if !machine.observes.is_empty() {
            parts.push(format!("observes[{}]", self.idents(&machine.observes)));
        }
        parts.extend(machine.variables.iter().map(|variables| self.variables(variables)));
        parts.extend(machine.functions.iter().map(|function| self.function(*function)));
        parts.extend(machine.states.iter().map(|state| self.state(state)));
        list(format!("{:?}", machine.kind).to_lowercase(), parts)
    }

    pub(super) fn module(self, id: ModuleExprId) -> String {
        let many = |head: &str, modules: &[ModuleExprId]| {
            list(head, modules.iter().map(|module| self.module(*module)))
        };
        match &self.0[id].kind {
            ModuleExprKind::Bind(bindings) => list(
                "bind",
                bindings.iter().map(|binding| match binding.interface {
                    Some(interface) => format!("{}->{}", self.ident(binding.machine), self.ident(interface)),
                    None => self.ident(binding.machine),
                }),
            ),
            ModuleExprKind::Named(name) => self.name(*name),
            ModuleExprKind::Union(modules) => many("union", modules),
            ModuleExprKind::Compose(modules) => many("compose", modules),
            ModuleExprKind::HideEvents { events, module } => {
                list("hidee", [self.idents(events), self.module(*module)])
            }
            ModuleExprKind::HideInterfaces { interfaces, module } => {
                list("hidei", [self.idents(interfaces), self.module(*module)])
            }
            ModuleExprKind::Assert { specs, module } => {
                list("assert", [self.idents(specs), self.module(*module)])
            }
            ModuleExprKind::Rename { old, new, module } => {
                list("rename", [self.ident(*old), self.ident(*new), self.module(*module)])
            }
            ModuleExprKind::Main { machine, module } => {
                list("main", [self.ident(*machine), self.module(*module)])
            }
            ModuleExprKind::Error => "<error>".to_owned(),
        }
    }

    fn test(self, test: &TestDeclaration) -> String {
        let mut parts = vec![self.ident(test.name), format!("main={}", self.ident(test.main))];
        for parameter in &test.parameters {
            let values: Vec<String> = parameter.values.iter().map(|value| literal(value.value)).collect();
            parts.push(format!("{}=[{}]", self.ident(parameter.name), values.join(",")));
        }
        parts.extend(test.assume.map(|assume| list("assume", [self.expr(assume)])));
        parts.extend(test.coverage.map(|coverage| {
            format!("{}wise{}", coverage.strength, if coverage.pairwise { "!" } else { "" })
        }));
        parts.push(self.module(test.module));
        parts.extend(test.refines.map(|module| list("refines", [self.module(module)])));
        list("test", parts)
    }

    fn targets(self, targets: &ProofTargets) -> String {
        match targets {
            ProofTargets::These(exprs) => format!("[{}]", self.exprs(exprs).join(",")),
            ProofTargets::All => "*".to_owned(),
            ProofTargets::Default => "default".to_owned(),
        }
    }

    pub(super) fn declaration(self, declaration: &Declaration) -> String {
        match declaration {
            Declaration::Type(d) => {
                list("type", [self.ident(d.name)].into_iter().chain(d.definition.map(|ty| self.ty(ty))))
            }
            Declaration::Enum(d) => {
                let elements = d.elements.iter().map(|element| match element.value {
                    Some(value) => format!("{}={value}", self.ident(element.name)),
                    None => self.ident(element.name),
                });
                list(format!("enum {}", self.ident(d.name)), elements)
            }
            Declaration::Event(d) => {
                list("event", [self.ident(d.name)].into_iter().chain(d.payload.map(|ty| self.ty(ty))))
            }
            Declaration::EventSet(d) => list("eventset", [self.ident(d.name), self.idents(&d.events)]),
            Declaration::Interface(d) => {
                let payload = d.payload.map_or("()".to_owned(), |ty| self.ty(ty));
                list("interface", [self.ident(d.name), payload, format!("[{}]", self.idents(&d.receives))])
            }
            Declaration::Machine(d) => self.machine(d),
            Declaration::Function(function) => self.function(*function),
            Declaration::Parameters(d) => self.variables(d).replacen("var", "param", 1),
            Declaration::Module(d) => list("module", [self.ident(d.name), self.module(d.module)]),
            Declaration::Test(d) => self.test(d),
            Declaration::Implementation(d) => {
                let main = d.main.map(|main| format!("main={}", self.ident(main)));
                let parts = [self.ident(d.name)].into_iter().chain(main);
                list("implementation", parts.chain([self.module(d.module)]))
            }
            Declaration::Pure(d) => {
                let head = format!("pure {}", self.ident(d.name));
                let parts = [self.parameters(&d.parameters), format!(": {}", self.ty(d.result))];
                list(head, parts.into_iter().chain(d.body.map(|body| self.expr(body))))
            }
            Declaration::Invariant(d) => list("invariant", [self.ident(d.name), self.expr(d.body)]),
            Declaration::Axiom(condition, _) => list("axiom", [self.expr(*condition)]),
            Declaration::InitCondition(condition, _) => list("init-condition", [self.expr(*condition)]),
            Declaration::InvariantGroup(d) => {
                let invariants = d.invariants.iter();
                let invariants = invariants.map(|invariant| {
                    list("invariant", [self.ident(invariant.name), self.expr(invariant.body)])
                });
                list(format!("group {}", self.ident(d.name)), invariants)
            }
            Declaration::Proof(d) => {
                let name = d.name.map(|name| self.ident(name));
                let commands = d.commands.iter().map(|command| {
                    let excludes = format!("[{}]", self.exprs(&command.excludes).join(","));
                    list("prove", [self.targets(&command.goals), self.targets(&command.premises), excludes])
                });
                list("proof", name.into_iter().chain(commands))
            }
        }
    }
}

fn primitive_name(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "bool",
        Primitive::Int => "int",
        Primitive::Float => "float",
        Primitive::String => "string",
        Primitive::Event => "event",
        Primitive::Machine => "machine",
        Primitive::Data => "data",
        Primitive::Any => "any",
    }
}

fn literal(literal: Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
    }
}
