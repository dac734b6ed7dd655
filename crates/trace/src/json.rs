//! Traces as JSON: one choice, one step, one machine per line, so that traces can be compared line by line.

use std::fmt;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::trace::{Choice, Happening, Machine, Run, Trace, VERSION};

/// Lists and objects nested deeper than this are written on one line.
const LINES_TO_DEPTH: usize = 3;

impl Trace {
    /// The trace as text.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        let formatter = Lines { depth: 0, pretty: PrettyFormatter::new(), compact: CompactFormatter };
        let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
        self.serialize(&mut serializer)
            .expect("a trace has string keys only, and memory does not fail to write");
        bytes.push(b'\n');
        String::from_utf8(bytes).expect("the serializer writes UTF-8")
    }

    /// Reads a trace. Fields that are not known are ignored.
    pub fn from_json(bytes: &[u8]) -> Result<Trace, ReadError> {
        #[derive(Deserialize)]
        struct Header {
            version: Option<u64>,
        }
        let header: Header = serde_json::from_slice(bytes)?;
        match header.version {
            None => return Err(ReadError::NotATrace),
            Some(version) if version != u64::from(VERSION) => return Err(ReadError::Version(version)),
            Some(_) => {}
        }
        let trace: Trace = serde_json::from_slice(bytes)?;
        trace.run.validate().map_err(|what| ReadError::Inconsistent(format!("in `run`: {what}")))?;
        if let Some(explanation) = &trace.explanation {
            explanation
                .validate(&trace.run)
                .map_err(|what| ReadError::Inconsistent(format!("in `explanation`: {what}")))?;
        }
        if let Some(original) = &trace.original {
            original.validate().map_err(|what| ReadError::Inconsistent(format!("in `original`: {what}")))?;
        }
        Ok(trace)
    }
}

/// Why a file could not be read as a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is not JSON.
    NotJson(String),
    /// It is JSON, but has no version.
    NotATrace,
    /// It is of another version of the format.
    Version(u64),
    /// A part is missing or of the wrong kind.
    WrongPart(String),
    /// The parts do not fit together.
    Inconsistent(String),
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> ReadError {
        if error.is_data() {
            ReadError::WrongPart(error.to_string())
        } else {
            ReadError::NotJson(error.to_string())
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotJson(what) => write!(f, "not JSON: {what}"),
            ReadError::NotATrace => f.write_str("there is no `version`"),
            ReadError::Version(version) => {
                write!(f, "the trace has format version {version}; this program reads version {VERSION}")
            }
            ReadError::WrongPart(what) => write!(f, "not a complete trace: {what}"),
            ReadError::Inconsistent(what) => write!(f, "the trace contradicts itself: {what}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Run {
    /// Checks what the types do not say: machines are numbered in order, every machine that is named is among them, and
    /// steps are as many as choices, or none.
    fn validate(&self) -> Result<(), String> {
        for (index, machine) in self.machines.iter().enumerate() {
            if machine.number as usize != index + 1 {
                return Err(format!("`{machine}` is number {} in the list of machines", index + 1));
            }
        }
        if !self.steps.is_empty() && self.steps.len() != self.choices.len() {
            return Err(format!("there are {} choices, but {} steps", self.choices.len(), self.steps.len()));
        }
        let is_unknown =
            |machine: &&Machine| self.machines.get(machine.number as usize - 1) != Some(*machine);
        match self.named_machines().find(is_unknown) {
            Some(unknown) => Err(format!("`{unknown}` is not in the list of machines")),
            None => Ok(()),
        }
    }

    fn named_machines(&self) -> impl Iterator<Item = &Machine> {
        let choosing = self.choices.iter().filter_map(|choice| match choice {
            Choice::Schedule(machine) => Some(machine),
            Choice::Data { .. } => None,
        });
        let moving = self.steps.iter().filter_map(|step| step.by.as_ref());
        let happenings = self.start.iter().chain(self.steps.iter().flat_map(|step| &step.happenings));
        let concerned = happenings.filter_map(|happening| match happening {
            Happening::Created { machine, .. } => Some(machine),
            Happening::Sent { to, .. } => Some(to),
            _ => None,
        });
        choosing.chain(moving).chain(concerned)
    }
}

/// Pretty in the outer levels, compact within.
struct Lines<'a> {
    depth: usize,
    pretty: PrettyFormatter<'a>,
    compact: CompactFormatter,
}

/// Passes a call on to the formatter that is in charge at the current depth.
macro_rules! at_depth {
    ($self:ident, $method:ident ( $($argument:expr),* )) => {
        if $self.depth <= LINES_TO_DEPTH {
            $self.pretty.$method($($argument),*)
        } else {
            $self.compact.$method($($argument),*)
        }
    };
}

impl Formatter for Lines<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, begin_array(writer))
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let result = at_depth!(self, end_array(writer));
        self.depth -= 1;
        result
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        at_depth!(self, begin_array_value(writer, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, end_array_value(writer))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, begin_object(writer))
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let result = at_depth!(self, end_object(writer));
        self.depth -= 1;
        result
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        at_depth!(self, begin_object_key(writer, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, begin_object_value(writer))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, end_object_value(writer))
    }
}
