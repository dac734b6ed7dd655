//! What is exercised is known exactly, whatever is remembered; profiles count what can be counted by hand.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fabius_lang::ids::{MachineId, StateId, TestId};
use fabius_lang::ir::Handler;
use fabius_model::{Choice, Outcome, Program};
use fabius_vm::{Granularity, Limits, Options, Profile, Reaction, State, Vm};

use crate::support::{explore, vm, vm_with};

/// A client asks and may give up; of what the server can do, some is never needed.
const OFFICE: &str = "
    event eAsk: machine;
    event eAnswer;
    event eLate;
    event eNever;
    event eOnlyRaised;
    event eUnread;
    machine Main {
      start state Init {
        entry {
          var server: machine;
          server = new Server();
          if ($) { send server, eLate; send server, eUnread; }
          send server, eAsk, this;
          if (false) { new Spare(); }
          raise eOnlyRaised;
        }
        on eOnlyRaised goto Waiting;
      }
      state Waiting {
        on eAnswer do { if (false) { goto Lost; } goto Done; }
        on eNever goto Lost with { print \"lost\"; }
      }
      state Done { ignore eAnswer; }
      state Lost { on eAnswer do { goto Done; } }
    }
    machine Server {
      start state Idle {
        on eAsk goto Busy;
        defer eLate;
        ignore eUnread, eNever;
      }
      state Busy {
        entry (client: machine) { send client, eAnswer; }
        on eLate do { print \"late\"; }
        on eUnread do { print \"unread\"; }
      }
    }
    machine Spare { start state Empty { on eAsk do { goto Empty; } } }
    machine Foreign { start state Empty { on eAsk do { } } }
    spec Sees observes eAsk, eAnswer {
      start state None { on eAsk do { goto Asked; } on eAnswer goto None; }
      state Asked { on eAnswer goto None; on eAsk goto Asked; }
    }
    spec Blind observes eNever { start state None { entry { raise eNever; } on eNever do { } } }
    test tcOffice [main=Main]: assert Sees, Blind in { Main, Server, Spare, Foreign };";

/// What was not exercised, in words.
fn unexercised(vm: &Vm) -> BTreeSet<String> {
    let program = vm.program();
    let coverage = vm.coverage();
    let mut missing = BTreeSet::new();
    for (id, machine) in &coverage.machines {
        let name = program.name(program[*id].name);
        let state_name = |state: StateId| program.name(program[*id][state].name);
        if !machine.is_exercised {
            missing.insert(name.to_owned());
        }
        for state in &machine.states {
            let state_text = format!("{name}.{}", state_name(state.state));
            if !state.is_entered {
                missing.insert(state_text.clone());
            }
            for reaction in state.reactions.iter().filter(|reaction| !reaction.is_used) {
                let how = match reaction.handler {
                    Handler::Defer => "defer",
                    Handler::Ignore => "ignore",
                    Handler::Do(_) | Handler::Goto { .. } => "on",
                };
                missing.insert(format!("{state_text} {how} {}", program.name(program[reaction.event].name)));
            }
        }
        for goto in machine.gotos.iter().filter(|goto| !goto.is_taken) {
            let near = if goto.is_near { "" } else { " far away" };
            missing.insert(format!("{name} goto {}{near}", state_name(goto.target)));
        }
    }
    for (id, event) in &coverage.events {
        let name = program.name(program[*id].name);
        if !event.is_sent {
            missing.insert(format!("send {name}"));
        } else if event.has_receiver && !event.is_received {
            missing.insert(format!("receive {name}"));
        }
    }
    missing
}

#[test]
fn what_was_not_exercised_is_known_whatever_is_remembered() {
    let expected = [
        "Main goto Lost",
        "Main goto Done far away",
        "Main.Done ignore eAnswer",
        "Main.Lost",
        "Main.Lost on eAnswer",
        "Main.Waiting on eNever",
        "Server.Idle ignore eNever",
        "Server.Busy on eUnread",
        "Sees.Asked on eAsk",
        "Sees.None on eAnswer",
        "Spare",
        "Spare.Empty",
        "Spare.Empty on eAsk",
        "Spare goto Empty far away",
        "Blind",
        "receive eUnread",
    ];
    let expected: BTreeSet<String> = expected.map(str::to_owned).into();
    let nothing = Limits { remembered: 0, ..Limits::default() };
    for options in [
        Options::default(),
        Options { hints: true, ..Options::default() },
        Options { granularity: Granularity::Reference, ..Options::default() },
        Options { limits: nothing, ..Options::default() },
        Options { limits: nothing, granularity: Granularity::Reference, ..Options::default() },
    ] {
        let vm = vm_with(OFFICE, options.clone());
        assert!(explore(&vm.fresh()).bugs.is_empty());
        assert_eq!(unexercised(&vm), expected, "{options:?}");
        let blind = vm.blind_specs();
        let names: Vec<&str> = blind.iter().map(|spec| vm.program().name(vm.program()[*spec].name)).collect();
        assert_eq!(names, ["Blind"], "what it raises itself is not observed");
    }
}

#[test]
fn before_the_first_step_nothing_but_specs_was_exercised() {
    let vm = vm(OFFICE);
    let Outcome::State(_) = vm.initial() else { panic!("the program starts") };
    let missing = unexercised(&vm);
    assert!(missing.contains("Main") && missing.contains("Sees"), "{missing:?}");
    assert!(!missing.contains("Sees.None"), "{missing:?}");
}

#[test]
fn what_a_move_goes_back_behind_was_not_exercised_by_it() {
    let vm = vm("
        event eSeen;
        machine Main {
          start state Init { entry { new Other(); new Other(); goto Second; } }
          state Second { entry { announce eSeen; } }
        }
        machine Other { start state Init { } }
        spec Watch observes eSeen { start state Init { on eSeen goto Init; } }
        test tcBack [main=Main]: assert Watch in { Main, Other };");
    let Outcome::State(first) = vm.initial() else { panic!("the program starts") };
    let mut choices = Vec::new();
    vm.choices(&first, &mut choices);
    let Outcome::State(second) = vm.step(&first, choices[0], &mut Vec::new()) else { panic!("no bug") };
    let missing = unexercised(&vm);
    assert!(missing.contains("Main.Second") && missing.contains("Main goto Second"), "{missing:?}");
    vm.choices(&second, &mut choices);
    let Outcome::State(_) = vm.step(&second, choices[0], &mut Vec::new()) else { panic!("no bug") };
    let missing = unexercised(&vm);
    assert!(!missing.contains("Main.Second") && !missing.contains("Main goto Second"), "{missing:?}");
}

#[test]
fn tests_add_up() {
    let source = "
        event eA; event eB;
        machine Main { start state Init { on eA do { } on eB do { } } }
        machine First { start state Init { entry { send new Main(), eA; } } }
        machine Second { start state Init { entry { send new Main(), eB; } } }
        test tcFirst [main=First]: { First, Main };
        test tcSecond [main=Second]: { Second, Main };";
    let program = crate::support::compile(source);
    let mut sum: Option<fabius_vm::Coverage> = None;
    for test in 0..2 {
        let vm = Vm::new(program.clone(), TestId(test), Options::default());
        let vm = vm.expect("the test links");
        explore(&vm);
        let coverage = vm.coverage();
        assert!(coverage.events.values().any(|event| !event.is_sent), "each sends only one");
        assert_eq!(coverage.machines.len(), 2, "the other test's main machine does not count");
        match &mut sum {
            None => sum = Some(coverage),
            Some(sum) => sum.merge(&coverage),
        }
    }
    let sum = sum.expect("there are two tests");
    assert_eq!(sum.machines.len(), 3);
    assert!(sum.events.values().all(|event| event.is_sent && event.is_received));
    assert!(sum.machines.values().all(|machine| machine.is_exercised));
}

/// Two workers, each with four states of its own that do not depend on the other.
const WORKERS: &str = "
    event eGo; event eMore;
    machine Main { start state Init { entry { new Worker(); new Worker(); } } }
    machine Worker {
      start state Init {
        entry { send this, eGo; }
        on eGo, eMore goto Done with { print \"done\"; }
      }
      state Done { }
    }
    spec Watch observes eGo {
      start state None { on eGo goto Some; }
      state Some { on eGo goto Some; }
    }
    test tcWorkers [main=Main]: assert Watch in { Main, Worker };";

/// Every state, each with its choices.
fn states(vm: &Vm) -> Vec<(State, Vec<Choice>)> {
    let Outcome::State(initial) = vm.initial() else { panic!("the program starts") };
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = vec![initial];
    let mut all = Vec::new();
    while let Some(state) = waiting.pop() {
        let mut choices = Vec::new();
        vm.choices(&state, &mut choices);
        for choice in &choices {
            if let Outcome::State(next) = vm.step(&state, *choice, &mut Vec::new())
                && seen.insert(next.clone())
            {
                waiting.push(next);
            }
        }
        all.push((state, choices));
    }
    all
}

fn in_words(vm: &Vm, profile: &Profile) -> BTreeMap<String, u64> {
    let program = vm.program();
    let text = |reaction: &Reaction| match reaction {
        Reaction::Events(events) => {
            let names: Vec<&str> = events.iter().map(|event| program.name(program[*event].name)).collect();
            names.join(",")
        }
        other => format!("{other:?}"),
    };
    let steps = profile.steps(vm).into_iter().map(|of| {
        let machine = &program[of.machine];
        let names = (program.name(machine.name), program.name(machine[of.state].name));
        (format!("{}.{} {}", names.0, names.1, text(&of.reaction)), of.steps)
    });
    steps.collect()
}

#[test]
fn profiles_of_independent_workers_are_products() {
    let vm = vm(WORKERS);
    let (mut by_state, mut by_step) = (Profile::default(), Profile::default());
    let states = states(&vm);
    assert_eq!(states.len(), 17, "the start, and four by four");
    for (state, choices) in &states {
        by_state.add_state(&vm, state);
        choices.iter().for_each(|choice| by_step.add_step(&vm, state, *choice));
    }
    // Each of two workers takes two steps of its entry, up to the send and from there on, in four states of the other.
    let expected = [("Main.Init Entry", 1), ("Worker.Init Entry", 16), ("Worker.Init eGo,eMore", 8)];
    let expected: BTreeMap<String, u64> = expected.map(|(name, steps)| (name.to_owned(), steps)).into();
    assert_eq!(in_words(&vm, &by_state), expected);
    assert_eq!(in_words(&vm, &by_step), expected);

    let id = |name: &str| {
        let at = vm.program().machines.iter().position(|machine| vm.program().name(machine.name) == name);
        MachineId(at.expect("there is such a machine") as u32)
    };
    let queues = by_state.queues(id("Worker")).expect("workers have queues");
    assert_eq!((queues.counts.as_slice(), queues.largest, queues.mean()), (&[24, 8][..], 1, 0.25));
    assert!(by_state.queues(id("Watch")).is_none(), "specs have none");
    let of_spec = |state| by_state.states_of_spec(&vm, id("Watch"), StateId(state));
    assert_eq!((of_spec(0), of_spec(1)), (2, 15), "nobody has come to its send, or somebody has");

    let mut twice = by_state.clone();
    twice.merge(&by_state);
    assert_eq!(in_words(&vm, &twice)["Worker.Init Entry"], 32);
    let memory = vm.remembered();
    assert!(memory.made > 0 && memory.remembered >= memory.made && memory.bytes > 0, "{memory:?}");
}

#[test]
fn steps_in_the_middle_of_a_function_belong_to_what_called_it() {
    let vm = vm("
        event eGo; event eHalt;
        machine Main {
          start state Init {
            entry { send this, eGo; }
            exit { send this, eHalt; }
            on eGo goto Next with { send this, eGo; }
          }
          state Next {
            entry { if ($) { raise halt; } }
            on eHalt do { helper(); }
            on eGo do { helper(); raise halt; }
          }
          fun helper() { send this, eHalt; receive { case eHalt: { } } }
        }
        test tcSteps [main=Main]: { Main };");
    // Entry of Init, up to its send and behind it, which is the end; taking eGo leads into `exit`, the step behind its send
    // into `with`, the step behind that one into the entry of Next, at whose choice two ways lead on. One ends. On the
    // other the queue holds eHalt and eGo: the handler of eHalt sends eHalt, and waits for it: three steps; so does
    // the handler of eGo.
    let mut profile = Profile::default();
    states(&vm).iter().for_each(|(state, _)| profile.add_state(&vm, state));
    let expected = [
        ("Main.Init Entry", 2),
        ("Main.Init eGo", 2),
        ("Main.Init Exit", 1),
        ("Main.Next Entry", 2),
        ("Main.Next eHalt", 3),
        ("Main.Next eGo", 3),
    ];
    let expected: BTreeMap<String, u64> = expected.map(|(name, steps)| (name.to_owned(), steps)).into();
    assert_eq!(in_words(&vm, &profile), expected);
}
