use std::collections::BTreeMap;

use fabius_trace::{Ending, Replay, ReplayOutcome, Trace, VERSION, log, record, replay, resolve};

use crate::mailboxes::{Mailboxes, Op, To, summarise};

const MAIN: &[Op] = &[Op::Spawn(1), Op::Choose(3), Op::Send(To::Child(0), 7)];
const SERVER: &[Op] = &[Op::Take, Op::Enter(2), Op::FailIf(7)];

fn program(main: &[Op], server: &[Op]) -> Mailboxes {
    Mailboxes::new(&[("Main", main), ("Server", server), ("Timer", &[Op::Rest])])
}

/// The trace of the failure of the unedited program: Main to its end with choice 2, then Server.
fn trace() -> Trace {
    let program = program(MAIN, SERVER);
    let choices = resolve(&program, &[0, 0, 2, 0, 0, 0, 0]).unwrap();
    let recording = record(&program, &choices).unwrap();
    let Ending::Bug(bug) = &recording.ending else { panic!("the choices lead to the failure") };
    Trace {
        version: VERSION,
        program: "old".to_owned(),
        test: "t".to_owned(),
        search: "random".to_owned(),
        seed: 0,
        options: BTreeMap::new(),
        bug: summarise(bug),
        explanation: None,
        run: recording.run,
        original: None,
    }
}

fn replay_edited(main: &[Op], server: &[Op]) -> Replay {
    replay(&program(main, server), "new", &trace(), &summarise)
}

fn messages(replay: &Replay) -> Vec<String> {
    replay.mismatches.iter().map(ToString::to_string).collect()
}

#[test]
fn on_the_same_program_everything_fits() {
    let trace = trace();
    let replay = replay(&program(MAIN, SERVER), "old", &trace, &summarise);
    assert_eq!((replay.outcome, replay.mismatch_count, replay.left_out), (ReplayOutcome::Reproduced, 0, 0));
    assert_eq!((replay.run, replay.bug), (trace.run, Some(trace.bug)));
}

#[test]
fn a_machine_that_cannot_move_is_named_with_its_state() {
    // Server now wants two messages.
    let replay = replay_edited(MAIN, &[Op::Enter(5), Op::Take, Op::Take, Op::FailIf(7)]);
    assert_eq!(
        messages(&replay),
        [
            "step 5: in the trace `Server(2)` receives e7; now it goes from S0 to S5",
            "step 6: in the trace `Server(2)` goes from S0 to S2; now it receives e7",
            "step 7: `Server(2)` cannot move: it is in `S5` and has nothing to do",
            "step 7: the run ends, one step before the trace does",
        ]
    );
    assert_eq!((replay.outcome, replay.left_out), (ReplayOutcome::Diverged { step: 5 }, 1));
}

#[test]
fn after_a_step_that_does_not_fit_the_others_are_still_taken() {
    // Main has one step less, so its last recorded one is left out.
    let replay = replay_edited(&[Op::Spawn(1), Op::Send(To::Child(0), 7)], SERVER);
    assert_eq!(
        messages(&replay),
        [
            "step 2: `Main(1)` now also sends e7 to Server(2)",
            "step 3: the choice of `2` is no longer made",
            "step 4: `Main(1)` cannot move: it is in `S0` and has nothing to do",
        ]
    );
    assert_eq!((replay.outcome, replay.left_out), (ReplayOutcome::Reproduced, 2));
}

#[test]
fn a_new_choice_gets_its_first_alternative() {
    let replay = replay_edited(MAIN, &[Op::Choose(2), Op::Take, Op::Enter(2), Op::FailIf(7)]);
    let messages = messages(&replay);
    assert_eq!(messages[1], "step 6: `Server(2)` makes a choice that the trace does not have");
    assert!(log(&replay.run, None, None).contains("Server(2)  chooses 0"));
    assert_eq!(replay.outcome, ReplayOutcome::Diverged { step: 5 });
}

#[test]
fn a_new_choice_after_the_last_step_is_made_too() {
    // Main chose and Server failed at once; now Server would have to choose first.
    let replay = replay_edited(MAIN, &[Op::Take, Op::Enter(2), Op::Choose(2), Op::FailIf(0)]);
    assert_eq!(messages(&replay), ["step 8: `Server(2)` makes a choice that the trace does not have"]);
    assert_eq!(replay.outcome, ReplayOutcome::Diverged { step: 8 });
    assert_eq!(replay.run.choices.len(), 8);
}

#[test]
fn a_program_that_chooses_for_ever_ends_the_replay() {
    let replay = replay_edited(MAIN, &[Op::Dither]);
    assert_eq!(replay.outcome, ReplayOutcome::Diverged { step: 5 });
    assert!(replay.run.choices.len() > 1000, "it is tried for a while");
    assert_eq!(replay.mismatches.len(), 100, "not all are described");
    assert!(replay.mismatch_count > 1000, "but all are counted");
}

#[test]
fn a_chosen_value_that_is_gone_is_told() {
    let main = [Op::Spawn(1), Op::Choose(2), Op::Send(To::Child(0), 7)];
    let replay = replay_edited(&main, SERVER);
    assert_eq!(messages(&replay), ["step 3: `2` can no longer be chosen; `1` is, instead"]);
    assert_eq!(replay.outcome, ReplayOutcome::Reproduced);
}

#[test]
fn a_new_machine_elsewhere_does_no_harm() {
    let main = [Op::Spawn(2), Op::Spawn(1), Op::Choose(3), Op::Send(To::Child(1), 7)];
    let program = program(&main, SERVER);
    // The trace has no step for the new creation, so the last steps of Main lag behind by one.
    let mut trace = trace();
    trace.run.choices.insert(0, trace.run.choices[0].clone());
    trace.run.steps.insert(0, trace.run.steps[0].clone());
    let replay = replay(&program, "new", &trace, &summarise);
    assert_eq!(replay.outcome, ReplayOutcome::Reproduced);
    assert_eq!(
        messages(&replay),
        ["step 1: in the trace `Main(1)` creates Server(2); now it creates Timer(2)"],
        "that Server(2) is Server(3) now is no mismatch"
    );
    assert_eq!(replay.run.machines[2].to_string(), "Server(3)");
}

#[test]
fn a_machine_that_is_not_created_is_missed() {
    let replay = replay_edited(&[Op::Rest, Op::Choose(3), Op::Send(To::Child(0), 7)], SERVER);
    let messages = messages(&replay);
    assert_eq!(messages[0], "step 1: in the trace `Main(1)` creates Server(2); now it does not");
    assert_eq!(messages.last().unwrap(), "step 5: the run ends, 3 steps before the trace does");
}

#[test]
fn a_machine_that_does_not_exist_is_left_out() {
    // With a Timer in its place something else can move, so that the run goes on.
    let main = [Op::Spawn(2), Op::Choose(3), Op::Send(To::Child(0), 7)];
    let replay = replay_edited(&main, SERVER);
    assert_eq!(messages(&replay)[2], "step 5: there is no `Server(2)`");
    assert_eq!(replay.left_out, 3);
}

#[test]
fn another_bug_is_told_as_such() {
    let mut edited = program(MAIN, &[Op::Take, Op::Take]);
    edited.deadlocks = true;
    let replay = replay(&edited, "new", &trace(), &summarise);
    assert_eq!(replay.outcome, ReplayOutcome::DifferentBug);
    assert_eq!(replay.bug.unwrap().kind, "deadlock");
}

#[test]
fn in_the_same_program_a_bug_on_another_line_is_another_bug() {
    let mut trace = trace();
    trace.bug.line = Some(1000);
    let same = replay(&program(MAIN, SERVER), "old", &trace, &summarise);
    assert_eq!(same.outcome, ReplayOutcome::DifferentBug);
    let edited = replay(&program(MAIN, SERVER), "new", &trace, &summarise);
    assert_eq!(edited.outcome, ReplayOutcome::Reproduced);
}

#[test]
fn a_bug_that_is_gone_is_told_as_such() {
    let replay = replay_edited(MAIN, &[Op::Take, Op::Enter(2), Op::Rest, Op::Rest]);
    assert_eq!((replay.outcome, replay.bug.is_none()), (ReplayOutcome::EndedWithout, true));
    assert!(replay.mismatches.is_empty());
}

#[test]
fn a_trace_without_steps_is_followed_by_its_choices() {
    let mut trace = trace();
    trace.run = trace.run.without_steps();
    let replay = replay(&program(MAIN, SERVER), "old", &trace, &summarise);
    assert_eq!((replay.outcome, replay.mismatch_count), (ReplayOutcome::Reproduced, 0));
    assert_eq!(replay.run.steps.len(), 7);
}
