//! Written and random programs come back from their texts as they were, and break no rule.

use super::EVERYTHING;
use super::structure::assert_same;
use crate::ir::text::{parse, print};
use crate::ir::{Program, verify};

pub(super) fn assert_round_trip(program: &Program) {
    let text = print(program);
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_same(program, &again);
    assert_eq!(print(&again), text);
}

pub(super) fn assert_verified(program: &Program) {
    let violations = verify(program);
    let lines: Vec<_> = violations.iter().map(|violation| violation.describe(program)).collect();
    assert!(violations.is_empty(), "{}\n{}", lines.join("\n"), print(program));
}

#[test]
fn the_program_with_everything_comes_back_and_breaks_no_rule() {
    let program = parse(EVERYTHING).unwrap();
    assert_verified(&program);
    assert_round_trip(&program);
}

#[test]
fn the_text_of_the_program_with_everything_is_what_was_written() {
    let without_comments = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("//") && !line.is_empty());
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let printed = without_comments(&print(&parse(EVERYTHING).unwrap()));
    let written = without_comments(EVERYTHING);
    assert_eq!(printed.lines().count(), written.lines().count());
    for (printed, written) in printed.lines().zip(written.lines()) {
        assert_eq!(printed, written);
    }
}
