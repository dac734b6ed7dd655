//! From a checked tree to instructions.
//!
//! Order of evaluation is P's: arguments, tuple fields and payloads are evaluated from left to right and kept; operands
//! of operators and indices that are plain variables are read when the operator runs, that is after calls in their
//! sibling operands. `&&` and `||` become branches, `foreach` becomes a loop over a snapshot, and an assertion's
//! message is computed only when the assertion fails.

mod expressions;
mod function;
mod places;
mod statements;

use super::{
    Enum, EnumElement, Event, Field, Function, Interface, Machine, Parameter, Program, RegisterInfo, State,
};
use crate::check::{Checked, MachineInfo, StateInfo};
use crate::ids::{MachineId, StateId};
use crate::source::Span;
use crate::syntax::tree::{Declaration, FunctionId, Handler, StateItem, Tree};
use function::Builder;

/// Lowers a project in which no error was found.
pub fn lower(mut tree: Tree, mut checked: Checked) -> Program {
    let labels = labels(&tree, &checked);
    let functions = (0..tree.functions.len())
        .map(|at| {
            let mut function = lower_function(&tree, &mut checked, FunctionId(at as u32));
            super::insert_moves(&mut function);
            function
        })
        .collect::<Vec<_>>();
    let machines = checked.machines.iter().map(|machine| lower_machine(&tree, machine)).collect();
    let mut names = std::mem::take(&mut tree.names);
    let functions = functions
        .into_iter()
        .zip(labels)
        .map(|(function, label)| Function { name: names.intern(&label), ..function })
        .collect();
    Program {
        names,
        events: (checked.events.iter())
            .map(|event| Event { name: event.name.name, payload: event.payload, span: event.name.span })
            .collect(),
        enums: (checked.enums.iter())
            .map(|info| Enum {
                name: info.name.name,
                elements: (info.elements.iter())
                    .map(|(name, value)| EnumElement { name: name.name, value: *value })
                    .collect(),
            })
            .collect(),
        parameters: (checked.parameters.iter())
            .map(|parameter| Parameter { name: parameter.name.name, ty: parameter.ty })
            .collect(),
        interfaces: (checked.interfaces.iter())
            .map(|interface| Interface {
                name: interface.name.name,
                payload: interface.payload,
                receives: interface.receives.clone(),
            })
            .collect(),
        machines,
        functions,
        tests: checked.tests,
        types: checked.types,
    }
}

fn lower_machine(tree: &Tree, machine: &MachineInfo) -> Machine {
    let span = match &tree.declarations[machine.declaration] {
        Declaration::Machine(declaration) => declaration.span,
        _ => Span::default(),
    };
    Machine {
        name: machine.name.name,
        kind: machine.kind,
        fields: machine.fields.iter().map(|(name, ty)| Field { name: name.name, ty: *ty }).collect(),
        states: machine.states.iter().map(lower_state).collect(),
        start: machine.start.unwrap_or(StateId(0)),
        receives: machine.receives.clone(),
        sends: machine.sends.clone(),
        creates: machine.creates.clone(),
        observes: machine.observes.clone(),
        span,
    }
}

fn lower_state(state: &StateInfo) -> State {
    let mut handlers = state.handlers.clone();
    handlers.sort_unstable_by_key(|(event, ..)| *event);
    State {
        name: state.name.name,
        temperature: state.temperature,
        entry: state.entry.map(crate::check::ir_function),
        exit: state.exit.map(crate::check::ir_function),
        handler_spans: handlers.iter().map(|(_, _, span)| *span).collect(),
        handlers: handlers.into_iter().map(|(event, handler, _)| (event, handler)).collect(),
        span: state.name.span,
    }
}

/// What each function is called: `Machine.function`, `Machine.State.entry`, `Machine.State.on_event`, `function`.
fn labels(tree: &Tree, checked: &Checked) -> Vec<String> {
    let text = |name| tree.names.text(name);
    let mut labels: Vec<String> = (tree.functions.iter().zip(&checked.functions))
        .map(|(function, info)| match (function.name, info.owner) {
            (Some(name), Some(MachineId(owner))) => {
                format!("{}.{}", text(checked.machines[owner as usize].name.name), text(name.name))
            }
            (Some(name), None) => text(name.name).to_owned(),
            (None, _) => String::new(),
        })
        .collect();
    let machines = tree.declarations.iter().filter_map(|declaration| match declaration {
        Declaration::Machine(machine) => Some(machine),
        _ => None,
    });
    for machine in machines {
        for state in &machine.states {
            let place = format!("{}.{}", text(machine.name.name), text(state.name.name));
            for item in &state.items {
                let (handler, role) = match item {
                    StateItem::Entry { handler, .. } => (handler, "entry".to_owned()),
                    StateItem::Exit { handler, .. } => (handler, "exit".to_owned()),
                    StateItem::Do { events, handler }
                    | StateItem::Goto { events, with: Some(handler), .. } => {
                        (handler, format!("on_{}", events.first().map_or("", |event| text(event.name))))
                    }
                    _ => continue,
                };
                if let Handler::Inline(function) = handler {
                    labels[function.0 as usize] = format!("{place}.{role}");
                }
            }
        }
    }
    labels
}

fn lower_function(tree: &Tree, checked: &mut Checked, id: FunctionId) -> Function {
    let info = &checked.functions[id.0 as usize];
    let (owner, parameters, result, is_foreign) = (info.owner, info.parameters, info.result, info.is_foreign);
    let visible = if is_foreign { &info.locals[..parameters as usize] } else { &info.locals[..] };
    let registers =
        visible.iter().map(|local| RegisterInfo { ty: local.ty, name: Some(local.name.name) }).collect();
    let mut function = Function {
        name: crate::names::Name::MISSING,
        owner,
        parameters,
        registers,
        result,
        code: Vec::new(),
        spans: Vec::new(),
        is_foreign,
        span: tree[id].name.map_or(tree[id].span, |name| name.span),
    };
    if let Some(body) = tree[id].body.as_ref().filter(|_| !is_foreign) {
        Builder::new(tree, checked, id, &mut function).lower_body(body);
    }
    function
}
