//! `fabius bench --verify`: every test of the corpus, quick or not, against its expected verdict.

use std::time::Instant;

use fabius_lang::source::{counted, separated};

use super::expected::{self, CorpusProgram, Entry, Outcome, OutcomeBug};
use super::measure::parse_options;
use crate::Exit;
use crate::arguments::BenchOptions;
use crate::commands::check::is_interrupted;
use crate::commands::check::measure::{Measured, Subject};
use crate::{near, output};

/// No test of the corpus needs so long. The limits that matter are those of its entry.
const TIMEOUT: &str = "3600";

pub(super) fn run(options: &BenchOptions) -> Exit {
    match verify(options) {
        Ok(exit) => exit,
        Err(message) => output::complain(&message),
    }
}

fn verify(options: &BenchOptions) -> Result<Exit, String> {
    let all = expected::read_corpus(&options.corpus)?;
    let programs = chosen(&all, &options.what)?;
    let start = Instant::now();
    let (mut right, mut wrong) = (0, 0);
    let mut exit = Exit::Success;
    for program in programs {
        let subject = Subject::load(program.folder.clone())?;
        program.check_complete(subject.tests())?;
        for entry in &program.entries {
            let (line, is_right) = told(program, &subject, entry)?;
            if is_interrupted() {
                return Err(format!("interrupted after {}", counted(right + wrong, "test")));
            }
            exit = exit.worse(output::print(&line));
            *(if is_right { &mut right } else { &mut wrong }) += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let differ = if wrong == 0 { "all".to_owned() } else { format!("{} differ,", separated(wrong)) };
    let text = format!(
        "\n{}, {differ} {} as expected, {seconds:.0} s\n",
        counted(right + wrong, "test"),
        separated(right)
    );
    let verdict = if wrong == 0 { Exit::Success } else { Exit::Bug };
    Ok(verdict.worse(exit).worse(output::print(&text)))
}

fn chosen<'a>(all: &'a [CorpusProgram], names: &[String]) -> Result<Vec<&'a CorpusProgram>, String> {
    for name in names {
        if !all.iter().any(|program| program.name == *name) {
            let near = near::nearest(name, all.iter().map(|program| program.name.as_str()));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(format!("there is no program `{name}` in the corpus{hint}"));
        }
    }
    Ok(all.iter().filter(|program| names.is_empty() || names.contains(&program.name)).collect())
}

/// Runs one test. Gives a line about it, and whether it went as expected.
fn told(program: &CorpusProgram, subject: &Subject, entry: &Entry) -> Result<(String, bool), String> {
    let mut arguments = entry.options(TIMEOUT);
    arguments.extend(["--test", &entry.name].map(str::to_owned));
    let options = parse_options(&arguments)?;
    let measured = subject.measure(&options)?;
    let seconds = measured.seconds;
    let compared = program.judge(entry, &outcome(measured));
    let what = match &compared {
        Ok(()) if entry.quick => format!("ok       {}", entry.verdict),
        Ok(()) => format!("ok       {}, not quick", entry.verdict),
        Err(difference) => format!("DIFFERS  {difference}"),
    };
    Ok((format!("{}/{}  {what}  {seconds:.1} s\n", program.name, entry.name), compared.is_ok()))
}

fn outcome(measured: Measured) -> Outcome {
    let verdict = match &measured.bug {
        Some(_) => "bug",
        None if measured.is_verified => "verified",
        None if measured.is_incomplete => "incomplete",
        None => "no-bug",
    };
    let bug = measured.bug.map(|bug| OutcomeBug {
        kind: bug.kind,
        machine: bug.machine.unwrap_or_default(),
        message: bug.message,
    });
    Outcome { verdict: verdict.to_owned(), states: measured.states, bug }
}
