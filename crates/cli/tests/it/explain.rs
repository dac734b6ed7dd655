//! What `fabius explain` says about each code is true.

use std::fs;
use std::path::Path;

use fabius_lang::source::{Code, Severity, SourceMap};

/// The rule, the wrong and the corrected example of a code.
fn text_of(code: Code) -> (String, String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands/explain/texts");
    let text = fs::read_to_string(folder.join(code.text()).with_extension("txt"));
    let text = text.unwrap_or_else(|_| panic!("`{}` has a text", code.text()));
    let (rule, rest) = text.split_once("\n\nWrong:\n\n").expect("a rule comes first");
    let (wrong, right) = rest.split_once("\n\nRight:\n\n").expect("a wrong and a corrected example follow");
    let plain = |example: &str| {
        example.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
    };
    (rule.to_owned(), plain(wrong), plain(right))
}

fn codes_of(program: &str) -> Vec<Code> {
    let mut sources = SourceMap::default();
    sources.add("example.p", program, false);
    fabius_lang::compile(&sources).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Whether the examples are commands and project files, not programs.
fn is_about_projects(code: Code) -> bool {
    code < Code::InvalidCharacter || code == Code::TooManyFindings
}

#[test]
fn every_code_has_a_rule_a_wrong_and_a_corrected_example() {
    for code in Code::ALL {
        let (rule, wrong, right) = text_of(*code);
        let name = code.text();
        assert!(rule.ends_with('.') && wrong != right, "{name}");
        assert!(rule.lines().all(|line| line.chars().count() <= 100), "{name}: the rule fits a terminal");
        for example in [&wrong, &right] {
            assert!(example.lines().count() <= 16, "{name}: examples are short");
        }
    }
}

#[test]
fn the_wrong_examples_are_wrong_and_the_corrected_ones_are_not() {
    for code in Code::ALL.iter().filter(|code| !is_about_projects(**code)) {
        let (_, wrong, right) = text_of(*code);
        let name = code.text();
        let found = codes_of(&wrong);
        assert!(found.contains(code), "{name}: the wrong example has {found:?}");
        let others = found.iter().find(|found| *found != code && found.severity() == Severity::Error);
        assert_eq!(others, None, "{name}: the wrong example has another error");
        let found = codes_of(&right);
        assert!(!found.contains(code), "{name}: the corrected example has it too");
        assert!(found.iter().all(|code| code.severity() != Severity::Error), "{name}: {found:?}");
    }
}
