//! The P source files of a folder and all its subfolders.
//!
//! Entries whose names begin with a dot are passed over. Symbolic links are followed; a folder is visited once, so links
//! that lead in circles end. Guarantees: the result depends on the folder's content only, not on the order in
//! which the system lists it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::paths::has_extension;
use super::read::Failure;

#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Ordered by path.
    pub(super) sources: Vec<PathBuf>,
    /// Project files, ordered by path.
    pub(super) projects: Vec<PathBuf>,
    /// Folders and links that could not be looked into.
    pub(super) failures: Vec<(PathBuf, Failure)>,
}

/// Searches a folder, as given, with all its subfolders.
pub(super) fn scan(folder: &Path) -> Scan {
    let mut scan = Scan::default();
    let mut visited = HashSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        match folder.canonicalize().map(|canonical| visited.insert(canonical)) {
            Ok(true) => scan.look_into(&folder, &mut folders),
            Ok(false) => {}
            Err(error) => scan.failures.push((folder, Failure::Io(error))),
        }
    }
    scan.sources.sort();
    scan.projects.sort();
    scan.failures.sort_by(|a, b| a.0.cmp(&b.0));
    scan
}

/// The project files directly in a folder, ordered.
pub(super) fn projects_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut projects: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .filter(|entry| !is_hidden(entry))
        .map(|entry| entry.path())
        .filter(|path| has_extension(path, "pproj") && path.is_file())
        .collect();
    projects.sort();
    Ok(projects)
}

impl Scan {
    fn look_into(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.failures.push((folder.to_owned(), Failure::Io(error))),
        };
        let before = folders.len();
        for entry in entries {
            match entry {
                Ok(entry) if is_hidden(&entry) => {}
                Ok(entry) => self.take(&entry, folders),
                Err(error) => self.failures.push((folder.to_owned(), Failure::Io(error))),
            }
        }
        // The first by name is visited next: of several links to one folder, always the same one counts.
        folders[before..].sort_by(|a, b| b.cmp(a));
    }

    fn take(&mut self, entry: &fs::DirEntry, folders: &mut Vec<PathBuf>) {
        let path = entry.path();
        let is_source = has_extension(&path, "p");
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let kind =
            if is_link { fs::metadata(&path).map(|target| target.file_type()) } else { entry.file_type() };
        match kind {
            Ok(kind) if kind.is_dir() => folders.push(path),
            // Also what is no regular file: reading it will say so.
            Ok(_) if is_source => self.sources.push(path),
            Ok(kind) if kind.is_file() && has_extension(&path, "pproj") => self.projects.push(path),
            Err(error) if is_source && error.kind() == io::ErrorKind::NotFound => {
                self.failures.push((path, Failure::BrokenLink));
            }
            Err(error) if is_source => self.failures.push((path, Failure::Io(error))),
            _ => {}
        }
    }
}

fn is_hidden(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}
