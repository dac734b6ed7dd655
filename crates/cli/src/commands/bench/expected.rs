//! Expected verdicts: the file `expected.toml` of a corpus program, which says what must come of each of its tests.
//!
//! Invariant of entries that were read: their names differ; exactly those with the verdict `bug` describe a bug and name
//! in `fixed` the entry of the same program without it. `check_complete` adds that they are the tests of the project.
//! The tests of the corpus use this file as well as `fabius bench --verify`, so it knows nothing of either.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use serde::Deserialize;

const FILE: &str = "expected.toml";

/// A program of the corpus with what is expected of it.
#[derive(Debug)]
pub(crate) struct CorpusProgram {
    /// That of its folder.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    test: Vec<Entry>,
}

/// What is expected of one test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    /// The options of `fabius check` with which it holds.
    search: Vec<String>,
    /// Whether it is among those that are run with all other tests of Fabius.
    pub(crate) quick: bool,
    /// How many are visited.
    states: Option<u64>,
    bug: Option<ExpectedBug>,
    /// The test that differs only in that the bug is gone.
    fixed: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Verified,
    NoBug,
    Incomplete,
    Bug,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedBug {
    kind: String,
    machine: String,
    /// A part of it.
    message: String,
}

/// What came of a test.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// As the JSON of `fabius check` has it.
    pub(crate) verdict: String,
    pub(crate) states: Option<u64>,
    pub(crate) bug: Option<OutcomeBug>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutcomeBug {
    pub(crate) kind: String,
    pub(crate) machine: String,
    pub(crate) message: String,
}

/// All programs of a corpus, by name.
pub(crate) fn read_corpus(corpus: &Path) -> Result<Vec<CorpusProgram>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => {
            format!("there is no folder `{}`; name that of the corpus with --corpus", corpus.display())
        }
        kind => format!("cannot read `{}`: {kind}", corpus.display()),
    };
    let mut programs = Vec::new();
    for file in fs::read_dir(corpus).map_err(unreadable)? {
        let folder = file.map_err(unreadable)?.path();
        if folder.is_dir() {
            programs.push(read_program(folder)?);
        }
    }
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(programs)
}

fn read_program(folder: PathBuf) -> Result<CorpusProgram, String> {
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            format!("there is no `{}`, which says what is expected of the tests", path.display())
        }
        kind => format!("cannot read `{}`: {kind}", path.display()),
    })?;
    let entries = parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(CorpusProgram { name, folder, entries })
}

/// The entries of a file, if they make sense.
fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let entries = file.test;
    for (at, entry) in entries.iter().enumerate() {
        let name = &entry.name;
        if entries[..at].iter().any(|other| other.name == *name) {
            return Err(format!("`{name}` has two entries"));
        }
        entry.check(&entries).map_err(|problem| format!("`{name}`: {problem}"))?;
    }
    Ok(entries)
}

impl CorpusProgram {
    /// Whether the entries are those of the project's tests, no more and no fewer.
    pub(crate) fn check_complete<'a>(&self, tests: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let tests: BTreeSet<&str> = tests.collect();
        let entries: BTreeSet<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        if let Some(name) = entries.difference(&tests).next() {
            return Err(format!("{}: {FILE} expects something of `{name}`, which is no test", self.name));
        }
        match tests.difference(&entries).next() {
            Some(name) => Err(format!("{}: {FILE} says nothing about test `{name}`", self.name)),
            None => Ok(()),
        }
    }

    /// Whether this is what must come of the test. A bug must also be something else than what is expected of the version
    /// without it: a comparison that could not tell the two apart would not notice if the bug came back there.
    pub(crate) fn judge(&self, entry: &Entry, outcome: &Outcome) -> Result<(), String> {
        entry.compare(outcome)?;
        let fixed = self.entries.iter().find(|other| Some(&other.name) == entry.fixed.as_ref());
        match fixed {
            Some(fixed) if fixed.compare(outcome).is_ok() => {
                Err(format!("what is expected of `{}` is true with the bug, too", fixed.name))
            }
            _ => Ok(()),
        }
    }
}

impl Entry {
    /// The options of its search, with this time limit in seconds unless it has one of its own.
    pub(crate) fn options(&self, timeout: &str) -> Vec<String> {
        let mut options = self.search.clone();
        if !options.iter().any(|option| option == "--timeout") {
            options.extend(["--timeout", timeout].map(str::to_owned));
        }
        options
    }

    fn check(&self, all: &[Self]) -> Result<(), String> {
        if self.verdict != Verdict::Bug {
            return match (&self.bug, &self.fixed) {
                (None, None) => Ok(()),
                _ => Err(format!("a test that is `{}` has neither `bug` nor `fixed`", self.verdict)),
            };
        }
        let (Some(_), Some(fixed)) = (&self.bug, &self.fixed) else {
            return Err("a bug needs `bug` and `fixed`".into());
        };
        match all.iter().find(|other| other.name == *fixed) {
            None => Err(format!("there is no entry `{fixed}`, which is to be without the bug")),
            Some(other) if other.verdict == Verdict::Bug => Err(format!("`{fixed}` has a bug as well")),
            Some(_) => Ok(()),
        }
    }

    /// Whether this is what came of the test; otherwise a sentence about the first difference.
    pub(crate) fn compare(&self, outcome: &Outcome) -> Result<(), String> {
        if outcome.verdict != self.verdict.to_string() {
            let why = outcome.bug.as_ref().map_or(String::new(), |bug| format!(" ({})", bug.message));
            return Err(format!("expected {}, got {}{why}", self.verdict, outcome.verdict));
        }
        if let (Some(expected), Some(bug)) = (&self.bug, &outcome.bug) {
            let is_same = bug.kind == expected.kind && bug.machine == expected.machine;
            if !is_same || !bug.message.contains(&expected.message) {
                return Err(format!("expected {expected:?}, got {bug:?}"));
            }
        }
        match self.states {
            Some(states) if outcome.states != Some(states) => {
                Err(format!("expected {states} states, got {}", outcome.states.unwrap_or(0)))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::NoBug => "no-bug",
            Self::Incomplete => "incomplete",
            Self::Bug => "bug",
        })
    }
}
