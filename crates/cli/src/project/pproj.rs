//! The content of a `.pproj` file, each part with its place.

use std::ops::Range;

use fabius_lang::source::{Code, Diagnostic, SourceFile, Span};
use roxmltree::{Document, Node, ParsingOptions, TextPos};

use crate::near::nearest;

/// The elements that P reads, where they belong.
const ELEMENTS: &[&str] =
    &["ProjectName", "InputFiles", "IncludeProject", "OutputDir", "Target", "pobserve-package"];
/// The back ends of P. Fabius needs none of them.
const TARGETS: &[&str] = &["pchecker", "pex", "pobserve", "pverifier"];

/// What a project file says.
#[derive(Debug, Default)]
pub(super) struct ProjectFile {
    pub(super) name: Option<String>,
    pub(super) inputs: Vec<Entry>,
    pub(super) includes: Vec<Entry>,
    /// Names of back ends that P does not have.
    pub(super) unknown_targets: Vec<Entry>,
    /// Elements without meaning.
    pub(super) unknown_elements: Vec<Entry>,
    /// The place of the whole: the name of the outermost element.
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) span: Span,
}

pub(super) fn parse(file: &SourceFile) -> Result<ProjectFile, Diagnostic> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&file.text, options).map_err(|error| not_xml(file, &error))?;
    let root = document.root_element();
    let mut project = ProjectFile { span: tag_span(file, root), ..ProjectFile::default() };
    for element in root.children().filter(Node::is_element) {
        project.take(file, element);
    }
    if root.tag_name().name() != "Project" && project.inputs.is_empty() && project.includes.is_empty() {
        return Err(not_a_project(root.tag_name().name(), project.span));
    }
    Ok(project)
}

impl ProjectFile {
    fn take(&mut self, file: &SourceFile, element: Node) {
        match element.tag_name().name() {
            "ProjectName" => {
                let name = entry(file, element).text;
                self.name.get_or_insert(name);
            }
            "InputFiles" => {
                let (inputs, others): (Vec<Node>, Vec<Node>) = element
                    .children()
                    .filter(Node::is_element)
                    .partition(|child| child.tag_name().name() == "PFile");
                self.inputs.extend(inputs.into_iter().map(|input| entry(file, input)));
                self.unknown_elements.extend(others.into_iter().map(|other| tag(file, other)));
            }
            "IncludeProject" => self.includes.push(entry(file, element)),
            "Target" => self.take_targets(&entry(file, element)),
            "OutputDir" | "pobserve-package" => {}
            _ => self.unknown_elements.push(tag(file, element)),
        }
    }

    fn take_targets(&mut self, all: &Entry) {
        for target in all.text.split([',', ' ', '\t', '\n', '\r']).filter(|target| !target.is_empty()) {
            if !TARGETS.contains(&target.to_ascii_lowercase().as_str()) {
                self.unknown_targets.push(all.part(target));
            }
        }
    }
}

impl Entry {
    /// A part of the entry's own text, with its own place where that can be told.
    fn part(&self, text: &str) -> Self {
        let is_verbatim = (self.span.end - self.span.start) as usize == self.text.len();
        let at = self.text.find(text).filter(|_| is_verbatim).map(|at| self.span.start + at as u32);
        let span = at.map_or(self.span, |start| Span::new(start, start + text.len() as u32));
        Self { text: text.to_owned(), span }
    }
}

/// What to say about an element that P does not know.
pub(super) fn unknown_element(element: &Entry) -> Diagnostic {
    let name = &element.text;
    let diagnostic =
        Diagnostic::new(Code::IgnoredEntry, element.span, format!("the element `<{name}>` is ignored"))
            .note("no element of a P project has this name in this place");
    match nearest(name, ELEMENTS.iter().copied().chain(["PFile"])) {
        Some("PFile") if name == "PFile" => diagnostic.hint("put it into `<InputFiles>`"),
        Some(near) if near == name => diagnostic.hint("put it directly into `<Project>`"),
        Some(near) => diagnostic.hint(format!("did you mean `<{near}>`?")),
        None => diagnostic,
    }
}

/// The trimmed text of an element with its place.
fn entry(file: &SourceFile, element: Node) -> Entry {
    let texts: Vec<Node> = element.descendants().filter(Node::is_text).collect();
    let text: String = texts.iter().filter_map(Node::text).collect();
    let range = match texts.as_slice() {
        [only] => trimmed(&file.text, only.range()),
        _ => element.range(),
    };
    Entry { text: text.trim().to_owned(), span: span(file, range) }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    start..start + inner.trim().len()
}

fn tag(file: &SourceFile, element: Node) -> Entry {
    Entry { text: element.tag_name().name().to_owned(), span: tag_span(file, element) }
}

/// The name in an element's opening tag.
fn tag_span(file: &SourceFile, element: Node) -> Span {
    let start = element.range().start;
    let rest = file.text.get(start + 1..).unwrap_or_default();
    let length = rest.find(|next: char| next.is_whitespace() || next == '>' || next == '/');
    span(file, start + 1..start + 1 + length.unwrap_or(0))
}

fn span(file: &SourceFile, range: Range<usize>) -> Span {
    let within = |offset: usize| file.start + offset.min(file.text.len()) as u32;
    Span::new(within(range.start), within(range.end))
}

fn not_a_project(found: &str, span: Span) -> Diagnostic {
    let message = format!("expected the element `<Project>`, found `<{found}>`");
    Diagnostic::new(Code::InvalidProjectFile, span, message)
}

fn not_xml(file: &SourceFile, error: &roxmltree::Error) -> Diagnostic {
    use roxmltree::Error::{DtdDetected, NoRootNode, NodesLimitReached, UnclosedRootNode};
    let at = match error {
        // These name no place.
        UnclosedRootNode | NoRootNode | DtdDetected | NodesLimitReached => file.text.trim_end().len(),
        _ => offset_of(file, error.pos()),
    };
    let text = error.to_string();
    let reason = text.strip_suffix(&format!(" at {}", error.pos())).unwrap_or(&text);
    let message = "the project file is not well-formed XML";
    Diagnostic::new(Code::InvalidProjectFile, span(file, at..at), message).note(reason)
}

fn offset_of(file: &SourceFile, position: TextPos) -> usize {
    let line = file.line_range((position.row as usize).saturating_sub(1));
    let column = (position.col as usize).saturating_sub(1);
    let characters = file.text[line.clone()].char_indices();
    characters.map(|(at, _)| line.start + at).nth(column).unwrap_or(line.end)
}
