//! Loading: which files belong to the project, then their text.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fs, io};

use fabius_lang::source::{Code, Diagnostic, Severity, SourceMap, Span};

use super::paths::{has_extension, near, shown};
use super::pproj::Entry;
use super::read::{Content, Damage, Failure, read};
use super::scan::{Scan, projects_in, scan};
use super::{Project, paths};

/// More names than this are not listed in one message.
const LISTED: usize = 8;

/// Loads the project that `paths` name, or the current folder's if they name none.
pub(crate) fn load(paths: &[PathBuf], current_folder: &Path) -> Project {
    let mut loader = Loader::new(current_folder);
    if paths.is_empty() {
        loader.take_argument(Path::new("."));
    }
    for path in paths {
        loader.take_argument(path);
    }
    loader.read_files();
    loader.finish()
}

pub(super) struct Loader<'a> {
    current_folder: &'a Path,
    pub(super) name: Option<String>,
    pub(super) sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    is_complete: bool,
    files: Vec<Found>,
    /// The index in `files` of each file, by its canonical path.
    taken: HashMap<PathBuf, usize>,
    pub(super) looked_in: Vec<String>,
    /// The first project file, for what concerns the project as a whole.
    pub(super) project_span: Span,
}

/// A file of P source to be read.
struct Found {
    path: PathBuf,
    named_at: Span,
    included: bool,
}

/// On whose behalf files are taken.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    /// The command line, or a project on it.
    Root,
    /// An included project. It claims the files of its own folder even where the root names them as well.
    Included { claims: Option<PathBuf> },
}

impl<'a> Loader<'a> {
    fn new(current_folder: &'a Path) -> Self {
        Self {
            current_folder,
            name: None,
            sources: SourceMap::default(),
            diagnostics: Vec::new(),
            is_complete: true,
            files: Vec::new(),
            taken: HashMap::new(),
            looked_in: Vec::new(),
            project_span: Span::default(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports something that keeps a part of the project out.
    pub(super) fn report_missing(&mut self, diagnostic: Diagnostic) {
        self.is_complete = false;
        self.report(diagnostic);
    }

    pub(super) fn shown(&self, path: &Path) -> String {
        shown(path, self.current_folder)
    }

    fn take_argument(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.take_folder_argument(path),
            Ok(_) if has_extension(path, "pproj") => self.take_project(path),
            Ok(_) if has_extension(path, "p") => {
                self.name.get_or_insert_with(|| stem(path));
                self.take_file(path.to_owned(), Span::default(), &Owner::Root);
            }
            Ok(_) => self.report_missing(not_a_source(&self.shown(path))),
            Err(error) => self.report_unavailable(path, &error, Span::default()),
        }
    }

    fn take_folder_argument(&mut self, folder: &Path) {
        match projects_in(folder) {
            Ok(projects) => match projects.as_slice() {
                [] => self.take_bare_folder(folder),
                [project] => self.take_project(project),
                several => {
                    let message =
                        format!("the folder `{}` holds {} project files", self.shown(folder), several.len());
                    self.report_ambiguous(message, several);
                }
            },
            Err(error) => self.report_unavailable(folder, &error, Span::default()),
        }
    }

    /// Takes a folder without project file.
    fn take_bare_folder(&mut self, folder: &Path) {
        let name = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.name.get_or_insert_with(|| stem(&name));
        let found = scan(folder);
        if !found.projects.is_empty() && !found.sources.iter().any(|path| is_own(folder, path)) {
            let message = format!(
                "there is no project file in `{}`, but there are projects below it",
                self.shown(folder)
            );
            return self.report_ambiguous(message, &projects_below(folder, &found));
        }
        self.take_scan(folder, found, Span::default(), &Owner::Root);
    }

    /// Takes what a `PFile` names.
    pub(super) fn take_input(&mut self, folder: &Path, entry: &Entry, owner: &Owner) {
        let path = paths::resolve(folder, &entry.text);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => self.take_scan(&path, scan(&path), entry.span, owner),
            Ok(_) if has_extension(&path, "p") => self.take_file(path, entry.span, owner),
            // Code for foreign functions, in a language of P's other back ends.
            Ok(_) if has_extension(&path, "cs") || has_extension(&path, "java") => {}
            Ok(_) => {
                let message = format!("the file `{}` is ignored", self.shown(&path));
                self.report(Diagnostic::new(Code::IgnoredEntry, entry.span, message).note("not a `.p` file"));
            }
            Err(error) => self.report_unavailable(&path, &error, entry.span),
        }
    }

    fn take_scan(&mut self, folder: &Path, found: Scan, named_at: Span, owner: &Owner) {
        self.looked_in.push(self.shown(folder));
        for path in found.sources {
            self.take_file(path, named_at, owner);
        }
        for (path, failure) in found.failures {
            self.report_unreadable(&path, &failure, named_at);
        }
    }

    fn take_file(&mut self, path: PathBuf, named_at: Span, owner: &Owner) {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.clone());
        match (self.taken.get(&canonical), owner) {
            (Some(&index), Owner::Root) => self.files[index].included = false,
            (Some(&index), Owner::Included { claims: Some(folder) }) => {
                self.files[index].included |= canonical.starts_with(folder);
            }
            (Some(_), Owner::Included { claims: None }) => {}
            (None, _) => {
                self.taken.insert(canonical, self.files.len());
                let included = matches!(owner, Owner::Included { .. });
                self.files.push(Found { path, named_at, included });
            }
        }
    }

    fn read_files(&mut self) {
        for found in std::mem::take(&mut self.files) {
            let Some(content) = self.read(&found.path, found.named_at) else { continue };
            let shown = self.shown(&found.path);
            self.add(&shown, content, Some(found.included), found.named_at);
        }
    }

    /// The content of a file; if there is none, reports why.
    pub(super) fn read(&mut self, path: &Path, named_at: Span) -> Option<Content> {
        let used = self.sources.files().last().map_or(0, |last| last.span().end);
        match read(path, u64::from(u32::MAX - used).saturating_sub(2)) {
            Ok(content) => return Some(content),
            Err(Failure::TooLarge(size)) => self.report_too_large(path, size, named_at),
            Err(failure) => self.report_unreadable(path, &failure, named_at),
        }
        None
    }

    /// Adds a file, as P source if `included` says whose; returns its index in the sources.
    pub(super) fn add(
        &mut self,
        shown: &str,
        content: Content,
        included: Option<bool>,
        named_at: Span,
    ) -> Option<usize> {
        let (size, damage) = (content.text.len() as u64, content.damage);
        let is_binary = damage.as_ref().is_some_and(|damage| damage.is_binary);
        let added = match included.filter(|_| !is_binary) {
            Some(included) => self.sources.add(shown, content.text, included),
            None => self.sources.add_other(shown, content.text),
        };
        let Some(id) = added else {
            self.report_too_large(Path::new(shown), size, named_at);
            return None;
        };
        if let Some(damage) = damage {
            let start = self.sources.file(id).start + damage.offset as u32;
            self.is_complete &= !is_binary;
            self.report(not_utf8(shown, &damage, start));
        }
        Some(id.0 as usize)
    }

    fn finish(mut self) -> Project {
        let has_errors = self.diagnostics.iter().any(|diagnostic| diagnostic.severity() == Severity::Error);
        if self.taken.is_empty() && !has_errors {
            let mut empty =
                Diagnostic::new(Code::EmptyProject, self.project_span, "there is no P source file");
            if !self.looked_in.is_empty() {
                empty = empty.note(format!("looked for `.p` files in {}", listed(&self.looked_in)));
            }
            self.report_missing(empty);
        }
        Project {
            name: self.name.unwrap_or_else(|| "project".to_owned()),
            sources: self.sources,
            diagnostics: self.diagnostics,
            is_complete: self.is_complete,
        }
    }
}

/// What is reported. A file's name is in the message, so that each stands alone.
impl Loader<'_> {
    fn report_unavailable(&mut self, path: &Path, error: &io::Error, named_at: Span) {
        if error.kind() != ErrorKind::NotFound {
            let error = io::Error::from(error.kind());
            return self.report_unreadable(path, &Failure::Io(error), named_at);
        }
        let message = format!("there is no file or folder `{}`", self.shown(path));
        // P passes over what a project file lists in vain, so projects with such a line are in use.
        let is_listed = named_at != Span::default();
        let code = if is_listed { Code::MissingInput } else { Code::NoSuchPath };
        let mut diagnostic = Diagnostic::new(code, named_at, message);
        if let Some(near) = near(path) {
            diagnostic = diagnostic.hint(format!("did you mean `{}`?", self.shown(&near)));
        }
        if is_listed {
            self.diagnostics.push(diagnostic);
        } else {
            self.report_missing(diagnostic);
        }
    }

    fn report_unreadable(&mut self, path: &Path, failure: &Failure, named_at: Span) {
        let message = format!("cannot read `{}`: {failure}", self.shown(path));
        self.report_missing(Diagnostic::new(Code::UnreadableFile, named_at, message));
    }

    fn report_too_large(&mut self, path: &Path, size: u64, named_at: Span) {
        let message = format!("the file `{}` is too large", self.shown(path));
        let note = format!("{}, and all files of a project together may have 4 GB", Failure::TooLarge(size));
        self.report_missing(Diagnostic::new(Code::ProjectTooLarge, named_at, message).note(note));
    }

    fn report_ambiguous(&mut self, message: String, projects: &[PathBuf]) {
        let names: Vec<String> = projects.iter().map(|path| self.shown(path)).collect();
        let hint = format!("name one of them instead of the folder, for instance `{}`", names[0]);
        let diagnostic = Diagnostic::new(Code::AmbiguousProject, Span::default(), message);
        self.report_missing(diagnostic.note(listed(&names)).hint(hint));
    }
}

/// Whether a source file below a folder is plainly the folder's own: it lies in it, or where P's projects have theirs.
fn is_own(folder: &Path, source: &Path) -> bool {
    let inside = source.strip_prefix(folder).unwrap_or(source);
    let mut parts = inside.components();
    let first = parts.next().map(|part| part.as_os_str().to_string_lossy().to_lowercase());
    let is_usual = first.is_some_and(|first| ["psrc", "pspec", "ptst", "pforeign"].contains(&first.as_str()));
    is_usual || parts.next().is_none()
}

/// The project files below a folder, and the subfolders that have source files of no project.
fn projects_below(folder: &Path, found: &Scan) -> Vec<PathBuf> {
    let is_taken =
        |source: &Path| found.projects.iter().any(|project| source.starts_with(paths::folder_of(project)));
    let bare = found.sources.iter().filter(|source| !is_taken(source));
    let subfolder = |source: &PathBuf| {
        let inside = source.strip_prefix(folder).unwrap_or(source);
        folder.join(inside.components().next().map_or(Path::new(""), |part| Path::new(part.as_os_str())))
    };
    let mut projects: BTreeSet<PathBuf> = bare.map(subfolder).collect();
    projects.extend(found.projects.iter().cloned());
    projects.into_iter().collect()
}

fn not_a_source(shown: &str) -> Diagnostic {
    let message = format!("the file `{shown}` is not P source");
    Diagnostic::new(Code::UnreadableFile, Span::default(), message)
        .hint("name a `.p` file, a `.pproj` file or a folder")
}

fn not_utf8(shown: &str, damage: &Damage, start: u32) -> Diagnostic {
    let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8() as u32);
    Diagnostic::new(Code::InvalidUtf8, span, format!("the file `{shown}` is not UTF-8 text"))
        .note(format!("the byte 0x{:02X} does not belong here", damage.byte))
        .hint("save the file as UTF-8")
}

fn stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Names in a sentence, not more of them than one wants to read.
pub(super) fn listed(names: &[String]) -> String {
    let mut quoted: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        quoted.push(format!("and {} more", names.len() - LISTED));
    }
    quoted.join(", ")
}
