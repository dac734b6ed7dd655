//! The laws of `Program` on generated programs, in both granularities.

use crate::support::{compile, seeds, tests, text, vm};
use fabius_model::conformance::Budget;
use fabius_model::{Choice, Narrate, Outcome, Program};
use fabius_model::{check_agreement, check_conformance, check_durability, check_sketches};
use fabius_vm::{Granularity, Limits, Options, Vm};

#[test]
fn every_program_keeps_the_laws() {
    let mut states = 0;
    for seed in seeds(500) {
        let source = text(seed);
        let program = compile(&source).unwrap_or_else(|| panic!("seed {seed} does not compile\n{source}"));
        let budget = Budget { states: 150, runs: 3, steps: 60, seed };
        for granularity in [Granularity::Coarse, Granularity::Reference] {
            for test in tests(&program) {
                let vm = vm(&program, test, granularity);
                let coverage = check_conformance(&vm, budget).unwrap_or_else(|violation| {
                    panic!("seed {seed}, {granularity:?}: {violation}\n{source}")
                });
                states += coverage.states;
                check_sketches(&vm, budget.states).unwrap_or_else(|violation| {
                    panic!("seed {seed}, {granularity:?}: {violation}\n{source}")
                });
                check_agreement(&vm, &vm.fresh(), budget).unwrap_or_else(|violation| {
                    panic!("seed {seed}, {granularity:?}: {violation}\n{source}")
                });
                let walker = vm.walker();
                (check_conformance(&walker, budget).map(|_| ()))
                    .and_then(|()| check_agreement(&vm, &walker, budget))
                    .and_then(|()| check_sketches(&walker, budget.states))
                    .unwrap_or_else(|violation| {
                        panic!("seed {seed}, {granularity:?}, walking: {violation}\n{source}")
                    });
                check_durability(&vm, &vm.fresh(), budget).unwrap_or_else(|violation| {
                    panic!("seed {seed}, {granularity:?}: {violation}\n{source}")
                });
                check_narration(&vm, seed).unwrap_or_else(|what| panic!("seed {seed}: {what}\n{source}"));
            }
        }
    }
    println!("{states} states");
}

/// Also where a queue is full or no machine can be created: whoever then may not send can do so when others have moved.
#[test]
fn moves_commute_where_they_say_so_at_the_limits_of_a_program() {
    for seed in seeds(300) {
        let source = text(seed);
        let program = compile(&source).unwrap_or_else(|| panic!("seed {seed} does not compile\n{source}"));
        for queue_length in [1, 2] {
            let limits = Limits { queue_length, machines: 4, ..Limits::default() };
            for test in tests(&program) {
                let options = Options { limits, ..Options::default() };
                let vm = Vm::new(program.clone(), test, options).expect("the test links");
                check_sketches(&vm, 150).and_then(|()| check_sketches(&vm.walker(), 150)).unwrap_or_else(
                    |violation| panic!("seed {seed}, queues of {queue_length}: {violation}\n{source}"),
                );
            }
        }
    }
}

/// Telling a step does what taking it does, and the mover of a choice is among the machines.
fn check_narration(vm: &Vm, seed: u64) -> Result<(), String> {
    let told = vm.narrate_start(&mut Vec::new());
    if told != vm.initial() {
        return Err("telling the start differs from starting".into());
    }
    let Outcome::State(mut state) = told else { return Ok(()) };
    let mut choices: Vec<Choice> = Vec::new();
    for step in 0..60 {
        vm.choices(&state, &mut choices);
        if choices.is_empty() {
            break;
        }
        let choice = choices[(step * 7 + seed as usize) % choices.len()];
        let mover = vm.mover(&state, choice).ok_or("nobody moves")?;
        if !vm.machines(&state).iter().any(|machine| machine.actor == mover) {
            return Err(format!("{mover:?} moves and is not there"));
        }
        let told = vm.narrate(&state, choice, &mut Vec::new());
        if told != vm.step(&state, choice, &mut Vec::new()) {
            return Err(format!("telling {choice:?} differs from taking it"));
        }
        let Outcome::State(next) = told else { break };
        state = next;
    }
    Ok(())
}
