//! The example of an explorer of one's own: it obeys the law, and both searches find the bug with it.

#[path = "../../examples/newest_first.rs"]
#[allow(unreachable_pub, dead_code, reason = "an example is a program of its own")]
mod newest_first;

use crate::law;

#[test]
fn the_example_runs() {
    newest_first::main();
}

#[test]
fn the_example_obeys_the_law() {
    law::check_on_toys("newest first", &newest_first::NewestFirst::default());
}

#[test]
fn the_example_is_under_fifty_lines() {
    let text = include_str!("../../examples/newest_first.rs");
    let explorer: Vec<&str> = text.split("fn main()").next().unwrap_or_default().lines().collect();
    assert!(explorer.len() < 50, "{} lines", explorer.len());
}
