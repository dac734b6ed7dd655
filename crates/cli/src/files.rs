//! Files beside the project: scripts and traces that are read, results that are written, and what is said if that fails.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process;

use fabius_script::ScriptFile;

use crate::project::near;

/// The text of a script; `what` says which one it is, as in `script` or `strategy`.
pub(crate) fn read_script(path: &Path, what: &str) -> Result<ScriptFile, String> {
    let name = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => Ok(ScriptFile { name, text }),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(format!("the {what} `{name}` is no text"))
        }
        Err(error) => Err(cannot_read(path, what, &error)),
    }
}

/// Why something could not be read, and what may help.
pub(crate) fn cannot_read(path: &Path, what: &str, error: &io::Error) -> String {
    let name = path.display();
    if error.kind() != ErrorKind::NotFound {
        return format!("cannot read the {what} `{name}`: {}", error.kind());
    }
    match near(path) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{}`?", near.display()),
        None => format!("there is no {what} `{name}`; a path counts from the current folder"),
    }
}

/// Why something could not be written.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::NotFound => "there is no such folder".to_owned(),
        kind => kind.to_string(),
    };
    format!("cannot write `{}`: {why}", path.display())
}

/// Whether a file can be written, before there is anything to write. Leaves everything as it is.
pub(crate) fn check_file(path: &Path) -> Result<(), String> {
    // Pipes and devices would notice that they are opened.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Ok(());
    }
    let is_new = fs::symlink_metadata(path).is_err();
    File::options().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    if is_new {
        // What cannot be removed will be overwritten.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// The same of a folder, which is made when it is needed.
pub(crate) fn check_folder(path: &Path) -> Result<(), String> {
    let existing = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new(""));
    if existing.is_file() {
        return Err(format!("cannot write to `{}`: `{}` is no folder", path.display(), existing.display()));
    }
    let trial = existing.join(format!(".fabius-{}", process::id()));
    match File::create(&trial) {
        Ok(_) => {
            let _ = fs::remove_file(&trial);
            Ok(())
        }
        Err(error) => Err(format!("cannot write to `{}`: {}", path.display(), error.kind())),
    }
}
