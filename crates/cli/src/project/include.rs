//! Project files and the projects they include, each read once.
//!
//! The walk keeps its own stack: the chain of projects from the one on the command line to the one at hand. Invariant:
//! a project is on the stack at most once, so an include that leads back to the stack is a circle, and any other
//! include of a project already read is only a second way to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::vec;

use fabius_lang::source::{Code, Diagnostic};

use super::load::{Loader, Owner};
use super::paths::{folder_of, near, resolve};
use super::pproj::{self, Entry, ProjectFile};

/// A project whose includes are being followed.
struct Open {
    path: PathBuf,
    canonical: PathBuf,
    includes: vec::IntoIter<Entry>,
}

impl Loader<'_> {
    /// Takes a project from the command line, and all it includes.
    pub(super) fn take_project(&mut self, path: &Path) {
        let root_folder = canonical(folder_of(path));
        let mut known = HashSet::from([canonical(path)]);
        let mut open: Vec<Open> = self.open(path.to_owned(), None, &Owner::Root).into_iter().collect();
        while let Some(project) = open.last_mut() {
            let Some(entry) = project.includes.next() else {
                open.pop();
                continue;
            };
            let tried =
                [folder_of(&project.path), folder_of(path)].map(|folder| resolve(folder, &entry.text));
            let Some(found) = tried.iter().find(|path| path.exists()) else {
                self.report_missing_include(&entry, &tried);
                continue;
            };
            let id = canonical(found);
            if let Some(at) = open.iter().position(|project| project.canonical == id) {
                self.report_circle(&entry, &open[at..]);
            } else if known.insert(id) {
                let own_folder = canonical(folder_of(found));
                let claims = (!root_folder.starts_with(&own_folder)).then_some(own_folder);
                open.extend(self.open(found.clone(), Some(&entry), &Owner::Included { claims }));
            }
        }
    }

    /// Reads a project file and takes its inputs.
    fn open(&mut self, path: PathBuf, named_by: Option<&Entry>, owner: &Owner) -> Option<Open> {
        let named_at = named_by.map_or_else(Default::default, |entry| entry.span);
        let content = self.read(&path, named_at)?;
        let is_binary = content.damage.as_ref().is_some_and(|damage| damage.is_binary);
        let shown = self.shown(&path);
        let index = self.add(&shown, content, None, named_at).filter(|_| !is_binary)?;
        let project = match pproj::parse(&self.sources.files()[index]) {
            Ok(project) => project,
            Err(diagnostic) => {
                self.report_missing(diagnostic);
                return None;
            }
        };
        if matches!(owner, Owner::Root) {
            self.take_root(&path, &project);
        }
        for element in &project.unknown_elements {
            self.report(pproj::unknown_element(element));
        }
        for input in &project.inputs {
            self.take_input(folder_of(&path), input, owner);
        }
        Some(Open { canonical: canonical(&path), path, includes: project.includes.into_iter() })
    }

    /// Takes what only counts in the project on the command line.
    fn take_root(&mut self, path: &Path, project: &ProjectFile) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = project.name.clone().filter(|name| !name.is_empty());
        self.name.get_or_insert_with(|| name.unwrap_or_else(|| stem.into_owned()));
        if self.project_span == Default::default() {
            self.project_span = project.span;
        }
        for target in &project.unknown_targets {
            let message = format!("the target `{}` is ignored", target.text);
            let diagnostic = Diagnostic::new(Code::IgnoredTarget, target.span, message);
            self.report(diagnostic.note("not a back end of P today; Fabius needs none"));
        }
    }

    fn report_missing_include(&mut self, entry: &Entry, tried: &[PathBuf; 2]) {
        let shown = self.shown(&tried[0]);
        let message = format!("there is no project `{shown}`");
        let mut diagnostic = Diagnostic::new(Code::MissingInclude, entry.span, message);
        diagnostic = match self.shown(&tried[1]) {
            second if second == shown => diagnostic.note("included here"),
            second => diagnostic.note(format!("included here; `{second}` does not exist either")),
        };
        if let Some(near) = near(&tried[0]).or_else(|| nearer(&tried[0], &entry.text)) {
            diagnostic = diagnostic.hint(format!("did you mean `{}`?", self.shown(&near)));
        }
        self.report_missing(diagnostic);
    }

    /// `circle` is the chain of projects from the one that is included again to the one that does so.
    fn report_circle(&mut self, entry: &Entry, circle: &[Open]) {
        let mut names = circle.iter().map(|project| format!("`{}`", self.shown(&project.path)));
        let first = names.next().unwrap_or_default();
        let through = names.collect::<Vec<_>>().join(", ");
        let message = match through.as_str() {
            "" => format!("the project {first} includes itself"),
            _ => format!("the project {first} includes itself through {through}"),
        };
        let diagnostic = Diagnostic::new(Code::CircularInclude, entry.span, message);
        self.report(diagnostic.note("each project is taken once"));
    }
}

/// The path to one and the same file, however it was named.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The path that would exist with fewer steps upwards: projects get moved.
fn nearer(missing: &Path, text: &str) -> Option<PathBuf> {
    let text = text.replace('\\', "/");
    let upwards = text.split('/').take_while(|part| *part == "..").count();
    let folder = missing.ancestors().nth(text.split('/').count())?;
    let fewer = |steps: usize| folder.join(text.splitn(steps + 1, '/').last().unwrap_or_default());
    (1..=upwards).map(fewer).find(|path| path.is_file())
}
