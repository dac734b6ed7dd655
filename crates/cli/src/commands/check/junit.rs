//! The result as JUnit XML, which CI servers show as a list of tests.

use std::fmt::Write;

use super::run::TestResult;
use crate::arguments::Strength;

/// The suite is called after the project, and so is the class of each test: servers put results of one name together.
///
/// A test that does not reach the strength that is required has failed, too.
pub(super) fn to_xml(project: &str, results: &[TestResult], required: Option<Strength>) -> String {
    let project = escaped(project);
    if results.is_empty() {
        // A server must not take a project that cannot be run for one without failures.
        return format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <testsuite name=\"{project}\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0.000\">\n  \
            <testcase name=\"project\" classname=\"{project}\" time=\"0.000\">\n    \
            <error message=\"no test was run: the project was refused or has none\"/>\n  </testcase>\n</testsuite>\n"
        );
    }
    let is_weak = |result: &TestResult| {
        result.refusal.is_none() && required.is_some_and(|strength| !result.reaches(strength))
    };
    let has_failed = |result: &&TestResult| !result.bugs.is_empty() || is_weak(result);
    let failures = results.iter().filter(has_failed).count();
    let errors = results.iter().filter(|result| result.refusal.is_some()).count();
    let time: f64 = results.iter().map(|result| result.seconds).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = results.len();
    let _ = writeln!(
        xml,
        "<testsuite name=\"{project}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\">"
    );
    for result in results {
        let name = escaped(&result.test);
        let time = result.seconds;
        let _ = write!(xml, "  <testcase name=\"{name}\" classname=\"{project}\" time=\"{time:.3}\">");
        for bug in &result.bugs {
            let summary = &bug.trace.bug;
            let place = match (&summary.file, summary.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                _ => String::new(),
            };
            let log = fabius_trace::log(&bug.trace.run, bug.trace.explanation.as_ref(), Some(summary));
            let _ = write!(
                xml,
                "\n    <failure type=\"{}\" message=\"{}\">{}</failure>",
                escaped(&summary.kind),
                escaped(&summary.message),
                escaped(&format!("{place}\n{log}"))
            );
        }
        if result.bugs.is_empty() && is_weak(result) {
            let message = escaped(&format!("weaker than required: {}", result.conclusion.guarantee));
            let _ = write!(xml, "\n    <failure type=\"require\" message=\"{message}\"/>");
        }
        if let Some(refusal) = &result.refusal {
            let _ = write!(xml, "\n    <error message=\"{}\"/>", escaped(refusal));
        }
        let _ = writeln!(
            xml,
            "\n    <system-out>{}</system-out>\n  </testcase>",
            escaped(&result.conclusion.guarantee)
        );
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// Text that may stand in XML, in attributes too; control characters, which XML cannot hold, become a replacement.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            other => escaped.push(other),
        }
    }
    escaped
}
