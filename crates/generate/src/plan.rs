//! What a program declares, decided before any code is written, so that code can refer to all of it.

use crate::Size;
use crate::dice::Dice;
use crate::types::Ty;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) size: Size,
    pub(crate) habits: Habits,
    pub(crate) events: Vec<EventPlan>,
    /// Global functions.
    pub(crate) functions: Vec<FunctionPlan>,
    /// The main machine is the first. A machine creates only those behind it, and itself with a smaller number.
    pub(crate) machines: Vec<MachinePlan>,
    pub(crate) interface: Option<InterfacePlan>,
    pub(crate) specs: Vec<SpecPlan>,
    /// Whether there is a test parameter `knob`.
    pub(crate) has_knob: bool,
}

/// What a whole program tends to, so that programs differ more than chance within one would make them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// How often, in percent, an operation may fail.
    pub(crate) risk: usize,
    /// How often, in percent, a state has no reaction to an event.
    pub(crate) gaps: usize,
    /// How often, in percent, a machine or spec may choose.
    pub(crate) choices: usize,
    /// How often, in percent, code waits in `receive`.
    pub(crate) receives: usize,
    /// How often, in percent, a state reacts to `null`.
    pub(crate) nulls: usize,
    /// How often, in percent, `halt` is sent, raised and handled.
    pub(crate) halts: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct EventPlan {
    pub(crate) name: String,
    pub(crate) payload: Option<Ty>,
}

#[derive(Clone, Debug)]
pub(crate) struct FunctionPlan {
    pub(crate) name: String,
    pub(crate) parameters: Vec<(String, Ty)>,
    pub(crate) result: Option<Ty>,
    pub(crate) kind: FunctionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// Computes.
    Pure,
    /// Calls itself with a smaller first argument. Computes, and in a machine also acts.
    Recursive,
    /// Sends, chooses, receives.
    Acting,
    /// May also raise and change the state: only for handlers.
    Handler,
}

impl FunctionKind {
    pub(crate) fn acts(self) -> bool {
        matches!(self, Self::Acting | Self::Handler)
    }
}

#[derive(Debug)]
pub(crate) struct MachinePlan {
    pub(crate) name: String,
    /// Of the start state's entry; has the type that `new` must pass.
    pub(crate) payload: Option<Ty>,
    pub(crate) fields: Vec<(String, Ty)>,
    pub(crate) states: Vec<StatePlan>,
    pub(crate) functions: Vec<FunctionPlan>,
    pub(crate) fuel: usize,
    /// Whether nothing leads back to the first state, so that what happens there happens once.
    pub(crate) starts_once: bool,
    /// The events of a `receives` clause, if there is one.
    pub(crate) receives: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
pub(crate) struct StatePlan {
    pub(crate) name: String,
    /// Of the entry function.
    pub(crate) parameter: Option<Ty>,
}

/// An interface of a machine with fewer events, and whether another one takes its place by `rename`.
#[derive(Debug)]
pub(crate) struct InterfacePlan {
    pub(crate) machine: usize,
    pub(crate) receives: Vec<String>,
    pub(crate) is_renamed: bool,
}

#[derive(Debug)]
pub(crate) struct SpecPlan {
    pub(crate) name: String,
    pub(crate) observes: Vec<usize>,
    pub(crate) fields: Vec<(String, Ty)>,
    pub(crate) states: Vec<StatePlan>,
    pub(crate) functions: Vec<FunctionPlan>,
}

impl Plan {
    pub(crate) fn new(dice: &mut Dice, size: &Size) -> Self {
        let habits = Habits::new(dice);
        let events = events(dice, size);
        let count = 1 + dice.between(1, size.machines.max(1));
        let machines: Vec<_> = (0..count).map(|at| machine(dice, size, &events, at)).collect();
        let interface = dice.chance(25).then(|| interface(dice, &events, &machines));
        let spec_count = dice.between(0, size.specs);
        let specs = (0..spec_count).map(|at| spec(dice, size, &events, at)).collect();
        let functions = (0..dice.between(1, 3)).map(|at| global_function(dice, at)).collect();
        let has_knob = dice.chance(12);
        Self { size: *size, habits, events, functions, machines, interface, specs, has_knob }
    }

    /// The states of a machine that transitions may lead to.
    pub(crate) fn targets(&self, machine: usize) -> &[StatePlan] {
        let machine = &self.machines[machine];
        &machine.states[usize::from(machine.starts_once)..]
    }

    /// The events whose payload is an `int`, of which there is at least one.
    pub(crate) fn int_events(&self) -> Vec<&EventPlan> {
        self.events.iter().filter(|event| event.payload == Some(Ty::Int)).collect()
    }
}

impl Habits {
    fn new(dice: &mut Dice) -> Self {
        Self {
            risk: *dice.pick(&[0, 2, 6]),
            gaps: *dice.pick(&[0, 0, 8]),
            choices: *dice.pick(&[0, 10, 25]),
            receives: *dice.pick(&[0, 4, 12]),
            nulls: *dice.pick(&[0, 0, 0, 15]),
            halts: *dice.pick(&[0, 5, 15]),
        }
    }
}

fn events(dice: &mut Dice, size: &Size) -> Vec<EventPlan> {
    let count = dice.between(2, size.events.max(2));
    let payload = |dice: &mut Dice, at: usize| match at {
        0 => Some(Ty::Int),
        1 => dice.chance(50).then_some(Ty::Machine),
        _ => dice.chance(75).then(|| Ty::random(dice)),
    };
    (0..count).map(|at| EventPlan { name: format!("e{at}"), payload: payload(dice, at) }).collect()
}

fn machine(dice: &mut Dice, size: &Size, events: &[EventPlan], at: usize) -> MachinePlan {
    let payload = if at == 0 { None } else { constructor(dice) };
    let field = |dice: &mut Dice, at: usize| (format!("f{at}"), Ty::random(dice));
    let mut fields = vec![("fuel".to_owned(), Ty::Int), ("peer".to_owned(), Ty::Machine)];
    fields.extend((0..dice.between(0, size.fields)).map(|at| field(dice, at)));
    let mut states = vec![StatePlan { name: "S0".into(), parameter: payload.clone() }];
    for at in 1..dice.between(1, size.states.max(1)) {
        let parameter = dice.chance(35).then(|| state_parameter(dice, events));
        states.push(StatePlan { name: format!("S{at}"), parameter });
    }
    let functions = (0..dice.between(0, 2)).map(|at| machine_function(dice, events, at)).collect();
    let receives = (at > 0 && dice.chance(4)).then(|| some_events(dice, events));
    MachinePlan {
        name: if at == 0 { "Main".into() } else { format!("M{at}") },
        payload,
        fields,
        states,
        functions,
        fuel: dice.between(1, size.fuel.max(1)).max(dice.between(1, size.fuel.max(1))),
        starts_once: at == 0 || dice.chance(50),
        receives,
    }
}

/// What `new` must pass. Most machines get to know another one.
fn constructor(dice: &mut Dice) -> Option<Ty> {
    match dice.below(10) {
        0..=1 => None,
        2..=4 => Some(Ty::Machine),
        5 => Some(Ty::Int),
        6..=8 => Some(Ty::Pair),
        _ => Some(Ty::Tuple(vec![Ty::Int, Ty::Machine])),
    }
}

/// The payload of an event, so that transitions can lead to the state.
fn state_parameter(dice: &mut Dice, events: &[EventPlan]) -> Ty {
    dice.pick(events).payload.clone().unwrap_or(Ty::Int)
}

fn some_events(dice: &mut Dice, events: &[EventPlan]) -> Vec<String> {
    let mut names: Vec<String> =
        events.iter().filter(|_| dice.chance(85)).map(|event| event.name.clone()).collect();
    if names.is_empty() {
        names.push(events[0].name.clone());
    }
    names
}

fn global_function(dice: &mut Dice, at: usize) -> FunctionPlan {
    let kind =
        dice.weighted(&[(3, FunctionKind::Pure), (2, FunctionKind::Recursive), (2, FunctionKind::Acting)]);
    let mut parameters = vec![("n".to_owned(), Ty::Int)];
    if kind == FunctionKind::Acting {
        parameters.push(("to_whom".into(), Ty::Machine));
    } else if dice.chance(50) {
        parameters.push(("x".into(), Ty::random(dice)));
    }
    let must_return = kind != FunctionKind::Acting;
    let result = (must_return || dice.chance(50)).then(|| function_result(dice));
    FunctionPlan { name: format!("G{at}"), parameters, result, kind }
}

fn function_result(dice: &mut Dice) -> Ty {
    match dice.below(6) {
        0..=2 => Ty::Int,
        3 => Ty::Bool,
        _ => Ty::random(dice),
    }
}

fn machine_function(dice: &mut Dice, events: &[EventPlan], at: usize) -> FunctionPlan {
    let kind = dice.weighted(&[
        (1, FunctionKind::Pure),
        (1, FunctionKind::Recursive),
        (3, FunctionKind::Acting),
        (3, FunctionKind::Handler),
    ]);
    let name = format!("F{at}");
    match kind {
        FunctionKind::Handler => {
            let payload = dice.pick(events).payload.clone();
            let parameters = payload.into_iter().map(|ty| ("x".to_owned(), ty)).collect();
            FunctionPlan { name, parameters, result: None, kind }
        }
        _ => {
            let mut parameters = vec![("n".to_owned(), Ty::Int)];
            if dice.chance(50) {
                parameters.push(("x".into(), Ty::random(dice)));
            }
            let must_return = kind != FunctionKind::Acting;
            let result = (must_return || dice.chance(60)).then(|| function_result(dice));
            FunctionPlan { name, parameters, result, kind }
        }
    }
}

fn interface(dice: &mut Dice, events: &[EventPlan], machines: &[MachinePlan]) -> InterfacePlan {
    let machine = dice.between(1, machines.len() - 1);
    let mut receives = some_events(dice, events);
    if let Some(possible) = &machines[machine].receives {
        receives.retain(|event| possible.contains(event));
        if receives.is_empty() {
            receives.push(possible[0].clone());
        }
    }
    InterfacePlan { machine, receives, is_renamed: dice.chance(40) }
}

fn spec(dice: &mut Dice, size: &Size, events: &[EventPlan], at: usize) -> SpecPlan {
    let mut observes: Vec<usize> = (0..events.len()).filter(|_| dice.chance(50)).collect();
    if observes.is_empty() {
        observes.push(dice.below(events.len()));
    }
    let fields = vec![("fuel".into(), Ty::Int), ("seen".into(), Ty::random(dice)), ("count".into(), Ty::Int)];
    let mut states = vec![StatePlan { name: "S0".into(), parameter: None }];
    for at in 1..dice.between(1, size.states.max(1)) {
        let parameter = dice.chance(30).then(|| state_parameter(dice, events));
        states.push(StatePlan { name: format!("S{at}"), parameter });
    }
    let observed: Vec<EventPlan> = observes.iter().map(|event| events[*event].clone()).collect();
    let functions = (0..dice.below(2)).map(|at| spec_function(dice, &observed, at)).collect();
    SpecPlan { name: format!("Watch{at}"), observes, fields, states, functions }
}

fn spec_function(dice: &mut Dice, observed: &[EventPlan], at: usize) -> FunctionPlan {
    let name = format!("F{at}");
    if dice.chance(50) {
        let parameters = vec![("n".to_owned(), Ty::Int)];
        return FunctionPlan {
            name,
            parameters,
            result: Some(function_result(dice)),
            kind: FunctionKind::Pure,
        };
    }
    let payload = dice.pick(observed).payload.clone();
    let parameters = payload.into_iter().map(|ty| ("x".to_owned(), ty)).collect();
    FunctionPlan { name, parameters, result: None, kind: FunctionKind::Handler }
}
