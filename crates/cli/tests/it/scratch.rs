//! A folder of a test's own with a project in it, and what `fabius` says there, compared with a golden.
//!
//! `UPDATE=1` rewrites the goldens; review reads the difference.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

/// A project file that takes the folder it lies in.
pub(crate) const WHOLE_FOLDER: &str = "<Project>\n  <InputFiles><PFile>.</PFile></InputFiles>\n</Project>\n";
/// A program without fault, and with nothing to warn of.
pub(crate) const PROGRAM: &str = "machine Main {\n  start state Init { }\n}\n";

pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
    name: String,
}

impl Scratch {
    /// An empty folder; `name` is also that of the golden.
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fabius").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
        }
        fs::create_dir_all(&folder).expect("the folder can be made");
        Self { folder, name: name.to_owned() }
    }

    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("the folder can be made");
        fs::write(path, content).expect("the file can be written");
        self
    }

    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabius"));
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Output {
        self.command(arguments).output().expect("fabius can be run")
    }

    /// Runs `fabius` with arguments separated by spaces, and compares all it says and how it ends.
    pub(crate) fn check(&self, arguments: &str) {
        let output = self.run(&arguments.split_whitespace().collect::<Vec<_>>());
        let actual = format!(
            "$ fabius {arguments}\nexit code: {}\n--- stdout\n{}--- stderr\n{}",
            output.status.code().map_or("none".to_owned(), |code| code.to_string()),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        compare(&golden_folder().join(&self.name).with_extension("txt"), &actual);
    }
}

pub(crate) fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden")
}

/// Compares a text with a file's, or replaces it if the goldens are to be updated.
pub(crate) fn compare(golden: &Path, actual: &str) {
    if env::var_os("UPDATE").is_some() {
        fs::write(golden, actual).expect("the golden can be written");
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    assert!(
        actual == expected,
        "{} differs; UPDATE=1 rewrites it.\n=== expected\n{expected}\n=== actual\n{actual}",
        golden.display()
    );
}
