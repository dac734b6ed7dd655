//! The excerpts of source text that a diagnostic shows, small whatever the size of the file.
//!
//! The renderer walks over every line it is given, and prints a line as far as its marks reach. So it is never given a
//! file: marks that lie near each other share an excerpt of the lines around them, marks far apart get one each, and of
//! a long line only a window around its first mark remains. Invariant: an excerpt's text is at most some [`REGION`] bytes.

use std::cmp::Reverse;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Snippet};

use super::{Label, SourceFile, SourceMap, Span};

/// Marks share an excerpt when not more text than this lies between them.
const REGION: usize = 64 * 1024;
/// What stands for the text that was cut from a long line; the renderer uses the same.
const CUT: &str = "...";

/// A marked place in one file.
#[derive(Debug)]
struct Mark<'a> {
    // Invariant: both ends are character boundaries in the file's text, and start <= end.
    range: Range<usize>,
    text: Option<&'a str>,
    is_primary: bool,
}

/// A few lines of one file with their marks.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    file: &'a SourceFile,
    marks: Vec<Mark<'a>>,
    first_line: usize,
    text: String,
    windows: Vec<Window>,
}

/// The part of a line that an excerpt shows.
#[derive(Debug)]
struct Window {
    /// Where the line begins in the file.
    line_start: usize,
    /// What is shown of it, in the file.
    shown: Range<usize>,
    /// Where that begins in the excerpt's text.
    start: usize,
}

/// The excerpts for a culprit and its labels: the one with the culprit first, then its file's others, then other files'.
pub(super) fn excerpts<'a>(
    (span, note): (Span, Option<&'a str>),
    labels: &'a [Label],
    sources: &'a SourceMap,
    longest_line: usize,
) -> Vec<Excerpt<'a>> {
    let primary = mark(sources, span, note, true);
    let secondary = labels.iter().map(|label| mark(sources, label.span, Some(&label.text), false));
    let mut by_file: Vec<(&SourceFile, Vec<Mark>)> = Vec::new();
    for (file, mark) in primary.into_iter().chain(secondary.flatten()) {
        match by_file.iter_mut().find(|(known, _)| known.start == file.start) {
            Some((_, marks)) => marks.push(mark),
            None => by_file.push((file, vec![mark])),
        }
    }
    let mut excerpts = Vec::new();
    for (file, marks) in by_file {
        let clusters = clusters(file, marks, longest_line);
        excerpts.extend(clusters.into_iter().map(|marks| Excerpt::new(file, marks, longest_line)));
    }
    excerpts
}

/// The mark for a span, put right where it does not fit the text; `None` for the span that is nowhere.
fn mark<'a>(
    sources: &'a SourceMap,
    span: Span,
    text: Option<&'a str>,
    is_primary: bool,
) -> Option<(&'a SourceFile, Mark<'a>)> {
    let file = sources.file_of(span)?;
    let start = file.text.floor_char_boundary((span.start - file.start) as usize);
    let end = span.end.saturating_sub(file.start) as usize;
    let mut end = file.text.ceil_char_boundary(end.min(file.text.len())).max(start);
    if end - start > REGION {
        end = file.line_range(file.line_at(start)).end.max(start);
    }
    Some((file, Mark { range: start..end, text, is_primary }))
}

/// Marks of one file in groups that lie near each other; the group with the culprit first, the others by place.
fn clusters<'a>(file: &SourceFile, mut marks: Vec<Mark<'a>>, longest_line: usize) -> Vec<Vec<Mark<'a>>> {
    marks.sort_by_key(|mark| (mark.range.start, Reverse(mark.is_primary)));
    let mut clusters: Vec<Vec<Mark>> = Vec::new();
    for mark in marks {
        match clusters.last_mut() {
            Some(cluster) if are_near(file, &cluster[0].range, &mark.range, longest_line) => {
                cluster.push(mark);
            }
            _ => clusters.push(vec![mark]),
        }
    }
    clusters.sort_by_key(|cluster| !cluster.iter().any(|mark| mark.is_primary));
    clusters
}

fn are_near(file: &SourceFile, first: &Range<usize>, next: &Range<usize>, longest_line: usize) -> bool {
    let line = file.line_range(file.line_at(next.start));
    let cut_apart =
        line.len() > longest_line && line.start <= first.start && next.start - first.start > longest_line / 2;
    next.end - first.start <= REGION && !cut_apart
}

impl<'a> Excerpt<'a> {
    fn new(file: &'a SourceFile, marks: Vec<Mark<'a>>, longest_line: usize) -> Self {
        let first_line = file.line_at(marks[0].range.start);
        let last = marks.iter().map(|mark| mark.range.end).max().unwrap_or(0);
        let mut excerpt = Self { file, marks, first_line, text: String::new(), windows: Vec::new() };
        for line in first_line..=file.line_at(last) {
            excerpt.push_line(line, longest_line);
        }
        // The renderer takes an empty last line for none.
        if excerpt.text.ends_with('\n') {
            excerpt.text.push(' ');
        }
        excerpt
    }

    fn push_line(&mut self, line: usize, longest: usize) {
        if line > self.first_line {
            self.text.push('\n');
        }
        let mut range = self.file.line_range(line);
        if self.file.text[range.clone()].ends_with('\r') {
            range.end -= 1;
        }
        let shown = if range.len() <= longest { range.clone() } else { self.window(&range, longest) };
        if shown.start > range.start {
            self.text.push_str(CUT);
        }
        let start = self.text.len();
        self.text.push_str(&self.file.text[shown.clone()]);
        if shown.end < range.end {
            self.text.push_str(CUT);
        }
        self.windows.push(Window { line_start: range.start, shown, start });
    }

    /// What to show of a long line: as much as `longest` bytes around its first mark.
    fn window(&self, line: &Range<usize>, longest: usize) -> Range<usize> {
        let ends = self.marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]);
        let first = ends.filter(|at| (line.start..=line.end).contains(at)).min().unwrap_or(line.start);
        let start = first.saturating_sub(longest / 4).max(line.start);
        let end = (start + longest).min(line.end);
        let text = &self.file.text;
        text.floor_char_boundary(start)..text.floor_char_boundary(end)
    }

    /// Where an offset in the file lies in the excerpt's text.
    fn offset(&self, in_file: usize) -> usize {
        let line = self.windows.partition_point(|window| window.line_start <= in_file);
        let window = &self.windows[line.saturating_sub(1)];
        window.start + in_file.clamp(window.shown.start, window.shown.end) - window.shown.start
    }

    pub(super) fn snippet(
        &self,
        path: &'a str,
        shorten: impl Fn(&str) -> String,
    ) -> Snippet<'_, Annotation<'_>> {
        let annotations = self.marks.iter().map(|mark| {
            let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = self.offset(mark.range.start)..self.offset(mark.range.end);
            kind.span(range).label(mark.text.map(&shorten))
        });
        let snippet = Snippet::source(self.text.as_str()).path(path).line_start(self.first_line + 1);
        snippet.annotations(annotations)
    }

    pub(super) fn path(&self) -> &'a str {
        &self.file.path
    }

    /// The line and column that the renderer believes the excerpt begins at, where a cut line makes it err, and the
    /// column that is right.
    pub(super) fn wrong_column(&self) -> Option<(usize, usize, usize)> {
        let mark = self.marks.iter().find(|mark| mark.is_primary).or(self.marks.first())?;
        let line = self.file.line_at(mark.range.start);
        let window = self.windows.get(line - self.first_line)?;
        if window.shown.start == window.line_start {
            return None;
        }
        let shown = &self.text[window.start..self.offset(mark.range.start)];
        let believed = CUT.len() + shown.chars().count() + 1;
        Some((line + 1, believed, self.file.column_at(mark.range.start)))
    }
}
