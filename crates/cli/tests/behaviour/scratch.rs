//! Folders of a test's own, and `fabius` run in them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::fixture::{self, Fixture};
use crate::program::FILE;

/// A folder with the fixture in it.
pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
}

/// How a process ended, and what it said.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Scratch {
    /// A new folder, called after the fixture and `purpose`.
    pub(crate) fn new(fixture: &Fixture, purpose: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("behaviour").join(&fixture.name).join(purpose);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
        }
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::write(folder.join(FILE), &fixture.text).expect("the fixture can be copied");
        let home = fixture.path.parent().unwrap_or(Path::new(""));
        for script in &fixture.foreign {
            fs::copy(home.join(script), folder.join(script)).expect("the fixture's script can be copied");
        }
        Self { folder }
    }

    /// Runs `fabius` there. What the environment says about colours and width must not matter.
    pub(crate) fn run(&self, arguments: &[String]) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabius"));
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
            command.env_remove(variable);
        }
        let output = command.output().expect("fabius can be run");
        Ended {
            code: output.status.code(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Deletes the folder. Those of tests that fail stay, to be looked at.
    pub(crate) fn remove(self) {
        fs::remove_dir_all(&self.folder).expect("the folder can be removed");
    }
}

/// Where documents of the project are.
pub(crate) fn document(path: &str) -> PathBuf {
    fixture::root().join("../../..").join(path)
}
