//! The fixtures and their headers.
//!
//! A header is the comment at the top of a file. It begins with prose, which says what behaviour the program shows. Then
//! come lines `// key: value`:
//!
//!     // expect: no-bug                         no bug in any run
//!     // expect: bug <kind> <Machine>.<State>   can be repeated: these bugs and no others; the state may be left out
//!     // expect: rejected <code>                the front end reports the error with this code
//!     // expect: refused <text>                 the test cannot be run, for a reason that contains the text
//!     // message: <text>                        the bug before has a message that contains the text
//!     // event: <name>                          the bug before is about this event
//!     // warning: <text>                        every search over runs warns with, or claims only, what contains the text
//!     // states: <number> (exhaustive)          so many states, in coarse steps; counted by hand
//!     // states: unbounded                      too many to visit all
//!     // within: steps=<n>, schedules=<n>       for the sampling searches, where the usual is not enough
//!     // options: attach-specs, limit queue=50  as on the command line
//!     // foreign: <file>                        a script beside the fixture
//!     // p: differs                             P does something else; docs/differences-from-p.md says so
//!     // test: <name>                           what follows is about this test; needed if there are several
//!
//! Any other line that looks like one of these is an error. After an empty line there may be notes, such as how the states
//! were counted.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Fixture {
    /// `folder/file`, without extension.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// The behaviour, in words.
    pub(crate) about: String,
    pub(crate) sections: Vec<Section>,
    pub(crate) differs: bool,
    /// As in `fabius check --limit queue=50`.
    pub(crate) limits: Vec<(String, u64)>,
    pub(crate) attaches_specs: bool,
    pub(crate) foreign: Vec<String>,
    pub(crate) schedules: u64,
    pub(crate) steps: u64,
}

/// What is expected of one test.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) test: Option<String>,
    pub(crate) expect: Expectation,
    pub(crate) states: States,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) enum Expectation {
    #[default]
    Missing,
    NoBug,
    Bugs(Vec<ExpectedBug>),
    Rejected(String),
    Refused(String),
}

#[derive(Debug)]
pub(crate) struct ExpectedBug {
    pub(crate) kind: String,
    pub(crate) machine: String,
    pub(crate) state: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) event: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum States {
    /// All can be visited; how many is not said.
    #[default]
    Few,
    Exactly(u64),
    Unbounded,
}

impl Fixture {
    /// All fixtures, by name.
    pub(crate) fn all() -> Vec<Self> {
        let folders = entries(&root());
        let files = folders.iter().filter(|path| path.is_dir()).flat_map(|folder| entries(folder));
        let programs = files.filter(|path| path.extension().is_some_and(|extension| extension == "p"));
        let fixtures: Vec<Self> = programs.map(Self::read).collect();
        assert!(!fixtures.is_empty(), "there are no fixtures");
        fixtures
    }

    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("fixtures are text");
        let named = path.strip_prefix(root()).expect("a fixture is below the root").with_extension("");
        let mut fixture = Self {
            name: named.display().to_string().replace('\\', "/"),
            path,
            text: String::new(),
            about: String::new(),
            sections: vec![Section::default()],
            differs: false,
            limits: Vec::new(),
            attaches_specs: false,
            foreign: Vec::new(),
            schedules: 200,
            steps: 200,
        };
        let header = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
        for line in header.take_while(|line| !line.is_empty()) {
            fixture.read_line(line).unwrap_or_else(|| panic!("{}: `{line}`?", fixture.name));
        }
        let is_open = |section: &Section| matches!(section.expect, Expectation::Missing);
        assert!(!fixture.sections.iter().any(is_open), "{} expects nothing", fixture.name);
        Self { text, ..fixture }
    }

    /// `None` if the line makes no sense.
    fn read_line(&mut self, line: &str) -> Option<()> {
        let is_key = |key: &str| key.bytes().all(|byte| byte.is_ascii_lowercase());
        let Some((key, value)) = line.split_once(": ").filter(|(key, _)| is_key(key)) else {
            self.about = format!("{} {line}", self.about).trim().to_owned();
            return Some(());
        };
        let section = self.sections.last_mut()?;
        match key {
            "expect" => section.read_expectation(value)?,
            "message" => section.last_bug()?.message = Some(value.to_owned()),
            "event" => section.last_bug()?.event = Some(value.to_owned()),
            "warning" => section.warnings.push(value.to_owned()),
            "states" if value == "unbounded" => section.states = States::Unbounded,
            "states" => {
                let number = value.strip_suffix(" (exhaustive)")?.replace(',', "");
                section.states = States::Exactly(number.parse().ok()?);
            }
            "within" => value.split(", ").try_for_each(|bound| self.read_bound(bound))?,
            "options" => value.split(", ").try_for_each(|option| self.read_option(option))?,
            "foreign" => self.foreign.push(value.to_owned()),
            "p" if value == "differs" => self.differs = true,
            "test" if section.test.is_none() && matches!(section.expect, Expectation::Missing) => {
                section.test = Some(value.to_owned());
            }
            "test" => {
                let test = Some(value.to_owned());
                self.sections.push(Section { test, ..Section::default() });
            }
            _ => return None,
        }
        Some(())
    }

    fn read_bound(&mut self, bound: &str) -> Option<()> {
        match bound.split_once('=')? {
            ("steps", number) => self.steps = number.parse().ok()?,
            ("schedules", number) => self.schedules = number.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    fn read_option(&mut self, option: &str) -> Option<()> {
        match option.split_once(' ') {
            None if option == "attach-specs" => self.attaches_specs = true,
            Some(("limit", limit)) => {
                let (name, number) = limit.split_once('=')?;
                self.limits.push((name.to_owned(), number.parse().ok()?));
            }
            _ => return None,
        }
        Some(())
    }
}

impl Section {
    fn read_expectation(&mut self, value: &str) -> Option<()> {
        let (word, rest) = value.split_once(' ').unwrap_or((value, ""));
        match (word, &mut self.expect) {
            ("no-bug", expect @ Expectation::Missing) => *expect = Expectation::NoBug,
            ("rejected", expect @ Expectation::Missing) => *expect = Expectation::Rejected(rest.to_owned()),
            ("refused", expect @ Expectation::Missing) => *expect = Expectation::Refused(rest.to_owned()),
            ("bug", expect @ Expectation::Missing) => {
                *expect = Expectation::Bugs(vec![ExpectedBug::read(rest)?]);
            }
            ("bug", Expectation::Bugs(bugs)) => bugs.push(ExpectedBug::read(rest)?),
            _ => return None,
        }
        Some(())
    }

    fn last_bug(&mut self) -> Option<&mut ExpectedBug> {
        match &mut self.expect {
            Expectation::Bugs(bugs) => bugs.last_mut(),
            _ => None,
        }
    }

    pub(crate) fn bugs(&self) -> &[ExpectedBug] {
        match &self.expect {
            Expectation::Bugs(bugs) => bugs,
            _ => &[],
        }
    }
}

impl ExpectedBug {
    fn read(text: &str) -> Option<Self> {
        let (kind, place) = text.split_once(' ')?;
        let (machine, state) = match place.split_once('.') {
            Some((machine, state)) => (machine, Some(state.to_owned())),
            None => (place, None),
        };
        let (kind, machine) = (kind.to_owned(), machine.to_owned());
        Some(Self { kind, machine, state, message: None, event: None })
    }
}

/// `tests/fixtures/run` of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/run")
}

/// What a folder holds, ordered.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of fixtures can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths
}
