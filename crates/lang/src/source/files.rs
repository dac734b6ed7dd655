//! The files of one project and places in them.
//!
//! All files share one address space: each file owns a range of offsets, and a [`Span`] is a pair of offsets that
//! both lie in one file. A span is eight bytes, needs no file id, and still names its file.
//! Invariant: `files` is ordered by `start`, and ranges do not overlap.

use std::ops::Range;
use std::sync::OnceLock;

use super::columns::CharacterCounts;

/// A range of source text, in offsets of the project's one address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just behind this one: where something is missing.
    pub fn after(self) -> Self {
        Self { start: self.end, end: self.end }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// P source, to be parsed.
    Program,
    /// A project file, or a file that is no text: held only so that diagnostics can point into it.
    Other,
}

/// One file of the project, as given.
#[derive(Debug)]
pub struct SourceFile {
    pub kind: FileKind,
    /// The path to show to people, as they gave it or relative to where they are.
    pub path: String,
    pub text: String,
    /// The offset of the file's first byte in the project's address space.
    pub start: u32,
    /// Whether the file came in through an included project: its tests are not run, as in P.
    pub included: bool,
    /// Offsets in `text` at which lines begin.
    line_starts: Vec<u32>,
    /// Made when the first column is asked for: most files never are.
    character_counts: OnceLock<CharacterCounts>,
}

impl SourceFile {
    fn new(kind: FileKind, path: String, text: String, start: u32, included: bool) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { kind, path, text, start, included, line_starts, character_counts: OnceLock::new() }
    }

    /// The span of the whole file.
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len() as u32)
    }

    /// The lines of the file: at least one, and one more than there are line ends.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The line, counted from 0, that an offset in `text` lies on.
    pub fn line_at(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start as usize <= offset) - 1
    }

    /// The range of a line in `text`, without its line feed. Lines count from 0; past the last one, it is empty.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.line_starts.get(line).map_or(self.text.len(), |start| *start as usize);
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| *next as usize - 1);
        start..end
    }

    /// The column, counted from 1 in characters, of an offset in `text`.
    pub fn column_at(&self, offset: usize) -> usize {
        let counts = self.character_counts.get_or_init(|| CharacterCounts::new(&self.text));
        let line_start = self.line_range(self.line_at(offset)).start;
        counts.before(&self.text, offset) - counts.before(&self.text, line_start) + 1
    }

    fn local(&self, span: Span) -> Range<usize> {
        (span.start - self.start) as usize..(span.end - self.start) as usize
    }
}

/// A place as people name it: line and column count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// The files of one project.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file of P source; `None` when the project's text would exceed four gigabytes. A leading byte-order mark is dropped.
    pub fn add(
        &mut self,
        path: impl Into<String>,
        text: impl Into<String>,
        included: bool,
    ) -> Option<FileId> {
        self.add_file(FileKind::Program, path.into(), text.into(), included)
    }

    /// Adds a file that is not to be parsed; otherwise as [`Self::add`].
    pub fn add_other(&mut self, path: impl Into<String>, text: impl Into<String>) -> Option<FileId> {
        self.add_file(FileKind::Other, path.into(), text.into(), false)
    }

    fn add_file(&mut self, kind: FileKind, path: String, mut text: String, included: bool) -> Option<FileId> {
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        // Offset 0 belongs to no file, so that `Span::default()` means "nowhere"; each file keeps one spare offset for
        // spans at its very end.
        let start = self.files.last().map_or(1, |last| last.span().end as usize + 1);
        let end = start.checked_add(text.len())?;
        if end >= u32::MAX as usize {
            return None;
        }
        self.files.push(SourceFile::new(kind, path, text, start as u32, included));
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// All files, those that are not P source among them.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The files to parse, in order.
    pub fn program_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.kind == FileKind::Program)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The file a span lies in; `None` for the span that is nowhere.
    pub fn file_of(&self, span: Span) -> Option<&SourceFile> {
        let at = self.files.partition_point(|file| file.start <= span.start);
        at.checked_sub(1).map(|index| &self.files[index])
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file_of(span).map_or("", |file| &file.text[file.local(span)])
    }

    /// Where a span begins.
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file_of(span)?;
        let offset = (span.start - file.start) as usize;
        let (line, column) = (file.line_at(offset) + 1, file.column_at(offset));
        Some(Location { path: file.path.clone(), line: line as u32, column: column as u32 })
    }

    /// A span's range in the text of its file.
    pub fn range(&self, span: Span) -> Option<(&SourceFile, Range<usize>)> {
        self.file_of(span).map(|file| (file, file.local(span)))
    }
}
