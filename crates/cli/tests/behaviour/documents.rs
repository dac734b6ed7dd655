//! What documents say about fixtures.

use std::collections::BTreeSet;
use std::fs;

use crate::fixture::Fixture;
use crate::scratch::document;

const LIST: &str = "tests/fixtures/run/README.md";
const DIFFERENCES: &str = "docs/differences-from-p.md";
/// Where a name of a fixture begins, in documents other than the list.
const PREFIX: &str = "tests/fixtures/run/";

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(document(path)).map_err(|error| format!("{path}: {error}"))
}

/// The fixtures that a text names in backticks: `queues/fifo`, in other documents `tests/fixtures/run/queues/fifo.p`.
fn named(text: &str, prefix: &str, suffix: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let names = quoted.filter_map(|word| word.strip_prefix(prefix)?.strip_suffix(suffix));
    names.filter(|name| name.contains('/') && !name.contains(' ')).map(str::to_owned).collect()
}

pub(crate) fn every_fixture_is_listed(fixtures: &[Fixture]) -> Result<(), String> {
    let listed = named(&read(LIST)?, "", "");
    let missing: Vec<&str> =
        fixtures.iter().map(|fixture| fixture.name.as_str()).filter(|name| !listed.contains(*name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("{LIST} does not name {missing:?}")) }
}

pub(crate) fn every_fixture_named_exists(fixtures: &[Fixture]) -> Result<(), String> {
    let names: BTreeSet<String> = fixtures.iter().map(|fixture| fixture.name.clone()).collect();
    let mut stray = named(&read(LIST)?, "", "");
    stray.extend(named(&read(DIFFERENCES)?, PREFIX, ".p"));
    stray.retain(|name| !names.contains(name));
    if stray.is_empty() { Ok(()) } else { Err(format!("there are no fixtures {stray:?}")) }
}

/// The other way round too: a fixture that says that P differs is named there.
pub(crate) fn every_difference_names_a_fixture(fixtures: &[Fixture]) -> Result<(), String> {
    let text = read(DIFFERENCES)?;
    let listed = named(&text, PREFIX, ".p");
    let differing = fixtures.iter().filter(|fixture| fixture.differs).map(|fixture| &fixture.name);
    let missing: Vec<&String> = differing.filter(|name| !listed.contains(*name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("{DIFFERENCES} does not name {missing:?}")) }
}
