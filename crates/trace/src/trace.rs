//! What a trace consists of. `docs/trace-format.md` says what each part is in the file.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::explain::Explanation;
use crate::texts::Names;

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// A bug and the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The version of the format.
    pub version: u32,
    /// A hash of the program.
    pub program: String,
    /// The test that was run.
    pub test: String,
    /// The search that found the bug.
    pub search: String,
    /// The seed of that search.
    pub seed: u64,
    /// The options of that search that matter, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What went wrong.
    pub bug: BugSummary,
    /// The way to it.
    pub run: Run,
    /// How that differs from the natural run of an explorer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The way that was found first, if `run` is a shortened one. Usually without steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Run>,
}

/// What went wrong, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugSummary {
    /// The kind, as the command line calls it: `unhandled-event`.
    pub kind: String,
    /// A sentence.
    pub message: String,
    /// The type of the machine, or the monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The state it was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The event concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl BugSummary {
    /// The same with the machines in its message called as in the run.
    pub fn retold(self, names: &Names) -> BugSummary {
        BugSummary { message: names.retold(&self.message), ..self }
    }

    /// Whether both are the same bug of one program: the kind and the place are the same, whatever the values in the
    /// message. The program may have moved to another folder, so of the file only the name counts.
    pub fn is_same(&self, other: &BugSummary) -> bool {
        let name = |file: &Option<String>| {
            file.as_ref().map(|file| file.rsplit(['/', '\\']).next().map(str::to_owned))
        };
        self.is_like(other) && name(&self.file) == name(&other.file) && self.line == other.line
    }

    /// Whether both are the same bug when the program may have been edited in between, so that lines have moved.
    pub fn is_like(&self, other: &BugSummary) -> bool {
        self.kind == other.kind
            && self.machine == other.machine
            && self.state == other.state
            && self.event == other.event
    }
}

/// A run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The machines in the order of their creation: the n-th has number n.
    pub machines: Vec<Machine>,
    /// The choices taken, which determine the run.
    pub choices: Vec<Choice>,
    /// What happened before the first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<Happening>,
    /// What happened at each choice: as many as there are choices, or none if nobody asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

impl Run {
    /// The same run without the account of what happened.
    pub fn without_steps(&self) -> Run {
        Run {
            machines: self.machines.clone(),
            choices: self.choices.clone(),
            start: Vec::new(),
            steps: Vec::new(),
        }
    }
}

/// A machine as it is called in one run: `Server(3)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Machine {
    /// Its type.
    pub name: String,
    /// Its place in the order of creation, from 1.
    pub number: u32,
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.number)
    }
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Machine, String> {
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let machine = parts.and_then(|(name, number)| {
            let number = number.parse().ok().filter(|number| *number > 0)?;
            Some(Machine { name: name.to_owned(), number })
        });
        machine.ok_or_else(|| format!("`{text}` is not the name of a machine such as `Server(3)`"))
    }
}

impl TryFrom<String> for Machine {
    type Error = String;

    fn try_from(text: String) -> Result<Machine, String> {
        text.parse()
    }
}

impl From<Machine> for String {
    fn from(machine: Machine) -> String {
        machine.to_string()
    }
}

/// One choice of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ChoiceFields", into = "ChoiceFields")]
pub enum Choice {
    /// The machine that moved.
    Schedule(Machine),
    /// The alternative that a nondeterministic expression took.
    Data {
        /// Which one, from 0.
        alternative: u32,
        /// Its value as people read it, if the program told.
        value: Option<String>,
    },
}

/// A choice in the file: `{"machine": "Server(3)"}` or `{"data": 1, "value": "true"}`.
#[derive(Serialize, Deserialize)]
struct ChoiceFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<Machine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

impl TryFrom<ChoiceFields> for Choice {
    type Error = &'static str;

    fn try_from(fields: ChoiceFields) -> Result<Choice, &'static str> {
        match fields {
            ChoiceFields { machine: None, data: Some(alternative), value } => {
                Ok(Choice::Data { alternative, value })
            }
            ChoiceFields { machine: Some(machine), data: None, .. } => Ok(Choice::Schedule(machine)),
            _ => Err("a choice must have `machine` or `data`, and not both"),
        }
    }
}

impl From<Choice> for ChoiceFields {
    fn from(choice: Choice) -> ChoiceFields {
        match choice {
            Choice::Schedule(machine) => ChoiceFields { machine: Some(machine), data: None, value: None },
            Choice::Data { alternative, value } => {
                ChoiceFields { machine: None, data: Some(alternative), value }
            }
        }
    }
}

/// What happened at one choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The machine that moved, or that a data choice was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Machine>,
    /// What happened, in order.
    pub happenings: Vec<Happening>,
}

/// [`fabius_model::Happening`] with machines called by name and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the fields are those of the type it mirrors")]
pub enum Happening {
    /// A machine came into being.
    Created {
        machine: Machine,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
    /// A machine took an event from its queue, or got it in `receive`.
    Received {
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
    /// A message was put into a queue, or dropped because its target has halted.
    Sent {
        to: Machine,
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dropped: bool,
    },
    /// A message that is about to be sent was shown to monitors.
    Sending {
        to: Machine,
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
    /// An event was announced.
    Announced {
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
    /// An event was raised.
    Raised {
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
    /// The moving machine changed its state.
    Entered {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        to: String,
    },
    /// A monitor changed its state.
    MonitorEntered {
        monitor: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        to: String,
    },
    /// A nondeterministic expression got its value.
    Chose { value: String },
    /// The program printed something.
    Printed { text: String },
    /// The moving machine waits for an event in `receive`.
    Waiting { events: Vec<String> },
    /// The moving machine ended.
    Halted,
    /// Something that a later version of the format knows.
    #[serde(other)]
    Other,
}

impl Happening {
    /// The value or text in it, in which machines may be named.
    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Happening::Created { payload, .. }
            | Happening::Received { payload, .. }
            | Happening::Sent { payload, .. }
            | Happening::Sending { payload, .. }
            | Happening::Announced { payload, .. }
            | Happening::Raised { payload, .. } => payload.as_mut(),
            Happening::Chose { value: text } | Happening::Printed { text } => Some(text),
            Happening::Entered { .. }
            | Happening::MonitorEntered { .. }
            | Happening::Waiting { .. }
            | Happening::Halted
            | Happening::Other => None,
        }
    }
}
