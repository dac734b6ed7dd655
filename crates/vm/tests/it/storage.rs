//! States as vectors of ids: stable fingerprints, sharing between threads, memory.

use crate::support::{explore, vm, vm_with};
use fabius_model::{Choice, Durable, Outcome, Packed, Program};
use fabius_vm::{Limits, Options, State, Vm};

/// Three machines that pass numbers around.
const SOURCE: &str = "event n: (int, machine);
    machine Main {
        var seen: map[int, int];
        start state S {
            entry { var a: M; var b: M; a = new M(this); b = new M(this); send a, n, (1, b); send b, n, (2, a); }
            on n do (p: (int, machine)) { seen[p.0] = sizeof(seen); }
        }
    }
    machine M {
        var main0: machine;
        start state S {
            entry (p: machine) { main0 = p; }
            on n do (p: (int, machine)) {
                if (p.0 < 5) { send p.1, n, (p.0 + 2, this to M); }
                send main0, n, (p.0, p.1);
            }
        }
    }";

/// Follows the first choice, or the last one at every third step.
fn walk(vm: &Vm, steps: usize) -> State {
    let Outcome::State(mut state) = vm.initial() else { panic!("nothing fails at the start") };
    let mut choices: Vec<Choice> = Vec::new();
    for step in 0..steps {
        vm.choices(&state, &mut choices);
        let choice = if step % 3 == 0 { choices.last() } else { choices.first() };
        let Some(choice) = choice else { break };
        let Outcome::State(next) = vm.step(&state, *choice, &mut Vec::new()) else { panic!("no step fails") };
        state = next;
    }
    state
}

#[test]
fn fingerprints_are_the_same_in_every_process_and_on_every_machine() {
    // Written down once; a change of these numbers makes stored results worthless and must be deliberate. Where no
    // machine is in a call they do not depend on how code is lowered.
    let vm = vm(SOURCE);
    let fingerprints = [0, 1000].map(|steps| vm.fingerprint(&walk(&vm, steps)));
    let expected = ["cc0f60708363d936dec6d2117ae5744c", "1fddb67230e4667df4c878272d483b43"];
    assert_eq!(fingerprints.map(|fingerprint| format!("{fingerprint:032x}")), expected);
}

#[test]
fn fingerprints_do_not_depend_on_the_order_in_which_states_were_met() {
    let (plain, explored) = (vm(SOURCE), vm(SOURCE));
    explore(&explored);
    let (a, b) = (walk(&plain, 12), walk(&explored, 12));
    assert_eq!(plain.fingerprint(&a), explored.fingerprint(&b));
}

#[test]
fn threads_can_share_one_program() {
    let shared = vm(SOURCE);
    let alone = explore(&vm(SOURCE));
    std::thread::scope(|scope| {
        let threads = [(); 3].map(|()| scope.spawn(|| explore(&shared)));
        for thread in threads {
            assert_eq!(thread.join().expect("the thread does not panic"), alone);
        }
    });
}

#[test]
fn memory_grows_with_what_is_met_and_is_given_back() {
    let mut vm = vm(SOURCE);
    let empty = vm.memory();
    explore(&vm);
    let full = vm.memory();
    assert!(full > empty + 10_000, "{empty} {full}");
    vm.forget();
    assert_eq!(vm.memory(), empty);
    assert!(vm.fresh().memory() <= empty);
}

#[test]
fn repeating_what_was_done_takes_no_memory() {
    let vm = vm(SOURCE);
    explore(&vm);
    let once = vm.memory();
    explore(&vm);
    assert_eq!(vm.memory(), once);
}

#[test]
fn results_are_the_same_when_nothing_may_be_remembered() {
    let limits = Limits { remembered: 0, ..Limits::default() };
    let forgetful = vm_with(SOURCE, Options { limits, ..Options::default() });
    assert_eq!(explore(&forgetful), explore(&vm(SOURCE)));
}

#[test]
fn what_is_written_down_is_refused_when_its_end_is_missing() {
    let vm = vm(SOURCE);
    walk(&vm, 20);
    let mut file = Vec::new();
    vm.save(&mut file).expect("memory can be written");
    for length in 0..file.len() {
        assert!(vm.fresh().restore(&mut &file[..length]).is_err(), "cut to {length} bytes");
    }
    assert!(vm.fresh().restore(&mut file.as_slice()).is_ok());
}

#[test]
fn ids_that_threads_have_left_out_stay_so_when_they_are_written_down() {
    // So many configurations that each thread has ids of its own.
    let vm = vm(
        "machine Main { var n: int; start state S { entry { n = choose(9000); receive { case e: {} } } } } event e;",
    );
    let Outcome::State(start) = vm.initial() else { panic!("nothing fails at the start") };
    let go = |state: &State, choice| match vm.step(state, choice, &mut Vec::new()) {
        Outcome::State(next) => next,
        Outcome::Bug(bug) => panic!("{bug:?}"),
    };
    let mut choices = Vec::new();
    vm.choices(&start, &mut choices);
    let at_choice = if choices.len() == 1 { go(&start, choices[0]) } else { start };
    vm.choices(&at_choice, &mut choices);
    assert_eq!(choices.len(), 9000);
    let (third, barrier) = (choices.len() / 3, std::sync::Barrier::new(3));
    let states: Vec<State> = std::thread::scope(|scope| {
        let threads: Vec<_> = choices
            .chunks(third)
            .map(|some| {
                let (go, at_choice, barrier) = (&go, &at_choice, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    some.iter().map(|choice| go(at_choice, *choice)).collect::<Vec<State>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut file = Vec::new();
    vm.save(&mut file).expect("memory can be written");
    let other = vm.fresh();
    other.restore(&mut file.as_slice()).expect("the file is whole");
    let mut words = Vec::new();
    for state in &states {
        let same = other.unpack(vm.words(state, &mut words)).expect("it is a state of the other, too");
        assert_eq!(other.fingerprint(&same), vm.fingerprint(state));
    }
    let mut again = Vec::new();
    other.save(&mut again).expect("memory can be written");
    assert!(file == again, "what was restored is written down in the same way");
    // Going on from there, new ids meet no old ones.
    explore(&other);
    states.iter().for_each(|state| assert!(other.unpack(vm.words(state, &mut words)).is_some()));
}

#[test]
fn words_that_are_no_state_are_none() {
    let vm = vm(SOURCE);
    let state = walk(&vm, 20);
    let words = vm.words(&state, &mut Vec::new()).to_vec();
    assert_eq!(vm.unpack(&words), Some(state));
    assert_eq!(vm.unpack(&[]), None);
    assert_eq!(vm.unpack(&words[1..]), None);
    for at in 0..words.len() {
        let mut wrong = words.clone();
        wrong[at] = 1 << 30;
        assert_eq!(vm.unpack(&wrong), None, "word {at}");
    }
}

#[test]
fn places_that_were_come_to_are_written_down() {
    let (explored, other) = (vm(SOURCE), vm(SOURCE));
    explore(&explored);
    assert_ne!(other.coverage(), explored.coverage());
    let mut file = Vec::new();
    explored.save(&mut file).expect("memory can be written");
    other.restore(&mut file.as_slice()).expect("the file is whole");
    assert_eq!(other.coverage(), explored.coverage());
}
