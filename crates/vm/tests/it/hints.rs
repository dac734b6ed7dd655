//! Hints: told by name if asked for, and without a say in anything else.

use fabius_model::{ActorId, Choice, Effect, Outcome, Program, Vocabulary};
use fabius_vm::{Options, Vm};

use crate::support::vm_with;

const PING: &str = "
    event ePing: machine;
    event ePong;
    event eNote;
    machine Main {
      start state Init {
        entry { send new Server(), ePing, this; announce eNote; goto Waiting; }
      }
      state Waiting { on ePong do { raise halt; } }
    }
    machine Server {
      start state Ready { on ePing do (client: machine) { send client, ePong; } }
    }";

fn hinting(source: &str) -> Vm {
    vm_with(source, Options { hints: true, ..Options::default() })
}

/// The effects of the run that always takes the first choice, in words.
fn effects(vm: &Vm, vocabulary: &Vocabulary) -> Vec<String> {
    let Outcome::State(mut state) = vm.initial() else { panic!("the program starts") };
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    let mut told = Vec::new();
    loop {
        vm.choices(&state, &mut choices);
        let Some(choice) = choices.first() else { return told };
        effects.clear();
        let Outcome::State(next) = vm.step(&state, *choice, &mut effects) else { panic!("there is no bug") };
        told.extend(effects.iter().map(|effect| in_words(vm, vocabulary, effect)));
        state = next;
    }
}

fn in_words(vm: &Vm, vocabulary: &Vocabulary, effect: &Effect) -> String {
    let who = |actor: &ActorId| vm.actor_text(*actor);
    match effect {
        Effect::Created(actor) => format!("{} created", who(actor)),
        Effect::SentTo(actor) => format!("{} has mail", who(actor)),
        Effect::Enabled(actor) => format!("{} enabled", who(actor)),
        Effect::Blocked(actor) => format!("{} blocked", who(actor)),
        Effect::Halted(actor) => format!("{} halted", who(actor)),
        Effect::Is { actor, machine, creator } => {
            format!("{} is a {} of {}", who(actor), vocabulary.text(*machine), who(creator))
        }
        Effect::Entered(actor, name) => format!("{} entered {}", who(actor), vocabulary.text(*name)),
        Effect::Received { actor, state, event } => {
            format!("{} took {} in {}", who(actor), vocabulary.text(*event), vocabulary.text(*state))
        }
        Effect::Sent(actor, name) => format!("{} is sent {}", who(actor), vocabulary.text(*name)),
        Effect::Announced(name) => format!("{} announced", vocabulary.text(*name)),
        Effect::Settled(actor) => format!("{} settled", who(actor)),
    }
}

#[test]
fn hints_tell_types_states_and_events_in_the_order_in_which_they_happen() {
    let vm = hinting(PING);
    let expected = [
        "Main(1) entered Main.Init",
        "Server(2) created",
        "Server(2) is a Server of Main(1)",
        "Server(2) is sent ePing",
        "Server(2) has mail",
    ];
    let told = effects(&vm, &vm.vocabulary());
    assert_eq!(told[..5], expected, "{told:#?}");
    for later in [
        "eNote announced",
        "Main(1) entered Main.Waiting",
        "Main(1) settled",
        "Server(2) entered Server.Ready",
        "Server(2) took ePing in Server.Ready",
        "Main(1) is sent ePong",
        "Main(1) took ePong in Main.Waiting",
        "Main(1) halted",
    ] {
        assert!(told.iter().any(|said| said == later), "{later} is not among {told:#?}");
    }
    assert_eq!(vm.vocabulary().first(), vm.vocabulary().machine("Main"));
}

#[test]
fn without_hints_the_other_effects_and_all_states_are_the_same() {
    let (plain, hinting) = (vm_with(PING, Options::default()), hinting(PING));
    let mut waiting = vec![(start(&plain), start(&hinting))];
    while let Some((one, other)) = waiting.pop() {
        assert_eq!(plain.fingerprint(&one), hinting.fingerprint(&other));
        let (mut choices, mut others) = (Vec::new(), Vec::new());
        plain.choices(&one, &mut choices);
        hinting.choices(&other, &mut others);
        assert_eq!(choices.len(), others.len());
        for (choice, other_choice) in choices.into_iter().zip(others) {
            let (next, told) = step(&plain, &one, choice);
            let (other_next, hinted) = step(&hinting, &other, other_choice);
            assert!(told.iter().all(|effect| !effect.is_hint()), "{told:?}");
            let without: Vec<Effect> = hinted.iter().filter(|effect| !effect.is_hint()).copied().collect();
            assert_eq!(told.len(), without.len(), "{told:?} {hinted:?}");
            waiting.push((next, other_next));
        }
    }
}

fn start(vm: &Vm) -> fabius_vm::State {
    let Outcome::State(state) = vm.initial() else { panic!("the program starts") };
    state
}

fn step(vm: &Vm, state: &fabius_vm::State, choice: Choice) -> (fabius_vm::State, Vec<Effect>) {
    let mut effects = Vec::new();
    let Outcome::State(next) = vm.step(state, choice, &mut effects) else { panic!("there is no bug") };
    (next, effects)
}
