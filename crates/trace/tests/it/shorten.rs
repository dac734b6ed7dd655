use std::cell::Cell;

use fabius_explore::{Explorer, RoundRobin, RunToCompletion};
use fabius_model::Choice;
use fabius_trace::{Budget, Ending, NotThatBug, Price, Shortened, explain, record, resolve, shorten};

use crate::mailboxes::{Mailboxes, Op, To, summarise};

const PLENTY: u64 = 1_000_000;
const NO_EXPLORER: Option<(&RunToCompletion, Price)> = None;

/// Shortens the run with these positions; the result must replay to the same bug.
fn shortened_within(program: &Mailboxes, positions: &[u32], steps: u64) -> Shortened {
    let choices = resolve(program, positions).unwrap();
    let Ending::Bug(bug) = record(program, &choices).unwrap().ending else { panic!("no bug to shorten to") };
    let bug = summarise(&bug);
    let is_same = |other: &_| summarise(other).is_same(&bug);
    let budget = Budget { steps, should_stop: &|| false };
    let shortened = shorten(program, NO_EXPLORER, &choices, &is_same, budget).unwrap();
    let Ending::Bug(now) = record(program, &shortened.choices).unwrap().ending else {
        panic!("the bug is lost")
    };
    assert!(summarise(&now).is_same(&bug));
    assert_eq!(shortened.steps_before, choices.len());
    shortened
}

fn shortened(program: &Mailboxes, positions: &[u32]) -> Shortened {
    shortened_within(program, positions, PLENTY)
}

/// Three machines that rest a while, positions 0 to 2 in the list of choices, and one that fails, position 3.
fn noisy() -> Mailboxes {
    let spawn = [Op::Spawn(1), Op::Spawn(1), Op::Spawn(2), Op::Spawn(1)];
    Mailboxes::new(&[("Main", &spawn), ("Noise", &[Op::Rest; 10]), ("Faulty", &[Op::Rest, Op::FailIf(0)])])
}

#[test]
fn steps_that_do_not_matter_are_left_out() {
    // Main creates all, everybody rests in turns, and Faulty comes last. Only three creations and two steps matter.
    let program = noisy();
    let mut positions = vec![0; 4];
    positions.extend([0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 0, 0, 3, 3]);
    let shortened = shortened(&program, &positions);
    assert_eq!(shortened.choices.len(), 5);
    assert_eq!((shortened.switches, shortened.is_finished), (1, true));
    assert!(shortened.switches_before > 5);
}

#[test]
fn context_switches_that_do_not_matter_are_joined() {
    // Two machines that must both finish before Main fails: twelve steps are needed, and two switches are enough.
    let worker = [Op::Rest, Op::Rest, Op::Rest, Op::Send(To::Parent, 1)];
    let program = Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Spawn(1), Op::Take, Op::Take, Op::FailIf(1)]),
        ("Worker", &worker),
    ]);
    // After the two creations, the workers take turns; then Main.
    let positions = [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0];
    let shortened = shortened(&program, &positions);
    assert_eq!((shortened.choices.len(), shortened.switches), (13, 3));
    assert_eq!(shortened.switches_before, 9);
    assert!(shortened.is_finished);
}

#[test]
fn stretches_are_joined_where_leaving_out_does_not_help() {
    // As above, but the second message must be that of A, and as soon as nothing is prescribed Spoiler comes first. So
    // no step can be left out, and only moving them helps.
    let program = Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Spawn(2), Op::Spawn(3), Op::Take, Op::Take, Op::FailIf(1)]),
        ("Spoiler", &[Op::FailIf(0)]),
        ("A", &[Op::Rest, Op::Rest, Op::Rest, Op::Send(To::Parent, 1)]),
        ("B", &[Op::Rest, Op::Rest, Op::Rest, Op::Send(To::Parent, 2)]),
    ]);
    let positions = [0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 2, 0, 0, 0];
    let shortened = shortened(&program, &positions);
    assert_eq!((shortened.choices.len(), shortened.switches), (14, 3));
    assert_eq!(shortened.switches_before, 9);
}

#[test]
fn data_choices_become_as_small_as_they_can_be() {
    // 6 and 9 were chosen; the first does not matter, and of the second only 3 to 9 fail.
    let ops =
        [Op::Choose(10), Op::Choose(10), Op::Unless(3, 1), Op::FailIf(3), Op::Unless(9, 1), Op::FailIf(9)];
    let program = Mailboxes::new(&[("Main", &ops)]);
    let shortened = shortened(&program, &[0, 6, 0, 9, 0, 0, 0]);
    let data: Vec<_> = shortened.choices.iter().filter(|choice| matches!(choice, Choice::Data(_))).collect();
    // The failures are on different lines, hence different bugs: 9 must stay, while 6 need not.
    assert_eq!(data, [&Choice::Data(0), &Choice::Data(9)]);
}

#[test]
fn loops_are_cut_out_without_being_tried() {
    // Main goes round and round and then gets out, which it could have done at once.
    let ops = [Op::Choose(2), Op::Unless(0, 1), Op::Again, Op::FailIf(1)];
    let program = Mailboxes::new(&[("Main", &ops)]);
    let mut positions = [0, 0, 0, 0].repeat(50);
    positions.extend([0, 1, 0, 0]);
    let with_budget = shortened(&program, &positions);
    assert_eq!(with_budget.choices.len(), 4);
    assert_eq!(shortened_within(&program, &positions, 0).choices.len(), 4);
}

#[test]
fn a_bug_at_the_end_of_the_run_is_kept() {
    // Noise runs to its end and Main waits for ever.
    let mut program = Mailboxes::new(&[
        ("Main", &[Op::Choose(2), Op::Unless(1, 1), Op::Spawn(1), Op::Take]),
        ("Noise", &[Op::Rest; 20]),
    ]);
    program.deadlocks = true;
    let mut positions = vec![0, 1, 0, 0];
    positions.extend([0; 20]);
    let shortened = shortened(&program, &positions);
    assert_eq!(shortened.choices.len(), 3, "without Noise the deadlock is reached in three steps");
}

#[test]
fn a_bug_of_the_start_is_as_short_as_can_be() {
    let program = Mailboxes::new(&[("Main", &[Op::FailIf(0)])]);
    let shortened = shortened(&program, &[0]);
    assert_eq!((shortened.choices.len(), shortened.switches, shortened.is_finished), (1, 0, true));
}

#[test]
fn choices_that_do_not_lead_to_the_bug_are_refused() {
    let program = noisy();
    let budget = Budget { steps: PLENTY, should_stop: &|| false };
    let choices = resolve(&program, &[0, 0, 0, 0, 0]).unwrap();
    assert_eq!(shorten(&program, NO_EXPLORER, &choices, &|_| true, budget), Err(NotThatBug));
    let choices = resolve(&program, &[0, 0, 0, 0, 3, 3]).unwrap();
    assert!(shorten(&program, NO_EXPLORER, &choices, &|_| true, budget).is_ok());
    assert_eq!(shorten(&program, NO_EXPLORER, &choices, &|_| false, budget), Err(NotThatBug));
}

#[test]
fn any_budget_gives_a_run_to_the_bug_and_more_budget_no_worse_one() {
    let program = noisy();
    let mut positions = vec![0; 4];
    positions.extend([0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 0, 0, 3, 3]);
    let mut last = usize::MAX;
    for steps in 0..200 {
        let shortened = shortened_within(&program, &positions, steps);
        assert!(shortened.choices.len() <= last && shortened.steps_spent <= steps);
        assert_eq!(shortened, shortened_within(&program, &positions, steps), "it is deterministic");
        last = shortened.choices.len();
    }
    assert_eq!(last, 5);
}

#[test]
fn it_stops_when_asked() {
    let program = noisy();
    let mut positions = vec![0; 4];
    positions.extend([0, 0, 0, 0, 1, 1, 1, 1, 3, 3]);
    let choices = resolve(&program, &positions).unwrap();
    let asked = Cell::new(0);
    let should_stop = || {
        asked.set(asked.get() + 1);
        true
    };
    let budget = Budget { steps: PLENTY, should_stop: &should_stop };
    let shortened = shorten(&program, NO_EXPLORER, &choices, &|_| true, budget).unwrap();
    assert!(!shortened.is_finished && asked.get() == 1);
    assert_eq!(shortened.choices, choices);
}

#[test]
fn a_long_run_is_shortened_in_few_tries() {
    // Ten thousand steps of two machines in turns, of which five matter.
    let program = Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Spawn(1), Op::Spawn(2)]),
        (
            "Noise",
            &[
                Op::Choose(2),
                Op::Unless(2, 0),
                Op::Send(To::This, 1),
                Op::Take,
                Op::Send(To::This, 2),
                Op::Again,
            ],
        ),
        ("Faulty", &[Op::Rest, Op::FailIf(0)]),
    ]);
    let mut positions = vec![0, 0, 0];
    // A round of Noise is seven choices, one of them data, and leaves a message more in its queue.
    for _ in 0..700 {
        positions.extend([0, 1, 0, 0, 0, 0, 0]);
        positions.extend([1, 0, 1, 1, 1, 1, 1]);
    }
    positions.extend([2, 2]);
    let shortened = shortened(&program, &positions);
    assert_eq!(shortened.choices.len(), 5);
    assert!(shortened.steps_spent < 100_000, "{}", shortened.steps_spent);
}

/// Shortens with an explorer; the result must lead to the same bug, and its explanation must agree on the delays.
fn with_explorer<E: Explorer>(program: &Mailboxes, explorer: &E, positions: &[u32]) -> Shortened {
    let choices = resolve(program, positions).unwrap();
    let Ending::Bug(bug) = record(program, &choices).unwrap().ending else { panic!("no bug to shorten to") };
    let bug = summarise(&bug);
    let is_same = |other: &_| summarise(other).is_same(&bug);
    let budget = Budget { steps: PLENTY, should_stop: &|| false };
    let shortened = shorten(program, Some((explorer, Price::default())), &choices, &is_same, budget).unwrap();
    let recording = record(program, &shortened.choices).unwrap();
    assert!(matches!(recording.ending, Ending::Bug(now) if summarise(&now).is_same(&bug)));
    let explained = explain(program, "it", explorer, &recording.run).unwrap();
    assert_eq!(explained.delays, shortened.cost);
    shortened
}

#[test]
fn delays_are_removed_before_steps() {
    // In the natural run the worker, being new, goes first and to its end, and then Main fails. If Main goes on at once,
    // it fails four steps earlier.
    let program = Mailboxes::new(&[("Main", &[Op::Spawn(1), Op::FailIf(0)]), ("Worker", &[Op::Rest; 4])]);
    let positions = [0, 1, 1, 0];
    let choices = resolve(&program, &positions).unwrap();
    assert_eq!(choices.len(), 4);
    assert_eq!(shortened(&program, &positions).choices.len(), 2, "without an explorer steps count");
    let natural = with_explorer(&program, &RunToCompletion::new(), &[0, 1, 1, 1, 1, 0]);
    assert_eq!((natural.cost, natural.choices.len()), (0, 6), "the natural run is no detour");
    let short = with_explorer(&program, &RunToCompletion::new(), &positions);
    assert_eq!((short.cost, short.choices.len()), (1, 2), "no run is longer than the one given");
}

#[test]
fn what_is_left_of_a_wild_run_is_nearly_natural() {
    let program = noisy();
    let mut positions = vec![0; 4];
    positions.extend([0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 0, 0, 3, 3]);
    let by_rtc = with_explorer(&program, &RunToCompletion::new(), &positions);
    let by_rr = with_explorer(&program, &RoundRobin::new(), &positions);
    assert!(by_rtc.cost <= 2 && by_rr.cost <= 2, "{by_rtc:?} {by_rr:?}");
}
