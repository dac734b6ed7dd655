//! What documents say about fixtures.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::{env, fs};

use crate::fixture::Fixture;
use crate::scratch::document;

const LIST: &str = "tests/fixtures/run/README.md";
const DIFFERENCES: &str = "docs/differences-from-p.md";

const LIST_BEGIN: &str = "\
# How P programs behave

Each program here shows one behaviour, and its header says what must come of it; `crates/cli/tests/behaviour` runs them
all with every search. This list is made from the headers: `UPDATE=1 cargo test --test behaviour`.

*(P differs)* marks what P itself does otherwise; `docs/differences-from-p.md` says how.
";

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(document(path)).map_err(|error| format!("{path}: {error}"))
}

/// All fixtures with what they show, by folder.
fn list(fixtures: &[Fixture]) -> String {
    let mut text = LIST_BEGIN.to_owned();
    let mut last_folder = "";
    for fixture in fixtures {
        let (folder, name) = fixture.name.split_once('/').unwrap_or_default();
        if folder != last_folder {
            let _ = write!(text, "\n## {folder}\n\n");
            last_folder = folder;
        }
        let differs = if fixture.differs { " *(P differs)*" } else { "" };
        let _ = writeln!(text, "- `{name}`: {}{differs}", fixture.about);
    }
    text
}

pub(crate) fn the_list_is_up_to_date(fixtures: &[Fixture]) -> Result<(), String> {
    let expected = list(fixtures);
    if env::var_os("UPDATE").is_some() {
        fs::write(document(LIST), &expected).map_err(|error| error.to_string())?;
    }
    if read(LIST)? == expected { Ok(()) } else { Err(format!("{LIST} is out of date; UPDATE=1 rewrites it")) }
}

/// The example of the page on foreign functions is the fixture, without its header, and the script.
pub(crate) fn the_example_of_foreign_functions_is_a_fixture(fixtures: &[Fixture]) -> Result<(), String> {
    let page = read("docs/foreign.md")?;
    let fixture = fixtures.iter().find(|fixture| fixture.name == "foreign/priority_queue");
    let fixture = fixture.ok_or("there is no fixture for it")?;
    let (_, program) = fixture.text.split_once("\n\n").ok_or("it has no header")?;
    let script = read("tests/fixtures/run/foreign/priority_queue.rhai")?;
    let is_shown = |text: &str| page.contains(&format!("```\n{text}```\n"));
    if is_shown(program) && is_shown(&script) {
        Ok(())
    } else {
        Err("docs/foreign.md shows another text".into())
    }
}

/// The fixtures that a text names in backticks: `tests/fixtures/run/queues/fifo.p`.
fn named(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|word| word.strip_prefix("tests/fixtures/run/")?.strip_suffix(".p")).collect()
}

/// The page of differences names exactly the fixtures that say that P differs.
pub(crate) fn differences_name_their_fixtures(fixtures: &[Fixture]) -> Result<(), String> {
    let text = read(DIFFERENCES)?;
    let named = named(&text);
    let differing = fixtures.iter().filter(|fixture| fixture.differs).map(|fixture| fixture.name.as_str());
    let differing: BTreeSet<&str> = differing.collect();
    let wrong: Vec<&&str> = differing.symmetric_difference(&named).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("only one of header and {DIFFERENCES} has {wrong:?}")) }
}
