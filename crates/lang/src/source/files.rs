//! The files of one project and places in them.
//!
//! All files share one address space: each file owns a range of offsets, and a [`Span`] is a pair of offsets that
//! both lie in one file. A span is eight bytes, needs no file id, and still names its file.
//! Invariant: `files` is ordered by `start`, and ranges do not overlap.

use std::ops::Range;

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

/// One file of the project, as given.
#[derive(Debug)]
pub struct SourceFile {
    /// The path to show to people, as they gave it or relative to where they are.
    pub path: String,
    pub text: String,
    /// The offset of the file's first byte in the project's address space.
    pub start: u32,
    /// Whether the file came in through an included project: its tests are not run, as in P.
    pub included: bool,
    /// Offsets in `text` at which lines begin.
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(path: String, text: String, start: u32, included: bool) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { path, text, start, included, line_starts }
    }

    /// The span of the whole file.
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len() as u32)
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
    /// Adds a file; `None` when the project's text would exceed four gigabytes. A leading byte-order mark is dropped.
    pub fn add(
        &mut self,
        path: impl Into<String>,
        text: impl Into<String>,
        included: bool,
    ) -> Option<FileId> {
        let mut text: String = text.into();
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
        self.files.push(SourceFile::new(path.into(), text, start as u32, included));
        Some(FileId(self.files.len() as u32 - 1))
    }

    pub fn files(&self) -> &[SourceFile] {
        &self.files
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
        let offset = span.start - file.start;
        let line = file.line_starts.partition_point(|start| *start <= offset);
        let line_start = file.line_starts[line - 1] as usize;
        let column = file.text[line_start..offset as usize].chars().count() + 1;
        Some(Location { path: file.path.clone(), line: line as u32, column: column as u32 })
    }

    /// A span's range in the text of its file.
    pub fn range(&self, span: Span) -> Option<(&SourceFile, Range<usize>)> {
        self.file_of(span).map(|file| (file, file.local(span)))
    }
}
