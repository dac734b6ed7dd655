//! Explorers on generated programs: the law of soundness, with hints, orders, sealing and scripts.

use crate::support::{compile, seeds, tests, text};
use fabius_explore::{
    Cursor, CustomOrder, Explorer, Flavour, Orders, RandomOrder, Rng, RoundRobin, RunToCompletion, Seal,
    Sealed, Sealing, Taken, unsound_at,
};
use fabius_model::conformance::Budget;
use fabius_model::{Choice, Outcome, Program, Vocabulary, check_agreement, check_durability};
use fabius_script::{ExplorerScript, ScriptExplorer, ScriptFile};
use fabius_vm::{Options, Vm};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const RUN_TO_COMPLETION: &str = include_str!("../../../../examples/strategies/run-to-completion.rhai");
const STEPS: usize = 60;

/// The tests of some generated programs, with hints.
fn programs(count: u64) -> impl Iterator<Item = (u64, Vm)> {
    seeds(count).filter_map(|seed| Some((seed, compile(&text(seed))?))).flat_map(|(seed, program)| {
        let options = || Options { hints: true, ..Options::default() };
        let vms: Vec<Vm> = tests(&program)
            .map(|test| Vm::new(program.clone(), test, options()).expect("the test links"))
            .collect();
        vms.into_iter().map(move |vm| (seed, vm))
    })
}

/// A run with random delays. `look` sees each cursor that names the next choice, before its delays, and the choices.
fn walk<P: Program, E: Explorer>(
    program: &P,
    explorer: E,
    seed: u64,
    mut look: impl FnMut(&Cursor<E>, &[Choice]),
) -> Vec<u32> {
    let mut rng = Rng::from_seed(seed);
    let Outcome::State(mut state) = program.initial() else { return Vec::new() };
    let (mut choices, mut effects, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    program.choices(&state, &mut choices);
    let mut cursor = Cursor::begin(explorer, &choices, program.fingerprint(&state) as u64);
    while !choices.is_empty() && positions.len() < STEPS {
        look(&cursor, &choices);
        let delays = if rng.below(3) == 0 { rng.position(choices.len()) } else { 0 };
        for _ in 0..delays {
            assert!(cursor.delay(&choices));
        }
        let position = cursor.next(&choices);
        positions.push(position as u32);
        effects.clear();
        let choice = choices[position];
        let Outcome::State(next) = program.step(&state, choice, &mut effects) else { break };
        let fingerprint = program.fingerprint(&next) as u64;
        cursor.step(&Taken { choice, effects: &effects, fingerprint });
        state = next;
        program.choices(&state, &mut choices);
    }
    positions
}

fn check_law<P: Program, E: Explorer>(what: &str, program: &P, explorer: E, seed: u64) {
    walk(program, explorer, seed, |cursor, choices| {
        let unsound = unsound_at(cursor, choices);
        assert_eq!(unsound, None, "seed {seed}, {what}, {choices:?}, {cursor:?}");
    });
}

/// An order that names some machine types and changes with each event.
fn orders(vocabulary: &Vocabulary, seed: u64) -> CustomOrder {
    let mut rng = Rng::from_seed(seed);
    let mut phase = || {
        let mut machines: Vec<&str> = vocabulary.machines().iter().map(String::as_str).collect();
        machines.push("*");
        let kept = 1 + rng.position(machines.len());
        let mut order = Vec::new();
        while order.len() < kept {
            order.push(machines.swap_remove(rng.position(machines.len())));
        }
        order.join(",")
    };
    let mut text = phase();
    for event in vocabulary.events() {
        text.push_str(&format!("; {event}: {}", phase()));
    }
    CustomOrder::new(Orders::parse(&text, vocabulary).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn script(vm: &Vm) -> Arc<ExplorerScript> {
    let file = ScriptFile { name: "rtc.rhai".into(), text: RUN_TO_COMPLETION.to_owned() };
    Arc::new(ExplorerScript::compile(&file, vm.vocabulary(), 0).expect("the script is right"))
}

#[test]
fn every_explorer_obeys_the_law() {
    for (seed, vm) in programs(150) {
        check_law("rtc", &vm, RunToCompletion::new(), seed);
        check_law("rr", &vm, RoundRobin::new(), seed);
        check_law("prr", &vm, RoundRobin::probabilistic(seed), seed);
        check_law("random", &vm, RandomOrder::new(seed), seed);
        check_law("order", &vm, orders(&vm.vocabulary(), seed), seed);
        let script = script(&vm);
        check_law("script", &vm, ScriptExplorer::new(Arc::clone(&script)), seed);
        assert_eq!(script.failure(), None, "seed {seed}");
    }
}

#[test]
fn the_script_of_run_to_completion_equals_the_built_in_one_run_by_run() {
    let mut steps = 0;
    for (seed, vm) in programs(150) {
        let script = script(&vm);
        for run in 0..4 {
            let seed = 4 * seed + run;
            let scripted = walk(&vm, ScriptExplorer::new(Arc::clone(&script)), seed, |_, _| {});
            assert_eq!(script.failure(), None, "seed {seed}");
            assert_eq!(scripted, walk(&vm, RunToCompletion::new(), seed, |_, _| {}), "seed {seed}");
            steps += scripted.len();
        }
    }
    assert!(steps > 2_000, "only {steps} steps were compared");
}

#[test]
fn sealed_programs_keep_their_laws_and_their_runs_are_runs_of_the_program() {
    for (seed, vm) in programs(100) {
        let vocabulary = vm.vocabulary();
        let pick =
            |names: &[String], salt: u64| names[Rng::from_seed(seed ^ salt).position(names.len())].clone();
        let texts = [
            format!("machine:{}", pick(vocabulary.machines(), 1)),
            format!("event:{}", pick(vocabulary.events(), 2)),
            format!("state:{}", pick(vocabulary.states(), 3)),
        ];
        let seals: Vec<Seal> =
            texts.iter().map(|text| Seal::parse(text, &vocabulary).expect("the seal is right")).collect();
        for flavour in [Flavour::RoundRobin, Flavour::RunToCompletion] {
            let sealing = Arc::new(Sealing::new(seals.clone(), flavour, vocabulary.clone()));
            let sealed = || Sealed::new(vm.fresh(), Arc::clone(&sealing), Arc::new(AtomicBool::new(false)));
            check_law("rtc, sealed", &sealed(), RunToCompletion::new(), seed);
            check_law("order, sealed", &sealed(), orders(&vocabulary, seed), seed);
            let budget = Budget { runs: 3, steps: STEPS, seed, ..Budget::default() };
            check_agreement(&sealed(), &sealed(), budget).expect("two values of a sealed program agree");
            let few = Budget { states: 150, ..budget };
            check_durability(&sealed(), &sealed(), few).expect("a sealed program can be taken up");
            let positions = walk(&sealed(), RoundRobin::new(), seed, |_, _| {});
            let unsealed = sealed().unsealed_positions(&positions);
            assert_eq!(unsealed.len(), positions.len(), "seed {seed}");
        }
    }
}
