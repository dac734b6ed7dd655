//! P's run-time behaviour: every fixture under `tests/fixtures/run` is a test of its own, run by every search.
//!
//! A fixture is a program with one behaviour and a header that says what must come of it; `fixture.rs` has the header's
//! form. For each test of the program:
//! - `fabius check` with each of its searches, at both granularities, must find exactly what the header says. The same
//!   seed must give the same bytes again, and any number of threads the same result (`command.rs`);
//! - breadth-first and depth-first search, at both granularities, must visit all states and find every bug of the header
//!   and no other; the granularities must agree in bugs, in states and in what machines can be seen doing, and all
//!   searches in the number of states (`exhaustive.rs`);
//! - every bug that any of them finds must be accepted by the checker of traces and replay in a process of its own
//!   (`replay.rs`).
//!
//! `cargo test --test behaviour queues/` runs those of one folder.

mod command;
mod documents;
mod exhaustive;
mod fixture;
mod kinds;
mod program;
mod replay;
mod scratch;

use std::process::ExitCode;
use std::sync::Arc;

use fixture::{Expectation, Fixture, Section};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let fixtures = Arc::new(Fixture::all());
    let mut trials: Vec<Trial> = (0..fixtures.len())
        .map(|at| {
            let all = Arc::clone(&fixtures);
            Trial::test(all[at].name.clone(), move || Ok(check(&all[at])?))
        })
        .collect();
    type Check = fn(&[Fixture]) -> Result<(), String>;
    let single: [(&str, Check); 4] = [
        ("every_kind_of_bug_has_a_fixture", kinds::every_one_has_a_fixture),
        ("the_list_of_behaviours_is_up_to_date", documents::the_list_is_up_to_date),
        (
            "the_example_of_foreign_functions_is_a_fixture",
            documents::the_example_of_foreign_functions_is_a_fixture,
        ),
        ("the_page_of_differences_names_their_fixtures", documents::differences_name_their_fixtures),
    ];
    for (name, test) in single {
        let all = Arc::clone(&fixtures);
        trials.push(Trial::test(name, move || Ok(test(&all)?)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn check(fixture: &Fixture) -> Result<(), String> {
    if fixture.about.is_empty() {
        return Err("the first line of a fixture says which behaviour it shows".into());
    }
    if let [Section { expect: Expectation::Rejected(code), .. }] = fixture.sections.as_slice() {
        return program::check_rejected(fixture, code);
    }
    let program = program::compile(fixture)?;
    program::check_sections(fixture, &program)?;
    for section in &fixture.sections {
        let name = section.test.as_deref().unwrap_or_default();
        check_section(fixture, section, &program).map_err(|error| format!("test `{name}`: {error}"))?;
    }
    Ok(())
}

fn check_section(fixture: &Fixture, section: &Section, program: &program::Program) -> Result<(), String> {
    if let Expectation::Refused(message) = &section.expect {
        return command::check_refused(fixture, section, message);
    }
    let findings = command::check(fixture, section, program)?;
    exhaustive::check(fixture, section, program, &findings)
}
