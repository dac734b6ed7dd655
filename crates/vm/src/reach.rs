//! What a test can reach: the machines it may create and the functions they may call.
//!
//! An over-approximation: every state, handler and branch counts as reachable. What is not in it cannot happen.

use fabius_lang::ids::{FunctionId, InterfaceId, MachineId, TestId};
use fabius_lang::ir::{Handler, Instruction, Program, State};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Reach {
    pub(crate) interfaces: BTreeSet<InterfaceId>,
    /// Foreign functions.
    pub(crate) foreign: BTreeSet<FunctionId>,
    /// By machine, monitors included: the functions that it may call.
    pub(crate) functions: BTreeMap<MachineId, BTreeSet<FunctionId>>,
}

/// What the test's main machine and its monitors can reach.
pub(crate) fn of_test(program: &Program, test: TestId) -> Reach {
    let mut walk = Walk { program, test, reach: Reach::default(), called: BTreeSet::new() };
    for attachment in &program[test].monitors {
        walk.machine(attachment.monitor, None);
    }
    let mut waiting = vec![program[test].main];
    while let Some(interface) = waiting.pop() {
        if walk.reach.interfaces.insert(interface) {
            let machine = program[test].bindings.get(interface.index()).copied().flatten();
            if let Some(machine) = machine {
                waiting.extend(walk.machine(machine, Some(interface)));
            }
        }
    }
    walk.reach
}

struct Walk<'a> {
    program: &'a Program,
    test: TestId,
    reach: Reach,
    /// Functions that machines behind an interface may call.
    called: BTreeSet<(Option<InterfaceId>, FunctionId)>,
}

impl Walk<'_> {
    /// Walks over a machine's code; returns the interfaces it may create.
    fn machine(&mut self, machine: MachineId, interface: Option<InterfaceId>) -> Vec<InterfaceId> {
        let mut waiting: Vec<FunctionId> = self.program[machine].states.iter().flat_map(functions).collect();
        let mut created = Vec::new();
        self.reach.functions.entry(machine).or_default();
        while let Some(function) = waiting.pop() {
            if !self.called.insert((interface, function)) {
                continue;
            }
            self.reach.functions.entry(machine).or_default().insert(function);
            if self.program[function].is_foreign {
                self.reach.foreign.insert(function);
            }
            for instruction in &self.program[function].code {
                match instruction {
                    Instruction::Call { function, .. } => waiting.push(*function),
                    Instruction::New { interface: requested, .. } => {
                        created.extend(interface.map(|creator| self.linked(creator, *requested)));
                    }
                    _ => {}
                }
            }
        }
        created
    }

    fn linked(&self, creator: InterfaceId, requested: InterfaceId) -> InterfaceId {
        let links = self.program[self.test].links.iter();
        let mut link = links.filter(|link| link.creator == creator && link.requested == requested);
        link.next().map_or(requested, |link| link.created)
    }
}

fn functions(state: &State) -> Vec<FunctionId> {
    let handlers = state.handlers.iter().filter_map(|(_, handler)| match handler {
        Handler::Do(function) => Some(*function),
        Handler::Goto { with, .. } => *with,
        Handler::Defer | Handler::Ignore => None,
    });
    handlers.chain(state.entry).chain(state.exit).collect()
}
