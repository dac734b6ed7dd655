use std::collections::BTreeMap;

use fabius_model::{ActorId, Choice as ModelChoice, Effect, Happening as ModelHappening};
use fabius_model::{Narrate, Outcome, Program};
use fabius_trace::{
    Choice, Deviation, Ending, Explanation, Happening, Machine, Trace, VERSION, check, record, resolve,
};

use crate::mailboxes::{Bug, Mailboxes, Op, State, To, summarise};

fn program() -> Mailboxes {
    Mailboxes::new(&[
        ("Main", &[Op::Spawn(1), Op::Choose(3), Op::Send(To::Child(0), 7)]),
        ("Server", &[Op::Take, Op::Enter(2), Op::FailIf(7)]),
    ])
}

fn trace_of(program: &Mailboxes, positions: &[u32]) -> Trace {
    let recording = record(program, &resolve(program, positions).unwrap()).unwrap();
    let Ending::Bug(bug) = &recording.ending else { panic!("the choices lead to a bug") };
    Trace {
        version: VERSION,
        program: "p".to_owned(),
        test: "t".to_owned(),
        search: "random".to_owned(),
        seed: 0,
        options: BTreeMap::new(),
        bug: summarise(bug),
        original: Some(recording.run.without_steps()),
        run: recording.run,
        explanation: None,
    }
}

fn trace() -> Trace {
    trace_of(&program(), &[0, 0, 2, 0, 0, 0, 0])
}

#[track_caller]
fn assert_refused(change: impl FnOnce(&mut Trace), message: &str) {
    let mut trace = trace();
    change(&mut trace);
    let refusal = check(&program(), &trace, &summarise).expect_err("it should be refused");
    assert_eq!(refusal.to_string(), message);
}

#[test]
fn a_true_trace_is_accepted() {
    assert_eq!(check(&program(), &trace(), &summarise), Ok(()));
    let mut lean = trace();
    lean.run = lean.run.without_steps();
    assert_eq!(check(&program(), &lean, &summarise), Ok(()));
}

#[test]
fn a_choice_that_is_not_offered_is_refused() {
    assert_refused(|trace| trace.run.choices.swap(0, 4), "step 1: there is no `Server(2)`");
    assert_refused(|trace| trace.run.choices.swap(1, 4), "step 2: `Server(2)` cannot move");
    let large = Choice::Data { alternative: 3, value: None };
    assert_refused(|trace| trace.run.choices[2] = large, "step 3: there is no alternative 3 to choose");
}

#[test]
fn a_value_that_is_not_the_chosen_one_is_refused() {
    let lie = Choice::Data { alternative: 2, value: Some("5".to_owned()) };
    assert_refused(|trace| trace.run.choices[2] = lie, "step 3: `5` is not what is chosen");
}

#[test]
fn a_false_account_is_refused() {
    let lie = || Happening::Received { event: "e8".to_owned(), payload: None };
    assert_refused(|trace| trace.run.steps[4].happenings[0] = lie(), "step 5: what happens is not as told");
    assert_refused(|trace| trace.run.start.clear(), "before the first step: the start is not as told");
    assert_refused(|trace| trace.run.steps[0].by = None, "step 1: another machine moves than told");
    assert_refused(
        |trace| {
            trace.run.machines.pop();
        },
        "step 7: the list of machines is not that of the run",
    );
}

#[test]
fn a_run_without_the_bug_is_refused() {
    let shorten = |trace: &mut Trace| {
        trace.run.choices.pop();
        trace.run.steps.pop();
    };
    assert_refused(shorten, "step 6: the run does not end in a bug");
    let lengthen = |trace: &mut Trace| trace.run.choices.push(trace.run.choices[0].clone());
    assert_refused(lengthen, "step 8: the run has already ended in a bug");
}

#[test]
fn another_bug_is_refused() {
    assert_refused(
        |trace| trace.bug.message = "all is well".to_owned(),
        "step 7: the bug is `failure in Server with 0 messages`, not `all is well`",
    );
}

#[test]
fn the_original_must_lead_to_the_same_bug() {
    assert_refused(
        |trace| {
            trace.original.as_mut().unwrap().choices.pop();
        },
        "in the original run, step 6: the run does not end in a bug",
    );
    let mut program = Mailboxes::new(&[("Main", &[Op::Choose(2), Op::FailIf(1), Op::Take])]);
    program.deadlocks = true;
    let mut trace = trace_of(&program, &[0, 1, 0]);
    trace.original = Some(trace_of(&program, &[0, 0, 0]).run);
    let refusal = check(&program, &trace, &summarise).unwrap_err();
    assert!(refusal.to_string().contains("the bug is another one: `deadlock"), "{refusal}");
}

/// Tells another story than it plays.
struct Liar(Mailboxes);

impl Program for Liar {
    type State = State;
    type Bug = Bug;

    fn initial(&self) -> Outcome<State, Bug> {
        self.0.initial()
    }

    fn choices(&self, state: &State, choices: &mut Vec<ModelChoice>) {
        self.0.choices(state, choices);
    }

    fn step(&self, state: &State, choice: ModelChoice, effects: &mut Vec<Effect>) -> Outcome<State, Bug> {
        match self.0.step(state, choice, effects) {
            Outcome::Bug(_) => Outcome::State(state.clone()),
            outcome => outcome,
        }
    }

    fn end(&self, state: &State) -> Option<Bug> {
        self.0.end(state)
    }

    fn fingerprint(&self, state: &State) -> u128 {
        self.0.fingerprint(state)
    }
}

impl Narrate for Liar {
    fn narrate_start(&self, happenings: &mut Vec<ModelHappening>) -> Outcome<State, Bug> {
        self.0.narrate_start(happenings)
    }

    fn narrate(
        &self,
        state: &State,
        choice: ModelChoice,
        happenings: &mut Vec<ModelHappening>,
    ) -> Outcome<State, Bug> {
        self.0.narrate(state, choice, happenings)
    }

    fn mover(&self, state: &State, choice: ModelChoice) -> Option<ActorId> {
        self.0.mover(state, choice)
    }

    fn machine_name(&self, actor: ActorId) -> String {
        self.0.machine_name(actor)
    }

    fn describe(&self, state: &State, actor: ActorId) -> String {
        self.0.describe(state, actor)
    }
}

#[test]
fn a_program_that_tells_otherwise_than_it_steps_is_found_out() {
    let refusal = check(&Liar(program()), &trace(), &summarise).unwrap_err();
    assert_eq!(refusal.to_string(), "step 7: the program steps otherwise than it tells");
}

#[test]
fn a_deviation_must_have_been_avoidable() {
    let explained = |step, natural| {
        let deviations = vec![Deviation { step, delays: 1, natural }];
        Some(Explanation { explorer: "rtc".to_owned(), delays: 1, deviations })
    };
    let taken = trace().run.choices[0].clone();
    assert_refused(
        |trace| trace.explanation = explained(1, taken.clone()),
        "step 1: the step is called a deviation, and is none",
    );
    let last = trace().run.machines.last().unwrap().clone();
    assert_refused(
        |trace| trace.explanation = explained(2, Choice::Schedule(Machine { number: 99, ..last.clone() })),
        &format!("step 2: there is no `{}(99)`", last.name),
    );
}
