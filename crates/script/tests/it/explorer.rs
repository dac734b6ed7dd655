//! Strategies in scripts: they do as they are written, and every mistake in them is told.

use std::sync::Arc;

use fabius_explore::{Explorer, RunToCompletion};
use fabius_lang::ids::TestId;
use fabius_script::{ExplorerScript, ScriptError, ScriptExplorer, ScriptFile};
use fabius_search::Callbacks;
use fabius_search::exhaustive::stratified::{Limits, Report, run};
use fabius_vm::{Bug, Options, Vm};

use crate::support::compile;

/// Main creates a server and two clients that ask it; one of them chooses, and the server ends after three questions.
const QUESTIONS: &str = "
    event eAsk: Client;
    event eAnswer;
    machine Main {
      start state Init {
        entry { var server: Server; server = new Server(); new Client(server); new Client(server); }
      }
    }
    machine Server {
      var asked: int;
      start state Ready {
        on eAsk do (client: Client) {
          asked = asked + 1;
          send client, eAnswer;
          if (asked == 3) { raise halt; }
        }
      }
    }
    machine Client {
      var server: Server;
      start state Asking {
        entry (s: Server) { server = s; send server, eAsk, this; }
        on eAnswer do { if ($) { send server, eAsk, this; } }
      }
    }";

const RUN_TO_COMPLETION: &str = include_str!("../../../../examples/strategies/run-to-completion.rhai");
const RANDOM: &str = include_str!("../../../../examples/strategies/random.rhai");

fn vm() -> Vm {
    let options = Options { hints: true, ..Options::default() };
    Vm::new(compile(QUESTIONS), TestId(0), options).expect("the test links")
}

fn script(text: &str, seed: u64) -> Result<Arc<ExplorerScript>, ScriptError> {
    let file = ScriptFile { name: "strategy.rhai".into(), text: text.to_owned() };
    ExplorerScript::compile(&file, vm().vocabulary(), seed).map(Arc::new)
}

fn search(
    explorer: &impl Explorer,
    limits: &Limits,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Report<Box<Bug>> {
    let callbacks = Callbacks { should_stop, ..Callbacks::default() };
    run(&vm(), explorer, limits, &callbacks, &|_| {}).0
}

/// What a strict search with the script reports, and why the script failed.
fn report(text: &str, seed: u64) -> (Report<Box<Bug>>, Option<String>) {
    let script = script(text, seed).unwrap_or_else(|error| panic!("{error}"));
    let explorer = ScriptExplorer::new(Arc::clone(&script));
    let limits = Limits { strict: true, delays: 6, ..Limits::default() };
    let report = search(&explorer, &limits, &|| script.failure().is_some());
    (report, script.failure().map(str::to_owned))
}

#[track_caller]
fn fails(text: &str, expected: &str) {
    let (_, failure) = report(text, 0);
    assert_eq!(failure.as_deref(), Some(expected), "{text}");
}

#[track_caller]
fn is_refused(text: &str, expected: &str) {
    let error = script(text, 0).expect_err("the script is wrong");
    assert_eq!(error.to_string(), expected, "{text}");
}

#[test]
fn the_script_of_run_to_completion_has_the_strata_of_the_built_in_explorer() {
    let (scripted, failure) = report(RUN_TO_COMPLETION, 0);
    assert_eq!(failure, None);
    let limits = Limits { strict: true, delays: 6, ..Limits::default() };
    let built_in = search(&RunToCompletion::new(), &limits, &|| false);
    assert_eq!(scripted.strata, built_in.strata);
    assert_eq!((scripted.states, scripted.stop), (built_in.states, built_in.stop));
    assert!(built_in.states > 100, "the program is not too simple: {built_in:?}");
}

#[test]
fn a_script_gives_the_same_result_with_any_number_of_threads() {
    for (text, seed) in [(RUN_TO_COMPLETION, 0), (RANDOM, 1), (RANDOM, 2)] {
        let reports = [1, 2].map(|jobs| {
            let script = script(text, seed).expect("the script is right");
            let limits = Limits { jobs, ..Limits::default() };
            let report = search(&ScriptExplorer::new(Arc::clone(&script)), &limits, &|| false);
            assert_eq!(script.failure(), None);
            report
        });
        assert_eq!(reports[0], reports[1]);
    }
}

#[test]
fn random_numbers_depend_on_the_seed_and_on_nothing_else() {
    let strata = |seed| report(RANDOM, seed).0.strata;
    assert_eq!(strata(1), strata(1));
    assert!((2..6).any(|seed| strata(seed) != strata(1)), "seeds make a difference");
}

#[test]
fn a_strategy_is_told_of_everything_by_name() {
    // It notes what it is told, and throws its notes when the server ends.
    let log = r#"
        fn start(machines) { [`start ${machines}`] }
        fn next(s, choices) { choices[0] }
        fn delay(s) { s }
        fn finish(s, machine) { throw s.reduce(|all, line| if all == () { line } else { all + "; " + line }, ()); }
        fn step(s, what) {
            let line = "";
            for key in what.keys() { if key != "what" { line += ` ${what[key]}`; } }
            s.push(what.what + line);
            s
        }"#;
    let script = script(log, 0).expect("the script is right");
    let explorer = ScriptExplorer::new(Arc::clone(&script));
    let limits = Limits { delays: 0, free_data: true, ..Limits::default() };
    search(&explorer, &limits, &|| script.failure().is_some());
    let told = script.failure().expect("the server ends").to_owned();
    for part in [
        "start [\"Main(1)\"]; moved Main(1); entered Main(1) Init; created Main(1) Server(2); created Main(1) Client(3)",
        "sent false eAsk Server(2)",
        "received eAsk Server(2) Ready",
        "settled Server(2)",
        "enabled Client(3)",
        "blocked Client(3)",
        "halted Server(2)",
    ] {
        assert!(told.contains(part), "`{part}` is not in {told}");
    }
}

#[test]
fn an_unsound_strategy_is_reported_with_the_state_and_what_was_named() {
    fails(
        "fn next(s, choices) { choices[0] } fn start(m) { 7 } fn delay(s) { s }",
        "strategy.rhai:1: the strategy is not sound: at a state with the choices `Server(2)`, `Client(3)` and `Client(4)`, \
         `next` named `Server(2)` and, after 1 delay, `Server(2)` again; so `Client(3)` and `Client(4)` may never run. After \
         each `delay`, `next` must name a choice that it has not named at this state (`s` is 7)",
    );
}

#[test]
fn naming_somebody_who_cannot_move_is_reported() {
    fails(
        "fn next(s, choices) { \"Main(1)\" } fn delay(s) { s }",
        "strategy.rhai:1: `next` returned `\"Main(1)\"`, which is none of the choices `Server(2)`, `Client(3)` and \
         `Client(4)`; return one of them, or its position (`s` is ())",
    );
    let (_, failure) = report("fn next(s, choices) { 3 } fn delay(s) { s }", 0);
    assert!(failure.is_some_and(|failure| failure.contains("`next` returned `3`, which is none")));
}

#[test]
fn a_position_names_a_choice_too() {
    let text = "fn start(m) { 0 } fn next(s, choices) { s } fn delay(s) { s + 1 } fn step(s, what) { 0 }";
    let (report, failure) = report(text, 0);
    assert_eq!(failure, None);
    assert!(report.states > 100);
}

#[test]
fn errors_in_functions_have_their_place() {
    fails(
        "fn next(s, choices) {\n  nonsense(s)\n}\nfn delay(s) { s }",
        "strategy.rhai:2: Function not found: nonsense (()) (in `next`)",
    );
    fails(
        "fn next(s, choices) {\n choices[0] }\nfn delay(s) {\n\n throw \"no more\" }",
        "strategy.rhai:5: no more (in `delay`)",
    );
    let (_, failure) = report("fn next(s, choices) { choices[0] }\nfn delay(s) { loop {} }", 0);
    assert_eq!(
        failure.as_deref(),
        Some(
            "strategy.rhai:2: Too many operations: one call of `delay` may take 250000 operations; does every loop end?"
        )
    );
}

#[test]
fn states_that_are_forgotten_or_cannot_be_compared_are_reported() {
    fails(
        "fn start(m) { [] } fn next(s, choices) { choices[0] } fn delay(s) { s }\nfn step(s, what) { }",
        "strategy.rhai:2: `step` returned nothing; end it with the state, for instance with the line `s`",
    );
    fails(
        "fn start(m) { |x| x } fn next(s, choices) { choices[0] } fn delay(s) { s }",
        "strategy.rhai:1: `start` returned a state with a function in it; a state holds numbers, strings, bools, arrays and \
         object maps",
    );
}

#[test]
fn scripts_without_a_strategy_are_refused() {
    is_refused(
        "fn delay(s) { s }",
        "strategy.rhai: there is no function `next(s, choices)`, without which there is no strategy",
    );
    is_refused(
        "fn next(s, choices) { choices[0] }",
        "strategy.rhai: there is no function `delay(s)`, without which there is no strategy",
    );
    is_refused(
        "fn next(s) { s } fn delay(s) { s }",
        "strategy.rhai: `next` has 1 parameter, but is called as `next(s, choices)`",
    );
    is_refused(
        "fn delay(s) { s }\nfn nxt(s, choices) { choices[0] }",
        "strategy.rhai:2: nothing calls the function `nxt`; did you mean `next(s, choices)`?",
    );
    is_refused(
        "fn next(s, choices) { choices[0] } fn delay(s) { s }\nfn stepp(s, what) { s }",
        "strategy.rhai:2: nothing calls the function `stepp`; did you mean `step(s, what)`?",
    );
    let own = "fn next(s, choices) { steps(s); choices[0] } fn delay(s) { s } fn steps(s) { s }";
    assert!(script(own, 0).is_ok(), "a function that is called may be called so");
    let error = script("fn next(s, choices) {\n  let = 3;\n}", 0).expect_err("the script is wrong");
    assert_eq!(error.line, Some(2), "{error}");
}
