use fabius_model::{ActorId, Choice};
use fabius_trace::{Ending, Impossible, log, record, resolve};

use crate::mailboxes::{Mailboxes, Op, To};

fn chooser() -> Mailboxes {
    Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Enter(1), Op::Choose(3), Op::Send(To::Child(0), 7)]),
        ("Server", &[Op::Take, Op::Print("got it"), Op::FailIf(7)]),
    ])
}

#[test]
fn positions_become_choices_and_choices_an_account() {
    let program = chooser();
    let choices = resolve(&program, &[0, 0, 0, 2, 0, 0, 0, 0]).unwrap();
    let (main, server) = (ActorId(0), ActorId(1));
    let schedule = [main, main, main].map(Choice::Schedule);
    assert_eq!(choices[..3], schedule);
    assert_eq!(choices[3..5], [Choice::Data(2), Choice::Schedule(main)]);
    assert_eq!(choices[5..], [Choice::Schedule(server); 3]);
    let recording = record(&program, &choices).unwrap();
    let Ending::Bug(bug) = &recording.ending else { panic!("it should end in the failure") };
    assert_eq!((bug.kind, bug.machine.as_str()), ("failure", "Server"));
    let expected = "\
start             Main(1) is created
    1  Main(1)    creates Server(2)
    2  Main(1)    goes from S0 to S1
    3  Main(1)    moves
    4  Main(1)    chooses 2
    5  Main(1)    sends e7 to Server(2)
       Main(1)    halts
    6  Server(2)  receives e7
    7  Server(2)  prints got it
    8  Server(2)  moves
";
    assert_eq!(log(&recording.run, None, None), expected);
}

#[test]
fn the_ending_tells_where_the_run_stands() {
    let program = chooser();
    let choices = resolve(&program, &[0, 0, 0, 2, 0]).unwrap();
    assert_eq!(record(&program, &choices).unwrap().ending, Ending::Open);
    let quiet = Mailboxes::new(&[("Main", &[Op::Rest])]);
    let choices = resolve(&quiet, &[0]).unwrap();
    assert_eq!(record(&quiet, &choices).unwrap().ending, Ending::Ended);
    let mut waiting = Mailboxes::new(&[("Main", &[Op::Rest, Op::Take])]);
    waiting.deadlocks = true;
    let choices = resolve(&waiting, &[0]).unwrap();
    assert!(matches!(record(&waiting, &choices).unwrap().ending, Ending::Bug(bug) if bug.kind == "deadlock"));
}

#[test]
fn a_choice_that_is_not_offered_is_named_by_its_step() {
    let program = chooser();
    assert_eq!(resolve(&program, &[0, 2]), Err(Impossible { step: 2 }));
    let main = Choice::Schedule(ActorId(0));
    assert_eq!(record(&program, &[main, main, main, main]), Err(Impossible { step: 4 }));
    let mut choices = resolve(&program, &[0, 0, 0, 2, 0, 0, 0, 0]).unwrap();
    choices.push(Choice::Schedule(ActorId(1)));
    assert_eq!(record(&program, &choices), Err(Impossible { step: 9 }), "nothing comes after a bug");
}

#[test]
fn machines_are_numbered_by_creation_in_the_run() {
    let program = Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Spawn(1)]),
        ("Parent", &[Op::Spawn(2)]),
        ("Leaf", &[Op::Rest]),
    ]);
    let names = |positions: &[u32]| {
        let recording = record(&program, &resolve(&program, positions).unwrap()).unwrap();
        recording.run.machines.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(names(&[0, 0]), ["Main(1)", "Parent(2)", "Parent(3)"]);
    assert_eq!(names(&[0, 1, 0]), ["Main(1)", "Parent(2)", "Leaf(3)", "Parent(4)"]);
}
