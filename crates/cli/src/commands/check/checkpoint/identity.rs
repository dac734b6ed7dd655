//! What a search must have in common with the one that goes on from its checkpoint.

use std::collections::BTreeMap;

use fabius_vm::Limits;
use serde::{Deserialize, Serialize};

use super::super::search::value_name;
use crate::arguments::CheckOptions;

/// The form of checkpoints: another number whenever what is written changes, even between two versions of Fabius.
const FORM: u32 = 4;

/// Everything that decides what is visited and found. Time, memory, the number of states and that of threads are not part of
/// it: one may go on with more of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// That of Fabius, with the form of its checkpoints.
    version: String,
    /// The hash of the program's text and of its scripts.
    program: String,
    pub(super) test: String,
    /// By the names of the command line.
    options: BTreeMap<String, String>,
}

impl Identity {
    pub(super) fn new(options: &CheckOptions, program: String, test: &str, limits: &Limits) -> Self {
        let mut values = vec![
            ("search", value_name(&options.search)),
            ("store", value_name(&options.store)),
            ("bugs", options.bugs.to_string()),
            ("p-points", options.program.p_points.to_string()),
            ("attach-specs", options.program.attach_specs.to_string()),
            ("seal", options.seals.join(" ")),
            ("limit instructions", limits.instructions.to_string()),
            ("limit calls", limits.call_depth.to_string()),
            ("limit queue", limits.queue_length.to_string()),
            ("limit value-bytes", limits.value_bytes.to_string()),
            ("limit value-depth", limits.value_depth.to_string()),
            ("limit machines", limits.machines.to_string()),
        ];
        if !options.seals.is_empty() {
            values.push(("seal-as", value_name(&options.seal_as)));
        }
        Self {
            version: format!("{}, form {FORM}", env!("CARGO_PKG_VERSION")),
            program,
            test: test.to_owned(),
            options: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    /// Why nothing that another version has written can be gone on from, if this is another one.
    pub(super) fn differs_in_version(&self, written: &str) -> Option<String> {
        let version = &self.version;
        (written != version).then(|| format!("is of Fabius {written}, and this is {version}"))
    }

    /// Why a search of this kind cannot go on from a checkpoint of another, as a part of a sentence.
    pub(super) fn differs_from(&self, written: &Self) -> Option<String> {
        let Self { program, test, options, .. } = self;
        if written.test != *test {
            return Some(format!("is of the test {}, not of {test}", written.test));
        }
        if written.program != *program {
            return Some("is of another program, or the program was edited since".into());
        }
        let value = |options: &BTreeMap<String, String>, name: &str| match options.get(name) {
            Some(value) if !value.is_empty() => format!("--{name} {value}"),
            _ => format!("no --{name}"),
        };
        let names = options.keys().chain(written.options.keys());
        let mut different = names.filter(|name| options.get(*name) != written.options.get(*name));
        let name = different.next()?;
        Some(format!("was made with {}, not with {}", value(&written.options, name), value(options, name)))
    }
}
