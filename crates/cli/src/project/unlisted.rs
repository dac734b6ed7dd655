//! Files beside a project file that it does not list: a name that is unknown may be declared in one of them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use fabius_lang::source::{Code, Diagnostic, FileKind, SourceMap};

use super::paths::{folder_of, has_extension};

/// How many files are looked into, and how large they may be: this is for a hint.
const MOST_FILES: usize = 200;
const MOST_BYTES: u64 = 1 << 20;

/// A file of P that the project file does not list, by its path from there.
struct Unlisted {
    path: PathBuf,
    text: String,
}

/// Adds to unknown names where they are declared after all.
pub(crate) fn add_hints(diagnostics: &mut [Diagnostic], sources: &SourceMap) {
    let unknown: Vec<&mut Diagnostic> = diagnostics
        .iter_mut()
        .filter(|diagnostic| diagnostic.hint.is_none() && !keywords(diagnostic.code).is_empty())
        .collect();
    if unknown.is_empty() {
        return;
    }
    let projects = sources.files().iter().filter(|file| is_project(Path::new(&file.path), file.kind));
    let listed: HashSet<PathBuf> =
        sources.program_files().filter_map(|file| Path::new(&file.path).canonicalize().ok()).collect();
    let found: Vec<(String, Unlisted)> = projects
        .flat_map(|project| {
            let path = Path::new(&project.path);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            unlisted(folder_of(path), &listed).into_iter().map(move |file| (name.clone(), file))
        })
        .collect();
    for diagnostic in unknown {
        let name = sources.text(diagnostic.span);
        let declares =
            |(_, file): &&(String, Unlisted)| declares(&file.text, keywords(diagnostic.code), name);
        if let Some((project, file)) = found.iter().find(declares) {
            diagnostic.hint = Some(hint(name, project, &file.path));
        }
    }
}

fn hint(name: &str, project: &str, file: &Path) -> String {
    let path = file.display();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entry = folder.map_or(format!("./{path}"), |folder| format!("./{}/", folder.display()));
    format!(
        "`{name}` is declared in `{path}`, which `{project}` does not list: add `<PFile>{entry}</PFile>` to it"
    )
}

/// With what the declaration of a name begins that a diagnostic calls unknown.
fn keywords(code: Code) -> &'static [&'static str] {
    match code {
        Code::UnknownSpec => &["spec"],
        Code::UnknownMachine => &["machine", "interface"],
        Code::UnknownModule => &["module"],
        Code::UnknownEvent => &["event", "eventset"],
        Code::UnknownType => &["type", "enum", "machine", "interface"],
        Code::UnknownFunction => &["fun"],
        _ => &[],
    }
}

fn is_project(path: &Path, kind: FileKind) -> bool {
    kind == FileKind::Other && has_extension(path, "pproj")
}

/// The files in a folder and its direct subfolders that are not listed.
fn unlisted(folder: &Path, listed: &HashSet<PathBuf>) -> Vec<Unlisted> {
    let mut paths = sources_in(folder);
    for subfolder in entries(folder).into_iter().filter(|path| path.is_dir()) {
        paths.extend(sources_in(&subfolder));
    }
    let is_new = |path: &PathBuf| path.canonicalize().is_ok_and(|path| !listed.contains(&path));
    let is_small = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        Some(Unlisted { path: path.strip_prefix(folder).unwrap_or(&path).to_owned(), text })
    };
    paths.into_iter().filter(is_new).filter(is_small).take(MOST_FILES).filter_map(read).collect()
}

fn sources_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| has_extension(path, "p")).collect()
}

/// What is in a folder, ordered; nothing if it cannot be looked into.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

/// Whether one of the words is followed by the name, as words.
fn declares(text: &str, keywords: &[&str], name: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut before = words.next().unwrap_or_default();
    words.any(|word| {
        let is_declared = word == name && keywords.contains(&before);
        before = word;
        is_declared
    })
}
