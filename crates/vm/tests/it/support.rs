//! Programs from text, and everything there is to check about a small one.

use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_lang::source::SourceMap;
use fabius_model::conformance::Budget;
use fabius_model::{Choice, Narrate, Outcome, Program};
use fabius_model::{check_agreement, check_conformance, check_durability, check_sketches};
use fabius_vm::{Bug, BugKind, Granularity, Options, Standing, State, Value, Vm};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// The program of a text that must be right.
pub(crate) fn compile(source: &str) -> Arc<ir::Program> {
    let mut sources = SourceMap::default();
    sources.add("test.p", source, false).expect("the text is short");
    let compilation = fabius_lang::compile(&sources);
    let Some(program) = compilation.program else { panic!("{:?}\n{source}", compilation.diagnostics) };
    assert_eq!(ir::verify(&program), [], "{source}");
    Arc::new(program)
}

/// The program's first test, or the one that P makes up.
pub(crate) fn vm_with(source: &str, options: Options) -> Vm {
    Vm::new(compile(source), TestId(0), options).expect("the test links")
}

pub(crate) fn vm(source: &str) -> Vm {
    vm_with(source, Options::default())
}

/// What exploring a program has shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Explored {
    pub(crate) states: usize,
    /// States where nothing can move.
    pub(crate) ends: usize,
    pub(crate) bugs: BTreeSet<(String, BugKind, String)>,
    /// Where machines stood: `Server(2).Busy (1, 2)`, with the fields in their order.
    pub(crate) locals: BTreeSet<String>,
    /// Where machines stood in states where nothing can move.
    pub(crate) final_locals: BTreeSet<String>,
}

impl Explored {
    pub(crate) fn kinds(&self) -> BTreeSet<BugKind> {
        self.bugs.iter().map(|(_, kind, _)| *kind).collect()
    }

    /// The one bug; panics when there are more, or none.
    pub(crate) fn bug(&self) -> (&str, BugKind, &str) {
        let bugs: Vec<_> = self.bugs.iter().collect();
        let [(machine, kind, message)] = bugs[..] else { panic!("not one bug: {bugs:?}") };
        (machine, *kind, message)
    }

    fn add_bug(&mut self, bug: &Bug) {
        self.bugs.insert((bug.machine.clone(), bug.kind, bug.message.clone()));
    }

    /// What is the same in both granularities.
    fn essence(&self) -> Self {
        Self {
            states: 0,
            ends: 0,
            bugs: self.bugs.clone(),
            locals: self.locals.clone(),
            final_locals: self.final_locals.clone(),
        }
    }
}

/// The most states that a test's program may have.
const LIMIT: usize = 50_000;

/// Visits every state, breadth first.
pub(crate) fn explore(vm: &Vm) -> Explored {
    let mut explored = Explored::default();
    let initial = match vm.initial() {
        Outcome::State(state) => state,
        Outcome::Bug(bug) => {
            explored.add_bug(&bug);
            return explored;
        }
    };
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial]);
    let mut choices = Vec::new();
    while let Some(state) = waiting.pop_front() {
        explored.states += 1;
        assert!(explored.states <= LIMIT, "more than {LIMIT} states");
        let locals = locals(vm, &state);
        vm.choices(&state, &mut choices);
        if choices.is_empty() {
            explored.ends += 1;
            explored.final_locals.extend(locals.iter().cloned());
            vm.end(&state).iter().for_each(|bug| explored.add_bug(bug));
        }
        explored.locals.extend(locals);
        for choice in &choices {
            match vm.step(&state, *choice, &mut Vec::new()) {
                Outcome::Bug(bug) => explored.add_bug(&bug),
                Outcome::State(next) => {
                    if seen.insert(next.clone()) {
                        waiting.push_back(next);
                    }
                }
            }
        }
    }
    explored
}

fn locals(vm: &Vm, state: &State) -> Vec<String> {
    let machines = vm.machines(state).into_iter().filter(|machine| machine.standing != Standing::Between);
    let text = |machine: fabius_vm::MachineView<'_>| {
        let name = vm.actor_text(machine.actor);
        let fields: Vec<_> = machine.fields.iter().map(|field| show(vm, field)).collect();
        match machine.standing {
            Standing::Halted => format!("{name} halted"),
            Standing::Idle => {
                let program = vm.program();
                let state = program.name(program[machine.machine][machine.state].name);
                format!("{name}.{state} ({})", fields.join(", "))
            }
            standing => format!("{name} {standing:?} ({})", fields.join(", ")),
        }
    };
    machines.map(text).collect()
}

/// A value with sets and maps in their order.
fn show(vm: &Vm, value: &Value) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(" "));
    match value {
        Value::Tuple(tuple) => list(tuple.items().iter().map(|item| show(vm, item)).collect()),
        Value::Seq(seq) => list(seq.items().iter().map(|item| show(vm, item)).collect()),
        Value::Set(set) => list(set.items().map(|item| show(vm, item)).collect()),
        Value::Map(map) => {
            list(map.entries().map(|(key, value)| format!("{}:{}", show(vm, key), show(vm, value))).collect())
        }
        Value::Null => "null".into(),
        value => vm.text(value),
    }
}

/// Explores a small program and checks all that must hold for any: the laws, that it does not matter in which order
/// states are met, that what was met can be written down and taken up again, that telling a step changes nothing, and that
/// both granularities show the same.
pub(crate) fn check(source: &str) -> Explored {
    let coarse = vm(source);
    let reference = vm_with(source, Options { granularity: Granularity::Reference, ..Options::default() });
    for vm in [&coarse, &reference] {
        let budget = Budget { states: 3_000, runs: 20, steps: 60, seed: 3 };
        check_conformance(vm, budget).unwrap_or_else(|violation| panic!("{violation}\n{source}"));
        check_sketches(vm, budget.states).unwrap_or_else(|violation| panic!("{violation}\n{source}"));
        check_sketches(&vm.walker(), budget.states)
            .unwrap_or_else(|violation| panic!("walking: {violation}\n{source}"));
        check_agreement(vm, &vm.fresh(), budget).unwrap_or_else(|violation| panic!("{violation}\n{source}"));
        check_durability(vm, &vm.fresh(), budget).unwrap_or_else(|violation| panic!("{violation}\n{source}"));
        check_narration(vm, source);
    }
    let explored = explore(&coarse.fresh());
    let fine = explore(&reference.fresh());
    assert_eq!(explored.essence(), fine.essence(), "coarse and reference differ\n{source}");
    assert!(explored.states <= fine.states, "coarse has more states\n{source}");
    explored
}

/// Tells a random run and compares with the plain one.
fn check_narration(vm: &Vm, source: &str) {
    let told = vm.narrate_start(&mut Vec::new());
    assert_eq!(told, vm.initial(), "{source}");
    let Outcome::State(mut state) = told else { return };
    let mut choices: Vec<Choice> = Vec::new();
    for step in 0..200_usize {
        vm.choices(&state, &mut choices);
        if choices.is_empty() {
            return;
        }
        let choice = choices[step * 7 % choices.len()];
        let told = vm.narrate(&state, choice, &mut Vec::new());
        assert_eq!(told, vm.step(&state, choice, &mut Vec::new()), "{source}");
        let Outcome::State(next) = told else { return };
        state = next;
    }
}

/// The kinds of bugs that a program can show.
pub(crate) fn kinds(source: &str) -> Vec<BugKind> {
    check(source).kinds().into_iter().collect()
}
